//! `lissom render`: a clip as a picture, drawn without a GPU.

pub(crate) mod figure;
pub(crate) mod gif;
pub(crate) mod scene;

use crate::files::write_whole;
use crate::options::{Reading, usage};
use crate::stage::{Playable, Stage};
use crate::style::grouped;
use anyhow::Result;
use lissom_build::exact::clamp;
use scene::{Style, View};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Any file that Lissom reads: an archive (.lsm), a stream (.lcs, with --skeleton), or .glb, .gltf, .fbx, .bvh, .ozz,
    /// .acl.sjson
    file: PathBuf,
    /// The clip to draw: its name, the file's stem, or its number from 0 [default: the first, or the rest pose
    /// of a file without clips]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// The picture to write: .png is a strip of moments, .gif moves
    #[arg(short, long, value_name = "FILE.png|gif")]
    output: PathBuf,
    /// How many moments of the clip, 1 to 1000 [default: 8 in a strip, 25 a second in a .gif]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    frames: Option<u32>,
    /// Pixels of the whole picture [default: what suits the figure]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Where the camera stands
    #[arg(long, value_enum, default_value_t = View::ThreeQuarter)]
    view: View,
    /// Draw the bones over the mesh; without a mesh they are drawn anyway
    #[arg(long)]
    bones: bool,
    /// Print one JSON object about the picture
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

/// `WxH`, each 16 to 8192.
fn size(text: &str) -> Result<(u32, u32), String> {
    let parse = |s: &str| s.parse::<u32>().ok().filter(|v| (16..=8192).contains(v));
    let sides = text.split_once('x').and_then(|(w, h)| Some((parse(w)?, parse(h)?)));
    sides.ok_or_else(|| "a size is WIDTHxHEIGHT, each 16 to 8192, such as 800x450".into())
}

enum Kind {
    Png,
    Gif,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let extension = arguments.output.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    let kind = match extension.as_str() {
        "png" => Kind::Png,
        "gif" => Kind::Gif,
        _ => return usage(format!("{}: a picture is a .png or a .gif", arguments.output.display())),
    };
    let stage = Stage::open(&arguments.file, arguments.clip.as_deref(), &arguments.reading, 1)?;
    let clip = stage.first();
    let mut style = Style { view: arguments.view, ..Style::default() };
    style.look.bones = arguments.bones;
    let duration_s = clip.map_or(0.0, Playable::duration_s);
    let (bytes, frames, (width, height)) = match kind {
        Kind::Png => {
            let frames = if clip.is_some() { arguments.frames.unwrap_or(8) } else { 1 };
            if frames > 64 {
                return usage(format!("{frames} frames do not fit into a strip; 64 do"));
            }
            let image = scene::strip(&stage, clip, frames, arguments.size, &style)?;
            (image.encode_png()?, frames, (image.width, image.height))
        }
        Kind::Gif => {
            let default = clamp(libm::round(duration_s * 25.0), 1.0, 400.0) as u32;
            let frames = if clip.is_some() { arguments.frames.unwrap_or(default) } else { 1 };
            let bar = crate::progress::bar(u64::from(frames), "drawing");
            let images = scene::film(&stage, clip, frames, arguments.size, &style, || bar.inc(1));
            bar.finish_and_clear();
            let images = images?;
            let size = images.first().map_or((0, 0), |i| (i.width, i.height));
            (gif::encode(&images, duration_s)?, frames, size)
        }
    };
    write_whole(&arguments.output, &bytes)?;
    let name = clip.map_or("the rest pose", Playable::name);
    if arguments.json {
        let report = json!({
            "file": arguments.file.display().to_string(), "output": arguments.output.display().to_string(),
            "clip": clip.map(Playable::name), "duration_s": duration_s, "frames": frames, "width": width,
            "height": height, "bytes": bytes.len(), "vertices": stage.vertex_count(),
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        let path = arguments.output.display();
        writeln!(
            out,
            "{path}: {name}, {frames} frames, {width} x {height}, {} bytes",
            grouped(bytes.len() as u64)
        )?;
    }
    Ok(())
}
