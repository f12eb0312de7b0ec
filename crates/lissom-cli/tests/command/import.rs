//! `lissom import`: batches, threads, shares, what is skipped, and what a refused file does.

use crate::common::{
    MOVING, bad, bvh, files_below, folder, glb, good, json, lissom, moving_glb, text, warned, write,
};
use lissom::archive::Archive;
use lissom_build::{
    exact::{M34, Q4, Trs, V3},
    export::write_glb,
    mesh::{Influences, RawMesh},
    pipeline::{Input, Options, Plan, serial, unwatched},
    raw::{Channel, Curve, RawAnimation, RawJoint, RawSkeleton, RawTrack},
    scene::{Morph, Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};
use std::fs;
use std::path::Path;

/// Eight files in two folders, of three formats.
fn library(root: &Path) -> String {
    for i in 0..5 {
        write(root.join(format!("in/walks/{i}.bvh")), bvh(i, 20 + i));
    }
    write(root.join("in/a.bvh"), bvh(7, 12));
    write(root.join("in/a.glb"), moving_glb(1.0));
    write(root.join("in/box.glb"), moving_glb(2.0));
    write(root.join("in/notes.txt"), "not for import");
    text(&root.join("in"))
}

#[test]
fn a_batch_ends_with_a_table_and_one_archive_each() {
    let root = folder("import_batch");
    let input = library(&root);
    let out = format!("{}/", text(&root.join("out")));
    let table = good(&["import", &input, "-o", &out]);
    for word in
        ["joints", "clips", "seconds", "raw bytes", "cooked", "ratio", "worst error", "8 files, 0 refused"]
    {
        assert!(table.contains(word), "{word} is missing from:\n{table}");
    }
    let names: Vec<String> = files_below(&root.join("out")).into_iter().map(|f| f.0).collect();
    let wanted = [
        "a.bvh.lsm",
        "a.glb.lsm",
        "box.lsm",
        "walks/0.lsm",
        "walks/1.lsm",
        "walks/2.lsm",
        "walks/3.lsm",
        "walks/4.lsm",
    ];
    assert_eq!(names, wanted);
    assert!(!table.contains('\x1b'), "no colours in a pipe");
}

#[test]
fn packed_archives_are_smaller_and_say_the_same() {
    let root = folder("import_pack");
    let input = library(&root);
    let (plain, packed) = (text(&root.join("plain.lsm")), text(&root.join("packed.lsm")));
    good(&["import", &input, "-o", &plain]);
    let said = good(&["import", &input, "-o", &packed, "--pack"]);
    let sizes = [&plain, &packed].map(|path| fs::metadata(path).unwrap().len());
    assert!(sizes[1] < sizes[0] * 3 / 4, "{sizes:?}");
    assert!(said.contains("packed: "), "{said}");
    assert!(fs::read(&packed).unwrap().starts_with(b"LSMP"));
    for command in
        [&["sample", "--clip", "a", "--time", "0.1", "--json"][..], &["inspect", "--json"], &["check"]]
    {
        let run = |file: &str| {
            let mut words = vec![command[0], file];
            words.extend(&command[1..]);
            let out = lissom(&words);
            assert!(out.status.success(), "{words:?}: {}", String::from_utf8_lossy(&out.stderr));
            let said = String::from_utf8_lossy(&out.stdout).replace(file, "FILE");
            // How long the file is, is the one thing that differs.
            sizes.iter().fold(said, |said, size| said.replacen(&size.to_string(), "SIZE", 1))
        };
        assert_eq!(run(&plain), run(&packed), "{command:?}");
    }
    // It is left alone if nothing changed, and written again in the other form.
    let before = fs::read(&packed).unwrap();
    assert!(good(&["import", &input, "-o", &packed, "--pack"]).contains("unchanged"));
    assert_eq!(fs::read(&packed).unwrap(), before);
    good(&["import", &input, "-o", &packed]);
    assert_eq!(fs::read(&packed).unwrap(), fs::read(&plain).unwrap());
    // A packed archive is a source like any other: its clips keep their bytes.
    let again = text(&root.join("again.lsm"));
    fs::write(&packed, &before).unwrap();
    good(&["import", &packed, "-o", &again]);
    let clips = |path: &str| {
        let archive = Archive::open(path).unwrap();
        archive.clips().map(|(_, clip)| clip.unwrap().as_bytes().to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(clips(&again), clips(&plain));
    // To standard output, for each file, and not for streams.
    let out = lissom(&["import", &input, "-o", "-", "--pack"]);
    assert!(out.status.success() && out.stdout.starts_with(b"LSMP"));
    let each = format!("{}/", text(&root.join("each")));
    good(&["import", &input, "-o", &each, "--pack"]);
    assert!(files_below(&root.join("each")).iter().all(|(_, bytes)| bytes.starts_with(b"LSMP")));
    let stream = text(&root.join("a.lcs"));
    let (_, error) = bad(2, &["import", &input, "--clip", "a", "--stream", "--pack", "-o", &stream]);
    assert!(error.contains("--pack is for archives"), "{error}");
}

#[test]
fn any_number_of_threads_gives_the_same_bytes_twice() {
    let root = folder("import_threads");
    let input = library(&root);
    let mut runs = Vec::new();
    for (run, threads) in ["1", "2", "1", "2"].into_iter().enumerate() {
        let out = root.join(format!("each{run}"));
        good(&["import", &input, "-o", &format!("{}/", text(&out)), "--threads", threads]);
        let whole = text(&root.join(format!("whole{run}.lsm")));
        good(&["import", &input, "-o", &whole, "--threads", threads]);
        runs.push((files_below(&out), fs::read(&whole).unwrap()));
    }
    assert!(runs.windows(2).all(|w| w[0] == w[1]));
}

#[test]
fn three_shares_together_are_one_run() {
    let root = folder("import_shards");
    let input = library(&root);
    let out = |name: &str| format!("{}/", text(&root.join(name)));
    good(&["import", &input, "-o", &out("whole")]);
    let whole = files_below(&root.join("whole"));
    let mut together = Vec::new();
    for shard in ["0/3", "1/3", "2/3"] {
        let name = format!("share{}", &shard[..1]);
        good(&["import", &input, "-o", &out(&name), "--shard", shard]);
        let part = root.join(name);
        together.extend(if part.exists() { files_below(&part) } else { Vec::new() });
    }
    together.sort();
    assert_eq!(together, whole);
    let (_, error) = bad(2, &["import", &input, "-o", "x.lsm", "--shard", "0/3"]);
    assert!(error.contains("--shard needs a folder"), "{error}");
    bad(2, &["import", &input, "-o", &out("whole"), "--shard", "3/3"]);
}

#[test]
fn what_has_not_changed_is_left_alone() {
    let root = folder("import_unchanged");
    let walk = write(root.join("walk.bvh"), bvh(1, 20));
    let gltf = MOVING.replace("\"byteLength\": 32", "\"byteLength\": 32, \"uri\": \"move%20it.bin\"");
    let moves = write(root.join("move.gltf"), gltf);
    let numbers = |end: f32| {
        [0.0, 1.0, 0.0, 0.0, 0.0, end, 0.0, 0.0]
            .iter()
            .flat_map(|v: &f32| v.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    write(root.join("move it.bin"), numbers(1.0));
    for out in [text(&root.join("all.lsm")), format!("{}/", text(&root.join("each")))] {
        let status = |more: &[&str]| -> Vec<String> {
            let all = [&["import", &walk, &moves, "-o", &out, "--json"][..], more].concat();
            let report = json(&good(&all));
            let files = report["files"].as_array().unwrap();
            files.iter().map(|f| f["status"].as_str().unwrap().to_owned()).collect()
        };
        let whole = out.ends_with("all.lsm");
        assert_eq!(status(&[]), ["imported", "imported"]);
        let same = status(&[]);
        assert!(same.iter().all(|s| s == "unchanged"), "{same:?}");
        assert_eq!(status(&["--force"]), ["imported", "imported"]);
        assert_eq!(status(&["--precision", "1mm"]), ["imported", "imported"], "other options");
        assert_eq!(status(&["--precision", "1mm"]).len(), if whole { 1 } else { 2 });
        // A file that the input names counts too.
        write(root.join("move it.bin"), numbers(2.0));
        let changed = status(&["--precision", "1mm"]);
        let wanted: &[&str] = if whole { &["imported", "imported"] } else { &["unchanged", "imported"] };
        assert_eq!(changed, wanted);
        write(root.join("move it.bin"), numbers(1.0));
    }
    // A damaged output is made again.
    let each = root.join("each/walk.lsm");
    let mut bytes = fs::read(&each).unwrap();
    let good_bytes = bytes.clone();
    bytes[200] ^= 1;
    fs::write(&each, &bytes).unwrap();
    good(&["import", &walk, "-o", &text(&each), "--precision", "1mm"]);
    assert_eq!(fs::read(&each).unwrap(), good_bytes);
}

#[test]
fn a_refused_file_does_not_stop_the_others() {
    let root = folder("import_refused");
    write(root.join("in/good.bvh"), bvh(1, 10));
    let broken = write(root.join("in/broken.bvh"), "HIERARCHY\nROOT hips {");
    write(root.join("in/empty.glb"), "");
    let out = format!("{}/", text(&root.join("out")));
    let (table, error) = bad(1, &["import", &text(&root.join("in")), "-o", &out]);
    assert!(table.contains("refused") && table.contains("3 files, 2 refused"), "{table}");
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 2, "{error}");
    assert!(lines[0].starts_with(&format!("lissom: {broken}: line 2: ")), "{error}");
    assert!(lines[1].ends_with("empty.glb: the file is empty"), "{error}");
    let names: Vec<String> = files_below(&root.join("out")).into_iter().map(|f| f.0).collect();
    assert_eq!(names, ["good.lsm"]);
    // One archive takes what is good; nothing at all is written if nothing is.
    let whole = text(&root.join("whole.lsm"));
    let output = lissom(&["import", &text(&root.join("in")), "-o", &whole, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report = json(&String::from_utf8(output.stdout).unwrap());
    assert_eq!((&report["total"]["imported"], &report["total"]["refused"]), (&1.into(), &2.into()));
    assert_eq!(report["files"][0]["error"].as_str().unwrap(), lines[0].trim_start_matches("lissom: "));
    let nothing = root.join("nothing.lsm");
    bad(1, &["import", &broken, "-o", &text(&nothing)]);
    assert!(!nothing.exists());
    assert_eq!(files_below(&root).len(), 3 + 1 + 1, "no temporary file stays");
}

#[test]
fn options_come_from_the_nearest_lissom_toml_and_the_command_line_wins() {
    let root = folder("import_config");
    let walk = write(root.join("walk.bvh"), bvh(1, 30));
    let config = root.join("project/lissom.toml");
    let out = text(&root.join("project/cooked/walk.lsm"));
    fs::create_dir_all(root.join("project/cooked")).unwrap();
    let worst = |more: &[&str]| {
        let all = [&["import", &walk, "-o", &out, "--json", "--force"][..], more].concat();
        json(&good(&all))["files"][0]["worst_error_m"].as_f64().unwrap()
    };
    write(config.clone(), "precision = \"5mm\"\neffort = \"fast\"\n");
    assert!(worst(&[]) > 1e-3);
    assert!(worst(&["--precision", "0.0001"]) <= 1e-4);
    let other = write(root.join("other.toml"), "precision = 0.0001\n");
    assert!(worst(&["--config", &other]) <= 1e-4);

    for (content, words) in [
        (
            "shell = 1\nprecisoin = 2\n",
            vec!["lissom.toml: line 2", "\"precisoin\"; did you mean \"precision\"?"],
        ),
        ("effort = \"lazy\"\n", vec!["lissom.toml: line 1: effort"]),
        ("up = \"w\"\n", vec!["lissom.toml: line 1: up: \"w\": it must be an axis"]),
        ("precision = -1\n", vec!["lissom.toml: line 1: precision: \"-1\""]),
        ("precision = 5\n", vec!["lissom.toml: line 1: precision: \"5\"", "write 5mm"]),
        ("precision = \n", vec!["lissom.toml: line 1"]),
    ] {
        write(config.clone(), content);
        let (_, error) = bad(2, &["import", &walk, "-o", &out]);
        assert_eq!(error.lines().count(), 1, "{error}");
        for word in words {
            assert!(error.contains(word), "{word} is missing from: {error}");
        }
    }
}

#[test]
fn a_motion_is_cooked_for_the_skeleton_of_another_file() {
    let root = folder("import_skeleton");
    let walk = write(root.join("walk.bvh"), bvh(1, 10));
    let body = write(root.join("body.bvh"), bvh(1, 1).replace("JOINT hand", "JOINT paw"));
    let out = text(&root.join("walk.lsm"));
    let (table, said) = warned(&["import", &walk, "--skeleton", &body, "-o", &out]);
    assert!(said.contains("1 of 3 joints are not in the skeleton: hand"), "{said}");
    assert!(!table.contains("warning:"), "{table}");
    let (_, quiet) = warned(&["import", &walk, "--skeleton", &body, "-o", &out, "-q", "--force"]);
    assert!(quiet.is_empty(), "{quiet}");
    let shown = json(&good(&["inspect", &out, "--json"]));
    let joints = shown["skeletons"][0]["joints"].as_array().unwrap();
    assert!(joints.iter().any(|j| j["name"] == "paw"));
    // Body and motion together: the skeleton stands once.
    let both = text(&root.join("both.lsm"));
    good(&["import", &body, &walk, "--skeleton", &body, "-o", &both, "-v"]);
    let shown = json(&good(&["inspect", &both, "--json"]));
    assert_eq!(
        (shown["skeletons"].as_array().unwrap().len(), shown["clips"].as_array().unwrap().len()),
        (1, 2)
    );
}

#[test]
fn clips_are_chosen_and_names_that_collide_are_told_apart() {
    let root = folder("import_clips");
    let one = write(root.join("one/slide.glb"), moving_glb(1.0));
    let two = write(root.join("two/slide.glb"), moving_glb(2.0));
    let out = text(&root.join("both.lsm"));
    let (_, said) = warned(&["import", &one, &two, "-o", &out]);
    assert!(said.contains("this name is taken; it is now \"slide_2\""), "{said}");
    let clips = |file: &str| -> Vec<String> {
        let shown = json(&good(&["inspect", file, "--json"]));
        shown["clips"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(clips(&out), ["slide", "slide_2"]);
    good(&["import", &one, "-o", &out, "--clip", "0"]);
    assert_eq!(clips(&out), ["slide"]);
    let before = fs::read(&out).unwrap();
    let (_, error) = bad(1, &["import", &one, "-o", &out, "--clip", "nobody"]);
    assert!(error.ends_with("lissom: no file has a clip \"nobody\"\n"), "{error}");
    assert_eq!(fs::read(&out).unwrap(), before, "what was there stays");
    let other = root.join("other.lsm");
    bad(1, &["import", &one, "-o", &text(&other), "--clip", "0", "--clip", "nobody"]);
    assert!(!other.exists());
}

#[test]
fn patterns_and_units_are_understood() {
    let root = folder("import_patterns");
    library(&root);
    let pattern = text(&root.join("in/**/*.bvh"));
    let out = format!("{}/", text(&root.join("out")));
    let report = json(&good(&["import", &pattern, "-o", &out, "--json", "--unit", "cm", "--up", "z"]));
    assert_eq!(report["total"]["files"], 6);
    assert_eq!(files_below(&root.join("out"))[0].0, "a.lsm");
    let (_, error) = bad(2, &["import", &text(&root.join("*.fbx")), "-o", &out]);
    assert!(error.contains("no file matches this pattern"), "{error}");
    for (option, value, word) in [
        ("--unit", "parsec", "--unit parsec"),
        ("--rate", "0", "--rate 0"),
        ("--precision", "-1mm", "--precision"),
        ("--jumps", "never", "--jumps never"),
        ("--up", "up", "possible values"),
    ] {
        let (_, error) = bad(2, &["import", &pattern, "-o", &out, &format!("{option}={value}")]);
        assert!(error.contains(word), "{word} is missing from: {error}");
    }
    let (_, error) = bad(2, &["import", &pattern, "-o", &out, "--jumps", "1", "--form", "rows"]);
    assert!(error.contains("--jumps is for --form keys"), "{error}");
}

#[test]
fn a_huge_model_gets_a_precision_of_its_size_unless_one_is_asked_for() {
    let root = folder("import_huge");
    let walk = write(root.join("walk.bvh"), bvh(1, 30).replace("OFFSET 0.5 0 0", "OFFSET 0 50 0"));
    let out = text(&root.join("walk.lsm"));
    let report = json(&good(&["import", &walk, "-o", &out, "--json"]));
    let file = &report["files"][0];
    assert_eq!(file["height_m"].as_f64().unwrap().round(), 50.0);
    assert!(
        file["warnings"][0].as_str().unwrap().contains("50.0 m high, so its precision is 0.5000 mm"),
        "{file}"
    );
    assert!(file["worst_error_m"].as_f64().unwrap() <= 5e-4);
    assert!(file["worst_joint"].is_string() && file["clips"][0]["worst_time_s"].is_number(), "{file}");
    // A shell is where the error is measured, not how large it may be.
    let report = json(&good(&["import", &walk, "-o", &out, "--json", "--shell", "2cm"]));
    let warning = report["files"][0]["warnings"][0].as_str().unwrap();
    assert!(warning.contains("so its precision is 0.5000 mm"), "{warning}");
    let report = json(&good(&["import", &walk, "-o", &out, "--json", "--precision", "0.2mm"]));
    assert_eq!(report["files"][0]["warnings"].as_array().unwrap().len(), 0);
    assert!(report["files"][0]["worst_error_m"].as_f64().unwrap() <= 2e-4);
}

#[test]
fn a_budget_of_bytes_is_kept_or_refused() {
    let root = folder("import_budget");
    let input = write(root.join("a.bvh"), bvh(3, 120));
    let cooked = |budget: &str| {
        let out = text(&root.join(format!("{budget}.lsm")));
        let report = json(&good(&["import", &input, "-o", &out, "--budget", budget, "--json"]));
        let file = &report["files"][0];
        (file["cooked_bytes"].as_u64().unwrap(), file["worst_error_m"].as_f64().unwrap())
    };
    let (small, large) = (cooked("700"), cooked("1100"));
    assert!(small.0 <= 700 && large.0 <= 1100 && large.0 > small.0, "{small:?} {large:?}");
    assert!(large.1 < small.1, "{small:?} {large:?}");
    let out = root.join("none.lsm");
    let (_, error) = bad(1, &["import", &input, "-o", &text(&out), "--budget", "20"]);
    assert!(error.contains("20 are allowed") && !out.exists(), "{error}");
}

/// A chain of two waving joints, in centimetres, with this precision.
fn acl(threshold: f64) -> String {
    let sample = |i: u32| {
        let half = libm::sin(f64::from(i) * 0.7) * 0.4;
        format!("[ 0, 0, {}, {} ]", libm::sin(half), libm::cos(half))
    };
    let samples = (0..60).map(sample).collect::<Vec<_>>().join(" ");
    format!(
        "version = 2\nclip = {{ num_samples = 60 sample_rate = 30 }}\nsettings = {{ error_threshold = {threshold} }}\n\
         bones = [ {{ name = \"a\" parent = \"\" vertex_distance = 3 }}\n\
         {{ name = \"b\" parent = \"a\" vertex_distance = 3 bind_translation = [ 50, 0, 0 ] }} ]\n\
         tracks = [ {{ name = \"a\" rotations = [ {samples} ] }} {{ name = \"b\" rotations = [ {samples} ] }} ]\n"
    )
}

#[test]
fn a_file_that_states_its_precision_is_cooked_with_it_unless_another_is_asked_for() {
    let root = folder("import_stated");
    let out = text(&root.join("out.lsm"));
    let worst = |file: &str, options: &[&str]| {
        let mut line = vec!["import", file, "-o", &out, "--json"];
        line.extend(options);
        let report = json(&good(&line));
        assert_eq!(report["files"][0]["status"], "imported");
        report["files"][0]["worst_error_m"].as_f64().unwrap()
    };
    let (coarse, fine) =
        (write(root.join("coarse.acl.sjson"), acl(0.5)), write(root.join("fine.acl.sjson"), acl(0.001)));
    let found = worst(&coarse, &[]);
    assert!(found > 5e-4 && found <= 5e-3, "{found}");
    assert!(worst(&fine, &[]) <= 1e-5);
    // The same number as the default, but asked for: what was cooked before does not count as unchanged.
    assert!(worst(&coarse, &[]) > 5e-4);
    assert!(worst(&coarse, &["--precision", "0.1mm"]) <= 1e-4);
}

#[test]
fn clips_take_the_form_asked_for() {
    let root = folder("import_form");
    let walk = write(root.join("walk.bvh"), bvh(1, 40));
    let version = |form: &str| {
        let out = text(&root.join(format!("{form}.lsm")));
        good(&["import", &walk, "-o", &out, "--form", form]);
        let bytes = fs::read(out).unwrap();
        let clip = bytes.windows(4).position(|w| w == b"LCLP").unwrap();
        bytes[clip + 4]
    };
    assert_eq!((version("keys"), version("rows")), (1, 2));
    // Rows cannot step: that is told, not passed over.
    let json = MOVING.replace(r#""output": 1 }"#, r#""output": 1, "interpolation": "STEP" }"#);
    let numbers: [f32; 8] = [0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0];
    let binary: Vec<u8> = numbers.iter().flat_map(|v| v.to_le_bytes()).collect();
    let steps = write(root.join("steps.glb"), glb(&json, &binary));
    let import =
        |form: &str| warned(&["import", &steps, "-o", &text(&root.join("steps.lsm")), "--form", form]).1;
    assert!(
        import("rows").contains("clip \"slide\": it steps, or lies on no even rate"),
        "{}",
        import("rows")
    );
    assert_eq!(import("auto"), "");
}

#[test]
fn long_paths_are_whole_where_no_terminal_is_too_narrow() {
    let root = folder("import_long");
    let walk = write(root.join("a".repeat(60)).join("b".repeat(60)).join("walk.bvh"), bvh(1, 10));
    let table = good(&["import", &walk, "-o", &text(&root.join("out.lsm"))]);
    assert!(table.contains(&walk), "{table}");
}

#[test]
fn the_command_writes_the_bytes_that_the_pipeline_gives() {
    let root = folder("import_pipeline");
    let (wave, slide) = (bvh(1, 20), moving_glb(2.0));
    let files = [write(root.join("slide.glb"), &slide), write(root.join("wave.bvh"), &wave)];
    let out = text(&root.join("both.lsm"));
    good(&["import", &files[0], &files[1], "-o", &out, "--precision", "0.2mm"]);
    let options = Options { precision: Some(2e-4), ..Options::default() };
    let inputs = [Input::bytes("slide.glb", &slide), Input::bytes("wave.bvh", wave.as_bytes())];
    let cooked = Plan::new(options).unwrap().cook(&inputs, &serial, &mut unwatched).unwrap();
    assert_eq!(cooked.archive.as_deref(), Some(&fs::read(&out).unwrap()[..]));
}

#[test]
fn an_archive_is_never_written_over_its_source_nor_under_another_name() {
    let root = folder("import_over");
    let wave = write(root.join("wave.bvh"), bvh(1, 4));
    for name in [&wave, "x.glb", "x"] {
        let (_, error) = bad(2, &["import", &wave, "-o", name]);
        assert!(error.contains("it must be OUT.lsm, OUT.lcs with --stream"), "{error}");
    }
    let (cooked, before) = (text(&root.join("wave.lsm")), fs::read(&wave).unwrap());
    good(&["import", &wave, "-o", &cooked]);
    let (_, error) = bad(2, &["import", &cooked, "-o", &cooked]);
    assert!(error.contains("this is one of the files to import"), "{error}");
    let back = text(&root.join("back.glb"));
    good(&["export", &cooked, "-o", &back]);
    let (_, error) = bad(2, &["export", &back, "-o", &back]);
    assert!(error.contains("this is the file to export"), "{error}");
    assert_eq!(fs::read(&wave).unwrap(), before);
}

#[test]
fn clips_stand_in_the_order_of_the_command_line_and_are_called_after_their_files() {
    let root = folder("import_order");
    let glb = |name: &str| glb(&MOVING.replace("slide", name), &numbers(1.0));
    let zebra = write(root.join("Zebra Walk.glb"), glb("mixamo.com"));
    let ape = write(root.join("ape.glb"), glb("Armature|Take 001|BaseLayer"));
    let named = write(root.join("middle.glb"), glb("Armature|Jump"));
    let out = text(&root.join("all.lsm"));
    good(&["import", &zebra, &named, &ape, "-o", &out]);
    let shown = json(&good(&["inspect", &out, "--json"]));
    let names: Vec<_> =
        shown["clips"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Zebra Walk", "Armature|Jump", "ape"]);
    // Found by the file's stem, without case, and by the end of the name.
    for (clip, found) in
        [("Zebra Walk", "Zebra Walk"), ("zebra walk", "Zebra Walk"), ("jump", "Armature|Jump")]
    {
        let shown = json(&good(&["sample", &out, "--clip", clip, "--json"]));
        assert_eq!(shown["clip"], found);
    }
    let (_, error) = bad(1, &["sample", &out, "--clip", "jmp"]);
    assert!(error.contains("there is no clip \"jmp\" (did you mean \"Armature|Jump\"?)"), "{error}");
    let (_, error) = bad(1, &["import", &named, "-o", &out, "--clip", "junp"]);
    assert!(error.contains("no file has a clip \"junp\" (did you mean \"Armature|Jump\"?)"), "{error}");
}

fn numbers(end_x: f32) -> Vec<u8> {
    [0.0, 1.0, 0.0, 0.0, 0.0, end_x, 0.0, 0.0].iter().flat_map(|v: &f32| v.to_le_bytes()).collect()
}

#[test]
fn a_motion_for_another_rest_pose_is_rebased_or_refused_with_the_joint_and_the_angle() {
    let root = folder("import_rest");
    let walk = write(root.join("walk.bvh"), bvh(1, 10));
    // The same joints, its arm raised: offsets say how a BVH rests.
    let raised = write(root.join("raised.bvh"), bvh(1, 1).replace("OFFSET 0.5 0 0", "OFFSET 0.1 0.49 0"));
    let out = text(&root.join("walk.lsm"));
    let (_, error) = bad(1, &["import", &walk, "--skeleton", &raised, "-o", &out]);
    assert!(error.contains("the bone to \"arm\" points 78 degrees away"), "{error}");
    assert!(!root.join("walk.lsm").exists());
    // Twice as large: its hips travel twice as far.
    let large = bvh(1, 1).replace("OFFSET 0 1 0", "OFFSET 0 2 0").replace("OFFSET 0.5 0 0", "OFFSET 1 0 0");
    let large = write(root.join("large.bvh"), large.replace("OFFSET 0.25 0 0", "OFFSET 0.5 0 0"));
    good(&["import", &walk, "--skeleton", &large, "-o", &out]);
    let at = |file: &str| {
        let shown = json(&good(&["sample", file, "--time", "0.3", "--space", "model", "--json"]));
        let hand = &shown["joints"][2];
        assert_eq!(hand["name"], "hand");
        hand["matrix"].as_array().unwrap()[12..15].iter().map(|v| v.as_f64().unwrap()).collect::<Vec<_>>()
    };
    for (own, large) in at(&walk).iter().zip(at(&out)) {
        assert!((own * 2.0 - large).abs() < 3e-4, "{own} {large}");
    }
}

#[test]
fn an_archive_goes_to_standard_output_and_a_clip_to_a_stream() {
    let root = folder("import_outputs");
    let wave = write(root.join("wave.bvh"), bvh(1, 20));
    let out = text(&root.join("wave.lsm"));
    good(&["import", &wave, "-o", &out]);
    let piped = lissom(&["import", &wave, "-o", "-"]);
    assert!(piped.status.success());
    assert_eq!(piped.stdout, fs::read(&out).unwrap(), "the same archive");
    assert!(String::from_utf8(piped.stderr).unwrap().contains("wave.bvh"), "the table is beside it");

    let stream = text(&root.join("one.lcs"));
    let (_, error) = bad(2, &["import", &wave, "-o", &stream]);
    assert!(error.contains("a stream is written with --stream"), "{error}");
    good(&["import", &wave, "-o", &stream, "--stream"]);
    assert!(good(&["inspect", &stream]).contains("wave"));
    let two = write(root.join("other.bvh"), bvh(2, 20));
    let (_, error) = bad(2, &["import", &wave, &two, "-o", &stream, "--stream"]);
    assert!(error.contains("a stream holds one clip, here are 2"), "{error}");
    for options in [["--stream", "-q"], ["--json", "-q"]] {
        bad(2, &[&["import", &wave, "-o", "-"][..], &options].concat());
    }
    assert_eq!(files_below(&root).len(), 4, "nothing else was written");
}

#[test]
fn standard_input_is_read_where_one_file_is_asked_for() {
    let root = folder("import_stdin");
    let wave = write(root.join("wave.bvh"), bvh(1, 20));
    let out = text(&root.join("wave.lsm"));
    good(&["import", &wave, "-o", &out]);
    for (file, word) in [(&wave, "BVH"), (&out, "lsm")] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_lissom"))
            .args(["inspect", "-"])
            .stdin(fs::File::open(file).unwrap())
            .output()
            .unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && shown.contains(word) && shown.contains("hand"), "{shown}");
    }
    let empty = std::process::Command::new(env!("CARGO_BIN_EXE_lissom"))
        .args(["inspect", "-"])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(empty.status.code(), Some(1));
    assert!(String::from_utf8(empty.stderr).unwrap().contains("-: the file is empty"));
}

#[test]
fn options_for_authored_files_are_not_passed_over_for_an_archive() {
    let root = folder("import_archive_options");
    let wave = write(root.join("wave.bvh"), bvh(1, 20));
    let out = text(&root.join("wave.lsm"));
    good(&["import", &wave, "-o", &out]);
    for option in ["--unit=cm", "--up=z", "--forward=-z", "--rate=30"] {
        let (_, error) = bad(2, &["inspect", &out, option]);
        let name = option.split('=').next().unwrap();
        assert!(error.contains(&format!("{name} is for files as authored")), "{error}");
        good(&["inspect", &wave, option]);
    }
    // Export follows them.
    let (large, small) = (text(&root.join("large.glb")), text(&root.join("small.glb")));
    good(&["export", &out, "-o", &large]);
    good(&["export", &out, "--unit", "cm", "-o", &small]);
    let hips = |file: &str| {
        let shown = json(&good(&["sample", file, "--space", "model", "--json"]));
        shown["joints"][0]["matrix"][13].as_f64().unwrap()
    };
    assert!((hips(&large) - 1.0).abs() < 1e-3 && (hips(&small) - 0.01).abs() < 1e-5);
}

/// A tube along y that bends over three joints: one or two joints a vertex, in no order; a morph target lifts some.
fn tube() -> Vec<u8> {
    let joint = |name: &str, parent: Option<usize>| RawJoint {
        name: name.into(),
        parent,
        rest: Trs { translation: V3::new(0.0, parent.map_or(0.0, |_| 1.0), 0.0), ..Trs::IDENTITY },
    };
    let skeleton = RawSkeleton { joints: vec![joint("a", None), joint("b", Some(0)), joint("c", Some(1))] };
    let number = |i: usize| i as f32 / 64.0;
    let row = |i: usize| match i % 4 {
        0 => ([2, 0], [1.0, 0.0]),
        1 => ([1, 2], [0.75, 0.25]),
        2 => ([0, 0], [1.0, 0.0]),
        _ => ([0, 1], [0.5, 0.5]),
    };
    let (joints, weights): (Vec<[u16; 2]>, Vec<[f32; 2]>) = (0..36).map(row).unzip();
    let mesh = RawMesh {
        name: "tube".into(),
        positions: (0..36).map(|i| [number(i), number(i * i % 64), number(i % 7)]).collect(),
        normals: vec![[0.0, 0.0, 1.0]; 36],
        influences: Influences::from_rows(&joints, &weights),
        indices: (0..34).flat_map(|i| [i, i + 1, i + 2]).collect(),
        inverse_binds: (0..3)
            .map(|j| M34 { columns: [V3::X, V3::Y, V3::Z, V3::new(0.0, -f64::from(j), 0.0)] })
            .collect(),
        uvs: vec![(0..36).map(|i| [number(i), 0.25]).collect()],
        ..RawMesh::default()
    };
    let lift = Morph {
        name: "lift".into(),
        positions: (0..36).map(|i| [0.0, if i % 3 == 0 { number(i) } else { 0.0 }, 0.0]).collect(),
        ..Morph::default()
    };
    let bend = |i: usize| {
        let t = i as f64 / 10.0;
        (t, Q4::from_axis_angle(V3::X, 0.5 * t))
    };
    let track = RawTrack { rotation: Channel::new(Curve::Linear, (0..11).map(bend)), ..RawTrack::default() };
    let motion = RawAnimation {
        name: "bend".into(),
        duration_s: 1.0,
        tracks: vec![RawTrack::default(), track, RawTrack::default()],
        ..RawAnimation::default()
    };
    let scene = Scene {
        skeletons: vec![SceneSkeleton { name: "tube".into(), skeleton, ..SceneSkeleton::default() }],
        animations: vec![SceneAnimation { skeleton: Some(0), motion, ..SceneAnimation::default() }],
        meshes: vec![SceneMesh { mesh, morphs: vec![lift], ..SceneMesh::default() }],
        ..Scene::default()
    };
    write_glb(&scene).unwrap()
}

#[test]
fn a_mesh_is_laid_out_for_skinning_and_exported_as_it_was() {
    let root = folder("import_layout");
    let source = write(root.join("tube.glb"), tube());
    let [plain, sorted, again] = ["plain.lsm", "sorted.lsm", "again.lsm"].map(|f| text(&root.join(f)));
    good(&["import", &source, "-o", &plain]);
    good(&["import", &source, "-o", &sorted, "--layout", "skinning"]);
    // It is a part of the stamp.
    assert!(good(&["import", &source, "-o", &sorted, "--layout", "skinning"]).contains("unchanged"));
    assert!(!good(&["import", &source, "-o", &sorted, "--layout", "source"]).contains("unchanged"));
    good(&["import", &source, "-o", &sorted, "--layout", "skinning"]);
    let shown = good(&["inspect", &sorted]);
    assert!(shown.contains("tube: vertices laid out: 18 follow 1 joint, 18 follow 2 joints"), "{shown}");
    assert!(!good(&["inspect", &plain]).contains("laid out"));
    let mesh = &json(&good(&["inspect", &sorted, "--json"]))["meshes"][0];
    assert_eq!(mesh["laid_out"], true);
    assert_eq!((&mesh["runs"][1]["influences"], &mesh["runs"][1]["vertices"]), (&2.into(), &18.into()));
    good(&["check", &sorted]);

    let archives = [&plain, &sorted].map(|file| Archive::open(file).unwrap());
    let [from, to] = archives.each_ref().map(|a| a.mesh("tube").unwrap());
    let (from, to) = (from.view(), to.view());
    for (here, was) in to.order.iter().enumerate() {
        let was = *was as usize;
        assert_eq!((to.positions[here], to.uvs[here]), (from.positions[was], from.uvs[was]));
    }
    // Exports, imports of the archive, and a recipe.
    let glb = |file: &str| {
        let out = text(&root.join("back.glb"));
        good(&["export", file, "-o", &out]);
        fs::read(out).unwrap()
    };
    assert_eq!(glb(&plain), glb(&sorted));
    let order = |file: &str| Archive::open(file).unwrap().mesh("tube").unwrap().view().order.to_vec();
    good(&["import", &sorted, "-o", &again]);
    assert_eq!(order(&again), to.order);
    good(&["import", &sorted, "-o", &again, "--layout", "source"]);
    assert!(order(&again).is_empty());
    write(root.join("sub/lissom.toml"), "layout = 'skinning'\n");
    let by_recipe = text(&root.join("sub/tube.lsm"));
    good(&["import", &source, "-o", &by_recipe]);
    assert_eq!(fs::read(&by_recipe).unwrap(), fs::read(&sorted).unwrap());

    let (_, error) = bad(2, &["export", &sorted, "-o", &text(&root.join("x.glb")), "--layout", "skinning"]);
    assert!(error.contains("vertices are exported in the order of their source"), "{error}");
    bad(2, &["import", &source, "-o", &again, "--layout", "joints"]);
    let (_, error) = bad(2, &["inspect", &sorted, "--layout", "source"]);
    assert!(error.contains("--layout is for files as authored"), "{error}");
}
