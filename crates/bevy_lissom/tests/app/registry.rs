//! What inspectors and scenes need: every component is in the type registry, can be written and read there, and lives on in a scene.

use super::{app, bits, hero, joint, plays, until};
use bevy_app::App;
use bevy_ecs::{
    entity::EntityHashMap,
    prelude::*,
    reflect::{AppTypeRegistry, ReflectComponent},
    system::RunSystemOnce,
};
use bevy_lissom::{
    Character, CharacterDetail, Characters, EntityRootMotion, FootGround, FootIk, GraphSource, HandIk,
    HandTarget, JointSocket, JointSprings, LissomError, LookAt, MarkerFilter, MatchedMotion, Parameters,
    PathPoint, Playable, PlaybackSpeed, Plays, Ragdoll, RagdollBody, SceneJoint, SceneJoints, Skin,
    SkinMaterial, SkinPalette, Skins, SpringBody, WeightedClip,
};
use bevy_math::Vec3;
use bevy_reflect::{PartialReflect, Reflect};
use bevy_transform::components::Transform;
use bevy_world_serialization::DynamicWorldBuilder;
use lissom::track::Repeat;
use std::any::TypeId;

/// Whether an entity has a component.
type IsThere = fn(&mut EntityWorldMut) -> bool;

/// A value of a component, not the default one.
fn other<C: Component + Reflect>(component: C) -> (TypeId, Box<dyn PartialReflect>, IsThere) {
    (TypeId::of::<C>(), Box::new(component), |entity| entity.contains::<C>())
}

#[test]
fn every_component_is_written_and_read_through_the_registry() {
    let (mut app, _) = app();
    let lamp = app.world_mut().spawn_empty().id();
    let server = app.world().resource::<bevy_asset::AssetServer>().clone();
    let ground = Some(FootGround { place: Vec3::ONE, normal: Vec3::X });
    let clip = WeightedClip { laps: 0.25, repeat: Repeat::Once, ..WeightedClip::new("walk", 0.5) };
    let all = [
        other(CharacterDetail { every: 3, level: Some(1), posed: false }),
        other(EntityRootMotion { applied: false, translation: Vec3::X, ..Default::default() }),
        other(FootIk { left: ground, right: None, weight: 0.5 }),
        other(HandIk { left: Some(HandTarget::hold(lamp)), right: None }),
        other(LookAt { target: lamp, weight: 0.25 }),
        other(JointSocket::new("head").with_scale()),
        other(JointSprings::new(["tail"]).out_of(SpringBody {
            entity: lamp,
            radius: 0.5,
            half_length: 0.25,
        })),
        other(LissomError { problems: Vec::new() }),
        other(MarkerFilter { least_weight: 0.5, apart_s: 0.125 }),
        other(MatchedMotion {
            velocity: Vec3::X,
            facing: Some(Vec3::Z),
            path: vec![PathPoint { place: Vec3::ONE, facing: Vec3::Y }],
        }),
        other(Parameters::default().with("speed", 1.5).with("armed", true).with("mode", 3)),
        other(PlaybackSpeed(0.5)),
        other(Plays { skeleton: Some("a".into()), ..Plays::in_step(server.load("hero.lsm"), [clip]) }),
        other(Ragdoll { weight: 0.5, bodies: vec![RagdollBody::new("head", lamp)] }),
        other(SceneJoints::default()),
        other(Skin::new("body")),
        other(SkinMaterial(Some(server.load("hero.lsm#material/skin")))),
        other(Skins::only(["body"]).bare()),
    ];
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    for (id, value, has) in &all {
        let component =
            registry.get_type_data::<ReflectComponent>(*id).unwrap_or_else(|| panic!("{value:?}"));
        // A value without a type, as a file has it.
        let written = value.to_dynamic().unwrap();
        let mut entity = app.world_mut().spawn_empty();
        component.insert(&mut entity, &*written, &registry);
        assert!(has(&mut entity), "{value:?}");
        let read = component.reflect(&entity).unwrap();
        // Nothing of this one is for people to write.
        let plain = *id == TypeId::of::<SceneJoints>();
        assert!(plain || read.reflect_partial_eq(&**value) == Some(true), "{read:?} {value:?}");
    }
    // What the plugin adds can be looked at, and no scene keeps it.
    for id in [TypeId::of::<Character>(), TypeId::of::<SceneJoint>(), TypeId::of::<SkinPalette>()] {
        assert!(registry.get(id).is_some());
        assert!(registry.get_type_data::<ReflectComponent>(id).is_none());
    }
}

