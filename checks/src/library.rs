//! `lissom import` over every supported file: each imports or is refused with a reason, none panics, none takes long.
//!
//! The command itself is started once a file, as a user would: `--lissom PATH` names it, else it is looked for beside
//! this program.

use crate::{child, files};
use anyhow::{Result, bail, ensure};
use lissom_build::import::Format;
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// No file may take longer.
const LIMIT: Duration = Duration::from_secs(10);
/// Nor this long on the clock, whatever it does.
const PATIENCE: Duration = Duration::from_secs(60);
/// Supported files there must be, and those that must import, in a build without FBX.
const FILES: usize = 240;
const IMPORTED: usize = 218;
/// What an FBX file is refused with in such a build.
const NO_FBX: &str = "FBX files cannot be read by this build";

pub fn run(folder: &Path) -> Result<()> {
    let lissom = child::lissom()?;
    let assets = folder.join("assets");
    let assets = if assets.is_dir() { assets } else { folder.to_owned() };
    let files = files::below(&assets, |path| Format::of_path(path).is_some())?;
    let place = env::temp_dir().join(format!("lissom-library-{}", std::process::id()));
    fs::create_dir_all(&place)?;
    let result = import_all(&lissom, &assets, &files, &place);
    fs::remove_dir_all(&place)?;
    result
}

fn import_all(lissom: &Path, assets: &Path, files: &[PathBuf], place: &Path) -> Result<()> {
    println!(
        "{:<72} {:>7} {:>6} {:>5} {:>7} {:>10} {:>8}",
        "file", "seconds", "joints", "clips", "ratio", "error mm", "warnings"
    );
    let (mut imported, mut without_fbx, mut slowest) = (0, 0, (Duration::ZERO, ""));
    let mut failures = Vec::new();
    let mut clips = 0;
    for path in files {
        let shown = path.strip_prefix(assets).unwrap_or(path).to_str().unwrap_or("?");
        let mut run = import(lissom, path, None, place)?;
        if run.error.contains("name one with --skeleton") {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            let skeleton =
                path.with_file_name(format!("{}_skeleton.ozz", name.split('_').next().unwrap_or_default()));
            run = import(lissom, path, Some(&skeleton), place)?;
        }
        if run.time > slowest.0 {
            slowest = (run.time, shown);
        }
        if let Some(why) = &run.failure {
            failures.push(format!("{shown}: {why}"));
        }
        let seconds = run.time.as_secs_f64();
        match &run.report {
            Some(file) => {
                imported += 1;
                let count = file["clips"].as_array().map_or(0, Vec::len);
                clips += count;
                let number = |key: &str, factor: f64| {
                    file[key].as_f64().map_or("-".into(), |v| format!("{:.4}", v * factor))
                };
                println!(
                    "{shown:<72} {seconds:>7.2} {:>6} {count:>5} {:>7} {:>10} {:>8}",
                    file["joints"],
                    file["ratio"].as_f64().map_or("-".into(), |r| format!("{r:.1}")),
                    number("worst_error_m", 1e3),
                    file["warnings"].as_array().map_or(0, Vec::len),
                );
            }
            None => {
                without_fbx += usize::from(run.error.contains(NO_FBX));
                println!("{shown:<72} {seconds:>7.2} refused: {}", run.error.trim_start_matches("lissom: "));
            }
        }
    }
    let refused = files.len() - imported;
    println!("{} files, {imported} imported with {clips} clips, {refused} refused", files.len());
    println!("the slowest took {:.2} s: {}", slowest.0.as_secs_f64(), slowest.1);
    if without_fbx > 0 {
        println!("{without_fbx} FBX files were left out: this lissom was built without the feature fbx");
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    ensure!(files.len() >= FILES, "{} files, but at least {FILES} are needed", files.len());
    ensure!(imported >= IMPORTED, "{imported} files imported, but at least {IMPORTED} must");
    Ok(())
}

struct Run {
    time: Duration,
    /// The file's part of the report, if it was imported.
    report: Option<Value>,
    /// What was said on standard error.
    error: String,
    /// What should never happen.
    failure: Option<String>,
}

fn import(lissom: &Path, path: &Path, skeleton: Option<&Path>, place: &Path) -> Result<Run> {
    let out = place.join("out.lsm");
    let mut command = Command::new(lissom);
    command.arg("import").arg(path).arg("-o").arg(&out).args(["--json", "--force"]);
    if let Some(skeleton) = skeleton {
        command.arg("--skeleton").arg(skeleton);
    }
    let ended = child::run(&mut command, place, LIMIT, PATIENCE)?;
    let panicked = ended.panicked();
    let mut run = Run { time: ended.time, report: None, error: ended.error, failure: None };
    let Some(status) = ended.status else {
        run.failure = Some(format!("it takes more than {} s", LIMIT.as_secs()));
        return Ok(run);
    };
    run.failure = match status.code() {
        _ if panicked => Some("it panics".into()),
        Some(0) => {
            let report: Value = serde_json::from_str(&ended.output)?;
            run.report = report["files"].get(0).cloned();
            if !out.is_file() {
                bail!("{}: nothing was written", path.display());
            }
            fs::remove_file(&out)?;
            None
        }
        Some(1) if run.error.lines().count() != 1 => Some(format!("not one line of error: {}", run.error)),
        Some(1) if out.exists() => Some("refused, but something was written".into()),
        Some(1) => None,
        _ => Some(format!("it ends with {status}: {}", run.error)),
    };
    Ok(run)
}
