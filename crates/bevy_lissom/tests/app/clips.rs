//! Clips without a graph: they fade, are sought, end, come back from saves, and go on in a file that changed.

use super::{BYTES, DT_S, app, bits, files::reload_at_rest, hero, plays, save, written};
use bevy_app::App;
use bevy_ecs::{message::MessageCursor, prelude::*, system::RunSystemOnce};
use bevy_lissom::{
    Change, CharacterError, Characters, PlaybackSpeed, PlayingClip, Plays, StateChanged, WeightedClip,
};
use lissom::track::Repeat;
use lissom_build::mannequin::{self, Motion};
use std::path::Path;

/// Walks from its start; the next update is its first.
fn walker(app: &mut App, file: &'static str) -> Entity {
    let entity = hero(app, |server| Plays::clip(server.load(file), "walk"));
    plays(app, entity);
    app.world_mut().get_mut::<Plays>(entity).unwrap().set_changed();
    app.update();
    entity
}

fn with<T: 'static + Send>(
    app: &mut App,
    mut change: impl FnMut(&mut Characters) -> Result<T, CharacterError> + Send + Sync + 'static,
) -> Result<T, CharacterError> {
    app.world_mut().run_system_once(move |mut c: Characters| change(&mut c)).unwrap()
}

fn playing(app: &mut App, entity: Entity) -> PlayingClip {
    with(app, move |c| c.clip(entity)).unwrap()
}

/// All that the ends of clips told, update by update.
fn told(app: &App, cursor: &mut MessageCursor<StateChanged>) -> Vec<StateChanged> {
    cursor.read(app.world().resource::<Messages<StateChanged>>()).cloned().collect()
}

#[test]
fn one_clip_fades_to_another_which_then_is_alone() {
    let (mut app, _) = app();
    let entity = walker(&mut app, "hero.lsm");
    for _ in 0..5 {
        app.update();
    }
    let walked = playing(&mut app, entity).laps;
    // Without case, and told in every frame, as games do.
    let fade_s = 0.5;
    let frames = (fade_s / DT_S) as usize;
    for frame in 1..frames {
        with(&mut app, move |c| c.fade_to(entity, "WAVE", fade_s as f32)).unwrap();
        app.update();
        let share = frame as f64 * DT_S / fade_s;
        let smooth = (share * share * (3.0 - 2.0 * share)) as f32;
        let now = playing(&mut app, entity);
        assert_eq!((&*now.name, now.repeat), ("wave", Repeat::Loop));
        assert!((now.weight - smooth).abs() < 1e-6, "{} {smooth}", now.weight);
        assert!((now.time_s - frame as f64 * DT_S).abs() < 1e-9);
        if frame != frames / 3 {
            continue;
        }
        // It shows what a blend of the two at rest shows.
        let walk_s = mannequin::clip(Motion::Walk).duration_s;
        let (walk, wave) = (walked + frame as f64 * DT_S / walk_s, now.laps);
        let part = |name, weight, laps| WeightedClip { laps, ..WeightedClip::new(name, weight) };
        let parts = [part("walk", 1.0 - smooth, walk), part("wave", smooth, wave)];
        let blend = hero(&mut app, |server| Plays::clips(server.load("hero.lsm"), parts));
        app.world_mut().entity_mut(blend).insert(PlaybackSpeed(0.0));
        let shown = bits(&mut app, entity);
        // Only this one goes on while the other comes.
        app.world_mut().entity_mut(entity).insert(PlaybackSpeed(0.0));
        plays(&mut app, blend);
        app.update();
        let off = bits(&mut app, blend).into_iter().zip(&shown);
        let off = off.map(|(a, b)| (f32::from_bits(a) - f32::from_bits(*b)).abs()).fold(0.0, f32::max);
        assert!(off < 1e-5, "{off}");
        assert_eq!(bits(&mut app, entity), shown);
        app.world_mut().entity_mut(entity).remove::<PlaybackSpeed>();
    }
    app.update();
    assert_eq!(playing(&mut app, entity).weight, 1.0);
    // What it shows is the clip alone.
    let alone = hero(&mut app, |server| {
        Plays::clips(server.load("hero.lsm"), [WeightedClip { laps: 0.0, ..WeightedClip::new("wave", 1.0) }])
    });
    plays(&mut app, alone);
    for entity in [entity, alone] {
        with(&mut app, move |c| c.seek(entity, 0.25)).unwrap();
    }
    app.update();
    assert_eq!(bits(&mut app, entity), bits(&mut app, alone));
}

