//! `lissom export`: back to glTF, whole or onto the file that it came from, or to BVH.

use crate::{
    options::{LayoutName, Reading, usage},
    style::{counted, grouped},
    warnings,
};
use anyhow::{Context, Result};
use lissom_build::{
    export::{write_bvh, write_glb, write_glb_onto},
    import::{self, ImportOptions},
    scene::Scene,
};
use lissom_show::{
    files::{same_file, write_whole},
    source::{Source, choose},
};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A file of any supported format, or - for standard input
    file: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "OUT.glb|OUT.bvh")]
    output: PathBuf,
    /// Write a copy of this glTF file in which only the animations were replaced
    #[arg(long, value_name = "SOURCE.glb")]
    onto: Option<PathBuf>,
    /// Only these clips: a name or its end, the file's stem, or an index; may be given several times
    #[arg(long, value_name = "NAME")]
    clip: Vec<String>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

/// What was written.
#[derive(serde::Serialize)]
struct Report {
    file: String,
    joints: usize,
    meshes: usize,
    animations: usize,
    bytes: usize,
    warnings: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  lissom export hero.lsm -o back.glb
  lissom export hero.lsm --onto hero.glb -o cooked.glb     # everything else as in hero.glb
  lissom export hero.lsm --clip walk -o walk.bvh           # one motion for capture tools
  lissom export hero.lsm --no-mesh -o motions.glb";

/// What is written, by its name.
enum Kind {
    Glb,
    Bvh,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let Arguments { file, output, onto, .. } = arguments;
    let extension = output.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let kind = match extension.as_str() {
        "glb" => Kind::Glb,
        "bvh" => Kind::Bvh,
        _ => return usage(format!("{}: what is written is a .glb or a .bvh", output.display())),
    };
    if same_file(file, output) {
        return usage(format!("-o {}: this is the file to export", output.display()));
    }
    if onto.as_deref().is_some_and(|onto| same_file(onto, output)) {
        return usage(format!("-o {}: this is the file to copy", output.display()));
    }
    if onto.is_some() && matches!(kind, Kind::Bvh) {
        return usage("--onto copies a glTF file: what is written is a .glb");
    }
    if arguments.reading.layout == Some(LayoutName::Skinning) {
        return usage(
            "--layout skinning is for archives: vertices are exported in the order of their source",
        );
    }
    let options = arguments.reading.options()?;
    let mut scene = Source::open_scene(file, &options)?;
    keep_clips(&mut scene, file, &arguments.clip)?;
    let joints: usize = scene.skeletons.iter().map(|s| s.skeleton.joints.len()).sum();
    let (bytes, meshes) = match (kind, onto) {
        (Kind::Bvh, _) => (bvh(&mut scene, file)?, 0),
        (Kind::Glb, None) => {
            let bytes = write_glb(&scene).with_context(|| file.display().to_string())?;
            (bytes, scene.meshes.len())
        }
        (Kind::Glb, Some(onto)) => (copy_of(onto, &mut scene, &options)?, scene.meshes.len()),
    };
    write_whole(output, &bytes)?;
    let report = Report {
        file: output.display().to_string(),
        joints,
        meshes,
        animations: scene.animations.len(),
        bytes: bytes.len(),
        warnings: scene.warnings.iter().map(ToString::to_string).collect(),
    };
    if arguments.json {
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(
        out,
        "{}: {}, {}, {}, {} bytes",
        report.file,
        counted(joints, "joint", "joints"),
        counted(meshes, "mesh", "meshes"),
        counted(report.animations, "animation", "animations"),
        grouped(bytes.len() as u64),
    )?;
    warnings::write(&file.display().to_string(), &report.warnings, warnings::SHOWN)
}

/// Leaves only the clips asked for.
fn keep_clips(scene: &mut Scene, file: &Path, wanted: &[String]) -> Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = scene.animations.iter().map(|a| a.motion.name.clone()).collect();
    let (stem, named) = (import::stem(file), || file.display().to_string());
    let wanted = wanted.iter().map(|c| choose(&names, &stem, Some(c)).with_context(named));
    let wanted = wanted.collect::<Result<Vec<usize>>>()?;
    let mut index = 0;
    scene.animations.retain(|_| {
        index += 1;
        wanted.contains(&(index - 1))
    });
    Ok(())
}

fn bvh(scene: &mut Scene, file: &Path) -> Result<Vec<u8>> {
    let named = || file.display().to_string();
    let [animation] = scene.animations.as_slice() else {
        return match scene.animations.len() {
            0 => Err(anyhow::anyhow!("there is no clip in this file")).with_context(named),
            many => usage(format!(
                "a .bvh holds one motion, {} has {many}: choose one with --clip",
                file.display()
            )),
        };
    };
    let skeleton = animation.skeleton.and_then(|s| scene.skeletons.get(s));
    let skeleton = skeleton
        .with_context(|| format!("clip {:?} has no skeleton", animation.motion.name))
        .with_context(named)?;
    let text = write_bvh(&skeleton.skeleton, &animation.motion).with_context(named)?;
    let lost = [
        ("meshes", scene.meshes.len()),
        ("tracks", animation.tracks.len()),
        ("markers", animation.markers.len()),
    ];
    let lost: Vec<String> =
        lost.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{n} {what}")).collect();
    if !lost.is_empty() {
        scene.warn("", format!("not carried by BVH: {}", lost.join(", ")));
    }
    Ok(text.into_bytes())
}

fn copy_of(source: &Path, scene: &mut Scene, options: &ImportOptions) -> Result<Vec<u8>> {
    let named = || source.display().to_string();
    let bytes = import::read_limited(source, options.limits.max_bytes)?;
    let mut files = |uri: &str| import::read_beside(source, uri, &options.limits);
    let (copy, odd) = write_glb_onto(&bytes, &mut files, scene).with_context(named)?;
    scene.warnings.extend(odd);
    Ok(copy)
}
