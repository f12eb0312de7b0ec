//! Any file as a scene: what it is, what it is called, how large it is, and what is wrong with it.

use lissom_build::{
    SkeletonBuilder,
    exact::V3,
    import::{
        self, Axis, Format, ImportOptions, OpenError, Unit, ozz,
        rawclip::{RawClip, WantedPrecision},
    },
    raw::{RawAnimation, RawJoint, RawSkeleton, RawTrack},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

const BVH: &str = "HIERARCHY
ROOT hips { OFFSET 0 0 1 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT head { OFFSET 0 0 2 CHANNELS 3 Zrotation Xrotation Yrotation End Site { OFFSET 0 0 1 } } }
MOTION Frames: 2 Frame Time: 0.5
0 0 1 0 0 0 0 0 0
0 1 1 0 0 0 90 0 0
";
const ACL: &str = "version = 2
clip = { num_samples = 2 sample_rate = 24 }
bones = [ { name = \"hips\" parent = \"\" vertex_distance = 3 bind_translation = [ 0, 100, 0 ] } ]
tracks = [ { name = \"hips\" translations = [ [ 0, 100, 0 ] [ 0, 50, 0 ] ] } ]
";

fn file(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("open");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn opened(path: &Path, options: &ImportOptions) -> lissom_build::scene::Scene {
    import::open(path, options).unwrap()
}

fn refused(path: &Path, options: &ImportOptions) -> String {
    import::open(path, options).unwrap_err().to_string()
}

#[test]
fn a_file_is_known_by_its_bytes_whatever_it_is_called() {
    let path = file("walk.glb", BVH);
    let scene = opened(&path, &ImportOptions::default());
    assert_eq!((scene.skeletons.len(), scene.animations.len()), (1, 1));
    assert_eq!(scene.animations[0].motion.name, "walk");
    for (bytes, format) in [
        (&b"glTF\x02"[..], Some(Format::Gltf)),
        (b"\xef\xbb\xbf { }", Some(Format::Gltf)),
        (b"\x00ozz-x", Some(Format::Ozz)),
        (b"Kaydara FBX Binary  \0", Some(Format::Fbx)),
        (b"; FBX 7.4.0 project file", Some(Format::Fbx)),
        (b" \n hierarchy", Some(Format::Bvh)),
        (b"RCL1", Some(Format::RawClip)),
        (b"LSM1", Some(Format::Lsm)),
        (b"version = 1", None),
        (b"", None),
    ] {
        assert_eq!(Format::of_bytes(bytes), format, "{}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(Format::of_path(Path::new("a/B.ACL.SJSON")), Some(Format::Acl));
}

#[test]
fn lengths_are_metres_and_up_is_y() {
    let acl = file("run.acl.sjson", ACL);
    let scene = opened(&acl, &ImportOptions::default());
    assert_eq!(scene.skeletons[0].skeleton.joints[0].rest.translation, V3::new(0.0, 1.0, 0.0));
    assert_eq!(scene.animations[0].motion.tracks[0].translation.keys[1].value.y, 0.5);
    assert_eq!(scene.animations[0].motion.name, "run");

    let bvh = file("up.bvh", BVH);
    let options = ImportOptions { up: Some(Axis::Z), unit: Unit::Metres(0.5), ..Default::default() };
    let scene = opened(&bvh, &options);
    assert!((scene.height().unwrap() - 1.0).abs() < 1e-12);
    let hips = scene.animations[0].motion.tracks[0].translation.keys[1].value;
    assert!((hips - V3::new(0.0, 0.5, -0.5)).length() < 1e-12, "{hips:?}");
}

#[test]
fn a_rate_resamples_every_motion() {
    let path = file("rate.bvh", BVH);
    let scene = opened(&path, &ImportOptions { rate_hz: Some(10.0), ..Default::default() });
    assert_eq!(scene.animations[0].motion.tracks[0].rotation.keys.len(), 6);
}

#[test]
fn a_motion_takes_the_skeleton_of_another_file_by_name() {
    let body = BVH
        .replace("JOINT head", "JOINT neck { OFFSET 0 0 0 CHANNELS 0 } JOINT head")
        .replace("Frames: 2", "Frames: 0");
    let body = body.split_inclusive("Frame Time: 0.5").next().unwrap().to_owned();
    let (motion, body) = (file("motion.bvh", BVH), file("body.bvh", body));
    let options = ImportOptions { skeleton: Some(body), ..Default::default() };
    let scene = opened(&motion, &options);
    let names: Vec<_> = scene.skeletons[0].skeleton.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["hips", "neck", "head"]);
    let keys: Vec<_> = scene.animations[0].motion.tracks.iter().map(|t| t.rotation.keys.len()).collect();
    assert_eq!(keys, [2, 0, 2]);
    assert!(scene.warnings.iter().any(|w| w.text.contains("neck")), "{:?}", scene.warnings);

    let stranger = file("stranger.acl.sjson", ACL.replace("hips", "wheel"));
    assert!(refused(&stranger, &options).contains("not one of its 1 joints is in the skeleton"));
    let none =
        file("none.acl.sjson", "version = 4 track_list = { num_samples = 1 sample_rate = 1 } tracks = [ ]");
    let options = ImportOptions { skeleton: Some(none), ..Default::default() };
    assert!(refused(&motion, &options).ends_with("none.acl.sjson: there is no skeleton in this file"));
}

#[test]
fn an_ozz_mesh_without_its_skeleton_keeps_its_bind_pose() {
    let joint = |x: f64| lissom_build::exact::Trs::from_translation(V3::new(x, 0.0, 0.0)).to_m34();
    let mesh = ozz::OzzMesh {
        parts: vec![ozz::OzzMeshPart {
            positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            influences: 2,
            joint_indices: vec![0, 1, 0, 1, 0, 1],
            joint_weights: vec![0.25, 1.0, 0.5],
            ..Default::default()
        }],
        triangles: vec![0, 1, 2],
        joints: vec![3, 1],
        inverse_binds: vec![joint(-3.0), joint(-1.0)],
    };
    let archive = ozz::OzzArchive { big_endian: false, objects: vec![ozz::OzzObject::Mesh(mesh.clone())] };
    let scene = archive.into_scene();
    assert_eq!(scene.skeletons[0].skeleton.joints[3].rest.translation.x, 3.0);
    let raw = &scene.meshes[0].mesh;
    assert_eq!(raw.influences.of(0).collect::<Vec<_>>(), [(1, 0.75), (3, 0.25)], "the strongest first");
    assert_eq!(raw.normals, [[0.0, 0.0, 1.0]; 3]);
    assert_eq!(scene.warnings.len(), 1, "{:?}", scene.warnings);

    // With its skeleton in the same file it is bound to that.
    let joints = (0..4).map(|j: usize| RawJoint {
        name: j.to_string(),
        parent: j.checked_sub(1),
        ..Default::default()
    });
    let skeleton = ozz::OzzObject::Skeleton(RawSkeleton { joints: joints.collect() });
    let archive = ozz::OzzArchive { big_endian: false, objects: vec![skeleton, ozz::OzzObject::Mesh(mesh)] };
    let scene = archive.into_scene();
    assert_eq!(
        (scene.skeletons.len(), scene.meshes[0].skeleton, scene.meshes[0].mesh.inverse_binds.len()),
        (1, 0, 4)
    );
}

#[test]
fn what_cannot_be_opened_is_named() {
    let options = ImportOptions::default();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    assert!(refused(&folder, &options).ends_with("this is a folder, not a file"));
    assert!(refused(&file("empty.glb", ""), &options).ends_with("empty.glb: the file is empty"));
    assert!(refused(&folder.join("nobody.glb"), &options).contains("nobody.glb: No such file"));
    let unknown = refused(&file("unknown.txt", "text"), &options);
    assert!(unknown.contains("unknown.txt: byte 0: neither the first bytes nor the name"), "{unknown}");
    let broken = refused(&file("broken.bvh", "HIERARCHY\nROOT"), &options);
    assert!(broken.contains("broken.bvh: line 2: "), "{broken}");
    let wrong = file("wrong.bvh", "something else");
    assert!(refused(&wrong, &options).contains("wrong.bvh: line 1: this is not a BVH file"));
    let mut limits = import::ImportLimits::default();
    limits.max_bytes = 3;
    let small = ImportOptions { limits, ..Default::default() };
    assert!(refused(&wrong, &small).ends_with("the file has more than 3 bytes"));
    for (options, text) in [
        (ImportOptions { unit: Unit::Metres(0.0), ..Default::default() }, "the unit is 0 m"),
        (ImportOptions { rate_hz: Some(f64::NAN), ..Default::default() }, "the rate is NaN Hz"),
        (ImportOptions { forward: Some(Axis::MinusY), ..Default::default() }, "they must be at right angles"),
    ] {
        let error = import::open(&wrong, &options).unwrap_err();
        assert!(matches!(error, OpenError::Option(_)) && error.to_string().contains(text), "{error}");
    }
}

#[test]
fn what_a_file_says_of_its_precision_reaches_the_cooker_in_metres() {
    // Stored child first: the cooker counts joints depth-first.
    let bones = "bones = [ { name = \"hand\" parent = \"hips\" vertex_distance = 0 }
        { name = \"hips\" parent = \"\" vertex_distance = 3 } ]";
    let start = ACL.find("bones").unwrap();
    let end = ACL.find("tracks").unwrap();
    let text = format!("{}settings = {{ error_threshold = 0.5 }}\n{bones}\n{}", &ACL[..start], &ACL[end..]);
    let scene = opened(&file("fine.acl.sjson", text), &ImportOptions::default());
    let built = SkeletonBuilder::build(&scene.skeletons[0].skeleton).unwrap();
    let close = |a: Option<f64>, b: f64| a.is_some_and(|a| (a - b).abs() < 1e-12);
    let joints = scene.animations[0].joint_precision(&built);
    assert_eq!(joints.iter().map(|j| j.joint).collect::<Vec<_>>(), [1, 0]);
    assert!(joints.iter().all(|j| close(j.precision, 0.005)), "{joints:?}");
    assert!(joints[0].shell.is_none() && close(joints[1].shell, 0.03), "{joints:?}");

    let mut clip = RawClip { rate_hz: 30.0, ..Default::default() };
    clip.skeleton.joints.push(RawJoint { name: "0".into(), ..Default::default() });
    clip.animation =
        RawAnimation { duration_s: 1.0 / 30.0, tracks: vec![RawTrack::default()], ..Default::default() };
    for precision in [None, Some(vec![WantedPrecision { shell: 4.0, precision: 0.25 }])] {
        clip.precision = precision.clone();
        let path = file("fine.rawclip", clip.write().unwrap());
        let options = ImportOptions { unit: Unit::Metres(2.0), ..Default::default() };
        let found = opened(&path, &options).animations.remove(0).precision;
        let wanted = precision.map_or(vec![], |_| vec![WantedPrecision { shell: 8.0, precision: 0.5 }]);
        assert_eq!(found, wanted);
    }
}
