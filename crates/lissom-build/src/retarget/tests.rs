use super::{aim::limb_end, bones::renamed, *};
use crate::mannequin::{self, Motion};

const RATE_HZ: f64 = 30.0;

/// Another human: names of Mixamo's, larger, with arms straight out, thighs longer and shins shorter, its joints' axes turned, looking the other way.
fn giant() -> RawSkeleton {
    let mut skeleton = renamed(Preset::Mixamo, "mixamorig:");
    let map = BoneMap::guess(&skeleton);
    for joint in &mut skeleton.joints {
        joint.rest.translation = joint.rest.translation * 1.6;
    }
    for side in [Side::Left, Side::Right] {
        let at = |part| map.joints[&Bone { part, side }];
        let (arm, knee, foot) = (at(Part::UpperArm), at(Part::LowerLeg), at(Part::Foot));
        skeleton.joints[arm].rest.rotation = Q4::IDENTITY;
        let rest = &mut skeleton.joints[knee].rest;
        rest.translation = rest.translation * 1.05;
        let rest = &mut skeleton.joints[foot].rest;
        rest.translation = rest.translation * 0.95;
    }
    // The forearms' own axes: the bones stay where they are.
    let turn = Q4::from_axis_angle(V3::new(0.6, 0.0, 0.8), 1.1);
    let forearm = map.joints[&Bone { part: Part::LowerArm, side: Side::Left }];
    skeleton.joints[forearm].rest.rotation = skeleton.joints[forearm].rest.rotation * turn;
    for joint in 0..skeleton.joints.len() {
        if skeleton.joints[joint].parent == Some(forearm) {
            let rest = &mut skeleton.joints[joint].rest;
            rest.translation = turn.conjugate().rotate(rest.translation);
            rest.rotation = turn.conjugate() * rest.rotation;
        }
    }
    let roots = skeleton.joints.iter_mut().filter(|joint| joint.parent.is_none());
    roots.for_each(|root| root.rest.rotation = Q4::from_axis_angle(V3::Y, core::f64::consts::PI));
    skeleton
}

fn pair(source: &RawSkeleton, target: &RawSkeleton) -> Retarget {
    let maps = [source, target].map(BoneMap::guess);
    Retarget::new((source, &maps[0]), (target, &maps[1]), Goals::default()).unwrap()
}

fn places(skeleton: &RawSkeleton, pose: &[Trs]) -> Vec<V3> {
    models(skeleton, pose).iter().map(|model| model.columns[3]).collect()
}

#[test]
fn there_and_back_is_the_motion_as_it_was() {
    let (own, other) = (mannequin::skeleton(), giant());
    let (there, back) = (pair(&own, &other), pair(&other, &own));
    assert!((there.report().ratio * back.report().ratio - 1.0).abs() < 1e-12);
    assert!(there.report().only_source.is_empty() && there.report().only_target.is_empty());
    let map = BoneMap::guess(&own);
    assert!(there.report().at_rest.iter().any(|name| name.contains("twist")), "{:?}", there.report().at_rest);
    for motion in [Motion::Walk, Motion::Run, Motion::Wave, Motion::Crouch] {
        let motion = mannequin::clip(motion);
        let moved = there.motion(&motion, RATE_HZ).unwrap();
        moved.validate(other.joints.len()).unwrap();
        let again = back.motion(&moved, RATE_HZ).unwrap();
        for i in 0..=20 {
            let time_s = motion.duration_s * f64::from(i) / 20.0;
            let pose = motion.pose(&own, time_s);
            let was = bones_alone(&own, &map, &pose);
            let is = back.pose(&there.pose(&pose));
            // As keys, which the feet have moved up or down: by the same for every bone.
            let keyed = again.pose(&own, time_s);
            let (was_at, is_at, keyed_at) = (places(&own, &was), places(&own, &is), places(&own, &keyed));
            let (turns, own_turns) = (rotations(&own, &is), rotations(&own, &pose));
            let hips = map.joints[&Bone { part: Part::Hips, side: Side::Middle }];
            let raised = keyed_at[hips] - was_at[hips];
            assert!(raised.x.abs() < 1e-3 && raised.y.abs() < 0.01 && raised.z.abs() < 1e-3, "{raised:?}");
            for (bone, joint) in &map.joints {
                let told = |off: f64| format!("{} at {time_s} s: {bone:?} is {off} off", motion.name);
                let turn = 1.0 - turns[*joint].dot(own_turns[*joint]).abs();
                assert!(turn < 1e-12, "turned: {}", told(turn));
                let off = was_at[*joint].distance(is_at[*joint]);
                assert!(off < 1e-9, "{}", told(off));
                // Between its keys a motion is a little off: keys are at 30 Hz, and turns are not straight lines.
                let off = (keyed_at[*joint] - raised).distance(was_at[*joint]);
                assert!(off < 1e-3, "as keys: {}", told(off));
            }
        }
    }
}

