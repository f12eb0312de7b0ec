//! A change of motion goes on where the old one was, as fast, and ends in the new one.

use lissom::{
    JointLod,
    job::{InertiaJob, InertiaStartJob, JobError, PosePair, SoaInertia},
    math::{
        Quat, Transform, Vec3,
        scalar::*,
        simd::Backend,
        soa::{self, SoaTransform},
    },
};
use lissom_testkit::{alloc, rng::Rng};

const JOINTS: usize = 19;
/// The largest acceleration of a [`Motion`], in m/s² and rad/s².
const ACCELERATION: f32 = 1.5 * 36.0;

/// Smooth curves: every joint swings about a pose of its own, at up to 6 rad/s.
struct Motion {
    joints: Vec<Swing>,
}

struct Swing {
    rest: Transform,
    way: Vec3,
    axis: Vec3,
    speed: f32,
    phase: f32,
}

impl Motion {
    fn random(rng: &mut Rng) -> Self {
        let swing = |_| Swing {
            rest: Transform {
                translation: rng.vec3(1.0),
                rotation: rng.rotation(),
                scale: add(Vec3::splat(1.2), rng.vec3(0.5)),
            },
            way: rng.vec3(0.5),
            axis: normalize_or(rng.vec3(1.0), Vec3::X),
            speed: rng.range(1.0, 6.0),
            phase: rng.range(0.0, 6.0),
        };
        Self { joints: (0..JOINTS).map(swing).collect() }
    }

    fn at(&self, time_s: f32) -> Vec<SoaTransform> {
        let joint = |swing: &Swing| {
            let wave = lissom::math::trig::sin(swing.speed * time_s + swing.phase);
            let turn = quat_from_axis_angle(swing.axis, 1.5 * wave);
            Transform {
                translation: add(swing.rest.translation, scale(swing.way, wave)),
                rotation: quat_mul(turn, swing.rest.rotation),
                scale: swing.rest.scale,
            }
        };
        soa::from_transforms(&self.joints.iter().map(joint).collect::<Vec<_>>())
    }
}

fn start(old: &Motion, new: &Motion, at_s: f32, step_s: f32) -> Vec<SoaInertia> {
    let poses = [old.at(at_s), old.at(at_s - step_s), new.at(at_s), new.at(at_s - step_s)];
    let mut inertia = vec![SoaInertia::ZERO; poses[0].len()];
    let (old, new) =
        (PosePair { now: &poses[0], before: &poses[1] }, PosePair { now: &poses[2], before: &poses[3] });
    InertiaStartJob::new(old, new, step_s, &mut inertia).run().unwrap();
    inertia
}

fn shown(inertia: &[SoaInertia], new: &Motion, at_s: f32, elapsed_s: f32, duration_s: f64) -> Vec<Transform> {
    let mut pose = new.at(at_s + elapsed_s);
    InertiaJob::new(inertia, f64::from(elapsed_s), duration_s, &mut pose).run().unwrap();
    soa::to_transforms(&pose, JOINTS)
}

/// The turn from one rotation to another, as axis times angle.
fn turn(from: Quat, to: Quat) -> Vec3 {
    let q = quat_near(quat_mul(to, quat_conjugate(from)), Quat::IDENTITY);
    let v = Vec3::new(q.x, q.y, q.z);
    let sine = length(v);
    if sine < 1.0e-9 { Vec3::ZERO } else { scale(v, 2.0 * lissom::math::trig::atan2(sine, q.w) / sine) }
}

