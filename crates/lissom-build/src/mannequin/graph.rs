//! One graph that uses all that the mannequin can do.

use super::Motion;
use crate::exact::narrow;
use lissom_motion::{
    GraphParts,
    graph::{KeepSpeed, LayerParts, PlaneBlend, StateParts, Test, TransitionParts},
};

/// The name under which archives of the mannequin have their graph.
pub const GRAPH: &str = "mannequin";

/// What the graph plays, one-shots included: all but [`Motion::Performance`].
pub const GRAPH_MOTIONS: [Motion; 16] = [
    Motion::Idle,
    Motion::Walk,
    Motion::Jog,
    Motion::Run,
    Motion::Back,
    Motion::StrafeLeft,
    Motion::StrafeRight,
    Motion::JogLeft,
    Motion::JogRight,
    Motion::Turn,
    Motion::TurnRight,
    Motion::Crouch,
    Motion::JumpStart,
    Motion::JumpAir,
    Motion::JumpLand,
    Motion::Wave,
];

/// Gaits that always have a foot on the floor. They stand where they lead.
const WALKS: [Motion; 5] =
    [Motion::Idle, Motion::Walk, Motion::Back, Motion::StrafeLeft, Motion::StrafeRight];
/// Gaits with both feet in the air between the steps. A blend of one of these with one of the others would slide: one clip has the foot on the
/// floor where the other one swings it.
const RUNS: [Motion; 5] = [Motion::Idle, Motion::Jog, Motion::Run, Motion::JogLeft, Motion::JogRight];

/// It walks as long as `left` and `ahead` are within one of these, in metres per second ...
const WALKS_WITHIN: [[f32; 2]; 2] = [[0.35, 1.6], [0.8, 0.8]];
/// ... and again when they are back within one of these.
const WALKS_AGAIN: [[f32; 2]; 2] = [[0.25, 1.45], [0.65, 0.65]];
/// Until then the steps get faster.
const WALKS_FASTER: f32 = 1.7;

/// The graph that a game plays the mannequin by. Its clips are those of [`animation`](super::animation), its parameters:
///
/// | | |
/// |---|---|
/// | `ahead`, `left` | how fast it goes, in metres per second; what is set is followed little by little. It walks in the state `move` and runs in the state `run` |
/// | `turn_left`, `turn_right` | triggers: a quarter turn, if it stands |
/// | `crouch` | a trigger: down to the floor and up again, if it stands |
/// | `jump` | a trigger |
/// | `grounded` | whether there is ground under it; without, it is in the air |
///
/// `wave`, or any other clip, goes over the layer `upper_body` whenever code asks for it.
#[must_use]
pub fn graph() -> GraphParts {
    let once = |name: &str, motion: Motion| StateParts::clip(name, motion.name()).once();
    let from = |from: &str, to: &str| TransitionParts::new(from, to);
    let standing = |to: &str| {
        let asked = from("move", to).when(to, Test::On).fade(0.2).inertial();
        let stands =
            |way: TransitionParts, by: &str| way.when(by, Test::Below(0.3)).when(by, Test::Above(-0.3));
        stands(stands(asked, "ahead"), "left")
    };
    let back = |state: &str, share: f32| from(state, "move").exit(share).fade(0.25).inertial();
    let body = LayerParts::new("body")
        .state(gaits("move", &WALKS))
        .state(gaits("run", &RUNS))
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
        .transition(back("land", 0.7))
        .transition(from("run", "jump").when("jump", Test::On).fade(0.12).inertial().priority(1))
        .transition(from("run", "air").when("grounded", Test::Off).fade(0.25).inertial());
    let body = between_walk_and_run(body);
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

/// A blend that travels with the velocity asked for.
fn gaits(name: &str, motions: &[Motion]) -> StateParts {
    let at = |motion: &Motion| {
        let velocity = motion.velocity();
        ([narrow(velocity.x), narrow(velocity.z)], motion.name())
    };
    let points: Vec<_> = motions.iter().map(at).collect();
    let blend = StateParts::plane(name, ["left", "ahead"], PlaneBlend::Delaunay, &points);
    let keep_speed = Some(KeepSpeed { fastest: WALKS_FASTER, ..KeepSpeed::default() });
    StateParts { keep_speed, ..blend.own_time(Motion::Idle.name()) }
}

/// In step, and with some way between the two limits, so that they do not alternate.
fn between_walk_and_run(body: LayerParts) -> LayerParts {
    let run = || TransitionParts::new("move", "run").fade(0.25).synced();
    let walk = || TransitionParts::new("run", "move").fade(0.25).synced();
    let [[slow, far], [wide, near]] = WALKS_WITHIN;
    let mut body = body.transition(run().when("ahead", Test::Above(far)));
    for (side, ahead) in [(slow, Some(near)), (wide, None)] {
        for test in [Test::Above(side), Test::Below(-side)] {
            let way = run().when("left", test);
            body = body.transition(match ahead {
                Some(ahead) => way.when("ahead", Test::Above(ahead)),
                None => way,
            });
        }
    }
    for [side, ahead] in WALKS_AGAIN {
        let way = walk().when("left", Test::Below(side)).when("left", Test::Above(-side));
        body = body.transition(way.when("ahead", Test::Below(ahead)));
    }
    body
}
