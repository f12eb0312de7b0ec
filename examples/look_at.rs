//! Eyes follow a ball: head, neck and chest each take their share of the turn.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::{
    job::{AimCorrection, AimIkJob},
    math::Vec3,
};
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::{Actor, turn};

/// Who looks, then who helps. What the head leaves, the neck takes half of; the chest does little.
const CHAIN: [(&str, f32); 4] = [("head", 0.5), ("neck_02", 0.5), ("neck_01", 0.5), ("chest", 0.4)];

fn main() -> Result<()> {
    let actor = Actor::new(&[Motion::Idle])?;
    let find = |name| actor.skeleton.find(name).context("the mannequin has this joint");
    let joints = CHAIN.iter().map(|(name, _)| find(name)).collect::<Result<Vec<_>>>()?;
    let weights = CHAIN.map(|(_, weight)| weight);
    let eyes = Vec3::new(0.0, 0.08, 0.1);
    let mut figures = Vec::new();
    for [x, y, z] in [[0.0, 1.7, 1.0], [0.5, 1.4, 0.8], [0.6, 2.0, 0.5], [-0.5, 1.9, 0.7], [-0.5, 1.0, 0.6]] {
        let mut pose = actor.pose("idle", 0.0)?;
        let models = actor.matrices(&pose)?;
        let chain: Vec<_> = joints.iter().map(|joint| models[*joint]).collect();
        let mut corrections = [AimCorrection::default(); CHAIN.len()];
        let target = Vec3::new(x, y, z);
        AimIkJob { offset: eyes, ..AimIkJob::new(&chain, &weights, target, &mut corrections) }.run()?;
        for (joint, correction) in joints.iter().zip(&corrections) {
            turn(&mut pose, *joint, correction.rotation);
        }
        let head = actor.matrices(&pose)?[joints[0]];
        let from = head.mul_point(eyes.to_array());
        println!("a ball at {x} {y} {z}: the eyes are at {from:.2?}");
        let mut figure = actor.figure(format!("{x} {y} {z}"), palette::SAGE, &pose)?;
        figure.rods.push((from, [x, y, z], 1.5, palette::INK));
        figure.balls.push(([x, y, z], 0.05, palette::OCHRE));
        figures.push(figure);
    }
    actor.strip("look_at", [0.5, 0.1, 1.0], &figures)
}
