//! Rollback: a game in `FixedUpdate` goes back, plays again, and gets the same bits.

use super::{BYTES, app_of, bits, hero, plays, save};
use bevy_app::{App, FixedUpdate};
use bevy_ecs::{prelude::*, system::RunSystemOnce};
use bevy_lissom::{
    CharacterDetail, CharacterSave, Characters, EntityRootMotion, JointSprings, LissomPlugin, LookAt,
    MarkerBegan, MarkerEnded, MarkerPassed, Plays, StateChanged, WeightedClip,
};
use bevy_transform::components::Transform;

/// What a frame of the game is: poses, places, events.
type Frame = (Vec<Vec<u32>>, Vec<[u32; 7]>, Vec<String>);

/// What players do in a frame: a function of its number alone.
fn input(app: &mut App, all: [Entity; 3], frame: usize) {
    let [graph, clips, gaits] = all;
    app.world_mut()
        .run_system_once(move |mut c: Characters| {
            let own = c.graph(graph).unwrap().clone();
            let speed = ((frame * 7 % 64) as f32) / 64.0;
            c.set(graph, own.float("speed").unwrap(), speed).unwrap();
            if frame % 37 == 5 {
                c.trigger(graph, own.trigger("greet").unwrap()).unwrap();
            }
            if frame % 41 == 17 {
                c.play(graph, "wave", "upper", Default::default()).unwrap();
            }
            let clip = ["walk", "wave", "idle"][frame / 23 % 3];
            let speed = 1.0 + (frame / 31 % 3) as f32 * 0.25;
            c.fade_to(clips, WeightedClip::new(clip, 1.0).at_speed(speed), 0.35).unwrap();
            if frame % 29 == 3 {
                c.seek(gaits, 0.375).unwrap();
            }
        })
        .unwrap();
}

fn place(app: &App, entity: Entity) -> [u32; 7] {
    let Transform { translation, rotation, .. } = app.world().get(entity).unwrap();
    let mut numbers = translation.to_array().into_iter().chain(rotation.to_array());
    std::array::from_fn(|_| numbers.next().unwrap_or_default().to_bits())
}

/// What was told in the last frame.
fn told<M: Message + std::fmt::Debug>(app: &App, events: &mut Vec<String>) {
    let messages = app.world().resource::<Messages<M>>();
    events.extend(messages.iter_current_update_messages().map(|it| format!("{it:?}")));
}

fn step(app: &mut App, all: [Entity; 3], frame: usize) -> Frame {
    input(app, all, frame);
    app.update();
    let mut events: Vec<String> = Vec::new();
    told::<MarkerPassed>(app, &mut events);
    told::<MarkerBegan>(app, &mut events);
    told::<MarkerEnded>(app, &mut events);
    told::<StateChanged>(app, &mut events);
    (all.map(|entity| bits(app, entity)).to_vec(), all.map(|entity| place(app, entity)).to_vec(), events)
}

#[test]
fn two_hundred_frames_sixty_back_and_the_same_again_to_the_bit() {
    assert!(!BYTES.is_empty());
    let (mut app, _) = app_of(LissomPlugin::in_schedule(FixedUpdate), |_| {});
    let graph = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    let clips = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
    let gaits = hero(&mut app, |server| {
        let parts = [WeightedClip::new("walk", 0.625), WeightedClip::new("idle", 0.375)];
        Plays::in_step(server.load("hero.lsm"), parts)
    });
    let all = [graph, clips, gaits];
    // They look at something, swing, and are posed at rates of their own.
    let lamp = app.world_mut().spawn(Transform::from_xyz(1.0, 1.5, 4.0)).id();
    for (entity, every) in all.into_iter().zip([1, 2, 1]) {
        app.world_mut().entity_mut(entity).insert((
            EntityRootMotion::default(),
            LookAt::new(lamp),
            JointSprings::new(["hand_r"]),
            CharacterDetail { every, ..CharacterDetail::default() },
        ));
        plays(&mut app, entity);
    }
    let mut saves: Vec<[(CharacterSave, Transform); 3]> = Vec::new();
    let mut first: Vec<Frame> = Vec::new();
    for frame in 0..200 {
        saves.push(all.map(|entity| (save(&mut app, entity), *app.world().get(entity).unwrap())));
        first.push(step(&mut app, all, frame));
    }
    assert!(first.iter().flat_map(|frame| &frame.2).count() > 20, "something is told");
    assert_ne!(first[139].1, first[199].1, "they walked");
    for back in [140, 173, 61] {
        for (entity, (save, transform)) in all.into_iter().zip(saves[back].clone()) {
            app.world_mut()
                .run_system_once(move |mut c: Characters| c.restore(entity, &save).unwrap())
                .unwrap();
            *app.world_mut().get_mut::<Transform>(entity).unwrap() = transform;
        }
        for (frame, expected) in first.iter().enumerate().skip(back) {
            assert_eq!(&step(&mut app, all, frame), expected, "frame {frame}, from {back}");
        }
    }
}
