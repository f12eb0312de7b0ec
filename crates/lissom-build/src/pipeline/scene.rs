//! A scene that was made in code: cooked as it is, without files.

use super::{ClipReport, Executor, watch::gather};
use crate::{
    BuiltSkeleton, SkeletonBuilder,
    archive::{ArchiveWriteError, SceneWriter},
    cook::{ClipBuilder, CookError, CookedClip},
    raw::RawSkeletonError,
    scene::{Scene, SceneAnimation, SceneSkeleton},
};

/// Why a scene is no archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// A skeleton cannot be built.
    #[error("skeleton {name:?}: {source}")]
    Skeleton {
        /// The skeleton.
        name: String,
        /// Why.
        source: RawSkeletonError,
    },
    /// A motion without a skeleton of the scene.
    #[error("clip {clip:?} has no skeleton in this scene")]
    NoSkeleton {
        /// The motion.
        clip: String,
    },
    /// A clip cannot be cooked.
    #[error("clip {clip:?}: {source}")]
    Cook {
        /// The clip.
        clip: String,
        /// Why.
        source: CookError,
    },
    /// Two parts have one name, or the archive would be too large.
    #[error(transparent)]
    Archive(#[from] ArchiveWriteError),
}

/// A scene that was cooked.
#[derive(Clone, Debug)]
pub struct CookedScene {
    /// The bytes of the archive.
    pub archive: Vec<u8>,
    /// The scene's skeletons, built, in its order.
    pub skeletons: Vec<BuiltSkeleton>,
    /// What cooking each animation cost and gave, in the scene's order.
    pub clips: Vec<ClipReport>,
}

/// Cooks a scene into an archive: all its clips with one builder, its names as they are. For files there is
/// [`Plan`](super::Plan), which also edits clips, makes names unique and finds a precision for each file.
///
/// ```
/// use lissom_build::{cook::{ClipBuilder, Effort}, mannequin::{self, Detail, Motion}, pipeline};
///
/// let scene = mannequin::game_scene(&[Motion::Walk], &Detail::default())?;
/// let builder = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
/// let cooked = pipeline::cook_scene(&scene, &builder, &pipeline::serial)?;
/// assert!(lissom::archive::Archive::read(&cooked.archive)?.clip("walk").is_ok());
/// assert!(cooked.clips[0].cook.error.worst() <= 0.0001);  // metres
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`SceneError`], which names what is wrong.
pub fn cook_scene(
    scene: &Scene,
    builder: &ClipBuilder,
    executor: &Executor<'_>,
) -> Result<CookedScene, SceneError> {
    cook_scene_with(scene, &|_, _| builder.clone(), executor)
}

/// As [`cook_scene`], with a builder for each clip: `builder` gets the animation and its skeleton.
///
/// # Errors
///
/// [`SceneError`], which names what is wrong.
pub fn cook_scene_with(
    scene: &Scene,
    builder: &(dyn Fn(&SceneAnimation, &BuiltSkeleton) -> ClipBuilder + Sync),
    executor: &Executor<'_>,
) -> Result<CookedScene, SceneError> {
    let build = |skeleton: &SceneSkeleton| {
        SkeletonBuilder::build(&skeleton.skeleton)
            .map_err(|source| SceneError::Skeleton { name: skeleton.name.clone(), source })
    };
    let skeletons = scene.skeletons.iter().map(build).collect::<Result<Vec<_>, _>>()?;
    let cook = |i: usize| {
        let animation = &scene.animations[i];
        let clip = || animation.motion.name.clone();
        let built = animation.skeleton.and_then(|own| skeletons.get(own));
        let built = built.ok_or_else(|| SceneError::NoSkeleton { clip: clip() })?;
        let cooked = builder(animation, built).build(built, &animation.motion);
        cooked.map_err(|source| SceneError::Cook { clip: clip(), source })
    };
    let cooked = gather(scene.animations.len(), executor, |i| Some(cook(i)));
    // What an executor left out is done here.
    let cooked = cooked.into_iter().enumerate().map(|(i, done)| done.unwrap_or_else(|| cook(i)));
    let cooked = cooked.collect::<Result<Vec<CookedClip>, _>>()?;
    let reported = scene.animations.iter().zip(&cooked);
    let clips = reported.map(|(a, c)| ClipReport::new(a, &skeletons, &c.report)).collect();
    let mut writer = SceneWriter::new();
    writer.add(&scene.name, scene, &skeletons, cooked.into_iter().map(|c| c.bytes).collect())?;
    Ok(CookedScene { archive: writer.finish().finish()?, skeletons, clips })
}
