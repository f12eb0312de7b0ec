//! Poses that are kept by name, and gone on from.

use super::{
    ARCHIVE, Animator, BOUND_M_S, CLIPS, Crowd, Role, RootStep, STEP_S, assert_no_alloc, bits, larger,
};
use super::{places, velocity_changes};
use lissom::{
    job::JobError,
    math::{Quat, soa::SoaTransform},
    pose::Pose,
};
use lissom_motion::{
    AnimateError, Graph, GraphParts, PoseMemory, StateError,
    crowd::Serial,
    graph::{LayerParts, Place, StateParts},
    recording::{Recording, Replay},
};
use lissom_testkit::rng::Rng;
use std::sync::Arc;

fn parts(poses: &[&str]) -> GraphParts {
    let state = |body: LayerParts, (_, clip): &(_, &str)| body.state(StateParts::clip(clip, clip).by_code());
    let body = CLIPS.iter().fold(LayerParts::new("body"), state);
    let arms = LayerParts::new("arms").masked("arms").state(StateParts::clip("wave", "wave"));
    let parts = GraphParts::new().mask("arms", "spine_01", 1).layer(body).layer(arms);
    poses.iter().fold(parts, |parts, name| parts.pose(name))
}

fn hero() -> Animator {
    let graph = Graph::of_archive(&parts(&["fallen", "held"]), &ARCHIVE).unwrap();
    Animator::new(&ARCHIVE, Arc::new(graph)).unwrap()
}

/// A pose of another clip: stands for a ragdoll that lies.
fn lying(clip: &str, since_s: f64) -> Vec<SoaTransform> {
    let mut other = hero();
    other.go_to(clip).over(0.0).start().unwrap();
    other.update(0.01).unwrap();
    other.update(since_s).unwrap();
    other.pose().to_vec()
}

/// Keeps a pose from elsewhere that is blended in.
fn keep(hero: &mut Animator, name: &str, pose: &[SoaTransform]) {
    hero.blend_in(pose, 1.0, None).unwrap();
    hero.keep_pose(name).unwrap();
}

#[test]
fn a_kept_pose_is_shown_standing_still_and_the_graph_takes_over_without_a_jump() {
    let (mut rng, mut largest, mut cut) = (Rng::new(8), 0.0, 0.0);
    for _ in 0..40 {
        let [from, to] = [(); 2].map(|()| CLIPS[rng.below(CLIPS.len())].1);
        let (mut shown, mut graph) = (hero(), hero());
        let pose = lying(CLIPS[rng.below(CLIPS.len())].1, rng.unit_f64());
        for one in [&mut shown, &mut graph] {
            one.go_to(from).over(0.0).start().unwrap();
            (0..20).for_each(|_| one.update(STEP_S).unwrap());
        }
        // It lies there for a while.
        let mut seen = Vec::new();
        for _ in 0..2 {
            shown.update(STEP_S).unwrap();
            graph.update(STEP_S).unwrap();
            shown.blend_in(&pose, 1.0, None).unwrap();
            seen.push(places(&shown));
        }
        shown.keep_pose("fallen").unwrap();
        assert_eq!(shown.kept_pose("fallen").unwrap(), shown.pose());
        assert_eq!(shown.kept_pose("held"), None);
        // A cut to another state in the same step.
        for one in [&mut shown, &mut graph] {
            one.go_to(to).over(0.0).start().unwrap();
        }
        shown.blend_from("fallen", 0.5).unwrap();
        let mut cuts = seen.clone();
        let mut own = Vec::new();
        for _ in 0..4 {
            shown.update(STEP_S).unwrap();
            graph.update(STEP_S).unwrap();
            seen.push(places(&shown));
            cuts.push(places(&graph));
            own.push(places(&graph));
        }
        let off = |a: &[[f64; 3]], b: &[[f64; 3]]| {
            let all = a.iter().flatten().zip(b.iter().flatten());
            all.map(|(a, b)| (a - b).abs()).fold(0.0, larger)
        };
        assert!(off(&seen[2], &seen[1]) < 1e-5, "the first frame shows it: {}", off(&seen[2], &seen[1]));
        // What the clip does by itself does not count.
        let clip = velocity_changes(&own[1..4]);
        let most = |all: &[Vec<[f64; 3]>], at: usize| {
            let is = velocity_changes(&all[at..at + 3]);
            is.iter().zip(&clip).map(|(is, own)| is - own).fold(0.0, larger)
        };
        for at in 0..4 {
            largest = larger(largest, most(&seen, at));
            cut = larger(cut, most(&cuts, at));
        }
        // Then nothing is left of it.
        for one in [&mut shown, &mut graph] {
            (0..70).for_each(|_| one.update(STEP_S).unwrap());
        }
        assert_eq!(bits(shown.models()), bits(graph.models()));
        assert!(!shown.memory().is_running());
    }
    assert!(largest < BOUND_M_S, "{largest} m/s");
    assert!(cut > 10.0 * BOUND_M_S, "the test can fail: {cut} m/s");
}

