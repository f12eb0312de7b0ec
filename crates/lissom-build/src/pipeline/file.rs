//! A file on its way into an archive, stage by stage.

use super::ScenePrecision;
use crate::{
    BuiltSkeleton,
    cook::{CookedClip, SkinReach},
    edit::Edited,
    scene::{Scene, SceneSkeleton},
};
use std::sync::Arc;

/// A file that was read.
pub(super) struct File {
    pub(super) stem: String,
    pub(super) scene: Scene,
    /// Clips that were not asked for.
    pub(super) left_out: Vec<String>,
    pub(super) is_archive: bool,
    /// Skeletons that it can lend: its own, before its motions were brought onto another.
    pub(super) lends: Vec<SceneSkeleton>,
    /// Its lines of the stamp.
    pub(super) stamp: String,
}

/// How exactly the clips of a file are cooked, once that is settled.
pub(super) struct Prepared {
    pub(super) precision: ScenePrecision,
    pub(super) height_m: Option<f64>,
    /// What edits ask of the cooker, and which rules were followed.
    pub(super) edited: Edited,
}

/// A file whose motions may still lack a skeleton.
pub(super) struct Read {
    pub(super) file: File,
    /// `None` while a motion lacks a skeleton.
    pub(super) prepared: Option<Prepared>,
}

/// A file whose clips can be cooked.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) prepared: Prepared,
    pub(super) skeletons: Vec<BuiltSkeleton>,
    /// What each skeleton moves.
    pub(super) skins: Vec<Arc<SkinReach>>,
}

impl Opened {
    /// For each clip, whether it is the one that stood in the archive.
    pub(super) fn copied<'a>(&'a self, clips: &'a [CookedClip]) -> impl Iterator<Item = bool> + 'a {
        let animations = self.file.scene.animations.iter();
        animations
            .zip(clips)
            .map(|(a, c)| a.kept.as_ref().and_then(|kept| kept.of(&a.motion)) == Some(&c.bytes))
    }
}
