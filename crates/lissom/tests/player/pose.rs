//! A hand on the pose: matrices always follow from it, limbs reach without bending the wrong way, feet stand, heads look.

use lissom::{
    JointLod, JointMask, Skeleton, SkeletonParts,
    bones::{Bone, BoneMap, Part, Preset, Side},
    job::{FootLock, FootLockRule, Ground, JobError, LocalToModelJob, SpringBone},
    math::{
        Mat4, Mat34, Quat, Transform, Vec3,
        scalar::{add, dot, length, quat_from_axis_angle, quat_mul, quat_rotate, scale, sub},
        soa::{self, SoaTransform},
    },
    pose::{Chain, Gaze, Legs, Limb, Pose, Reach, RigError, Springs},
};
use lissom_build::{SkeletonBuilder, mannequin};
use lissom_testkit::{alloc::assert_no_alloc, rng::Rng};
use std::sync::LazyLock;

static SKELETON: LazyLock<Skeleton> =
    LazyLock::new(|| SkeletonBuilder::build(&mannequin::skeleton()).unwrap().skeleton);

/// The mannequin below a joint that scales and turns it, with joints whose axes are turned and names of another rig: what hangs on what,
/// and where, is the same.
fn other_rig(scale: f32, seed: u64) -> Skeleton {
    let own = &*SKELETON;
    let mut rng = Rng::new(seed);
    let map = BoneMap::guess(own);
    let mut turns = vec![Quat::IDENTITY];
    let (mut parents, mut names, mut rest) = (vec![None], vec!["Armature".to_owned()], Vec::new());
    rest.push(Transform { scale: Vec3::splat(scale), ..Transform::IDENTITY });
    for joint in 0..own.joint_count() {
        let turn = quat_from_axis_angle(random_unit(&mut rng), rng.unit_f64() as f32 * 6.0);
        let above = own.parent(joint).map_or(Quat::IDENTITY, |parent| turns[parent + 1]);
        let back = Quat::from_xyzw(-above.x, -above.y, -above.z, above.w);
        let local = own.rest(joint);
        let shrink = if own.parent(joint).is_none() { 1.0 / scale } else { 1.0 };
        rest.push(Transform {
            translation: lissom::math::scalar::scale(quat_rotate(back, local.translation), shrink),
            rotation: quat_mul(quat_mul(back, local.rotation), turn),
            scale: if own.parent(joint).is_none() { Vec3::splat(1.0 / scale) } else { local.scale },
        });
        turns.push(turn);
        parents.push(Some(own.parent(joint).map_or(0, |parent| parent + 1) as u16));
        let bone = map.joints.iter().find(|(_, own)| **own == joint).map(|(bone, _)| *bone);
        let named = bone.and_then(|bone| Preset::Mixamo.name(bone)).map(|name| format!("mixamorig:{name}"));
        names.push(named.unwrap_or_else(|| format!("x{joint}")));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest }).unwrap()
}

fn random_unit(rng: &mut Rng) -> Vec3 {
    let v = Vec3::from_array(std::array::from_fn(|_| rng.unit_f64() as f32 * 2.0 - 1.0));
    let l = length(v);
    if l > 0.1 { scale(v, 1.0 / l) } else { Vec3::X }
}

