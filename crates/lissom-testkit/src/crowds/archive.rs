//! The archives that crowds of tests play: the mannequin with short clips that cook fast.

use lissom::{archive::Archive, track::ROOT_TRACKS};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::ArchiveWriter,
    cook::{ClipBuilder, Effort, Form},
    exact::{Q4, Trs, V3},
    mannequin::{self, Detail, Motion},
    raw::{Channel, Curve, Key, RawAnimation, RawSkeleton, RawTrack, RawUserTrack, TrackKind, UserKey},
    scene::Marker,
};

const VALID: &str = "the mannequin is valid";

/// The motions of the mannequin, and the form that each is cooked to.
const MOTIONS: [(Motion, &str, Form); 4] = [
    (Motion::Idle, "idle", Form::Keys),
    (Motion::Walk, "walk", Form::Rows),
    (Motion::Run, "run", Form::Rows),
    (Motion::Wave, "wave", Form::Rows),
];

/// Every motion moves the joints below this one.
const FIRST: usize = 12;
/// Joints beyond the first group of 16 that every motion of [`archive`] moves too: some of each group.
const MORE: [usize; 10] = [16, 19, 22, 32, 33, 35, 48, 54, 55, 59];

/// The mannequin with clips of every kind: cubic keys (`idle`, `breathe`), rows (`walk`, `run`, `wave`) and differences, as rows
/// (`lean_left`) and as linear keys (`lean_right`). They move joints of all four groups of 16: rotations everywhere, in `run` also a translation and a scale.
/// Markers last a fifth of their clip.
/// Walking and running travel, pass the markers `left` and `right` at different shares of their length, and running turns. `breathe` and
/// `walk` have the curve `lift`.
///
/// # Panics
///
/// If the mannequin does not cook.
#[must_use]
pub fn archive() -> Archive {
    let raw = mannequin::skeleton();
    let mut file = File::new(&raw);
    for (motion, name, form) in MOTIONS {
        let mut clip = few_joints(motion, name, |joint| joint < FIRST || MORE.contains(&joint));
        for joint in MORE {
            if clip.tracks[joint].rotation.keys.len() < 2 {
                clip.tracks[joint].rotation = swaying(&raw, joint, clip.duration_s, 30.0, Curve::Linear);
            }
        }
        if motion == Motion::Run {
            let (from, [stretch, slide]) = (clip.duration_s, [MORE[1], MORE[8]]);
            clip.tracks[stretch].scale = between(V3::ONE, V3::new(1.2, 0.9, 1.1), from);
            let at = raw.joints[slide].rest.translation;
            clip.tracks[slide].translation = between(at, at + V3::new(0.0, 0.05, 0.0), from);
        }
        let [left, right] = match motion {
            Motion::Walk => [0.25, 0.75],
            _ => [0.1, 0.5],
        };
        let markers = match motion {
            Motion::Walk | Motion::Run => ["left".to_owned(), "right".to_owned()],
            _ => [format!("{name} left"), format!("{name} right")],
        };
        file.clip(&clip, form, markers.into_iter().zip([left, right]));
    }
    let sways = |name: &str, joints: &[usize], rate: f64, curve| {
        let mut tracks = vec![RawTrack::default(); raw.joints.len()];
        for joint in joints {
            tracks[*joint].rotation = swaying(&raw, *joint, 1.2, rate, curve);
        }
        RawAnimation { name: name.into(), duration_s: 1.2, looping: true, additive: false, tracks }
    };
    file.clip(&sways("breathe", &[2, 11, 20, 33, 49, 54], 5.0, Curve::Hermite), Form::Keys, []);
    let rest: Vec<Trs> = raw.joints.iter().map(|joint| joint.rest).collect();
    for (name, joints, rate, form) in
        [("lean_left", [3, 17, 35, 55], 30.0, Form::Rows), ("lean_right", [4, 20, 33, 60], 5.0, Form::Keys)]
    {
        let lean = sways(name, &joints, rate, Curve::Linear).added_to(&raw, &rest).expect(VALID);
        file.clip(&RawAnimation { additive: true, ..lean }, form, []);
    }
    file.travels();
    file.track("breathe", "lift", TrackKind::Float, [0.0; 4], [1.0, 0.0, 0.0, 0.0]);
    file.track("walk", "lift", TrackKind::Float, [0.5, 0.0, 0.0, 0.0], [0.25, 0.0, 0.0, 0.0]);
    file.finish()
}

