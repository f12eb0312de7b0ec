//! What became of each file: the table, the lines under it, and the same as JSON.

use crate::{
    style::{Style, Table, Tone, end_of, grouped, millimetres, plain},
    warnings,
};
use anyhow::Result;
use lissom::archive::{AlignedBytes, ArchiveView, Limits, SectionKind};
use lissom_build::{
    import,
    pipeline::{self, InputError, find_clip},
};
use serde::Serialize;
use std::{io::Write, path::Path};

/// What became of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Imported,
    Unchanged,
    #[default]
    Refused,
}

/// One input.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct FileReport {
    pub(super) file: String,
    /// Nothing was written for a refused file.
    pub(super) output: Option<String>,
    /// How large the output is, if it was packed; of several inputs in one archive, with the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) packed: Option<PackedReport>,
    /// Stream files of its clips, if they were asked for.
    pub(super) streams: Vec<String>,
    pub(super) status: Status,
    pub(super) joints: usize,
    pub(super) clips: Vec<ClipReport>,
    pub(super) meshes: usize,
    pub(super) vertices: usize,
    pub(super) tracks: usize,
    pub(super) seconds: f64,
    /// Of the clips as plain samples: 10 floats a joint and sample.
    pub(super) raw_bytes: Option<u64>,
    /// Of the clips.
    pub(super) cooked_bytes: u64,
    pub(super) ratio: Option<f64>,
    pub(super) worst_error_m: Option<f64>,
    /// Whose it is.
    pub(super) worst_joint: Option<String>,
    pub(super) height_m: Option<f64>,
    /// How its motions came onto the skeleton of another file: `same`, `as is`, `re-based`, `retargeted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) motion: Option<String>,
    pub(super) warnings: Vec<String>,
    pub(super) error: Option<String>,
    /// Clips that were copied from an archive.
    pub(super) copied: usize,
    /// Its clips that were not asked for.
    #[serde(skip)]
    pub(super) left_out: Vec<String>,
    /// What its clips were called before rules renamed them.
    #[serde(skip)]
    pub(super) source_names: Vec<String>,
}

/// What packing an archive gave.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct PackedReport {
    /// Bytes in memory.
    pub(super) archive_bytes: u64,
    /// Bytes on disk.
    pub(super) file_bytes: u64,
}

/// One clip.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct ClipReport {
    pub(super) name: String,
    pub(super) seconds: f64,
    pub(super) raw_bytes: Option<u64>,
    pub(super) cooked_bytes: u64,
    pub(super) worst_error_m: Option<f64>,
    pub(super) worst_joint: Option<String>,
    pub(super) worst_time_s: Option<f64>,
    /// How fast its feet say that it goes, in metres per second, if its root motion is theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) speed: Option<f64>,
    /// How fast its feet slide nevertheless.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) slide: Option<f64>,
}

impl FileReport {
    pub(super) fn refused(file: String, error: String) -> Self {
        Self { file, error: Some(error), ..Self::default() }
    }

    /// What the pipeline says of an input.
    pub(super) fn of_input(file: String, input: Result<pipeline::Report, InputError>) -> Self {
        let report = match input {
            Ok(report) => report,
            Err(error @ InputError::NoSkeleton { .. }) => {
                return Self::refused(file, format!("{error}; name one with --skeleton FILE"));
            }
            Err(error) => return Self::refused(file, error.to_string()),
        };
        let clip = |c: pipeline::ClipReport| ClipReport {
            name: c.name,
            seconds: c.duration_s,
            raw_bytes: Some(c.cook.raw_bytes),
            cooked_bytes: c.cook.bytes,
            worst_error_m: Some(c.cook.error.worst()),
            worst_time_s: Some(c.cook.error.worst_time_s).filter(|_| !c.worst_joint.is_empty()),
            speed: c.from_feet.map(|feet| feet.velocity.length()),
            slide: c.from_feet.map(|feet| feet.slide),
            worst_joint: Some(c.worst_joint).filter(|name| !name.is_empty()),
        };
        let mut report = Self {
            file,
            status: Status::Imported,
            joints: report.joints,
            clips: report.clips.into_iter().map(clip).collect(),
            meshes: report.meshes,
            vertices: report.vertices,
            tracks: report.tracks,
            height_m: report.height_m,
            motion: report.fitted.map(|how| how.to_string()),
            copied: report.copied,
            left_out: report.left_out,
            source_names: report.source_names,
            warnings: report.warnings.iter().map(ToString::to_string).collect(),
            ..Self::default()
        };
        report.sum();
        report
    }

