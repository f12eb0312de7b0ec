//! The work of `lissom import`: cooks files, writes archives and streams, and remembers what was odd.

use super::{
    inputs::{self, Found, Shard},
    output::Output,
    report::{FileReport, PackedReport, Status, missing_clips},
    streams,
};
use crate::options::one_line;
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use lissom::archive::{AlignedBytes, Limits, packed};
use lissom::clip::Codec;
use lissom_build::pipeline::{Cooked, Input, Plan, Progress, Step};
use lissom_show::{files::write_whole, stage::in_parallel};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What every archive of this run has in common.
pub(super) struct Run<'a> {
    pub(super) plan: &'a Plan,
    /// Clips asked for by name.
    pub(super) wanted: &'a [String],
    pub(super) stream: Option<Codec>,
    /// Archives are written packed.
    pub(super) pack: bool,
    pub(super) force: bool,
    pub(super) bar: &'a ProgressBar,
    /// Rules that no clip was found for, in any archive so far; `None` before the first.
    pub(super) unused: Mutex<Option<Vec<usize>>>,
    /// What is wrong with graphs, and with databases for matching.
    pub(super) graphs: Mutex<Vec<String>>,
    /// Databases and clips with numbers that are far outside, and how many.
    pub(super) clamped: Mutex<Vec<(String, String, usize)>>,
}

