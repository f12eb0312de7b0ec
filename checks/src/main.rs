//! Checks over files that are not part of the project. Each prints how many files it read and fails below
//! a stated minimum, so that an empty folder is never a pass.
//!
//! `cargo run --release -p lissom-checks -- CHECK FOLDER`
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod golden;
mod rawclips;

use std::{env, path::Path, process::ExitCode};

type Check = fn(&Path) -> anyhow::Result<()>;

/// Name, what FOLDER holds, the check.
const CHECKS: &[(&str, &str, Check)] = &[
    (
        "golden",
        "assets/ozz/bin and golden: ozz archives against the poses ozz itself decodes from them",
        golden::run,
    ),
    ("rawclips", "rawclips: every clip reads, and is written again byte for byte", rawclips::run),
];

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let [name, folder] = args.as_slice() else {
        eprintln!("usage: lissom-checks CHECK FOLDER");
        for (name, what, _) in CHECKS {
            eprintln!("  {name:10} {what}");
        }
        return ExitCode::from(2);
    };
    let Some((_, _, check)) = CHECKS.iter().find(|(known, ..)| known == name) else {
        eprintln!("there is no check {name:?}");
        return ExitCode::from(2);
    };
    match check(Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
