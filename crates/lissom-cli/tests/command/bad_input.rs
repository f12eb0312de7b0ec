//! Bad input: one clear line with file, place and reason, a non-zero exit code, nothing left behind.

use crate::common::{MOVING, bad, files_below, folder, glb, moving_glb, text, write};
use std::fs;

/// Every command that reads one file refuses it in one line that names it and says why; nothing is written.
fn refused(name: &str, bytes: impl AsRef<[u8]>, words: &[&str]) {
    refused_by(name, bytes, words, &["import", "inspect", "check", "sample", "diff", "export"], &[]);
}

/// By commands that are told to leave nothing out.
fn refused_strictly(name: &str, bytes: impl AsRef<[u8]>, words: &[&str]) {
    refused_by(name, bytes, words, &["import", "inspect", "sample", "diff", "export"], &["--strict"]);
}

fn refused_by(name: &str, bytes: impl AsRef<[u8]>, words: &[&str], commands: &[&str], options: &[&str]) {
    let root = folder(&format!("bad_{}", name.replace(['.', ' '], "_")));
    let path = write(root.join(name), bytes);
    let out = text(&root.join("out.lsm"));
    let each = format!("{}/", text(&root.join("each")));
    let glb = text(&root.join("out.glb"));
    let all = [
        vec!["import", &path, "-o", &out],
        vec!["import", &path, "-o", &each],
        vec!["inspect", &path],
        vec!["check", &path],
        vec!["sample", &path, "--json"],
        vec!["diff", &path, &path],
        vec!["export", &path, "-o", &glb],
    ];
    for mut arguments in all.into_iter().filter(|a| commands.contains(&a[0])) {
        arguments.extend(options);
        let (_, error) = bad(1, &arguments);
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
        assert!(error.starts_with(&format!("lissom: {path}: ")), "{arguments:?}: {error}");
        for word in words {
            assert!(error.contains(word), "{arguments:?}: {word} is missing from: {error}");
        }
        assert!(error.len() < 400 + 2 * path.len(), "too long: {error}");
    }
    assert_eq!(files_below(&root).len(), 1, "nothing is left behind");
    assert!(!root.join("each").exists());
}

#[test]
fn a_simd_backend_that_there_is_not() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_lissom"))
        .args(["inspect", "any.glb"])
        .env("LISSOM_SIMD", "mmx")
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.starts_with("lissom: LISSOM_SIMD: ") && error.contains("mmx"), "{error}");
    assert!(
        ["scalar", "sse2", "neon"].iter().any(|n| error.contains(n)) && error.lines().count() == 1,
        "{error}"
    );
}

#[test]
fn a_missing_file_and_a_folder() {
    let root = folder("bad_places");
    let missing = text(&root.join("missing.glb"));
    let here = text(&root);
    for command in ["inspect", "check", "sample"] {
        let (_, error) = bad(1, &[command, &missing]);
        assert!(
            error.starts_with(&format!("lissom: {missing}: ")) && error.contains("No such file"),
            "{error}"
        );
        let (_, error) = bad(1, &[command, &here]);
        assert_eq!(error, format!("lissom: {here}: this is a folder, not a file\n"));
    }
    let out = text(&root.join("out.lsm"));
    let (table, error) = bad(1, &["import", &missing, "-o", &out]);
    assert!(error.contains("No such file"), "{error}");
    assert_eq!(table, "", "one line is enough");
    assert_eq!(bad(1, &["check", &missing]).0, format!("{missing}: cannot be read\n"));
    let (_, error) = bad(2, &["import", &here, "-o", &out]);
    assert!(error.contains("there is no file of a supported format in this folder"), "{error}");
    let nowhere = text(&root.join("no/such/folder/out.glb"));
    let file = write(root.join("good.glb"), moving_glb(1.0));
    let (_, error) = bad(1, &["export", &file, "-o", &nowhere]);
    assert!(error.contains("cannot write") && error.contains("out.glb: there is no folder"), "{error}");
    let (_, error) = bad(2, &["export", &file, "-o", &text(&root.join("out.txt"))]);
    assert!(error.contains("out.txt: what is written is a .glb"), "{error}");
    assert_eq!(files_below(&root).len(), 1);
}

#[test]
fn empty_unknown_and_wrong_files() {
    refused("empty.glb", "", &["the file is empty"]);
    refused("letter.txt", "Dear reader", &["byte 0", "neither the first bytes nor the name"]);
    refused("wrong.bvh", "Dear reader", &["line 1", "this is not a BVH file"]);
    refused("wrong.lsm", "LSM2 something else", &["byte 0"]);
    refused("wrong.ozz", [2, b'o', b'z', b'z'], &["byte 0", "not an ozz archive"]);
}

