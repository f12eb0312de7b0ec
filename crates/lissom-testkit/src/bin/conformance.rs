//! Checks the golden hashes on this machine; `table` prints the table that should be committed.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to its user")]

use lissom_math::simd::Backend;
use lissom_testkit::conformance;
use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("table") {
        print!("{}", conformance::table(&conformance::hashes(Backend::baseline())));
        return ExitCode::SUCCESS;
    }
    match conformance::check() {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(report) => {
            eprint!("{report}");
            ExitCode::FAILURE
        }
    }
}
