//! `lissom.toml`: options of `lissom import` that belong to a folder of clips, and what is done to them. The command line
//! wins.

use crate::options::UsageError;
use anyhow::{Context, Result};
use lissom_build::recipe::{self, RecipeFile};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

const NAME: &str = "lissom.toml";

/// A recipe, and the file it is from.
#[derive(Default)]
pub(crate) struct Config {
    pub(crate) path: Option<PathBuf>,
    pub(crate) recipe: RecipeFile,
}

impl Config {
    /// Of `named`, else of the nearest `lissom.toml` in the folder of the output or above it.
    pub(crate) fn load(named: Option<&Path>, output_folder: &Path) -> Result<Self> {
        let Some(path) = named.map(Path::to_owned).or_else(|| nearest(output_folder)) else {
            return Ok(Self::default());
        };
        let shown = path.display().to_string();
        let mut bytes = Vec::new();
        let file = std::fs::File::open(&path).with_context(|| shown.clone())?;
        // One byte more than is allowed is enough to be refused.
        file.take(recipe::LARGEST as u64 + 1).read_to_end(&mut bytes).with_context(|| shown.clone())?;
        let recipe = recipe::read(&bytes).map_err(|error| UsageError(format!("{shown}: {error}")))?;
        let recipe = recipe.in_folder(path.parent().unwrap_or(Path::new("")));
        Ok(Self { path: Some(path), recipe })
    }
}

fn nearest(folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // The output's folder may not exist yet.
    let full = std::path::absolute(folder).ok()?;
    full.ancestors().map(|f| f.join(NAME)).find(|f| f.is_file())
}
