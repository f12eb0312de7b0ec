//! A hand comes to its grip, turned as it is.

use lissom::{
    job::{ArmCorrection, HandJob, JobError},
    math::{Mat34, Quat, Transform, Vec3, scalar::*},
};
use lissom_testkit::{alloc, rng::Rng};

const ARM: [f32; 2] = [0.3, 0.25];

/// An arm under any parent, of which a scale and a mirror are part.
#[derive(Clone, Copy, Debug)]
struct Arm {
    parent: Mat34,
    locals: [Transform; 3],
    scale: f32,
}

impl Arm {
    fn random(rng: &mut Rng) -> Self {
        let scale = rng.range(0.01, 30.0);
        let joint =
            |y: f32, rotation| Transform { translation: Vec3::new(0.0, y, 0.0), rotation, scale: Vec3::ONE };
        let mut parent = Transform { scale: Vec3::ONE * scale, ..rng.rigid() }.to_mat34();
        if rng.one_in(3) {
            parent.columns[0] = parent.columns[0].map(|v| -v);
        }
        let bend = quat_from_axis_angle(Vec3::Z, -rng.range(0.3, 2.0));
        let locals = [joint(0.1, rng.rotation()), joint(ARM[0], bend), joint(ARM[1], rng.rotation())];
        Self { parent, locals, scale }
    }

    fn models(&self) -> [Mat34; 3] {
        let mut at = self.parent;
        self.locals.map(|local| {
            at = at.mul(&local.to_mat34());
            at
        })
    }

    fn corrected(mut self, held: &ArmCorrection) -> Self {
        for (local, q) in self.locals.iter_mut().zip([held.shoulder, held.elbow, held.hand]) {
            local.rotation = quat_mul(local.rotation, q);
        }
        self
    }

    /// A grip so far from the shoulder, turned any way; mirrored as the arm is.
    fn grip(&self, rng: &mut Rng, distance: f32) -> Mat34 {
        let away = scale(normalize_or(rng.vec3(1.0), Vec3::X), distance * self.scale);
        let mut grip = rng.rigid().to_mat34();
        if self.parent.determinant() < 0.0 {
            grip.columns[2] = grip.columns[2].map(|v| -v);
        }
        grip.columns[3] = add(self.models()[0].translation(), away).to_array();
        grip
    }

    fn hold(&self, grip: &Mat34, weight: f32) -> ArmCorrection {
        let [shoulder, elbow, hand] = self.models();
        let mut held = ArmCorrection::default();
        let mut job = HandJob::new([&shoulder, &elbow, &hand], grip, &mut held);
        job.weight = weight;
        alloc::assert_no_alloc(|| job.run()).unwrap();
        held
    }
}

/// The largest distance of the axes of two matrices, taken as directions.
fn axes_apart(a: &Mat34, b: &Mat34) -> f32 {
    let unit = |m: &Mat34, k: usize| normalize_or(Vec3::from_array(m.columns[k]), Vec3::ZERO);
    (0..3).map(|k| length(sub(unit(a, k), unit(b, k)))).fold(0.0, |most, v| if v > most { v } else { most })
}

#[test]
fn a_hand_comes_to_a_grip_in_reach_and_is_turned_as_it_is_under_any_parent() {
    let mut rng = Rng::new(91);
    for round in 0..3000 {
        let arm = Arm::random(&mut rng);
        let distance = rng.range(0.1, 0.54);
        let grip = arm.grip(&mut rng, distance);
        let held = arm.hold(&grip, 1.0);
        let hand = arm.corrected(&held).models()[2];
        let off = length(sub(hand.translation(), grip.translation())) / (0.55 * arm.scale);
        assert!(held.reached && off < 1e-4, "{round}: {off} {held:?}");
        assert!(axes_apart(&hand, &grip) < 2e-3, "{round}: {}", axes_apart(&hand, &grip));
    }
}

#[test]
fn out_of_reach_it_points_there_and_turns_all_the_same() {
    let mut rng = Rng::new(92);
    for _ in 0..500 {
        let arm = Arm::random(&mut rng);
        let grip = arm.grip(&mut rng, 2.0);
        let held = arm.hold(&grip, 1.0);
        let [shoulder, _, hand] = arm.corrected(&held).models();
        let way = |m: &Mat34| normalize_or(sub(m.translation(), shoulder.translation()), Vec3::ZERO);
        assert!(!held.reached && length(sub(way(&hand), way(&grip))) < 1e-3);
        assert!(axes_apart(&hand, &grip) < 2e-3);
    }
}