impl Run<'_> {
    /// Cooks what was found and writes it; the bytes are those for standard output.
    pub(super) fn all(
        &self,
        found: &[Found],
        output: &Output,
        shard: Option<Shard>,
    ) -> Result<(Vec<FileReport>, Option<Vec<u8>>)> {
        match output {
            Output::File(path) => Ok((self.one_archive(found, path)?, None)),
            Output::Folder(path) => Ok((self.one_each(found, path, shard)?, None)),
            Output::Stream(path) => Ok((self.one_stream(found, path)?, None)),
            Output::Standard => {
                let (reports, archive) = self.cook_all(found)?;
                let file = archive.as_deref().map(|bytes| self.as_asked(bytes)).transpose()?;
                Ok((reports, file.map(|(bytes, _)| bytes.into_owned())))
            }
        }
    }

    /// Cooks everything into one archive; there is none where every file is refused, or a clip asked for is in no file.
    fn cook_all(&self, found: &[Found]) -> Result<(Vec<FileReport>, Option<Vec<u8>>)> {
        let inputs: Vec<Input<'_>> = found.iter().map(Found::input).collect();
        let Cooked { archive, inputs, .. } = self.cook(&inputs)?;
        let file = |f: &Found| f.path.display().to_string();
        let reports = found.iter().zip(inputs).map(|(f, input)| FileReport::of_input(file(f), input));
        let reports: Vec<FileReport> = reports.collect();
        // An archive without what was asked for must not take the place of one that has it.
        let archive = archive.filter(|_| missing_clips(self.wanted, &reports).is_empty());
        Ok((reports, archive))
    }

    fn one_stream(&self, found: &[Found], output: &Path) -> Result<Vec<FileReport>> {
        let (mut reports, archive) = self.cook_all(found)?;
        if let (Some(bytes), Some(codec)) = (archive, self.stream) {
            let clip = streams::write_only(output, &AlignedBytes::copy_of(&bytes), codec)?;
            if let Some(report) = reports.iter_mut().find(|r| r.clips.iter().any(|c| c.name == clip)) {
                report.output = Some(output.display().to_string());
                report.streams.push(output.display().to_string());
            }
        }
        Ok(reports)
    }

    fn one_archive(&self, found: &[Found], output: &Path) -> Result<Vec<FileReport>> {
        let inputs: Vec<Input<'_>> = found.iter().map(Found::input).collect();
        let shown = output.display().to_string();
        if let Some(bytes) = self.unchanged(output, &inputs) {
            let name = match found {
                [only] => only.path.display().to_string(),
                _ => format!("{} files", found.len()),
            };
            let mut reports = [FileReport::of_archive(name, shown, &bytes)?];
            self.streams(output, &bytes, &mut reports)?;
            return Ok(reports.into());
        }
        let (mut reports, archive) = self.cook_all(found)?;
        if let Some(bytes) = archive {
            let packed = self.write(output, &bytes)?;
            if let Some(first) = reports.iter_mut().find(|r| r.status == Status::Imported) {
                first.packed = packed;
            }
            for report in reports.iter_mut().filter(|r| r.status == Status::Imported) {
                report.output = Some(shown.clone());
            }
            self.streams(output, &AlignedBytes::copy_of(&bytes), &mut reports)?;
        }
        Ok(reports)
    }

    fn one_each(&self, found: &[Found], folder: &Path, shard: Option<Shard>) -> Result<Vec<FileReport>> {
        // Names depend on all inputs, so that shares agree on them.
        let outputs = inputs::outputs(found)?;
        let mine: Vec<(&Found, PathBuf)> = found
            .iter()
            .zip(outputs)
            .filter(|(found, _)| shard.is_none_or(|s| s.has(found)))
            .map(|(found, name)| (found, folder.join(name)))
            .collect();
        mine.par_iter().map(|(found, output)| self.one_of_each(found, output)).collect()
    }

    fn one_of_each(&self, found: &Found, output: &Path) -> Result<FileReport> {
        let (file, shown) = (found.path.display().to_string(), output.display().to_string());
        let inputs = [found.input()];
        let (mut report, bytes) = if let Some(bytes) = self.unchanged(output, &inputs) {
            self.bar.inc(1);
            (FileReport::of_archive(file, shown, &bytes)?, bytes)
        } else {
            let Cooked { archive, inputs, .. } = self.cook(&inputs)?;
            let input = inputs.into_iter().next().context("no report")?;
            let mut report = FileReport::of_input(file, input);
            let Some(bytes) = archive else { return Ok(report) };
            let parent = output.parent().unwrap_or(Path::new(""));
            let written = std::fs::create_dir_all(parent)
                .with_context(|| format!("cannot write {shown}"))
                .and_then(|()| self.write(output, &bytes));
            match written {
                Ok(packed) => (report.output, report.packed) = (Some(shown), packed),
                Err(error) => return Ok(FileReport::refused(report.file, one_line(&error))),
            }
            (report, AlignedBytes::copy_of(&bytes))
        };
        match self.streams(output, &bytes, std::slice::from_mut(&mut report)) {
            Ok(()) => Ok(report),
            Err(error) => Ok(FileReport::refused(report.file, one_line(&error))),
        }
    }

    /// The archive, if making it again would give the same.
    fn unchanged(&self, output: &Path, inputs: &[Input<'_>]) -> Option<AlignedBytes> {
        let bytes = std::fs::read(output).ok().filter(|_| !self.force)?;
        // One that is packed, or not, against what is asked for is written again.
        let as_asked = packed::is_packed(&bytes) == self.pack;
        let archive = AlignedBytes::of_archive(&bytes, &Limits::default()).ok().filter(|_| as_asked);
        let same = archive.filter(|archive| self.plan.is_unchanged(archive, inputs));
        if same.is_some() {
            // What is in there was not looked at: nobody can say that a rule fits nothing.
            *self.unused.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
        }
        same
    }

    /// The bytes of an archive's file, and its sizes if it is packed.
    fn as_asked<'b>(&self, archive: &'b [u8]) -> Result<(Cow<'b, [u8]>, Option<PackedReport>)> {
        let packed = if self.pack { packed::pack(archive)? } else { None };
        Ok(match packed {
            None => (archive.into(), None),
            Some(packed) => {
                let (archive_bytes, file_bytes) = (archive.len() as u64, packed.len() as u64);
                (packed.into(), Some(PackedReport { archive_bytes, file_bytes }))
            }
        })
    }

    /// Writes an archive; gives its sizes if it is packed.
    fn write(&self, output: &Path, archive: &[u8]) -> Result<Option<PackedReport>> {
        let (file, sizes) = self.as_asked(archive)?;
        write_whole(output, &file)?;
        Ok(sizes)
    }

    /// On all threads of the pool. The bar's length has the inputs already; clips are added as they become known.
    fn cook(&self, inputs: &[Input<'_>]) -> Result<Cooked> {
        let mut known = inputs.len() + 1;
        let mut watch = |progress: Progress<'_>| {
            self.bar.inc_length((progress.all - known) as u64);
            known = progress.all;
            if progress.step != Step::Written {
                self.bar.inc(1);
            }
            ControlFlow::Continue(())
        };
        let cooked = self.plan.cook(inputs, &in_parallel, &mut watch)?;
        let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = cooked.graphs.iter().filter_map(|graph| graph.as_ref().err().map(ToString::to_string));
        let databases = cooked.matching.iter();
        let refused =
            refused.chain(databases.clone().filter_map(|d| d.as_ref().err().map(ToString::to_string)));
        self.graphs.lock().unwrap_or_else(PoisonError::into_inner).extend(refused);
        let clamped = databases
            .flatten()
            .flat_map(|d| d.clamped.iter().map(|(clip, count)| (d.name.clone(), clip.clone(), *count)));
        self.clamped.lock().unwrap_or_else(PoisonError::into_inner).extend(clamped);
        match &mut *unused {
            Some(unused) => unused.retain(|rule| cooked.unused.contains(rule)),
            none => *none = Some(cooked.unused.clone()),
        }
        Ok(cooked)
    }

    /// Writes the clips of an archive as streams, if that was asked for, and notes each where its clip is.
    fn streams(&self, output: &Path, bytes: &AlignedBytes, reports: &mut [FileReport]) -> Result<()> {
        let Some(codec) = self.stream else { return Ok(()) };
        for (clip, path) in streams::write(output, bytes, codec)? {
            let has = |r: &&mut FileReport| r.clips.iter().any(|c| c.name == clip);
            if let Some(report) = reports.iter_mut().find(has) {
                report.streams.push(path.display().to_string());
            }
        }
        Ok(())
    }
}
