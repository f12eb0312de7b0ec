//! ACL's clips and track lists: what comes out, and what is refused in which words.

use lissom_build::{
    exact::{Q4, V3},
    import::{
        acl_sjson::{AclFile, read},
        rawclip::WantedPrecision,
    },
    raw::{RawTrack, TrackKind},
};

const CLIP: &str = r#"// A clip.
version = 2
clip = { name = "walk", num_samples = 2 sample_rate = 24 is_binary_exact = true }
settings = { error_threshold = 0.02 }
bones = [
    { name = "hand" parent = "arm \"left\"" vertex_distance = 3.0 bind_scale = [ 2.0, 2.0, 2.0 ] }
    { name = "arm \"left\"" parent = "" vertex_distance = 1 bind_translation = [ 1, 2, 3 ] }
]
tracks = [ /* any order */
    { name = "arm \"left\""
      rotations = [ [ 0.0, 0.0, 0.0, 1.0 ] [ 0, 1, 0, 0 ] ]
      translations = [ [ "3ff0000000000000", "40000000", 0 ] [ 4, 5, 6 ] ] }
]
"#;
const TRACKS: &str = r#"version = 4
track_list = { name = "list" num_samples = 3 sample_rate = 30 }
tracks = [
    { name = "a" type = "float1f" data = [ [ 1 ] [ 2.5 ] [ -3 ] ] }
    { type = float3f data = [ [ 1, 2, 3 ] [ 4, 5, 6 ] [ 7, 8, 9 ] ] }
]
"#;

fn refused(text: &str) -> String {
    read(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_clip_comes_out_whole() {
    let Ok(AclFile::Clip(clip)) = read(CLIP.as_bytes()) else { panic!() };
    let joints = &clip.skeleton.joints;
    assert_eq!((joints[0].name.as_str(), joints[0].parent, joints[1].parent), ("hand", Some(1), None));
    assert_eq!(
        (joints[0].rest.scale, joints[1].rest.translation),
        (V3::new(2.0, 2.0, 2.0), V3::new(1.0, 2.0, 3.0))
    );
    let shells = clip.precision.unwrap();
    assert_eq!(shells[1], WantedPrecision { shell: 1.0, precision: 0.02 });
    let a = &clip.animation;
    assert_eq!((a.name.as_str(), a.duration_s), ("walk", 1.0 / 24.0));
    assert_eq!(a.tracks[0], RawTrack::default());
    assert_eq!(a.tracks[1].translation.keys[0].value, V3::new(1.0, 2.0, 0.0));
    assert_eq!(a.tracks[1].translation.keys[1].value, V3::new(4.0, 5.0, 6.0));
    assert_eq!(a.tracks[1].rotation.keys[1].value, Q4::new(0.0, 1.0, 0.0, 0.0));
}

#[test]
fn a_track_list_comes_out_whole() {
    let Ok(AclFile::Tracks { name, duration_s, tracks }) = read(TRACKS.as_bytes()) else { panic!() };
    assert_eq!((name.as_str(), duration_s, tracks.len()), ("list", 2.0 / 30.0, 2));
    assert_eq!((tracks[0].kind, tracks[0].sample(0.5)[0]), (TrackKind::Float, 2.5));
    assert_eq!((tracks[1].kind, tracks[1].keys[2].value), (TrackKind::Float3, [7.0, 8.0, 9.0, 0.0]));
}

#[test]
fn every_truncation_is_an_error_and_no_byte_can_do_harm() {
    for text in [CLIP, TRACKS] {
        for length in 0..text.trim_end().len() {
            assert!(read(&text.as_bytes()[..length]).is_err(), "{length}");
        }
        let mut bytes = text.as_bytes().to_vec();
        for at in 0..bytes.len() {
            let was = bytes[at];
            for other in 0..=255 {
                bytes[at] = other;
                let _ = read(&bytes);
            }
            bytes[at] = was;
        }
    }
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let with = |from: &str, to: &str| refused(&CLIP.replacen(from, to, 1));
    assert_eq!(
        refused("a = 1"),
        "line 1: this is not an ACL file (it has a version, and a clip or a track_list)"
    );
    assert_eq!(
        with("version = 2", "version = 9"),
        "line 2: an ACL file has version 9, but only 1 to 5 can be read"
    );
    assert_eq!(with("num_samples = 2", "num_samples = 3"), "line 11: 2 samples where num_samples is 3");
    assert_eq!(with("sample_rate = 24", "sample_rate = 0"), "line 3: sample_rate is 0; it must be above 0");
    assert_eq!(
        with("\"hand\"", "\"arm \\\"left\\\"\""),
        "line 7: there are two bones called \"arm \\\"left\\\"\""
    );
    assert_eq!(with("parent = \"arm", "parent = \"leg"), "line 6: there is no bone \"leg \\\"left\\\"\"");
    assert_eq!(
        with("vertex_distance = 3.0", "vertex_distance = -3.0"),
        "line 6: vertex_distance is -3; it must not be below 0"
    );
    assert_eq!(
        with("error_threshold = 0.02", "error_threshold = 0"),
        "line 4: error_threshold is 0; it must be above 0"
    );
    assert_eq!(with("[ 4, 5, 6 ]", "[ 4, 5 ]"), "line 12: 2 numbers where 3 should be");
    assert_eq!(with("[ 4, 5, 6 ]", "[ 4, 5, NaN ]"), "line 12: \"NaN\" is not a finite number");
    assert_eq!(
        refused(&format!("{CLIP}track_list = {{ }}")),
        "line 14: a file holds a clip or a track_list, not both"
    );
    let deep = format!("version = 1 a = {}", "[".repeat(1_000_000));
    assert_eq!(refused(&deep), "line 1: the depth of values is 33, but at most 32 is possible");
}
