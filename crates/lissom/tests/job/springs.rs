//! Springs come to rest in one place and swing alike, whatever the frames are; what is remembered is all there is.

use lissom::{
    job::{JobError, SpringBone, SpringClock, SpringCollider, SpringJob, SpringPoint},
    math::{Mat34, Quat, Transform, Vec3, scalar::*, simd::Backend, trig},
};
use lissom_testkit::{alloc, rng::Rng};

const BONES: usize = 4;
const BONE_M: f32 = 0.1;

/// A strand that hangs from a place, as the motion has it: along a direction.
#[derive(Clone, Debug)]
struct Strand {
    locals: [Transform; BONES],
    bones: [SpringBone; BONES],
    clock: SpringClock,
    points: [SpringPoint; BONES],
    colliders: Vec<SpringCollider>,
    gravity: Vec3,
}

impl Strand {
    fn new(bone: SpringBone) -> Self {
        let next = Transform::from_translation(Vec3::new(0.0, BONE_M, 0.0));
        Self {
            locals: [Transform::IDENTITY, next, next, next],
            bones: [bone; BONES],
            clock: SpringClock::default(),
            points: [SpringPoint::default(); BONES],
            colliders: Vec::new(),
            gravity: Vec3::new(0.0, -9.81, 0.0),
        }
    }

    fn models(locals: &[Transform; BONES], root: &Mat34) -> [Mat34; BONES] {
        let mut at = *root;
        locals.map(|local| {
            at = at.mul(&local.to_mat34());
            at
        })
    }

    /// One frame: where the ends of the bones are then, by the corrections alone.
    fn frame(&mut self, root: &Mat34, world: &Mat34, dt_s: f32) -> [Vec3; BONES] {
        let joints = Self::models(&self.locals, root);
        let tip = Vec3::new(0.0, BONE_M, 0.0);
        let mut output = [Quat::IDENTITY; BONES];
        let memory = (&mut self.clock, &mut self.points[..]);
        let mut job = SpringJob::new(&joints, tip, &self.bones, dt_s, memory, &mut output);
        (job.world, job.gravity, job.colliders) = (*world, self.gravity, &self.colliders);
        job.run().unwrap();
        let mut turned = self.locals;
        for (local, correction) in turned.iter_mut().zip(output) {
            assert!((quat_dot(correction, correction) - 1.0).abs() < 1.0e-5);
            local.rotation = quat_mul(local.rotation, correction);
        }
        let models = Self::models(&turned, root);
        core::array::from_fn(|i| {
            let end = match models.get(i + 1) {
                Some(next) => next.translation(),
                None => Vec3::from_array(models[i].mul_point(tip.to_array())),
            };
            Vec3::from_array(world.mul_point(end.to_array()))
        })
    }
}

/// A root that sways by two hands' breadths, once a second, then stands.
fn sway(time_s: f32) -> Mat34 {
    let time_s = if time_s < 2.0 { time_s } else { 2.0 };
    let x = 0.1 - 0.1 * trig::cos(core::f32::consts::TAU * time_s);
    Transform::from_translation(Vec3::new(x, 1.0, 0.0)).to_mat34()
}

/// The tip at every fifteenth of a second, and at the end of eight seconds.
fn swing(rate_hz: u32) -> Vec<Vec3> {
    let bone = SpringBone { stiffness: 120.0, damping: 8.0, weight: 0.3, radius: 0.0 };
    let mut strand = Strand::new(bone);
    strand.frame(&sway(0.0), &Mat34::IDENTITY, 0.0);
    let mut tips = Vec::new();
    for frame in 1..=8 * rate_hz {
        let time_s = frame as f32 / rate_hz as f32;
        let ends = strand.frame(&sway(time_s), &Mat34::IDENTITY, 1.0 / rate_hz as f32);
        if frame % (rate_hz / 15) == 0 {
            tips.push(ends[BONES - 1]);
        }
    }
    tips
}

#[test]
fn frames_of_15_to_240_hz_rest_in_one_place_and_swing_alike() {
    let finest = swing(240);
    // How far the tip swings from where the root has it: what 5 % are of.
    let mut most = 0.0;
    for (i, tip) in finest.iter().enumerate() {
        let root = sway((i + 1) as f32 / 15.0).translation();
        let off = sub(*tip, add(root, Vec3::new(0.0, BONES as f32 * BONE_M, 0.0)));
        most = if length(off) > most { length(off) } else { most };
    }
    assert!(most > 0.05, "it hardly swings: {most} m");
    for rate_hz in [15, 30, 45, 60, 90, 120, 180] {
        let tips = swing(rate_hz);
        assert_eq!(tips.len(), finest.len());
        for (i, (tip, fine)) in tips.iter().zip(&finest).enumerate() {
            let off = length(sub(*tip, *fine)) / most;
            assert!(off < 0.05, "{rate_hz} Hz, {} s: {off} of the swing", (i + 1) as f32 / 15.0);
        }
        let rest = length(sub(tips[tips.len() - 1], finest[finest.len() - 1]));
        assert!(rest < 1.0e-4, "{rate_hz} Hz rests {rest} m away");
    }
}