    /// Adds up the clips.
    pub(super) fn sum(&mut self) {
        // The sum of nothing is -0.
        self.seconds = self.clips.iter().map(|c| c.seconds).sum::<f64>() + 0.0;
        self.cooked_bytes = self.clips.iter().map(|c| c.cooked_bytes).sum();
        self.raw_bytes = self.clips.iter().map(|c| c.raw_bytes).sum();
        let known = self.clips.iter().filter_map(|c| Some((c.worst_error_m?, c)));
        let worst = known.reduce(|a, b| if a.0.is_nan() || a.0 > b.0 { a } else { b });
        self.worst_error_m = worst.map(|(error, _)| error);
        self.worst_joint = worst.and_then(|(_, clip)| clip.worst_joint.clone());
        self.ratio =
            self.raw_bytes.filter(|_| self.cooked_bytes > 0).map(|r| r as f64 / self.cooked_bytes as f64);
    }

    /// What an archive that was left alone holds. What only cooking knows is unknown.
    pub(super) fn of_archive(file: String, output: String, bytes: &AlignedBytes) -> Result<Self> {
        let archive = ArchiveView::read(bytes, &Limits::default())?;
        let mut report = Self { file, output: Some(output), status: Status::Unchanged, ..Self::default() };
        for section in archive.sections() {
            match section.kind {
                SectionKind::Skeleton => report.joints += section.skeleton(&Limits::default())?.joint_count(),
                SectionKind::Mesh => {
                    report.meshes += 1;
                    report.vertices += section.mesh()?.positions.len();
                }
                SectionKind::Track => report.tracks += 1,
                SectionKind::Clip => report.clips.push(ClipReport {
                    name: section.name.to_owned(),
                    seconds: section.clip()?.view().duration_s(),
                    cooked_bytes: section.payload.len() as u64,
                    ..ClipReport::default()
                }),
                _ => {}
            }
        }
        report.sum();
        report.raw_bytes = None;
        report.ratio = None;
        Ok(report)
    }
}

/// Clips that were asked for and are nowhere.
pub(super) fn missing_clips(wanted: &[String], reports: &[FileReport]) -> Vec<String> {
    let found = |w: &String| {
        reports.iter().filter(|r| r.status != Status::Refused).any(|r| {
            let names: Vec<String> = r.clips.iter().map(|c| c.name.clone()).collect();
            let stem = import::stem(Path::new(&r.file));
            // An index counts in the whole file, of which only the clips asked for are left.
            !names.is_empty() && (find_clip(&names, &stem, w).is_some() || w.parse::<usize>().is_ok())
        })
    };
    let any_clip = reports.iter().any(|r| r.status != Status::Refused);
    wanted.iter().filter(|w| any_clip && !found(w)).cloned().collect()
}

/// How much is said under the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Talk {
    Quiet,
    Normal,
    Verbose,
}

#[derive(Serialize)]
struct Whole<'a> {
    files: &'a [FileReport],
    total: Total,
}

#[derive(Serialize)]
struct Total {
    files: usize,
    imported: usize,
    unchanged: usize,
    refused: usize,
    clips: usize,
    seconds: f64,
    raw_bytes: Option<u64>,
    cooked_bytes: u64,
    ratio: Option<f64>,
    worst_error_m: Option<f64>,
    worst_joint: Option<String>,
    warnings: usize,
}

fn total(files: &[FileReport]) -> Total {
    let count = |status| files.iter().filter(|f| f.status == status).count();
    let done = || files.iter().filter(|f| f.status != Status::Refused);
    let mut sum =
        FileReport { clips: done().flat_map(|f| f.clips.clone()).collect(), ..FileReport::default() };
    sum.sum();
    Total {
        files: files.len(),
        imported: count(Status::Imported),
        unchanged: count(Status::Unchanged),
        refused: count(Status::Refused),
        clips: sum.clips.len(),
        seconds: sum.seconds,
        raw_bytes: sum.raw_bytes,
        cooked_bytes: sum.cooked_bytes,
        ratio: sum.ratio,
        worst_error_m: sum.worst_error_m,
        worst_joint: sum.worst_joint,
        warnings: files.iter().map(|f| f.warnings.len()).sum(),
    }
}

pub(super) fn json(files: &[FileReport], out: &mut impl Write) -> Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Whole { files, total: total(files) })?;
    writeln!(out)?;
    Ok(())
}

/// The warnings, on standard error.
pub(super) fn warn(files: &[FileReport], talk: Talk) -> Result<()> {
    let shown = match talk {
        Talk::Quiet => return Ok(()),
        Talk::Normal => warnings::SHOWN,
        Talk::Verbose => usize::MAX,
    };
    let all: Vec<(&str, &[String])> =
        files.iter().map(|f| (f.file.as_str(), f.warnings.as_slice())).collect();
    warnings::write_all(&all, shown)
}

