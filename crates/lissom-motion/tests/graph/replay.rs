//! A state is all there is: saved, put back and played again it gives the same bits. That these are the same everywhere is
//! seen by the golden hash `graph`.

use super::Played;
use lissom_motion::{GraphState, frame::Frame};
use lissom_testkit::{
    alloc::assert_no_alloc,
    graphs::{bands, graph, step},
    rng::Rng,
};

#[test]
fn a_thousand_frames_replayed_from_a_save_are_the_same_bits() {
    let mut played = Played::new(graph());
    let mut rng = Rng::new(77);
    for _ in 0..200 {
        step(&played.graph, &mut played.state, &mut played.frame, &mut rng);
    }
    let saved = (played.state.to_bytes(), rng.clone());
    let mut first = Vec::new();
    for _ in 0..1000 {
        step(&played.graph, &mut played.state, &mut played.frame, &mut rng);
        let bytes = played.state.to_bytes();
        assert_eq!(GraphState::read(&played.graph, &bytes).as_ref(), Ok(&played.state));
        first.push((played.frame.clone(), bytes));
    }
    // Put back from bytes, in a frame that was used for something else.
    let mut again = GraphState::read(&played.graph, &saved.0).unwrap();
    let mut rng = saved.1;
    for (i, (frame, bytes)) in first.iter().enumerate() {
        step(&played.graph, &mut again, &mut played.frame, &mut rng);
        assert_eq!(&played.frame, frame, "frame {i}");
        assert_eq!(&again.to_bytes(), bytes, "frame {i}");
    }
    assert_eq!(again, played.state);
}

#[test]
fn rewinding_eight_frames_in_each_frame_changes_nothing() {
    const BACK: usize = 8;
    let graph = graph();
    let (mut plain, mut rolled) = (GraphState::new(&graph), GraphState::new(&graph));
    let (mut frame, mut rolled_frame) = (Frame::new(&graph), Frame::new(&graph));
    let mut rng = Rng::new(5);
    let mut past: Vec<(GraphState, Rng)> = Vec::new();
    for i in 0..300 {
        past.push((rolled.clone(), rng.clone()));
        step(&graph, &mut plain, &mut frame, &mut rng.clone());
        let from = past.len().saturating_sub(BACK + 1);
        rolled.clone_from(&past[from].0);
        let mut again = past[from].1.clone();
        for _ in from..past.len() {
            step(&graph, &mut rolled, &mut rolled_frame, &mut again);
        }
        rng = again;
        assert_eq!((&rolled, &rolled_frame), (&plain, &frame), "frame {i}");
    }
}

#[test]
fn any_split_of_a_step_in_which_nothing_happens_leads_to_the_same_state() {
    let mut rng = Rng::new(31);
    let mut compared = 0;
    for graph in (0..20).map(|i| if i % 2 == 0 { graph() } else { bands() }) {
        let (mut split, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
        for _ in 0..50 {
            step(&graph, &mut split, &mut frame, &mut rng);
        }
        // Parameters arrive, and fades end.
        for _ in 0..150 {
            graph.update(&mut split, 0.1, &mut frame).unwrap();
        }
        for _ in 0..20 {
            let mut whole = split.clone();
            let (mut total_s, mut happened) = (0.0, false);
            for _ in 0..2 + rng.below(8) {
                let dt_s = rng.below(1 << 16) as f64 / f64::from(1 << 20);
                graph.update(&mut split, dt_s, &mut frame).unwrap();
                happened |= frame.events(&graph, |_| None).next().is_some();
                total_s += dt_s;
            }
            graph.update(&mut whole, total_s, &mut frame).unwrap();
            if !happened {
                assert_eq!(whole, split);
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared} compared");
}

#[test]
fn updates_saves_and_rewinds_allocate_nothing() {
    let graph = graph();
    let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
    let mut saved = state.clone();
    let mut rng = Rng::new(9);
    assert_no_alloc(|| {
        for _ in 0..10_000 {
            step(&graph, &mut state, &mut frame, &mut rng);
            assert!(frame.entries().len() <= graph.most_entries());
            std::hint::black_box(frame.mix(|clip| clip));
            if rng.one_in(16) {
                saved.clone_from(&state);
            }
            if rng.one_in(64) {
                state.clone_from(&saved);
            }
        }
    });
}

#[test]
fn a_step_of_nothing_changes_nothing_and_what_is_no_step_is_an_error() {
    let graph = graph();
    let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
    let mut rng = Rng::new(21);
    for _ in 0..300 {
        step(&graph, &mut state, &mut frame, &mut rng);
        state.set(graph.trigger("jump").unwrap(), true).unwrap();
        let before = (state.clone(), frame.clone());
        for dt_s in [-1.0, f64::NAN, f64::INFINITY, -f64::MIN_POSITIVE] {
            graph.update(&mut state, dt_s, &mut frame).unwrap_err();
            assert_eq!((&state, &frame), (&before.0, &before.1));
        }
        graph.update(&mut state, 0.0, &mut frame).unwrap();
        assert_eq!(state, before.0);
        assert!(frame.entries().iter().all(|entry| entry.from == entry.to));
        let mix = frame.mix(|clip| clip);
        graph.update(&mut state, 0.0, &mut frame).unwrap();
        assert_eq!(frame.mix(|clip| clip), mix);
    }
}