#[test]
fn a_weight_goes_from_the_pose_to_the_grip() {
    let mut rng = Rng::new(93);
    for _ in 0..300 {
        let arm = Arm::random(&mut rng);
        let grip = arm.grip(&mut rng, 0.4);
        assert_eq!(arm.hold(&grip, -1.0), arm.hold(&grip, 0.0));
        assert!(axes_apart(&arm.corrected(&arm.hold(&grip, 0.0)).models()[2], &arm.models()[2]) < 1e-3);
        let mut before = f32::INFINITY;
        for weight in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let held = arm.hold(&grip, weight);
            let apart = axes_apart(&arm.corrected(&held).models()[2], &grip);
            assert!(apart <= before + 1e-3, "{apart} after {before}");
            assert_eq!(held.reached, weight == 1.0);
            before = apart;
        }
    }
}

#[test]
fn a_grip_that_moves_a_little_moves_the_hand_a_little() {
    let mut rng = Rng::new(94);
    for _ in 0..500 {
        let arm = Arm::random(&mut rng);
        let grip = arm.grip(&mut rng, 0.35);
        let mut other = grip;
        let step = scale(normalize_or(rng.vec3(1.0), Vec3::X), 1e-4 * arm.scale);
        other.columns[3] = add(grip.translation(), step).to_array();
        let hand = |grip: &Mat34| arm.corrected(&arm.hold(grip, 1.0)).models()[2];
        let (a, b) = (hand(&grip), hand(&other));
        assert!(length(sub(a.translation(), b.translation())) < 1e-3 * arm.scale);
        assert!(axes_apart(&a, &b) < 1e-2);
    }
}

#[test]
fn bad_numbers_are_refused_and_what_has_no_direction_is_left_alone() {
    let arm = Arm::random(&mut Rng::new(95));
    let [shoulder, elbow, hand] = arm.models();
    let grip = arm.grip(&mut Rng::new(96), 0.4);
    let asked = |change: &dyn Fn(&mut HandJob<'_>)| {
        let mut held = ArmCorrection::default();
        let mut job = HandJob::new([&shoulder, &elbow, &hand], &grip, &mut held);
        change(&mut job);
        let done = job.run();
        assert_eq!(done.is_err(), job.validate().is_err());
        done.map(|()| held)
    };
    let mut bad = grip;
    bad.columns[1][2] = f32::NAN;
    let refused: [&dyn Fn(&mut HandJob<'_>); 5] = [
        &|job| job.elbow_axis = Vec3::ZERO,
        &|job| job.pole = Vec3::new(f32::INFINITY, 0.0, 0.0),
        &|job| job.soften = 1.5,
        &|job| job.weight = f32::NAN,
        &|job| job.soften = f32::NAN,
    ];
    for change in refused {
        assert!(matches!(asked(change), Err(JobError::Value { .. })));
    }
    let mut held = ArmCorrection::default();
    let error = HandJob::new([&shoulder, &elbow, &hand], &bad, &mut held).run().unwrap_err();
    assert!(matches!(error, JobError::Value { field: "grip", .. }), "{error}");
    // Flat, or of no size.
    for columns in [[[0.0; 3]; 4], [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3], [0.1; 3]]] {
        let mut held = ArmCorrection { reached: true, ..ArmCorrection::default() };
        HandJob::new([&shoulder, &elbow, &hand], &Mat34 { columns }, &mut held).run().unwrap();
        assert_eq!(held, ArmCorrection::default());
    }
}

#[test]
fn wild_arms_stay_finite() {
    let mut rng = Rng::new(97);
    for _ in 0..5000 {
        let mut wild = || {
            let exponent = rng.range(-30.0, 30.0);
            let mut m = rng.transform().to_mat34();
            m.columns = m.columns.map(|column| column.map(|v| v * libm::exp2f(exponent)));
            m
        };
        let (shoulder, elbow, hand, grip) = (wild(), wild(), wild(), wild());
        let mut held = ArmCorrection::default();
        HandJob::new([&shoulder, &elbow, &hand], &grip, &mut held).run().unwrap();
        let finite = |q: Quat| quat_is_finite(q) && (quat_dot(q, q) - 1.0).abs() < 1e-4;
        assert!([held.shoulder, held.elbow, held.hand].into_iter().all(finite), "{held:?}");
    }
}
