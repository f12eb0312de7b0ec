//! Where the camera stands and what is on the floor: strips and moving pictures of one clip.

use crate::figure::{Body, Bounds, Figure, Look};
use crate::playable::Playable;
use anyhow::Result;
use lissom_draw::{
    Camera, Canvas, Color, GLYPH_HEIGHT, Ground, Image, Shadow, Viewport, palette, text_width,
};
use rayon::prelude::*;

/// The side that the camera stands on.
#[derive(Clone, Copy, PartialEq)]
pub enum View {
    /// Face to face
    Front,
    /// From its left
    Side,
    /// From behind
    Back,
    /// Between front and side
    ThreeQuarter,
    /// So many degrees from face to face, towards its left
    Degrees(f32),
}

/// How a picture is to look.
#[derive(Clone, Copy)]
pub struct Style {
    /// Where the camera stands.
    pub view: View,
    /// Colours of the figure, and what of it is drawn.
    pub look: Look,
    /// The background.
    pub paper: Color,
    /// Text and lines.
    pub ink: Color,
    /// Times and names under the figures.
    pub labels: bool,
    /// How strong the floor's lines are, 1 as a rule.
    pub lines: f32,
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
            Self::Back => core::f32::consts::PI,
            Self::ThreeQuarter => 0.75,
            Self::Degrees(degrees) => degrees.to_radians(),
        }
    }

    /// From the figure to the camera.
    fn from(self) -> [f32; 3] {
        let (yaw, up) = (self.yaw(), 0.24);
        [-libm::sinf(yaw), up, libm::cosf(yaw)]
    }
}

/// A clip, and the part of it that is shown.
#[derive(Clone, Copy)]
pub struct Shot<'a> {
    /// `None` is the rest pose.
    pub clip: Option<Playable<'a>>,
    /// From here, in seconds.
    from_s: f64,
    /// To here.
    to_s: f64,
    looping: bool,
}

impl<'a> Shot<'a> {
    /// All of a clip; without one, the rest pose.
    pub fn whole(clip: Option<Playable<'a>>) -> Self {
        let to_s = clip.map_or(0.0, Playable::duration_s);
        Self { clip, from_s: 0.0, to_s, looping: clip.is_some_and(Playable::is_looping) }
    }

    /// The part between two times; `None` if that is none.
    pub fn part(self, from: Option<f64>, to: Option<f64>) -> Option<Self> {
        let (from_s, to_s) = (from.unwrap_or(self.from_s), to.unwrap_or(self.to_s));
        let whole = from_s == self.from_s && to_s == self.to_s;
        let inside = self.from_s <= from_s && from_s < to_s && from_s < self.to_s;
        let to_s = if to_s < self.to_s { to_s } else { self.to_s };
        inside.then_some(Self { from_s, to_s, looping: self.looping && whole, ..self })
    }

    /// How long it is.
    pub fn seconds(&self) -> f64 {
        self.to_s - self.from_s
    }

    /// What it is called.
    pub fn name(&self) -> &'a str {
        self.clip.map_or("rest pose", Playable::name)
    }

    /// Moments, evenly spread; the last is the end unless that is the start again.
    fn moments(&self, count: u32) -> Vec<f64> {
        if self.clip.is_none() {
            return vec![0.0];
        }
        let parts = if self.looping || count < 2 { count } else { count - 1 };
        (0..count).map(|i| self.from_s + self.seconds() * f64::from(i) / f64::from(parts)).collect()
    }
}

