//! FBX files, binary and text, versions 3000 to 7700, by the C library `ufbx` (feature `fbx`; building it needs a C
//! compiler).
//!
//! Axes become right-handed with y up and lengths metres, whatever the file says. One skeleton holds the nodes
//! that matter: bones, nodes that move, nodes with a mesh, and whatever stands above them; there may be several
//! roots. Every animation stack becomes an animation that starts at 0 s: straight lines as they are, curves and Euler
//! angles sampled at the file's frame rate. Blend shapes become morphs, their weights tracks named
//! `morph/MESH/TARGET`. Materials are carried as glTF puts them, with their textures: those in the file, and those
//! that the caller finds beside it. A mesh with several materials becomes several that share its name. What is not
//! carried stands in a warning.
//!
//! Turning Euler angles into quaternions uses the sine of the C library: the last bits of what comes out may differ
//! between machines.

mod mesh;
mod motion;
mod nodes;
mod skin;
mod stacks;
mod surfaces;
mod warnings;

use super::{ImportError, ImportLimits, Place, ReadOptions, budget::Budget};
use crate::{
    exact::{M34, Q4, Trs, V3},
    scene::{Scene, SceneSkeleton},
};
use ufbx::{AllocatorOpts, CoordinateAxes, ErrorType, LoadOpts, SpaceConversion};

/// Reads an FBX file. `files` is asked for textures that stand in other files, by URIs that stay in the file's folder.
///
/// # Errors
///
/// [`ImportError::NotThisFormat`] if it is another format; [`ImportError::Limit`] if it takes more memory, joints or
/// depth than the limits allow; otherwise what is wrong with it.
pub fn read(
    bytes: &[u8],
    files: &mut dyn FnMut(&str) -> Result<Vec<u8>, ImportError>,
    limits: &ImportLimits,
) -> Result<Scene, ImportError> {
    read_with(bytes, files, &ReadOptions { limits: *limits, ..ReadOptions::default() })
}

/// As [`read`], with a choice of what is read.
///
/// # Errors
///
/// As [`read`]; if [`strict`](ReadOptions::strict), a texture that cannot be read too.
pub fn read_with(
    bytes: &[u8],
    files: &mut dyn FnMut(&str) -> Result<Vec<u8>, ImportError>,
    options: &ReadOptions,
) -> Result<Scene, ImportError> {
    let limits = &options.limits;
    let length = bytes.len() as u64;
    if length > limits.max_bytes {
        return Err(limit("the length of the file", length, limits.max_bytes));
    }
    if !looks_like_fbx(bytes) {
        return Err(ImportError::NotThisFormat { place: Place::Byte(0), expected: "an FBX file" });
    }
    let all = limits.memory_for(length);
    let mut ours = Budget::with_eighths(limits, length, OURS);
    let file = load(bytes, options, all)?;
    let mut scene = Scene::default();
    warnings::read(&file, &mut scene);
    let baked = stacks::bake(&file, all)?;
    let nodes = nodes::Nodes::of(&file, &baked, limits, &mut scene)?;
    if nodes.skeleton.joints.is_empty() {
        scene.warn("", "the file has no bones, no meshes and nothing that moves");
        return Ok(scene);
    }
    let valid = nodes.skeleton.validate();
    valid.map_err(|source| ImportError::Skeleton { place: path("nodes"), source })?;
    let (targets, left) = if options.meshes {
        let mut surfaces = surfaces::Surfaces::new(&file, files, options);
        let targets = mesh::read(&file, &nodes, &mut surfaces, &mut ours, &mut scene)?;
        (targets, surfaces.left)
    } else {
        Default::default()
    };
    warnings::not_carried(&file, &left, &mut scene);
    motion::read(&file, baked, &nodes, &targets, &mut ours, &mut scene)?;
    let root = nodes.skeleton.joints.iter().find(|j| j.parent.is_none());
    let name = root.map_or_else(String::new, |j| j.name.clone());
    scene.skeletons.push(SceneSkeleton { name, skeleton: nodes.skeleton, ..Default::default() });
    Ok(scene)
}

/// Binary files have a magic; text files name the format in a comment at the top, or in their first section.
fn looks_like_fbx(bytes: &[u8]) -> bool {
    let start = bytes.get(..1024).unwrap_or(bytes);
    bytes.starts_with(b"Kaydara FBX Binary") || start.windows(3).any(|w| w == b"FBX") && !start.contains(&0)
}

/// Loads the file with units and axes converted.
///
/// Units can be converted in the geometry or in the scale of the topmost nodes. Some programs write a scale of 100
/// into their nodes to make up for centimetres: with those the second way gives joints without scale, with all
/// others the first. Both give the same poses; the one with less scale in it is taken.
fn load(bytes: &[u8], options: &ReadOptions, all: u64) -> Result<ufbx::SceneRoot, ImportError> {
    let in_geometry = load_by(bytes, options, all, SpaceConversion::ModifyGeometry)?;
    let scale = nodes::scaled(&in_geometry);
    if scale == 0.0 {
        return Ok(in_geometry);
    }
    // One scene at a time, for the memory.
    drop(in_geometry);
    let in_nodes = load_by(bytes, options, all, SpaceConversion::AdjustTransforms)?;
    if nodes::scaled(&in_nodes) < scale {
        return Ok(in_nodes);
    }
    drop(in_nodes);
    load_by(bytes, options, all, SpaceConversion::ModifyGeometry)
}

