//! States that are played by motion matching: what they find, when they search, and that it can be saved and split.

use super::{Played, exact};
use lissom::track::Repeat;
use lissom_motion::{
    Graph, GraphParts, GraphState,
    frame::Frame,
    graph::{Amount, FeetParts, MatchedParts, Problem, StateKey, StateParts},
    matching::{Database, DatabaseParts, Feature, FeatureKind, FrameRange, MatchingLoadError, QueryError},
    state::{StateError, TrajectoryPoint},
};
use lissom_testkit::{
    alloc::assert_no_alloc,
    matched::{RATE, TIMES, database, facts, graph, made, parts, plain},
    rng::Rng,
};
use std::sync::Arc;

fn ask(played: &mut Played, [aside, ahead]: [f32; 2]) {
    for (name, value) in [("aside", aside), ("ahead", ahead)] {
        let key = played.graph.float(name).unwrap();
        played.state.set(key, value).unwrap();
    }
}

fn clip(played: &Played) -> &str {
    played.state.matched(&played.graph, 0).unwrap().clip
}

#[test]
fn it_plays_what_goes_where_it_is_asked_to() {
    let mut played = Played::new(graph());
    assert_eq!(clip(&played), "idle");
    for (asked, expected) in
        [([0.0, 1.5], "walk"), ([0.0, 0.0], "idle"), ([0.0, 4.0], "run"), ([0.0, 1.5], "walk")]
    {
        ask(&mut played, asked);
        for _ in 0..120 {
            played.update(1.0 / 60.0);
        }
        assert_eq!(clip(&played), expected, "{asked:?}");
    }
    // To the left and ahead, as it sees it: it turns for as long as that is asked for.
    for (asked, expected) in [([1.1, 1.0], "left"), ([-1.1, 1.0], "right")] {
        ask(&mut played, asked);
        for _ in 0..120 {
            played.update(1.0 / 60.0);
        }
        assert_eq!(clip(&played), expected, "{asked:?}");
    }
    // What has another tag is never played.
    ask(&mut played, [0.0, 0.5]);
    for _ in 0..120 {
        played.update(1.0 / 60.0);
        assert_ne!(clip(&played), "crawl");
    }
}

#[test]
fn another_frame_is_gone_to_by_inertia_and_what_was_left_is_told() {
    let mut played = Played::new(graph());
    played.update(0.05);
    ask(&mut played, [0.0, 1.5]);
    let idle = played.frame.entries()[0].to;
    played.update(0.0625);
    // A sharp change: it searches at once, for the start of the step.
    let [old, new] = played.frame.entries() else { panic!("{:?}", played.frame.entries()) };
    assert_eq!((played.weights(0)[0], played.weights(0)[1]), (("idle", 0.0), ("walk", 1.0)));
    assert_eq!((old.from, new.from, played.frame.inertia_s()), (idle, new.to, Some(0.3)));
    let now = played.state.matched(&played.graph, 0).unwrap();
    // What it found is for the start of the step, so it stands a step behind it.
    assert!((new.ratio() * 2.0 - now.time_s).abs() < 1e-9, "{} {}", new.ratio(), now.time_s);
    assert_eq!((now.jumps, old.repeat), (1, Repeat::Loop));
    let searches = now.searches;
    played.update(0.0);
    assert_eq!((played.weights(0).len(), played.frame.inertia_s()), (1, None));
    assert_eq!(played.state.matched(&played.graph, 0).unwrap().searches, searches);
}

#[test]
fn a_clip_that_ends_is_left_in_time_and_a_loop_goes_on() {
    let mut played = Played::new(graph());
    ask(&mut played, [0.0, 4.0]);
    let (mut from_the_end, mut longest) = (0, 0.0_f64);
    for _ in 0..60 * 20 {
        played.update(1.0 / 60.0);
        for entry in played.frame.entries().iter().filter(|entry| entry.weight == 0.0) {
            from_the_end += usize::from(entry.ratio() > 0.9);
        }
        let now = played.state.matched(&played.graph, 0).unwrap();
        if now.clip == "run" {
            longest = if now.time_s > longest { now.time_s } else { longest };
        }
    }
    // The last frame stands at 63/32 s, and the search is made there, not a step later.
    assert!(from_the_end > 3 && longest < 63.0 / 32.0 + 1.0 / 60.0 + 1e-6, "{from_the_end} {longest}");
    ask(&mut played, [0.0, 1.5]);
    for _ in 0..60 {
        played.update(1.0 / 60.0);
    }
    let jumps = played.state.matched(&played.graph, 0).unwrap().jumps;
    for _ in 0..60 * 20 {
        played.update(1.0 / 60.0);
    }
    assert_eq!((clip(&played), played.state.matched(&played.graph, 0).unwrap().jumps), ("walk", jumps));
}

