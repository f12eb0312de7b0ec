//! Recipes through the pipeline: what a `lissom.toml` says is what an archive holds.

use lissom_build::{
    cook::{ClipBuilder, Effort},
    edit::{EditError, EditReason},
    exact::{Trs, V3},
    import::{self, ImportOptions},
    pipeline::{Cooked, Input, InputError, Options, Plan, serial, unwatched},
    recipe,
    scene::Scene,
};
use std::path::Path;

/// Hips that walk along z and arms that swing; the last pose is the first but for the way that was walked.
fn bvh(frames: u32, step_m: f64, swing: f64) -> String {
    let arm = |name: &str, x: f64| {
        format!(
            "JOINT {name}Arm {{ OFFSET {x} 0.5 0 CHANNELS 3 Zrotation Xrotation Yrotation JOINT {name}Hand {{ OFFSET {} 0 0 \
             CHANNELS 3 Zrotation Xrotation Yrotation End Site {{ OFFSET {x} 0 0 }} }} }}",
            2.0 * x
        )
    };
    let mut text = format!(
        "HIERARCHY ROOT hips {{ OFFSET 0 1 0 CHANNELS 3 Xposition Yposition Zposition {} {} }}\nMOTION\nFrames: {frames}\nFrame \
         Time: 0.05\n",
        arm("Left", 0.2),
        arm("Right", -0.2)
    );
    for frame in 0..frames {
        let turn = std::f64::consts::TAU * f64::from(frame) / f64::from(frames - 1);
        let (a, b) = (swing * libm::sin(turn), swing * libm::cos(turn));
        text.push_str(&format!("0 1 {} 0 {a} 0 0 {b} 0 0 {b} 0 10 20 {a}\n", f64::from(frame) * step_m));
    }
    text
}

fn options(toml: &str) -> Options<'static> {
    let rules = recipe::read(toml.as_bytes()).unwrap().rules;
    let cook = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    Options { rules, cook, ..Options::default() }
}

fn cook(toml: &str, files: &[(&str, &str)]) -> Cooked {
    let inputs: Vec<Input<'_>> =
        files.iter().map(|(name, text)| Input::bytes(*name, text.as_bytes())).collect();
    Plan::new(options(toml)).unwrap().cook(&inputs, &serial, &mut unwatched).unwrap()
}

/// What a file says, and what an archive says, as the importers read them.
fn opened(name: &str, bytes: &[u8]) -> Scene {
    let mut files = |uri: &str| panic!("nobody names {uri}");
    import::open_bytes(Path::new(name), bytes, &mut files, None, &ImportOptions::default()).unwrap()
}

fn cooked(toml: &str, files: &[(&str, &str)]) -> Scene {
    let cooked = cook(toml, files);
    for input in &cooked.inputs {
        input.as_ref().unwrap();
    }
    opened("out.lsm", &cooked.archive.unwrap())
}

fn error(toml: &str, files: &[(&str, &str)]) -> EditError {
    match cook(toml, files).inputs.into_iter().find_map(Result::err) {
        Some(InputError::Edit { source, .. }) => *source,
        other => panic!("{other:?}"),
    }
}

fn pose(scene: &Scene, clip: &str, time_s: f64) -> Vec<Trs> {
    let animation = scene.animations.iter().find(|a| a.motion.name == clip);
    let animation = animation.unwrap_or_else(|| panic!("no clip {clip}"));
    animation.motion.pose(&scene.skeletons[0].skeleton, time_s)
}

fn apart(a: &[Trs], b: &[Trs]) -> f64 {
    let one = |(a, b): (&Trs, &Trs)| {
        let q = a.rotation.near(b.rotation).plus(b.rotation.scaled(-1.0));
        (a.translation - b.translation).length() + q.dot(q).sqrt()
    };
    a.iter().zip(b).map(one).fold(0.0, lissom_build::exact::larger)
}

/// A tenth of a millimetre at 3 cm is 0.2 degrees.
const NEAR: f64 = 0.008;

