//! Tests and lints of features that are off by default.

use crate::{
    foreign,
    step::{Outcome, cargo},
};

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
    let test = [&["test"][..], &PACKAGES, &["--features", ALL]].concat();
    cargo(&[&test[..], &["--test", "fbx", "--test", "codecs"]].concat())?;
    cargo(
        &[&test[..], &["--test", "kit", "--test", "command", "--", "hostile", "stream", "golden"]].concat(),
    )?;
    // The scalar backend beside all others.
    cargo(
        &[
            &test[..],
            &["--test", "backend_parity", "--test", "wide_parity", "--test", "clip", "--test", "job"],
        ]
        .concat(),
    )?;
    let lint = ["--all-targets", "--features", ALL, "--", "--deny", "warnings"];
    cargo(&[&["clippy"][..], &PACKAGES, &lint].concat())
}
