//! `lissom.toml`: options of `lissom import` that belong to a folder of clips. The command line wins.

use crate::options::{AxisName, Cooking, EffortName, FormName, Reading, UsageError};
use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::Deserialize;
use std::{
    num::NonZeroU8,
    path::{Path, PathBuf},
};

const NAME: &str = "lissom.toml";

/// What a `lissom.toml` may say; every key is that of an option.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    precision: Option<Text>,
    shell: Option<Text>,
    budget: Option<u64>,
    jumps: Option<Text>,
    form: Option<FormName>,
    effort: Option<EffortName>,
    unit: Option<Text>,
    up: Option<String>,
    forward: Option<String>,
    rate: Option<f64>,
    /// Beside the file, if it is not absolute.
    skeleton: Option<PathBuf>,
    #[serde(rename = "no-mesh", default)]
    no_mesh: bool,
    #[serde(rename = "no-images", default)]
    no_images: bool,
    influences: Option<NonZeroU8>,
    #[serde(default)]
    strict: bool,
    clip: Option<OneOrMore>,
}

/// `precision = 0.0001` and `precision = "0.1mm"`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Text {
    Text(String),
    Number(f64),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl Text {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }
}

/// Fills in what the command line left open: from `named`, else from the nearest `lissom.toml` in the folder of the
/// output or above it. Gives the file that was used.
pub(super) fn fill(
    named: Option<&Path>,
    output_folder: &Path,
    reading: &mut Reading,
    cooking: &mut Cooking,
    clips: &mut Vec<String>,
) -> Result<Option<PathBuf>> {
    let Some(path) = named.map(Path::to_owned).or_else(|| nearest(output_folder)) else { return Ok(None) };
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let wrong = |reason: String| UsageError(format!("{}: {reason}", path.display()));
    let file: File = toml::from_str(&text).map_err(|error| {
        let line = error.span().map(|s| text[..s.start.min(text.len())].matches('\n').count() + 1);
        let place = line.map_or(String::new(), |l| format!("line {l}: "));
        wrong(format!("{place}{}", error.message()))
    })?;
    let axis = |key: &str, text: Option<String>| {
        let parse =
            |t: String| AxisName::from_str(&t, true).map_err(|_| wrong(format!("{key} = {t:?} is no axis")));
        text.map(parse).transpose()
    };
    let text = |text: Option<Text>| text.map(Text::into_text);
    reading.unit = reading.unit.take().or(text(file.unit));
    reading.up = reading.up.or(axis("up", file.up)?);
    reading.forward = reading.forward.or(axis("forward", file.forward)?);
    reading.rate = reading.rate.or(file.rate);
    let beside = |p: PathBuf| path.parent().unwrap_or(Path::new("")).join(p);
    reading.skeleton = reading.skeleton.take().or(file.skeleton.map(beside));
    reading.no_mesh |= file.no_mesh;
    reading.no_images |= file.no_images;
    reading.influences = reading.influences.or(file.influences);
    reading.strict |= file.strict;
    cooking.precision = cooking.precision.take().or(text(file.precision));
    cooking.shell = cooking.shell.take().or(text(file.shell));
    cooking.budget = cooking.budget.or(file.budget);
    cooking.jumps = cooking.jumps.take().or(text(file.jumps));
    cooking.form = cooking.form.or(file.form);
    cooking.effort = cooking.effort.or(file.effort);
    if clips.is_empty() {
        *clips = match file.clip {
            None => Vec::new(),
            Some(OneOrMore::One(name)) => vec![name],
            Some(OneOrMore::More(names)) => names,
        };
    }
    Ok(Some(path))
}

fn nearest(folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // The output's folder may not exist yet.
    let full = std::path::absolute(folder).ok()?;
    full.ancestors().map(|f| f.join(NAME)).find(|f| f.is_file())
}
