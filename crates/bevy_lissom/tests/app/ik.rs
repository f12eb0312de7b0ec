//! Characters look at entities, hold them, and stand on steps, wherever they stand themselves.

use super::{app, hero, joint, log, plays};
use bevy_app::App;
use bevy_ecs::{prelude::*, system::RunSystemOnce};
use bevy_lissom::{
    Characters, Concern, FootGround, FootIk, HandIk, HandTarget, LissomError, LookAt, Plays, PoseHooks,
};
use bevy_math::{Mat4, Quat, Vec3};
use bevy_transform::components::Transform;
use lissom::{
    archive::Archive,
    bones::Side,
    pose::{Gaze, Legs, Limb},
};
use lissom_build::{
    SkeletonBuilder,
    archive::ArchiveWriter,
    cook::ClipBuilder,
    mannequin::{self, Motion},
};
use std::path::Path;

/// Where the character stands, turned and twice as large, below a parent that is moved.
const PLACE: Vec3 = Vec3::new(3.0, 0.5, -2.0);

fn standing(app: &mut App) -> (Entity, Mat4) {
    let entity = hero(app, |server| Plays::clip(server.load("hero.lsm"), "idle"));
    let transform =
        Transform { translation: PLACE, rotation: Quat::from_rotation_y(1.0), scale: Vec3::splat(2.0) };
    let parent = Transform::from_xyz(0.0, 0.0, 10.0);
    let parent = app.world_mut().spawn(parent).id();
    app.world_mut().entity_mut(entity).insert((transform, ChildOf(parent)));
    plays(app, entity);
    (entity, Mat4::from_translation(Vec3::new(0.0, 0.0, 10.0)) * transform.to_matrix())
}

/// A joint in the world.
fn in_world(app: &mut App, entity: Entity, own: Mat4, name: &'static str) -> Mat4 {
    own * joint(app, entity, name)
}

fn spawn(app: &mut App, transform: Transform) -> Entity {
    app.world_mut().spawn(transform).id()
}

#[test]
fn a_head_turns_to_an_entity_and_back_when_it_is_gone() {
    let (mut app, _) = app();
    let (entity, own) = standing(&mut app);
    // To its left, and above.
    let place = Vec3::new(6.5, 4.0, 6.2);
    let lamp = spawn(&mut app, Transform::from_translation(place));
    let ahead = |app: &mut App| {
        let head = in_world(app, entity, own, "head");
        head.transform_vector3(Vec3::Z).normalize().dot((place - head.w_axis.truncate()).normalize())
    };
    app.update();
    let before = ahead(&mut app);
    app.world_mut().entity_mut(entity).insert(LookAt::new(lamp));
    app.update();
    let looks = ahead(&mut app);
    assert!(looks > before + 0.1, "{before} {looks}");
    app.world_mut().entity_mut(entity).insert(LookAt { weight: 0.0, ..LookAt::new(lamp) });
    app.update();
    assert!((ahead(&mut app) - before).abs() < 0.02);
    app.world_mut().entity_mut(entity).insert(LookAt::new(lamp));
    app.world_mut().despawn(lamp);
    app.update();
    assert!((ahead(&mut app) - before).abs() < 0.02, "what is gone is not looked at");
}

#[test]
fn hands_reach_and_hold_entities() {
    let (mut app, _) = app();
    let (entity, own) = standing(&mut app);
    app.update();
    // Ahead of each shoulder, within reach.
    let place = |app: &mut App, name| {
        let shoulder = in_world(app, entity, own, name).w_axis.truncate();
        shoulder + own.transform_vector3(Vec3::new(0.0, -0.1, 0.3))
    };
    let (left, right) = (place(&mut app, "upperarm_l"), place(&mut app, "upperarm_r"));
    let turned = Quat::from_rotation_x(0.7);
    let bar = spawn(&mut app, Transform { translation: left, rotation: turned, scale: Vec3::splat(0.1) });
    let ball = spawn(&mut app, Transform::from_translation(right));
    app.world_mut()
        .entity_mut(entity)
        .insert(HandIk { left: Some(HandTarget::hold(bar)), right: Some(HandTarget::reach(ball)) });
    app.update();
    let (hand, other) =
        (in_world(&mut app, entity, own, "hand_l"), in_world(&mut app, entity, own, "hand_r"));
    assert!(hand.w_axis.truncate().abs_diff_eq(left, 2e-3), "{hand} at {left}");
    assert!(other.w_axis.truncate().abs_diff_eq(right, 2e-3), "{other} at {right}");
    let axis = hand.transform_vector3(Vec3::Y).normalize();
    assert!(axis.abs_diff_eq(turned * Vec3::Y, 2e-3), "{axis}");
}

#[test]
fn feet_stand_on_a_step() {
    let (mut app, _) = app();
    let (entity, own) = standing(&mut app);
    app.update();
    let before = ["foot_l", "foot_r"].map(|foot| in_world(&mut app, entity, own, foot).w_axis.truncate());
    let ground = |foot: Vec3, height: f32| {
        Some(FootGround { place: Vec3::new(foot.x, PLACE.y + height, foot.z), normal: Vec3::Y })
    };
    app.world_mut().entity_mut(entity).insert(FootIk {
        left: ground(before[0], 0.3),
        right: ground(before[1], 0.0),
        ..FootIk::default()
    });
    app.update();
    let after = ["foot_l", "foot_r"].map(|foot| in_world(&mut app, entity, own, foot).w_axis.truncate());
    assert!((after[0].y - before[0].y - 0.3).abs() < 0.03, "{after:?} after {before:?}");
    assert!((after[1].y - before[1].y).abs() < 0.03, "{after:?} after {before:?}");
    assert!(app.world().get::<LissomError>(entity).is_none());
    // Ask for nothing, and the pose is the clip's again.
    app.world_mut().entity_mut(entity).remove::<FootIk>();
    app.update();
    let left = in_world(&mut app, entity, own, "foot_l").w_axis.truncate();
    assert!((left.y - before[0].y).abs() < 0.03, "{left}");
}