#[test]
fn a_value_that_is_set_by_reflection_is_followed() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    app.world_mut().entity_mut(entity).insert(PlaybackSpeed(1.0));
    plays(&mut app, entity);
    let before = bits(&mut app, entity);
    app.update();
    assert_ne!(bits(&mut app, entity), before);
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let speed =
        registry.read().get_type_data::<ReflectComponent>(TypeId::of::<PlaybackSpeed>()).unwrap().clone();
    speed.apply(app.world_mut().entity_mut(entity), &PlaybackSpeed(0.0));
    app.update();
    let stopped = bits(&mut app, entity);
    app.update();
    assert_eq!(bits(&mut app, entity), stopped);
}

#[test]
fn a_scene_of_characters_is_spawned_again_and_plays() {
    let (mut app, _) = app();
    app.register_type::<ChildOf>().register_type::<Children>();
    let lamp = app.world_mut().spawn(Transform::from_xyz(2.0, 1.0, 2.0)).id();
    let entity = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    app.world_mut().entity_mut(entity).insert((
        Parameters::default().with("speed", 0.5),
        LookAt::new(lamp),
        Skin::new("body"),
    ));
    let socket = app.world_mut().spawn((JointSocket::new("hand_r"), ChildOf(entity))).id();
    let whole = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    app.world_mut().entity_mut(whole).insert(Skins::all());
    plays(&mut app, entity);
    plays(&mut app, whole);
    app.update();
    let worn = |app: &App, entity: Entity| app.world().get::<Children>(entity).unwrap().to_vec();
    let skins = worn(&app, whole);
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let scene = {
        let registry = registry.read();
        let all = [lamp, entity, socket, whole].into_iter().chain(skins.iter().copied());
        DynamicWorldBuilder::from_world(app.world(), &registry).extract_entities(all).build()
    };
    let mut map = EntityHashMap::default();
    scene.write_to_world(app.world_mut(), &mut map).unwrap();
    let (copy, hand) = (map[&entity], map[&socket]);
    plays(&mut app, map[&whole]);
    app.update();
    let again: Vec<Entity> = skins.iter().map(|skin| map[skin]).collect();
    assert_eq!(worn(&app, map[&whole]), again, "those that came along, and no more");
    assert!(again.iter().all(|skin| app.world().get::<SkinPalette>(*skin).is_some()));
    until(&mut app, "the copy plays", |world| world.get::<Character>(copy).is_some());
    app.update();
    let playable = &app.world().get::<Plays>(copy).unwrap().playable;
    assert_eq!(*playable, Playable::Graph(GraphSource::Named("hero".into())));
    assert_eq!(app.world().get::<LookAt>(copy).unwrap().target, map[&lamp], "it looks at its own lamp");
    assert!(app.world().get::<SkinPalette>(copy).is_some() && app.world().get::<LissomError>(copy).is_none());
    let place = joint(&mut app, copy, "hand_r").w_axis.truncate();
    assert!(app.world().get::<Transform>(hand).unwrap().translation.abs_diff_eq(place, 1e-5));
    let speed = app.world_mut().run_system_once(move |c: Characters| {
        let graph = c.graph(copy).unwrap();
        c.state(copy).unwrap().get(graph.float("speed").unwrap())
    });
    assert_eq!(speed.unwrap(), Some(0.5));
    // A clone of an entity is a character of its own.
    let twin = app.world_mut().entity_mut(entity).clone_and_spawn();
    plays(&mut app, twin);
    app.world_mut().despawn(twin);
    app.update();
    let before = bits(&mut app, entity);
    app.update();
    assert_ne!(bits(&mut app, entity), before, "the first one plays on");
}