/// What was found, and when: the same whatever the steps are.
fn decided(state: &GraphState, graph: &Graph) -> (u32, u32, u32, [u32; 2]) {
    let now = state.matched(graph, 0).unwrap();
    (now.frame, now.searches, now.jumps, now.velocity.map(f32::to_bits))
}

#[test]
fn any_split_of_a_step_finds_the_same() {
    let graph = graph();
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let mut whole = Played::new(graph.clone());
        let mut split = Played::new(graph.clone());
        for _ in 0..200 {
            if rng.one_in(8) {
                let asked = [rng.range(-2.0, 2.0), rng.range(-1.0, 4.0)];
                ask(&mut whole, asked);
                ask(&mut split, asked);
            }
            let parts: Vec<f64> =
                (0..1 + rng.below(4)).map(|_| exact(0.001 + rng.unit_f64() * 0.03)).collect();
            parts.iter().for_each(|dt_s| split.update(*dt_s));
            whole.update(parts.iter().sum());
            assert_eq!(decided(&whole.state, &graph), decided(&split.state, &graph), "seed {seed}");
        }
        assert!(whole.state.matched(&graph, 0).unwrap().jumps > 10);
    }
}

#[test]
fn saved_and_restored_in_the_middle_of_everything_it_goes_on_to_the_bit() {
    let graph = graph();
    let mut rng = Rng::new(3);
    let mut played = Played::new(graph.clone());
    let rest = graph.bool("rest").unwrap();
    for _ in 0..600 {
        let asked = [rng.range(-2.0, 2.0), rng.range(-1.0, 4.0)];
        if rng.one_in(8) {
            ask(&mut played, asked);
        }
        if rng.one_in(30) {
            let value = rng.one_in(2);
            played.state.set(rest, value).unwrap();
        }
        played.update(1.0 / 30.0);
        let bytes = played.state.to_bytes();
        let mut again = GraphState::read(&graph, &bytes).unwrap();
        assert_eq!(again, played.state);
        let mut frame = Frame::new(&graph);
        let mut ahead = played.state.clone();
        for _ in 0..4 {
            graph.update(&mut again, 0.04, &mut frame).unwrap();
            let shown = frame.clone();
            graph.update(&mut ahead, 0.04, &mut frame).unwrap();
            assert_eq!((&again, &shown), (&ahead, &frame));
        }
    }
    let bytes = played.state.to_bytes();
    for end in 0..bytes.len() {
        assert!(GraphState::read(&graph, &bytes[..end]).is_err(), "{end}");
    }
    // What no update leads to is refused, or is played without harm.
    for at in 8..bytes.len() {
        for bit in [1, 0x80] {
            let mut spoiled = bytes.clone();
            spoiled[at] ^= bit;
            if let Ok(mut state) = GraphState::read(&graph, &spoiled) {
                let mut frame = Frame::new(&graph);
                (0..20).for_each(|_| graph.update(&mut state, 0.05, &mut frame).unwrap());
            }
        }
    }
}

#[test]
fn after_another_state_it_goes_on_with_the_frame_that_is_seen() {
    let graph = graph();
    let mut played = Played::new(graph.clone());
    ask(&mut played, [0.0, 1.5]);
    let rest = graph.bool("rest").unwrap();
    played.state.set(rest, true).unwrap();
    for _ in 0..17 {
        played.update(0.05);
    }
    // It has played the walk's clip, as a state of its own: the database knows that frame.
    let seen = played.frame.entries().last().unwrap().ratio() * 2.0;
    played.state.set(rest, false).unwrap();
    played.update(0.05);
    let now = played.state.matched(&graph, 0).unwrap();
    assert_eq!((now.clip, now.jumps), ("walk", 0));
    assert!((now.time_s - (seen + 0.05)).abs() < 1.0 / f64::from(RATE), "{} {seen}", now.time_s);
}

