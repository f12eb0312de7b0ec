//! Saves at rates above 1: what is restored shows the frames that the original showed, held poses included.

use super::{ARCHIVE, GRAPH, INERTIAL, bits, crowd};
use lissom::math::soa::SoaTransform;
use lissom_motion::{
    Animator, Graph, RootStep, Save,
    crowd::{Crowd, Member, Outputs, PaletteFormat, Palettes, Role},
};
use lissom_testkit::{
    crowds::{self, Input},
    rng::Rng,
};
use std::sync::Arc;

/// What a program tells one character in one frame, and how long the frame is.
#[derive(Clone, Copy)]
struct Moment {
    dt_s: f64,
    input: Option<Input>,
}

fn moments(rng: &mut Rng, count: usize) -> Vec<Moment> {
    let dt_s = |rng: &mut Rng| if rng.one_in(11) { 0.0 } else { 0.002 + rng.unit_f64() * 0.08 };
    (0..count).map(|_| Moment { dt_s: dt_s(rng), input: Input::random(rng) }).collect()
}

fn pose_bits(pose: &[SoaTransform]) -> Vec<u32> {
    bytemuck::cast_slice::<SoaTransform, f32>(pose).iter().map(|v| v.to_bits()).collect()
}

/// Matrices, pose and palette of every frame.
fn run_animator(animator: &mut Animator, moments: &[Moment]) -> Vec<[Vec<u32>; 3]> {
    let frame = |moment: &Moment| {
        moment.input.into_iter().for_each(|input| input.tell_animator(animator));
        animator.update(moment.dt_s).unwrap();
        let palette = bits(animator.palette("body").unwrap());
        [bits(animator.models()), pose_bits(animator.pose()), palette]
    };
    moments.iter().map(frame).collect()
}

/// What is written of every member in every frame.
fn run_crowd(crowd: &mut Crowd, graph: &Graph, members: &[Member], moments: &[Moment]) -> Vec<Vec<u32>> {
    let mut frames = Vec::new();
    for (i, moment) in moments.iter().enumerate() {
        let input = moment.input.into_iter();
        input.for_each(|input| input.tell(crowd, graph, members[i % members.len()]));
        crowd.update(moment.dt_s).unwrap();
        frames.extend(members.iter().map(|member| shown(crowd, *member)));
    }
    frames
}

fn shown(crowd: &Crowd, member: Member) -> Vec<u32> {
    let mut all = crowd.models(member).unwrap().map(bits).unwrap_or_default();
    match crowd.palette(member).unwrap() {
        Some(Palettes::F32(rows)) => all.extend(rows.iter().flatten().flatten().map(|v| v.to_bits())),
        Some(Palettes::F16(rows)) => all.extend(rows.iter().flatten().flatten().map(|v| u32::from(*v))),
        None => {}
    }
    all.extend(crowd.root_step(member).unwrap().translation.map(|v| v.to_bits() as u32));
    all
}

