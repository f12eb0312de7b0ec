//! Where things are, and running commands.

use serde_json::Value;
use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// The workspace's folder.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where cargo builds.
pub fn target() -> Result<PathBuf, String> {
    let metadata = metadata()?;
    metadata["target_directory"]
        .as_str()
        .map(PathBuf::from)
        .ok_or("no target_directory in cargo metadata".into())
}

/// What cargo knows of the workspace, dependencies of members included, without what lies outside.
pub fn metadata() -> Result<Value, String> {
    let output = output(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))
}

/// The workspace's packages.
pub fn packages(metadata: &Value) -> Result<&Vec<Value>, String> {
    metadata["packages"].as_array().ok_or("no packages in cargo metadata".into())
}

/// Members that several steps name.
pub const BEVY: &str = "bevy_lissom";
pub const BINDGEN: &str = "lissom-bindgen";
pub const PYTHON: &str = "lissom-py";
pub const TESTKIT: &str = "lissom-testkit";
pub const VIEWER: &str = "lissom-viewer";
/// Crowds on the GPU.
pub const GPU: &str = "lissom-gpu";

/// The members that plain cargo commands take, as the manifest of the workspace lists them.
pub const DEFAULT_MEMBERS: [&str; 12] = [
    "lissom",
    "lissom-build",
    "lissom-cli",
    "lissom-draw",
    "lissom-examples",
    "lissom-math",
    "lissom-measure",
    "lissom-motion",
    "lissom-show",
    "lissom-testkit",
    "lissom-world",
    "xtask",
];

/// The same, as cargo tells them.
#[cfg(test)]
pub fn default_members(metadata: &Value) -> Result<std::collections::BTreeSet<String>, String> {
    let ids = metadata["workspace_default_members"].as_array().ok_or("no workspace_default_members")?;
    let is_one = |p: &&Value| ids.contains(&p["id"]);
    let names = packages(metadata)?.iter().filter(is_one).filter_map(|p| p["name"].as_str());
    Ok(names.map(str::to_owned).collect())
}

/// Arguments that name packages. Features of those that are named together are united, so steps that name the same ones share
/// what is built.
pub fn named<'a>(packages: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    packages.into_iter().flat_map(|package| ["--package", package])
}

/// The cargo that started us, in the workspace's folder.
pub fn cargo() -> Command {
    command(&std::env::var("CARGO").unwrap_or("cargo".into()))
}

/// A command in the workspace's folder.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs to the end with the terminal as it is.
pub fn run(command: &mut Command) -> Result<(), String> {
    let shown = shown(command);
    println!("   $ {shown}");
    let status = command.status().map_err(|e| format!("{shown}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown}: {status}")) }
}

/// Runs to the end, shows what it says, and gives the lines that hold a word.
pub fn run_and_find(command: &mut Command, word: &str) -> Result<Vec<String>, String> {
    let shown = shown(command);
    println!("   $ {shown}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| format!("{shown}: {e}"))?;
    let mut found = Vec::new();
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let line = line.map_err(|e| format!("{shown}: {e}"))?;
        println!("{line}");
        if line.contains(word) {
            found.push(line.trim().to_owned());
        }
    }
    let status = child.wait().map_err(|e| format!("{shown}: {e}"))?;
    if status.success() { Ok(found) } else { Err(format!("{shown}: {status}")) }
}

/// Runs to the end and keeps what it says.
pub fn output(command: &mut Command) -> Result<Output, String> {
    let shown = shown(command);
    let output = command.output().map_err(|e| format!("{shown}: {e}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Err(format!("{shown}: {}\n{out}{err}", output.status))
}

/// True if the program can be started.
pub fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut text = program.to_string_lossy().into_owned();
    for arg in command.get_args() {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}
