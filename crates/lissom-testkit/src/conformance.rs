//! What the golden hashes are hashes of. Runs on every target there is: natively, on NEON, in wasm.
//!
//! `golden_hashes.txt` beside this crate's manifest is the table. Where a change of bits is meant, write
//! the table anew with `cargo run -p lissom-testkit --bin conformance -- table`, and say why in
//! `golden_hashes.md`: a test asks for that line.

mod motion;

use crate::{
    crowds, generate, golden, graphs,
    kernels::{Inputs, KERNELS},
    oracle,
    rng::Rng,
};
use lissom::{
    Clip, Cursor,
    hash::Fnv64,
    job::{BlendJob, BlendLayer, LocalToModelJob, Models, SampleJob, SampleTime, Update},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::{ClipBuilder, Effort},
    mannequin::{self, Motion},
    matching::{self, MatchedClips, MatchedMotion, MatchingRule},
    scene::SceneAnimation,
};
use lissom_math::{
    Mat34, Qvs, Qvvs, Transform, Vec3,
    simd::Backend,
    soa::{self, SoaTransform},
    trig,
};
use lissom_motion::{
    Graph, GraphParts, GraphState,
    frame::Frame,
    graph::{LayerParts, MatchedParts, StateParts},
    matching::{Database, DatabaseParts},
};
use lissom_world::{Prefab, World};
use std::{fmt::Write, sync::Arc};

/// The committed table: a name and a hash a line.
pub const TABLE: &str = include_str!("../golden_hashes.txt");

/// A name and the hash that was computed for it.
pub type Entry = (String, u64);

/// Every hash, on one backend.
#[must_use]
pub fn hashes(backend: Backend) -> Vec<Entry> {
    let mut all = kernels(backend);
    all.push(("trig".into(), trigonometry()));
    all.push(("qvvs".into(), qvvs()));
    all.push(("pose/random".into(), random_poses()));
    all.extend(mannequin(backend));
    all.extend(clips(backend));
    all.extend(motion::hashes(backend));
    all.push(("matching".into(), matching(backend)));
    all.push(("matching/played".into(), matching_played()));
    all.push(("world".into(), world(backend)));
    all.push(("graph".into(), graphs::hash()));
    all.push(("graph/in_step".into(), graphs::in_step_hash()));
    all.push(("graph/bands".into(), graphs::bands_hash()));
    all.push(("crowd".into(), crowds::hash(backend)));
    all.push(("crowd/all".into(), crowds::hash_of_all(backend)));
    all.push(("recording".into(), crowds::hash_of_recording()));
    all
}

/// The mannequin's gaits, and a database for motion matching that is made of them.
fn gaits() -> ([SceneAnimation; 4], DatabaseParts) {
    let motions = [Motion::Walk, Motion::Run, Motion::StrafeLeft, Motion::TurnRight];
    let animations = motions.map(|motion| mannequin::animation(motion).expect("it has root motion"));
    let skeleton = mannequin::skeleton();
    let identity = SkeletonBuilder::build(&skeleton).expect("it can be built").skeleton.identity();
    let motions = animations.each_ref().map(|animation| {
        let name = animation.motion.name.as_str();
        MatchedMotion { name, mirrored: false, animation, skeleton: &skeleton, identity }
    });
    let clips = vec![MatchedClips { clips: "*".into(), ..MatchedClips::default() }];
    let rule = MatchingRule { clips, rate_hz: 60.0, ..MatchingRule::new("gaits") };
    let parts = matching::cook(&rule, &motions).expect("a human walks").parts;
    (animations, parts)
}

