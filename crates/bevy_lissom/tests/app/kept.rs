//! What is remembered of a character: recordings and decisions; and names in calls, by the one rule.

use super::{BYTES, app, hero, plays};
use bevy_ecs::system::RunSystemOnce;
use bevy_lissom::{CharacterError, Characters, GoTo, OneShot, Plays, Value};
use lissom::archive::Archive;
use lissom_motion::recording::{Recording, Replay};

#[test]
fn a_recording_is_played_again_without_a_difference() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    plays(&mut app, entity);
    app.world_mut().run_system_once(move |mut c: Characters| c.record(entity).unwrap()).unwrap();
    for frame in 0..90 {
        let told = move |mut c: Characters| {
            c.set_value(entity, "speed", (frame % 16) as f32 / 16.0).unwrap();
            if frame == 20 {
                c.set_value(entity, "greet", true).unwrap();
            }
            if frame == 40 {
                c.play(entity, "wave", "upper", OneShot::default()).unwrap();
            }
        };
        app.world_mut().run_system_once(told).unwrap();
        app.update();
    }
    let stop = move |mut c: Characters| {
        assert!(c.recording(entity).unwrap().is_some());
        let recording = c.stop_recording(entity).unwrap().unwrap();
        assert!(c.recording(entity).unwrap().is_none());
        recording.to_bytes()
    };
    let bytes = app.world_mut().run_system_once(stop).unwrap();
    let archive = Archive::read(&BYTES).unwrap();
    let mut replay = Replay::new(&archive, Recording::read(&bytes).unwrap()).unwrap();
    let mut frames = 0;
    while let Some(frame) = replay.step().unwrap() {
        assert!(frame.difference.is_none(), "frame {frames}");
        frames += 1;
    }
    assert_eq!(frames, 90);
}

#[test]
fn the_last_decisions_are_remembered_and_told_in_lines() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    plays(&mut app, entity);
    let ask = move |mut c: Characters| {
        assert!(c.decisions(entity).unwrap().is_none());
        c.remember_decisions(entity, 4).unwrap();
        c.set_value(entity, "greet", true).unwrap();
    };
    app.world_mut().run_system_once(ask).unwrap();
    (0..10).for_each(|_| app.update());
    let go = move |mut c: Characters| c.go_to(entity, "move", "body", GoTo::default()).unwrap();
    app.world_mut().run_system_once(go).unwrap();
    app.update();
    let read = move |c: Characters| {
        (c.decisions(entity).unwrap().unwrap().iter().count(), c.described(entity).unwrap())
    };
    let (count, lines) = app.world_mut().run_system_once(read).unwrap();
    assert_eq!(count, 2, "{lines:?}");
    let last: Vec<&str> = lines.iter().rev().take(2).map(|line| line.split_once(" s ").unwrap().1).collect();
    assert_eq!(last, ["body: move > greeting (greet)", "body: greeting > move (by code)"], "{lines:?}");
}

#[test]
fn layers_states_parameters_and_clips_are_called_by_one_rule() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    plays(&mut app, entity);
    let check = move |mut c: Characters| {
        c.go_to(entity, "GREETING", "Body", GoTo::default()).unwrap();
        c.set_value(entity, "Speed", 0.5).unwrap();
        assert_eq!(c.value(entity, "SPEED").unwrap(), Value::Float(0.5));
        c.set_mask(entity, "Upper", Some("UPPER")).unwrap();
        c.stop(entity, "UPPER").unwrap();
        let shot = c.play(entity, "Wave", "Upper", OneShot::default()).unwrap();
        assert!(c.shot(entity, shot).unwrap().is_some());
        let wrong: [(CharacterError, &str); 6] = [
            (
                c.go_to(entity, "greting", "body", GoTo::default()).unwrap_err(),
                "state \"greting\"; there are \"move\", \"greeting\"",
            ),
            (
                c.go_to(entity, "move", "bdoy", GoTo::default()).unwrap_err(),
                "layer \"bdoy\"; there are \"body\", \"upper\"",
            ),
            (
                c.set_value(entity, "sped", 1.0).unwrap_err(),
                "parameter \"sped\"; there are \"speed\", \"greet\"",
            ),
            (c.set_mask(entity, "upper", Some("legs")).unwrap_err(), "mask \"legs\"; there are \"upper\""),
            (c.play(entity, "wvae", "upper", OneShot::default()).unwrap_err(), "clip \"wvae\"; there are \""),
            (c.keep_pose(entity, "fallen").unwrap_err(), "kept pose \"fallen\"; there is none at all"),
        ];
        for (error, words) in wrong {
            assert!(error.to_string().starts_with(&format!("there is no {words}")), "{error}");
        }
        assert!(c.set_value(entity, "speed", f32::NAN).is_err());
        assert!(c.set_value(entity, "speed", true).is_err());
    };
    app.world_mut().run_system_once(check).unwrap();
}
