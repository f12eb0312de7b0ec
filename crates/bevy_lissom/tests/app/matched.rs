//! Characters that are played by motion matching go where their component says, wherever they stand.

use super::{DT_S, app, bits, hero, log, plays};
use bevy_app::App;
use bevy_ecs::{prelude::*, system::RunSystemOnce};
use bevy_lissom::{Characters, Concern, Crowds, LissomError, MatchedMotion, PathPoint, Plays};
use bevy_math::{Quat, Vec3};
use bevy_transform::components::{GlobalTransform, Transform};
use lissom::{archive::Archive, math::Mat34};
use lissom_build::{
    cook::{ClipBuilder, Effort},
    mannequin::{self, Detail, Motion},
    matching::{MatchedClips, MatchingRule, MatchingWeights},
    pipeline::{self, Input, Options, Plan, serial, unwatched},
    scene::Scene,
};
use lissom_motion::{
    GraphParts,
    graph::{LayerParts, MatchedParts, StateParts},
};
use std::{
    path::Path,
    sync::{Arc, LazyLock},
};

/// A few gaits with a database.
static GAITS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let motions = [Motion::Idle, Motion::Walk, Motion::Jog, Motion::StrafeLeft, Motion::Turn];
    let scene = mannequin::game_scene(&motions, &Detail::default()).unwrap();
    let scene = Scene { meshes: Vec::new(), graphs: Vec::new(), ..scene };
    let cook = || ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let file = pipeline::cook_scene(&scene, &cook(), &serial).unwrap().archive;
    let clips = vec![MatchedClips { clips: "*".into(), ..MatchedClips::default() }];
    let weights = MatchingWeights { trajectory: 2.5, direction: 2.5, ..MatchingWeights::default() };
    let rule = MatchingRule { clips, mirrored: true, weights, ..MatchingRule::new("gaits") };
    let plan = Plan::new(Options { matching: vec![rule], cook: cook(), ..Options::default() }).unwrap();
    let done = plan.cook(&[Input::bytes("hero.lsm", &file)], &serial, &mut unwatched).unwrap();
    done.archive.unwrap()
});

fn parts() -> Arc<GraphParts> {
    let matched =
        MatchedParts { facing: Some("facing".into()), ..MatchedParts::new("gaits", ["aside", "ahead"]) };
    let layer = LayerParts::new("body").state(StateParts::matched("move", matched));
    Arc::new(GraphParts::new().float("aside", 0.0).float("ahead", 0.0).float("facing", 0.0).layer(layer))
}

/// A character below a parent that is turned, twice as large.
fn steered(app: &mut App, wanted: MatchedMotion) -> Entity {
    let entity = hero(app, |server| Plays::parts(server.load("gaits.lsm"), parts()));
    let parent = Transform::from_xyz(4.0, 0.0, -3.0)
        .with_rotation(Quat::from_rotation_y(1.0))
        .with_scale(Vec3::splat(2.0));
    let parent = app.world_mut().spawn(parent).id();
    app.world_mut().entity_mut(entity).insert((wanted, ChildOf(parent)));
    plays(app, entity);
    entity
}

fn place(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<GlobalTransform>(entity).unwrap().translation()
}

