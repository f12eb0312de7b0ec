//! A ragdoll, or whatever else makes poses: blended in, and gone on from.

use super::{
    ARCHIVE, Animator, Archive, BOUND_M_S, CLIPS, STEP_S, assert_no_alloc, bits, larger, places,
    velocity_changes,
};
use lissom::{
    job::{JobError, PosePair},
    math::soa::{GROUP, Lanes, SoaTransform},
    player::PlayError,
};
use lissom_motion::{
    AnimateError, Graph, GraphParts, StateError,
    graph::{LayerParts, StateParts},
};
use lissom_testkit::rng::Rng;
use std::sync::Arc;

/// One clip and no transition: only `hand_over` makes room.
fn alone(clip: &str, hand_over: bool) -> Animator {
    let body = LayerParts::new("body").state(StateParts::clip(clip, clip));
    let arms = LayerParts::new("arms").masked("arms");
    let mut parts = GraphParts::new().mask("arms", "spine_01", 1).layer(body).layer(arms);
    parts.hand_over = hand_over;
    let archive: &Archive = &ARCHIVE;
    Animator::new(archive, Arc::new(Graph::of_archive(&parts, archive).unwrap())).unwrap()
}

/// Stands for physics: another clip, from another time.
fn elsewhere(clip: &str, since_s: f64) -> Animator {
    let mut other = alone(clip, false);
    other.update(since_s).unwrap();
    other
}

#[test]
fn what_is_taken_over_is_gone_on_from_without_a_jump_and_dies_away() {
    let (mut rng, mut largest, mut cut) = (Rng::new(5), 0.0, 0.0);
    for _ in 0..60 {
        let [own, other] = [CLIPS[rng.below(CLIPS.len())].1, CLIPS[rng.below(CLIPS.len())].1];
        let mut shown = alone(own, true);
        let mut graph = alone(own, true);
        for animator in [&mut shown, &mut graph] {
            animator.update(0.4).unwrap();
            (0..2).for_each(|_| animator.update(STEP_S).unwrap());
        }
        let mut ragdoll = elsewhere(other, rng.unit_f64());
        let (mut seen, mut own_places, mut cut_places) = (Vec::new(), Vec::new(), Vec::new());
        let mut before: Vec<SoaTransform> = Vec::new();
        for _ in 0..3 {
            before = ragdoll.pose().to_vec();
            ragdoll.update(STEP_S).unwrap();
            shown.update(STEP_S).unwrap();
            graph.update(STEP_S).unwrap();
            shown.blend_in(ragdoll.pose(), 1.0, None).unwrap();
            seen.push(places(&shown));
            cut_places.push(places(&shown));
            own_places.push(places(&graph));
        }
        let physics = velocity_changes(&seen);
        shown.take_over(PosePair { now: ragdoll.pose(), before: &before }, 0.3).unwrap();
        assert!(shown.memory().is_running());
        for _ in 0..3 {
            shown.update(STEP_S).unwrap();
            graph.update(STEP_S).unwrap();
            seen.push(places(&shown));
            own_places.push(places(&graph));
            cut_places.push(places(&graph));
        }
        let most = |all: &[Vec<[f64; 3]>], at: usize| {
            let clips = [velocity_changes(&own_places[at..at + 3]), physics.clone()];
            let own = (0..physics.len()).map(|joint| larger(clips[0][joint], clips[1][joint]));
            velocity_changes(&all[at..at + 3])
                .into_iter()
                .zip(own)
                .map(|(is, own)| is - own)
                .fold(0.0, larger)
        };
        for at in 1..4 {
            largest = larger(largest, most(&seen, at));
            cut = larger(cut, most(&cut_places, at));
        }
        // After its time nothing is left of it, to the bit.
        for animator in [&mut shown, &mut graph] {
            (0..36).for_each(|_| animator.update(STEP_S).unwrap());
        }
        assert_eq!(bits(shown.models()), bits(graph.models()));
        assert_eq!(shown.save(), graph.save());
    }
    assert!(largest < BOUND_M_S, "{largest} m/s");
    assert!(cut > 10.0 * BOUND_M_S, "the test can fail: {cut} m/s");
}

#[test]
fn it_is_saved_and_rewound_and_allocates_nothing() {
    let (mut shown, ragdoll) = (alone("walk", true), elsewhere("wave", 0.3));
    shown.update(STEP_S).unwrap();
    let pair = PosePair { now: ragdoll.pose(), before: ragdoll.pose() };
    shown.blend_in(ragdoll.pose(), 0.5, None).unwrap();
    shown.take_over(pair, 0.5).unwrap();
    let save = shown.save();
    let run = |animator: &mut Animator| -> Vec<u32> {
        animator.restore(&save).unwrap();
        let mut all = Vec::new();
        for _ in 0..30 {
            animator.update(STEP_S).unwrap();
            all.extend(bits(animator.models()));
        }
        all
    };
    let first = run(&mut shown);
    assert_eq!(run(&mut shown), first);
    assert_eq!(run(&mut alone("walk", true)), first);
    assert_no_alloc(|| {
        shown.update(STEP_S).unwrap();
        shown.blend_in(ragdoll.pose(), 0.5, None).unwrap();
        shown.take_over(pair, 0.5).unwrap();
        shown.update(STEP_S).unwrap();
    });
}

