//! Meshes of archives, moved without an entity a joint.

#[cfg(not(feature = "render"))]
use super::log;
use super::{BYTES, app, hero, joint, plays, until, written};
use bevy_app::App;
use bevy_asset::{AssetServer, Assets, Handle};
use bevy_camera::primitives::Aabb;
use bevy_ecs::prelude::*;
use bevy_lissom::{Crowds, LissomError, PlaybackSpeed, Plays, Skin, SkinPalette, scatter_palettes};
use bevy_math::{Affine3A, Mat4, Quat, Vec3};
use bevy_mesh::{
    Mesh, Mesh3d, MeshVertexAttribute, VertexAttributeValues, morph::MeshMorphWeights, skinning::SkinnedMesh,
};
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use bevy_transform::components::Transform;
use lissom::archive::Archive;
use std::path::Path;

fn walker(app: &mut App) -> Entity {
    let entity = hero(app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    let place = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_y(1.0));
    app.world_mut().entity_mut(entity).insert(place.with_scale(Vec3::new(1.0, 1.5, 1.0)));
    entity
}

fn dressed(app: &mut App, entity: Entity) {
    until(app, "it is dressed", |world| world.get::<SkinPalette>(entity).is_some());
}

/// Vertices as a GPU would move them.
pub(super) fn skinned(app: &App, skin: Entity) -> Vec<Vec3> {
    let mesh = &app.world().get::<Mesh3d>(skin).unwrap().0;
    let mesh = app.world().resource::<Assets<Mesh>>().get(mesh).unwrap();
    let matrices = app.world().get::<SkinPalette>(skin).unwrap().matrices();
    let Some(VertexAttributeValues::Float32x3(positions)) = mesh.attribute(Mesh::ATTRIBUTE_POSITION) else {
        panic!()
    };
    let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.attribute(Mesh::ATTRIBUTE_JOINT_INDEX) else {
        panic!()
    };
    let Some(VertexAttributeValues::Float32x4(weights)) = mesh.attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT) else {
        panic!()
    };
    let mut points: Vec<Vec3> = positions.iter().copied().map(Vec3::from_array).collect();
    if let Some(MeshMorphWeights::Value { weights: shares }) = app.world().get(skin) {
        let targets = mesh.morph_targets().unwrap().chunks_exact(positions.len());
        for (target, share) in targets.zip(shares) {
            points.iter_mut().zip(target).for_each(|(point, delta)| *point += delta.position * *share);
        }
    }
    let vertices = points.into_iter().zip(joints).zip(weights);
    let moved = |((point, joints), weights): ((Vec3, &[u16; 4]), &[f32; 4])| {
        (0..4).map(|i| matrices[usize::from(joints[i])].transform_point3(point) * weights[i]).sum()
    };
    vertices.map(moved).collect()
}

#[test]
fn a_mesh_of_the_archive_is_an_asset_with_all_that_it_has() {
    let (mut app, _) = app();
    let handle: Handle<Mesh> = app.world().resource::<AssetServer>().load("hero.lsm#mesh/body");
    until(&mut app, "the mesh is loaded", |world| world.resource::<Assets<Mesh>>().contains(&handle));
    let mesh = app.world().resource::<Assets<Mesh>>().get(&handle).unwrap();
    let archive = Archive::read(&BYTES).unwrap();
    let own = archive.mesh("body").unwrap();
    let view = own.view();
    let is = |attribute: MeshVertexAttribute, values: VertexAttributeValues| {
        assert_eq!(mesh.attribute(attribute), Some(&values), "{}", attribute.name);
    };
    is(Mesh::ATTRIBUTE_POSITION, view.positions.to_vec().into());
    is(Mesh::ATTRIBUTE_NORMAL, view.normals.to_vec().into());
    is(Mesh::ATTRIBUTE_TANGENT, view.tangents.to_vec().into());
    is(Mesh::ATTRIBUTE_UV_0, view.uv(0).unwrap().to_vec().into());
    is(Mesh::ATTRIBUTE_UV_1, view.uv(1).unwrap().to_vec().into());
    is(Mesh::ATTRIBUTE_COLOR, view.color(0).unwrap().to_vec().into());
    let indices: Vec<u32> = mesh.indices().unwrap().iter().map(|i| i as u32).collect();
    assert_eq!(indices, view.indices);
    let Some(VertexAttributeValues::Float32x4(weights)) = mesh.attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT) else {
        panic!()
    };
    assert!(weights.iter().all(|w| w.iter().sum::<f32>() == 1.0));
    // Six joints are too many for Bevy: the heaviest four are left, the first of those that weigh the same.
    let many = view.weights.chunks_exact(6).position(|w| w[5] != 0.0).unwrap();
    let all = (view.joints.chunks_exact(6).nth(many).unwrap(), &weights[many]);
    assert_eq!(*all.1, [0.25, 0.25, 0.125, 0.125].map(|weight: f32| weight / 0.75));
    let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.attribute(Mesh::ATTRIBUTE_JOINT_INDEX) else {
        panic!()
    };
    assert_eq!(joints[many], all.0[..4]);
    // Who follows two joints follows the same two.
    assert_eq!(
        (&joints[many - 1][..2], &weights[many - 1][..2]),
        (&view.joints[6 * (many - 1)..][..2], &view.weights[6 * (many - 1)..][..2])
    );
}

