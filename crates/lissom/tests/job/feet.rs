//! Feet come onto the ground that is there, and stay where they are put.

use lissom::{
    job::{FootJob, FootLock, FootLockRule, Ground, JobError, Leg, LegCorrection},
    math::{Mat34, Quat, Transform, Vec3, scalar::*, trig},
};
use lissom_testkit::{alloc, rng::Rng};

const ANKLE_M: f32 = 0.08;

/// A leg on a pelvis: half a metre of thigh, half of shin, bent a little, turned any way about up.
#[derive(Clone, Copy, Debug)]
struct Limb {
    pelvis: Mat34,
    locals: [Transform; 3],
}

impl Limb {
    fn random(rng: &mut Rng) -> Self {
        let heading = quat_from_axis_angle(Vec3::Y, rng.range(-3.0, 3.0));
        let bend = rng.range(0.2, 0.7);
        let about = |angle: f32| quat_from_axis_angle(Vec3::X, angle);
        let joint = |translation, rotation| Transform { translation, rotation, scale: Vec3::ONE };
        let hip = joint(
            Vec3::new(0.1 * rng.signed(), 0.0, 0.0),
            quat_mul(about(-bend), {
                let v = rng.vec3(0.05);
                quat_normalize(Quat::from_xyzw(v.x, v.y, v.z, 1.0))
            }),
        );
        let knee = joint(Vec3::new(0.0, -0.5, 0.0), about(2.0 * bend));
        // The foot: some rotation of its own, and it is flat.
        let mut limb = Self {
            pelvis: joint(Vec3::ZERO, heading).to_mat34(),
            locals: [hip, knee, joint(Vec3::new(0.0, -0.5, 0.0), rng.rotation())],
        };
        let ankle = limb.models()[2].translation();
        limb.pelvis.columns[3][1] = ANKLE_M - ankle.y;
        limb
    }

    fn models(&self) -> [Mat34; 3] {
        let hip = self.pelvis.mul(&self.locals[0].to_mat34());
        let knee = hip.mul(&self.locals[1].to_mat34());
        [hip, knee, knee.mul(&self.locals[2].to_mat34())]
    }

    fn corrected(mut self, pelvis_m: f32, found: &LegCorrection) -> Self {
        self.pelvis.columns[3][1] += pelvis_m;
        for (local, q) in self.locals.iter_mut().zip([found.hip, found.knee, found.ankle]) {
            local.rotation = quat_mul(local.rotation, q);
        }
        self
    }
}

fn solve(limbs: &[(Limb, Option<Ground>, f32)]) -> (f32, Vec<LegCorrection>) {
    let models: Vec<[Mat34; 3]> = limbs.iter().map(|(limb, ..)| limb.models()).collect();
    let legs: Vec<Leg<'_>> = limbs
        .iter()
        .zip(&models)
        .map(|((_, ground, weight), [hip, knee, ankle])| Leg {
            hip,
            knee,
            ankle,
            knee_axis: Vec3::NEG_X,
            ankle_height: ANKLE_M,
            ground: *ground,
            weight: *weight,
        })
        .collect();
    let (mut pelvis, mut output) = (0.0, vec![LegCorrection::default(); legs.len()]);
    alloc::assert_no_alloc(|| FootJob::new(&legs, &mut pelvis, &mut output).run()).unwrap();
    (pelvis, output)
}

fn level(height: f32) -> Option<Ground> {
    Some(Ground { place: Vec3::new(0.3, height, -0.2), normal: Vec3::Y })
}

#[test]
fn on_level_ground_nothing_changes() {
    let mut rng = Rng::new(61);
    for _ in 0..200 {
        let limb = Limb::random(&mut rng);
        let (pelvis, found) = solve(&[(limb, level(0.0), 1.0), (limb, None, 1.0)]);
        assert_eq!(pelvis, 0.0);
        for q in [found[0].hip, found[0].knee, found[0].ankle] {
            assert!(q.w.abs() > 0.999_999, "{found:?}");
        }
        assert!(found[0].reached);
        assert_eq!(found[1], LegCorrection::default());
    }
}

#[test]
fn the_pelvis_follows_the_lower_foot_and_both_stand() {
    let mut rng = Rng::new(62);
    for round in 0..500 {
        let limb = Limb::random(&mut rng);
        let heights = [rng.range(-0.3, 0.3), rng.range(-0.3, 0.3)];
        let limbs = [(limb, level(heights[0]), 1.0), (limb, level(heights[1]), 1.0)];
        let (pelvis, found) = solve(&limbs);
        let lowest = if heights[0] < heights[1] { heights[0] } else { heights[1] };
        assert!((pelvis - lowest).abs() < 1.0e-6);
        for (found, height) in found.iter().zip(heights) {
            // No more than the leg can fold.
            let ankle = limb.corrected(pelvis, found).models()[2].translation();
            let wanted = add(limb.models()[2].translation(), Vec3::new(0.0, height, 0.0));
            if found.reached {
                assert!(length(sub(ankle, wanted)) < 1.0e-4, "round {round}: {ankle:?}, not {wanted:?}");
            }
            assert!(found.reached, "round {round}");
        }
    }
}

