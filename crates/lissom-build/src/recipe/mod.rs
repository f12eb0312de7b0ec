//! `lissom.toml`: how a folder of files is read and cooked, and what is done to its clips.
//!
//! ```text
//!  bytes ─ read ─▶ RecipeFile { what options say…, rules: [ClipRule] } ─▶ pipeline::Options
//! ```
//!
//! Keys at the top are those of `lissom import`'s options; a table under `clips` is a [`ClipRule`]. Every key is known or
//! refused, and every error has its line.
//!
//! ```
//! let file = lissom_build::recipe::read(b"precision = '0.2mm'\n[clips.'*walk*']\ntrim = [0.5, 1.7]\nloop = 'close'\n")?;
//! assert_eq!((file.precision_m, file.rules[0].edits.len()), (Some(0.0002), 2));
//! let error = lissom_build::recipe::read(b"[clips.walk]\nmiror = true\n").unwrap_err();
//! assert_eq!(error.to_string(), r#"line 2: clips.walk has no key "miror"; did you mean "mirror"?"#);
//! # Ok::<(), lissom_build::recipe::RecipeError>(())
//! ```

// The wall: whatever the file says is checked before it is used.
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::arithmetic_side_effects,
        clippy::panic
    )
)]

mod clips;
mod error;
mod text;
mod value;

pub use error::RecipeError;
pub use text::{parse_axis, parse_bytes, parse_length, parse_precision, parse_range, parse_unit};

use crate::{
    cook::{Effort, Form, Jumps},
    edit::ClipRule,
    import::{Axis, Unit},
    mesh::{LAYOUTS, VertexLayout},
    retarget::Goals,
};
use std::num::NonZeroU8;
use value::{Table, Value};

/// The largest file that is read: a thousand clips with much to say about each.
pub const LARGEST: usize = 1 << 20;

/// What a recipe says; `None` where it says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecipeFile {
    /// The largest error allowed, in metres.
    pub precision_m: Option<f64>,
    /// How far from each joint it is measured, in metres.
    pub shell_m: Option<f64>,
    /// Bytes a clip.
    pub budget: Option<u64>,
    /// Where playback of keys can start.
    pub jumps: Option<Jumps>,
    /// How clips hold their keys.
    pub form: Option<Form>,
    /// How long to look for a smaller clip.
    pub effort: Option<Effort>,
    /// The files' unit of length.
    pub unit: Option<Unit>,
    /// What is up in the files.
    pub up: Option<Axis>,
    /// Where characters look in the files.
    pub forward: Option<Axis>,
    /// Samples a second for every motion.
    pub rate_hz: Option<f64>,
    /// The file with the skeleton, as it is written: from the recipe's own folder.
    pub skeleton: Option<String>,
    /// The file with the skeleton that motions are brought onto, likewise.
    pub retarget: Option<String>,
    /// What is then kept where the file has it.
    pub goals: Option<Goals>,
    /// Leaves meshes out.
    pub no_mesh: Option<bool>,
    /// Leaves images out.
    pub no_images: Option<bool>,
    /// Joints that a vertex follows at most.
    pub influences: Option<NonZeroU8>,
    /// The order of the vertices.
    pub layout: Option<VertexLayout>,
    /// Refuses a file with a part that cannot be read.
    pub strict: Option<bool>,
    /// Only these clips; all if empty.
    pub clips: Vec<String>,
    /// Files with graphs, as they are written: from the recipe's own folder.
    pub graphs: Vec<String>,
    /// What is done to clips, in the order of the file.
    pub rules: Vec<ClipRule>,
}

/// What can be kept when motions are brought onto another skeleton.
pub const GOALS: [(&str, Goals); 4] = [
    ("none", Goals { hands: false, feet: false }),
    ("feet", Goals { hands: false, feet: true }),
    ("hands", Goals { hands: true, feet: false }),
    ("all", Goals { hands: true, feet: true }),
];

/// The keys at the top.
const KEYS: [&str; 21] = [
    "precision",
    "shell",
    "budget",
    "jumps",
    "form",
    "effort",
    "unit",
    "up",
    "forward",
    "rate",
    "skeleton",
    "retarget",
    "goals",
    "no-mesh",
    "no-images",
    "influences",
    "layout",
    "strict",
    "clip",
    "graphs",
    "clips",
];

/// Reads a recipe.
///
/// # Errors
///
/// [`RecipeError`]: the line, the key, and what is wrong with it.
pub fn read(bytes: &[u8]) -> Result<RecipeFile, RecipeError> {
    if bytes.len() > LARGEST {
        return Err(RecipeError::TooLong { bytes: bytes.len(), allowed: LARGEST });
    }
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        RecipeError::NoText { line: value::line_of(good, good.len()) }
    })?;
    // Some editors begin a file with a mark of its encoding.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = toml::de::DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |s| s.start);
        RecipeError::Syntax { line: value::line_of(text.as_bytes(), at), reason: error.message().to_owned() }
    })?;
    let top = Table::new(text, "", 1, parsed.get_ref());
    let mut file = RecipeFile::default();
    for value in top.entries(&KEYS, "a recipe")? {
        setting(&mut file, &value)?;
    }
    Ok(file)
}

fn setting(file: &mut RecipeFile, value: &Value<'_>) -> Result<(), RecipeError> {
    match value.key() {
        "precision" => file.precision_m = Some(value.precision()?),
        "shell" => file.shell_m = Some(value.length()?),
        "budget" => file.budget = Some(value.bytes()?),
        "jumps" => file.jumps = Some(value.jumps()?),
        "form" => {
            file.form =
                Some(value.one_of(&[("auto", Form::Auto), ("keys", Form::Keys), ("rows", Form::Rows)])?);
        }
        "effort" => {
            let known = [("fast", Effort::Fast), ("default", Effort::Default), ("max", Effort::Max)];
            file.effort = Some(value.one_of(&known)?);
        }
        "unit" => file.unit = Some(value.unit()?),
        "up" => file.up = Some(value.axis()?),
        "forward" => file.forward = Some(value.axis()?),
        "rate" => file.rate_hz = Some(value.rate()?),
        "skeleton" => file.skeleton = Some(value.text()?.to_owned()),
        "retarget" => file.retarget = Some(value.text()?.to_owned()),
        "goals" => file.goals = Some(value.one_of(&GOALS)?),
        "no-mesh" => file.no_mesh = Some(value.yes_or_no()?),
        "no-images" => file.no_images = Some(value.yes_or_no()?),
        "influences" => {
            let count = value.whole()?;
            let count = u8::try_from(count).ok().and_then(NonZeroU8::new);
            file.influences = Some(count.ok_or_else(|| value.wrong("it must be 1 to 255"))?);
        }
        "layout" => file.layout = Some(value.one_of(&LAYOUTS)?),
        "strict" => file.strict = Some(value.yes_or_no()?),
        "clip" => file.clips = value.texts()?,
        "graphs" => file.graphs = value.texts()?,
        _ => file.rules = clips::rules(value)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests;
