//! `lissom import`: authored files become archives.

mod config;
mod edits;
mod inputs;
mod output;
mod report;
mod run;
mod streams;

use crate::{
    options::{Cooking, Reading, SomeRefused, UsageError, merged, one_line, usage},
    style::{Style, counted, plain},
};
use anyhow::{Context, Result};
pub(crate) use config::Config;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use inputs::Shard;
use lissom::clip::Codec;
use lissom_build::{
    pipeline::{Options, Plan, did_you_mean},
    recipe::{FileRule, RecipeFile},
};
use output::Output;
use report::{FileReport, Status, Talk, missing_clips};
use run::Run;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, mpsc::RecvTimeoutError};
use std::time::Duration;

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
    /// Threads [default: one per core]; the output is the same for any number
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

lissom.toml says how files are read and clips are cooked, with the names of the long options, and how clips are
edited, by name. Options of one run (--pack, --stream, --shard, --threads, --force) have no key. The command line wins:
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
    let config = Config::load(arguments.config.as_deref(), output.folder())?;
    let options = options_of(arguments, &config)?;
    let wanted = options.clips.clone();
    let is_one = matches!(output, Output::File(_) | Output::Standard);
    let has_graphs = !options.graphs.is_empty() || !options.like.is_empty();
    if has_graphs && !is_one {
        return usage("a graph needs one archive with all its clips: -o OUT.lsm");
    }
    if !options.matching.is_empty() && !is_one {
        return usage("a database for matching needs one archive with all its clips: -o OUT.lsm");
    }
    let plan = Plan::new(options)?;
    let shard = arguments.shard.as_deref().map(Shard::parse).transpose()?;
    if shard.is_some() && !matches!(output, Output::Folder(_)) {
        return usage("--shard needs a folder as output (-o DIR/): shares of one file do not add up");
    }
    let found = inputs::gather(&arguments.files)?;
    output.check(&found, arguments)?;
    let threads = arguments.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("no threads")?;
    let late = LateBar::new(found.len(), arguments.quiet || arguments.json);
    let run = Run {
        plan: &plan,
        wanted: &wanted,
        stream: arguments.stream.map(CodecName::codec),
        pack: arguments.pack,
        force: arguments.force,
        bar: &late.bar,
        unused: Mutex::default(),
        graphs: Mutex::default(),
        clamped: Mutex::default(),
    };
    let done = pool.install(|| run.all(&found, &output, shard));
    late.bar.finish_and_clear();
    let (reports, archive) = done?;
    if let Some(bytes) = archive {
        out.write_all(&bytes)?;
    }
    tell(arguments, &output, &reports, out)?;
    tell_of_files(&config, &found)?;
    complain(run, &config, &reports)
}

/// What the command line says, and what the recipe says where it says nothing.
fn options_of(arguments: &Arguments, config: &Config) -> Result<Options<'static>> {
    match (merged(config.recipe.clone(), asked(arguments)?), &config.path) {
        (Err(error), Some(file)) => {
            let text = format!("{error} (options may come from {})", file.display());
            Err(UsageError(text).into())
        }
        (options, _) => options,
    }
}

/// What the command line says, as a recipe says it.
fn asked(arguments: &Arguments) -> Result<RecipeFile> {
    let mut asked = RecipeFile {
        clips: arguments.clip.clone(),
        graphs: arguments.graph.clone(),
        rules: arguments.editing.rule()?.into_iter().collect(),
        ..RecipeFile::default()
    };
    arguments.reading.fill(&mut asked)?;
    arguments.cooking.fill(&mut asked)?;
    Ok(asked)
}

/// The table, or JSON, and the warnings.
fn tell(arguments: &Arguments, output: &Output, reports: &[FileReport], out: &mut impl Write) -> Result<()> {
    let talk = match (arguments.quiet, arguments.verbose) {
        (true, _) => Talk::Quiet,
        (_, true) => Talk::Verbose,
        _ => Talk::Normal,
    };
    if arguments.json {
        report::json(reports, out)?;
    } else {
        match output {
            // The archive is there.
            Output::Standard => report::table(reports, talk, &mut std::io::stderr().lock())?,
            _ => report::table(reports, talk, out)?,
        }
        out.flush()?;
        report::warn(reports, talk)?;
    }
    Ok(out.flush()?)
}

