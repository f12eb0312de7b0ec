//! Transitions by inertia: no jump, nothing left after their time, the same bits however often they are looked at, and saved
//! and rewound with the state. Poses taken over from elsewhere are gone on from in the same way.

mod hand_over;
mod kept;
mod shots;

use lissom::{
    JointLod,
    archive::Archive,
    math::{Mat4, soa::SoaTransform},
    player::{Body, PlayError},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::ArchiveWriter,
    cook::ClipBuilder,
    exact::larger,
    mannequin::{self, Motion},
    raw::RawAnimation,
};
use lissom_motion::{
    Animator, Graph, GraphParts, GraphState, PoseMemory, RootStep,
    crowd::{Crowd, Role},
    frame::Frame,
    graph::{LayerParts, StateParts, Test, TransitionParts},
    memory::MemoryScratch,
};
use lissom_testkit::{alloc::assert_no_alloc, rng::Rng};
use std::sync::{Arc, LazyLock};

static BUILT: LazyLock<BuiltSkeleton> =
    LazyLock::new(|| SkeletonBuilder::build(&mannequin::skeleton()).unwrap());
static ARCHIVE: LazyLock<Archive> = LazyLock::new(|| Archive::read(&written()).unwrap());

const CLIPS: [(Motion, &str); 5] = [
    (Motion::Idle, "idle"),
    (Motion::Walk, "walk"),
    (Motion::Run, "run"),
    (Motion::Wave, "wave"),
    (Motion::Crouch, "crouch"),
];

/// Clips of a part of the joints, which cook in no time.
fn written() -> Vec<u8> {
    let built = &*BUILT;
    let mut writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton).unwrap();
    for (motion, name) in CLIPS {
        let clip = mannequin::clip(motion);
        let mut tracks = clip.tracks.clone();
        tracks.iter_mut().skip(16).for_each(|track| *track = Default::default());
        // They stay in place: at the end of a lap the way would be taken back at once.
        tracks[0] = Default::default();
        let clip = RawAnimation { name: name.into(), tracks, ..clip };
        let bytes = ClipBuilder::default().build(built, &clip).unwrap().bytes;
        writer = writer.clip(u16::from(bytes[4]), name, bytes).unwrap();
    }
    writer.finish().unwrap()
}

/// Every clip is a state, and an int chooses among them; an upper layer does the same with two.
fn parts(way: impl Fn(TransitionParts) -> TransitionParts) -> GraphParts {
    let layer = |name: &str, by: &str, clips: &[(Motion, &str)]| {
        let mut layer = LayerParts::new(name);
        for (i, (_, clip)) in clips.iter().enumerate() {
            layer = layer.state(StateParts::clip(clip, clip));
            layer = layer.transition(way(TransitionParts::new("*", clip).when(by, Test::Is(i as i32))));
        }
        layer
    };
    GraphParts::new()
        .int("clip", 0)
        .int("arm", 0)
        .mask("arms", "spine_01", 1)
        .layer(layer("body", "clip", &CLIPS))
        .layer(layer("arms", "arm", &CLIPS[2..4]).masked("arms"))
}

fn animator(way: impl Fn(TransitionParts) -> TransitionParts) -> Animator {
    let graph = Graph::of_archive(&parts(way), &ARCHIVE).unwrap();
    Animator::new(&ARCHIVE, Arc::new(graph)).unwrap()
}

fn choose(animator: &mut Animator, parameter: &str, value: usize) {
    let key = animator.graph().int(parameter).unwrap();
    animator.set(key, value as i32).unwrap();
}

fn bits(models: &[Mat4]) -> Vec<u32> {
    models.iter().flat_map(|m| m.to_cols_array()).map(f32::to_bits).collect()
}

fn places(animator: &Animator) -> Vec<[f64; 3]> {
    let place = |m: &Mat4| {
        let [x, y, z] = m.w_axis.truncate().to_array();
        [x, y, z].map(f64::from)
    };
    animator.models().iter().map(place).collect()
}

const STEP_S: f64 = 1.0 / 120.0;

/// By how much each joint's velocity differs from one step to the next, in m/s.
fn velocity_changes(three: &[Vec<[f64; 3]>]) -> Vec<f64> {
    let change = |((a, b), c): ((&[f64; 3], &[f64; 3]), &[f64; 3])| {
        let [x, y, z] = [0, 1, 2].map(|i| c[i] - 2.0 * b[i] + a[i]);
        (x * x + y * y + z * z).sqrt() / STEP_S
    };
    three[0].iter().zip(&three[1]).zip(&three[2]).map(change).collect()
}

