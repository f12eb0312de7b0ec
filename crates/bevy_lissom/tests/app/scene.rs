//! Joints that are entities, in trees as `bevy_gltf` spawns them.

use super::{BYTES, app, app_with, hero, joint, plays, until};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_lissom::{Character, LissomTransformPlugin, PlaybackSpeed, Plays, SceneJoint, SceneJoints};
use bevy_math::{Affine3A, Quat, Vec3};
use bevy_mesh::skinning::SkinnedMesh;
use bevy_transform::{
    StaticTransformOptimizations, TransformSystems,
    components::{GlobalTransform, Transform},
};
use lissom::{Skeleton, archive::Archive};
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

static SKELETON: LazyLock<Arc<Skeleton>> =
    LazyLock::new(|| Archive::read(&BYTES).unwrap().skeleton("mannequin").unwrap());

/// A scene below a character: its root, a node a joint, and a node that only has the mesh and is called as a joint is.
fn spawn_scene(app: &mut App, character: Entity) -> (Entity, HashMap<&'static str, Entity>) {
    let world = app.world_mut();
    let root =
        world.spawn((Name::new("Scene0"), Transform::from_xyz(0.0, 0.0, 0.5), ChildOf(character))).id();
    let mut joints = Vec::new();
    for joint in 0..SKELETON.joint_count() {
        let rest = SKELETON.rest(joint);
        let transform = Transform {
            translation: Vec3::from_array(rest.translation.to_array()),
            rotation: Quat::from_array(rest.rotation.to_array()),
            scale: Vec3::from_array(rest.scale.to_array()),
        };
        let parent = SKELETON.parent(joint).map_or(root, |parent| joints[parent]);
        let name = Name::new(SKELETON.name(joint).to_owned());
        joints.push(world.spawn((name, transform, ChildOf(parent))).id());
    }
    let skin = SkinnedMesh { joints: joints.clone(), ..Default::default() };
    // Before the joints among the children, and of a joint's name.
    let mesh = world.spawn((Name::new("chest"), Transform::default())).id();
    world.entity_mut(root).insert_children(0, &[mesh]);
    world.spawn((Name::new("chest"), skin, Transform::default(), ChildOf(mesh)));
    let names = (0..joints.len()).map(|joint| SKELETON.name(joint)).zip(joints).collect();
    (root, names)
}

fn walker(app: &mut App) -> Entity {
    player(app, "walk")
}

fn player(app: &mut App, clip: &str) -> Entity {
    let entity = hero(app, |server| Plays::clip(server.load("hero.lsm"), clip));
    let place = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_y(1.0));
    app.world_mut().entity_mut(entity).insert((SceneJoints::default(), place));
    entity
}

fn global(app: &App, entity: Entity) -> GlobalTransform {
    *app.world().get::<GlobalTransform>(entity).unwrap()
}

/// Where a joint of a character must be.
fn right(app: &mut App, character: Entity, root: Entity, name: &'static str) -> Affine3A {
    global(app, root).affine() * Affine3A::from_mat4(joint(app, character, name))
}

fn close(a: GlobalTransform, b: Affine3A) -> bool {
    a.affine().abs_diff_eq(b, 1e-5)
}

/// How many of these were marked changed in the last frame, after everything was placed.
#[derive(Resource, Default)]
struct Marked(Vec<Entity>);

fn watch(app: &mut App) {
    app.init_resource::<Marked>().add_systems(
        bevy_app::PostUpdate,
        (|all: Query<Entity, Changed<GlobalTransform>>, mut marked: ResMut<Marked>| {
            marked.0 = all.iter().collect();
        })
        .after(TransformSystems::Propagate),
    );
}

#[test]
fn joints_of_a_scene_are_where_the_character_has_them() {
    let (mut app, _) = app();
    let character = walker(&mut app);
    plays(&mut app, character);
    // The scene comes later than the archive, as it may.
    let (root, joints) = spawn_scene(&mut app, character);
    app.update();
    let found = app.world().get::<SceneJoints>(character).unwrap().joints().len();
    assert_eq!(found, SKELETON.joint_count());
    let mut before = None;
    for _ in 0..10 {
        app.world_mut().get_mut::<Transform>(character).unwrap().translation.x += 0.1;
        app.update();
        for (name, entity) in &joints {
            let expected = right(&mut app, character, root, name);
            assert!(close(global(&app, *entity), expected), "{name}");
        }
        let foot = global(&app, joints["foot_l"]);
        assert_ne!(before.replace(foot), Some(foot));
    }
}

