//! How fast a character goes, and what standing still costs: nothing.

use super::{app, bits, hero, plays};
use bevy_ecs::prelude::*;
use bevy_lissom::{EntityRootMotion, MarkerPassed, PlaybackSpeed, Plays};
use bevy_math::Vec3;

#[test]
fn a_pace_of_half_is_half_as_far_and_one_of_nothing_stands_still() {
    let (mut app, _) = app();
    let [full, half, still] = [None, Some(0.5), Some(0.0)].map(|pace| {
        let entity = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
        let mut entity = app.world_mut().entity_mut(entity);
        entity.insert(EntityRootMotion::handed_over());
        if let Some(pace) = pace {
            entity.insert(PlaybackSpeed(pace));
        }
        entity.id()
    });
    for entity in [full, half, still] {
        plays(&mut app, entity);
    }
    let way = |app: &bevy_app::App, entity| app.world().get::<EntityRootMotion>(entity).unwrap().translation;
    let first = bits(&mut app, still);
    for _ in 0..100 {
        app.update();
        assert!((way(&app, half) * 2.0 - way(&app, full)).length() < 1e-6);
        assert_eq!((way(&app, still), bits(&mut app, still)), (Vec3::ZERO, first.clone()));
    }
    // The frame in which it stopped: from then on nothing is told either.
    app.world_mut().entity_mut(full).insert(PlaybackSpeed(0.0));
    app.world_mut().entity_mut(half).remove::<PlaybackSpeed>();
    app.update();
    let stopped = bits(&mut app, full);
    assert_eq!((way(&app, full), way(&app, half)), (Vec3::ZERO, way(&app, half)));
    assert!(way(&app, half) != Vec3::ZERO);
    let goes = way(&app, half);
    for _ in 0..100 {
        app.update();
        let messages = app.world().resource::<Messages<MarkerPassed>>();
        assert!(messages.iter_current_update_messages().all(|passed| passed.entity == half));
        assert!((way(&app, half) - goes).length() < 1e-6, "at the usual pace again");
    }
    assert_eq!(bits(&mut app, full), stopped);
    // What makes no sense is logged, and changes nothing.
    app.world_mut().entity_mut(full).insert(PlaybackSpeed(-1.0));
    app.update();
    assert_eq!(bits(&mut app, full), stopped);
    app.world_mut().entity_mut(full).insert(PlaybackSpeed(1.0));
    app.update();
    assert_ne!(bits(&mut app, full), stopped);
}
