//! Where the camera stands and what is on the floor: strips and moving pictures of one clip.

use super::figure::{Body, Bounds, Figure, Look};
use crate::stage::{Playable, Stage};
use anyhow::Result;
use lissom_draw::{Camera, Canvas, Color, Ground, Image, Shadow, palette};
use rayon::prelude::*;

/// The side that the camera stands on.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum View {
    /// Face to face
    Front,
    /// From its left
    Side,
    /// Between the two
    ThreeQuarter,
}

/// How a picture is to look.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) view: View,
    pub(crate) look: Look,
    pub(crate) paper: Color,
    pub(crate) ink: Color,
    /// Times and names under the figures.
    pub(crate) labels: bool,
    /// How strong the floor's lines are, 1 as a rule.
    pub(crate) lines: f32,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            view: View::ThreeQuarter,
            look: Look::default(),
            paper: palette::PAPER,
            ink: palette::INK,
            labels: true,
            lines: 1.0,
        }
    }
}

impl View {
    /// How far a figure turns from facing us.
    fn yaw(self) -> f32 {
        match self {
            Self::Front => 0.0,
            Self::Side => core::f32::consts::FRAC_PI_2,
            Self::ThreeQuarter => 0.75,
        }
    }

    /// From the figure to the camera.
    fn from(self) -> [f32; 3] {
        let (yaw, up) = (self.yaw(), 0.24);
        [-libm::sinf(yaw), up, libm::cosf(yaw)]
    }
}

/// Moments of a clip, evenly spread; the last is the end unless that is the start again.
pub(crate) fn moments(clip: Option<Playable<'_>>, count: u32) -> Vec<f64> {
    let Some(clip) = clip else { return vec![0.0] };
    let parts = if clip.is_looping() || count < 2 { count } else { count - 1 };
    (0..count).map(|i| clip.duration_s() * f64::from(i) / f64::from(parts)).collect()
}

/// Figures at these times, with everything brought to the size of a person and the floor to 0.
struct Cast {
    figures: Vec<Figure>,
    /// Of all figures together.
    bounds: Bounds,
}

impl Cast {
    fn new(body: &Body<'_>, clip: Option<Playable<'_>>, times: &[f64]) -> Result<Self> {
        let mut figures = times.par_iter().map(|t| body.figure_at(clip, *t)).collect::<Result<Vec<_>>>()?;
        let all = Bounds::around(&figures);
        // The largest pose decides, not the way it travels.
        let larger = |a: f32, b: f32| if b > a { b } else { a };
        let extent = figures.iter().map(|f| f.bounds().extent()).fold(0.0, larger);
        let scale = if (0.4..=6.0).contains(&extent) { 1.0 } else { 1.8 / extent };
        let (low, high) = (all.min[1] * scale, all.max[1] * scale);
        // What hovers or sinks a little does so over the floor of its own world.
        let floor = if low > -0.05 * (high - low) && low < 0.5 * (high - low) { 0.0 } else { low };
        figures.iter_mut().for_each(|f| f.place(scale, 0.0, [0.0, -floor, 0.0]));
        let bounds = Bounds::around(&figures);
        Ok(Self { figures, bounds })
    }

    fn height(&self) -> f32 {
        tallest(&self.figures)
    }
}

/// The largest extent of any pose: what the thickness of bones follows.
fn tallest(figures: &[Figure]) -> f32 {
    figures.iter().map(|f| f.bounds().extent()).fold(0.0, |a, b| if b > a { b } else { a })
}

impl Bounds {
    fn around(figures: &[Figure]) -> Self {
        let mut all = figures[0].bounds();
        for b in figures.iter().map(Figure::bounds) {
            all.add(b.min);
            all.add(b.max);
        }
        all
    }
}

