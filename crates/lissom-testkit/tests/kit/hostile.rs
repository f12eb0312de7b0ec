//! Every reader, fed with every seed and a few thousand spoiled ones, through the bodies that the fuzzer runs.
//! For machines without a fuzzer, and for every run of the tests.

use lissom_testkit::hostile::{TARGETS, Target, check, kept, mutants, target};

/// Mutants a target.
const MUTANTS: usize = 10_000;

fn survives(name: &str) {
    survives_some(name, MUTANTS, 0);
}

fn survives_some(name: &str, count: usize, number: u64) {
    let target = target(name);
    let seeds = (target.seeds)();
    for seed in &seeds {
        assert!(check(target, &seed.bytes), "{name}: nothing comes out of the seed {}", seed.name);
    }
    let (mut read, mut refused) = (0, 0);
    mutants(&seeds, count, number, |bytes| if check(target, bytes) { read += 1 } else { refused += 1 });
    // Neither all good nor all bad: the mutants reach both sides of the checks.
    assert!(read > seeds.len() + 50 && refused > 50, "{name}: {read} read, {refused} refused");
}

#[test]
fn a_spoiled_archive_does_no_harm() {
    survives("archive");
}

// In two halves, which two cores run at once: it takes longer than all others.
#[test]
fn a_spoiled_packed_archive_does_no_harm_1() {
    survives_some("packed", MUTANTS / 2, 0);
}

#[test]
fn a_spoiled_packed_archive_does_no_harm_2() {
    survives_some("packed", MUTANTS / 2, 1);
}

#[test]
fn a_spoiled_clip_does_no_harm() {
    survives("clip");
}

#[test]
fn a_spoiled_stream_does_no_harm() {
    survives("stream");
}

#[test]
fn a_spoiled_snapshot_of_a_world_does_no_harm() {
    survives("world");
}

#[test]
fn a_spoiled_database_for_matching_does_no_harm() {
    survives("matching");
}

#[test]
fn a_spoiled_state_of_a_graph_does_no_harm() {
    survives("graph_state");
}

#[test]
fn a_spoiled_memory_of_a_pose_does_no_harm() {
    survives("pose_memory");
}

#[test]
fn a_spoiled_recording_does_no_harm() {
    survives("recording");
}

#[test]
fn a_spoiled_graph_does_no_harm() {
    survives("graph");
}

#[test]
fn a_spoiled_graph_file_does_no_harm() {
    survives("graph_json");
}

#[test]
fn a_spoiled_ozz_archive_does_no_harm() {
    survives("ozz");
}

#[test]
fn a_spoiled_bvh_file_does_no_harm() {
    survives("bvh");
}

#[test]
fn a_spoiled_acl_file_does_no_harm() {
    survives("acl_sjson");
}

#[test]
fn a_spoiled_raw_clip_does_no_harm() {
    survives("rawclip");
}

#[test]
fn a_spoiled_archive_does_no_harm_to_who_takes_it_apart() {
    survives("lsm");
}

#[test]
fn a_spoiled_recipe_does_no_harm() {
    survives("recipe");
}

#[test]
fn a_spoiled_gltf_file_does_no_harm() {
    survives("gltf");
}

#[test]
fn a_spoiled_gltf_file_that_is_copied_does_no_harm() {
    survives("onto");
}

#[cfg(feature = "draw")]
#[test]
fn a_spoiled_picture_does_no_harm() {
    survives("picture");
}

#[cfg(feature = "fbx")]
#[test]
fn a_spoiled_fbx_file_does_no_harm() {
    survives("fbx");
}

#[test]
fn what_fuzzing_kept_does_no_harm() {
    for target in TARGETS {
        let inputs = kept(target).unwrap_or_else(|e| panic!("{}: {e}", target.name));
        let read = inputs.iter().filter(|bytes| check(target, bytes)).count();
        assert!(
            inputs.len() >= 20 && read < inputs.len(),
            "{}: {read} of {} read",
            target.name,
            inputs.len()
        );
    }
}

#[test]
fn a_reader_that_takes_too_much_is_caught() {
    let greedy = Target {
        name: "greedy",
        run: |bytes| std::hint::black_box(vec![0_u8; bytes.len() * 10]).len() > 1,
        bound: |bytes| bytes * 9,
        seeds: Vec::new,
    };
    assert!(std::panic::catch_unwind(|| check(&greedy, &[0; 1000])).is_err());
    let modest = Target { bound: |bytes| bytes * 10, ..greedy };
    assert!(check(&modest, &[0; 1000]));
}

#[test]
fn seeds_are_the_same_every_time_and_their_names_differ() {
    for target in TARGETS {
        let (first, second) = ((target.seeds)(), (target.seeds)());
        assert!(!first.is_empty(), "{}", target.name);
        for (at, (a, b)) in first.iter().zip(&second).enumerate() {
            assert!(a.name == b.name && a.bytes == b.bytes, "{}: {}", target.name, a.name);
            assert!(first[..at].iter().all(|c| c.name != a.name), "{}: {} twice", target.name, a.name);
            assert!(a.bytes.len() < 64 << 10, "{}: {} is {} bytes", target.name, a.name, a.bytes.len());
        }
    }
}

#[test]
fn seeds_of_clips_have_both_forms_and_every_part_of_them() {
    use lissom::clip::{
        Clip,
        format::{keys as format, rows as rows_format},
    };
    let clips: Vec<_> = (target("clip").seeds)();
    let named = |name: &str| {
        let seed = clips.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("no seed {name}"));
        let word = u32::from_le_bytes([seed.bytes[4], seed.bytes[5], seed.bytes[6], seed.bytes[7]]);
        let clip = Clip::from_bytes(&seed.bytes).expect("a seed reads");
        (word as u16, (word >> 16) as u16, clip.view().block_count())
    };
    for name in ["keys", "keys-2"] {
        let (version, _, blocks) = named(name);
        assert_eq!(version, format::VERSION, "{name}");
        assert!(blocks > 2, "{name}: {blocks} blocks");
    }
    assert_eq!(named("every-key").0, format::VERSION);
    for (name, round) in [("rows", 0), ("rows-round", rows_format::FLAG_ROUND)] {
        let (version, flags, blocks) = named(name);
        assert_eq!(
            (version, flags & rows_format::FLAG_ROUND, blocks),
            (rows_format::VERSION, round, 3),
            "{name}"
        );
        for kind in 0..3 {
            assert_ne!(flags & rows_format::flag_constant(kind), 0, "{name}: no constants of kind {kind}");
            assert_ne!(flags & rows_format::flag_moving(kind), 0, "{name}: nothing moves of kind {kind}");
        }
    }
    assert_eq!(named("walk").0, rows_format::VERSION);
}
