//! A crowd against animators, one for each member.

use super::{ARCHIVE, GRAPH, INERTIAL, bits, crowd};
use lissom::{
    Skeleton,
    job::{Ground, JobError},
    math::{Mat34, Vec3, simd::Backend},
    pose::{Gaze, Legs, Pose},
    track::Repeat,
};
use lissom_motion::{
    Animator, Graph, GraphParts, GraphState, RootStep,
    crowd::{
        Crowd, Executor, Member, Outputs, PaletteFormat, PaletteRows, Palettes, Rayon, Role, Serial, Task,
    },
    frame::{ActiveMarker, Entry, Event, What},
    graph::{ClipFacts, ConditionParts, LayerParts, StateParts, TransitionParts},
    state::{GoTo, OneShot, ShotKey},
};
use lissom_testkit::{
    crowds::{self, Input},
    rng::Rng,
};
use std::sync::{Arc, LazyLock};

static ANIMATORS: LazyLock<[Animator; 2]> =
    LazyLock::new(|| [&GRAPH, &INERTIAL].map(|graph| Animator::new(&ARCHIVE, Arc::clone(graph)).unwrap()));

/// What a marker that was passed is known by: its name, layer, weight and lap.
type Told = (String, u16, u32, u32);

/// A member, and the animator that does the same alone.
struct Pair {
    member: Member,
    animator: Animator,
    place: RootStep,
    shots: Vec<ShotKey>,
}

impl Pair {
    fn new(crowd: &mut Crowd, rng: &mut Rng) -> Self {
        let place = crowds::place(rng);
        let animator = ANIMATORS[rng.below(2)].clone();
        let by = crowd.add_graph(Arc::clone(animator.graph())).unwrap();
        let member = crowd.add(Role::Graph(by), place).unwrap();
        Self { member, animator, place, shots: Vec::new() }
    }

    /// Now and then a one-shot is played, perhaps later, or stopped by its key, or a layer gets another mask.
    fn steer(&mut self, crowd: &mut Crowd, rng: &mut Rng) {
        let graph = Arc::clone(self.animator.graph());
        let layer = graph.layer("upper").unwrap();
        match rng.below(16) {
            0 => {
                let (at, queued) = (rng.unit_f64() as f32, rng.one_in(2));
                let how = OneShot { at, queued, fade_in_s: 0.1, fade_out_s: 0.05, ..OneShot::NEW };
                let key = crowd.play(self.member, layer, graph.clip("wave").unwrap(), how).unwrap();
                let play = self.animator.play("wave").on("upper").at(at).fade_in(0.1).fade_out(0.05);
                assert_eq!(if queued { play.queued() } else { play }.start().unwrap(), key);
                self.shots.push(key);
            }
            1 if !self.shots.is_empty() => {
                let key = self.shots[rng.below(self.shots.len())];
                let stops = self.animator.stop_shot(key);
                assert_eq!(crowd.stop_shot(self.member, key).unwrap(), stops);
            }
            2 => {
                let mask = rng.one_in(2).then_some("upper");
                let key = mask.map(|mask| graph.mask_key(mask).unwrap());
                crowd.set_mask(self.member, layer, key).unwrap();
                self.animator.set_mask("upper", mask).unwrap();
            }
            _ => {}
        }
    }

    fn tell(&mut self, crowd: &mut Crowd, input: Input) {
        let graph = Arc::clone(self.animator.graph());
        input.tell(crowd, &graph, self.member);
        input.tell_animator(&mut self.animator);
    }

    fn update(&mut self, dt_s: f64) {
        let at = self.member.index();
        self.animator.update_with(dt_s, |pose| bend(at, pose)).unwrap();
        if dt_s > 0.0 {
            self.place = self.place.then(&self.animator.root_delta());
        }
    }

