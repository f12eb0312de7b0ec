//! Good files, small, made by code.

use super::{
    Seed,
    play::{even, small_skeleton, stage},
};
use crate::{generate, gltf::builder::Builder, graphs, matched, npz, ozz as ozz_files, rng::Rng};
use lissom::{
    Clip,
    archive::{SectionKind, packed},
    clip::Codec,
    job::JobError,
    math::{Qvs, soa::SoaTransform},
};
use lissom_build::{
    BuiltSkeleton,
    archive::ArchiveWriter,
    cook::{ClipBuilder, Effort, Form, Jumps, write_stream},
    exact::M34,
    import::rawclip::{RawClip, WantedPrecision},
    mannequin::{self, Motion},
    mesh::material::{Image, Material, Texture, TextureTransform, TextureUse},
    mesh::{Influences, RawMesh},
    raw::{RawAnimation, RawUserTrack, TrackKind, UserKey},
    scene::{Marker, Morph, SourceNode},
};
use lissom_motion::{
    Animator, Graph, GraphParts, GraphState, PoseMemory,
    frame::Frame,
    graph::{LayerParts, MatchedParts, StateParts},
    matching::{DatabaseParts, Feature, FeatureGroup, FeatureKind, FrameRange},
    memory::MemoryScratch,
    state::TrajectoryPoint,
};
use lissom_world::{Children, Inherit, Keep, Prefab, World};
use serde_json::json;

fn seed(name: impl Into<String>, bytes: Vec<u8>) -> Seed {
    Seed { name: name.into(), bytes }
}

fn cook(built: &BuiltSkeleton, animation: &RawAnimation, builder: ClipBuilder) -> Vec<u8> {
    builder.build(built, animation).expect("our own animation cooks").bytes
}

/// Both forms of a clip: keys, coded in every way; rows that do not come back, a loop that leaves its last row
/// out, and the mannequin's walk.
fn cooked() -> Vec<Seed> {
    let stage = stage();
    // Coarse, so that it stays small.
    let plain = ClipBuilder { precision: 0.01, effort: Effort::Fast, ..ClipBuilder::default() };
    let jumping = ClipBuilder { jumps: Some(Jumps::Every(0.25)), ..plain.clone() };
    let every_key = ClipBuilder { jumps: Some(Jumps::None), reduce: false, ..plain.clone() };
    let mut rng = Rng::new(11);
    let mut out = Vec::new();
    for (name, builder) in [("keys", &jumping), ("keys-2", &jumping), ("every-key", &every_key)] {
        let animation = generate::raw_animation(&mut rng, 3);
        let builder = ClipBuilder { form: Form::Keys, ..builder.clone() };
        out.push(seed(name, cook(&stage.small, &animation, builder)));
    }
    let rows = ClipBuilder { form: Form::Rows, ..plain };
    for (name, looping) in [("rows", false), ("rows-round", true)] {
        out.push(seed(name, cook(&stage.small, &even(looping), rows.clone())));
    }
    out.push(seed("walk", cook(&stage.mannequin, &mannequin::clip(Motion::Walk), rows)));
    out
}

pub(super) fn clips() -> Vec<Seed> {
    cooked()
}

pub(super) fn streams() -> Vec<Seed> {
    let mut out = Vec::new();
    for Seed { name, bytes } in cooked() {
        let clip = Clip::from_bytes(&bytes).expect("a cooked clip reads");
        for codec in [Codec::None, Codec::Lz4, Codec::Zstd, Codec::Gzip] {
            // Codecs that this build does not have are left out.
            if let Ok(stream) = write_stream(&clip, codec) {
                out.push(seed(format!("{name}-{codec:?}").to_lowercase(), stream));
            }
        }
    }
    out
}

pub(super) fn packed() -> Vec<Seed> {
    let some = cooked().into_iter().filter(|c| c.name.starts_with("rows"));
    let rows = some.fold(ArchiveWriter::new(), |writer, clip| {
        writer.clip(2, &clip.name, clip.bytes).expect("names differ")
    });
    let rows = seed("rows", rows.finish().expect("our own archive"));
    let pack = |plain: Seed| {
        let bytes = packed::pack(&plain.bytes).expect("our own archive")?;
        Some(Seed { bytes, ..plain })
    };
    archives().into_iter().chain([rows]).filter_map(pack).collect()
}

