//! The `lissom` command.

mod bench;
mod chart;
mod crowd;
mod demo;
mod files;
mod load;
mod machine;
mod mannequin;
mod motion;
mod open;
mod options;
mod plot;
mod progress;
mod render;
mod sample;
mod stage;
mod weight;

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
    /// Cook, play, blend, measure and draw a character made in code, and write a report (the default)
    Demo(demo::Arguments),
    /// Measure what a file costs on this machine
    Bench(bench::Arguments),
    /// Plot a clip: curves of joints, the error of cooking over time, bytes by joint
    Plot(plot::Arguments),
    /// Draw a clip: a strip of poses as .png, or a moving .gif
    Render(render::Arguments),
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
        None => demo::run(&demo::Arguments::default(), out),
        Some(Command::Demo(a)) => demo::run(a, out),
        Some(Command::Bench(a)) => bench::run(a, out),
        Some(Command::Plot(a)) => plot::run(a, out),
        Some(Command::Render(a)) => render::run(a, out),
        Some(Command::Mannequin(a)) => mannequin::run(a, out),
        Some(Command::Sample(a)) => sample::run(a, out),
    }
}

fn is_broken_pipe(e: &anyhow::Error) -> bool {
    e.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
