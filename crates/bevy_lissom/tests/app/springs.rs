//! Joints that swing after the motion.

use super::{BYTES, DT_S, app, bits, hero, joint, plays, save};
use bevy_app::App;
use bevy_ecs::{prelude::*, system::RunSystemOnce};
use bevy_lissom::{
    CharacterDetail, Characters, Concern, JointSpring, JointSprings, LissomError, PlaybackSpeed, Plays,
    SpringBody,
};
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use lissom::{archive::Archive, job::SpringBone, math::Mat34, pose::Springs};

/// A character of the graph that sways from side to side, with springs.
fn swaying(app: &mut App, springs: JointSprings) -> Entity {
    let entity = hero(app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    app.world_mut().entity_mut(entity).insert(springs);
    plays(app, entity);
    entity
}

/// Where it stands in a frame.
fn way(frame: usize) -> Vec3 {
    Vec3::new((frame as f32 * 0.2).sin() * 0.3, 0.0, frame as f32 * 0.02)
}

fn step(app: &mut App, entity: Entity, frame: usize) {
    app.world_mut().get_mut::<Transform>(entity).unwrap().translation = way(frame);
    app.update();
}

#[test]
fn what_swings_has_the_bits_of_an_animator_at_any_rate() {
    for every in [1, 3] {
        let (mut app, _) = app();
        let bone = SpringBone { stiffness: 90.0, damping: 6.0, weight: 0.5, radius: 0.0 };
        let own = JointSpring { stiffness: 90.0, damping: 6.0, gravity: 0.5, ..JointSpring::new("hand_r") };
        let entity = swaying(&mut app, JointSprings { springs: vec![own], ..JointSprings::default() });
        app.world_mut().entity_mut(entity).insert(CharacterDetail { every, ..CharacterDetail::default() });
        // Until the rate has begun; then it starts at rest.
        (0..4).for_each(|_| app.update());
        app.world_mut().get_mut::<JointSprings>(entity).unwrap().springs[0].joint = "hand_l".into();
        app.update();
        app.world_mut().get_mut::<JointSprings>(entity).unwrap().springs[0].joint = "hand_r".into();
        let archive = Archive::read(&BYTES).unwrap();
        let mut alone = lissom_motion::Animator::new(&archive, "hero").unwrap();
        alone.restore(save(&mut app, entity).graph().unwrap()).unwrap();
        let mut springs = Springs::new(&archive.skeleton("mannequin").unwrap(), "hand_r").unwrap();
        springs.bone = bone;
        let mut posed = 0;
        let mut waited = 0.0;
        for frame in 0..60 {
            step(&mut app, entity, frame);
            let world =
                Mat34 { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], way(frame).to_array()] };
            waited += DT_S as f32;
            let changed = |pose: &mut lissom::pose::Pose<'_>| {
                posed += 1;
                pose.swing(&mut springs, &world, std::mem::take(&mut waited))
            };
            alone.update_with(DT_S, changed).unwrap();
            let wanted: Vec<u32> =
                alone.models().iter().flat_map(|m| m.to_cols_array()).map(f32::to_bits).collect();
            if posed > 0 {
                assert_eq!(bits(&mut app, entity), wanted, "frame {frame} at a rate of {every}");
            }
        }
        assert!((58 / every..=60 / every + 1).contains(&posed), "{posed} of {every}");
        // It does swing.
        let swung = joint(&mut app, entity, "index_03_r");
        app.world_mut().entity_mut(entity).remove::<JointSprings>();
        (0..every).for_each(|_| app.update());
        let still = joint(&mut app, entity, "index_03_r");
        assert!(!swung.abs_diff_eq(still, 1e-3), "{swung} {still}");
    }
}

