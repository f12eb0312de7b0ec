//! One graph that uses all that the mannequin can do.

use super::Motion;
use crate::exact::narrow;
use lissom_motion::{
    GraphParts,
    graph::{LayerParts, PlaneBlend, StateParts, Test, TransitionParts},
};

/// The name under which archives of the mannequin have their graph.
pub const GRAPH: &str = "mannequin";

/// What the graph plays, one-shots included: all but [`Motion::Performance`].
pub const GRAPH_MOTIONS: [Motion; 14] = [
    Motion::Idle,
    Motion::Walk,
    Motion::Jog,
    Motion::Run,
    Motion::Back,
    Motion::StrafeLeft,
    Motion::StrafeRight,
    Motion::Turn,
    Motion::TurnRight,
    Motion::Crouch,
    Motion::JumpStart,
    Motion::JumpAir,
    Motion::JumpLand,
    Motion::Wave,
];

/// Gaits stand where they lead.
const GAITS: [Motion; 7] = [
    Motion::Idle,
    Motion::Walk,
    Motion::Jog,
    Motion::Run,
    Motion::Back,
    Motion::StrafeLeft,
    Motion::StrafeRight,
];

/// The graph that a game plays the mannequin by. Its clips are those of [`animation`](super::animation), its parameters:
///
/// | | |
/// |---|---|
/// | `ahead`, `left` | how fast it goes, in metres a second; what is set is followed little by little |
/// | `turn_left`, `turn_right` | triggers: a quarter turn, if it stands |
/// | `crouch` | a trigger: down to the floor and up again, if it stands |
/// | `jump` | a trigger |
/// | `grounded` | whether there is ground under it; without, it is in the air |
///
/// `wave`, or any other clip, goes over the layer `upper_body` whenever code asks for it.
#[must_use]
pub fn graph() -> GraphParts {
    let gaits = GAITS.map(|motion| {
        let velocity = motion.velocity();
        ([narrow(velocity.x), narrow(velocity.z)], motion.name())
    });
    let once = |name: &str, motion: Motion| StateParts::clip(name, motion.name()).once();
    let from = |from: &str, to: &str| TransitionParts::new(from, to);
    let standing = |to: &str| {
        let asked = from("move", to).when(to, Test::On).fade(0.2).inertial();
        asked.when("ahead", Test::Below(0.3)).when("ahead", Test::Above(-0.3))
    };
    let back = |state: &str, share: f32| from(state, "move").exit(share).fade(0.25).inertial();
    let body = LayerParts::new("body")
        .state(StateParts::plane("move", ["left", "ahead"], PlaneBlend::Delaunay, &gaits))
        .state(once("turn_left", Motion::Turn))
        .state(once("turn_right", Motion::TurnRight))
        .state(once("crouch", Motion::Crouch))
        .state(once("jump", Motion::JumpStart))
        .state(StateParts::clip("air", Motion::JumpAir.name()))
        .state(once("land", Motion::JumpLand))
        .transition(standing("turn_left"))
        .transition(standing("turn_right"))
        .transition(standing("crouch"))
        .transition(back("turn_left", 0.9))
        .transition(back("turn_right", 0.9))
        .transition(back("crouch", 0.95))
        .transition(from("move", "jump").when("jump", Test::On).fade(0.12).inertial().priority(1))
        .transition(from("jump", "air").exit(1.0).fade(0.1))
        .transition(from("move", "air").when("grounded", Test::Off).fade(0.25).inertial())
        .transition(from("air", "land").when("grounded", Test::On).fade(0.08))
        .transition(back("land", 0.7));
    GraphParts::new()
        .damped("ahead", 0.0, 0.1)
        .damped("left", 0.0, 0.1)
        .trigger("turn_left")
        .trigger("turn_right")
        .trigger("crouch")
        .trigger("jump")
        .bool("grounded", true)
        .clip(Motion::Wave.name())
        .mask("upper_body", "spine_01", 2)
        .layer(body)
        .layer(LayerParts::new("upper_body").masked("upper_body"))
}