/// The bound: a step of the old motion, then one of the changed motion. Speeds differ by no more than the accelerations of both
/// motions and of the offset explain, which are at most 5.8 offsets over the duration's square and 4 of its rates over the
/// duration.
#[test]
fn a_change_has_no_jump_of_place_or_speed() {
    const STEP_S: f32 = 1.0 / 240.0;
    let mut rng = Rng::new(31);
    let mut worst = 0.0;
    for round in 0..400 {
        let (old, new) = (Motion::random(&mut rng), Motion::random(&mut rng));
        let (at_s, duration_s) = (rng.range(0.0, 5.0), rng.range_f64(0.1, 0.6));
        let inertia = start(&old, &new, at_s, STEP_S);
        let was = [at_s - STEP_S, at_s].map(|t| soa::to_transforms(&old.at(t), JOINTS));
        let is = [0.0, STEP_S].map(|t| shown(&inertia, &new, at_s, t, duration_s));
        let target = soa::to_transforms(&new.at(at_s), JOINTS);
        for j in 0..JOINTS {
            // No jump of place at all.
            assert!(length(sub(was[1][j].translation, is[0][j].translation)) < 1.0e-5, "round {round}");
            assert!(length(turn(was[1][j].rotation, is[0][j].rotation)) < 1.0e-4, "round {round}");
            let off = length(sub(was[1][j].translation, target[j].translation));
            let off = off + length(turn(target[j].rotation, was[1][j].rotation));
            let t = duration_s as f32;
            // Both motions move at up to 9 a second.
            let allowed = STEP_S * (2.0 * ACCELERATION + 5.8 * off / (t * t) + 4.0 * 18.0 / t);
            let before = sub(was[1][j].translation, was[0][j].translation);
            let after = sub(is[1][j].translation, is[0][j].translation);
            let jump = length(sub(after, before)) / STEP_S;
            assert!(jump < allowed, "round {round}: {jump} m/s of {allowed}");
            let before = turn(was[0][j].rotation, was[1][j].rotation);
            let after = turn(is[0][j].rotation, is[1][j].rotation);
            let jump = length(sub(after, before)) / STEP_S;
            assert!(jump < allowed, "round {round}: {jump} rad/s of {allowed}");
            worst = if jump / allowed > worst { jump / allowed } else { worst };
        }
    }
    // A bound that nothing comes near would prove nothing.
    assert!(worst > 0.1, "{worst}");
}

#[test]
fn after_its_time_the_new_motion_is_there_bit_for_bit_and_just_before_nearly() {
    let mut rng = Rng::new(32);
    for _ in 0..50 {
        let (old, new) = (Motion::random(&mut rng), Motion::random(&mut rng));
        let inertia = start(&old, &new, 1.0, 1.0 / 60.0);
        for elapsed_s in [0.25, 0.3, 9.0] {
            let wanted = soa::to_transforms(&new.at(1.0 + elapsed_s), JOINTS);
            assert_eq!(shown(&inertia, &new, 1.0, elapsed_s, 0.25), wanted);
        }
        let near = shown(&inertia, &new, 1.0, 0.2499, 0.25);
        for (is, wanted) in near.iter().zip(soa::to_transforms(&new.at(1.2499), JOINTS)) {
            assert!(length(sub(is.translation, wanted.translation)) < 1.0e-4);
            assert!(length(turn(wanted.rotation, is.rotation)) < 1.0e-3);
        }
        // No time at all: a cut.
        assert_eq!(shown(&inertia, &new, 1.0, 0.0, 0.0), soa::to_transforms(&new.at(1.0), JOINTS));
    }
}

#[test]
fn what_is_off_dies_away_and_speed_carries_it_on_by_a_fifth_at_most() {
    let mut rng = Rng::new(33);
    for round in 0..200 {
        let (old, new) = (Motion::random(&mut rng), Motion::random(&mut rng));
        let (duration_s, step_s) = (rng.range_f64(0.1, 1.0), 1.0 / 120.0);
        let inertia = start(&old, &new, 2.0, step_s);
        let (from, to) = (soa::to_transforms(&old.at(2.0), JOINTS), soa::to_transforms(&new.at(2.0), JOINTS));
        let before =
            [old.at(2.0 - step_s), new.at(2.0 - step_s)].map(|pose| soa::to_transforms(&pose, JOINTS));
        for i in 1..20 {
            let elapsed_s = duration_s as f32 * i as f32 / 20.0;
            let target = soa::to_transforms(&new.at(2.0 + elapsed_s), JOINTS);
            let is = shown(&inertia, &new, 2.0, elapsed_s, duration_s);
            for j in 0..JOINTS {
                let at = |pose: &[Transform]| pose[j].translation;
                let off = sub(at(&from), at(&to));
                let rate = scale(sub(off, sub(at(&before[0]), at(&before[1]))), 1.0 / step_s);
                let allowed = length(off) + 0.2 * length(rate) * duration_s as f32 + 1.0e-4;
                let left = length(sub(is[j].translation, target[j].translation));
                assert!(left <= allowed, "round {round}: {left} of {allowed}");
            }
        }
    }
}