/// The pose that retargeting can bring back: bones turned in model space as they are, everything else at rest, and the middle
/// between the hip joints where it is.
fn bones_alone(skeleton: &RawSkeleton, map: &BoneMap, pose: &[Trs]) -> Vec<Trs> {
    let turns = rotations(skeleton, pose);
    let mut alone: Vec<Trs> = skeleton.joints.iter().map(|joint| joint.rest).collect();
    let mut turned = vec![Q4::IDENTITY; alone.len()];
    for joint in skeleton.depth_first() {
        let parent = skeleton.joints[joint].parent.map_or(Q4::IDENTITY, |parent| turned[parent]);
        let is_bone = map.joints.values().any(|bone| *bone == joint);
        turned[joint] = if is_bone { turns[joint] } else { parent * alone[joint].rotation };
        alone[joint].rotation = parent.conjugate() * turned[joint];
    }
    let [hips, left, right] =
        [(Part::Hips, Side::Middle), (Part::UpperLeg, Side::Left), (Part::UpperLeg, Side::Right)]
            .map(|(part, side)| map.joints[&Bone { part, side }]);
    let middle = |pose: &[Trs]| {
        let places = places(skeleton, pose);
        (places[left] + places[right]) * 0.5
    };
    let moved = middle(pose) - middle(&alone);
    let at = models(skeleton, &alone);
    let above = skeleton.joints[hips].parent.map_or(M34::IDENTITY, |parent| at[parent]);
    alone[hips].translation = above.inverse().unwrap().mul_point(at[hips].columns[3] + moved);
    alone
}

#[test]
fn bones_point_where_the_sources_do() {
    let (own, other) = (mannequin::skeleton(), giant());
    let there = pair(&own, &other);
    let maps = [BoneMap::guess(&own), BoneMap::guess(&other)];
    let motion = mannequin::clip(Motion::Wave);
    for i in 0..=10 {
        let pose = motion.pose(&own, motion.duration_s * f64::from(i) / 10.0);
        let (from, to) = (places(&own, &pose), places(&other, &there.pose(&pose)));
        for side in [Side::Left, Side::Right] {
            for part in [Part::UpperArm, Part::LowerArm, Part::UpperLeg, Part::LowerLeg] {
                let bone = Bone { part, side };
                let end = limb_end(bone).unwrap();
                let way = |places: &[V3], map: &BoneMap| {
                    (places[map.joints[&end]] - places[map.joints[&bone]]).normalize_or(V3::X)
                };
                let (was, is) = (way(&from, &maps[0]), way(&to, &maps[1]));
                // It looks the other way.
                let shall = V3::new(-was.x, was.y, -was.z);
                assert!(is.dot(shall) > 1.0 - 1e-9, "{bone:?}: {is:?}, not {shall:?}");
            }
        }
    }
}

/// On legs of other proportions feet that stand are within 2 cm of the ground.
#[test]
fn feet_that_stand_stand() {
    let (own, other) = (mannequin::skeleton(), giant());
    let there = pair(&own, &other);
    let maps = [BoneMap::guess(&own), BoneMap::guess(&other)];
    let rest = |skeleton: &RawSkeleton| {
        places(skeleton, &skeleton.joints.iter().map(|joint| joint.rest).collect::<Vec<_>>())
    };
    let (own_rest, other_rest) = (rest(&own), rest(&other));
    let ground = other_rest.iter().map(|place| place.y).fold(f64::INFINITY, smaller);
    let mut stood = 0;
    for motion in [Motion::Walk, Motion::Idle] {
        let motion = mannequin::clip(motion);
        for i in 0..60 {
            let pose = motion.pose(&own, motion.duration_s * f64::from(i) / 59.0);
            let (from, to) = (places(&own, &pose), places(&other, &there.pose(&pose)));
            for side in [Side::Left, Side::Right] {
                let bone = Bone { part: Part::Foot, side };
                let (s, t) = (maps[0].joints[&bone], maps[1].joints[&bone]);
                if from[s].y < own_rest[s].y + 0.005 {
                    let height = to[t].y - (other_rest[t].y - ground);
                    assert!(height.abs() < 0.02, "{} {i}: {height} m", motion.name);
                    stood += 1;
                }
            }
        }
    }
    assert!(stood > 60, "{stood}");
}