/// The largest change of any joint's velocity from one step to the next that neither motion makes by itself, in m/s: over
/// changes between random clips at random times, in the step in which they happen, and in the next.
fn largest_jump(way: impl Fn(TransitionParts) -> TransitionParts) -> f64 {
    let mut shown = animator(way);
    // The new motion by itself: what the change leads to, at once.
    let mut new = animator(|way| way.fade(0.0));
    let (mut rng, mut largest) = (Rng::new(14), 0.0);
    for _ in 0..120 {
        // The old motion by itself: nobody tells it.
        let mut old = shown.clone();
        let clip = rng.below(CLIPS.len());
        choose(&mut shown, "clip", clip);
        choose(&mut new, "clip", clip);
        let mut seen = [&shown, &old, &new].map(|animator| vec![places(animator)]);
        for _ in 0..3 {
            for (animator, seen) in [&mut shown, &mut old, &mut new].into_iter().zip(&mut seen) {
                animator.update(STEP_S).unwrap();
                seen.push(places(animator));
            }
        }
        let [shown_places, old_places, new_places] = &seen;
        let own = [&old_places[..3], &old_places[1..], &new_places[1..]].map(velocity_changes);
        for three in shown_places.windows(3) {
            for (joint, change) in velocity_changes(three).into_iter().enumerate() {
                let own = own.iter().map(|own| own[joint]).fold(0.0, larger);
                largest = larger(largest, change - own);
            }
        }
        for _ in 0..rng.below(60) {
            shown.update(STEP_S).unwrap();
            new.update(STEP_S).unwrap();
        }
    }
    largest
}

/// Beyond what the clips do by themselves: by inertia, and by a pose that is taken over.
const BOUND_M_S: f64 = 0.2;
/// The same for a smooth fade. It keeps no velocity: both motions are blended by a share whose slope starts at 0.
const FADE_BOUND_M_S: f64 = 0.4;

#[test]
#[allow(clippy::print_stdout, reason = "the figures beside the bounds")]
fn a_transition_by_inertia_has_no_velocity_jump_between_random_clips() {
    let [inertial, faded, cut] = [
        largest_jump(|way| way.fade(0.3).inertial()),
        largest_jump(|way| way.fade(0.3)),
        largest_jump(|way| way.fade(0.0)),
    ];
    println!(
        "largest change of velocity in a step, beyond the clips' own: {inertial:.3} m/s by inertia, {faded:.3} faded, {cut:.3} cut"
    );
    assert!(inertial < BOUND_M_S, "{inertial} m/s");
    assert!(faded < FADE_BOUND_M_S, "{faded} m/s");
    assert!(cut > 10.0 * BOUND_M_S, "the test can fail: {cut} m/s");
}

#[test]
fn after_its_time_it_is_the_target_bit_for_bit_and_nothing_is_remembered() {
    let mut by_inertia = animator(|way| way.fade(0.254).inertial());
    let mut cut = animator(|way| way.fade(0.0));
    let empty = by_inertia.memory().clone();
    for animator in [&mut by_inertia, &mut cut] {
        (0..30).for_each(|_| animator.update(STEP_S).unwrap());
        choose(animator, "clip", 2);
        animator.update(STEP_S).unwrap();
    }
    let mut differed = 0;
    for step in 0..40 {
        let is_over = step as f64 * STEP_S >= 0.254;
        let same = bits(by_inertia.models()) == bits(cut.models());
        assert!(!is_over || same, "step {step}");
        assert_eq!(by_inertia.memory().is_running(), !is_over, "step {step}");
        differed += usize::from(!same);
        by_inertia.update(STEP_S).unwrap();
        cut.update(STEP_S).unwrap();
    }
    assert!(differed > 20, "{differed} steps were on the way");
    assert_eq!(*by_inertia.memory(), empty);
    assert_eq!(by_inertia.frame().entries().len(), cut.frame().entries().len(), "nothing is played twice");
}

/// A layer's transition leaves joints alone that are not its own.
#[test]
fn joints_that_a_mask_leaves_out_do_not_feel_a_transition_of_its_layer() {
    let mut animators = [true, false].map(|arms| {
        let mut animator = animator(|way| way.fade(0.3).inertial());
        choose(&mut animator, "clip", 1);
        // The body's own change is over by then: both start from one pose.
        (0..40).for_each(|_| animator.update(STEP_S).unwrap());
        assert!(!animator.memory().is_running());
        choose(&mut animator, "arm", usize::from(arms));
        animator
    });
    let leg = BUILT.skeleton.find("foot_l").unwrap();
    let hand = BUILT.skeleton.find("hand_l").unwrap();
    let mut hands = 0.0_f32;
    for _ in 0..50 {
        animators.iter_mut().for_each(|animator| animator.update(STEP_S).unwrap());
        let [with, without] = &animators;
        let off = |joint: usize| {
            (with.models()[joint].w_axis - without.models()[joint].w_axis)
                .to_array()
                .map(f32::abs)
                .into_iter()
                .sum::<f32>()
        };
        // A rotation that nothing is added to is brought to unit length again.
        assert!(off(leg) < 1.0e-6, "{} m", off(leg));
        let off = off(hand);
        hands = if off > hands { off } else { hands };
    }
    assert!(hands > 0.05, "{hands} m");
}

