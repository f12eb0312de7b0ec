//! What a recipe may say: a row for each key, with the field that holds it and how its value is read.
//!
//! An option of `lissom import` is named in four places:
//!
//! 1. here, as a key of `lissom.toml` (field, reader and merge come from the row);
//! 2. in `lissom-cli/src/options.rs`, as a flag that fills the same field;
//! 3. in [`RecipeFile::options`], which hands it on;
//! 4. in [`ImportOptions`](crate::import::ImportOptions) or [`ClipBuilder`](crate::cook::ClipBuilder), where it is used.
//!
//! The compiler finds a field that place 3 leaves out. `every_key_is_an_option_and_means_the_same` of `lissom-cli` finds
//! a key without a flag, a flag without a key, and a flag that fills no field or another one. The stamp and Python name
//! none of them.

use super::{FileRule, RecipeError, clips, files, graphs, matching, value::Value};
use crate::{
    cook::{Effort, Form, Jumps},
    edit::{ClipRule, EditKind},
    graph::GraphRule,
    import::{Axis, Unit},
    matching::MatchingRule,
    mesh::{LAYOUTS, VertexLayout},
    retarget::{BoneNames, Goals},
};
use std::{
    num::NonZeroU8,
    path::{Path, PathBuf},
};

macro_rules! settings {
    ($($(#[$doc:meta])* $key:literal $field:ident: $type:ty = $read:expr;)*) => {
        /// What a recipe says, or the options of a command: `None` where nothing is said.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct RecipeFile {
            $($(#[$doc])* pub $field: Option<$type>,)*
            /// Only these clips; all if empty.
            pub clips: Vec<String>,
            /// Files with graphs, as they are written: from the recipe's own folder.
            pub graphs: Vec<PathBuf>,
            /// Graphs that are like another, with other clips, in the order of the file.
            pub like: Vec<GraphRule>,
            /// How files of some names are read, in the order of the file.
            pub files: Vec<FileRule>,
            /// What is done to clips, in the order of the file.
            pub rules: Vec<ClipRule>,
            /// Databases for motion matching, in the order of the file.
            pub matching: Vec<MatchingRule>,
        }

        /// The keys at the top of a recipe. All but `files`, `clips`, `graph` and `matching` are long options of `lissom import`; there `graphs`
        /// is `--graph`.
        pub const KEYS: &[&str] = &[$($key,)* "clip", "graphs", "graph", "files", "clips", "matching"];

        impl RecipeFile {
            /// Takes one value of a file.
            pub(super) fn set(&mut self, value: &Value<'_>) -> Result<(), RecipeError> {
                match value.key() {
                    $($key => self.$field = Some(($read)(value)?),)*
                    "clip" => self.clips = value.texts()?,
                    "graphs" => self.graphs = value.texts()?.into_iter().map(PathBuf::from).collect(),
                    "graph" => self.like = graphs::rules(value)?,
                    "files" => self.files = files::rules(value)?,
                    "matching" => self.matching = matching::rules(value)?,
                    _ => self.rules = clips::rules(value)?,
                }
                Ok(())
            }

            /// Both together: what `asked` says goes before what this one says. Rules of both are followed, those of
            /// `asked` last; but a precision in `asked` goes before every precision of single clips in this one, and what
            /// `asked` says of all files before what this one says of some.
            #[must_use]
            pub fn with(mut self, asked: Self) -> Self {
                let mut rules = core::mem::take(&mut self.rules);
                if asked.precision_m.is_some() {
                    let other = |kind: &EditKind| !matches!(kind, EditKind::Precision(_));
                    rules.iter_mut().for_each(|rule| rule.edits.retain(|edit| other(&edit.kind)));
                }
                rules.extend(asked.rules);
                let mut files = core::mem::take(&mut self.files);
                for rule in &mut files {
                    $(rule.says.$field = rule.says.$field.take().filter(|_| asked.$field.is_none());)*
                }
                files.extend(asked.files);
                // One undoes the other.
                let own = Self {
                    as_is: self.as_is.filter(|_| asked.rebase != Some(true)),
                    rebase: self.rebase.filter(|_| asked.as_is != Some(true)),
                    ..self
                };
                Self {
                    $($field: asked.$field.or(own.$field),)*
                    clips: if asked.clips.is_empty() { own.clips } else { asked.clips },
                    graphs: if asked.graphs.is_empty() { own.graphs } else { asked.graphs },
                    like: if asked.like.is_empty() { own.like } else { asked.like },
                    matching: if asked.matching.is_empty() { own.matching } else { asked.matching },
                    files,
                    rules,
                }
            }
        }
    };
}

settings! {
    /// The largest error allowed, in metres.
    "precision" precision_m: f64 = Value::precision;
    /// How far from each joint it is measured, in metres.
    "shell" shell_m: f64 = Value::length;
    /// Bytes per clip.
    "budget" budget: u64 = Value::bytes;
    /// Where playback of keys can start.
    "jumps" jumps: Jumps = Value::jumps;
    /// How clips hold their keys.
    "form" form: Form = |v: &Value<'_>| v.one_of(&FORMS);
    /// How long to look for a smaller clip.
    "effort" effort: Effort = |v: &Value<'_>| v.one_of(&EFFORTS);
    /// The files' unit of length.
    "unit" unit: Unit = Value::unit;
    /// What is up in the files.
    "up" up: Axis = Value::axis;
    /// Where characters look in the files.
    "forward" forward: Axis = Value::axis;
    /// Samples per second for every motion.
    "rate" rate_hz: f64 = Value::rate;
    /// The file with the skeleton, as it is written: from the recipe's own folder.
    "skeleton" skeleton: PathBuf = |v: &Value<'_>| v.text().map(PathBuf::from);
    /// Takes motions as they are, whatever pose their file rests in.
    "as-is" as_is: bool = Value::yes_or_no;
    /// Re-bases motions to the skeleton's rest pose, however far it is off.
    "rebase" rebase: bool = Value::yes_or_no;
    /// The file with the skeleton that motions are brought onto, likewise.
    "retarget" retarget: PathBuf = |v: &Value<'_>| v.text().map(PathBuf::from);
    /// What is then kept where the file has it.
    "goals" goals: Goals = |v: &Value<'_>| v.one_of(&GOALS);
    /// Which joints are which bones.
    "bones" bones: BoneNames = bones;
    /// Leaves meshes out.
    "no-mesh" no_mesh: bool = Value::yes_or_no;
    /// Leaves images out.
    "no-images" no_images: bool = Value::yes_or_no;
    /// Joints that a vertex follows at most.
    "influences" influences: NonZeroU8 = influences;
    /// The order of the vertices.
    "layout" layout: VertexLayout = |v: &Value<'_>| v.one_of(&LAYOUTS);
    /// Refuses a file with a part that cannot be read.
    "strict" strict: bool = Value::yes_or_no;
}

/// How clips can hold their keys.
pub const FORMS: [(&str, Form); 3] = [("auto", Form::Auto), ("keys", Form::Keys), ("rows", Form::Rows)];

/// How long can be looked for a smaller clip.
pub const EFFORTS: [(&str, Effort); 3] =
    [("fast", Effort::Fast), ("default", Effort::Default), ("max", Effort::Max)];

/// What can be kept when motions are brought onto another skeleton.
pub const GOALS: [(&str, Goals); 4] = [
    ("none", Goals { hands: false, feet: false }),
    ("feet", Goals { hands: false, feet: true }),
    ("hands", Goals { hands: true, feet: false }),
    ("all", Goals { hands: true, feet: true }),
];

fn bones(value: &Value<'_>) -> Result<BoneNames, RecipeError> {
    let mut names = BoneNames::default();
    for entry in value.table()?.any_entries() {
        let side = entry.is_table().then(|| entry.key());
        let entries = match side {
            Some("source" | "target") => entry.table()?.any_entries(),
            Some(_) => return Err(entry.wrong("only \"source\" and \"target\" are tables")),
            None => vec![entry],
        };
        for entry in entries {
            let key = side.map_or_else(|| entry.key().to_owned(), |side| format!("{side}.{}", entry.key()));
            names.set(&key, entry.text()?).map_err(|error| entry.wrong(error.to_string()))?;
        }
    }
    Ok(names)
}

fn influences(value: &Value<'_>) -> Result<NonZeroU8, RecipeError> {
    let count = u8::try_from(value.whole()?).ok().and_then(NonZeroU8::new);
    count.ok_or_else(|| value.wrong("it must be 1 to 255"))
}

impl RecipeFile {
    /// The same, with the files that it names looked for in this folder: the recipe's own.
    #[must_use]
    pub fn in_folder(mut self, folder: &Path) -> Self {
        let named = [&mut self.skeleton, &mut self.retarget].into_iter().flatten();
        for file in named.chain(&mut self.graphs) {
            *file = folder.join(&*file);
        }
        self
    }
}
