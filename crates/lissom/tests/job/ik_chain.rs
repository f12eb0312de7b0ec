//! Chains come to what they can reach, and no joint leaves its limits.

use core::f32::consts::PI;
use lissom::{
    job::{ChainIkJob, ChainReport, JobError, JointLimit},
    math::{Mat34, Quat, Transform, Vec3, scalar::*, trig},
};
use lissom_testkit::{alloc, rng::Rng};

/// Joints of uniform scales, some mirrored, on anything.
#[derive(Clone, Debug)]
struct Chain {
    parent: Mat34,
    locals: Vec<Transform>,
}

impl Chain {
    fn random(rng: &mut Rng) -> Self {
        let parent = if rng.one_in(2) { rng.mirrored_transform() } else { rng.transform() }.to_mat34();
        let count = 3 + rng.below(8);
        let joint = |_| Transform {
            translation: scale(normalize_or(rng.vec3(1.0), Vec3::X), rng.range(0.2, 0.5)),
            rotation: rng.rotation(),
            scale: Vec3::splat(rng.range(0.8, 1.25) * if rng.one_in(6) { -1.0 } else { 1.0 }),
        };
        Self { parent, locals: (0..count).map(joint).collect() }
    }

    /// Where the end is, seen from what the chain hangs on.
    fn end(&self) -> Vec3 {
        let matrix = self.locals.iter().fold(Mat34::IDENTITY, |at, local| at.mul(&local.to_mat34()));
        matrix.translation()
    }

    fn reach(&self) -> f32 {
        let (mut reach, mut size) = (0.0, 1.0);
        for (i, local) in self.locals.iter().enumerate() {
            reach += if i > 0 { size * length(local.translation) } else { 0.0 };
            size *= local.scale.x.abs();
        }
        reach
    }

    fn to_model(&self, at: Vec3) -> Vec3 {
        Vec3::from_array(self.parent.mul_point(at.to_array()))
    }

    fn solve(&mut self, target: Vec3, limits: &[JointLimit], rounds: u32) -> ChainReport {
        let mut report = ChainReport::default();
        let mut job = ChainIkJob::new(&self.parent, target, &mut self.locals, &mut report);
        (job.limits, job.rounds) = (limits, rounds);
        job.run().unwrap();
        report
    }
}

fn random_limit(rng: &mut Rng) -> JointLimit {
    let (rest, axis) = (rng.rotation(), rng.vec3(1.0));
    match rng.below(4) {
        0 => JointLimit::Free,
        1 => JointLimit::Fixed,
        2 => {
            let from = rng.range(-PI, PI);
            JointLimit::Hinge { rest, axis, from, to: rng.range(from, PI) }
        }
        _ => JointLimit::Cone { rest, axis, swing: rng.range(0.1, PI), twist: rng.range(0.0, PI) },
    }
}

