//! A motion over one cycle: sample, local to model, palette, skin.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom_build::mannequin::{self, Motion};
use lissom_draw::palette;
use lissom_examples::Actor;

fn main() -> Result<()> {
    let actor = Actor::new()?;
    let walk = mannequin::clip(Motion::Walk);
    println!(
        "{} joints, {} vertices, \"{}\" lasts {:.2} s",
        actor.skeleton.joint_count(),
        actor.mesh.positions.len(),
        walk.name,
        walk.duration_s
    );
    let mut figures = Vec::new();
    for i in 0..8 {
        let ratio = f64::from(i) / 8.0;
        let pose = actor.pose(&walk, walk.duration_s * ratio);
        let head = actor.models(&pose)?[actor.skeleton.find("head").unwrap_or(0)].w_axis.y;
        println!("at {:.2} s the head is {head:.3} m high", walk.duration_s * ratio);
        figures.push(actor.figure(format!("{ratio:.3}"), palette::PLASTER, &pose)?);
    }
    actor.strip("playback", [1.0, 0.15, 0.35], &figures)
}
