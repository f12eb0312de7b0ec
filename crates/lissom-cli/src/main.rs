//! The `lissom` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    lissom_cli::main()
}