    /// The same matrices, palette, state, memory, step, place and markers.
    fn agrees(&mut self, crowd: &Crowd) {
        let Self { member, animator, place, .. } = self;
        assert_eq!(bits(crowd.models(*member).unwrap().unwrap()), bits(animator.models()));
        let Some(Palettes::F32(rows)) = crowd.palette(*member).unwrap() else { panic!("no palettes") };
        let palette = animator.palette("body").unwrap();
        assert_eq!(rows.len(), palette.len());
        for (rows, m) in rows.iter().zip(palette) {
            assert_eq!(*rows, rows_of(&Mat34::from_mat4(m)));
        }
        assert_eq!(crowd.state(*member).unwrap(), animator.state());
        assert_eq!(crowd.memory(*member).unwrap(), animator.memory());
        assert_eq!(*crowd.root_step(*member).unwrap(), animator.root_delta());
        assert_eq!(crowd.place(*member).unwrap(), place);
        let mut told: Vec<Told> = Vec::new();
        let mut last = (0.0, 0);
        for event in crowd.events().filter(|event| event.member == *member) {
            let at = (event.share, event.layer);
            assert!((0.0..=1.0).contains(&event.share) && at >= last, "{at:?} after {last:?}");
            last = at;
            told.push((what_of(&event.what), event.layer, event.weight.to_bits(), event.share.to_bits()));
        }
        let event = |e: Event<'_>| (what_of(&e.what), e.layer, e.weight.to_bits(), e.share.to_bits());
        let alone: Vec<Told> = animator.events().map(event).collect();
        assert_eq!(told, alone, "in the same order");
        let lasting: Vec<ActiveMarker<'_>> = animator.active_markers().collect();
        assert_eq!(crowd.active_markers(*member).unwrap().collect::<Vec<_>>(), lasting);
        for marker in ["left", "right", "wave left"] {
            let is_in = lasting.iter().any(|active| active.marker.name == marker);
            assert_eq!((animator.is_in(marker), crowd.is_in(*member, marker).unwrap()), (is_in, is_in));
        }
    }
}

/// All of it but the clip, which has a number of its own in the crowd.
fn what_of(what: &What<'_>) -> String {
    match what {
        What::Marker { marker, lap, backward, .. } => format!("{} {lap} {backward}", marker.name),
        What::MarkerBegan { marker, .. } => format!("{} began", marker.name),
        What::MarkerEnded { marker, interrupted, .. } => format!("{} ended {interrupted}", marker.name),
        other => format!("{other:?}"),
    }
}

fn rows_of(m: &Mat34) -> PaletteRows {
    let [a, b, c, d] = m.columns;
    std::array::from_fn(|i| [a[i], b[i], c[i], d[i]])
}

static LEGS: LazyLock<Legs> = LazyLock::new(|| Legs::of(&skeleton()).unwrap());
static GAZE: LazyLock<Gaze> = LazyLock::new(|| Gaze::of(&skeleton()).unwrap());

fn skeleton() -> Arc<Skeleton> {
    ARCHIVE.skeletons().next().unwrap().1.unwrap()
}

/// What the game does to the pose of a third of all: they stand on a slope and look aside.
fn bend(member: usize, pose: &mut Pose<'_>) -> Result<(), JobError> {
    if !member.is_multiple_of(3) {
        return Ok(());
    }
    let ground = |x: f32| Some(Ground { place: Vec3::new(0.0, x, 0.0), normal: Vec3::new(0.1, 1.0, 0.0) });
    pose.stand(&LEGS, &[ground(0.1), ground(-0.05)], 0.75)?;
    pose.look_at(&GAZE, Vec3::new(2.0, 1.0, member as f32), 1.0)?;
    Ok(())
}

/// An executor that runs what it likes, in the wrong order, some of it twice.
struct Careless;

impl Executor for Careless {
    fn width(&self) -> usize {
        5
    }

    fn run(&self, tasks: &mut [Task<'_>]) {
        for task in tasks.iter_mut().rev().step_by(2) {
            task.run();
            task.run();
        }
    }
}

/// Frames of members in which something was played that a crowd might play otherwise than an animator.
#[derive(Default)]
struct Seen {
    /// An additive layer.
    added: usize,
    /// A clip with cubic keys.
    cubic: usize,
    /// A state that goes to and fro.
    to_and_fro: usize,
    /// Clips of a blend that markers keep in step.
    in_step: usize,
    /// A marker that lasts.
    lasting: usize,
    /// One that is broken off.
    broken_off: usize,
}

impl Seen {
    fn count(&mut self, animator: &Animator) {
        let (graph, frame) = (animator.graph(), animator.frame());
        let name = |entry: &Entry| &*graph.clips()[usize::from(entry.clip)].name;
        let entries = || frame.entries().iter().filter(|entry| entry.weight > 0.0);
        self.added += usize::from(frame.layers().iter().any(|layer| layer.additive && layer.weight > 0.0));
        self.cubic += usize::from(entries().any(|entry| name(entry) == "breathe"));
        self.to_and_fro += usize::from(entries().any(|entry| entry.repeat == Repeat::PingPong));
        let gaits = entries().filter(|entry| ["walk", "run"].contains(&name(entry)));
        self.in_step += usize::from(gaits.count() == 2);
        self.lasting += usize::from(animator.active_markers().next().is_some());
        let broken = |event: &Event<'_>| matches!(event.what, What::MarkerEnded { interrupted: true, .. });
        self.broken_off += usize::from(animator.events().any(|event| broken(&event)));
    }

