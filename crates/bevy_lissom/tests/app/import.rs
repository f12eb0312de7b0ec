//! Files of other programs, cooked as they are loaded.

use super::{app, hero, joint, log::count, plays, until};
use bevy_app::App;
use bevy_asset::io::memory::Dir;
use bevy_ecs::prelude::*;
use bevy_lissom::{Character, LissomError, Plays};
use lissom_build::{
    export::write_glb,
    mannequin::{self, Motion},
    scene::{Scene, SceneAnimation, SceneSkeleton},
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

#[test]
fn a_glb_is_cooked_as_it_is_loaded_and_plays() {
    let (mut app, entity) = walker(app(), "hero.glb", glb());
    plays(&mut app, entity);
    let before = joint(&mut app, entity, "thigh_l");
    for _ in 0..10 {
        app.update();
    }
    assert!(!before.abs_diff_eq(joint(&mut app, entity, "thigh_l"), 1e-3), "it stands still");
}

#[test]
fn a_broken_glb_is_logged_and_stands_on_the_entity() {
    let mut bytes = glb();
    bytes.truncate(100);
    let (mut app, entity) = walker(app(), "broken.glb", bytes);
    until(&mut app, "the error stands there", |world| world.get::<LissomError>(entity).is_some());
    let error = &app.world().get::<LissomError>(entity).unwrap().0;
    assert!(error.contains("broken.glb"), "{error}");
    assert_eq!(count("broken.glb"), 1);
    assert!(app.world().get::<Character>(entity).is_none());
}
