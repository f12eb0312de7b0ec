//! Markers that last: they begin, and whatever becomes of the character, they end.

use super::{app, hero, plays, save};
use bevy_app::App;
use bevy_asset::AssetServer;
use bevy_ecs::{message::MessageCursor, prelude::*, system::RunSystemOnce};
use bevy_lissom::{
    Characters, GoTo, MarkerBegan, MarkerEnded, MarkerFilter, MarkerPassed, Parameters, Plays, WeightedClip,
};

/// What was told of one character, in order, by messages and by its observers.
#[derive(Default)]
struct Told {
    began: MessageCursor<MarkerBegan>,
    ended: MessageCursor<MarkerEnded>,
    all: Vec<String>,
}

#[derive(Resource, Default)]
struct Observed(Vec<String>);

impl Told {
    fn of(app: &mut App, entity: Entity) -> Self {
        app.init_resource::<Observed>();
        let mut entity = app.world_mut().entity_mut(entity);
        entity.observe(|it: On<MarkerBegan>, mut all: ResMut<Observed>| {
            all.0.push(format!("began {}", it.marker));
        });
        entity.observe(|it: On<MarkerEnded>, mut all: ResMut<Observed>| {
            all.0.push(format!("{} {}", if it.interrupted { "broke off" } else { "ended" }, it.marker));
        });
        let mut told = Self::default();
        told.began.clear(app.world().resource::<Messages<MarkerBegan>>());
        told.ended.clear(app.world().resource::<Messages<MarkerEnded>>());
        told
    }

    fn read(&mut self, app: &App, entity: Entity) {
        let began = self.began.read(app.world().resource::<Messages<MarkerBegan>>());
        let began = began.filter(|it| it.entity == entity).map(|it| format!("began {}", it.marker));
        let ended = self.ended.read(app.world().resource::<Messages<MarkerEnded>>());
        let ended = ended
            .filter(|it| it.entity == entity)
            .map(|it| format!("{} {}", if it.interrupted { "broke off" } else { "ended" }, it.marker));
        // Never both in a frame: a lap is longer.
        self.all.extend(began.chain(ended));
    }

    fn frames(&mut self, app: &mut App, entity: Entity, count: usize) {
        for _ in 0..count {
            app.update();
            self.read(app, entity);
        }
    }

    /// Until the character is in the marker.
    fn until_it_begins(&mut self, app: &mut App, entity: Entity) {
        for _ in 0..1000 {
            if self.all.last().is_some_and(|last| last == "began cut") {
                return;
            }
            self.frames(app, entity, 1);
        }
        panic!("it never begins: {:?}", self.all);
    }

    fn last(&self) -> &str {
        self.all.last().map_or("", |last| last)
    }
}

fn waver(app: &mut App) -> (Entity, Told) {
    let entity = hero(app, |server| Plays::clip(server.load("hero.lsm"), "wave"));
    plays(app, entity);
    let told = Told::of(app, entity);
    (entity, told)
}

#[test]
fn it_begins_and_ends_once_a_lap_and_is_told_to_observers_too() {
    let (mut app, _) = app();
    let (entity, mut told) = waver(&mut app);
    let mut passed = MessageCursor::<MarkerPassed>::default();
    let mut moments = 0;
    for _ in 0..600 {
        told.frames(&mut app, entity, 1);
        let all = passed.read(app.world().resource::<Messages<MarkerPassed>>());
        moments += all.filter(|it| &*it.marker == "cut" && it.duration_s > 0.1).count();
    }
    assert!(told.all.len() >= 6, "{:?}", told.all);
    for (at, one) in told.all.iter().enumerate() {
        assert_eq!(one, ["began cut", "ended cut"][at % 2], "{:?}", told.all);
    }
    assert_eq!(app.world().resource::<Observed>().0, told.all);
    assert!(moments.abs_diff(told.all.len().div_ceil(2)) <= 1, "as a marker it is passed where it begins");
}