/// The rest pose of a skeleton, lent to be changed.
fn with<R>(skeleton: &Skeleton, change: impl FnOnce(&mut Pose<'_>) -> R) -> R {
    let (mut locals, mut models) = buffers(skeleton);
    let mut pose = Pose::new(skeleton, &mut locals, &mut models, None).unwrap();
    change(&mut pose)
}

fn buffers(skeleton: &Skeleton) -> (Vec<SoaTransform>, Vec<Mat4>) {
    (skeleton.rest_pose().to_vec(), vec![Mat4::IDENTITY; skeleton.joint_count()])
}

fn near(a: Vec3, b: Vec3, most: f32) -> bool {
    length(sub(a, b)) <= most
}

fn bits(matrices: &[Mat4]) -> Vec<[u32; 16]> {
    matrices.iter().map(|m| m.to_cols_array().map(f32::to_bits)).collect()
}

/// After any changes, read in any order, the matrices are those of the whole pose, to the bit.
#[test]
fn matrices_follow_from_the_pose_whatever_was_changed_and_read() {
    let skeleton = &*SKELETON;
    let joints = skeleton.joint_count();
    let lods = [None, Some(JointLod::prefix(20)), Some(JointLod::prefix(joints))];
    for (seed, lod) in (0..60).zip(lods.iter().cycle()) {
        let mut rng = Rng::new(seed);
        let (mut locals, mut models) = buffers(skeleton);
        let mut pose = Pose::new(skeleton, &mut locals, &mut models, lod.as_ref()).unwrap();
        for _ in 0..40 {
            let joint = rng.below(joints);
            let turn = quat_from_axis_angle(random_unit(&mut rng), 1.0);
            match rng.below(6) {
                0 => pose.turn(joint, turn).unwrap(),
                1 => pose.turn_in_model(joint, turn).unwrap(),
                2 => pose.shift(joint, random_unit(&mut rng)).unwrap(),
                3 => {
                    let local = Transform { rotation: turn, ..pose.local(joint).unwrap() };
                    pose.set_local(joint, local).unwrap();
                    assert_eq!(pose.local(joint).unwrap(), local);
                }
                4 => pose.locals_mut()[joint / soa::GROUP].set_lane(joint % soa::GROUP, Transform::IDENTITY),
                _ => {}
            }
            if !rng.one_in(3) {
                continue;
            }
            let read = rng.below(if lod.is_some() { 20 } else { joints });
            let own = pose.model(read).unwrap();
            let mut whole = vec![Mat4::IDENTITY; joints];
            LocalToModelJob::new(skeleton, pose.locals(), &mut whole).run().unwrap();
            assert_eq!(own, Mat34::from_mat4(&whole[read]), "seed {seed}, joint {read}");
            if rng.one_in(3) && lod.is_none() {
                assert_eq!(bits(pose.models().unwrap()), bits(&whole), "seed {seed}");
            }
        }
        pose.finish().unwrap();
        let mut whole = vec![Mat4::IDENTITY; joints];
        LocalToModelJob::new(skeleton, &locals, &mut whole).run().unwrap();
        let shown = if lod.as_ref().is_some_and(|lod| !lod.contains(20)) { 20 } else { joints };
        assert_eq!(bits(&models[..shown]), bits(&whole[..shown]), "seed {seed}");
    }
}

#[test]
fn joints_turn_and_move_in_model_space_below_any_scale() {
    for (skeleton, hand) in [
        (&*SKELETON, "hand_l"),
        (&other_rig(100.0, 1), "mixamorig:LeftHand"),
        (&other_rig(0.01, 2), "mixamorig:LeftHand"),
    ] {
        let hand = skeleton.find(hand).unwrap();
        let (arm, elbow) =
            (skeleton.parent(skeleton.parent(hand).unwrap()).unwrap(), skeleton.parent(hand).unwrap());
        with(skeleton, |pose| {
            let before = [arm, elbow, hand].map(|joint| pose.place(joint).unwrap());
            let turn = quat_from_axis_angle(Vec3::Y, 1.2);
            pose.turn_in_model(arm, turn).unwrap();
            let after = [arm, elbow, hand].map(|joint| pose.place(joint).unwrap());
            assert!(near(before[0], after[0], 1e-6), "the joint itself stays");
            for at in 1..3 {
                let wanted = add(before[0], quat_rotate(turn, sub(before[at], before[0])));
                assert!(near(after[at], wanted, 1e-5), "{:?} instead of {wanted:?}", after[at]);
            }
            let by = Vec3::new(0.1, -0.2, 0.3);
            pose.shift(arm, by).unwrap();
            assert!(near(pose.place(hand).unwrap(), add(after[2], by), 1e-5));
        });
    }
}

/// Of the mannequin, whose knees and elbows are slightly bent at rest, and of rigs with other names, axes and scales.
#[test]
fn knees_go_forward_and_elbows_back_whatever_the_axes_of_joints() {
    let rigs: Vec<Skeleton> =
        (0..6).map(|seed| other_rig([1.0, 100.0, 0.01][seed as usize % 3], seed)).collect();
    for (number, skeleton) in std::iter::once(&*SKELETON).chain(&rigs).enumerate() {
        for side in [Side::Left, Side::Right] {
            let (leg, arm) = (Limb::leg(skeleton, side).unwrap(), Limb::arm(skeleton, side).unwrap());
            with(skeleton, |pose| {
                let [hip, _, ankle] = leg.joints.map(|joint| pose.place(joint).unwrap());
                let target = add(ankle, Vec3::new(0.0, 0.25, 0.0));
                assert!(pose.reach(&leg, target, 1.0).unwrap(), "rig {number}");
                assert!(near(pose.place(leg.joints[2]).unwrap(), target, 1e-4));
                let knee = pose.place(leg.joints[1]).unwrap();
                let between = scale(add(hip, target), 0.5);
                assert!(sub(knee, between).z > 0.15, "rig {number}, {side:?}: the knee at {knee:?}");
                let [shoulder, _, hand] = arm.joints.map(|joint| pose.place(joint).unwrap());
                let target = add(shoulder, scale(sub(hand, shoulder), 0.7));
                assert!(pose.reach(&arm, target, 1.0).unwrap(), "rig {number}");
                let elbow = pose.place(arm.joints[1]).unwrap();
                let between = scale(add(shoulder, target), 0.5);
                assert!(sub(elbow, between).z < -0.05, "rig {number}, {side:?}: the elbow at {elbow:?}");
            });
        }
    }
}

/// A leg that is straight at rest has no bend of its own; a wrong axis would bend it backward.
#[test]
fn a_straight_leg_bends_to_the_side_that_was_asked_for_and_a_bent_one_as_it_is() {
    let at = |y| Transform::from_translation(Vec3::new(0.0, y, 0.0));
    let skeleton = Skeleton::new(SkeletonParts {
        parents: &[None, Some(0), Some(1)],
        names: &["hip", "knee", "ankle"],
        rest: &[at(1.0), at(-0.5), at(-0.5)],
    })
    .unwrap();
    let names = ["hip", "knee", "ankle"];
    for side in [Vec3::Z, Vec3::NEG_Z, Vec3::X] {
        let leg = Limb::new(&skeleton, names, side).unwrap();
        with(&skeleton, |pose| {
            assert!(pose.reach(&leg, Vec3::new(0.0, 0.3, 0.0), 1.0).unwrap());
            let knee = pose.place(1).unwrap();
            assert!(dot(knee, side) > 0.2, "{side:?}: {knee:?}");
        });
        // Already bent to x: it goes on so.
        with(&skeleton, |pose| {
            pose.turn(0, quat_from_axis_angle(Vec3::Z, 0.5)).unwrap();
            pose.turn(1, quat_from_axis_angle(Vec3::Z, -1.0)).unwrap();
            assert!(pose.place(1).unwrap().x > 0.1);
            assert!(pose.reach(&leg, Vec3::new(0.0, 0.3, 0.0), 1.0).unwrap());
            let knee = pose.place(1).unwrap();
            assert!(knee.x > 0.2, "{side:?}: {knee:?}");
        });
    }
}

#[test]
fn what_cannot_be_reached_or_is_no_number_is_told() {
    let skeleton = &*SKELETON;
    let arm = Limb::arm(skeleton, Side::Right).unwrap();
    with(skeleton, |pose| {
        assert!(!pose.reach(&arm, Vec3::new(9.0, 9.0, 9.0), 1.0).unwrap());
        let before = pose.locals().to_vec();
        for target in [Vec3::new(f32::NAN, 0.0, 0.0), Vec3::new(0.0, f32::INFINITY, 0.0)] {
            assert!(matches!(pose.reach(&arm, target, 1.0), Err(JobError::Value { field: "target", .. })));
        }
        let soft = Reach { soften: 2.0, ..Reach::to(Vec3::ZERO) };
        assert!(matches!(pose.reach_with(&arm, &soft), Err(JobError::Value { field: "soften", .. })));
        assert!(pose.turn(3, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0)).is_err());
        assert!(pose.shift(3, Vec3::new(f32::NAN, 0.0, 0.0)).is_err());
        let nan = Transform { scale: Vec3::new(f32::NAN, 1.0, 1.0), ..Transform::IDENTITY };
        assert!(pose.set_local(3, nan).is_err());
        let none = skeleton.joint_count();
        assert!(matches!(pose.model(none), Err(JobError::NoSuchJoint { .. })));
        assert!(matches!(pose.turn(none, Quat::IDENTITY), Err(JobError::NoSuchJoint { .. })));
        let stray = Limb { joints: [0, 1, none], ..arm };
        assert!(matches!(pose.reach(&stray, Vec3::ZERO, 1.0), Err(JobError::NoSuchJoint { .. })));
        assert_eq!(pose.locals(), before, "nothing has changed");
    });
    assert_eq!(
        Limb::new(skeleton, ["thigh_l", "shin_l", "fot_l"], Vec3::Z).unwrap_err().to_string(),
        "the skeleton has no joint \"fot_l\""
    );
    assert_eq!(
        Limb::new(skeleton, ["thigh_l", "shin_r", "foot_r"], Vec3::Z).unwrap_err().to_string(),
        "the joint \"shin_r\" does not hang on \"thigh_l\""
    );
    let lamp =
        Skeleton::new(SkeletonParts { parents: &[None], names: &["lamp"], rest: &[Transform::IDENTITY] })
            .unwrap();
    let missing = Legs::of(&lamp).unwrap_err();
    let leg = Bone { part: Part::UpperLeg, side: Side::Left };
    assert!(matches!(&missing, RigError::Bones { bones } if bones.contains(&leg)), "{missing}");
    assert!(missing.to_string().contains("left upper leg"), "{missing}");
    assert!(matches!(Legs::new(skeleton, 0, Vec::new()), Err(RigError::Count { found: 0, .. })));
    assert!(matches!(Chain::above(skeleton, 0, 4), Err(RigError::Count { found: 1, .. })));
}

