//! What inspectors and scenes need: the components are in the type registry.

use super::{app, bits, hero, plays};
use bevy_ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy_lissom::{
    EntityRootMotion, FootIk, HandIk, JointSocket, LissomError, LookAt, Parameters, PlaybackSpeed, Plays,
    SceneJoints, Skin,
};
use std::any::TypeId;

#[test]
fn components_are_registered_and_a_value_that_is_set_by_reflection_is_followed() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    plays(&mut app, entity);
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let component = |id| registry.get_type_data::<ReflectComponent>(id).cloned();
    for id in [
        TypeId::of::<EntityRootMotion>(),
        TypeId::of::<FootIk>(),
        TypeId::of::<HandIk>(),
        TypeId::of::<LookAt>(),
        TypeId::of::<JointSocket>(),
        TypeId::of::<LissomError>(),
        TypeId::of::<Parameters>(),
        TypeId::of::<PlaybackSpeed>(),
        TypeId::of::<Plays>(),
        TypeId::of::<SceneJoints>(),
        TypeId::of::<Skin>(),
    ] {
        assert!(component(id).is_some(), "{id:?}");
    }
    let speed = component(TypeId::of::<PlaybackSpeed>()).unwrap();
    app.world_mut().entity_mut(entity).insert(PlaybackSpeed(1.0));
    app.update();
    let before = bits(&mut app, entity);
    app.update();
    assert_ne!(bits(&mut app, entity), before);
    speed.apply(app.world_mut().entity_mut(entity), &PlaybackSpeed(0.0));
    app.update();
    let stopped = bits(&mut app, entity);
    app.update();
    assert_eq!(bits(&mut app, entity), stopped);
}
