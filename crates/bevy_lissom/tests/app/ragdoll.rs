//! Bodies of a physics engine move joints, and the graph takes over again.

use super::{app, app_of, bits, hero, joint, log::count, parts, plays};
use bevy_app::App;
use bevy_ecs::{prelude::*, system::RunSystemOnce};
use bevy_lissom::{
    CharacterError, Characters, Concern, GoTo, LissomError, LissomPlugin, Plays, Ragdoll, RagdollBody,
};
use bevy_math::{Mat4, Quat, Vec3};
use bevy_transform::components::Transform;
use std::sync::Arc;

/// Where the character stands.
fn stand() -> Transform {
    Transform {
        translation: Vec3::new(2.0, 0.5, -1.0),
        rotation: Quat::from_rotation_y(0.7),
        scale: Vec3::splat(1.5),
    }
}

#[test]
fn joints_are_where_their_bodies_are_and_half_way_at_half_the_weight() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "idle"));
    app.world_mut().entity_mut(entity).insert(stand());
    plays(&mut app, entity);
    app.update();
    let own = stand().to_matrix();
    let names = ["spine_01", "head", "upperarm_l"];
    let before = names.map(|name| own * joint(&mut app, entity, name));
    // Each a hand's width off, and turned. The body of the head has its middle elsewhere.
    let offset = Transform::from_xyz(0.0, -0.1, 0.02).with_rotation(Quat::from_rotation_z(0.3));
    let wanted = before.map(|place| {
        let (_, turn, at) = place.to_scale_rotation_translation();
        Transform::from_translation(at + Vec3::new(0.1, -0.05, 0.02))
            .with_rotation(turn * Quat::from_rotation_x(0.4))
    });
    let bodies: Vec<RagdollBody> = names
        .iter()
        .zip(wanted)
        .map(|(name, place)| {
            let of = if *name == "head" { offset } else { Transform::IDENTITY };
            let body = Transform::from_matrix(place.to_matrix() * of.to_matrix().inverse());
            RagdollBody::new(*name, app.world_mut().spawn(body).id()).offset(of)
        })
        .collect();
    app.world_mut().entity_mut(entity).insert(Ragdoll::new(bodies.clone()));
    app.update();
    let at = |app: &mut App, name| (own * joint(app, entity, name)).to_scale_rotation_translation();
    for (name, wanted) in names.into_iter().zip(wanted) {
        let (scale, turn, place) = at(&mut app, name);
        assert!(place.abs_diff_eq(wanted.translation, 1e-4), "{name}: {place} at {}", wanted.translation);
        assert!(turn.angle_between(wanted.rotation) < 2e-3, "{name}");
        assert!(scale.abs_diff_eq(Vec3::splat(1.5), 1e-3), "{name}: {scale}");
    }
    // Below the first, so it goes along.
    let chest = at(&mut app, "spine_01").2;
    app.world_mut().entity_mut(entity).insert(Ragdoll { weight: 0.5, bodies: bodies[..1].to_vec() });
    app.update();
    let half = at(&mut app, "spine_01").2;
    let middle = 0.5 * (chest + before[0].w_axis.truncate());
    assert!(half.abs_diff_eq(middle, 2e-2), "{half} at {middle}");
    // A body that is gone moves nobody.
    app.world_mut().despawn(bodies[0].body);
    app.update();
    assert!(at(&mut app, "spine_01").2.abs_diff_eq(before[0].w_axis.truncate(), 2e-2));
    // What is wrong is told.
    let body = bodies[1].body;
    app.world_mut()
        .entity_mut(entity)
        .insert(Ragdoll { weight: 2.0, bodies: vec![RagdollBody::new("haed", body)] });
    app.update();
    let error = app.world().get::<LissomError>(entity).unwrap().about(Concern::Ragdoll).unwrap().to_owned();
    assert!(error.contains("\"haed\"") && error.contains("the weight is 2"), "{error}");
    app.world_mut().entity_mut(entity).remove::<Ragdoll>();
    app.update();
    assert!(app.world().get::<LissomError>(entity).is_none());
}

#[test]
fn a_pose_that_was_kept_is_gone_on_from_without_a_jump() {
    let (mut app, _) = app_of(LissomPlugin::default(), |_| {});
    let graph = Arc::new((*parts()).clone().pose("fallen"));
    let entity = hero(&mut app, |server| Plays::parts(server.load("hero.lsm"), graph));
    plays(&mut app, entity);
    app.update();
    let call = |app: &mut App, f: fn(&mut Characters, Entity) -> Result<(), CharacterError>| {
        app.world_mut().run_system_once(move |mut c: Characters| f(&mut c, entity)).unwrap()
    };
    let wrong = call(&mut app, |c, hero| c.keep_pose(hero, "falen")).unwrap_err().to_string();
    assert_eq!(wrong, "there is no kept pose \"falen\"; there are \"fallen\"");
    assert!(call(&mut app, |c, hero| c.blend_from(hero, "fallen", 0.5)).is_err(), "nothing is kept yet");
    let models = |app: &mut App| -> Vec<Mat4> {
        app.world_mut().run_system_once(move |c: Characters| c.joints(entity).unwrap().to_vec()).unwrap()
    };
    let apart = |a: &[Mat4], b: &[Mat4]| {
        a.iter().zip(b).map(|(a, b)| a.w_axis.distance(b.w_axis)).fold(0.0, f32::max)
    };
    let standing = models(&mut app);
    // It lies on its back.
    let lies = Transform::from_xyz(0.0, 0.2, -0.9).with_rotation(Quat::from_rotation_x(-1.5));
    let body = app.world_mut().spawn(lies).id();
    app.world_mut().entity_mut(entity).insert(Ragdoll::new([RagdollBody::new("hips", body)]));
    app.update();
    let fallen = models(&mut app);
    assert!(apart(&fallen, &standing) > 0.5, "{}", apart(&fallen, &standing));
    call(&mut app, |c, hero| c.keep_pose(hero, "Fallen")).unwrap();
    app.world_mut().entity_mut(entity).remove::<Ragdoll>();
    call(&mut app, |c, hero| {
        assert!(c.kept_pose(hero, "fallen")?.is_some());
        c.go_to(hero, "Greeting", "BODY", GoTo::default())?;
        c.blend_from(hero, "fallen", 0.5)
    })
    .unwrap();
    app.update();
    let mut before = models(&mut app);
    assert!(apart(&before, &fallen) < 2e-3, "{}", apart(&before, &fallen));
    let mut largest = 0.0f32;
    for _ in 0..40 {
        app.update();
        let now = models(&mut app);
        largest = largest.max(apart(&before, &now));
        before = now;
    }
    assert!(largest < 0.2, "{largest} m in a frame is a jump");
    assert_eq!(count("a crowd of"), 0);
    assert!(apart(&before, &fallen) > 0.5, "it stands again: {}", apart(&before, &fallen));
    assert_eq!(bits(&mut app, entity).len(), 16 * before.len());
}
