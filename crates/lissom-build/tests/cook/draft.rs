//! First graphs, drafted from the names and speeds of clips.

use lissom_build::{
    draft::{Draft, DraftError, Speed, SpeedSource, draft},
    exact::V3,
    mannequin::{self, Detail, Motion},
    raw::{Channel, Curve, RawTrack},
    scene::{Scene, SceneAnimation},
};
use lissom_motion::{Graph, graph::MotionParts};

const COARSE: Detail = Detail { body_m: 0.04, hand_m: 0.012 };

/// The mannequin's skeleton with clips of these names, which stand still.
fn scene(names: &[&str]) -> Scene {
    let mut scene = mannequin::scene(&[], &COARSE).unwrap();
    let joints = scene.skeletons[0].skeleton.joints.len();
    for name in names {
        let mut animation = SceneAnimation { skeleton: Some(0), ..Default::default() };
        animation.motion.name = (*name).into();
        animation.motion.duration_s = 1.0;
        animation.motion.tracks = vec![RawTrack::default(); joints];
        scene.animations.push(animation);
    }
    scene
}

/// What has a role, as `role: clip`.
fn roles(draft: &Draft) -> Vec<String> {
    draft.used.iter().map(|used| format!("{}: {}", used.name, used.clip)).collect()
}

/// A graph that a game could load.
fn checked(draft: &Draft, scene: &Scene) -> Graph {
    let known = |name: &str| scene.animations.iter().any(|a| a.motion.name == name).then_some(1.0);
    let graph = Graph::new(&draft.parts, known).unwrap();
    let text = lissom_build::graph::to_json(&draft.parts);
    assert_eq!(lissom_build::graph::read(text.as_bytes()).unwrap().parts(), &draft.parts, "{text}");
    graph
}

#[test]
fn the_mannequins_own_clips_become_a_graph_at_their_own_speeds() {
    let motions =
        [Motion::Idle, Motion::Walk, Motion::Run, Motion::JumpStart, Motion::JumpAir, Motion::JumpLand];
    let scene = mannequin::game_scene(&motions, &COARSE).unwrap();
    let draft = draft(&scene).unwrap();
    checked(&draft, &scene);
    assert!(draft.left_out.is_empty(), "{:?}", draft.left_out);
    for (motion, name) in [(Motion::Walk, "walk"), (Motion::Run, "run")] {
        let used = draft.used.iter().find(|used| used.clip == name).unwrap();
        let speed = used.speed.unwrap();
        let shall = motion.velocity().z;
        assert!((speed.m_per_s - shall).abs() < 0.02 * shall, "{name}: {speed:?}, not {shall}");
        assert_eq!(speed.source, SpeedSource::RootMotion);
    }
    let states: Vec<&str> = draft.parts.layers[0].states.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(states, ["idle", "move", "jump", "air", "land"]);
}

#[test]
fn clips_that_travel_tell_their_speed_and_clips_on_the_spot_get_the_usual_one() {
    let mut travels = scene(&["idle", "walk", "run"]);
    let way = Channel::new(Curve::Linear, [(0.0, V3::ZERO), (1.0, V3::new(0.0, 0.0, 1.21))]);
    travels.animations[1].motion.tracks[0].translation = way;
    let draft = draft(&travels).unwrap();
    let speed = |clip: &str| draft.used.iter().find(|used| used.clip == clip).unwrap().speed.unwrap();
    assert_eq!(speed("walk"), Speed { m_per_s: 1.21, source: SpeedSource::Travel });
    assert_eq!(speed("run").source, SpeedSource::Usual);
    assert!((3.5..4.5).contains(&speed("run").m_per_s), "{:?}", speed("run"));
}

