//! The Python package: installed as its users install it, into an environment of its own, and tested there.

use crate::{
    Options,
    step::{self, Outcome},
    workspace,
};
use std::path::Path;

/// Makes the environment anew, so that what is installed on the machine does not help, and runs the package's tests.
pub fn run(options: &Options) -> Result<Outcome, String> {
    if !workspace::has("python3") {
        return Ok(Outcome::Skipped("there is no python3".into()));
    }
    let environment = step::scratch("python")?;
    let mut make = workspace::command("python3");
    if let Err(why) = workspace::output(make.args(["-m", "venv", "--clear"]).arg(&environment)) {
        return Ok(Outcome::Skipped(format!("python3 cannot make an environment (python3-venv): {why}")));
    }
    let python = || workspace::command(&environment.join("bin/python").to_string_lossy());
    // What builds the package is fetched, like what it needs. Without a network there is nothing to test.
    let mut fetch = python();
    fetch.args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"]).arg(&environment).arg("maturin");
    if let Err(why) = workspace::output(&mut fetch) {
        return Ok(Outcome::Skipped(format!("pip cannot fetch maturin: {why}")));
    }
    workspace::run(install(&mut python(), &workspace::target()?))?;
    let mut tests = python();
    tests.args(["-m", "pytest", "--quiet", "crates/lissom-py"]);
    if let Some(folder) = &options.assets {
        tests.arg(format!("--assets={}", folder.display()));
    }
    workspace::run(&mut tests).map(|()| Outcome::Passed)
}

/// One build for all, of the profile `dev`: it takes a third of the time of `release`, shares dependencies with the step
/// `test`, and checks arithmetic as that does.
fn install<'a>(python: &'a mut std::process::Command, target: &Path) -> &'a mut std::process::Command {
    python
        .args(["-m", "pip", "install", "--quiet", "./crates/lissom-py[test]"])
        .env("MATURIN_PEP517_ARGS", "--profile dev")
        .env("CARGO_TARGET_DIR", target)
}
