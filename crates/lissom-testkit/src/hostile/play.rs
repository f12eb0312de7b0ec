//! Uses what a reader gave out: plays clips forward, backward and in leaps, samples raw animations.

use crate::{matched, rng::Rng};
use lissom::{
    ClipView, Cursor, Skeleton,
    archive::Archive,
    job::{SampleJob, SampleTime},
    math::soa::SoaTransform,
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::ArchiveWriter,
    cook::ClipBuilder,
    exact::{Q4, Trs, V3},
    mannequin,
    raw::{Key, RawAnimation, RawJoint, RawSkeleton, RawTrack, RawUserTrack, TrackKind, UserKey},
    scene::{Marker, Scene, SceneAnimation, SceneSkeleton},
};
use lissom_motion::{
    Graph, GraphParts,
    graph::{LayerParts, StateParts, Test, TransitionParts},
    matching::Database,
};
use std::sync::{Arc, OnceLock};

/// Frames of each way to play. Few: instrumented by a fuzzer, a frame takes a hundred times as long.
pub(super) const FRAMES: u32 = 8;

/// The skeletons that seeds are made for; built once, so that their memory is nobody's.
pub(super) struct Stage {
    pub(super) mannequin: BuiltSkeleton,
    pub(super) mannequin_raw: RawSkeleton,
    pub(super) small: BuiltSkeleton,
}

pub(super) fn stage() -> &'static Stage {
    static STAGE: OnceLock<Stage> = OnceLock::new();
    STAGE.get_or_init(|| {
        let build = |raw: &RawSkeleton| SkeletonBuilder::build(raw).expect("our own skeleton");
        let mannequin_raw = mannequin::skeleton();
        Stage { mannequin: build(&mannequin_raw), mannequin_raw, small: build(&small_skeleton()) }
    })
}

/// Builds what is built once.
pub(super) fn prepare() {
    stage();
    recorded();
    recorded_matched();
    matched();
    holding();
    matched_database();
}

/// An archive of three joints, and the graph that recordings play: gaits by inertia, and a wave over them.
pub(super) fn recorded() -> &'static (Archive, Arc<Graph>) {
    static RECORDED: OnceLock<(Archive, Arc<Graph>)> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let built = &stage().small;
        let mut writer = ArchiveWriter::new().skeleton("small", &built.skeleton).expect("our own skeleton");
        for name in ["idle", "walk", "wave"] {
            let clip = RawAnimation { name: name.into(), ..even(true) };
            let bytes = ClipBuilder::default().build(built, &clip).expect("our own clip").bytes;
            writer = writer.clip(u16::from(bytes[4]), name, bytes).expect("a clip fits");
        }
        let archive = Archive::read(&writer.finish().expect("it is small")).expect("what was written reads");
        let way = |from, to| TransitionParts::new(from, to).when("go", Test::On).inertial().fade(0.3);
        let parts = GraphParts::new().float("speed", 0.0).trigger("go").clip("wave").layer(
            LayerParts::new("body")
                .state(StateParts::line("move", "speed", &[(0.0, "idle"), (1.0, "walk")]))
                .state(StateParts::clip("rest", "idle"))
                .transition(way("move", "rest"))
                .transition(way("rest", "move")),
        );
        let graph = Graph::of_archive(&parts, &archive).expect("the archive has the clips");
        (archive, Arc::new(graph))
    })
}

/// A graph with a state that is played by motion matching.
pub(super) fn matched() -> &'static Graph {
    static MATCHED: OnceLock<Graph> = OnceLock::new();
    MATCHED.get_or_init(matched::graph)
}

/// The same, and feet are held.
pub(super) fn holding() -> &'static Graph {
    static HOLDING: OnceLock<Graph> = OnceLock::new();
    HOLDING.get_or_init(|| {
        matched::made(&matched::parts(matched::plain().holding_feet())).expect("it is allowed")
    })
}

/// What it is played by.
pub(super) fn matched_database() -> &'static Arc<Database> {
    static DATABASE: OnceLock<Arc<Database>> = OnceLock::new();
    DATABASE.get_or_init(|| Arc::new(Database::new(&matched::database()).expect("it is allowed")))
}