#[test]
fn an_interrupted_change_goes_on_from_where_it_was() {
    const STEP_S: f32 = 1.0 / 120.0;
    let mut rng = Rng::new(34);
    for _ in 0..100 {
        let motions = [(); 3].map(|()| Motion::random(&mut rng));
        let first = start(&motions[0], &motions[1], 1.0, STEP_S);
        // A tenth of a second into it, again.
        let changed = |elapsed_s: f32| {
            let mut pose = motions[1].at(1.0 + elapsed_s);
            InertiaJob::new(&first, f64::from(elapsed_s), 0.3, &mut pose).run().unwrap();
            pose
        };
        let (now, before) = (changed(0.1), changed(0.1 - STEP_S));
        let (new_now, new_before) = (motions[2].at(1.1), motions[2].at(1.1 - STEP_S));
        let mut second = vec![SoaInertia::ZERO; now.len()];
        let new = PosePair { now: &new_now, before: &new_before };
        InertiaStartJob::new(PosePair { now: &now, before: &before }, new, STEP_S, &mut second)
            .run()
            .unwrap();
        let is = shown(&second, &motions[2], 1.1, 0.0, 0.3);
        for (is, was) in is.iter().zip(soa::to_transforms(&now, JOINTS)) {
            assert!(length(sub(is.translation, was.translation)) < 1.0e-5);
            assert!(length(turn(was.rotation, is.rotation)) < 1.0e-4);
        }
    }
}

#[test]
fn no_backend_differs_and_nothing_is_allocated() {
    let mut rng = Rng::new(35);
    let mut nasty = || soa::from_transforms(&(0..JOINTS).map(|_| rng.nasty_transform()).collect::<Vec<_>>());
    let wild = [nasty(), nasty(), nasty(), nasty()];
    let mut rng = Rng::new(36);
    let (old, new) = (Motion::random(&mut rng), Motion::random(&mut rng));
    let tame = [old.at(1.0), old.at(0.99), new.at(1.0), new.at(0.99)];
    let bits = |pose: &[SoaTransform]| -> Vec<u32> {
        let number = |v: f32| if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() };
        soa::to_transforms(pose, JOINTS).iter().flat_map(|t| t.to_array().map(number)).collect()
    };
    for poses in [wild, tame] {
        let run = |backend: Backend, inertia: &mut [SoaInertia], pose: &mut [SoaTransform]| {
            let old = PosePair { now: &poses[0], before: &poses[1] };
            let new = PosePair { now: &poses[2], before: &poses[3] };
            InertiaStartJob::new(old, new, 0.01, inertia).run_on(backend).unwrap();
            pose.copy_from_slice(&poses[2]);
            InertiaJob::new(inertia, 0.1, 0.25, pose).run_on(backend).unwrap();
        };
        let (mut inertia, mut pose) = (vec![SoaInertia::ZERO; poses[0].len()], poses[0].clone());
        alloc::assert_no_alloc(|| run(Backend::best(), &mut inertia, &mut pose));
        let wanted = bits(&pose);
        for backend in Backend::all() {
            run(backend, &mut inertia, &mut pose);
            assert_eq!(bits(&pose), wanted, "{backend}");
        }
    }
}

