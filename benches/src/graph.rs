//! What a graph costs without a pose: ten states, a transition running, eight clips in a plane, a masked layer.

use lissom_measure::timing::best_ns;
use lissom_motion::{
    Graph, GraphParts, GraphState,
    frame::Frame,
    graph::{GraphError, LayerParts, PlaneBlend, StateParts, Test, TransitionParts},
    state::OneShot,
};
use std::hint::black_box;

/// One velocity a clip.
const AROUND: [([f32; 2], &str); 8] = [
    ([0.0, 0.0], "idle"),
    ([0.0, 1.4], "walk"),
    ([0.0, 4.0], "run"),
    ([1.2, 0.0], "right"),
    ([-1.2, 0.0], "left"),
    ([0.0, -1.1], "back"),
    ([2.5, 2.5], "run right"),
    ([-2.5, 2.5], "run left"),
];

fn graph(blend: PlaneBlend) -> Result<Graph, GraphError> {
    let mut body = LayerParts::new("body")
        .state(StateParts::plane("move", ["x", "y"], blend, &AROUND))
        .state(StateParts::plane("sneak", ["x", "y"], blend, &AROUND));
    // As long as it is measured it goes on.
    body = body.transition(TransitionParts::new("move", "sneak").when("sneak", Test::On).fade(1.0e9));
    for i in 0..8 {
        let name = format!("act {i}");
        body = body
            .state(StateParts::clip(&name, "act").once())
            .transition(TransitionParts::new("move", &name).when("act", Test::Is(i + 1)))
            .transition(TransitionParts::new("sneak", &name).when("act", Test::Is(i + 1)))
            .transition(TransitionParts::new(&name, "move").exit(0.9));
    }
    let parts = GraphParts::new()
        .damped("x", 0.3, 0.1)
        .damped("y", 0.9, 0.1)
        .bool("sneak", true)
        .int("act", 0)
        .mask("arms", "spine", 2)
        .layer(body)
        .layer(LayerParts::new("arms").masked("arms").state(StateParts::clip("carry", "carry")))
        .clip("wave");
    Graph::new(&parts, |clip| Some(0.8 + 0.05 * clip.len() as f64))
}

/// Prints the table.
///
/// # Errors
///
/// None in practice: the graph is fixed.
pub fn print() -> anyhow::Result<()> {
    println!(
        "A graph's update without a pose: ten states, a transition running between two planes of eight clips, a masked layer"
    );
    println!("| blend | entries | ns an update | with the mix | goal |\n|---|---|---|---|---|");
    for (name, blend, goal) in [
        ("Delaunay", PlaneBlend::Delaunay, "300"),
        ("gradient bands", PlaneBlend::Bands, "-"),
        ("directional bands", PlaneBlend::DirectionalBands, "-"),
    ] {
        let graph = graph(blend)?;
        let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
        let (x, y) = (graph.float("x")?, graph.float("y")?);
        let (layer, wave) = (graph.layer("arms")?, graph.clip("wave")?);
        state.play(&graph, layer, wave, OneShot::default())?;
        let mut places = [[0.3, 0.9], [-0.5, 1.1], [0.8, 2.0], [0.1, -0.4]].iter().cycle();
        let mut update = |mixed: bool| {
            if let Some([to_x, to_y]) = places.next() {
                let _ = (state.set(x, *to_x), state.set(y, *to_y));
            }
            let updated = graph.update(&mut state, 1.0 / 60.0, &mut frame);
            black_box(updated.is_ok());
            if mixed {
                black_box(frame.mix(|clip| clip));
            }
            black_box(frame.entries().len());
        };
        let (alone, mixed) = (best_ns(200, || update(false)), best_ns(200, || update(true)));
        println!("| {name} | {} | {alone:.0} | {mixed:.0} | {goal} |", frame.entries().len());
    }
    Ok(())
}