#[test]
fn every_edit_of_a_recipe_is_in_the_archive() {
    let walk = bvh(21, 0.05, 30.0);
    let source = opened("walk.bvh", walk.as_bytes());
    let was = |t: f64| pose(&source, "walk", t);
    let scene = cooked(
        "[clips.cut]\nfrom = 'walk'\ntrim = [0.2, 0.7]\nevents = { step = [0.1, 0.4], hit = { at = 0.2, lasts = 0.1 } }\n\
         [clips.back]\nfrom = 'walk'\nreverse = true\n\
         [clips.other]\nfrom = 'walk'\nmirror = true\n\
         [clips.still]\nfrom = 'walk'\nin-place = true\n\
         [clips.shut]\nfrom = 'walk'\nloop = 'close'\n\
         [clips.coarse]\nfrom = 'walk'\nrate = 5\n\
         [clips.extra]\nfrom = 'walk'\nadditive = { clip = 'marching', at = 0.25 }\n\
         [clips.'w*']\nname = 'marching'\n",
        &[("walk.bvh", &walk)],
    );
    let names: Vec<&str> = scene.animations.iter().map(|a| a.motion.name.as_str()).collect();
    assert_eq!(names, ["marching", "cut", "back", "other", "still", "shut", "coarse", "extra"]);
    // What is added to a pose says so, in an archive and in an exported file.
    let back = lissom_build::export::write_glb(&scene).unwrap();
    for scene in [&scene, &opened("back.glb", &back)] {
        let adding = scene.animations.iter().filter(|a| a.motion.additive);
        assert_eq!(adding.map(|a| a.motion.name.as_str()).collect::<Vec<_>>(), ["extra"]);
    }
    let joints = &scene.skeletons[0].skeleton.joints;
    let right = joints.iter().position(|j| j.name == "RightArm").unwrap();
    let left = joints.iter().position(|j| j.name == "LeftArm").unwrap();
    for i in 0..=20 {
        let t = f64::from(i) / 20.0;
        assert!(apart(&pose(&scene, "marching", t), &was(t)) < NEAR);
        assert!(apart(&pose(&scene, "back", t), &was(1.0 - t)) < NEAR);
        let is = pose(&scene, "cut", 0.5 * t);
        assert!(apart(&is, &was(0.2 + 0.5 * t)) < NEAR, "{t}");
        let (is, source) = (pose(&scene, "other", t), was(t));
        let (q, other) = (source[left].rotation, is[right].rotation);
        // x is the normal: y and z change their sign.
        let wanted = lissom_build::exact::Q4::new(q.x, -q.y, -q.z, q.w);
        assert!((other.dot(wanted).abs() - 1.0).abs() < 1e-5, "{t}: {q:?} {other:?}");
        assert!(
            (pose(&scene, "still", t)[0].translation - V3::new(0.0, was(0.0)[0].translation.y, 0.0)).length()
                < NEAR
        );
        let (is, base) = (pose(&scene, "extra", t), was(0.25));
        for joint in 0..joints.len() {
            let turned = is[joint].rotation * base[joint].rotation;
            assert!((turned.dot(source[joint].rotation).abs() - 1.0).abs() < 1e-5, "{t}, joint {joint}");
            let moved = is[joint].translation + base[joint].translation - source[joint].translation;
            assert!(moved.length() < 1e-3, "{t}, joint {joint}");
        }
    }
    assert!(apart(&pose(&scene, "shut", 1.0), &pose(&scene, "shut", 0.0)) < NEAR);
    assert!(apart(&was(1.0), &was(0.0)) > 0.9, "it was not shut before");
    let clip = |name: &str| scene.animations.iter().find(|a| a.motion.name == name).unwrap();
    assert!(clip("shut").motion.looping);
    assert!((clip("cut").motion.duration_s - 0.5).abs() < 1e-9);
    let markers: Vec<_> =
        clip("cut").markers.iter().map(|m| (m.name.as_str(), m.time_s, m.duration_s)).collect();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    assert!(
        matches!(markers.as_slice(), [("step", a, _), ("hit", b, c), ("step", d, _)]
        if near(*a, 0.1) && near(*b, 0.2) && near(*c, 0.1) && near(*d, 0.4)),
        "{markers:?}"
    );
    // 5 Hz: between its keys the coarse clip is a straight line.
    let middle = |name: &str| pose(&scene, name, 0.1)[left].rotation;
    let (a, b) = (pose(&scene, "coarse", 0.0)[left].rotation, pose(&scene, "coarse", 0.2)[left].rotation);
    assert!((middle("coarse").dot(a.nlerp(b, 0.5)).abs() - 1.0).abs() < 1e-5);
    assert!((middle("marching").dot(a.nlerp(b, 0.5)).abs() - 1.0).abs() > 1e-5);
}