#[test]
fn feet_stand_on_two_heights_and_the_hips_follow_the_lower_one() {
    for skeleton in [&*SKELETON, &other_rig(100.0, 7)] {
        let legs = Legs::of(skeleton).unwrap();
        assert!((0.05..0.15).contains(&legs.legs[0].ankle_height), "{}", legs.legs[0].ankle_height);
        with(skeleton, |pose| {
            let hips = pose.place(legs.hips).unwrap();
            let ankles = [0, 1].map(|leg| pose.place(legs.legs[leg].limb.joints[2]).unwrap());
            let heights = [-0.1, 0.15];
            let ground = |leg: usize| Ground {
                place: Vec3::new(ankles[leg].x, heights[leg], ankles[leg].z),
                normal: Vec3::Y,
            };
            let up = pose.stand(&legs, &[Some(ground(0)), Some(ground(1))], 1.0).unwrap();
            assert!((up + 0.1).abs() < 1e-6, "{up}");
            assert!(near(pose.place(legs.hips).unwrap(), add(hips, Vec3::new(0.0, -0.1, 0.0)), 1e-5));
            for leg in [0, 1] {
                let wanted = add(ankles[leg], Vec3::new(0.0, heights[leg], 0.0));
                let ankle = pose.place(legs.legs[leg].limb.joints[2]).unwrap();
                assert!(near(ankle, wanted, 1e-3), "{ankle:?} instead of {wanted:?}");
            }
            assert!(pose.stand(&legs, &[None], 1.0).is_err(), "one ground for two legs");
            assert_eq!(pose.stand(&legs, &[None, None], 1.0).unwrap(), 0.0);
        });
    }
}

