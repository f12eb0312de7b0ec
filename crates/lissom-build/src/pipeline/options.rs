//! How files are read and cooked, as callers say it.

use super::Input;
use crate::{
    cook::ClipBuilder, edit::ClipRule, graph::GraphRule, import::ImportOptions, matching::MatchingRule,
    recipe::FileRule,
};

/// How files are read and cooked.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// How files are read.
    pub import: ImportOptions,
    /// The file that has the skeleton, if it is another one; `None`: [`ImportOptions::skeleton`], a path, if there is
    /// one.
    pub skeleton: Option<Input<'a>>,
    /// The file with the skeleton that motions are brought onto; `None`: [`ImportOptions::retarget`], a path, if there is one.
    pub retarget: Option<Input<'a>>,
    /// Only these clips, each as [`find_clip`](super::find_clip) takes it; all if empty.
    pub clips: Vec<String>,
    /// The largest error allowed in metres; `None`: what a file says of its joints, else the builder's, more for models
    /// above ten metres ([`ScenePrecision`](super::ScenePrecision)).
    pub precision: Option<f64>,
    /// How far from each joint the error is measured in metres; `None`: likewise.
    pub shell: Option<f64>,
    /// How files of some names are read otherwise; of several that fit, each may say something.
    pub files: Vec<FileRule>,
    /// What is done to clips before they are cooked, in this order where several fit ([`crate::recipe`] reads such).
    pub rules: Vec<ClipRule>,
    /// Files with graphs for the archive ([`crate::graph`]), each called as its file is.
    pub graphs: Vec<Input<'a>>,
    /// Graphs that are like one of these, or of one that an input has, with other clips.
    pub like: Vec<GraphRule>,
    /// Databases for motion matching.
    pub matching: Vec<MatchingRule>,
    /// Everything else about cooking; its `joints` are those of the file.
    pub cook: ClipBuilder,
}