/// Figures at these times, with everything brought to the size of a person and the floor to 0.
struct Cast {
    figures: Vec<Figure>,
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
        figures.iter_mut().for_each(|f| f.place(scale, body.yaw, [0.0, -floor, 0.0]));
        Ok(Self { figures })
    }

    fn height(&self) -> f32 {
        tallest(&self.figures)
    }

    /// Where the bodies are on the floor.
    fn middles(&self) -> Vec<[f32; 2]> {
        self.figures.iter().map(Figure::middle).map(|m| [m[0], m[2]]).collect()
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

/// How far down the camera of a strip looks: its rise over its run.
const SLOPE: f32 = 0.18;
/// The widest that a strip becomes by itself, and the highest that a row of it does, in pixels.
const WIDEST: f32 = 2400.0;
const HIGHEST: f32 = 340.0;
/// A strip wider than this, over its height, goes on in another row.
const LONGEST: f32 = 7.5;

/// Rows of figures with bands for words above and below each: where everything is, in pixels.
struct Sheet {
    width: u32,
    height: u32,
    rows: u32,
    columns: u32,
    /// Above all figures.
    title: u32,
    /// Of a row's figures, without the band below them.
    row: u32,
    /// Below each row.
    label: u32,
    /// Pixels a dot of a letter.
    letters: u32,
    /// Pixels a metre.
    scale: f32,
}

impl Sheet {
    /// For `count` figures of this size in metres; `size` is the picture's, without it the figures decide.
    fn new(count: u32, cell: [f32; 2], size: Option<(u32, u32)>, labels: bool) -> Self {
        let letters = if size.is_none_or(|(_, h)| h >= 300) { 2 } else { 1 };
        let band = if labels { (GLYPH_HEIGHT + 6) * letters } else { 0 };
        let sheet = Self::with_bands(count, cell, size, band, letters);
        // Words are not to be most of a small picture.
        let words = band * (sheet.rows + 1);
        if size.is_some() && 3 * words > sheet.height {
            Self::with_bands(count, cell, size, 0, letters)
        } else {
            sheet
        }
    }

    fn with_bands(
        count: u32,
        [wide, high]: [f32; 2],
        size: Option<(u32, u32)>,
        band: u32,
        letters: u32,
    ) -> Self {
        // What is very flat has air above and below.
        let high = if high * LONGEST < wide { wide / LONGEST } else { high };
        let columns = |rows: u32| count.div_ceil(rows);
        let least = |a: f32, b: f32| if a < b { a } else { b };
        let row = |rows: u32, height: u32| height.saturating_sub(band * (rows + 1)) / rows;
        let fit = |rows: u32, (w, h): (u32, u32)| {
            least(w as f32 / (wide * columns(rows) as f32), row(rows, h) as f32 / high)
        };
        let rows = match size {
            // As large as possible.
            Some(size) => (1..=count).max_by(|a, b| fit(*a, size).total_cmp(&fit(*b, size))).unwrap_or(1),
            None => {
                let long = |rows: u32| wide * columns(rows) as f32 / (high * rows as f32);
                (1..=count).find(|rows| long(*rows) <= LONGEST).unwrap_or(count)
            }
        };
        let columns = columns(rows);
        let (width, height) = size.unwrap_or_else(|| {
            let scale = least(HIGHEST / high, WIDEST / (wide * columns as f32));
            let height = libm::ceilf(high * scale) as u32 * rows + band * (rows + 1);
            ((wide * scale * columns as f32) as u32, height)
        });
        let (width, height) = (width.clamp(16, 8192), height.clamp(16, 8192));
        let row_px = row(rows, height).max(1);
        let scale = least(width as f32 / (wide * columns as f32), row_px as f32 / high);
        Self { width, height, rows, columns, title: band, row: row_px, label: band, letters, scale }
    }

    fn top(&self, row: u32) -> u32 {
        self.title + row * (self.row + self.label)
    }
}

/// Moments of a clip side by side, on one floor a row. Words have bands of their own, where no figure is.
pub fn strip(
    body: &Body<'_>,
    shot: &Shot<'_>,
    frames: u32,
    size: Option<(u32, u32)>,
    style: &Style,
) -> Result<Image> {
    let times = shot.moments(frames);
    let mut cast = Cast::new(body, shot.clip, &times)?;
    for figure in &mut cast.figures {
        let m = figure.middle();
        figure.place(1.0, 0.0, [-m[0], 0.0, -m[2]]);
        figure.place(1.0, style.view.yaw(), [0.0; 3]);
    }
    // What the camera sees of them: it looks down, so what is far is higher up.
    let down = libm::hypotf(1.0, SLOPE);
    let (cos, sin) = (1.0 / down, SLOPE / down);
    let (mut aside, mut low, mut high) = (0.0_f32, f32::INFINITY, f32::NEG_INFINITY);
    for b in cast.figures.iter().map(Figure::bounds) {
        for corner in 0..8 {
            let p: [f32; 3] =
                core::array::from_fn(|i| if corner >> i & 1 == 0 { b.min[i] } else { b.max[i] });
            let up = p[1] * cos - p[2] * sin;
            aside = if p[0].abs() > aside { p[0].abs() } else { aside };
            low = if up < low { up } else { low };
            high = if up > high { up } else { high };
        }
    }
    let tall = cast.height();
    let air = 0.05 * tall;
    let cell = [2.0 * aside + 2.0 * air, high - low + 2.0 * air];
    let sheet = Sheet::new(times.len() as u32, cell, size, style.labels);
    let mut canvas = Canvas::new(sheet.width, sheet.height, style.paper)?;
    let far = 20.0 * (cell[0] * sheet.columns as f32 + cell[1]);
    let middle = (low + high) * 0.5;
    let target = [0.0, middle * cos, -middle * sin];
    let eye = [0.0, target[1] + far * sin, target[2] + far * cos];
    let metres = sheet.row as f32 / sheet.scale;
    let camera = Camera { far: far * 4.0, ..Camera::orthographic(eye, target, metres) };
    canvas.set_camera(&camera)?;
    let left = -0.5 * (sheet.columns as f32 - 1.0) * cell[0];
    for row in 0..sheet.rows {
        let first = (row * sheet.columns) as usize;
        let last = (first + sheet.columns as usize).min(times.len());
        if first >= last {
            break;
        }
        let part = Viewport { x: 0, y: sheet.top(row), width: sheet.width, height: sheet.row };
        canvas.set_viewport(part)?;
        let mut cloud = Vec::new();
        for (column, figure) in cast.figures[first..last].iter_mut().enumerate() {
            figure.place(1.0, 0.0, [left + column as f32 * cell[0], 0.0, 0.0]);
            figure.draw(&mut canvas, &style.look, tall)?;
            cloud.extend(figure.cloud());
        }
        let radius = cell[0] * sheet.columns as f32 + tall;
        floor(&mut canvas, &cloud, &Ground { radius, strength: 0.13 * style.lines, ..Ground::default() })?;
        if sheet.label == 0 {
            continue;
        }
        let y = (sheet.top(row) + sheet.row + 3 * sheet.letters) as i32;
        for (column, time) in times[first..last].iter().enumerate() {
            let x = (left + column as f32 * cell[0]) * sheet.scale + sheet.width as f32 * 0.5;
            let ink = style.ink.mixed(style.paper, 0.25);
            let text = format!("{time:.2} s");
            // Words that would run into each other are smaller, or left out.
            let fits = |letters: u32| text_width(&text, letters + 1) as f32 <= cell[0] * sheet.scale;
            if let Some(letters) = (1..=sheet.letters).rev().find(|l| fits(*l)) {
                canvas.text_centred(x as i32, y, &text, letters, ink);
            }
        }
    }
    if sheet.title > 0 {
        let (name, letters) = fitted(shot.name(), sheet.width.saturating_sub(2 * MARGIN), sheet.letters);
        canvas.text(MARGIN as i32, 4 * sheet.letters as i32, &name, letters, style.ink);
    }
    Ok(canvas.finish())
}

/// Pixels to the left and right of a title.
const MARGIN: u32 = 14;

/// A name and the size of its letters that fit this number of pixels: smaller letters first, then only what stands after the last
/// bar (`Walk` of `Armature|Walk`), then as much of that as there is room for.
fn fitted(name: &str, pixels: u32, letters: u32) -> (String, u32) {
    let last = name.rsplit('|').next().unwrap_or(name);
    for text in [name, last] {
        if let Some(letters) = (1..=letters).rev().find(|letters| text_width(text, *letters) <= pixels) {
            return (text.to_owned(), letters);
        }
    }
    let most = last.chars().count();
    let cut = |count: usize| last.chars().take(count).chain("..".chars()).collect::<String>();
    let longest = (0..most).rev().map(cut).find(|text| text_width(text, 1) <= pixels);
    (longest.unwrap_or_default(), 1)
}

/// Pictures of the same or different width, one under the other.
pub fn stacked(images: &[Image], paper: Color) -> Image {
    let width = images.iter().map(|i| i.width).max().unwrap_or(0);
    let height = images.iter().map(|i| i.height).sum();
    let [r, g, b] = paper.rgb;
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 4);
    for image in images {
        for row in image.pixels.chunks_exact(image.width as usize * 4) {
            pixels.extend_from_slice(row);
            pixels.extend((image.width..width).flat_map(|_| [r, g, b, 255]));
        }
    }
    Image { width, height, pixels }
}

