//! How often characters are posed, with how many joints, and whether at all.

use super::{BYTES, DT_S, app, bits, hero, joint, plays, save, skin::skinned};
use bevy_app::App;
use bevy_camera::{
    Camera, PerspectiveProjection, Projection,
    primitives::Aabb,
    visibility::{SetViewVisibility, ViewVisibility},
};
use bevy_ecs::{message::MessageCursor, prelude::*};
use bevy_lissom::{
    CharacterDetail, Concern, DetailLevel, DetailLevels, JointSocket, LissomError, MarkerPassed, Parameters,
    Plays, Skin, SkinPalette, WeightedClip,
};
use bevy_math::{Mat4, Vec3};
use bevy_transform::components::Transform;
use lissom::archive::Archive;

#[test]
fn a_rate_is_an_animators_and_who_is_not_posed_goes_on_unseen() {
    let (mut app, _) = app();
    let [rated, hidden, twin] =
        [(); 3].map(|()| hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero")));
    for entity in [rated, hidden, twin] {
        app.world_mut().entity_mut(entity).insert(Parameters::default().with("speed", 1.0));
    }
    for entity in [rated, hidden, twin] {
        plays(&mut app, entity);
    }
    app.world_mut().entity_mut(rated).insert(CharacterDetail { every: 3, ..CharacterDetail::default() });
    app.world_mut().entity_mut(hidden).insert(CharacterDetail { posed: false, ..CharacterDetail::default() });
    app.update();
    let archive = Archive::read(&BYTES).unwrap();
    let mut alone = lissom_motion::Animator::new(&archive, "hero").unwrap();
    alone.restore(save(&mut app, rated).graph().unwrap()).unwrap();
    let still = bits(&mut app, hidden);
    let (mut changes, mut last) = (0, bits(&mut app, rated));
    let (mut cursor, mut told) = (MessageCursor::<MarkerPassed>::default(), 0);
    for frame in 0..60 {
        app.update();
        let passed = cursor.read(app.world().resource::<Messages<MarkerPassed>>());
        told += passed.filter(|it| it.entity == hidden).count();
        alone.update(DT_S).unwrap();
        let now = bits(&mut app, rated);
        let wanted: Vec<u32> =
            alone.models().iter().flat_map(|m| m.to_cols_array()).map(f32::to_bits).collect();
        assert_eq!(now, wanted, "frame {frame}");
        changes += usize::from(now != last);
        last = now;
        assert_eq!(bits(&mut app, hidden), still);
    }
    assert_eq!(changes, 20);
    assert!(told > 0, "its markers are told");
    // Seen again, it is where it would be.
    app.world_mut().entity_mut(hidden).remove::<CharacterDetail>();
    app.world_mut().entity_mut(rated).remove::<CharacterDetail>();
    app.update();
    assert_eq!(bits(&mut app, hidden), bits(&mut app, twin));
    app.update();
    assert_eq!(bits(&mut app, rated), bits(&mut app, twin));
    // What makes no sense is told.
    app.world_mut().entity_mut(twin).insert(CharacterDetail { every: 0, level: Some(2), posed: true });
    app.update();
    let error = app.world().get::<LissomError>(twin).unwrap().about(Concern::Detail).unwrap().to_owned();
    assert!(error.contains("once in 0 updates") && error.contains("no level 2"), "{error}");
    app.world_mut().entity_mut(twin).remove::<CharacterDetail>();
    app.update();
    app.update();
    assert!(app.world().get::<LissomError>(twin).is_none());
}

/// A camera at the origin that looks along -z.
fn camera(app: &mut App) {
    let projection = PerspectiveProjection { fov: 1.0, ..PerspectiveProjection::default() };
    app.world_mut().spawn((Camera::default(), Projection::Perspective(projection), Transform::default()));
}

#[test]
fn who_is_small_is_posed_seldom_and_without_fingers_which_go_along_with_the_hand() {
    let (mut app, _) = app();
    camera(&mut app);
    app.insert_resource(DetailLevels::new([
        DetailLevel::from(0.3),
        DetailLevel::from(0.1).without(["middle_01_r", "head"]),
        DetailLevel::from(0.05).every(4),
    ]));
    let all = [-3.0, -10.0, -60.0, -3.0].map(|z| {
        let entity = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "wave"));
        app.world_mut().entity_mut(entity).insert((Transform::from_xyz(0.0, 0.0, z), Skin::new("body")));
        plays(&mut app, entity);
        entity
    });
    let [near, middle, far, forced] = all;
    app.world_mut()
        .entity_mut(forced)
        .insert(CharacterDetail { level: Some(1), ..CharacterDetail::default() });
    let socket = app.world_mut().spawn((JointSocket::new("middle_03_r"), ChildOf(middle))).id();
    for _ in 0..8 {
        app.update();
    }
    let rest = Archive::read(&BYTES).unwrap().skeleton("mannequin").unwrap();
    let [hand, tip] = ["hand_r", "middle_03_r"].map(|name| rest.find(name).unwrap());
    let mut same = 0;
    let mut last = all.map(|entity| bits(&mut app, entity));
    for _ in 0..16 {
        app.update();
        for (entity, last) in all.into_iter().zip(&mut last) {
            let now = bits(&mut app, entity);
            same += usize::from(entity == far && now == *last);
            assert!(entity == far || now != *last, "posed in every update");
            *last = now;
        }
        // The tip of the finger is stiff.
        let at_rest = |app: &mut App, entity: Entity| {
            joint(app, entity, "hand_r").inverse() * joint(app, entity, "middle_03_r")
        };
        let full = at_rest(&mut app, near);
        for entity in [middle, forced] {
            let stiff = at_rest(&mut app, entity);
            let (a, b) = (stiff.w_axis.truncate(), full.w_axis.truncate());
            assert!(a.distance(b) < 0.05 && stiff.is_finite(), "{a} {b}");
            let palette = app.world().get::<SkinPalette>(entity).unwrap().matrices();
            assert_eq!(palette[tip], palette[hand], "its vertices go along with the hand");
        }
        let hung = app.world().get::<Transform>(socket).unwrap().translation;
        assert!(hung.abs_diff_eq(joint(&mut app, middle, "middle_03_r").w_axis.truncate(), 1e-5));
        let palette = app.world().get::<SkinPalette>(near).unwrap().matrices();
        assert_eq!(palette.len(), rest.joint_count());
    }
    // Poses move on between turns.
    assert_eq!(same, 0, "in a straight line from pose to pose");
    // Nearer, it is whole again; without the resource so are all.
    app.world_mut().get_mut::<Transform>(middle).unwrap().translation.z = -2.0;
    app.world_mut().entity_mut(forced).remove::<CharacterDetail>();
    for _ in 0..3 {
        app.update();
    }
    let palette = |app: &App, entity| app.world().get::<SkinPalette>(entity).unwrap().matrices().to_vec();
    assert_ne!(palette(&app, middle)[tip], palette(&app, middle)[hand]);
    assert_ne!(palette(&app, forced)[tip], palette(&app, forced)[hand]);
    app.insert_resource(DetailLevels::default());
    (0..3).for_each(|_| app.update());
    let [a, b] = [near, far].map(|entity| palette(&app, entity)[hand].matrix3());
    assert!(a.abs_diff_eq(b, 1.0), "{a} {b}");
}

