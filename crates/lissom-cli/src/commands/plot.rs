//! `lissom plot`: a clip as curves, as errors, as bytes.

use crate::options::{Reading, usage};
use crate::style::grouped;
use anyhow::{Context, Result, ensure};
use lissom_draw::chart::Sketch;
use lissom_show::{
    files::write_whole,
    plot::{bytes, curves, deviation::Deviation, error},
    stage::{Stage, StageClip},
};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Any file that Lissom reads: an archive (.lsm), or .glb, .gltf, .fbx, .bvh, .ozz, .acl.sjson
    file: PathBuf,
    /// The clip to plot: its name, the file's stem, or its number from 0 [default: the first]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// The plot to write
    #[arg(short, long, value_name = "FILE.svg|png")]
    output: PathBuf,
    /// What to plot
    #[arg(long, value_enum, default_value_t = What::Curves)]
    what: What,
    /// Joints whose curves to plot: names or numbers, with commas between them [default: the four that turn most]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    joints: Vec<String>,
    /// Print one JSON object with the figures behind the plot
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Rotation, translation and scale of a few joints, with the keys of the source
    Curves,
    /// How far the cooked clip is from its source, over time and by joint (not for archives, which hold no source)
    Error,
    /// What each joint costs in the clip
    Bytes,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let extension = arguments.output.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    if !["svg", "png"].contains(&extension.as_str()) {
        return usage(format!("{}: a plot is a .svg or a .png", arguments.output.display()));
    }
    if !arguments.joints.is_empty() && arguments.what != What::Curves {
        return usage("--joints chooses curves; the other plots show all joints");
    }
    let file = || arguments.file.display().to_string();
    let stage =
        Stage::open_whole(&arguments.file, arguments.clip.as_deref(), &arguments.reading.options()?, 1)?;
    ensure!(!stage.clips.is_empty(), "{}: there is no clip to plot", file());
    let clip = &stage.clips[0];
    let (sketch, mut report, said) = match arguments.what {
        What::Curves => curves_of(&stage, clip, &arguments.joints).with_context(file)?,
        What::Error => errors_of(&stage, clip).with_context(file)?,
        What::Bytes => bytes_of(&stage, clip).with_context(file)?,
    };
    let bytes = match extension.as_str() {
        "svg" => sketch.to_svg()?.into_bytes(),
        _ => sketch.to_image()?.encode_png()?,
    };
    write_whole(&arguments.output, &bytes)?;
    let path = arguments.output.display();
    if arguments.json {
        report["file"] = json!(file());
        report["output"] = json!(path.to_string());
        report["clip"] = json!(clip.name);
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        writeln!(out, "{path}: {}, {said}, {} bytes", clip.name, grouped(bytes.len() as u64))?;
    }
    Ok(())
}

fn curves_of(stage: &Stage, clip: &StageClip, names: &[String]) -> Result<(Sketch, Value, String)> {
    const MOST: usize = 40;
    let joints = if names.is_empty() {
        curves::liveliest(stage, clip, 4)?
    } else {
        names.iter().map(|n| stage.joint(n.trim())).collect::<Result<Vec<_>>>()?
    };
    ensure!(
        joints.len() <= MOST,
        "{} joints are more than a plot can show; {MOST} are possible",
        joints.len()
    );
    let names: Vec<&str> = joints.iter().map(|j| stage.skeleton.name(*j)).collect();
    Ok((
        curves::draw(stage, clip, &joints)?,
        json!({ "joints": names }),
        format!("curves of {}", names.join(", ")),
    ))
}

fn errors_of(stage: &Stage, clip: &StageClip) -> Result<(Sketch, Value, String)> {
    let deviation = Deviation::measure(stage, clip, 320)?;
    let (worst, joint, time_s) = deviation.worst();
    let mean = deviation.errors.iter().sum::<f64>() / deviation.errors.len() as f64;
    let name = stage.skeleton.name(joint);
    let report = json!({ "worst_m": worst, "mean_m": mean, "joint": name, "time_s": time_s, "precision_m": deviation.precision_m });
    let said = format!("error at most {:.4} mm ({name} at {time_s:.2} s)", worst * 1000.0);
    Ok((error::draw(stage, clip, &deviation, error::MOST_ROWS), report, said))
}

fn bytes_of(stage: &Stage, clip: &StageClip) -> Result<(Sketch, Value, String)> {
    let weights = clip.clip.view().bytes_by_joint()?.joints;
    let total = clip.clip.view().memory_bytes();
    let joints: Vec<Value> = weights
        .iter()
        .enumerate()
        .map(|(j, w)| {
            json!({
                "joint": stage.skeleton.name(j), "translation": w.stream[0], "rotation": w.stream[1],
                "scale": w.stream[2], "jump_frames": w.jumps, "constants": w.constants, "tables": w.tables,
            })
        })
        .collect();
    let said = format!("{total} bytes by joint");
    Ok((bytes::draw(stage, clip, &weights), json!({ "clip_bytes": total, "joints": joints }), said))
}
