//! Walk, jog and run blended by one number, the speed. The three gaits are sampled at the same phase.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::job::{BlendJob, BlendLayer};
use lissom_build::{
    exact::{clamp, smaller},
    mannequin::Motion,
};
use lissom_draw::palette;
use lissom_examples::Actor;

/// Each gait's share at a speed: 1 at its own speed, falling to 0 at its neighbours'.
fn weights(speed: f64, speeds: &[f64; 3]) -> [f32; 3] {
    core::array::from_fn(|i| {
        let below = if i == 0 { 1.0 } else { (speed - speeds[i - 1]) / (speeds[i] - speeds[i - 1]) };
        let above = if i == 2 { 1.0 } else { (speeds[i + 1] - speed) / (speeds[i + 1] - speeds[i]) };
        clamp(smaller(below, above), 0.0, 1.0) as f32
    })
}

fn main() -> Result<()> {
    let motions = [Motion::Walk, Motion::Jog, Motion::Run];
    let actor = Actor::new(&motions)?;
    let speeds = motions.map(Motion::speed);
    let mut figures = Vec::new();
    for speed in [1.32, 1.96, 2.6, 3.2, 3.8, 4.4] {
        let phase = 0.3;
        let poses = [actor.pose("walk", phase)?, actor.pose("jog", phase)?, actor.pose("run", phase)?];
        let weights = weights(speed, &speeds);
        let layers =
            [0, 1, 2].map(|i: usize| BlendLayer { weight: weights[i], pose: &poses[i], joint_weights: None });
        let mut pose = actor.skeleton.rest_pose().to_vec();
        BlendJob::new(&layers, actor.skeleton.rest_pose(), &mut pose).run()?;
        println!("{speed:.2} m/s: walk {:.2}, jog {:.2}, run {:.2}", weights[0], weights[1], weights[2]);
        figures.push(actor.figure(format!("{speed:.2} m/s"), palette::SAGE, &pose)?);
    }
    actor.strip("blend", [1.0, 0.15, 0.35], &figures)
}
