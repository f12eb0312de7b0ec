//! BVH files: channels in any order, and what is refused in which words.

use lissom::MAX_JOINTS;
use lissom_build::{
    exact::V3,
    export::write_bvh,
    import::{
        ImportError,
        bvh::{Bvh, BvhOptions, read},
    },
    mannequin::{self, Motion},
    mesh::model_matrices,
};

const FILE: &str = "HIERARCHY
ROOT Hips
{
\tOFFSET 1 2 3
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Left Leg {
\t\tOFFSET 0 -4 0
\t\tCHANNELS 2 Yrotation Yposition
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 -5 0
\t\t}
\t}
}
MOTION
Frames: 3
Frame Time: 0.5
0 0 0 0 0 0 0 -4
10 20 30 90 0 0 180 -6
1 1 1 90 90 0 350 -4
";

fn parse(text: &str) -> Result<Bvh, ImportError> {
    read(text.as_bytes(), &BvhOptions::default())
}

#[test]
fn channels_come_in_any_order_and_positions_on_any_joint() {
    let bvh = parse(FILE).unwrap();
    let names: Vec<_> = bvh.skeleton.joints.iter().map(|j| (j.name.as_str(), j.parent)).collect();
    assert_eq!(names, [("Hips", None), ("Left Leg", Some(0))]);
    assert_eq!(bvh.skeleton.joints[0].rest.translation, V3::new(1.0, 2.0, 3.0));
    let a = bvh.animation.unwrap();
    assert_eq!(a.duration_s, 1.0);
    let at = |joint: usize, t: f64| a.tracks[joint].sample(t, bvh.skeleton.joints[joint].rest);
    assert_eq!(at(0, 0.5).translation, V3::new(10.0, 20.0, 30.0));
    // Only y is animated: x and z stay at the OFFSET.
    assert_eq!(at(1, 0.5).translation, V3::new(0.0, -6.0, 0.0));
    // Z by 90 degrees, then X by 90 in the turned frame: y goes to z.
    let turned = at(0, 1.0).rotation.rotate(V3::Y);
    assert!((turned - V3::Z).length() < 1e-12);
    // 180 to 350 degrees, the shorter way, on one hemisphere.
    let keys = &a.tracks[1].rotation.keys;
    assert!(keys[1].value.dot(keys[2].value) >= 0.0);
}

#[test]
fn options_scale_skip_and_keep_end_sites() {
    let options = BvhOptions { scale: 0.01, skip_frames: 1, end_sites: true };
    let bvh = read(FILE.as_bytes(), &options).unwrap();
    assert_eq!(bvh.skeleton.joints[2].name, "Left Leg_end");
    assert_eq!(bvh.skeleton.joints[2].rest.translation, V3::new(0.0, -5.0 * 0.01, 0.0));
    let a = bvh.animation.unwrap();
    assert_eq!((a.duration_s, a.tracks[0].translation.keys.len()), (0.5, 2));
    assert_eq!(a.tracks[0].translation.keys[0].value, V3::new(0.1, 0.2, 0.3));
    let none = read(FILE.as_bytes(), &BvhOptions { skip_frames: 3, ..options }).unwrap();
    assert_eq!(none.animation, None);
}

#[test]
fn every_truncation_between_numbers_is_an_error() {
    // The last number may be cut inside and still be a number.
    for length in 0..FILE.len() - 3 {
        let short = &FILE[..length];
        assert!(parse(short).is_err(), "{length}");
    }
}

#[test]
fn no_single_byte_can_do_harm() {
    let mut bytes = FILE.as_bytes().to_vec();
    for at in 0..bytes.len() {
        let was = bytes[at];
        for other in 0..=255 {
            bytes[at] = other;
            let _ = read(&bytes, &BvhOptions::default());
        }
        bytes[at] = was;
    }
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let with = |from: &str, to: &str| parse(&FILE.replacen(from, to, 1)).unwrap_err().to_string();
    assert_eq!(with("HIERARCHY", "MOTION"), "line 1: this is not a BVH file (it starts with HIERARCHY)");
    assert_eq!(with("Yrotation Yposition", "Wrotation Yposition"), "line 8: \"Wrotation\" is not a channel");
    assert_eq!(with("-4 0\n", "-4 nan\n"), "line 7: \"nan\" is not a finite number");
    assert_eq!(with("Time: 0.5", "Time: 0"), "line 17: the frame time is 0 s; it must be above 0");
    assert_eq!(with("Frames: 3", "Frames: -3"), "line 16: the count of frames is \"-3\", not a count");
    assert_eq!(with("Frames: 3", "Frames: 2"), "line 20: \"1\" after the last of 2 frames");
    let many = with("Frames: 3", "Frames: 18446744073709551615");
    assert_eq!(many, "line 20: the file ends where a number should be");
    assert_eq!(with("End Site", "ROOT Site"), "line 9: \"ROOT\" has no place here");
    let deep = "JOINT a {\n".repeat(MAX_JOINTS + 5);
    let deep = format!("HIERARCHY ROOT r {{\n{deep}");
    assert!(matches!(parse(&deep), Err(ImportError::Limit { .. })));
}

#[test]
fn names_of_end_sites_cannot_pile_up() {
    let options = BvhOptions { end_sites: true, ..BvhOptions::default() };
    let refused = |text: String| read(text.as_bytes(), &options).unwrap_err().to_string();
    // Every level would repeat the names of all above it.
    let nested = format!("HIERARCHY ROOT r {{\n{}", "END x {\n".repeat(1000));
    assert_eq!(refused(nested), "line 3: \"END\" has no place here");
    let long = format!("HIERARCHY ROOT {} {{\n{}", "r".repeat(100_000), "END x { }\n".repeat(1000));
    assert_eq!(refused(long), "line 1: the length of a joint's name is 100000, but at most 256 is possible");
}

#[test]
fn a_motion_comes_back_with_every_joint_where_it_was() {
    // Rest rotations and a scale above everything, as files have them.
    let mut skeleton = mannequin::skeleton();
    skeleton.joints[0].rest.scale = V3::ONE.scaled(0.01);
    for joint in skeleton.joints.iter_mut().filter(|j| j.parent.is_some()) {
        joint.rest.translation = joint.rest.translation.scaled(100.0);
    }
    let mut motion = mannequin::clip(Motion::Run);
    for track in motion.tracks.iter_mut().skip(1) {
        track.translation.keys.iter_mut().for_each(|k| k.value = k.value.scaled(100.0));
    }
    let text = write_bvh(&skeleton, &motion).unwrap();
    let back = read(text.as_bytes(), &BvhOptions::default()).unwrap();
    let again = back.animation.unwrap();
    assert!((again.duration_s - motion.duration_s).abs() < 1e-5);
    for frame in [0, 3, 10] {
        let time_s = frame as f64 * back.frame_time_s;
        let own = model_matrices(&skeleton, &motion.pose(&skeleton, time_s));
        let theirs = model_matrices(&back.skeleton, &again.pose(&back.skeleton, time_s));
        for (j, joint) in skeleton.joints.iter().enumerate() {
            let at = back.skeleton.joints.iter().position(|b| b.name == joint.name).unwrap();
            let (a, b) = (own[j].mul_point(V3::ZERO), theirs[at].mul_point(V3::ZERO));
            assert!(a.distance(b) < 1e-5, "{} in frame {frame}: {a:?} {b:?}", joint.name);
        }
    }
}