#[test]
fn a_game_may_say_where_to_go_point_by_point() {
    let graph = graph();
    let mut played = Played::new(graph.clone());
    let layer = graph.layer("body").unwrap();
    let [state, rest] = ["move", "rest"].map(|name| graph.state_key(layer, name).unwrap());
    assert_eq!(graph.trajectory_times(state), TIMES);
    assert_eq!(graph.trajectory_times(rest), [0.0; 0]);
    let ahead =
        |speed: f32| TIMES.map(|t| TrajectoryPoint { position: [0.0, speed * t], direction: [0.0, 1.0] });
    for (speed, expected) in [(1.5, "walk"), (0.0, "idle"), (4.0, "run")] {
        played.state.set_trajectory(&graph, state, &ahead(speed)).unwrap();
        for _ in 0..20 {
            played.update(0.05);
        }
        assert_eq!(clip(&played), expected);
    }
    played.state.set_trajectory(&graph, state, &[]).unwrap();
    for _ in 0..20 {
        played.update(0.05);
    }
    assert_eq!(clip(&played), "idle", "the parameters count again");
    let before = played.state.clone();
    let refused = |points: &[TrajectoryPoint], state| {
        let mut saved = before.clone();
        let error = saved.set_trajectory(&graph, state, points).unwrap_err();
        assert_eq!(saved, before);
        error
    };
    assert!(matches!(refused(&ahead(1.0)[..1], state), StateError::Value(_)));
    assert!(matches!(refused(&ahead(f32::NAN), state), StateError::Value(_)));
    assert_eq!(refused(&ahead(1.0), rest), StateError::NotMatched);
}

#[test]
fn what_is_due_waits_for_its_turn() {
    let graph = graph();
    let mut played = Played::new(graph.clone());
    played.state.set_search_turn(7, 3).unwrap();
    assert!(matches!(played.state.set_search_turn(0, 0), Err(StateError::Value(_))));
    let mut before = 0;
    for update in 0..70 {
        if update % 11 == 0 {
            ask(&mut played, [0.0, if update % 22 == 0 { 1.5 } else { 0.0 }]);
        }
        played.update(0.05);
        let now = played.state.matched(&graph, 0).unwrap().searches;
        assert_eq!(now > before, update % 7 == 3, "update {update}");
        before = now;
    }
}

fn key(graph: &Graph) -> StateKey {
    graph.state_key(graph.layer("body").unwrap(), "move").unwrap()
}

fn searches(played: &Played) -> u32 {
    played.state.matched(&played.graph, 0).unwrap().searches
}

