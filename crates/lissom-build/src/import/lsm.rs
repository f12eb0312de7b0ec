//! A Lissom archive as a scene: what was cooked, as keys again.
//!
//! A cooked clip gives keys at its own rows and, where a channel is curved between two rows, halfway as often as
//! straight lines need to stay within [`STRAIGHT`] of it. A channel that only ever jumps at rows stays a step.

use super::{ImportError, Place};
use crate::{
    exact::{Trs, V3},
    mesh::RawMesh,
    raw::{Channel, Curve, Key, RawAnimation, RawJoint, RawSkeleton, RawTrack, RawUserTrack, Value},
    scene::{Marker, Morph, Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};
use lissom::{
    Cursor, Skeleton,
    archive::{AlignedBytes, Archive, ArchiveError, Limits, MorphView, Section, SectionKind},
    clip::ClipView,
    job::{JobError, SampleJob, SampleTime},
    math::soa,
};

/// How far a straight line between two keys may be from the cooked curve: metres, parts of a unit quaternion, parts
/// of a scale.
pub const STRAIGHT: f64 = 5e-6;
/// How often the stretch between two rows is halved at most.
const HALVINGS: u32 = 6;

/// Reads an archive.
///
/// # Errors
///
/// What is wrong with it, with its byte.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Scene, ImportError> {
    let bytes = AlignedBytes::copy_of(bytes);
    let archive = Archive::read(&bytes, limits).map_err(refused)?;
    let mut scene = Scene::default();
    let mut skeletons: Vec<Skeleton> = Vec::new();
    for section in of_kind(&archive, SectionKind::Skeleton) {
        let skeleton = section.skeleton(limits).map_err(refused)?;
        let name = section.name.to_owned();
        scene.skeletons.push(SceneSkeleton { name, skeleton: raw_skeleton(&skeleton) });
        skeletons.push(skeleton);
    }
    let with_identity = |id: u64| skeletons.iter().position(|s| s.identity() == id);
    for section in of_kind(&archive, SectionKind::Clip) {
        let clip = section.clip().map_err(refused)?;
        let view = clip.view();
        let place = || Place::Path(format!("clip {:?}", section.name));
        let found = with_identity(view.skeleton_identity()).and_then(|s| Some((s, skeletons.get(s)?)));
        let Some((index, skeleton)) = found else {
            let reason = format!("its skeleton, {:016x}, is not in the archive", view.skeleton_identity());
            return Err(ImportError::Format { place: place(), reason });
        };
        let mut motion = raw_animation(view, skeleton)
            .map_err(|error| ImportError::Format { place: place(), reason: error.to_string() })?;
        section.name.clone_into(&mut motion.name);
        let markers = match archive.markers(section.name) {
            Ok(markers) => markers.iter().map(|m| Marker { name: m.name.into(), time_s: m.time_s }).collect(),
            Err(ArchiveError::Missing { .. }) => Vec::new(),
            Err(error) => return Err(refused(error)),
        };
        scene.animations.push(SceneAnimation { skeleton: Some(index), motion, tracks: Vec::new(), markers });
    }
    for section in of_kind(&archive, SectionKind::Track) {
        let view = section.track().map_err(refused)?;
        let owner = archive.owner(SectionKind::Clip, section.name);
        let of_clip = owner.and_then(|(clip, name)| {
            let animation = scene.animations.iter_mut().find(|a| a.motion.name == clip)?;
            Some((animation, name))
        });
        match of_clip {
            Some((animation, name)) => animation.tracks.push(RawUserTrack::from_view(name, &view)),
            None => scene.tracks.push(RawUserTrack::from_view(section.name, &view)),
        }
    }
    for section in of_kind(&archive, SectionKind::Mesh) {
        let view = section.mesh().map_err(refused)?;
        let joints = view.inverse_binds.len();
        // A file of version 1 does not say; the first skeleton that fits is meant.
        let skeleton = match view.skeleton_identity {
            Some(id) => with_identity(id),
            None => skeletons.iter().position(|s| s.joint_count() == joints),
        };
        let Some(skeleton) = skeleton else {
            let place = Place::Path(format!("mesh {:?}", section.name));
            return Err(ImportError::Format { place, reason: "its skeleton is not in the archive".into() });
        };
        let mesh = RawMesh::from_view(section.name, &view);
        let morphs = archive.morphs(section.name).map_err(refused)?;
        let morphs = morphs.into_iter().map(|(name, view)| morph(name, &view)).collect();
        scene.meshes.push(SceneMesh { skeleton, mesh, morphs });
    }
    Ok(scene)
}

fn of_kind<'s, 'a>(archive: &'s Archive<'a>, kind: SectionKind) -> impl Iterator<Item = &'s Section<'a>> {
    archive.sections().iter().filter(move |s| s.kind == kind)
}

