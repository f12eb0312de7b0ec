//! `lissom view`: the viewer, where it is installed.

use anyhow::{Result, anyhow};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    /// Files to open, and whatever else `lissom-viewer --help` knows; without a file, a mannequin
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FILE")]
    arguments: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let status = Command::new(viewer()).args(&arguments.arguments).status().map_err(|e| match e.kind() {
        ErrorKind::NotFound => anyhow!(
            "the viewer is not installed; `cargo install --path crates/lissom-viewer` in Lissom's folder installs it"
        ),
        _ => anyhow!("{NAME}: {e}"),
    })?;
    // It has said itself what was wrong.
    if status.success() { Ok(()) } else { Err(crate::options::SomeRefused.into()) }
}

const NAME: &str = "lissom-viewer";

/// The one beside this command, else whichever the system finds.
fn viewer() -> PathBuf {
    let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(&name));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| NAME.into())
}