pub(super) fn archives() -> Vec<Seed> {
    let stage = stage();
    let some = cooked().into_iter().filter(|c| ["keys", "keys-2", "rows-round"].contains(&&*c.name));
    let small = some.fold(ArchiveWriter::new(), |writer, clip| {
        let version = u16::from_le_bytes([clip.bytes[4], clip.bytes[5]]);
        writer.clip(version, &clip.name, clip.bytes).expect("names differ")
    });
    let key = |ratio: f64, x: f64| UserKey { ratio, value: [x, 0.0, 0.0, 0.0], step: x > 1.0 };
    let keys = vec![key(0.0, 1.0), key(0.5, 2.0), key(1.0, 0.0)];
    let track = RawUserTrack { name: "weight".into(), kind: TrackKind::Float, keys };
    let small = small
        .skeleton("small", &stage.small.skeleton)
        .and_then(|w| w.track(&track))
        .and_then(|w| w.section(SectionKind::from_code(999), 3, 1, "unknown", vec![1, 2, 3]));
    let smile = Morph { name: "smile".into(), positions: vec![[0.0, 0.5, 0.0]; 3], ..Morph::default() };
    let step = Marker { name: "step".into(), time_s: 0.25, duration_s: 0.1 };
    let idle = LayerParts::new("body").state(StateParts::clip("idle", "keys"));
    let graph = GraphParts::new().float("speed", 1.0).layer(idle);
    let small = small
        .and_then(|w| w.mesh(&triangle(), &stage.small))
        .and_then(|w| w.morph(&triangle(), &smile))
        .and_then(|w| w.markers("walk", &[step]))
        .and_then(|w| w.image("skin", &image()))
        .and_then(|w| w.material("cloth", &cloth(), &["skin".into()]))
        .and_then(|w| w.nodes("small", &nodes(stage.small.raw_of_joint.len()), &stage.small))
        .and_then(|w| w.extras("asset", "{\"version\":\"2.0\"}"))
        .and_then(|w| w.graph("graph", &graph))
        .and_then(|w| w.matching("moves", &moves(&["keys"], 3, 2)));
    let figure = ArchiveWriter::new().skeleton("mannequin", &stage.mannequin.skeleton);
    let finish = |w: Result<ArchiveWriter, _>| w.and_then(|w| w.finish()).expect("our own archive");
    let empty = ArchiveWriter::new().finish().expect("an archive without sections");
    // Its vertices stood elsewhere in their source.
    let moved = RawMesh { order: vec![2, 0, 1], ..triangle() };
    let laid_out = ArchiveWriter::new().skeleton("small", &stage.small.skeleton);
    let laid_out = laid_out.and_then(|w| w.mesh(&moved, &stage.small));
    vec![
        seed("empty", empty),
        seed("small", finish(small)),
        seed("figure", finish(figure)),
        seed("laid-out", finish(laid_out)),
    ]
}

fn image() -> Image {
    let bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03".to_vec();
    Image { name: "skin".into(), mime_type: "image/png".into(), bytes }
}

fn cloth() -> Material {
    let texture =
        Texture { images: vec![(String::new(), 0)], sampler: [9729, 0, 0, 33071], ..Texture::default() };
    let transform = Some(TextureTransform { rotation: 0.5, ..TextureTransform::default() });
    let coat = "{\"clearcoatTexture\":{\"index\":0}}";
    Material {
        name: "cloth".into(),
        base_color_texture: Some(TextureUse { texture: 0, uv_set: 1, transform }),
        textures: vec![texture],
        extensions: vec![("KHR_materials_clearcoat".into(), coat.into())],
        extras: "[1]".into(),
        ..Material::default()
    }
}

fn nodes(joints: usize) -> Vec<SourceNode> {
    let node = |j: usize| SourceNode { index: Some(j as u32), name: format!("n{j}"), extras: String::new() };
    (0..joints).map(node).collect()
}

/// A new state, and some in the middle of things.
pub(super) fn graph_states() -> Vec<Seed> {
    let graph = graphs::graph();
    let (mut state, mut frame, mut rng) = (GraphState::new(&graph), Frame::new(&graph), Rng::new(6));
    let mut out = vec![seed("new", state.to_bytes().into())];
    for i in 0..8 {
        (0..40).for_each(|_| graphs::step(&graph, &mut state, &mut frame, &mut rng));
        out.push(seed(format!("running_{i}"), state.to_bytes().into()));
    }
    out.extend(matched_states());
    out
}

/// The same of a graph with a state that is played by motion matching: steered by parameters, led by points, in and out of its turn.
fn matched_states() -> Vec<Seed> {
    let graph = super::play::matched();
    let (mut state, mut frame, mut rng) = (GraphState::new(graph), Frame::new(graph), Rng::new(8));
    let layer = graph.layer("body").expect("the graph has it");
    let key = graph.state_key(layer, "move").expect("the layer has it");
    let rest = graph.bool("rest").expect("the graph has it");
    let mut out = vec![seed("matched_new", state.to_bytes().into())];
    for i in 0..5 {
        for _ in 0..20 {
            for name in ["aside", "ahead"] {
                let float = graph.float(name).expect("the graph has it");
                state.set(float, rng.range(-3.0, 3.0)).expect("a finite number");
            }
            state.set(rest, rng.one_in(6)).expect("its own");
            graph.update(&mut state, 0.05, &mut frame).expect("a step may be taken");
        }
        let point = TrajectoryPoint { position: [0.1, 1.0], direction: [0.0, 1.0] };
        match i {
            1 => state.set_trajectory(graph, key, &[point; 2]).expect("as many as there are times"),
            2 => state.set_search_turn(7, 3).expect("a turn"),
            3 => state.search_now(graph, key).expect("it is matched"),
            _ => {}
        }
        out.push(seed(format!("matched_{i}"), state.to_bytes().into()));
    }
    out
}

