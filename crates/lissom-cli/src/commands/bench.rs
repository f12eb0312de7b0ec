//! `lissom bench`: what this file costs on this machine.

use crate::options::Reading;
use anyhow::{Result, ensure};
use lissom_measure::machine::Machine;
use lissom_show::{
    measure::{Patience, Subject},
    stage::Stage,
};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Any file that Lissom reads: an archive (.lsm), or .glb, .gltf, .fbx, .bvh, .ozz, .acl.sjson
    file: PathBuf,
    /// The clip to sample: its name, the file's stem, or its number from 0 [default: the first]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Look less long at each figure: half a second in all, less exact
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let stage =
        Stage::open_whole(&arguments.file, arguments.clip.as_deref(), &arguments.reading.options()?, 4)?;
    ensure!(!stage.clips.is_empty(), "{}: there is no clip to play", arguments.file.display());
    let clips = stage.clips.iter().map(|c| &c.clip).collect();
    let patience = if arguments.quick { Patience::QUICK } else { Patience::FULL };
    let subject = Subject { stage: &stage, clips, patience };
    let machine = Machine::look();
    let mut figures = subject.sample()?;
    figures.extend(subject.pose()?);
    figures.extend(subject.skin()?);
    figures.extend(subject.crowd()?);

    let view = stage.clips[0].clip.view();
    let clip = &stage.clips[0].name;
    if arguments.json {
        let values: Map<String, Value> =
            figures.iter().map(|f| (f.name.to_string(), json!(f.value))).collect();
        let units: Map<String, Value> = figures.iter().map(|f| (f.name.to_string(), json!(f.unit))).collect();
        let report = json!({
            "file": arguments.file.display().to_string(),
            "clip": clip,
            "clip_bytes": view.memory_bytes(),
            "duration_s": view.duration_s(),
            "joints": stage.skeleton.joint_count(),
            "vertices": stage.vertex_count(),
            "machine": machine.to_json(),
            "figures": values,
            "units": units,
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
        return Ok(());
    }
    writeln!(
        out,
        "{}, clip {clip:?}: {} joints, {:.3} s, {} bytes, {} vertices",
        arguments.file.display(),
        stage.skeleton.joint_count(),
        view.duration_s(),
        view.memory_bytes(),
        stage.vertex_count(),
    )?;
    writeln!(
        out,
        "{}, {}, {} threads; one is used, on {}",
        machine.cpu, machine.system, machine.threads, machine.backend
    )?;
    writeln!(
        out,
        "calibration: {:.3} ns a step of a dependent multiply and add{}\n",
        machine.calibration_ns,
        if cfg!(debug_assertions) { " (a debug build: these figures mean nothing)" } else { "" }
    )?;
    for figure in &figures {
        let value = figure.value.map_or("-".into(), |v| format!("{v:.3}"));
        writeln!(out, "  {:<16} {value:>9} {:<13} {}", figure.name, figure.unit, figure.note)?;
    }
    Ok(())
}
