//! `lissom check`: is a file whole, and if not, what is left of it?

use crate::{
    options::{Reading, SomeRefused},
    style::{Style, plain},
};
use anyhow::Result;
use lissom::archive::{AlignedBytes, ArchiveError, ArchiveView, Limits, Section, SectionKind};
use lissom::clip::format::stream as stream_format;
use lissom_build::import::{self, Format, ImportOptions, OpenError};
use lissom_motion::{
    Graph, GraphParts,
    matching::{Database, DatabaseParts},
};
use lissom_show::source::StreamFile;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files of any supported format
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Serialize)]
struct Whole {
    files: Vec<FileReport>,
}

#[derive(Serialize)]
struct FileReport {
    file: String,
    whole: bool,
    /// False if it is not there, not a file, or may not be read.
    readable: bool,
    /// What is wrong.
    damage: Vec<String>,
    /// Sections of a damaged archive, or blocks of a damaged stream, that are whole.
    survives: Vec<String>,
    /// Odd, but no damage.
    warnings: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let options = arguments.reading.options()?;
    let files: Vec<FileReport> = arguments.files.iter().map(|path| check(path, &options)).collect();
    let all_whole = files.iter().all(|f| f.whole);
    if arguments.json {
        serde_json::to_writer_pretty(&mut *out, &Whole { files })?;
        writeln!(out)?;
    } else {
        let style = Style::stdout();
        let mut err = std::io::stderr().lock();
        for file in &files {
            let name = plain(&file.file);
            let verdict = match (file.whole, file.readable) {
                (true, _) => style.good("whole"),
                (false, true) => style.bad("damaged"),
                (false, false) => style.bad("cannot be read"),
            };
            writeln!(out, "{name}: {verdict}")?;
            for damage in &file.damage {
                writeln!(err, "lissom: {name}: {}", plain(damage))?;
            }
            if !file.whole {
                file.survives.iter().try_for_each(|s| writeln!(out, "  survives: {}", plain(s)))?;
            }
            file.warnings
                .iter()
                .try_for_each(|w| writeln!(out, "  {}: {}", style.odd("warning"), plain(w)))?;
        }
    }
    if all_whole { Ok(()) } else { Err(SomeRefused.into()) }
}

fn check(path: &Path, options: &ImportOptions) -> FileReport {
    let file = path.display().to_string();
    let mut report = FileReport {
        file: file.clone(),
        whole: true,
        readable: true,
        damage: Vec::new(),
        survives: Vec::new(),
        warnings: Vec::new(),
    };
    // The file's name stands before every line already.
    let without_name = |error: String| error.strip_prefix(&format!("{file}: ")).unwrap_or(&error).to_owned();
    match import::read_limited(path, options.limits.max_bytes) {
        Err(error) => {
            report.readable = matches!(error, OpenError::Empty { .. } | OpenError::TooLarge { .. });
            report.damage.push(without_name(error.to_string()));
        }
        Ok(bytes) if Format::of_bytes(&bytes) == Some(Format::Lsm) => archive(&bytes, &mut report),
        Ok(bytes) if bytes.starts_with(&stream_format::MAGIC) => {
            if let Err(error) = stream(bytes, &mut report) {
                report.damage.push(error.to_string());
            }
        }
        Ok(bytes) => match import::open_read(path, &bytes, options) {
            Ok(scene) => report.warnings = scene.warnings.iter().map(ToString::to_string).collect(),
            Err(error) => report.damage.push(without_name(error.to_string())),
        },
    }
    report.whole = report.damage.is_empty();
    report
}

/// Unpacks every block.
fn stream(bytes: Vec<u8>, report: &mut FileReport) -> Result<()> {
    let stream = StreamFile::new(bytes)?;
    let damaged = stream.damaged()?;
    let view = stream.opened.view();
    for block in 0..view.block_count() {
        let start_s = view.block(block).map_or(0.0, |b| b.time_s);
        let name = format!("block {block}, from {start_s:.3} s");
        if damaged.contains(&block) {
            report.damage.push(format!("{name}: its bytes are not those that were written"));
        } else {
            report.survives.push(name);
        }
    }
    Ok(())
}