/// Upright hair bends under its weight; without any it is where the motion has it.
#[test]
fn rest_is_where_gravity_and_stiffness_are_even() {
    let hang = |weight: f32| {
        let mut strand = Strand::new(SpringBone { weight, ..SpringBone::default() });
        let tilted = Transform {
            rotation: quat_from_axis_angle(Vec3::Z, 0.5),
            ..Transform::from_translation(Vec3::Y)
        };
        (0..600).map(|_| strand.frame(&tilted.to_mat34(), &Mat34::IDENTITY, 1.0 / 60.0)).last().unwrap()
    };
    let (none, some, all) = (hang(0.0)[BONES - 1], hang(1.0)[BONES - 1], hang(100.0)[BONES - 1]);
    let wanted = add(Vec3::Y, quat_rotate(quat_from_axis_angle(Vec3::Z, 0.5), Vec3::new(0.0, 0.4, 0.0)));
    assert!(length(sub(none, wanted)) < 1.0e-4, "{none:?}");
    assert!(some.y < none.y - 0.005 && some.y > 1.0, "{some:?}");
    assert!(all.y < 0.7 && all.x.abs() < 0.1, "{all:?}");
}

#[test]
fn bones_keep_their_length_and_the_corrections_are_where_the_points_are() {
    let mut rng = Rng::new(41);
    for _ in 0..100 {
        let bone = SpringBone {
            stiffness: rng.range(0.0, 900.0),
            damping: rng.range(0.0, 20.0),
            weight: rng.signed(),
            radius: 0.0,
        };
        let mut strand = Strand::new(bone);
        for local in &mut strand.locals {
            local.rotation = rng.rotation();
        }
        // Scales and mirrors above the chain are even.
        let mut root = rng.rigid();
        root.scale = Vec3::splat(if rng.one_in(2) { 0.5 } else { -1.5 });
        let mut world = rng.rigid();
        for _ in 0..30 {
            root.translation = add(root.translation, rng.vec3(0.05));
            world.rotation = quat_nlerp(world.rotation, rng.rotation(), 0.1);
            let (root, world) = (root.to_mat34(), world.to_mat34());
            // Whole steps: nothing is shown by speed.
            let ends = strand.frame(&root, &world, 4.0 / 240.0);
            let reach = BONE_M * length(Vec3::from_array(root.columns[0]));
            let mut head = Vec3::from_array(world.mul_point(root.translation().to_array()));
            for (end, point) in ends.iter().zip(&strand.points) {
                assert!((length(sub(point.place, head)) - reach).abs() < 1.0e-4 * reach + 1.0e-5);
                assert!(length(sub(*end, point.place)) < 1.0e-4, "{end:?} {:?}", point.place);
                head = point.place;
            }
        }
    }
}

#[test]
fn the_same_frames_give_the_same_bits_from_what_was_saved_too() {
    let mut rng = Rng::new(42);
    let frames: Vec<(f32, f32)> = (0..300).map(|_| (rng.signed(), rng.range(0.0, 0.06))).collect();
    let play = |strand: &mut Strand, frames: &[(f32, f32)]| -> Vec<[Vec3; BONES]> {
        let root = |x: f32| Transform::from_translation(Vec3::new(x * 0.1, 1.0, 0.0)).to_mat34();
        frames.iter().map(|(x, dt_s)| strand.frame(&root(*x), &Mat34::IDENTITY, *dt_s)).collect()
    };
    let mut strand = Strand::new(SpringBone::default());
    play(&mut strand, &frames[..100]);
    let mut saved = strand.clone();
    let on = play(&mut strand, &frames[100..]);
    assert_eq!(on, play(&mut saved, &frames[100..]));
    assert_eq!((strand.clock, strand.points), (saved.clock, saved.points));
    // No time passes: nothing moves.
    let before = strand.clone();
    let root = sway(0.1);
    strand.frame(&root, &Mat34::IDENTITY, 0.0);
    assert_eq!((strand.clock, strand.points), (before.clock, before.points));
}

