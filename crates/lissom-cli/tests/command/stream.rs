//! Streams on the command line: `import --stream` writes them; `inspect`, `check`, `sample` and `render` take them.

use crate::common::{bad, bvh, files_below, folder, good, json, mannequin, text, write};
use lissom::{
    Clip, Cursor,
    archive::{AlignedBytes, ArchiveView, Limits, SectionKind},
    clip::{Codec, Played, StreamPlayer},
    job::{SampleJob, SampleTime},
};
use std::fs;

/// Every codec that the command is built with. The step `features` runs these tests with Zstandard too.
const CODECS: &[(&str, Codec)] = &[
    ("none", Codec::None),
    ("lz4", Codec::Lz4),
    ("gzip", Codec::Gzip),
    #[cfg(feature = "zstd")]
    ("zstd", Codec::Zstd),
];

#[test]
fn every_clip_becomes_a_stream_that_plays_like_the_archive() {
    let root = folder("stream_import");
    let model = mannequin(&root);
    for &(name, codec) in CODECS {
        let out = text(&root.join(format!("{name}.lsm")));
        let option = format!("--stream={name}");
        let clips = ["--clip", "walk", "--clip", "wave", "--effort", "fast"];
        let shown = good(&[&["import", &model, "-o", &out, &option][..], &clips].concat());
        assert!(shown.contains("2 clips as streams"), "{shown}");
        let streams: Vec<String> = files_below(&root.join(name)).into_iter().map(|f| f.0).collect();
        assert_eq!(streams, ["walk.lcs", "wave.lcs"]);

        let bytes = AlignedBytes::copy_of(&fs::read(&out).unwrap());
        let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
        let clip = Clip::from_bytes(archive.find(SectionKind::Clip, "walk").unwrap().payload).unwrap();
        let skeleton =
            archive.first(SectionKind::Skeleton).and_then(|s| s.skeleton(&Limits::default())).unwrap();
        let file = fs::File::open(root.join(name).join("walk.lcs")).unwrap();
        let mut player = StreamPlayer::open(file, 1 << 20).unwrap();
        assert_eq!(player.stream().codec(), codec);
        let (mut streamed, mut direct) = (Cursor::new(), Cursor::new());
        let (mut output, mut expected) = (skeleton.rest_pose().to_vec(), skeleton.rest_pose().to_vec());
        for step in 0..=30 {
            let time = SampleTime::Ratio(f64::from(step) / 30.0);
            player.prefetch(usize::MAX).unwrap();
            let played = player.sample(&skeleton, time, None, &mut streamed, &mut output).unwrap();
            assert_eq!(played, Played::Pose, "{name} at step {step}");
            let (clip, cursor, output_of_clip) = (clip.view(), &mut direct, &mut expected);
            SampleJob { skeleton: &skeleton, clip, time, lod: None, cursor, output: output_of_clip }
                .run()
                .unwrap();
            assert_eq!(bytes_of(&output), bytes_of(&expected), "{name} at step {step}");
        }
    }
}

fn import_stem(path: &str) -> String {
    lissom_build::import::stem(path.as_ref())
}

/// Red, green and blue of all pixels.
fn pixels(picture: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(picture)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    pixels
}

fn bytes_of(pose: &[lissom::math::soa::SoaTransform]) -> &[u8] {
    bytemuck::cast_slice(pose)
}

