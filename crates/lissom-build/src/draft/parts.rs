//! From roles to states and transitions.

use super::{Candidate, Gait, Role, Speed, SpeedSource, Used, Way, crouch::Crouch};
use crate::{exact::narrow, import::UniqueNames, raw::RawSkeleton};
use lissom_motion::{
    GraphParts,
    graph::{LayerParts, PlaneBlend, StateParts, Test, TransitionParts},
};
use std::collections::BTreeMap;

/// The mask and the layer of gestures.
const UPPER_BODY: &str = "upper_body";
/// Names that the graph itself uses.
const OWN: [&str; 11] =
    ["idle", "move", "speed", "ahead", "left", "jump", "air", "land", "grounded", "crouch", UPPER_BODY];

/// What is known of the body.
pub(super) struct Builder<'a> {
    height_m: Option<f64>,
    skeleton: &'a RawSkeleton,
    /// The joint that the upper body hangs on.
    spine: Option<String>,
    used: Vec<Used>,
    names: UniqueNames,
}

/// A clip of the blend of gaits.
struct Point<'a> {
    clip: &'a str,
    gait: Gait,
    way: Way,
    speed: Speed,
}

/// Moves, as conditions: how the ground states are entered and left.
struct Motion {
    /// It moves if one of these holds.
    moves: Vec<(&'static str, Test)>,
    /// It stands if all of these hold.
    stands: Vec<(&'static str, Test)>,
}

/// The states on the ground: what other states are entered from, and where they lead back to.
struct Ground<'m> {
    states: Vec<&'static str>,
    /// If there are gaits.
    moving: Option<&'m Motion>,
}

impl Ground<'_> {
    /// A transition from each of them.
    fn leave(&self, body: LayerParts, way: impl Fn(&str) -> TransitionParts) -> LayerParts {
        self.states.iter().fold(body, |body, state| body.transition(way(state)))
    }

    /// Back to the gaits if it moves, else to idle.
    fn back(&self, body: LayerParts, way: impl Fn(&str) -> TransitionParts) -> LayerParts {
        let moves = self.moving.map_or(&[][..], |motion| &motion.moves);
        let to_move = moves.iter().map(|(name, test)| way("move").when(name, *test).priority(1));
        to_move.fold(body, LayerParts::transition).transition(way("idle"))
    }
}

impl<'a> Builder<'a> {
    pub(super) fn new(height_m: Option<f64>, skeleton: &'a RawSkeleton, spine: Option<String>) -> Self {
        let mut names = UniqueNames::default();
        OWN.iter().for_each(|name| drop(names.give(name)));
        Self { height_m, skeleton, spine, used: Vec::new(), names }
    }