fn refused(error: ArchiveError) -> ImportError {
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

/// The poses of a clip at some times, and halfway between them.
struct Poses {
    times: Vec<f64>,
    /// One list a time.
    poses: Vec<Vec<Trs>>,
    /// One list between two times.
    middles: Vec<Vec<Trs>>,
}

/// A cooked clip as keys.
///
/// # Errors
///
/// What [`SampleJob`] refuses.
pub fn raw_animation(clip: ClipView<'_>, skeleton: &Skeleton) -> Result<RawAnimation, JobError> {
    let mut cursor = Cursor::with_room_for(clip);
    let mut pose = skeleton.rest_pose().to_vec();
    let mut sample = |time_s: f64| -> Result<Vec<Trs>, JobError> {
        let time = SampleTime::Clamped(time_s);
        SampleJob { skeleton, clip, time, lod: None, cursor: &mut cursor, output: &mut pose }.run()?;
        Ok((0..skeleton.joint_count()).map(|j| Trs::from_f32(soa::lane(&pose, j))).collect())
    };
    let all = gather(clip, &mut sample)?;
    let mut tracks = Vec::with_capacity(skeleton.joint_count());
    for joint in 0..skeleton.joint_count() {
        let rest = Trs::from_f32(skeleton.rest(joint));
        tracks.push(RawTrack {
            translation: channel(&all, joint, rest.translation, |t| t.translation),
            rotation: channel(&all, joint, rest.rotation, |t| t.rotation),
            scale: channel(&all, joint, rest.scale, |t| t.scale),
        });
    }
    Ok(RawAnimation {
        name: clip.name().into(),
        duration_s: clip.duration_s(),
        looping: clip.is_looping(),
        tracks,
    })
}

/// Poses at every row, and between two rows wherever a straight line would not do.
fn gather(
    clip: ClipView<'_>,
    sample: &mut impl FnMut(f64) -> Result<Vec<Trs>, JobError>,
) -> Result<Poses, JobError> {
    let mut out = Poses { times: vec![0.0], poses: vec![sample(0.0)?], middles: Vec::new() };
    for row in 1..clip.row_count() {
        let last = row + 1 == clip.row_count();
        let to = if last { clip.duration_s() } else { clip.row_time_s(row) };
        let Some(from) = out.times.last().copied().filter(|from| to > *from) else { continue };
        // Stretches still to do, the next one last.
        let mut open = vec![(from, to, sample(to)?, 0)];
        while let Some((from, to, end, depth)) = open.pop() {
            let Some(start) = out.poses.last() else { break };
            let middle = from + (to - from) / 2.0;
            let mut curves = false;
            for quarter in [0.25, 0.75] {
                curves |= curved(start, &sample(from + (to - from) * quarter)?, &end, quarter);
            }
            let half = sample(middle)?;
            curves |= curved(start, &half, &end, 0.5);
            if curves && depth < HALVINGS && middle > from && middle < to {
                open.push((middle, to, end, depth + 1));
                open.push((from, middle, half, depth + 1));
            } else {
                out.times.push(to);
                out.poses.push(end);
                out.middles.push(half);
            }
        }
    }
    Ok(out)
}

/// True if a joint is neither on the straight line from start to end nor, as in a step, still at its start.
fn curved(start: &[Trs], found: &[Trs], end: &[Trs], share: f64) -> bool {
    let off = |a: V3, m: V3, b: V3| a != m && (a.lerp(b, share) - m).length() > STRAIGHT;
    start.iter().zip(found).zip(end).any(|((a, m), b)| {
        let turn = a.rotation.slerp(b.rotation, share).near(m.rotation).plus(m.rotation.scaled(-1.0));
        let turned = a.rotation != m.rotation && turn.dot(turn).sqrt() > STRAIGHT;
        turned || off(a.translation, m.translation, b.translation) || off(a.scale, m.scale, b.scale)
    })
}

fn channel<V: Value + PartialEq>(all: &Poses, joint: usize, rest: V, pick: fn(&Trs) -> V) -> Channel<V> {
    let of_joint =
        |poses: &[Vec<Trs>]| -> Vec<V> { poses.iter().filter_map(|p| p.get(joint).map(pick)).collect() };
    let (values, middles) = (of_joint(&all.poses), of_joint(&all.middles));
    let Some(first) = values.first().copied() else { return Channel::default() };
    if values.iter().all(|v| *v == first) {
        return if first == rest { Channel::default() } else { Channel::constant(first) };
    }
    let keys = all.times.iter().zip(&values).map(|(t, v)| Key { time_s: *t, value: *v });
    let mut keys: Vec<Key<V>> = keys.collect();
    if values.iter().zip(&middles).any(|(start, half)| start != half) {
        return Channel { curve: Curve::Slerp, keys, tangents: Vec::new() };
    }
    // It stays until the next key, always.
    keys.dedup_by(|later, first| later.value == first.value);
    Channel { curve: Curve::Step, keys, tangents: Vec::new() }
}