/// How far outside a limit a rotation is, in radians; told from angles and images of vectors alone.
fn outside(limit: &JointLimit, local: Quat) -> f32 {
    let image = |q: Quat, v: Vec3| normalize_or(quat_rotate(q, v), Vec3::X);
    let angle = |a: Vec3, b: Vec3| trig::atan2(length(cross(a, b)), dot(a, b));
    match *limit {
        JointLimit::Free | JointLimit::Fixed => 0.0,
        JointLimit::Hinge { rest, axis, from, to } => {
            let axis = normalize_or(axis, Vec3::X);
            let r = quat_mul(quat_conjugate(rest), local);
            let off_axis = angle(image(r, axis), axis);
            let across =
                normalize_or(cross(axis, if axis.x.abs() < 0.7 { Vec3::X } else { Vec3::Y }), Vec3::Z);
            let turned = image(r, across);
            let is = trig::atan2(dot(cross(across, turned), axis), dot(across, turned));
            // Half a turn is one place with two names.
            let over = |is: f32| {
                if is > to {
                    is - to
                } else if is < from {
                    from - is
                } else {
                    0.0
                }
            };
            let names = [over(is), over(is + 2.0 * PI), over(is - 2.0 * PI)];
            off_axis + names.into_iter().fold(f32::INFINITY, |a, b| if b < a { b } else { a })
        }
        JointLimit::Cone { rest, axis, swing, twist } => {
            let axis = normalize_or(axis, Vec3::X);
            let r = quat_mul(quat_conjugate(rest), local);
            let swung = angle(image(r, axis), axis);
            // What is left after the shortest swing back is the twist.
            let back = {
                let c = cross(image(r, axis), axis);
                quat_normalize(Quat::from_xyzw(c.x, c.y, c.z, 1.0 + dot(image(r, axis), axis)))
            };
            let left = quat_near(quat_mul(back, r), Quat::IDENTITY);
            let twisted = 2.0 * trig::atan2(length(Vec3::new(left.x, left.y, left.z)), left.w);
            let over = |is: f32, most: f32| if is > most { is - most } else { 0.0 };
            // Half a turn away no swing is the shortest.
            let twist_over = if swung > 3.0 { 0.0 } else { over(twisted, twist) };
            over(swung, swing) + twist_over
        }
    }
}

#[test]
fn free_chains_reach_what_they_can_under_any_parent() {
    let mut rng = Rng::new(51);
    let (mut rounds, mut tried) = (0, 0);
    for round in 0..3_000 {
        let mut chain = Chain::random(&mut rng);
        let mut there = chain.clone();
        there.locals.iter_mut().for_each(|local| local.rotation = rng.rotation());
        // A chain that is nearly straight is found ever more slowly.
        let start = there.locals[0].translation;
        if length(sub(there.end(), start)) > 0.9 * there.reach() {
            continue;
        }
        let wanted = there.end();
        let report = chain.solve(chain.to_model(wanted), &[], 200);
        let missed = length(sub(chain.end(), wanted)) / chain.reach();
        assert!(missed < 2.0e-4 && report.reached, "round {round}: {missed} {report:?} {chain:?}");
        assert!((missed - report.missed).abs() < 1.0e-4, "round {round}: {missed} {report:?}");
        rounds += report.rounds;
        tried += 1;
    }
    assert!(tried > 2_000);
    assert!(rounds < 20 * tried, "{rounds} rounds for {tried} targets");
}

#[test]
fn no_joint_leaves_its_limits_and_none_comes_out_farther() {
    let mut rng = Rng::new(52);
    for round in 0..3_000 {
        let mut chain = Chain::random(&mut rng);
        let limits: Vec<JointLimit> = chain.locals.iter().map(|_| random_limit(&mut rng)).collect();
        let target = chain.to_model(rng.vec3(1.5));
        let before = chain.clone();
        chain.solve(target, &limits, 16);
        let turning = chain.locals.len() - 1;
        for (i, (local, limit)) in chain.locals.iter().zip(&limits).enumerate() {
            if i == turning || *limit == JointLimit::Fixed {
                assert_eq!(local.rotation, before.locals[i].rotation);
            } else {
                let out = outside(limit, local.rotation);
                assert!(out < 5.0e-3, "round {round}, joint {i}: {out} rad outside {limit:?}");
            }
            assert_eq!(
                (local.translation, local.scale),
                (before.locals[i].translation, before.locals[i].scale)
            );
        }
        // From inside the limits, more rounds never come out worse.
        let few = chain.clone();
        let seen = |chain: &Chain| {
            let into = chain.parent.inverse().unwrap();
            length(sub(chain.end(), Vec3::from_array(into.mul_point(target.to_array()))))
        };
        chain.solve(target, &limits, 16);
        assert!(seen(&chain) <= seen(&few) + 1.0e-4 * chain.reach(), "round {round}");
    }
}