    fn check(&self) {
        let Self { added, cubic, to_and_fro, in_step, lasting, broken_off } = self;
        let all = [added, cubic, to_and_fro, in_step, lasting, broken_off];
        assert!(all.iter().all(|count| **count > 20), "{all:?} frames");
    }
}

/// Random crowds on an executor, with people who come and go; every member beside its animator.
fn compare(
    seed: u64,
    frames: usize,
    grain: usize,
    backend: Backend,
    executor: &dyn Executor,
    seen: &mut Seen,
) {
    let mut rng = Rng::new(seed);
    let mut crowd = crowd();
    crowd.set_backend(backend);
    crowd.set_grain(grain);
    crowd.set_outputs(Outputs { palettes: Some(PaletteFormat::F32), ..Outputs::default() });
    let mut pairs: Vec<Pair> = (0..20).map(|_| Pair::new(&mut crowd, &mut rng)).collect();
    let (mut passed, mut changing) = (0, 0);
    for _ in 0..frames {
        for _ in 0..rng.below(3) {
            if pairs.len() > 10 {
                let gone = pairs.swap_remove(rng.below(pairs.len()));
                crowd.remove(gone.member).unwrap();
                assert!(crowd.models(gone.member).is_err());
            }
        }
        for _ in 0..rng.below(3) {
            pairs.push(Pair::new(&mut crowd, &mut rng));
        }
        for pair in &mut pairs {
            if let Some(input) = Input::random(&mut rng) {
                pair.tell(&mut crowd, input);
            }
            pair.steer(&mut crowd, &mut rng);
        }
        let dt_s = if rng.one_in(20) { 0.0 } else { rng.unit_f64() * 0.15 };
        crowd.update_with(dt_s, executor, None, &|member, _, pose| bend(member.index(), pose)).unwrap();
        assert_eq!(crowd.len(), pairs.len());
        passed += crowd.events().count();
        let told: Vec<Member> = crowd.events().map(|event| event.member).collect();
        assert!(told.is_sorted(), "by member");
        for pair in &mut pairs {
            pair.update(dt_s);
            pair.agrees(&crowd);
            changing += usize::from(pair.animator.memory().is_running());
            seen.count(&pair.animator);
        }
    }
    assert!(passed > frames && changing > 0, "{passed} markers, {changing} changes in {frames} frames");
}

#[test]
fn members_are_their_animators_for_any_threads_and_grain() {
    let seen = &mut Seen::default();
    for (seed, grain) in [(1, 1), (2, 3), (3, 16), (4, 1000)] {
        compare(seed, 25, grain, Backend::best(), &Serial, seen);
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| compare(seed + 10, 25, grain, Backend::best(), &Rayon, seen));
        }
    }
    compare(30, 25, 1, Backend::best(), &Careless, seen);
    seen.check();
}

#[test]
fn members_are_their_animators_on_every_backend() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let seen = &mut Seen::default();
    for (i, backend) in Backend::all().enumerate() {
        compare(50 + i as u64, 20, 4, backend, &Serial, seen);
        pool.install(|| compare(70 + i as u64, 25, 2, backend, &Rayon, seen));
    }
    seen.check();
}

