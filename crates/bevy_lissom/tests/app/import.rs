//! Files of other programs, cooked as they are loaded.

use super::{DT_S, app, files::reload_at_rest, hero, joint, log::count, plays, until, watched_app_of};
use bevy_app::App;
use bevy_asset::{AssetServer, io::memory::Dir};
use bevy_ecs::{prelude::*, system::RunSystemOnce};
use bevy_lissom::{Character, Characters, LissomError, LissomPlugin, LissomSettings, Plays};
use lissom_build::{
    export::write_glb,
    mannequin::{self, Motion},
    scene::{Scene, SceneAnimation, SceneSkeleton},
};
use lissom_motion::{
    GraphParts,
    graph::{LayerParts, StateParts},
};
use std::path::Path;

fn glb() -> Vec<u8> {
    let skeleton =
        SceneSkeleton { name: "mannequin".into(), skeleton: mannequin::skeleton(), ..Default::default() };
    let mut motion = mannequin::clip(Motion::Walk);
    // Few joints move: it is cooked in no time.
    motion.tracks.iter_mut().skip(12).for_each(|track| *track = Default::default());
    motion.name = "walk".into();
    let walk = SceneAnimation { skeleton: Some(0), motion, ..Default::default() };
    write_glb(&Scene { skeletons: vec![skeleton], animations: vec![walk], ..Scene::default() }).unwrap()
}

fn walker((mut app, files): (App, Dir), name: &'static str, bytes: Vec<u8>) -> (App, Entity) {
    files.insert_asset(Path::new(name), bytes);
    let entity = hero(&mut app, |server| Plays::clip(server.load(name), "walk"));
    (app, entity)
}

fn moves(app: &mut App, entity: Entity) {
    let before = joint(app, entity, "thigh_l");
    for _ in 0..10 {
        app.update();
    }
    assert!(!before.abs_diff_eq(joint(app, entity, "thigh_l"), 1e-3), "it stands still");
}

#[test]
fn a_glb_is_cooked_as_it_is_loaded_and_plays() {
    let (mut app, entity) = walker(app(), "hero.glb", glb());
    plays(&mut app, entity);
    moves(&mut app, entity);
}

#[test]
fn a_broken_glb_is_logged_and_stands_on_the_entity() {
    let mut bytes = glb();
    bytes.truncate(100);
    let (mut app, entity) = walker(app(), "broken.glb", bytes);
    until(&mut app, "the error stands there", |world| world.get::<LissomError>(entity).is_some());
    let error = app.world().get::<LissomError>(entity).unwrap().to_string();
    assert!(error.contains("broken.glb"), "{error}");
    assert_eq!(count("broken.glb"), 1);
    assert!(app.world().get::<Character>(entity).is_none());
}

/// The same as a `.gltf`, and the file that it names.
fn gltf() -> (String, Vec<u8>) {
    let glb = glb();
    let chunk = |at: usize| {
        let length = u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
        (glb[at + 8..at + 8 + length].to_vec(), at + 8 + length)
    };
    let (json, next) = chunk(12);
    let (data, _) = chunk(next);
    let json = String::from_utf8(json).unwrap();
    assert!(json.contains("\"buffers\":[{"));
    (json.replace("\"buffers\":[{", "\"buffers\":[{\"uri\":\"data/of%20hero.bin\","), data)
}

/// A graph of one state, as a file.
fn graph(clip: &str) -> Vec<u8> {
    let layer = LayerParts::new("body").state(StateParts::clip("go", clip));
    lissom_build::graph::to_json(&GraphParts::new().layer(layer)).into_bytes()
}

/// Where the leading clip is, exactly.
fn laps(app: &mut App, entity: Entity) -> f64 {
    app.world_mut().run_system_once(move |c: Characters| c.clip(entity).unwrap().laps).unwrap()
}

#[test]
fn what_lies_beside_a_file_is_read_the_recipe_and_its_graphs_too() {
    let (mut app, files) = app();
    let (json, data) = gltf();
    let put = |path: &str, bytes: Vec<u8>| files.insert_asset(Path::new(path), bytes);
    put("models/people/hero.gltf", json.clone().into_bytes());
    put("models/people/data/of hero.bin", data);
    // One of another folder, and one that asks for what is no asset.
    let elsewhere = |uri: &str| json.replace("data/of%20hero.bin", uri).into_bytes();
    put("models/horses/horse.gltf", elsewhere("../people/data/of%20hero.bin"));
    put("models/thief.gltf", elsewhere("../../of%20hero.bin"));
    put("models/lissom.toml", b"graphs = ['graphs/going.json']\n[clips.walk]\nname = 'stroll'\n".to_vec());
    put("models/graphs/going.json", graph("stroll"));
    let clip = hero(&mut app, |server| Plays::clip(server.load("models/people/hero.gltf"), "stroll"));
    let graphs = hero(&mut app, |server| Plays::graph(server.load("models/people/hero.gltf"), "going"));
    let horse = hero(&mut app, |server| Plays::clip(server.load("models/horses/horse.gltf"), "stroll"));
    for entity in [clip, graphs, horse] {
        plays(&mut app, entity);
        moves(&mut app, entity);
    }
    let thief = hero(&mut app, |server| Plays::clip(server.load("models/thief.gltf"), "stroll"));
    refused(&mut app, thief, &["models/thief.gltf", "only a file among the assets"]);
}

