//! A mix is its samples, blended: bit for bit.

use lissom::{
    Clip, Cursor, JointLod, JointMask,
    clip::DecodedClip,
    job::{BlendJob, BlendLayer, JobError, Mix, MixEntry, MixJob, MixScratch, SampleJob, SampleTime},
    math::{
        simd::Backend,
        soa::{self, Lanes, SoaTransform},
    },
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::{ClipBuilder, Form},
    exact::{Trs, V3},
    mannequin::{self, Motion},
    raw::{Channel, Curve, RawAnimation, RawJoint, RawTrack},
};
use lissom_testkit::{alloc::assert_no_alloc, compare::assert_same_pose, rng::Rng};
use std::thread;

struct Stage {
    built: BuiltSkeleton,
    clips: Vec<Clip>,
    /// [`MASKS`] of them.
    masks: Vec<Lanes>,
}

const MASKS: usize = 3;

impl Stage {
    fn new() -> Self {
        let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
        let cook = |(motion, form)| {
            let builder = ClipBuilder { form, ..ClipBuilder::default() };
            Clip::from_bytes(&builder.build(&built, &mannequin::clip(motion)).unwrap().bytes).unwrap()
        };
        let motions = [Motion::Walk, Motion::Run, Motion::Wave].map(|motion| (motion, Form::Auto));
        let clips = motions.into_iter().chain([(Motion::Jog, Form::Keys)]).map(cook).collect::<Vec<_>>();
        // A subtree, its soft complement, and numbers that count as 0.
        let skeleton = &built.skeleton;
        let spine = JointMask::none(skeleton).with_subtree(skeleton, "spine_01").unwrap();
        let mut rng = Rng::new(77);
        let wild: Vec<f32> = (0..skeleton.joint_count())
            .map(|_| [rng.range(0.0, 2.0), 0.0, -1.0, f32::NAN, 0.01][rng.below(5)])
            .collect();
        let masks = [spine.weights(1.0, 0.0), spine.weights(0.25, 1.0), soa::from_floats(&wild)].concat();
        Self { built, clips, masks }
    }

    fn pose(&self) -> Vec<SoaTransform> {
        self.built.skeleton.rest_pose().to_vec()
    }

    fn mixed(
        &self,
        mix: &Mix,
        scratch: &mut MixScratch,
        backend: Backend,
        lod: Option<&JointLod>,
    ) -> Vec<SoaTransform> {
        self.mixed_from(&[], mix, scratch, backend, lod)
    }

    /// The same where some clips are decoded.
    fn mixed_from(
        &self,
        decoded: &[Option<DecodedClip>],
        mix: &Mix,
        scratch: &mut MixScratch,
        backend: Backend,
        lod: Option<&JointLod>,
    ) -> Vec<SoaTransform> {
        let mut output = self.pose();
        let (skeleton, clips) = (&self.built.skeleton, &self.clips[..]);
        MixJob { skeleton, clips, decoded, masks: &self.masks, mix, lod, scratch, output: &mut output }
            .run_on(backend)
            .unwrap();
        output
    }

    /// One job after another, each with a cursor and a pose of its own.
    fn one_by_one(&self, mix: &Mix, backend: Backend, lod: Option<&JointLod>) -> Vec<SoaTransform> {
        let skeleton = &self.built.skeleton;
        let mut poses = Vec::new();
        for entry in mix.entries() {
            let (clip, time, mut cursor, mut output) =
                (self.clips[entry.clip].view(), entry.time, Cursor::new(), self.pose());
            let mut job = SampleJob { skeleton, clip, time, lod, cursor: &mut cursor, output: &mut output };
            job.run_on(backend).unwrap();
            poses.push(output);
        }
        let groups = skeleton.group_count();
        let (mut layers, mut additive) = (Vec::new(), Vec::new());
        for (entry, pose) in mix.entries().iter().zip(&poses) {
            let joint_weights = entry.mask.map(|mask| &self.masks[usize::from(mask) * groups..][..groups]);
            let layer = BlendLayer { weight: entry.weight, pose, joint_weights };
            if entry.additive { additive.push(layer) } else { layers.push(layer) }
        }
        let mut output = self.pose();
        BlendJob {
            layers: &layers,
            additive: &additive,
            threshold: mix.threshold(),
            rest: skeleton.rest_pose(),
            lod,
            output: &mut output,
        }
        .run_on(backend)
        .unwrap();
        output
    }
}