#[test]
fn on_a_slope_the_sole_lies_flat_and_the_foot_keeps_its_heading() {
    let mut rng = Rng::new(63);
    for round in 0..500 {
        let limb = Limb::random(&mut rng);
        let way = quat_rotate(quat_from_axis_angle(Vec3::Y, rng.range(-3.0, 3.0)), Vec3::X);
        let slope = rng.range(0.0, 0.7);
        let tilt = quat_from_axis_angle(way, slope);
        let normal = scale(quat_rotate(tilt, Vec3::Y), rng.range(0.5, 2.0));
        let height = rng.range(-0.1, 0.1);
        // The ground right under the ankle.
        let [.., ankle_was] = limb.models();
        let under = Vec3::new(ankle_was.translation().x, height, ankle_was.translation().z);
        let (pelvis, found) = solve(&[(limb, Some(Ground { place: under, normal }), 1.0)]);
        let [.., ankle_is] = limb.corrected(pelvis, &found[0]).models();
        assert!(found[0].reached, "round {round}");
        // The sole, a foot's height below the ankle along the normal, touches the plane.
        let unit = normalize_or(normal, Vec3::Y);
        let sole = sub(ankle_is.translation(), scale(unit, ANKLE_M));
        let off = dot(sub(sole, under), unit);
        assert!(off.abs() < 1.0e-4, "round {round}: {off}");
        // Every axis of the foot is where the tilt has it.
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let was = quat_rotate(tilt, Vec3::from_array(ankle_was.mul_vector(axis)));
            let is = Vec3::from_array(ankle_is.mul_vector(axis));
            assert!(length(sub(was, is)) < 1.0e-3, "round {round}: {is:?}, not {was:?}");
        }
    }
    // A wall is no ground to lie on: the ankle stops at 45 degrees.
    let limb = Limb::random(&mut rng);
    let wall = Ground { place: Vec3::ZERO, normal: Vec3::new(1.0, 0.2, 0.0) };
    let (pelvis, found) = solve(&[(limb, Some(wall), 1.0)]);
    let [.., is] = limb.corrected(pelvis, &found[0]).models();
    let into = limb.models()[2].inverse().unwrap();
    let up = Vec3::from_array(is.mul_vector(into.mul_vector([0.0, 1.0, 0.0])));
    assert!((trig::acos(up.y) - core::f32::consts::FRAC_PI_4).abs() < 1.0e-2, "{up:?}");
}

#[test]
fn a_weight_of_0_leaves_the_leg_and_half_is_between() {
    let mut rng = Rng::new(64);
    for _ in 0..200 {
        let limb = Limb::random(&mut rng);
        let (pelvis, found) =
            solve(&[(limb, level(0.2), 0.0), (limb, level(0.2), 0.5), (limb, level(0.2), 1.0)]);
        assert_eq!(pelvis, 0.0);
        let height = |i: usize| limb.corrected(pelvis, &found[i]).models()[2].translation().y - ANKLE_M;
        assert!(
            height(0).abs() < 1.0e-4 && (height(1) - 0.1).abs() < 1.0e-4 && (height(2) - 0.2).abs() < 1.0e-4
        );
        assert!(!found[0].reached && !found[1].reached && found[2].reached);
    }
}

