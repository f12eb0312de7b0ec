//! `lissom import`: authored files become archives.

mod config;
mod cook;
mod inputs;
mod report;
mod stamp;

use crate::{
    files::write_whole,
    load::choose,
    options::{Cooking, Reading, SomeRefused, UsageError, one_line, usage},
    style::plain,
};
use anyhow::{Context, Result};
use cook::Recipe;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use inputs::{Input, Shard};
use rayon::prelude::*;
use report::{FileReport, Status, Talk};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files, folders (searched for supported files) and patterns ('clips/**/*.glb')
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// One archive for everything (OUT.lsm), or a folder for one archive each (DIR/)
    #[arg(short, long, value_name = "OUT.lsm|DIR/")]
    output: PathBuf,
    /// Only these clips: a name, the file's stem, or an index; may be given several times
    #[arg(long, value_name = "NAME")]
    clip: Vec<String>,
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
    cooking: Cooking,
    #[command(flatten)]
    reading: Reading,
}

const EXAMPLES: &str = "\
Examples:
  lissom import hero.glb -o hero.lsm
  lissom import hero.glb walk.bvh run.fbx --skeleton hero.glb -o hero.lsm
  lissom import assets/ 'more/**/*.gltf' -o cooked/ --precision 0.05mm
  lissom import library/ -o cooked/ --shard 0/3      # and 1/3, 2/3 elsewhere

lissom.toml has the long options as keys; the command line wins:
  precision = \"0.1mm\"
  shell = \"3cm\"
  form = \"keys\"
  jumps = 0.5
  effort = \"max\"
  unit = \"cm\"
  up = \"z\"
  rate = 30
  skeleton = \"hero.glb\"
  clip = [\"walk\", \"run\"]

An archive remembers what it was made of (files, options, version of this tool); it is left alone while that is the
same. A file that is refused does not stop the others: the reason is on stderr, the exit code is 1.";

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let output = Output::of(&arguments.output);
    let (mut reading, mut cooking, mut clips) =
        (arguments.reading.clone(), arguments.cooking.clone(), arguments.clip.clone());
    let config = arguments.config.as_deref();
    let used = config::fill(config, output.folder(), &mut reading, &mut cooking, &mut clips)?;
    let options = (|| Ok::<_, anyhow::Error>((reading.options()?, cooking.builder()?)))();
    let (options, cook) = match (options, used) {
        (Err(error), Some(file)) => {
            let text = format!("{error} (options may come from {})", file.display());
            return Err(UsageError(text).into());
        }
        (options, _) => options?,
    };
    let (asked_precision, asked_shell) = (cooking.precision.is_some(), cooking.shell.is_some());
    let recipe = Recipe { options, cook, asked_precision, asked_shell, clips };
    let shard = arguments.shard.as_deref().map(Shard::parse).transpose()?;
    if shard.is_some() && matches!(output, Output::File(_)) {
        return usage("--shard needs a folder as output (-o DIR/): shares of one file do not add up");
    }
    let inputs = inputs::gather(&arguments.files)?;
    let talk = match (arguments.quiet, arguments.verbose) {
        (true, _) => Talk::Quiet,
        (_, true) => Talk::Verbose,
        _ => Talk::Normal,
    };
    let threads = arguments.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("no threads")?;
    let bar = bar(inputs.len(), talk == Talk::Quiet || arguments.json);
    let reports = pool.install(|| match &output {
        Output::File(path) => one_archive(&inputs, path, &recipe, arguments.force, &bar),
        Output::Folder(path) => one_each(&inputs, path, shard, &recipe, arguments.force, &bar),
    });
    bar.finish_and_clear();
    let reports = reports?;
    if arguments.json {
        report::json(&reports, out)?;
    } else {
        report::table(&reports, talk, out)?;
    }
    out.flush()?;
    let mut err = std::io::stderr().lock();
    for error in reports.iter().filter_map(|r| r.error.as_deref()) {
        writeln!(err, "lissom: {}", plain(error))?;
    }
    let missing = missing_clips(&recipe.clips, &reports);
    for clip in &missing {
        writeln!(err, "lissom: no file has a clip {clip:?}")?;
    }
    let refused = reports.iter().any(|r| r.status == Status::Refused);
    if refused || !missing.is_empty() { Err(SomeRefused.into()) } else { Ok(()) }
}

/// Where archives go.
enum Output {
    File(PathBuf),
    Folder(PathBuf),
}