/// One with nothing in it, and some that have not died away; then the same of characters that keep poses.
pub(super) fn pose_memories() -> Vec<Seed> {
    let mut out = memories_of(&graphs::inertial(), "");
    out.extend(memories_of(&graphs::keeping(), "kept_"));
    let feet = PoseMemory::new(super::play::holding(), &stage().mannequin.skeleton).to_bytes();
    let mut held = feet.clone();
    // The left foot: its place, what it was off, how much of that is left, and how it is held; at the end, since when.
    let numbers = [0.1_f32, 0.0, -0.2, 0.05, 0.0, 0.1, 0.5].map(f32::to_le_bytes).concat();
    held[16..44].copy_from_slice(&numbers);
    held[44] = 5;
    held[74..].copy_from_slice(&0.02_f64.to_le_bytes());
    out.extend([seed("feet_new", feet), seed("feet_held", held)]);
    out
}

fn memories_of(graph: &Graph, name: &str) -> Vec<Seed> {
    let skeleton = &stage().mannequin.skeleton;
    let mut memory = PoseMemory::new(graph, skeleton);
    let mut out = vec![seed(format!("{name}new"), memory.to_bytes())];
    let (mut state, mut frame) = (GraphState::new(graph), Frame::new(graph));
    let (mut scratch, mut rng) = (MemoryScratch::new(graph, skeleton), Rng::new(4));
    for i in 0..4 {
        let go = graph.trigger("go").expect("the graph has it");
        state.set(go, true).expect("its own");
        graph.update(&mut state, 0.02, &mut frame).expect("a step may be taken");
        let pose = |_, _, out: &mut [SoaTransform]| -> Result<(), JobError> {
            out.copy_from_slice(skeleton.rest_pose());
            out[0].translation.x.0[0] += rng.signed();
            Ok(())
        };
        memory.follow(&frame, &mut scratch, |clip| clip, pose).expect("poses are there");
        for pose in graph.pose_names().take(i) {
            let key = graph.pose_key(pose).expect("its own");
            memory.keep(key, skeleton.rest_pose()).expect("a pose of its skeleton");
            memory.blend_from(key, 0.2).expect("it was kept");
        }
        out.push(seed(format!("{name}running_{i}"), memory.to_bytes()));
    }
    out
}

/// A few frames of somebody who is told things.
pub(super) fn recordings() -> Vec<Seed> {
    let mut out = Vec::new();
    let (archive, graph) = super::play::recorded_matched();
    for i in 0..2 {
        let mut rng = Rng::new(i);
        let mut hero = Animator::new(archive, graph.clone()).expect("its own graph");
        hero.record();
        for _ in 0..20 * i {
            hero.set_value("ahead", rng.signed() * 3.0).expect("a float");
            hero.set_value("rest", rng.one_in(8)).expect("a bool");
            hero.update(0.05).expect("a step may be taken");
        }
        out.push(seed(format!("matched_{i}"), hero.stop_recording().expect("it was recorded").to_bytes()));
    }
    let (archive, graph) = super::play::recorded();
    for i in 0..4_u32 {
        let mut rng = Rng::new(u64::from(i));
        let mut hero = Animator::new(archive, graph.clone()).expect("its own graph");
        hero.record();
        for _ in 0..8 * i {
            match rng.below(6) {
                0 => hero.set_value("speed", rng.signed()).expect("a float"),
                1 => hero.set_value("go", true).expect("a trigger"),
                2 => hero.play("wave").start().map(drop).expect("a clip of the graph"),
                _ => {}
            }
            hero.update(0.05).expect("a step may be taken");
        }
        out.push(seed(format!("frames_{i}"), hero.stop_recording().expect("it was recorded").to_bytes()));
    }
    out
}

/// Everything in one graph, and one with nothing in it.
pub(super) fn graphs() -> Vec<Seed> {
    let more = graphs::parts().curve("lift", 0.5).in_step_by(&["left", "right"]).handed_over();
    let file = graph_files().pop().and_then(|rest| lissom_build::graph::read(&rest.bytes).ok());
    let rules = file.map(|file| file.parts().clone()).unwrap_or_default();
    let parts = [
        ("all", graphs::parts()),
        ("more", more),
        ("rules", rules),
        ("matched", matched_parts()),
        ("feet", matched::parts(matched::plain().holding_feet())),
        ("empty", GraphParts::new()),
    ];
    parts.map(|(name, parts)| seed(name, parts.to_bytes())).into()
}

/// A state that is played by motion matching, of numbers and of parameters.
fn matched_parts() -> GraphParts {
    let all = MatchedParts {
        responsiveness: "quick".into(),
        velocity_half_life_s: 0.3.into(),
        sharp_mps: 0.5,
        ..matched::plain().facing("face").tagged(&["calm"])
    };
    matched::parts(all)
}

