//! The `lissom` command.

mod demo;
mod files;
mod load;
mod mannequin;
mod motion;
mod options;
mod sample;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// A data-oriented animation runtime: its tools.
#[derive(Parser)]
#[command(name = "lissom", version, about, long_about = None)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Show what Lissom has and does (the default)
    Demo,
    /// Write the mannequin as a .glb that other programs open
    Mannequin(mannequin::Arguments),
    /// Print the pose of a clip at a time
    Sample(sample::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut out = std::io::stdout().lock();
    match run(&arguments, &mut out) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has enough of it: that is not a failure.
        Err(e) if is_broken_pipe(&e) => ExitCode::SUCCESS,
        Err(e) => {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "lissom: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments, out: &mut impl std::io::Write) -> Result<()> {
    match &arguments.command {
        None | Some(Command::Demo) => demo::run(out),
        Some(Command::Mannequin(a)) => mannequin::run(a, out),
        Some(Command::Sample(a)) => sample::run(a, out),
    }
}

fn is_broken_pipe(e: &anyhow::Error) -> bool {
    e.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