#[test]
fn a_head_looks_at_a_place_and_others_help_it() {
    for skeleton in [&*SKELETON, &other_rig(0.01, 3)] {
        let shared = Gaze::of(skeleton).unwrap();
        assert_eq!(shared.joints.len(), 3, "head, neck, chest");
        let alone = Gaze { joints: vec![(shared.joints[0].0, 1.0)], ..shared.clone() };
        let head = shared.joints[0].0;
        let target = Vec3::new(0.8, 1.9, 1.5);
        let off = |pose: &mut Pose<'_>| {
            let model = pose.model(head).unwrap();
            let ahead = Vec3::from_array(model.mul_vector(shared.forward.to_array()));
            let to = sub(target, model.translation());
            dot(ahead, to) / (length(ahead) * length(to))
        };
        let [nothing, some, all] = [(&shared, 0.0), (&shared, 1.0), (&alone, 1.0)].map(|(gaze, weight)| {
            with(skeleton, |pose| {
                let reached = pose.look_at(gaze, target, weight).unwrap();
                assert_eq!(reached, gaze.joints.len() == 1);
                off(pose)
            })
        });
        assert!(all > 0.99999 && some > 0.96 && some > nothing + 0.05, "{nothing} {some} {all}");
        let chest = shared.joints[2].0;
        with(skeleton, |pose| {
            let before = pose.model(chest).unwrap();
            pose.look_at(&shared, target, 1.0).unwrap();
            assert!(pose.model(chest).unwrap() != before, "the chest helps");
            assert!(pose.look_at(&shared, target, f32::NAN).is_err());
        });
    }
}