/// A minute of a state that is played by motion matching: clips, weights, heads, and what it remembers.
fn matching_played() -> u64 {
    let (animations, database) = gaits();
    let database = Arc::new(Database::new(&database).expect("it is one"));
    let matched =
        MatchedParts { transition_cost: 0.02.into(), ..MatchedParts::new("gaits", ["aside", "ahead"]) };
    let parts = GraphParts::new()
        .float("aside", 0.0)
        .float("ahead", 0.0)
        .layer(LayerParts::new("body").state(StateParts::matched("move", matched)));
    let facts = |clip: &str| animations.iter().find(|own| own.motion.name == clip).map(SceneAnimation::facts);
    let graph = Graph::with_databases(&parts, facts, |_| Ok(Some(database.clone()))).expect("it is whole");
    let [aside, ahead] = ["aside", "ahead"].map(|name| graph.float(name).expect("it is there"));
    let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
    let (mut rng, mut hash) = (Rng::new(5), Fnv64::new());
    for step in 0..3600 {
        if step % 30 == 0 {
            state.set(aside, rng.range(-1.5, 1.5)).expect("a number");
            state.set(ahead, rng.range(-0.5, 5.0)).expect("a number");
        }
        graph.update(&mut state, 1.0 / 60.0, &mut frame).expect("a step may be taken");
        for entry in frame.entries() {
            hash = hash.u32(u32::from(entry.clip)).f32(entry.weight);
            hash = hash.bytes(&entry.to.progress_s().to_bits().to_le_bytes());
        }
    }
    hash.bytes(&state.to_bytes()).finish()
}

/// What a thousand searches in that database find.
fn matching(backend: Backend) -> u64 {
    let (_, parts) = gaits();
    let database = Database::new(&parts).expect("what was cooked is a database");
    let mut hash = Fnv64::new().bytes(&parts.to_bytes());
    let mut rng = Rng::new(33);
    let mut values = vec![0.0; database.features().len()];
    for _ in 0..1000 {
        let frame = rng.below(database.frames() as usize) as u32;
        database.values(frame, &mut values).expect("there is such a frame");
        values.iter_mut().for_each(|v| *v += rng.signed());
        let query = database.query(&values).and_then(|query| query.playing(&database, frame, 10, 0.5));
        let (found, _) =
            query.and_then(|query| database.search_on(backend, &query)).expect("there is an answer");
        hash = hash.u32(found.frame).u32(found.cost.cast_unsigned()).u32(u32::from(found.stays));
    }
    hash.finish()
}

/// The table as text.
#[must_use]
pub fn table(entries: &[Entry]) -> String {
    entries.iter().fold(String::new(), |mut text, (name, hash)| {
        writeln!(text, "{name} {hash:016x}").expect("a String takes every text");
        text
    })
}

/// Computes everything on every backend and compares it with [`TABLE`].
///
/// # Errors
///
/// A report of every line that differs. The report of success names the backends.
pub fn check() -> Result<String, String> {
    check_on(Backend::all())
}

/// The same on the widest backend alone, where it is slow: under a sanitizer.
///
/// # Errors
///
/// As [`check`].
pub fn check_widest() -> Result<String, String> {
    check_on(Backend::all().last().into_iter())
}

fn check_on(wanted: impl Iterator<Item = Backend>) -> Result<String, String> {
    let mut different = String::new();
    let mut backends = Vec::new();
    for backend in wanted {
        backends.push(backend.name());
        let actual = table(&hashes(backend));
        let (mut actual, mut expected) = (actual.lines(), TABLE.lines());
        loop {
            match (actual.next(), expected.next()) {
                (None, None) => break,
                (a, e) if a == e => {}
                (a, e) => {
                    let (a, e) = (a.unwrap_or("nothing"), e.unwrap_or("nothing"));
                    writeln!(different, "DIFFERENT on {backend}: {a} instead of {e}")
                        .expect("a String takes every text");
                }
            }
        }
    }
    if different.is_empty() {
        Ok(format!("{} golden hashes met on {}", TABLE.lines().count(), backends.join(", ")))
    } else {
        Err(different)
    }
}

/// The start of the line that `golden_hashes.md` must hold about the current table. The reason follows it.
#[must_use]
pub fn explanation_start() -> String {
    format!("golden hashes {:016x}: ", Fnv64::new().bytes(TABLE.as_bytes()).finish())
}

