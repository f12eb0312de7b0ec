//! Oddities of shipped models in skeletons and animations: each has the result that the importer's table names.

use super::{build, refusal, warnings};
use lissom_build::{
    exact::{Q4, V3},
    raw::Curve,
};
use lissom_testkit::gltf::builder::Builder;
use serde_json::json;

const TURN: [f32; 8] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8];

/// One node, and a channel that turns it.
fn turning(interpolation: &str, times: &[f32], values: &[f32]) -> Builder {
    let mut b = Builder::default();
    let node = b.node(json!({ "name": "n" }));
    b.channel(node, "rotation", interpolation, times, values);
    b
}

#[test]
fn signs_that_flip_between_keys_turn_nothing() {
    let flipped: Vec<f32> = TURN[..4].iter().copied().chain(TURN[4..].iter().map(|c| -c)).collect();
    let (a, b) =
        (build(&turning("LINEAR", &[0.0, 1.0], &TURN)), build(&turning("LINEAR", &[0.0, 1.0], &flipped)));
    for i in 0..=10 {
        let at = |s: &lissom_build::scene::Scene| {
            s.animations[0].motion.tracks[0].rotation.sample(f64::from(i) / 10.0).unwrap()
        };
        assert!(at(&a).dot(at(&b)).abs() > 1.0 - 1e-12);
    }
    assert_eq!(warnings(&b), "");
}

#[test]
fn keys_that_start_late_stay_where_they_are() {
    let scene = build(&turning("LINEAR", &[0.5, 1.5], &TURN));
    let motion = &scene.animations[0].motion;
    assert_eq!((motion.duration_s, motion.tracks[0].rotation.keys[0].time_s), (1.5, 0.5));
    assert_eq!(motion.tracks[0].rotation.sample(0.2), Some(Q4::IDENTITY));
    assert_eq!(motion.tracks[0].rotation.curve, Curve::Slerp);
}

#[test]
fn a_cubic_with_one_key_is_a_constant() {
    let values = [9.0, 9.0, 9.0, 9.0, 0.0, 0.6, 0.0, 0.8, 9.0, 9.0, 9.0, 9.0];
    let scene = build(&turning("CUBICSPLINE", &[1.0], &values));
    let rotation = &scene.animations[0].motion.tracks[0].rotation;
    assert_eq!((rotation.keys.len(), rotation.tangents.len()), (1, 0));
    assert!((rotation.sample(0.0).unwrap().y - 0.6).abs() < 1e-6);
}

#[test]
fn an_animation_without_length_is_a_pose() {
    let scene = build(&turning("LINEAR", &[0.0], &TURN[4..]));
    assert_eq!(scene.animations[0].motion.duration_s, 1.0 / 30.0);
    assert!(warnings(&scene).contains("no duration"));
}

#[test]
fn keys_at_one_time_are_one() {
    let values = [&TURN[..], &[0.0, 0.0, 1.0, 0.0]].concat();
    let scene = build(&turning("LINEAR", &[0.0, 1.0, 1.0], &values));
    let keys = &scene.animations[0].motion.tracks[0].rotation.keys;
    assert_eq!((keys.len(), keys[1].value), (2, Q4::new(0.0, 0.0, 1.0, 0.0)));
    assert_eq!(
        warnings(&scene),
        "animation 0: 1 keys have the time of the key before them; of such keys the last counts"
    );
}

#[test]
fn times_and_values_that_are_wrong_are_named() {
    let place = "animation 0, channel 0: ";
    assert_eq!(
        refusal(&turning("LINEAR", &[1.0, 0.5], &TURN)),
        format!("{place}the time of key 1 is 0.5, after a key at 1")
    );
    for bad in [f32::NAN, -1.0, f32::INFINITY] {
        assert!(
            refusal(&turning("LINEAR", &[bad, 0.5], &TURN))
                .starts_with(&format!("{place}the time of key 0 is "))
        );
    }
    let mut values = TURN;
    values[5] = f32::NAN;
    assert!(
        refusal(&turning("LINEAR", &[0.0, 0.5], &values))
            .starts_with(&format!("{place}the value of key 1 is "))
    );
    assert!(refusal(&turning("LINEAR", &[0.0, 0.5], &[0.0; 8])).contains("which is no rotation"));
    assert_eq!(
        refusal(&turning("CUBICSPLINE", &[0.0, 0.5], &TURN)),
        format!("{place}its keys need 6 values, but there are 2")
    );
    assert_eq!(refusal(&turning("LINEAR", &[], &TURN)), format!("{place}it has no keys"));
    let scene = build(&turning("LINEAR", &[0.0], &TURN));
    assert!(warnings(&scene).contains("more values than their keys need"));
    assert!(warnings(&build(&turning("WOBBLY", &[0.0, 1.0], &TURN))).contains("taken as LINEAR"));
}