#[test]
fn a_hand_holds_a_grip_by_place_and_axes() {
    let skeleton = &*SKELETON;
    let arm = Limb::arm(skeleton, Side::Left).unwrap();
    let rotation = quat_from_axis_angle(random_unit(&mut Rng::new(4)), 0.8);
    let grip = Transform { translation: Vec3::new(0.35, 1.25, 0.3), rotation, scale: Vec3::ONE }.to_mat34();
    with(skeleton, |pose| {
        assert!(pose.hold(&arm, &grip, 1.0).unwrap());
        let hand = pose.model(arm.joints[2]).unwrap();
        for (own, wanted) in hand.columns.into_iter().zip(grip.columns) {
            assert!(near(Vec3::from_array(own), Vec3::from_array(wanted), 1e-4), "{hand:?}");
        }
    });
}

/// The character walks on, the foot stays: until it is lifted.
#[test]
fn a_planted_foot_stays_in_the_world() {
    let skeleton = &*SKELETON;
    let leg = Limb::leg(skeleton, Side::Right).unwrap();
    let (mut lock, rule) = (FootLock::default(), FootLockRule::default());
    let mut places = Vec::new();
    for frame in 0..12_u8 {
        let world = Transform::from_translation(Vec3::new(0.0, 0.0, 0.015 * f32::from(frame))).to_mat34();
        with(skeleton, |pose| {
            // A knee that is bent can give way.
            let bent = add(pose.place(leg.joints[2]).unwrap(), Vec3::new(0.0, 0.1, 0.0));
            pose.reach(&leg, bent, 1.0).unwrap();
            let held = pose.plant(&leg, &mut lock, &rule, frame < 10, &world, 1.0 / 60.0).unwrap();
            assert_eq!(held, frame < 10, "frame {frame}");
            places.push(Vec3::from_array(world.mul_point(pose.place(leg.joints[2]).unwrap().to_array())));
            let before = lock;
            assert!(pose.plant(&leg, &mut lock, &rule, true, &world, f32::NAN).is_err());
            assert_eq!(lock, before, "an error changes nothing");
        });
    }
    assert!(places[..10].iter().all(|place| near(*place, places[0], 1e-4)), "{places:?}");
    assert!(!near(places[11], places[9], 1e-3), "it is let go");
}