#[test]
fn it_goes_where_the_world_is_meant_and_has_the_bits_of_an_animator() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("gaits.lsm"), GAITS.clone());
    let velocity = Vec3::new(2.0, 0.5, 1.5);
    let entity = steered(&mut app, MatchedMotion::to(velocity));
    let archive = Archive::read(&GAITS).unwrap();
    let mut alone = lissom_motion::Animator::new(
        &archive,
        Arc::new(lissom_motion::Graph::of_archive(&parts(), &archive).unwrap()),
    )
    .unwrap();
    alone.restore(super::save(&mut app, entity).graph().unwrap()).unwrap();
    let key = |name: &str| alone.graph().float(name).unwrap();
    let [aside, ahead, facing] = ["aside", "ahead", "facing"].map(key);
    let mut start = Vec3::ZERO;
    for frame in 0..240 {
        // As the character sees it that stands there before the frame.
        let stands = {
            let own = *app.world().get::<Transform>(entity).unwrap();
            let parent = app.world().get::<ChildOf>(entity).unwrap().parent();
            let above = GlobalTransform::from(*app.world().get::<Transform>(parent).unwrap());
            above.mul_transform(own).affine()
        };
        let columns =
            [stands.matrix3.x_axis, stands.matrix3.y_axis, stands.matrix3.z_axis, stands.translation];
        let into = Mat34 { columns: columns.map(|column| column.to_array()) }.inverse().unwrap();
        let [x, _, z] = into.mul_vector(velocity.to_array());
        alone.set(aside, x).unwrap();
        alone.set(ahead, z).unwrap();
        alone.set(facing, lissom::math::trig::atan2(x, z)).unwrap();
        app.update();
        alone.update(DT_S).unwrap();
        let wanted: Vec<u32> =
            alone.models().iter().flat_map(|m| m.to_cols_array()).map(f32::to_bits).collect();
        assert_eq!(bits(&mut app, entity), wanted, "frame {frame}");
        if frame == 120 {
            start = place(&app, entity);
        }
    }
    let went = (place(&app, entity) - start) / (119.0 * DT_S as f32);
    let flat = velocity.with_y(0.0);
    assert!((went - flat).length() < 0.35 * flat.length(), "{went} is not {flat}");
    let (now, times) = app
        .world_mut()
        .run_system_once(move |mut c: Characters| {
            c.search_now(entity, "Move", "BODY").unwrap();
            let now = c.matched(entity, "body").unwrap().unwrap();
            (now.searches, c.trajectory_times(entity, "move", "body").unwrap().to_vec())
        })
        .unwrap();
    assert!(now > 20 && times.len() == 3);
    // A path instead: straight along the world's x.
    let begin = place(&app, entity);
    for _ in 0..180 {
        let at = place(&app, entity);
        let point = |time: &f32| PathPoint { place: at + Vec3::X * (2.6 * time), facing: Vec3::X };
        let path = times.iter().map(point).collect();
        app.world_mut().entity_mut(entity).insert(MatchedMotion { path, ..MatchedMotion::default() });
        app.update();
    }
    let went = place(&app, entity) - begin;
    assert!(went.x > 3.0 && went.z.abs() < 0.6 * went.x, "{went}");
    // One point too few.
    app.world_mut().get_mut::<MatchedMotion>(entity).unwrap().path.pop();
    app.update();
    let error = app.world().get::<LissomError>(entity).unwrap();
    assert!(error.about(Concern::Matched).unwrap().contains("as many as the database has times"), "{error}");
    app.world_mut().get_mut::<MatchedMotion>(entity).unwrap().path.clear();
    app.update();
    assert!(app.world().get::<LissomError>(entity).is_none());
}

#[test]
fn searches_have_a_budget_and_who_has_no_such_state_is_told() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("gaits.lsm"), GAITS.clone());
    app.world_mut().resource_mut::<Crowds>().set_search_budget(Some(1));
    let all: Vec<Entity> = (0..8).map(|_| steered(&mut app, MatchedMotion::to(Vec3::X * 2.0))).collect();
    let wrong = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    let clip = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    const NAMES: [&str; 2] = ["Steered without a state", "Steered without a graph"];
    for (entity, name) in [wrong, clip].into_iter().zip(NAMES) {
        app.world_mut().entity_mut(entity).insert((MatchedMotion::default(), Name::new(name)));
        plays(&mut app, entity);
    }
    (0..10).for_each(|_| app.update());
    let searches = |app: &mut App| -> Vec<u32> {
        let all = all.clone();
        let count = move |c: Characters| -> Vec<u32> {
            all.iter().map(|entity| c.matched(*entity, "body").unwrap().unwrap().searches).collect()
        };
        app.world_mut().run_system_once(count).unwrap()
    };
    let (mut before, mut turns) = (searches(&mut app), 0);
    for update in 0..64 {
        app.update();
        let now = searches(&mut app);
        let made = now.iter().zip(&before).filter(|(now, before)| now != before).count();
        assert!(made <= 1, "{made} characters searched in update {update}");
        (before, turns) = (now, turns + made);
    }
    // Without a budget each would have had ten.
    assert!((32..=64).contains(&turns), "{turns} turns in 64 updates, of eight who are due every sixth");
    for (entity, name, words) in [
        (wrong, NAMES[0], "no state that is played by motion matching"),
        (clip, NAMES[1], "not played by a graph"),
    ] {
        let error = app.world().get::<LissomError>(entity).unwrap();
        let why = error.about(Concern::Matched).unwrap();
        assert!(why.contains(words), "{error}");
        let told = log::of(name);
        assert_eq!(told.len(), 1, "once: {told:?}");
        assert!(told[0].ends_with(&format!("{}: {why}", Concern::Matched)), "{told:?}");
        app.world_mut().entity_mut(entity).remove::<MatchedMotion>();
        app.update();
        assert!(app.world().get::<LissomError>(entity).is_none(), "nobody steers it any more");
    }
}
