//! A braid that swings after the head: bones on springs, at any frame rate, kept out of the shoulders by a ball.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::{
    job::{SpringBone, SpringClock, SpringCollider, SpringJob, SpringPoint},
    math::{
        Mat34, Quat, Transform, Vec3,
        scalar::{add, scale},
    },
};
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::Actor;

const BONES: usize = 5;
/// From one to the next: back and down from the head, in metres.
const BONE: Vec3 = Vec3::new(0.0, -0.05, -0.07);

fn main() -> Result<()> {
    let actor = Actor::new(&[Motion::Run])?;
    let find = |name| actor.skeleton.find(name).context("the mannequin has this joint");
    let (head, chest) = (find("head")?, find("chest")?);
    let bones = [SpringBone { stiffness: 150.0, damping: 18.0, weight: 0.6, radius: 0.02 }; BONES];
    let (mut clock, mut points) = (SpringClock::default(), [SpringPoint::default(); BONES]);
    let mut turns = [Quat::IDENTITY; BONES];
    let mut figures = Vec::new();
    // 4.4 m/s ahead; after two seconds it stops within half a second, and the braid goes on.
    for frame in 0_u16..180 {
        let (runs_s, stops_s) =
            (f32::from(frame.min(120)) / 60.0, f32::from(frame.clamp(120, 150) - 120) / 60.0);
        let runs_s = runs_s + stops_s - stops_s * stops_s;
        let pose = actor.pose("run", f64::from(runs_s) / 0.6 % 1.0)?;
        let models = actor.matrices(&pose)?;
        // The braid is no part of the mannequin: from the back of the head, bone after bone.
        let braid: [Mat34; BONES] = core::array::from_fn(|bone| {
            models[head].mul(&moved(add(Vec3::new(0.0, 0.1, -0.09), scale(BONE, bone as f32))))
        });
        let world = moved(Vec3::new(0.0, 0.0, 4.4 * runs_s));
        let back = world.mul(&models[chest]).mul_point([0.0, 0.05, 0.0]);
        let back = Vec3::from_array(back);
        SpringJob {
            world,
            colliders: &[SpringCollider { from: back, to: back, radius: 0.11 }],
            ..SpringJob::new(&braid, BONE, &bones, 1.0 / 60.0, (&mut clock, &mut points), &mut turns)
        }
        .run()?;
        if [0, 30, 118, 136, 150, 178].contains(&frame) {
            let mut figure =
                actor.figure(format!("{:.2} s", f32::from(frame) / 60.0), palette::SAGE, &pose)?;
            let ends = ends(&braid[0], &turns);
            figure.rods.extend(ends.windows(2).map(|pair| (pair[0], pair[1], 5.0, palette::INK)));
            println!("{:.2} s: the end of the braid is at {:.2?}", f32::from(frame) / 60.0, ends[BONES]);
            figures.push(figure);
        }
    }
    actor.strip("springs", [1.0, 0.15, -0.35], &figures)
}

fn moved(by: Vec3) -> Mat34 {
    Transform::from_translation(by).to_mat34()
}

/// Where the bones start and end, each turned by its correction below the one before.
fn ends(first: &Mat34, turns: &[Quat; BONES]) -> [[f32; 3]; BONES + 1] {
    let mut at = *first;
    let mut ends = [at.mul_point([0.0; 3]); BONES + 1];
    for (turn, end) in turns.iter().zip(&mut ends[1..]) {
        let turned = Transform { rotation: *turn, ..Transform::IDENTITY };
        at = at.mul(&turned.to_mat34()).mul(&moved(BONE));
        *end = at.mul_point([0.0; 3]);
    }
    ends
}
