//! A step is told once per stance, by a clip that is seen.

use super::{DT_S, app, hero, plays};
use bevy_app::App;
use bevy_asset::AssetServer;
use bevy_ecs::{message::MessageCursor, prelude::*};
use bevy_lissom::{MarkerFilter, MarkerPassed, Parameters, Plays, WeightedClip};

/// The markers of so many seconds, by name, with their weights.
fn passed(
    app: &mut App,
    plays_what: impl FnOnce(&AssetServer) -> Plays,
    filter: Option<MarkerFilter>,
    seconds: f64,
) -> Vec<(String, f32)> {
    let entity = hero(app, plays_what);
    app.world_mut().entity_mut(entity).insert(Parameters::default());
    if let Some(filter) = filter {
        app.world_mut().entity_mut(entity).insert(filter);
    }
    plays(app, entity);
    if let Ok(mut parameters) = app.world_mut().query::<&mut Parameters>().get_mut(app.world_mut(), entity) {
        parameters.set("speed", 0.97);
    }
    app.world_mut().get_mut::<Plays>(entity).unwrap().set_changed();
    app.update();
    let mut cursor = MessageCursor::<MarkerPassed>::default();
    cursor.clear(app.world().resource::<Messages<MarkerPassed>>());
    let mut all = Vec::new();
    for _ in 0..(seconds / DT_S) as usize {
        app.update();
        let told = cursor.read(app.world().resource::<Messages<MarkerPassed>>());
        all.extend(told.filter(|it| it.entity == entity).map(|it| (it.marker.to_string(), it.weight)));
    }
    all
}

fn count(all: &[(String, f32)], name: &str) -> usize {
    all.iter().filter(|(own, _)| own == name).count()
}

#[test]
fn a_blend_tells_each_step_once_and_what_is_hardly_seen_tells_nothing() {
    let (mut app, _) = app();
    let gaits = |walk, idle| {
        move |server: &AssetServer| {
            let parts = [WeightedClip::new("walk", walk), WeightedClip::new("idle", idle)];
            Plays::in_step(server.load("hero.lsm"), parts)
        }
    };
    for (walk, idle) in [(0.6, 0.4), (0.4, 0.6), (0.5, 0.5)] {
        let all = passed(&mut app, gaits(walk, idle), Some(MarkerFilter::ALL), 8.0);
        let laps = count(&all, "walk step");
        assert!(laps >= 3 && count(&all, "foot") >= 2 * laps - 1, "both tell it: {all:?}");
        let all = passed(&mut app, gaits(walk, idle), None, 8.0);
        let once = count(&all, "foot");
        assert!(once.abs_diff(count(&all, "walk step")) <= 1, "{all:?}");
        assert!(once.abs_diff(laps) <= 1, "none is missed: {once} {laps}");
    }
    // Of one that is hardly seen nothing is told.
    let all = passed(&mut app, gaits(0.95, 0.05), None, 8.0);
    assert!(count(&all, "walk step") >= 3 && count(&all, "idle step") == 0, "{all:?}");
    assert!(all.iter().all(|(_, weight)| *weight > 0.9), "{all:?}");
    let all = passed(&mut app, gaits(0.95, 0.05), Some(MarkerFilter::ALL), 8.0);
    assert!(count(&all, "idle step") >= 3, "{all:?}");
    // A blend of a graph, where the other clip's weight is small.
    let graph = |server: &AssetServer| Plays::graph(server.load("hero.lsm"), "hero");
    let all = passed(&mut app, graph, None, 8.0);
    assert!(count(&all, "walk step") >= 3 && count(&all, "idle step") == 0, "{all:?}");
    let all = passed(&mut app, graph, Some(MarkerFilter::ALL), 8.0);
    assert!(count(&all, "idle step") >= 3, "{all:?}");
}