/// A database for motion matching with one of each thing, a range per clip.
fn moves(clips: &[&str], features: usize, frames: u32) -> DatabaseParts {
    let kinds = [
        FeatureKind::JointPosition { joint: "foot".into() },
        FeatureKind::JointVelocity { joint: "hips".into() },
        FeatureKind::TrajectoryPosition { time_s: 0.5 },
        FeatureKind::TrajectoryDirection { time_s: -0.5 },
        FeatureKind::Track { name: "lift".into() },
    ];
    let feature = |i: usize| Feature {
        group: i as u32 % 2,
        kind: kinds[i % kinds.len()].clone(),
        axis: i as u8 % 3,
        offset: 0.5,
        scale: 100.0,
    };
    let range = |clip: usize| FrameRange {
        clip: clip as u32,
        start_s: 0.25,
        mirrored: clip % 2 == 1,
        tags: clip as u32 % 4,
        frames,
        entry_from: 0,
        entry_to: frames.div_ceil(2),
    };
    let count = frames as usize * clips.len();
    DatabaseParts {
        skeleton: 7,
        rate_hz: 30.0,
        tags: ["calm", "fast"].map(String::from).to_vec(),
        clips: clips.iter().map(|clip| (*clip).to_owned()).collect(),
        groups: ["pose", "way"].map(|name| FeatureGroup { name: name.into(), weight: 1.0 }).to_vec(),
        features: (0..features).map(feature).collect(),
        ranges: (0..clips.len()).map(range).collect(),
        rows: (0..features * count).map(|i| (i * i % 997) as i16 - 500).collect(),
        biases: if features % 2 == 1 { vec![3; count] } else { Vec::new() },
    }
}

/// Databases of one frame, of a few, and of so many that there are boxes of boxes.
pub(super) fn matching() -> Vec<Seed> {
    let one = moves(&["a"], 1, 1);
    let few = moves(&["a", "b", "c"], 27, 20);
    let many = moves(&["a", "b"], 2, 300);
    [("one", one), ("few", few), ("many", many)].map(|(name, parts)| seed(name, parts.to_bytes())).into()
}

/// The same as people write it; every key stands in one of them.
pub(super) fn graph_files() -> Vec<Seed> {
    let all = lissom_build::graph::to_json(&graphs::parts());
    let rest = r#"{ "$schema": "graph.schema.json", "masks": { "m": [{ "joint": "hips", "weight": 0.5, "falloff": 3 }] },
 "parameters": { "x": { "float": 1e-3, "half_life_s": 0.1 }, "n": { "int": -4 }, "b": { "bool": true }, "t": "trigger", "k": { "curve": 0.5 } },
 "montages": { "combo": { "clip": "c", "root_motion": "ignore", "sections": [{ "name": "a", "next": "b" }, { "name": "b", "from": 0.5, "next": false }] } },
 "sync": ["left", "right"], "hand_over": true, "inertia": true, "poses": ["fallen"], "blend_threshold": 0.5,
 "layers": [{ "name": "l", "mask": "m", "weight": 0.5, "weight_from": "x", "additive": false, "states": [
   { "name": "a", "clip": "c", "speed": -1.5, "speed_from": "x", "repeat": "ping_pong", "by_code": true },
   { "name": "door", "clip": "c", "time_from": "x", "start": 0.25, "root_motion": "horizontal" }, { "name": "far", "clip": "c", "root_motion": -0.5 },
   { "name": "face", "direct": "c", "points": [{ "by": "x", "clip": "none", "speed": 2 }, { "by": "k", "clip": "c" }] },
   { "name": "free", "matched": { "database": "d", "velocity": ["x", "x"], "facing": "x", "velocity_half_life_s": 0.1, "facing_half_life_s": "x",
     "responsiveness": 2, "transition_cost": "x", "tags": ["calm"], "search_s": 0.2, "sharp_mps": 2, "blend_s": 0.1, "feet": true } },
   { "name": "held", "matched": { "database": "d", "velocity": ["x", "x"], "feet": { "contacts": ["l", "r"], "release_s": 0.1, "reach_m": 0.2 } } },
   { "name": "g", "states": [{ "name": "b", "plane": ["x", "x"], "blend": "bands", "keep_speed": { "slowest": 0.25, "fastest": 2 }, "points": [{ "at": [0, 1], "clip": "none", "speed": 2, "own_time": true }] }],
     "transitions": [{ "from": "*", "to": "b" }] }],
 "transitions": [{ "from": "*", "to": "g", "when": [{ "n": { "is_not": 1 } }, { "n": { "is_not": 2, "above": 0, "below": 9 }, "t": true }],
   "priority": 3, "exit": 0.5, "fade_s": 0, "fade": "linear", "interruption": "source", "offset": 0.25, "sync": true, "inertial": true, "again": true,
   "if": { "any": [{ "not": { "when": { "b": true } } }, { "all": [{ "after_s": 0.5 }, { "after_laps": 1.5 }] }, { "layer": "l", "state": "g" },
     { "layer": "l", "one_shot": "c" }, { "layer": "l", "one_shot": false }] } }] }] }"#;
    let matched = lissom_build::graph::to_json(&matched_parts());
    let files = [("matched", matched), ("all", all), ("rest", rest.into())];
    files.map(|(name, text)| seed(name, text.into_bytes())).into()
}

