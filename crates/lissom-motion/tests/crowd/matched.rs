//! Characters that are played by motion matching, of real clips: they go where they are told, without jumps; members of a crowd are
//! their animators, within a budget of searches; what is recorded is played again.

use super::bits;
use lissom::archive::Archive;
use lissom_build::{
    cook::{ClipBuilder, Effort},
    mannequin::{self, Detail, Motion},
    matching::{MatchedClips, MatchingRule, MatchingWeights},
    pipeline::{self, Input, Options, Plan, serial, unwatched},
    scene::Scene,
};
use lissom_motion::{
    AnimateError, Animator, Graph, GraphParts, RootStep, StateError,
    crowd::{Crowd, Executor, Member, Role, Serial, Task},
    graph::{LayerParts, MatchedParts, StateParts, Test, TransitionParts},
    matching::{Database, DatabaseParts},
    recording::Replay,
};
use std::sync::{Arc, LazyLock};

const DT: f64 = 1.0 / 60.0;

fn cooked(motions: &[Motion]) -> Archive {
    let scene = mannequin::game_scene(motions, &Detail::default()).unwrap();
    let scene = Scene { meshes: Vec::new(), graphs: Vec::new(), ..scene };
    let file = pipeline::cook_scene(&scene, &ClipBuilder::default(), &serial).unwrap().archive;
    let cook = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let clips = vec![MatchedClips { clips: "*".into(), ..MatchedClips::default() }];
    // These clips have no starts and stops: where to go counts more than how it fits.
    let weights = MatchingWeights { trajectory: 2.5, direction: 2.5, ..MatchingWeights::default() };
    let rule = MatchingRule { clips, mirrored: true, weights, ..MatchingRule::new("gaits") };
    let plan = Plan::new(Options { matching: vec![rule], cook, ..Options::default() }).unwrap();
    let done = plan.cook(&[Input::bytes("hero.lsm", &file)], &serial, &mut unwatched).unwrap();
    Archive::new(done.archive.unwrap()).unwrap()
}

static ARCHIVE: LazyLock<Archive> = LazyLock::new(|| {
    cooked(&[
        Motion::Idle,
        Motion::Walk,
        Motion::Jog,
        Motion::Run,
        Motion::Back,
        Motion::StrafeLeft,
        Motion::StrafeRight,
        Motion::Turn,
        Motion::TurnRight,
    ])
});

fn parts() -> GraphParts {
    let matched = StateParts::matched("move", MatchedParts::new("gaits", ["aside", "ahead"]));
    let to = |from: &str, to: &str, test| TransitionParts::new(from, to).when("stand", test).inertial();
    GraphParts::new().float("aside", 0.0).float("ahead", 0.0).bool("stand", false).layer(
        LayerParts::new("body")
            .state(matched)
            .state(StateParts::clip("stand", "idle"))
            .transition(to("move", "stand", Test::On))
            .transition(to("stand", "move", Test::Off)),
    )
}

static GRAPH: LazyLock<Arc<Graph>> =
    LazyLock::new(|| Arc::new(Graph::of_archive(&parts(), &ARCHIVE).unwrap()));

/// A velocity in the world, as a character sees it that stands like this.
fn seen(place: &RootStep, [x, z]: [f64; 2]) -> [f32; 2] {
    let way = RootStep { translation: [x, 0.0, z], rotation: [0.0, 0.0, 0.0, 1.0] };
    let turn = RootStep { translation: [0.0; 3], rotation: place.rotation };
    let [x, _, z] = turn.inverse().then(&way).translation;
    [x as f32, z as f32]
}

/// Seconds, and the velocity in the world that is wanted meanwhile.
const WAY: [(u32, [f64; 2]); 5] =
    [(180, [0.0, 1.32]), (180, [0.0, 4.4]), (180, [1.32, 0.0]), (180, [0.0, -2.6]), (120, [0.0, 0.0])];

