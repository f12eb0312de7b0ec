//! The last decisions are remembered: in a ring, with what their tests saw, of an animator and of members of crowds.

use lissom::archive::Archive;
use lissom_motion::{
    Animator, Graph, GraphParts, GraphState, RootStep,
    crowd::{Crowd, Role},
    decide::{Decision, Decisions},
    frame::{Frame, What},
    graph::{ConditionParts, LayerParts, StateParts, Test, TransitionParts},
    state::GoTo,
};
use lissom_testkit::{
    alloc::assert_no_alloc,
    crowds::{self, Input},
    rng::Rng,
};
use std::sync::{Arc, LazyLock};

static ARCHIVE: LazyLock<Archive> = LazyLock::new(crowds::archive);
static GRAPH: LazyLock<Arc<Graph>> = LazyLock::new(|| crowds::inertial_graph(&ARCHIVE));

fn said(graph: &Graph, decision: &Decision) -> String {
    let told = graph.decision(decision).unwrap();
    format!("{:.2} {} {} > {} {} {:?}", told.time_s, told.layer, told.from, told.to, told.by_code, told.tests)
}

#[test]
fn what_was_decided_is_told_with_the_values_that_its_tests_saw() {
    let way = |from: &str, to: &str| TransitionParts::new(from, to).fade(0.0);
    let body = LayerParts::new("body")
        .state(StateParts::clip("idle", "idle"))
        .state(StateParts::clip("walk", "walk"))
        .state(StateParts::clip("jump", "jump"))
        .transition(way("idle", "walk").when("speed", Test::Above(0.5)).when("legs", Test::Is(2)))
        .transition(
            way("walk", "jump")
                .when("jump", Test::On)
                .when("tired", Test::Off)
                .only_if(ConditionParts::AfterSeconds(0.0)),
        )
        .transition(way("jump", "idle").exit(0.4));
    let parts = GraphParts::new().float("speed", 0.0).int("legs", 2).bool("tired", false).trigger("jump");
    let graph = Graph::new(&parts.layer(body), |_| Some(1.0)).unwrap();
    let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
    let mut decisions = Decisions::new(3);
    let step = |state: &mut GraphState, frame: &mut Frame, decisions: &mut Decisions| {
        graph.update(state, 0.25, frame).unwrap();
        decisions.follow(frame);
    };
    step(&mut state, &mut frame, &mut decisions);
    assert_eq!(decisions.iter().count(), 0);
    state.set(graph.float("speed").unwrap(), 0.75).unwrap();
    step(&mut state, &mut frame, &mut decisions);
    state.set(graph.trigger("jump").unwrap(), true).unwrap();
    step(&mut state, &mut frame, &mut decisions);
    step(&mut state, &mut frame, &mut decisions);
    step(&mut state, &mut frame, &mut decisions);
    let all: Vec<String> = decisions.iter().map(|one| said(&graph, one)).collect();
    assert_eq!(
        all,
        [
            r#"0.50 body idle > walk false [("speed", Above(0.5), 0.75), ("legs", Is(2), 2.0)]"#,
            r#"0.75 body walk > jump false [("jump", On, 1.0), ("tired", Off, 0.0)]"#,
            r#"1.25 body jump > idle false []"#,
        ]
    );
    // A fourth takes the place of the oldest; code says so.
    let layer = graph.layer("body").unwrap();
    state.go_to(&graph, graph.state_key(layer, "jump").unwrap(), GoTo::default()).unwrap();
    step(&mut state, &mut frame, &mut decisions);
    let last: Vec<String> = decisions.iter().map(|one| said(&graph, one)).collect();
    assert_eq!(last[..2], all[1..]);
    assert_eq!(last[2], "1.50 body idle > jump true []");
    assert_eq!(decisions.iter().next_back().map(|one| said(&graph, one)).as_ref(), last.last());
    let other = Graph::new(&GraphParts::new().layer(LayerParts::new("x")), |_| Some(1.0)).unwrap();
    assert_eq!(other.decision(decisions.iter().next().unwrap()), None, "of another graph");
    decisions.clear();
    assert_eq!((decisions.iter().count(), decisions.time_s()), (0, 0.0));
}

#[test]
fn a_member_remembers_what_an_animator_does_and_what_its_events_say() {
    let mut alone = Animator::new(&ARCHIVE, Arc::clone(&GRAPH)).unwrap();
    let mut crowd = Crowd::new(&ARCHIVE).unwrap();
    let graph = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let members = [(); 3].map(|()| crowd.add(Role::Graph(graph), RootStep::IDENTITY).unwrap());
    assert!(alone.decisions().is_none() && crowd.decisions(members[1]).is_none());
    alone.remember_decisions(200);
    crowd.remember_decisions(members[1], 200).unwrap();
    crowd.set_grain(1);
    let (mut rng, mut started) = (Rng::new(3), Vec::new());
    for frame in 0..300 {
        if let Some(input) = Input::random(&mut rng) {
            input.tell_animator(&mut alone);
            let state = alone.state().clone();
            members.iter().for_each(|member| crowd.set_state(*member, &state).unwrap());
        }
        alone.update(0.02).unwrap();
        crowd.update(0.02).unwrap();
        started.extend(alone.events().filter_map(|event| match event.what {
            What::TransitionStarted(state) => Some((frame, GRAPH.state_name(state).unwrap().to_owned())),
            _ => None,
        }));
    }
    let of_alone = alone.decisions().unwrap();
    let told: Vec<(usize, String)> = of_alone
        .iter()
        .map(|one| {
            let view = GRAPH.decision(one).unwrap();
            ((view.time_s / 0.02).round() as usize - 1, view.to.to_owned())
        })
        .collect();
    assert!(told.len() > 10 && told.len() < 200, "{}", told.len());
    assert_eq!(told, started);
    assert_eq!(crowd.decisions(members[1]), Some(of_alone));
    assert!(crowd.decisions(members[0]).is_none());
    // Who comes in the place of one who was remembered is somebody else.
    crowd.remove(members[1]).unwrap();
    let new = crowd.add(Role::Graph(graph), RootStep::IDENTITY).unwrap();
    assert_eq!(new.index(), members[1].index());
    crowd.update(0.02).unwrap();
    assert!(crowd.decisions(new).is_none());
    assert_eq!(crowd.decisions(members[1]), Some(of_alone), "it is still told of one who went");
    assert!(crowd.remember_decisions(members[1], 5).is_err());
}

#[test]
fn remembering_allocates_nothing() {
    let mut hero = Animator::new(&ARCHIVE, Arc::clone(&GRAPH)).unwrap();
    hero.remember_decisions(4);
    let mut rng = Rng::new(5);
    let mut run = |hero: &mut Animator| {
        for _ in 0..200 {
            if let Some(input) = Input::random(&mut rng) {
                input.tell_animator(hero);
            }
            hero.update(0.03).unwrap();
        }
    };
    run(&mut hero);
    assert_no_alloc(|| run(&mut hero));
    assert_eq!(hero.decisions().unwrap().iter().count(), 4);
}
