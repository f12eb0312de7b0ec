//! Other programs on what we write, and our readers on what other programs write: packages of npm.

use crate::{
    foreign,
    step::{Outcome, cargo, node_package},
    workspace,
};
use std::process::Command;

/// Writes the mannequin and shows it to the validator; then meshopt's own package and our decoder meet.
pub fn run(install: bool) -> Result<Outcome, String> {
    if let Some(why) = foreign::missing(&["node", "npm"], &["nodejs", "npm"], install) {
        return Ok(Outcome::Skipped(why));
    }
    let folder = match node_package("gltf-validator")? {
        Ok(folder) => folder,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    let glb = folder.join("mannequin.glb");
    workspace::run(lissom()?.args(["mannequin", "-o"]).arg(&glb))?;
    let mut validate = workspace::command("node");
    workspace::run(validate.args(["scripts/validate-gltf.mjs", "--modules"]).arg(&folder).arg(&glb))?;
    meshopt()
}

/// Shows the meshopt decoder what the package that packs such files makes of random data.
fn meshopt() -> Result<Outcome, String> {
    let folder = match node_package("meshoptimizer")? {
        Ok(folder) => folder,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    let vectors = folder.join("meshopt-vectors.bin");
    let mut make = workspace::command("node");
    make.args(["scripts/meshopt-vectors.mjs", "--modules"]).arg(&folder).arg("-o").arg(&vectors);
    workspace::run(&mut make)?;
    workspace::run(checks()?.arg("meshopt").arg(&vectors))?;
    Ok(Outcome::Passed)
}

/// The command as the step `build` builds it.
fn lissom() -> Result<Command, String> {
    cargo(&["build", "--release"])?;
    program("lissom")
}

/// The checks, and the command that they run. Both read FBX, whose C library no other step needs.
pub fn checks() -> Result<Command, String> {
    // The default members are named along, so that what they stand on is what the step `build` has built.
    let mut build = workspace::cargo();
    build.args(["build", "--release", "--package", "lissom-checks", "--features", "lissom-checks/fbx"]);
    build.args(workspace::named(workspace::DEFAULT_MEMBERS));
    workspace::run(build.args(["--bin", "lissom-checks", "--bin", "lissom"]))?;
    program("lissom-checks")
}

fn program(name: &str) -> Result<Command, String> {
    let path = workspace::target()?.join("release").join(name);
    Ok(workspace::command(&path.to_string_lossy()))
}