fn kernels(backend: Backend) -> Vec<Entry> {
    let mut rng = Rng::new(2026);
    let ordinary = Inputs::ordinary(&mut rng, 4_099);
    let nasty = Inputs::nasty(&mut rng, 4_099);
    let hash = |kind: &str, inputs: &Inputs| {
        let entry = |k: &crate::kernels::Kernel| {
            (format!("kernel/{}/{kind}", k.name), golden::hash(&(k.run)(backend, inputs)))
        };
        KERNELS.iter().map(entry).collect::<Vec<_>>()
    };
    [hash("ordinary", &ordinary), hash("nasty", &nasty)].concat()
}

fn trigonometry() -> u64 {
    let mut rng = Rng::new(3);
    let mut values = Vec::new();
    for _ in 0..4_096 {
        let (angle, unit, nasty) = (rng.range(-40.0, 40.0), rng.range(-1.0, 1.0), rng.nasty());
        for x in [angle, nasty] {
            values.extend([trig::sin(x), trig::cos(x), trig::tan(x), trig::floor(x), trig::sqrt(x)]);
        }
        for x in [unit, nasty] {
            values.extend([trig::acos(x), trig::asin(x), trig::atan2(x, angle)]);
        }
    }
    golden::hash(&values)
}

fn qvvs() -> u64 {
    let mut rng = Rng::new(4);
    let mut hash = Fnv64::new();
    for _ in 0..1_000 {
        let mut world = Qvvs::IDENTITY;
        for depth in 0..4 {
            let local = Qvs { rotation: rng.rotation(), position: rng.vec3(3.0), scale: rng.range(0.5, 2.0) };
            let stretch = Vec3::new(rng.range(0.5, 2.0), rng.range(0.5, 2.0), rng.range(0.5, 2.0));
            let child = world.mul(&local, stretch, depth);
            hash = golden::extend(hash, &[world.inverse_mul(&child), child.inverse()]);
            hash = golden::extend(hash, &[child.to_mat34()]);
            hash = golden::extend(hash, &[child]);
            world = child;
        }
    }
    hash.finish()
}

fn random_poses() -> u64 {
    let mut rng = Rng::new(5);
    let mut hash = Fnv64::new();
    for joints in [1, 16, 17, 67, 200] {
        let skeleton = generate::skeleton(&mut rng, joints);
        let pose = generate::pose(&mut rng, joints);
        hash = golden::extend(hash, &oracle::local_to_model(&skeleton, &pose, None));
    }
    hash.finish()
}

/// The first eight motions of the mannequin at nine times: local transforms, and model matrices by the job. Then the
/// gaits blended, which runs the rest of the arithmetic.
fn mannequin(backend: Backend) -> Vec<Entry> {
    let raw = mannequin::skeleton();
    let built = SkeletonBuilder::build(&raw).expect("the mannequin is a valid skeleton");
    let skeleton = &built.skeleton;
    let mut entries = Vec::new();
    let mut poses = Vec::new();
    for clip in Motion::ALL.into_iter().take(8).map(mannequin::clip) {
        let (mut locals, mut models) = (Fnv64::new(), Fnv64::new());
        for ninth in 0..9 {
            let time_s = clip.duration_s * f64::from(ninth) / 8.0;
            let sample = |raw_joint: &usize| {
                clip.tracks[*raw_joint].sample(time_s, raw.joints[*raw_joint].rest).to_f32()
            };
            let pose: Vec<Transform> = built.raw_of_joint.iter().map(sample).collect();
            locals = golden::extend(locals, &pose);
            let groups = soa::from_transforms(&pose);
            models = golden::extend(models, &model_matrices(backend, skeleton, &groups));
            if ninth == 3 {
                poses.push(groups);
            }
        }
        entries.push((format!("mannequin/{}/local", clip.name), locals.finish()));
        entries.push((format!("mannequin/{}/model", clip.name), models.finish()));
    }

    let layers: Vec<BlendLayer> = poses
        .iter()
        .zip([0.5, 0.3, 0.9, 0.2])
        .map(|(pose, weight)| BlendLayer { pose, weight, joint_weights: None })
        .collect();
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    BlendJob {
        layers: &layers,
        additive: &layers[..1],
        threshold: BlendJob::DEFAULT_THRESHOLD,
        rest: skeleton.rest_pose(),
        lod: None,
        output: &mut output,
    }
    .run_on(backend)
    .expect("the poses fit the skeleton");
    let models = model_matrices(backend, skeleton, &output);
    entries.push(("mannequin/blend/local".into(), golden::hash_pose(&output, skeleton.joint_count())));
    entries.push(("mannequin/blend/model".into(), golden::hash(&models)));
    entries
}

