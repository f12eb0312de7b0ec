//! A Lissom archive as a scene: what was cooked, as keys again.
//!
//! A cooked clip gives keys at its own rows and, where a channel is curved between two rows, halfway as often as
//! straight lines need to stay within [`STRAIGHT`] of it. A channel that only ever jumps at rows stays a step.

use super::{ImportError, ImportLimits, Place, budget::Budget, clip_names::name_joints, surfaces};
use crate::{
    exact::{M34, Q4, Trs, V3},
    mesh::RawMesh,
    raw::{Channel, Curve, Key, RawAnimation, RawJoint, RawSkeleton, RawTrack, RawUserTrack, UserKey, Value},
    scene::{Marker, Morph, Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};
use lissom::{
    Cursor, Skeleton,
    archive::{AlignedBytes, ArchiveError, ArchiveView, Limits, MorphView, Section, SectionKind},
    clip::ClipView,
    job::{SampleJob, SampleTime},
    math::soa,
};

/// How far a straight line between two keys may be from the cooked curve: metres, parts of a unit quaternion, parts
/// of a scale.
pub const STRAIGHT: f64 = 5e-6;
/// How often the stretch between two rows is halved at most.
const HALVINGS: u32 = 6;

/// What a target adds to a vertex: position, normal, tangent.
const MORPH_BYTES: usize = 3 * 12;
/// A joint of a clip: its track, and the track while it grows, with a value of each channel.
const JOINT_BYTES: usize = size_of::<RawTrack>() + size_of::<GrowingTrack>() + 2 * size_of::<[Key<Q4>; 3]>();

/// Eighths of the memory that are for what is counted. Not counted: the copy of the file, skeletons, names, the cursor.
const OURS: u64 = 6;

/// Reads an archive.
///
/// # Errors
///
/// What is wrong with it, with its byte; [`ImportError::Limit`] if its clips, meshes or tracks would become more than
/// [`ImportLimits::memory_for`] its bytes can hold.
pub fn read(bytes: &[u8], limits: &ImportLimits) -> Result<Scene, ImportError> {
    let mut budget = Budget::with_eighths(limits, bytes.len() as u64, OURS);
    let limits = &Limits::default();
    let bytes = AlignedBytes::copy_of(bytes);
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
        let clip = section.clip().map_err(refused)?;
        let view = clip.view();
        let place = || Place::Path(format!("clip {:?}", section.name));
        let found = with_identity(view.skeleton_identity()).and_then(|s| Some((s, skeletons.get(s)?)));
        let Some((index, skeleton)) = found else {
            let reason = format!("its skeleton, {:016x}, is not in the archive", view.skeleton_identity());
            return Err(ImportError::Format { place: place(), reason });
        };
        let mut motion =
            raw_animation(view, skeleton, &mut KeyBudget { budget: &mut budget, place: &place })?;
        section.name.clone_into(&mut motion.name);
        let valid = motion.validate(skeleton.joint_count());
        valid.map_err(|source| ImportError::Animation { place: place(), source })?;
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

/// The memory that keys of a clip are paid from, and whose they are.
struct KeyBudget<'a> {
    budget: &'a mut Budget,
    place: &'a dyn Fn() -> Place,
}

impl KeyBudget<'_> {
    fn take(&mut self, count: usize, each: usize) -> Result<(), ImportError> {
        self.budget.take(count as u64, each, self.place)
    }

    /// Keys of a channel, which are values in a list that doubles before they are keys.
    fn take_keys<V>(&mut self, count: usize) -> Result<(), ImportError> {
        self.take(count, size_of::<Key<V>>().saturating_add(size_of::<[V; 2]>()))
    }
}