/// Tables of files that no file is meant by.
fn tell_of_files(config: &Config, found: &[inputs::Found]) -> Result<()> {
    let is_unused = |rule: &&FileRule| !found.iter().any(|file| rule.fits(&file.relative));
    for rule in config.recipe.files.iter().filter(is_unused) {
        let place = config.path.as_ref().map_or(String::new(), |p| p.display().to_string());
        let line = rule.line.map_or(String::new(), |l| format!(" line {l}:"));
        let odd = Style::stderr().odd("warning");
        writeln!(std::io::stderr(), "{odd}: {place}:{line} no file is called {:?}", rule.files)?;
    }
    Ok(())
}

/// What was refused, what was asked for and is nowhere, on standard error. One cause, one line: what is missing because a
/// file was refused is not told again.
fn complain(run: Run<'_>, config: &Config, reports: &[FileReport]) -> Result<()> {
    let mut err = std::io::stderr().lock();
    let graphs = run.graphs.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_refused = reports.iter().any(|r| r.status == Status::Refused);
    let refused = reports.iter().filter_map(|r| r.error.as_deref());
    let has_own_cause = |error: &&str| !(is_refused && error.contains(NO_CLIP));
    for error in refused.chain(graphs.iter().map(String::as_str).filter(has_own_cause)) {
        writeln!(err, "lissom: {}", plain(error))?;
    }
    for (database, clip, count) in run.clamped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let numbers = counted(count, "number is", "numbers are");
        writeln!(
            err,
            "{}: matching {database:?}: {numbers} far outside of all others in clip {clip:?}: does it jump?",
            Style::stderr().odd("warning")
        )?;
    }
    let unused = run.unused.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_default();
    let names: Vec<String> = reports.iter().flat_map(|r| &r.source_names).cloned().collect();
    // Those of the recipe come first; the one of the command line is for all clips. Where clips are chosen, rules of others
    // have nothing to do.
    let tells = !is_refused && run.wanted.is_empty();
    for rule in unused.iter().filter_map(|r| config.recipe.rules.get(*r)).filter(|_| tells) {
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
    let missing = if is_refused { Vec::new() } else { missing_clips(run.wanted, reports) };
    for clip in &missing {
        let names: Vec<String> = reports.iter().flat_map(|r| &r.left_out).cloned().collect();
        writeln!(err, "lissom: no file has a clip {clip:?}{}", did_you_mean(&names, clip))?;
    }
    if is_refused || !missing.is_empty() || !graphs.is_empty() { Err(SomeRefused.into()) } else { Ok(()) }
}

/// What a graph is refused with if a clip is missing.
const NO_CLIP: &str = "there is no clip called";

/// A bar for what takes longer than a moment. It is cleared when this is dropped.
struct LateBar {
    bar: ProgressBar,
    /// Dropped, it tells the thread that shows the bar that it is too late.
    _done: std::sync::mpsc::Sender<()>,
}

impl LateBar {
    fn new(files: usize, hidden: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(files as u64), ProgressDrawTarget::hidden());
        if let Ok(style) =
            ProgressStyle::with_template("{bar:40} {pos}/{len} files and clips, {elapsed} so far")
        {
            bar.set_style(style);
        }
        let (done, wait) = std::sync::mpsc::channel();
        if !hidden && std::io::stderr().is_terminal() {
            let bar = bar.clone();
            std::thread::spawn(move || {
                if wait.recv_timeout(Duration::from_millis(400)) == Err(RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    // One long clip shows that it goes on.
                    bar.enable_steady_tick(Duration::from_millis(250));
                }
            });
        }
        Self { bar, _done: done }
    }
}

impl Drop for LateBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests;
