//! What was done to a character is recorded, and played again to the bit; what came out otherwise is told.

use lissom::{
    archive::Archive,
    job::PosePair,
    math::{Quat, soa::SoaTransform},
};
use lissom_motion::{
    Animator, Graph, GraphParts, RootStep,
    crowd::{Crowd, Role},
    graph::{LayerParts, StateParts},
    recording::{Difference, Recording, Replay, ReplayError},
};
use lissom_testkit::{
    crowds::{self, Input},
    rng::Rng,
};
use std::sync::{Arc, LazyLock};

static ARCHIVE: LazyLock<Archive> = LazyLock::new(crowds::archive);
static GRAPH: LazyLock<Arc<Graph>> = LazyLock::new(|| crowds::inertial_graph(&ARCHIVE));

const TURN: Quat = Quat::from_xyzw(0.0, 0.6, 0.0, 0.8);

fn hero() -> Animator {
    Animator::new(&ARCHIVE, Arc::clone(&GRAPH)).unwrap()
}

/// Random input; now and then a save is restored, the pose is changed, or it is not posed.
fn play(hero: &mut Animator, rng: &mut Rng, frames: usize) {
    let mut save = hero.save();
    let head = hero.body().skeleton().find("head").unwrap();
    for frame in 0..frames {
        for _ in 0..rng.below(3) {
            if let Some(input) = Input::random(rng) {
                input.tell_animator(hero);
            }
        }
        match rng.below(40) {
            0 => hero.restore(&save).unwrap(),
            1 => save = hero.save(),
            2 => hero.set_mask("upper", rng.one_in(2).then_some("upper")).unwrap(),
            3 => hero.play("wave").on("upper").at(0.25).queued().start().map(drop).unwrap(),
            4 => hero.go_to("rest").over(0.2).by_inertia().start().unwrap(),
            5 => hero.set_rate(1 + rng.below(3) as u8, 0).unwrap(),
            6 => {
                let pose: Vec<SoaTransform> = hero.body().skeleton().rest_pose().to_vec();
                hero.take_over(PosePair { now: &pose, before: &pose }, 0.3).unwrap();
            }
            _ => {}
        }
        let dt_s = if frame % 50 < 40 { 1.0 / 60.0 } else { rng.unit_f64() * 0.1 };
        if rng.one_in(10) {
            hero.update_with(dt_s, |pose| pose.turn(head, TURN)).unwrap();
        } else {
            hero.update(dt_s).unwrap();
        }
    }
}

/// Plays it again: the first frame that differs, and how many there are.
fn replay(recording: &Recording) -> (Replay, Option<(usize, Difference)>, usize) {
    let mut replay = Replay::with_graph(&ARCHIVE, Arc::clone(&GRAPH), recording.clone()).unwrap();
    let (mut first, mut frames) = (None, 0);
    while let Some(frame) = replay.step().unwrap() {
        assert_eq!(frame.frame, frames);
        first = first.or(frame.difference.map(|difference| (frame.frame, difference)));
        frames += 1;
    }
    assert!(replay.step().unwrap().is_none());
    (replay, first, frames)
}

#[test]
fn anything_that_was_done_is_played_again_to_the_bit() {
    for seed in 0..12 {
        let mut rng = Rng::new(seed);
        let mut hero = hero();
        play(&mut hero, &mut rng, 60);
        assert!(hero.recording().is_none());
        hero.record();
        play(&mut hero, &mut rng, 400);
        let recording = hero.recording().unwrap().clone();
        assert_eq!(recording.len(), 400);
        let bytes = recording.to_bytes();
        assert_eq!(Recording::read(&bytes).unwrap(), recording);
        let (again, first, frames) = replay(&recording);
        assert_eq!((first, frames), (None, 400), "seed {seed}");
        assert_eq!(again.animator().state(), hero.state());
        assert_eq!(again.animator().memory(), hero.memory());
        assert_eq!(hero.stop_recording().unwrap(), recording);
        assert!(hero.recording().is_none());
    }
}

/// A minute of somebody who walks, and changes speed every second.
#[test]
fn a_frame_takes_a_few_bytes() {
    let mut hero = hero();
    hero.record();
    for frame in 0..3600_u16 {
        if frame % 60 == 0 {
            hero.set_value("speed", f32::from(frame % 7) * 0.4).unwrap();
        }
        hero.update(1.0 / 60.0).unwrap();
    }
    let bytes = hero.recording().unwrap().to_bytes().len();
    assert!(bytes < 3600 * 10, "{bytes} bytes in a minute");
}

#[test]
fn members_of_a_crowd_are_recorded_as_animators_are() {
    let mut crowd = Crowd::new(&ARCHIVE).unwrap();
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let walk = crowd.clip("walk").unwrap();
    let plain = [lissom_motion::crowd::PlayedClip::new(walk, 1.0)];
    let plain = crowd.add(Role::Clips(&plain), RootStep::IDENTITY).unwrap();
    assert!(crowd.record(plain).is_err(), "it has no graph");
    let members: Vec<_> = (0..5).map(|_| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap()).collect();
    crowd.set_pace(&members[2..3], 0.5).unwrap();
    for member in &members[1..4] {
        crowd.record(*member).unwrap();
    }
    let mut rng = Rng::new(3);
    for frame in 0..300 {
        for member in &members {
            if crowd.contains(*member)
                && let Some(input) = Input::random(&mut rng)
            {
                input.tell(&mut crowd, &GRAPH, *member);
            }
        }
        match frame {
            100 => crowd.set_pace(&members[2..3], 0.0).unwrap(),
            150 => crowd.set_pace(&members[2..3], 0.5).unwrap(),
            200 => crowd.remove(members[3]).unwrap(),
            _ => {}
        }
        crowd.update(if frame % 20 == 0 { 0.05 } else { 1.0 / 60.0 }).unwrap();
    }
    assert!(crowd.recording(members[0]).is_none());
    for (member, frames) in [(members[1], 300), (members[2], 300), (members[3], 200)] {
        let recording = crowd.stop_recording(member).unwrap();
        let (again, first, replayed) = replay(&recording);
        assert_eq!((first, replayed), (None, frames));
        if crowd.contains(member) {
            assert_eq!(again.animator().state(), crowd.state(member).unwrap());
        }
        assert!(crowd.recording(member).is_none());
    }
}

