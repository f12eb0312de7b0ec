//! Chains come to their targets, whatever they hang on; what cannot be reached has a defined result.

use lissom::{
    job::{AimCorrection, AimIkJob, JobError, TwoBoneCorrection, TwoBoneIkJob},
    math::{Mat34, Quat, Transform, Vec3, scalar::*, simd::Backend},
};
use lissom_testkit::{alloc, rng::Rng};

/// Three joints, each below the one before, under a parent.
#[derive(Clone, Copy, Debug)]
struct Chain {
    parent: Mat34,
    locals: [Transform; 3],
    axis: Vec3,
}

impl Chain {
    fn models(&self) -> [Mat34; 3] {
        let start = self.parent.mul(&self.locals[0].to_mat34());
        let mid = start.mul(&self.locals[1].to_mat34());
        [start, mid, mid.mul(&self.locals[2].to_mat34())]
    }

    fn turned(mut self, start: Quat, mid: Quat) -> Self {
        self.locals[0].rotation = quat_mul(self.locals[0].rotation, start);
        self.locals[1].rotation = quat_mul(self.locals[1].rotation, mid);
        self
    }

    /// Length of the bones, in the start joint's space.
    fn length(&self) -> f32 {
        let scale = self.locals[1].scale.x.abs();
        length(self.locals[1].translation) + scale * length(self.locals[2].translation)
    }

    /// A chain with a hinge at right angles to its bones, or with any hinge; uniform scales of its own joints, which
    /// may be mirrored, any scales above.
    fn random(rng: &mut Rng, square: bool) -> Self {
        let parent = if rng.one_in(2) { rng.mirrored_transform() } else { rng.transform() };
        let mut joint = |reach: f32| Transform {
            translation: scale(normalize_or(rng.vec3(1.0), Vec3::X), reach * rng.range(0.3, 1.0)),
            rotation: rng.rotation(),
            scale: Vec3::splat(rng.range(0.5, 2.0) * if rng.one_in(4) { -1.0 } else { 1.0 }),
        };
        let locals = [joint(2.0), joint(0.5), joint(0.5)];
        // Both bones as the middle joint sees them.
        let back = quat_rotate(quat_conjugate(locals[1].rotation), locals[1].translation);
        let square_axis = normalize_or(cross(locals[2].translation, back), Vec3::Z);
        let free_axis = normalize_or(add(square_axis, scale(rng.vec3(1.0), 0.3)), Vec3::Z);
        Self { parent: parent.to_mat34(), locals, axis: if square { square_axis } else { free_axis } }
    }

    /// Somewhere the end can be.
    fn reachable(&self, rng: &mut Rng) -> Vec3 {
        let bend = quat_from_axis_angle(self.axis, rng.range(-3.0, 3.0));
        self.turned(rng.rotation(), bend).models()[2].translation()
    }

