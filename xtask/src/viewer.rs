//! The viewer: linted and tested in one profile, on a graphics device of software where there is no other.

use crate::{
    Options, foreign,
    steps::{self, Outcome},
    workspace,
};
use std::path::Path;

/// The one member that brings windows and graphics; no other step builds it.
pub const PACKAGE: &str = "lissom-viewer";

/// Debian's drivers, a software one among them.
const DRIVERS: &str = "mesa-vulkan-drivers";

/// Clippy, then its tests, which drive the viewer as its users do and look at the pictures.
pub fn run(options: &Options) -> Result<Outcome, String> {
    steps::clippy(&[PACKAGE])?;
    if !has_driver() && options.install {
        foreign::install_packages(&[DRIVERS]);
    }
    if !has_driver() {
        return Ok(Outcome::Skipped(format!("there is no Vulkan driver; Debian: apt-get install {DRIVERS}")));
    }
    let mut tests = workspace::cargo();
    tests.args(["test", "--package", PACKAGE, "--lib", "--bins", "--tests"]);
    // From here on a test that finds no device fails. Debug information would take as long as the code.
    tests.env("LISSOM_NEED_GPU", "1").env("CARGO_PROFILE_DEV_DEBUG", "0");
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        tests.env("XDG_RUNTIME_DIR", steps::scratch("viewer")?);
    }
    workspace::run(&mut tests).map(|()| Outcome::Passed)
}

/// True if the loader of Vulkan would find something; other systems bring theirs.
fn has_driver() -> bool {
    let some = |folder: &&str| Path::new(folder).read_dir().is_ok_and(|mut files| files.next().is_some());
    !cfg!(target_os = "linux") || ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"].iter().any(some)
}