#[test]
fn a_clip_that_ends_where_it_starts_is_found_to_be_a_loop() {
    let looping =
        |toml: &str, file: &str| -> bool { cooked(toml, &[("clip.bvh", file)]).animations[0].motion.looping };
    let (round, walk, still) = (bvh(21, 0.0, 30.0), bvh(21, 0.05, 30.0), bvh(21, 0.0, 0.0));
    assert!(looping("", &round));
    assert!(!looping("[clips.'*']\nloop = false", &round));
    assert!(!looping("", &walk), "it ends a metre away");
    assert!(looping("[clips.'*']\nin-place = true", &walk), "on the spot it does not");
    assert!(looping("[clips.'*']\nin-place = 'drift'", &walk));
    assert!(!looping("[clips.'*']\ntrim = '..0.75'", &round), "three quarters of a round");
    assert!(!looping("", &still), "a pose is no loop");
    let e = error("\n[clips.'*']\nloop = true", &[("clip.bvh", &walk)]);
    assert!(
        matches!(&e.reason, EditReason::NoLoop { distance_m, .. } if (distance_m - 1.0).abs() < 1e-6),
        "{e}"
    );
    let text = e.to_string();
    assert!(
        text.starts_with("clip \"clip\": loop (line 3 of the recipe): its last pose is not its first: joint"),
        "{text}"
    );
    // An archive says itself what is a loop.
    let once = cook("[clips.'*']\nloop = false", &[("clip.bvh", &round)]).archive.unwrap();
    let inputs = [Input::bytes("clip.lsm", &once)];
    let again = Plan::new(options("")).unwrap().cook(&inputs, &serial, &mut unwatched).unwrap();
    assert!(!opened("again.lsm", &again.archive.unwrap()).animations[0].motion.looping);
}

#[test]
fn later_rules_win_key_by_key_and_names_keep_what_the_star_stands_for() {
    let clip = bvh(11, 0.05, 30.0);
    let scene = cooked(
        "[clips.'*']\nname = 'all'\ntrim = [0, 0.25]\n[clips.'hero_*']\nname = 'a_*_b'\n",
        &[("Hero_Run.bvh", &clip), ("other.bvh", &clip)],
    );
    let clips: Vec<_> =
        scene.animations.iter().map(|a| (a.motion.name.as_str(), a.motion.duration_s)).collect();
    assert_eq!(clips, [("a_Run_b", 0.25), ("all", 0.25)]);
    let none = cook(
        "[clips.x]\nskip = true\n[clips.other]\nskip = true\n[clips.'?']\nrate = 3",
        &[("other.bvh", &clip)],
    );
    assert_eq!(none.unused, [0, 2]);
    assert!(none.inputs[0].as_ref().unwrap().clips.is_empty());
}

#[test]
fn a_difference_is_taken_to_a_clip_of_another_file() {
    let (walk, idle) = (bvh(21, 0.0, 30.0), bvh(11, 0.0, 5.0));
    let files = [("walk.bvh", walk.as_str()), ("idle.bvh", idle.as_str())];
    let scene = cooked("[clips.walk]\nadditive = 'idle'", &files);
    let (walk_was, idle_was) = (opened("walk.bvh", walk.as_bytes()), opened("idle.bvh", idle.as_bytes()));
    for i in 0..=10 {
        let t = f64::from(i) / 10.0;
        // The idle lasts half a second: it is stretched.
        let (is, base) = (pose(&scene, "walk", t), pose(&idle_was, "idle", 0.5 * t));
        for (joint, wanted) in pose(&walk_was, "walk", t).iter().enumerate() {
            let turned = is[joint].rotation * base[joint].rotation;
            assert!((turned.dot(wanted.rotation).abs() - 1.0).abs() < 1e-5, "{t}, joint {joint}");
        }
    }
    assert!(
        apart(&pose(&scene, "idle", 0.2), &pose(&idle_was, "idle", 0.2)) < NEAR,
        "the other one is as it was"
    );
    let e = error("[clips.walk]\nadditive = 'ilde'", &files);
    assert_eq!(
        e.to_string(),
        "clip \"walk\": additive (line 2 of the recipe): there is no clip \"ilde\"; did you mean \"idle\"?"
    );
    let other = idle.replace("OFFSET 0 1 0", "OFFSET 0 2 0");
    let e = error("[clips.walk]\nadditive = 'idle'", &[files[0], ("idle.bvh", &other)]);
    assert!(matches!(e.reason, EditReason::OtherSkeleton { .. }), "{e}");
    // One input that is refused leaves the others.
    let cooked = cook("[clips.walk]\nadditive = 'ilde'", &files);
    assert!(cooked.inputs[0].is_err() && cooked.inputs[1].is_ok() && cooked.archive.is_some());
}

