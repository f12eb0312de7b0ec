//! From a recipe to an explained search.

use crate::common::{bad, blocks, bvh, folder, good, json, page, run_all, text, unrun, write};
use lissom::archive::Archive;
use lissom::{
    bones::Side,
    job::{FootLock, FootLockRule},
    pose::Limb,
};
use lissom_motion::{Animator, RootStep};
use std::fs;

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
    assert!(!fs::exists(&out).unwrap());
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

/// The first section of docs/MATCHING.md: its commands, its files, and its code; and the code that holds feet.
#[test]
fn a_folder_of_bvh_becomes_a_character_that_goes_where_it_is_told() -> Result<(), Box<dyn std::error::Error>>
{
    let page = page("MATCHING.md");
    let section = page.split("\n## ").nth(1).expect("the page has sections");
    assert!(section.starts_with("In ten minutes"));
    let root = folder("matching_page");
    write(root.join("lissom.toml"), &blocks(section, "toml")[0]);
    write(root.join("hero.json"), &blocks(section, "json")[0]);
    let commands = blocks(section, "sh");
    assert_eq!(run_all(&commands[0], &root), 11, "the files to try");
    assert_eq!(run_all(&commands[1], &root), 2, "the way");
    let own = include_str!("matching.rs").replace("&path", "\"hero.lsm\"");
    let code: Vec<String> = blocks(&page, "rust").into_iter().filter(|code| code.contains("Limb")).collect();
    assert_eq!(code.len(), 1, "how feet are held");
    assert_eq!(unrun(&[blocks(section, "rust"), code].concat(), &own), None);

    let path = root.join("hero.lsm");
    let (mut turned, mut start) = (RootStep::IDENTITY, RootStep::IDENTITY);
    let archive = Archive::open(&path)?;
    assert_eq!(archive.meshes().count(), 1, "the character's own");
    let mut hero = Animator::new(&archive, "hero")?;
    let (aside, ahead) = (hero.graph().float("aside")?, hero.graph().float("ahead")?);
    let mut place = RootStep::IDENTITY;
    for frame in 0..360 {
        let stick = if frame < 180 { [0.0, 1.3] } else { [1.3, 0.0] }; // metres per second in the world: x, z
        let heading = 2.0 * libm::atan2(place.rotation[1], place.rotation[3]);
        let (sin, cos) = (libm::sin(heading), libm::cos(heading));
        hero.set(aside, (stick[0] * cos - stick[1] * sin) as f32)?;
        hero.set(ahead, (stick[0] * sin + stick[1] * cos) as f32)?;
        hero.update(1.0 / 60.0)?;
        place = place.then(&hero.root_delta()); // where your game puts the character
        let _matrices = hero.models(); // for your renderer
        match frame {
            179 => turned = place,
            299 => start = place,
            _ => {}
        }
    }
    // Three seconds along z; then, once it has turned, along x.
    let [x, _, z] = turned.translation;
    assert!((2.5..4.5).contains(&z) && x.abs() < 0.7, "{turned:?}");
    let [x, _, z]: [f64; 3] = core::array::from_fn(|i| place.translation[i] - start.translation[i]);
    assert!((1.0..1.6).contains(&x) && z.abs() < 0.5, "{x} m and {z} m in a second");

    let skeleton = hero.body().skeleton();
    let legs = [Limb::leg(skeleton, Side::Left)?, Limb::leg(skeleton, Side::Right)?];
    let (mut locks, rule) = ([FootLock::default(); 2], FootLockRule::default());
    for _ in 0..60 {
        let locks = &mut locks;
        hero.update_deciding(1.0 / 60.0, |hero| {
            place = place.then(&hero.root_delta());
            let world = place.to_transform().to_mat34();
            let stand = [hero.is_in("contact_left"), hero.is_in("contact_right")];
            move |pose| {
                for ((leg, lock), stands) in legs.iter().zip(locks).zip(stand) {
                    pose.plant(leg, lock, &rule, stands, &world, 1.0 / 60.0)?;
                }
                Ok(())
            }
        })?;
    }
    assert!(locks.iter().all(|lock| lock.place != Default::default()), "both feet stood: {locks:?}");
    Ok(())
}
