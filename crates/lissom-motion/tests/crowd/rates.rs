//! Rates, levels of detail and what is shown between updates: a member and an animator that were told the same are equal.

use super::{ARCHIVE, GRAPH, bits, crowd};
use lissom::{
    JointLod,
    math::{Mat34, simd::Backend},
};
use lissom_motion::{
    Animator, RootStep,
    crowd::{Crowd, Executor, Member, Outputs, PaletteFormat, Palettes, Rayon, Role, Serial},
};
use lissom_testkit::{
    crowds::{self, Input},
    rng::Rng,
};
use std::sync::Arc;

const LEVELS: [usize; 2] = [20, 37];

struct Pair {
    member: Member,
    animator: Animator,
}

impl Pair {
    fn tell(&mut self, crowd: &mut Crowd, input: Input) {
        input.tell(crowd, &GRAPH, self.member);
        input.tell_animator(&mut self.animator);
    }

    fn agrees(&mut self, crowd: &Crowd, what: &str) {
        let Self { member, animator } = self;
        let models = crowd.models(*member).unwrap().unwrap();
        for (joint, (found, alone)) in models.iter().zip(animator.models()).enumerate() {
            assert_eq!(bits(&[*found]), bits(&[*alone]), "{what}, joint {joint} {:?}", animator.body().lod());
        }
        let Some(Palettes::F32(rows)) = crowd.palette(*member).unwrap() else { panic!("no palettes") };
        for (rows, m) in rows.iter().zip(animator.palette("body").unwrap()) {
            let [a, b, c, d] = Mat34::from_mat4(m).columns;
            assert_eq!(*rows, std::array::from_fn(|i| [a[i], b[i], c[i], d[i]]), "{what}");
        }
        assert_eq!(crowd.state(*member).unwrap(), animator.state(), "{what}");
    }
}

/// Everybody at a rate and a level of their own, which change now and then.
fn compare(seed: u64, between: bool, backend: Backend, executor: &dyn Executor) {
    let mut rng = Rng::new(seed);
    let mut crowd = crowd();
    crowd.set_backend(backend);
    crowd.set_grain(8);
    crowd.set_outputs(Outputs { palettes: Some(PaletteFormat::F32), between, ..Outputs::default() });
    let levels = LEVELS.map(|joints| crowd.add_level(JointLod::prefix(joints)).unwrap());
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let alone = Animator::new(&ARCHIVE, Arc::clone(&GRAPH)).unwrap();
    let mut pairs: Vec<Pair> = (0..40)
        .map(|_| {
            let mut animator = alone.clone();
            animator.set_between(between);
            Pair { member: crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap(), animator }
        })
        .collect();
    // An animator shows its first pose as soon as it is made.
    crowd.update(0.0).unwrap();
    for frame in 0..25 {
        for at in 0..pairs.len() {
            if frame == 0 || rng.one_in(12) {
                let every = 1 + rng.below(4) as u8;
                // Two at once: the second has its turn one update later.
                let other = (at + 1) % pairs.len();
                crowd.set_rate(&[pairs[at].member, pairs[other].member], every).unwrap();
                pairs[at].animator.set_rate(every, 0).unwrap();
                pairs[other].animator.set_rate(every, 1 % every).unwrap();
            }
            if rng.one_in(10) {
                let level = rng.below(3);
                let lod = level.checked_sub(1).map(|level| JointLod::prefix(LEVELS[level]));
                let level = level.checked_sub(1).map_or(0, |level| levels[level]);
                crowd.set_level(&[pairs[at].member], level).unwrap();
                pairs[at].animator.set_lod(lod).unwrap();
            }
            if let Some(input) = Input::random(&mut rng) {
                pairs[at].tell(&mut crowd, input);
            }
        }
        let dt_s = if rng.one_in(9) { 0.0 } else { rng.unit_f64() * 0.1 };
        crowd.update_on(dt_s, executor).unwrap();
        for pair in &mut pairs {
            pair.animator.update(dt_s).unwrap();
            pair.agrees(&crowd, &format!("{}, {backend}, frame {frame}", pair.member));
        }
    }
}

