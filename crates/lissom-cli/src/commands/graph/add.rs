//! `lissom graph add`: graphs for an archive that was cooked already.

use super::{known_of_archive, scene_of};
use crate::style::plain;
use anyhow::{Context, Result, anyhow};
use lissom::archive::{AlignedBytes, ArchiveView, Limits, SectionKind, packed};
use lissom_build::{archive::ArchiveWriter, graph, import::ImportLimits};
use lissom_show::files::{read_input, write_whole};
use std::{collections::BTreeMap, io::Write, path::PathBuf};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The archive
    archive: PathBuf,
    /// Graphs (.json); each is called as its file is, and takes the place of one of this name
    #[arg(required = true, value_name = "FILE.json")]
    graphs: Vec<PathBuf>,
    /// Another archive to write [default: the same]
    #[arg(short, long, value_name = "OUT.lsm")]
    output: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let shown = arguments.archive.display().to_string();
    let file = read_input(&arguments.archive, ImportLimits::default().max_bytes)?;
    let bytes = AlignedBytes::of_archive(&file, &Limits::default()).with_context(|| shown.clone())?;
    let archive = ArchiveView::read(&bytes, &Limits::default()).with_context(|| shown.clone())?;
    let known = known_of_archive(&arguments.archive, &file, &scene_of(&arguments.archive, &file)?)?;
    let mut graphs = BTreeMap::new();
    for path in &arguments.graphs {
        let named = || path.display().to_string();
        let file = graph::read(&read_input(path, graph::LARGEST as u64)?).with_context(named)?;
        let (parts, _) = file.check_with(&known).with_context(named)?;
        graphs.insert(graph::name_of(path), parts);
    }
    let mut writer = ArchiveWriter::new();
    for section in archive.sections() {
        let is_replaced = section.kind == SectionKind::Graph && graphs.contains_key(section.name);
        if !is_replaced {
            let payload = section.payload.to_vec();
            writer = writer.section(section.kind, section.version, section.flags, section.name, payload)?;
        }
    }
    for (name, parts) in &graphs {
        writer = writer.graph(name, parts)?;
    }
    let mut made = writer.finish()?;
    if packed::is_packed(&file) {
        made = packed::pack(&made)?.ok_or_else(|| anyhow!("{shown}: it cannot be packed any more"))?;
    }
    let output = arguments.output.as_ref().unwrap_or(&arguments.archive);
    write_whole(output, &made)?;
    let names: Vec<String> = graphs.keys().map(|name| format!("{:?}", plain(name))).collect();
    let clips = archive.sections().iter().filter(|section| section.kind == SectionKind::Clip).count();
    writeln!(out, "{}: graph {}, {clips} clips as they were", output.display(), names.join(", "))?;
    Ok(())
}
