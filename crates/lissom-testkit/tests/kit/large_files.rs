//! Files of a megabyte or so in which every few bytes ask for memory: the worst that each reader can be given by
//! length. Small files hide behind the part of the bound that is for all.

use lissom::clip::{StreamPlayer, format::rows as rows_format};
use lissom_build::{
    SkeletonBuilder,
    archive::ArchiveWriter,
    cook::seal,
    raw::{RawJoint, RawSkeleton},
};
use lissom_motion::matching::{DatabaseParts, Feature, FeatureGroup, FeatureKind, FrameRange};
use lissom_testkit::hostile::{check, target};

fn feed(name: &str, files: impl IntoIterator<Item = Vec<u8>>) {
    for file in files {
        assert!(file.len() > 300_000, "{name}: only {} bytes", file.len());
        // Whether it reads or not, the bound holds: `check` panics if it does not.
        check(target(name), &file);
    }
}

fn text(start: &str, again: &str, count: usize, end: &str) -> Vec<u8> {
    format!("{start}{}{end}", again.repeat(count)).into_bytes()
}

#[test]
fn a_dense_bvh_file_stays_within_its_memory() {
    let frames = "HIERARCHY ROOT r{OFFSET 0 0 0 CHANNELS 1 Xrotation}MOTION Frames: 400000 Frame Time: 1\n";
    feed(
        "bvh",
        [
            text("HIERARCHY ROOT r{", "JOINT\n{", 60_000, ""),
            text("HIERARCHY ROOT r{JOINT\n{", "END\n{}", 60_000, ""),
            text("HIERARCHY ROOT r{", "CHANNELS 1 Xrotation\n", 30_000, ""),
            text(frames, "0 ", 400_000, ""),
            vec![0xff; 500_000],
            [b"HIERARCHY ROOT ".to_vec(), vec![0xff; 500_000]].concat(),
        ],
    );
}

#[test]
fn a_dense_database_for_matching_stays_within_its_memory() {
    // Every frame is a range of its own, and so a block of its own.
    let dense = |features: usize, count: usize, has_biases: bool| {
        let kind = FeatureKind::TrajectoryPosition { time_s: 1.0 };
        let feature = Feature { group: 0, kind, axis: 0, offset: 0.0, scale: 1.0 };
        let range = FrameRange { frames: 1, entry_to: 1, ..FrameRange::default() };
        let parts = DatabaseParts {
            rate_hz: 30.0,
            clips: vec!["a".into()],
            groups: vec![FeatureGroup { name: "g".into(), weight: 1.0 }],
            features: vec![feature; features],
            ranges: vec![range; count],
            rows: (0..features * count).map(|i| (i * i % 991) as i16).collect(),
            biases: if has_biases { vec![1; count] } else { Vec::new() },
            ..DatabaseParts::default()
        };
        parts.to_bytes()
    };
    let files =
        [dense(64, 4_000, false), dense(64, 4_000, true), dense(1, 20_000, false), dense(7, 10_000, true)];
    for file in &files {
        assert!(check(target("matching"), file), "it is a database");
    }
    feed("matching", files);
}

#[test]
fn a_dense_snapshot_of_a_world_stays_within_its_memory() {
    let snapshot = |counts: [u32; 3], slot: &dyn Fn(u32) -> u32, rest: &[u8]| {
        let mut file = b"LSWORLD1".to_vec();
        file.extend(1_u64.to_le_bytes());
        file.extend(counts.iter().flat_map(|c| c.to_le_bytes()));
        file.extend((0..counts[0]).flat_map(|i| slot(i).to_le_bytes()));
        file.extend((0..counts[1]).flat_map(|i| i.to_le_bytes()));
        file.extend(rest);
        file
    };
    let record = |slot: u32| {
        let mut local = [0.0_f32; 8];
        (local[3], local[7]) = (1.0, 1.0);
        let mut record = [slot.to_le_bytes(), (slot.wrapping_sub(1)).to_le_bytes(), [0, 0, 1, 0]].concat();
        record.extend(1_u64.to_le_bytes());
        record.extend(local.iter().flat_map(|f| f.to_le_bytes()));
        record.extend([0; 48]);
        record
    };
    let chain: Vec<u8> = (0..20_000).flat_map(record).collect();
    let files = [
        // Slots whose generations are used up: nothing else is said of them.
        snapshot([200_000, 0, 0], &|_| u32::MAX, &[]),
        snapshot([100_000, 100_000, 0], &|i| i, &[]),
        snapshot([20_000, 0, 20_000], &|_| 0, &chain),
    ];
    assert!(files.iter().all(|file| check(target("world"), file)), "all of them read");
    feed("world", files);
}