#[test]
fn a_query_is_what_a_search_would_ask_for_now() {
    // It searches when it is told to.
    let seldom = MatchedParts { search_s: 100.0, sharp_mps: 100.0, ..plain().tagged(&["calm"]) };
    let graph = made(&parts(seldom)).unwrap();
    let (state, mut rng) = (key(&graph), Rng::new(11));
    let mut played = Played::new(graph.clone());
    let (mut jumps, mut led) = (0, 0);
    for update in 0..800 {
        if rng.one_in(6) {
            ask(&mut played, [rng.range(-2.0, 2.0), rng.range(-1.0, 4.0)]);
        }
        if rng.one_in(40) {
            let points =
                TIMES.map(|t| TrajectoryPoint { position: [0.2 * t, 1.7 * t], direction: [0.0, 1.0] });
            let points = if rng.one_in(2) { &points[..] } else { &[] };
            played.state.set_trajectory(&graph, state, points).unwrap();
        }
        played.update(0.02);
        let query = played.state.matched_query(&graph, 0).unwrap();
        let before = played.state.matched(&graph, 0).unwrap();
        assert_eq!((query.frame, query.wanted.len()), (before.frame, TIMES.len()));
        for (feature, value) in query.database.features().iter().zip(&query.values) {
            let at = |time_s: f32| query.wanted[usize::from(time_s.to_bits() != TIMES[0].to_bits())];
            let axis = usize::from(feature.axis / 2);
            match feature.kind {
                FeatureKind::TrajectoryPosition { time_s } => assert_eq!(*value, at(time_s).position[axis]),
                FeatureKind::TrajectoryDirection { time_s } => assert_eq!(*value, at(time_s).direction[axis]),
                _ => {}
            }
        }
        if query.wanted[1].position == [0.2, 1.7] {
            led += 1;
        }
        // A search that is made for the start of the next step is this one.
        if rng.one_in(3) {
            let found = query.database.search(&query.query).unwrap();
            let told = query.database.explain(&query.query, 1).unwrap();
            let best = if found.stays { told.current.unwrap() } else { told.best[0].clone() };
            assert_eq!((best.frame, best.cost), (found.frame, found.cost));
            played.state.search_now(&graph, state).unwrap();
            played.update(1.0e-4);
            let now = played.state.matched(&graph, 0).unwrap();
            assert_eq!(now.cost, query.database.in_deviations(found.cost), "update {update}");
            assert_eq!(now.jumps - before.jumps, u32::from(!found.stays));
            // The step may lead to the next one.
            assert!((found.frame..found.frame + 2).contains(&now.frame), "{found:?} {now:?}");
            jumps += now.jumps - before.jumps;
        }
    }
    assert!(jumps > 10 && led > 20, "{jumps} {led}");
    let rest = graph.bool("rest").unwrap();
    played.state.set(rest, true).unwrap();
    played.update(0.02);
    assert!(
        played.state.matched_query(&graph, 0).is_none() && played.state.matched_query(&graph, 1).is_none()
    );
    let inputs = graph.matched_inputs(state).unwrap();
    let float = |name| graph.float(name).unwrap();
    assert_eq!((inputs.velocity, inputs.facing), ([float("aside"), float("ahead")], None));
    assert_eq!(graph.database(state).unwrap().frames(), Database::new(&database()).unwrap().frames());
}

#[test]
fn code_and_points_that_lie_elsewhere_force_a_search() {
    let slow = MatchedParts { search_s: 100.0, ..plain() }.facing("face");
    let graph = made(&parts(slow)).unwrap();
    let mut played = Played::new(graph.clone());
    let (state, face) = (key(&graph), graph.float("face").unwrap());
    let points = |aside: f32, angle: f32| {
        let direction = [libm::sinf(angle), libm::cosf(angle)];
        TIMES.map(|t| TrajectoryPoint { position: [aside * t, 1.5 * t], direction })
    };
    let mut forces = |does: &dyn Fn(&mut GraphState)| {
        (0..3).for_each(|_| played.update(0.05));
        let before = searches(&played);
        does(&mut played.state);
        (0..3).for_each(|_| played.update(0.05));
        searches(&played) - before
    };
    assert_eq!(forces(&|_| ()), 0);
    assert_eq!(forces(&|own| own.search_now(&graph, state).unwrap()), 1);
    // A sharp change of where to face, and one that is not.
    assert_eq!(forces(&|own| own.set(face, 0.7).unwrap()), 0);
    assert_eq!(forces(&|own| own.set(face, 0.9).unwrap()), 1);
    // To be led is another wish, and so is to be led no more.
    let lead = |aside, angle| {
        let points = points(aside, angle);
        move |own: &mut GraphState, graph: &Graph| own.set_trajectory(graph, state, &points).unwrap()
    };
    assert_eq!(forces(&|own| lead(0.0, 0.0)(own, &graph)), 1);
    // A metre per second is sharp, and so is an eighth of a turn; from call to call.
    assert_eq!(forces(&|own| lead(0.9, 0.7)(own, &graph)), 0);
    assert_eq!(forces(&|own| lead(1.8, 0.0)(own, &graph)), 0);
    assert_eq!(forces(&|own| lead(0.7, 0.0)(own, &graph)), 1);
    assert_eq!(forces(&|own| lead(0.7, 0.8)(own, &graph)), 1);
    assert_eq!(forces(&|own| own.set_trajectory(&graph, state, &[]).unwrap()), 1);
    let rest = graph.state_key(graph.layer("body").unwrap(), "rest").unwrap();
    let mut state = GraphState::new(&graph);
    assert_eq!(state.search_now(&graph, rest), Err(StateError::NotMatched));
    let other = made(&parts(plain())).unwrap();
    assert!(state.search_now(&other, rest).is_err());
}