#[test]
fn at_any_rate_and_level_a_member_is_its_animator() {
    for between in [false, true] {
        for (i, backend) in Backend::all().enumerate() {
            compare(3 + i as u64, between, backend, &Serial);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        pool.install(|| compare(20, between, Backend::best(), &Rayon));
    }
}

#[test]
fn between_its_turns_a_member_moves_evenly_to_the_pose_of_the_last() {
    let mut crowd = crowd();
    crowd.set_outputs(Outputs { between: true, ..Outputs::default() });
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let [full, slow] = [0, 1].map(|_| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap());
    crowd.set_each(&[full, slow], GRAPH.float("speed").unwrap(), &[2.0; 2]).unwrap();
    crowd.set_rate(&[slow], 4).unwrap();
    let models = |crowd: &Crowd, member| bits(crowd.models(member).unwrap().unwrap());
    let hand = |crowd: &Crowd| crowd.models(slow).unwrap().unwrap()[12].w_axis;
    // The first update shows it at once.
    crowd.update(0.02).unwrap();
    assert_eq!(models(&crowd, slow), models(&crowd, full));
    for _ in 0..3 {
        crowd.update(0.02).unwrap();
    }
    for round in 0..5 {
        let before = hand(&crowd);
        let mut poses = Vec::new();
        let mut steps = Vec::new();
        for _ in 0..4 {
            crowd.update(0.02).unwrap();
            poses.push(models(&crowd, full));
            steps.push(hand(&crowd));
        }
        assert_eq!(models(&crowd, slow), poses[0], "round {round}");
        let whole = [steps[3].x - before.x, steps[3].y - before.y, steps[3].z - before.z];
        for (i, step) in steps.iter().enumerate() {
            let way = [step.x - before.x, step.y - before.y, step.z - before.z];
            for axis in 0..3 {
                let even = whole[axis] * (i + 1) as f32 / 4.0;
                assert!((way[axis] - even).abs() < 1e-5, "round {round}, {i}: {way:?} of {whole:?}");
            }
        }
        assert!(whole.iter().any(|v| v.abs() > 1e-3), "it moves: {whole:?}");
    }
    // A step of 0 shows it as it is.
    crowd.update(0.02).unwrap();
    crowd.update(0.0).unwrap();
    assert_eq!(models(&crowd, slow), models(&crowd, full));
}

#[test]
fn saved_between_its_turns_it_moves_on_from_there() {
    let mut rng = Rng::new(4);
    let mut crowd = crowd();
    crowd.set_outputs(Outputs { between: true, ..Outputs::default() });
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let members: Vec<Member> =
        (0..9).map(|_| crowd.add(Role::Graph(by), crowds::place(&mut rng)).unwrap()).collect();
    crowd.set_each(&members, GRAPH.float("speed").unwrap(), &[1.7; 9]).unwrap();
    crowd.set_rate(&members[..6], 3).unwrap();
    for _ in 0..10 {
        crowd.update(0.03).unwrap();
    }
    let saved = crowd.snapshot();
    let run = |crowd: &mut Crowd| -> Vec<Vec<u32>> {
        (0..100)
            .flat_map(|_| {
                crowd.update(0.03).unwrap();
                members.iter().map(|member| bits(crowd.models(*member).unwrap().unwrap())).collect::<Vec<_>>()
            })
            .collect()
    };
    let first = run(&mut crowd);
    crowd.restore(&saved).unwrap();
    assert!(first == run(&mut crowd));
}

#[test]
fn a_step_of_nothing_changes_neither_places_nor_states() {
    let mut rng = Rng::new(12);
    let mut crowd = crowd();
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let members: Vec<Member> =
        (0..20).map(|_| crowd.add(Role::Graph(by), crowds::place(&mut rng)).unwrap()).collect();
    crowd.set_each(&members, GRAPH.float("speed").unwrap(), &[1.7; 20]).unwrap();
    for _ in 0..30 {
        crowd.update(0.03).unwrap();
        let of = |crowd: &Crowd| -> Vec<_> {
            let one = |member: &Member| {
                (
                    *crowd.place(*member).unwrap(),
                    crowd.state(*member).unwrap().clone(),
                    bits(crowd.models(*member).unwrap().unwrap()),
                )
            };
            members.iter().map(one).collect()
        };
        let before = of(&crowd);
        crowd.update(0.0).unwrap();
        assert!(of(&crowd) == before);
    }
}
