//! A Lissom archive as a scene: what was cooked, as keys again. A clip gives its own keys, at their own times.

mod motion;
mod surfaces;

use super::{ImportError, ImportLimits, Place, ReadOptions, budget::Budget, clip_names::name_joints};
use crate::{
    exact::{M34, Trs},
    mesh::RawMesh,
    raw::{RawAnimation, RawJoint, RawSkeleton, RawUserTrack, UserKey},
    scene::{KeptClip, Marker, Morph, Scene, SceneAnimation, SceneGraph, SceneMesh, SceneSkeleton},
};
use lissom::{
    Skeleton,
    archive::{
        AlignedBytes, ArchiveError, ArchiveView, CLIP_ADDITIVE, Limits, MorphView, Section, SectionKind,
    },
};
use lissom_motion::GraphParts;

/// What a target adds to a vertex: position, normal, tangent.
const MORPH_BYTES: usize = 3 * 12;

/// Memory for each byte of a graph, at most: a text is a few times as long as its length in bytes.
const GRAPH_BYTES: usize = 8;

/// Eighths of the memory that are for what is counted. Not counted: the copy of the file, skeletons, names, the cursor.
const OURS: u64 = 6;

/// What is made of clips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clips {
    /// Their keys.
    Keys,
    /// Their names, durations, tracks and markers; motions have no tracks.
    Names,
}

/// Reads an archive. A clip that cannot be taken apart is left out with a warning.
///
/// # Errors
///
/// What is wrong with it, with its byte; [`ImportError::Limit`] if its meshes or tracks would become more than
/// [`ImportLimits::memory_for`] its bytes can hold.
pub fn read(bytes: &[u8], limits: &ImportLimits) -> Result<Scene, ImportError> {
    read_with(bytes, &ReadOptions { limits: *limits, ..ReadOptions::default() }, Clips::Keys)
}

/// As [`read`], with options: [`ReadOptions::strict`] refuses what would be left out.
///
/// # Errors
///
/// As [`read`], and whatever is wrong with a clip if that is asked for.
pub fn read_with(bytes: &[u8], options: &ReadOptions, clips: Clips) -> Result<Scene, ImportError> {
    let limits = &Limits::default();
    let bytes = AlignedBytes::of_archive(bytes, limits).map_err(refused)?;
    let mut budget = Budget::with_eighths(&options.limits, bytes.len() as u64, OURS);
    let archive = ArchiveView::read(&bytes, limits).map_err(refused)?;
    let mut scene = Scene::default();
    let mut skeletons: Vec<Skeleton> = Vec::new();
    for section in of_kind(&archive, SectionKind::Skeleton) {
        let skeleton = section.skeleton(limits).map_err(refused)?;
        let name = section.name.to_owned();
        scene.skeletons.push(SceneSkeleton { name, skeleton: raw_skeleton(&skeleton), ..Default::default() });
        skeletons.push(skeleton);
    }
    name_joints(&mut scene);
    let with_identity = |id: u64| skeletons.iter().position(|s| s.identity() == id);
    for section in of_kind(&archive, SectionKind::Clip) {
        let read = clip(section, &skeletons, clips, &mut budget);
        let (index, motion, kept) = match read {
            Ok(read) => read,
            Err(error) if options.strict => return Err(error),
            Err(error) => {
                let text = format!("it was left out: {}", error.reason());
                scene.warn(format!("clip {:?}", section.name), text);
                continue;
            }
        };
        let markers = match archive.markers(section.name) {
            Ok(markers) => markers
                .iter()
                .map(|m| Marker { name: m.name.into(), time_s: m.time_s, duration_s: m.duration_s })
                .collect(),
            Err(ArchiveError::Missing { .. }) => Vec::new(),
            Err(error) => return Err(refused(error)),
        };
        let markers = within(markers, motion.duration_s, section.name, &mut scene);
        scene.animations.push(SceneAnimation {
            skeleton: Some(index),
            motion,
            markers,
            kept,
            ..Default::default()
        });
    }
    for section in of_kind(&archive, SectionKind::Track) {
        let view = section.track().map_err(refused)?;
        let place = || Place::Path(format!("track {:?}", section.name));
        budget.take(view.ratios.len() as u64, size_of::<UserKey>(), place)?;
        let owner = archive.owner(SectionKind::Clip, section.name);
        let of_clip = owner.and_then(|(clip, name)| {
            let animation = scene.animations.iter_mut().find(|a| a.motion.name == clip)?;
            Some((animation, name))
        });
        let (list, name) = match of_clip {
            Some((animation, name)) => (&mut animation.tracks, name),
            None => (&mut scene.tracks, section.name),
        };
        let track = RawUserTrack::from_view(name, &view);
        track.validate().map_err(|e| ImportError::Format { place: place(), reason: e.to_string() })?;
        list.push(track);
    }
    for section in of_kind(&archive, SectionKind::Graph) {
        let place = || Place::Path(format!("graph {:?}", section.name));
        budget.take(section.payload.len() as u64, GRAPH_BYTES, place)?;
        // One of a later version is as one that cannot be read.
        let read = section.graph().map_err(|error| error.to_string());
        match read.and_then(|bytes| GraphParts::read(bytes).map_err(|error| error.to_string())) {
            Ok(parts) => scene.graphs.push(SceneGraph { name: section.name.to_owned(), parts }),
            Err(reason) if options.strict => return Err(ImportError::Format { place: place(), reason }),
            Err(reason) => {
                scene.warn(format!("graph {:?}", section.name), format!("it was left out: {reason}"))
            }
        }
    }
    let materials = surfaces::read(&archive, &mut budget, &mut scene)?;
    for section in of_kind(&archive, SectionKind::Mesh) {
        let view = section.mesh().map_err(refused)?;
        let Some(skeleton) = with_identity(view.skeleton_identity) else {
            let place = Place::Path(format!("mesh {:?}", section.name));
            return Err(ImportError::Format { place, reason: "its skeleton is not in the archive".into() });
        };
        let place = || Place::Path(format!("mesh {:?}", section.name));
        budget.take(section.payload.len() as u64, 1, place)?;
        budget.take(view.inverse_binds.len() as u64, size_of::<M34>(), place)?;
        let mesh = RawMesh::from_view(section.name, &view);
        let valid = mesh.validate(skeletons.get(skeleton).map_or(0, Skeleton::joint_count));
        valid.map_err(|e| ImportError::Format { place: place(), reason: e.to_string() })?;
        let found = archive.morphs(section.name).map_err(refused)?;
        let mut morphs = Vec::with_capacity(found.len());
        for (name, target) in found {
            let vertices = view.positions.len();
            let place = || Place::Path(format!("morph target {name:?} of mesh {:?}", section.name));
            // Checked first: the count of vertices costs the file nothing.
            if target.vertex_count != vertices {
                let reason = format!("it is for {} vertices, the mesh has {vertices}", target.vertex_count);
                return Err(ImportError::Format { place: place(), reason });
            }
            budget.take(vertices as u64, MORPH_BYTES, place)?;
            morphs.push(morph(name, &target));
        }
        let mesh = SceneMesh { skeleton, mesh, morphs, ..Default::default() };
        scene.meshes.push(materials.describe(&view, mesh));
    }
    Ok(scene)
}

