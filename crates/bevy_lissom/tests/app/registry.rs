//! What inspectors and scenes need: every component is in the type registry, can be written and read there, and lives on in a scene.

use super::{app, app_with, bits, hero, joint, plays, until};
use bevy_app::App;
use bevy_asset::AssetServer;
use bevy_ecs::{
    entity::EntityHashMap,
    prelude::*,
    reflect::{AppTypeRegistry, ReflectComponent, ReflectResource},
    system::RunSystemOnce,
};
use bevy_lissom::{
    Character, CharacterDetail, Characters, Concern, DetailLevel, DetailLevels, EntityRootMotion, FootGround,
    FootIk, GraphSource, HandIk, HandTarget, JointSocket, JointSprings, LissomError, LissomProblem, LookAt,
    MarkerFilter, MatchedMotion, Parameters, PathPoint, Playable, PlaybackSpeed, Plays, Ragdoll, RagdollBody,
    SceneJoints, Skin, SkinMaterial, SkinPalette, Skins, SpringBody, WeightedClip,
};
use bevy_math::Vec3;
use bevy_reflect::{PartialReflect, Reflect, TypePath};
use bevy_transform::components::Transform;
use bevy_world_serialization::DynamicWorldBuilder;
use lissom::track::Repeat;
use std::{any::TypeId, collections::BTreeSet, path::Path};

/// Whether an entity has a component.
type IsThere = fn(&mut EntityWorldMut) -> bool;

/// A component, its last name, and a value that is not the default one.
struct Other {
    id: TypeId,
    name: &'static str,
    value: Box<dyn PartialReflect>,
    is_there: IsThere,
    /// True if it holds entities: a scene brings others in their place.
    has_entities: bool,
}

fn other<C: Component + Reflect + TypePath>(component: C) -> Other {
    Other {
        id: TypeId::of::<C>(),
        name: C::type_ident().unwrap(),
        value: Box::new(component),
        is_there: |entity| entity.contains::<C>(),
        has_entities: false,
    }
}

fn with_entities<C: Component + Reflect + TypePath>(component: C) -> Other {
    Other { has_entities: true, ..other(component) }
}

/// Components that people write and scenes keep, with values that are not the default ones.
fn written(lamp: Entity, server: &AssetServer) -> Vec<Other> {
    let ground = Some(FootGround { place: Vec3::ONE, normal: Vec3::X });
    let clip = WeightedClip { laps: 0.25, repeat: Repeat::Once, ..WeightedClip::new("walk", 0.5) };
    let capsule = SpringBody { entity: lamp, radius: 0.5, half_length: 0.25 };
    let levels = [DetailLevel::from(0.25).every(2).without(["head"])];
    vec![
        other(CharacterDetail { every: 3, level: Some(1), posed: false }),
        other(DetailLevels::new(levels).hide_unseen()),
        other(EntityRootMotion { applied: false, translation: Vec3::X, ..Default::default() }),
        other(FootIk { left: ground, right: None, weight: 0.5 }),
        with_entities(HandIk { left: Some(HandTarget::hold(lamp)), right: None }),
        with_entities(LookAt { target: lamp, weight: 0.25 }),
        other(JointSocket::new("head").with_scale()),
        with_entities(JointSprings::new(["tail"]).out_of(capsule)),
        other(LissomError { problems: vec![LissomProblem { about: Concern::Skin, why: "a test".into() }] }),
        other(MarkerFilter { least_weight: 0.5, apart_s: 0.125 }),
        other(MatchedMotion {
            velocity: Vec3::X,
            facing: Some(Vec3::Z),
            path: vec![PathPoint { place: Vec3::ONE, facing: Vec3::Y }],
        }),
        other(Parameters::default().with("speed", 1.5).with("armed", true).with("mode", 3)),
        other(PlaybackSpeed(0.5)),
        other(Plays { skeleton: Some("a".into()), ..Plays::in_step(server.load("hero.lsm"), [clip]) }),
        with_entities(Ragdoll { weight: 0.5, bodies: vec![RagdollBody::new("head", lamp)] }),
        other(SceneJoints::default()),
        #[cfg(feature = "dev")]
        other(bevy_lissom::ShowAll { skeletons: true, panels: false }),
        #[cfg(feature = "dev")]
        other(bevy_lissom::ShowPanel { size_m: 0.5, decisions: 2, ..Default::default() }),
        #[cfg(feature = "dev")]
        other(bevy_lissom::ShowSkeleton { names: true, ..Default::default() }),
        other(Skin::new("body")),
        other(SkinMaterial(Some(server.load("hero.lsm#material/skin")))),
        other(Skins::only(["body"]).bare()),
    ]
}

/// What the plugin adds: it can be looked at, and no scene keeps it.
const ADDED: [&str; 5] = ["Character", "SceneJoint", "Carries", "SkinPalette", "Morphs"];

/// The plugin's own as well, but scenes keep them: so that what was spawned for a component is known again.
const KEPT: [&str; 2] = ["Worn", "Painted"];

/// Resources that hold what runs, and nothing for people to write.
const MACHINERY: [&str; 6] = ["Crowds", "PoseHooks", "SceneRows", "Made", "Marks", "Newcomers"];