#[test]
fn of_two_channels_on_one_target_the_first_counts() {
    let mut b = turning("LINEAR", &[0.0, 1.0], &TURN);
    b.channel(0, "rotation", "STEP", &[0.0], &[1.0, 0.0, 0.0, 0.0]);
    let scene = build(&b);
    assert_eq!(scene.animations[0].motion.tracks[0].rotation.keys.len(), 2);
    assert_eq!(
        warnings(&scene),
        "animation 0, channel 1: another channel moves the Rotation of node 0 too; the first one counts"
    );
}

#[test]
fn channels_that_move_nothing_known_are_left_out() {
    let mut b = turning("LINEAR", &[0.0, 1.0], &TURN);
    b.channel(0, "translation", "LINEAR", &[0.0, 9.0], &[0.0; 6]);
    b.channel(0, "pointer", "LINEAR", &[0.0, 8.0], &[0.0; 6]);
    b.channel(0, "weights", "LINEAR", &[0.0, 7.0], &[0.0; 2]);
    let target = &mut b.json["animations"][0]["channels"][1]["target"];
    target.as_object_mut().unwrap().remove("node");
    let scene = build(&b);
    let text = warnings(&scene);
    for part in
        ["1 channels have no target node", "1 channels move something other", "node 0 has no morph targets"]
    {
        assert!(text.contains(part), "{text}");
    }
    assert!(scene.animations[0].tracks.is_empty());
    b.json["animations"][0]["channels"][0]["sampler"] = json!(77);
    assert_eq!(refusal(&b), "animation 0, channel 0: there is no sampler 77");
}

#[test]
fn joints_may_stand_after_their_children_and_have_animated_ancestors() {
    let mut b = Builder::default();
    b.node(json!({ "name": "hand", "translation": [0, 1, 0] }));
    b.node(json!({ "name": "arm", "children": [0], "translation": [0, 2, 0] }));
    b.node(json!({ "name": "lamp" }));
    b.node(json!({ "name": "crane", "children": [1, 2] }));
    b.push("skins", json!({ "joints": [0, 1] }));
    b.channel(3, "scale", "LINEAR", &[0.0, 1.0], &[1.0, 1.0, 1.0, -1.0, 2.0, 3.0]);
    let scene = build(&b);
    let joints = &scene.skeletons[0].skeleton.joints;
    let names: Vec<_> = joints.iter().map(|j| (j.name.as_str(), j.parent)).collect();
    // The lamp is no joint of a skin, does not move and carries nothing: it may be a socket.
    assert_eq!(names, [("hand", Some(1)), ("arm", Some(3)), ("lamp", Some(3)), ("crane", None)]);
    let scale = &scene.animations[0].motion.tracks[3].scale;
    assert_eq!(scale.keys[1].value, V3::new(-1.0, 2.0, 3.0));
}

#[test]
fn names_become_unique_and_are_never_missing() {
    let mut b = Builder::default();
    for name in ["a", "a", "", "a"] {
        b.node(json!({ "name": name }));
    }
    b.node(json!({}));
    let scene = build(&b);
    let names: Vec<_> = scene.skeletons[0].skeleton.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["a", "a_2", "node_2", "a_3", "node_4"]);
    let text = warnings(&scene);
    assert!(text.contains("2 have no name") && text.contains("2 have the name of another"), "{text}");
}

#[test]
fn clips_have_their_own_names_or_none() {
    let mut b = turning("LINEAR", &[0.0, 1.0], &TURN);
    let clip = b.json["animations"][0].clone();
    for name in ["walk", "walk", ""] {
        let mut clip = clip.clone();
        clip["name"] = json!(name);
        b.push("animations", clip);
    }
    let scene = build(&b);
    let names: Vec<_> = scene.animations.iter().map(|a| a.motion.name.as_str()).collect();
    assert_eq!(names, ["", "walk", "walk_2", ""]);
    assert!(warnings(&scene).contains("animation 2 \"walk\": its name is taken"));
}

#[test]
fn several_scenes_and_roots_are_one_skeleton() {
    let mut b = Builder::default();
    let (one, two) = (b.node(json!({ "name": "one" })), b.node(json!({ "name": "two" })));
    b.push("scenes", json!({ "nodes": [one], "name": "day" }));
    b.push("scenes", json!({ "nodes": [two], "name": "night" }));
    b.json["scene"] = json!(1);
    let scene = build(&b);
    assert_eq!((scene.name.as_str(), scene.skeletons.len()), ("night", 1));
    assert_eq!(scene.skeletons[0].skeleton.joints.len(), 2);
    assert!(warnings(&scene).contains("there are 2; the nodes of all are in one skeleton"));
}