    pub(super) fn build(
        &mut self,
        chosen: &BTreeMap<Role, Candidate<'_>>,
        shots: &[Candidate<'_>],
        left_out: &mut Vec<(String, String)>,
    ) -> (GraphParts, Vec<Used>) {
        let clip = |role: Role| chosen.get(&role).map(|c| c.animation.motion.name.as_str());
        let points = self.points(chosen, left_out);
        let sideways = points.iter().any(|p| matches!(p.way, Way::Left | Way::Right));
        let motion = Motion::new(&points, sideways);
        let mut graph = GraphParts::new();
        let mut body = LayerParts::new("body");
        let mut ground = Vec::new();

        // Where it stands. Without an idle, the slowest gait stands still.
        let slowest = points.iter().min_by(|a, b| a.speed.m_per_s.total_cmp(&b.speed.m_per_s));
        if let Some(idle) = clip(Role::Idle) {
            body = body.state(StateParts::clip("idle", idle));
            self.use_clip(idle, Role::Idle, "idle");
        } else if let Some(slowest) = slowest {
            body = body.state(StateParts::clip("idle", slowest.clip).at_speed(0.0));
        }
        ground.push("idle");
        if !points.is_empty() {
            graph = if sideways {
                graph.damped("ahead", 0.0, 0.1).damped("left", 0.0, 0.1)
            } else {
                graph.damped("speed", 0.0, 0.1)
            };
            body = motion.between(body.state(gaits(&points, sideways)));
            ground.push("move");
        }
        for point in &points {
            self.used.push(Used {
                clip: point.clip.into(),
                role: Role::Gait(point.gait, point.way),
                name: "move".into(),
                speed: Some(point.speed),
                one_shot: false,
            });
        }
        let moving = (ground.len() > 1).then_some(&motion);
        let ground = Ground { states: ground, moving };

        (graph, body) = self.jump(chosen, left_out, (graph, body), &ground);

        if let Some(candidate) = chosen.get(&Role::Crouch) {
            let clip = candidate.animation.motion.name.as_str();
            let state = StateParts::clip("crouch", clip);
            let low = Crouch::of(candidate.animation, self.skeleton) == Crouch::Low;
            graph = graph.bool("crouch", false);
            body = body.state(if low { state } else { state.once() });
            body = ground.leave(body, |from| {
                TransitionParts::new(from, "crouch").when("crouch", Test::On).fade(0.25).inertial()
            });
            body = ground.back(body, |to| {
                TransitionParts::new("crouch", to).when("crouch", Test::Off).fade(0.25).inertial()
            });
            self.use_clip(clip, Role::Crouch, "crouch");
        }
        let mut gestures = Vec::new();
        for shot in shots {
            let clip = shot.animation.motion.name.as_str();
            let role = shot.reading.role;
            if role == Role::Gesture && self.spine.is_some() {
                gestures.push(clip);
                self.used.push(Used { one_shot: true, ..Self::used(clip, role, clip) });
                continue;
            }
            let name = self.names.give(&shot.snake);
            graph = graph.trigger(&name);
            body = body.state(StateParts::clip(&name, clip).once());
            body = ground.leave(body, |from| {
                TransitionParts::new(from, &name).when(&name, Test::On).fade(0.15).inertial()
            });
            body = ground.back(body, |to| TransitionParts::new(&name, to).exit(0.9).fade(0.2).inertial());
            self.use_clip(clip, role, &name);
        }
        if let Some(clip) = clip(Role::Death) {
            let name = self.names.give("death");
            graph = graph.trigger(&name);
            body = body.state(StateParts::clip(&name, clip).once());
            let way = TransitionParts::new(TransitionParts::ANY, &name).when(&name, Test::On).priority(2);
            body = body.transition(way.fade(0.15).inertial());
            self.use_clip(clip, Role::Death, &name);
        }
        graph = gestures.iter().fold(graph, |graph, clip| graph.clip(clip));
        graph = graph.layer(body);
        if let Some(spine) = self.spine.as_deref().filter(|_| !gestures.is_empty()) {
            graph = graph.mask(UPPER_BODY, spine, 2).layer(LayerParts::new(UPPER_BODY).masked(UPPER_BODY));
        }
        (graph, core::mem::take(&mut self.used))
    }

    fn used(clip: &str, role: Role, name: &str) -> Used {
        Used { clip: clip.into(), role, name: name.into(), speed: None, one_shot: false }
    }

    fn use_clip(&mut self, clip: &str, role: Role, name: &str) {
        self.used.push(Self::used(clip, role, name));
    }

    /// The gaits, each at its speed; sides only if there are both.
    fn points<'c>(
        &self,
        chosen: &BTreeMap<Role, Candidate<'c>>,
        left_out: &mut Vec<(String, String)>,
    ) -> Vec<Point<'c>> {
        let mut points: Vec<Point<'c>> = Vec::new();
        let has = |way: Way| chosen.keys().any(|role| matches!(role, Role::Gait(_, own) if *own == way));
        let both = has(Way::Left) && has(Way::Right);
        for (role, candidate) in chosen {
            let Role::Gait(gait, way) = *role else { continue };
            let clip = candidate.animation.motion.name.as_str();
            if matches!(way, Way::Left | Way::Right) && !both {
                left_out.push((clip.into(), "there is no clip to the other side".into()));
                continue;
            }
            let speed = Speed::of(candidate.animation, self.skeleton, gait, self.height_m);
            points.push(Point { clip, gait, way, speed: rounded(speed) });
        }
        points.sort_by_key(|p| (p.way, p.gait));
        // A run is faster than a walk. Where what was measured says otherwise, what is usual says it.
        let mut before: Option<(Way, Gait, f64)> = None;
        for point in &mut points {
            if let Some((_, slow, speed)) = before.filter(|(way, ..)| *way == point.way)
                && point.speed.m_per_s < 1.1 * speed
            {
                let m_per_s = speed * point.gait.usual_speed() / slow.usual_speed();
                point.speed = rounded(Speed { m_per_s, source: SpeedSource::Usual });
            }
            before = Some((point.way, point.gait, point.speed.m_per_s));
        }
        points
    }

    /// The states of a jump, as many as there are clips for.
    fn jump(
        &mut self,
        chosen: &BTreeMap<Role, Candidate<'_>>,
        left_out: &mut Vec<(String, String)>,
        (mut graph, mut body): (GraphParts, LayerParts),
        ground: &Ground<'_>,
    ) -> (GraphParts, LayerParts) {
        let clip = |role: Role| chosen.get(&role).map(|c| c.animation.motion.name.as_str());
        let (start, air) = (clip(Role::JumpStart), clip(Role::Air));
        let whole = clip(Role::Jump).filter(|_| start.is_none());
        if let Some(clip) = clip(Role::Jump).filter(|_| start.is_some()) {
            left_out.push((clip.into(), "the jump is made of its parts".into()));
        }
        let land = clip(Role::Land).filter(|_| start.or(air).is_some());
        if let Some(clip) = clip(Role::Land).filter(|_| land.is_none()) {
            left_out.push((clip.into(), "there is no jump and no fall before it".into()));
        }
        let way = TransitionParts::new;
        if let Some((clip, role)) = start.map(|c| (c, Role::JumpStart)).or(whole.map(|c| (c, Role::Jump))) {
            graph = graph.trigger("jump");
            body = body.state(StateParts::clip("jump", clip).once());
            body = ground.leave(body, |from| {
                way(from, "jump").when("jump", Test::On).fade(0.12).inertial().priority(1)
            });
            self.use_clip(clip, role, "jump");
        }
        if let Some(clip) = air {
            graph = graph.bool("grounded", true);
            body = body.state(StateParts::clip("air", clip));
            body =
                ground.leave(body, |from| way(from, "air").when("grounded", Test::Off).fade(0.25).inertial());
            self.use_clip(clip, Role::Air, "air");
        }
        if let Some(clip) = land {
            body = body.state(StateParts::clip("land", clip).once());
            self.use_clip(clip, Role::Land, "land");
        }
        // From each part to the next, and back to the ground from the last.
        let ends = |body: LayerParts, state: &str, share: f32| {
            ground.back(body, |to| way(state, to).exit(share).fade(0.2).inertial())
        };
        match (start, air, land) {
            (Some(_), Some(_), _) => body = body.transition(way("jump", "air").exit(1.0).fade(0.1)),
            (Some(_), None, Some(_)) => body = body.transition(way("jump", "land").exit(1.0).fade(0.05)),
            (Some(_), None, None) => body = ends(body, "jump", 0.9),
            (None, ..) if whole.is_some() => body = ends(body, "jump", 0.9),
            (None, ..) => {}
        }
        if air.is_some() && land.is_some() {
            body = body.transition(way("air", "land").when("grounded", Test::On).fade(0.08));
        } else if air.is_some() {
            body = ground.back(body, |to| way("air", to).when("grounded", Test::On).fade(0.2).inertial());
        }
        if land.is_some() {
            body = ends(body, "land", 0.7);
        }
        (graph, body)
    }
}