#[test]
fn what_is_missing_is_named() {
    let own = mannequin::skeleton();
    let map = BoneMap::guess(&own);
    let knee = Bone { part: Part::LowerLeg, side: Side::Right };
    let mut lame = map.clone();
    lame.joints.remove(&knee);
    let error = Retarget::new((&own, &map), (&own, &lame), Goals::default()).unwrap_err();
    assert_eq!(error, RetargetError::Missing { skeleton: "target", bones: vec![knee] });
    let told = "no joint of the target is known to be its right lower leg: it is no human, or its joints have other names; then say \
                which: bones = { right_lower_leg = \"...\" }";
    assert_eq!(error.to_string(), told);
    let mut wild = map.clone();
    wild.joints.insert(knee, 999);
    let error = Retarget::new((&own, &wild), (&own, &map), Goals::default()).unwrap_err();
    assert!(matches!(error, RetargetError::NoSuchJoint { skeleton: "source", joint: 999, .. }));
    let mut flat = own.clone();
    flat.joints.iter_mut().for_each(|joint| joint.rest.translation = V3::ZERO);
    let error = Retarget::new((&own, &map), (&flat, &map), Goals::default()).unwrap_err();
    assert_eq!(error, RetargetError::NoLegs { skeleton: "target" });
    // Bones that one of them lacks are told, and the others move.
    let mut armless = map.clone();
    armless.joints.retain(|bone, _| bone.part != Part::Hand);
    let told = Retarget::new((&own, &map), (&own, &armless), Goals::default()).unwrap();
    assert_eq!(told.report().only_source.len(), 2);
    let motion = mannequin::clip(Motion::Walk);
    let short = RawAnimation { tracks: motion.tracks[1..].to_vec(), ..motion.clone() };
    assert!(matches!(told.motion(&short, RATE_HZ), Err(RawEditError::Tracks { .. })));
    assert!(matches!(told.motion(&motion, 0.0), Err(RawEditError::Rate { .. })));
}

/// Feet are where the source's are, in the measure of the legs, hands in that of the arms, on limbs of other proportions; and they point
/// where they did.
#[test]
fn goals_are_met() {
    let (own, other) = (mannequin::skeleton(), giant());
    let maps = [BoneMap::guess(&own), BoneMap::guess(&other)];
    let all = Goals { hands: true, feet: true };
    let there = Retarget::new((&own, &maps[0]), (&other, &maps[1]), all).unwrap();
    let free = pair(&own, &other);
    let (mut met, mut off) = (0, 0.0);
    for motion in [Motion::Walk, Motion::Run, Motion::Crouch] {
        let motion = mannequin::clip(motion);
        for i in 0..=20 {
            let pose = motion.pose(&own, motion.duration_s * f64::from(i) / 20.0);
            let (reached, left) = (there.pose(&pose), free.pose(&pose));
            let (from, to, far) = (places(&own, &pose), places(&other, &reached), places(&other, &left));
            let (turns, were) = (rotations(&other, &reached), rotations(&other, &left));
            for limb in &there.limbs {
                let [start, mid, end] = limb.chain;
                let goal = match limb.reach {
                    Reach::Ground(_) => there.goal(from[limb.source]),
                    // As seen from between the shoulders, in the measure of the arms; it looks the other way.
                    Reach::Shoulders { source, target, ratio } => {
                        let middle = |at: &[V3], [left, right]: [usize; 2]| (at[left] + at[right]) * 0.5;
                        let seen = from[limb.source] - middle(&from, source);
                        middle(&to, target) + V3::new(-seen.x, seen.y, -seen.z) * ratio
                    }
                };
                let reach = far[start].distance(far[mid]) + far[mid].distance(far[end]);
                off = larger(off, far[end].distance(goal));
                if to[start].distance(goal) < reach * 0.999 {
                    let gap = to[end].distance(goal);
                    assert!(gap < 1e-9, "{} {i}: joint {end} is {gap} m off", motion.name);
                    met += 1;
                }
                assert!(
                    turns[end].dot(were[end]).abs() > 1.0 - 1e-9,
                    "{} {i}: joint {end} was turned",
                    motion.name
                );
                // Bones keep their lengths, knees and elbows their side.
                let side = |places: &[V3]| (places[start] - places[mid]).cross(places[end] - places[mid]);
                assert!(
                    side(&to).dot(side(&far)) >= 0.0,
                    "{} {i}: joint {mid} bends the other way",
                    motion.name
                );
            }
        }
    }
    assert!(met > 200 && off > 0.02, "{met} goals met; without, {off} m off");
}

/// Feet and their toes hang on the root, hands on the chest, each where it is.
fn for_inverse_kinematics(mut skeleton: RawSkeleton) -> RawSkeleton {
    let map = BoneMap::guess(&skeleton);
    let rest: Vec<Trs> = skeleton.joints.iter().map(|joint| joint.rest).collect();
    let (models, turns) = (models(&skeleton, &rest), rotations(&skeleton, &rest));
    let root = skeleton.joints.iter().position(|joint| joint.parent.is_none()).unwrap();
    let chest = map.joints[&Bone { part: Part::Chest, side: Side::Middle }];
    for side in [Side::Left, Side::Right] {
        for (part, onto) in [(Part::Foot, root), (Part::Toes, root), (Part::Hand, chest)] {
            let joint = map.joints[&Bone { part, side }];
            let moved = &mut skeleton.joints[joint];
            moved.parent = Some(onto);
            moved.rest.translation = models[onto].inverse().unwrap().mul_point(models[joint].columns[3]);
            moved.rest.rotation = turns[onto].conjugate() * turns[joint];
        }
    }
    skeleton
}