/// The mannequin above the hips: its legs come last.
fn without_legs() -> Vec<u8> {
    let mut skeleton = mannequin::skeleton();
    let first = skeleton.joints.iter().position(|joint| joint.name == "thigh_l").unwrap();
    skeleton.joints.truncate(first);
    let mut idle = mannequin::clip(Motion::Idle);
    idle.tracks.truncate(first);
    let built = SkeletonBuilder::build(&skeleton).unwrap();
    let bytes = ClipBuilder::default().build(&built, &idle).unwrap().bytes;
    let writer = ArchiveWriter::new().skeleton("bust", &built.skeleton).unwrap();
    writer.clip(u16::from(bytes[4]), "idle", bytes).unwrap().finish().unwrap()
}

#[test]
fn who_has_no_legs_is_told_and_plays_on() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("bust.lsm"), without_legs());
    let entity = hero(&mut app, |server| Plays::clip(server.load("bust.lsm"), "idle"));
    let ground = Some(FootGround { place: Vec3::ZERO, normal: Vec3::Y });
    let feet = FootIk { left: ground, ..FootIk::default() };
    app.world_mut().entity_mut(entity).insert((feet, Name::new("Bust without legs")));
    plays(&mut app, entity);
    (0..5).for_each(|_| app.update());
    let error = app.world().get::<LissomError>(entity).unwrap();
    let why = error.about(Concern::Ik).unwrap_or_else(|| panic!("{error}")).to_owned();
    assert!(why.contains("the left upper leg") && error.problems.len() == 1, "{error}");
    let told = log::of("Bust without legs");
    assert_eq!(told.len(), 1, "once: {told:?}");
    assert!(told[0].ends_with(&format!("{}: {why}", Concern::Ik)), "{told:?}");
    let before = super::bits(&mut app, entity);
    app.update();
    assert_ne!(super::bits(&mut app, entity), before, "it breathes");
    app.world_mut().entity_mut(entity).remove::<FootIk>();
    app.update();
    assert!(app.world().get::<LissomError>(entity).is_none(), "nothing is asked of its feet");
}

/// What Bevy shows is what an animator shows that does the same.
#[test]
fn ik_has_the_bits_of_an_animator() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    plays(&mut app, entity);
    let lamp = spawn(&mut app, Transform::from_xyz(1.0, 1.5, 2.0));
    let stone = FootGround { place: Vec3::new(0.0, 0.125, 0.0), normal: Vec3::Y };
    app.world_mut().entity_mut(entity).insert((
        LookAt::new(lamp),
        FootIk { left: Some(stone), ..FootIk::default() },
        HandIk { right: Some(HandTarget::reach(lamp)), left: None },
    ));
    let archive = Archive::read(&super::BYTES).unwrap();
    let skeleton = archive.skeleton("mannequin").unwrap();
    let (gaze, legs, arm) = (
        Gaze::of(&skeleton).unwrap(),
        Legs::of(&skeleton).unwrap(),
        Limb::arm(&skeleton, Side::Right).unwrap(),
    );
    let mut alone = lissom_motion::Animator::new(&archive, "hero").unwrap();
    let came = app.world_mut().run_system_once(move |c: Characters| c.save(entity).unwrap()).unwrap();
    alone.restore(came.graph().unwrap()).unwrap();
    for _ in 0..20 {
        app.update();
        alone
            .update_with(super::DT_S, |pose| {
                let ground = lissom::job::Ground { place: Vec3::new(0.0, 0.125, 0.0), normal: Vec3::Y };
                pose.stand(&legs, &[Some(ground), None], 1.0)?;
                let lamp = Vec3::new(1.0, 1.5, 2.0);
                pose.look_at(&gaze, lamp, 1.0)?;
                pose.reach(&arm, lamp, 1.0)?;
                Ok(())
            })
            .unwrap();
        let shown = super::bits(&mut app, entity);
        let wanted: Vec<u32> =
            alone.models().iter().flat_map(|m| m.to_cols_array()).map(f32::to_bits).collect();
        assert_eq!(shown, wanted);
    }
}

#[test]
fn a_hook_of_the_game_changes_the_pose_of_whom_it_means() {
    let (mut app, _) = app();
    let all = [standing(&mut app), standing(&mut app)];
    let place = Vec3::new(6.5, 4.0, 6.2);
    let ahead = |app: &mut App, (entity, own): (Entity, Mat4)| {
        let head = in_world(app, entity, own, "head");
        head.transform_vector3(Vec3::Z).normalize().dot((place - head.w_axis.truncate()).normalize())
    };
    app.update();
    let before = all.map(|one| ahead(&mut app, one));
    let skeleton = Archive::read(&super::BYTES).unwrap().skeleton("mannequin").unwrap();
    let gaze = Gaze::of(&skeleton).unwrap();
    let (means, target) = (all[0].0, all[0].1.inverse().transform_point3(place));
    app.world_mut().resource_mut::<PoseHooks>().add(move |entity, pose| {
        if entity == means {
            pose.look_at(&gaze, target, 1.0)?;
        }
        Ok(())
    });
    app.update();
    let after = all.map(|one| ahead(&mut app, one));
    assert!(after[0] > before[0] + 0.1, "{before:?} {after:?}");
    assert!((after[1] - before[1]).abs() < 0.02, "{before:?} {after:?}");
}
