//! The archive that owns its bytes.

use lissom::{
    Clip,
    archive::{AlignedBytes, Archive, ArchiveError, SectionKind},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::ArchiveWriter,
    cook::ClipBuilder,
    mannequin::{self, Detail, Motion},
    raw::{RawUserTrack, TrackKind, UserKey},
    scene::Marker,
};
use std::{fs, thread};

fn written(built: &BuiltSkeleton) -> Vec<u8> {
    let walk = ClipBuilder::default().build(built, &mannequin::clip(Motion::Walk)).unwrap().bytes;
    let key = |ratio, x| UserKey { ratio, value: [x, 0.0, 0.0, 0.0], step: false };
    let track = RawUserTrack {
        name: "walk/speed".into(),
        kind: TrackKind::Float,
        keys: vec![key(0.0, 1.0), key(1.0, 3.0)],
    };
    let markers = [Marker { name: "left".into(), time_s: 0.1, duration_s: 0.2 }];
    let mut mesh = mannequin::mesh(&Detail::default()).unwrap();
    mesh.name = "body".into();
    let writer = ArchiveWriter::new()
        .skeleton("mannequin", &built.skeleton)
        .and_then(|w| w.mesh(&mesh, built))
        .and_then(|w| w.clip(u16::from(walk[4]), "walk", walk))
        .and_then(|w| w.track(&track))
        .and_then(|w| w.markers("walk", &markers));
    writer.unwrap().finish().unwrap()
}

#[test]
fn what_is_taken_from_an_archive_outlives_it_and_crosses_threads() {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let bytes = written(&built);
    let archive = Archive::new(AlignedBytes::copy_of(&bytes)).unwrap();
    let clip = archive.clip("walk").unwrap();
    let (mesh, track, markers) = (
        archive.mesh("body").unwrap(),
        archive.track("walk/speed").unwrap(),
        archive.markers("walk").unwrap(),
    );
    let skeleton = archive.skeleton_of(&clip).unwrap();
    assert_eq!(skeleton.identity(), archive.skeleton_of(&mesh).unwrap().identity());
    assert_eq!(skeleton.identity(), archive.skeleton("mannequin").unwrap().identity());
    let start = archive.bytes().as_ptr().addr();
    drop(archive);
    thread::spawn(move || {
        let at = clip.as_bytes().as_ptr().addr();
        assert!(at > start && at < start + bytes.len(), "the clip is played where it stands");
        assert_eq!(clip.view().name(), "walk");
        assert!(mesh.view().positions.len() > 1000);
        assert_eq!(track.view().sample(0.5).as_float(), Some(2.0));
        assert_eq!(markers.view().get(0).unwrap().name, "left");
    })
    .join()
    .unwrap();
}

#[test]
fn a_wrong_name_lists_what_there_is() {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let archive = Archive::read(&written(&built)).unwrap();
    let error = archive.clip("wlak").unwrap_err();
    assert_eq!(error.to_string(), r#"there is no Clip section called "wlak"; there are "walk""#);
    assert!(archive.markers("run").is_err() && archive.morph("body/smile").is_err());
    assert_eq!(archive.names(SectionKind::Clip).collect::<Vec<_>>(), ["walk"]);
    assert_eq!(archive.owner(SectionKind::Clip, "walk/speed"), Some(("walk", "speed")));

    // However many there are, and however long their names: a line.
    let mut writer = ArchiveWriter::new();
    for i in 0..500 {
        writer = writer.skeleton(&format!("{i}{}", "ö".repeat(1000)), &built.skeleton).unwrap();
    }
    let many = Archive::read(&writer.finish().unwrap()).unwrap();
    let text = many.skeleton(&"x".repeat(100_000)).unwrap_err().to_string();
    assert!(text.len() < 2000 && text.ends_with("and 488 more"), "{text}");
}

#[test]
fn one_section_that_cannot_be_read_does_not_spoil_the_others() {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let writer = ArchiveWriter::new()
        .skeleton("body", &built.skeleton)
        .and_then(|w| w.section(SectionKind::Mesh, 77, 0, "from the future", vec![1, 2, 3]));
    let archive = Archive::read(&writer.unwrap().finish().unwrap()).unwrap();
    assert!(archive.skeleton("body").is_ok());
    let refused = archive.mesh("from the future").unwrap_err();
    assert!(matches!(refused, ArchiveError::Version { found: 77, .. }), "{refused}");
    assert_eq!(archive.meshes().count(), 1, "the list has it too, with what is wrong");
}

#[test]
fn files_bytes_and_constants_open_alike() {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let bytes = written(&built);
    let path = std::env::temp_dir().join(format!("lissom-archive-{}.lsm", std::process::id()));
    fs::write(&path, &bytes).unwrap();
    let opened = Archive::open(&path).unwrap();
    let (a, b): (Clip, Clip) =
        (opened.clip("walk").unwrap(), Archive::read(&bytes).unwrap().clip("walk").unwrap());
    assert_eq!(a.as_bytes(), b.as_bytes());

    let mut longer = bytes.clone();
    longer.push(0);
    fs::write(&path, &longer).unwrap();
    assert!(matches!(Archive::open(&path), Err(ArchiveError::Format { .. })));
    assert!(matches!(Archive::read(&longer), Err(ArchiveError::Format { .. })));
    fs::remove_file(&path).unwrap();
    let error = Archive::open(&path).unwrap_err();
    assert!(matches!(error, ArchiveError::Io { kind: std::io::ErrorKind::NotFound, .. }));
    assert!(error.to_string().contains("lissom-archive-"), "{error}");

    // Bytes that start at an odd address cannot be used in place.
    let mut odd = vec![0; 1];
    odd.extend_from_slice(&bytes);
    struct Shifted(Vec<u8>);
    impl AsRef<[u8]> for Shifted {
        fn as_ref(&self) -> &[u8] {
            &self.0[1..]
        }
    }
    assert!(matches!(Archive::new(Shifted(odd)), Err(ArchiveError::Alignment { needed: 4, .. })));
}