#[test]
fn feet_that_hang_on_the_root_go_with_the_shin() {
    let (own, other) = (mannequin::skeleton(), giant());
    let torn = for_inverse_kinematics(other.clone());
    let map = BoneMap::guess(&other);
    let rest = |skeleton: &RawSkeleton| -> Vec<Trs> { skeleton.joints.iter().map(|j| j.rest).collect() };
    for (a, b) in places(&other, &rest(&other)).iter().zip(places(&torn, &rest(&torn))) {
        assert!(a.distance(b) < 1e-9, "it rests as the other does");
    }
    assert_eq!(BoneMap::guess(&torn), map, "bones are found wherever they hang");
    let (whole, torn_apart) = (pair(&own, &other), pair(&own, &torn));
    for motion in [Motion::Walk, Motion::Run, Motion::Crouch] {
        let motion = mannequin::clip(motion);
        let moved = torn_apart.motion(&motion, RATE_HZ).unwrap();
        for i in 0..=20 {
            let time_s = motion.duration_s * f64::from(i) / 20.0;
            let shall = places(&other, &whole.pose(&motion.pose(&own, time_s)));
            let is = places(&torn, &torn_apart.pose(&motion.pose(&own, time_s)));
            let kept = places(&torn, &moved.pose(&torn, time_s));
            for joint in map.joints.values() {
                let gap = is[*joint].distance(shall[*joint]);
                assert!(gap < 1e-9, "{} {i}: {} is {gap} m off", motion.name, other.joints[*joint].name);
                // Between keys feet go straight.
                let gap = kept[*joint].distance(shall[*joint]);
                assert!(gap < 0.02, "{} {i}: {} is {gap} m off", motion.name, other.joints[*joint].name);
            }
        }
    }
}

/// What a game does pose by pose is what is done offline.
#[test]
fn the_job_does_the_same() {
    the_job_does_the_same_on(&giant());
    the_job_does_the_same_on(&for_inverse_kinematics(giant()));
}

fn the_job_does_the_same_on(other: &RawSkeleton) {
    let own = mannequin::skeleton();
    let built = [&own, other].map(|raw| crate::SkeletonBuilder::build(raw).unwrap());
    let maps = [BoneMap::guess(&own), BoneMap::guess(other)];
    let [source, target] = [&built[0].skeleton, &built[1].skeleton];
    let mut scratch = lissom::job::RetargetScratch::new(source, target);
    let mut output = target.rest_pose().to_vec();
    for goals in [Goals::default(), Goals { hands: true, feet: true }] {
        let offline = Retarget::new((&own, &maps[0]), (other, &maps[1]), goals).unwrap();
        let plan = offline.plan(&built[0], &built[1]);
        for motion in Motion::ALL {
            let motion = mannequin::clip(motion);
            for i in 0..=10 {
                let pose = motion.pose(&own, motion.duration_s * f64::from(i) / 10.0);
                let locals: Vec<_> = built[0].raw_of_joint.iter().map(|raw| pose[*raw].to_f32()).collect();
                let input = lissom::math::soa::from_transforms(&locals);
                lissom::job::RetargetJob {
                    plan: &plan,
                    source,
                    target,
                    input: &input,
                    scratch: &mut scratch,
                    output: &mut output,
                }
                .run()
                .unwrap();
                let shall = places(other, &offline.pose(&pose));
                let mut is = vec![Trs::IDENTITY; shall.len()];
                for (joint, raw) in built[1].raw_of_joint.iter().enumerate() {
                    is[*raw] = Trs::from_f32(lissom::math::soa::lane(&output, joint));
                }
                for (joint, (is, shall)) in places(other, &is).iter().zip(&shall).enumerate() {
                    let gap = is.distance(*shall);
                    // A limb that is stretched whole ends a little short offline.
                    assert!(gap < 2e-3, "{} {i}: joint {joint} is {gap} m off", motion.name);
                }
            }
        }
    }
}

