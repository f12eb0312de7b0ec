//! The commands, and which of them was meant.

mod bench;
mod check;
mod demo;
mod diff;
mod export;
pub(crate) mod graph;
mod import;
mod inspect;
mod man;
mod mannequin;
mod matching;
mod plot;
pub(crate) mod render;
mod replay;
mod retarget;
mod sample;
mod view;

pub use import::{Planned, plan_import};

use crate::options::{self, SomeRefused, UsageError};
use crate::style;
use anyhow::Result;
use clap::{CommandFactory, Parser, Subcommand};
use lissom::math::simd::Backend;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Motion for games: from authored files to small clips, and what is in them.
///
/// Reads glTF 2.0 (.glb .gltf .vrm), BVH, SMPL motions (.npz), ozz archives, ACL clips (.acl.sjson), raw clips, FBX (if
/// built with it) and its own archives (.lsm). Lengths become metres, y is up.
#[derive(Parser)]
#[command(name = "lissom", version, after_long_help = HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

const HELP: &str = "\
Examples:
  lissom import hero.glb -o hero.lsm            cook a file
  lissom inspect hero.lsm                       what is in it
  lissom sample hero.lsm --clip walk --time 0.5 --space model --json
  lissom retarget dance.bvh hero.glb --table    which joint is which bone
  lissom diff hero.glb hero.lsm                 what cooking cost
  lissom export hero.lsm -o back.glb            back to glTF
  lissom check *.lsm                            is everything whole?
  lissom render hero.lsm --clip walk -o w.gif   see it move
  lissom view hero.glb                          open it in a window
  lissom plot hero.glb --what error -o e.svg    how far cooking is off, over time
  lissom graph draw hero.json -o hero.svg       what a character may do, as a picture
  lissom matching hero.lsm moves --velocity 0,2 which frames a search finds, and why
  lissom bench hero.lsm --json                  what it costs on this machine
  lissom graph new hero.lsm -o hero.json        a first graph from the clips of a file
  lissom replay bug.lrec --archive hero.lsm     a recorded bug, played again
  lissom completions bash > /etc/bash_completion.d/lissom
  lissom man /usr/local/share/man/man1          then: man lissom, man lissom-import

Exit codes:
  0  all is well
  1  some input was refused, damaged or differs; the reason is on stderr, one line each
  2  the command line or lissom.toml makes no sense

Colours and progress bars appear only on a terminal; NO_COLOR turns colours off.
`lissom help COMMAND` has more about each command.";

#[derive(Subcommand)]
enum Command {
    /// Cook authored files into archives
    Import(Box<import::Arguments>),
    /// Show what is in a file: joints, clips, tracks, meshes, sizes
    Inspect(inspect::Arguments),
    /// Tell whether files are whole; list what is damaged and what survives
    Check(check::Arguments),
    /// Print the pose of a clip at a time
    Sample(sample::Arguments),
    /// Show which joint of one file is which bone of another, for `import --retarget`
    Retarget(retarget::Arguments),
    /// Measure how far the clips of two files are apart
    Diff(diff::Arguments),
    /// Write any file as a .glb or a .bvh
    Export(export::Arguments),
    /// Draw a clip: a strip of poses as .png, or a moving .gif
    Render(render::Arguments),
    /// Open files in a window: the viewer, if it is installed
    View(view::Arguments),
    /// Plot a clip: curves of joints, the error of cooking over time, bytes by joint
    Plot(plot::Arguments),
    /// Measure what a file costs on this machine
    Bench(bench::Arguments),
    /// Cook, play, blend, measure and draw a character made in code, and write a report
    Demo(demo::Arguments),
    /// Write the mannequin as a .glb that other programs open
    Mannequin(mannequin::Arguments),
    /// Check and draw graphs: what a character may do
    #[command(subcommand)]
    Graph(graph::Command),
    /// Play a recording of a character again, and tell where it comes out otherwise
    Replay(replay::Arguments),
    /// Explain a search in a database for motion matching: the best frames, and what each feature costs
    Matching(matching::Arguments),
    /// Print a completion script for a shell
    Completions {
        /// bash, elvish, fish, powershell or zsh
        shell: clap_complete::Shell,
    },
    /// Write the manual: one page (.1) for the command and for each of its commands
    Man(man::Arguments),
}

/// Runs the command that the process was started with, and says how it ended: see the exit codes in its help.
#[must_use]
pub fn main() -> ExitCode {
    run_with(std::env::args_os())
}

/// The same with these arguments; the first is the program's own name.
#[must_use]
pub fn run_with(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(status_of(arguments))
}

/// The same as a number, for who ends the process in another way. The process goes on, whatever the arguments are.
#[must_use]
pub fn status_of(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(told) => {
            // Help goes to standard output, what is wrong to standard error; nobody is left to tell if that fails.
            let _ = told.print();
            return u8::try_from(told.exit_code()).unwrap_or(2);
        }
    };
    let mut out = std::io::stdout().lock();
    match run(&arguments, &mut out) {
        Ok(()) => 0,
        // Whoever read our output has enough of it: that is not a failure.
        Err(e) if is_broken_pipe(&e) => 0,
        Err(e) if e.is::<SomeRefused>() => 1,
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "lissom: {}", style::plain(&options::one_line(&e)));
            if e.is::<UsageError>() { 2 } else { 1 }
        }
    }
}

fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    // Who names a backend wants that one: a name that this CPU lacks is an error here, though a game runs on.
    if let Err(e) = Backend::from_env() {
        return Err(UsageError(format!("LISSOM_SIMD: {e}")).into());
    }
    match &arguments.command {
        None => {
            write!(out, "{}", Arguments::command().render_help())?;
            Ok(())
        }
        Some(Command::Demo(a)) => demo::run(a, out),
        Some(Command::Bench(a)) => bench::run(a, out),
        Some(Command::Plot(a)) => plot::run(a, out),
        Some(Command::View(a)) => view::run(a),
        Some(Command::Render(a)) => render::run(a, out),
        Some(Command::Replay(a)) => replay::run(a, out),
        Some(Command::Import(a)) => import::run(a, out),
        Some(Command::Inspect(a)) => inspect::run(a, out),
        Some(Command::Check(a)) => check::run(a, out),
        Some(Command::Sample(a)) => sample::run(a, out),
        Some(Command::Retarget(a)) => retarget::run(a, out),
        Some(Command::Diff(a)) => diff::run(a, out),
        Some(Command::Export(a)) => export::run(a, out),
        Some(Command::Mannequin(a)) => mannequin::run(a, out),
        Some(Command::Matching(a)) => matching::run(a, out),
        Some(Command::Graph(command)) => graph::run(command, out),
        Some(Command::Completions { shell }) => {
            clap_complete::generate(*shell, &mut Arguments::command(), "lissom", out);
            Ok(())
        }
        Some(Command::Man(a)) => man::run(a, &Arguments::command(), out),
    }
}

fn is_broken_pipe(e: &anyhow::Error) -> bool {
    let broken = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    e.downcast_ref::<std::io::Error>().is_some_and(broken)
        || e.downcast_ref::<serde_json::Error>()
            .is_some_and(|e| e.io_error_kind() == Some(std::io::ErrorKind::BrokenPipe))
}
