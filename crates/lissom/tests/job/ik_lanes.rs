//! IK of many characters side by side has the bits of each alone, whatever stands beside it.

use lissom::{
    job::{
        AimBatchJob, AimChain, AimCorrection, FootBatchJob, Ground, JobError, Leg, LegCorrection, Stance,
        TwoBoneBatchJob, TwoBoneChain, TwoBoneCorrection,
    },
    math::{
        Mat34, Quat, Vec3,
        scalar::{add, scale},
        simd::Backend,
    },
};
use lissom_testkit::{alloc, rng::Rng};

const COUNTS: [usize; 9] = [0, 1, 3, 7, 8, 9, 16, 17, 70];

/// Start, middle and end; now and then mirrored, straight, flat, or too large for squares.
fn limb(rng: &mut Rng) -> [Mat34; 3] {
    let mut joint = || {
        if rng.one_in(6) { rng.mirrored_transform().to_mat34() } else { rng.rigid().to_mat34() }
    };
    let (start, mid, end) = (joint(), joint(), joint());
    let mut limb = [start, start.mul(&mid), start.mul(&mid).mul(&end)];
    match rng.below(12) {
        // On one line.
        0 => limb[2].columns[3] = scale(limb[1].translation(), 2.0).to_array(),
        // All in one place.
        1 => limb[2].columns[3] = limb[0].columns[3],
        2 => limb[rng.below(3)].columns[rng.below(3)] = [0.0; 3],
        3 => limb[rng.below(3)].columns[rng.below(4)] = [1.0e25, 0.0, -3.0e25],
        4 => limb[1].columns[3] = limb[0].columns[3],
        _ => {}
    }
    limb
}

/// A direction, now and then along an axis, with zeros of either sign, or none at all where that is allowed.
fn vector(rng: &mut Rng, none: bool) -> Vec3 {
    match rng.below(8) {
        0 => Vec3::new(0.0, -1.0, -0.0),
        1 => Vec3::new(-0.0, 0.0, 2.0),
        2 if none => Vec3::ZERO,
        _ => add(rng.vec3(1.0), Vec3::new(0.01, 0.0, 0.0)),
    }
}

fn weight(rng: &mut Rng) -> f32 {
    [1.0, 1.0, 1.0, 1.0, 0.0, -1.0, rng.unit(), rng.range(0.0, 1.5)][rng.below(8)]
}

fn bits(quats: &[Quat]) -> Vec<u32> {
    quats.iter().flat_map(|q| q.to_array()).map(f32::to_bits).collect()
}

#[test]
fn two_bones_side_by_side_have_the_bits_of_each_alone_on_every_backend() {
    let mut rng = Rng::new(36);
    let (mut reached, mut refused, mut all) = (0, 0, 0);
    for count in COUNTS.into_iter().cycle().take(90) {
        let limbs: Vec<[Mat34; 3]> = (0..count).map(|_| limb(&mut rng)).collect();
        let chains: Vec<TwoBoneChain<'_>> = limbs
            .iter()
            .map(|[start, mid, end]| {
                let far = [0.3, 1.0, 1.5, 2.0, 3.0, 1.0e25][rng.below(6)];
                let target = match rng.below(8) {
                    0 => start.translation(),
                    1 => add(start.translation(), scale(Vec3::Y, far)),
                    _ => add(start.translation(), rng.vec3(far)),
                };
                TwoBoneChain {
                    mid_axis: vector(&mut rng, false),
                    pole: vector(&mut rng, true),
                    twist: if rng.one_in(3) { rng.signed() } else { [0.0, -0.0][rng.below(2)] },
                    soften: [1.0, 1.0, 1.0, 0.5, 0.97, 0.0][rng.below(6)],
                    weight: weight(&mut rng),
                    ..TwoBoneChain::new([start, mid, end], target)
                }
            })
            .collect();
        let alone: Vec<TwoBoneCorrection> = chains
            .iter()
            .map(|chain| {
                let mut found = TwoBoneCorrection::default();
                chain.job(&mut found).run().unwrap();
                found
            })
            .collect();
        for backend in Backend::all() {
            let marked =
                TwoBoneCorrection { start: Quat::from_xyzw(9.0, 9.0, 9.0, 9.0), ..Default::default() };
            let mut output = vec![marked; count + 1];
            let mut job = TwoBoneBatchJob::new(&chains, &mut output);
            alloc::assert_no_alloc(|| job.run_on(backend)).unwrap();
            for (i, (found, alone)) in output.iter().zip(&alone).enumerate() {
                let [a, b] = [found, alone].map(|c| bits(&[c.start, c.mid]));
                assert_eq!(
                    (a, found.reached),
                    (b, alone.reached),
                    "{backend}, {i} of {count}: {:?}",
                    chains[i]
                );
            }
            assert_eq!(output[count], marked);
        }
        all += count;
        reached += alone.iter().filter(|c| c.reached).count();
        refused += alone.iter().filter(|c| **c == TwoBoneCorrection::default()).count();
    }
    assert!(reached * 50 > all && refused * 20 > all, "{reached} and {refused} of {all}");
}