/// The other human's archive with root motion: its travel is in the measure of the target's legs.
#[test]
fn a_scene_goes_over_with_its_root_motion() {
    let (own, other) = (mannequin::skeleton(), giant());
    let walk = mannequin::clip(Motion::Walk);
    let root = walk.carrier(&own).unwrap();
    let rule = crate::raw::RootMotionRule::default();
    let crate::raw::ExtractedRoot { motion, tracks } = walk.root_motion(&own, root, &rule).unwrap();
    let named = |skeleton: &RawSkeleton| crate::scene::SceneSkeleton {
        skeleton: skeleton.clone(),
        ..Default::default()
    };
    let animation = SceneAnimation { skeleton: Some(0), motion, tracks: tracks.into(), ..Default::default() };
    let mut scene = crate::scene::Scene {
        skeletons: vec![named(&own)],
        animations: vec![animation],
        ..Default::default()
    };
    let before = scene.clone();
    onto(&mut scene, (&named(&own), &[]), &BoneNames::default(), Goals::default()).unwrap();
    assert_eq!(scene, before, "its own skeleton leaves it alone");
    onto(&mut scene, (&named(&other), &[]), &BoneNames::default(), Goals::default()).unwrap();
    scene.animations[0].motion.validate(other.joints.len()).unwrap();
    assert_eq!(scene.skeletons, [named(&other)]);
    let travel = |scene: &crate::scene::Scene| {
        let track =
            scene.animations[0].tracks.iter().find(|track| track.name.ends_with("translation")).unwrap();
        track.sample(1.0)[2] - track.sample(0.0)[2]
    };
    let ratio = pair(&own, &other).report().ratio;
    // It looks the other way.
    assert!(
        (travel(&scene) + ratio * travel(&before)).abs() < 1e-9,
        "{} {}",
        travel(&scene),
        travel(&before)
    );
    assert!(scene.warnings.iter().any(|warning| warning.text.contains("are no bones and rest")));
}

/// Motion capture rests with its hips on the ground, and its floor is where it is: feet that stand say where.
#[test]
fn feet_that_stand_are_put_onto_the_ground() {
    let own = mannequin::skeleton();
    let mut captured = own.clone();
    captured.joints[0].rest.translation.y = -0.9;
    for raised in [0.05, -0.03] {
        let mut walk = mannequin::clip(Motion::Walk);
        walk.tracks[0].translation.keys.iter_mut().for_each(|key| key.value.y += raised);
        let maps = [BoneMap::guess(&captured), BoneMap::guess(&own)];
        for goals in [Goals::default(), Goals { hands: false, feet: true }] {
            let there = Retarget::new((&captured, &maps[0]), (&own, &maps[1]), goals).unwrap();
            let moved = there.motion(&walk, RATE_HZ).unwrap();
            let mut looks = 0;
            for marker in mannequin::markers(Motion::Walk) {
                let side = usize::from(marker.name == "contact_right");
                for i in 2..=8 {
                    let time_s = marker.time_s + marker.duration_s * f64::from(i) / 10.0;
                    if marker.duration_s > 0.3 {
                        let height = there.height(&moved.pose(&own, time_s), side).abs();
                        let most = if goals.feet { 0.006 } else { 0.02 };
                        assert!(height < most, "{raised} {goals:?}: {} at {time_s}: {height} m", marker.name);
                        looks += 1;
                    }
                }
            }
            assert!(looks >= 14, "{looks}");
            // It does not snap where a foot comes down or leaves.
            let ankle = maps[1].joints[&Bone { part: Part::Foot, side: Side::Left }];
            let at = |frame: i32| places(&own, &moved.pose(&own, f64::from(frame) / 60.0))[ankle].y;
            let way = |frame| (at(frame) - at(frame - 1)).abs();
            assert!((1..=64).all(|frame| way(frame) < 0.03), "{raised} {goals:?}");
        }
    }
}

/// The angle between where a limb of the source points and where the target's does, over a motion, in degrees.
fn off(source: (&RawSkeleton, &BoneMap), target: (&RawSkeleton, &BoneMap), ends: [[usize; 2]; 2]) -> f64 {
    let there = Retarget::new(source, target, Goals::default()).unwrap();
    let motion = mannequin::clip(Motion::Wave);
    let mut worst = 0.0;
    for i in 0..=10 {
        let pose = motion.pose(source.0, motion.duration_s * f64::from(i) / 10.0);
        let (from, to) = (places(source.0, &pose), places(target.0, &there.pose(&pose)));
        let way = |places: &[V3], [a, b]: [usize; 2]| (places[b] - places[a]).normalize_or(V3::X);
        let shall = there.facing.rotate(way(&from, ends[0]));
        worst = larger(worst, libm::acos(clamp(way(&to, ends[1]).dot(shall), -1.0, 1.0)).to_degrees());
    }
    worst
}

