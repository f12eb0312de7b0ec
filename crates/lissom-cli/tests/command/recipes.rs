//! `docs/RECIPES.md`, and recipes on the command line.

use crate::common::{bad, bvh, folder, good, json, lissom, text, write};
use std::fs;

fn page() -> String {
    fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/RECIPES.md")).unwrap()
}

#[test]
fn the_recipe_of_the_page_gives_what_the_page_says() {
    let page = page();
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let (toml, rest) = rest.split_once("```").unwrap();
    let (line, _) = rest.split_once("The archive then has ").unwrap().1.split_once('.').unwrap();
    let wanted: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
    let root = folder("recipes_page");
    write(root.join("lissom.toml"), toml);
    let (glb, out) = (text(&root.join("mannequin.glb")), text(&root.join("hero.lsm")));
    good(&["mannequin", "-o", &glb, "--body-m", "0.04", "--hand-m", "0.012"]);
    good(&["import", &glb, "-o", &out, "--json"]);
    let shown = json(&good(&["inspect", &out, "--json"]));
    let clips = shown["clips"].as_array().unwrap();
    let names: Vec<&str> = clips.iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, wanted);
    let clip = |name: &str| clips.iter().find(|c| c["name"] == name).unwrap();
    assert!((clip("wave_left")["seconds"].as_f64().unwrap() - 1.8).abs() < 1e-6);
    assert_eq!(clip("run_back")["looping"], true);
}

/// Every key of the table is one that the reader knows, and the other way round.
#[test]
fn the_page_lists_every_key() {
    let page = page();
    let (_, table) = page.split_once("| key | value |").unwrap();
    let rows = table.lines().skip(2).take_while(|l| l.starts_with('|'));
    let keys: Vec<&str> = rows.map(|l| l.split('`').nth(1).unwrap()).collect();
    for key in &keys {
        let error =
            lissom_build::recipe::read(format!("[clips.a]\n{key} = 2026-01-01").as_bytes()).unwrap_err();
        assert!(matches!(error, lissom_build::recipe::RecipeError::Value { .. }), "{key}: {error}");
    }
    assert_eq!(keys.len(), 16);
}

#[test]
fn edits_are_options_too_and_go_before_those_of_the_file() {
    let root = folder("recipes_options");
    let walk = write(root.join("walk.bvh"), bvh(1, 31));
    let out = text(&root.join("walk.lsm"));
    let config = write(root.join("lissom.toml"), "[clips.walk]\ntrim = [0, 0.5]\nprecision = '5mm'\n");
    let clip = |more: &[&str]| {
        good(&[&["import", &walk, "-o", &out, "--force"][..], more].concat());
        json(&good(&["inspect", &out, "--json"]))["clips"][0].clone()
    };
    let seconds = |c: &serde_json::Value| c["seconds"].as_f64().unwrap();
    assert!((seconds(&clip(&[])) - 0.5).abs() < 1e-3);
    let cut = clip(&["--trim", "0.25..", "--name", "my_*"]);
    assert!((seconds(&cut) - 0.75).abs() < 1e-3, "{cut}");
    assert_eq!(cut["name"], "my_walk");
    let worst = |more: &[&str]| {
        let all = [&["import", &walk, "-o", &out, "--force", "--json"][..], more].concat();
        json(&good(&all))["files"][0]["worst_error_m"].as_f64().unwrap()
    };
    assert!(worst(&[]) > 1e-3);
    assert!(worst(&["--precision", "0.1mm"]) <= 1e-4, "the command line wins");
    for all in [
        &[
            "--reverse",
            "--mirror",
            "--in-place",
            "--loop",
            "close",
            "--event",
            "step=0.1",
            "--joint",
            "hand=0.05mm",
        ][..],
        &["--in-place=drift", "--additive", "first"],
        &["--additive", "walk@0.2"],
        &["--root-motion"],
        &["--root-motion=*", "--loop", "close"],
    ] {
        clip(all);
    }
    for (option, value, word) in [
        ("--trim", "2..1", "--trim 2..1: it must be a range of seconds"),
        ("--event", "step", "--event step: it must be NAME=SECONDS"),
        ("--joint", "hand=5", "write 5mm"),
        ("--precision", "5", "--precision 5: a number alone is metres, and that is a lot: write 5mm"),
        ("--additive", "", "--additive: it must be"),
    ] {
        let (_, error) = bad(2, &["import", &walk, "-o", &out, &format!("{option}={value}")]);
        assert!(error.contains(word), "{word} is missing from: {error}");
    }
    let (_, error) = bad(1, &["import", &walk, "-o", &out, "--trim", "0.5..7"]);
    assert!(error.contains("walk.bvh: clip \"walk\": trim: the range 0.5 s to 7 s"), "{error}");
    // A table that fits nothing.
    write(config.into(), "\n[clips.wlak]\nreverse = true\n");
    let output = lissom(&["import", &walk, "-o", &out]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success());
    assert!(
        error.ends_with("lissom.toml: line 2: no clip is called \"wlak\" (did you mean \"walk\"?)\n"),
        "{error}"
    );
}

