//! Fuzzing for a few seconds a target, where there is a nightly compiler and cargo-fuzz.

use crate::{steps::Outcome, workspace};

/// Seconds a target; ten minutes each is for people.
const SECONDS: u32 = 5;

/// Builds every target and runs each from seeds that code makes.
pub fn run(install: bool) -> Result<Outcome, String> {
    if let Some(why) = missing(install) {
        return Ok(Outcome::Skipped(why));
    }
    seeds()?;
    let listed = workspace::output(fuzz().args(["list", "--fuzz-dir", "fuzz"]))?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let targets: Vec<&str> = listed.split_whitespace().collect();
    if targets.is_empty() {
        return Err("cargo fuzz list names no target".into());
    }
    let folder = workspace::target()?.join("fuzz");
    let mut build = fuzz();
    workspace::run(build.args(["build", "--fuzz-dir", "fuzz", "--target-dir"]).arg(&folder))?;
    for target in targets {
        let corpus = folder.join("corpus").join(target);
        std::fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
        let mut run = fuzz();
        run.args(["run", "--fuzz-dir", "fuzz", "--target-dir"]).arg(&folder).arg(target);
        run.arg(&corpus).arg(workspace::root().join("fuzz/seeds").join(target));
        run.arg("--").arg(format!("-max_total_time={SECONDS}")).arg("-timeout=60");
        // What it says is long, and matters only if it finds something.
        let said = workspace::output(&mut run)?;
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        let done = said
            .lines()
            .rfind(|line| line.starts_with("Done "))
            .ok_or("the fuzzer does not say how many runs")?;
        println!("   {target}: {}", done.trim_start_matches("Done "));
    }
    Ok(Outcome::Passed)
}

/// Writes the seeds of every target to `fuzz/seeds`.
pub fn seeds() -> Result<(), String> {
    let mut run = workspace::cargo();
    run.args(["run", "--quiet", "--package", "lissom-testkit", "--features", "draco,fbx,gzip,zstd"]);
    workspace::run(run.args(["--bin", "hostile-seeds", "fuzz/seeds"]))
}

fn fuzz() -> std::process::Command {
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