/// A step: the heel comes down, the foot tips onto its ball, the heel rises, while the character moves on.
#[test]
fn a_planted_foot_rolls_from_heel_to_ball() {
    let skeletons = [&*SKELETON, &other_rig(100.0, 5)];
    for skeleton in skeletons {
        let leg = Limb::leg(skeleton, Side::Right).unwrap();
        let rule = FootLockRule::default();
        let mut lock = FootLock::default();
        let mut shown = Vec::new();
        for frame in 0..14_u8 {
            let at = 0.012 * f32::from(frame);
            let world = Transform::from_translation(Vec3::new(0.0, 0.0, at)).to_mat34();
            with(skeleton, |pose| {
                let ankle = leg.joints[2];
                // Toes up by 0.2, then down to 0.45 radians.
                let rotation = quat_from_axis_angle(Vec3::X, 0.05 * f32::from(frame) - 0.2);
                let rest = pose.model(ankle).unwrap();
                let mut tipped = Transform { rotation, ..Transform::IDENTITY }.to_mat34().mul(&rest);
                tipped.columns[3] = add(rest.translation(), Vec3::new(0.0, 0.12, 0.0)).to_array();
                assert!(pose.hold(&leg, &tipped, 1.0).unwrap());
                let turned = pose.model(ankle).unwrap();
                assert!(pose.plant(&leg, &mut lock, &rule, true, &world, 1.0 / 60.0).unwrap());
                let model = pose.model(ankle).unwrap();
                for (now, before) in model.columns.iter().zip(&turned.columns).take(3) {
                    let [now, before] = [now, before].map(|axis| Vec3::from_array(*axis));
                    assert!(
                        near(now, before, 1e-3 * length(before)),
                        "frame {frame}: the foot keeps its turn"
                    );
                }
                let place = |own: Vec3| Vec3::from_array(world.mul_point(model.mul_point(own.to_array())));
                shown.push((lock.on_ball, leg.sole.map(place)));
            });
        }
        let first_on_ball = shown.iter().position(|(on_ball, _)| *on_ball).unwrap();
        assert!((4..8).contains(&first_on_ball), "{first_on_ball}");
        let (on_heel, on_ball) = shown.split_at(first_on_ball);
        assert!(on_ball.iter().all(|(on_ball, _)| *on_ball), "it does not go back");
        let stays = |held: &[(bool, [Vec3; 2])], end: usize| {
            held.iter().all(|(_, sole)| near(sole[end], held[0].1[end], 1e-3))
        };
        assert!(stays(on_heel, 0) && stays(on_ball, 1), "{shown:?}");
        assert!(!stays(on_ball, 0), "the heel rises");
        let jump = sub(on_ball[0].1[1], on_heel[on_heel.len() - 1].1[1]);
        assert!(length(jump) < 0.02, "from heel to ball it tips, and does not jump: {jump:?}");
    }
}

#[test]
fn chains_pull_and_springs_swing_without_allocation_and_as_they_were_saved() {
    let skeleton = &*SKELETON;
    let spine = Chain::new(skeleton, "spine_01", "head").unwrap();
    with(skeleton, |pose| {
        let head = pose.place(spine.joints[spine.joints.len() - 1]).unwrap();
        let target = add(head, Vec3::new(0.15, -0.05, 0.1));
        let report = pose.pull(&spine, target, 1.0).unwrap();
        assert!(
            report.reached && near(pose.place(skeleton.find("head").unwrap()).unwrap(), target, 1e-3),
            "{report:?}"
        );
        assert!(pose.pull(&spine, Vec3::new(f32::NAN, 0.0, 0.0), 1.0).is_err());
    });
    let arm = skeleton.find("upperarm_l").unwrap();
    let mut springs = Springs::new(skeleton, "upperarm_l").unwrap();
    assert!(springs.chains().flatten().eq(skeleton.subtree(arm)), "every joint below, once, parents first");
    springs.bone = SpringBone { stiffness: 60.0, damping: 4.0, ..SpringBone::default() };
    for joint in 0..skeleton.joint_count() {
        let all = Springs::below(skeleton, joint);
        assert!(all.chains().flatten().eq(skeleton.subtree(joint)));
        for chain in all.chains() {
            let linked = chain.clone().skip(1).all(|j| skeleton.parent(j) == Some(j - 1));
            assert!(linked && skeleton.is_leaf(chain.end - 1), "{chain:?}");
        }
    }
    let hand = skeleton.find("hand_l").unwrap();
    let frame = |springs: &mut Springs, x: f32| {
        let world = Transform::from_translation(Vec3::new(x, 0.0, 0.0)).to_mat34();
        with(skeleton, |pose| {
            assert_no_alloc(|| pose.swing(springs, &world, 1.0 / 60.0).unwrap());
            pose.place(hand).unwrap()
        })
    };
    let first = frame(&mut springs, 0.0);
    let thrown: Vec<Vec3> = (1..20_u8).map(|i| frame(&mut springs, 0.02 * f32::from(i))).collect();
    assert!(thrown[18].x < first.x - 0.02, "the hand stays behind: {:?} after {first:?}", thrown[18]);
    let mut saved = springs.clone();
    assert_eq!(frame(&mut saved, 0.4), frame(&mut springs, 0.4));
    assert_eq!(saved, springs);
    springs.settle();
    assert!(near(frame(&mut springs, 0.4), first, 2e-2), "at rest again");
    assert!(Springs::new(skeleton, "tail").is_err());
}