/// The same parameters, layers and states, and another speed: a fix is seen, frame and all.
#[test]
fn what_comes_out_otherwise_is_told_and_the_rest_is_played() {
    let parts = |speed: f32| {
        GraphParts::new()
            .layer(LayerParts::new("body").state(StateParts::clip("move", "walk").at_speed(speed)))
    };
    let graph = |speed: f32| Arc::new(Graph::of_archive(&parts(speed), &ARCHIVE).unwrap());
    let mut hero = Animator::new(&ARCHIVE, graph(1.0)).unwrap();
    hero.record();
    for _ in 0..10 {
        hero.update(0.02).unwrap();
    }
    let recording = hero.stop_recording().unwrap();
    let mut again = Replay::with_graph(&ARCHIVE, graph(1.5), recording.clone()).unwrap();
    let mut differ = 0;
    while let Some(frame) = again.step().unwrap() {
        assert_eq!(frame.difference, Some(Difference::Decided));
        differ += 1;
    }
    assert_eq!(differ, 10);
    // A clip that was changed shows otherwise, though nothing is decided otherwise: here, a hash that does not fit.
    let mut bytes = recording.to_bytes();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let mut again = Replay::with_graph(&ARCHIVE, graph(1.0), Recording::read(&bytes).unwrap()).unwrap();
    let mut found = Vec::new();
    while let Some(frame) = again.step().unwrap() {
        found.push(frame.difference);
    }
    assert_eq!((found[8], found[9]), (None, Some(Difference::Shown)));
    let other = Replay::with_graph(&ARCHIVE, Arc::clone(&GRAPH), recording.clone());
    assert!(matches!(other, Err(ReplayError::Graph { .. })));
    assert!(
        matches!(Replay::new(&ARCHIVE, recording), Err(ReplayError::Graph { .. })),
        "the archive has no such graph"
    );
}

/// Graphs that differ in nothing but the weights of a blend: what is shown tells them apart, also where a hook changes the pose, where
/// the rate holds it, and for members of a crowd.
#[test]
fn a_mix_that_came_out_otherwise_is_told_where_no_pose_is_compared() {
    let graph = |last: f32| {
        let gaits = StateParts::line("move", "speed", &[(0.0, "idle"), (last, "walk")]).time_by("time");
        let parts = GraphParts::new().float("speed", 0.5).float("time", 0.25);
        let parts = parts.layer(LayerParts::new("body").state(gaits));
        Arc::new(Graph::of_archive(&parts, &ARCHIVE).unwrap())
    };
    let told = |recording: &Recording, last: f32| {
        let mut replay = Replay::with_graph(&ARCHIVE, graph(last), recording.clone()).unwrap();
        std::iter::from_fn(|| replay.step().unwrap()).map(|frame| frame.difference).collect::<Vec<_>>()
    };
    let mut hooked = Animator::new(&ARCHIVE, graph(1.0)).unwrap();
    let mut held = Animator::new(&ARCHIVE, graph(1.0)).unwrap();
    held.set_rate(255, 255).unwrap();
    let mut crowd = Crowd::new(&ARCHIVE).unwrap();
    let by = crowd.add_graph(graph(1.0)).unwrap();
    let member = crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap();
    hooked.record();
    held.record();
    crowd.record(member).unwrap();
    let head = hooked.body().skeleton().find("head").unwrap();
    for _ in 0..3 {
        hooked.update_with(0.02, |pose| pose.turn(head, TURN)).unwrap();
        held.update(0.02).unwrap();
        crowd.update(0.02).unwrap();
    }
    let all = [hooked.stop_recording(), held.stop_recording(), crowd.stop_recording(member)];
    for recording in all.map(Option::unwrap) {
        assert_eq!(told(&recording, 1.0), [None; 3]);
        assert_eq!(told(&recording, 2.0), [Some(Difference::Decided); 3]);
    }
}

/// Bytes of all kinds: an error, or a recording that plays or is refused, and never a panic.
#[test]
fn broken_recordings_are_refused() {
    let mut hero = hero();
    hero.record();
    play(&mut hero, &mut Rng::new(8), 30);
    let bytes = hero.stop_recording().unwrap().to_bytes();
    for length in 0..bytes.len() {
        assert!(Recording::read(&bytes[..length]).is_err(), "{length}");
    }
    assert!(Recording::read(&[&bytes[..], &[0]].concat()).is_err());
    let text = Recording::read(b"GIF89a and more").unwrap_err().to_string();
    assert!(text.contains("does not start with LREC"), "{text}");
    let mut refused = 0;
    for at in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x41;
        let Ok(recording) = Recording::read(&bytes) else {
            refused += 1;
            continue;
        };
        let Ok(mut replay) = Replay::with_graph(&ARCHIVE, Arc::clone(&GRAPH), recording) else {
            refused += 1;
            continue;
        };
        while let Ok(Some(_)) = replay.step() {}
    }
    assert!(refused > 50, "{refused} of {}", bytes.len());
}