#[test]
fn a_palette_moves_vertices_to_where_the_joints_take_them_in_the_world() {
    let (mut app, _) = app();
    let character = walker(&mut app);
    // On the character itself, and on a child with a transform that plays no part.
    let child = app
        .world_mut()
        .spawn((Skin::new("body"), Transform::from_xyz(5.0, 0.0, 0.0), ChildOf(character)))
        .id();
    app.world_mut().entity_mut(character).insert(Skin::new("body"));
    plays(&mut app, character);
    dressed(&mut app, child);
    dressed(&mut app, character);
    let archive = Archive::read(&BYTES).unwrap();
    let mesh = archive.mesh("body").unwrap();
    let skeleton = archive.skeleton("mannequin").unwrap();
    let mut before = Vec::new();
    for _ in 0..5 {
        app.world_mut().get_mut::<Transform>(character).unwrap().translation.x += 0.25;
        app.update();
        let place = app.world().get::<Transform>(character).unwrap().compute_affine();
        for at in 0..skeleton.joint_count() {
            let name: &'static str = Box::leak(skeleton.name(at).to_owned().into_boxed_str());
            let bind = Affine3A::from_mat4(mesh.view().inverse_binds[at].to_mat4());
            let expected = Mat4::from(place * Affine3A::from_mat4(joint(&mut app, character, name)) * bind);
            for entity in [character, child] {
                let own = app.world().get::<SkinPalette>(entity).unwrap().matrices()[at];
                assert!(own.abs_diff_eq(expected, 1e-4), "{name}: {own} {expected}");
            }
        }
        let vertices = skinned(&app, character);
        assert_ne!(vertices, before);
        before = vertices;
    }
    // Bevy gives it a range by its joints, and fills in nothing.
    let skin = app.world().get::<SkinnedMesh>(character).unwrap();
    assert_eq!(skin.joints, vec![Entity::PLACEHOLDER; skeleton.joint_count()]);
}

#[test]
fn the_box_is_around_every_vertex_and_not_much_larger() {
    let (mut app, _) = app();
    let character = walker(&mut app);
    let child = Transform::from_xyz(5.0, 0.0, 0.0).with_rotation(Quat::from_rotation_x(0.7));
    let child = app.world_mut().spawn((Skin::new("body"), child, ChildOf(character))).id();
    app.world_mut().entity_mut(character).insert(Skin::new("body"));
    plays(&mut app, character);
    dressed(&mut app, child);
    for _ in 0..20 {
        app.update();
        for entity in [character, child] {
            let global = app.world().get::<bevy_transform::components::GlobalTransform>(entity).unwrap();
            let into = global.affine().inverse();
            let bounds = app.world().get::<Aabb>(entity).unwrap();
            let mut reached = Vec3::ZERO;
            for vertex in skinned(&app, character) {
                let off = (into.transform_point3(vertex) - Vec3::from(bounds.center)).abs();
                assert!(off.cmple(Vec3::from(bounds.half_extents) + 1e-5).all(), "{off} {bounds:?}");
                reached = reached.max(off);
            }
            if entity == character {
                assert!(
                    (reached / Vec3::from(bounds.half_extents)).cmpgt(Vec3::splat(0.5)).all(),
                    "{reached} {bounds:?}"
                );
            }
        }
    }
}

#[test]
fn nothing_is_written_for_who_stands_still_until_it_is_moved() {
    let (mut app, _) = app();
    let character = walker(&mut app);
    app.world_mut().entity_mut(character).insert((Skin::new("body"), PlaybackSpeed(0.0)));
    plays(&mut app, character);
    dressed(&mut app, character);
    app.update();
    let changed = |app: &mut App| {
        let tick = |app: &App| {
            let entity = app.world().entity(character);
            let palette = entity.get_change_ticks::<SkinPalette>().unwrap().changed;
            (palette, entity.get_change_ticks::<Aabb>().unwrap().changed)
        };
        let before = tick(app);
        app.update();
        let after = tick(app);
        (before.0 != after.0, before.1 != after.1)
    };
    assert_eq!(changed(&mut app), (false, false));
    app.world_mut().get_mut::<Transform>(character).unwrap().translation.y += 1.0;
    // The box is the entity's own: it is where it was.
    assert_eq!(changed(&mut app), (true, false));
    assert_eq!(changed(&mut app), (false, false));
    app.world_mut().entity_mut(character).remove::<PlaybackSpeed>();
    assert_eq!(changed(&mut app), (true, true));
}