impl Output {
    /// A folder is one that exists, or that ends in a slash.
    fn of(path: &Path) -> Self {
        let slash = path.as_os_str().as_encoded_bytes().ends_with(b"/")
            || path.as_os_str().as_encoded_bytes().ends_with(std::path::MAIN_SEPARATOR_STR.as_bytes());
        if slash || path.is_dir() { Self::Folder(path.into()) } else { Self::File(path.into()) }
    }

    fn folder(&self) -> &Path {
        match self {
            Self::Folder(path) => path,
            Self::File(path) => path.parent().unwrap_or(Path::new("")),
        }
    }
}

/// Clips that were asked for and are nowhere.
fn missing_clips(wanted: &[String], reports: &[FileReport]) -> Vec<String> {
    let found = |w: &String| {
        reports.iter().filter(|r| r.status != Status::Refused).any(|r| {
            let names: Vec<String> = r.clips.iter().map(|c| c.name.clone()).collect();
            let stem = lissom_build::import::stem(Path::new(&r.file));
            // An index counts in the whole file, of which only the clips asked for are left.
            !names.is_empty() && (choose(&names, &stem, Some(w)).is_ok() || w.parse::<usize>().is_ok())
        })
    };
    let any_clip = reports.iter().any(|r| r.status != Status::Refused);
    wanted.iter().filter(|w| any_clip && !found(w)).cloned().collect()
}

fn bar(files: usize, hidden: bool) -> ProgressBar {
    let bar = ProgressBar::new(files as u64);
    let show = !hidden && std::io::stderr().is_terminal();
    bar.set_draw_target(if show { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() });
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files and clips, {elapsed} so far")
    {
        bar.set_style(style);
    }
    if show {
        // One long clip shows that it goes on.
        bar.enable_steady_tick(std::time::Duration::from_millis(250));
    }
    bar
}

fn one_archive(
    inputs: &[Input],
    output: &Path,
    recipe: &Recipe,
    force: bool,
    bar: &ProgressBar,
) -> Result<Vec<FileReport>> {
    let all: Vec<&Input> = inputs.iter().collect();
    let shown = output.display().to_string();
    let head = stamp::head(recipe);
    if !force && let Some(bytes) = stamp::unchanged(output, &head, &all, &recipe.options) {
        let name = match inputs {
            [only] => only.path.display().to_string(),
            _ => format!("{} files", inputs.len()),
        };
        return Ok(vec![FileReport::of_archive(name, shown, &bytes)?]);
    }
    let (mut reports, bytes) = cook::cook(&all, recipe, bar)?;
    if let Some(bytes) = bytes {
        write_whole(output, &bytes)?;
        for report in reports.iter_mut().filter(|r| r.status == Status::Imported) {
            report.output = Some(shown.clone());
        }
    }
    Ok(reports)
}

fn one_each(
    inputs: &[Input],
    folder: &Path,
    shard: Option<Shard>,
    recipe: &Recipe,
    force: bool,
    bar: &ProgressBar,
) -> Result<Vec<FileReport>> {
    // Names depend on all inputs, so that shares agree on them.
    let outputs = inputs::outputs(inputs)?;
    let mine: Vec<(&Input, PathBuf)> = inputs
        .iter()
        .zip(outputs)
        .filter(|(input, _)| shard.is_none_or(|s| s.has(input)))
        .map(|(input, name)| (input, folder.join(name)))
        .collect();
    let one = |(input, output): &(&Input, PathBuf)| -> Result<FileReport> {
        let shown = output.display().to_string();
        let head = stamp::head(recipe);
        if !force && let Some(bytes) = stamp::unchanged(output, &head, &[input], &recipe.options) {
            bar.inc(1);
            return FileReport::of_archive(input.path.display().to_string(), shown, &bytes);
        }
        let (reports, bytes) = cook::cook(&[input], recipe, bar)?;
        let mut report = reports.into_iter().next().context("no report")?;
        if let Some(bytes) = bytes {
            let written = std::fs::create_dir_all(output.parent().unwrap_or(folder))
                .with_context(|| format!("cannot write {shown}"))
                .and_then(|()| write_whole(output, &bytes));
            match written {
                Ok(()) => report.output = Some(shown),
                Err(error) => report = FileReport::refused(report.file, one_line(&error)),
            }
        }
        Ok(report)
    };
    mine.par_iter().map(one).collect()
}
