//! glTF 2.0: `.gltf` and `.glb`.
//!
//! A file becomes **one skeleton**: every node, over all scenes, in file order (several roots are fine), but for those
//! that only carry a skinned mesh. So sockets, ends of chains and bones of a humanoid are joints, and a scene of rigid
//! bodies becomes a skeleton too. Materials, images and extras are carried along as they are.
//!
//! What real files do, and what comes of it (W: with a warning, E: refused with an error; where something is left out,
//! [`ReadOptions::strict`] refuses):
//!
//! | in the file | becomes |
//! |---|---|
//! | quaternion signs flip between keys | nothing: rotations take the shorter path |
//! | keys start after 0 | kept; the first value holds before |
//! | all keys at 0 | W a duration of 1/30 s |
//! | keys at one time | W the last of them counts |
//! | times that fall, are negative or NaN; values that are NaN, rotations without length; too few values | W that channel is left out |
//! | no keys at all | W that animation is left out |
//! | two channels on one target | W the first counts |
//! | a channel without a node, or for something unknown | W left out |
//! | `KHR_animation_pointer` to a node's transform or a mesh's weights / to anything else | read / W left out |
//! | cubic spline with one key | a constant |
//! | rest pose other than bind pose | both kept: rest in the skeleton, bind in each mesh's matrices |
//! | a skinned mesh's node has a transform | it plays no part |
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
//! | more than 4 influences | all of them, up to 255 |
//! | triangles that name missing vertices | W left out |
//! | points, lines, positions that are not finite, accessors that cannot be read, more memory than the limits give | W that mesh is left out |
//! | Draco | read with the feature `draco`, else W that mesh is left out |
//! | missing normals / tangents | from the triangles / missing |
//! | images and materials that cannot be read | W left out |
//! | cameras, lights, extensions, attributes that are not carried | W one line names them all |
//! | strided, sparse, normalised, quantised, meshopt-compressed accessors, accessors without a view | read |
//! | joints of skins that do not exist, missing buffers, cycles, two parents, too deep, absurd counts | E |
//! | unknown required extensions | W whatever depends on them is missing |
//!
//! Names of clips are the file's own; a clip without one has an empty name, for the caller who knows the file's.
//! Morph weights are tracks `morph/MESH/TARGET`, where MESH is [`RawMesh::name`](crate::mesh::RawMesh::name) (all
//! primitives of a mesh share it) and TARGET is [`Morph::name`](crate::scene::Morph::name).

mod accessor;
mod animations;
mod buffers;
pub(crate) mod container;
mod document;
#[cfg(feature = "draco")]
mod draco;
mod geometry;
mod influences;
mod matrix;
mod meshes;
pub mod meshopt;
mod morphs;
mod nodes;
mod samplers;
mod shape;
mod skins;
mod surfaces;

pub use super::files::Folder;
pub(crate) use super::files::bytes_of;

use super::{
    ImportError, ImportLimits, Place, ReadOptions,
    budget::{self, Budget},
    files, names,
};
use crate::{
    graph,
    scene::{Scene, SceneGraph, SceneSkeleton},
};
use accessor::Source;
use buffers::Buffers;
use document::Document;

/// Extensions that are read, or carried along.
const KNOWN: &[&str] = &[
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_mesh_quantization",
    "KHR_draco_mesh_compression",
    "KHR_animation_pointer",
    "KHR_texture_transform",
    "KHR_texture_basisu",
    "EXT_texture_webp",
    "EXT_texture_avif",
    "MSFT_texture_dds",
];
/// What begins so is carried along with its material, but for those that stand elsewhere.
const OF_MATERIALS: &str = "KHR_materials_";
const ELSEWHERE: &[&str] = &["KHR_materials_variants"];
/// What changes nothing about motion and meshes where it is not known.
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
    read_with(bytes, files, &ReadOptions { limits: *limits, ..ReadOptions::default() })
}