#[test]
fn matrices_come_apart_and_mirrors_are_one_negative_scale() {
    let mut b = Builder::default();
    b.node(json!({ "matrix": [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1] }));
    b.node(json!({ "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1] }));
    b.node(json!({ "matrix": [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "name": "leaning" }));
    let scene = build(&b);
    let rest: Vec<_> = scene.skeletons[0].skeleton.joints.iter().map(|j| j.rest).collect();
    assert_eq!((rest[0].translation, rest[0].scale), (V3::new(7.0, 8.0, 9.0), V3::new(2.0, 3.0, 1.0)));
    assert!(((rest[0].rotation.rotate(V3::X)) - V3::Y).length() < 1e-12);
    assert!(rest[1].scale.x * rest[1].scale.y * rest[1].scale.z < 0.0);
    assert!((rest[1].to_m34().columns[2] + V3::Z).length() < 1e-12);
    assert!(warnings(&scene).contains("node 2 \"leaning\": its matrix has shear"));
}

#[test]
fn more_than_255_joints_and_odd_skeleton_roots_are_fine() {
    let mut b = Builder::default();
    for node in 0..400 {
        b.node(json!({ "name": format!("j{node}") }));
    }
    for node in 0..399 {
        b.json["nodes"][node]["children"] = json!([node + 1]);
    }
    let other = b.node(json!({ "name": "elsewhere" }));
    let joints: Vec<usize> = (0..400).rev().collect();
    b.push("skins", json!({ "joints": joints, "skeleton": other }));
    let scene = build(&b);
    assert_eq!(scene.skeletons[0].skeleton.joints.len(), 401);
    let text = warnings(&scene);
    assert!(text.contains("skin 0: its skeleton, node 400, is none of its joints"), "{text}");
    assert!(text.contains("no inverse bind matrices"), "{text}");
}

#[test]
fn rotations_and_transforms_that_are_wrong_are_named() {
    let node = |json: serde_json::Value| {
        let mut b = Builder::default();
        b.node(json);
        b
    };
    assert_eq!(
        refusal(&node(json!({ "name": "x", "rotation": [0, 0, 0, 0] }))),
        "node 0 \"x\": its rotation has no length"
    );
    assert_eq!(
        refusal(&node(json!({ "translation": [1e300, 0, 0] }))),
        "node 0: its transform has a number that f32 cannot hold"
    );
    let scene = build(&node(json!({ "rotation": [0, 0, 0, 2] })));
    assert_eq!(scene.skeletons[0].skeleton.joints[0].rest.rotation, Q4::IDENTITY);
    assert!(warnings(&scene).contains("its rotation has length 2.000"));
}

#[test]
fn unknown_required_extensions_are_named_and_others_are_not() {
    let mut b = turning("LINEAR", &[0.0, 1.0], &TURN);
    b.json["extensionsRequired"] = json!(["KHR_materials_unlit", "KHR_mesh_quantization", "ACME_magic"]);
    let scene = build(&b);
    assert_eq!(scene.warnings.len(), 1);
    assert!(warnings(&scene).starts_with("extension \"ACME_magic\": this required extension is unknown"));
}

#[test]
fn what_our_exporter_notes_is_read_and_other_notes_are_not() {
    let mut b = turning("LINEAR", &[0.0, 1.0], &TURN);
    b.json["animations"][0]["extras"] = json!({ "looping": true, "duration_s": 1.5 });
    let motion = build(&b).animations.remove(0).motion;
    assert_eq!((motion.looping, motion.duration_s), (true, 1.5));
    for odd in [
        json!("looping"),
        json!({ "looping": 7, "duration_s": "long" }),
        json!({ "duration_s": 1e300 }),
        json!([]),
    ] {
        b.json["animations"][0]["extras"] = odd;
        let motion = build(&b).animations.remove(0).motion;
        assert_eq!((motion.looping, motion.duration_s), (false, 1.0));
    }
}

#[test]
fn markers_of_our_exporter_are_read_and_odd_ones_do_no_harm() {
    let mut b = turning("LINEAR", &[0.0, 1.0], &TURN);
    let read = |b: &mut Builder, markers: serde_json::Value| {
        b.json["animations"][0]["extras"] = json!({ "looping": true, "markers": markers });
        let scene = build(b);
        assert!(scene.animations[0].motion.looping, "the other notes stand");
        let markers = &scene.animations[0].markers;
        (markers.iter().map(|m| format!("{} {}", m.name, m.time_s)).collect::<Vec<_>>(), warnings(&scene))
    };
    let (found, odd) =
        read(&mut b, json!([{ "name": "b", "time_s": 0.75 }, { "name": "a", "time_s": 0.25, "x": 1 }]));
    assert_eq!((found, odd.as_str()), (vec!["a 0.25".into(), "b 0.75".into()], ""));
    let late = json!([{ "name": "late", "time_s": 7.0 }, { "name": "", "time_s": 0.5 }, { "name": "c", "time_s": -1 }]);
    let (found, odd) = read(&mut b, late);
    assert_eq!(found, ["c 0", "late 1"]);
    assert!(odd.contains("1 markers have no name") && odd.contains("2 markers lie outside"), "{odd}");
    for odd in [json!("left"), json!([1, 2]), json!([{ "name": 3, "time_s": 0 }]), json!({}), json!(null)] {
        assert_eq!(read(&mut b, odd).0, Vec::<String>::new());
    }
}