/// The clip's moments side by side on one floor. `size` is the picture's; without it the figures decide.
pub(crate) fn strip(
    stage: &Stage,
    clip: Option<Playable<'_>>,
    frames: u32,
    size: Option<(u32, u32)>,
    style: &Style,
) -> Result<Image> {
    let times = moments(clip, frames);
    let mut cast = Cast::new(&Body::new(stage)?, clip, &times)?;
    for figure in &mut cast.figures {
        let m = figure.middle();
        figure.place(1.0, 0.0, [-m[0], 0.0, -m[2]]);
        figure.place(1.0, style.view.yaw(), [0.0; 3]);
    }
    let tall = cast.bounds.max[1];
    let reach = |f: &Figure| {
        let b = f.bounds();
        if -b.min[0] > b.max[0] { -b.min[0] } else { b.max[0] }
    };
    let widest = cast.figures.iter().map(reach).fold(0.2 * tall, |a, b| if b > a { b } else { a });
    let cell = 2.0 * widest + 0.06 * cast.height();
    // Air above, room for the labels below; the camera looks down a little.
    let (above, below) = (0.10 * tall, if style.labels { 0.24 * tall } else { 0.12 * tall });
    let (mut high, wide) = (tall + above + below, cell * times.len() as f32);
    let (width, height) = size.unwrap_or_else(|| {
        let height = 380.0;
        let width = height * wide / high;
        let fit = if width > 2400.0 { 2400.0 / width } else { 1.0 };
        ((width * fit) as u32, (height * fit) as u32)
    });
    let aspect = width as f32 / height as f32;
    if wide / aspect > high {
        high = wide / aspect;
    }
    let middle = (tall + above - below) * 0.5;
    let mut canvas = Canvas::new(width, height, style.paper)?;
    let far = 20.0 * (high + tall);
    let eye = [0.0, middle + far * 0.18, far];
    let camera = Camera { far: far * 4.0, ..Camera::orthographic(eye, [0.0, middle, 0.0], high) };
    canvas.set_camera(&camera)?;
    let mut cloud = Vec::new();
    let left = -0.5 * (times.len() as f32 - 1.0) * cell;
    for (i, figure) in cast.figures.iter_mut().enumerate() {
        figure.place(1.0, 0.0, [left + i as f32 * cell, 0.0, 0.0]);
        figure.draw(&mut canvas, &style.look, tall)?;
        cloud.extend(figure.cloud());
    }
    floor(
        &mut canvas,
        &cloud,
        &Ground { radius: wide + tall, strength: 0.13 * style.lines, ..Ground::default() },
    )?;
    if style.labels {
        let scale = if height >= 300 { 2 } else { 1 };
        let y = height as i32 - 12 * scale as i32;
        for (i, time) in times.iter().enumerate() {
            let x = (left + i as f32 * cell) / high * height as f32 + width as f32 * 0.5;
            canvas.text_centred(
                x as i32,
                y,
                &format!("{time:.2} s"),
                scale,
                style.ink.mixed(style.paper, 0.25),
            );
        }
        let title = clip.map_or("rest pose", Playable::name);
        canvas.text(14, 12, title, scale, style.ink);
    }
    Ok(canvas.finish())
}

/// The floor, with a shadow unless what stands on it is too large for one.
fn floor(canvas: &mut Canvas, cloud: &[[f32; 3]], ground: &Ground) -> Result<()> {
    let shadow = Shadow::of_points(cloud, ground.y).ok();
    Ok(canvas.ground(ground, shadow.as_ref())?)
}

/// One picture a moment, the camera framed on all of them together.
pub(crate) fn film(
    stage: &Stage,
    clip: Option<Playable<'_>>,
    frames: u32,
    size: Option<(u32, u32)>,
    style: &Style,
    done: impl Fn() + Sync,
) -> Result<Vec<Image>> {
    let body = Body::new(stage)?;
    let cast = Cast::new(&body, clip, &moments(clip, frames))?;
    let looping = clip.is_some_and(Playable::is_looping);
    let end = clip.map_or(0.0, Playable::duration_s);
    let path = path(&cast, || Cast::new(&body, clip, &[0.0, end]), looping)?;
    shoot(&cast.figures, &path, size, style, done)
}

