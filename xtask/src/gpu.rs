//! Crowds on the GPU: compared with those of the CPU on a graphics device of software where there is no other.

use crate::{Options, step::Outcome, viewer, workspace};

/// Its tests. From here on one that finds no device fails.
pub fn run(options: &Options) -> Result<Outcome, String> {
    if let Some(skipped) = viewer::lacks_driver(options) {
        return Ok(skipped);
    }
    let mut tests = workspace::cargo();
    tests.args(["test", "--package", workspace::GPU]).env("LISSOM_NEED_GPU", "1");
    workspace::run(&mut tests).map(|()| Outcome::Passed)
}