/// A new world, one in the middle of things, and one whose handles were used before.
pub(super) fn worlds() -> Vec<Seed> {
    let mut rng = Rng::new(17);
    let mut local = || Qvs { rotation: rng.rotation(), position: rng.vec3(2.0), scale: rng.range(0.8, 1.2) };
    let mut world = World::new();
    let mut out = vec![seed("empty", world.to_bytes())];
    let mut chain = vec![world.spawn(None, local()).expect("room")];
    for i in 0..20 {
        chain.push(world.spawn(Some(chain[i]), local()).expect("room"));
    }
    let prefab = Prefab::new(&[None, Some(0_usize), Some(0), Some(1)], &[local(), local(), local(), local()]);
    let mut copies = Vec::new();
    world.spawn_prefab(&prefab.expect("a tree"), 5, None, &mut copies).expect("room");
    world.sync();
    world.set_inherit(chain[3], Inherit::KEEP_ROTATION | Inherit::KEEP_Y).expect("alive");
    world.set_external(chain[5], true).expect("alive");
    world.set_local(copies[2], local()).expect("alive");
    out.push(seed("busy", world.to_bytes()));
    world.despawn(chain[18], Children::Despawn).expect("alive");
    world.despawn(copies[4], Children::Despawn).expect("alive");
    world.spawn(Some(chain[0]), local()).expect("room");
    world.set_parent(copies[8], Some(chain[2]), Keep::World).expect("no cycle");
    world.sync();
    out.push(seed("used", world.to_bytes()));
    out
}

/// One triangle on the small skeleton.
fn triangle() -> RawMesh {
    RawMesh {
        name: "triangle".into(),
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        tangents: vec![[1.0, 0.0, 0.0, 1.0]; 3],
        influences: Influences::from_rows(&[[0, 1, 2]; 3], &[[0.5, 0.25, 0.25]; 3]),
        indices: vec![0, 1, 2],
        inverse_binds: vec![M34::IDENTITY; 3],
        uvs: vec![vec![[0.0, 0.5]; 3]; 2],
        colors: vec![vec![[1.0, 0.5, 0.25, 1.0]; 3]],
        order: Vec::new(),
    }
}

pub(super) fn ozz() -> Vec<Seed> {
    let names = ["skeleton", "animation", "animation-300", "raw-animation", "mesh", "tracks"];
    let mut out = Vec::new();
    for (order, big) in [("little", false), ("big", true)] {
        for (name, bytes) in names.iter().zip(ozz_files::archives(big)) {
            out.push(seed(format!("{name}-{order}"), bytes));
        }
    }
    out
}

pub(super) fn rawclips() -> Vec<Seed> {
    let skeleton = small_skeleton();
    let animation = generate::raw_animation(&mut Rng::new(13), 3);
    let precision = WantedPrecision { shell: 0.03, precision: 1e-4 };
    let mut out = Vec::new();
    for (name, has_rest, has_precision) in
        [("bare", false, false), ("rest", true, false), ("full", true, true)]
    {
        let clip = RawClip {
            skeleton: skeleton.clone(),
            has_rest,
            rate_hz: 4.0,
            animation: animation.clone(),
            precision: has_precision.then(|| vec![precision; 3]),
        };
        out.push(seed(name, clip.write().expect("our own raw clip")));
    }
    out
}

pub(super) fn npz() -> Vec<Seed> {
    let mut six = npz::Writer::default();
    six.floats("rot6d", &[2, 22, 6], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0].repeat(2 * 22));
    six.floats("fps", &[1], &[20.0]);
    let mut parts = npz::Writer::default();
    let zeros = |count: usize| vec![0; 4 * count];
    parts.member("root_orient", npz::array("<f4", &[2, 3], &zeros(6), true), true);
    parts.member("pose_body", npz::array("<f4", &[2, 63], &zeros(126), true), true);
    parts.member("gender", npz::array("|O", &[], &[], false), false);
    vec![seed("amass", npz::nodding(52).finish()), seed("six", six.finish()), seed("parts", parts.finish())]
}

pub(super) fn bvh() -> Vec<Seed> {
    let files = [
        (
            "usual",
            "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 90 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation \
             Xrotation Yrotation\n\tJOINT Left Leg\n\t{\n\t\tOFFSET 8 -4 0\n\t\tCHANNELS 3 Zrotation Xrotation \
             Yrotation\n\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -40 0\n\t\t}\n\t}\n}\nMOTION\nFrames: 3\nFrame Time: \
             0.033333\n0 90 0 10 20 30 0 0 0\n1 91 2 11 21 31 5 0 0\n2 90 4 12 -22 32.5 1e1 0 -0.25\n",
        ),
        (
            "two-roots",
            "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Yrotation } ROOT b { OFFSET 1 2 3 CHANNELS 4 Xposition \
             Zrotation Zposition Xrotation End Site { OFFSET 1 0 0 } }\nMOTION\nFrames: 2\nFrame Time: 1\n1 2 3 4 \
             5\n6 7 8 9 0\n",
        ),
        ("still", "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 0 }\nMOTION\nFrames: 0\nFrame Time: 0.1\n"),
    ];
    files.into_iter().map(|(name, text)| seed(name, text.as_bytes().to_vec())).collect()
}