/// An archive of three joints and a graph with a state that is played by motion matching, of two clips.
pub(super) fn recorded_matched() -> &'static (Archive, Arc<Graph>) {
    static RECORDED: OnceLock<(Archive, Arc<Graph>)> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let built = &stage().small;
        let mut database = matched::database();
        database.skeleton = built.skeleton.identity();
        database.clips.truncate(2);
        database.ranges.truncate(2);
        // As long as the clips are.
        let (features, frames) = (database.features.len(), 37);
        let rows = |clip: usize| &database.rows[clip * 65 * features..][..frames * features];
        database.rows = [rows(0), rows(1)].concat();
        database.ranges.iter_mut().for_each(|range| (range.frames, range.entry_to) = (37, 30));
        let mut writer = ArchiveWriter::new().skeleton("small", &built.skeleton).expect("our own skeleton");
        for name in ["idle", "walk"] {
            let clip = RawAnimation { name: name.into(), ..even(name == "idle") };
            let bytes = ClipBuilder::default().build(built, &clip).expect("our own clip").bytes;
            writer = writer.clip(u16::from(bytes[4]), name, bytes).expect("a clip fits");
        }
        let writer = writer.matching("move", &database).expect("it fits");
        let archive = Archive::read(&writer.finish().expect("it is small")).expect("what was written reads");
        let graph = Graph::of_archive(&matched::parts(matched::plain()), &archive);
        (archive, Arc::new(graph.expect("the archive has clips and database")))
    })
}

/// Three joints in a row.
pub(super) fn small_skeleton() -> RawSkeleton {
    let joint = |name: &str, parent| RawJoint { name: name.into(), parent, rest: Trs::IDENTITY };
    RawSkeleton { joints: vec![joint("hips", None), joint("leg", Some(0)), joint("foot", Some(1))] }
}

/// Two blocks of rows and a bit, moving channels and constants of all three kinds.
pub(super) fn even(looping: bool) -> RawAnimation {
    let end = if looping { std::f64::consts::TAU } else { 5.0 };
    let rows = 36;
    let tracks = (0..3).map(|joint| {
        let wave = |i: usize| libm::sin(end * i as f64 / (rows - 1) as f64 + joint as f64);
        let at = |i: usize| if joint == 1 { wave(0) } else { wave(i) };
        let rows = if joint == 1 { 1 } else { rows };
        // Over a whole turn the centre of a rotation moves.
        let turn = |i: usize| Q4::from_axis_angle(V3::Z, 3.0 * at(i));
        fn keys<V>(rows: usize, value: impl Fn(usize) -> V) -> Vec<Key<V>> {
            (0..rows).map(|i| Key { time_s: i as f64 / 30.0, value: value(i) }).collect()
        }
        let mut track = RawTrack::default();
        track.translation.keys = keys(rows, |i| V3::new(at(i), 0.25, 0.5 * at(i)));
        track.rotation.keys = keys(rows, turn);
        track.scale.keys = keys(rows, |i| V3::ONE * (1.0 + 0.25 * at(i)));
        track
    });
    let duration_s = (rows - 1) as f64 / 30.0;
    RawAnimation { name: "even".into(), duration_s, looping, additive: false, tracks: tracks.collect() }
}

/// A clip with all that edits change: joints that move, a track of steps and lines, markers.
pub(super) fn edited_scene() -> Scene {
    let key = |(ratio, value, step)| UserKey { ratio, value: [value, 0.0, 0.0, 0.0], step };
    let keys = [(0.0, 1.0, false), (0.3, 0.0, true), (0.5, 0.5, false), (1.0, 1.0, true)];
    let track =
        RawUserTrack { name: "morph/leg_l".into(), kind: TrackKind::Float, keys: keys.map(key).into() };
    let marker = |(name, time_s, duration_s): (&str, _, _)| Marker { name: name.into(), time_s, duration_s };
    let animation = SceneAnimation {
        skeleton: Some(0),
        motion: even(false),
        tracks: vec![track],
        markers: [("left", 0.1, 0.0), ("b", 0.6, 0.3)].map(marker).into(),
        ..SceneAnimation::default()
    };
    let skeleton = SceneSkeleton { skeleton: small_skeleton(), ..SceneSkeleton::default() };
    Scene { skeletons: vec![skeleton], animations: vec![animation], ..Scene::default() }
}

