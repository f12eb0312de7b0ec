//! Graphs as files: JSON that people write, and what becomes of it.
//!
//! ```text
//!  hero.json ─ read ─▶ GraphFile { GraphParts, where each part stands } ─ check ─▶ Graph
//!                 ▲                      └─ to_bytes ─▶ GRPH section ─▶ GraphParts ─▶ Graph  (lissom_motion, in a game)
//!            the schema's tables: what may stand where
//! ```
//!
//! Every error has its line and column. What may stand in a file is one set of tables: the reader follows them, and
//! `docs/graph.schema.json` is written from them ([`schema()`]).
//!
//! ```
//! let file = lissom_build::graph::read(br#"{
//!   "parameters": { "speed": { "float": 0 } },
//!   "layers": [{ "name": "body", "states": [
//!     { "name": "move", "line": "speed", "points": [{ "at": 0, "clip": "idle" }, { "at": 1.4, "clip": "wlak" }] }
//!   ] }]
//! }"#)?;
//! let error = file.check(|clip| (clip != "wlak").then_some(1.0)).unwrap_err();
//! assert_eq!(error.to_string(), r#"line 4, column 80: layer "body", state "move", point 2: there is no clip called "wlak""#);
//! # Ok::<(), lissom_build::graph::GraphFileError>(())
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

mod json;
mod known;
mod read;
mod rule;
mod schema;
mod write;

pub use known::Known;
pub use rule::GraphRule;
pub use schema::schema;

use lissom_motion::{
    Graph, GraphParts,
    graph::{ClipFacts, GraphError, Place},
};
use std::{collections::BTreeMap, path::Path};

/// The largest file that is read: thousands of states.
pub const LARGEST: usize = 1 << 22;

/// A graph as a file says it.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphFile {
    text: String,
    parts: GraphParts,
    /// Bytes from the start of the text.
    places: BTreeMap<Place, usize>,
    /// The same of each rule of each mask.
    rules: BTreeMap<(usize, usize), usize>,
}

/// Why a file is no graph. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct GraphFileError {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
    /// What is wrong there, and what is allowed.
    pub reason: String,
}

impl GraphFileError {
    fn at(text: &str, offset: usize, reason: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
        let line = before.bytes().filter(|b| *b == b'\n').count().saturating_add(1);
        let column = before.get(line_start..).map_or(0, |text| text.chars().count()).saturating_add(1);
        Self { line, column, reason: reason.into() }
    }
}

/// Reads a file.
///
/// # Errors
///
/// [`GraphFileError`]: the first thing that is wrong, and where.
pub fn read(bytes: &[u8]) -> Result<GraphFile, GraphFileError> {
    if bytes.len() > LARGEST {
        let reason = format!("the file has {} bytes; a graph may have {LARGEST}", bytes.len());
        return Err(GraphFileError { line: 1, column: 1, reason });
    }
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let good = core::str::from_utf8(good).unwrap_or_default();
        GraphFileError::at(good, good.len(), "this is not text")
    })?;
    // Some editors begin a file with a mark of its encoding.
    read::read(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// A description as the text of a file that says it: read back, it is the same.
#[must_use]
pub fn to_json(parts: &GraphParts) -> String {
    format!("{}\n", write::json(parts).pretty(0))
}

/// What a graph's file is called in an archive: its name without `.json`, and without `.graph` before that.
#[must_use]
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".json").unwrap_or(&name);
    name.strip_suffix(".graph").unwrap_or(name).to_owned()
}

impl GraphFile {
    /// What it says.
    #[must_use]
    pub fn parts(&self) -> &GraphParts {
        &self.parts
    }

    /// Checks all of it; `facts` says how long a clip is, or all of its [`ClipFacts`], or that there is none of this name.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, at its line.
    pub fn check<F: Into<ClipFacts>>(
        &self,
        facts: impl FnMut(&str) -> Option<F>,
    ) -> Result<Graph, GraphFileError> {
        Graph::new(&self.parts, facts).map_err(|error| self.place(&error))
    }

    /// What is wrong with a graph made of this file, at its line.
    #[must_use]
    pub fn place(&self, error: &GraphError) -> GraphFileError {
        self.place_with(error, None)
    }
}
