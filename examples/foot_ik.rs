//! Feet on uneven ground: the pelvis follows the lower foot, the knees bend, the soles lie flat.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::{
    job::Ground,
    math::{
        Vec3,
        trig::{sin_cos, tan},
    },
    player::Body,
    pose::Legs,
};
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::Actor;

/// What is under the left foot and the right one: a height, and how steep it rises ahead, in degrees.
const GROUNDS: [(&str, [(f32, f32); 2]); 5] = [
    ("level", [(0.0, 0.0); 2]),
    ("a step", [(0.22, 0.0), (0.0, 0.0)]),
    ("a stone", [(0.0, 0.0), (0.3, 0.0)]),
    ("uphill", [(0.0, 18.0); 2]),
    ("a ditch", [(-0.12, -10.0), (0.1, 14.0)]),
];

fn main() -> Result<()> {
    let actor = Actor::new(&[Motion::Idle])?;
    // Found by the names of joints; knees bend as they do in the pose.
    let legs = Legs::of(&actor.skeleton)?;
    let mut body = Body::new(&actor.archive, 1)?;
    let mut figures = Vec::new();
    for (name, grounds) in GROUNDS {
        body.pose_mut().copy_from_slice(&actor.pose("idle", 0.0)?);
        let mut ankles = [Vec3::ZERO; 2];
        let pelvis = body.change(|pose| {
            let mut below = [None; 2];
            for leg in 0..2 {
                ankles[leg] = pose.place(legs.legs[leg].limb.joints[2])?;
                let (height, slope) = grounds[leg];
                let (sin, cos) = sin_cos(slope.to_radians());
                let place = Vec3::new(ankles[leg].x, height, ankles[leg].z);
                below[leg] = Some(Ground { place, normal: Vec3::new(0.0, cos, -sin) });
            }
            pose.stand(&legs, &below, 1.0)
        })?;
        println!("{name}: the pelvis goes {:+.0} mm", pelvis * 1e3);
        let mut figure = actor.figure(name, palette::SAGE, body.pose())?;
        for (at, (height, slope)) in ankles.into_iter().zip(grounds) {
            let rise = 0.16 * tan(slope.to_radians());
            for x in [at.x - 0.07, at.x + 0.07] {
                let (front, back) = ([x, height + rise, at.z + 0.2], [x, height - rise, at.z - 0.12]);
                figure.rods.push((front, back, 2.0, palette::OCHRE));
            }
        }
        figures.push(figure);
    }
    actor.strip("foot_ik", [1.0, 0.1, 0.7], &figures)
}