/// A clip: its skeleton, its motion and its bytes.
fn clip(
    section: &Section<'_>,
    skeletons: &[Skeleton],
    clips: Clips,
    budget: &mut Budget,
) -> Result<(usize, RawAnimation, Option<KeptClip>), ImportError> {
    let clip = section.clip().map_err(refused)?;
    let view = clip.view();
    let place = || Place::Path(format!("clip {:?}", section.name));
    let identity = view.skeleton_identity();
    let found = skeletons.iter().enumerate().find(|(_, s)| s.identity() == identity);
    let Some((index, skeleton)) = found else {
        let reason = format!("its skeleton, {identity:016x}, is not in the archive");
        return Err(ImportError::Format { place: place(), reason });
    };
    let name = section.name.to_owned();
    let additive = section.flags & CLIP_ADDITIVE != 0;
    if clips == Clips::Names {
        let (duration_s, looping) = (view.duration_s(), view.is_looping());
        let motion = RawAnimation { name, duration_s, looping, additive, tracks: Vec::new() };
        return Ok((index, motion, None));
    }
    let motion = RawAnimation { name, additive, ..motion::read(view, skeleton, budget, &place)? };
    let valid = motion.validate(skeleton.joint_count());
    valid.map_err(|source| ImportError::Animation { place: place(), source })?;
    budget.take(section.payload.len() as u64, 1, place)?;
    let kept = (view.name() == section.name).then(|| KeptClip::new(&motion, section.payload));
    Ok((index, motion, kept))
}

/// Markers at times that the clip has; the others are named in a warning.
fn within(mut markers: Vec<Marker>, duration_s: f64, clip: &str, scene: &mut Scene) -> Vec<Marker> {
    markers.retain(|m| {
        let is_in = (0.0..=duration_s).contains(&m.time_s);
        if !is_in {
            let text =
                format!("marker {:?} is at {} s, outside of the clip; it was left out", m.name, m.time_s);
            scene.warn(format!("clip {clip:?}"), text);
        }
        is_in
    });
    markers
}

fn of_kind<'s, 'a>(archive: &'s ArchiveView<'a>, kind: SectionKind) -> impl Iterator<Item = &'s Section<'a>> {
    archive.sections().iter().filter(move |s| s.kind == kind)
}

pub(super) fn refused(error: ArchiveError) -> ImportError {
    let text = error.to_string();
    // The offset is the place.
    match text.strip_prefix("byte ").and_then(|t| t.split_once(": ")) {
        Some((offset, reason)) => {
            let place = Place::Byte(offset.parse().unwrap_or_default());
            ImportError::Format { place, reason: reason.into() }
        }
        None => ImportError::Format { place: Place::Byte(0), reason: text },
    }
}

fn raw_skeleton(skeleton: &Skeleton) -> RawSkeleton {
    let joint = |j: usize| RawJoint {
        name: skeleton.name(j).into(),
        parent: skeleton.parent(j),
        rest: Trs::from_f32(skeleton.rest(j)),
    };
    RawSkeleton { joints: (0..skeleton.joint_count()).map(joint).collect() }
}

fn morph(name: &str, view: &MorphView<'_>) -> Morph {
    let spread = |deltas: &[[f32; 3]]| {
        if deltas.is_empty() {
            return Vec::new();
        }
        let mut all = vec![[0.0; 3]; view.vertex_count];
        for (vertex, delta) in view.target.vertices.iter().zip(deltas) {
            if let Some(to) = all.get_mut(*vertex as usize) {
                *to = *delta;
            }
        }
        all
    };
    let mut positions = spread(view.target.positions);
    positions.resize(view.vertex_count, [0.0; 3]);
    Morph {
        name: name.into(),
        weight: f64::from(view.weight),
        positions,
        normals: spread(view.target.normals),
        tangents: spread(view.target.tangents),
    }
}
