//! The clip moves the character: a walk, a turn to the left, a walk again, and where that leads.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::archive::Archive;
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::{Actor, mannequin_archive};
use lissom_motion::{
    Animator, Graph, GraphParts, RootStep,
    graph::{LayerParts, StateParts, Test, TransitionParts},
};
use std::sync::Arc;

fn main() -> Result<()> {
    let motions = [Motion::Walk, Motion::Turn];
    let archive = Archive::read(&mannequin_archive(&motions)?)?;
    let actor = Actor::new(&motions)?;
    let body = LayerParts::new("body")
        .state(StateParts::clip("walk", "walk"))
        .state(StateParts::clip("turn", "turn").once())
        .transition(TransitionParts::new("walk", "turn").when("left", Test::On).fade(0.25))
        .transition(TransitionParts::new("turn", "walk").exit(0.85).fade(0.3));
    let graph = Arc::new(Graph::of_archive(&GraphParts::new().trigger("left").layer(body), &archive)?);
    let left = graph.trigger("left")?;
    let mut hero = Animator::new(&archive, graph)?;
    let mut place = RootStep::IDENTITY;
    let (mut figures, mut way) = (Vec::new(), vec![[0.0, 0.01, 0.0]]);
    for frame in 0..500 {
        if frame == 90 || frame == 300 {
            hero.trigger(left)?;
        }
        hero.update(1.0 / 60.0)?;
        // What the clips of this frame travelled, by their weights; a physics engine would have its say here.
        place = place.then(&hero.root_delta());
        let [x, _, z] = place.translation.map(|v| v as f32);
        way.push([x, 0.01, z]);
        if [10, 55, 92, 150, 225, 265, 302, 360, 440, 490].contains(&frame) {
            println!("{:.2} s: {x:.2} {z:.2}", f64::from(frame) / 60.0);
            figures.push(actor.figure("", palette::SAGE, hero.pose())?.placed(&place.to_transform()));
        }
    }
    let last = figures.last_mut().context("there are figures")?;
    last.rods.extend(way.windows(2).map(|pair| (pair[0], pair[1], 2.0, palette::OCHRE)));
    actor.stage("root_motion", [-0.25, 0.75, 1.0], &figures)
}
