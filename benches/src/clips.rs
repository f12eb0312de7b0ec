//! Playing clips: forward, backward, the same time, anywhere, at every jump spacing.

use crate::layouts;
use anyhow::{Context, Result, bail};
use lissom::{
    Clip, Cursor,
    clip::Codec,
    job::{SampleJob, SampleTime},
    math::{simd::Backend, soa::SoaTransform},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::{ClipBuilder, Form, Jumps, write_stream},
    import::ozz,
    mannequin::{self, Motion},
    raw::RawAnimation,
};
use lissom_draw::chart::TwoScales;
use lissom_measure::timing::{best_ns, calibration_ns};
use std::{fmt::Write as _, path::Path};

const ROUNDS: usize = 40;

/// Jump spacings in seconds; 0 is none.
const SPACINGS: [f64; 5] = [0.0, 2.0, 1.0, 0.5, 0.25];

/// ozz's figures for a clip, ns a joint: forward, backward, same time, random, and bytes of its state a joint.
struct Peer {
    forward: f64,
    backward: f64,
    same: f64,
    random: f64,
    state: f64,
}

struct Subject {
    name: String,
    skeleton: BuiltSkeleton,
    animation: RawAnimation,
    peer: Option<Peer>,
}

/// Prints the tables; `assets` is a folder that holds `assets/ozz/bin`. With `plot`, also writes the picture of
/// seek cost and bytes against jump spacing.
pub fn print(assets: Option<&Path>, plot: Option<&Path>) -> Result<()> {
    println!("calibration: {:.3} ns a step of a dependent multiply and add", calibration_ns());
    println!("backend:     {}", Backend::best());
    let subjects = subjects(assets)?;
    println!("\n{:<24} {:<26} {:>9} {:>8} {:>7}", "clip", "work", "ns/joint", "ozz", "ratio");
    let mut lines = String::new();
    for subject in &subjects {
        measure(subject, &mut lines)?;
    }
    println!("\n{lines}");
    if let Some(path) = plot {
        std::fs::write(path, seek_plot(&subjects[subjects.len() - 1])?)
            .with_context(|| format!("writing {}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

fn subjects(assets: Option<&Path>) -> Result<Vec<Subject>> {
    let skeleton = SkeletonBuilder::build(&mannequin::skeleton())?;
    let mut list = Vec::new();
    for motion in [Motion::Walk, Motion::Performance] {
        let animation = mannequin::clip(motion);
        let name = format!("mannequin {}", animation.name);
        list.push(Subject { name, skeleton: skeleton.clone(), animation, peer: None });
    }
    let Some(assets) = assets else { return Ok(list) };
    let folder = assets.join("assets/ozz/bin");
    let read = |file: &str| -> Result<ozz::OzzArchive> {
        let path = folder.join(file);
        let bytes = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        Ok(ozz::read(&bytes)?)
    };
    let archive = read("pab_skeleton.ozz")?;
    let skeleton = SkeletonBuilder::build(archive.skeletons().next().context("no skeleton")?)?;
    for (file, forward, random) in [("pab_walk", 7.3, 34.0), ("pab_atlas", 7.5, 290.0)] {
        let archive = read(&format!("{file}.ozz"))?;
        let animation = archive.animations().next().context("no animation")?.clone();
        let peer = Some(Peer { forward, backward: 7.3, same: 2.1, random, state: 116.0 });
        list.push(Subject { name: file.replace('_', " "), skeleton: skeleton.clone(), animation, peer });
    }
    Ok(list)
}

/// As games would have it.
fn cook(subject: &Subject) -> Result<Clip> {
    let cooked = ClipBuilder::default().build(&subject.skeleton, &subject.animation)?;
    Ok(Clip::from_bytes(&cooked.bytes)?)
}

/// As sparse keys with jump frames at a spacing.
fn cook_keys(subject: &Subject, spacing: f64) -> Result<Clip> {
    let jumps = if spacing > 0.0 { Jumps::Every(spacing) } else { Jumps::None };
    let builder = ClipBuilder { jumps: Some(jumps), form: Form::Keys, ..ClipBuilder::default() };
    let cooked = builder.build(&subject.skeleton, &subject.animation)?;
    Ok(Clip::from_bytes(&cooked.bytes)?)
}

/// Samples a clip at each of these times, in order, and gives ns a sample and joint.
fn play(subject: &Subject, clip: &Clip, times: &[f64], cursor: &mut Cursor, cold: bool) -> f64 {
    let skeleton = &subject.skeleton.skeleton;
    // Two outputs in turn, so that nothing can be left out because it was written before.
    let mut outputs = vec![vec![SoaTransform::IDENTITY; skeleton.group_count()]; 2];
    let ns = best_ns(ROUNDS, || {
        for (i, t) in times.iter().enumerate() {
            if cold {
                cursor.reset();
            }
            let (time, output) = (SampleTime::Clamped(*t), &mut outputs[i % 2]);
            SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output }
                .run()
                .expect("a valid job");
        }
    });
    ns / (times.len() * skeleton.joint_count()) as f64
}

fn row(clip: &str, work: &str, ns: f64, peer: Option<f64>) {
    match peer {
        Some(peer) => println!("{clip:<24} {work:<26} {ns:>9.2} {peer:>8.1} {:>7.2}", ns / peer),
        None => println!("{clip:<24} {work:<26} {ns:>9.2} {:>8} {:>7}", "-", "-"),
    }
}

/// Numbers that look random and are the same in every run.
fn scattered(count: u32, duration_s: f64) -> Vec<f64> {
    (0..count)
        .map(|i| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24) * duration_s)
        .collect()
}

fn measure(subject: &Subject, lines: &mut String) -> Result<()> {
    let name = subject.name.as_str();
    let joints = subject.skeleton.skeleton.joint_count();
    let default = cook(subject)?;
    let duration = default.view().duration_s();
    let frames: Vec<f64> = (0..(duration * 60.0) as u32).map(|f| f64::from(f) / 60.0).collect();
    let back: Vec<f64> = frames.iter().rev().copied().collect();
    let peer = subject.peer.as_ref();
    let mut cursor = Cursor::new();

    let ns = play(subject, &default, &frames, &mut cursor, false);
    row(name, "forward, 60 Hz", ns, peer.map(|p| p.forward));
    let ns = play(subject, &default, &back, &mut cursor, false);
    row(name, "backward, 60 Hz", ns, peer.map(|p| p.backward));
    // Two instants of one key interval, in turn.
    let at = duration * 0.4;
    let ns = play(subject, &default, &[at, at + 1e-4], &mut cursor, false);
    row(name, "same time", ns, peer.map(|p| p.same));
    let anywhere = scattered(500, duration);
    let ns = play(subject, &default, &anywhere, &mut cursor, false);
    row(name, "random", ns, peer.map(|p| p.random));
    for spacing in SPACINGS {
        let clip = cook_keys(subject, spacing)?;
        let label = if spacing > 0.0 { format!("keys, jumps {spacing} s") } else { "keys, no jumps".into() };
        row(name, &label, play(subject, &clip, &anywhere, &mut cursor, false), peer.map(|p| p.random));
    }
    let ns = play(subject, &default, &anywhere[..50], &mut cursor, true);
    row(name, "cold cursor", ns, None);

    let mut crowd: Vec<Cursor> = (0..1000).map(|_| Cursor::new()).collect();
    let skeleton = &subject.skeleton.skeleton;
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut frame = 0_u32;
    let ns = best_ns(30, || {
        frame += 1;
        for (i, cursor) in crowd.iter_mut().enumerate() {
            let time = SampleTime::Wrapped(f64::from(frame) / 60.0 + i as f64 * 0.037);
            let output = &mut output;
            SampleJob { skeleton, clip: default.view(), time, lod: None, cursor, output }
                .run()
                .expect("a valid job");
        }
    });
    row(name, "1,000 instances, forward", ns / (1000 * joints) as f64, None);
    for (label, ns) in layouts::forward(&subject.skeleton, &subject.animation, &frames) {
        row(name, label, ns / joints as f64, None);
    }

    sizes(subject, &default, &cursor, lines)
}

/// Bytes of the clip, of its parts, of the cursor, and of its stream files.
fn sizes(subject: &Subject, clip: &Clip, cursor: &Cursor, lines: &mut String) -> Result<()> {
    let view = clip.view();
    let joints = subject.skeleton.skeleton.joint_count();
    let state = cursor.memory_bytes() as f64 / joints as f64;
    let ozz = subject.peer.as_ref().map_or(String::new(), |p| format!(" (ozz {:.0})", p.state));
    writeln!(
        lines,
        "{}: {} bytes, {} keys, {} channels of {joints} joints; stream {}, jump frames {}; cursor {state:.1} bytes a joint{ozz}",
        subject.name,
        view.memory_bytes(),
        view.key_count(),
        view.channel_count(),
        view.stream_bytes(),
        view.jump_bytes()
    )?;
    let clip = cook(subject)?;
    let plain = write_stream(&clip, Codec::None)?.len();
    write!(lines, "  as a stream file: {plain} bytes")?;
    for codec in [
        Codec::Lz4,
        #[cfg(feature = "zstd")]
        Codec::Zstd,
        Codec::Gzip,
    ] {
        write!(lines, ", {codec:?} {:.2}", write_stream(&clip, codec)?.len() as f64 / plain as f64)?;
    }
    writeln!(lines)?;
    Ok(())
}

/// Seek cost and bytes against the spacing of jump frames, as SVG.
fn seek_plot(subject: &Subject) -> Result<String> {
    let mut points = Vec::new();
    for spacing in [0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0] {
        let clip = cook_keys(subject, spacing)?;
        let ns = play(subject, &clip, &scattered(500, clip.view().duration_s()), &mut Cursor::new(), false);
        points.push((spacing, [ns, clip.view().memory_bytes() as f64 / 1024.0]));
    }
    if points.is_empty() {
        bail!("nothing to plot");
    }
    let title = format!("{}: a seek and its price, by the spacing of jump frames", subject.name);
    let names = ["ns a joint and seek", "KiB of clip"];
    let chart = TwoScales { title: &title, x_name: "seconds between jump frames", names, points: &points };
    Ok(chart.draw().to_svg()?)
}