fn load_by(
    bytes: &[u8],
    reading: &ReadOptions,
    all: u64,
    space_conversion: SpaceConversion,
) -> Result<ufbx::SceneRoot, ImportError> {
    let limits = &reading.limits;
    let options = LoadOpts {
        temp_allocator: allocator(all, TEMP, 0),
        result_allocator: allocator(all, SCENE, 0),
        file_format: ufbx::FileFormat::Fbx,
        ignore_embedded: !(reading.meshes && reading.images),
        load_external_files: false,
        clean_skin_weights: true,
        generate_missing_normals: true,
        node_depth_limit: u32::try_from(limits.max_depth).unwrap_or(u32::MAX),
        geometry_transform_handling: ufbx::GeometryTransformHandling::ModifyGeometry,
        inherit_mode_handling: ufbx::InheritModeHandling::Compensate,
        space_conversion,
        target_axes: CoordinateAxes::right_handed_y_up(),
        target_unit_meters: 1.0,
        geometry_transform_helper_name: "geometry".into(),
        scale_helper_name: "scale".into(),
        ..LoadOpts::default()
    };
    ufbx::load_memory(bytes, options).map_err(|error| refused(&error, bytes, limits, all))
}

/// What `ufbx` found, as an error of ours.
fn refused(error: &ufbx::Error, bytes: &[u8], limits: &ImportLimits, memory: u64) -> ImportError {
    let all = Place::Path("the file".into());
    match error.type_ {
        ErrorType::EmptyFile | ErrorType::UnrecognizedFileFormat => {
            ImportError::NotThisFormat { place: Place::Byte(0), expected: "an FBX file" }
        }
        ErrorType::MemoryLimit | ErrorType::AllocationLimit | ErrorType::OutOfMemory => {
            limit("the memory that reading takes", memory.saturating_add(1), memory)
        }
        ErrorType::NodeDepthLimit => {
            let allowed = limits.max_depth as u64;
            limit("the depth of nodes", allowed.saturating_add(1), allowed)
        }
        ErrorType::TruncatedFile => {
            let left = bytes.len() as u64;
            let what = "the file";
            ImportError::Truncated { place: Place::Byte(left), what, needed: 1, left: 0 }
        }
        _ => {
            let info = error.info();
            let more = if info.is_empty() { String::new() } else { format!(" ({info})") };
            ImportError::Format { place: all, reason: format!("{}{more}", &*error.description) }
        }
    }
}

/// Shares of the memory that reading may take: while the file is read, the scene; while an animation is baked,
/// what comes out of it; and what we make of both.
const TEMP: u64 = 4;
const SCENE: u64 = 4;
const BAKED: u64 = 4;
/// In eighths.
const OURS: u64 = 2;

/// An allocator that gives no more than its share of all that may be taken, less what is gone of it.
fn allocator(all: u64, part: u64, gone: u64) -> AllocatorOpts {
    // 0 would mean "without a limit".
    let left = share(all, part).saturating_sub(gone).max(1);
    let memory_limit = usize::try_from(left).unwrap_or(usize::MAX);
    // Small chunks: a tiny file shall not take a mebibyte only to start.
    AllocatorOpts {
        memory_limit,
        huge_threshold: 1 << 16,
        max_chunk_size: 1 << 20,
        ..AllocatorOpts::default()
    }
}

/// Counts `count` things of `each` bytes among ours.
fn take(ours: &mut Budget, count: usize, each: usize) -> Result<(), ImportError> {
    ours.take(count as u64, each, || path("the file"))
}

fn share(all: u64, part: u64) -> u64 {
    all.checked_div(part).unwrap_or_default()
}

fn limit(what: &'static str, found: u64, allowed: u64) -> ImportError {
    ImportError::Limit { place: path("the file"), what, found, allowed }
}

fn path(text: impl Into<String>) -> Place {
    Place::Path(text.into())
}

fn v3(v: ufbx::Vec3) -> V3 {
    V3::new(v.x, v.y, v.z)
}

fn q4(q: ufbx::Quat) -> Q4 {
    Q4::new(q.x, q.y, q.z, q.w)
}

fn trs(t: &ufbx::Transform) -> Trs {
    Trs { translation: v3(t.translation), rotation: q4(t.rotation), scale: v3(t.scale) }
}

fn m34(m: &ufbx::Matrix) -> M34 {
    M34 {
        columns: [
            V3::new(m.m00, m.m10, m.m20),
            V3::new(m.m01, m.m11, m.m21),
            V3::new(m.m02, m.m12, m.m22),
            V3::new(m.m03, m.m13, m.m23),
        ],
    }
}