/// What a hinged chain can do, it finds.
#[test]
fn a_finger_of_hinges_closes_and_does_not_bend_back() {
    let hinge = JointLimit::Hinge { rest: Quat::IDENTITY, axis: Vec3::Z, from: 0.0, to: 1.6 };
    let limits = [hinge; 4];
    let bone = Transform::from_translation(Vec3::X);
    let mut rng = Rng::new(53);
    for _ in 0..500 {
        let mut there =
            Chain { parent: Mat34::IDENTITY, locals: vec![Transform::IDENTITY, bone, bone, bone] };
        for local in &mut there.locals[..3] {
            local.rotation = quat_from_axis_angle(Vec3::Z, rng.range(0.2, 1.4));
        }
        let wanted = there.end();
        let mut chain = Chain { locals: vec![Transform::IDENTITY, bone, bone, bone], ..there };
        let report = chain.solve(wanted, &limits, 500);
        assert!(report.missed < 2.0e-3, "{report:?} {wanted:?}");
        for local in &chain.locals[..3] {
            assert!(local.rotation.z >= -1.0e-6 && local.rotation.x == 0.0 && local.rotation.y == 0.0);
        }
    }
    // Behind its back there is nothing that it can do.
    let mut chain = Chain { parent: Mat34::IDENTITY, locals: vec![Transform::IDENTITY, bone, bone, bone] };
    let report = chain.solve(Vec3::new(1.0, -1.5, 0.0), &limits, 50);
    assert!(!report.reached && report.missed > 0.1, "{report:?}");
}

/// The bound: from one pose, a target that moves by a thousandth of the length moves the end by at most that and twice the
/// tolerance, and no joint turns by more than 0.3 radians.
#[test]
fn a_target_that_moves_a_little_moves_the_chain_a_little() {
    let mut rng = Rng::new(54);
    let (mut looked, mut worst) = (0, 0.0);
    while looked < 1_000 {
        let chain = Chain::random(&mut rng);
        let wanted = add(chain.locals[0].translation, scale(rng.vec3(1.0), 0.4 * chain.reach()));
        if length(sub(wanted, chain.locals[0].translation)) < 0.1 * chain.reach() {
            continue;
        }
        let moved = add(wanted, scale(normalize_or(rng.vec3(1.0), Vec3::X), 1.0e-3 * chain.reach()));
        let (mut first, mut second) = (chain.clone(), chain.clone());
        let reports =
            [first.solve(chain.to_model(wanted), &[], 200), second.solve(chain.to_model(moved), &[], 200)];
        // Nearer than its longest bone allows, for one.
        if reports.iter().any(|report| !report.reached) {
            continue;
        }
        let way = length(sub(first.end(), second.end())) / chain.reach();
        assert!(way < 1.3e-3, "{way}");
        for (a, b) in first.locals.iter().zip(&second.locals) {
            let q = quat_near(quat_mul(a.rotation, quat_conjugate(b.rotation)), Quat::IDENTITY);
            let angle = 2.0 * length(Vec3::new(q.x, q.y, q.z));
            worst = if angle > worst { angle } else { worst };
        }
        looked += 1;
    }
    assert!(worst < 0.3, "{worst}");
}

#[test]
fn bad_chains_have_defined_results() {
    let mut rng = Rng::new(55);
    for round in 0..4_000 {
        let mut chain = Chain::random(&mut rng);
        let count = chain.locals.len();
        let mut target = chain.to_model(rng.vec3(2.0));
        match round % 7 {
            0 => chain.locals[rng.below(count)].translation = Vec3::ZERO,
            1 => chain.locals.iter_mut().for_each(|local| local.translation = Vec3::ZERO),
            2 => chain.locals[rng.below(count)].scale = Vec3::ZERO,
            3 => chain.parent.columns[0] = [0.0; 3],
            4 => target = chain.to_model(chain.locals[0].translation),
            5 => target = chain.to_model(scale(rng.vec3(1.0), 1.0e15)),
            _ => {
                // Straight, and the target on its line.
                for local in &mut chain.locals {
                    *local = Transform::from_translation(Vec3::X);
                }
                target = chain.to_model(Vec3::new(0.5 * count as f32, 0.0, 0.0));
            }
        }
        let report = chain.solve(target, &[], 40);
        assert!(report.missed.is_finite(), "round {round}: {report:?}");
        for local in &chain.locals {
            assert!(
                (quat_dot(local.rotation, local.rotation) - 1.0).abs() < 1.0e-4,
                "round {round}: {local:?}"
            );
        }
        assert!(
            round % 7 != 6 || report.missed < 0.01,
            "round {round}: the straight chain did not bend: {report:?}"
        );
    }
}