/// Figures one after the other, the camera on a path.
pub(crate) fn shoot(
    figures: &[Figure],
    path: &Path,
    size: Option<(u32, u32)>,
    style: &Style,
    done: impl Fn() + Sync,
) -> Result<Vec<Image>> {
    // The box around all poses, each seen from where the camera is by then.
    let mut bounds: Option<Bounds> = None;
    for (figure, at) in figures.iter().zip(&path.follow) {
        let b = figure.bounds();
        for corner in [b.min, b.max] {
            let p = [corner[0] - at[0], corner[1], corner[2] - at[1]];
            bounds.get_or_insert(Bounds { min: p, max: p }).add(p);
        }
    }
    let Some(mut bounds) = bounds else { return Ok(Vec::new()) };
    if bounds.min[1] > 0.0 {
        bounds.min[1] = 0.0;
    }
    let extent = bounds.extent();
    let (width, height) = size.unwrap_or_else(|| {
        let [x, y, z] = bounds.size();
        let aspect = libm::sqrtf(x * x + z * z) / (y + 0.1 * extent);
        (((420.0 * aspect) as u32).clamp(320, 720) / 2 * 2, 420)
    });
    let aspect = width as f32 / height as f32;
    let base = Camera::framing(bounds.min, bounds.max, style.view.from(), 0.42, aspect)?;
    let middle = [(bounds.min[0] + bounds.max[0]) * 0.5, (bounds.min[2] + bounds.max[2]) * 0.5];
    let tall = tallest(figures);
    figures
        .par_iter()
        .zip(&path.follow)
        .map(|(figure, at)| {
            let mut canvas = Canvas::new(width, height, style.paper)?;
            let moved = |p: [f32; 3]| [p[0] + at[0], p[1], p[2] + at[1]];
            canvas.set_camera(&Camera { eye: moved(base.eye), target: moved(base.target), ..base })?;
            figure.draw(&mut canvas, &style.look, tall)?;
            let ground = Ground {
                spacing: path.spacing,
                centre: [middle[0] + at[0], middle[1] + at[1]],
                radius: 2.2 * extent,
                strength: 0.35 * style.lines,
                ..Ground::default()
            };
            floor(&mut canvas, &figure.cloud(), &ground)?;
            done();
            Ok(canvas.finish())
        })
        .collect()
}

/// Where the camera is, frame by frame (x, z), and how far apart the lines on the floor are.
pub(crate) struct Path {
    pub(crate) follow: Vec<[f32; 2]>,
    pub(crate) spacing: f32,
}

impl Path {
    /// Lines about half a metre apart, a whole number of them a loop: the floor too ends as it starts.
    pub(crate) fn spacing(travel: f32) -> f32 {
        let lines = libm::roundf(travel / SPACING);
        if lines < 1.0 { travel } else { travel / lines }
    }
}

/// Metres between lines on the floor.
const SPACING: f32 = 0.5;

/// The camera stands still for what stays in place, goes along evenly with what loops and travels, and
/// drifts after what wanders far.
fn path(cast: &Cast, ends: impl FnOnce() -> Result<Cast>, looping: bool) -> Result<Path> {
    let still = Path { follow: vec![[0.0; 2]; cast.figures.len()], spacing: SPACING };
    let middles: Vec<[f32; 2]> = cast.figures.iter().map(Figure::middle).map(|m| [m[0], m[2]]).collect();
    let apart = |a: [f32; 2], b: [f32; 2]| libm::hypotf(b[0] - a[0], b[1] - a[1]);
    if looping {
        let ends = ends()?;
        let [from, to] = [&ends.figures[0], &ends.figures[1]].map(|f| [f.middle()[0], f.middle()[2]]);
        let travel = apart(from, to);
        if travel < 0.15 * cast.height() {
            return Ok(still);
        }
        let n = cast.figures.len() as f32;
        let at = |i: usize| [0, 1].map(|c| (to[c] - from[c]) * i as f32 / n);
        let spacing = Path::spacing(travel);
        return Ok(Path { follow: (0..middles.len()).map(at).collect(), spacing });
    }
    let far = middles.iter().map(|m| apart(middles[0], *m)).fold(0.0, |a, b| if b > a { b } else { a });
    if far < 1.5 * cast.height() {
        return Ok(still);
    }
    let reach = middles.len() / 8 + 1;
    let smooth = |i: usize| {
        let near = &middles[i.saturating_sub(reach)..(i + reach + 1).min(middles.len())];
        [0, 1].map(|c| near.iter().map(|m| m[c]).sum::<f32>() / near.len() as f32)
    };
    Ok(Path { follow: (0..middles.len()).map(smooth).collect(), spacing: SPACING })
}