#[test]
fn no_joint_is_deeper_than_a_tenth_in_a_collider() {
    let mut rng = Rng::new(43);
    let ball =
        SpringCollider { from: Vec3::new(0.0, 0.75, 0.05), to: Vec3::new(0.0, 0.75, 0.05), radius: 0.1 };
    let bar =
        SpringCollider { from: Vec3::new(-1.0, 0.8, -0.12), to: Vec3::new(1.0, 0.8, -0.12), radius: 0.05 };
    let mut touched = 0;
    for collider in [ball, bar] {
        let mut strand = Strand::new(SpringBone { weight: 1.0, radius: 0.02, stiffness: 5.0, damping: 2.0 });
        strand.colliders = vec![collider];
        for _ in 0..600 {
            let root = Transform::from_translation(add(Vec3::Y, rng.vec3(0.02))).to_mat34();
            strand.frame(&root, &Mat34::IDENTITY, 1.0 / 60.0);
            // The first bone's start is where it is: its end may have no place to go.
            for point in &strand.points[1..] {
                let x = if collider.from == collider.to { collider.from.x } else { point.place.x };
                let off = length(sub(point.place, Vec3::new(x, collider.from.y, collider.from.z)));
                let least = collider.radius + 0.02;
                assert!(off > 0.9 * least, "{off} of {least}");
                touched += usize::from(off < 1.05 * least);
            }
        }
    }
    assert!(touched > 100, "{touched}");
}

#[test]
fn wild_springs_stay_finite_and_nothing_is_allocated() {
    let mut rng = Rng::new(44);
    for round in 0..400 {
        let bone = SpringBone {
            stiffness: [0.0, 1.0e6, 1.0e20][rng.below(3)],
            damping: [0.0, 1.0e3, 1.0e20][rng.below(3)],
            weight: rng.range(-10.0, 10.0),
            radius: 0.0,
        };
        let mut strand = Strand::new(bone);
        match round % 4 {
            0 => strand.locals[rng.below(BONES)].translation = Vec3::ZERO,
            1 => strand.locals[rng.below(BONES)].scale = Vec3::new(1.0, 0.0, 1.0),
            _ => {}
        }
        let frame = |strand: &mut Strand, rng: &mut Rng| {
            let reach = if rng.one_in(9) { 1.0e4 } else { 1.0 };
            let root = Transform::from_translation(rng.vec3(reach));
            let dt_s = [0.0, 1.0e-6, 0.01, 0.5, 1.0e9][rng.below(5)];
            for end in strand.frame(&root.to_mat34(), &Mat34::IDENTITY, dt_s) {
                assert!(is_finite(end));
            }
        };
        alloc::assert_no_alloc(|| (0..40).for_each(|_| frame(&mut strand, &mut rng)));
        assert!(strand.points.iter().all(|p| is_finite(p.place) && is_finite(p.speed)), "round {round}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_is_written() {
    let joints = [Mat34::IDENTITY; 2];
    let bones = [SpringBone::default(); 2];
    let run = |set: &dyn Fn(&mut SpringJob<'_>)| {
        let (mut clock, mut points) = (SpringClock::default(), [SpringPoint::default(); 2]);
        let mut output = [Quat::from_xyzw(9.0, 9.0, 9.0, 9.0); 2];
        let memory = (&mut clock, &mut points[..]);
        let mut job = SpringJob::new(&joints, Vec3::Y, &bones, 0.01, memory, &mut output);
        set(&mut job);
        let result = job.run_on(Backend::best());
        let untouched = output == [Quat::from_xyzw(9.0, 9.0, 9.0, 9.0); 2];
        assert!(result.is_ok() || (untouched && !clock.running && points == [SpringPoint::default(); 2]));
        result
    };
    assert_eq!(run(&|_| ()), Ok(()));
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(run(&|job| job.dt_s = bad), Err(JobError::Value { field: "dt_s", .. })));
        let wrong = [SpringBone { stiffness: bad, ..SpringBone::default() }; 2];
        let (mut clock, mut points, mut output) =
            (SpringClock::default(), [SpringPoint::default(); 2], [Quat::IDENTITY; 2]);
        let memory = (&mut clock, &mut points[..]);
        let result = SpringJob::new(&joints, Vec3::Y, &wrong, 0.01, memory, &mut output).run();
        assert!(matches!(result, Err(JobError::Value { field: "bones.stiffness", .. })));
    }
    assert!(matches!(run(&|job| job.tip.x = f32::NAN), Err(JobError::Value { field: "tip", .. })));
    assert!(matches!(run(&|job| job.gravity.x = f32::NAN), Err(JobError::Value { field: "gravity", .. })));
    assert!(matches!(run(&|job| job.bones = &[]), Err(JobError::TooShort { field: "bones", .. })));
    assert!(matches!(run(&|job| job.points = &mut []), Err(JobError::TooShort { field: "points", .. })));
    assert!(matches!(run(&|job| job.output = &mut []), Err(JobError::TooShort { field: "output", .. })));
    let (mut clock, mut points, mut output) = (
        SpringClock { running: true, ..SpringClock::default() },
        [SpringPoint::default(); 2],
        [Quat::IDENTITY; 2],
    );
    points[1].speed.y = f32::NAN;
    let memory = (&mut clock, &mut points[..]);
    let result = SpringJob::new(&joints, Vec3::Y, &bones, 0.01, memory, &mut output).run();
    assert!(matches!(result, Err(JobError::Value { field: "points", .. })));
}
