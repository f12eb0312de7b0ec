//! Files that change while they play, and files that are missing or broken.

use super::{BYTES, DT_S, app, bits, hero, log::count, parts, plays, until, written};
use bevy_app::App;
use bevy_asset::{AssetEvent, AssetServer, io::memory::Dir};
use bevy_ecs::{message::MessageCursor, prelude::*, system::RunSystemOnce};
use bevy_lissom::{
    Character, CharacterError, Characters, Concern, EntityRootMotion, LissomArchive, LissomError, Parameters,
    Plays, WeightedClip,
};
use bevy_time::TimeUpdateStrategy;
use lissom_motion::{
    GraphParts,
    graph::{LayerParts, StateParts},
};
use std::{path::Path, sync::Arc, time::Duration};

/// Writes a file anew and waits until it is loaded. Time stands still meanwhile.
pub(super) fn reload_at_rest(app: &mut App, files: &Dir, name: &'static str, bytes: Vec<u8>) {
    let step = |s: f64| TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(s));
    app.insert_resource(step(0.0));
    app.update();
    let mut cursor = MessageCursor::<AssetEvent<LissomArchive>>::default();
    cursor.clear(app.world().resource::<Messages<AssetEvent<LissomArchive>>>());
    files.insert_asset(Path::new(name), bytes);
    app.world().resource::<AssetServer>().reload(name);
    until(app, "the file is loaded again", |world| {
        let messages = world.resource::<Messages<AssetEvent<LissomArchive>>>();
        cursor.read(messages).any(|event| matches!(event, AssetEvent::Modified { .. }))
    });
    // The plugin reads the event in this frame or in the next.
    app.update();
    app.insert_resource(step(DT_S));
}

/// The leading state of a graph, and its parameter. The transition that led there is not carried over to a new file.
fn playing(app: &mut App, entity: Entity) -> (String, Option<f32>) {
    let read = move |c: Characters| {
        let (graph, state) = (c.graph(entity).unwrap(), c.state(entity).unwrap());
        let leading = state.leading(graph, 0).unwrap().to_owned();
        (leading, state.get(graph.float("speed").unwrap()))
    };
    app.world_mut().run_system_once(read).unwrap()
}

#[test]
fn a_changed_file_plays_on_where_it_was_bit_for_bit() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("twin.lsm"), BYTES.clone());
    // Of each pair, the first plays the file that changes, and the second plays a copy that does not.
    let pair = |app: &mut App, plays: &dyn Fn(&AssetServer, &'static str) -> Plays| {
        ["hero.lsm", "twin.lsm"].map(|file| hero(app, |server| plays(server, file)))
    };
    let clip_of = |server: &AssetServer, file: &'static str| {
        let gait = |name| WeightedClip { speed: 0.7, laps: 0.3, ..WeightedClip::new(name, 0.5) };
        Plays::clips(server.load(file), [gait("walk"), gait("wave")])
    };
    let graph = parts();
    let graph_of = |server: &AssetServer, file: &'static str| Plays::parts(server.load(file), graph.clone());
    let [clips, graphs] = [pair(&mut app, &clip_of), pair(&mut app, &graph_of)];
    for entity in clips.into_iter().chain(graphs) {
        plays(&mut app, entity);
    }
    // Their files came in different frames: from here on all are at their start.
    for entity in clips.into_iter().chain(graphs) {
        app.world_mut().get_mut::<Plays>(entity).unwrap().set_changed();
    }
    app.world_mut().entity_mut(clips[0]).insert(EntityRootMotion::handed_over());
    for entity in graphs {
        app.world_mut().entity_mut(entity).insert(Parameters::default().with("speed", 0.7));
    }
    for frame in 0..40 {
        // The file changes in the middle of a transition by inertia.
        for entity in graphs.into_iter().filter(|_| frame == 33) {
            app.world_mut().get_mut::<Parameters>(entity).unwrap().set("greet", true);
        }
        app.update();
    }
    let step = |app: &App| app.world().get::<EntityRootMotion>(clips[0]).unwrap().translation.z;
    let before = step(&app);
    for [of, twin] in [clips, graphs] {
        assert_eq!(bits(&mut app, of), bits(&mut app, twin), "before the file changes");
    }
    // Another length of the way, so that it is seen which file plays.
    reload_at_rest(&mut app, &files, "hero.lsm", written(&["idle", "walk", "wave"], 4.0, 4));
    for [of, twin] in [clips, graphs] {
        assert_eq!(bits(&mut app, of), bits(&mut app, twin), "when the file has changed");
    }
    for frame in 0..60 {
        app.update();
        for [of, twin] in [clips, graphs] {
            assert_eq!(bits(&mut app, of), bits(&mut app, twin), "frame {frame} after the change");
        }
        assert_eq!(
            playing(&mut app, graphs[0]),
            playing(&mut app, graphs[1]),
            "frame {frame} after the change"
        );
        if frame == 0 {
            assert!((step(&app) - 2.0 * before).abs() < 1e-5, "the new file plays");
        }
    }
}