pub(super) fn table(files: &[FileReport], talk: Talk, out: &mut impl Write) -> Result<()> {
    let style = Style::stdout();
    let head = [
        "file",
        "joints",
        "height",
        "clips",
        "seconds",
        "raw bytes",
        "cooked",
        "ratio",
        "worst error",
        "joint",
        "warnings",
        "",
    ];
    // One file that is refused: its reason says it all.
    if let [FileReport { status: Status::Refused, .. }] = files {
        return Ok(());
    }
    let mut table = Table::new(&head);
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    let row = |f: &FileReport, status: &str| {
        vec![
            plain(&f.file),
            f.joints.to_string(),
            known(f.height_m.map(|h| format!("{h:.3} m"))),
            f.clips.len().to_string(),
            format!("{:.2}", f.seconds),
            known(f.raw_bytes.map(grouped)),
            grouped(f.cooked_bytes),
            known(f.ratio.map(|r| format!("{r:.1}"))),
            known(f.worst_error_m.map(millimetres)),
            known(f.worst_joint.as_deref().map(|name| end_of(&plain(name), 20))),
            f.warnings.len().to_string(),
            status.into(),
        ]
    };
    for file in files {
        match file.status {
            Status::Imported => {
                let all_copied = !file.clips.is_empty() && file.copied == file.clips.len();
                let how = file.motion.as_deref().filter(|how| *how != "same");
                let how = how.unwrap_or(if all_copied { "copied" } else { "" });
                table.row(row(file, how), Tone::Plain);
            }
            Status::Unchanged => table.row(row(file, "unchanged"), Tone::Faint),
            Status::Refused => {
                let mut cells = vec![String::new(); head.len()];
                cells[0] = plain(&file.file);
                cells[head.len() - 1] = "refused".into();
                table.row(cells, Tone::Bad);
            }
        }
    }
    let all = total(files);
    if files.len() > 1 {
        let sum = FileReport {
            file: format!("{} files, {} refused", all.files, all.refused),
            joints: files.iter().map(|f| f.joints).sum(),
            clips: files.iter().flat_map(|f| f.clips.clone()).collect(),
            seconds: all.seconds,
            raw_bytes: all.raw_bytes,
            cooked_bytes: all.cooked_bytes,
            ratio: all.ratio,
            worst_error_m: all.worst_error_m,
            worst_joint: all.worst_joint,
            warnings: vec![String::new(); all.warnings],
            ..FileReport::default()
        };
        table.row(row(&sum, ""), Tone::Bold);
    }
    // In a pipe, paths are whole.
    let terminal = console::Term::stdout();
    let columns = terminal.size_checked().map(|(_, columns)| usize::from(columns));
    table.write_within(columns, style, out)?;
    if talk == Talk::Quiet {
        return Ok(());
    }
    for clip in files.iter().flat_map(|file| &file.clips) {
        if let (Some(speed), Some(slide)) = (clip.speed, clip.slide) {
            let name = plain(&clip.name);
            writeln!(out, "{name}: root motion from feet: {speed:.2} m/s; they slide by {slide:.2} m/s")?;
        }
    }
    let packed = files.iter().filter_map(|f| f.packed);
    let [archives, written] = packed.fold([0, 0], |[a, w], p| [a + p.archive_bytes, w + p.file_bytes]);
    if archives > 0 {
        writeln!(out, "packed: {} bytes instead of {}", grouped(written), grouped(archives))?;
    }
    match files.iter().map(|f| f.streams.len()).sum() {
        0 => {}
        1 => writeln!(
            out,
            "1 clip as a stream: {}",
            files.iter().flat_map(|f| &f.streams).map(|s| plain(s)).collect::<String>()
        )?,
        many => writeln!(out, "{many} clips as streams, in a folder beside each archive")?,
    }
    if talk == Talk::Verbose {
        for file in files {
            for clip in &file.clips {
                let mut error = clip.worst_error_m.map(millimetres).unwrap_or_else(|| "-".into());
                if let (Some(joint), Some(time)) = (&clip.worst_joint, clip.worst_time_s) {
                    error += &format!(" at {} ({time:.3} s)", plain(joint));
                }
                let (name, bytes) = (plain(&clip.name), grouped(clip.cooked_bytes));
                writeln!(
                    out,
                    "{}: {name}: {:.3} s, {bytes} bytes, {error}",
                    plain(&file.file),
                    clip.seconds
                )?;
            }
        }
    }
    Ok(())
}
