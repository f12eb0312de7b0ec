//! Characters that are played by motion matching, of real clips: they go where they are told, without jumps; members of a crowd are
//! their animators, within a budget of searches; what is recorded is played again.

use super::bits;
use lissom::archive::Archive;
use lissom_build::{
    cook::{ClipBuilder, Effort},
    exact::larger,
    mannequin::{self, Detail, Motion},
    matching::{MatchedClips, MatchingRule, MatchingWeights},
    pipeline::{self, Input, Options, Plan, serial, unwatched},
    scene::Scene,
};
use lissom_motion::{
    AnimateError, Animator, Graph, GraphParts, GraphState, RootStep, StateError,
    crowd::{Crowd, Executor, Member, Role, Serial, Task},
    frame::What,
    graph::{LayerParts, MatchedParts, RootUse, StateParts, Test, TransitionParts},
    matching::{Database, DatabaseParts},
    recording::Replay,
    state::MatchedNow,
};
use lissom_testkit::rng::Rng;
use std::sync::{Arc, LazyLock};

pub(super) const DT: f64 = 1.0 / 60.0;

pub(super) fn cooked(motions: &[Motion]) -> Archive {
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

pub(super) static ARCHIVE: LazyLock<Archive> = LazyLock::new(|| {
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

pub(super) struct Reversed;

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

/// A hero that is played by a graph of these layers, and what steers it.
pub(super) struct Steered {
    pub(super) hero: Animator,
    pub(super) graph: Arc<Graph>,
    pub(super) place: RootStep,
}

impl Steered {
    pub(super) fn new(parts: &GraphParts) -> Self {
        let graph = Arc::new(Graph::of_archive(parts, &ARCHIVE).unwrap());
        let hero = Animator::new(&ARCHIVE, Arc::clone(&graph)).unwrap();
        Self { hero, graph, place: RootStep::IDENTITY }
    }

    pub(super) fn update(&mut self, wanted: [f64; 2], dt_s: f64) {
        let seen = seen(&self.place, wanted);
        self.ask(seen, dt_s);
    }

    /// By what is wanted as the character sees it.
    fn ask(&mut self, [x, z]: [f32; 2], dt_s: f64) {
        for (name, value) in [("aside", x), ("ahead", z)] {
            self.hero.set(self.graph.float(name).unwrap(), value).unwrap();
        }
        self.hero.update(dt_s).unwrap();
        self.place = self.place.then(&self.hero.root_delta());
    }

    fn now(&self, layer: usize) -> MatchedNow<'_> {
        self.hero.state().matched(&self.graph, layer).unwrap()
    }
}

/// A stick that is moved every half of a second, from a seed.
pub(super) fn sticks(seed: u64, updates: usize) -> Vec<[f64; 2]> {
    let mut rng = Rng::new(seed);
    let mut stick = [0.0; 2];
    let mut moved = |update: usize| {
        if update.is_multiple_of(30) && rng.one_in(2) {
            let speed = [0.0, 1.3, 2.6, 4.4][rng.below(4)];
            let angle = rng.unit_f64() * core::f64::consts::TAU;
            stick = [speed * libm::sin(angle), speed * libm::cos(angle)];
        }
        stick
    };
    (0..updates).map(&mut moved).collect()
}

pub(super) fn matched_state(matched: MatchedParts) -> GraphParts {
    let layer = LayerParts::new("body").state(StateParts::matched("move", matched));
    GraphParts::new().float("aside", 0.0).float("ahead", 0.0).layer(layer)
}

pub(super) fn gaits() -> MatchedParts {
    MatchedParts::new("gaits", ["aside", "ahead"])
}

#[test]
fn contacts_begin_and_end_in_turn_and_are_those_of_the_clip_that_plays() {
    let mut steered = Steered::new(&parts());
    let stand = steered.graph.bool("stand").unwrap();
    let mut rng = Rng::new(7);
    let (mut told, mut held) = ([0; 2], [0; 2]);
    let names = ["contact_left", "contact_right"];
    let (mut interrupted, mut jumps) = (0, 0);
    for (update, wanted) in sticks(5, 60 * 60).into_iter().enumerate() {
        if update % 100 == 0 {
            steered.hero.set(stand, rng.one_in(5)).unwrap();
        }
        steered.update(wanted, DT);
        for event in steered.hero.events() {
            let (marker, change) = match event.what {
                What::MarkerBegan { marker, .. } => (marker, 1),
                What::MarkerEnded { marker, interrupted: broken, .. } => {
                    interrupted += usize::from(broken);
                    (marker, -1)
                }
                _ => continue,
            };
            if let Some(foot) = names.iter().position(|name| *name == marker.name) {
                told[foot] += change;
                // A stance over the seam of a loop is two, of which one ends where the other begins.
                assert!((0..=2).contains(&told[foot]), "{}, update {update}", marker.name);
            }
        }
        assert!(told.iter().all(|told| *told < 2), "update {update}");
        // Naively: of the clip that plays, at its time. What was gone to in this update begins with the next one.
        let Some(now) = steered.hero.state().matched(&steered.graph, 0) else { continue };
        if core::mem::replace(&mut jumps, now.jumps) != now.jumps {
            continue;
        }
        for (foot, name) in names.into_iter().enumerate() {
            assert_eq!(steered.hero.is_in(name), told[foot] == 1, "{name}, update {update}");
            let markers = ARCHIVE.markers(now.clip).unwrap();
            let all = markers.view();
            let edges = all.lasting().map(|(_, m)| m).filter(|m| m.name == name);
            let edges: Vec<[f64; 2]> = edges.map(|m| [m.time_s, m.time_s + m.duration_s]).collect();
            if edges.iter().flatten().any(|edge| (edge - now.time_s).abs() < 1e-6) {
                continue;
            }
            let is_in = edges.iter().any(|[from, to]| (*from..*to).contains(&now.time_s));
            assert_eq!(told[foot] == 1, is_in, "{name} in {} at {}, update {update}", now.clip, now.time_s);
            held[foot] += usize::from(is_in);
        }
    }
    assert!(held.iter().all(|held| *held > 600) && interrupted > 50, "{held:?} {interrupted}");
}

#[test]
fn layers_above_it_one_shots_and_a_second_matched_layer_leave_it_alone() {
    let plain = matched_state(gaits());
    let above = LayerParts::new("arms").masked("arms");
    let over = plain.clone().mask("arms", "spine_01", 1).clip("idle").layer(above);
    let second = StateParts::matched("arms", MatchedParts { transition_cost: 0.0.into(), ..gaits() });
    let twice = plain.clone().mask("arms", "spine_01", 1);
    let twice = twice.layer(LayerParts::new("arms").state(second).masked("arms"));
    let [mut alone, mut over, mut twice] = [plain, over, twice].map(|parts| Steered::new(&parts));
    let skeleton = ARCHIVE.skeletons().next().unwrap().1.unwrap();
    let legs = ["hips", "thigh_l", "foot_r", "toes_l"].map(|name| skeleton.find(name).unwrap());
    let hand = skeleton.find("hand_l").unwrap();
    let (mut waves, mut others, mut furthest) = (0, 0, 0.0_f32);
    for (update, wanted) in sticks(8, 60 * 20).into_iter().enumerate() {
        if update % 90 == 0 {
            over.hero.play("idle").on("arms").fade(0.2).start().unwrap();
        }
        [&mut alone, &mut over, &mut twice].into_iter().for_each(|steered| steered.update(wanted, DT));
        for other in [&over, &twice] {
            assert_eq!(alone.now(0), MatchedNow { database: "gaits", ..other.now(0) });
            assert_eq!(alone.place, other.place);
        }
        for joint in legs {
            let [alone, over, twice] = [&alone, &over, &twice].map(|steered| &steered.hero);
            assert_eq!(alone.models()[joint], over.models()[joint], "update {update}");
            // What is left of a transition is carried over into those of other layers: it is the same, rounded otherwise.
            let off = (alone.models()[joint].w_axis - twice.models()[joint].w_axis).truncate().to_array();
            furthest = off.iter().fold(furthest, |far, v| if v.abs() > far { v.abs() } else { far });
        }
        waves += usize::from(alone.hero.models()[hand] != over.hero.models()[hand]);
        others += usize::from(twice.now(1).frame != twice.now(0).frame);
    }
    assert!(furthest < 0.05, "{furthest}");
    assert!(waves > 200 && others > 50 && twice.now(1).jumps > 20, "{waves} {others}");
    let saved = twice.hero.state().to_bytes();
    assert_eq!(GraphState::read(&twice.graph, &saved).as_ref(), Ok(twice.hero.state()));
}

#[test]
fn at_a_rate_it_decides_the_same_and_a_save_goes_on() {
    let mut every = Steered::new(&parts());
    let mut third = Steered::new(&parts());
    third.hero.set_rate(3, 1).unwrap();
    let mut again: Option<Steered> = None;
    let (mut posed, mut restored) = (0, 0);
    for (update, wanted) in sticks(9, 60 * 20).into_iter().enumerate() {
        every.update(wanted, DT);
        third.update(wanted, DT);
        assert_eq!((every.hero.state(), every.hero.memory()), (third.hero.state(), third.hero.memory()));
        if update % 3 == 1 {
            assert_eq!(bits(every.hero.models()), bits(third.hero.models()), "update {update}");
            posed += 1;
        }
        if let Some(again) = &mut again {
            again.update(wanted, DT);
            assert_eq!(again.hero.save(), third.hero.save(), "update {update}");
            assert_eq!(bits(again.hero.models()), bits(third.hero.models()), "update {update}");
        }
        // In the middle of a transition, between two poses.
        if third.hero.memory().is_running() && update % 50 == 17 {
            let mut other = Steered::new(&parts());
            other.hero.restore(&third.hero.save()).unwrap();
            other.place = third.place;
            again = Some(other);
            restored += 1;
        }
    }
    assert!(posed == 400 && restored > 5, "{posed} {restored}");
}

#[test]
fn a_character_of_another_size_finds_the_same_where_it_wants_as_much_more() {
    let scaled = |scale: f32| {
        let mut parts = matched_state(gaits());
        parts.layers[0].states[0].root = RootUse::Scaled(scale);
        Steered::new(&parts)
    };
    // By a power of two, nothing is rounded otherwise.
    let (mut own, mut giant, mut still) = (scaled(1.0), scaled(2.0), scaled(2.0));
    let mut differs = 0;
    for [x, z] in sticks(12, 60 * 20) {
        let [x, z] = seen(&own.place, [x, z]);
        // What it wants is sharp by the same measure, in metres per second: that is another moment for a giant. So it is asked often.
        for steered in [&mut own, &mut giant, &mut still] {
            let key = steered.graph.state_key(steered.graph.layer("body").unwrap(), "move").unwrap();
            steered.hero.search_now(key).unwrap();
        }
        own.ask([x, z], DT);
        giant.ask([2.0 * x, 2.0 * z], DT);
        still.ask([x, z], DT);
        let [a, b] = [own.now(0), giant.now(0)];
        assert_eq!((a.frame, a.cost, a.jumps), (b.frame, b.cost, b.jumps));
        for i in 0..3 {
            let off = giant.place.translation[i] - 2.0 * own.place.translation[i];
            assert!(off.abs() < 1e-4, "{off}");
        }
        differs += usize::from(still.now(0).frame != a.frame);
    }
    assert!(differs > 300 && own.now(0).jumps > 30, "one who does not want more goes slower: {differs}");
    // Without root motion the clips play where it stands.
    let mut parts = matched_state(gaits());
    parts.layers[0].states[0].root = RootUse::Ignore;
    let mut stays = Steered::new(&parts);
    (0..120).for_each(|_| stays.ask([0.0, 2.6], DT));
    assert_eq!((stays.place, stays.now(0).clip), (RootStep::IDENTITY, "jog"));
}

/// By how much the velocity of each joint differs from one step to the next, in metres per second.
fn velocity_changes(three: &[Vec<[f64; 3]>], step_s: f64) -> Vec<f64> {
    let change = |((a, b), c): ((&[f64; 3], &[f64; 3]), &[f64; 3])| {
        let d: [f64; 3] = core::array::from_fn(|i| c[i] - 2.0 * b[i] + a[i]);
        libm::sqrt(d.iter().map(|v| v * v).sum()) / step_s
    };
    three[0].iter().zip(&three[1]).zip(&three[2]).map(change).collect()
}

fn places(hero: &Animator) -> Vec<[f64; 3]> {
    hero.models().iter().map(|m| m.w_axis.truncate().to_array().map(f64::from)).collect()
}

/// The largest change of a joint's velocity in a step that neither motion makes by itself, when a search goes elsewhere and in the next
/// step, over half a minute of random sticks; and how many of these jumps began before the last had faded out.
fn largest_jump(blend_s: f32) -> (f64, usize) {
    const STEP_S: f64 = 1.0 / 120.0;
    let matched = MatchedParts { blend_s, transition_cost: "cost".into(), ..gaits() };
    let mut parts = matched_state(matched).float("cost", 0.1);
    let clips = Database::load(&ARCHIVE, "gaits").unwrap().clips().to_vec();
    let alone = clips
        .iter()
        .fold(LayerParts::new("body"), |layer, clip| layer.state(StateParts::clip(clip, clip).by_code()));
    let mut steered = Steered::new(&parts);
    parts.layers = vec![alone];
    let mut alone = Steered::new(&parts);
    let cost = steered.graph.float("cost").unwrap();
    let (mut largest, mut early) = (0.0, 0);
    for wanted in sticks(21, 60 * 30).into_iter().flat_map(|wanted| [wanted; 2]) {
        let (place, mut old, was) = (steered.place, steered.hero.clone(), steered.now(0).jumps);
        let before = places(&steered.hero);
        steered.update(wanted, STEP_S);
        if steered.now(0).jumps == was {
            continue;
        }
        early += usize::from(old.memory().is_running());
        // The old motion by itself, with what is left in it of earlier jumps: it stays.
        old.set(cost, 1.0e9).unwrap();
        let mut old = Steered { hero: old, graph: Arc::clone(&steered.graph), place };
        // The new motion by itself.
        let now = steered.now(0);
        let lap = alone.graph.clips().iter().find(|clip| *clip.name == *now.clip).unwrap().duration_s;
        alone.hero.go_to(now.clip).over(0.0).at((now.time_s / lap) as f32).start().unwrap();
        alone.hero.update(1.0e-9).unwrap();
        let mut new = vec![places(&alone.hero)];
        let mut shown = vec![before.clone(), places(&steered.hero)];
        let mut olds = vec![before];
        let mut ahead = Steered { hero: steered.hero.clone(), graph: Arc::clone(&steered.graph), place };
        ahead.hero.set(cost, 1.0e9).unwrap();
        for step in 0..3 {
            old.update(wanted, STEP_S);
            olds.push(places(&old.hero));
            alone.ask([0.0; 2], STEP_S);
            new.push(places(&alone.hero));
            if step < 2 {
                ahead.update(wanted, STEP_S);
                shown.push(places(&ahead.hero));
            }
        }
        let own = [&olds[..3], &olds[1..], &new[..3]].map(|three| velocity_changes(three, STEP_S));
        for three in shown.windows(3) {
            for (joint, change) in velocity_changes(three, STEP_S).into_iter().enumerate() {
                let own = own.iter().map(|own| own[joint]).fold(0.0, larger);
                largest = if change - own > largest { change - own } else { largest };
            }
        }
    }
    (largest, early)
}

#[test]
#[allow(clippy::print_stdout, reason = "the figures beside the bounds")]
fn jumps_one_after_another_leave_no_jump_in_the_velocity_of_a_joint() {
    let ((inertial, early), (cut, _)) = (largest_jump(0.3), largest_jump(1.0e-3));
    println!("{early} jumps into one: {inertial:.3} m/s beyond the clips' own; without inertia {cut:.3} m/s");
    assert!(early > 20, "{early}");
    assert!(inertial < 0.2, "{inertial} m/s");
    assert!(cut > 2.0, "the test can fail: {cut} m/s");
}

#[test]
fn whoever_comes_into_the_state_keeps_to_the_budget() {
    const COUNT: usize = 200;
    const BUDGET: usize = 3;
    let (mut crowd, members) = crowd_of(COUNT);
    crowd.set_seen(&members, false).unwrap();
    crowd.set_search_budget(Some(BUDGET));
    let stand = GRAPH.bool("stand").unwrap();
    let tell = |crowd: &mut Crowd, value| {
        members.iter().for_each(|member| crowd.set(*member, stand, value).unwrap());
    };
    let searches = |crowd: &Crowd| -> Vec<Option<u32>> {
        let now = |member: &Member| Some(crowd.state(*member).unwrap().matched(&GRAPH, 0)?.searches);
        members.iter().map(now).collect()
    };
    tell(&mut crowd, true);
    crowd.update(DT).unwrap();
    assert!(searches(&crowd).iter().all(Option::is_none), "all stand");
    tell(&mut crowd, false);
    let (mut before, mut all) = (searches(&crowd), 0);
    for update in 0..140 {
        crowd.update(DT).unwrap();
        let now = searches(&crowd);
        let made = before.iter().zip(&now).filter(|(before, now)| now.unwrap() > before.unwrap_or(0)).count();
        assert!(made <= BUDGET, "{made} members searched in update {update}");
        (before, all) = (now, all + made);
    }
    // 67 updates are a round.
    assert!(before.iter().all(|searches| searches.unwrap() >= 2) && all >= 2 * COUNT, "{all}");
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
