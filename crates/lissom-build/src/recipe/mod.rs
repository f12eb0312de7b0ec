//! `lissom.toml`: how a folder of files is read and cooked, and what is done to its clips.
//!
//! ```text
//!  lissom.toml ─ read ─▶ RecipeFile ─┐
//!                                   ├─ with ─▶ RecipeFile ─ options ─▶ pipeline::Options ─▶ Plan
//!  flags, Python ───────▶ RecipeFile ─┘  (flags and arguments win)
//! ```
//!
//! A key at the top ([`KEYS`]) is the long option of `lissom import` that says how files are read and how clips are
//! cooked; `graphs` is the option `--graph`. Options of one run have no key: where output goes and how it is written
//! (`--output`, `--pack`, `--stream`), how the work is shared out (`--shard`, `--threads`, `--force`) and what is
//! printed. A table under `files` is a [`FileRule`], one under `clips` a [`ClipRule`](crate::edit::ClipRule), one under `graph` a
//! [`GraphRule`](crate::graph::GraphRule), one under `matching` a [`MatchingRule`](crate::matching::MatchingRule). Every key is known or refused, and every
//! error has its line.
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
mod files;
mod graphs;
mod matching;
mod options;
mod settings;
mod text;
mod value;

pub use error::RecipeError;
pub use files::FileRule;
pub use settings::{EFFORTS, FORMS, GOALS, KEYS, RecipeFile};
pub use text::{parse_axis, parse_bytes, parse_length, parse_precision, parse_range, parse_unit, quoted};

use value::Table;

/// The largest file that is read: a thousand clips with much to say about each.
pub const LARGEST: usize = 1 << 20;

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
    for value in top.entries(KEYS, "a recipe")? {
        file.set(&value)?;
    }
    Ok(file)
}