#[test]
fn a_joint_is_marked_changed_exactly_when_it_moved() {
    let (mut app, _) = app();
    watch(&mut app);
    // Some joints stand still while others wave.
    let character = player(&mut app, "wave");
    let (_, joints) = spawn_scene(&mut app, character);
    plays(&mut app, character);
    app.update();
    for _ in 0..20 {
        let before: HashMap<Entity, GlobalTransform> =
            joints.values().map(|entity| (*entity, global(&app, *entity))).collect();
        app.update();
        let marked = &app.world().resource::<Marked>().0;
        let moved = |entity: &Entity| global(&app, *entity) != before[entity];
        assert!(joints.values().all(|entity| moved(entity) == marked.contains(entity)));
        assert!(joints.values().any(moved) && !joints.values().all(moved));
    }
    // Who stands still marks nothing, and follows its entity all the same.
    app.world_mut().entity_mut(character).insert(PlaybackSpeed(0.0));
    app.update();
    app.update();
    assert!(app.world().resource::<Marked>().0.is_empty());
    // Nor does Bevy look at its joints.
    app.world_mut().get_mut::<Transform>(joints["chest"]).unwrap().translation.x = 100.0;
    let before = global(&app, joints["chest"]);
    app.update();
    assert_eq!(global(&app, joints["chest"]), before);
    assert!(joints.values().all(|entity| !app.world().resource::<Marked>().0.contains(entity)));
    app.world_mut().get_mut::<Transform>(character).unwrap().translation.y += 1.0;
    let before = global(&app, joints["foot_l"]).translation();
    app.update();
    assert!((global(&app, joints["foot_l"]).translation() - before - Vec3::Y).length() < 1e-5);
    assert!(joints.values().all(|entity| app.world().resource::<Marked>().0.contains(entity)));
}

#[test]
fn one_who_moves_among_many_that_stand_still_is_placed_and_nobody_else_is_marked() {
    let (mut app, _) = app();
    watch(&mut app);
    let all: Vec<_> = (0..6)
        .map(|_| {
            let character = walker(&mut app);
            let (root, joints) = spawn_scene(&mut app, character);
            plays(&mut app, character);
            (character, root, joints)
        })
        .collect();
    app.update();
    let (one, root, joints) = &all[3];
    for (character, ..) in all.iter().filter(|(character, ..)| character != one) {
        app.world_mut().entity_mut(*character).insert(PlaybackSpeed(0.0));
    }
    let sword = app.world_mut().spawn((Transform::from_xyz(0.0, 0.1, 0.0), ChildOf(joints["hand_r"]))).id();
    app.update();
    for _ in 0..5 {
        app.update();
        for (name, entity) in joints {
            let expected = right(&mut app, *one, *root, name);
            assert!(close(global(&app, *entity), expected), "{name}");
        }
        let mut marked = app.world().resource::<Marked>().0.clone();
        assert!(marked.len() > 2 && marked.contains(&sword));
        marked.retain(|entity| *entity != sword);
        assert!(marked.iter().all(|entity| joints.values().any(|joint| joint == entity)));
    }
    // One that stands still is taken elsewhere.
    let (other, root, joints) = &all[0];
    app.world_mut().get_mut::<Transform>(*other).unwrap().translation.y += 1.0;
    app.update();
    for (name, entity) in joints {
        let expected = right(&mut app, *other, *root, name);
        assert!(close(global(&app, *entity), expected), "{name}");
    }
}

#[test]
fn what_hangs_on_a_joint_is_carried_and_marked_by_bevys_rule() {
    let ways: [fn(&mut App); 3] = [
        |_| {},
        |app| {
            app.insert_resource(StaticTransformOptimizations::Disabled);
        },
        |app| {
            app.add_plugins(LissomTransformPlugin);
        },
    ];
    for way in ways {
        let (mut app, _) = app_with(way);
        watch(&mut app);
        let character = walker(&mut app);
        let (_, joints) = spawn_scene(&mut app, character);
        plays(&mut app, character);
        app.update();
        let world = app.world_mut();
        let (hand, foot) = (joints["hand_r"], joints["foot_l"]);
        let sword = world.spawn((Transform::from_xyz(0.0, 0.1, 0.0), ChildOf(hand))).id();
        let gem = world
            .spawn((Transform::from_xyz(0.0, 0.7, 0.0).with_scale(Vec3::splat(0.5)), ChildOf(sword)))
            .id();
        let local = |app: &App, entity| *app.world().get::<Transform>(entity).unwrap();
        let right = |app: &App, on: Entity| {
            let hangs = global(app, on).mul_transform(local(app, sword));
            (global(app, sword), global(app, gem)) == (hangs, hangs.mul_transform(local(app, gem)))
        };
        for _ in 0..5 {
            app.update();
            assert!(right(&app, hand));
        }
        app.world_mut().entity_mut(character).insert(PlaybackSpeed(0.0));
        app.update();
        app.update();
        // The gem moves on a sword that does not.
        app.world_mut().get_mut::<Transform>(gem).unwrap().translation.y = 0.8;
        app.update();
        assert!(right(&app, hand));
        // Without its optimisations Bevy marks roots in every frame.
        let marked = |app: &App| {
            let mut marked = app.world().resource::<Marked>().0.clone();
            marked.retain(|entity| *entity != character);
            marked
        };
        assert_eq!(marked(&app), [gem]);
        app.update();
        assert!(marked(&app).is_empty());
        // Taken into another joint, and dropped.
        app.world_mut().entity_mut(sword).insert(ChildOf(foot));
        app.update();
        assert!(right(&app, foot));
        app.world_mut().entity_mut(sword).remove::<ChildOf>();
        app.update();
        assert_eq!(global(&app, sword), GlobalTransform::from(local(&app, sword)));
    }
}

