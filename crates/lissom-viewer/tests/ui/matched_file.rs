//! A character that motion matching plays, for tests with and without a window.

use lissom_build::{
    cook::{ClipBuilder, Effort},
    mannequin::{self, Detail, Motion},
    matching::{MatchedClips, MatchingRule, MatchingWeights},
    pipeline::{self, Input, Options, Plan},
};
use lissom_motion::{
    GraphParts,
    graph::{LayerParts, MatchedParts, StateParts},
};
use std::sync::OnceLock;

/// What is chosen from.
const GAITS: [Motion; 5] = [Motion::Idle, Motion::Walk, Motion::Run, Motion::StrafeLeft, Motion::StrafeRight];

/// The mannequin, coarse, with a few gaits and a database of them.
pub(crate) fn archive() -> Vec<u8> {
    static MADE: OnceLock<Vec<u8>> = OnceLock::new();
    MADE.get_or_init(make).clone()
}

fn make() -> Vec<u8> {
    let detail = Detail { body_m: 0.03, hand_m: 0.012 };
    let scene = mannequin::game_scene(&GAITS, &detail).expect("the mannequin is whole");
    let fast = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let own = pipeline::cook_scene(&scene, &fast, &pipeline::serial).expect("it can be cooked").archive;
    let clips = vec![MatchedClips { clips: "*".into(), ..MatchedClips::default() }];
    // A few gaits without starts and stops: where to go counts more.
    let weights = MatchingWeights { trajectory: 2.5, direction: 2.5, ..MatchingWeights::default() };
    let rule = MatchingRule { clips, weights, ..MatchingRule::new("gaits") };
    let options = Options { matching: vec![rule], cook: fast, ..Options::default() };
    let plan = Plan::new(options).expect("a plan");
    let input = [Input::bytes("mannequin.lsm", &own)];
    let done =
        plan.cook(&input, &pipeline::serial, &mut pipeline::unwatched).expect("it can be cooked again");
    done.archive.expect("an archive was asked for")
}

/// One state, which searches.
pub(crate) fn graph() -> GraphParts {
    let state = StateParts::matched("go", MatchedParts::new("gaits", ["aside", "ahead"]));
    GraphParts::new().float("aside", 0.0).float("ahead", 0.0).layer(LayerParts::new("body").state(state))
}
