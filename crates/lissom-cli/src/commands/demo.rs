//! `lissom demo`: everything at once, on a character made in code: cook, play, blend, measure, draw, report.

use anyhow::Result;
use lissom_show::demo::{self, Demo};
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The report to write: one HTML file that needs nothing else
    #[arg(short, long, value_name = "FILE.html", default_value = "lissom-demo.html")]
    output: PathBuf,
    /// How many characters to play at once, 1 to 100000
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    characters: u32,
    /// A rougher figure, fewer frames, smaller pictures
    #[arg(long)]
    quick: bool,
    /// Print one JSON object instead of the tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let Arguments { output, characters, quick, json } = arguments;
    demo::run(&Demo { output: output.clone(), characters: *characters, quick: *quick, json: *json }, out)
}