#[test]
fn who_comes_out_of_turn_goes_on_without_a_search_until_the_turn() {
    let graph = graph();
    let rest = graph.bool("rest").unwrap();
    // The walk's frame is seen and goes on; of the crawl's, which lacks the tag, nothing is known.
    for (clip, known) in [("walk", true), ("crawl", false)] {
        let mut parts = parts(plain().tagged(&["calm"]));
        parts.layers[0].states[1] = StateParts::clip("rest", clip);
        let graph = made(&parts).unwrap();
        let mut played = Played::new(graph.clone());
        played.state.set(rest, true).unwrap();
        (0..10).for_each(|_| played.update(0.05));
        // Updates from now on: the state is entered in the first, its turn is the fourth.
        played.state.set_search_turn(4, 3).unwrap();
        ask(&mut played, [0.0, 4.0]);
        let seen = played.frame.entries().last().unwrap().ratio() * 2.0;
        played.state.set(rest, false).unwrap();
        played.update(0.01);
        let now = played.state.matched(&graph, 0).unwrap();
        assert_eq!((now.searches, now.clip), (0, if known { "walk" } else { "idle" }));
        assert!(!known || (now.time_s - (seen + 0.01)).abs() < 1e-9, "{} {seen}", now.time_s);
        (0..2).for_each(|_| played.update(0.01));
        assert_eq!(searches(&played), 0);
        played.update(0.01);
        let now = played.state.matched(&graph, 0).unwrap();
        assert_eq!((now.searches, now.clip), (1, "run"));
        let saved = GraphState::read(&graph, &played.state.to_bytes()).unwrap();
        assert_eq!(saved, played.state);
    }
    // In its turn it searches at once.
    let mut played = Played::new(graph.clone());
    played.state.set(rest, true).unwrap();
    played.update(0.05);
    ask(&mut played, [0.0, 4.0]);
    played.state.set(rest, false).unwrap();
    played.update(0.01);
    assert_eq!((searches(&played), clip(&played)), (1, "run"));
}

#[test]
fn a_clip_with_nothing_to_go_to_begins_anew() {
    let mut parts_of = database();
    // Eleven frames of the run, of which six may be found: all of them are near its end.
    let (features, first) = (parts_of.features.len(), 65 * 4);
    parts_of.clips = vec!["run".into()];
    parts_of.rows = parts_of.rows[first * features..(first + 11) * features].to_vec();
    let range = FrameRange { tags: 1, frames: 11, entry_from: 2, entry_to: 8, ..FrameRange::default() };
    let play = |range: FrameRange| {
        let frames = range.frames as usize;
        let rows = parts_of.rows[..frames * features].to_vec();
        let own = DatabaseParts { rows, ranges: vec![range], ..parts_of.clone() };
        let own = Arc::new(Database::new(&own).unwrap());
        let graph = Graph::with_databases(&parts(plain()), facts, |_| Ok(Some(own.clone()))).unwrap();
        let mut played = Played::new(graph);
        let mut times = Vec::new();
        for _ in 0..100 {
            played.update(1.0 / 32.0);
            times.push(played.state.matched(&played.graph, 0).unwrap().time_s);
        }
        (times, played.state.matched(&played.graph, 0).unwrap().jumps)
    };
    let (times, jumps) = play(range.clone());
    assert!(jumps >= 9, "{jumps}");
    // It never rests at its end for more than an update.
    let end_s = 10.0 / 32.0 - 1e-6;
    assert!(times.windows(2).all(|two| two[0] < end_s || two[1] < end_s), "{times:?}");
    let least = times.iter().copied().fold(1.0, |least, time_s| if time_s < least { time_s } else { least });
    assert!((least - 2.0 / 32.0).abs() < 2.0 / 32.0, "it begins where a search may enter: {least}");
    // One frame alone is held: there is nothing else.
    let (_, jumps) = play(FrameRange { frames: 1, entry_from: 0, entry_to: 1, ..range });
    assert_eq!(jumps, 0);
}

