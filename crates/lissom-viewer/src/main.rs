//! The viewer as a program.

use clap::Parser;
use lissom_viewer::{Shot, run, screenshot};
use std::path::PathBuf;
use std::process::ExitCode;

/// See skeletons, clips and meshes move.
#[derive(Parser)]
#[command(name = "lissom-viewer", version)]
struct Arguments {
    /// Files to open: .lsm, .glb, .gltf, .vrm, .bvh, .ozz, .fbx; without one, a mannequin.
    files: Vec<PathBuf>,
    /// Draws one picture into this PNG file and ends; no window is opened.
    #[arg(long, value_name = "OUT.png")]
    screenshot: Option<PathBuf>,
    /// The time of the picture in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, requires = "screenshot")]
    time: f64,
    /// The size of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = size, requires = "screenshot")]
    size: (u32, u32),
    /// The clip to show first.
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// Dark on light instead of light on dark.
    #[arg(long)]
    light: bool,
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

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.screenshot {
        Some(path) => screenshot(&Shot {
            files: arguments.files,
            clip: arguments.clip,
            time_s: arguments.time,
            size: arguments.size,
            light: arguments.light,
        })
        .and_then(|picture| picture.save(path)),
        None => run(arguments.files, arguments.clip, arguments.light),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            use std::io::Write;
            // Where even the error stream is closed there is nobody left to tell.
            let _ = writeln!(std::io::stderr(), "lissom-viewer: {failure}");
            ExitCode::FAILURE
        }
    }
}