#[test]
fn wild_legs_stay_finite_or_are_refused() {
    let mut rng = Rng::new(65);
    let (mut ran, mut refused) = (0, 0);
    for _ in 0..10_000 {
        let limb = Limb::random(&mut rng);
        let mut models = limb.models();
        let mut vectors = [rng.vec3(0.2), Vec3::Y, Vec3::X];
        let mut numbers = [ANKLE_M, 1.0];
        for _ in 0..1 + rng.below(2) {
            match rng.below(3) {
                0 => models[rng.below(3)].columns[rng.below(4)][rng.below(3)] = rng.nasty(),
                1 => vectors[rng.below(3)][rng.below(3)] = rng.nasty(),
                _ => numbers[rng.below(2)] = rng.nasty(),
            }
        }
        let [hip, knee, ankle] = &models;
        let legs = [Leg {
            hip,
            knee,
            ankle,
            knee_axis: vectors[2],
            ankle_height: numbers[0],
            ground: Some(Ground { place: vectors[0], normal: vectors[1] }),
            weight: numbers[1],
        }];
        let (mut pelvis, mut output) = (7.0, [LegCorrection::default()]);
        match FootJob::new(&legs, &mut pelvis, &mut output).run() {
            Ok(()) => ran += 1,
            Err(JobError::Value { .. }) => {
                assert_eq!((pelvis, output[0]), (7.0, LegCorrection::default()));
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
        assert!(pelvis.is_finite());
        for q in [output[0].hip, output[0].knee, output[0].ankle] {
            assert!(quat_is_finite(q), "{models:?} {vectors:?} {numbers:?}");
        }
    }
    assert!(ran > 500 && refused > 500, "{ran} {refused}");
    let (mut pelvis, mut output): (f32, [LegCorrection; 0]) = (0.0, []);
    let [hip, knee, ankle] = &Limb::random(&mut rng).models();
    let leg = Leg { hip, knee, ankle, knee_axis: Vec3::X, ankle_height: 0.0, ground: None, weight: 1.0 };
    let error = FootJob::new(&[leg], &mut pelvis, &mut output).run();
    assert!(matches!(error, Err(JobError::TooShort { field: "output", .. })));
}

/// A foot that slides: half a second on the ground, half in the air.
fn slide(time_s: f32) -> (Vec3, bool) {
    let lap = time_s - trig::floor(time_s);
    let x = if lap < 0.5 { 0.1 * trig::sin(6.0 * lap) } else { 0.1 * trig::sin(3.0) * (2.0 - 2.0 * lap) };
    let y = if lap < 0.5 { 0.0 } else { 0.2 * trig::sin(core::f32::consts::TAU * (lap - 0.5)) };
    (Vec3::new(x, y, 0.0), lap < 0.5)
}

#[test]
fn a_held_foot_stands_still_and_never_jumps() {
    const DT_S: f32 = 1.0 / 120.0;
    let mut lock = FootLock::default();
    let rule = FootLockRule::default();
    let mut before: Option<(Vec3, Vec3, bool)> = None;
    let (mut stood, mut changed) = (0, 0);
    for frame in 0..1_200 {
        let (foot, contact) = slide(frame as f32 * DT_S);
        let held_before = lock.held;
        let is = lock.update(foot, contact, DT_S, &rule).unwrap();
        if let Some((was, foot_was, contact_was)) = before {
            changed += usize::from(contact != contact_was);
            // Also in the frame in which it is let go: it starts from where it stood.
            if held_before {
                let way = length(sub(is, was));
                assert!(way <= if contact { 0.0 } else { 1.0e-6 }, "frame {frame}: {way}");
                stood += usize::from(contact);
            } else {
                // What dies away adds at most the offset times 1.9 over the time it takes.
                let way = length(sub(is, was));
                let allowed = length(sub(foot, foot_was)) + 0.25 * 1.9 * DT_S / rule.release_s;
                assert!(way <= allowed + 1.0e-5, "frame {frame}: {way} of {allowed}");
            }
        }
        before = Some((is, foot, contact));
    }
    assert!(stood > 500 && changed == 19, "{stood} {changed}");
}

#[test]
fn a_foot_that_is_let_go_comes_back_and_one_that_is_torn_waits() {
    let rule = FootLockRule { release_s: 0.2, reach_m: 0.1 };
    let mut lock = FootLock::default();
    let at = |x: f32| Vec3::new(x, 0.0, 0.0);
    assert_eq!(lock.update(at(0.0), true, 0.01, &rule).unwrap(), at(0.0));
    assert_eq!(lock.update(at(0.05), true, 0.01, &rule).unwrap(), at(0.0));
    // Beyond its reach: it starts from where it stood, and is not held again.
    assert_eq!(lock.update(at(0.2), true, 0.01, &rule).unwrap(), at(0.0));
    assert!(lock.torn && !lock.held);
    let half = lock.update(at(0.2), true, 0.1, &rule).unwrap();
    assert!((half.x - 0.1).abs() < 1.0e-6, "{half:?}");
    assert_eq!(lock.update(at(0.2), true, 0.1, &rule).unwrap(), at(0.2));
    assert!(!lock.held);
    // Lifted and put down again.
    lock.update(at(0.2), false, 0.01, &rule).unwrap();
    lock.update(at(0.2), true, 0.01, &rule).unwrap();
    assert!(lock.held);
    // Put down before it has come back: held where it is.
    lock.update(at(0.28), false, 0.01, &rule).unwrap();
    let on_the_way = lock.update(at(0.28), false, 0.1, &rule).unwrap();
    assert!(on_the_way.x > 0.21 && on_the_way.x < 0.27, "{on_the_way:?}");
    let down = lock.update(at(0.28), true, 1.0e-3, &rule).unwrap();
    assert!(lock.held && length(sub(down, on_the_way)) < 1.0e-3, "{down:?}");
    // No time: nothing changes. Nonsense: an error, and nothing changes.
    let saved = lock;
    assert_eq!(lock.update(at(9.0), false, 0.0, &rule).unwrap(), down);
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(matches!(lock.update(at(0.0), true, bad, &rule), Err(JobError::Value { field: "dt_s", .. })));
        let wrong = FootLockRule { reach_m: bad, ..rule };
        assert!(matches!(
            lock.update(at(0.0), true, 0.1, &wrong),
            Err(JobError::Value { field: "reach_m", .. })
        ));
    }
    assert!(matches!(
        lock.update(at(f32::NAN), true, 0.1, &rule),
        Err(JobError::Value { field: "foot", .. })
    ));
    assert_eq!(lock, saved);
}
