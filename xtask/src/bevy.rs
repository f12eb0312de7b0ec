//! The plugin for Bevy: linted and tested without a window, in one profile.

use crate::{steps::Outcome, workspace};

/// The member that brings Bevy's crates into a game; no other step builds it.
pub const PACKAGE: &str = "bevy_lissom";

/// Clippy, then its tests.
pub fn run() -> Result<Outcome, String> {
    // Tests bring what `import` needs anyway.
    let package = ["--package", PACKAGE, "--features", "import"];
    let mut clippy = workspace::cargo();
    workspace::run(
        clippy.args(["clippy", "--all-targets"]).args(package).args(["--", "--deny", "warnings"]),
    )?;
    let mut tests = workspace::cargo();
    // Debug information of Bevy would take as long as its code.
    tests.arg("test").args(package).env("CARGO_PROFILE_DEV_DEBUG", "0");
    workspace::run(&mut tests).map(|()| Outcome::Passed)
}
