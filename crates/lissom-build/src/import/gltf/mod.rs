//! glTF 2.0: `.gltf` and `.glb`.
//!
//! A file becomes **one skeleton**: every node that is a joint of a skin, is moved by an animation or carries a mesh,
//! and all nodes above these, over all scenes, in file order (several roots are fine). A scene of rigid bodies becomes
//! a skeleton too. If no node is any of this, all nodes are taken.
//!
//! What real files do, and what comes of it (W: with a warning, E: refused with an error):
//!
//! | in the file | becomes |
//! |---|---|
//! | quaternion signs flip between keys | nothing: rotations take the shorter path |
//! | keys start after 0 | kept; the first value holds before |
//! | all keys at 0 | W a duration of 1/30 s |
//! | keys at one time | W the last of them counts |
//! | times that fall, are negative or NaN; values that are NaN, rotations without length; too few values | E |
//! | two channels on one target | W the first counts |
//! | a channel without a node, or for something unknown (`KHR_animation_pointer`) | W left out |
//! | cubic spline with one key | a constant |
//! | rest pose other than bind pose | both kept: rest in the skeleton, bind in each mesh's matrices |
//! | a skinned mesh's node has a transform | W it plays no part |
//! | missing inverse bind matrices | W identity |
//! | inverse bind matrices that are not affine / not finite / fewer than joints | W taken as affine / W rest pose / E |
//! | `skin.skeleton` is no joint or no node | W nothing depends on it |
//! | several skins on one joint set | each mesh has its own inverse bind matrices |
//! | a joint twice in a skin | W its first matrix counts |
//! | negative and uneven scale | kept |
//! | a matrix instead of TRS | taken apart; a mirror is one negative scale; W shear is left out |
//! | joints not parents-first, more than 255 joints | kept in file order; up to the limit |
//! | duplicate, missing, endless names | W suffix, `node_N`, cut at 255 bytes |
//! | several scenes | W all are in the one skeleton |
//! | weights NaN, negative, not summing to 1 | W repaired; the vertices are counted |
//! | a joint index that the skin does not have | W that influence is left out |
//! | more than 4 influences | W the 4 largest |
//! | triangles that name missing vertices | W left out |
//! | points, lines, Draco, positions that are not finite, more memory than the limits give | W that mesh is left out |
//! | missing normals / tangents | from the triangles / any direction across the normal |
//! | strided, sparse, normalised, quantised, meshopt-packed accessors, accessors without a view | read |
//! | indices that point nowhere, views beyond their buffer, cycles, two parents, too deep, absurd counts | E |
//! | unknown required extensions | W whatever depends on them is missing |
//!
//! Names of clips are the file's own; a clip without one has an empty name, for the caller who knows the file's.
//! Morph weights are tracks `morph/MESH/TARGET`, where MESH is [`RawMesh::name`](crate::mesh::RawMesh::name) (all
//! primitives of a mesh share it) and TARGET is [`Morph::name`](crate::scene::Morph::name).

mod accessor;
mod animations;
mod buffers;
mod container;
mod document;
mod files;
mod influences;
mod matrix;
mod meshes;
pub mod meshopt;
mod morphs;
mod nodes;
mod shape;
mod skins;

pub use files::Folder;

use super::{
    ImportError, ImportLimits, Place,
    budget::{self, Budget},
    names,
};
use crate::scene::{Scene, SceneSkeleton};
use accessor::Source;
use buffers::Buffers;
use document::Document;

/// Extensions that are read, or that change nothing about motion and meshes.
const KNOWN: &[&str] = &[
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_mesh_quantization",
    // Draco is named mesh by mesh.
    "KHR_draco_mesh_compression",
];
const IRRELEVANT: &[&str] = &[
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_xmp",
    "EXT_texture_",
    "MSFT_texture_",
    "EXT_lights_",
];

/// Unknown extensions that are named one by one.
const MOST_NAMED: usize = 16;