#[test]
fn it_goes_where_it_is_told_and_nothing_jumps() {
    let mut hero = Animator::new(&ARCHIVE, Arc::clone(&GRAPH)).unwrap();
    let [aside, ahead] = ["aside", "ahead"].map(|name| GRAPH.float(name).unwrap());
    let mut place = RootStep::IDENTITY;
    let mut fastest = 0.0_f64;
    let mut before: Option<Vec<[f64; 3]>> = None;
    for (steps, wanted) in WAY {
        let mut start = place;
        for step in 0..steps {
            if step + 60 == steps {
                start = place;
            }
            let [x, z] = seen(&place, wanted);
            hero.set(aside, x).unwrap();
            hero.set(ahead, z).unwrap();
            hero.update(DT).unwrap();
            place = place.then(&hero.root_delta());
            let joint = |m: &lissom::math::Mat4| {
                let [x, y, z] = m.w_axis.truncate().to_array().map(f64::from);
                place.then(&RootStep { translation: [x, y, z], ..RootStep::IDENTITY }).translation
            };
            let now: Vec<[f64; 3]> = hero.models().iter().map(joint).collect();
            if let Some(before) = &before {
                for (a, b) in before.iter().zip(&now) {
                    let d: [f64; 3] = core::array::from_fn(|i| b[i] - a[i]);
                    let speed = libm::sqrt(d.iter().map(|v| v * v).sum()) / DT;
                    fastest = if speed > fastest { speed } else { fastest };
                }
            }
            before = Some(now);
        }
        let went: [f64; 2] = [0, 2].map(|i| place.translation[i] - start.translation[i]);
        // Straight gaits and turns on the spot: the direction is right to 25 degrees, not better.
        let speed = libm::hypot(wanted[0], wanted[1]);
        let [along, across] = match speed > 0.0 {
            true => {
                let [x, z] = wanted.map(|v| v / speed);
                [went[0] * x + went[1] * z, went[0] * z - went[1] * x]
            }
            false => went,
        };
        let close = (along - speed).abs() < 0.15 + 0.2 * speed && across.abs() < 0.15 + 0.4 * speed;
        assert!(close, "wanted {wanted:?} a second, went {went:?}");
    }
    // A hand of one who runs at 4.4 m/s is that fast; a jump would be 30 m/s and more.
    assert!(fastest < 15.0, "{fastest} m/s");
    let now = hero.state().matched(&GRAPH, 0).unwrap();
    assert!(now.jumps >= 5 && now.searches > 130, "{now:?}");
}

struct Reversed;

impl Executor for Reversed {
    fn width(&self) -> usize {
        3
    }