#[test]
fn settings_name_a_recipe_and_graphs_and_what_is_wrong_beside_a_file_is_told() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("own.glb"), glb());
    files.insert_asset(Path::new("lissom.toml"), b"[clips.walk]\nname = 'not this one'\n".to_vec());
    files.insert_asset(Path::new("recipes/own.toml"), b"[clips.walk]\nname = 'march'\n".to_vec());
    files.insert_asset(Path::new("marching.json"), graph("march"));
    let load = |server: &AssetServer, file: &'static str, recipe: &'static str| {
        let settings = move |own: &mut LissomSettings| {
            own.recipe = Some(recipe.into());
            own.graphs = vec!["marching.json".into()];
            own.precision_m = Some(0.002);
        };
        server.load_builder().with_settings(settings).load(file)
    };
    let entity =
        hero(&mut app, |server| Plays::graph(load(server, "own.glb", "recipes/own.toml"), "marching"));
    plays(&mut app, entity);
    // A recipe with a mistake, one that is not there, and a model without its data.
    files.insert_asset(Path::new("second.glb"), glb());
    files.insert_asset(Path::new("third.glb"), glb());
    files.insert_asset(Path::new("lame/lissom.toml"), Vec::new());
    files.insert_asset(Path::new("lame/hero.gltf"), gltf().0.into_bytes());
    files.insert_asset(Path::new("recipes/wrong.toml"), b"[clips.walk]\nnmae = 'march'\n".to_vec());
    let wrong =
        hero(&mut app, |server| Plays::clip(load(server, "second.glb", "recipes/wrong.toml"), "walk"));
    let missing =
        hero(&mut app, |server| Plays::clip(load(server, "third.glb", "recipes/none.toml"), "walk"));
    let lame = hero(&mut app, |server| Plays::clip(server.load("lame/hero.gltf"), "walk"));
    for (entity, words) in [
        (wrong, ["recipes/wrong.toml", "line 2", "nmae"]),
        (missing, ["third.glb", "recipes/none.toml", "not found"]),
        (lame, ["lame/hero.gltf", "of%20hero.bin", "not found"]),
    ] {
        until(&mut app, "the error stands there", |world| world.get::<LissomError>(entity).is_some());
        let error = app.world().get::<LissomError>(entity).unwrap().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
}

#[test]
fn a_model_or_a_recipe_that_changed_plays_on_where_it_was() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("hero.glb"), glb());
    files.insert_asset(Path::new("twin.glb"), glb());
    let pair = ["hero.glb", "twin.glb"].map(|file| {
        let entity = hero(&mut app, |server| Plays::clip(server.load(file), "walk"));
        plays(&mut app, entity);
        entity
    });
    for entity in pair {
        app.world_mut().get_mut::<Plays>(entity).unwrap().set_changed();
    }
    for _ in 0..30 {
        app.update();
    }
    assert_eq!(laps(&mut app, pair[0]), laps(&mut app, pair[1]));
    files.insert_asset(Path::new("lissom.toml"), b"precision = '3mm'\n".to_vec());
    reload_at_rest(&mut app, &files, "hero.glb", glb());
    for _ in 0..30 {
        app.update();
        assert_eq!(laps(&mut app, pair[0]), laps(&mut app, pair[1]), "to the bit");
    }
    assert!(laps(&mut app, pair[0]) > 30.0 * DT_S / mannequin::clip(Motion::Walk).duration_s);
}

/// What stands on an entity whose file cannot be cooked, and in the log: each once.
fn refused(app: &mut App, entity: Entity, words: &[&str]) {
    until(app, "the error stands there", |world| world.get::<LissomError>(entity).is_some());
    let error = app.world().get::<LissomError>(entity).unwrap().to_string();
    assert!(words.iter().all(|word| error.contains(word)), "{error}");
    assert_eq!(count(words[0]), 1, "{error}");
}