#[test]
fn who_else_is_there_and_in_which_order_they_came_changes_nothing() {
    let run = |others_before: usize, others_after: usize, gone: usize| {
        let mut crowd = crowd();
        let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
        let other = |crowd: &mut Crowd| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap();
        let before: Vec<Member> = (0..others_before).map(|_| other(&mut crowd)).collect();
        crowd.remove_each(&before[..gone]).unwrap();
        let member = other(&mut crowd);
        for _ in 0..others_after {
            other(&mut crowd);
        }
        crowd.set(member, GRAPH.float("speed").unwrap(), 2.0).unwrap();
        crowd.set_rate(&[member], 2).unwrap();
        let mut shown = Vec::new();
        for _ in 0..20 {
            crowd.update(0.05).unwrap();
            shown.push((bits(crowd.models(member).unwrap().unwrap()), *crowd.place(member).unwrap()));
        }
        shown
    };
    let alone = run(0, 0, 0);
    assert_eq!(run(7, 0, 0), alone);
    assert_eq!(run(0, 9, 0), alone);
    assert_eq!(run(5, 3, 4), alone);
}

#[test]
fn saved_played_on_and_restored_everything_is_the_same_again() {
    again(&GRAPH);
    again(&INERTIAL);
}

fn again(graph: &Arc<Graph>) {
    let mut rng = Rng::new(77);
    let mut crowd = crowd();
    crowd.set_outputs(Outputs { palettes: Some(PaletteFormat::F16), ..Outputs::default() });
    let by = crowd.add_graph(Arc::clone(graph)).unwrap();
    let mut members: Vec<Member> =
        (0..30).map(|_| crowd.add(Role::Graph(by), crowds::place(&mut rng)).unwrap()).collect();
    crowd.set_rate(&members[..9], 3).unwrap();
    crowd.set_seen(&members[9..12], false).unwrap();
    for _ in 0..20 {
        crowd.update(0.03).unwrap();
    }
    let run = |crowd: &mut Crowd, members: &mut Vec<Member>, rng: &mut Rng| {
        let mut seen = Vec::new();
        for frame in 0..100 {
            if frame % 9 == 0 {
                let gone = members.swap_remove(12 + rng.below(members.len() - 12));
                crowd.remove(gone).unwrap();
                members.push(crowd.add(Role::Graph(by), crowds::place(rng)).unwrap());
            }
            for member in &*members {
                if let Some(input) = Input::random(rng) {
                    input.tell(crowd, graph, *member);
                }
            }
            crowd.update(rng.unit_f64() * 0.05).unwrap();
            for member in &*members {
                let Some(Palettes::F16(rows)) = crowd.palette(*member).unwrap() else { panic!("no palette") };
                // Rows of the unseen stay as they are, whatever they are.
                let rows = if members[9..12].contains(member) { Vec::new() } else { rows.to_vec() };
                seen.push((*member, rows, *crowd.place(*member).unwrap()));
            }
            seen.push((
                members[0],
                Vec::new(),
                *crowd.root_step(members[crowd.events().count() % 30]).unwrap(),
            ));
        }
        seen
    };
    let (snapshot, mut members_then, mut rng_then) = (crowd.snapshot(), members.clone(), rng.clone());
    let first = run(&mut crowd, &mut members, &mut rng);
    crowd.restore(&snapshot).unwrap();
    let again = run(&mut crowd, &mut members_then, &mut rng_then);
    assert_eq!(members, members_then);
    assert!(first == again);
    // Another crowd takes it too, if it has the graph.
    let mut other = super::crowd();
    assert!(other.restore(&snapshot).is_err());
    other.add_graph(Arc::clone(graph)).unwrap();
    other.restore(&snapshot).unwrap();
    assert_eq!(other.len(), 30);
}

#[test]
fn a_member_has_room_to_remember_only_while_it_changes() {
    let mut crowd = crowd();
    let graph = crowds::gaits_graph(&ARCHIVE, TransitionParts::inertial);
    let by = crowd.add_graph(Arc::clone(&graph)).unwrap();
    let members: Vec<Member> =
        (0..6).map(|_| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap()).collect();
    let bytes = |crowd: &Crowd| members.iter().map(|it| crowd.member_bytes(*it).unwrap()).collect::<Vec<_>>();
    let alone = bytes(&crowd)[0];
    assert!(alone < 1024, "{alone} bytes");
    crowd.update(0.1).unwrap();
    assert_eq!(bytes(&crowd), [alone; 6]);
    crowd.trigger_each(&members[1..3], graph.trigger("stop").unwrap()).unwrap();
    crowd.update(0.05).unwrap();
    let more = bytes(&crowd)[1];
    assert!(more > 2 * alone, "{more} and {alone} bytes");
    assert_eq!(bytes(&crowd), [alone, more, more, alone, alone, alone]);
    // A save of one that changes comes back, and one of another, too.
    let saved = [0, 1].map(|i| crowd.memory(members[i]).unwrap().clone());
    crowd.set_memory(members[1], &saved[0]).unwrap();
    crowd.set_memory(members[5], &saved[1]).unwrap();
    assert_eq!(bytes(&crowd), [alone, alone, more, alone, alone, more]);
    assert_eq!(crowd.memory(members[5]).unwrap(), &saved[1]);
    for _ in 0..5 {
        crowd.update(0.05).unwrap();
    }
    assert_eq!(bytes(&crowd), [alone; 6]);
}