/// Random choices, often before the last change is over.
fn step(animator: &mut Animator, rng: &mut Rng) {
    if rng.one_in(9) {
        let clip = rng.below(CLIPS.len());
        choose(animator, "clip", clip);
    }
    if rng.one_in(12) {
        let arm = rng.below(2);
        choose(animator, "arm", arm);
    }
    animator.update(rng.unit_f64() * 0.05).unwrap();
}

#[test]
fn saved_restored_and_replayed_a_thousand_frames_are_the_same_bits() {
    let mut animator = animator(|way| way.fade(0.3).inertial());
    let mut rng = Rng::new(3);
    (0..50).for_each(|_| step(&mut animator, &mut rng));
    let mut running = 0;
    let (save, from) = (animator.save(), rng.clone());
    let mut play = |animator: &mut Animator, mut rng: Rng| -> Vec<Vec<u32>> {
        let mut seen = Vec::new();
        for _ in 0..1000 {
            step(animator, &mut rng);
            running += usize::from(animator.memory().is_running());
            seen.push(bits(animator.models()));
        }
        seen
    };
    let first = play(&mut animator, from.clone());
    assert!(animator.save() != save);
    animator.restore(&save).unwrap();
    assert!(first == play(&mut animator, from.clone()));
    // In bytes, and on another character.
    let (graph, skeleton) = (Arc::clone(animator.graph()), Arc::clone(animator.body().skeleton()));
    let mut save = save;
    save.state = GraphState::read(&graph, &save.state.to_bytes()).unwrap();
    save.memory = PoseMemory::read(&graph, &skeleton, &save.memory.to_bytes()).unwrap();
    let mut other = Animator::new(&ARCHIVE, graph).unwrap();
    other.restore(&save).unwrap();
    assert!(first == play(&mut other, from));
    assert!(running > 1000, "{running} of 3,000 frames remembered something");
}

#[test]
fn rewinding_eight_frames_in_each_frame_changes_nothing() {
    const BACK: usize = 8;
    let mut straight = animator(|way| way.fade(0.3).inertial());
    let mut back_and_forth = straight.clone();
    let (mut rng, mut other) = (Rng::new(5), Rng::new(5));
    let mut saves: Vec<(lissom_motion::Save, Rng)> = Vec::new();
    for frame in 0..200 {
        step(&mut straight, &mut rng);
        if frame >= BACK {
            let (save, from) = &saves[frame - BACK];
            back_and_forth.restore(save).unwrap();
            other = from.clone();
            (0..BACK).for_each(|_| step(&mut back_and_forth, &mut other));
        }
        saves.push((back_and_forth.save(), other.clone()));
        step(&mut back_and_forth, &mut other);
        assert_eq!(bits(back_and_forth.models()), bits(straight.models()), "frame {frame}");
        assert_eq!(back_and_forth.memory(), straight.memory());
    }
}

/// An unseen character: the graph goes on, the pose is looked at now and then.
#[test]
fn who_is_looked_at_rarely_gets_the_same_bits() {
    let mut seen = animator(|way| way.fade(0.3).inertial());
    let graph = Arc::clone(seen.graph());
    let mut body = Body::new(&ARCHIVE, 32).unwrap();
    let clips: Vec<usize> = graph.clips().iter().map(|clip| body.clip(&clip.name).unwrap()).collect();
    let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
    let skeleton = Arc::clone(body.skeleton());
    let masks = graph.masks(&skeleton).unwrap();
    let mut rows = vec![lissom::math::soa::Lanes([0.0; 16]); 2 * skeleton.group_count()];
    let (mut memory, mut scratch) =
        (PoseMemory::new(&graph, &skeleton), MemoryScratch::new(&graph, &skeleton));
    let mut pose = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let (mut rng, mut compared) = (Rng::new(8), 0);
    for i in 0..600 {
        step(&mut seen, &mut rng);
        for name in ["clip", "arm"] {
            let key = graph.int(name).unwrap();
            state.set(key, seen.state().get(key).unwrap()).unwrap();
        }
        graph.update(&mut state, seen.frame().step_s(), &mut frame).unwrap();
        let number = |clip: usize| clips[clip];
        memory
            .follow(&frame, &mut scratch, number, |mix, weights, out| -> Result<(), PlayError> {
                assert!(frame.cover_by(weights, &masks, skeleton.group_count(), &mut rows));
                body.pose_of(&mix, &rows, out)
            })
            .unwrap();
        if i % 7 == 0 {
            assert!(frame.cover(&masks, skeleton.group_count(), &mut rows));
            body.pose_of(&frame.mix(number), &rows, &mut pose).unwrap();
            memory.apply(&mut pose).unwrap();
            assert!(pose == seen.pose(), "frame {i}");
            compared += usize::from(memory.is_running());
        }
    }
    assert!(compared > 20, "{compared} of them on the way");
}

