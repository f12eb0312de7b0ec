//! Streams of the codecs that are off by default, played to their end and compared with the clip in memory.

use lissom::{
    Clip, Cursor, Skeleton,
    clip::{Codec, Played, StreamPlayer},
    job::{SampleJob, SampleTime},
    math::soa::SoaTransform,
};
use lissom_build::{
    SkeletonBuilder,
    cook::{ClipBuilder, Effort, Form, Jumps, write_stream},
    mannequin::{self, Motion},
};
use lissom_testkit::compare::assert_same_pose;
use std::io;

fn in_memory(skeleton: &Skeleton, clip: &Clip, cursor: &mut Cursor, time: SampleTime) -> Vec<SoaTransform> {
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output: &mut output }.run().unwrap();
    output
}

fn plays_bit_for_bit(codec: Codec) {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let skeleton = &built.skeleton;
    for form in [Form::Keys, Form::Rows] {
        // Several blocks: rows have one every sixteen rows, keys where they are asked for.
        let jumps = (form == Form::Keys).then_some(Jumps::Every(0.25));
        let builder = ClipBuilder { form, jumps, effort: Effort::Fast, ..ClipBuilder::default() };
        let cooked = builder.build(&built, &mannequin::clip(Motion::Walk)).unwrap();
        let clip = Clip::from_bytes(&cooked.bytes).unwrap();
        assert!(clip.view().block_count() > 1);
        let file = write_stream(&clip, codec).unwrap();
        let plain = write_stream(&clip, Codec::None).unwrap();
        assert_ne!(file, plain, "{codec:?} compresses nothing");
        let mut player = StreamPlayer::open(io::Cursor::new(file), 1 << 20).unwrap();
        let (mut streamed, mut direct) = (Cursor::new(), Cursor::new());
        // Two loops forward, one back.
        for frame in (0..240).chain((0..120).rev()) {
            let time_s = f64::from(frame) / 60.0;
            let time = SampleTime::Wrapped(time_s);
            player.move_to(time_s % clip.view().duration_s());
            while player.prefetch(usize::MAX).unwrap() > 0 {}
            let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
            let played = player.sample(skeleton, time, None, &mut streamed, &mut output).unwrap();
            assert_eq!(played, Played::Pose, "{codec:?}, {form:?}, at {time_s}");
            let expected = in_memory(skeleton, &clip, &mut direct, time);
            let what = format!("{codec:?}, {form:?}, at {time_s}");
            assert_same_pose(&what, &output, &expected, skeleton.joint_count());
        }
    }
}

#[test]
fn a_gzip_stream_plays_bit_for_bit() {
    plays_bit_for_bit(Codec::Gzip);
}

#[test]
fn a_zstandard_stream_plays_bit_for_bit() {
    plays_bit_for_bit(Codec::Zstd);
}
