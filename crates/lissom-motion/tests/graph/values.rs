//! Parameters by name: one value type, whatever their kinds.

use lissom_motion::{
    Graph, GraphParts, GraphState, StateError,
    graph::{AnyKey, LayerParts, StateParts},
    state::Value,
};

fn graph() -> Graph {
    let parts = GraphParts::new()
        .float("speed", 0.5)
        .int("mode", 3)
        .bool("armed", false)
        .trigger("jump")
        .curve("lift", 0.25)
        .layer(LayerParts::new("body").state(StateParts::clip("stand", "stand")));
    Graph::new(&parts, |_| Some(1.0)).unwrap()
}

const ALL: [(&str, &str, Value); 5] = [
    ("speed", "a float", Value::Float(0.5)),
    ("mode", "an int", Value::Int(3)),
    ("armed", "a bool", Value::Bool(false)),
    ("jump", "a trigger", Value::Bool(false)),
    ("lift", "a curve", Value::Float(0.25)),
];

#[test]
fn every_kind_is_found_read_and_set_by_its_name() {
    let graph = graph();
    let mut state = GraphState::new(&graph);
    for (name, kind, start) in ALL {
        let parameter = graph.parameter(name).unwrap();
        assert_eq!((parameter.name(), parameter.key().kind()), (name, kind));
        assert_eq!(state.value_of(parameter), Some(start));
    }
    assert!(graph.parameter("sped").is_none());
    for (name, value) in [
        ("speed", Value::from(2.5)),
        ("mode", Value::from(-7)),
        ("armed", Value::from(true)),
        ("jump", Value::from(true)),
    ] {
        let parameter = graph.parameter(name).unwrap();
        state.set_value(parameter, value).unwrap();
        assert_eq!(state.value_of(parameter), Some(value), "{name}");
    }
    // The typed keys are the same parameters.
    assert_eq!(graph.parameter("speed").unwrap().key(), AnyKey::Float(graph.float("speed").unwrap()));
    assert_eq!(state.get(graph.float("speed").unwrap()), Some(2.5));
    assert_eq!(state.get(graph.trigger("jump").unwrap()), Some(true));
}

#[test]
fn a_value_of_another_kind_is_refused_by_name() {
    let graph = graph();
    let mut state = GraphState::new(&graph);
    let before = state.clone();
    for (name, is, start) in ALL {
        let parameter = graph.parameter(name).unwrap();
        for value in [Value::Float(1.0), Value::Int(1), Value::Bool(true)] {
            if is != "a curve" && value.kind() == start.kind() {
                continue;
            }
            let error = state.set_value(parameter, value).unwrap_err();
            assert_eq!(error, StateError::Kind { name: name.into(), is, found: value.kind() });
            assert_eq!(
                error.to_string(),
                format!("parameter {name:?} is {is}, and cannot be set to {}", value.kind())
            );
        }
    }
    assert!(state.set_value(graph.parameter("speed").unwrap(), f32::NAN).is_err());
    assert_eq!(state, before);
    let other = Graph::new(&GraphParts::new(), |_| Some(1.0)).unwrap();
    let mut none = GraphState::new(&other);
    assert_eq!(none.value_of(graph.parameter("mode").unwrap()), None);
    assert_eq!(none.set_value(graph.parameter("mode").unwrap(), 1), Err(StateError::OtherGraph));
}
