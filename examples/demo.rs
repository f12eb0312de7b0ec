//! What `cargo run --release` runs in the repository: `lissom demo`, or the command that is asked for.
//!
//! An installed `lissom` without a command prints its help; who has just cloned the repository wants to see something.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.len() < 2 {
        arguments.push("demo".into());
    }
    lissom_cli::run_with(arguments)
}
