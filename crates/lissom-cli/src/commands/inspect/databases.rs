//! Databases for motion matching.

use crate::style::{Style, Table, Tone, grouped, plain};
use lissom::archive::Archive;
use lissom_motion::matching::{Database, DatabaseParts};
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
pub(super) struct DatabaseReport {
    name: String,
    frames: u32,
    /// Frames that a search may find.
    candidates: usize,
    rate_hz: f32,
    hours: f64,
    features: usize,
    ranges: usize,
    clips: usize,
    tags: Vec<String>,
    /// In the archive.
    bytes: usize,
    /// Of what a search reads.
    memory_bytes: usize,
}

/// Those that can be read; `check` tells of the others.
pub(super) fn reports(archive: &Archive) -> Vec<DatabaseReport> {
    let report = |(name, bytes): (&str, Result<lissom::SharedBytes, _>)| {
        let bytes = bytes.ok()?;
        let database = Database::new(&DatabaseParts::read(&bytes).ok()?).ok()?;
        Some(DatabaseReport {
            name: name.to_owned(),
            frames: database.frames(),
            candidates: database.candidates(),
            rate_hz: database.rate_hz(),
            hours: f64::from(database.frames()) / f64::from(database.rate_hz()) / 3600.0,
            features: database.features().len(),
            ranges: database.ranges().len(),
            clips: database.clips().len(),
            tags: database.tags().to_vec(),
            bytes: bytes.len(),
            memory_bytes: database.bytes(),
        })
    };
    archive.all_matching().filter_map(report).collect()
}

pub(super) fn write(reports: &[DatabaseReport], style: Style, out: &mut impl Write) -> std::io::Result<()> {
    if reports.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let mut table =
        Table::new(&["matching", "frames", "found", "Hz", "hours", "features", "clips", "bytes", "memory"]);
    for one in reports {
        table.row(
            vec![
                plain(&one.name),
                grouped(u64::from(one.frames)),
                grouped(one.candidates as u64),
                format!("{}", one.rate_hz),
                format!("{:.3}", one.hours),
                one.features.to_string(),
                one.clips.to_string(),
                grouped(one.bytes as u64),
                grouped(one.memory_bytes as u64),
            ],
            Tone::Plain,
        );
    }
    table.write(style, out)?;
    for one in reports.iter().filter(|one| !one.tags.is_empty()) {
        writeln!(out, "{}: tags {}", plain(&one.name), plain(&one.tags.join(", ")))?;
    }
    Ok(())
}