fn random_mix(rng: &mut Rng, clips: usize) -> Mix {
    let mut mix = Mix::EMPTY;
    for _ in 0..rng.below(6) {
        let time = f64::from(rng.range(-1.0, 3.0));
        let time = match rng.below(3) {
            0 => SampleTime::Clamped(time),
            1 => SampleTime::Wrapped(time),
            _ => SampleTime::Ratio(time),
        };
        // Some weigh nothing, some less than that.
        let weight = [rng.range(0.0, 1.0), 0.0, -0.5, 0.01][rng.below(4)];
        let mut entry = MixEntry::new(rng.below(clips), time, weight);
        if rng.one_in(2) {
            entry = entry.masked(rng.below(MASKS) as u16);
        }
        if rng.one_in(3) {
            entry = entry.added();
        }
        assert!(mix.push(entry));
    }
    if rng.one_in(3) { mix.with_threshold([0.001, 0.5, 1.0, 2.0][rng.below(4)]) } else { mix }
}

/// What random mixes must reach for the tests here to be worth anything.
#[test]
fn random_mixes_have_masks_additive_entries_and_both() {
    let mut rng = Rng::new(0);
    let mixes: Vec<Mix> = (0..40).map(|_| random_mix(&mut rng, 3)).collect();
    let entries = || mixes.iter().flat_map(|mix| mix.entries());
    assert!(entries().any(|e| e.mask.is_some() && !e.additive && e.weight > 0.0));
    assert!(entries().any(|e| e.mask.is_some() && e.additive && e.weight < 0.0));
    assert!(entries().any(|e| e.mask.is_none() && e.additive && e.weight > 0.0));
}

#[test]
fn a_mix_is_its_samples_blended_on_every_backend_and_thread() {
    const ROUNDS: usize = 96;
    let stage = Stage::new();
    let (joints, lod) = (stage.built.skeleton.joint_count(), JointLod::prefix(20));
    let lod_of = |round: usize| (round % 4 == 3).then_some(&lod);
    let mut rng = Rng::new(1);
    let mixes: Vec<Mix> = (0..ROUNDS).map(|_| random_mix(&mut rng, stage.clips.len())).collect();
    let wanted: Vec<_> = mixes
        .iter()
        .enumerate()
        .map(|(round, mix)| stage.one_by_one(mix, Backend::best(), lod_of(round)))
        .collect();
    for threads in [1, 2, 3, 8] {
        let (stage, mixes, wanted, lod_of) = (&stage, &mixes, &wanted, &lod_of);
        thread::scope(|scope| {
            for first in 0..threads {
                scope.spawn(move || {
                    // The same room over and over: what was played before must not show.
                    let mut scratch = MixScratch::with_room_for(&stage.built.skeleton, &stage.clips, 6);
                    for round in (first..ROUNDS).step_by(threads) {
                        for backend in Backend::all() {
                            let mixed = stage.mixed(&mixes[round], &mut scratch, backend, lod_of(round));
                            assert_same_pose(&format!("{:?}", mixes[round]), &mixed, &wanted[round], joints);
                        }
                    }
                });
            }
        });
    }
}

#[test]
fn a_scratch_for_a_larger_skeleton_serves_a_smaller_one() {
    let mut stage = Stage::new();
    // Cubic keys are played into the room, and added then.
    let keys = [(0.0, V3::new(0.0, 0.0, 0.0)), (0.3, V3::new(0.0, 0.2, 0.0)), (1.0, V3::new(0.2, 0.2, 0.2))];
    let track = RawTrack { translation: Channel::new(Curve::Hermite, keys), ..RawTrack::default() };
    let tracks = vec![track; stage.built.skeleton.joint_count()];
    let cubic = RawAnimation { duration_s: 1.0, tracks, ..RawAnimation::default() };
    let builder = ClipBuilder { form: Form::Keys, ..ClipBuilder::default() };
    stage.clips.push(Clip::from_bytes(&builder.build(&stage.built, &cubic).unwrap().bytes).unwrap());
    let mut larger = mannequin::skeleton();
    larger.joints.extend((0..40).map(|_| RawJoint { parent: Some(0), ..RawJoint::default() }));
    let larger = SkeletonBuilder::build(&larger).unwrap();
    let mut scratch = MixScratch::with_room_for(&larger.skeleton, &stage.clips, 6);
    let mut rng = Rng::new(3);
    for _ in 0..40 {
        let mix = random_mix(&mut rng, stage.clips.len());
        let wanted = stage.one_by_one(&mix, Backend::best(), None);
        let mixed = stage.mixed(&mix, &mut scratch, Backend::best(), None);
        assert_same_pose(&format!("{mix:?}"), &mixed, &wanted, stage.built.skeleton.joint_count());
    }
}

