//! Each mistake stands on the entity, and is in the log once with the entity's name.

use super::{app, hero, log, until};
use bevy_asset::AssetServer;
use bevy_ecs::prelude::*;
use bevy_lissom::{
    CharacterDetail, Concern, JointSocket, JointSprings, LissomError, Parameters, PlaybackSpeed, Plays, Pose,
    PoseHooks, Ragdoll, RagdollBody, Skin,
};
use lissom_motion::{
    GraphParts,
    graph::{LayerParts, StateParts},
};
use std::{path::Path, sync::Arc};

#[test]
fn each_mistake_stands_on_the_entity_and_in_the_log_with_its_name() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("torn.lsm"), b"LSM1 and no more".to_vec());
    let body = || LayerParts::new("body").state(StateParts::clip("walk", "walk"));
    let joint = GraphParts::new().mask("arms", "upperam_l", 0).layer(body().masked("arms"));
    let mask = GraphParts::new().layer(body().masked("amrs"));
    let clip = |file: &'static str, clip: &'static str| {
        move |server: &AssetServer| Plays::clip(server.load(file), clip)
    };
    let graph = |server: &AssetServer| Plays::graph(server.load("hero.lsm"), "hero");
    let walk = || clip("hero.lsm", "walk");
    let mut cases = Vec::new();
    let mut case = |name: &'static str, about, word: &'static str, entity: Entity| {
        cases.push((name, about, word, entity));
    };
    let entity = hero(&mut app, clip("nowhere.lsm", "walk"));
    case("Lost file", Concern::Plays, "nowhere.lsm", entity);
    let entity = hero(&mut app, clip("torn.lsm", "walk"));
    case("Torn file", Concern::Plays, "torn.lsm", entity);
    let entity = hero(&mut app, clip("hero.lsm", "wlak"));
    case("Wrong clip", Concern::Plays, "\"wlak\"; there are \"", entity);
    let entity = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "heroo"));
    case("Wrong graph", Concern::Plays, "\"heroo\"; there are \"hero\"", entity);
    let entity = hero(&mut app, |server| Plays::parts(server.load("hero.lsm"), Arc::new(joint)));
    case("Wrong joint of a mask", Concern::Plays, "upperam_l", entity);
    let entity = hero(&mut app, |server| Plays::parts(server.load("hero.lsm"), Arc::new(mask)));
    case("Wrong mask", Concern::Plays, "amrs", entity);
    let entity = hero(&mut app, graph);
    app.world_mut().entity_mut(entity).insert(Parameters::default().with("speeed", 1.0));
    case("Wrong parameter", Concern::Parameters, "\"speeed\"; there are \"speed\"", entity);
    let entity = hero(&mut app, graph);
    app.world_mut().entity_mut(entity).insert(Parameters::default().with("speed", true));
    case("Wrong value", Concern::Parameters, "speed", entity);
    let entity = hero(&mut app, walk());
    app.world_mut().entity_mut(entity).insert(PlaybackSpeed(f32::NAN));
    case("Wrong speed", Concern::PlaybackSpeed, "NaN", entity);
    let entity = hero(&mut app, walk());
    app.world_mut().entity_mut(entity).insert(Skin::new("bdoy"));
    case("Wrong mesh", Concern::Skin, "\"bdoy\"; there are \"body\"", entity);
    let above = hero(&mut app, walk());
    let entity = app.world_mut().spawn((JointSocket::new("haed"), ChildOf(above))).id();
    case("Wrong socket", Concern::JointSocket, "\"haed\"; there are \"", entity);
    let entity = hero(&mut app, walk());
    app.world_mut().entity_mut(entity).insert(JointSprings::new(["tial", "hand_l"]));
    case("Wrong spring", Concern::Springs, "\"tial\"; there are \"", entity);
    let entity = hero(&mut app, walk());
    app.world_mut().entity_mut(entity).insert(Ragdoll::new([RagdollBody::new("haed", above)]));
    case("Wrong body", Concern::Ragdoll, "\"haed\"; there are \"", entity);
    let entity = hero(&mut app, walk());
    app.world_mut().entity_mut(entity).insert(CharacterDetail { every: 0, ..CharacterDetail::default() });
    case("Wrong rate", Concern::Detail, "once in 0 updates", entity);
    let hooked = hero(&mut app, walk());
    case("Wrong hook", Concern::Pose, "joint 999 is out of range", hooked);
    let hook = move |entity: Entity, pose: &mut Pose<'_>| {
        if entity == hooked { pose.model(999).map(|_| ()) } else { Ok(()) }
    };
    app.world_mut().resource_mut::<PoseHooks>().add(hook);
    for (name, .., entity) in &cases {
        app.world_mut().entity_mut(*entity).insert(Name::new(*name));
    }
    until(&mut app, "every mistake is told", |world| {
        cases.iter().all(|(.., entity)| world.get::<LissomError>(*entity).is_some())
    });
    for _ in 0..5 {
        app.update();
    }
    for (name, about, word, entity) in &cases {
        let error = app.world().get::<LissomError>(*entity).unwrap();
        let why = error.about(*about).unwrap_or_else(|| panic!("{name}: {error}"));
        assert!(why.contains(word), "{name}: {why}");
        let told = log::of(name);
        assert_eq!(told.len(), 1, "{name} is told once: {told:?}");
        assert!(told[0].ends_with(&format!("{about}: {why}")), "{told:?}");
    }
    // Another mistake takes the place of the one before.
    let entity = cases.iter().find(|case| case.0 == "Wrong mesh").unwrap().3;
    app.world_mut().entity_mut(entity).insert(Skin::new("hat"));
    app.update();
    let error = app.world().get::<LissomError>(entity).unwrap();
    assert!(error.problems.len() == 1 && error.about(Concern::Skin).unwrap().contains("\"hat\""), "{error}");
    // Mended one by one.
    type Mend = fn(&mut EntityWorldMut);
    app.insert_resource(PoseHooks::default());
    app.update();
    assert!(app.world().get::<LissomError>(hooked).is_none(), "the hook is gone");
    let mended: [(&str, Mend); 7] = [
        ("Wrong spring", |entity| {
            entity.insert(JointSprings::new(["hand_l"]));
        }),
        ("Wrong body", |entity| {
            entity.remove::<Ragdoll>();
        }),
        ("Wrong rate", |entity| {
            entity.insert(CharacterDetail::default());
        }),
        ("Wrong parameter", |entity| {
            entity.insert(Parameters::default().with("Speed", 1.0));
        }),
        ("Wrong speed", |entity| {
            entity.insert(PlaybackSpeed(2.0));
        }),
        ("Wrong mesh", |entity| {
            entity.insert(Skin::new("Body"));
        }),
        ("Wrong socket", |entity| {
            entity.insert(JointSocket::new("head"));
        }),
    ];
    for (name, mend) in mended {
        let entity = cases.iter().find(|case| case.0 == name).unwrap().3;
        mend(&mut app.world_mut().entity_mut(entity));
        app.update();
        app.update();
        assert!(app.world().get::<LissomError>(entity).is_none(), "{name}");
    }
}
