//! `lissom export`: back to glTF.

use crate::{
    files::{same_file, write_whole},
    options::{Reading, usage},
    source::Source,
    style::{counted, grouped},
};
use anyhow::{Context, Result};
use lissom_build::export::write_glb;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A file of any supported format
    file: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "OUT.glb")]
    output: PathBuf,
    /// Only these clips: a name, the file's stem, or an index; may be given several times
    #[arg(long, value_name = "NAME")]
    clip: Vec<String>,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let extension = arguments.output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if !extension.eq_ignore_ascii_case("glb") {
        return usage(format!("{}: what is written is a .glb", arguments.output.display()));
    }
    if same_file(&arguments.file, &arguments.output) {
        return usage(format!("-o {}: this is the file to export", arguments.output.display()));
    }
    let file = Source::open(&arguments.file, &arguments.reading.options()?)?;
    let mut scene = file.scene()?.into_owned();
    if !arguments.clip.is_empty() {
        let wanted = arguments.clip.iter().map(|c| file.choose_clip(Some(c)));
        let wanted = wanted.collect::<Result<Vec<usize>>>()?;
        let mut index = 0;
        scene.animations.retain(|_| {
            index += 1;
            wanted.contains(&(index - 1))
        });
    }
    let bytes = write_glb(&scene).with_context(|| arguments.file.display().to_string())?;
    write_whole(&arguments.output, &bytes)?;
    let joints: usize = scene.skeletons.iter().map(|s| s.skeleton.joints.len()).sum();
    writeln!(
        out,
        "{}: {}, {}, {}, {} bytes",
        arguments.output.display(),
        counted(joints, "joint", "joints"),
        counted(scene.meshes.len(), "mesh", "meshes"),
        counted(scene.animations.len(), "animation", "animations"),
        grouped(bytes.len() as u64),
    )?;
    Ok(())
}