/// The part of a matrix that is no place.
trait Matrix3 {
    fn matrix3(&self) -> bevy_math::Mat3;
}

impl Matrix3 for Mat4 {
    fn matrix3(&self) -> bevy_math::Mat3 {
        bevy_math::Mat3::from_mat4(*self)
    }
}

#[test]
fn whom_nobody_sees_is_not_posed_and_its_box_holds_any_pose() {
    let (mut app, _) = app();
    app.insert_resource(DetailLevels::default().hide_unseen());
    let gaits = |walk: f32| {
        move |server: &bevy_asset::AssetServer| {
            let part = |name, weight| WeightedClip {
                laps: 0.3 * f64::from(weight),
                ..WeightedClip::new(name, weight)
            };
            Plays::clips(
                server.load("hero.lsm"),
                [part("walk", walk), part("wave", 1.0 - walk), part("idle", 0.3)],
            )
        }
    };
    let all: Vec<Entity> = (0..6)
        .map(|at| {
            let entity = hero(&mut app, gaits(at as f32 / 5.0));
            let place =
                Transform::from_xyz(at as f32, 0.0, 3.0).with_scale(Vec3::splat(1.0 + at as f32 * 0.2));
            app.world_mut().entity_mut(entity).insert((place, Skin::new("body")));
            entity
        })
        .collect();
    for entity in &all {
        plays(&mut app, *entity);
    }
    app.update();
    app.update();
    let before = bits(&mut app, all[0]);
    app.update();
    assert_eq!(bits(&mut app, all[0]), before, "nobody sees it");
    let boxes: Vec<Aabb> = all.iter().map(|entity| *app.world().get::<Aabb>(*entity).unwrap()).collect();
    for entity in &all {
        app.world_mut().get_mut::<ViewVisibility>(*entity).unwrap().set_visible();
    }
    for frame in 0..200 {
        app.update();
        for (entity, around) in all.iter().zip(&boxes) {
            let place = app.world().get::<Transform>(*entity).unwrap().to_matrix().inverse();
            for vertex in skinned(&app, *entity) {
                let own = place.transform_point3(vertex) - Vec3::from(around.center);
                let inside = own.abs().cmple(Vec3::from(around.half_extents) + 1e-4).all();
                assert!(inside, "frame {frame}: {own} in {around:?}");
            }
        }
    }
    assert_ne!(bits(&mut app, all[0]), before, "it is seen, and posed");
    // The box is not endless: one vertex hangs on joints that are a metre away, and the walk goes a metre and a half.
    let half = Vec3::from(boxes[0].half_extents);
    assert!(half.x < 2.5 && half.z < 3.3, "{half}");
    let exact = Vec3::from(app.world().get::<Aabb>(all[0]).unwrap().half_extents);
    assert!(exact.cmplt(half).all(), "{exact} {half}");
}
