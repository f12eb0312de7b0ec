//! What a crouch adds to standing, added to a walk in different strengths, and taken away.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::{
    job::{BlendJob, BlendLayer},
    math::{
        Transform, Vec3,
        scalar::{quat_conjugate, quat_mul, sub},
        soa::{self, SoaTransform},
    },
};
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::Actor;

/// The difference that turns `from` into `to`.
fn difference(joints: usize, from: &[SoaTransform], to: &[SoaTransform]) -> Vec<SoaTransform> {
    let deltas: Vec<_> = (0..joints)
        .map(|j| {
            let (a, b) = (soa::lane(from, j), soa::lane(to, j));
            Transform {
                translation: sub(b.translation, a.translation),
                rotation: quat_mul(b.rotation, quat_conjugate(a.rotation)),
                scale: Vec3::new(b.scale.x / a.scale.x, b.scale.y / a.scale.y, b.scale.z / a.scale.z),
            }
        })
        .collect();
    soa::from_transforms(&deltas)
}

fn main() -> Result<()> {
    let actor = Actor::new(&[Motion::Walk, Motion::Crouch])?;
    let standing = actor.pose("crouch", 0.0)?;
    let low = actor.pose("crouch", 0.5)?;
    let delta = difference(actor.skeleton.joint_count(), &standing, &low);
    let walking = actor.pose("walk", 0.1)?;

    let mut figures = Vec::new();
    for weight in [-0.2, 0.0, 0.25, 0.5, 0.75] {
        let layers = [BlendLayer { weight: 1.0, pose: &walking, joint_weights: None }];
        let additive = [BlendLayer { weight, pose: &delta, joint_weights: None }];
        let mut pose = actor.skeleton.rest_pose().to_vec();
        let average = BlendJob::new(&layers, actor.skeleton.rest_pose(), &mut pose);
        BlendJob { additive: &additive, ..average }.run()?;
        let hips = actor.models(&pose)?[1].w_axis.y;
        println!("crouch added with {weight:+.2}: the hips are {hips:.2} m high");
        figures.push(actor.figure(format!("{weight:+.2}"), palette::OCHRE, &pose)?);
    }
    actor.strip("additive", [1.0, 0.15, 0.5], &figures)
}