    fn run(&self, tasks: &mut [Task<'_>]) {
        tasks.iter_mut().rev().for_each(Task::run);
    }
}

fn crowd_of(members: usize) -> (Crowd, Vec<Member>) {
    let mut crowd = Crowd::new(&ARCHIVE).unwrap();
    crowd.set_grain(2);
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let members = (0..members).map(|_| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap()).collect();
    (crowd, members)
}

/// What a member wants at an update.
fn wish(member: usize, update: usize) -> [f32; 2] {
    let turn = (update / 40 + member) % 4;
    let speed = 1.0 + member as f32 % 3.0;
    [[0.0, speed], [speed, 0.0], [0.0, 0.0], [-1.0, speed]][turn]
}

#[test]
fn members_with_a_budget_are_animators_with_that_turn_and_go_on_from_a_save() {
    const COUNT: usize = 10;
    let [aside, ahead] = ["aside", "ahead"].map(|name| GRAPH.float(name).unwrap());
    let (mut crowd, members) = crowd_of(COUNT);
    crowd.set_search_budget(Some(3));
    let mut heroes: Vec<Animator> =
        (0..COUNT).map(|_| Animator::new(&ARCHIVE, Arc::clone(&GRAPH)).unwrap()).collect();
    for (slot, hero) in heroes.iter_mut().enumerate() {
        hero.set_search_turn(4, slot as u16 % 4).unwrap();
    }
    crowd.record(members[3]).unwrap();
    let mut saved = Vec::new();
    let mut searches = vec![0; COUNT];
    let mut most = 0;
    for update in 0..200 {
        for (at, member) in members.iter().enumerate() {
            let [x, z] = wish(at, update);
            crowd.set(*member, aside, x).unwrap();
            crowd.set(*member, ahead, z).unwrap();
            heroes[at].set(aside, x).unwrap();
            heroes[at].set(ahead, z).unwrap();
            heroes[at].update(DT).unwrap();
        }
        let executor: &dyn Executor = if update % 2 == 0 { &Serial } else { &Reversed };
        crowd.update_on(DT, executor).unwrap();
        let mut made = 0;
        for (at, member) in members.iter().enumerate() {
            assert_eq!(crowd.state(*member).unwrap(), heroes[at].state(), "member {at}, update {update}");
            assert_eq!(crowd.memory(*member).unwrap(), heroes[at].memory(), "member {at}, update {update}");
            let models = crowd.models(*member).unwrap().map(bits);
            assert!(models.is_none_or(|models| models == bits(heroes[at].models())));
            let now = crowd.state(*member).unwrap().matched(&GRAPH, 0).unwrap().searches;
            made += usize::from(now != searches[at]);
            searches[at] = now;
        }
        most = most.max(made);
        assert!(made <= 3, "{made} members searched in update {update}");
        // In the middle of a transition, as far as it can be.
        if heroes.iter().any(|hero| hero.memory().is_running()) && update % 50 == 49 {
            saved = heroes.iter().map(Animator::save).collect();
        }
    }
    assert!(most == 3 && searches.iter().all(|searches| *searches > 20), "{most} {searches:?}");
    // From the save on everything is the same again.
    let mut again = heroes.clone();
    again.iter_mut().zip(&saved).for_each(|(hero, saved)| hero.restore(saved).unwrap());
    let (mut other, others) = crowd_of(COUNT);
    for (member, saved) in others.iter().zip(&saved) {
        other.restore_member(*member, saved).unwrap();
    }
    for update in 0..100 {
        for (at, member) in others.iter().enumerate() {
            let [x, z] = wish(at, update);
            other.set(*member, aside, x).unwrap();
            other.set(*member, ahead, z).unwrap();
            again[at].set(aside, x).unwrap();
            again[at].set(ahead, z).unwrap();
            again[at].update(DT).unwrap();
        }
        other.update(DT).unwrap();
        for (at, member) in others.iter().enumerate() {
            assert_eq!(other.state(*member).unwrap(), again[at].state());
        }
    }
    let recording = crowd.stop_recording(members[3]).unwrap();
    let mut replay = Replay::with_graph(&ARCHIVE, Arc::clone(&GRAPH), recording).unwrap();
    let mut frames = 0;
    while let Some(frame) = replay.step().unwrap() {
        assert_eq!(frame.difference, None, "{frame:?}");
        frames += 1;
    }
    assert_eq!(frames, 200);
}

#[test]
fn a_budget_holds_for_who_comes_later_and_who_stands_still() {
    let (mut crowd, mut members) = crowd_of(7);
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    crowd.set_search_budget(Some(2));
    let ahead = GRAPH.float("ahead").unwrap();
    let mut before = std::collections::BTreeMap::new();
    for update in 0..300 {
        if update == 50 {
            members.push(crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap());
        }
        if update == 90 {
            crowd.remove(members.remove(2)).unwrap();
            members.push(crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap());
        }
        if update == 120 || update == 133 {
            crowd.set_pace(&members[..2], if update == 120 { 0.0 } else { 1.0 }).unwrap();
        }
        for member in &members {
            crowd.set(*member, ahead, if update / 9 % 2 == 0 { 1.3 } else { 0.0 }).unwrap();
        }
        crowd.update(DT).unwrap();
        let mut made = 0;
        for member in &members {
            let now = crowd.state(*member).unwrap().matched(&GRAPH, 0).unwrap().searches;
            made += usize::from(before.insert(*member, now).is_some_and(|before| before != now));
        }
        assert!(made <= 2, "{made} members searched in update {update}");
    }
    assert!(before.values().all(|searches| *searches > 10), "{before:?}");
    // Without a budget everybody searches when it is due.
    crowd.set_search_budget(None);
    for member in &members {
        crowd.set(*member, ahead, 4.0).unwrap();
    }
    crowd.update(DT).unwrap();
    let now = |member: &Member| crowd.state(*member).unwrap().matched(&GRAPH, 0).unwrap().searches;
    assert!(members.iter().all(|member| now(member) > before[member]));
}

#[test]
fn a_database_that_is_not_there_or_for_another_skeleton_is_an_error() {
    let bare = Arc::new(Graph::new(&parts(), |_| Some(1.0)).unwrap());
    let wrong = |graph: &Arc<Graph>, archive: &Archive| match Animator::new(archive, Arc::clone(graph)) {
        Err(AnimateError::State(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(wrong(&bare, &ARCHIVE), StateError::NoDatabase("gaits".into()));
    let database = DatabaseParts::read(&ARCHIVE.matching("gaits").unwrap()).unwrap();
    let database = Arc::new(Database::new(&DatabaseParts { skeleton: 1, ..database }).unwrap());
    let other = Graph::with_databases(&parts(), |_| Some(1.0), |_| Ok(Some(database.clone()))).unwrap();
    assert_eq!(wrong(&Arc::new(other), &ARCHIVE), StateError::OtherSkeleton("gaits".into()));
    assert!(Crowd::new(&ARCHIVE).unwrap().add_graph(bare).is_err());
}