/// The giant rests with its arms straight out, the mannequin does not. Whatever its hands are called, and if it has none, its forearms
/// point where the mannequin's do.
#[test]
fn forearms_point_right_with_hands_of_any_name_or_none() {
    let own = mannequin::skeleton();
    let map = BoneMap::guess(&own);
    let bone = |part, side| Bone { part, side };
    for side in [Side::Left, Side::Right] {
        let [forearm, hand] = [Part::LowerArm, Part::Hand].map(|part| map.joints[&bone(part, side)]);
        for name in ["Fist.L", "Left wrist", "L_Palm", "Paw.L", "nobody knows"] {
            let mut other = giant();
            for joint in 0..other.joints.len() {
                if joint != hand && other.is_above(forearm, joint) && joint != forearm {
                    other.joints[joint].name = format!("finger bit {joint}");
                }
            }
            other.joints[hand].name = name.replace(['L', 'l'], if side == Side::Left { "L" } else { "R" });
            let other_map = BoneMap::guess(&other);
            assert_eq!(other_map.joints.get(&bone(Part::Hand, side)), Some(&hand), "{name}: {other_map:?}");
            let degrees = off((&own, &map), (&other, &other_map), [[forearm, hand]; 2]);
            assert!(degrees < 1e-3, "{name}: {degrees} degrees off");
        }
        // No hand in the map: by what hangs on the forearm.
        let other = giant();
        let mut handless = BoneMap::guess(&other);
        handless.joints.retain(|bone, _| bone.part != Part::Hand && bone.part < Part::Thumb(0));
        let degrees = off((&own, &map), (&other, &handless), [[forearm, hand]; 2]);
        assert!(degrees < 12.0, "{degrees} degrees off");
    }
}

/// A forearm that nothing hangs on: the vertices that follow it say where it ends.
#[test]
fn forearms_that_nothing_hangs_on_point_along_their_vertices() {
    let own = mannequin::skeleton();
    let map = BoneMap::guess(&own);
    let whole = giant();
    let hand = Bone { part: Part::Hand, side: Side::Left };
    let (forearm, wrist) = (map.joints[&Bone { part: Part::LowerArm, ..hand }], map.joints[&hand]);
    // All that is below the forearms hangs on the root, out of the way.
    let mut other = whole.clone();
    let below = |joint: usize| {
        let arms = [Side::Left, Side::Right].map(|side| map.joints[&Bone { part: Part::LowerArm, side }]);
        arms.iter().any(|arm| *arm != joint && whole.is_above(*arm, joint))
    };
    for joint in (0..other.joints.len()).filter(|joint| below(*joint)) {
        other.joints[joint].parent = Some(0);
        other.joints[joint].name = format!("nothing {joint}");
    }
    let rest: Vec<Trs> = whole.joints.iter().map(|joint| joint.rest).collect();
    let at = models(&whole, &rest);
    let inverse_binds: Vec<M34> = at.iter().map(|model| model.inverse().unwrap()).collect();
    let (from, to) = (at[forearm].columns[3], at[wrist].columns[3]);
    // Around the forearm, and as many that follow the head.
    let ring = |share: f64| {
        [V3::X, V3::Y, V3::Z]
            .map(|axis| [from.lerp(to, share) + axis * 0.02, from.lerp(to, share) - axis * 0.02])
    };
    let on_arm: Vec<V3> = [0.2, 0.5, 0.8].into_iter().flat_map(|share| ring(share).concat()).collect();
    let head = map.joints[&Bone { part: Part::Head, side: Side::Middle }];
    let mut positions: Vec<[f32; 3]> =
        on_arm.iter().map(|v| [narrow(v.x), narrow(v.y), narrow(v.z)]).collect();
    let arms = positions.len();
    positions.extend(positions.clone().iter().map(|[x, y, _]| [*x, *y + 1.0, 3.0]));
    let joints: Vec<[u16; 1]> =
        (0..positions.len()).map(|i| [if i < arms { forearm as u16 } else { head as u16 }]).collect();
    let weights = vec![[1.0_f32]; positions.len()];
    let influences = crate::mesh::Influences::from_rows(&joints, &weights);
    let mesh = crate::mesh::RawMesh { positions, influences, inverse_binds, ..Default::default() };
    let meshes = [crate::scene::SceneMesh { mesh, ..Default::default() }];
    let blind = BoneMap::guess(&other);
    assert!(!blind.joints.contains_key(&hand), "{blind:?}");
    let seeing = with_meshes(blind.clone(), &other, &meshes);
    // The wrist is where the forearm's space has it.
    let there = Retarget::new((&own, &map), (&other, &seeing), Goals::default()).unwrap();
    let motion = mannequin::clip(Motion::Wave);
    let wrist_there = inverse_binds_of(&whole, forearm).mul_point(to);
    for (map_there, most) in [(&seeing, 0.1), (&blind, 180.0)] {
        let retarget = Retarget::new((&own, &map), (&other, map_there), Goals::default()).unwrap();
        let mut worst = 0.0;
        for i in 0..=10 {
            let pose = motion.pose(&own, motion.duration_s * f64::from(i) / 10.0);
            let from = places(&own, &pose);
            let is = models(&other, &retarget.pose(&pose));
            let way = (is[forearm].mul_point(wrist_there) - is[forearm].columns[3]).normalize_or(V3::X);
            let shall = there.facing.rotate((from[wrist] - from[forearm]).normalize_or(V3::X));
            worst = larger(worst, libm::acos(clamp(way.dot(shall), -1.0, 1.0)).to_degrees());
        }
        assert!(worst < most, "{worst} degrees off");
    }
}