#[test]
fn what_a_changed_file_lacks_stops_and_comes_back_with_it() {
    let (mut app, files) = app();
    let clip = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    let graph = hero(&mut app, |server| Plays::parts(server.load("hero.lsm"), parts()));
    let lost = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "wave"));
    for entity in [clip, graph, lost] {
        plays(&mut app, entity);
    }
    // No waving: the graph cannot be played any more either.
    files.insert_asset(Path::new("hero.lsm"), written(&["idle", "walk"], 4.0, 4));
    app.world().resource::<AssetServer>().reload("hero.lsm");
    until(&mut app, "the new file plays", |world| world.get::<LissomError>(lost).is_some());
    app.update();
    assert!(error_of(&app, lost).contains("wave"));
    assert!(app.world().get::<Character>(lost).is_none() && app.world().get::<LissomError>(graph).is_some());
    assert!(app.world().get::<Character>(clip).is_some());
    // All of it is back.
    files.insert_asset(Path::new("hero.lsm"), BYTES.clone());
    app.world().resource::<AssetServer>().reload("hero.lsm");
    until(&mut app, "everybody plays again", |world| {
        [clip, graph, lost].iter().all(|e| world.get::<Character>(*e).is_some())
    });
    assert!(app.world().get::<LissomError>(lost).is_none());
}

fn error_of(app: &App, entity: Entity) -> String {
    app.world().get::<LissomError>(entity).unwrap().about(Concern::Plays).unwrap().to_owned()
}

#[test]
fn what_the_archive_lacks_is_logged_and_stands_on_the_entity() {
    let (mut app, _) = app();
    let clip = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "wlak"));
    let empty = hero(&mut app, |server| Plays::clips(server.load("hero.lsm"), Vec::<WeightedClip>::new()));
    let body = Arc::new(GraphParts::new().layer(LayerParts::new("l").state(StateParts::clip("s", "swim"))));
    let graph = hero(&mut app, |server| Plays::parts(server.load("hero.lsm"), body));
    let nameless = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "nobody"));
    until(&mut app, "the errors stand there", |world| {
        [clip, empty, graph, nameless].iter().all(|e| world.get::<LissomError>(*e).is_some())
    });
    for (entity, word) in
        [(clip, "wlak"), (graph, "swim"), (nameless, "nobody"), (empty, "no clip was named")]
    {
        let error = error_of(&app, entity);
        assert!(error.contains(word), "{error}");
        assert!(count(&format!("{entity} does not play: {error}")) > 0, "{error} is logged");
    }
    // Others play, and an entity that is mended does too.
    let good = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    plays(&mut app, good);
    let mended = app.world().resource::<AssetServer>().load("hero.lsm");
    app.world_mut().entity_mut(clip).insert(Plays::clip(mended, "walk"));
    plays(&mut app, clip);
    app.update();
    assert!(app.world().get::<LissomError>(clip).is_none());
}

#[test]
fn a_missing_and_a_broken_file_are_logged_stand_on_the_entity_and_can_be_mended() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("broken.lsm"), b"LSM1 and no more".to_vec());
    let missing = hero(&mut app, |server| Plays::clip(server.load("missing.lsm"), "walk"));
    let label = hero(&mut app, |server| Plays::labelled(server.load("unlabelled.lsm#walk")));
    let broken = hero(&mut app, |server| Plays::clip(server.load("broken.lsm"), "walk"));
    let all = [(missing, "missing.lsm"), (label, "unlabelled.lsm"), (broken, "broken.lsm")];
    until(&mut app, "the errors stand there", |world| {
        all.iter().all(|(entity, _)| world.get::<LissomError>(*entity).is_some())
    });
    for _ in 0..10 {
        app.update();
    }
    for (entity, file) in all {
        let error = error_of(&app, entity);
        assert!(error.contains(file), "{error}");
        assert_eq!(count(file), 1, "{file} is logged, and once");
        assert!(app.world().get::<Character>(entity).is_none());
        let error = app.world_mut().run_system_once(move |c: Characters| c.joint(entity, "hips")).unwrap();
        assert_eq!(error, Err(CharacterError::NotPlaying { entity }));
    }
    for file in ["missing.lsm", "broken.lsm"] {
        files.insert_asset(Path::new(file), BYTES.clone());
        app.world().resource::<AssetServer>().reload(file);
    }
    for entity in [missing, broken] {
        plays(&mut app, entity);
        app.update();
        assert!(app.world().get::<LissomError>(entity).is_none());
    }
}