#[test]
fn who_is_put_elsewhere_drags_nothing_along_and_a_pause_holds() {
    let (mut app, _) = app();
    // Without gravity it rests where the motion has it.
    let spring = JointSpring { gravity: 0.0, ..JointSpring::new("hand_r") };
    let entity = swaying(&mut app, JointSprings { springs: vec![spring], ..JointSprings::default() });
    app.world_mut().entity_mut(entity).insert(PlaybackSpeed(1.0));
    let off = |app: &mut App| {
        let (hand, tip) = (joint(app, entity, "hand_r"), joint(app, entity, "middle_03_r"));
        (hand.inverse() * tip).w_axis.truncate()
    };
    (0..120).for_each(|_| app.update());
    let rest = off(&mut app);
    let mut moved_to = |x: f32| {
        app.world_mut().get_mut::<Transform>(entity).unwrap().translation.x += x;
        app.update();
        let apart = off(&mut app).distance(rest);
        (0..120).for_each(|_| app.update());
        apart
    };
    let (near, far) = (moved_to(1.5), moved_to(100.0));
    assert!(near > 0.02 && far < 0.01, "{near} {far}");
    // In a pause the pose is held, and goes on from there.
    step(&mut app, entity, 3);
    app.world_mut().get_mut::<PlaybackSpeed>(entity).unwrap().0 = 0.0;
    let held = bits(&mut app, entity);
    (0..10).for_each(|_| app.update());
    assert_eq!(bits(&mut app, entity), held);
}

#[test]
fn a_save_has_how_it_swings_and_a_body_is_in_its_way() {
    let (mut app, _) = app();
    let entity = swaying(&mut app, JointSprings::new(["hand_r"]));
    (0..30).for_each(|frame| step(&mut app, entity, frame));
    let saved = save(&mut app, entity);
    let run = |app: &mut App| -> Vec<Vec<u32>> {
        (30..60)
            .map(|frame| {
                step(app, entity, frame);
                bits(app, entity)
            })
            .collect()
    };
    let first = run(&mut app);
    let put = saved.clone();
    app.world_mut().get_mut::<Transform>(entity).unwrap().translation = way(29);
    app.world_mut().run_system_once(move |mut c: Characters| c.restore(entity, &put).unwrap()).unwrap();
    assert_eq!(save(&mut app, entity), saved);
    assert_eq!(run(&mut app), first);
    // A ball about the middle finger pushes its tip out.
    app.world_mut().get_mut::<Transform>(entity).unwrap().translation = Vec3::ZERO;
    (0..60).for_each(|_| app.update());
    let off = |app: &mut App| {
        let (hand, tip) = (joint(app, entity, "hand_r"), joint(app, entity, "middle_03_r"));
        (hand.inverse() * tip).w_axis.truncate()
    };
    let hangs = off(&mut app);
    let middle = joint(&mut app, entity, "middle_03_r").w_axis.truncate();
    let ball = app.world_mut().spawn(Transform::from_translation(middle)).id();
    let body = SpringBody { entity: ball, radius: 0.03, half_length: 0.0 };
    let mut springs = app.world_mut().get_mut::<JointSprings>(entity).unwrap();
    *springs = std::mem::take(&mut *springs).out_of(body);
    (0..60).for_each(|_| app.update());
    let pushed = joint(&mut app, entity, "middle_03_r").w_axis.truncate();
    assert!(pushed.distance(middle) > 0.028, "{pushed} {middle}");
    // What is gone is in nobody's way.
    app.world_mut().despawn(ball);
    (0..120).for_each(|_| app.update());
    let back = off(&mut app);
    assert!(back.distance(hangs) < 0.01, "{back} {hangs}");
    assert!(app.world().get::<LissomError>(entity).is_none());
    // A joint that is not there is told; the others swing.
    app.world_mut().entity_mut(entity).insert(JointSprings::new(["tial", "hand_l"]));
    app.update();
    let error = app.world().get::<LissomError>(entity).unwrap();
    assert!(error.about(Concern::Springs).unwrap().starts_with("there is no joint \"tial\""), "{error}");
    app.world_mut().entity_mut(entity).insert(JointSprings::new(["hand_l"]));
    app.update();
    assert!(app.world().get::<LissomError>(entity).is_none());
}
