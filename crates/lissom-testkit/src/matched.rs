//! A database for motion matching that is made in code, a graph with a state that it plays, and what clips of it are.

use lissom::track::{TrackKind, TrackView};
use lissom_motion::{
    Graph, GraphParts,
    graph::{ClipCurve, ClipFacts, GraphError, LayerParts, MatchedParts, StateParts, Test, TransitionParts},
    matching::{Database, DatabaseParts, Feature, FeatureGroup, FeatureKind, FrameRange},
};
use std::sync::Arc;

/// Frames per second.
pub const RATE: f32 = 32.0;
/// Seconds at which the trajectory is known.
pub const TIMES: [f32; 2] = [0.5, 1.0];
/// Steps per metre, and per metre per second.
const SCALE: f32 = 200.0;

/// A clip: its name, metres per second ahead, radians per second to the left, whether it loops, its tag.
type Made = (&'static str, f32, f32, bool, u32);

/// Each is two seconds long.
const CLIPS: [Made; 6] = [
    ("idle", 0.0, 0.0, true, 1),
    ("walk", 1.5, 0.0, true, 1),
    ("left", 1.5, 1.2, true, 1),
    ("right", 1.5, -1.2, true, 1),
    ("run", 4.0, 0.0, false, 1),
    ("crawl", 0.5, 0.0, true, 2),
];

fn feature(kind: FeatureKind, axis: u8) -> Feature {
    Feature { group: 0, kind, axis, offset: 0.0, scale: SCALE }
}

/// Where a foot is and how fast, and the trajectory; the tags are "calm" and, for the crawl, "low".
#[must_use]
pub fn database() -> DatabaseParts {
    let mut parts = DatabaseParts {
        skeleton: 1,
        rate_hz: RATE,
        tags: vec!["calm".into(), "low".into()],
        groups: vec![FeatureGroup { name: "all".into(), weight: 1.0 }],
        ..DatabaseParts::default()
    };
    let joint = || String::from("foot");
    parts.features = vec![
        feature(FeatureKind::JointPosition { joint: joint() }, 2),
        feature(FeatureKind::JointVelocity { joint: joint() }, 2),
    ];
    for time_s in TIMES {
        let (position, direction) =
            (FeatureKind::TrajectoryPosition { time_s }, FeatureKind::TrajectoryDirection { time_s });
        for axis in [0, 2] {
            parts.features.push(feature(position.clone(), axis));
            parts.features.push(feature(direction.clone(), axis));
        }
    }
    for (clip, (name, speed, turn, looping, tag)) in CLIPS.into_iter().enumerate() {
        let frames = 64 + u32::from(looping);
        parts.clips.push(name.into());
        let entry_to = frames - if looping { 0 } else { 16 };
        let clip = clip as u32;
        parts.ranges.push(FrameRange { clip, tags: tag, frames, entry_to, ..FrameRange::default() });
        for frame in 0..frames {
            let angle = frame as f32 / 64.0 * core::f32::consts::TAU;
            let mut row = vec![0.05 * speed * libm::sinf(angle), 0.15 * speed * libm::cosf(angle)];
            for time_s in TIMES {
                let facing = turn * time_s;
                let (sin, cos) = (libm::sinf(facing), libm::cosf(facing));
                let [x, z] = if turn == 0.0 {
                    [0.0, speed * time_s]
                } else {
                    [speed / turn * (1.0 - cos), speed / turn * sin]
                };
                row.extend([x, sin, z, cos]);
            }
            parts.rows.extend(row.iter().map(|v| libm::rintf(v * SCALE) as i16));
        }
    }
    parts
}

/// What a clip of it is: how long, whether it loops, how it turns.
#[must_use]
pub fn facts(clip: &str) -> Option<ClipFacts> {
    let (_, _, turn, looping, _) = CLIPS.into_iter().find(|(name, ..)| *name == clip)?;
    let values = [0.0, 2.0 * turn];
    let track = TrackView { kind: TrackKind::Float, ratios: &[0.0, 1.0], values: &values, steps: &[0] };
    Some(ClipFacts { looping, turn: ClipCurve::new(&track), ..2.0.into() })
}

/// A state of that database, steered by `aside` and `ahead`.
#[must_use]
pub fn plain() -> MatchedParts {
    MatchedParts { transition_cost: 0.5.into(), ..MatchedParts::new("move", ["aside", "ahead"]) }
}

/// A graph of a state that is matched, `move`, and one that plays the walk's clip, `rest`, which `rest` leads to by inertia.
#[must_use]
pub fn parts(matched: MatchedParts) -> GraphParts {
    let state = StateParts::matched("move", matched);
    let to =
        |from: &str, to: &str, test| TransitionParts::new(from, to).when("rest", test).fade(0.2).inertial();
    GraphParts::new()
        .float("aside", 0.0)
        .float("ahead", 0.0)
        .float("face", 0.0)
        .float("quick", 1.0)
        .bool("rest", false)
        .layer(
            LayerParts::new("body")
                .state(state)
                .state(StateParts::clip("rest", "walk"))
                .transition(to("move", "rest", Test::On))
                .transition(to("rest", "move", Test::Off)),
        )
}

/// A graph of that database, which is called `move`.
///
/// # Errors
///
/// What is wrong with its description.
///
/// # Panics
///
/// If the database is refused.
pub fn made(parts: &GraphParts) -> Result<Graph, GraphError> {
    let database = Arc::new(Database::new(&database()).expect("everything in it is allowed"));
    Graph::with_databases(parts, facts, |name| Ok((name == "move").then(|| database.clone())))
}

/// The graph of the frames that are calm.
///
/// # Panics
///
/// If it is refused.
#[must_use]
pub fn graph() -> Graph {
    made(&parts(plain().tagged(&["calm"]))).expect("everything in it is allowed")
}