#[test]
fn a_rider_is_carried_by_its_horse_in_the_same_frame() {
    let (mut app, _) = app();
    let horse = walker(&mut app);
    let (_, saddle) = spawn_scene(&mut app, horse);
    plays(&mut app, horse);
    app.update();
    let rider = walker(&mut app);
    let (root, joints) = spawn_scene(&mut app, rider);
    let torch = app.world_mut().spawn((Transform::from_xyz(0.0, 0.3, 0.0), ChildOf(joints["hand_l"]))).id();
    app.world_mut().entity_mut(rider).insert(ChildOf(saddle["spine_01"]));
    plays(&mut app, rider);
    app.update();
    for _ in 0..5 {
        app.update();
        let sits =
            global(&app, saddle["spine_01"]).mul_transform(*app.world().get::<Transform>(rider).unwrap());
        assert!(close(global(&app, rider), sits.affine()));
        let hand = right(&mut app, rider, root, "hand_l");
        assert!(close(global(&app, joints["hand_l"]), hand));
        assert!(close(global(&app, torch), hand * Affine3A::from_translation(Vec3::Y * 0.3)));
    }
    // The horse's joints are not taken for the rider's, nor its for the horse's.
    let counts = [horse, rider].map(|e| app.world().get::<SceneJoints>(e).unwrap().joints().len());
    assert_eq!(counts, [SKELETON.joint_count(); 2]);
}

#[test]
fn without_its_character_a_scene_is_bevys_again_and_a_new_one_is_found() {
    let (mut app, _) = app();
    let character = walker(&mut app);
    let (root, joints) = spawn_scene(&mut app, character);
    plays(&mut app, character);
    app.update();
    // The scene is spawned anew.
    app.world_mut().despawn(root);
    app.update();
    assert!(app.world().get::<SceneJoints>(character).unwrap().joints().is_empty());
    assert!(app.world().get_entity(joints["hand_r"]).is_err());
    let (root, joints) = spawn_scene(&mut app, character);
    app.update();
    let hand = joints["hand_r"];
    let expected = right(&mut app, character, root, "hand_r");
    assert!(close(global(&app, hand), expected));
    // `Plays` is removed: joints are where their own transforms say, at once.
    app.world_mut().entity_mut(character).remove::<Plays>();
    app.update();
    assert!(app.world().get::<Character>(character).is_none());
    assert!(joints.values().all(|entity| app.world().get::<SceneJoint>(*entity).is_none()));
    let by_hand = |app: &App| {
        let mut chain = vec![hand];
        while let Some(above) = app.world().get::<ChildOf>(*chain.last().unwrap()) {
            chain.push(above.parent());
        }
        let local = |entity| GlobalTransform::from(*app.world().get::<Transform>(entity).unwrap());
        chain.into_iter().rev().map(local).fold(GlobalTransform::IDENTITY, |above, own| above * own)
    };
    assert!(close(global(&app, hand), by_hand(&app).affine()));
    app.world_mut().get_mut::<Transform>(hand).unwrap().translation.x += 1.0;
    app.update();
    assert!(close(global(&app, hand), by_hand(&app).affine()));
    // And back again.
    let again = app.world().resource::<bevy_asset::AssetServer>().load("hero.lsm");
    app.world_mut().entity_mut(character).insert(Plays::clip(again, "walk"));
    until(&mut app, "its joints follow", |world| {
        !world.get::<SceneJoints>(character).unwrap().joints().is_empty()
    });
    app.world_mut().entity_mut(character).remove::<SceneJoints>();
    app.update();
    assert!(close(global(&app, hand), by_hand(&app).affine()));
}
