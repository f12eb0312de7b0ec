//! Any supported file as a [`Scene`]: in metres, y up, with names that can be told apart.
//!
//! ```no_run
//! use lissom_build::import::{self, ImportOptions};
//!
//! let scene = import::open("walk.bvh".as_ref(), &ImportOptions::default())?;
//! println!("{} clips, {:?} m high", scene.animations.len(), scene.height());
//! # Ok::<(), import::OpenError>(())
//! ```

use super::{
    Format, ImportError, ImportLimits, ImportOptions, ReadOptions, Unit, acl_sjson, bring_onto,
    bvh::{self, BvhOptions},
    clip_names as names, guess, lsm,
    matching::{self, By, MatchError},
    npz, ozz, rawclip, sense,
};
use crate::{
    raw::RawEditError,
    retarget::RetargetError,
    scene::{Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};
use core::num::NonZeroU8;
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Why a file gave no scene. Everything but [`OpenError::Option`] names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is a folder.
    #[error("{}: this is a folder, not a file", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// There is nothing in it.
    #[error("{}: the file is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It is larger than the limits allow.
    #[error("{}: the file has more than {allowed} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        allowed: u64,
    },
    /// Neither its first bytes nor its name say what it is.
    #[error(
        "{}: byte 0: neither the first bytes nor the name are those of a glTF, FBX, BVH, ozz, ACL, rawclip, npz or lsm file",
        path.display()
    )]
    Unknown {
        /// The file.
        path: PathBuf,
    },
    /// This build cannot read the format.
    #[error(
        "{}: {} files cannot be read by this build; build it with the feature `{}`{}",
        path.display(),
        format.name(),
        format.name().to_ascii_lowercase(),
        if *format == Format::Fbx { ", which needs a C compiler" } else { "" }
    )]
    NotBuilt {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
    },
    /// The importer refused it.
    #[error("{}: {source}", path.display())]
    Import {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ImportError,
    },
    /// It is no graph.
    #[error("{}: {source}", path.display())]
    Graph {
        /// The file.
        path: PathBuf,
        /// Where in it, and why.
        source: crate::graph::GraphFileError,
    },
    /// The file with the skeleton has none.
    #[error("{}: there is no skeleton in this file", path.display())]
    NoSkeleton {
        /// The file.
        path: PathBuf,
    },
    /// The motion does not fit the skeleton of the other file.
    #[error("{}: {source}", path.display())]
    Match {
        /// The file.
        path: PathBuf,
        /// Why.
        source: MatchError,
    },
    /// A motion cannot be brought onto the other skeleton.
    #[error("{}: {source}", path.display())]
    Retarget {
        /// The file.
        path: PathBuf,
        /// Why.
        source: RetargetError,
    },
    /// A motion could not be resampled.
    #[error("{}: clip {clip:?}: {source}", path.display())]
    Resample {
        /// The file.
        path: PathBuf,
        /// The clip.
        clip: String,
        /// Why.
        source: RawEditError,
    },
    /// An option makes no sense.
    #[error("{0}")]
    Option(String),
}

/// Reads a file of any supported format, recognised by its first bytes, else by its extension.
///
/// # Errors
///
/// Every case of [`OpenError`].
pub fn open(path: &Path, options: &ImportOptions) -> Result<Scene, OpenError> {
    options.check()?;
    let bytes = read_limited(path, options.limits.max_bytes)?;
    open_read(path, &bytes, options)
}

