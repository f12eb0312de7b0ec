//! Tests and lints of features that are off by default.

use crate::{
    foreign,
    step::{Outcome, cargo},
    workspace,
};
use std::process::Command;

/// Every reader and codec, and the scalar backend. FBX and Zstandard are C libraries.
const ALL: &str = "lissom-build/draco,lissom-build/fbx,lissom-build/gzip,lissom-build/zstd,lissom-testkit/fbx,\
     lissom-testkit/zstd,lissom-testkit/gzip,lissom-testkit/draco,lissom-testkit/scalar,lissom-cli/full";

const PACKAGES: [&str; 10] = [
    "--package",
    "lissom",
    "--package",
    "lissom-build",
    "--package",
    "lissom-cli",
    "--package",
    "lissom-math",
    "--package",
    "lissom-testkit",
];

/// Runs the tests that need them.
pub fn run(install: bool) -> Result<Outcome, String> {
    if let Some(why) = foreign::missing(&["cc"], &["gcc"], install) {
        return Ok(Outcome::Skipped(why));
    }
    test(&["--test", "fbx", "--test", "codecs"])?;
    test(&["--test", "kit", "--test", "command", "--", "hostile", "stream", "golden"])?;
    // The scalar backend beside all others.
    let parity = ["--test", "backend_parity", "--test", "wide_parity"];
    test(&[&parity[..], &["--test", "clip", "--test", "job"]].concat())?;
    let lint = ["--all-targets", "--features", ALL, "--", "--deny", "warnings"];
    cargo(&[&["clippy"][..], &PACKAGES, &lint].concat())
}

/// A program of the test kit with every reader, as this step builds it.
pub fn testkit(program: &str) -> Result<Command, String> {
    test(&["--test", "kit", "--no-run"])?;
    let path = workspace::target()?.join("debug").join(program);
    Ok(workspace::command(&path.to_string_lossy()))
}

/// `cargo test` on the same packages with the same features always, so that all is built once.
fn test(targets: &[&str]) -> Result<Outcome, String> {
    cargo(&[&["test"][..], &PACKAGES, &["--features", ALL], targets].concat())
}