#[test]
fn responsiveness_makes_springs_quick_and_cost_keeps_the_clip() {
    let velocity = |amount: Amount, quick: f32| {
        let mut played =
            Played::new(made(&parts(MatchedParts { responsiveness: amount, ..plain() })).unwrap());
        let key = played.graph.float("quick").unwrap();
        played.state.set(key, quick).unwrap();
        ask(&mut played, [0.0, 1.5]);
        (0..4).for_each(|_| played.update(0.05));
        played.state.matched(&played.graph, 0).unwrap().velocity[1]
    };
    let [slow, quick] = [1.0, 4.0].map(|v| velocity(Amount::Number(v), 0.0));
    assert!(slow < 1.2 && quick > 1.45, "{slow} {quick}");
    assert_eq!(velocity("quick".into(), 4.0).to_bits(), quick.to_bits());
    let mut stays =
        Played::new(made(&parts(MatchedParts { transition_cost: 1.0e6.into(), ..plain() })).unwrap());
    ask(&mut stays, [0.0, 1.5]);
    (0..40).for_each(|_| stays.update(0.05));
    assert_eq!(clip(&stays), "idle");
}

#[test]
fn bytes_say_the_same_and_what_is_wrong_is_named() {
    let all = MatchedParts {
        facing_half_life_s: "quick".into(),
        responsiveness: "quick".into(),
        sharp_mps: 0.5,
        ..plain().facing("face").tagged(&["calm"])
    };
    let whole = parts(all);
    let bytes = whole.to_bytes();
    assert_eq!(GraphParts::read(&bytes).unwrap(), whole);
    assert!((0..bytes.len()).all(|end| GraphParts::read(&bytes[..end]).is_err()));
    assert!(made(&whole).is_ok());

    let problem = |parts: &GraphParts| made(parts).unwrap_err().problem;
    let of = |matched: MatchedParts| problem(&parts(matched));
    let unknown = |what, name: &str| Problem::Unknown { what, name: name.into() };
    assert_eq!(of(MatchedParts { database: "moves".into(), ..plain() }), unknown("database", "moves"));
    assert_eq!(of(plain().facing("nose")), unknown("parameter", "nose"));
    let tags = |problem| Problem::Tags { database: "move".into(), problem };
    assert_eq!(of(plain().tagged(&["high"])), tags(QueryError::UnknownTag("high".into())));
    assert_eq!(of(plain().tagged(&["calm", "low"])), tags(QueryError::NoFrame("calm, low".into())));
    for wrong in [
        MatchedParts { search_s: 0.0, ..plain() },
        MatchedParts { blend_s: 0.0, ..plain() },
        MatchedParts { sharp_mps: -1.0, ..plain() },
        MatchedParts { responsiveness: 0.0.into(), ..plain() },
        MatchedParts { transition_cost: f32::NAN.into(), ..plain() },
        MatchedParts { velocity_half_life_s: (-1.0).into(), ..plain() },
        MatchedParts { feet: Some(FeetParts { release_s: -0.1, ..FeetParts::default() }), ..plain() },
        MatchedParts { feet: Some(FeetParts { reach_m: f32::INFINITY, ..FeetParts::default() }), ..plain() },
    ] {
        assert!(matches!(of(wrong), Problem::Value { .. }));
    }
    for state in [
        StateParts::matched("move", plain()).at_speed(2.0),
        StateParts::matched("move", plain()).once(),
        StateParts::matched("move", plain()).time_by("face"),
        StateParts::matched("move", plain()).starting_at(0.5),
        StateParts::matched("move", plain()).keeping_speed(),
    ] {
        let mut parts = parts(plain());
        parts.layers[0].states[0] = state;
        assert!(matches!(problem(&parts), Problem::Points(_)));
    }
    // A clip of the database that is not there, and a database that cannot be read.
    let database = Arc::new(Database::new(&database()).unwrap());
    let wrong = Graph::with_databases(
        &whole,
        |clip| facts(clip).filter(|_| clip != "run"),
        |_| Ok(Some(database.clone())),
    );
    assert_eq!(wrong.unwrap_err().problem, unknown("clip", "run"));
    let broken = MatchingLoadError::OtherSkeleton { name: "move".into() };
    let wrong = Graph::with_databases(&whole, facts, |_| Err(broken.clone()));
    assert_eq!(wrong.unwrap_err().problem, Problem::Database(Box::new(broken)));
    // Without its database a graph can be looked at; it plays nothing there, and states of it are its own.
    let bare = Graph::new(&whole, facts).unwrap();
    let mut played = Played::new(bare.clone());
    played.update(0.1);
    assert!(played.frame.entries().is_empty() && played.state.matched(&bare, 0).is_none());
    assert_eq!(GraphState::read(&graph(), &played.state.to_bytes()), Err(StateError::OtherGraph));
}