#[test]
fn a_mix_of_decoded_clips_has_the_bits_of_one_by_cursors() {
    let stage = Stage::new();
    let (joints, lod) = (stage.built.skeleton.joint_count(), JointLod::prefix(20));
    let of = |clip: usize| DecodedClip::new(stage.clips[clip].view(), &stage.built.skeleton);
    for clip in [0, 3] {
        let bytes = DecodedClip::bytes_of(stage.clips[clip].view());
        assert_eq!(of(clip).map(|clip| clip.memory_bytes()), bytes);
        assert!(bytes.is_some());
    }
    // All of them; some; and one that stands in another's place, which is not looked at.
    let lists = [vec![of(0), of(1), of(2), of(3)], vec![None, of(1)], vec![of(1), of(1), of(0), of(2)]];
    let mut rng = Rng::new(8);
    let mut scratch = MixScratch::with_room_for(&stage.built.skeleton, &stage.clips, 6);
    for round in 0..60 {
        let mix = random_mix(&mut rng, stage.clips.len());
        let lod = (round % 4 == 3).then_some(&lod);
        let wanted = stage.mixed(&mix, &mut scratch, Backend::best(), lod);
        for backend in Backend::all() {
            for decoded in &lists {
                let mixed = stage.mixed_from(decoded, &mix, &mut scratch, backend, lod);
                assert_same_pose(&format!("{mix:?}"), &mixed, &wanted, joints);
            }
        }
    }
    // Every row and the ends, where a loop closes too.
    for (clip, of) in stage.clips.iter().enumerate() {
        let rows = of.view().row_count();
        for row in 0..=rows {
            let time = SampleTime::Clamped(of.view().row_time_s(row) + f64::from(row % 3) * 0.004);
            let mut mix = Mix::EMPTY;
            assert!(mix.push(MixEntry::new(clip, time, 1.0)));
            let wanted = stage.mixed(&mix, &mut scratch, Backend::best(), None);
            let mixed = stage.mixed_from(&lists[0], &mix, &mut scratch, Backend::best(), None);
            assert_same_pose(&format!("{mix:?}"), &mixed, &wanted, joints);
        }
    }
}

/// What a player has nearly always. Its pose is written once, and must not show it.
#[test]
fn a_clip_alone_has_the_bits_of_its_blend() {
    let stage = Stage::new();
    let (joints, lod) = (stage.built.skeleton.joint_count(), JointLod::prefix(20));
    let mut scratch = MixScratch::with_room_for(&stage.built.skeleton, &stage.clips, 2);
    let mut rng = Rng::new(12);
    for round in 0..60 {
        let mut mix = Mix::EMPTY;
        let time = |rng: &mut Rng| SampleTime::Ratio(rng.unit_f64());
        // Entries that weigh nothing do not keep it company.
        assert!(mix.push(MixEntry::new(1, time(&mut rng), 0.0)));
        assert!(mix.push(MixEntry::new(round % 3, time(&mut rng), 1.0)));
        assert!(mix.push(MixEntry::new(2, time(&mut rng), -1.0)));
        let lod = (round % 2 == 1).then_some(&lod);
        let wanted = stage.one_by_one(&mix, Backend::best(), lod);
        for backend in Backend::all() {
            let mixed = stage.mixed(&mix, &mut scratch, backend, lod);
            assert_same_pose(&format!("{mix:?}"), &mixed, &wanted, joints);
        }
    }
}