/// The game's hand.
fn bend(pose: &mut Pose<'_>) -> Result<(), JobError> {
    let head = pose.skeleton().find("head").unwrap();
    pose.turn(head, Quat::from_xyzw(0.6, 0.0, 0.0, 0.8))
}

#[test]
fn a_member_of_a_crowd_goes_on_from_a_kept_pose_as_an_animator_does() {
    let mut alone = hero();
    let mut crowd = Crowd::new(&ARCHIVE).unwrap();
    let graph = crowd.add_graph(Arc::clone(alone.graph())).unwrap();
    // The second one is hidden now and then.
    let members = [(); 2].map(|()| crowd.add(Role::Graph(graph), RootStep::IDENTITY).unwrap());
    let keys = ["fallen", "held"].map(|name| alone.graph().pose_key(name).unwrap());
    let layer = alone.graph().layer("body").unwrap();
    let (mut rng, mut running, mut save) = (Rng::new(31), 0, alone.save());
    for frame in 0..400 {
        if rng.one_in(9) {
            let clip = CLIPS[rng.below(CLIPS.len())].1;
            alone.go_to(clip).over(0.1).start().unwrap();
            let state = alone.graph().state_key(layer, clip).unwrap();
            let how = lissom_motion::state::GoTo { fade_s: 0.1, ..Default::default() };
            members.iter().for_each(|member| crowd.go_to(*member, state, how).unwrap());
        }
        let which = rng.below(2);
        if rng.one_in(7) {
            // A pose with the game's hand in it.
            let pose = alone.pose().to_vec();
            alone.keep_pose(["fallen", "held"][which]).unwrap();
            members.iter().for_each(|member| crowd.keep_pose(*member, keys[which], &pose).unwrap());
        }
        if rng.one_in(11) && alone.memory().kept(keys[which]).is_some() {
            let fade_s = rng.unit_f64() as f32 * 0.3;
            alone.blend_from(["fallen", "held"][which], fade_s).unwrap();
            members.iter().for_each(|member| crowd.blend_from(*member, keys[which], fade_s).unwrap());
        }
        if rng.one_in(13) {
            // Through a save, through bytes, and back.
            alone.save_to(&mut save);
            let bytes = alone.memory().to_bytes();
            let read = PoseMemory::read(alone.graph(), alone.body().skeleton(), &bytes).unwrap();
            assert_eq!(&read, alone.memory());
            alone.restore(&save).unwrap();
            crowd.set_memory(members[0], &read).unwrap();
        }
        let dt_s = rng.unit_f64() * 0.03;
        let seen = !rng.one_in(4);
        crowd.set_seen(&members[1..], seen).unwrap();
        alone.update_with(dt_s, bend).unwrap();
        crowd.update_with(dt_s, &Serial, None, &|_, _, pose| bend(pose)).unwrap();
        for member in &members[..if seen { 2 } else { 1 }] {
            let models = crowd.models(*member).unwrap().unwrap();
            assert!(bits(models) == bits(alone.models()), "frame {frame}, {member}");
        }
        members.iter().for_each(|member| assert_eq!(crowd.memory(*member).unwrap(), alone.memory()));
        running += usize::from(alone.memory().is_running());
    }
    assert!(running > 50, "{running}");
}

