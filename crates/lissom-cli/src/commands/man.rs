//! `lissom man`: the manual, from the same words as `--help`.

use crate::style::counted;
use anyhow::{Context, Result};
use lissom_show::files::write_whole;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder to write to; it is made if it is not there
    folder: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, command: &clap::Command, out: &mut impl Write) -> Result<()> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // `help` only repeats the others. Built, each command knows its whole name.
    let mut command = command.clone().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, &mut pages)?;
    for (name, page) in &pages {
        write_whole(&folder.join(format!("{name}.1")), page)?;
    }
    writeln!(out, "{}: {}", folder.display(), counted(pages.len(), "page", "pages"))?;
    Ok(())
}

/// A command's page, and those of the commands below it: `lissom-graph-check`.
fn collect(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    pages.push((name, page));
    command.get_subcommands().try_for_each(|below| collect(below, pages))
}