#[test]
fn a_stream_is_drawn_sampled_inspected_and_checked() {
    let root = folder("stream_show");
    let model = mannequin(&root);
    let hero = text(&root.join("hero.lsm"));
    good(&["import", &model, "--clip", "walk", "--effort", "fast", "-o", &hero, "--stream"]);
    let walk = text(&root.join("hero").join("walk.lcs"));

    let picture = |file: &str, out: &str, more: &[&str]| {
        let out = text(&root.join(out));
        let small = ["render", file, "-o", &out, "--frames", "3", "--size", "240x96", "--clip", "walk"];
        good(&[&small[..], more].concat());
        fs::read(out).unwrap()
    };
    // The same picture whether the body comes from the archive or from the authored file.
    for name in ["png", "gif"] {
        let [of_archive, of_source] = [&hero, &model]
            .map(|body| picture(&walk, &format!("{}.{name}", import_stem(body)), &["--skeleton", body]));
        assert_eq!(of_archive.len(), of_source.len());
        assert!(of_archive == of_source, "{name}");
    }
    // And the archive's own, but for what a pose's last bit moves across the edge of a pixel: a player blends, which
    // rounds, a stream is sampled as it is.
    let (whole, streamed) =
        (pixels(&picture(&hero, "whole.png", &[])), pixels(&fs::read(root.join("hero.png")).unwrap()));
    let apart = |a: &[u8], b: &[u8]| a.iter().zip(b).filter(|(a, b)| a != b).count() * 500;
    assert_eq!(whole.len(), streamed.len());
    assert!(apart(&whole, &streamed) <= whole.len());
    // So little that a picture a pixel aside is not taken for the same.
    assert!(apart(&whole, &whole[3..]) > whole.len());

    for space in ["local", "model"] {
        let at = |file: &str, time: &str, more: &[&str]| {
            let sample = ["sample", file, "--time", time, "--space", space, "--json"];
            good(&[&sample[..], more].concat())
        };
        let [early, late] = ["0.1", "0.83"].map(|t| at(&walk, t, &["--skeleton", &hero]));
        assert_eq!((&early, &late), (&at(&hero, "0.1", &[]), &at(&hero, "0.83", &[])));
        assert_ne!(json(&early)["joints"], json(&late)["joints"], "it moves");
    }

    let report = json(&good(&["inspect", &walk, "--json"]));
    assert_eq!((&report["format"], &report["stream"]["codec"]), (&"lcs".into(), &"lz4".into()));
    assert!(report["stream"]["blocks"].as_u64().unwrap() > 1, "{report}");
    assert_eq!(report["clips"][0]["name"], "walk");
    assert!(good(&["inspect", &walk]).contains("blocks, lz4, for the skeleton"));
    assert_eq!(good(&["check", &walk]), format!("{walk}: whole\n"));
}

#[test]
fn what_is_wrong_with_a_stream_is_said_in_one_line() {
    let root = folder("stream_bad");
    let (wave, other) = (write(root.join("wave.bvh"), bvh(1, 200)), write(root.join("other.bvh"), bvh(2, 9)));
    let out = text(&root.join("wave.lsm"));
    good(&["import", &wave, "-o", &out, "--stream"]);
    let stream = text(&root.join("wave").join("wave.lcs"));
    let (_, error) = bad(1, &["render", &stream, "-o", &text(&root.join("a.png"))]);
    assert!(
        error.contains("clip \"wave\" has no skeleton in this file; name one with --skeleton FILE"),
        "{error}"
    );
    let body = other.replace("other.bvh", "body.bvh");
    fs::write(&body, bvh(2, 9).replace("0.25", "0.26")).unwrap();
    let (_, error) = bad(1, &["sample", &stream, "--skeleton", &body]);
    assert!(error.contains("it was not cooked for a skeleton of"), "{error}");
    for command in [["export", "-o", "x.glb"], ["plot", "-o", "x.png"]] {
        let more = ["--skeleton", &out];
        let (_, error) = bad(1, &[&[command[0], &stream][..], &command[1..], &more[..]].concat());
        assert!(error.contains("this is a stream of one clip"), "{error}");
    }

    // A byte of the last block: the blocks before it survive and play, the last is named.
    let mut bytes = fs::read(&stream).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let broken = write(root.join("broken.lcs"), &bytes);
    let (shown, error) = bad(1, &["check", &broken]);
    assert!(shown.contains("damaged") && shown.contains("survives: block 0, from 0.000 s"), "{shown}");
    assert!(error.contains("its bytes are not those that were written"), "{error}");
    good(&["sample", &broken, "--skeleton", &out, "--time", "0"]);
    let (_, error) = bad(1, &["sample", &broken, "--skeleton", &out, "--time", "99"]);
    assert!(error.contains("of the stream is damaged"), "{error}");
    let (_, error) = bad(1, &["check", &write(root.join("cut.lcs"), &bytes[..40])]);
    assert!(error.contains("the preamble needs"), "{error}");
}

#[test]
fn streams_follow_an_archive_that_did_not_change() {
    let root = folder("stream_again");
    let wave = write(root.join("in/wave.bvh"), bvh(1, 30));
    let out = format!("{}/", text(&root.join("out")));
    good(&["import", &wave, "-o", &out]);
    assert_eq!(files_below(&root.join("out")).len(), 1);
    let report = json(&good(&["import", &wave, "-o", &out, "--stream", "--json"]));
    assert_eq!(report["files"][0]["status"], "unchanged");
    assert_eq!(report["files"][0]["streams"], serde_json::json!([text(&root.join("out/wave/wave.lcs"))]));
    let shown = good(&["check", &text(&root.join("out/wave/wave.lcs"))]);
    assert!(shown.ends_with("whole\n"), "{shown}");
    bad(2, &["import", &wave, "-o", &out, "--stream=rar"]);
}