#[test]
fn a_pack_with_all_directions_is_blended_in_a_plane() {
    let scene = scene(&[
        "Arm|Death",
        "Arm|Idle_Neutral",
        "Arm|Idle_Sword",
        "Arm|Run",
        "Arm|Run_Back",
        "Arm|Run_Left",
        "Arm|Run_Right",
        "Arm|Run_Shoot",
        "Arm|Walk",
        "Arm|Wave",
        "Arm|Roll",
        "Arm|Survey",
    ]);
    let draft = draft(&scene).unwrap();
    let graph = checked(&draft, &scene);
    assert!(graph.float("ahead").is_ok() && graph.float("left").is_ok() && graph.float("speed").is_err());
    let MotionParts::Plane { points, .. } = &draft.parts.layers[0].states[1].motion else { panic!() };
    let clips: Vec<&str> = points.iter().map(|point| point.clip.as_str()).collect();
    assert_eq!(clips, ["Arm|Walk", "Arm|Run", "Arm|Run_Back", "Arm|Run_Left", "Arm|Run_Right"]);
    assert!(points[3].at[0] > 0.0 && points[4].at[0] < 0.0 && points[2].at[1] < 0.0, "{points:?}");
    assert!(roles(&draft).contains(&"roll: Arm|Roll".to_owned()));
    let wave = draft.used.iter().find(|used| used.clip == "Arm|Wave").unwrap();
    assert!(wave.one_shot && draft.parts.clips == ["Arm|Wave"], "arms move over the gaits");
    let left: Vec<&str> = draft.left_out.iter().map(|(clip, _)| clip.as_str()).collect();
    assert_eq!(left, ["Arm|Idle_Sword", "Arm|Run_Shoot", "Arm|Survey"]);
}

#[test]
fn a_walk_alone_stands_still_where_there_is_no_idle() {
    let scene = scene(&["Survey", "Walk", "Run", "walk_left"]);
    let draft = draft(&scene).unwrap();
    checked(&draft, &scene);
    let idle = &draft.parts.layers[0].states[0];
    assert_eq!((idle.motion.clone(), idle.speed), (MotionParts::Clip("Walk".into()), 0.0));
    assert_eq!(draft.left_out[1].1, "there is no clip to the other side");
}

#[test]
fn jumps_of_one_two_and_three_clips_all_come_back_to_the_ground() {
    for names in [
        &["idle", "walk", "Jump"][..],
        &["idle", "walk", "Jump", "Jump_Idle", "Jump_Land"],
        &["idle", "walk", "Jump_Start", "Jump_Land"],
        &["idle", "walk", "jump_idle", "falling", "drop_idle"],
        &["idle", "walk", "Fall"],
        &["idle", "Jump"],
    ] {
        let scene = scene(names);
        let draft = draft(&scene).unwrap();
        let graph = checked(&draft, &scene);
        assert!(draft.left_out.is_empty(), "{names:?}: {:?}", draft.left_out);
        let layer = &draft.parts.layers[0];
        for state in layer.states.iter().filter(|s| s.name != "idle") {
            let leaves = layer.transitions.iter().any(|way| way.from == state.name);
            assert!(leaves, "{names:?}: nothing leads out of {:?}", state.name);
        }
        drop(graph);
    }
}

#[test]
fn who_has_nothing_to_stand_or_walk_with_is_told() {
    let error = draft(&scene(&["Take 001", "Dance"])).unwrap_err().to_string();
    assert!(
        error.contains("there are \"Take 001\", \"Dance\"") && error.contains("an idle, a walk"),
        "{error}"
    );
    assert_eq!(draft(&Scene::default()), Err(DraftError::NoClips));
}

#[test]
fn a_crouch_is_a_switch_and_a_duck_that_comes_up_by_itself_an_action() {
    let mut scene = scene(&["idle", "walk", "Crouch", "Duck"]);
    let hips = scene.skeletons[0].skeleton.joints[0].rest.translation;
    let low = hips - V3::new(0.0, 0.5, 0.0);
    let way = |keys: &[(f64, V3)]| Channel::new(Curve::Linear, keys.iter().copied());
    scene.animations[2].motion.tracks[0].translation = way(&[(0.0, hips), (1.0, low)]);
    scene.animations[3].motion.tracks[0].translation = way(&[(0.0, hips), (0.5, low), (1.0, hips)]);
    let crouching = draft(&scene).unwrap();
    let graph = checked(&crouching, &scene);
    assert!(graph.bool("crouch").is_ok() && graph.trigger("duck").is_ok());
    let state =
        |name: &str| crouching.parts.layers[0].states.iter().find(|s| s.name == name).unwrap().clone();
    assert_eq!(state("crouch").repeat, lissom::track::Repeat::Once, "its end is held");
    scene.animations[2].motion.tracks[0].translation = way(&[(0.0, low), (1.0, low)]);
    let low = draft(&scene).unwrap();
    let state = low.parts.layers[0].states.iter().find(|s| s.name == "crouch").unwrap();
    assert_eq!(state.repeat, lissom::track::Repeat::Loop, "what is low goes on");
}