/// Of a pose that is shown already, only what hangs on a changed joint is made again.
#[test]
fn a_change_of_a_pose_in_step_costs_what_hangs_on_it() {
    let skeleton = &*SKELETON;
    let turn = quat_from_axis_angle(Vec3::X, 0.4);
    let (arm, leg) = (skeleton.find("upperarm_l").unwrap(), skeleton.find("thigh_r").unwrap());
    let (mut locals, mut models) = buffers(skeleton);
    LocalToModelJob::new(skeleton, &locals, &mut models).run().unwrap();
    // What is not made again keeps what it has.
    let spoiled = Mat4::from_cols_array(&[7.0; 16]);
    let kept = |joint: usize| {
        let above = |of: usize| std::iter::successors(Some(of), |j| skeleton.parent(*j)).any(|j| j == joint);
        [arm, leg].iter().any(|of| skeleton.subtree(*of).contains(&joint) || above(*of))
    };
    let sound = models.clone();
    (0..skeleton.joint_count()).filter(|joint| !kept(*joint)).for_each(|joint| models[joint] = spoiled);
    let mut pose = Pose::in_step(skeleton, &mut locals, &mut models, None).unwrap();
    pose.turn(arm, turn).unwrap();
    pose.turn(leg, turn).unwrap();
    pose.finish().unwrap();
    let mut whole = sound.clone();
    LocalToModelJob::new(skeleton, &locals, &mut whole).run().unwrap();
    let mut changed = 0;
    for joint in 0..skeleton.joint_count() {
        assert_eq!(models[joint], if kept(joint) { whole[joint] } else { spoiled }, "{joint}");
        changed += usize::from(whole[joint] != sound[joint]);
    }
    assert!(changed > 3 && changed < skeleton.joint_count(), "{changed}");
}

/// A level of detail without the hand: its limb is left alone, what is there is not.
#[test]
fn limbs_that_a_level_leaves_out_are_not_moved() {
    let skeleton = &*SKELETON;
    let legs = Legs::of(skeleton).unwrap();
    let lod = JointLod::prefix(legs.hips + 1);
    let (mut locals, mut models) = buffers(skeleton);
    let mut pose = Pose::new(skeleton, &mut locals, &mut models, Some(&lod)).unwrap();
    let ground = Some(Ground { place: Vec3::new(0.0, 0.2, 0.0), normal: Vec3::Y });
    assert_eq!(pose.stand(&legs, &[ground; 2], 1.0).unwrap(), 0.0);
    assert!(!pose.reach(&legs.legs[0].limb, Vec3::ZERO, 1.0).unwrap());
    assert!(!pose.hold(&legs.legs[0].limb, &Mat34::IDENTITY, 1.0).unwrap());
    assert!(!pose.look_at(&Gaze::of(skeleton).unwrap(), Vec3::X, 1.0).unwrap());
    assert_eq!(pose.locals(), skeleton.rest_pose());
    let other = other_rig(1.0, 1);
    let other = JointLod::from_mask(&other, JointMask::all(&other)).unwrap();
    assert!(matches!(
        Pose::new(skeleton, &mut locals, &mut models, Some(&other)),
        Err(JobError::Mismatch { field: "lod", .. })
    ));
    assert!(Pose::new(skeleton, &mut [], &mut models, None).is_err());
    assert!(Pose::new(skeleton, &mut locals, &mut [], None).is_err());
}