/// Of three members one is not seen for a while, and one has few joints: all show what an animator shows.
#[test]
fn members_of_a_crowd_remember_as_an_animator_does() {
    const FEW: usize = 13;
    let mut alone = animator(|way| way.fade(0.3).inertial());
    let mut crowd = Crowd::new(&ARCHIVE).unwrap();
    let graph = crowd.add_graph(Arc::clone(alone.graph())).unwrap();
    let members = [(); 3].map(|()| crowd.add(Role::Graph(graph), RootStep::IDENTITY).unwrap());
    let few = crowd.add_level(JointLod::prefix(FEW)).unwrap();
    crowd.set_level(&members[1..2], few).unwrap();
    crowd.update(0.0).unwrap();
    let (mut rng, mut running) = (Rng::new(21), 0);
    for frame in 0..300 {
        step(&mut alone, &mut rng);
        for name in ["clip", "arm"] {
            let key = alone.graph().int(name).unwrap();
            let value = alone.state().get(key).unwrap();
            crowd.set_each(&members, key, &[value; 3]).unwrap();
        }
        let seen = frame % 5 == 0;
        crowd.set_seen(&members[2..], seen).unwrap();
        crowd.update(alone.frame().step_s()).unwrap();
        for (i, member) in members[..if seen { 3 } else { 2 }].iter().enumerate() {
            let joints = if i == 1 { FEW } else { alone.models().len() };
            let models = crowd.models(*member).unwrap().unwrap();
            assert!(bits(&models[..joints]) == bits(&alone.models()[..joints]), "frame {frame}, {member}");
            assert_eq!(crowd.memory(*member).unwrap(), alone.memory());
        }
        running += usize::from(alone.memory().is_running());
    }
    assert!(running > 100, "{running}");
    let saved = crowd.memory(members[0]).unwrap().clone();
    crowd.set_memory(members[1], &saved).unwrap();
}

#[test]
fn interruption_is_as_the_transition_says_though_nothing_else_is_played() {
    use lissom_motion::graph::Interruption;
    for (rule, leads) in [(Interruption::Never, "walk"), (Interruption::Target, "run")] {
        let mut animator = animator(|way| way.fade(0.2).inertial().interrupted_by(rule));
        choose(&mut animator, "clip", 1);
        animator.update(STEP_S).unwrap();
        choose(&mut animator, "clip", 2);
        animator.update(STEP_S).unwrap();
        assert_eq!(animator.state().leading(animator.graph(), 0), Some(leads), "{rule:?}");
        (0..30).for_each(|_| animator.update(STEP_S).unwrap());
        assert_eq!(animator.state().leading(animator.graph(), 0), Some("run"), "{rule:?}");
    }
}

#[test]
fn nothing_is_allocated_by_transitions_and_saves() {
    let mut animator = animator(|way| way.fade(0.3).inertial());
    let (mut rng, mut save) = (Rng::new(9), animator.save());
    (0..50).for_each(|_| step(&mut animator, &mut rng));
    assert_no_alloc(|| {
        for _ in 0..500 {
            step(&mut animator, &mut rng);
            animator.save_to(&mut save);
            animator.restore(&save).unwrap();
        }
    });
}

#[test]
fn bytes_that_are_no_memory_are_refused() {
    let mut animator = animator(|way| way.fade(0.3).inertial());
    choose(&mut animator, "clip", 1);
    (0..5).for_each(|_| animator.update(STEP_S).unwrap());
    let (graph, skeleton) = (Arc::clone(animator.graph()), Arc::clone(animator.body().skeleton()));
    let good = animator.memory().to_bytes();
    assert_eq!(PoseMemory::read(&graph, &skeleton, &good).as_ref(), Ok(animator.memory()));
    for end in 0..good.len() {
        assert!(PoseMemory::read(&graph, &skeleton, &good[..end]).is_err(), "{end}");
    }
    for (at, bytes) in
        [(0, 9.0_f64.to_le_bytes()), (0, (-1.0_f64).to_le_bytes()), (8, f64::NAN.to_le_bytes())]
    {
        let mut bad = good.clone();
        bad[at..at + 8].copy_from_slice(&bytes);
        assert!(PoseMemory::read(&graph, &skeleton, &bad).is_err());
    }
    let plain = Graph::of_archive(&parts(|way| way), &ARCHIVE).unwrap();
    assert!(PoseMemory::read(&plain, &skeleton, &good).is_err(), "a graph that remembers nothing");
    assert_eq!(PoseMemory::new(&plain, &skeleton).to_bytes().len(), 16);
}
