//! A scene that was made in code: cooked as it is, without files.

use super::{Executor, watch::gather};
use crate::{
    SkeletonBuilder,
    archive::{ArchiveWriteError, ScenePack},
    cook::{ClipBuilder, CookError},
    raw::RawSkeletonError,
    scene::{Scene, SceneSkeleton},
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

/// Cooks a scene into the bytes of an archive: all its clips with one builder, its names as they are. Files have a
/// [`Recipe`](super::Recipe), which edits, settles names and finds a precision for each.
///
/// ```
/// use lissom_build::{cook::{ClipBuilder, Effort}, mannequin::{self, Detail, Motion}, pipeline};
///
/// let scene = mannequin::game_scene(&[Motion::Walk], &Detail::default())?;
/// let builder = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
/// let bytes = pipeline::cook_scene(&scene, &builder, &pipeline::serial)?;
/// assert!(lissom::archive::Archive::read(&bytes)?.clip("walk").is_ok());
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
) -> Result<Vec<u8>, SceneError> {
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
        let cooked = builder.build(built, &animation.motion);
        cooked.map(|cooked| cooked.bytes).map_err(|source| SceneError::Cook { clip: clip(), source })
    };
    let cooked = gather(scene.animations.len(), executor, |i| Some(cook(i)));
    // What an executor left out is done here.
    let cooked = cooked.into_iter().enumerate().map(|(i, done)| done.unwrap_or_else(|| cook(i)));
    let clips = cooked.collect::<Result<Vec<_>, _>>()?;
    let mut pack = ScenePack::new();
    pack.add(&scene.name, scene, &skeletons, clips)?;
    Ok(pack.finish().finish()?)
}