/// The names of all components and resources in the sources, as far as these features have them.
fn in_the_sources() -> BTreeSet<String> {
    let off = [
        ("dev.rs", cfg!(feature = "dev")),
        ("standard.rs", cfg!(feature = "render")),
        ("render.rs", cfg!(feature = "render")),
    ];
    let mut names = BTreeSet::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if off.iter().any(|(file, is_on)| path.ends_with(file) && !is_on) {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for derived in text.split("#[derive(").skip(1) {
                let (list, rest) = derived.split_once(')').unwrap();
                if list.split(',').any(|one| ["Component", "Resource"].contains(&one.trim())) {
                    let (_, name) = rest.split_once("struct ").unwrap();
                    let end = name.find(|c: char| !c.is_alphanumeric()).unwrap();
                    names.insert(name[..end].to_owned());
                }
            }
        }
    }
    names
}

/// An app with all that these features have.
fn full_app() -> App {
    let (app, _) = app_with(|app| {
        #[cfg(feature = "dev")]
        app.add_plugins((bevy_gizmos::GizmoPlugin, bevy_lissom::LissomDevPlugin));
        #[cfg(feature = "render")]
        bevy_asset::AssetApp::init_asset::<bevy_pbr::StandardMaterial>(app);
        let _ = app;
    });
    app
}

#[test]
fn every_component_of_the_sources_is_in_the_registry() {
    let mut app = full_app();
    let lamp = app.world_mut().spawn_empty().id();
    let server = app.world().resource::<AssetServer>().clone();
    let written = written(lamp, &server);
    let written: BTreeSet<&str> = written.iter().map(|other| other.name).collect();
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let all = in_the_sources();
    assert!(all.len() > 25, "{all:?}");
    for name in all.iter().map(String::as_str).filter(|name| !MACHINERY.contains(name)) {
        let mut own = registry.iter().filter(|one| {
            let path = one.type_info().type_path_table();
            path.ident() == Some(name) && path.crate_name() == Some("bevy_lissom")
        });
        let registration = own.next().unwrap_or_else(|| panic!("{name} is not registered"));
        assert!(own.next().is_none(), "two are called {name}");
        let is_kept = registration.data::<ReflectComponent>().is_some();
        assert_eq!(is_kept, !ADDED.contains(&name), "{name}: scenes keep it, or not");
        // What people write is tried below.
        let is_tried = written.contains(name);
        assert_eq!(is_tried, is_kept && !KEPT.contains(&name), "{name} is in no list, or in two");
    }
    let missing: Vec<&&str> = written.iter().filter(|name| !all.contains(**name)).collect();
    assert!(missing.is_empty(), "{missing:?} stand nowhere in the sources");
}

#[test]
fn every_component_is_written_and_read_through_the_registry_and_a_scene() {
    let mut app = full_app();
    let lamp = app.world_mut().spawn(Transform::IDENTITY).id();
    let server = app.world().resource::<AssetServer>().clone();
    let all = written(lamp, &server);
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let component = |other: &Other| {
        let found = registry.get_type_data::<ReflectComponent>(other.id);
        found.unwrap_or_else(|| panic!("{}", other.name)).clone()
    };
    let mut entities = Vec::new();
    // Nothing of this one is for people to write.
    let is_plain = |other: &Other| other.name == "SceneJoints";
    for one in &all {
        let component = component(one);
        // A value without a type, as a file has it.
        let written = one.value.to_dynamic().unwrap();
        // A resource stands on an entity of its own.
        let id = app.world().components().get_id(one.id);
        let own = id.and_then(|id| app.world().resource_entities().get(id));
        let own = own.unwrap_or_else(|| app.world_mut().spawn_empty().id());
        let mut entity = app.world_mut().entity_mut(own);
        component.insert(&mut entity, &*written, &registry);
        assert!((one.is_there)(&mut entity), "{}", one.name);
        let read = component.reflect(&entity).unwrap();
        assert!(
            is_plain(one) || read.reflect_partial_eq(&*one.value) == Some(true),
            "{read:?} {:?}",
            one.value
        );
        entities.push(entity.id());
    }
    // Scenes keep resources apart.
    let is_resource = |other: &Other| registry.get_type_data::<ReflectResource>(other.id).is_some();
    let spawned = entities.iter().copied().chain([lamp]);
    let scene = DynamicWorldBuilder::from_world(app.world(), &registry).extract_entities(spawned);
    let scene = scene.deny_all_resources().allow_resource::<DetailLevels>().extract_resources().build();
    let levels = std::mem::take(&mut *app.world_mut().resource_mut::<DetailLevels>());
    let mut map = EntityHashMap::default();
    scene.write_to_world(app.world_mut(), &mut map).unwrap();
    assert_eq!(*app.world().resource::<DetailLevels>(), levels);
    assert!(levels.hide_unseen);
    for (one, entity) in all.iter().zip(&entities).filter(|(one, _)| !is_resource(one)) {
        let entity = app.world().entity(map[entity]);
        let read = component(one).reflect(entity);
        // What went wrong is found out anew.
        if one.name == "LissomError" {
            assert!(read.is_none());
            continue;
        }
        let read = read.unwrap_or_else(|| panic!("no scene keeps {}", one.name));
        let is_same = is_plain(one) || read.reflect_partial_eq(&*one.value) == Some(true);
        assert_eq!(is_same, !one.has_entities, "{read:?} {:?}", one.value);
    }
    let looks = all.iter().zip(&entities).find(|(one, _)| one.name == "LookAt").unwrap().1;
    assert_eq!(app.world().get::<LookAt>(map[looks]).unwrap().target, map[&lamp], "its own lamp");
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