#[test]
fn those_who_look_side_by_side_have_the_bits_of_each_alone_on_every_backend() {
    let mut rng = Rng::new(37);
    let (mut reached, mut all) = (0, 0);
    for count in COUNTS.into_iter().cycle().take(90) {
        // Chains of none to four joints, and now and then of one length.
        let same = rng.one_in(3).then_some(2);
        let joints: Vec<(Vec<Mat34>, Vec<f32>)> = (0..count)
            .map(|_| {
                let length = same.unwrap_or_else(|| rng.below(5));
                let [a, b, c] = limb(&mut rng);
                let more = limb(&mut rng)[1];
                let weights = (0..length).map(|_| weight(&mut rng)).collect();
                ([c, b, a, more][..length].to_vec(), weights)
            })
            .collect();
        let chains: Vec<AimChain<'_>> = joints
            .iter()
            .map(|(joints, weights)| {
                let near = joints.first().map_or(Vec3::ZERO, Mat34::translation);
                let target = if rng.one_in(8) { near } else { add(near, rng.vec3(3.0)) };
                AimChain {
                    forward: vector(&mut rng, false),
                    offset: if rng.one_in(2) { Vec3::ZERO } else { rng.vec3(0.7) },
                    up: vector(&mut rng, true),
                    pole: vector(&mut rng, true),
                    twist: if rng.one_in(3) { rng.signed() } else { 0.0 },
                    ..AimChain::new(joints, weights, target)
                }
            })
            .collect();
        let mut alone = Vec::new();
        for chain in &chains {
            let mut found = vec![AimCorrection::default(); chain.joints.len()];
            chain.job(&mut found).run().unwrap();
            alone.extend(found);
        }
        for backend in Backend::all() {
            let marked = AimCorrection { reached: true, ..AimCorrection::default() };
            let mut output = vec![marked; alone.len() + 1];
            let mut job = AimBatchJob::new(&chains, &mut output);
            alloc::assert_no_alloc(|| job.run_on(backend)).unwrap();
            for (i, (found, alone)) in output.iter().zip(&alone).enumerate() {
                let [a, b] = [found, alone].map(|c| (bits(&[c.rotation]), c.reached));
                assert_eq!(a, b, "{backend}, joint {i} of {count} chains");
            }
            assert_eq!(output[alone.len()], marked);
        }
        all += alone.len();
        reached += alone.iter().filter(|c| c.reached).count();
    }
    assert!(reached * 20 > all && reached < all, "{reached} of {all}");
}

#[test]
fn feet_side_by_side_have_the_bits_of_each_character_alone_on_every_backend() {
    let mut rng = Rng::new(38);
    let (mut reached, mut all) = (0, 0);
    for count in COUNTS.into_iter().cycle().take(90) {
        let limbs: Vec<Vec<[Mat34; 3]>> =
            (0..count).map(|_| (0..rng.below(5)).map(|_| limb(&mut rng)).collect()).collect();
        let legs: Vec<Vec<Leg<'_>>> = limbs
            .iter()
            .map(|limbs| {
                limbs
                    .iter()
                    .map(|limb| {
                        let steep = [0.2, 0.2, 2.0][rng.below(3)];
                        let uneven = add(Vec3::Y, rng.vec3(steep));
                        let normal = [uneven, uneven, Vec3::Y, Vec3::new(0.0, -1.0, 0.0)][rng.below(4)];
                        let ground = Ground { place: rng.vec3(0.3), normal };
                        let [hip, knee, ankle] = limb;
                        Leg {
                            hip,
                            knee,
                            ankle,
                            knee_axis: vector(&mut rng, false),
                            ankle_height: rng.range(0.0, 0.2),
                            ground: (!rng.one_in(5)).then_some(ground),
                            weight: weight(&mut rng),
                        }
                    })
                    .collect()
            })
            .collect();
        let stances: Vec<Stance<'_>> = legs
            .iter()
            .map(|legs| Stance {
                up: if rng.one_in(4) { add(Vec3::Y, rng.vec3(0.5)) } else { Vec3::Y },
                lowest: rng.unit(),
                highest: rng.unit(),
                steepest: [0.0, 0.3, 0.8, 1.5][rng.below(4)],
                ..Stance::new(legs)
            })
            .collect();
        let (mut pelvises, mut alone) = (Vec::new(), Vec::new());
        for stance in &stances {
            let mut found = vec![LegCorrection::default(); stance.legs.len()];
            let mut pelvis = 0.0;
            stance.job(&mut pelvis, &mut found).run().unwrap();
            pelvises.push(pelvis.to_bits());
            alone.extend(found);
        }
        for backend in Backend::all() {
            let marked = LegCorrection { reached: true, ..LegCorrection::default() };
            let (mut moved, mut output) = (vec![7.0; count + 1], vec![marked; alone.len() + 1]);
            let mut job = FootBatchJob::new(&stances, &mut moved, &mut output);
            alloc::assert_no_alloc(|| job.run_on(backend)).unwrap();
            for (i, (found, alone)) in output.iter().zip(&alone).enumerate() {
                let [a, b] = [found, alone].map(|c| (bits(&[c.hip, c.knee, c.ankle]), c.reached));
                assert_eq!(a, b, "{backend}, leg {i} of {count} characters");
            }
            assert_eq!(output[alone.len()], marked);
            assert_eq!(moved[..count].iter().map(|v| v.to_bits()).collect::<Vec<_>>(), pelvises);
            assert_eq!(moved[count], 7.0);
        }
        all += alone.len();
        reached += alone.iter().filter(|c| c.reached).count();
    }
    assert!(reached * 50 > all && reached < all, "{reached} of {all}");
}