/// As [`read`], with a choice of what is read.
///
/// # Errors
///
/// As [`read`]; if [`strict`](ReadOptions::strict), what is otherwise left out with a warning too.
pub fn read_with(
    bytes: &[u8],
    files: &mut dyn FnMut(&str) -> Result<Vec<u8>, ImportError>,
    options: &ReadOptions,
) -> Result<Scene, ImportError> {
    let (limits, strict) = (&options.limits, options.strict);
    let length = bytes.len() as u64;
    if length > limits.max_bytes {
        let (place, what) = (Place::Byte(0), "the size in bytes");
        return Err(ImportError::Limit { place, what, found: length, allowed: limits.max_bytes });
    }
    let container = container::split(bytes)?;
    let document = Document::parse(container.json)?;
    version(&document)?;
    let mut budget = Budget::new(limits, length);
    let size = usize::try_from(document.size()).unwrap_or(usize::MAX);
    budget.take(1, size.saturating_add(document.asset.get().len()), || Place::Path("JSON".into()))?;

    let mut scene = Scene { asset: document.asset.get().to_owned(), ..Scene::default() };
    extensions(&document, &mut scene);
    scenes(&document, &mut scene);
    graphs(&document, strict, &mut budget, &mut scene)?;
    let Some(skeleton) = nodes::skeleton(&document, &mut budget, &mut scene)? else {
        scene.warn("", "the file has no nodes: no skeleton, no mesh, no motion");
        return Ok(scene);
    };
    let accessors = accessors(&document, options);
    let views = views(&document, options);
    let (accessors, views) = (accessors.into_iter(), views.into_iter());
    let buffers = Buffers::load(&document, container.binary, accessors, views, files, &mut budget)?;
    let source = Source { document: &document, buffers: &buffers };
    let names = morphs::names(&document, strict, &mut budget, &mut scene)?;
    if options.meshes {
        let images = if options.images {
            surfaces::images(&source, files, strict, &mut budget, &mut scene)?
        } else {
            Vec::new()
        };
        let materials = surfaces::materials(&document, &images, strict, &mut budget, &mut scene)?;
        let bindings = skins::read(&source, &skeleton, strict, &mut budget, &mut scene)?;
        let (skeleton, bindings, names, materials) = (&skeleton, &bindings, &names, &materials);
        let stage = meshes::Stage { source: &source, skeleton, bindings, names, materials, strict };
        meshes::read(&stage, &mut budget, &mut scene)?;
    }
    not_carried(&document, options, &mut scene);
    let stage = animations::Stage { source: &source, skeleton: &skeleton, meshes: &names, strict };
    animations::read(&stage, options.meshes, &mut budget, &mut scene)?;
    let name = document.skins.iter().find_map(|s| s.name.as_deref()).unwrap_or_default();
    let name = name.chars().take(255).collect();
    scene.skeletons.push(SceneSkeleton { name, skeleton: skeleton.raw, nodes: skeleton.nodes });
    Ok(scene)
}

