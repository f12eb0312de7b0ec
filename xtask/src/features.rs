//! Tests and lints of features that are off by default.

use crate::{
    foreign,
    step::{Outcome, cargo},
};

/// Every reader and codec. FBX and Zstandard are C libraries.
const ALL: &str = "lissom-build/draco,lissom-build/fbx,lissom-build/gzip,lissom-build/zstd,lissom-testkit/fbx,\
     lissom-testkit/zstd,lissom-testkit/gzip,lissom-testkit/draco,lissom-cli/fbx,lissom-cli/zstd";

const PACKAGES: [&str; 6] =
    ["--package", "lissom-build", "--package", "lissom-testkit", "--package", "lissom-cli"];

/// Runs the tests that need them.
pub fn run(install: bool) -> Result<Outcome, String> {
    if let Some(why) = foreign::missing(&["cc"], &["gcc"], install) {
        return Ok(Outcome::Skipped(why));
    }
    let test = [&["test"][..], &PACKAGES, &["--features", ALL]].concat();
    cargo(&[&test[..], &["--test", "fbx", "--test", "codecs"]].concat())?;
    cargo(&[&test[..], &["--test", "kit", "--test", "command", "--", "hostile", "stream"]].concat())?;
    let lint = ["--all-targets", "--features", ALL, "--", "--deny", "warnings"];
    cargo(&[&["clippy"][..], &PACKAGES, &lint].concat())
}