/// The mannequin with clips of its first joints, in both forms. Each has two markers that last; walking and running travel, and running turns.
pub(super) fn gaits() -> Archive {
    let raw = mannequin::skeleton();
    let mut file = File::new(&raw);
    for (motion, name, form) in MOTIONS {
        let clip = few_joints(motion, name, |joint| joint < FIRST);
        let markers = [(format!("{name} left"), 0.25), (format!("{name} right"), 0.75)];
        file.clip(&clip, form, markers);
    }
    file.travels();
    file.finish()
}

/// A motion of some joints: the others are at rest.
fn few_joints(motion: Motion, name: &str, moves: impl Fn(usize) -> bool) -> RawAnimation {
    let clip = mannequin::clip(motion);
    let mut tracks = clip.tracks.clone();
    for (_, track) in tracks.iter_mut().enumerate().filter(|(joint, _)| !moves(*joint)) {
        *track = RawTrack::default();
    }
    RawAnimation { name: name.into(), tracks, ..clip }
}

/// A joint turns to and fro, once in the clip. Each joint starts elsewhere.
fn swaying(raw: &RawSkeleton, joint: usize, duration_s: f64, rate: f64, curve: Curve) -> Channel<Q4> {
    let count = (duration_s * rate + 0.5) as usize;
    let rest = raw.joints[joint].rest.rotation;
    let key = |i: usize| {
        let share = i as f64 / count as f64;
        let angle = 0.4 * libm::sin(core::f64::consts::TAU * share + joint as f64);
        Key { time_s: duration_s * share, value: rest * Q4::from_axis_angle(V3::X, angle) }
    };
    Channel { curve, keys: (0..=count).map(key).collect(), tangents: Vec::new() }
}

/// From one value to another and back, with 30 keys a second.
fn between(from: V3, to: V3, duration_s: f64) -> Channel<V3> {
    let count = (duration_s * 30.0 + 0.5) as usize;
    let key = |i: usize| {
        let share = i as f64 / count as f64;
        let there = if share < 0.5 { share } else { 1.0 - share };
        Key { time_s: duration_s * share, value: from.lerp(to, 2.0 * there) }
    };
    Channel { curve: Curve::Linear, keys: (0..=count).map(key).collect(), tangents: Vec::new() }
}

/// An archive on its way.
struct File {
    built: BuiltSkeleton,
    writer: ArchiveWriter,
}

impl File {
    fn new(raw: &RawSkeleton) -> Self {
        let built = SkeletonBuilder::build(raw).expect(VALID);
        let mut mesh = mannequin::mesh(&Detail::default()).expect(VALID);
        mesh.name = "body".into();
        let writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton).expect(VALID);
        Self { writer: writer.mesh(&mesh, &built).expect(VALID), built }
    }

    fn clip(&mut self, clip: &RawAnimation, form: Form, markers: impl IntoIterator<Item = (String, f64)>) {
        let builder = ClipBuilder { form, effort: Effort::Fast, precision: 1e-3, ..ClipBuilder::default() };
        let bytes = builder.build(&self.built, clip).expect(VALID).bytes;
        let (at, lasts) = (|share| clip.duration_s * share, clip.duration_s * 0.2);
        let marker = |(name, share)| Marker { name, time_s: at(share), duration_s: lasts };
        let markers: Vec<Marker> = markers.into_iter().map(marker).collect();
        let mut writer = core::mem::take(&mut self.writer);
        writer = writer.clip(u16::from(bytes[4]), &clip.name, bytes).expect(VALID);
        self.writer = writer.markers(&clip.name, &markers).expect(VALID);
    }

    /// A track of a clip, from one value to another.
    fn track(&mut self, clip: &str, name: &str, kind: TrackKind, from: [f64; 4], to: [f64; 4]) {
        let key = |ratio, value| UserKey { ratio, value, step: false };
        let keys = vec![key(0.0, from), key(1.0, to)];
        let track = RawUserTrack { name: format!("{clip}/{name}"), kind, keys };
        self.writer = core::mem::take(&mut self.writer).track(&track).expect(VALID);
    }

    /// The root motion of walking and running.
    fn travels(&mut self) {
        let [place, turn] = ROOT_TRACKS;
        self.track("walk", place, TrackKind::Float3, [0.0; 4], [0.0, 0.0, 1.5, 0.0]);
        self.track("run", place, TrackKind::Float3, [0.0; 4], [0.0, 0.0, 3.0, 0.0]);
        self.track("run", turn, TrackKind::Quat, [0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8]);
    }

    fn finish(self) -> Archive {
        Archive::read(&self.writer.finish().expect(VALID)).expect("what was written is an archive")
    }
}