/// Plays a clip by every way to move, for the skeleton it says it was made for, if that is one of these.
pub(super) fn clip(clip: ClipView<'_>, more: &[Skeleton], frames: u32) {
    let ours = [&stage().mannequin.skeleton, &stage().small.skeleton];
    let mut all = ours.into_iter().chain(more);
    // A clip for another skeleton is refused: that too must not panic, with any skeleton.
    let fits = |s: &&Skeleton| s.identity() == clip.skeleton_identity();
    let skeleton = all.clone().find(fits).or_else(|| all.next());
    let Some(skeleton) = skeleton else { return };
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut cursor = Cursor::new();
    for time in times(clip.duration_s(), frames) {
        // Errors are answers too.
        let _ = SampleJob { skeleton, clip, time, lod: None, cursor: &mut cursor, output: &mut output }.run();
    }
}

/// Forward, backward, in leaps, and times that are none.
pub(super) fn times(duration_s: f64, frames: u32) -> impl Iterator<Item = SampleTime> + Clone {
    let ratio = move |frame: u32| f64::from(frame) / f64::from(frames);
    let mut rng = Rng::new(5);
    (0..=frames)
        .map(move |f| SampleTime::Ratio(ratio(f)))
        .chain((0..=frames).rev().map(move |f| SampleTime::Clamped(ratio(f) * duration_s)))
        .chain((0..frames).map(move |_| SampleTime::Wrapped(rng.range_f64(-3.0, 3.0) * duration_s)))
        .chain([f64::NAN, f64::INFINITY, -1.0, 1e300, 0.0].map(SampleTime::Clamped))
}

/// What an importer gives out is valid, and can be sampled.
pub(super) fn raw(skeleton: &RawSkeleton, animation: Option<&RawAnimation>) {
    skeleton.validate().expect("an imported skeleton is valid");
    SkeletonBuilder::build(skeleton).expect("an imported skeleton can be built");
    let Some(animation) = animation else { return };
    animation.validate(skeleton.joints.len()).expect("an imported animation is valid");
    motion(animation);
}

/// Samples an animation at a few times.
pub(super) fn motion(animation: &RawAnimation) {
    for track in &animation.tracks {
        for ratio in [0.0, 0.3, 1.0] {
            let local = track.sample(ratio * animation.duration_s, Trs::IDENTITY);
            assert!(local.is_finite(), "a valid animation gives finite poses");
        }
    }
}

/// Everything in a scene is valid and fits together.
pub(super) fn scene(scene: &Scene) {
    let joints = |skeleton: usize| scene.skeletons[skeleton].skeleton.joints.len();
    for skeleton in &scene.skeletons {
        raw(&skeleton.skeleton, None);
        let mut names: Vec<_> = skeleton.skeleton.joints.iter().map(|j| &j.name).collect();
        names.sort();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "names are unique");
    }
    for animation in &scene.animations {
        let tracks = animation.motion.tracks.len();
        animation
            .motion
            .validate(animation.skeleton.map_or(tracks, joints))
            .expect("an imported animation is valid");
        motion(&animation.motion);
        for track in &animation.tracks {
            track.validate().expect("an imported track is valid");
        }
        assert!(animation.markers.iter().all(|m| (0.0..=animation.motion.duration_s).contains(&m.time_s)));
    }
    for mesh in &scene.meshes {
        mesh.mesh.validate(joints(mesh.skeleton)).expect("an imported mesh is valid");
        for morph in &mesh.morphs {
            let vertices = mesh.mesh.positions.len();
            assert_eq!(morph.positions.len(), vertices);
            assert!(morph.normals.is_empty() || morph.normals.len() == vertices);
            assert!(morph.tangents.is_empty() || morph.tangents.len() == vertices);
        }
    }
}
