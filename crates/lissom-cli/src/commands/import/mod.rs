//! `lissom import`: authored files become archives.

mod config;
mod edits;
mod inputs;
mod report;
mod streams;

use crate::{
    files::{is_standard, same_file, write_whole},
    options::{Cooking, Reading, SomeRefused, UsageError, one_line, usage},
    stage::in_parallel,
    style::{Style, plain},
};
use anyhow::{Context, Result};
use config::Config;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use inputs::{Found, Shard};
use lissom::archive::{AlignedBytes, Limits, packed};
use lissom::clip::Codec;
use lissom_build::edit::EditKind;
use lissom_build::import;
use lissom_build::pipeline::{Cooked, Input, Options, Progress, Recipe, Step, did_you_mean, find_clip};
use rayon::prelude::*;
use report::{FileReport, PackedReport, Status, Talk};
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files, folders (searched for supported files) and patterns ('clips/**/*.glb')
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// One archive for everything (OUT.lsm, or - for standard output), a folder for one archive each (DIR/), or one clip
    /// as a stream (OUT.lcs with --stream)
    #[arg(short, long, value_name = "OUT.lsm|DIR/|OUT.lcs|-")]
    output: PathBuf,
    /// Only these clips: a name, the file's stem, or an index; may be given several times
    #[arg(long, value_name = "NAME")]
    clip: Vec<String>,
    /// A graph for the archive, as JSON; its name is the file's, without .json; may be given several times
    #[arg(long, value_name = "FILE.json")]
    graph: Vec<PathBuf>,
    /// Write each clip also as a stream file, which plays while it loads: OUT/CLIP.lcs beside OUT.lsm
    #[arg(
        long,
        value_name = "CODEC",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "lz4",
        value_enum
    )]
    stream: Option<CodecName>,
    /// Write packed archives: smaller on disk, unpacked when they are opened
    #[arg(long)]
    pack: bool,
    /// Cook a share of the files: I of N, counted from 0; all N together are one whole run
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Cook again what has not changed
    #[arg(long)]
    force: bool,
    /// Threads [default: one a core]; the output is the same for any number
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Options from this file [default: the nearest lissom.toml in the output's folder or above]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Only the table
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Every warning and every clip under the table
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    editing: edits::Editing,
    #[command(flatten)]
    cooking: Cooking,
    #[command(flatten)]
    reading: Reading,
}

/// How stream files are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum CodecName {
    /// Not at all
    None,
    /// Fast
    Lz4,
    /// Smaller, if built in
    Zstd,
    /// Smaller, if built in
    Gzip,
}

