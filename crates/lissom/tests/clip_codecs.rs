//! Every codec plays: what a stream file packs comes out with the bits of the whole clip.

mod common;

use common::clips::{Rng, assert_same_bits, long_plan, skeleton};
use lissom::{
    Clip, Cursor, Skeleton,
    clip::{ClipStream, Codec, Played, StreamPlayer},
    job::{SampleJob, SampleTime},
    math::soa::SoaTransform,
};
use lissom_build::{
    SkeletonBuilder,
    cook::{ClipBuilder, Effort, Form, encode, write_stream},
    mannequin::{self, Motion},
};
use std::io::Cursor as Bytes;

const CODECS: [Codec; 4] = [Codec::None, Codec::Lz4, Codec::Zstd, Codec::Gzip];

/// A clip of each form, both of several blocks.
fn clips() -> [(Skeleton, Clip); 2] {
    let chain = skeleton(20);
    let keys = encode(&long_plan(&mut Rng::new(5), &chain, 8.0, 1.0)).unwrap();
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let builder = ClipBuilder { form: Form::Rows, effort: Effort::Fast, ..ClipBuilder::default() };
    let rows = builder.build(&built, &mannequin::clip(Motion::Walk)).unwrap().bytes;
    [(chain, Clip::from_bytes(&keys).unwrap()), (built.skeleton, Clip::from_bytes(&rows).unwrap())]
}

#[test]
fn every_codec_plays_with_the_bits_of_the_whole_clip() {
    for (skeleton, clip) in clips() {
        let duration_s = clip.view().duration_s();
        assert!(clip.view().block_count() > 1);
        for codec in CODECS {
            let file = write_stream(&clip, codec).unwrap();
            let mut player = StreamPlayer::open(Bytes::new(&file[..]), 1 << 20).unwrap();
            assert_eq!(player.stream().codec(), codec);
            let (mut streamed, mut direct) = (Cursor::new(), Cursor::new());
            let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
            let mut expected = output.clone();
            let forward = (0..=40).map(|i| duration_s * f64::from(i) / 40.0);
            for time_s in forward.chain([0.3, 0.9, 0.0].map(|share| duration_s * share)) {
                let time = SampleTime::Clamped(time_s);
                player.move_to(time_s);
                player.prefetch(usize::MAX).unwrap();
                let played = player.sample(&skeleton, time, None, &mut streamed, &mut output).unwrap();
                assert_eq!(played, Played::Pose, "{codec:?} at {time_s} s");
                let (cursor, output_of_clip) = (&mut direct, &mut expected);
                SampleJob {
                    skeleton: &skeleton,
                    clip: clip.view(),
                    time,
                    lod: None,
                    cursor,
                    output: output_of_clip,
                }
                .run()
                .unwrap();
                assert_same_bits(&output, &expected, skeleton.joint_count(), &format!("{codec:?}"));
            }
            assert_eq!(player.stream().damaged().count(), 0, "{codec:?}");
        }
    }
}

#[test]
fn codecs_that_compress_are_not_the_bytes_themselves_and_do_not_read_each_other() {
    let [(_, clip), _] = clips();
    let plain = write_stream(&clip, Codec::None).unwrap();
    for codec in [Codec::Lz4, Codec::Zstd, Codec::Gzip] {
        let packed = write_stream(&clip, codec).unwrap();
        assert_ne!(packed.len(), plain.len(), "{codec:?}");
        // Block by block: what this codec packed, no other unpacks.
        let preamble = ClipStream::preamble_len(&packed).unwrap() as usize;
        for other in CODECS.into_iter().filter(|o| *o != codec) {
            let mut lying = packed.clone();
            lying[6] = other.to_byte();
            let body = preamble - 4;
            let sum = crc32fast::hash(&lying[..body]).to_le_bytes();
            lying[body..preamble].copy_from_slice(&sum);
            let mut player = StreamPlayer::open(Bytes::new(&lying[..]), 1 << 20).unwrap();
            player.prefetch(usize::MAX).unwrap();
            assert_eq!(player.stream().damaged().next(), Some(0), "{codec:?} as {other:?}");
        }
    }
}