/// As [`open`], of bytes that were read already; other files are read as the options and the file name them.
///
/// # Errors
///
/// Every case of [`OpenError`].
pub fn open_read(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Scene, OpenError> {
    let own = options.skeleton.as_deref().map(|path| open_skeleton(path, options)).transpose()?;
    let other = options.retarget.as_deref().map(|path| open_body(path, &options.as_it_is())).transpose()?;
    let mut files = |uri: &str| read_beside(path, uri, &options.limits);
    let mut scene = open_bytes(path, bytes, &mut files, own.as_ref(), options)?;
    if let Some((skeleton, meshes)) = &other {
        bring_onto(path, &mut scene, (skeleton, meshes), options)?;
    }
    Ok(scene)
}

/// As [`open`], of bytes that were read already. `path` is what the file is called: it names clips that have no name and
/// stands in messages. `files` gives the bytes of other files that this one names, by URI. The skeleton, if it is in
/// another file, is `target`; [`ImportOptions::skeleton`] and [`ImportOptions::retarget`] are not looked at.
///
/// # Errors
///
/// Every case of [`OpenError`] but those of reading a file.
pub fn open_bytes(
    path: &Path,
    bytes: &[u8],
    files: &mut dyn FnMut(&str) -> Result<Vec<u8>, ImportError>,
    target: Option<&SceneSkeleton>,
    options: &ImportOptions,
) -> Result<Scene, OpenError> {
    let (format, scene) = parse(path, bytes, files, &options.reading())?;
    finish(path, format, scene, target, options)
}

/// What a file says, before units, axes and names are settled. Only [`ReadOptions`] change it.
pub(crate) fn parse(
    path: &Path,
    bytes: &[u8],
    files: &mut dyn FnMut(&str) -> Result<Vec<u8>, ImportError>,
    reading: &ReadOptions,
) -> Result<(Format, Scene), OpenError> {
    let format = Format::of(path, bytes).ok_or_else(|| OpenError::Unknown { path: path.into() })?;
    Ok((format, parse_as(path, bytes, format, reading, files)?))
}

/// What was parsed, as the options ask for it.
pub(crate) fn finish(
    path: &Path,
    format: Format,
    mut scene: Scene,
    target: Option<&SceneSkeleton>,
    options: &ImportOptions,
) -> Result<Scene, OpenError> {
    options.check()?;
    keep(&mut scene, options);
    names::name_joints(&mut scene);
    if format != Format::Lsm {
        names::name_after_file(&mut scene, &names::stem(path));
    }
    names::name_animations(&mut scene, &names::stem(path));

    let metres = match options.unit {
        Unit::Metres(metres) => metres,
        Unit::Auto => guess::unit(format, &mut scene),
    };
    scene.scale_lengths(metres);
    sense::check(&scene).map_err(|source| OpenError::Import { path: path.into(), source })?;
    let up = options.up.unwrap_or_else(|| guess::up(format, &mut scene));
    let forward = options.forward.unwrap_or(up.usual_forward());
    if let Some(rotation) = up.upright(forward) {
        scene.turn_with(rotation, target.map(|t| &t.skeleton));
    }
    if let Some(target) = target {
        let by = if matches!(format, Format::Ozz | Format::RawClip) { By::Index } else { By::Name };
        matching::attach(&mut scene, target.clone(), by, options.motion)
            .map_err(|source| OpenError::Match { path: path.into(), source })?;
    }
    if let Some(rate_hz) = options.rate_hz {
        for animation in &mut scene.animations {
            let resampled = animation.motion.resampled(rate_hz);
            animation.motion = resampled.map_err(|source| OpenError::Resample {
                path: path.into(),
                clip: animation.motion.name.clone(),
                source,
            })?;
        }
    }
    Ok(scene)
}

/// Leaves out what is not wanted.
fn keep(scene: &mut Scene, options: &ImportOptions) {
    if options.no_mesh {
        scene.meshes.clear();
        scene.materials.clear();
        for animation in &mut scene.animations {
            animation.tracks.retain(|track| !track.name.starts_with("morph/"));
        }
    }
    if options.no_mesh || options.no_images {
        scene.images.clear();
        for texture in scene.materials.iter_mut().flat_map(|m| &mut m.textures) {
            texture.images.clear();
        }
    }
    if let Some(most) = options.influences {
        cut(scene, most);
    }
    // Last: what is cut follows fewer joints.
    if let Some(layout) = options.layout {
        scene.lay_out(layout);
    }
}

/// Leaves out the weakest influences, and says what was lost.
fn cut(scene: &mut Scene, most: NonZeroU8) {
    let mut notes = Vec::new();
    for mesh in &mut scene.meshes {
        let (vertices, lost) = mesh.mesh.influences.cut(most);
        if vertices > 0 {
            let text = format!(
                "{vertices} vertices follow more than {most} joints; the strongest stayed, and at most {:.1} % of a vertex's weight was lost",
                lost * 100.0
            );
            notes.push((format!("mesh {:?}", mesh.mesh.name), text));
        }
    }
    notes.into_iter().for_each(|(place, text)| scene.warn(place, text));
}

/// The bytes of a file, if they are neither none nor too many.
///
/// # Errors
///
/// [`OpenError::Io`], [`OpenError::Folder`], [`OpenError::Empty`], [`OpenError::TooLarge`].
pub fn read_limited(path: &Path, max_bytes: u64) -> Result<Vec<u8>, OpenError> {
    let failed = |source| OpenError::Io { path: path.into(), source };
    if path.is_dir() {
        return Err(OpenError::Folder { path: path.into() });
    }
    let file = File::open(path).map_err(failed)?;
    // What a system says of a pipe is no promise, so that what is read is counted too.
    let said = file.metadata().map_or(0, |about| about.len());
    if said > max_bytes {
        return Err(OpenError::TooLarge { path: path.into(), allowed: max_bytes });
    }
    // Room for the end too: without it the last read would ask for more.
    let mut bytes = Vec::with_capacity(usize::try_from(said).unwrap_or(0).saturating_add(1));
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.is_empty() {
        return Err(OpenError::Empty { path: path.into() });
    }
    if bytes.len() as u64 > max_bytes {
        return Err(OpenError::TooLarge { path: path.into(), allowed: max_bytes });
    }
    Ok(bytes)
}

/// The bytes of a file that another one names, from that one's own folder and below.
///
/// # Errors
///
/// The URI leads elsewhere, or the file cannot be read.
pub fn read_beside(path: &Path, uri: &str, limits: &ImportLimits) -> Result<Vec<u8>, ImportError> {
    #[cfg(any(feature = "fbx", feature = "gltf"))]
    {
        super::files::Folder::of(path, limits).read(uri)
    }
    // Only glTF and FBX files name others.
    #[cfg(not(any(feature = "fbx", feature = "gltf")))]
    {
        let _ = (path, limits);
        let reason = "this build reads no file that names others".into();
        Err(ImportError::Format { place: super::Place::Path(uri.into()), reason })
    }
}

/// The first skeleton of a file, read with these options, its motions left alone.
///
/// # Errors
///
/// Every case of [`OpenError`] but those of motions.
pub fn open_skeleton(path: &Path, options: &ImportOptions) -> Result<SceneSkeleton, OpenError> {
    open_body(path, options).map(|(skeleton, _)| skeleton)
}

/// The same with the meshes that follow it.
fn open_body(path: &Path, options: &ImportOptions) -> Result<(SceneSkeleton, Vec<SceneMesh>), OpenError> {
    let options = ImportOptions { skeleton: None, retarget: None, rate_hz: None, ..options.clone() };
    let Scene { skeletons, mut meshes, .. } = open(path, &options)?;
    let first = skeletons.into_iter().next().ok_or_else(|| OpenError::NoSkeleton { path: path.into() })?;
    meshes.retain(|mesh| mesh.skeleton == 0);
    Ok((first, meshes))
}

fn parse_as(
    path: &Path,
    bytes: &[u8],
    format: Format,
    reading: &ReadOptions,
    files: &mut dyn FnMut(&str) -> Result<Vec<u8>, ImportError>,
) -> Result<Scene, OpenError> {
    #[cfg(not(any(feature = "fbx", feature = "gltf")))]
    let _ = files;
    let refused = |source| OpenError::Import { path: path.into(), source };
    match format {
        Format::Ozz => Ok(ozz::read(bytes).map_err(refused)?.into_scene()),
        Format::Bvh => {
            let bvh = bvh::read(bytes, &BvhOptions::default()).map_err(refused)?;
            Ok(one(bvh.skeleton, bvh.animation))
        }
        Format::RawClip => Ok(one_clip(rawclip::read(bytes).map_err(refused)?)),
        Format::Acl => match acl_sjson::read(bytes).map_err(refused)? {
            acl_sjson::AclFile::Clip(clip) => Ok(one_clip(clip)),
            acl_sjson::AclFile::Tracks { name, tracks, .. } => {
                Ok(Scene { name, tracks, ..Default::default() })
            }
        },
        Format::Npz => npz::read(bytes, &reading.limits).map_err(refused),
        Format::Lsm => lsm::read_with(bytes, reading, lsm::Clips::Keys).map_err(refused),
        #[cfg(feature = "fbx")]
        Format::Fbx => super::fbx::read_with(bytes, files, reading).map_err(refused),
        #[cfg(not(feature = "fbx"))]
        Format::Fbx => Err(OpenError::NotBuilt { path: path.into(), format }),
        #[cfg(feature = "gltf")]
        Format::Gltf => super::gltf::read_with(bytes, files, reading).map_err(refused),
        #[cfg(not(feature = "gltf"))]
        Format::Gltf => Err(OpenError::NotBuilt { path: path.into(), format }),
    }
}

/// A skeleton, its motion, and how exactly it wants to be stored.
fn one_clip(clip: rawclip::RawClip) -> Scene {
    let mut scene = one(clip.skeleton, Some(clip.animation));
    for animation in &mut scene.animations {
        animation.precision = clip.precision.clone().unwrap_or_default();
    }
    scene
}

/// A skeleton and perhaps one motion.
fn one(skeleton: crate::raw::RawSkeleton, motion: Option<crate::raw::RawAnimation>) -> Scene {
    let animation = |motion| SceneAnimation { skeleton: Some(0), motion, ..Default::default() };
    Scene {
        skeletons: vec![SceneSkeleton { name: String::new(), skeleton, ..Default::default() }],
        animations: motion.into_iter().map(animation).collect(),
        ..Default::default()
    }
}
