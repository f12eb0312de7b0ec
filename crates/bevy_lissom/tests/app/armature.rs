//! Armatures in other units: below a joint of scale 100 or 0.01 all that a game sees is the same, and what sockets hold keeps its size.

use super::{app, hero, joint, plays, skin::skinned, written_below};
use bevy_app::App;
use bevy_camera::primitives::Aabb;
use bevy_ecs::prelude::*;
use bevy_lissom::{EntityRootMotion, JointSocket, Plays, SceneJoints, Skin, SkinPalette};
use bevy_math::{Quat, Vec3};
use bevy_transform::components::{GlobalTransform, Transform};
use std::path::Path;

/// What a game sees of a character after some frames.
struct Seen {
    socket: GlobalTransform,
    scaled: Transform,
    /// The same joint as an entity of a scene.
    scene: GlobalTransform,
    hat: GlobalTransform,
    vertices: Vec<Vec3>,
    way: Vec3,
}

fn seen(scale: f64) -> Seen {
    let (mut app, files) = app();
    files.insert_asset(Path::new("other.lsm"), written_below(scale, &["idle", "walk"], 2.0, 4));
    let entity = hero(&mut app, |server| Plays::clip(server.load("other.lsm"), "walk"));
    let place = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_y(0.5));
    let world = app.world_mut();
    world.entity_mut(entity).insert((
        place,
        Skin::new("body"),
        EntityRootMotion::handed_over(),
        SceneJoints::default(),
    ));
    let socket = world.spawn((JointSocket::new("HAND_R"), ChildOf(entity))).id();
    let scaled = world.spawn((JointSocket::new("hand_r").with_scale(), ChildOf(entity))).id();
    let hat = world.spawn((Transform::from_xyz(0.0, 0.5, 0.0), ChildOf(socket))).id();
    let node = world.spawn((Name::new("hand_r"), Transform::default(), ChildOf(entity))).id();
    plays(&mut app, entity);
    super::until(&mut app, "it is dressed", |world| world.get::<SkinPalette>(entity).is_some());
    app.world_mut().get_mut::<Plays>(entity).unwrap().set_changed();
    let mut way = Vec3::ZERO;
    for _ in 0..20 {
        app.update();
        way += app.world().get::<EntityRootMotion>(entity).unwrap().translation;
    }
    let global = |app: &App, entity| *app.world().get::<GlobalTransform>(entity).unwrap();
    let model = joint(&mut app, entity, "hand_r");
    let expected = global(&app, entity).affine() * bevy_math::Affine3A::from_mat4(model);
    assert!(global(&app, node).affine().abs_diff_eq(expected, 1e-4 * scale.max(1.0) as f32));
    // The box is around every vertex, and not much larger.
    let (into, bounds) = (global(&app, entity).affine().inverse(), app.world().get::<Aabb>(entity).unwrap());
    let mut reached = Vec3::ZERO;
    for vertex in skinned(&app, entity) {
        let off = (into.transform_point3(vertex) - Vec3::from(bounds.center)).abs();
        assert!(off.cmple(Vec3::from(bounds.half_extents) + 1e-4).all(), "{off} {bounds:?} at {scale}");
        reached = reached.max(off);
    }
    assert!(
        (reached / Vec3::from(bounds.half_extents)).cmpgt(Vec3::splat(0.5)).all(),
        "{reached} {bounds:?}"
    );
    Seen {
        socket: global(&app, socket),
        scaled: *app.world().get::<Transform>(scaled).unwrap(),
        scene: global(&app, node),
        hat: global(&app, hat),
        vertices: skinned(&app, entity),
        way,
    }
}

#[test]
fn at_scales_of_100_and_of_a_hundredth_all_is_where_it_is_at_1() {
    let own = seen(1.0);
    assert!(own.way.z > 0.1, "{}", own.way);
    for scale in [100.0, 0.01] {
        let other = seen(scale);
        let close = |a: Vec3, b: Vec3| assert!(a.abs_diff_eq(b, 5e-3), "{a} {b} at {scale}");
        let [a, b] = [&own, &other].map(|seen| seen.socket.to_scale_rotation_translation());
        close(b.0, Vec3::ONE);
        assert!(a.1.angle_between(b.1) < 1e-2);
        close(a.2, b.2);
        // What a socket holds is as large and as far away.
        close(own.hat.translation(), other.hat.translation());
        close(other.hat.to_scale_rotation_translation().0, Vec3::ONE);
        let ratio = other.scaled.scale / (own.scaled.scale * scale as f32);
        close(ratio, Vec3::ONE);
        close(own.scene.translation(), other.scene.translation());
        let ratio = other.scene.to_scale_rotation_translation().0 / scale as f32;
        close(ratio, Vec3::ONE);
        assert_eq!(own.vertices.len() + 4, other.vertices.len(), "a joint more, with points of its own");
        // Those of the root and the very last follow the joint above the root, too.
        let last = own.vertices.len() - 1;
        for (a, b) in own.vertices[4..last].iter().zip(&other.vertices[8..]) {
            close(*a, *b);
        }
        close(own.way, other.way);
    }
}

#[test]
fn a_sockets_other_name_is_followed_and_a_wrong_one_mended() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    let socket = app.world_mut().spawn((JointSocket::new("tail"), ChildOf(entity))).id();
    plays(&mut app, entity);
    app.update();
    assert!(app.world().get::<bevy_lissom::LissomError>(socket).is_some());
    app.world_mut().entity_mut(socket).insert(JointSocket::new("head"));
    app.update();
    assert!(app.world().get::<bevy_lissom::LissomError>(socket).is_none());
    let head = joint(&mut app, entity, "head").w_axis.truncate();
    assert!(app.world().get::<Transform>(socket).unwrap().translation.abs_diff_eq(head, 1e-5));
}