/// Opposite rotations, a whole turn in a step: finite all the same.
#[test]
fn finite_poses_stay_finite() {
    let mut rng = Rng::new(37);
    for _ in 0..2_000 {
        let mut pose = || {
            let flips =
                [Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, 0.0, -1.0), Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)];
            let mut one = || {
                let rotation = if rng.one_in(2) { rng.rotation() } else { flips[rng.below(3)] };
                Transform { translation: rng.vec3(1.0e3), rotation, scale: rng.vec3(2.0) }
            };
            soa::from_transforms(&[one(), one(), one()])
        };
        let poses = [pose(), pose(), pose(), pose()];
        let mut inertia = vec![SoaInertia::ZERO; 1];
        let old = PosePair { now: &poses[0], before: &poses[1] };
        let new = PosePair { now: &poses[2], before: &poses[3] };
        let step_s = [0.0, 1.0e-3, 1.0 / 60.0, f32::from_bits(1)][rng.below(4)];
        InertiaStartJob::new(old, new, step_s, &mut inertia).run().unwrap();
        for part in [inertia[0].offset, inertia[0].rate] {
            for lane in 0..3 {
                let all = [part.translation.lane(lane), part.rotation.lane(lane), part.scale.lane(lane)];
                assert!(all.into_iter().all(is_finite), "{all:?}");
            }
        }
        let mut pose = poses[2].clone();
        InertiaJob::new(&inertia, rng.range_f64(-1.0, 1.0), 0.5, &mut pose).run().unwrap();
        for t in soa::to_transforms(&pose, 3) {
            assert!(t.is_finite(), "{t:?}");
            assert!((quat_dot(t.rotation, t.rotation) - 1.0).abs() < 1.0e-5, "{t:?}");
        }
    }
}

#[test]
fn groups_that_a_level_of_detail_leaves_out_stay_as_they_are() {
    let mut rng = Rng::new(38);
    let poses: [Vec<SoaTransform>; 2] =
        core::array::from_fn(|_| soa::from_transforms(&(0..48).map(|_| rng.transform()).collect::<Vec<_>>()));
    let pair = |i: usize| PosePair { now: &poses[i], before: &poses[i] };
    let mut inertia = [SoaInertia::ZERO; 3];
    InertiaStartJob::new(pair(0), pair(1), 0.0, &mut inertia).run().unwrap();
    let (mut all, mut few) = (poses[1].clone(), poses[1].clone());
    InertiaJob::new(&inertia, 0.1, 0.3, &mut all).run().unwrap();
    let lod = JointLod::prefix(20);
    InertiaJob { lod: Some(&lod), ..InertiaJob::new(&inertia, 0.1, 0.3, &mut few) }.run().unwrap();
    assert_eq!(few[..2], all[..2]);
    assert_eq!(few[2], poses[1][2]);
    assert_ne!(all[2], poses[1][2]);
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_is_written() {
    let pose = [SoaTransform::IDENTITY; 2];
    let pair = PosePair { now: &pose, before: &pose };
    let mut inertia = [SoaInertia::ZERO; 2];
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        let error = InertiaStartJob::new(pair, pair, bad, &mut inertia).run();
        assert!(matches!(error, Err(JobError::Value { field: "step_s", .. })));
        let mut moved = pose;
        let error = InertiaJob::new(&inertia, 0.0, f64::from(bad), &mut moved).run();
        assert!(matches!(error, Err(JobError::Value { field: "duration_s", .. })));
    }
    assert!(matches!(
        InertiaJob::new(&inertia, f64::NAN, 1.0, &mut pose.clone()).run(),
        Err(JobError::Value { field: "elapsed_s", .. })
    ));
    let short = PosePair { now: &pose, before: &pose[..1] };
    let error = InertiaStartJob::new(short, pair, 0.0, &mut inertia).run();
    assert!(matches!(error, Err(JobError::TooShort { field: "old.before", .. })));
    let error = InertiaStartJob::new(pair, pair, 0.0, &mut inertia[..1]).run();
    assert!(matches!(error, Err(JobError::TooShort { field: "output", .. })));
    let mut one = [SoaTransform::IDENTITY];
    let error = InertiaJob::new(&inertia, 0.0, 1.0, &mut one).run();
    assert!(matches!(error, Err(JobError::TooShort { field: "pose", .. })));
}