/// The walk on its skeleton, cooked.
fn walk() -> (BuiltSkeleton, Clip, Vec<u8>) {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).expect("the mannequin is a valid skeleton");
    let builder = ClipBuilder { effort: Effort::Fast, precision: 1e-3, ..ClipBuilder::default() };
    let cooked = builder.build(&built, &mannequin::clip(Motion::Walk)).expect("the walk cooks");
    let clip = Clip::from_bytes(&cooked.bytes).expect("what was cooked is a clip");
    (built, clip, cooked.bytes)
}

/// The walk, cooked: its bytes, and its poses forward, backward and by seeks.
fn clips(backend: Backend) -> Vec<Entry> {
    let (built, clip, bytes) = walk();
    let (skeleton, mut cursor) = (&built.skeleton, Cursor::new());
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut hash = Fnv64::new();
    let moments = (0..60).chain((0..60).rev()).chain((0..60).map(|i| i * 37 % 60));
    for i in moments {
        let time = SampleTime::Ratio(f64::from(i) / 59.0);
        SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor: &mut cursor, output: &mut output }
            .run_on(backend)
            .expect("a clip plays on its skeleton");
        hash = golden::extend(hash, &soa::to_transforms(&output, skeleton.joint_count()));
    }
    let bytes = Fnv64::new().bytes(&bytes).finish();
    vec![("clip/walk/bytes".into(), bytes), ("clip/walk/poses".into(), hash.finish())]
}

/// Prefabs, loose entities and deep chains, moved and synced a few times.
fn world(backend: Backend) -> u64 {
    let mut rng = Rng::new(6);
    let mut local = || Qvs { rotation: rng.rotation(), position: rng.vec3(2.0), scale: rng.range(0.8, 1.2) };
    let mut world = World::new();
    world.set_backend(backend);
    let parents = [None, Some(0_usize), Some(1), Some(1), Some(0)];
    let locals: Vec<Qvs> = parents.iter().map(|_| local()).collect();
    let prefab = Prefab::new(&parents, &locals).expect("a valid prefab");
    let mut entities = Vec::new();
    world.spawn_prefab(&prefab, 40, None, &mut entities).expect("a valid prefab");
    let mut parent = None;
    for i in 0..60 {
        let entity = world.spawn(parent, local()).expect("a live parent");
        entities.push(entity);
        parent = if i % 23 == 22 { None } else { Some(entity) };
    }
    let mut hash = Fnv64::new();
    for frame in 0..5 {
        for entity in entities.iter().skip(frame).step_by(3) {
            world.set_local(*entity, local()).expect("a live entity");
        }
        world.sync();
        let worlds = entities.iter().map(|e| world.transform(*e).expect("a live entity"));
        hash = golden::extend(hash, &worlds.collect::<Vec<_>>());
    }
    hash.finish()
}

fn model_matrices(backend: Backend, skeleton: &lissom::Skeleton, locals: &[SoaTransform]) -> Vec<Mat34> {
    let mut models = vec![Mat34::IDENTITY; skeleton.joint_count()];
    LocalToModelJob {
        skeleton,
        locals,
        root: None,
        update: Update::All,
        lod: None,
        models: Models::Mat34(&mut models),
    }
    .run_on(backend)
    .expect("the pose fits the skeleton");
    models
}