/// A clip on the spot gets the speed of its feet, and the report says how far they still slide.
#[test]
fn root_motion_from_feet_is_told_with_what_slides() {
    let root = folder("recipes_feet");
    let (glb, spot) = (text(&root.join("mannequin.glb")), text(&root.join("spot.lsm")));
    good(&["mannequin", "-o", &glb, "--body-m", "0.04", "--hand-m", "0.012"]);
    good(&["import", &glb, "-o", &spot, "--clip", "walk", "--in-place", "--effort", "fast"]);
    let (still, out) = (text(&root.join("still.bvh")), text(&root.join("out.lsm")));
    good(&["export", &spot, "--clip", "walk", "-o", &still]);
    let all = ["import", &still, "-o", &out, "--root-motion=from feet", "--effort", "fast", "--force"];
    let told = json(&good(&[&all[..], &["--json"]].concat()));
    let clip = &told["files"][0]["clips"][0];
    let (speed, slide) = (clip["speed"].as_f64().unwrap(), clip["slide"].as_f64().unwrap());
    assert!((1.0..1.8).contains(&speed) && slide > 0.0 && slide < 0.5 * speed, "{speed} {slide}");
    let line = format!("still: root motion from feet: {speed:.2} m/s; they slide by {slide:.2} m/s\n");
    let table = good(&all);
    assert!(table.contains(&line), "{table}");
    // Where clips are chosen, a rule for all is not told as one that fits none.
    write(root.join("lissom.toml"), "[clips.\"*\"]\nreverse = true\n");
    let (_, error) = bad(1, &["import", &still, "-o", &out, "--clip", "stroll"]);
    assert!(
        error.contains("no file has a clip \"stroll\"") && !error.contains("no clip is called"),
        "{error}"
    );
}

/// A motion of another human onto the mannequin: as an option, in a recipe, and what was not matched is told.
#[test]
fn motions_of_another_skeleton_are_brought_onto_this_one() {
    let root = folder("recipes_retarget");
    let (glb, hero) = (text(&root.join("mannequin.glb")), text(&root.join("hero.lsm")));
    good(&["mannequin", "-o", &glb, "--body-m", "0.04", "--hand-m", "0.012"]);
    good(&["import", &glb, "-o", &hero, "--clip", "walk", "--effort", "fast"]);
    let bvh = text(&root.join("walk.bvh"));
    good(&["export", &hero, "--clip", "walk", "-o", &bvh]);
    // Another human: twice as large, with Unreal's names for its thighs and shins.
    let file = fs::read_to_string(&bvh).unwrap().replace("shin_", "calf_").replace("toes_", "ball_");
    let other = write(root.join("other.bvh"), file);
    let out = text(&root.join("moved.lsm"));
    let names = ["import", &other, "--unit", "2", "--retarget", &hero, "-o", &out, "--verbose"];
    let told = lissom(&[&names[..], &["--goals", "feet"]].concat());
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let told = String::from_utf8_lossy(&told.stderr).into_owned() + &String::from_utf8_lossy(&told.stdout);
    assert!(told.contains("are no bones and rest"), "{told}");
    let joints = |path: &str| json(&good(&["inspect", path, "--json"]))["skeletons"][0]["joints"].clone();
    assert_eq!(joints(&out), joints(&hero));
    // The recipe says the same, and finds the file beside itself.
    write(root.join("lissom.toml"), "retarget = 'hero.lsm'\ngoals = 'feet'\nunit = 2\n");
    let again = text(&root.join("again.lsm"));
    good(&["import", &other, "-o", &again]);
    assert_eq!(joints(&again), joints(&hero));
    // The skeleton's own motions go through as they are, mesh and all.
    let same = text(&root.join("same.lsm"));
    good(&["import", &glb, "-o", &same, "--clip", "walk", "--effort", "fast", "--unit", "1"]);
    assert_eq!(json(&good(&["inspect", &same, "--json"]))["meshes"].as_array().unwrap().len(), 1);
    // Who is no human is refused in words.
    let stick = write(root.join("stick.bvh"), bvh_of_nobody());
    let (_, error) = bad(1, &["import", &stick, "-o", &out, "--force"]);
    assert!(error.contains("no joint of the source is known to be its hips"), "{error}");
    let none = write(root.join("none.toml"), "");
    bad(2, &["import", &other, "-o", &out, "--config", &none, "--goals", "feet"]);
}