    fn solve(&self, target: Vec3, set: impl FnOnce(&mut TwoBoneIkJob<'_>)) -> TwoBoneCorrection {
        let [start, mid, end] = self.models();
        let mut output = TwoBoneCorrection::default();
        let mut job = TwoBoneIkJob::new([&start, &mid, &end], target, &mut output);
        job.mid_axis = self.axis;
        set(&mut job);
        job.run().unwrap();
        output
    }

    /// Where the end is after the correction, and the middle, and the target, as the start joint saw them.
    fn after(&self, found: TwoBoneCorrection, target: Vec3) -> [Vec3; 3] {
        let [_, mid, end] = self.turned(found.start, found.mid).models();
        let into = self.models()[0].inverse().unwrap();
        let seen = |p: Vec3| Vec3::from_array(into.mul_point(p.to_array()));
        [seen(end.translation()), seen(mid.translation()), seen(target)]
    }
}

fn across(v: Vec3, unit: Vec3) -> Vec3 {
    sub(v, scale(unit, dot(v, unit)))
}

fn finite(c: &TwoBoneCorrection) -> bool {
    quat_is_finite(c.start) && quat_is_finite(c.mid)
}

fn assert_quat(found: Quat, axis: Vec3, degrees: f32) {
    let wanted = quat_from_axis_angle(axis, degrees.to_radians());
    assert!(quat_dot(found, wanted).abs() > 0.999_999, "{found:?}, not {wanted:?}");
}

#[test]
fn the_known_chain_turns_by_right_angles() {
    let at = |x: f32, y: f32| Transform::from_translation(Vec3::new(x, y, 0.0)).to_mat34();
    let quarter = quat_from_axis_angle(Vec3::Z, 90_f32.to_radians());
    let mid = Transform { translation: Vec3::Y, rotation: quarter, scale: Vec3::ONE }.to_mat34();
    let (start, end) = (at(0.0, 0.0), at(1.0, 1.0));
    let mut output = TwoBoneCorrection::default();
    TwoBoneIkJob::new([&start, &mid, &end], Vec3::new(2.0, 0.0, 0.0), &mut output).run().unwrap();
    assert_quat(output.start, Vec3::Z, -90.0);
    assert_quat(output.mid, Vec3::Z, 90.0);
    assert!(output.reached);
    // Where it is already: nothing to do.
    TwoBoneIkJob::new([&start, &mid, &end], Vec3::new(1.0, 1.0, 0.0), &mut output).run().unwrap();
    assert_quat(output.start, Vec3::Z, 0.0);
    assert_quat(output.mid, Vec3::Z, 0.0);
    assert!(output.reached);
    // Out of reach: stretched towards it.
    TwoBoneIkJob::new([&start, &mid, &end], Vec3::new(3.0, 0.0, 0.0), &mut output).run().unwrap();
    assert_quat(output.start, Vec3::Z, -90.0);
    assert!(!output.reached);
}

/// The law that `TwoBoneIkJob` documents, at known distances: a chain of length 2, softened from half of it on.
#[test]
fn a_softened_chain_is_as_long_as_the_law_says() {
    let quarter = quat_from_axis_angle(Vec3::Z, 90_f32.to_radians());
    let joint = |translation, rotation| Transform { translation, rotation, scale: Vec3::ONE };
    let locals = [
        joint(Vec3::ZERO, Quat::IDENTITY),
        joint(Vec3::Y, quarter),
        joint(Vec3::new(0.0, -1.0, 0.0), Quat::IDENTITY),
    ];
    let chain = Chain { parent: Mat34::IDENTITY, locals, axis: Vec3::Z };
    for (soften, distance, wanted) in [
        (0.5, 0.9, 0.9),
        (0.5, 1.0, 1.0),
        (0.5, 1.5, 4.0 / 3.0),
        (0.5, 2.0, 1.5),
        (0.5, 3.0, 5.0 / 3.0),
        (0.5, 5.0, 1.8),
        (0.0, 2.0, 1.0),
        (0.75, 2.0, 1.75),
        (1.0, 1.9, 1.9),
        (1.0, 3.0, 2.0),
    ] {
        let target = Vec3::new(distance, 0.0, 0.0);
        let found = chain.solve(target, |job| job.soften = soften);
        let [end, ..] = chain.after(found, target);
        let miss = length(sub(end, Vec3::new(wanted, 0.0, 0.0)));
        assert!(miss < 1.0e-4, "{soften} at {distance}: {end:?}, not {wanted}");
        assert_eq!(found.reached, wanted == distance, "{soften} at {distance}");
    }
}

/// A vector turned about a unit axis, by the formula of Rodrigues and the sine and cosine of another library.
fn turned_about(axis: Vec3, v: Vec3, angle: f32) -> Vec3 {
    let (sin, cos) = (libm::sin(angle.into()) as f32, libm::cos(angle.into()) as f32);
    let along = scale(axis, dot(axis, v) * (1.0 - cos));
    add(add(scale(v, cos), scale(cross(axis, v), sin)), along)
}

#[test]
fn twist_turns_the_plane_of_the_chain_away_from_the_pole() {
    let mut rng = Rng::new(21);
    let mut looked = 0;
    for round in 0..5_000 {
        let chain = Chain::random(&mut rng, true);
        let (target, pole, twist) = (chain.reachable(&mut rng), rng.vec3(1.0), rng.range(-3.0, 3.0));
        let found = chain.solve(target, |job| (job.pole, job.twist) = (pole, twist));
        let [_, mid, wanted] = chain.after(found, target);
        let into = chain.models()[0].inverse().unwrap();
        let line = normalize_or(wanted, Vec3::X);
        let pole = normalize_or(Vec3::from_array(into.mul_vector(pole.to_array())), Vec3::X);
        let (side, pole) = (across(mid, line), across(pole, line));
        if length(side) > 0.05 * chain.length() && length(pole) > 0.1 {
            let pole = turned_about(line, normalize_or(pole, Vec3::X), twist);
            let cosine = dot(normalize_or(side, Vec3::X), pole);
            assert!(cosine > 0.999, "round {round}: {cosine}, twisted by {twist}");
            looked += 1;
        }
    }
    assert!(looked > 3_000, "{looked}");
}

#[test]
fn twist_turns_up_away_from_the_pole() {
    let mut rng = Rng::new(22);
    let mut looked = 0;
    for round in 0..5_000 {
        let joint = rng.rigid().to_mat34();
        let (target, pole, twist) = (rng.vec3(5.0), rng.vec3(1.0), rng.range(-3.0, 3.0));
        let mut output = [AimCorrection::default()];
        let (joints, weights) = ([joint], [1.0]);
        let mut job = AimIkJob::new(&joints, &weights, target, &mut output);
        (job.pole, job.twist) = (pole, twist);
        job.run().unwrap();
        let line = normalize_or(sub(target, joint.translation()), Vec3::X);
        let seen =
            |v: Vec3| Vec3::from_array(joint.mul_vector(quat_rotate(output[0].rotation, v).to_array()));
        let pole = across(normalize_or(pole, Vec3::X), line);
        if length(pole) > 0.1 {
            assert!(dot(seen(Vec3::Z), line) > 0.9999, "round {round}: it looks elsewhere");
            let wanted = turned_about(line, normalize_or(pole, Vec3::X), twist);
            let cosine = dot(seen(Vec3::Y), wanted);
            assert!(cosine > 0.999, "round {round}: {cosine}, twisted by {twist}");
            looked += 1;
        }
    }
    assert!(looked > 3_000, "{looked}");
}

#[test]
fn a_reachable_target_is_reached_under_any_parent_and_any_hinge() {
    let mut rng = Rng::new(14);
    for round in 0..20_000 {
        let chain = Chain::random(&mut rng, round % 2 == 0);
        let (target, pole, twist) = (chain.reachable(&mut rng), rng.vec3(1.0), rng.range(-3.0, 3.0));
        let found = chain.solve(target, |job| (job.pole, job.twist) = (pole, twist));
        let [end, _, wanted] = chain.after(found, target);
        let miss = length(sub(end, wanted)) / chain.length();
        assert!(miss < 1.0e-4, "round {round}: {miss} of the length; {chain:?} to {target:?}");
        assert!(found.reached, "round {round}");
    }
}

#[test]
fn the_middle_joint_lies_on_the_side_of_the_pole() {
    let mut rng = Rng::new(15);
    let mut looked = 0;
    for round in 0..5_000 {
        let chain = Chain::random(&mut rng, true);
        let (target, pole) = (chain.reachable(&mut rng), rng.vec3(1.0));
        let found = chain.solve(target, |job| job.pole = pole);
        let [_, mid, wanted] = chain.after(found, target);
        let into = chain.models()[0].inverse().unwrap();
        let line = normalize_or(wanted, Vec3::X);
        let pole = normalize_or(Vec3::from_array(into.mul_vector(pole.to_array())), Vec3::X);
        let (side, pole) = (across(mid, line), across(pole, line));
        if length(side) > 0.05 * chain.length() && length(pole) > 0.1 {
            let cosine = dot(normalize_or(side, Vec3::X), normalize_or(pole, Vec3::X));
            assert!(cosine > 0.999, "round {round}: {cosine}");
            looked += 1;
        }
    }
    assert!(looked > 3_000, "{looked}");
}

/// The bound: the middle joint moves at most 6 times as far as the target, over the share of the length at which the target
/// is, over the sine of its angle to the pole. A chain nearly straight is left out: there a hair of distance is a
/// large angle, and softening is for that.
#[test]
fn a_target_that_moves_a_little_moves_the_chain_a_little() {
    let mut rng = Rng::new(16);
    let (mut looked, mut worst) = (0, 0.0);
    while looked < 5_000 {
        let chain = Chain::random(&mut rng, true);
        let (target, pole) = (chain.reachable(&mut rng), rng.vec3(1.0));
        let start = chain.models()[0];
        let into = start.inverse().unwrap();
        let near = Vec3::from_array(into.mul_point(target.to_array()));
        let step = scale(normalize_or(rng.vec3(1.0), Vec3::X), 1.0e-3 * chain.length());
        let moved = Vec3::from_array(start.mul_point(add(near, step).to_array()));
        let share = length(near) / chain.length();
        let seen_pole = normalize_or(Vec3::from_array(into.mul_vector(pole.to_array())), Vec3::X);
        let sine = length(across(seen_pole, normalize_or(near, Vec3::X)));
        let solve = |target| chain.after(chain.solve(target, |job| job.pole = pole), target)[1];
        let (before, after) = (solve(target), solve(moved));
        let height = length(across(before, normalize_or(near, Vec3::X))) / chain.length();
        if share < 0.1 || sine < 0.1 || height < 0.1 {
            continue;
        }
        let jump = length(sub(after, before)) / length(step) * share * sine;
        worst = if jump > worst { jump } else { worst };
        looked += 1;
    }
    assert!(worst < 6.0, "{worst}");
}

/// At the pole itself a hair of noise in the target would otherwise choose the side.
#[test]
fn noise_about_the_critical_pole_does_not_turn_the_chain() {
    let mut rng = Rng::new(17);
    let mut looked = 0;
    while looked < 2_000 {
        let mut chain = Chain::random(&mut rng, true);
        chain.parent = rng.rigid().to_mat34();
        chain.locals.iter_mut().for_each(|local| local.scale = Vec3::ONE);
        let [start, _, end] = chain.models().map(|m| m.translation());
        let pole = normalize_or(rng.vec3(1.0), Vec3::X);
        let target = add(start, scale(pole, 0.8 * chain.length()));
        // Turned right round, no side is the present one.
        if dot(normalize_or(sub(end, start), Vec3::X), pole) < -0.9 {
            continue;
        }
        let solve = |target| chain.after(chain.solve(target, |job| job.pole = pole), target)[1];
        let (calm, noisy) = (solve(target), solve(add(target, scale(rng.vec3(1.0), 1.0e-6))));
        let jump = length(sub(calm, noisy)) / chain.length();
        assert!(jump < 1.0e-3, "{jump}");
        looked += 1;
    }
}

#[test]
fn a_weight_goes_from_the_pose_to_the_target() {
    let mut rng = Rng::new(18);
    for _ in 0..500 {
        let chain = Chain::random(&mut rng, true);
        let target = chain.reachable(&mut rng);
        let none = chain.solve(target, |job| job.weight = -3.0);
        assert_eq!((none.start, none.mid, none.reached), (Quat::IDENTITY, Quat::IDENTITY, false));
        let (all, more) = (chain.solve(target, |_| ()), chain.solve(target, |job| job.weight = 7.0));
        assert_eq!(all, more);
        let half = chain.solve(target, |job| job.weight = 0.5);
        assert!(!half.reached);
        let turn = |q: Quat| q.w.abs();
        let less = |half, all| turn(half) > turn(all) - 1.0e-6;
        assert!(less(half.start, all.start) && less(half.mid, all.mid));
    }
}

#[test]
fn bad_chains_have_defined_results() {
    let mut rng = Rng::new(19);
    for round in 0..20_000 {
        let mut chain = Chain::random(&mut rng, true);
        let [start, mid, end] = chain.models().map(|m| m.translation());
        let mut pole = rng.vec3(1.0);
        let mut target = chain.reachable(&mut rng);
        match round % 8 {
            0 => chain.locals[1].translation = Vec3::ZERO,
            1 => chain.locals[2].translation = Vec3::ZERO,
            2 => (chain.locals[1].translation, chain.locals[2].translation) = (Vec3::ZERO, Vec3::ZERO),
            3 => target = [start, mid, end][rng.below(3)],
            4 => pole = sub(target, start),
            5 => pole = scale(sub(start, target), 1.0e9),
            6 => pole = Vec3::ZERO,
            _ => chain.locals[rng.below(3)].scale = Vec3::new(0.0, 1.0, 1.0),
        }
        let found = chain.solve(target, |job| job.pole = pole);
        assert!(finite(&found), "round {round}: {found:?}");
        let unit = |q| (quat_dot(q, q) - 1.0).abs() < 1.0e-5;
        assert!(unit(found.start) && unit(found.mid), "round {round}: {found:?}");
    }
}

#[test]
fn nasty_numbers_are_refused_or_give_finite_turns() {
    let mut rng = Rng::new(20);
    let (mut refused, mut ran) = (0, 0);
    for _ in 0..20_000 {
        let chain = Chain::random(&mut rng, false);
        let mut models = chain.models();
        let mut vectors = [chain.reachable(&mut rng), chain.axis, rng.vec3(1.0)];
        let mut numbers = [rng.signed(), rng.unit(), rng.unit()];
        for _ in 0..1 + rng.below(3) {
            match rng.below(3) {
                0 => models[rng.below(3)].columns[rng.below(4)][rng.below(3)] = rng.nasty(),
                1 => vectors[rng.below(3)][rng.below(3)] = rng.nasty(),
                _ => numbers[rng.below(3)] = rng.nasty(),
            }
        }
        let mut output = TwoBoneCorrection::default();
        let [start, mid, end] = &models;
        let mut job = TwoBoneIkJob::new([start, mid, end], vectors[0], &mut output);
        (job.mid_axis, job.pole) = (vectors[1], vectors[2]);
        (job.twist, job.soften, job.weight) = (numbers[0], numbers[1], numbers[2]);
        match job.run() {
            Ok(()) => ran += 1,
            Err(JobError::Value { .. }) => {
                assert_eq!(output, TwoBoneCorrection::default(), "written after an error");
                refused += 1;
            }
            Err(other) => panic!("{other}"),
        }
        assert!(finite(&output), "{models:?} {vectors:?} {numbers:?}: {output:?}");

        let mut aimed = [AimCorrection::default(); 3];
        let weights = [numbers[1], numbers[2], 1.0];
        let mut job = AimIkJob::new(&models, &weights, vectors[0], &mut aimed);
        (job.forward, job.pole, job.twist) = (vectors[1], vectors[2], numbers[0]);
        let _ = job.run();
        assert!(aimed.iter().all(|aim| quat_is_finite(aim.rotation)), "{models:?} {vectors:?}: {aimed:?}");
    }
    assert!(refused > 1_000 && ran > 1_000, "{refused} {ran}");
}

/// How far the ray of a joint misses a target, as a share of its distance, and where up is then.
fn miss(joint: &Mat34, job: (Vec3, Vec3, Vec3), target: Vec3) -> (f32, Vec3) {
    let (forward, offset, up) = job;
    let eye = Vec3::from_array(joint.mul_point(offset.to_array()));
    let ray = normalize_or(Vec3::from_array(joint.mul_vector(forward.to_array())), Vec3::X);
    let way = sub(target, eye);
    let missed = if dot(way, ray) < 0.0 { length(way) } else { length(across(way, ray)) };
    (missed / length(way), normalize_or(Vec3::from_array(joint.mul_vector(up.to_array())), Vec3::Y))
}

#[test]
fn a_chain_of_any_weights_looks_at_its_target() {
    let mut rng = Rng::new(21);
    let mut looked = 0;
    for round in 0..10_000 {
        let mut chain = Chain::random(&mut rng, true);
        // The last joint looks; scales above the chain stay even, so that a miss is one in every space.
        chain.parent = rng.rigid().to_mat34();
        chain.locals.iter_mut().for_each(|local| local.scale = Vec3::splat(rng.range(0.5, 2.0)));
        let [top, middle, looks] = chain.models();
        let joints = [looks, middle, top];
        let weights = [rng.unit(), rng.unit(), 1.0];
        let gaze =
            (normalize_or(rng.vec3(1.0), Vec3::X), rng.vec3(0.1), normalize_or(rng.vec3(1.0), Vec3::Y));
        let pole = normalize_or(rng.vec3(1.0), Vec3::Y);
        let target =
            add(top.translation(), scale(normalize_or(rng.vec3(1.0), Vec3::X), rng.range(8.0, 20.0)));
        let mut output = [AimCorrection::default(); 3];
        let mut job = AimIkJob::new(&joints, &weights, target, &mut output);
        (job.forward, job.offset, job.up, job.pole) = (gaze.0, gaze.1, gaze.2, pole);
        job.run().unwrap();
        for (local, found) in chain.locals.iter_mut().rev().zip(&output) {
            local.rotation = quat_mul(local.rotation, found.rotation);
        }
        let after = chain.models()[2];
        let (missed, up) = miss(&after, gaze, target);
        assert!(output[2].reached && missed < 1.0e-4, "round {round}: {missed} {output:?}");
        let line = normalize_or(sub(target, top.translation()), Vec3::X);
        let (up, pole) = (across(up, line), across(pole, line));
        if length(up) > 0.2 && length(pole) > 0.2 {
            // Both as seen along the line from the top joint, which has the last word.
            let cosine = dot(normalize_or(up, Vec3::X), normalize_or(pole, Vec3::X));
            assert!(cosine > 0.999, "round {round}: {cosine}");
            looked += 1;
        }
    }
    assert!(looked > 3_000, "{looked}");
}

#[test]
fn one_joint_alone_turns_the_known_way() {
    let joints = [Mat34::IDENTITY];
    let mut output = [AimCorrection::default()];
    let aim = |target: Vec3, offset: Vec3, output: &mut [AimCorrection; 1]| {
        let mut job = AimIkJob::new(&joints, &[1.0], target, output);
        (job.forward, job.offset) = (Vec3::X, offset);
        job.run().unwrap();
        output[0]
    };
    let found = aim(Vec3::X, Vec3::ZERO, &mut output);
    assert_quat(found.rotation, Vec3::Y, 0.0);
    assert!(found.reached);
    assert_quat(aim(Vec3::NEG_X, Vec3::ZERO, &mut output).rotation, Vec3::Y, 180.0);
    assert_quat(aim(Vec3::Z, Vec3::ZERO, &mut output).rotation, Vec3::Y, -90.0);
    // The ray goes past the joint at a distance of 1: what is nearer is never on it.
    let near = aim(Vec3::new(0.5, 0.0, 0.0), Vec3::Z, &mut output);
    assert!(!near.reached && quat_is_finite(near.rotation));
    assert!(!aim(Vec3::ZERO, Vec3::ZERO, &mut output).reached);
}

#[test]
fn ik_allocates_nothing_and_no_backend_differs() {
    let mut rng = Rng::new(22);
    let chains: Vec<_> = (0..50).map(|_| Chain::random(&mut rng, false)).collect();
    let targets: Vec<_> = chains.iter().map(|chain| chain.reachable(&mut rng)).collect();
    alloc::assert_no_alloc(|| {
        for (chain, target) in chains.iter().zip(&targets) {
            let wanted = chain.solve(*target, |job| job.twist = 0.3);
            for backend in Backend::all() {
                let [start, mid, end] = chain.models();
                let mut output = TwoBoneCorrection::default();
                let mut job = TwoBoneIkJob::new([&start, &mid, &end], *target, &mut output);
                (job.mid_axis, job.twist) = (chain.axis, 0.3);
                job.run_on(backend).unwrap();
                assert_eq!(output, wanted);
            }
        }
    });
}
