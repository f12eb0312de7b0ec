//! Members that bring much of their own: Bevy, windows, Python. No quick step builds them.

use crate::{features, step::Outcome, workspace};
use std::process::Command;

/// The benches against Bevy's crates and on a GPU: they are linted here, and built by those who measure.
const BENCHES: [&str; 2] = ["lissom-bench-world", "lissom-bench-gpu"];

/// All of them.
pub const LINTED: [&str; 7] = [
    workspace::BEVY,
    workspace::PYTHON,
    workspace::VIEWER,
    workspace::GPU,
    workspace::BINDGEN,
    BENCHES[0],
    BENCHES[1],
];

/// Those with tests of Rust's.
pub const TESTED: [&str; 3] = [workspace::BEVY, workspace::VIEWER, workspace::GPU];

/// The plugin without what it draws with: Bevy's renderer takes long, and declares a newer Rust.
pub const FEATURES: &str = "bevy_lissom/import,bevy_lissom/multi_threaded,bevy_lissom/dev,bevy_lissom/serde,\
     lissom-viewer/default,lissom-gpu/default";

/// What the step `features` needs of what all of them stand on: with it, both share what they build.
const SHARED: &str = "lissom-build/zstd,lissom-testkit/fbx,lissom-testkit/zstd";

/// What the others have by themselves.
const OTHERS: &str = "lissom-py/default,lissom-bench-world/default";

/// Clippy on all of them at once, and on what the step `features` tests.
pub fn lint() -> Result<Outcome, String> {
    let features = format!("{FEATURES},{OTHERS},{}", features::ALL);
    let mut lint = workspace::cargo();
    lint.args(["clippy", "--all-targets", "--no-default-features", "--features", &features]);
    lint.args(workspace::named(features::PACKAGES.into_iter().chain(LINTED)));
    workspace::run(lint.args(["--", "--deny", "warnings"])).map(|()| Outcome::Passed)
}

/// `cargo test` on those with tests of Rust's. All are named always, so that what they share is built once.
pub fn test(targets: &[&str]) -> Command {
    let mut test = workspace::cargo();
    test.args(["test", "--no-default-features", "--features", &format!("{FEATURES},{SHARED}")]);
    test.args(workspace::named(TESTED));
    test.args(targets);
    test
}
