//! Members that bring much of their own: Bevy, windows, Python. No quick step builds them.

use crate::{
    step::{Outcome, cargo},
    workspace,
};
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

/// The plugin without what it draws with: Bevy's renderer takes long, and declares a newer Rust.
const FEATURES: &str = "bevy_lissom/import,bevy_lissom/multi_threaded,bevy_lissom/dev,bevy_lissom/serde,\
     lissom-viewer/default,lissom-gpu/default";

/// What the others have by themselves.
const OTHERS: &str = "lissom-py/default,lissom-bench-world/default";

/// Clippy on all of them at once.
pub fn lint() -> Result<Outcome, String> {
    let features = format!("{FEATURES},{OTHERS}");
    let mut args = vec!["clippy", "--all-targets", "--no-default-features", "--features", &features];
    args.extend(LINTED.iter().flat_map(|p| ["--package", *p]));
    args.extend(["--", "--deny", "warnings"]);
    cargo(&args)
}

/// `cargo test` on the plugin, the viewer and crowds on the GPU. All are named always, so that what they share is built once.
pub fn test(targets: &[&str]) -> Command {
    let mut test = workspace::cargo();
    test.args(["test", "--no-default-features", "--features", FEATURES]);
    test.args(["--package", workspace::BEVY, "--package", workspace::VIEWER, "--package", workspace::GPU]);
    test.args(targets);
    test
}