#[test]
fn five_clips_in_a_row_are_no_error_and_no_fade_is_a_cut() {
    let (mut app, _) = app();
    let entity = walker(&mut app, "hero.lsm");
    for clip in ["wave", "idle", "walk", "wave", "idle", "walk", "wave"] {
        with(&mut app, move |c| c.fade_to(entity, clip, 1.0)).unwrap();
        app.update();
        let now = playing(&mut app, entity);
        assert_eq!(&*now.name, clip);
        assert!(now.weight > 0.0 && now.weight < 0.1, "{}", now.weight);
    }
    with(&mut app, move |c| c.fade_to(entity, "idle", 0.0)).unwrap();
    app.update();
    let now = playing(&mut app, entity);
    assert_eq!((&*now.name, now.weight), ("idle", 1.0));
}

#[test]
fn time_speed_and_repeat_are_set_and_read() {
    let (mut app, _) = app();
    let entity = walker(&mut app, "hero.lsm");
    with(&mut app, move |c| c.seek(entity, 0.5)).unwrap();
    assert!((playing(&mut app, entity).time_s - 0.5).abs() < 1e-9);
    with(&mut app, move |c| c.set_speed(entity, -2.0)).unwrap();
    app.update();
    let now = playing(&mut app, entity);
    assert!((now.time_s - (0.5 - 2.0 * DT_S)).abs() < 1e-9 && now.speed == -2.0);
    // In its second lap it is told to play once: it ends with this one.
    with(&mut app, move |c| c.set_speed(entity, 1.0)).unwrap();
    let duration_s = now.duration_s;
    with(&mut app, move |c| c.seek(entity, 1.5 * duration_s)).unwrap();
    with(&mut app, move |c| c.set_repeat(entity, Repeat::Once)).unwrap();
    assert!((playing(&mut app, entity).laps - 0.5).abs() < 1e-9);
    for _ in 0..(0.6 * duration_s / DT_S) as usize {
        assert!(!playing(&mut app, entity).is_finished || playing(&mut app, entity).laps == 1.0);
        app.update();
    }
    let now = playing(&mut app, entity);
    assert!(now.is_finished && now.time_s == duration_s, "{now:?}");
    let wrong = with(&mut app, move |c| c.fade_to(entity, "wlak", 0.3)).unwrap_err().to_string();
    assert!(wrong.starts_with("there is no clip \"wlak\"; there are \""), "{wrong}");
    for fade_s in [-1.0, f32::NAN, f32::INFINITY] {
        let wrong = with(&mut app, move |c| c.fade_to(entity, "wave", fade_s)).unwrap_err();
        assert!(matches!(wrong, CharacterError::Value { what: "fade", .. }), "{wrong}");
    }
    assert!(with(&mut app, move |c| c.seek(entity, f64::NAN)).is_err());
    assert!(with(&mut app, move |c| c.set_speed(entity, f32::INFINITY)).is_err());
    assert_eq!(playing(&mut app, entity), now, "what was refused has changed nothing");
    // A graph decides by itself.
    let graph = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    plays(&mut app, graph);
    let wrong = with(&mut app, move |c| c.fade_to(graph, "wave", 0.3)).unwrap_err();
    assert_eq!(wrong, CharacterError::NoClips { entity: graph });
}