#[test]
fn a_save_goes_on_from_it_and_a_recording_has_it() {
    let mut first = hero();
    first.record();
    first.update(STEP_S).unwrap();
    keep(&mut first, "fallen", &lying("crouch", 0.3));
    first.update_with(STEP_S, bend).unwrap();
    first.keep_pose("held").unwrap();
    first.blend_from("fallen", 0.4).unwrap();
    let save = first.save();
    let run = |one: &mut Animator| -> Vec<u32> {
        let mut all = Vec::new();
        for frame in 0..80 {
            if frame == 50 {
                one.blend_from("held", 0.2).unwrap();
            }
            one.update(STEP_S).unwrap();
            all.extend(bits(one.models()));
        }
        all
    };
    let shown = run(&mut first);
    let recording = first.stop_recording().unwrap();
    let mut other = hero();
    other.restore(&save).unwrap();
    assert!(run(&mut other) == shown, "a save has the kept poses, and what was asked");
    first.restore(&save).unwrap();
    assert!(run(&mut first) == shown);

    let recording = Recording::read(&recording.to_bytes()).unwrap();
    let mut replay = Replay::with_graph(&ARCHIVE, Arc::clone(first.graph()), recording).unwrap();
    let mut frames = 0;
    while let Some(frame) = replay.step().unwrap() {
        assert_eq!(frame.difference, None, "frame {}", frame.frame);
        frames += 1;
    }
    assert_eq!(frames, 82);

    let plain = Graph::of_archive(&parts(&[]), &ARCHIVE).unwrap();
    let mut plain = Animator::new(&ARCHIVE, Arc::new(plain)).unwrap();
    assert_eq!(plain.restore(&save).unwrap_err(), AnimateError::State(StateError::OtherGraph));

    let pose = lying("run", 0.2);
    assert_no_alloc(|| {
        first.blend_in(&pose, 1.0, None).unwrap();
        first.keep_pose("fallen").unwrap();
        first.blend_from("fallen", 0.1).unwrap();
        first.update(STEP_S).unwrap();
        first.restore(&save).unwrap();
    });
}

#[test]
fn what_cannot_be_kept_or_gone_on_from_is_refused() {
    let mut hero = hero();
    let state = |error: AnimateError| match error {
        AnimateError::State(error) => error,
        other => panic!("{other}"),
    };
    let unknown = state(hero.keep_pose("lost").unwrap_err());
    assert_eq!(unknown.to_string(), "there is no kept pose called \"lost\"");
    assert_eq!(state(hero.blend_from("lost", 0.1).unwrap_err()), unknown);
    assert_eq!(state(hero.blend_from("fallen", 0.1).unwrap_err()), StateError::NothingKept);
    hero.keep_pose("fallen").unwrap();
    for fade_s in [-0.1, f32::NAN, f32::INFINITY] {
        assert!(matches!(state(hero.blend_from("fallen", fade_s).unwrap_err()), StateError::Value(_)));
    }
    let (key, mut memory, mut pose) =
        (hero.graph().pose_key("held").unwrap(), hero.memory().clone(), hero.pose().to_vec());
    assert!(memory.keep(key, &pose[1..]).unwrap_err().to_string().contains("groups"));
    pose[1].rotation.y.0[3] = f32::NAN;
    assert!(memory.keep(key, &pose).unwrap_err().to_string().contains("finite"));
    assert_eq!(&memory, hero.memory());

    // Spoiled bytes: a pose to go on from that is not there, more poses than there are, a time of less than nothing.
    let bytes = memory.to_bytes();
    let read = |bytes: &[u8]| PoseMemory::read(hero.graph(), hero.body().skeleton(), bytes);
    assert_eq!(read(&bytes).unwrap(), memory);
    for (at, byte, reason) in [
        (17, 1, "a pose to go on from that is not kept"),
        (16, 4, "more poses than the graph keeps"),
        (18, 1, "a fade of nothing"),
    ] {
        let mut spoiled = bytes.clone();
        spoiled[at] = byte;
        assert_eq!(read(&spoiled).unwrap_err().reason, reason);
    }
    assert!(read(&bytes[..bytes.len() - 1]).is_err());

    let refused = |poses: &[&str]| Graph::of_archive(&parts(poses), &ARCHIVE).unwrap_err().to_string();
    assert!(refused(&["a", "b", "a"]).contains("another kept pose of this name"));
    assert!(refused(&["a", ""]).contains("may not be empty"));
    assert!(refused(&["1", "2", "3", "4", "5", "6", "7", "8", "9"]).contains("the limit is 8"));
    let error = Graph::new(&parts(&["a", "a"]), |_| Some(1.0)).unwrap_err();
    assert_eq!(error.place, Place::Pose(1));
    let read = GraphParts::read(&parts(&["a", "b"]).to_bytes()).unwrap();
    assert_eq!(read, parts(&["a", "b"]));
}
