//! A Lissom archive as a scene: what was cooked, as keys again.
//!
//! A cooked clip gives keys at its own rows and, where a channel is curved between two rows, halfway as often as
//! straight lines need to stay within [`STRAIGHT`] of it. A channel that only ever jumps at rows stays a step.

use super::{ImportError, ImportLimits, Place, surfaces};
use crate::{
    exact::{Q4, Trs, V3},
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
/// What is wrong with it, with its byte; [`ImportError::Limit`] if its clips would become more keys than
/// [`ImportLimits::memory_for`] its bytes can hold.
pub fn read(bytes: &[u8], limits: &ImportLimits) -> Result<Scene, ImportError> {
    let mut budget = Budget::of(limits.memory_for(bytes.len() as u64));
    let limits = &Limits::default();
    let bytes = AlignedBytes::copy_of(bytes);
    let archive = Archive::read(&bytes, limits).map_err(refused)?;
    let mut scene = Scene::default();
    let mut skeletons: Vec<Skeleton> = Vec::new();
    for section in of_kind(&archive, SectionKind::Skeleton) {
        let skeleton = section.skeleton(limits).map_err(refused)?;
        let name = section.name.to_owned();
        scene.skeletons.push(SceneSkeleton {
            name,
            skeleton: raw_skeleton(&skeleton),
            nodes: Vec::new(),
            ..Default::default()
        });
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
        let mut motion = raw_animation(view, skeleton, &mut budget).map_err(|error| match error {
            Unplayable::Job(error) => ImportError::Format { place: place(), reason: error.to_string() },
            Unplayable::TooLarge { found } => {
                let (what, allowed) = ("the memory for its keys", budget.whole);
                ImportError::Limit { place: place(), what, found, allowed }
            }
        })?;
        section.name.clone_into(&mut motion.name);
        let markers = match archive.markers(section.name) {
            Ok(markers) => markers.iter().map(|m| Marker { name: m.name.into(), time_s: m.time_s }).collect(),
            Err(ArchiveError::Missing { .. }) => Vec::new(),
            Err(error) => return Err(refused(error)),
        };
        scene.animations.push(SceneAnimation {
            skeleton: Some(index),
            motion,
            markers,
            ..Default::default()
        });
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
    let materials = surfaces::read(&archive, &mut scene).map_err(refused)?;
    for section in of_kind(&archive, SectionKind::Mesh) {
        let view = section.mesh().map_err(refused)?;
        let Some(skeleton) = with_identity(view.skeleton_identity) else {
            let place = Place::Path(format!("mesh {:?}", section.name));
            return Err(ImportError::Format { place, reason: "its skeleton is not in the archive".into() });
        };
        let mesh = RawMesh::from_view(section.name, &view);
        let found = archive.morphs(section.name).map_err(refused)?;
        let mut morphs = Vec::with_capacity(found.len());
        for (name, target) in found {
            let vertices = view.positions.len();
            let size = vertices.saturating_mul(3 * size_of::<[f32; 3]>());
            // Checked first: the count of vertices costs the file nothing.
            if target.vertex_count != vertices || budget.take(size as u64).is_err() {
                let place = Place::Path(format!("morph target {name:?} of mesh {:?}", section.name));
                let reason = format!("it is for {} vertices, the mesh has {vertices}", target.vertex_count);
                return Err(ImportError::Format { place, reason });
            }
            morphs.push(morph(name, &target));
        }
        let mesh = SceneMesh { skeleton, mesh, morphs, ..Default::default() };
        scene.meshes.push(materials.describe(&view, mesh));
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

/// Memory that may still be taken.
struct Budget {
    whole: u64,
    left: u64,
}

/// Why a clip gave no keys.
enum Unplayable {
    Job(JobError),
    /// What it would take.
    TooLarge {
        found: u64,
    },
}

impl From<JobError> for Unplayable {
    fn from(error: JobError) -> Self {
        Self::Job(error)
    }
}

impl Budget {
    fn of(bytes: u64) -> Self {
        Self { whole: bytes, left: bytes }
    }

    fn take(&mut self, bytes: u64) -> Result<(), Unplayable> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let found = self.whole.saturating_sub(self.left).saturating_add(bytes);
                Err(Unplayable::TooLarge { found })
            }
        }
    }
}

/// A cooked clip as keys.
fn raw_animation(
    clip: ClipView<'_>,
    skeleton: &Skeleton,
    budget: &mut Budget,
) -> Result<RawAnimation, Unplayable> {
    let joints = skeleton.joint_count();
    let mut cursor = Cursor::with_room_for(clip);
    let mut pose = skeleton.rest_pose().to_vec();
    let mut sample = |time_s: f64| -> Result<Vec<Trs>, JobError> {
        let time = SampleTime::Clamped(time_s);
        SampleJob { skeleton, clip, time, lod: None, cursor: &mut cursor, output: &mut pose }.run()?;
        Ok((0..joints).map(|j| Trs::from_f32(soa::lane(&pose, j))).collect())
    };
    let mut before = sample(0.0)?;
    let mut growing: Vec<Growing> = before.iter().map(Growing::new).collect();
    let mut times = vec![0.0];
    for row in 1..clip.row_count() {
        let last = row + 1 == clip.row_count();
        let to = if last { clip.duration_s() } else { clip.row_time_s(row) };
        let Some(from) = times.last().copied().filter(|from| to > *from) else { continue };
        // Stretches still to do, the next one last.
        let mut open = vec![(from, to, sample(to)?, 0)];
        while let Some((from, to, end, depth)) = open.pop() {
            // Rows cost a file nothing, so they are paid for whether a joint moves or not.
            budget.take(8 + 8 * joints as u64)?;
            let middle = from + (to - from) / 2.0;
            let mut curves = false;
            for quarter in [0.25, 0.75] {
                curves |= curved(&before, &sample(from + (to - from) * quarter)?, &end, quarter);
            }
            let half = sample(middle)?;
            curves |= curved(&before, &half, &end, 0.5);
            if curves && depth < HALVINGS && middle > from && middle < to {
                open.push((middle, to, end, depth + 1));
                open.push((from, middle, half, depth + 1));
                continue;
            }
            for (joint, (half, end)) in growing.iter_mut().zip(half.iter().zip(&end)) {
                joint.push(&times, half, end, budget)?;
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
    let off = |a: V3, m: V3, b: V3| a != m && (a.lerp(b, share) - m).length() > STRAIGHT;
    start.iter().zip(found).zip(end).any(|((a, m), b)| {
        let turn = a.rotation.slerp(b.rotation, share).near(m.rotation).plus(m.rotation.scaled(-1.0));
        let turned = a.rotation != m.rotation && turn.dot(turn).sqrt() > STRAIGHT;
        turned || off(a.translation, m.translation, b.translation) || off(a.scale, m.scale, b.scale)
    })
}

/// The channels of a joint while time goes on.
struct Growing {
    translation: Values<V3>,
    rotation: Values<Q4>,
    scale: Values<V3>,
}

impl Growing {
    fn new(first: &Trs) -> Self {
        Self {
            translation: Values::new(first.translation),
            rotation: Values::new(first.rotation),
            scale: Values::new(first.scale),
        }
    }

    fn push(&mut self, times: &[f64], half: &Trs, end: &Trs, budget: &mut Budget) -> Result<(), Unplayable> {
        self.translation.push(times, half.translation, end.translation, budget)?;
        self.rotation.push(times, half.rotation, end.rotation, budget)?;
        self.scale.push(times, half.scale, end.scale, budget)
    }
}

/// The values of a channel at every time so far; only the first while all are the same.
struct Values<V> {
    all: Vec<V>,
    /// True if it was ever anywhere but at its last value halfway to the next.
    moves: bool,
}

impl<V: Value + PartialEq> Values<V> {
    fn new(first: V) -> Self {
        Self { all: vec![first], moves: false }
    }

    /// `times` are those so far, without the end's.
    fn push(&mut self, times: &[f64], half: V, end: V, budget: &mut Budget) -> Result<(), Unplayable> {
        let Some(last) = self.all.last().copied() else { return Ok(()) };
        self.moves |= half != last;
        if self.all.len() < times.len() {
            if end == last {
                return Ok(());
            }
            budget.take((times.len() * size_of::<Key<V>>()) as u64)?;
            self.all.resize(times.len(), last);
        }
        if self.all.len() > 1 || end != last {
            budget.take(size_of::<Key<V>>() as u64)?;
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