#[test]
fn each_lap_and_the_end_of_a_clip_that_plays_once_are_told() {
    let (mut app, _) = app();
    let entity = walker(&mut app, "hero.lsm");
    let mut cursor = MessageCursor::<StateChanged>::default();
    cursor.clear(app.world().resource::<Messages<StateChanged>>());
    let duration_s = playing(&mut app, entity).duration_s;
    let (mut all, mut laps) = (Vec::new(), 1.0f64);
    for _ in 0..(3.5 * duration_s / DT_S) as usize {
        let before = playing(&mut app, entity).laps;
        app.update();
        for it in told(&app, &mut cursor) {
            // When in the step it was.
            let now = playing(&mut app, entity).laps;
            let at = before + f64::from(it.share) * (now - before);
            assert!((at - laps).abs() < 1e-5, "{at} {laps}");
            laps += 1.0;
            all.push((it.change, it.name.to_string(), it.entity));
        }
    }
    assert_eq!(all, vec![(Change::Looped, "walk".to_owned(), entity); 3]);
    with(&mut app, move |c| c.fade_to(entity, WeightedClip::new("wave", 1.0).once(), 0.2)).unwrap();
    all.clear();
    let wave_s = mannequin::clip(Motion::Wave).duration_s;
    for _ in 0..(1.5 * wave_s / DT_S) as usize {
        let before = playing(&mut app, entity).laps;
        app.update();
        for it in told(&app, &mut cursor) {
            let at = before + f64::from(it.share) * DT_S / wave_s;
            assert!((at - 1.0).abs() < 1e-5, "{at}");
            all.push((it.change, it.name.to_string(), it.entity));
        }
    }
    assert_eq!(all, [(Change::Finished, "wave".to_owned(), entity)]);
    assert!(playing(&mut app, entity).is_finished);
    // Backward from there to its start.
    with(&mut app, move |c| c.set_speed(entity, -1.0)).unwrap();
    all.clear();
    for _ in 0..(1.5 * wave_s / DT_S) as usize {
        app.update();
        all.extend(told(&app, &mut cursor).into_iter().map(|it| (it.change, it.name.to_string(), it.entity)));
    }
    assert_eq!(all, [(Change::Finished, "wave".to_owned(), entity)]);
}

#[test]
fn a_save_in_a_fade_put_back_gives_the_same_bits_and_events() {
    let (mut app, _) = app();
    let entity = walker(&mut app, "hero.lsm");
    let other = walker(&mut app, "hero.lsm");
    // Far into it, where laps are large.
    with(&mut app, move |c| c.seek(entity, 12_345.678)).unwrap();
    app.update();
    with(&mut app, move |c| c.fade_to(entity, WeightedClip::new("wave", 1.0).at_speed(1.3), 0.7)).unwrap();
    for _ in 0..9 {
        app.update();
    }
    let saved = save(&mut app, entity);
    assert!(saved.graph().is_none());
    let mut cursor = MessageCursor::<StateChanged>::default();
    let mut run = |app: &mut App, entity: Entity| -> Vec<(Vec<u32>, PlayingClip, usize)> {
        (0..200)
            .map(|_| {
                cursor.clear(app.world().resource::<Messages<StateChanged>>());
                app.update();
                let ends = told(app, &mut cursor).into_iter().filter(|it| it.entity == entity).count();
                (bits(app, entity), playing(app, entity), ends)
            })
            .collect()
    };
    let first = run(&mut app, entity);
    assert!(first.iter().any(|frame| frame.2 > 0));
    for entity in [entity, other] {
        let put = saved.clone();
        with(&mut app, move |c| c.restore(entity, &put)).unwrap();
        assert_eq!(save(&mut app, entity), saved);
        assert_eq!(run(&mut app, entity), first);
    }
    let mut kept = saved.clone();
    app.world_mut()
        .run_system_once(move |c: Characters| {
            c.save_to(entity, &mut kept).unwrap();
            assert_eq!(kept, c.save(entity).unwrap());
        })
        .unwrap();
    let graph = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    plays(&mut app, graph);
    assert!(with(&mut app, move |c| c.restore(graph, &saved)).is_err());
}

#[test]
fn a_fade_goes_on_in_a_file_that_changed_bit_for_bit() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("twin.lsm"), BYTES.clone());
    let pair = ["hero.lsm", "twin.lsm"].map(|file| {
        let entity = hero(&mut app, |server| Plays::clip(server.load(file), "walk"));
        plays(&mut app, entity);
        entity
    });
    for entity in pair {
        app.world_mut().get_mut::<Plays>(entity).unwrap().set_changed();
    }
    app.update();
    for entity in pair {
        with(&mut app, move |c| c.seek(entity, 1_000.1)).unwrap();
    }
    app.update();
    for entity in pair {
        with(&mut app, move |c| c.fade_to(entity, WeightedClip::new("wave", 1.0).once(), 0.5)).unwrap();
    }
    for _ in 0..10 {
        app.update();
    }
    // The same clips in another order, and one more: they have other numbers.
    reload_at_rest(&mut app, &files, "hero.lsm", written(&["wave", "idle", "walk"], 4.0, 4));
    for frame in 0..60 {
        app.update();
        let [a, b] = pair.map(|entity| (playing(&mut app, entity), bits(&mut app, entity)));
        assert_eq!(a, b, "frame {frame}");
    }
}