/// The floor, with a shadow unless what stands on it is too large for one.
fn floor(canvas: &mut Canvas, cloud: &[[f32; 3]], ground: &Ground) -> Result<()> {
    let shadow = Shadow::of_points(cloud, ground.y).ok();
    Ok(canvas.ground(ground, shadow.as_ref())?)
}

/// One picture a moment, the camera framed on all of them together. `follow`: it goes along with the figure.
pub fn film(
    body: &Body<'_>,
    shot: &Shot<'_>,
    frames: u32,
    follow: bool,
    size: Option<(u32, u32)>,
    style: &Style,
    done: impl Fn() + Sync,
) -> Result<Vec<Image>> {
    let cast = Cast::new(body, shot.clip, &shot.moments(frames))?;
    let path = if follow {
        Path { follow: smooth(&cast.middles(), 2), spacing: SPACING }
    } else {
        path(&cast, || Cast::new(body, shot.clip, &[shot.from_s, shot.to_s]), shot.looping)?
    };
    shoot(&cast.figures, &path, size, style, done)
}

/// Figures one after the other, the camera on a path.
pub fn shoot(
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
pub struct Path {
    /// Where the camera is above, frame by frame: x and z.
    pub follow: Vec<[f32; 2]>,
    /// Metres between the floor's lines.
    pub spacing: f32,
}

impl Path {
    /// Lines about half a metre apart, a whole number of them a loop: the floor too ends as it starts.
    pub fn spacing(travel: f32) -> f32 {
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
    let middles = cast.middles();
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
    Ok(Path { follow: smooth(&middles, middles.len() / 8 + 1), spacing: SPACING })
}

/// Each place the mean of those up to `reach` before and after it, as many on either side: what goes straight on stays
/// where it is.
fn smooth(places: &[[f32; 2]], reach: usize) -> Vec<[f32; 2]> {
    let at = |i: usize| {
        let reach = reach.min(i).min(places.len() - 1 - i);
        let near = &places[i - reach..=i + reach];
        [0, 1].map(|c| near.iter().map(|m| m[c]).sum::<f32>() / near.len() as f32)
    };
    (0..places.len()).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::{Sheet, fitted};
    use lissom_draw::text_width;

    #[test]
    fn a_long_name_fits_a_narrow_picture() {
        let name = "CharacterArmature|Idle_Gun_Pointing";
        assert_eq!(fitted(name, 2000, 2), (name.into(), 2));
        let small = text_width(name, 1);
        assert_eq!(fitted(name, small, 2), (name.into(), 1), "letters become smaller first");
        assert_eq!(fitted(name, small - 1, 2).0, "Idle_Gun_Pointing", "then what stands before the bar goes");
        for pixels in [0, 5, 20, 40, 60, 90] {
            let (text, letters) = fitted(name, pixels, 2);
            assert!(text_width(&text, letters) <= pixels || text.is_empty(), "{pixels}: {text}");
        }
        assert!(fitted(name, 60, 2).0.starts_with("Idle"));
    }

    /// Flat things, tall things, few and many, in pictures of any size: all inside, words below and above them.
    #[test]
    fn figures_and_words_have_places_of_their_own() {
        for cell in [[1.0, 2.0], [20.0, 0.3], [0.05, 9.0], [3.0, 3.0]] {
            for count in [1, 2, 7, 8, 64] {
                for size in [
                    None,
                    Some((1200, 400)),
                    Some((240, 120)),
                    Some((64, 96)),
                    Some((16, 16)),
                    Some((90, 4000)),
                ] {
                    let s = Sheet::new(count, cell, size, true);
                    let what = format!("{count} of {cell:?} in {size:?}: {} rows of {}", s.rows, s.columns);
                    assert!(s.rows * s.columns >= count, "{what}");
                    assert!(size.is_none_or(|size| size == (s.width, s.height)), "{what}");
                    assert!(s.top(s.rows - 1) + s.row + s.label <= s.height, "{what}");
                    // A pixel for rounding.
                    assert!(cell[1] * s.scale <= s.row as f32 + 1.0, "{what}");
                    assert!(cell[0] * s.scale * s.columns as f32 <= s.width as f32 + 1.0, "{what}");
                    if size.is_none() {
                        assert!(s.height >= 100 && s.width >= 16, "{what}: {} x {}", s.width, s.height);
                        assert!(s.title > 0 && s.label > 0);
                    }
                }
            }
        }
    }
}
