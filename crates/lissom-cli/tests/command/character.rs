//! docs/CHARACTER.md: every command and every line of code of it runs, on the mannequin's own file.

use crate::common::{blocks, folder, good, page, run_all, text, unrun, write};
use lissom::{
    archive::Archive,
    job::Ground,
    math::Vec3,
    pose::{Gaze, Legs},
    ragdoll::{Ragdoll, RagdollRule},
};
use lissom_motion::{Animator, Graph, RootStep, recording::Replay};
use std::fs;
use std::sync::Arc;

/// From a character and three motion files to one that walks and jumps.
#[test]
fn the_short_way_walks_and_jumps() -> Result<(), Box<dyn std::error::Error>> {
    let page = page("CHARACTER.md");
    let root = folder("character_short");
    let commands = blocks(&page, "sh");
    assert_eq!(run_all(&commands[0], &root), 5, "the files to try");
    assert_eq!(run_all(&commands[1], &root), 3, "the short way");

    let graph = root.join("hero.json");
    good(&["graph", "check", &text(&graph), "--clips", &text(&root.join("hero.lsm"))]);
    let archive = Archive::open(root.join("hero.lsm"))?;
    let file = lissom_build::graph::read(&fs::read(&graph)?)?;
    let mut hero = Animator::new(&archive, Arc::new(Graph::of_archive(file.parts(), &archive)?))?;
    let (speed, jump) = (hero.graph().float("speed")?, hero.graph().trigger("jump")?);
    hero.set(speed, 1.32)?;
    let (mut way, mut seen) = (0.0, Vec::new());
    for frame in 0..240 {
        if frame == 120 {
            hero.trigger(jump)?;
        }
        hero.update(1.0 / 60.0)?;
        way += hero.root_delta().translation[2];
        let leading = hero.state().leading(hero.graph(), 0).unwrap_or_default().to_owned();
        if seen.last() != Some(&leading) {
            seen.push(leading);
        }
    }
    assert_eq!(seen, ["idle", "move", "jump", "air", "land", "move"]);
    assert!(way > 3.0, "it walks {way} m in 4 s");
    // Below its walk it goes slower, as asked.
    hero.set(speed, 0.9)?;
    (0..120).try_for_each(|_| hero.update(1.0 / 60.0))?;
    let mut way = 0.0;
    for _ in 0..120 {
        hero.update(1.0 / 60.0)?;
        way += hero.root_delta().translation[2];
    }
    assert!((way - 1.8).abs() < 0.09, "it walks {way} m in 2 s");
    Ok(())
}

#[test]
fn a_character_in_an_afternoon() -> Result<(), Box<dyn std::error::Error>> {
    let page = page("CHARACTER.md");
    let root = folder("character");
    write(root.join("lissom.toml"), &blocks(&page, "toml")[0]);
    write(root.join("hero.json"), &blocks(&page, "json")[0]);
    let commands = blocks(&page, "sh");
    // The first two blocks are the short way.
    assert_eq!(commands.iter().skip(2).map(|block| run_all(block, &root)).sum::<usize>(), 8);
    // The code of the page is this.
    let own = include_str!("character.rs").replace("&path", "\"hero.lsm\"").replace("&file", "\"bug.lrec\"");
    assert_eq!(unrun(&blocks(&page, "rust"), &own), None);
    let path = root.join("hero.lsm");

    let archive = Archive::open(&path)?;
    let mut hero = Animator::new(&archive, "hero")?;
    let (speed, crouch) = (hero.graph().float("speed")?, hero.graph().bool("crouch")?);
    let mut place = RootStep::IDENTITY;
    let mut steps = 0;
    hero.play("wave").on("upper_body").fade(0.2).start()?;
    for frame in 0..300 {
        hero.set(speed, if frame < 60 { 0.0 } else { 1.3 })?; // from your gamepad
        hero.set(crouch, frame >= 240)?;
        hero.update(1.0 / 60.0)?;
        place = place.then(&hero.root_delta()); // where your game puts the character
        for event in hero.events().filter(|event| event.weight > 0.5) {
            steps += usize::from(event.marker().is_some_and(|marker| marker.name == "step"));
        }
        let _matrices = hero.models(); // for your renderer; or hero.palette("mesh"), hero.body_mut().skin()
    }
    println!("{:.1} m, {steps} steps", place.translation[2]);

    let before = hero.models().to_vec();
    let (gaze, legs) = (Gaze::of(hero.body().skeleton())?, Legs::of(hero.body().skeleton())?);
    hero.update_with(1.0 / 60.0, |pose| {
        let ground = |height| Some(Ground { place: Vec3::new(0.0, height, 0.0), normal: Vec3::Y }); // from your ray casts
        pose.stand(&legs, &[ground(0.15), ground(0.0)], 1.0)?; // the left foot stands on a step
        pose.look_at(&gaze, Vec3::new(1.0, 1.6, 2.0), 1.0)?;
        Ok(())
    })?;
    let ankle = legs.legs[0].limb.joints[2];
    let rise = hero.models()[ankle].w_axis.y - before[ankle].w_axis.y;
    assert!((0.12..0.18).contains(&rise), "{rise} m");

    let ragdoll = Ragdoll::of_archive(&archive, hero.body().skeleton(), &RagdollRule::default())?;
    for body in &ragdoll.bodies {
        let (_capsule, _mass_kg) = (body.capsule, body.mass_kg); // for a collider
        let (_parent, _hold) = (body.parent, body.hold); // for a joint: its frames, twist and swing
    }
    assert_eq!(ragdoll.bodies.len(), 16);

    hero.record();
    for _ in 0..120 {
        hero.set(speed, 1.3)?;
        hero.update(1.0 / 60.0)?;
    }
    let recording = hero.stop_recording().ok_or("nothing was recorded")?;
    let file = root.join("bug.lrec");
    fs::write(&file, recording.to_bytes())?; // std::fs
    let told = good(&["replay", &text(&file), "--archive", &text(&path)]);
    assert!(told.contains("120 frames, 2.00 s, as recorded"), "{told}");
    let bytes = recording.to_bytes().len();
    assert!(bytes < 120 * 9 + 2000, "{bytes} bytes");
    let mut replay = Replay::new(&archive, recording)?;
    while let Some(frame) = replay.step()? {
        assert_eq!(frame.difference, None, "frame {}", frame.frame);
    }

    // A slow walk is as slow as it is asked to be.
    let mut slow = Animator::new(&archive, "hero")?;
    slow.set(speed, 0.6)?;
    (0..120).try_for_each(|_| slow.update(1.0 / 60.0))?;
    let mut way = 0.0;
    for _ in 0..60 {
        slow.update(1.0 / 60.0)?;
        way += slow.root_delta().translation[2];
    }
    assert!((way - 0.6).abs() < 0.05, "{way} m in a second");

    // Three seconds of walking, and a stand before and after.
    assert!((3.0..4.5).contains(&place.translation[2]), "{place:?}");
    assert!((4..=7).contains(&steps), "{steps}");
    assert_eq!(hero.state().leading(hero.graph(), 0), Some("crouch"));
    Ok(())
}
