//! What is seen of feet, and what is said of them.

use lissom_build::{
    exact::{Trs, V3, larger},
    feet::{ContactRule, Contacts, FeetError, FromFeet},
    mannequin::{self, Motion},
    raw::{Channel, Curve, RawAnimation, RawJoint, RawSkeleton, RawTrack, Travel},
    scene::{Marker, SceneAnimation},
};

fn clip(motion: RawAnimation) -> SceneAnimation {
    SceneAnimation { skeleton: Some(0), motion, ..SceneAnimation::default() }
}

/// What the mannequin's makers say of its feet is what is seen.
#[test]
fn contacts_are_where_the_mannequins_makers_put_them() {
    let skeleton = mannequin::skeleton();
    for motion in Motion::ALL {
        let said = mannequin::markers(motion);
        let own = clip(mannequin::clip(motion));
        let seen = own.contacts(&skeleton, &ContactRule::default()).unwrap();
        if matches!(motion, Motion::Performance) {
            assert!(seen.feet.iter().all(|spans| spans.len() > 3), "{seen:?}");
            continue;
        }
        if matches!(motion, Motion::JumpAir) {
            continue;
        }
        let on_the_spot = clip(own.motion.in_place(&skeleton, Travel::All).unwrap());
        let mut all = vec![seen];
        if motion.duty().is_some() {
            all.push(on_the_spot.contacts(&skeleton, &ContactRule::default()).unwrap());
        }
        for seen in all {
            for (index, side) in ["left", "right"].into_iter().enumerate() {
                let spans: Vec<_> = said.iter().filter(|m| m.name == format!("contact_{side}")).collect();
                let mut off = 0.0;
                for look in 0..200 {
                    let time_s = own.motion.duration_s * f64::from(look) / 200.0;
                    let said = spans.iter().any(|m| m.time_s <= time_s && time_s < m.time_s + m.duration_s);
                    let is = seen.feet[index].iter().any(|(from, to)| *from <= time_s && time_s < *to);
                    off += if said == is { 0.0 } else { own.motion.duration_s / 200.0 };
                }
                // The foot of a turn starts and ends its swing slowly: each end may be 0.09 s off.
                assert!(off < 0.18, "{motion:?} {side}: {off} s otherwise, {:?}", seen.feet[index]);
                let steps =
                    |markers: &[Marker]| markers.iter().filter(|m| m.name == format!("step_{side}")).count();
                let (is, shall) = (steps(&seen.markers()), steps(&said));
                assert_eq!(is, shall, "{motion:?} {side}: {:?}", seen.feet[index]);
            }
        }
    }
}

#[test]
fn gaits_have_a_phase_and_a_speed_on_the_spot_too() {
    let skeleton = mannequin::skeleton();
    for motion in Motion::ALL.into_iter().filter(|motion| motion.duty().is_some()) {
        let own = clip(mannequin::clip(motion));
        let spot = clip(own.motion.in_place(&skeleton, Travel::All).unwrap());
        for (clip, spare) in [(&own, 0.02), (&spot, 0.12)] {
            let rule = ContactRule::default();
            let speed = clip.ground_speed(&skeleton, &rule).unwrap();
            let shall = motion.velocity().length();
            assert!((speed - shall).abs() < spare * shall, "{motion:?}: {speed} m/s, not {shall}");
            let phase = clip.contacts(&skeleton, &rule).unwrap().phase().unwrap();
            phase.validate().unwrap();
            for i in 0..=20 {
                let ratio = f64::from(i) / 20.0;
                let off = phase.sample(ratio)[0] - ratio;
                let off = (off - libm::round(off)).abs();
                assert!(off < 0.09, "{motion:?} at {ratio}: {off} off, {phase:?}");
            }
        }
    }
}

/// As motion capture has it: the first frame is the pose of the skeleton, legs straight down through the floor.
#[test]
fn a_first_pose_below_the_ground_does_not_hide_what_stands() {
    let skeleton = mannequin::skeleton();
    let own = clip(mannequin::clip(Motion::Walk));
    let wanted = own.contacts(&skeleton, &ContactRule::default()).unwrap();
    let mut spoiled = own;
    spoiled.motion.looping = false;
    let hips = skeleton.joints.iter().position(|joint| joint.name == "hips").unwrap();
    spoiled.motion.tracks[hips].translation.keys[0].value.y -= 0.1;
    let seen = spoiled.contacts(&skeleton, &ContactRule::default()).unwrap();
    let lasts =
        |contacts: &Contacts| -> f64 { contacts.feet.iter().flatten().map(|(from, to)| to - from).sum() };
    assert!((lasts(&seen) - lasts(&wanted)).abs() < 0.15, "{seen:?}, not {wanted:?}");
}

