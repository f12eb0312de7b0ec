//! The viewer as a program, with or without a window.

use clap::Parser;
use lissom_viewer::{FrameCost, Panel, Shot, bench, document, run, screenshot};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// See skeletons, clips and meshes move.
#[derive(Parser)]
#[command(name = "lissom-viewer", version)]
struct Arguments {
    /// Files to open: .lsm, .glb, .gltf, .vrm, .bvh, .ozz, .fbx; without one, a mannequin.
    files: Vec<PathBuf>,
    /// The last of the files stands beside the others, or beside the mannequin.
    #[arg(long, requires = "files")]
    beside: bool,
    /// Draws one picture into this PNG file and ends; no window is opened.
    #[arg(long, value_name = "OUT.png")]
    screenshot: Option<PathBuf>,
    /// Plays this number of frames without a window, prints what one costs on the CPU, and ends.
    #[arg(long, value_name = "N", value_parser = frames, conflicts_with = "screenshot")]
    bench_frames: Option<usize>,
    /// Prints a number that is the same wherever the same pose is shown, and ends; needs no graphics device.
    #[arg(long, conflicts_with_all = ["screenshot", "bench_frames"])]
    pose_hash: bool,
    /// The time of the picture or pose in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    time: f64,
    /// The size of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = size)]
    size: (u32, u32),
    /// The clip to show first.
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// A panel to open, as often as there are some: clips, display, inspect, mix, graph, matching, compression, curves, retarget, crowd, world.
    #[arg(long, value_name = "PANEL")]
    panel: Vec<Panel>,
    /// The joint to choose.
    #[arg(long, value_name = "NAME")]
    joint: Option<String>,
    /// So many characters in the crowd panel, which is then shown.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    crowd: Option<u16>,
    /// So many threads for them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Errors of the clip as colours on the mesh and as two skeletons, drawn N times larger, in the compression panel, which is
    /// then shown.
    #[arg(long, value_name = "N", value_parser = larger)]
    errors: Option<f32>,
    /// Dark on light instead of light on dark.
    #[arg(long)]
    light: bool,
}

fn frames(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(frames @ 1..=1_000_000) => Ok(frames),
        _ => Err("1 to 1000000 frames".into()),
    }
}

fn larger(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|n| (1.0..=2000.0).contains(n)).ok_or("1 to 2000 times".into())
}

/// `1280x800`.
fn size(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match sides {
        Some((w @ 1..=8192, h @ 1..=8192)) => Ok((w, h)),
        Some(_) => Err("each side is 1 to 8192 pixels".into()),
        None => Err("a size is written 1280x800".into()),
    }
}

pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut out = std::io::stdout().lock();
    match work(arguments, &mut out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Where even the error stream is closed there is nobody left to tell.
            let _ = writeln!(std::io::stderr(), "lissom-viewer: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn work(arguments: Arguments, out: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let Arguments {
        mut files,
        beside,
        screenshot: picture,
        bench_frames,
        pose_hash,
        time,
        size,
        clip,
        panel,
        joint,
        crowd,
        threads,
        errors,
        light,
    } = arguments;
    let mut panels = panel;
    panels.extend(crowd.map(|_| Panel::Crowd));
    panels.extend(errors.map(|_| Panel::Compression));
    let (crowd, threads) = (crowd.map(usize::from), threads.map(usize::from));
    let beside = if beside { files.pop() } else { None }.into_iter().collect();
    let shot = Shot { files, beside, clip, time_s: time, size, light, panels, joint, crowd, threads, errors };
    if pose_hash {
        let mut document = document(&shot.files)?;
        document.pose_at(shot.clip.as_deref(), shot.time_s)?;
        writeln!(out, "{:016x}", document.pose_hash()?)?;
    } else if let Some(frames) = bench_frames {
        let FrameCost { median, worst } = bench(&shot, frames)?;
        let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
        writeln!(
            out,
            "{frames} frames, from update to submit: median {:.3} ms, worst {:.3} ms",
            ms(median),
            ms(worst)
        )?;
    } else if let Some(path) = picture {
        screenshot(&shot)?.save(&path)?;
    } else {
        run(shot.files, shot.beside, shot.clip, shot.light)?;
    }
    Ok(())
}