impl CodecName {
    fn codec(self) -> Codec {
        match self {
            Self::None => Codec::None,
            Self::Lz4 => Codec::Lz4,
            Self::Zstd => Codec::Zstd,
            Self::Gzip => Codec::Gzip,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  lissom import hero.glb -o hero.lsm
  lissom import hero.glb walk.bvh run.fbx --skeleton hero.glb -o hero.lsm
  lissom import assets/ 'more/**/*.gltf' -o cooked/ --precision 0.05mm
  lissom import library/ -o cooked/ --shard 0/3      # and 1/3, 2/3 elsewhere
  lissom import hero.glb -o hero.lsm --stream        # hero/walk.lcs, hero/run.lcs, ... too
  lissom import hero.glb --clip walk --stream -o walk.lcs
  lissom import hero.glb -o hero.lsm --pack          # for a download: unpacked when it is opened
  lissom import hero.glb --graph hero.json -o hero.lsm   # with the graph that plays it: Animator::new(&archive, \"hero\")

lissom.toml has the long options as keys, and edits of clips by name; the command line wins:
  precision = \"0.1mm\"
  unit = \"cm\"
  skeleton = \"hero.glb\"
  [clips.\"Armature|*\"]
  name = \"*\"
  [clips.walk]
  trim = [0.5, 1.7]
  loop = \"close\"
  in-place = true
  events = { step = [0.2, 0.8] }
All of it: docs/RECIPES.md.

An archive remembers what it was made of (files, options, version of this tool); it is left alone while that is the
same. A file that is refused does not stop the others: the reason is on stderr, the exit code is 1.";

/// A file that `lissom import FILES -o DIR/` cooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Where it is.
    pub path: PathBuf,
    /// What its archive calls it: its path from the folder or pattern that it was found by, with `/`. The same on every
    /// machine.
    pub name: String,
    /// Its archive, from DIR on.
    pub output: PathBuf,
}

/// What `lissom import FILES -o DIR/` cooks, in its order: for who shares the work out in other ways than by `--shard`.
///
/// # Errors
///
/// In words: a folder or a pattern without a file, two files that would become one archive.
pub fn plan_import(files: &[PathBuf]) -> Result<Vec<Planned>, String> {
    let plan = || {
        let found = inputs::gather(files)?;
        let outputs = inputs::outputs(&found)?;
        let planned = found.into_iter().zip(outputs);
        Ok(planned.map(|(f, output)| Planned { path: f.path, name: f.relative, output }).collect())
    };
    plan().map_err(|error| one_line(&error))
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let output = Output::of(&arguments.output);
    let Arguments { cooking, reading, editing, .. } = arguments;
    let config = Config::load(arguments.config.as_deref(), output.folder())?;
    let file = &config.recipe;
    let options = (|| {
        let (precision, shell) = (cooking.precision_or(file)?, cooking.shell_or(file)?);
        Ok::<_, anyhow::Error>((reading.options_or(file)?, cooking.builder(file)?, precision, shell))
    })();
    let (options, cook, precision, shell) = match (options, &config.path) {
        (Err(error), Some(file)) => {
            let text = format!("{error} (options may come from {})", file.display());
            return Err(UsageError(text).into());
        }
        (options, _) => options?,
    };
    let clips = if arguments.clip.is_empty() { file.clips.clone() } else { arguments.clip.clone() };
    let mut rules = file.rules.clone();
    if cooking.precision.is_some() {
        rules.iter_mut().for_each(|r| r.edits.retain(|e| !matches!(e.kind, EditKind::Precision(_))));
    }
    rules.extend(editing.rule()?);
    let wanted = clips.clone();
    let graphs: Vec<Input<'_>> = if arguments.graph.is_empty() {
        file.graphs.iter().map(Input::file).collect()
    } else {
        arguments.graph.iter().map(Input::file).collect()
    };
    if !graphs.is_empty() && !matches!(output, Output::File(_) | Output::Standard) {
        return usage("a graph needs one archive with all its clips: -o OUT.lsm");
    }
    let recipe = Recipe::new(Options {
        import: options,
        clips,
        precision,
        shell,
        rules,
        graphs,
        cook,
        ..Options::default()
    })?;
    let shard = arguments.shard.as_deref().map(Shard::parse).transpose()?;
    if shard.is_some() && !matches!(output, Output::Folder(_)) {
        return usage("--shard needs a folder as output (-o DIR/): shares of one file do not add up");
    }
    let found = inputs::gather(&arguments.files)?;
    output.check(&found, arguments)?;
    let talk = match (arguments.quiet, arguments.verbose) {
        (true, _) => Talk::Quiet,
        (_, true) => Talk::Verbose,
        _ => Talk::Normal,
    };
    let threads = arguments.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("no threads")?;
    let bar = bar(found.len(), talk == Talk::Quiet || arguments.json);
    let run = Run {
        recipe: &recipe,
        wanted: &wanted,
        stream: arguments.stream.map(CodecName::codec),
        pack: arguments.pack,
        force: arguments.force,
        bar: &bar,
        unused: Mutex::default(),
        graphs: Mutex::default(),
    };
    let mut archive = None;
    let reports = pool.install(|| match &output {
        Output::File(path) => run.one_archive(&found, path),
        Output::Folder(path) => run.one_each(&found, path, shard),
        Output::Stream(path) => run.one_stream(&found, path),
        Output::Standard => run.cook_all(&found).map(|(reports, bytes)| {
            archive = bytes.map(|bytes| run.as_asked(bytes));
            reports
        }),
    });
    bar.finish_and_clear();
    let reports = reports?;
    if let Some(bytes) = archive.transpose()? {
        out.write_all(&bytes)?;
    }
    if arguments.json {
        report::json(&reports, out)?;
    } else {
        match output {
            // The archive is there.
            Output::Standard => report::table(&reports, talk, &mut std::io::stderr().lock())?,
            _ => report::table(&reports, talk, out)?,
        }
        out.flush()?;
        report::warn(&reports, talk)?;
    }
    out.flush()?;
    let mut err = std::io::stderr().lock();
    for error in reports.iter().filter_map(|r| r.error.as_deref()) {
        writeln!(err, "lissom: {}", plain(error))?;
    }
    let graphs = run.graphs.into_inner().unwrap_or_else(PoisonError::into_inner);
    for error in &graphs {
        writeln!(err, "lissom: {}", plain(error))?;
    }
    let unused = run.unused.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_default();
    let names: Vec<String> = reports.iter().flat_map(|r| &r.clips).map(|c| c.name.clone()).collect();
    for rule in unused.iter().filter_map(|r| file.rules.get(*r)) {
        let wanted = rule.from.as_ref().unwrap_or(&rule.clips);
        let place = config.path.as_ref().map_or(String::new(), |p| p.display().to_string());
        let line = rule.line.map_or(String::new(), |l| format!(" line {l}:"));
        let near = did_you_mean(&names, wanted);
        writeln!(
            err,
            "{}: {place}:{line} no clip is called {wanted:?}{near}",
            Style::stderr().odd("warning")
        )?;
    }
    let missing = missing_clips(&wanted, &reports);
    for clip in &missing {
        let names: Vec<String> = reports.iter().flat_map(|r| &r.left_out).cloned().collect();
        writeln!(err, "lissom: no file has a clip {clip:?}{}", did_you_mean(&names, clip))?;
    }
    let refused = reports.iter().any(|r| r.status == Status::Refused);
    if refused || !missing.is_empty() || !graphs.is_empty() { Err(SomeRefused.into()) } else { Ok(()) }
}

/// Where archives go.
enum Output {
    File(PathBuf),
    Folder(PathBuf),
    /// One clip, as a stream.
    Stream(PathBuf),
    /// One archive, to standard output.
    Standard,
}

impl Output {
    /// A folder is one that exists, or that ends in a slash.
    fn of(path: &Path) -> Self {
        let slash = path.as_os_str().as_encoded_bytes().ends_with(b"/")
            || path.as_os_str().as_encoded_bytes().ends_with(std::path::MAIN_SEPARATOR_STR.as_bytes());
        if is_standard(path) {
            Self::Standard
        } else if slash || path.is_dir() {
            Self::Folder(path.into())
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("lcs")) {
            Self::Stream(path.into())
        } else {
            Self::File(path.into())
        }
    }

    fn folder(&self) -> &Path {
        match self {
            Self::Folder(path) => path,
            Self::File(path) | Self::Stream(path) => path.parent().unwrap_or(Path::new("")),
            Self::Standard => Path::new(""),
        }
    }

    /// An archive is called `.lsm`, a stream `.lcs`, and neither is written over what it is made of.
    fn check(&self, found: &[Found], arguments: &Arguments) -> Result<()> {
        let path = match self {
            Self::Folder(_) => return Ok(()),
            Self::Standard if arguments.stream.is_some() => {
                return usage("-o - is the archive; a stream needs a name: -o OUT.lcs --stream");
            }
            Self::Standard if arguments.json => {
                return usage("-o - and --json both want standard output");
            }
            Self::Standard => return Ok(()),
            Self::Stream(path) if arguments.pack => {
                return usage(format!("-o {}: --pack is for archives; streams have a codec", path.display()));
            }
            Self::Stream(path) if arguments.stream.is_none() => {
                return usage(format!("-o {}: a stream is written with --stream", path.display()));
            }
            Self::File(path) | Self::Stream(path) => path,
        };
        let is_archive = matches!(self, Self::File(_));
        if is_archive && !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("lsm")) {
            let path = path.display();
            return usage(format!(
                "-o {path}: it must be OUT.lsm, OUT.lcs with --stream, - or a folder that exists or ends in a slash"
            ));
        }
        if let Some(own) = found.iter().find(|f| same_file(&f.path, path)) {
            return usage(format!("-o {}: this is one of the files to import", own.path.display()));
        }
        Ok(())
    }
}

/// Clips that were asked for and are nowhere.
fn missing_clips(wanted: &[String], reports: &[FileReport]) -> Vec<String> {
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

fn bar(files: usize, hidden: bool) -> ProgressBar {
    let bar = ProgressBar::new(files as u64);
    let show = !hidden && std::io::stderr().is_terminal();
    bar.set_draw_target(if show { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() });
    if let Ok(style) =
        ProgressStyle::with_template("{bar:40} {pos}/{len} files and clips, {per_sec}, {elapsed} so far")
    {
        bar.set_style(style);
    }
    if show {
        // One long clip shows that it goes on.
        bar.enable_steady_tick(std::time::Duration::from_millis(250));
    }
    bar
}

/// What every archive of this run has in common.
struct Run<'a> {
    recipe: &'a Recipe,
    /// Clips asked for by name.
    wanted: &'a [String],
    stream: Option<Codec>,
    /// Archives are written packed.
    pack: bool,
    force: bool,
    bar: &'a ProgressBar,
    /// Rules that no clip was found for, in any archive so far; `None` before the first.
    unused: Mutex<Option<Vec<usize>>>,
    /// What is wrong with graphs.
    graphs: Mutex<Vec<String>>,
}

impl Run<'_> {
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
        let same = archive.filter(|archive| self.recipe.is_unchanged(archive, inputs));
        if same.is_some() {
            // What is in there was not looked at: nobody can say that a rule fits nothing.
            *self.unused.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
        }
        same
    }

    /// An archive as it is written.
    fn as_asked(&self, archive: Vec<u8>) -> Result<Vec<u8>> {
        let packed = if self.pack { packed::pack(&archive)? } else { None };
        Ok(packed.unwrap_or(archive))
    }

    /// Writes an archive; tells what it became if it was packed.
    fn write(&self, output: &Path, archive: &[u8]) -> Result<Option<PackedReport>> {
        let packed = if self.pack { packed::pack(archive)? } else { None };
        write_whole(output, packed.as_deref().unwrap_or(archive))?;
        let sizes = |packed: Vec<u8>| PackedReport {
            archive_bytes: archive.len() as u64,
            file_bytes: packed.len() as u64,
        };
        Ok(packed.map(sizes))
    }

    /// On all threads of the pool. The bar's length has the inputs already; clips are added as they become known.
    fn cook(&self, inputs: &[Input<'_>]) -> Result<Cooked> {
        let mut known = inputs.len() + 1;
        let mut watch = |progress: Progress<'_>| {
            self.bar.inc_length((progress.all - known) as u64);
            known = progress.all;
            if progress.step != Step::Packed {
                self.bar.inc(1);
            }
            ControlFlow::Continue(())
        };
        let cooked = self.recipe.cook(inputs, &in_parallel, &mut watch)?;
        let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = cooked.graphs.iter().filter_map(|graph| graph.as_ref().err().map(ToString::to_string));
        self.graphs.lock().unwrap_or_else(PoisonError::into_inner).extend(refused);
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
