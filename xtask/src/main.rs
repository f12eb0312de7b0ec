//! Lissom's chores.
//!
//! `cargo xtask ci [--assets FOLDER] [--install] [--minutes N] [LANE or STEP…]` runs what CI runs, or only what is named. Lanes:
//! `quick` (before you push), `deep`, `guests`, `long`.
//! `cargo xtask fuzz [--minutes N] [TARGET…]` fuzzes at length and keeps what it found for the tests.
//! `cargo xtask fuzz-seeds` writes what fuzzing starts from.
//! `cargo xtask rows` measures the jobs in Node beside the command's own figures.
//! `cargo xtask show bevy [EXAMPLE…]` builds the plugin's examples with a window and takes pictures of them.
//! `cargo xtask web [--serve]` builds the viewer as a page, into `target/web`.
//! `cargo xtask slowest` runs the tests of the default members one by one and prints the ten slowest.
//! `cargo xtask drawing` prints the crate drawing that `ARCHITECTURE.md` should hold.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to its user")]

mod bevy;
mod drawing;
mod exports;
mod features;
mod foreign;
mod fused;
mod fuzzing;
mod glam;
mod gltf;
mod gpu;
mod guests;
mod pages;
mod python;
mod rows;
mod scalar;
mod slowest;
mod source;
mod step;
mod steps;
mod viewer;
mod web;
mod workspace;

use std::{path::PathBuf, process::ExitCode};
use step::Lane;

/// What the user asked for.
struct Options {
    /// The folder with reference files, where there is one.
    assets: Option<PathBuf>,
    /// True if missing tools may be installed.
    install: bool,
    /// After so many minutes no further step begins.
    minutes: Option<f64>,
    /// Names of steps and lanes; empty means all.
    only: Vec<String>,
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next();
    let rest: Vec<String> = args.collect();
    let result = match command.as_deref() {
        Some("ci") => parse(rest).and_then(|options| steps::run(&options)),
        Some("fuzz") => fuzzing::at_length(&rest),
        Some("fuzz-seeds") => fuzzing::seeds(),
        Some("rows") => rows::command(),
        Some("show") => bevy::show(&rest),
        Some("slowest") => slowest::command(),
        Some("web") => web::command(&rest),
        Some("drawing") => drawing::of_workspace().map(|drawing| print!("{drawing}")),
        _ => Err(format!(
            "usage: cargo xtask ci [--assets FOLDER] [--install] [--minutes N] [LANE or STEP...]\n       cargo xtask drawing\n       cargo xtask fuzz [--minutes N] [TARGET...]\n       cargo xtask fuzz-seeds\n       cargo xtask rows\n       cargo xtask show bevy [--character FILE] [EXAMPLE...]\n       cargo xtask slowest\n       cargo xtask web [--serve]\n{}",
            known()
        )),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn parse(args: Vec<String>) -> Result<Options, String> {
    // CI machines are thrown away, so there tools may be installed without asking.
    let mut options = Options {
        assets: None,
        install: std::env::var_os("CI").is_some_and(|v| v == "true" || v == "1"),
        minutes: None,
        only: Vec::new(),
    };
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--assets" => {
                let folder = PathBuf::from(args.next().ok_or("--assets needs a folder")?);
                let folder = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?;
                options.assets = Some(folder);
            }
            "--install" => options.install = true,
            "--minutes" => {
                let minutes = args.next().and_then(|minutes| minutes.parse().ok());
                options.minutes = Some(minutes.ok_or("--minutes needs a number")?);
            }
            name if is_known(name) => options.only.push(arg),
            other => return Err(format!("no lane, step or option {other}; {}", known())),
        }
    }
    Ok(options)
}

fn is_known(name: &str) -> bool {
    steps::names().contains(&name) || Lane::ALL.iter().any(|lane| lane.name() == name)
}

/// What can be named after `ci`.
fn known() -> String {
    let lanes = Lane::ALL.map(Lane::name).join(" ");
    format!("lanes: {lanes}\nsteps: {}", steps::names().join(" "))
}
