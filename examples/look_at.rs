//! Eyes follow a ball: head, neck and chest each take their share of the turn.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::{math::Vec3, player::Body, pose::Gaze};
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::Actor;

/// Who looks, then who helps. What the head leaves, the neck takes half of; the chest does little.
const CHAIN: [(&str, f32); 4] = [("head", 0.5), ("neck_02", 0.5), ("neck_01", 0.5), ("chest", 0.4)];

fn main() -> Result<()> {
    let actor = Actor::new(&[Motion::Idle])?;
    let eyes = Vec3::new(0.0, 0.08, 0.1);
    let gaze = Gaze { eyes, ..Gaze::new(&actor.skeleton, &CHAIN, Vec3::Z, Vec3::Y)? };
    let mut body = Body::new(&actor.archive, 1)?;
    let mut figures = Vec::new();
    for [x, y, z] in [[0.0, 1.7, 1.0], [0.5, 1.4, 0.8], [0.6, 2.0, 0.5], [-0.5, 1.9, 0.7], [-0.5, 1.0, 0.6]] {
        body.pose_mut().copy_from_slice(&actor.pose("idle", 0.0)?);
        let head = body.change(|pose| {
            pose.look_at(&gaze, Vec3::new(x, y, z), 1.0)?;
            pose.model(gaze.joints[0].0)
        })?;
        let from = head.mul_point(eyes.to_array());
        println!("a ball at {x} {y} {z}: the eyes are at {from:.2?}");
        let mut figure = actor.figure(format!("{x} {y} {z}"), palette::SAGE, body.pose())?;
        figure.rods.push((from, [x, y, z], 1.5, palette::INK));
        figure.balls.push(([x, y, z], 0.05, palette::OCHRE));
        figures.push(figure);
    }
    actor.strip("look_at", [0.5, 0.1, 1.0], &figures)
}
