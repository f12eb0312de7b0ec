//! Saves as plain data: written, read, and put back.

use super::{app, bits, hero, parts, plays};
use bevy_app::App;
use bevy_ecs::{prelude::*, system::RunSystemOnce};
use bevy_lissom::{Characters, JointSprings, MarkerPassed, Parameters, Plays, SavedCharacter, WeightedClip};

fn saved(app: &mut App, entity: Entity) -> SavedCharacter {
    app.world_mut().run_system_once(move |c: Characters| c.saved(entity).unwrap()).unwrap()
}

/// As a file has it.
fn through_a_file(saved: &SavedCharacter) -> SavedCharacter {
    let text = serde_json::to_string(saved).unwrap();
    let read: SavedCharacter = serde_json::from_str(&text).unwrap();
    assert_eq!(read, *saved);
    read
}

/// Sixty frames: poses, and how many markers were told.
fn run(app: &mut App, entity: Entity) -> (Vec<Vec<u32>>, usize) {
    let mut told = 0;
    let poses = (0..60).map(|_| {
        app.update();
        let passed = app.world().resource::<Messages<MarkerPassed>>();
        told += passed.iter_current_update_messages().filter(|it| it.entity == entity).count();
        bits(app, entity)
    });
    (poses.collect(), told)
}

fn restored(app: &mut App, entity: Entity, saved: SavedCharacter) -> Result<(), String> {
    let put = move |mut c: Characters| c.restore_saved(entity, &saved).map_err(|why| why.to_string());
    app.world_mut().run_system_once(put).unwrap()
}

#[test]
fn a_graph_in_a_transition_goes_on_to_the_bit_with_its_springs() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::parts(server.load("hero.lsm"), parts()));
    app.world_mut()
        .entity_mut(entity)
        .insert((Parameters::default().with("speed", 0.7), JointSprings::new(["hand_r"])));
    plays(&mut app, entity);
    for frame in 0..30 {
        if frame == 25 {
            app.world_mut().get_mut::<Parameters>(entity).unwrap().set("greet", true);
        }
        app.update();
    }
    let save = saved(&mut app, entity);
    let first = run(&mut app, entity);
    assert!(first.1 > 0, "something is told");
    restored(&mut app, entity, through_a_file(&save)).unwrap();
    assert_eq!(saved(&mut app, entity), save);
    assert_eq!(run(&mut app, entity), first);
}

#[test]
fn clips_in_a_fade_go_on_by_their_names() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    plays(&mut app, entity);
    (0..40).for_each(|_| app.update());
    let fade = move |mut c: Characters| {
        c.fade_to(entity, WeightedClip::new("wave", 1.0).at_speed(0.5), 1.0).unwrap();
    };
    app.world_mut().run_system_once(fade).unwrap();
    (0..10).for_each(|_| app.update());
    let save = saved(&mut app, entity);
    let first = run(&mut app, entity);
    restored(&mut app, entity, through_a_file(&save)).unwrap();
    let second = run(&mut app, entity);
    assert_eq!(first.1, second.1);
    let numbers = |poses: &[Vec<u32>]| poses.concat().into_iter().map(f32::from_bits).collect::<Vec<f32>>();
    let apart = numbers(&first.0).into_iter().zip(numbers(&second.0)).map(|(a, b)| (a - b).abs());
    assert!(apart.fold(0.0, f32::max) < 1e-5);
}

#[test]
fn what_is_no_save_is_refused_and_changes_nothing() {
    let (mut app, _) = app();
    let graph = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    let clips = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    app.world_mut().entity_mut(graph).insert(JointSprings::new(["hand_r"]));
    for entity in [graph, clips] {
        plays(&mut app, entity);
    }
    (0..10).for_each(|_| app.update());
    let of = [graph, clips].map(|entity| saved(&mut app, entity));
    let edited = |of: &SavedCharacter, change: &dyn Fn(&mut serde_json::Value)| -> SavedCharacter {
        let mut value = serde_json::to_value(of).unwrap();
        change(&mut value);
        serde_json::from_value(value).unwrap()
    };
    let wrong: [(Entity, SavedCharacter, &str); 9] = [
        (graph, of[1].clone(), "graph"),
        (clips, of[0].clone(), "is not played by a graph"),
        (
            graph,
            edited(&of[0], &|v| {
                v["plays"]["Graph"]["state"].as_array_mut().unwrap().pop();
            }),
            "byte",
        ),
        (graph, edited(&of[0], &|v| v["plays"]["Graph"]["memory"] = serde_json::json!([1, 2, 3])), "byte"),
        (
            clips,
            edited(&of[1], &|v| v["plays"]["Clips"]["clips"][0]["name"] = "swim".into()),
            "there is no clip \"swim\"",
        ),
        (clips, edited(&of[1], &|v| v["plays"]["Clips"]["clips"][0]["weight"] = (-1.0).into()), "weight"),
        (clips, edited(&of[1], &|v| v["plays"]["Clips"]["lead"] = 7.into()), "lead"),
        // Time for a million steps of springs, and a list that is too short.
        (graph, edited(&of[0], &|v| v["springs"][0][7] = 1.0e6.into()), "`clock.left`"),
        (
            graph,
            edited(&of[0], &|v| {
                v["springs"][0].as_array_mut().unwrap().pop();
            }),
            "`numbers`",
        ),
    ];
    for (entity, save, words) in wrong {
        let before = saved(&mut app, entity);
        let why = restored(&mut app, entity, save).unwrap_err();
        assert!(why.contains(words), "{why}");
        assert_eq!(saved(&mut app, entity), before, "{why}");
    }
}
