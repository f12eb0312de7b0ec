//! Any velocity over the ground from six clips: a plane of gaits, in step with each other.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::archive::Archive;
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::{Actor, mannequin_archive};
use lissom_motion::{
    Animator, Graph, GraphParts,
    graph::{LayerParts, PlaneBlend, StateParts},
};
use std::sync::Arc;

const MOTIONS: [Motion; 6] =
    [Motion::Walk, Motion::Jog, Motion::Run, Motion::Back, Motion::StrafeLeft, Motion::StrafeRight];

/// At 60 a second.
const FRAMES: u8 = 80;

fn main() -> Result<()> {
    let archive = Archive::read(&mannequin_archive(&MOTIONS)?)?;
    let actor = Actor::new(&MOTIONS)?;
    // Each clip stands where it leads: metres per second to the left, and ahead.
    let points = MOTIONS.map(|motion| {
        let velocity = motion.velocity();
        ([velocity.x as f32, velocity.z as f32], motion.name())
    });
    let gaits = StateParts::plane("move", ["side", "ahead"], PlaneBlend::Delaunay, &points);
    let parts =
        GraphParts::new().float("side", 0.0).float("ahead", 0.0).layer(LayerParts::new("body").state(gaits));
    let graph = Arc::new(Graph::of_archive(&parts, &archive)?);
    let (side, ahead) = (graph.float("side")?, graph.float("ahead")?);
    let mut figures = Vec::new();
    for (x, z) in [(0.0, 1.32), (0.0, 2.0), (0.0, 3.6), (0.4, 0.7), (-0.4, 0.9), (-0.3, -0.5)] {
        let mut hero = Animator::new(&archive, graph.clone())?;
        hero.set(side, x)?;
        hero.set(ahead, z)?;
        let mut went = [0.0; 3];
        for _ in 0..FRAMES {
            hero.update(1.0 / 60.0)?;
            for (sum, step) in went.iter_mut().zip(hero.root_delta().translation) {
                *sum += step;
            }
        }
        let [left, _, on] = went.map(|way| way * 60.0 / f64::from(FRAMES));
        println!("asked for {x} {z} m/s, it goes {left:.2} {on:.2}:");
        for entry in hero.frame().entries().iter().filter(|entry| entry.weight > 0.0) {
            println!("    {:.2} {}", entry.weight, graph.clips()[usize::from(entry.clip)].name);
        }
        figures.push(actor.figure(format!("{x} {z}"), palette::SAGE, hero.pose())?);
    }
    actor.strip("blend_space", [1.0, 0.3, 0.8], &figures)
}