impl Motion {
    fn new(points: &[Point<'_>], sideways: bool) -> Self {
        let slowest = points.iter().map(|p| p.speed.m_per_s).fold(f64::INFINITY, crate::exact::smaller);
        let slowest = if slowest.is_finite() { slowest } else { 1.0 };
        // Two limits, so that the states do not alternate.
        let (go, stop) = (two_digits(0.2 * slowest), two_digits(0.14 * slowest));
        let back = points.iter().any(|p| p.way == Way::Back);
        let both: &[&'static str] = if sideways { &["ahead", "left"] } else { &["speed"] };
        let (mut moves, mut stands) = (Vec::new(), Vec::new());
        for name in both.iter().copied() {
            moves.push((name, Test::Above(go)));
            stands.push((name, Test::Below(stop)));
            if sideways || back {
                moves.push((name, Test::Below(-go)));
                stands.push((name, Test::Above(-stop)));
            }
        }
        Self { moves, stands }
    }

    /// From idle to the gaits and back.
    fn between(&self, body: LayerParts) -> LayerParts {
        let to_idle = TransitionParts::new("move", "idle").fade(0.25);
        let to_idle = self.stands.iter().fold(to_idle, |way, (name, test)| way.when(name, *test));
        let to_move =
            |(name, test): &(&str, Test)| TransitionParts::new("idle", "move").when(name, *test).fade(0.25);
        self.moves.iter().map(to_move).fold(body, LayerParts::transition).transition(to_idle)
    }
}

/// The state that blends the gaits, as fast as asked: along a line, or in a plane if they go sideways.
fn gaits(points: &[Point<'_>], sideways: bool) -> StateParts {
    let at = |p: &Point<'_>| {
        let speed = narrow(p.speed.m_per_s);
        match p.way {
            Way::Ahead => [0.0, speed],
            Way::Back => [0.0, -speed],
            // The character's left is x.
            Way::Left => [speed, 0.0],
            Way::Right => [-speed, 0.0],
        }
    };
    if sideways {
        let points: Vec<([f32; 2], &str)> = points.iter().map(|p| (at(p), p.clip)).collect();
        return StateParts::plane("move", ["left", "ahead"], PlaneBlend::Delaunay, &points).keeping_speed();
    }
    let mut line: Vec<(f32, &str)> = points.iter().map(|p| (at(p)[1], p.clip)).collect();
    line.sort_by(|a, b| a.0.total_cmp(&b.0));
    StateParts::line("move", "speed", &line).keeping_speed()
}

/// As people write speeds; never 0.
fn rounded(speed: Speed) -> Speed {
    let m_per_s = libm::round(speed.m_per_s * 100.0) / 100.0;
    Speed { m_per_s: if m_per_s > 0.0 { m_per_s } else { speed.m_per_s }, ..speed }
}

fn two_digits(value: f64) -> f32 {
    let digits = libm::round(value * 100.0) / 100.0;
    narrow(if digits > 0.0 { digits } else { value })
}
