//! Our own archives, read again: clips become keys, and what cannot be read is left out and told.

use lissom::{
    Clip, Cursor,
    archive::SectionKind,
    job::{SampleJob, SampleTime},
    math::soa,
};
use lissom_build::{
    SkeletonBuilder,
    archive::{ArchiveWriter, clip_version},
    cook::{ClipBuilder, Form},
    exact::{Trs, larger},
    import::{
        ImportLimits, ReadOptions,
        lsm::{Clips, read, read_with},
    },
    mannequin::{self, Motion},
    raw::{Curve, RawAnimation, RawJoint, RawSkeleton, RawTrack},
};

#[test]
fn a_clip_that_cannot_be_read_does_not_keep_the_others_out() {
    let own = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let other = RawSkeleton { joints: vec![RawJoint { name: "box".into(), ..Default::default() }] };
    let other = SkeletonBuilder::build(&other).unwrap();
    let still = RawAnimation { duration_s: 1.0, tracks: vec![RawTrack::default()], ..Default::default() };
    let cook = |built, motion: &RawAnimation| ClipBuilder::default().build(built, motion).unwrap().bytes;
    let walk = cook(&own, &mannequin::clip(Motion::Walk));
    let lost = cook(&other, &still);
    let archive = ArchiveWriter::new().skeleton("body", &own.skeleton).unwrap();
    let version = |bytes: &[u8]| u16::from_le_bytes([bytes[4], bytes[5]]);
    let archive = archive.section(SectionKind::Clip, version(&lost), 0, "lost", lost).unwrap();
    let archive = archive.section(SectionKind::Clip, version(&walk), 0, "walk", walk).unwrap();
    let bytes = archive.finish().unwrap();

    let scene = read(&bytes, &ImportLimits::default()).unwrap();
    let names: Vec<_> = scene.animations.iter().map(|a| a.motion.name.as_str()).collect();
    assert_eq!(names, ["walk"]);
    let warning = scene.warnings[0].to_string();
    assert!(warning.starts_with("clip \"lost\": it was left out: its skeleton"), "{warning}");
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let refused = read_with(&bytes, &strict, Clips::Keys).unwrap_err();
    assert!(refused.to_string().starts_with("clip \"lost\": its skeleton"), "{refused}");

    // Names need no keys, and so no memory for them.
    let mut tight = ImportLimits::default();
    (tight.memory_factor, tight.memory_extra) = (1, 100);
    let scene = read(&bytes, &tight).unwrap();
    assert!(scene.animations.is_empty() && scene.warnings[1].to_string().contains("memory"), "{scene:?}");
    let tight = ReadOptions { limits: tight, ..ReadOptions::default() };
    let named = read_with(&bytes, &tight, Clips::Names).unwrap();
    let motion = &named.animations[0].motion;
    assert_eq!((motion.name.as_str(), motion.looping, motion.tracks.len()), ("walk", true, 0));
}

/// Keys of the clip, played as authored, and the clip played as cooked: the largest difference of a local part.
fn apart(form: Form, motion: Motion, change: impl Fn(&mut RawAnimation)) -> (f64, RawAnimation, usize) {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let mut source = mannequin::clip(motion);
    change(&mut source);
    let cooked = ClipBuilder { form, ..ClipBuilder::default() }.build(&built, &source).unwrap();
    let clip = Clip::from_bytes(&cooked.bytes).unwrap();
    let archive = ArchiveWriter::new()
        .skeleton("body", &built.skeleton)
        .and_then(|w| w.clip(clip_version(&cooked.bytes), "clip", cooked.bytes.clone()))
        .and_then(|w| w.finish());
    let scene = read(&archive.unwrap(), &ImportLimits::default()).unwrap();
    let raw = scene.animations[0].motion.clone();
    raw.validate(built.skeleton.joint_count()).unwrap();
    let rest: Vec<Trs> =
        (0..built.skeleton.joint_count()).map(|j| Trs::from_f32(built.skeleton.rest(j))).collect();
    let mut cursor = Cursor::new();
    let mut pose = built.skeleton.rest_pose().to_vec();
    let mut worst: f64 = 0.0;
    for step in 0..997 {
        let time_s = source.duration_s * f64::from(step) / 996.0;
        SampleJob::new(&built.skeleton, clip.view(), &mut cursor, &mut pose)
            .at(SampleTime::Clamped(time_s))
            .run()
            .unwrap();
        for (j, (track, rest)) in raw.tracks.iter().zip(&rest).enumerate() {
            let played = Trs::from_f32(soa::lane(&pose, j));
            let own = track.sample(time_s, *rest);
            let turn = own.rotation.near(played.rotation).plus(played.rotation.scaled(-1.0));
            for found in [
                own.translation.distance(played.translation),
                own.scale.distance(played.scale),
                turn.dot(turn).sqrt(),
            ] {
                worst = larger(found, worst);
            }
        }
    }
    let keys =
        raw.tracks.iter().map(|t| t.translation.keys.len() + t.rotation.keys.len() + t.scale.keys.len());
    let keys = keys.sum();
    assert!(keys as u64 <= clip.view().key_count() + 3 * raw.tracks.len() as u64, "{keys} keys");
    (worst, raw, keys)
}

#[test]
fn a_clip_taken_apart_is_the_same_motion_with_no_more_keys() {
    for form in [Form::Keys, Form::Rows] {
        for motion in [Motion::Walk, Motion::Run] {
            let (worst, ..) = apart(form, motion, |_| {});
            assert!(worst < 3e-6, "{form:?} {motion:?}: {worst}");
        }
    }
}

#[test]
fn steps_stay_steps() {
    let (_, raw, _) = apart(Form::Keys, Motion::Walk, |source| {
        source.looping = false;
        for track in &mut source.tracks {
            track.rotation.curve = Curve::Step;
            track.translation.curve = Curve::Step;
        }
    });
    let moving =
        raw.tracks.iter().flat_map(|t| [t.rotation.curve].into_iter().filter(|_| t.rotation.keys.len() > 1));
    assert!(moving.into_iter().all(|c| c == Curve::Step));
}