fn archive(bytes: &[u8], report: &mut FileReport) {
    let limits = Limits::default();
    let bytes = match AlignedBytes::of_archive(bytes, &limits) {
        Ok(bytes) => bytes,
        Err(error) => return report.damage.push(error.to_string()),
    };
    let (archive, damage) = match ArchiveView::read_surviving(&bytes, &limits) {
        Ok(read) => read,
        Err(error) => return report.damage.push(error.to_string()),
    };
    report.damage = damage.iter().map(ToString::to_string).collect();
    for section in archive.sections() {
        let letters = section.kind.code().to_le_bytes();
        let name = format!("{} {:?}", String::from_utf8_lossy(&letters), section.name);
        match sound(&archive, section, &limits) {
            Ok(()) => report.survives.push(format!("{name}, {} bytes", section.payload.len())),
            Err(error) => report.damage.push(format!("{name}: {error}")),
        }
    }
}

/// Checks a graph, and that its clips are there.
fn graph(archive: &ArchiveView<'_>, section: &Section<'_>) -> Result<(), ArchiveError> {
    let wrong = |reason: String| ArchiveError::Format { offset: section.offset, reason };
    let parts = GraphParts::read(section.graph()?).map_err(|error| wrong(error.to_string()))?;
    let duration_s =
        |clip: &str| Some(archive.find(SectionKind::Clip, clip).ok()?.clip().ok()?.view().duration_s());
    // A database that is broken is told of where it stands.
    let database = |name: &str| {
        let bytes = archive.find(SectionKind::Matching, name).ok().and_then(|found| found.matching().ok());
        let parts = bytes.and_then(|bytes| DatabaseParts::read(bytes).ok());
        Ok(parts.and_then(|parts| Database::new(&parts).ok()).map(Arc::new))
    };
    let made = Graph::with_databases(&parts, duration_s, database);
    made.map(drop).map_err(|error| wrong(error.to_string()))
}

/// Checks a database for motion matching, and that its clips and its skeleton are there.
fn matching(archive: &ArchiveView<'_>, section: &Section<'_>, limits: &Limits) -> Result<(), ArchiveError> {
    let wrong = |reason: String| ArchiveError::Format { offset: section.offset, reason };
    let parts = DatabaseParts::read(section.matching()?).map_err(|error| wrong(error.to_string()))?;
    Database::new(&parts).map_err(|error| wrong(error.to_string()))?;
    for clip in &parts.clips {
        archive.find(SectionKind::Clip, clip)?;
    }
    archive.skeleton_of(parts.skeleton, limits).map(drop)
}

/// Checks what a section holds, and that what it belongs to is there.
fn sound(archive: &ArchiveView<'_>, section: &Section<'_>, limits: &Limits) -> Result<(), ArchiveError> {
    let skeleton_there = |identity: u64| archive.skeleton_of(identity, limits).map(drop);
    match section.kind {
        SectionKind::Skeleton => section.skeleton(limits).map(drop),
        SectionKind::Clip => skeleton_there(section.clip()?.view().skeleton_identity()),
        SectionKind::Track => section.track().map(drop),
        SectionKind::Mesh => skeleton_there(section.mesh()?.skeleton_identity),
        SectionKind::Morph => section.morph().map(drop),
        SectionKind::Markers => section.markers().map(drop),
        SectionKind::Material => section.material().map(drop),
        SectionKind::Image => section.image().map(drop),
        SectionKind::Nodes => section.nodes().map(drop),
        SectionKind::Extras => section.extras().map(drop),
        SectionKind::Graph => graph(archive, section),
        SectionKind::Matching => matching(archive, section, limits),
        // Carried along: only its checksum is known.
        _ => Ok(()),
    }
}
