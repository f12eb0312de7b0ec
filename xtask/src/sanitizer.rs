//! The libraries' tests under AddressSanitizer, where there is a nightly compiler.

use crate::{steps::Outcome, workspace};

/// Where the compiler's sanitizer works and where kernels have unsafe code.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Tests that reach every unsafe block: those beside the blocks, and jobs on every backend.
const TESTS: [(&str, &[&str]); 2] = [
    ("lissom-math", &["--lib", "--tests"]),
    ("lissom", &["--lib", "--test", "clip_still", "--test", "kernel_parity"]),
];

/// Runs them.
pub fn run() -> Result<Outcome, String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Ok(Outcome::Skipped(format!("this is not {TARGET}")));
    }
    if workspace::output(nightly().arg("--version")).is_err() {
        let why = "there is no nightly compiler: rustup toolchain install nightly";
        return Ok(Outcome::Skipped(why.into()));
    }
    let folder = workspace::target()?.join("sanitizer");
    for (package, tests) in TESTS {
        let mut test = nightly();
        // The target is named so that build scripts and macros are compiled without.
        test.args(["test", "--target", TARGET, "--package", package]).args(tests);
        test.arg("--target-dir").arg(&folder).env("RUSTFLAGS", "-Zsanitizer=address");
        workspace::run(&mut test)?;
    }
    Ok(Outcome::Passed)
}

fn nightly() -> std::process::Command {
    // rustup's cargo, not the one that started us: only that one knows toolchains by name.
    let mut cargo = workspace::command("cargo");
    cargo.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN").arg("+nightly");
    cargo
}