#[test]
fn a_changed_graph_goes_on_where_it_was() {
    let graph = graph();
    let mut played = Played::new(graph.clone());
    ask(&mut played, [0.0, 1.5]);
    (0..30).for_each(|_| played.update(0.05));
    let more = GraphParts { clips: vec!["run".into()], ..parts(plain()) };
    let other = made(&more).unwrap();
    let carried = played.state.carried_over(&graph, &other);
    let [was, is] = [played.state.matched(&graph, 0), carried.matched(&other, 0)];
    assert_eq!(was, is);
    // Of another database it begins anew.
    let mut rows = database();
    rows.rows[0] += 1;
    let changed = Arc::new(Database::new(&rows).unwrap());
    let other = Graph::with_databases(&more, facts, |_| Ok(Some(changed.clone()))).unwrap();
    let carried = played.state.carried_over(&graph, &other);
    assert_eq!(carried.matched(&other, 0).map(|now| now.searches), Some(0));
}

#[test]
fn the_longest_step_leaves_a_state_of_finite_numbers() {
    for dt_s in [1.0e9, 1.0e200, 0.25 * f64::MAX] {
        let mut played = Played::new(graph());
        ask(&mut played, [f32::MAX, f32::MIN]);
        played.update(0.1);
        played.update(dt_s);
        ask(&mut played, [-1.0, 2.0]);
        played.update(dt_s);
        let bytes = played.state.to_bytes();
        assert_eq!(GraphState::read(&played.graph, &bytes).as_ref(), Ok(&played.state), "{dt_s}");
        let now = played.state.matched(&played.graph, 0).unwrap();
        // As is wanted, but for what its clip turns from search to search.
        let speed = libm::hypotf(now.velocity[0], now.velocity[1]);
        assert!((speed - libm::sqrtf(5.0)).abs() < 0.05, "{dt_s}: {:?}", now.velocity);
    }
}

#[test]
fn searching_allocates_nothing() {
    let mut played = Played::new(graph());
    let mut rng = Rng::new(9);
    let [aside, ahead] = ["aside", "ahead"].map(|name| played.graph.float(name).unwrap());
    assert_no_alloc(|| {
        for i in 0..2000 {
            if i % 10 == 0 {
                played.state.set(aside, rng.range(-2.0, 2.0)).unwrap();
                played.state.set(ahead, rng.range(-1.0, 4.0)).unwrap();
            }
            played.update(1.0 / 60.0);
        }
    });
    assert!(played.state.matched(&played.graph, 0).unwrap().jumps > 50);
}

#[test]
fn more_times_than_are_steered_are_an_error() {
    let timed = |count: u32| {
        let mut parts = database();
        let (rows, features) = (parts.rows.len() / parts.features.len(), 2 + count as usize);
        parts.features.truncate(2);
        parts.features.extend((1..=count).map(|i| Feature {
            group: 0,
            kind: FeatureKind::TrajectoryPosition { time_s: i as f32 * 0.125 },
            axis: 2,
            offset: 0.0,
            scale: 100.0,
        }));
        parts.rows = vec![0; rows * features];
        let database = Arc::new(Database::new(&parts).unwrap());
        Graph::with_databases(&self::parts(plain()), facts, |_| Ok(Some(database.clone())))
    };
    let graph = timed(16).unwrap();
    let key = graph.state_key(graph.layer("body").unwrap(), "move").unwrap();
    assert_eq!(graph.trajectory_times(key).len(), 16);
    let Problem::Limit { found, allowed, .. } = timed(17).unwrap_err().problem else {
        panic!("another problem")
    };
    assert_eq!((found, allowed), (17, 16));
}
