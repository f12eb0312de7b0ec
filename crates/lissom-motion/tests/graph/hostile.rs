//! Saved states as bytes from anywhere.

use lissom_motion::{GraphState, StateError, frame::Frame, state::OneShot};
use lissom_testkit::{graphs::graph, rng::Rng};

#[test]
fn any_bytes_give_a_state_that_plays_or_an_error() {
    let graph = graph();
    let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
    state.set(graph.trigger("jump").unwrap(), true).unwrap();
    let (arms, wave) = (graph.layer("arms").unwrap(), graph.clip("wave").unwrap());
    state.play(&graph, arms, wave, OneShot::default()).unwrap();
    graph.update(&mut state, 0.05, &mut frame).unwrap();
    let good = state.to_bytes();
    assert_eq!(GraphState::read(&graph, &good).unwrap(), state);
    for end in 0..good.len() {
        let error = GraphState::read(&graph, &good[..end]).unwrap_err();
        assert!(matches!(error, StateError::Format { .. }), "{end}: {error}");
    }
    let mut longer = good.to_vec();
    longer.push(0);
    assert!(GraphState::read(&graph, &longer).is_err());

    let mut rng = Rng::new(8);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..50_000 {
        let mut bytes = good.clone();
        // The shape stays: everything else would be refused by it.
        for _ in 0..1 + rng.below(3) {
            let at = 8 + rng.below(bytes.len() - 8);
            bytes[at] = rng.next_u32() as u8;
        }
        let Ok(mut state) = GraphState::read(&graph, &bytes) else {
            refused += 1;
            continue;
        };
        read += 1;
        for dt_s in [0.0, 0.1, 10.0, 1.0e9, f64::MAX] {
            graph.update(&mut state, dt_s, &mut frame).unwrap();
            assert!(frame.entries().iter().all(|entry| (0.0..=1.0).contains(&entry.weight)));
            assert!(frame.layers().iter().all(|layer| (0.0..=1.0).contains(&layer.weight)));
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
}