/// One broken part does not spoil the file: it is told and left out. Unless the caller wants it otherwise, or memory
/// ran out.
fn spare(
    error: ImportError,
    what: &str,
    strict: bool,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<(), ImportError> {
    if strict || matches!(error, ImportError::Limit { .. }) {
        return Err(error);
    }
    // A file may hold very many broken parts.
    budget.take(1, 512, || error.place().clone())?;
    let place = error.place().to_string();
    let whole = error.to_string();
    let reason = whole.strip_prefix(&place).map_or(whole.as_str(), |r| r.trim_start_matches(": "));
    scene.warn(place, format!("{reason}; {what}"));
    Ok(())
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
    let asset = document.asset()?;
    match version(&asset.version) {
        (Some(2), _) => {}
        (found, _) => return refuse("the glTF document", found.unwrap_or_default()),
    }
    match asset.least.as_deref().map(version) {
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
    scene.extras = document::text(document.scenes.get(first).and_then(|s| s.extras));
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

/// Graphs that an exporter of ours put there.
fn graphs(
    document: &Document<'_>,
    strict: bool,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<(), ImportError> {
    /// Memory for each byte of a graph's text, at most.
    const TEXT: usize = 64;
    /// And for each byte of their names.
    const NAME: usize = 16;
    let bytes = document.extras.map_or(0, |extras| extras.get().len());
    budget.take(bytes as u64, NAME, || Place::Path("extras".into()))?;
    let extras: document::FileExtras<'_> = document::extras(document.extras);
    for (name, text) in extras.graphs {
        let place = || Place::Path(format!("graph {}", files::shown(&name)));
        budget.take(text.len() as u64, TEXT, place)?;
        // Whether its clips are there is asked when all are known.
        let file = graph::read(text.as_bytes());
        match file.and_then(|file| file.check(|_| Some(1.0)).map(|_| file)) {
            Ok(file) => {
                let (name, parts) = (name.chars().take(255).collect(), file.parts().clone());
                scene.graphs.push(SceneGraph { name, parts });
            }
            Err(error) => {
                let error = ImportError::Format { place: place(), reason: error.to_string() };
                spare(error, "it", strict, budget, scene)?;
            }
        }
    }
    Ok(())
}

/// What the file has and the scene has not, in one line.
fn not_carried(document: &Document<'_>, options: &ReadOptions, scene: &mut Scene) {
    let mut all = Vec::new();
    let mut count = |count: usize, one: &str, many: &str| {
        if count > 0 {
            all.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    };
    count(document::list(document.cameras).len(), "camera", "cameras");
    // Who leaves meshes or images out has asked for it.
    let meshes = document.meshes.iter().filter(|_| options.meshes);
    let primitives = || meshes.clone().flat_map(|m| &m.primitives);
    let strange = |name: &str| {
        let known = ["POSITION", "NORMAL", "TANGENT"];
        let sets = ["TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_"];
        !known.contains(&name) && !sets.iter().any(|set| name.starts_with(set))
    };
    let mut attributes: Vec<&str> =
        primitives().flat_map(|p| p.attributes.keys()).map(String::as_str).filter(|n| strange(n)).collect();
    let morphed = |name: &&String| !["POSITION", "NORMAL", "TANGENT"].contains(&name.as_str());
    let of_targets = primitives().flat_map(|p| &p.targets).flat_map(|t| t.keys()).filter(morphed);
    let morphs: Vec<String> = of_targets.map(|name| format!("{name} of morph targets")).collect();
    attributes.extend(morphs.iter().map(String::as_str));
    attributes.sort_unstable();
    attributes.dedup();
    all.extend(attributes.iter().take(MOST_NAMED).map(|name| files::shown(name)));
    let carried =
        |name: &str| KNOWN.contains(&name) || (name.starts_with(OF_MATERIALS) && !ELSEWHERE.contains(&name));
    let mut extensions: Vec<&str> = document.used.iter().map(|n| &**n).filter(|n| !carried(n)).collect();
    extensions.sort_unstable();
    extensions.dedup();
    all.extend(
        extensions.iter().take(MOST_NAMED).map(|name| files::shown(name).trim_matches('"').to_owned()),
    );
    let more = attributes
        .len()
        .saturating_sub(MOST_NAMED)
        .saturating_add(extensions.len().saturating_sub(MOST_NAMED));
    if more > 0 {
        all.push(format!("{more} more"));
    }
    if !all.is_empty() {
        scene.warn("", format!("not carried: {}", all.join(", ")));
    }
}

/// Views that will be read as they are.
fn views(document: &Document<'_>, options: &ReadOptions) -> Vec<u32> {
    let mut out = Vec::new();
    if options.meshes && options.images {
        out = surfaces::views(document);
    }
    #[cfg(feature = "draco")]
    if options.meshes {
        let streams = document.meshes.iter().flat_map(|m| &m.primitives).filter_map(|p| p.extensions.draco);
        let parsed = streams.filter_map(|raw| serde_json::from_str::<document::Draco>(raw.get()).ok());
        out.extend(parsed.map(|d| d.view));
    }
    out
}

/// Every accessor that will be read.
fn accessors(document: &Document<'_>, options: &ReadOptions) -> Vec<u32> {
    let mut out = Vec::new();
    for animation in &document.animations {
        out.extend(animation.samplers.iter().flat_map(|s| [s.input, s.output]));
    }
    if !options.meshes {
        return out;
    }
    out.extend(document.skins.iter().filter_map(|s| s.binds));
    for primitive in document.meshes.iter().flat_map(|m| &m.primitives) {
        let read = |name: &str| {
            matches!(name, "POSITION" | "NORMAL" | "TANGENT")
                || ["TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_"].iter().any(|set| name.starts_with(set))
        };
        let wanted = primitive.attributes.iter().filter(|(name, _)| read(name));
        out.extend(wanted.map(|(_, accessor)| *accessor).chain(primitive.indices));
        for target in &primitive.targets {
            out.extend(target.iter().filter(|(name, _)| read(name)).map(|(_, accessor)| *accessor));
        }
    }
    out
}
