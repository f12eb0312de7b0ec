//! Tests of features that are off by default.

use crate::{foreign, guests, step::Outcome, workspace};
use std::process::Command;

/// Every reader and codec. FBX and Zstandard are C libraries. Defaults are named: the guests that are named along are built
/// without theirs.
pub const ALL: &str = "lissom/default,lissom-build/default,lissom-build/draco,lissom-build/fbx,lissom-build/gzip,\
     lissom-build/zstd,lissom-cli/default,lissom-cli/full,lissom-math/default,lissom-testkit/default,\
     lissom-testkit/draco,lissom-testkit/fbx,lissom-testkit/gzip,lissom-testkit/zstd";

/// Whose tests need them.
pub const PACKAGES: [&str; 5] = ["lissom", "lissom-build", "lissom-cli", "lissom-math", workspace::TESTKIT];

/// Runs the tests that need them. The step `lint-guests` lints them.
pub fn run(install: bool) -> Result<Outcome, String> {
    if let Some(why) = foreign::missing(&["cc"], &["gcc"], install) {
        return Ok(Outcome::Skipped(why));
    }
    test(&["--test", "fbx", "--test", "codecs"])?;
    test(&["--test", "kit", "--test", "command", "--", "hostile", "stream"])?;
    Ok(Outcome::Passed)
}

/// A program of the test kit with every reader, as this step builds it.
pub fn testkit(program: &str) -> Result<Command, String> {
    test(&["--test", "kit", "--no-run"])?;
    let path = workspace::target()?.join("debug").join(program);
    Ok(workspace::command(&path.to_string_lossy()))
}

/// `cargo test` on the same packages with the same features always, so that all is built once: for the guests, too.
fn test(targets: &[&str]) -> Result<(), String> {
    let features = format!("{ALL},{}", guests::FEATURES);
    let mut test = workspace::cargo();
    test.args(["test", "--no-default-features", "--features", &features]);
    test.args(workspace::named(PACKAGES.into_iter().chain(guests::TESTED)));
    workspace::run(test.args(targets))
}
