//! A character that a game plays: a graph of gaits, a jump in three parts, a wave over the upper body.
//!
//! The part between the two marks is the README's example; a test compares them.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::{archive::Archive, player::SkinnedMesh};
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::{Figure, mannequin_archive, strip};
use lissom_motion::{Animator, Graph, GraphParts, LayerParts, StateParts, Test, TransitionParts};
use std::sync::Arc;

/// Idle to run by speed; a jump from anywhere; an empty layer that plays what code asks for.
fn parts() -> GraphParts {
    let gaits = [(0.0, "idle"), (1.32, "walk"), (2.6, "jog"), (4.4, "run")];
    let body = LayerParts::new("body")
        .state(StateParts::line("move", "speed", &gaits))
        .state(StateParts::clip("jump", "jump_start").once())
        .state(StateParts::clip("air", "jump_air"))
        .state(StateParts::clip("land", "jump_land").once())
        .transition(TransitionParts::new("move", "jump").when("jump", Test::On).fade(0.1))
        .transition(TransitionParts::new("jump", "air").exit(1.0))
        .transition(TransitionParts::new("air", "land").when("grounded", Test::On).fade(0.05))
        .transition(TransitionParts::new("land", "move").exit(0.6).fade(0.25));
    GraphParts::new()
        .damped("speed", 0.0, 0.1)
        .bool("grounded", true)
        .trigger("jump")
        .clip("wave")
        .mask("upper_body", "spine_01", 2)
        .layer(body)
        .layer(LayerParts::new("upper_body").masked("upper_body"))
}

fn main() -> Result<()> {
    use Motion::{Idle, Jog, JumpAir, JumpLand, JumpStart, Run, Walk, Wave};
    let path = std::env::temp_dir().join(format!("lissom-graph-{}.lsm", std::process::id()));
    let motions = [Idle, Walk, Jog, Run, Wave, JumpStart, JumpAir, JumpLand];
    std::fs::write(&path, mannequin_archive(&motions)?)?;
    let mut figures = Vec::new();
    let mut indices = Vec::new();
    let mut draw = |frame: u32, mesh: SkinnedMesh<'_>| {
        indices = mesh.indices.to_vec();
        if frame % 22 == 10 {
            let (positions, normals) = (mesh.positions.to_vec(), mesh.normals.to_vec());
            let label = format!("frame {frame}");
            figures.push(Figure { label, positions, normals, color: palette::SAGE, ..Figure::default() });
        }
    };

    // [README
    let archive = Archive::open(&path)?;
    let graph = Arc::new(Graph::of_archive(&parts(), &archive)?);
    let (speed, jump, grounded) = (graph.float("speed")?, graph.trigger("jump")?, graph.bool("grounded")?);
    let mut hero = Animator::new(&archive, graph)?;
    hero.play("wave").on("upper_body").fade(0.2).start()?;
    for frame in 0..160 {
        hero.set(speed, if frame < 30 { 0.0 } else { 2.4 })?;
        hero.set(grounded, !(75..110).contains(&frame))?; // the physics of your game
        if frame == 60 {
            hero.trigger(jump)?;
        }
        hero.update(1.0 / 60.0)?; // then: pose, matrices, events, root delta
        for mesh in hero.body_mut().skin()? {
            draw(frame, mesh); // positions, normals and indices, ready for upload
        }
    }
    // README]

    std::fs::remove_file(&path)?;
    strip("graph", [1.0, 0.15, 0.35], &figures, &indices)
}