fn inverse_binds_of(skeleton: &RawSkeleton, joint: usize) -> M34 {
    let rest: Vec<Trs> = skeleton.joints.iter().map(|joint| joint.rest).collect();
    models(skeleton, &rest)[joint].inverse().unwrap()
}

#[test]
fn corrections_go_before_names_and_wrong_ones_are_refused() {
    let (own, mut other) = (mannequin::skeleton(), giant());
    let hand = Bone { part: Part::Hand, side: Side::Left };
    let wrist = BoneMap::guess(&other).joints[&hand];
    let finger = BoneMap::guess(&other).joints[&Bone { part: Part::Index(1), side: Side::Left }];
    other.joints[finger].name = "Fist.L".into();
    let mut names = BoneNames::default();
    names.set("left_hand", "Fist.L").unwrap();
    let (source, target) = names.maps(&own, &other).unwrap();
    assert_eq!((target.joints[&hand], target.how(hand)), (finger, Some(Found::Corrected)));
    assert_eq!(source, BoneMap::guess(&own), "the source has no such joint");
    // Of one of them only, and before what is said of both; and none at all.
    names.set("target.left_hand", &other.joints[wrist].name).unwrap();
    names.set("source.right_hand", "").unwrap();
    let (source, target) = names.maps(&own, &other).unwrap();
    assert_eq!((target.joints[&hand], target.how(hand)), (wrist, Some(Found::Corrected)));
    let right = Bone { side: Side::Right, ..hand };
    assert_eq!((source.how(right), target.how(right)), (None, Some(Found::Name)));
    let table = BoneTable::new((&own, &source), (&other, &target));
    let missing: Vec<String> = table.not_found().map(|row| row.bone.to_string()).collect();
    assert_eq!(missing, ["right hand"]);
    let there = Retarget::new((&own, &source), (&other, &target), Goals::default()).unwrap();
    let notes = there.report().notes();
    assert_eq!(
        notes[0],
        "right hand: not found in this file; name the joint: bones = { right_hand = \"...\" }"
    );
    let mut wrong = BoneNames::default();
    wrong.set("left_hand", "Fist.LL").unwrap();
    let told = wrong.maps(&own, &other).unwrap_err().to_string();
    assert_eq!(
        told,
        "bones.left_hand: no joint of the source or target is called \"Fist.LL\"; did you mean \"Fist.L\"?"
    );
    let mut wrong = BoneNames::default();
    wrong.set("source.left_hand", "Fist.L").unwrap();
    let told = wrong.maps(&own, &other).unwrap_err().to_string();
    assert!(told.starts_with("bones.left_hand: no joint of the source is called \"Fist.L\""), "{told}");
}

#[test]
fn a_body_on_four_legs_is_refused() {
    let own = mannequin::skeleton();
    let map = BoneMap::guess(&own);
    let mut beast = own.clone();
    // The spine lies down.
    let spine = map.joints[&Bone { part: Part::Spine, side: Side::Middle }];
    beast.joints[spine].rest.rotation =
        Q4::from_axis_angle(V3::X, core::f64::consts::FRAC_PI_2) * beast.joints[spine].rest.rotation;
    for pair in [[&own, &beast], [&beast, &own]] {
        let error = Retarget::new((pair[0], &map), (pair[1], &map), Goals::default()).unwrap_err();
        assert!(
            matches!(error, RetargetError::NotUpright { degrees, .. } if (75.0..110.0).contains(&degrees)),
            "{error}"
        );
    }
}

/// Ears: joints that are no bones, with the same names on both. They go along; a helper that hangs on the root does not.
#[test]
fn joints_of_the_same_name_go_along() {
    let eared = |mut skeleton: RawSkeleton, length: f64| {
        let map = BoneMap::guess(&skeleton);
        let head = map.joints[&Bone { part: Part::Head, side: Side::Middle }];
        for (name, parent) in
            [("Ear1.L", Some(head)), ("Ear2.L", None), ("PoleTarget.L", Some(0)), ("Bone.007", Some(head))]
        {
            let mut joint = skeleton.joints[head].clone();
            let parent = parent.unwrap_or(skeleton.joints.len() - 1);
            joint.parent = Some(parent);
            joint.name = name.into();
            joint.rest.translation = V3::new(0.1, length, 0.0);
            skeleton.joints.push(joint);
        }
        skeleton
    };
    let (own, other) = (eared(mannequin::skeleton(), 0.1), eared(giant(), 0.2));
    let there = pair(&own, &other);
    assert_eq!(there.report().same_names, ["Ear1.L", "Ear2.L"]);
    assert!(there.report().at_rest.contains(&"PoleTarget.L".to_owned()));
    let mut motion = mannequin::clip(Motion::Idle);
    let turn = Q4::from_axis_angle(V3::Z, 0.7);
    let ear = own.joints.iter().position(|joint| joint.name == "Ear1.L").unwrap();
    motion.tracks.resize(own.joints.len(), RawTrack::default());
    let rest = own.joints[ear].rest.rotation;
    motion.tracks[ear].rotation.keys = vec![Key { time_s: 0.0, value: rest * turn }];
    let pose = motion.pose(&own, 1.0);
    let (from, to) = (rotations(&own, &pose), rotations(&other, &there.pose(&pose)));
    let (own_rest, other_rest) = (rest_turns(&own), rest_turns(&other));
    let there_ear = other.joints.iter().position(|joint| joint.name == "Ear1.L").unwrap();
    // Turned away from rest alike, in model space.
    let was = there.facing * from[ear] * own_rest[ear].conjugate() * there.facing.conjugate();
    let is = to[there_ear] * other_rest[there_ear].conjugate();
    assert!(was.dot(is).abs() > 1.0 - 1e-9, "{was:?} {is:?}");
}