/// A cooked clip as keys.
fn raw_animation(
    clip: ClipView<'_>,
    skeleton: &Skeleton,
    keys: &mut KeyBudget<'_>,
) -> Result<RawAnimation, ImportError> {
    let joints = skeleton.joint_count();
    // A joint costs the clip nothing, and has its three channels, with a key each perhaps.
    keys.take(joints, JOINT_BYTES)?;
    let place = keys.place;
    let mut cursor = Cursor::with_room_for(clip);
    let mut pose = skeleton.rest_pose().to_vec();
    let mut sample = |time_s: f64| -> Result<Vec<Trs>, ImportError> {
        let time = SampleTime::Clamped(time_s);
        let mut job = SampleJob { skeleton, clip, time, lod: None, cursor: &mut cursor, output: &mut pose };
        job.run().map_err(|error| ImportError::Format { place: place(), reason: error.to_string() })?;
        Ok((0..joints).map(|j| Trs::from_f32(soa::lane(&pose, j))).collect())
    };
    let mut before = sample(0.0)?;
    let mut growing: Vec<GrowingTrack> = before.iter().map(GrowingTrack::new).collect();
    let mut times = vec![0.0];
    for row in 1..clip.row_count() {
        let last = row.saturating_add(1) == clip.row_count();
        let to = if last { clip.duration_s() } else { clip.row_time_s(row) };
        let Some(from) = times.last().copied().filter(|from| to > *from) else { continue };
        // Stretches still to do, the next one last.
        let mut open = vec![(from, to, sample(to)?, 0)];
        while let Some((from, to, end, depth)) = open.pop() {
            // Rows cost a file nothing, so they are paid for whether a joint moves or not.
            keys.take(joints.saturating_add(3), size_of::<f64>())?;
            let middle = from + (to - from) / 2.0;
            let mut curves = false;
            for quarter in [0.25, 0.75] {
                curves |= curved(&before, &sample(from + (to - from) * quarter)?, &end, quarter);
            }
            let half = sample(middle)?;
            curves |= curved(&before, &half, &end, 0.5);
            if curves && depth < HALVINGS && middle > from && middle < to {
                open.push((middle, to, end, depth.saturating_add(1)));
                open.push((from, middle, half, depth.saturating_add(1)));
                continue;
            }
            for (joint, (half, end)) in growing.iter_mut().zip(half.iter().zip(&end)) {
                joint.push(&times, half, end, keys)?;
            }
            times.push(to);
            before = end;
        }
    }
    let rest = (0..joints).map(|j| Trs::from_f32(skeleton.rest(j)));
    let tracks = growing.into_iter().zip(rest).map(|(joint, rest)| RawTrack {
        translation: joint.translation.finish(&times, rest.translation),
        rotation: joint.rotation.finish(&times, rest.rotation),
        scale: joint.scale.finish(&times, rest.scale),
    });
    Ok(RawAnimation {
        name: clip.name().into(),
        duration_s: clip.duration_s(),
        looping: clip.is_looping(),
        tracks: tracks.collect(),
    })
}

/// True if a joint is neither on the straight line from start to end nor, as in a step, still at its start.
fn curved(start: &[Trs], found: &[Trs], end: &[Trs], share: f64) -> bool {
    let off = |a: V3, m: V3, b: V3| a != m && a.lerp(b, share).distance(m) > STRAIGHT;
    start.iter().zip(found).zip(end).any(|((a, m), b)| {
        let turn = a.rotation.slerp(b.rotation, share).near(m.rotation).plus(m.rotation.scaled(-1.0));
        let turned = a.rotation != m.rotation && turn.dot(turn).sqrt() > STRAIGHT;
        turned || off(a.translation, m.translation, b.translation) || off(a.scale, m.scale, b.scale)
    })
}

/// The channels of a joint while time goes on.
struct GrowingTrack {
    translation: GrowingChannel<V3>,
    rotation: GrowingChannel<Q4>,
    scale: GrowingChannel<V3>,
}

impl GrowingTrack {
    fn new(first: &Trs) -> Self {
        Self {
            translation: GrowingChannel::new(first.translation),
            rotation: GrowingChannel::new(first.rotation),
            scale: GrowingChannel::new(first.scale),
        }
    }

    fn push(
        &mut self,
        times: &[f64],
        half: &Trs,
        end: &Trs,
        keys: &mut KeyBudget<'_>,
    ) -> Result<(), ImportError> {
        self.translation.push(times, half.translation, end.translation, keys)?;
        self.rotation.push(times, half.rotation, end.rotation, keys)?;
        self.scale.push(times, half.scale, end.scale, keys)
    }
}

/// The values of a channel at every time so far; only the first while all are the same.
struct GrowingChannel<V> {
    all: Vec<V>,
    /// True if it was ever anywhere but at its last value halfway to the next.
    moves: bool,
}

impl<V: Value + PartialEq> GrowingChannel<V> {
    fn new(first: V) -> Self {
        Self { all: vec![first], moves: false }
    }

    /// `times` are those so far, without the end's.
    fn push(&mut self, times: &[f64], half: V, end: V, keys: &mut KeyBudget<'_>) -> Result<(), ImportError> {
        let Some(last) = self.all.last().copied() else { return Ok(()) };
        self.moves |= half != last;
        if self.all.len() < times.len() {
            if end == last {
                return Ok(());
            }
            keys.take_keys::<V>(times.len())?;
            self.all.resize(times.len(), last);
        }
        if self.all.len() > 1 || end != last {
            keys.take_keys::<V>(1)?;
            self.all.push(end);
        }
        Ok(())
    }

    fn finish(self, times: &[f64], rest: V) -> Channel<V> {
        if let [only] = self.all.as_slice() {
            return if *only == rest { Channel::default() } else { Channel::constant(*only) };
        }
        let keys = times.iter().zip(&self.all).map(|(t, v)| Key { time_s: *t, value: *v });
        let mut keys: Vec<Key<V>> = keys.collect();
        if self.moves {
            return Channel { curve: Curve::Slerp, keys, tangents: Vec::new() };
        }
        // It stays until the next key, always.
        keys.dedup_by(|later, first| later.value == first.value);
        Channel { curve: Curve::Step, keys, tangents: Vec::new() }
    }
}