#[test]
fn a_weight_and_a_mask_say_how_much_of_it_is_seen() {
    let (mut shown, ragdoll) = (alone("walk", false), elsewhere("crouch", 0.4));
    shown.update(STEP_S).unwrap();
    let own = bits(shown.models());
    shown.blend_in(ragdoll.pose(), 0.0, None).unwrap();
    let near = |a: &[lissom::math::Mat4], b: &[lissom::math::Mat4]| {
        let pairs = a.iter().zip(b).flat_map(|(a, b)| a.to_cols_array().into_iter().zip(b.to_cols_array()));
        pairs.fold(0.0_f32, |most, (a, b)| if (a - b).abs() > most { (a - b).abs() } else { most })
    };
    let graphs = shown.models().to_vec();
    shown.update(0.0).unwrap();
    assert_eq!(bits(shown.models()), own);
    assert!(near(&graphs, shown.models()) < 1e-5);
    shown.blend_in(ragdoll.pose(), 1.0, None).unwrap();
    assert!(near(shown.models(), ragdoll.models()) < 1e-5);
    // The legs stay with the graph, and the hand goes over as far as its weight says.
    let joint = |name: &str| shown.body().skeleton().find(name).unwrap();
    let (leg, hand) = (joint("shin_l"), joint("hand_l"));
    let mask = shown.graph().masks(shown.body().skeleton()).unwrap().remove(0);
    assert_eq!((mask[leg / GROUP].0[leg % GROUP], mask[hand / GROUP].0[hand % GROUP]), (0.0, 1.0));
    assert!(near(&graphs[leg..=leg], &ragdoll.models()[leg..=leg]) > 0.05, "the leg is elsewhere there");
    let local = |pose: &[SoaTransform], joint: usize| {
        let SoaTransform { rotation: r, .. } = &pose[joint / GROUP];
        [r.x, r.y, r.z, r.w].map(|lanes| lanes.0[joint % GROUP])
    };
    shown.update(0.0).unwrap();
    let (own_turn, other_turn) = (local(shown.pose(), hand), local(ragdoll.pose(), hand));
    let angle = |a: [f32; 4], b: [f32; 4]| {
        let dot: f64 = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(b)).sum();
        2.0 * libm::acos(if dot.abs() < 1.0 { dot.abs() } else { 1.0 })
    };
    let whole = angle(own_turn, other_turn);
    assert!(whole > 0.02, "the hand is turned by {whole} there");
    for weight in [1.0_f32, 0.5, 0.25] {
        shown.update(0.0).unwrap();
        shown.blend_in(ragdoll.pose(), weight, Some(&mask)).unwrap();
        assert!(near(&shown.models()[leg..=leg], &graphs[leg..=leg]) < 1e-5, "the leg at {weight}");
        let [from_own, from_other] =
            [own_turn, other_turn].map(|turn| angle(turn, local(shown.pose(), hand)));
        // On the way from one to the other, and so far along it. At small angles blended quaternions turn evenly.
        let share = f64::from(weight);
        assert!((from_own - share * whole).abs() < 2e-3, "{from_own} of {whole} at {weight}");
        assert!((from_other - (1.0 - share) * whole).abs() < 2e-3, "{from_other} of {whole} at {weight}");
    }
}

#[test]
fn what_cannot_be_taken_over_is_refused() {
    let (mut shown, ragdoll) = (alone("walk", true), elsewhere("wave", 0.3));
    shown.update(STEP_S).unwrap();
    let before = bits(shown.models());
    for weight in [-0.1, 1.1, f32::NAN] {
        let error = shown.blend_in(ragdoll.pose(), weight, None).unwrap_err();
        assert!(matches!(error, AnimateError::State(StateError::Value(_))), "{error}");
    }
    let short = &ragdoll.pose()[1..];
    let too_short =
        |error: &AnimateError| matches!(error, AnimateError::Play(PlayError::Job(JobError::TooShort { .. })));
    assert!(too_short(&shown.blend_in(short, 1.0, None).unwrap_err()));
    let mask = [Lanes::splat(1.0)];
    assert!(too_short(&shown.blend_in(ragdoll.pose(), 1.0, Some(&mask)).unwrap_err()));
    assert_eq!(bits(shown.models()), before);

    let pair = |now, before| PosePair { now, before };
    assert!(too_short(&shown.take_over(pair(short, short), 0.2).unwrap_err()));
    for fade_s in [-1.0, f32::NAN, f32::INFINITY] {
        let error = shown.take_over(pair(ragdoll.pose(), ragdoll.pose()), fade_s).unwrap_err();
        assert!(matches!(error, AnimateError::State(StateError::Value(_))), "{error}");
    }
    let mut broken = ragdoll.pose().to_vec();
    broken[2].translation.y.0[1] = f32::NAN;
    let error = shown.take_over(pair(&broken, ragdoll.pose()), 0.2).unwrap_err();
    assert!(matches!(error, AnimateError::State(StateError::Value(_))), "{error}");
    assert!(!shown.memory().is_running());
    shown.take_over(pair(ragdoll.pose(), ragdoll.pose()), 0.0).unwrap();
    assert!(!shown.memory().is_running());

    let error = alone("walk", false).take_over(pair(ragdoll.pose(), ragdoll.pose()), 0.2).unwrap_err();
    assert_eq!(error, AnimateError::State(StateError::NoMemory));
}
