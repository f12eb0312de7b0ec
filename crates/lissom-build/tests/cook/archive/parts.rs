//! Morph targets, markers, what belongs to whom, and one thing alone.

use super::payload;
use lissom::{
    Clip,
    archive::{AlignedBytes, ArchiveError, ArchiveView, Limits, SectionKind},
};
use lissom_build::{
    SkeletonBuilder,
    archive::{ArchiveWriteError, ArchiveWriter, Save, SceneWriter, settle_names},
    cook::ClipBuilder,
    import::{ImportError, ImportLimits, ReadOptions, lsm},
    mannequin::{self, Detail, Motion},
    mesh::{RawMesh, model_matrices},
    raw::{RawUserTrack, TrackKind, UserKey},
    scene::{Marker, Morph, Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};

fn marker(name: &str, time_s: f64) -> Marker {
    Marker { name: name.into(), time_s, duration_s: time_s * 0.5 }
}

fn read_back(writer: &ArchiveWriter) -> AlignedBytes {
    AlignedBytes::copy_of(&writer.finish().unwrap())
}

fn scene() -> Scene {
    let mesh = mannequin::mesh(&Detail { body_m: 0.04, hand_m: 0.012 }).unwrap();
    let vertices = mesh.positions.len();
    let mut smile = Morph { name: "smile".into(), weight: 0.25, ..Default::default() };
    smile.positions = vec![[0.0; 3]; vertices];
    smile.positions[7] = [0.5, 0.0, -0.25];
    smile.normals = vec![[0.0; 3]; vertices];
    smile.normals[9] = [0.0, 1.0, 0.0];
    let key = |ratio: f64, v: f64| UserKey { ratio, value: [v, 0.0, 0.0, 0.0], step: false };
    let weight = RawUserTrack {
        name: format!("morph/{}/smile", mesh.name),
        kind: TrackKind::Float,
        keys: vec![key(0.0, 0.0), key(0.5, 1.0)],
    };
    Scene {
        name: "test".into(),
        skeletons: vec![SceneSkeleton {
            name: "body".into(),
            skeleton: mannequin::skeleton(),
            ..Default::default()
        }],
        animations: vec![SceneAnimation {
            skeleton: Some(0),
            motion: mannequin::clip(Motion::Walk),
            tracks: vec![weight.clone()],
            markers: vec![marker("left", 0.25), marker("right", 0.75), marker("again", 0.75)],
            ..Default::default()
        }],
        meshes: vec![SceneMesh { skeleton: 0, mesh, morphs: vec![smile], ..Default::default() }],
        tracks: vec![RawUserTrack { name: "light".into(), ..weight }],
        ..Default::default()
    }
}

/// A kind that this version does not know.
const LATER: SectionKind = SectionKind::Other(u32::from_le_bytes(*b"NEXT"));

fn written(scene: &Scene) -> AlignedBytes {
    let built = SkeletonBuilder::build(&scene.skeletons[0].skeleton).unwrap();
    let cook = ClipBuilder { effort: lissom_build::cook::Effort::Fast, ..Default::default() };
    let clips = scene.animations.iter().map(|a| cook.build(&built, &a.motion).unwrap().bytes).collect();
    let mut writer = SceneWriter::new();
    writer.add("stem", scene, &[built], clips).unwrap();
    writer.carry(LATER, 7, 3, "what", b"anything").unwrap();
    read_back(&writer.finish())
}

#[test]
fn a_scene_makes_the_round_trip() {
    let scene = scene();
    let bytes = written(&scene);
    let back = lsm::read(&bytes, &ImportLimits::default()).unwrap();
    assert_eq!((back.skeletons[0].name.as_str(), back.skeletons.len()), ("body", 1));
    assert_eq!(back.tracks, scene.tracks);
    assert_eq!(back.meshes[0].morphs, scene.meshes[0].morphs);
    assert_eq!(back.meshes[0].mesh.positions, scene.meshes[0].mesh.positions);
    let (was, is) = (&scene.animations[0], &back.animations[0]);
    assert_eq!((&is.tracks, &is.markers, &is.motion.name), (&was.tracks, &was.markers, &was.motion.name));
    assert_eq!((is.motion.duration_s, is.motion.looping), (was.motion.duration_s, was.motion.looping));
    is.motion.validate(back.skeletons[0].skeleton.joints.len()).unwrap();

    // The keys that came out of the clip play as the source does, within its precision and a little.
    let (s, t) = (&scene.skeletons[0].skeleton, &back.skeletons[0].skeleton);
    let name_at = |name: &str| t.joints.iter().position(|j| j.name == name).unwrap();
    for step in 0..50 {
        let time_s = was.motion.duration_s * f64::from(step) / 49.0;
        let a = model_matrices(s, &was.motion.pose(s, time_s));
        let b = model_matrices(t, &is.motion.pose(t, time_s));
        for (joint, m) in a.iter().enumerate() {
            let other = &b[name_at(&s.joints[joint].name)];
            for axis in [lissom_build::exact::V3::X, lissom_build::exact::V3::Y, lissom_build::exact::V3::Z] {
                let distance = (m.mul_point(axis * 0.03) - other.mul_point(axis * 0.03)).length();
                assert!(distance < 1.3e-4, "{distance} at {time_s}");
            }
        }
    }
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    let later = archive.find(LATER, "what").unwrap();
    assert_eq!((later.version, later.flags, later.payload), (7, 3, &b"anything"[..]));
    // A graph of a later version is left out, and told.
    let mut writer = SceneWriter::new();
    writer.carry(SectionKind::Graph, 7, 0, "hero", b"anything").unwrap();
    let back = lsm::read(&read_back(&writer.finish()), &ImportLimits::default()).unwrap();
    let told: Vec<String> = back.warnings.iter().map(ToString::to_string).collect();
    assert!(told.len() == 1 && told[0].contains("version 7"), "{told:?}");
    let view = archive.first(SectionKind::Mesh).and_then(|s| s.mesh()).unwrap();
    let skeleton = archive.first(SectionKind::Skeleton).unwrap().skeleton(&Limits::default()).unwrap();
    assert_eq!(view.skeleton_identity, skeleton.identity());
    assert!(archive.skeleton_of(1, &Limits::default()).is_err());
    assert_eq!(archive.morphs("mannequin").unwrap().len() + archive.morphs("nobody").unwrap().len(), 1);
}

#[test]
fn an_archive_that_takes_too_much_memory_is_refused_for_that_and_nothing_else() {
    let whole = scene();
    let meshes_alone = Scene { animations: Vec::new(), tracks: Vec::new(), ..whole.clone() };
    for (scene, expected) in [(whole, "clip \"walk\""), (meshes_alone, "morph target \"smile\" of mesh")] {
        let bytes = written(&scene);
        let mut places = Vec::new();
        for memory in (0..).map(|i| i << 14) {
            let mut limits = ImportLimits::default();
            (limits.memory_factor, limits.memory_extra) = (0, memory);
            let strict = ReadOptions { limits, strict: true, ..ReadOptions::default() };
            match lsm::read_with(&bytes, &strict, lsm::Clips::Keys) {
                Ok(_) => break,
                Err(ImportError::Limit { place, what, found, allowed }) => {
                    assert!(found > allowed && what.contains("memory"), "{what}: {found}, {allowed}");
                    places.push(place.to_string());
                }
                Err(other) => panic!("{memory} bytes: {other}"),
            }
        }
        assert!(places.iter().any(|p| p.starts_with(expected)), "{expected} is missing from {places:?}");
    }
}

#[test]
fn names_that_collide_get_a_suffix_and_weights_follow_their_mesh() {
    let mut two = [scene(), scene()];
    settle_names(two.iter_mut().map(|s| ("file", s)));
    let [first, second] = &two;
    assert!(first.warnings.is_empty());
    assert_eq!(second.animations[0].motion.name, "walk_2");
    assert_eq!(second.meshes[0].mesh.name, "mannequin_2");
    assert_eq!(second.animations[0].tracks[0].name, "morph/mannequin_2/smile");
    assert_eq!(second.tracks[0].name, "light_2");
    assert_eq!(second.warnings.len(), 3, "{:?}", second.warnings);
    let built = SkeletonBuilder::build(&first.skeletons[0].skeleton).unwrap();
    let mut writer = SceneWriter::new();
    for scene in &two {
        let clips = scene.animations.iter().map(|_| vec![0; 8]).collect();
        writer.add("file", scene, std::slice::from_ref(&built), clips).unwrap();
    }
    let bytes = read_back(&writer.finish());
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    let skeletons = archive.sections().iter().filter(|s| s.kind == SectionKind::Skeleton);
    assert_eq!(skeletons.count(), 1, "equal skeletons stand once");
}

#[test]
fn an_owner_is_the_longest_name_that_fits() {
    let clips = ["a", "a/b", "ab"];
    let mut writer = ArchiveWriter::new();
    for clip in clips {
        writer = writer.clip(1, clip, vec![0; 4]).unwrap();
    }
    let bytes = read_back(&writer);
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    let owner = |name| archive.owner(SectionKind::Clip, name);
    assert_eq!(owner("a/x"), Some(("a", "x")));
    assert_eq!(owner("a/b/x/y"), Some(("a/b", "x/y")));
    assert_eq!(owner("ab/"), Some(("ab", "")));
    assert_eq!(owner("b/x"), None);
    assert_eq!(archive.owner(SectionKind::Mesh, "a/x"), None);
}

#[test]
fn everything_alone_is_saved_and_loaded() {
    let scene = scene();
    let limits = Limits::default();
    let built = SkeletonBuilder::build(&scene.skeletons[0].skeleton).unwrap();
    let mut file = Vec::new();
    scene.tracks[0].save(&mut file).unwrap();
    assert_eq!(RawUserTrack::load(&mut file.as_slice(), &limits).unwrap(), scene.tracks[0]);
    file.clear();
    (&scene.meshes[0].mesh, &built).save(&mut file).unwrap();
    let mesh = RawMesh::load(&mut file.as_slice(), &limits).unwrap();
    assert_eq!((mesh.positions.len(), mesh.name), (scene.meshes[0].mesh.positions.len(), "mannequin".into()));
    let cook = ClipBuilder { effort: lissom_build::cook::Effort::Fast, ..Default::default() };
    let cooked = cook.build(&built, &scene.animations[0].motion).unwrap();
    file.clear();
    Clip::from_bytes(&cooked.bytes).unwrap().save(&mut file).unwrap();
    assert_eq!(Clip::load(&mut file.as_slice(), &limits).unwrap().as_bytes(), cooked.bytes);
    let missing = Clip::load(&mut Vec::from(*b"").as_slice(), &limits).unwrap_err();
    assert_eq!(missing, ArchiveError::NotAnArchive);
}

#[test]
fn markers_and_morphs_that_make_no_sense_are_refused() {
    let write = |markers: &[Marker]| ArchiveWriter::new().markers("walk", markers).map(drop);
    assert!(write(&[marker("a", 0.0), marker("b", 0.0)]).is_ok());
    for bad in [&[marker("", 0.0)][..], &[marker("a", f64::NAN)], &[marker("a", 1.0), marker("b", 0.5)]] {
        assert!(matches!(write(bad), Err(ArchiveWriteError::Marker { .. })));
    }
    let scene = scene();
    let (mesh, good) = (&scene.meshes[0].mesh, &scene.meshes[0].morphs[0]);
    let write = |change: fn(&mut Morph)| {
        let mut morph = good.clone();
        change(&mut morph);
        ArchiveWriter::new().morph(mesh, &morph).map(drop)
    };
    assert!(write(|_| {}).is_ok());
    for change in [
        (|m| m.positions.truncate(3)) as fn(&mut Morph),
        |m| m.normals.truncate(3),
        |m| m.positions[0][1] = f32::NAN,
        |m| m.weight = f64::INFINITY,
    ] {
        assert!(matches!(write(change), Err(ArchiveWriteError::Morph { .. })));
    }
}

#[test]
fn markers_of_version_1_are_read_and_do_not_last() {
    let markers = &scene().animations[0].markers;
    let mut payload = payload(|w| w.markers("walk", markers));
    // Version 1 is version 2 without the durations.
    payload.drain(8 + 8 * markers.len()..8 + 16 * markers.len());
    let write = |version| {
        let writer = ArchiveWriter::new().section(SectionKind::Markers, version, 0, "walk", payload.clone());
        read_back(&writer.unwrap())
    };
    let bytes = write(1);
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    let read: Vec<_> = archive.markers("walk").unwrap().iter().collect();
    let times: Vec<_> = read.iter().map(|m| (m.name, m.time_s, m.duration_s)).collect();
    let wanted: Vec<_> = markers.iter().map(|m| (m.name.as_str(), m.time_s, 0.0)).collect();
    assert_eq!(times, wanted);
    let bytes = write(3);
    let refused = ArchiveView::read(&bytes, &Limits::default()).unwrap().markers("walk");
    assert!(matches!(refused, Err(ArchiveError::Version { found: 3, .. })));
}

#[test]
fn no_changed_byte_of_markers_or_morphs_does_harm() {
    let scene = scene();
    let mut small = scene.meshes[0].morphs[0].clone();
    small.positions.truncate(12);
    small.normals.truncate(12);
    let twelve = RawMesh { name: "x".into(), positions: vec![[0.0; 3]; 12], ..RawMesh::default() };
    let payloads = [
        (SectionKind::Markers, 2, payload(|w| w.markers("x", &scene.animations[0].markers))),
        (SectionKind::Morph, 1, payload(|w| w.morph(&twelve, &small))),
    ];
    for (kind, version, payload) in payloads {
        let read = |payload: &[u8]| {
            let writer = ArchiveWriter::new().section(kind, version, 0, "x", payload.to_vec()).unwrap();
            let bytes = read_back(&writer);
            let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
            let section = archive.sections()[0];
            if kind == SectionKind::Markers {
                section.markers().map(|m| drop(m.iter().collect::<Vec<_>>()))
            } else {
                section.morph().map(drop)
            }
        };
        assert_eq!(read(&payload), Ok(()));
        for length in 0..payload.len() {
            assert!(read(&payload[..length]).is_err(), "{kind:?} {length}");
        }
        let mut changed = payload;
        for at in 0..changed.len() {
            let was = changed[at];
            for other in [0, 1, 0x7f, 0x80, 0xff, was ^ 1] {
                changed[at] = other;
                let _ = read(&changed);
            }
            changed[at] = was;
        }
    }
}