#[test]
fn whatever_becomes_of_the_character_what_began_ends() {
    let (mut app, _) = app();
    type End = fn(&mut App, Entity);
    let ends: [(&str, End); 6] = [
        ("another clip at once", |app, hero| {
            app.world_mut()
                .run_system_once(move |mut c: Characters| c.fade_to(hero, "walk", 0.0).unwrap())
                .unwrap();
        }),
        ("a fade", |app, hero| {
            app.world_mut()
                .run_system_once(move |mut c: Characters| c.fade_to(hero, "walk", 0.05).unwrap())
                .unwrap();
        }),
        ("a seek", |app, hero| {
            app.world_mut().run_system_once(move |mut c: Characters| c.seek(hero, 0.0).unwrap()).unwrap();
        }),
        ("another component", |app, hero| {
            let archive = app.world().resource::<AssetServer>().load("hero.lsm");
            app.world_mut().entity_mut(hero).insert(Plays::clip(archive, "walk"));
        }),
        ("no component", |app, hero| {
            app.world_mut().entity_mut(hero).remove::<Plays>();
        }),
        ("no entity", |app, hero| {
            app.world_mut().despawn(hero);
        }),
    ];
    for (what, end) in ends {
        let (entity, mut told) = waver(&mut app);
        told.until_it_begins(&mut app, entity);
        end(&mut app, entity);
        told.frames(&mut app, entity, 8);
        assert_eq!(told.last(), "broke off cut", "{what}: {:?}", told.all);
        let count = told.all.len();
        told.frames(&mut app, entity, 2);
        assert_eq!(told.all.len(), count, "once");
    }
}

#[test]
fn a_blend_is_in_it_once_and_what_is_hardly_seen_is_not() {
    let (mut app, _) = app();
    let blend = |app: &mut App, wave: f32| {
        let parts = |laps| [("wave", wave, laps), ("wave", wave, laps + 0.05), ("idle", 1.0 - wave, 0.0)];
        let clip = |(name, weight, laps)| WeightedClip { laps, ..WeightedClip::new(name, weight) };
        let entity = hero(app, |server| Plays::clips(server.load("hero.lsm"), parts(0.1).map(clip)));
        plays(app, entity);
        entity
    };
    let (seen, hardly) = (blend(&mut app, 0.9), blend(&mut app, 0.04));
    let (mut told, mut nothing) = (Told::of(&mut app, seen), Told::of(&mut app, hardly));
    for _ in 0..400 {
        app.update();
        told.read(&app, seen);
        nothing.read(&app, hardly);
    }
    assert!(told.all.len() >= 4 && nothing.all.is_empty(), "{:?} {:?}", told.all, nothing.all);
    for (at, one) in told.all.iter().enumerate() {
        assert_eq!(one, ["began cut", "ended cut"][at % 2], "{:?}", told.all);
    }
    // Each clip of the blend by itself.
    app.world_mut().entity_mut(seen).insert(MarkerFilter::ALL);
    told.all.clear();
    told.frames(&mut app, seen, 400);
    let most = told.all.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(most >= 2, "{:?}", told.all);
}

#[test]
fn a_graph_says_whether_it_is_in_one_and_a_save_has_it() {
    let (mut app, _) = app();
    let entity = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    app.world_mut().entity_mut(entity).insert(Parameters::default());
    plays(&mut app, entity);
    let mut told = Told::of(&mut app, entity);
    let is_in = |app: &mut App| {
        let read = move |c: Characters| {
            let names: Vec<String> =
                c.active_markers(entity).unwrap().map(|active| active.marker.name.to_owned()).collect();
            assert_eq!(c.is_in(entity, "cut").unwrap(), names == ["cut"]);
            !names.is_empty()
        };
        app.world_mut().run_system_once(read).unwrap()
    };
    assert!(!is_in(&mut app));
    app.world_mut().get_mut::<Parameters>(entity).unwrap().set("greet", true);
    told.until_it_begins(&mut app, entity);
    assert!(is_in(&mut app));
    let lines = app.world_mut().run_system_once(move |c: Characters| c.described(entity).unwrap()).unwrap();
    assert!(lines.contains(&"in cut".to_owned()), "{lines:?}");
    let saved = save(&mut app, entity);
    let leave = move |mut c: Characters| {
        let layer = c.graph(entity).unwrap().layer_names().next().unwrap().to_owned();
        c.go_to(entity, "move", &layer, GoTo { fade_s: 0.0, ..GoTo::default() }).unwrap();
    };
    app.world_mut().run_system_once(leave).unwrap();
    told.frames(&mut app, entity, 2);
    assert_eq!(told.last(), "broke off cut");
    assert!(!is_in(&mut app));
    // Back in it, and out of it as it would have been.
    app.world_mut().run_system_once(move |mut c: Characters| c.restore(entity, &saved).unwrap()).unwrap();
    assert!(is_in(&mut app));
    told.frames(&mut app, entity, 200);
    assert_eq!(told.last(), "ended cut", "{:?}", told.all);
}