#[test]
fn who_does_not_step_has_no_gait_and_who_has_no_feet_is_told() {
    let skeleton = mannequin::skeleton();
    let idle = clip(mannequin::clip(Motion::Idle));
    let contacts = idle.contacts(&skeleton, &ContactRule::default()).unwrap();
    assert_eq!(contacts.feet, [vec![(0.0, 7.2)], vec![(0.0, 7.2)]]);
    assert_eq!(contacts.phase(), Err(FeetError::NoGait { steps: 0 }));
    let mut nameless = skeleton.clone();
    nameless.joints.iter_mut().enumerate().for_each(|(i, joint)| joint.name = format!("j{i}"));
    let error = idle.contacts(&nameless, &ContactRule::default()).unwrap_err();
    assert_eq!(error, FeetError::NoFoot("left"));
    let at = |name: &str| skeleton.joints.iter().position(|joint| joint.name == name).unwrap();
    let feet = Some([format!("j{}", at("foot_l")), format!("j{}", at("foot_r"))]);
    let rule = ContactRule { feet, ..ContactRule::default() };
    assert_eq!(idle.contacts(&nameless, &rule).unwrap().feet, contacts.feet);
    // A hop on one leg: a foot comes down again and again, and that is no gait.
    let hop = Contacts { feet: [vec![(0.1, 0.2), (0.5, 0.7)], vec![]], duration_s: 1.0, looping: true };
    assert_eq!(hop.phase(), Err(FeetError::NoGait { steps: 2 }));
    let names: Vec<String> = hop.markers().into_iter().map(|marker| marker.name).collect();
    assert_eq!(names, ["contact_left", "step_left", "contact_left", "step_left"]);
}

/// A skeleton of hips and two feet, with a toe on each, and no legs: each foot goes where a test says.
fn two_feet() -> RawSkeleton {
    let joint = |name: &str, parent, place| RawJoint {
        name: name.into(),
        parent,
        rest: Trs::from_translation(place),
    };
    let joints = vec![
        joint("hips", None, V3::new(0.0, 0.9, 0.0)),
        joint("LeftFoot", None, V3::new(0.1, 0.1, 0.0)),
        joint("LeftToe", Some(1), V3::new(0.0, -0.08, 0.15)),
        joint("RightFoot", None, V3::new(-0.1, 0.1, 0.0)),
        joint("RightToe", Some(3), V3::new(0.0, -0.08, 0.15)),
    ];
    RawSkeleton { joints }
}

fn rule() -> ContactRule {
    ContactRule { feet: Some(["LeftFoot".into(), "RightFoot".into()]), ..ContactRule::default() }
}

/// A clip in which the hips and both ankles are where a function of the time says: hips, left, right.
fn moved(duration_s: f64, looping: bool, at: impl Fn(f64) -> [V3; 3]) -> SceneAnimation {
    let times: Vec<f64> = (0..=libm::round(duration_s * 120.0) as usize).map(|i| i as f64 / 120.0).collect();
    let mut tracks = vec![RawTrack::default(); 5];
    for (index, track) in [0, 1, 3].into_iter().enumerate() {
        let keys = times.iter().map(|time_s| (*time_s, at(*time_s)[index]));
        tracks[track].translation = Channel::new(Curve::Linear, keys);
    }
    clip(RawAnimation { duration_s, looping, tracks, ..RawAnimation::default() })
}

/// A walk of one cycle per second at a speed: a foot stands for 0.6 s of it, and swings on a bow. The left one comes down at `phase` of a cycle,
/// the right one half a cycle later.
fn ankle(time_s: f64, phase: f64, speed: f64, side: f64) -> V3 {
    let cycle = libm::floor(time_s - phase);
    let within = time_s - phase - cycle;
    let swing = larger(0.0, (within - 0.6) / 0.4);
    let smooth = swing * swing * (3.0 - 2.0 * swing);
    let bow = 4.0 * swing * (1.0 - swing);
    V3::new(side, 0.1 + 0.15 * bow, speed * (cycle + phase + smooth))
}

fn walk(time_s: f64, phase: f64, speed: f64) -> [V3; 3] {
    let hips = V3::new(0.0, 0.9, speed * time_s);
    [hips, ankle(time_s, phase, speed, 0.1), ankle(time_s, phase + 0.5, speed, -0.1)]
}

fn assert_stances(found: &Contacts, side: usize, wanted: &[(f64, f64)]) {
    let found = found.stances(side);
    let near = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).abs() < 0.05 && (a.1 - b.1).abs() < 0.05;
    assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(near), "{found:?}, not {wanted:?}");
}

#[test]
fn a_floor_that_rises_hides_no_stance() {
    // As captured: 9 cm in two seconds, and once the other way.
    for slope in [0.045, -0.045, 0.0] {
        let climbs =
            moved(2.5, false, |time_s| walk(time_s, 0.2, 1.3).map(|p| p + V3::new(0.0, slope * p.z, 0.0)));
        let found = climbs.contacts(&two_feet(), &rule()).unwrap();
        assert_stances(&found, 0, &[(0.2, 0.8), (1.2, 1.8), (2.2, 2.5)]);
        assert_stances(&found, 1, &[(0.0, 0.3), (0.7, 1.3), (1.7, 2.3)]);
        assert!((climbs.ground_speed(&two_feet(), &rule()).unwrap() - 1.3).abs() < 0.01);
    }
}