pub(super) fn acl_sjson() -> Vec<Seed> {
    let clip = "// A clip.\nversion = 3\nclip = { name = \"step\" num_samples = 2 sample_rate = 30 \
                is_binary_exact = true }\nsettings = { error_threshold = 0.01 }\nbones = [\n{ name = \"root\" \
                parent = \"\" vertex_distance = 3.0 bind_rotation = [ 0, 0, 0, 1 ] }\n{ name = \"leg\" parent = \
                \"root\" vertex_distance = \"40400000\" bind_scale = [ 1, 1, 1 ] }\n]\ntracks = [\n{ name = \
                \"leg\" rotations = [ [ 0, 0, 0, 1 ] [ 0, \"3fe6a09e667f3bcd\", 0, 0.7 ] ] translations = [ [ 0, \
                1, 2 ] [ 3, 4, 5 ] ] scales = [ [ 1, 1, 1 ] [ 2, 2, 2 ] ] }\n/* the root rests */ ]\n";
    let list = "version = 4\ntrack_list = { name = \"list\" num_samples = 3 sample_rate = 30 }\ntracks = [ { name \
                = \"a\" type = \"float1f\" data = [ [ 1 ] [ 2.5 ] [ -3 ] ] } { type = vector4f data = [ [ 1, 2, \
                3, 4 ] [ 4, 5, 6, 7 ] [ 7, 8, 9, 0 ] ] } ]\n";
    vec![seed("clip", clip.as_bytes().to_vec()), seed("tracks", list.as_bytes().to_vec())]
}

pub(super) fn gltf() -> Vec<Seed> {
    let figure = gltf_figure();
    let mut text = figure.json.clone();
    let uri = format!("data:application/octet-stream;base64,{}", base64(&figure.bytes));
    text["buffers"] = json!([{ "byteLength": figure.bytes.len(), "uri": uri }]);
    let mut apart = Builder::default();
    apart.triangle(json!({}), json!({}));
    apart.node(json!({ "mesh": 0 }));
    let mut apart = apart.json;
    apart["buffers"] = json!([{ "byteLength": 64, "uri": "other.bin" }]);
    vec![
        seed("figure", figure.glb()),
        seed("text", text.to_string().into_bytes()),
        seed("apart", apart.to_string().into_bytes()),
        seed("packed", gltf_packed().glb()),
        seed("meshopt", gltf_meshopt().glb()),
        seed("surfaces", gltf_surfaces().glb()),
        #[cfg(feature = "draco")]
        seed("draco", gltf_draco().glb()),
    ]
}

/// Materials, images, texture coordinates, colours, extras, pointers, nine influences.
fn gltf_surfaces() -> Builder {
    let mut b = gltf_figure();
    let view = b.view(&image().bytes);
    b.push("images", json!({ "name": "skin", "mimeType": "image/png", "bufferView": view }));
    b.push("images", json!({ "uri": "data:image/png;base64,iVBORw0KGgo=" }));
    b.push("samplers", json!({ "magFilter": 9729, "wrapS": 33071 }));
    b.push("textures", json!({ "source": 0, "sampler": 0 }));
    b.push("textures", json!({ "extensions": { "KHR_texture_basisu": { "source": 1 } } }));
    let transform = json!({ "KHR_texture_transform": { "offset": [0.5, 0], "texCoord": 0 } });
    b.push(
        "materials",
        json!({
            "name": "cloth", "alphaMode": "MASK", "extras": { "a": 1 },
            "pbrMetallicRoughness": {
                "baseColorFactor": [1, 0.5, 0.25, 1],
                "baseColorTexture": { "index": 0, "texCoord": 1, "extensions": transform },
            },
            "normalTexture": { "index": 1, "scale": 0.5 },
            "extensions": { "KHR_materials_clearcoat": { "clearcoatTexture": { "index": 1 } } },
        }),
    );
    let uv = b.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let color = b.accessor("VEC4", 5121, 12, &[255, 0, 51, 102].repeat(3), json!({ "normalized": true }));
    let joints = b.accessor("VEC4", 5121, 12, &[1, 0, 0, 0].repeat(3), json!({}));
    let weights = b.floats("VEC4", &[0.5, 0.0, 0.0, 0.0].repeat(3));
    let primitive = &mut b.json["meshes"][0]["primitives"][0];
    primitive["material"] = json!(0);
    for (name, accessor) in [
        ("TEXCOORD_0", uv),
        ("TEXCOORD_1", uv),
        ("COLOR_0", color),
        ("JOINTS_1", joints),
        ("WEIGHTS_1", weights),
    ] {
        primitive["attributes"][name] = json!(accessor);
    }
    let channel = &mut b.json["animations"][0]["channels"][0]["target"];
    *channel = json!({ "path": "pointer", "extensions": {
        "KHR_animation_pointer": { "pointer": "/nodes/0/translation" } } });
    b.json["nodes"][1]["extras"] = json!({ "socket": true });
    b.json["cameras"] = json!([{ "type": "perspective" }]);
    b.json["extensionsUsed"] = json!(["KHR_lights_punctual", "KHR_texture_transform"]);
    b
}