#[test]
fn a_skin_without_its_mesh_is_told_and_a_new_file_mends_it() {
    let (mut app, files) = app();
    let character = walker(&mut app);
    app.world_mut().entity_mut(character).insert(Skin::new("cape"));
    plays(&mut app, character);
    until(&mut app, "the problem is told", |world| world.get::<LissomError>(character).is_some());
    let error = app.world().get::<LissomError>(character).unwrap().to_string();
    assert_eq!(error, "is not drawn: there is no mesh \"cape\"; there are \"body\"");
    assert!(app.world().get::<Mesh3d>(character).is_none());
    app.update();
    assert_eq!(app.world().resource::<Crowds>().len(), 1, "it plays all the same");
    app.world_mut().entity_mut(character).insert(Skin::new("body"));
    dressed(&mut app, character);
    assert!(app.world().get::<LissomError>(character).is_none());
    // A file that changes brings its mesh along.
    let mesh = app.world().get::<Mesh3d>(character).unwrap().0.clone();
    let vertices = |app: &App| app.world().resource::<Assets<Mesh>>().get(&mesh).unwrap().count_vertices();
    let before = vertices(&app);
    files.insert_asset(Path::new("hero.lsm"), written(&["walk"], 2.0, 5));
    app.world().resource::<AssetServer>().reload("hero.lsm");
    until(&mut app, "the new mesh is there", |world| {
        world.resource::<Assets<Mesh>>().get(&mesh).is_some_and(|mesh| mesh.count_vertices() != before)
    });
    app.update();
    assert_eq!(skinned(&app, character).len(), vertices(&app));
    // Without its character it is drawn as it was, and forgotten.
    app.world_mut().entity_mut(character).remove::<Plays>();
    app.update();
    app.update();
    assert!(app.world().get::<SkinPalette>(character).is_none());
}

#[test]
fn palettes_are_copied_to_their_places_on_all_threads_and_what_does_not_fit_is_left_out() {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(4).build());
    let palette = |n: usize, joints| vec![Mat4::from_translation(Vec3::splat(n as f32)); joints];
    let palettes: Vec<Vec<Mat4>> = (0..1000).map(|n| palette(n, 5 + n % 60)).collect();
    let starts: Vec<usize> = (0..1000).map(|n| n * 64).collect();
    let mut buffer = vec![Mat4::ZERO; 64_000];
    // Not in order.
    let mut places: Vec<(usize, &[Mat4])> =
        (0..1000).map(|n| n * 387 % 1000).map(|n| (starts[n], &palettes[n][..])).collect();
    assert_eq!(scatter_palettes(&mut buffer, &mut places), 0);
    for (n, own) in palettes.iter().enumerate() {
        let (range, rest) = buffer[starts[n]..starts[n] + 64].split_at(own.len());
        assert!(range == own && rest.iter().all(|m| *m == Mat4::ZERO), "{n}");
    }
    let [a, b] = [1, 2].map(|n| palette(n, 4));
    let mut buffer = vec![Mat4::ZERO; 10];
    let mut places = [(0, &a[..]), (3, &b), (7, &b), (usize::MAX, &b), (5, &b)];
    assert_eq!(scatter_palettes(&mut buffer, &mut places), 3);
    let expected = [&a[..], &[Mat4::ZERO], &b, &[Mat4::ZERO]].concat();
    assert_eq!(buffer, expected);
}

#[cfg(not(feature = "render"))]
#[test]
fn an_app_with_a_camera_and_without_the_feature_that_draws_is_told_once() {
    let (mut app, _) = app();
    let character = walker(&mut app);
    app.world_mut().entity_mut(character).insert((Skin::new("body"), Name::new("on a server")));
    dressed(&mut app, character);
    app.update();
    // A server has no camera.
    assert_eq!(log::of("on a server"), [""; 0]);
    app.world_mut().spawn(bevy_camera::Camera::default());
    app.update();
    app.update();
    let told = log::of("on a server");
    assert!(told.len() == 1 && told[0].contains("was built without its feature `render`"), "{told:?}");
}
