//! What became of the inputs.

use super::{Input, InputError, MatchingReport, file::Opened};
use crate::{
    BuiltSkeleton,
    cook::{CookReport, CookedClip},
    feet::FromFeet,
    scene::{Fitted, SceneAnimation, Warning},
};
use std::path::PathBuf;

/// What came out.
#[derive(Debug)]
pub struct Cooked {
    /// The archive; `None` if every input was refused.
    pub archive: Option<Vec<u8>>,
    /// What became of each input, in their order.
    pub inputs: Vec<Result<Report, InputError>>,
    /// The names of [`Options::graphs`](super::Options::graphs) in the archive, or what is wrong with each. If one is refused
    /// there is no archive.
    pub graphs: Vec<Result<String, InputError>>,
    /// What became of [`Options::matching`](super::Options::matching), likewise.
    pub matching: Vec<Result<MatchingReport, InputError>>,
    /// [`Options::rules`](super::Options::rules), by place, that no clip was found for.
    pub unused: Vec<usize>,
    /// What the archive was made of, as text; it stands in the archive too.
    pub stamp: String,
}

/// An input that is in the archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The input.
    pub name: PathBuf,
    /// Joints of all its skeletons.
    pub joints: usize,
    /// Its clips, in file order.
    pub clips: Vec<ClipReport>,
    /// Its meshes, a primitive each.
    pub meshes: usize,
    /// Vertices of all meshes.
    pub vertices: usize,
    /// Tracks, those of clips too.
    pub tracks: usize,
    /// How high the model is in metres, if it has a size.
    pub height_m: Option<f64>,
    /// How its motions came onto the skeleton of another file, if they did.
    pub fitted: Option<Fitted>,
    /// What its clips were called before rules renamed them: the names that rules go by.
    pub source_names: Vec<String>,
    /// Clips that were copied from an archive, since nothing changes them.
    pub copied: usize,
    /// Its clips that were not asked for.
    pub left_out: Vec<String>,
    /// What was odd about it.
    pub warnings: Vec<Warning>,
}

/// A clip in the archive.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipReport {
    /// Its name in the archive.
    pub name: String,
    /// How long it is in seconds.
    pub duration_s: f64,
    /// What cooking it cost and gave.
    pub cook: CookReport,
    /// The joint whose points, its vertices among them, are farthest off; empty if nothing is.
    pub worst_joint: String,
    /// The root motion that its feet gave, if that was asked for.
    pub from_feet: Option<FromFeet>,
}

impl ClipReport {
    pub(super) fn new(animation: &SceneAnimation, skeletons: &[BuiltSkeleton], report: &CookReport) -> Self {
        let skeleton = animation.skeleton.and_then(|s| skeletons.get(s)).map(|s| &s.skeleton);
        let error = &report.error;
        let named = skeleton.filter(|s| error.worst() > 0.0 && error.worst_joint < s.joint_count());
        Self {
            name: animation.motion.name.clone(),
            duration_s: animation.motion.duration_s,
            cook: report.clone(),
            worst_joint: named.map_or_else(String::new, |s| s.name(error.worst_joint).to_owned()),
            from_feet: None,
        }
    }
}

impl Report {
    pub(super) fn new(input: &Input<'_>, opened: &Opened, clips: &[CookedClip]) -> Self {
        let scene = &opened.file.scene;
        let needs = &opened.prepared.edited.needs;
        let clip = |(at, (animation, cooked)): (usize, (&SceneAnimation, &CookedClip))| ClipReport {
            from_feet: needs.get(at).and_then(|own| own.from_feet),
            ..ClipReport::new(animation, &opened.skeletons, &cooked.report)
        };
        Self {
            name: input.name().to_owned(),
            joints: scene.skeletons.iter().map(|s| s.skeleton.joints.len()).sum(),
            clips: scene.animations.iter().zip(clips).enumerate().map(clip).collect(),
            meshes: scene.meshes.len(),
            vertices: scene.meshes.iter().map(|m| m.mesh.positions.len()).sum(),
            tracks: scene.tracks.len() + scene.animations.iter().map(|a| a.tracks.len()).sum::<usize>(),
            height_m: opened.prepared.height_m,
            fitted: scene.fitted,
            source_names: opened.prepared.edited.names.clone(),
            copied: opened.copied(clips).filter(|copied| *copied).count(),
            left_out: opened.file.left_out.clone(),
            warnings: scene.warnings.clone(),
        }
    }
}
