//! Fuzzing, where there is a nightly compiler: a few seconds per target in CI, at length by hand. The same program,
//! built with AddressSanitizer, runs every job once for the step `sanitizer`.

use crate::{
    features, foreign,
    step::{Outcome, on_all_cores},
    workspace,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Seconds per target in CI.
const SECONDS: u32 = 2;
/// Minutes per target by hand, and the runs after which it ends earlier.
const MINUTES: u32 = 30;
const RUNS: u32 = 20_000_000;

/// Where the sanitizer works. Naming the target keeps its flags away from build scripts and macros.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// How the program is built.
#[derive(Clone, Copy)]
enum Build {
    /// For a few seconds per target: counters per function alone, which is a third less to compile.
    Quick,
    /// For long runs.
    Long,
}

impl Build {
    fn profile(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Long => "release",
        }
    }

    /// AddressSanitizer, and the counters that tell libFuzzer which code an input reached.
    fn flags(self) -> &'static str {
        match self {
            Self::Quick => {
                "-Zsanitizer=address -Cpasses=sancov-module --cfg fuzzing -Cllvm-args=-sanitizer-coverage-level=1 \
                 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
            }
            Self::Long => {
                "-Zsanitizer=address -Cpasses=sancov-module --cfg fuzzing -Cllvm-args=-sanitizer-coverage-level=4 \
                 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
                 -Cllvm-args=-sanitizer-coverage-trace-compares"
            }
        }
    }
}

/// The body that runs every job on the widest backend, which has every kind of unsafe block.
const GOLDEN_HASHES: &str = "golden-hashes";

/// The step `fuzz`: every target, from seeds that code makes.
pub fn run(install: bool) -> Result<Outcome, String> {
    if let Some(why) = missing(install) {
        return Ok(Outcome::Skipped(why));
    }
    seeds()?;
    let program = build(Build::Quick)?;
    on_all_cores(&targets()?, |target| {
        println!("   {target}: {}", fuzz_for(&program, target, SECONDS, RUNS)?);
        Ok(())
    })?;
    Ok(Outcome::Passed)
}

/// The step `sanitizer`: every kernel, and the golden hashes are still met.
pub fn sanitize(install: bool) -> Result<Outcome, String> {
    if let Some(why) = missing(install) {
        return Ok(Outcome::Skipped(why));
    }
    let program = build(Build::Quick)?;
    must_stop_a_planted_read()?;
    workspace::output(fuzzer(&program, GOLDEN_HASHES).arg("-runs=0"))?;
    println!("   the golden hashes are met under AddressSanitizer");
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
    seeds()?;
    let all = targets()?;
    if let Some(stranger) = named.iter().find(|name| !all.contains(name)) {
        return Err(format!("no target {stranger}; there are: {}", all.join(" ")));
    }
    let program = build(Build::Long)?;
    for target in if named.is_empty() { all } else { named } {
        println!("{target}: {}", fuzz_for(&program, &target, minutes * 60, RUNS)?);
        let fewest = fewest(&program, &target)?;
        workspace::run(features::testkit("hostile-keep")?.arg(&target).arg(fewest))?;
    }
    Ok(())
}

/// Writes the seeds of every target to `fuzz/seeds`, anew.
pub fn seeds() -> Result<(), String> {
    let folder = workspace::root().join("fuzz/seeds");
    if folder.is_dir() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    workspace::run(features::testkit("hostile-seeds")?.arg("fuzz/seeds"))
}

/// The targets' names: each has a folder of seeds.
fn targets() -> Result<Vec<String>, String> {
    let folder = workspace::root().join("fuzz/seeds");
    let entries = folder.read_dir().map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut targets: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    targets.sort();
    if targets.is_empty() { Err("there are no seeds".into()) } else { Ok(targets) }
}

/// The program, built in a folder of its own; says where it is.
fn build(how: Build) -> Result<PathBuf, String> {
    let folder = workspace::target()?.join("fuzz");
    let mut build = nightly();
    build.args([
        "build",
        "--manifest-path",
        "fuzz/Cargo.toml",
        "--target",
        TARGET,
        "--profile",
        how.profile(),
    ]);
    build.arg("--target-dir").arg(&folder).env("RUSTFLAGS", how.flags());
    workspace::run(&mut build)?;
    Ok(folder.join(TARGET).join(how.profile()).join("lissom-fuzz"))
}

/// A read beyond the end must stop the program, or the sanitizer proves nothing.
fn must_stop_a_planted_read() -> Result<(), String> {
    let program = workspace::target()?.join("fuzz/planted-read");
    let mut compile = workspace::command("rustc");
    compile.env_remove("RUSTUP_TOOLCHAIN").arg("+nightly").args([
        "--edition",
        "2024",
        "-Zsanitizer=address",
        "-o",
    ]);
    workspace::run(compile.arg(&program).arg("xtask/planted/read.rs"))?;
    match workspace::output(&mut Command::new(&program)) {
        Err(said) if said.contains("AddressSanitizer: heap-buffer-overflow") => {
            println!("   the planted read was stopped");
            Ok(())
        }
        Err(said) => Err(format!("the planted read ended otherwise: {said}")),
        Ok(_) => Err("the planted read was not stopped".into()),
    }
}

/// The program on one target. What it finds lands in `fuzz/artifacts/TARGET`.
fn fuzzer(program: &Path, target: &str) -> Command {
    let mut run = workspace::command(&program.to_string_lossy());
    // Two crates that define one C++ symbol are no finding.
    run.env("LISSOM_FUZZ", target).env("ASAN_OPTIONS", "detect_odr_violation=0");
    let artifacts = workspace::root().join("fuzz/artifacts").join(target);
    // If the folder cannot be made, libFuzzer says so when it has something to write.
    let _ = fs::create_dir_all(&artifacts);
    run.arg(format!("-artifact_prefix={}/", artifacts.display()));
    run
}

fn corpus(target: &str, name: &str) -> Result<PathBuf, String> {
    let corpus = workspace::target()?.join("fuzz").join(name).join(target);
    fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
    Ok(corpus)
}

/// Runs one target; says how often it ran and how much of the code it reached.
fn fuzz_for(program: &Path, target: &str, seconds: u32, runs: u32) -> Result<String, String> {
    let mut run = fuzzer(program, target);
    run.arg(corpus(target, "corpus")?).arg(workspace::root().join("fuzz/seeds").join(target));
    run.arg(format!("-max_total_time={seconds}")).arg(format!("-runs={runs}")).arg("-timeout=60");
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

/// A folder with the fewest inputs that reach all that was reached.
fn fewest(program: &Path, target: &str) -> Result<PathBuf, String> {
    let folder = corpus(target, "fewest")?;
    fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let folder = corpus(target, "fewest")?;
    let mut merge = fuzzer(program, target);
    merge.arg("-merge=1").arg(&folder).arg(corpus(target, "corpus")?);
    workspace::output(merge.arg(workspace::root().join("fuzz/seeds").join(target)))?;
    Ok(folder)
}

fn nightly() -> Command {
    // rustup's cargo, not the one that started us: only that one knows toolchains by name.
    let mut cargo = workspace::command("cargo");
    cargo.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").arg("+nightly");
    cargo
}

/// What is not there, if anything.
fn missing(install: bool) -> Option<String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Some(format!("this is not {TARGET}"));
    }
    if workspace::output(nightly().arg("--version")).is_err() {
        return Some("there is no nightly compiler: rustup toolchain install nightly".into());
    }
    foreign::missing(&["c++"], &["g++"], install)
}