#[test]
fn a_dense_acl_sjson_file_stays_within_its_memory() {
    feed(
        "acl_sjson",
        [
            text("version=1 x=[", "[]", 400_000, "]"),
            text("version=1 x=[", "1 ", 400_000, "]"),
            text("version=1 x=[", "\"\"", 400_000, "]"),
            text("version=1 x=[", "{}", 400_000, "]"),
            text("version=1 ", "a=1 ", 200_000, ""),
            text("version=1 x={", "a=[]", 200_000, "}"),
            text("version=1 x=", "[", 400_000, ""),
            vec![0xff; 500_000],
        ],
    );
}

#[test]
fn a_dense_ozz_file_stays_within_its_memory() {
    let object = |tag: &str, version: u32, numbers: &[u32], rest: usize| {
        let mut out = vec![1];
        out.extend(tag.as_bytes());
        out.push(0);
        out.extend(version.to_le_bytes());
        numbers.iter().for_each(|n| out.extend(n.to_le_bytes()));
        out.resize(out.len() + rest, 0);
        out
    };
    let empty_track = object("ozz-float_track", 1, &[0, 0], 0);
    let mut tracks = vec![1];
    (0..20_000).for_each(|_| tracks.extend(&empty_track[1..]));
    feed(
        "ozz",
        [
            // Raw tracks without keys, skeletons of nameless joints, parts without vertices, keys of one track.
            object("ozz-raw_animation", 3, &[0x3f80_0000, 60_000, 1], 60_000 * 12 + 4),
            object("ozz-skeleton", 2, &[20_000, 20_000], 20_000 * 43),
            object("ozz-sample-Mesh", 1, &[20_000, 1], 20_000 * 28 + 12),
            object(
                "ozz-animation",
                7,
                &[0x3f80_0000, 60_000, 0, 1, 60_000, 0, 0, 0, 0, 0, 0, 0, 0],
                60_000 * 9 + 20,
            ),
            tracks,
        ],
    );
}

#[test]
fn a_dense_rawclip_file_stays_within_its_memory() {
    let mut out = b"RCL1".to_vec();
    for number in [10_000, 1, 0x41f0_0000, 0_u32] {
        out.extend(number.to_le_bytes());
    }
    out.extend([0xff; 40_000]);
    for _ in 0..10_000 {
        out.extend([0, 0, 0, 0x3f80_0000, 0, 0, 0, 0, 0, 0_u32].iter().flat_map(|n| n.to_le_bytes()));
    }
    assert!(check(target("rawclip"), &out));
    feed("rawclip", [out]);
}

#[test]
fn a_dense_gltf_file_stays_within_its_memory() {
    let list = |name: &str, each: &str, count: usize| {
        let all = format!("{each},").repeat(count);
        format!("{{\"asset\":{{\"version\":\"2.0\"}},\"{name}\":[{}{each}]}}", all).into_bytes()
    };
    feed(
        "gltf",
        [
            list("nodes", "{}", 200_000),
            list("nodes", "{\"mesh\":0}", 30_000),
            list("meshes", "{\"primitives\":[]}", 50_000),
            list("meshes", "{\"primitives\":[{\"attributes\":{}}]}", 20_000),
            list("accessors", "{\"count\":1,\"componentType\":5126,\"type\":\"VEC3\"}", 20_000),
            list("bufferViews", "{\"buffer\":0,\"byteLength\":1}", 20_000),
            list("buffers", "{\"byteLength\":1}", 20_000),
            list("animations", "{\"channels\":[],\"samplers\":[]}", 20_000),
            list("skins", "{\"joints\":[]}", 30_000),
            list("scenes", "{}", 200_000),
            list("unknown", "{}", 200_000),
            list("unknown", "[]", 200_000),
            text("{\"asset\":", "[", 500_000, ""),
            text("{\"asset\":", "{\"a\":", 200_000, ""),
        ],
    );
}

#[test]
fn a_dense_archive_file_stays_within_its_memory() {
    // Nothing but sections without a byte.
    let sections = 60_000_u32;
    let end = 64 + sections as usize * 32;
    let mut out = b"LSM1\r\n\x1a\n".to_vec();
    out.extend([1, 0, 0, 0]);
    out.extend(sections.to_le_bytes());
    out.extend((end as u64).to_le_bytes());
    out.resize(64, 0);
    for _ in 0..sections {
        out.extend(1_u32.to_le_bytes());
        out.extend([0; 4]);
        out.extend((end as u64).to_le_bytes());
        out.extend([0; 16]);
    }
    assert!(out.len().is_multiple_of(64));
    feed("archive", [out]);
}

/// A clip of rows with nothing in its tables but what `more` has: `flags`, `joints`, `rows`.
fn rows_clip(flags: u16, joints: u32, rows: u32, more: &[u8]) -> Vec<u8> {
    let mut out = b"LCLP".to_vec();
    out.extend(rows_format::VERSION.to_le_bytes());
    out.extend(flags.to_le_bytes());
    out.extend([0; 4]);
    out.extend(joints.to_le_bytes());
    out.extend([0; 16]);
    out.extend(30.0_f64.to_le_bytes());
    out.extend(rows.to_le_bytes());
    out.extend(more);
    out.resize(out.len().next_multiple_of(4), 0);
    let words = (out.len() / 4) as u32;
    out[8..12].copy_from_slice(&words.to_le_bytes());
    out
}