#[test]
fn at_rates_2_to_5_what_is_restored_shows_the_same_frames() {
    let mut rng = Rng::new(29);
    let mut held = 0;
    for case in 0..48_usize {
        let every = 2 + (case % 4) as u8;
        let (between, graph) = (case / 4 % 2 == 1, if case / 8 % 2 == 1 { &*INERTIAL } else { &*GRAPH });
        let what = format!("case {case}: every {every}, between {between}");

        // An animator, restored itself, and into another one that has done something else.
        let mut animator = Animator::new(&ARCHIVE, Arc::clone(graph)).unwrap();
        let mut other = animator.clone();
        run_animator(&mut other, &moments(&mut rng, 9));
        animator.set_between(between);
        animator.set_rate(every, rng.below(usize::from(every)) as u8).unwrap();
        let before = 3 + rng.below(12);
        run_animator(&mut animator, &moments(&mut rng, before));
        let saved = animator.save();
        let mut again = other.save();
        animator.save_to(&mut again);
        assert_eq!(again, saved, "{what}");
        let then = moments(&mut rng, 23);
        let frames = run_animator(&mut animator, &then);
        held += frames.windows(2).filter(|pair| pair[0][1] == pair[1][1]).count();
        for restored in [&mut animator, &mut other] {
            restored.restore(&saved).unwrap();
            assert_eq!(restored.save(), saved, "{what}");
            assert!(run_animator(restored, &then) == frames, "{what}: an animator");
        }

        // A crowd, whole; and one of its members alone, also as an animator.
        let palettes = [None, Some(PaletteFormat::F32), Some(PaletteFormat::F16)][case % 3];
        let models = palettes.is_none() || rng.one_in(2);
        let mut crowd = crowd();
        crowd.set_outputs(Outputs { models, between, palettes, before: rng.one_in(2), ..Outputs::default() });
        let by = crowd.add_graph(Arc::clone(graph)).unwrap();
        let members: Vec<Member> =
            (0..7).map(|_| crowd.add(Role::Graph(by), crowds::place(&mut rng)).unwrap()).collect();
        crowd.set_rate(&members[..5], every).unwrap();
        if rng.one_in(3) {
            crowd.set_pace(&members[2..4], 0.0).unwrap();
        }
        run_crowd(&mut crowd, graph, &members, &moments(&mut rng, before));
        let mut snapshot = crowd.snapshot();
        let saves: Vec<Save> = members.iter().map(|member| crowd.save(*member).unwrap()).collect();
        let frames = run_crowd(&mut crowd, graph, &members, &then);
        crowd.restore(&snapshot).unwrap();
        crowd.snapshot_into(&mut snapshot);
        run_crowd(&mut crowd, graph, &members, &then[..case % 7]);
        crowd.restore(&snapshot).unwrap();
        assert!(run_crowd(&mut crowd, graph, &members, &then) == frames, "{what}: a crowd");
        if models || between {
            for (member, save) in members.iter().zip(&saves) {
                crowd.restore_member(*member, save).unwrap();
            }
            assert!(run_crowd(&mut crowd, graph, &members, &then) == frames, "{what}: its members");
            other.restore(&saves[1]).unwrap();
            crowd.restore_member(members[1], &saves[1]).unwrap();
            for moment in &then {
                crowd.update(moment.dt_s).unwrap();
                other.update(moment.dt_s).unwrap();
                let models = crowd.models(members[1]).unwrap().unwrap();
                assert!(bits(models) == bits(other.models()), "{what}: a member as an animator");
            }
        }
    }
    assert!(held > 200, "poses are held: {held}");
}

#[test]
fn a_pose_that_is_blended_in_is_blended_in_once_whatever_the_rate() {
    let mut full = Animator::new(&ARCHIVE, Arc::clone(&GRAPH)).unwrap();
    full.set(GRAPH.float("speed").unwrap(), 1.5).unwrap();
    let foreign = full.body().skeleton().rest_pose().to_vec();
    for every in 2..=5 {
        let mut slow = full.clone();
        let mut plain = full.clone();
        slow.set_rate(every, 0).unwrap();
        plain.set_rate(every, 0).unwrap();
        for frame in 0..20 {
            slow.update(0.02).unwrap();
            plain.update(0.02).unwrap();
            assert!(pose_bits(slow.pose()) == pose_bits(plain.pose()), "every {every}, frame {frame}");
            assert!(bits(slow.models()) == bits(plain.models()), "every {every}, frame {frame}");
            // The graph's pose of the last turn, blended once.
            let mut once = plain.clone();
            once.blend_in(&foreign, 0.5, None).unwrap();
            let saved = slow.save();
            slow.blend_in(&foreign, 0.5, None).unwrap();
            assert!(pose_bits(slow.pose()) == pose_bits(once.pose()), "every {every}, frame {frame}");
            assert!(bits(slow.models()) == bits(once.models()), "every {every}, frame {frame}");
            assert!(pose_bits(slow.pose()) != pose_bits(plain.pose()));
            assert_eq!(slow.save(), saved, "what is blended in is not saved");
        }
    }
}

#[test]
fn a_save_of_another_skeleton_or_graph_is_refused() {
    let mut crowd = crowd();
    let [by, other] = [&*GRAPH, &*INERTIAL].map(|graph| crowd.add_graph(Arc::clone(graph)).unwrap());
    let [member, inertial] = [by, other].map(|by| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap());
    crowd.set_rate(&[member], 3).unwrap();
    crowd.update(0.1).unwrap();
    let save = crowd.save(member).unwrap();
    let before = crowd.save(inertial).unwrap();
    // The two differ in what their poses remember.
    assert!(crowd.restore_member(inertial, &save).is_err());
    assert_eq!(crowd.save(inertial).unwrap(), before);
}