#[test]
fn precision_is_that_of_the_clip_and_of_its_joints() {
    let walk = bvh(41, 0.02, 37.0);
    let report = |toml: &str| {
        let cooked = cook(toml, &[("walk.bvh", &walk)]);
        cooked.inputs.into_iter().next().unwrap().unwrap().clips.remove(0).cook
    };
    let (plain, coarse) = (report(""), report("[clips.walk]\nprecision = '5mm'"));
    assert!(plain.error.worst() <= 1e-4 && coarse.error.worst() > 1e-3 && coarse.bytes < plain.bytes);
    let hands = report("[clips.walk]\nprecision = '5mm'\njoints = { '*hand' = '0.05mm' }");
    let joints = opened("walk.bvh", walk.as_bytes()).skeletons.remove(0).skeleton;
    let built = lissom_build::SkeletonBuilder::build(&joints).unwrap();
    let mut found = 0;
    for (raw, joint) in joints.joints.iter().enumerate() {
        let worst = hands.error.joints[built.joint_of_raw[raw]].worst();
        if joint.name.ends_with("Hand") {
            assert!(worst <= 0.05e-3, "{}: {worst}", joint.name);
            found += 1;
        }
    }
    assert_eq!(found, 2);
    assert!(hands.bytes > coarse.bytes);
}

#[test]
fn what_cannot_be_done_is_named_by_clip_key_and_line() {
    let walk = bvh(21, 0.05, 30.0);
    for (toml, message) in [
        (
            "[clips.walk]\ntrim = [0.5, 1.5]",
            "clip \"walk\": trim (line 2 of the recipe): the range 0.5 s to 1.5 s is empty or not inside 0 to 1 s",
        ),
        (
            "[clips.walk]\n\nevents = { step = 1.25 }",
            "clip \"walk\": events (line 3 of the recipe): \"step\" is at 1.25 s, but the clip has 1 s",
        ),
        (
            "[clips.walk]\nadditive = { clip = 'walk', at = 2 }",
            "clip \"walk\": additive (line 2 of the recipe): \"walk\" is at 2 s, but the clip has 1 s",
        ),
    ] {
        assert_eq!(error(toml, &[("walk.bvh", &walk)]).to_string(), message);
    }
    let cooked = cook("[clips.walk]\njoints = { LeftHnad = '1mm' }", &[("walk.bvh", &walk)]);
    let warnings = &cooked.inputs[0].as_ref().unwrap().warnings;
    assert!(
        warnings
            .iter()
            .any(|w| w.text.ends_with("no joint is called \"LeftHnad\"; did you mean \"LeftHand\"?")),
        "{warnings:?}"
    );
}

#[test]
fn a_recipe_with_a_comment_more_is_the_same_recipe() {
    let walk = bvh(11, 0.05, 30.0);
    let plan = |toml: &str| Plan::new(options(toml)).unwrap();
    let inputs = [Input::bytes("walk.bvh", walk.as_bytes())];
    let archive =
        plan("[clips.walk]\nreverse = true").cook(&inputs, &serial, &mut unwatched).unwrap().archive;
    let archive = lissom::archive::AlignedBytes::copy_of(&archive.unwrap());
    assert!(plan("# why\n\n[clips.walk]\n\nreverse = true").is_unchanged(&archive, &inputs));
    assert!(!plan("[clips.walk]\nreverse = false").is_unchanged(&archive, &inputs));
}