#[test]
fn a_dense_clip_stays_within_its_memory() {
    let moving = (0..3).fold(0, |flags, kind| flags | rows_format::flag_moving(kind));
    let mut more = Vec::new();
    // Every joint moves in every way, by records that are as short as can be.
    (0..3).for_each(|_| {
        more.extend([0xff; 2 * 2047]);
        more.extend([0xff, 0x7f]);
    });
    more.extend(vec![0; 3 + (3 * 32_767 * 22_usize).div_ceil(8) + 100_000]);
    let lanes = rows_clip(moving, 32_767, 16, &more);
    let blocks = rows_clip(0, 1, 16 * 200_000, &vec![0; 4 * 199_999]);
    assert!(check(target("clip"), &lanes) && check(target("clip"), &blocks));
    feed("clip", [lanes, blocks]);
}

/// Clips without a byte of motion, each with a track a joint when it is taken apart.
#[test]
fn an_archive_of_empty_clips_stays_within_its_memory_when_it_is_taken_apart() {
    let joint = |j: usize| RawJoint { name: j.to_string(), parent: j.checked_sub(1), ..RawJoint::default() };
    let raw = RawSkeleton { joints: (0..2000).map(joint).collect() };
    let skeleton = SkeletonBuilder::build(&raw).expect("a chain").skeleton;
    let mut clip = rows_clip(0, 2000, 2, &[]);
    clip[24..32].copy_from_slice(&skeleton.identity().to_le_bytes());
    seal(&mut clip);
    let archive = |clips: usize| {
        let writer = ArchiveWriter::new().skeleton("chain", &skeleton).expect("the first");
        let add = |w: ArchiveWriter, i: usize| w.clip(rows_format::VERSION, &i.to_string(), clip.clone());
        (0..clips).try_fold(writer, add).and_then(|w| w.finish()).expect("names differ")
    };
    assert!(check(target("lsm"), &archive(2)), "two such clips are read");
    feed("lsm", [archive(3000)]);
}

/// A stream of blocks without a byte: no window is ever full of them.
fn empty_blocks(blocks: u32) -> Vec<u8> {
    let head = rows_clip(0, 1, 16 * blocks, &vec![0; 4 * (blocks as usize - 1)]);
    let mut out = b"LCST\x01\0\0\0".to_vec();
    out.extend((head.len() as u32).to_le_bytes());
    out.extend(blocks.to_le_bytes());
    let end = out.len() + blocks as usize * 24 + head.len() + 4;
    for _ in 0..blocks {
        out.extend((end as u64).to_le_bytes());
        out.extend([0; 16]);
    }
    out.extend(head);
    let checksum = crc32fast::hash(&out);
    out.extend(checksum.to_le_bytes());
    out
}

#[test]
fn a_dense_stream_stays_within_its_memory() {
    let file = empty_blocks(30_000);
    assert!(check(target("stream"), &file));
    feed("stream", [file]);
}

#[test]
fn a_prefetch_takes_no_more_empty_blocks_than_it_may_read_bytes() {
    let file = empty_blocks(5000);
    let mut player = StreamPlayer::open(std::io::Cursor::new(&file), 1000).expect("it opens");
    let held = |player: &StreamPlayer<_>| (0..5000).filter(|b| player.stream().has_block(*b)).count();
    player.prefetch(100).expect("bytes in memory");
    assert_eq!(held(&player), 100);
    // Nor does it look ahead without end, and it goes on where the play head goes.
    player.prefetch(100_000).expect("bytes in memory");
    assert_eq!(held(&player), 1024);
    player.move_to(16.0 / 30.0 * 4000.0);
    player.prefetch(1).expect("bytes in memory");
    assert!(player.stream().has_block(4000));
}

#[cfg(feature = "fbx")]
#[test]
fn a_dense_fbx_file_stays_within_its_memory() {
    let mut writer = lissom_testkit::fbx::Writer::default();
    for i in 0..4000 {
        writer.bone(100 + 10 * i, "b", 0, [0.0; 3]);
    }
    let start = "; FBX 7.4.0 project file\nFBXVersion: 7400\nObjects: {\n";
    feed(
        "fbx",
        [
            writer.finish(false, 1.0),
            text(start, "Model: 1,\"Model::a\",\"Null\" {}\n", 20_000, "}\n"),
            text(start, "A: {\n", 200_000, ""),
            text(start, "A: {}\n", 100_000, "}\n"),
            text(start, "A: 1,1,1,1\n", 60_000, "}\n"),
            text("; FBX 7.4.0 project file\nA: *400000 { a: ", "1,", 400_000, "}\n"),
        ],
    );
}
