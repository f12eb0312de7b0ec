//! From a recipe to an explained search.

use crate::common::{bad, bvh, folder, good, json, text, write};

/// A database of the first clip of two, on what the hips and the hand do.
const RECIPE: &str =
    "[clips.'*']\nroot-motion = true\n[matching.arms]\nclips = ['walk', { clip = 'run', tags = ['fast'] }]
mirrored = true\njoints = { hips = 'velocity', hand = ['position', 'velocity'] }\n";

/// An arm that waves on a body that goes ahead faster and faster, and sways.
fn going(speed: f64, frames: u32) -> String {
    let head = bvh(1, 1);
    let mut text = head.split_once("Frames:").unwrap().0.to_owned();
    text.push_str(&format!("Frames: {frames}\nFrame Time: 0.0333333\n"));
    for frame in 0..frames {
        let t = f64::from(frame) / 30.0;
        let (x, z) = (0.1 * libm::sin(3.0 * t), speed * t * (1.0 + 0.2 * t));
        let (turn, wave) = (10.0 * t, 30.0 * libm::sin(4.0 * t));
        text.push_str(&format!("{x} 1 {z} 0 0 {turn} {wave} 0 0 0 0 0\n"));
    }
    text
}

#[test]
fn a_recipe_gives_a_database_that_is_shown_checked_and_explained() {
    let root = folder("matching_all");
    let files = [write(root.join("walk.bvh"), going(1.2, 91)), write(root.join("run.bvh"), going(2.5, 91))];
    let out = text(&root.join("hero.lsm"));
    write(root.join("lissom.toml"), RECIPE);
    good(&["import", &files[0], &files[1], "-o", &out]);
    let shown = json(&good(&["inspect", &out, "--json"]));
    let database = &shown["matching"][0];
    assert_eq!((&database["name"], &database["features"]), (&"arms".into(), &21.into()));
    assert_eq!((&database["frames"], &database["clips"]), (&364.into(), &4.into()));
    assert_eq!(database["tags"], serde_json::json!(["fast"]));
    assert_eq!(shown["warnings"], serde_json::json!([]));
    assert!(good(&["inspect", &out]).contains("arms: tags fast"));
    assert!(good(&["check", &out]).contains("hero.lsm"));
    let explain = |more: &[&str]| {
        json(&good(
            &[&["matching", &out, "arms", "--clip", "run", "--time", "0.5", "--json"][..], more].concat(),
        ))
    };
    let told = explain(&["--best", "3"]);
    assert_eq!(told["best"].as_array().unwrap().len(), 3);
    assert_eq!(told["current"]["clip"], "run");
    assert!(told["current"]["cost"].as_f64().unwrap() < 1e-3, "it is where it is");
    // What the groups add is the cost, and so is what the features add.
    assert_eq!(told["features"].as_array().unwrap().len(), 21);
    for line in told["best"].as_array().unwrap() {
        let cost = line["cost"].as_f64().unwrap();
        for by in ["by_group", "by_feature"] {
            let sum: f64 = line[by].as_array().unwrap().iter().map(|c| c.as_f64().unwrap()).sum();
            assert!((sum - cost).abs() < 1e-3 * (1.0 + cost), "{by}: {line}");
        }
    }
    let steered = explain(&["--velocity", "0,3", "--turn", "45", "--tag", "fast"]);
    assert!(steered["current"]["cost"].as_f64() > told["current"]["cost"].as_f64());
    let tagged = steered["best"].as_array().unwrap();
    assert!(tagged.iter().all(|line| line["clip"].as_str().unwrap().starts_with("run")), "{steered}");
    let table = good(&["matching", &out, "arms"]);
    assert!(table.contains("(plays)") && table.contains("A: hips velocity"), "{table}");
    assert!(!table.contains("direction in 0.67 s, z"), "{table}");
    let table = good(&["matching", &out, "arms", "--features"]);
    assert!(table.contains("position of hand, x") && table.contains("direction in 0.67 s, z"), "{table}");
}

#[test]
fn what_is_not_there_is_said() {
    let root = folder("matching_errors");
    let walk = write(root.join("walk.bvh"), bvh(1, 61));
    let out = text(&root.join("hero.lsm"));
    write(root.join("lissom.toml"), "[matching.arms]\nclips = ['walk']\njoints = { hand = 'position' }\n");
    let (_, error) = bad(1, &["import", &walk, "-o", &out]);
    assert!(error.contains("clip \"walk\" has no root motion"), "{error}");
    assert!(!std::path::Path::new(&out).exists());
    let (_, error) = bad(2, &["import", &walk, "-o", &text(&root.join("all/"))]);
    assert!(error.contains("needs one archive"), "{error}");
    write(root.join("lissom.toml"), "[clips.walk]\nroot-motion = true\n[matching.arms]\nclips = ['walk']\n");
    let (_, error) = bad(1, &["import", &walk, "-o", &out]);
    assert!(error.contains("neither a bone nor a joint \"left_foot\""), "{error}");
    write(root.join("lissom.toml"), RECIPE.replace(", { clip = 'run', tags = ['fast'] }", ""));
    good(&["import", &walk, "-o", &out]);
    for (arguments, code, says) in [
        (vec!["swim"], 1, "swim"),
        (vec!["arms", "--clip", "swim"], 1, "no clip \"swim\""),
        (vec!["arms", "--time", "99"], 1, "shorter"),
        (vec!["arms", "--tag", "wild"], 1, "no tag called \"wild\""),
        (vec!["arms", "--velocity", "1"], 2, "two numbers"),
    ] {
        let (_, error) = bad(code, &[&["matching", out.as_str()][..], &arguments].concat());
        assert!(error.contains(says), "{error}");
    }
}