#[test]
fn a_weight_goes_from_the_pose_to_the_target() {
    let mut rng = Rng::new(56);
    for _ in 0..200 {
        let chain = Chain::random(&mut rng);
        let target = chain.to_model(rng.vec3(0.5));
        let solve = |weight: f32| {
            let (mut chain, mut report) = (chain.clone(), ChainReport::default());
            let mut job = ChainIkJob::new(&chain.parent, target, &mut chain.locals, &mut report);
            job.weight = weight;
            job.run().unwrap();
            (chain.locals, report.reached)
        };
        let (none, half, all) = (solve(-1.0), solve(0.5), solve(1.0));
        for (i, local) in chain.locals.iter().enumerate() {
            let near = |a: Quat, b: Quat| quat_dot(a, b).abs();
            assert!(near(none.0[i].rotation, local.rotation) > 0.999_99);
            assert!(
                near(half.0[i].rotation, local.rotation) > near(all.0[i].rotation, local.rotation) - 1.0e-5
            );
        }
        assert!(!none.1 && !half.1);
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_is_allocated() {
    let bone = Transform::from_translation(Vec3::X);
    let good = [bone; 4];
    let run = |chain: &[Transform], set: &dyn Fn(&mut ChainIkJob<'_>)| {
        let (mut locals, mut report) = (chain.to_vec(), ChainReport::default());
        let mut job = ChainIkJob::new(&Mat34::IDENTITY, Vec3::ONE, &mut locals, &mut report);
        set(&mut job);
        let result = alloc::assert_no_alloc(|| job.run());
        assert!(result.is_ok() || (locals.len() == chain.len() && report == ChainReport::default()));
        result
    };
    assert_eq!(run(&good, &|_| ()), Ok(()));
    assert!(matches!(run(&good[..1], &|_| ()), Err(JobError::TooShort { field: "chain", .. })));
    assert!(matches!(run(&[bone; 65], &|_| ()), Err(JobError::Mismatch { field: "chain", .. })));
    let bad = Transform { scale: Vec3::NAN, ..bone };
    assert!(matches!(run(&[bone, bad], &|_| ()), Err(JobError::Value { field: "chain", index: 1, .. })));
    assert!(matches!(
        run(&good, &|job| job.target.x = f32::NAN),
        Err(JobError::Value { field: "target", .. })
    ));
    assert!(matches!(
        run(&good, &|job| job.tolerance = 0.0),
        Err(JobError::Value { field: "tolerance", .. })
    ));
    assert!(matches!(
        run(&good, &|job| job.limits = &[JointLimit::Free]),
        Err(JobError::TooShort { field: "limits", .. })
    ));
    const fn hinge(axis: Vec3, from: f32, to: f32) -> [JointLimit; 4] {
        [JointLimit::Hinge { rest: Quat::IDENTITY, axis, from, to }; 4]
    }
    static WRONG: [[JointLimit; 4]; 3] =
        [hinge(Vec3::ZERO, 0.0, 1.0), hinge(Vec3::X, 1.0, 0.0), hinge(Vec3::X, f32::NAN, 0.0)];
    for limits in &WRONG {
        assert!(matches!(
            run(&good, &|job| job.limits = limits),
            Err(JobError::Value { field: "limits", .. })
        ));
    }
}