#[test]
fn on_the_spot_a_foot_stands_that_goes_with_the_ground() {
    for speed in [0.8, 1.4, 4.0] {
        let treadmill = |time_s: f64| walk(time_s, 0.2, speed).map(|p| p - V3::new(0.0, 0.0, speed * time_s));
        let spot = moved(2.0, false, treadmill);
        let found = spot.contacts(&two_feet(), &rule()).unwrap();
        assert_stances(&found, 0, &[(0.2, 0.8), (1.2, 1.8)]);
        // It goes round: what stands at its end stands at its start.
        assert_stances(&found, 1, &[(0.7, 1.3), (1.7, 2.3)]);
        let FromFeet { velocity, slide } = spot.root_from_feet(&two_feet(), &rule()).unwrap();
        assert!(
            velocity.distance(V3::new(0.0, 0.0, speed)) < 0.1 * speed,
            "{velocity:?}, not {speed} m/s ahead"
        );
        assert!(slide < 0.35 * speed, "{slide}");
    }
    // Its root motion leads as far as the feet say, straight on.
    let [place, turn] = FromFeet { velocity: V3::new(0.5, 0.0, 2.0), slide: 0.0 }.tracks(3.0);
    place.validate().unwrap();
    turn.validate().unwrap();
    assert_eq!(place.sample(1.0), [1.5, 0.0, 6.0, 0.0]);
    assert_eq!(turn.sample(0.5), [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn who_travels_or_never_stands_is_refused_by_feet() {
    let travels = moved(2.0, false, |time_s| walk(time_s, 0.2, 1.3));
    assert!(matches!(travels.root_from_feet(&two_feet(), &rule()), Err(FeetError::Travels { .. })));
    let falls = moved(1.0, false, |time_s| {
        let drop = V3::new(0.0, 5.0 - 5.0 * time_s, 0.0);
        [drop, drop - V3::new(0.1, 0.8, 0.0), drop - V3::new(-0.1, 0.8, 0.0)]
    });
    assert_eq!(falls.root_from_feet(&two_feet(), &rule()), Err(FeetError::NoStance));
    assert_eq!(falls.contacts(&two_feet(), &rule()).unwrap().feet, [vec![], vec![]]);
}

#[test]
fn a_motion_of_another_skeleton_is_refused() {
    let mut clip = moved(1.0, false, |time_s| walk(time_s, 0.2, 1.3));
    clip.motion.tracks.clear();
    let refused = FeetError::OtherSkeleton { tracks: 0, joints: two_feet().joints.len() };
    assert_eq!(clip.contacts(&two_feet(), &rule()), Err(refused));
    assert!(clip.ground_speed(&two_feet(), &rule()).is_err());
}

#[test]
fn a_gap_inside_a_stance_is_closed_and_a_swing_is_not() {
    // A foot that stands, and once goes up by 20 cm and comes down again.
    let hops = |lasts_s: f64| {
        moved(2.0, false, move |time_s| {
            let share = (time_s - 1.0) / lasts_s;
            let up = if (0.0..1.0).contains(&share) { 0.8 * share * (1.0 - share) } else { 0.0 };
            [V3::new(0.0, 0.9, 0.0), V3::new(0.1, 0.1 + up, 0.0), V3::new(-0.1, 0.1, 0.0)]
        })
    };
    assert_stances(&hops(0.06).contacts(&two_feet(), &rule()).unwrap(), 0, &[(0.0, 2.0)]);
    assert_stances(&hops(0.3).contacts(&two_feet(), &rule()).unwrap(), 0, &[(0.0, 1.0), (1.3, 2.0)]);
}

#[test]
fn a_stance_through_the_seam_of_a_loop_is_one_step() {
    let speed = 1.4;
    let treadmill = |time_s: f64| walk(time_s, 0.7, speed).map(|p| p - V3::new(0.0, 0.0, speed * time_s));
    // Stored as a loop, one that goes round all the same, one that lacks its last key, and one that does not go round.
    let round = vec![(0.7, 1.3)];
    let laps = [(1.0, true, &round), (1.0, false, &round), (0.975, false, &round)];
    for (duration_s, looping, left) in laps.into_iter().chain([(0.85, false, &vec![(0.0, 0.3), (0.7, 0.85)])])
    {
        let found = moved(duration_s, looping, treadmill).contacts(&two_feet(), &rule()).unwrap();
        assert_stances(&found, 0, left);
        assert_stances(&found, 1, &[(0.2, 0.8)]);
        let markers = found.markers();
        let steps: Vec<f64> = markers.iter().filter(|m| m.name == "step_left").map(|m| m.time_s).collect();
        assert!(steps.len() == 1 && (steps[0] - 0.7).abs() < 0.05, "{steps:?}");
    }
}
