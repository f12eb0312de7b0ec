//! One motion for the legs, another for the upper body: a wave on top of a walk, in one pass.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::{
    JointMask,
    job::{BlendJob, BlendLayer},
};
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::Actor;

fn main() -> Result<()> {
    let actor = Actor::new(&[Motion::Walk, Motion::Wave])?;
    let upper = JointMask::none(&actor.skeleton)
        .with_subtree(&actor.skeleton, "chest")
        .context("the mannequin has a chest")?;
    println!("the upper body has {} of {} joints", upper.len(), actor.skeleton.joint_count());
    let (legs_weights, upper_weights) = (upper.weights(0.0, 1.0), upper.weights(1.0, 0.0));

    let mut figures = Vec::new();
    for i in 0..7 {
        let t = f64::from(i) / 7.0;
        let legs = actor.pose("walk", t)?;
        let arms = actor.pose("wave", 0.2 + 0.53 * t)?;
        let layers = [
            BlendLayer { weight: 1.0, pose: &legs, joint_weights: Some(&legs_weights) },
            BlendLayer { weight: 1.0, pose: &arms, joint_weights: Some(&upper_weights) },
        ];
        let mut pose = actor.skeleton.rest_pose().to_vec();
        BlendJob::new(&layers, actor.skeleton.rest_pose(), &mut pose).run()?;
        let hand = actor.models(&pose)?[actor.skeleton.find("hand_r").unwrap_or(0)].w_axis.y;
        println!("step {i}: the waving hand is {hand:.2} m high");
        figures.push(actor.figure(format!("{t:.2}"), palette::SKY, &pose)?);
    }
    actor.strip("partial_blend", [0.5, 0.15, 1.0], &figures)
}