/// Reads a `.gltf` or `.glb`. `files` is asked for the buffers that stand in other files, by their URI;
/// [`Folder::read`] answers from the model's own folder.
///
/// # Errors
///
/// Every case of [`ImportError`] that the table above marks with E; the place names the element.
pub fn read(
    bytes: &[u8],
    files: &mut dyn FnMut(&str) -> Result<Vec<u8>, ImportError>,
    limits: &ImportLimits,
) -> Result<Scene, ImportError> {
    let length = bytes.len() as u64;
    if length > limits.max_bytes {
        let (place, what) = (Place::Byte(0), "the size in bytes");
        return Err(ImportError::Limit { place, what, found: length, allowed: limits.max_bytes });
    }
    let container = container::split(bytes)?;
    let document = Document::parse(container.json)?;
    version(&document)?;
    let mut budget = Budget::new(limits, length);
    budget.take(1, usize::try_from(document.size()).unwrap_or(usize::MAX), || Place::Path("JSON".into()))?;

    let mut scene = Scene::default();
    extensions(&document, &mut scene);
    scenes(&document, &mut scene);
    let Some(skeleton) = nodes::skeleton(&document, &mut budget, &mut scene)? else {
        scene.warn("", "the file has no nodes: no skeleton, no mesh, no motion");
        return Ok(scene);
    };
    let accessors = accessors(&document);
    let buffers = Buffers::load(&document, container.binary, accessors.into_iter(), files, &mut budget)?;
    let source = Source { document: &document, buffers: &buffers };
    let bindings = skins::read(&source, &skeleton, &mut budget, &mut scene)?;
    let names = morphs::names(&document, &mut budget, &mut scene)?;
    let stage = meshes::Stage { source: &source, skeleton: &skeleton, bindings: &bindings, names: &names };
    meshes::read(&stage, &mut budget, &mut scene)?;
    animations::read(&source, &skeleton, &names, &mut budget, &mut scene)?;
    let name = document.skins.iter().find_map(|s| s.name.as_deref()).unwrap_or_default();
    let name = name.chars().take(255).collect();
    scene.skeletons.push(SceneSkeleton { name, skeleton: skeleton.raw });
    Ok(scene)
}

fn version(document: &Document<'_>) -> Result<(), ImportError> {
    let version = |text: &str| {
        let mut parts = text.split('.').map(|p| p.trim().parse::<u32>().ok());
        (parts.next().flatten(), parts.next().flatten().unwrap_or_default())
    };
    let refuse = |what: &str, found| {
        let (place, what) = (Place::Path("asset".into()), what.into());
        Err(ImportError::Version { place, what, found, known: "version 2.0" })
    };
    match version(&document.asset.version) {
        (Some(2), _) => {}
        (found, _) => return refuse("the glTF document", found.unwrap_or_default()),
    }
    match document.asset.least.as_deref().map(version) {
        None | Some((Some(2), 0)) => Ok(()),
        Some((found, _)) => refuse("the reader that the glTF document asks for", found.unwrap_or_default()),
    }
}

fn extensions(document: &Document<'_>, scene: &mut Scene) {
    let known = |name: &str| KNOWN.contains(&name) || IRRELEVANT.iter().any(|known| name.starts_with(known));
    let mut unknown: Vec<&str> = document.required.iter().map(|n| &**n).filter(|n| !known(n)).collect();
    unknown.sort_unstable();
    unknown.dedup();
    for name in unknown.iter().take(MOST_NAMED) {
        let text = "this required extension is unknown; whatever depends on it is missing or wrong";
        scene.warn(format!("extension {}", files::shown(name)), text);
    }
    if unknown.len() > MOST_NAMED {
        scene.warn("extensions", format!("{} required extensions are unknown", unknown.len()));
    }
}

fn scenes(document: &Document<'_>, scene: &mut Scene) {
    let first = document.scene.unwrap_or_default() as usize;
    let name = document.scenes.get(first).and_then(|s| s.name.as_deref()).unwrap_or_default();
    scene.name = name.chars().take(255).collect();
    if document.scenes.len() > 1 {
        scene.warn(
            "scenes",
            format!("there are {}; the nodes of all are in one skeleton", document.scenes.len()),
        );
    }
    let listed = document.scenes.iter().flat_map(|s| &s.nodes);
    let missing = listed.filter(|n| document.nodes.get(**n as usize).is_none()).count();
    if missing > 0 {
        scene.warn("scenes", format!("{missing} root nodes do not exist"));
    }
}

/// Every accessor that will be read.
fn accessors(document: &Document<'_>) -> Vec<u32> {
    let mut out: Vec<u32> = document.skins.iter().filter_map(|s| s.binds).collect();
    for animation in &document.animations {
        out.extend(animation.samplers.iter().flat_map(|s| [s.input, s.output]));
    }
    for primitive in document.meshes.iter().flat_map(|m| &m.primitives) {
        if primitive.extensions.draco {
            continue;
        }
        let read = |name: &str| {
            matches!(name, "POSITION" | "NORMAL" | "TANGENT")
                || name.starts_with("JOINTS_")
                || name.starts_with("WEIGHTS_")
        };
        let wanted = primitive.attributes.iter().filter(|(name, _)| read(name));
        out.extend(wanted.map(|(_, accessor)| *accessor).chain(primitive.indices));
        for target in &primitive.targets {
            out.extend(target.iter().filter(|(name, _)| read(name)).map(|(_, accessor)| *accessor));
        }
    }
    out
}