fn bvh_of_nobody() -> String {
    "HIERARCHY ROOT stick { OFFSET 0 1 0 CHANNELS 1 Xposition End Site { OFFSET 0 1 0 } } MOTION Frames: 3 Frame Time: 0.5 0 1 2"
        .into()
}

/// Files in centimetres and files in metres become one archive.
#[test]
fn files_of_some_names_have_options_of_their_own() {
    let root = folder("recipe_files");
    let large = write(root.join("large.bvh"), bvh(1, 5));
    let small = write(root.join("small_cm.bvh"), bvh(1, 5));
    write(root.join("lissom.toml"), "[files.'*_CM.bvh']\nunit = 'cm'\n[files.'*.fbx']\nunit = 'mm'\n");
    let out = text(&root.join("both.lsm"));
    let done = lissom(&["import", &large, &small, "-o", &out, "--json"]);
    let error = String::from_utf8(done.stderr).unwrap();
    assert!(error.contains("lissom.toml: line 3: no file is called \"*.fbx\""), "{error}");
    let report = json(&String::from_utf8(done.stdout).unwrap());
    let height = |file: usize| report["files"][file]["height_m"].as_f64().unwrap();
    assert!((height(0) - 100.0 * height(1)).abs() < 1e-6, "{} {}", height(0), height(1));
    // The command line goes before it.
    let metres = json(&good(&["import", &small, "--unit", "m", "-o", &out, "--json"]));
    assert_eq!(metres["files"][0]["height_m"].as_f64(), Some(height(0)));
}

/// Which joint is which bone: shown, corrected on the command line and by a recipe, and wrong words are refused with a suggestion.
#[test]
fn the_table_of_bones_is_shown_and_corrected() {
    let root = folder("recipes_bones");
    let glb = text(&root.join("mannequin.glb"));
    good(&["mannequin", "-o", &glb, "--body-m", "0.04", "--hand-m", "0.012"]);
    let bvh = text(&root.join("walk.bvh"));
    good(&["export", &glb, "--clip", "walk", "-o", &bvh]);
    // A hand that nobody knows, and two of them, so that no chain tells either.
    let file =
        fs::read_to_string(&bvh).unwrap().replace("hand_l", "Blob_l").replace("forearm_twist_l", "Blab_l");
    let other = write(root.join("other.bvh"), file);
    let table = |more: &[&str]| good(&[&["retarget", &other, &glb, "--table"], more].concat());
    let row = |table: &str, bone: &str| {
        let line = table.lines().find(|line| line.starts_with(bone)).unwrap_or_else(|| panic!("{table}"));
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()[bone.split_whitespace().count()..]
            .to_vec()
    };
    let shown = table(&[]);
    assert_eq!(row(&shown, "right hand"), ["hand_r", "name", "hand_r", "name"]);
    assert_eq!(row(&shown, "left hand "), ["Blob_l", "chain", "hand_l", "name"], "{shown}");
    let shown = table(&["--bone", "source.left_hand="]);
    assert!(shown.starts_with("left hand: not found in "), "{shown}");
    let named = table(&["--bone", "left_hand=Blob_l"]);
    assert_eq!(row(&named, "left hand "), ["Blob_l", "corrected", "hand_l", "name"]);
    write(root.join("lissom.toml"), "bones = { left_hand = 'Blab_l' }\n");
    let recipe = text(&root.join("lissom.toml"));
    let told = json(&good(&["retarget", &other, &glb, "--json", "--config", &recipe]));
    let hand = told["bones"].as_array().unwrap().iter().find(|row| row["bone"] == "left_hand").unwrap();
    assert_eq!((&hand["source"]["joint"], &hand["source"]["found"]), (&"Blab_l".into(), &"corrected".into()));
    // What a recipe says is what import does.
    let out = text(&root.join("moved.lsm"));
    good(&["import", &other, "--retarget", &glb, "-o", &out, "--effort", "fast"]);
    let (_, error) = bad(2, &["retarget", &other, &glb, "--bone", "left_hnd=x"]);
    assert!(error.contains("there is no bone \"left_hnd\"; did you mean \"left_hand\"?"), "{error}");
    let (_, error) = bad(1, &["retarget", &other, &glb, "--bone", "left_hand=Blob_k"]);
    assert!(error.contains("is called \"Blob_k\"; did you mean \"Blob_l\"?"), "{error}");
    write(root.join("lissom.toml"), "unit = 1\nbones = { lft_hand = 'x' }\n");
    let (_, error) = bad(2, &["import", &other, "--retarget", &glb, "-o", &out]);
    assert!(error.contains("line 2") && error.contains("did you mean \"left_hand\"?"), "{error}");
    fs::remove_file(root.join("lissom.toml")).unwrap();
    bad(2, &["import", &other, "-o", &out, "--bone", "left_hand=Blob_l"]);
}
