//! Characters in another schedule than `PostUpdate`.

use super::{DT_S, app, app_of, bits, hero, plays};
use bevy_app::{App, FixedUpdate};
use bevy_ecs::prelude::*;
use bevy_lissom::{LissomPlugin, Plays};
use bevy_time::TimeUpdateStrategy;
use std::time::Duration;

/// A character in its first frame.
fn walker(app: &mut App) -> Entity {
    let entity = hero(app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    plays(app, entity);
    app.world_mut().get_mut::<Plays>(entity).unwrap().set_changed();
    entity
}

#[test]
fn in_fixed_update_a_character_goes_by_fixed_steps_whatever_the_frames() {
    let (mut app, _) = app();
    let entity = walker(&mut app);
    // Bevy's fixed step is this app's frame: 1 / 64 s.
    let poses: Vec<Vec<u32>> = (0..21)
        .map(|_| {
            app.update();
            bits(&mut app, entity)
        })
        .collect();
    assert_ne!(poses[0], poses[1]);
    // Two frames per step, then two steps per frame.
    for (frame_s, updates, steps) in [(0.5 * DT_S, 40, 20), (2.0 * DT_S, 10, 20)] {
        let (mut app, _) = app_of(LissomPlugin::in_schedule(FixedUpdate), |_| {});
        let entity = walker(&mut app);
        // Until a frame ends with a step.
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(DT_S)));
        app.update();
        assert_eq!(bits(&mut app, entity), poses[0]);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(frame_s)));
        for _ in 0..updates {
            app.update();
        }
        assert_eq!(bits(&mut app, entity), poses[steps], "frames of {frame_s} s");
    }
}
