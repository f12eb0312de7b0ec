//! A clip that plays while it loads: write a stream file, then play it from disk through a window that never holds more
//! than a few blocks, and from bytes that arrive piece by piece.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::{
    Clip, Cursor,
    clip::{Codec, Played, StreamFeed, StreamPlayer},
    job::SampleTime,
    math::soa::SoaTransform,
};
use lissom_build::{
    SkeletonBuilder,
    cook::{ClipBuilder, write_stream},
    mannequin::{self, Motion},
};
use lissom_draw::palette;
use lissom_examples::Actor;
use std::fs::File;

fn main() -> Result<()> {
    let actor = Actor::new(&[])?;
    let skeleton = &actor.skeleton;
    let performance = mannequin::clip(Motion::Performance);
    let cooked =
        ClipBuilder::default().build(&SkeletonBuilder::build(&mannequin::skeleton())?, &performance)?;
    let clip = Clip::from_bytes(&cooked.bytes)?;
    let file = write_stream(&clip, Codec::Lz4)?;
    std::fs::write("performance.lcs", &file)?;
    println!(
        "performance.lcs: {:.1} s of motion, {} blocks, {} bytes",
        clip.view().duration_s(),
        clip.view().block_count(),
        file.len()
    );

    // From disk: a little is read every frame, ahead of the play head; old blocks make room.
    let window = clip.view().memory_bytes() / 3;
    let mut player = StreamPlayer::open(File::open("performance.lcs")?, window)?;
    let mut cursor = Cursor::with_room_for(player.stream().view());
    let mut pose = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let duration_s = player.stream().view().duration_s();
    let mut figures = Vec::new();
    let (mut late, mut most) = (0, 0);
    let frames = (duration_s * 60.0) as u32;
    for frame in 0..frames {
        let time = SampleTime::Clamped(f64::from(frame) / 60.0);
        player.prefetch(4096)?;
        match player.sample(skeleton, time, None, &mut cursor, &mut pose)? {
            Played::Pose => {}
            // The last pose holds until the block is there.
            Played::Late { .. } => late += 1,
            Played::Damaged { block, .. } => anyhow::bail!("block {block} is damaged"),
        }
        let used = player.stream().window_used();
        most = if used > most { used } else { most };
        if frame % (frames / 8) == 0 && figures.len() < 8 {
            let label = format!("{:.1} s", f64::from(frame) / 60.0);
            // On the spot: what travels is taken off the root.
            let mut shown = pose.clone();
            (shown[0].translation.x.0[0], shown[0].translation.z.0[0]) = (0.0, 0.0);
            figures.push(actor.figure(label, palette::PLASTER, &shown)?);
        }
    }
    println!("{frames} frames, {late} of them late, at most {most} bytes of blocks in memory");

    // From a download: it plays as soon as the first block has come.
    let mut feed = StreamFeed::new(file.len() * 4);
    let mut cursor = Cursor::new();
    let mut arrived = 0;
    for piece in file.chunks(1500) {
        arrived += feed.push(piece)?;
        let Some(stream) = feed.stream() else { continue };
        if stream.sample(skeleton, SampleTime::Clamped(0.0), None, &mut cursor, &mut pose)? == Played::Pose {
            break;
        }
    }
    feed.stream().context("the preamble has not come")?;
    println!("the download plays after {arrived} of {} bytes", file.len());
    actor.strip("stream", [0.45, 0.15, 1.0], &figures)
}