#[test]
fn truncated_files() {
    let whole = moving_glb(1.0);
    refused("short.glb", &whole[..10], &["byte"]);
    refused("half.glb", &whole[..whole.len() / 2], &["byte"]);
    refused("last.glb", &whole[..whole.len() - 4], &["byte"]);
}

#[test]
fn bombs_of_json() {
    refused("deep.gltf", format!("{{\"a\":{}", "[".repeat(1_000_000)), &[]);
    refused("garbage.gltf", "{ \"asset\": { \"version\": \"2.0\" }, \"nodes\": 7 }", &[]);
    let many = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{}{{}}]}}", "{},".repeat(200_000));
    refused("many.gltf", many, &["32767"]);
}

#[test]
fn chains_and_cycles_of_nodes() {
    let mut chain = "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[".to_owned();
    for i in 1..1_000_000 {
        chain.push_str(&format!("{{\"children\":[{i}]}},"));
    }
    chain.push_str("{}]}");
    refused("chain.gltf", chain, &["node 10000", "depth"]);
    let cycle = r#"{"asset":{"version":"2.0"},"nodes":[{"children":[1]},{"children":[2]},{"children":[0]}]}"#;
    refused("cycle.gltf", cycle, &["node"]);
}

#[test]
fn paths_that_climb_out_of_the_folder() {
    fs::create_dir_all(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/secret.bin"), [0; 32]).unwrap();
    for uri in ["../secret.bin", "%2e%2e/secret.bin", "/etc/hostname", "file:///etc/hostname", "missing.bin"]
    {
        let model = MOVING.replace("\"byteLength\": 32", &format!("\"byteLength\": 32, \"uri\": \"{uri}\""));
        refused("climbs.gltf", model, &[uri]);
    }
}

#[test]
fn absurd_counts_and_numbers_that_are_none() {
    let numbers = |values: [f32; 8]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let fine = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let absurd = MOVING.replace("\"count\": 2", "\"count\": 4000000000");
    refused_strictly("absurd.glb", glb(&absurd, &numbers(fine)), &["accessor"]);
    let mut nan = fine;
    nan[5] = f32::NAN;
    refused_strictly("nan.glb", glb(MOVING, &numbers(nan)), &["animation 0", "NaN"]);
    let mut nan = fine;
    nan[1] = f32::NAN;
    refused_strictly("nan_time.glb", glb(MOVING, &numbers(nan)), &["NaN"]);
}

#[test]
fn a_damaged_archive_says_what_survives() {
    let root = folder("bad_archive");
    let good_file = write(root.join("slide.glb"), moving_glb(1.0));
    let walk = write(root.join("walk.bvh"), crate::common::bvh(1, 20));
    let out = text(&root.join("both.lsm"));
    crate::common::good(&["import", &good_file, &walk, "-o", &out]);
    let whole = fs::read(&out).unwrap();
    assert_eq!(crate::common::good(&["check", &out]), format!("{out}: whole\n"));
    let shown = crate::common::json(&crate::common::good(&["inspect", &out, "--json"]));
    let clip = shown["sections"].as_array().unwrap().iter().find(|s| s["kind"] == "CLIP").unwrap();

    let mut damaged = whole.clone();
    damaged[clip["offset"].as_u64().unwrap() as usize + 20] ^= 4;
    let path = write(root.join("damaged.lsm"), &damaged);
    let (text, error) = bad(1, &["check", &path]);
    assert!(error.contains("checksum") && error.lines().count() == 1, "{error}");
    assert!(text.contains(": damaged") && text.matches("survives: ").count() == 6, "{text}");
    assert!(text.contains("survives: SKEL") && text.contains("survives: CLIP"), "{text}");
    let (text, _) = bad(1, &["check", &path, &out, "--json"]);
    let report = crate::common::json(&text);
    assert_eq!((&report["files"][0]["whole"], &report["files"][1]["whole"]), (&false.into(), &true.into()));
    let (_, error) = bad(1, &["sample", &path]);
    assert!(error.starts_with(&format!("lissom: {path}: byte ")), "{error}");

    // The table of sections gone: nothing can be trusted.
    let mut damaged = whole;
    damaged[70] ^= 1;
    let path = write(root.join("table.lsm"), &damaged);
    let (text, error) = bad(1, &["check", &path]);
    assert!(
        error.contains("the table of sections is damaged") && !text.contains("survives"),
        "{text}{error}"
    );
}
