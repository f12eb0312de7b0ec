//! A motion over one cycle: cook it once, then sample, local to model, palette, skin.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::{
    Clip, Cursor,
    job::{SampleJob, SampleTime},
    math::soa::SoaTransform,
};
use lissom_build::{
    SkeletonBuilder,
    cook::ClipBuilder,
    mannequin::{self, Motion},
};
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
    let cooked = ClipBuilder::default().build(&SkeletonBuilder::build(&mannequin::skeleton())?, &walk)?;
    let clip = Clip::from_bytes(&cooked.bytes)?;
    println!(
        "cooked: {} bytes of {} raw, {} keys of {}, worst error {:.3} mm",
        cooked.report.bytes,
        cooked.report.raw_bytes,
        cooked.report.keys_after,
        cooked.report.keys_before,
        cooked.report.error.worst() * 1000.0
    );
    let skeleton = &actor.skeleton;
    let mut cursor = Cursor::with_room_for(clip.view());
    let mut pose = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut figures = Vec::new();
    for i in 0..8 {
        let ratio = f64::from(i) / 8.0;
        let time = SampleTime::Ratio(ratio);
        SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor: &mut cursor, output: &mut pose }
            .run()?;
        // On the spot: what travels forward is taken off the root.
        pose[0].translation.z.0[0] = 0.0;
        let head = actor.models(&pose)?[actor.skeleton.find("head").unwrap_or(0)].w_axis.y;
        println!("at {:.2} s the head is {head:.3} m high", walk.duration_s * ratio);
        figures.push(actor.figure(format!("{ratio:.3}"), palette::PLASTER, &pose)?);
    }
    actor.strip("playback", [1.0, 0.15, 0.35], &figures)
}
