//! Cooking a motion, then playing it over one cycle: sample, local to model, palette, skin, each job by itself.
//! `play_archive` does the same with a player.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::{
    Clip, Cursor,
    job::{SampleJob, SampleTime},
};
use lissom_build::{
    SkeletonBuilder,
    cook::ClipBuilder,
    mannequin::{self, Motion},
};
use lissom_draw::palette;
use lissom_examples::Actor;

fn main() -> Result<()> {
    let actor = Actor::new(&[])?;
    let skeleton = &actor.skeleton;
    let walk = mannequin::clip(Motion::Walk);
    println!(
        "{} joints, {} vertices, \"{}\" lasts {:.2} s",
        skeleton.joint_count(),
        actor.mesh.view().positions.len(),
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
    let mut cursor = Cursor::with_room_for(clip.view());
    let mut pose = skeleton.rest_pose().to_vec();
    let mut figures = Vec::new();
    for i in 0..8 {
        let ratio = f64::from(i) / 8.0;
        SampleJob::new(skeleton, clip.view(), &mut cursor, &mut pose).at(SampleTime::Ratio(ratio)).run()?;
        // On the spot: what travels forward is taken off the root.
        pose[0].translation.z.0[0] = 0.0;
        let head = actor.models(&pose)?[skeleton.find("head").unwrap_or(0)].w_axis.y;
        println!("at {:.2} s the head is {head:.3} m high", walk.duration_s * ratio);
        figures.push(actor.figure(format!("{ratio:.3}"), palette::PLASTER, &pose)?);
    }
    actor.strip("playback", [1.0, 0.15, 0.35], &figures)
}