#[test]
fn a_member_can_be_rewound_alone() {
    let mut crowd = crowd();
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let [a, b] = [0, 1].map(|_| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap());
    crowd.set_each(&[a, b], GRAPH.float("speed").unwrap(), &[1.0, 1.0]).unwrap();
    crowd.update(0.4).unwrap();
    let (saved, shown): (GraphState, _) =
        (crowd.state(a).unwrap().clone(), bits(crowd.models(a).unwrap().unwrap()));
    crowd.update(0.3).unwrap();
    assert_ne!(bits(crowd.models(a).unwrap().unwrap()), shown);
    crowd.set_state(a, &saved).unwrap();
    crowd.update(0.0).unwrap();
    assert_eq!(bits(crowd.models(a).unwrap().unwrap()), shown);
    assert_ne!(bits(crowd.models(b).unwrap().unwrap()), shown);
    assert_eq!(crowd.events().count(), 0);
}

/// Rules, and states that code goes to.
#[test]
fn code_and_rules_lead_a_member_as_they_lead_an_animator() {
    let way = TransitionParts::new;
    let waves = ConditionParts::state("upper", "wave");
    let rule = ConditionParts::Any(vec![waves.clone(), ConditionParts::AfterSeconds(0.7)]);
    let back = ConditionParts::All(vec![ConditionParts::AfterLaps(0.5), waves.negated()]);
    let clip = StateParts::clip;
    let parts = GraphParts::new()
        .by_inertia()
        .layer(
            LayerParts::new("body")
                .state(clip("idle", "idle"))
                .state(clip("walk", "walk"))
                .transition(way("idle", "walk").only_if(rule))
                .transition(way("walk", "idle").only_if(back)),
        )
        .layer(LayerParts::new("upper").state(clip("rest", "idle")).state(clip("wave", "wave").by_code()));
    let graph = Graph::new(&parts, |clip| ClipFacts::of_archive(&ARCHIVE, clip, &parts)).unwrap();
    let animator = Animator::new(&ARCHIVE, Arc::new(graph)).unwrap();
    let graph = Arc::clone(animator.graph());
    let upper = graph.layer("upper").unwrap();
    let (mut crowd, mut rng) = (crowd(), Rng::new(31));
    crowd.set_outputs(Outputs { palettes: Some(PaletteFormat::F32), ..Outputs::default() });
    let by = crowd.add_graph(Arc::clone(&graph)).unwrap();
    let place = crowds::place(&mut rng);
    let member = crowd.add(Role::Graph(by), place).unwrap();
    let mut pair = Pair { member, animator, place, shots: Vec::new() };
    let mut seen = Vec::new();
    for frame in 0..200 {
        if frame % 30 == 10 {
            let name = ["rest", "wave"][rng.below(2)];
            let how = GoTo { fade_s: 0.1, inertial: rng.below(2) > 0, at: 0.25, ..GoTo::default() };
            crowd.go_to(member, graph.state_key(upper, name).unwrap(), how).unwrap();
            let asked = pair.animator.go_to(name).on("upper").over(0.1).at(0.25);
            if how.inertial { asked.by_inertia() } else { asked }.start().unwrap();
        }
        let dt_s = rng.unit_f64() * 0.06;
        crowd.update_with(dt_s, &Serial, None, &|member, _, pose| bend(member.index(), pose)).unwrap();
        pair.update(dt_s);
        pair.agrees(&crowd);
        seen.push([0, 1].map(|layer| pair.animator.state().leading(&graph, layer).unwrap().to_owned()));
    }
    seen.sort();
    seen.dedup();
    assert!(seen.len() >= 3, "{seen:?}");
}