#[test]
fn a_mix_that_makes_no_sense_is_refused_and_nothing_is_written() {
    let stage = Stage::new();
    let skeleton = &stage.built.skeleton;
    let now = SampleTime::Clamped(0.5);
    let of = |entries: &[MixEntry]| {
        let mut mix = Mix::EMPTY;
        entries.iter().for_each(|entry| assert!(mix.push(*entry)));
        mix
    };
    let run = |mix: &Mix, room: usize, groups: usize| {
        let mut scratch = MixScratch::with_room_for(skeleton, &stage.clips, room);
        let mut output = vec![SoaTransform::IDENTITY; groups];
        let job = &mut MixJob {
            skeleton,
            clips: &stage.clips,
            decoded: &[],
            masks: &stage.masks,
            mix,
            lod: None,
            scratch: &mut scratch,
            output: &mut output,
        };
        let result = job.run();
        assert!(result.is_ok() || output.iter().all(|group| *group == SoaTransform::IDENTITY));
        result
    };
    let groups = skeleton.group_count();
    let walk = MixEntry::new(0, now, 1.0);
    assert_eq!(run(&of(&[walk]), 1, groups), Ok(()));
    assert_eq!(run(&Mix::EMPTY, 0, groups), Ok(()));
    assert!(matches!(
        run(&of(&[MixEntry::new(4, now, 1.0)]), 1, groups),
        Err(JobError::NoSuchClip { clip: 4, clips: 4, .. })
    ));
    for bad in [MixEntry::new(0, now, f32::NAN), MixEntry::new(0, SampleTime::Ratio(f64::INFINITY), 1.0)] {
        assert!(matches!(run(&of(&[walk, bad]), 2, groups), Err(JobError::Value { index: 1, .. })));
    }
    assert!(matches!(
        run(&of(&[walk.masked(MASKS as u16)]), 1, groups),
        Err(JobError::TooShort { field: "masks", .. })
    ));
    // What is taken away is sampled too.
    let minus = MixEntry::new(0, now, -1.0).added();
    assert!(matches!(run(&of(&[walk, minus]), 1, groups), Err(JobError::TooShort { field: "scratch", .. })));
    assert_eq!(run(&of(&[walk, minus]), 2, groups), Ok(()));
    assert!(matches!(run(&of(&[walk, walk]), 1, groups), Err(JobError::TooShort { field: "scratch", .. })));
    assert!(matches!(run(&of(&[walk]), 1, groups - 1), Err(JobError::TooShort { field: "output", .. })));
    let mut full = of(&[walk; Mix::MAX_ENTRIES]);
    assert!(!full.push(walk) && full.entries().len() == Mix::MAX_ENTRIES);
}

#[test]
fn mixing_allocates_nothing_whatever_is_mixed() {
    let stage = Stage::new();
    let mut scratch = MixScratch::with_room_for(&stage.built.skeleton, &stage.clips, 6);
    let mut output = stage.pose();
    let (backend, mut rng) = (Backend::best(), Rng::new(9));
    let mixes: Vec<Mix> = (0..200).map(|_| random_mix(&mut rng, stage.clips.len())).collect();
    assert_no_alloc(|| {
        for mix in &mixes {
            let (skeleton, clips, scratch) = (&stage.built.skeleton, &stage.clips[..], &mut scratch);
            let masks = &stage.masks;
            MixJob { skeleton, clips, decoded: &[], masks, mix, lod: None, scratch, output: &mut output }
                .run_on(backend)
                .unwrap();
        }
    });
}

#[test]
fn a_clip_that_stands_still_has_rows_of_nothing_and_is_mixed_decoded_too() {
    let mut stage = Stage::new();
    let joints = mannequin::skeleton().joints;
    let track = |rest: Trs| {
        let keys = (0..31).map(|i| (f64::from(i) / 30.0, rest.rotation));
        RawTrack { rotation: Channel::new(Curve::Linear, keys), ..RawTrack::default() }
    };
    let tracks = joints.iter().map(|joint| track(joint.rest)).collect();
    let still = RawAnimation { duration_s: 1.0, tracks, ..RawAnimation::default() };
    let builder = ClipBuilder { form: Form::Rows, ..ClipBuilder::default() };
    let still = Clip::from_bytes(&builder.build(&stage.built, &still).unwrap().bytes).unwrap();
    let decoded = DecodedClip::new(still.view(), &stage.built.skeleton);
    assert!(decoded.is_some());
    stage.clips = vec![still];
    let mut mix = Mix::EMPTY;
    assert!(mix.push(MixEntry::new(0, SampleTime::Clamped(0.5), 1.0)));
    let mut scratch = MixScratch::with_room_for(&stage.built.skeleton, &stage.clips, 1);
    for backend in Backend::all() {
        let wanted = stage.mixed(&mix, &mut scratch, backend, None);
        let mixed = stage.mixed_from(std::slice::from_ref(&decoded), &mix, &mut scratch, backend, None);
        assert_same_pose("standing still", &mixed, &wanted, joints.len());
    }
}