#[test]
fn a_graph_or_a_database_that_is_refused_is_named_with_its_mistake() {
    let (mut app, files) = app();
    let put = |path: &str, bytes: Vec<u8>| files.insert_asset(Path::new(path), bytes);
    // A graph that plays a clip which is not there, beside one that is right.
    put("wrong/hero.glb", glb());
    put("wrong/lissom.toml", b"graphs = ['going.json', 'gone.json']\n".to_vec());
    put("wrong/going.json", graph("walk"));
    put("wrong/gone.json", graph("wlak"));
    let entity = hero(&mut app, |server| Plays::graph(server.load("wrong/hero.glb"), "going"));
    refused(&mut app, entity, &["wrong/gone.json", "wlak"]);
    // A database of clips that travel nowhere.
    put("still/hero.glb", glb());
    put("still/lissom.toml", b"[matching.gaits]\nclips = ['walk']\n".to_vec());
    let entity = hero(&mut app, |server| Plays::clip(server.load("still/hero.glb"), "walk"));
    refused(&mut app, entity, &["still/hero.glb", "gaits", "root"]);
}

#[test]
fn a_graph_that_changed_plays_on_where_it_was() {
    let (mut app, files) = app();
    let put = |path: &str, bytes: Vec<u8>| files.insert_asset(Path::new(path), bytes);
    for name in ["own", "twin"] {
        put(&format!("{name}/hero.glb"), glb());
        put(&format!("{name}/lissom.toml"), b"graphs = ['going.json']\n".to_vec());
        put(&format!("{name}/going.json"), graph("walk"));
    }
    let pair = ["own/hero.glb", "twin/hero.glb"].map(|file| {
        let entity = hero(&mut app, |server| Plays::graph(server.load(file), "going"));
        plays(&mut app, entity);
        entity
    });
    for entity in pair {
        app.world_mut().get_mut::<Plays>(entity).unwrap().set_changed();
    }
    (0..30).for_each(|_| app.update());
    let head = |app: &mut App, entity: Entity| {
        let read = move |c: Characters| {
            let playing = c.state(entity).unwrap().playing(c.graph(entity).unwrap(), 0).last().unwrap();
            (playing.at.to_bits(), playing.laps, c.graph(entity).unwrap().parameters().count())
        };
        app.world_mut().run_system_once(read).unwrap()
    };
    assert_eq!(head(&mut app, pair[0]), head(&mut app, pair[1]));
    // A parameter more; the states stay.
    let layer = LayerParts::new("body").state(StateParts::clip("go", "walk"));
    let more = lissom_build::graph::to_json(&GraphParts::new().float("new", 0.5).layer(layer)).into_bytes();
    files.insert_asset(Path::new("own/going.json"), more);
    reload_at_rest(&mut app, &files, "own/hero.glb", glb());
    for _ in 0..30 {
        app.update();
        let [(own, laps, parameters), (twin, twin_laps, none)] = pair.map(|entity| head(&mut app, entity));
        assert_eq!((own, laps), (twin, twin_laps), "to the bit");
        assert_eq!((parameters, none), (1, 0));
    }
}

#[test]
fn a_recipe_or_a_graph_that_a_watcher_sees_change_cooks_the_model_anew() {
    let (mut app, files, notify) = watched_app_of(LissomPlugin::default(), true, |_| {});
    let put = |path: &str, bytes: Vec<u8>| files.insert_asset(Path::new(path), bytes);
    put("seen/hero.glb", glb());
    put("seen/lissom.toml", b"graphs = ['going.json']\n".to_vec());
    put("seen/going.json", graph("walk"));
    let entity = hero(&mut app, |server| Plays::graph(server.load("seen/hero.glb"), "going"));
    plays(&mut app, entity);
    let changed = |path: &str| notify.lock().unwrap().as_ref().unwrap()(path);
    let clips = |world: &mut World| {
        let read = move |c: Characters| {
            let graph = c.graph(entity).ok()?;
            Some((graph.clips()[0].name.to_string(), graph.parameters().count()))
        };
        world.run_system_once(read).unwrap()
    };
    let layer = LayerParts::new("body").state(StateParts::clip("go", "walk"));
    let more = GraphParts::new().float("new", 0.5).layer(layer);
    put("seen/going.json", lissom_build::graph::to_json(&more).into_bytes());
    changed("seen/going.json");
    until(&mut app, "the graph is the new one", |world| clips(world) == Some(("walk".into(), 1)));
    put("seen/lissom.toml", b"graphs = ['going.json']\n[clips.walk]\nname = 'stroll|walk'\n".to_vec());
    changed("seen/lissom.toml");
    until(&mut app, "the clip is called as the recipe says", |world| {
        clips(world).is_some_and(|(name, _)| name == "stroll|walk")
    });
    assert!(app.world().get::<LissomError>(entity).is_none());
}
