//! The report's pictures: the crowd that was just played, a gait that changes, a character that its graph plays, and every motion as
//! a strip.

use super::{Results, crowd_run::Gaits};
use crate::{
    crowd::crowd_of,
    figure::{Body, Figure, Look},
    playable::Playable,
    scene::{self, Path, Shot, Style, View},
    stage::in_parallel,
};
use anyhow::Result;
use lissom::archive::Archive;
use lissom_build::{
    cook::{ClipBuilder, Effort},
    exact::larger,
    mannequin::{self, Detail},
    pipeline,
};
use lissom_draw::{Camera, Canvas, Color, Ground, Image, Shadow, gif, palette};
use lissom_motion::{Animator, RootStep};

/// By day, and by night.
pub struct Pair {
    pub light: Image,
    pub dark: Image,
}

/// Colours of a crowd.
const COATS: [Color; 6] =
    [palette::SAGE, palette::PLASTER, palette::OCHRE, palette::SKY, palette::PLUM, palette::CLAY];

fn both(draw: impl Fn(&Style) -> Result<Image> + Sync) -> Result<Pair> {
    let light = Style::default();
    let dark = Style { paper: palette::NIGHT, ink: palette::PAPER, lines: 0.4, ..light };
    let (light, dark) = rayon::join(|| draw(&light), || draw(&dark));
    Ok(Pair { light: light?, dark: dark? })
}

/// The first of the crowd, as they stood in the last frame.
pub fn crowd(results: &Results, quick: bool) -> Result<Pair> {
    let (width, height) = if quick { (400, 160) } else { (1600, 560) };
    let bodies = Body::new(&results.stage)?;
    let mut figures = Vec::new();
    for (i, models) in results.crowd.first.iter().enumerate() {
        let mut figure = bodies.figure(models)?;
        let m = figure.middle();
        let (column, row) = (i % 12, i / 12);
        let yaw = 0.35 + 0.5 * ((i * 5 % 7) as f32 - 3.0) / 3.0;
        figure.place(1.0, 0.0, [-m[0], 0.0, -m[2]]);
        let aside = 0.5 * (row % 2) as f32;
        figure.place(1.0, yaw, [(column as f32 - 5.75 + aside) * 1.12, 0.0, -1.75 * row as f32]);
        figures.push(figure);
    }
    let cloud: Vec<_> = figures.iter().flat_map(Figure::cloud).collect();
    let shadow = Shadow::of_points(&cloud, 0.0).ok();
    both(|style| {
        let mut canvas = Canvas::new(width, height, style.paper)?;
        canvas.set_camera(&Camera::perspective([0.6, 2.9, 10.6], [0.0, 0.72, -1.6], 0.315))?;
        for (i, figure) in figures.iter().enumerate() {
            let body = palette::PLASTER.mixed(COATS[(i * 5 + i / 12 * 2 + i / 5) % COATS.len()], 0.55);
            figure.draw(&mut canvas, &Look { body, ..Look::default() }, 1.8)?;
        }
        let ground =
            Ground { centre: [0.0, -2.0], radius: 16.0, strength: 0.22 * style.lines, ..Ground::default() };
        canvas.ground(&ground, shadow.as_ref())?;
        Ok(canvas.finish())
    })
}

/// One motion, moments side by side.
pub fn strip(results: &Results, clip: usize, coat: usize, quick: bool) -> Result<Pair> {
    let clip = &results.stage.clips[clip];
    let size = quick.then_some((480, 120));
    both(|style| {
        let body = palette::PLASTER.mixed(COATS[coat % COATS.len()], 0.5);
        let style = Style { look: Look { body, ..Look::default() }, labels: false, ..*style };
        let body = Body::new(&results.stage)?;
        scene::strip(&body, &Shot::whole(Some(Playable::Clip(clip))), 8, size, &style)
    })
}

