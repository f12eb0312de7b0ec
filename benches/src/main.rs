//! Prints a table of figures: `cargo run --release -p lissom-bench -- jobs`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command's output")]

mod jobs;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("jobs") => jobs::print(),
        _ => {
            eprintln!("usage: lissom-bench jobs");
            std::process::exit(2);
        }
    }
}
