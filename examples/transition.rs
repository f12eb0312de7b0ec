//! A run that stops, three ways: by inertia, by a cross-fade, at once. By inertia one clip is played at any time, and nothing pops.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::{
    archive::Archive,
    math::{
        Mat4, Vec3,
        scalar::{length, sub},
    },
};
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::Actor;
use lissom_motion::{
    Animator, Graph, GraphParts,
    graph::{LayerParts, StateParts, Test, TransitionParts},
};
use std::sync::Arc;

const FRAME_S: f64 = 1.0 / 60.0;
/// The frame in which the run is left.
const STOP: i32 = 12;

/// Runs until it is told to stop.
fn runner(archive: &Archive, stop: TransitionParts) -> Result<Animator> {
    let body = LayerParts::new("body")
        .state(StateParts::clip("run", "run"))
        .state(StateParts::clip("idle", "idle"))
        .transition(stop.when("stop", Test::On));
    let parts = GraphParts::new().trigger("stop").layer(body);
    Ok(Animator::new(archive, Arc::new(Graph::of_archive(&parts, archive)?))?)
}

fn main() -> Result<()> {
    let actor = Actor::new(&[Motion::Run, Motion::Idle])?;
    let way = || TransitionParts::new("run", "idle");
    let ways = [
        ("by inertia", way().fade(0.35).inertial()),
        ("by a cross-fade", way().fade(0.35)),
        ("at once", way().fade(0.0)),
    ];
    let mut figures = Vec::new();
    for (name, way) in ways {
        let mut hero = runner(&actor.archive, way)?;
        let stop = hero.graph().trigger("stop")?;
        let (mut joints, mut clips) = (Vec::new(), 0);
        for frame in 0..40 {
            if frame == STOP {
                hero.trigger(stop)?;
            }
            hero.update(FRAME_S)?;
            joints.push(hero.models().iter().map(place).collect::<Vec<_>>());
            let playing = hero.frame().entries().iter().filter(|entry| entry.weight > 0.0).count();
            clips = clips.max(playing);
            if name == "by inertia" && [11, 12, 15, 19, 24, 33].contains(&frame) {
                let label = format!("{:+.0} ms", f64::from(frame - STOP) * FRAME_S * 1e3);
                let color = if frame < STOP { palette::OCHRE } else { palette::SAGE };
                figures.push(actor.figure(label, color, hero.pose())?);
            }
        }
        let way = farthest(&joints);
        println!("{name}: a joint goes up to {way:.0} mm in a frame, {clips} clips are played at once");
    }
    actor.strip("transition", [1.0, 0.15, 0.35], &figures)
}

fn place(model: &Mat4) -> Vec3 {
    model.w_axis.truncate()
}

/// The farthest that a joint goes in a frame, in millimetres.
fn farthest(frames: &[Vec<Vec3>]) -> f32 {
    let ways = frames.windows(2).flat_map(|two| two[0].iter().zip(&two[1]).map(|(a, b)| length(sub(*b, *a))));
    1e3 * ways.fold(0.0, |most, way| if way > most { way } else { most })
}
