//! Crowds on the GPU: compared with those of the CPU on a graphics device of software where there is no other.

use crate::{Options, guests, step::Outcome, viewer, workspace};

/// Its tests; its unit tests run in the step `viewer`. From here on one that finds no device fails.
pub fn run(options: &Options) -> Result<Outcome, String> {
    if let Some(skipped) = viewer::lacks_driver(options) {
        return Ok(skipped);
    }
    let mut tests = guests::test(&["--test", "gpu"]);
    workspace::run(tests.env("LISSOM_NEED_GPU", "1")).map(|()| Outcome::Passed)
}