/// A triangle in a Draco stream, of both codecs.
#[cfg(feature = "draco")]
fn gltf_draco() -> Builder {
    let mut b = Builder::default();
    for edgebreaker in [false, true] {
        let stream = crate::draco::triangle(edgebreaker);
        let view = b.view(&stream);
        let accessor = |kind: &str| json!({ "componentType": 5126, "count": 3, "type": kind });
        let position = b.push("accessors", accessor("VEC3"));
        let primitive = json!({
            "attributes": { "POSITION": position },
            "extensions": { "KHR_draco_mesh_compression": { "bufferView": view, "attributes": { "POSITION": 0 } } },
        });
        let mesh = b.push("meshes", json!({ "primitives": [primitive] }));
        b.node(json!({ "mesh": mesh }));
    }
    b.json["extensionsUsed"] = json!(["KHR_draco_mesh_compression"]);
    b.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    b
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits =
            (0..3).fold(0_usize, |bits, i| bits << 8 | usize::from(three.get(i).copied().unwrap_or(0)));
        for digit in 0..4 {
            let known = digit <= three.len();
            out.push(if known { DIGITS[bits >> (18 - 6 * digit) & 63].into() } else { '=' });
        }
    }
    out
}

/// A skinned triangle with a morph, moved in every way that glTF has.
fn gltf_figure() -> Builder {
    let mut b = Builder::default();
    b.node(json!({ "name": "hips", "children": [1, 2], "translation": [0, 1, 0] }));
    b.node(json!({ "name": "leg", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.5, 0, 1] }));
    let target = b.floats("VEC3", &[0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let joints = b.accessor("VEC4", 5121, 12, &[0, 1, 0, 0].repeat(3), json!({}));
    let weights = b.accessor("VEC4", 5121, 12, &[128, 127, 0, 0].repeat(3), json!({ "normalized": true }));
    let indices = b.accessor("SCALAR", 5123, 3, &[0, 0, 1, 0, 2, 0], json!({}));
    let attributes = json!({ "JOINTS_0": joints, "WEIGHTS_0": weights });
    let more = json!({ "indices": indices, "targets": [{ "POSITION": target }] });
    let mesh = b.triangle(attributes, more);
    b.json["meshes"][mesh]["weights"] = json!([0.5]);
    b.node(json!({ "name": "body", "mesh": mesh, "skin": 0 }));
    let mut binds = vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 1.0];
    binds.extend_from_within(..);
    let binds = b.floats("MAT4", &binds);
    b.push("skins", json!({ "joints": [0, 1], "inverseBindMatrices": binds }));
    b.push("scenes", json!({ "nodes": [0] }));
    b.json["scene"] = json!(0);
    b.push("animations", json!({ "name": "move", "channels": [], "samplers": [] }));
    b.channel(0, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
    b.channel(1, "rotation", "STEP", &[0.0, 0.5], &[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    let cubic: Vec<f32> = [[0.0; 3], [1.0; 3], [0.0; 3], [0.5; 3], [2.0; 3], [0.0; 3]].concat();
    b.channel(0, "scale", "CUBICSPLINE", &[0.0, 1.0], &cubic);
    b.channel(2, "weights", "LINEAR", &[0.0, 1.0], &[0.0, 1.0]);
    b
}

/// Sparse, strided and quantised accessors, rigid nodes, two scenes.
fn gltf_packed() -> Builder {
    let mut b = Builder::default();
    let places = b.view(&[1, 0, 0, 0]);
    let values = b.view(&[0; 12]);
    let sparse = json!({
        "bufferView": null, "count": 3, "componentType": 5126, "type": "VEC3", "sparse": {
            "count": 1,
            "indices": { "bufferView": places, "componentType": 5121 },
            "values": { "bufferView": values },
        },
    });
    let mut sparse = sparse;
    sparse.as_object_mut().map(|o| o.remove("bufferView"));
    let positions = b.push("accessors", sparse);
    let strided = b.view(&[1; 24]);
    b.json["bufferViews"][strided]["byteStride"] = json!(8);
    let quantised = json!({
        "bufferView": strided, "count": 3, "componentType": 5122, "type": "VEC3", "normalized": true,
    });
    let quantised = b.push("accessors", quantised);
    b.push(
        "meshes",
        json!({ "primitives": [
        { "attributes": { "POSITION": positions } },
        { "attributes": { "POSITION": quantised }, "mode": 5 },
    ] }),
    );
    b.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    b.node(json!({ "mesh": 0, "rotation": [0, 0, 0, 1], "children": [1] }));
    b.node(json!({ "mesh": 0, "scale": [2, 2, 2] }));
    b.push("scenes", json!({ "nodes": [0] }));
    b.push("scenes", json!({ "nodes": [1] }));
    b.channel(1, "translation", "LINEAR", &[0.25, 0.75], &[0.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
    b
}

/// Two triangles whose positions and indices are compressed.
fn gltf_meshopt() -> Builder {
    let mut b = Builder::default();
    let mut positions = vec![0xa0, 2, 0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5, 0, 0, 0];
    positions.extend([0; 28]);
    positions.extend([100, 7, 8, 9]);
    let mut indices = vec![0xe1, 0xf0, 0x10];
    indices.extend([0; 16]);
    let mut accessors = Vec::new();
    for (packed, stride, count, mode, what) in [
        (
            positions,
            4,
            16,
            "ATTRIBUTES",
            json!({ "componentType": 5120, "type": "VEC3", "normalized": true }),
        ),
        (indices, 2, 6, "TRIANGLES", json!({ "componentType": 5123, "type": "SCALAR" })),
    ] {
        let view = b.view(&packed);
        let stored = b.json["bufferViews"][view].clone();
        let mut compressed = stored.clone();
        compressed["byteStride"] = json!(stride);
        compressed["count"] = json!(count);
        compressed["mode"] = json!(mode);
        let mut outer = json!({ "buffer": 1, "byteLength": stride * count });
        if mode == "ATTRIBUTES" {
            outer["byteStride"] = json!(stride);
        }
        outer["extensions"] = json!({ "EXT_meshopt_compression": compressed });
        b.json["bufferViews"][view] = outer;
        let mut accessor = what;
        accessor["bufferView"] = json!(view);
        accessor["count"] = json!(count);
        accessors.push(b.push("accessors", accessor));
    }
    let fallback = json!({ "EXT_meshopt_compression": { "fallback": true } });
    b.json["buffers"] =
        json!([{ "byteLength": b.bytes.len() }, { "byteLength": 76, "extensions": fallback }]);
    b.json["extensionsRequired"] = json!(["EXT_meshopt_compression", "KHR_mesh_quantization"]);
    b.push(
        "meshes",
        json!({ "primitives": [
        { "attributes": { "POSITION": accessors[0] }, "indices": accessors[1] },
    ] }),
    );
    b.node(json!({ "mesh": 0 }));
    b
}

#[cfg(feature = "fbx")]
pub(super) fn fbx() -> Vec<Seed> {
    let mut bone = crate::fbx::Writer::default();
    bone.bone(1, "bone", 0, [0.0, 1.0, 0.0]);
    vec![seed("figure", crate::fbx::figure()), seed("bone", bone.finish(false, 100.0))]
}

/// Every key, and every way to write its value.
pub(super) fn recipes() -> Vec<Seed> {
    let options = "precision = \"0.2mm\"\nshell = 0.03\nbudget = \"4KB\"\njumps = \"none\"\nform = \"keys\"\n\
                   effort = \"fast\"\nunit = \"cm\"\nup = \"z\"\nforward = \"-y\"\nrate = 30\nskeleton = \"a.glb\"\n\
                   no-mesh = true\nno-images = false\ninfluences = 4\nstrict = true\nclip = [\"a\", \"b\"]\ngraphs = [\"a.json\"]\n";
    let edits = "[clips.\"*\"]\nrate = 24\nloop = \"auto\"\n[clips.\"e?en\"]\nname = \"new *\"\ntrim = [0.25, 1]\n\
                 reverse = true\nmirror = true\nroot-motion = \"*\"\nin-place = \"drift\"\nloop = \"close\"\nprecision = 0.001\n\
                 events = { step = [0.1, 0.2], hit = { at = 0.3, lasts = 0.1 } }\njoints = { \"*\" = \"1mm\" }\n\
                 additive = \"rest\"\n";
    let made = "[clips.other]\nfrom = \"even\"\ntrim = \"0.5..\"\nmirror = \"z\"\nroot-motion = { joint = \"?*\", axes = \"xz\", turn = true, reference = \"rest\", bake = true, loop = true }\nin-place = true\nloop = false\n\
                additive = { clip = \"even\", at = 0.5 }\n[clips.even]\nskip = true\n";
    let matching = "[matching.moves]\nclips = ['*', { clip = 'even', range = [0.5, 2], tags = ['calm'], no-entry = [0, 1], cost = 0.5 }]\nmirrored = true\n\
                    rate = 30\nno-entry = [0, 0.3]\njoints = { hips = 'velocity', left_foot = ['position', 'velocity'], toe = { position = 2 } }\n\
                    trajectory = [-0.5, 1]\ntracks = { lean = 0.5 }\nweights = { position = 1, velocity = 1, trajectory = 1, direction = 1.5 }\n";
    [("options", options), ("edits", edits), ("made", made), ("matching", matching)]
        .map(|(n, t)| seed(n, t.into()))
        .into()
}
