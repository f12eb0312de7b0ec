//! Morph weights that follow what characters play.

use super::{BYTES, DT_S, MORPHS, app, hero, parts, plays, save, until};
use bevy_app::App;
use bevy_asset::{AssetServer, Assets, Handle};
use bevy_ecs::{prelude::*, system::RunSystemOnce};
use bevy_lissom::{Characters, PlaybackSpeed, Plays, SceneJoints, Skin, SkinPalette, WeightedClip};
use bevy_mesh::{
    Mesh,
    morph::{MeshMorphWeights, MorphWeights},
};
use bevy_transform::components::Transform;
use lissom::archive::Archive;
use lissom_motion::{Animator as Alone, Graph};
use std::{sync::Arc, time::Duration};

fn weights(app: &App, entity: Entity) -> &[f32] {
    let Some(MeshMorphWeights::Value { weights }) = app.world().get(entity) else {
        panic!("it has no weights")
    };
    weights
}

/// Standing in the middle of its clips, half of each.
fn held(app: &mut App, clips: &[&str]) -> Entity {
    let part = |name: &&str| WeightedClip { laps: 0.5, ..WeightedClip::new(*name, 0.5) };
    let parts: Vec<WeightedClip> = clips.iter().map(part).collect();
    let entity = hero(app, |server| Plays::clips(server.load("hero.lsm"), parts));
    app.world_mut().entity_mut(entity).insert(PlaybackSpeed(0.0));
    entity
}

fn close(weights: &[f32], wanted: [f64; 2]) -> bool {
    weights.len() == 2
        && weights.iter().zip(wanted).all(|(own, wanted)| (f64::from(*own) - wanted).abs() < 1e-3)
}

#[test]
fn morph_targets_of_a_mesh_are_the_assets() {
    let (mut app, _) = app();
    let handle: Handle<Mesh> = app.world().resource::<AssetServer>().load("hero.lsm#mesh/body");
    until(&mut app, "the mesh is loaded", |world| world.resource::<Assets<Mesh>>().contains(&handle));
    let mesh = app.world().resource::<Assets<Mesh>>().get(&handle).unwrap();
    assert_eq!(mesh.morph_target_names().unwrap(), MORPHS.map(|(name, ..)| name));
    let (vertices, targets) = (mesh.count_vertices(), mesh.morph_targets().unwrap());
    assert_eq!(targets.len(), vertices * MORPHS.len());
    for (at, target) in targets.iter().enumerate() {
        let delta = if at % vertices % 2 == 0 { MORPHS[at / vertices].2 } else { [0.0; 3] };
        assert_eq!(target.position.to_array(), delta, "{at}");
    }
}

#[test]
fn weights_follow_a_graph_as_those_of_an_animator_alone_bit_for_bit() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::parts(server.load("hero.lsm"), parts()));
    app.world_mut().entity_mut(entity).insert(Skin::new("body"));
    plays(&mut app, entity);
    until(&mut app, "it is dressed", |world| world.get::<SkinPalette>(entity).is_some());
    let archive = Archive::read(&BYTES).unwrap();
    let graph = Arc::new(Graph::of_archive(&parts(), &archive).unwrap());
    let mut alone = Alone::new(&archive, graph.clone()).unwrap();
    alone.restore(save(&mut app, entity).graph().unwrap()).unwrap();
    let mut seen = Vec::new();
    for frame in 0..200 {
        let (speed, greets) = ((frame as f32 * 0.05).fract(), frame == 20);
        let keys = (graph.float("speed").unwrap(), graph.trigger("greet").unwrap());
        alone.set(keys.0, speed).unwrap();
        app.world_mut()
            .run_system_once(move |mut c: Characters| {
                let graph = c.graph(entity).unwrap().clone();
                c.set(entity, graph.float("speed").unwrap(), speed).unwrap();
                if greets {
                    c.trigger(entity, graph.trigger("greet").unwrap()).unwrap();
                }
            })
            .unwrap();
        if greets {
            alone.trigger(keys.1).unwrap();
        }
        app.update();
        alone.update(Duration::from_secs_f64(DT_S).as_secs_f64()).unwrap();
        let own = alone.body().morph_weights("body").unwrap();
        assert_eq!(weights(&app, entity), own, "frame {frame}");
        seen.push(own.to_vec());
    }
    // They did move, by both states.
    for target in 0..2 {
        let all = seen.iter().map(|weights| weights[target]);
        assert!(all.clone().fold(0.0, f32::max) - all.fold(1.0, f32::min) > 0.05, "{target} stands still");
    }
}

#[test]
fn weights_follow_clips_by_how_much_is_seen_of_each() {
    let (mut app, _) = app();
    let (one, both) = (held(&mut app, &["walk"]), held(&mut app, &["walk", "wave"]));
    let none = held(&mut app, &["idle"]);
    for entity in [one, both, none] {
        app.world_mut().entity_mut(entity).insert(Skin::new("body"));
        plays(&mut app, entity);
    }
    app.update();
    app.update();
    let [stout, tall] = MORPHS.map(|(_, own, _)| own);
    assert!(close(weights(&app, none), [stout, tall]), "{:?}", weights(&app, none));
    assert!(close(weights(&app, one), [0.5, tall]), "{:?}", weights(&app, one));
    let mean = [(0.5 + stout) / 2.0, (0.5 + tall) / 2.0];
    assert!(close(weights(&app, both), mean), "{:?}", weights(&app, both));
    // Who stands still is not marked changed.
    let changed = |app: &mut App| {
        let system = |changed: Query<(), Changed<MeshMorphWeights>>| changed.iter().count();
        let id = app.world_mut().register_system(system);
        app.world_mut().run_system(id).unwrap();
        app.update();
        app.world_mut().run_system(id).unwrap()
    };
    assert_eq!(changed(&mut app), 0);
    app.world_mut().entity_mut(one).remove::<PlaybackSpeed>();
    app.update();
    assert_eq!(changed(&mut app), 1);
}

#[test]
fn the_weights_of_a_scenes_node_follow_too() {
    let (mut app, _) = app();
    let entity = held(&mut app, &["walk"]);
    app.world_mut().entity_mut(entity).insert(SceneJoints::default());
    plays(&mut app, entity);
    let node = |app: &mut App, name: &str, first: Option<Handle<Mesh>>| {
        let weights = MorphWeights::new(vec![0.0; 2], first).unwrap();
        app.world_mut()
            .spawn((Name::new(name.to_owned()), weights, Transform::default(), ChildOf(entity)))
            .id()
    };
    let mut own = Mesh::new(bevy_mesh::PrimitiveTopology::TriangleList, Default::default());
    own.set_morph_target_names(MORPHS.map(|(name, ..)| name.to_owned()).to_vec());
    let own = app.world_mut().resource_mut::<Assets<Mesh>>().add(own);
    let named = node(&mut app, "body", None);
    let alike = node(&mut app, "called otherwise", Some(own));
    let other = node(&mut app, "another", None);
    // A joint, so that there is a scene.
    app.world_mut().spawn((Name::new("hips"), Transform::default(), ChildOf(entity)));
    app.update();
    app.update();
    let of = |entity| app.world().get::<MorphWeights>(entity).unwrap().weights();
    assert!(close(of(named), [0.5, MORPHS[1].1]) && close(of(alike), [0.5, MORPHS[1].1]), "{:?}", of(named));
    assert_eq!(of(other), [0.0; 2]);
}
