//! Fuzzing, where there is a nightly compiler and cargo-fuzz: a few seconds a target in CI, at length by hand.

use crate::{steps::Outcome, workspace};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Seconds a target in CI.
const SECONDS: u32 = 2;
/// Minutes a target by hand, and the runs after which it ends earlier.
const MINUTES: u32 = 30;
const RUNS: u32 = 20_000_000;

/// Builds every target and runs each from seeds that code makes.
pub fn run(install: bool) -> Result<Outcome, String> {
    if let Some(why) = missing(install) {
        return Ok(Outcome::Skipped(why));
    }
    let folder = build()?;
    for target in targets()? {
        let found = fuzz_for(&target, &folder, SECONDS, RUNS)?;
        println!("   {target}: {found}");
    }
    Ok(Outcome::Passed)
}

/// `cargo xtask fuzz [--minutes N] [TARGET…]`: at length, and what reaches something new is kept for the tests.
pub fn at_length(args: &[String]) -> Result<(), String> {
    let (mut minutes, mut named) = (MINUTES, Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--minutes" => {
                let count = args.next().and_then(|n| n.parse().ok());
                minutes = count.ok_or("--minutes needs a number")?;
            }
            target => named.push(target.to_owned()),
        }
    }
    if let Some(why) = missing(false) {
        return Err(why);
    }
    let all = targets()?;
    if let Some(stranger) = named.iter().find(|name| !all.contains(name)) {
        return Err(format!("no target {stranger}; there are: {}", all.join(" ")));
    }
    let folder = build()?;
    for target in if named.is_empty() { all } else { named } {
        let found = fuzz_for(&target, &folder, minutes * 60, RUNS)?;
        println!("{target}: {found}");
        // The fewest inputs that reach all that was reached.
        let mut fewest = fuzz();
        fewest.args(["cmin", "--fuzz-dir", "fuzz", "--target-dir"]).arg(&folder).arg(&target);
        workspace::output(fewest.arg(corpus(&folder, &target)?))?;
        workspace::run(testkit("hostile-keep").arg(&target).arg(corpus(&folder, &target)?))?;
    }
    Ok(())
}

fn targets() -> Result<Vec<String>, String> {
    let listed = workspace::output(fuzz().args(["list", "--fuzz-dir", "fuzz"]))?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let targets: Vec<String> = listed.split_whitespace().map(str::to_owned).collect();
    if targets.is_empty() { Err("cargo fuzz list names no target".into()) } else { Ok(targets) }
}

/// Seeds and targets; says where.
fn build() -> Result<PathBuf, String> {
    seeds()?;
    let folder = workspace::target()?.join("fuzz");
    workspace::run(fuzz().args(["build", "--fuzz-dir", "fuzz", "--target-dir"]).arg(&folder))?;
    Ok(folder)
}

fn corpus(folder: &Path, target: &str) -> Result<PathBuf, String> {
    let corpus = folder.join("corpus").join(target);
    fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
    Ok(corpus)
}

/// Runs one target; says how often it ran and how much of the code it reached.
fn fuzz_for(target: &str, folder: &Path, seconds: u32, runs: u32) -> Result<String, String> {
    let mut run = fuzz();
    run.args(["run", "--fuzz-dir", "fuzz", "--target-dir"]).arg(folder).arg(target);
    run.arg(corpus(folder, target)?).arg(workspace::root().join("fuzz/seeds").join(target));
    run.arg("--").arg(format!("-max_total_time={seconds}")).arg(format!("-runs={runs}")).arg("-timeout=60");
    // What it says is long, and matters only if it finds something.
    let said = workspace::output(&mut run)?;
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let done = said
        .lines()
        .rfind(|line| line.starts_with("Done "))
        .ok_or("the fuzzer does not say how many runs")?;
    let reached = said.lines().rev().find_map(|line| line.split_once("cov: ")?.1.split(' ').next());
    let reached = reached.ok_or("the fuzzer does not say what it reached")?;
    Ok(format!("{}, {reached} edges reached", done.trim_start_matches("Done ")))
}

/// Writes the seeds of every target to `fuzz/seeds`.
pub fn seeds() -> Result<(), String> {
    workspace::run(testkit("hostile-seeds").arg("fuzz/seeds"))
}

/// A program of the test kit, with every reader.
fn testkit(program: &str) -> Command {
    let mut run = workspace::cargo();
    run.args(["run", "--quiet", "--package", "lissom-testkit", "--features", "draco,fbx,gzip,zstd"]);
    run.args(["--bin", program, "--"]);
    run
}

fn fuzz() -> Command {
    // rustup's cargo, not the one that started us: only that one knows toolchains by name.
    let mut cargo = workspace::command("cargo");
    cargo.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").args(["+nightly", "fuzz"]);
    cargo
}

/// What is not there, if anything.
fn missing(install: bool) -> Option<String> {
    let mut nightly = workspace::command("cargo");
    nightly.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").args(["+nightly", "--version"]);
    if workspace::output(&mut nightly).is_err() {
        return Some("there is no nightly compiler: rustup toolchain install nightly".into());
    }
    let there = || workspace::output(fuzz().arg("--version")).is_ok();
    if !there() && install {
        // A failure shows in the next line.
        let _ = workspace::run(workspace::cargo().args(["install", "--quiet", "cargo-fuzz"]));
    }
    (!there()).then(|| "there is no cargo-fuzz: cargo install cargo-fuzz".into())
}