/// A character that goes from a walk to a run and back, for ever. Gives the file, and one frame of it as PNG for
/// those who want no motion.
pub fn gait(results: &Results, quick: bool) -> Result<(Vec<u8>, Image)> {
    let stage = &results.stage;
    let gaits = Gaits::new(stage)?;
    let (frames, fps) = if quick { (6, 5.0) } else { (60, 20.0) };
    let pace = |i: usize| 1.0 - libm::cosf(core::f32::consts::TAU * i as f32 / frames as f32);
    // Phase and way are sums over frames, stretched so that the loop closes after whole cycles.
    let (mut phases, mut ways) = (vec![0.0], vec![0.0]);
    for i in 0..frames {
        let (cycle_s, speed) = gaits.stride(pace(i));
        phases.push(phases[i] + 1.0 / fps / cycle_s);
        ways.push(ways[i] + speed / fps);
    }
    let stretch = larger(libm::round(phases[frames]), 1.0) / phases[frames];
    let travel = (ways[frames] * stretch) as f32;
    let clips: Vec<_> = stage.clips.iter().map(|c| &c.clip).collect();
    let root = stage.skeleton.roots().next().unwrap_or(0);
    let body_of = Body::new(stage)?;
    let mut figures = Vec::with_capacity(frames);
    let mut follow = Vec::with_capacity(frames);
    for i in 0..frames {
        let role = gaits.on_the_way(pace(i), phases[i] * stretch);
        let (mut crowd, members) = crowd_of(&stage.skeleton, &clips, &[role])?;
        crowd.update(0.0)?;
        let models = crowd.models(members[0])?.unwrap_or_default();
        let mut figure = body_of.figure(models)?;
        let way = (ways[i] * stretch) as f32;
        figure.place(1.0, 0.0, [0.0, 0.0, way - models[root].w_axis.z]);
        figures.push(figure);
        follow.push([0.0, way]);
    }
    let path = Path { follow, spacing: Path::spacing(travel) };
    let size = if quick { (96, 96) } else { (380, 400) };
    let body = palette::PLASTER.mixed(palette::SKY, 0.55);
    let style =
        Style { view: View::ThreeQuarter, look: Look { body, ..Look::default() }, ..Style::default() };
    let images = scene::shoot(&figures, &path, Some(size), &style, || {})?;
    let still = images[0].clone();
    Ok((gif::encode(&images, frames as f64 / fps)?, still))
}

/// A character that the mannequin's graph plays: it waves, walks, runs, jumps and stands again. A file and a frame, as [`gait`].
pub fn played(results: &Results, quick: bool) -> Result<(Vec<u8>, Image)> {
    // The skin is the stage's.
    let scene = mannequin::game_scene(&mannequin::GRAPH_MOTIONS, &Detail { body_m: 0.04, hand_m: 0.012 })?;
    let builder = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let archive = pipeline::cook_scene(&scene, &builder, &in_parallel)?.archive;
    let mut hero = Animator::new(&Archive::read(&archive)?, mannequin::GRAPH)?;
    let graph = hero.graph().clone();
    let (ahead, jump, grounded) = (graph.float("ahead")?, graph.trigger("jump")?, graph.bool("grounded")?);
    hero.play("wave").on("upper_body").fade(0.2).start()?;
    let body_of = Body::new(&results.stage)?;
    let (mut figures, mut follow, mut place) = (Vec::new(), Vec::new(), RootStep::IDENTITY);
    // At 60 frames per second, of which one in `every` is shown.
    let (frames, every) = if quick { (60, 10) } else { (360, 4) };
    for frame in 0..frames {
        let speed = match frame {
            0..40 => 0.0,
            40..110 => 1.32,
            110..270 => 4.4,
            _ => 0.0,
        };
        hero.set(ahead, speed)?;
        hero.set(grounded, !(205..232).contains(&frame))?;
        if frame == 170 {
            hero.trigger(jump)?;
        }
        hero.update(1.0 / 60.0)?;
        place = place.then(&hero.root_delta());
        if frame % every == 0 {
            let mut figure = body_of.figure(hero.models())?;
            let [x, y, z] = place.translation.map(|v| v as f32);
            figure.place(1.0, 0.0, [x, y, z]);
            figures.push(figure);
            follow.push([x, z]);
        }
    }
    let path = Path { follow, spacing: 0.5 };
    let size = if quick { (96, 96) } else { (380, 400) };
    let body = palette::PLASTER.mixed(palette::OCHRE, 0.55);
    let style =
        Style { view: View::ThreeQuarter, look: Look { body, ..Look::default() }, ..Style::default() };
    let images = scene::shoot(&figures, &path, Some(size), &style, || {})?;
    let still = images[images.len() / 2].clone();
    Ok((gif::encode(&images, frames as f64 / 60.0)?, still))
}