fn rest_turns(skeleton: &RawSkeleton) -> Vec<Q4> {
    rotations(skeleton, &skeleton.joints.iter().map(|joint| joint.rest).collect::<Vec<_>>())
}

fn key<T>(time_s: f64, value: T) -> Key<T> {
    Key { time_s, value }
}

/// Who kneels: knees are as high above the ground as the source's, in the measure of the legs, and goals leave the legs alone. The
/// giant's thighs are longer and its shins shorter than the mannequin's.
#[test]
fn knees_on_the_ground_are_on_the_ground_and_have_no_goals() {
    let (own, other) = (mannequin::skeleton(), giant());
    let maps = [BoneMap::guess(&own), BoneMap::guess(&other)];
    let at = |part, side| maps[0].joints[&Bone { part, side }];
    // Stands for a second, then kneels: shins back, and the hips lower by a shin.
    let mut motion = mannequin::clip(Motion::Idle);
    motion.looping = false;
    motion.duration_s = 3.0;
    let rest: Vec<Trs> = own.joints.iter().map(|joint| joint.rest).collect();
    let stands = places(&own, &rest);
    let shin = stands[at(Part::LowerLeg, Side::Left)].y - 0.04;
    motion.tracks.iter_mut().for_each(|track| *track = RawTrack::default());
    let hips = at(Part::Hips, Side::Middle);
    let place = own.joints[hips].rest.translation;
    let low = place - rotations(&own, &rest)[hips].conjugate().rotate(V3::Y * shin);
    motion.tracks[hips].translation.keys =
        vec![key(0.0, place), key(1.0, place), key(1.5, low), key(3.0, low)];
    // The shins and then the feet lie back.
    let turns = rotations(&own, &rest);
    for side in [Side::Left, Side::Right] {
        for joint in [at(Part::LowerLeg, side), at(Part::Foot, side)] {
            let straight = own.joints[joint].rest.rotation;
            let across = turns[joint].conjugate().rotate(V3::X);
            let bent = straight * Q4::from_axis_angle(across, core::f64::consts::FRAC_PI_2);
            motion.tracks[joint].rotation.keys =
                vec![key(0.0, straight), key(1.0, straight), key(1.5, bent), key(3.0, bent)];
        }
    }
    let kneeling = motion.pose(&own, 2.5);
    let source = places(&own, &kneeling);
    let knee_height = source[at(Part::LowerLeg, Side::Left)].y;
    assert!((knee_height - 0.04).abs() < 1e-6 && source[at(Part::Foot, Side::Left)].y < 0.2, "{knee_height}");
    let ground = places(&other, &other.joints.iter().map(|j| j.rest).collect::<Vec<_>>())
        .iter()
        .map(|place| place.y)
        .fold(f64::INFINITY, smaller);
    let mut shown = Vec::new();
    for goals in [Goals::default(), Goals { hands: true, feet: true }] {
        let there = Retarget::new((&own, &maps[0]), (&other, &maps[1]), goals).unwrap();
        let pose = there.motion(&motion, RATE_HZ).unwrap().pose(&other, 2.5);
        let is = places(&other, &pose);
        for side in [Side::Left, Side::Right] {
            let knee = is[maps[1].joints[&Bone { part: Part::LowerLeg, side }]].y - ground;
            let shall = knee_height * there.report().ratio;
            assert!((knee - shall).abs() < 0.01, "{goals:?}: {knee} m, not {shall}");
        }
        shown.push(is);
    }
    for side in [Side::Left, Side::Right] {
        let foot = maps[1].joints[&Bone { part: Part::Foot, side }];
        assert!(shown[0][foot].distance(shown[1][foot]) < 1e-9, "the leg was left alone");
    }
}