#[test]
fn what_is_wrong_is_named_by_its_number_and_nothing_is_written() {
    let mut rng = Rng::new(39);
    let [start, mid, end] = [rng.rigid(), rng.rigid(), rng.rigid()].map(|t| t.to_mat34());
    let good = TwoBoneChain::new([&start, &mid, &end], Vec3::X);
    let bad = TwoBoneChain { soften: 2.0, ..good };
    let marked = TwoBoneCorrection { reached: true, ..TwoBoneCorrection::default() };
    let mut output = [marked; 3];
    let error = TwoBoneBatchJob::new(&[good, good, bad], &mut output).run();
    assert!(matches!(error, Err(JobError::Value { field: "soften", index: 2, .. })), "{error:?}");
    let error = TwoBoneBatchJob::new(&[good; 4], &mut output).run();
    assert!(matches!(error, Err(JobError::TooShort { field: "output", len: 3, needed: 4, .. })), "{error:?}");
    assert_eq!(output, [marked; 3]);

    let (joints, weights) = ([start, mid], [1.0, 1.0]);
    let good = AimChain::new(&joints, &weights, Vec3::X);
    let mut output = [AimCorrection { reached: true, ..AimCorrection::default() }; 4];
    let before = output;
    let bad = AimChain { pole: Vec3::new(0.0, f32::NAN, 0.0), ..good };
    let error = AimBatchJob::new(&[good, bad], &mut output).run();
    assert!(matches!(error, Err(JobError::Value { field: "pole", index: 1, .. })), "{error:?}");
    let bad = AimChain { weights: &weights[..1], ..good };
    let error = AimBatchJob::new(&[good, bad], &mut output).run();
    assert!(matches!(error, Err(JobError::TooShort { field: "weights", .. })), "{error:?}");
    let error = AimBatchJob::new(&[good; 3], &mut output).run();
    assert!(matches!(error, Err(JobError::TooShort { field: "output", len: 4, needed: 6, .. })), "{error:?}");
    assert_eq!(output, before);

    let (ground, knee_axis) = (Some(Ground { place: Vec3::ZERO, normal: Vec3::Y }), Vec3::X);
    let leg = Leg { hip: &start, knee: &mid, ankle: &end, knee_axis, ankle_height: 0.1, ground, weight: 1.0 };
    let legs = [leg; 2];
    let good = Stance::new(&legs);
    let (mut pelvises, mut output) = ([7.0; 2], [LegCorrection { reached: true, ..Default::default() }; 4]);
    let before = output;
    let bad = Stance { steepest: 2.0, ..good };
    let error = FootBatchJob::new(&[good, bad], &mut pelvises, &mut output).run();
    assert!(matches!(error, Err(JobError::Value { field: "steepest", index: 1, .. })), "{error:?}");
    let error = FootBatchJob::new(&[good; 3], &mut pelvises, &mut output).run();
    assert!(matches!(error, Err(JobError::TooShort { field: "pelvises", .. })), "{error:?}");
    let error = FootBatchJob::new(&[good; 2], &mut pelvises, &mut output[..3]).run();
    assert!(matches!(error, Err(JobError::TooShort { field: "output", .. })), "{error:?}");
    assert_eq!((pelvises, output), ([7.0; 2], before));
}
