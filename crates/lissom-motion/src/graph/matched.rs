//! States that are played by motion matching: what is known of them beforehand, and one search.

use super::{ClipCurve, FeetParts, FloatStart, Graph, GraphClip, Problem, RootUse, State, space::half_turn};
use crate::{
    matching::{Database, FeatureKind, MAX_FEATURES, Query, QueryError},
    state::{MatchedQuery, Steering, TrajectoryPoint},
    time::Head,
};
use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};
use core::ops::Range;
use lissom::track::Repeat;

/// Points of a trajectory that a state is steered by, at most.
pub(crate) const MAX_TIMES: usize = 16;
/// Searches of a state in one step, at most: the last ones.
const MAX_SEARCHES: usize = 4;
/// Frames this near to the one that plays are not found, in seconds.
const NEAR_S: f32 = 1.0 / 3.0;
/// Times that are this near, in seconds, are one: however steps were summed up.
const SAME_S: f64 = 1.0e-6;
/// The fastest that a character is wanted to go, in metres per second: what is asked for beyond it counts as this.
const FASTEST_MPS: f32 = 1000.0;
/// Slower than this, nobody goes anywhere: where it faces stays.
const SLOWEST_MPS: f64 = 0.1;
/// A change of where to face that forces a search.
const SHARP_TURN: f32 = core::f32::consts::FRAC_PI_4;
/// Its cosine.
const SHARP_COSINE: f64 = core::f64::consts::FRAC_1_SQRT_2;
/// A half-life below this is none.
const SHORTEST_S: f64 = 1.0e-3;

/// A state that is played by motion matching.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matched {
    /// None: it was not there to be checked.
    pub(crate) database: Option<Arc<Database>>,
    pub(crate) name: Box<str>,
    /// The graph's numbers of the database's clips.
    pub(crate) clips: Box<[u16]>,
    /// Which features are of the trajectory ahead.
    ahead: Box<[Ahead]>,
    /// Of the trajectory, in seconds from now.
    pub(crate) times_s: Box<[f32]>,
    /// Where its points are in a state.
    pub(crate) points: Range<u32>,
    tags: u32,
    velocity: [u16; 2],
    facing: Option<u16>,
    velocity_half_life_s: By,
    facing_half_life_s: By,
    responsiveness: By,
    transition_cost: By,
    search_s: f64,
    sharp_mps: f32,
    pub(crate) blend_s: f32,
    /// Boxed: few hold any.
    pub(crate) feet: Option<Box<FeetParts>>,
    /// What a state of the graph starts with.
    pub(crate) start: Entered,
}

/// A feature of the trajectory ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ahead {
    feature: u16,
    /// Which of the times.
    time: u16,
    is_direction: bool,
    /// Sideways, not ahead.
    is_aside: bool,
}

/// A number, or a float parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum By {
    Number(f32),
    Float(u16),
}

/// What a state begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Entered {
    pub(crate) clip: u16,
    pub(crate) head: Head,
    pub(crate) steering: Steering,
}

/// What is wanted, as the character sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wish {
    /// To its left, and ahead.
    velocity: [f32; 2],
    /// In radians to its left.
    facing: Option<f32>,
}

/// What is said of a matched state, by number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    pub velocity: [u16; 2],
    pub facing: Option<u16>,
    pub velocity_half_life_s: By,
    pub facing_half_life_s: By,
    pub responsiveness: By,
    pub transition_cost: By,
    pub search_s: f32,
    pub sharp_mps: f32,
    pub blend_s: f32,
}

impl By {
    fn of(self, float: impl Fn(u16) -> f32) -> f32 {
        match self {
            Self::Number(number) => number,
            Self::Float(at) => float(at),
        }
    }
}

impl Matched {
    pub(super) fn new(name: &str, said: Said) -> Self {
        let Said { velocity, facing, velocity_half_life_s, facing_half_life_s, .. } = said;
        let Said { responsiveness, transition_cost, search_s, sharp_mps, blend_s, .. } = said;
        Self {
            database: None,
            name: name.into(),
            clips: Box::default(),
            ahead: Box::default(),
            times_s: Box::default(),
            points: 0..0,
            tags: 0,
            velocity,
            facing,
            velocity_half_life_s,
            facing_half_life_s,
            responsiveness,
            transition_cost,
            search_s: f64::from(search_s),
            sharp_mps,
            blend_s,
            feet: None,
            start: Entered::default(),
        }
    }

    /// Takes a database: its clips by the graph's numbers, and where its points will be. An error if no frame has the tags, or if
    /// there are more times than are steered.
    pub(super) fn take(
        &mut self,
        database: Arc<Database>,
        tags: &[String],
        clips: Vec<u16>,
        first_point: u32,
    ) -> Result<(), Problem> {
        let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
        let wrong = |problem| Problem::Tags { database: (&*self.name).into(), problem };
        self.tags = database.tag_bits(&tags).map_err(wrong)?;
        let (mut ahead, mut times) = (Vec::new(), Vec::new());
        for (number, feature) in database.features().iter().enumerate() {
            let (time_s, is_direction) = match feature.kind {
                FeatureKind::TrajectoryPosition { time_s } => (time_s, false),
                FeatureKind::TrajectoryDirection { time_s } => (time_s, true),
                _ => continue,
            };
            // What was stays as it is in the frame that plays, and so does how high it will be.
            if time_s <= 0.0 || feature.axis == 1 {
                continue;
            }
            let known = times.iter().position(|known: &f32| known.to_bits() == time_s.to_bits());
            let time = known.unwrap_or_else(|| {
                times.push(time_s);
                times.len() - 1
            });
            let is_aside = feature.axis == 0;
            ahead.push(Ahead { feature: number as u16, time: time as u16, is_direction, is_aside });
        }
        if times.len() > MAX_TIMES {
            let what = "times of the trajectory ahead in a database that a state is steered by";
            return Err(Problem::Limit { what, found: times.len(), allowed: MAX_TIMES });
        }
        self.points = first_point..first_point + times.len() as u32;
        (self.ahead, self.times_s, self.clips) = (ahead.into(), times.into(), clips.into());
        self.database = Some(database);
        Ok(())
    }

    /// The float parameters of the velocity and of where to face.
    pub(crate) fn inputs(&self) -> ([u16; 2], Option<u16>) {
        (self.velocity, self.facing)
    }

    /// True if points lie elsewhere than those before, by as much as a sharp change of the velocity leads to, or face elsewhere.
    pub(crate) fn is_far(&self, before: &[TrajectoryPoint], points: &[TrajectoryPoint]) -> bool {
        let is_far = |((before, point), time_s): ((&TrajectoryPoint, &TrajectoryPoint), &f32)| {
            let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
            let off: [f64; 2] =
                core::array::from_fn(|i| f64::from(point.position[i]) - f64::from(before.position[i]));
            let sharp = f64::from(self.sharp_mps) * f64::from(*time_s);
            let [a, b] = [before.direction, point.direction].map(|v| v.map(f64::from));
            dot(off, off) > sharp * sharp || dot(a, b) < SHARP_COSINE * libm::sqrt(dot(a, a) * dot(b, b))
        };
        before.iter().zip(points).zip(&*self.times_s).any(is_far)
    }

    /// What parameters ask for.
    pub(crate) fn wish(&self, float: impl Fn(u16) -> f32) -> Wish {
        let within = |v: f32| {
            if v > FASTEST_MPS {
                FASTEST_MPS
            } else if v > -FASTEST_MPS {
                v
            } else {
                -FASTEST_MPS
            }
        };
        Wish { velocity: self.velocity.map(|by| within(float(by))), facing: self.facing.map(float) }
    }
}

/// How a character is steered from search to search: numbers for one of them.
struct Springs {
    velocity_half_life_s: f64,
    facing_half_life_s: f64,
}

/// A critically damped spring to 0 after a time: how far it is, how fast, and what it has covered.
fn spring(value: f64, rate: f64, half_life_s: f64, time_s: f64) -> (f64, f64, f64) {
    if half_life_s < SHORTEST_S {
        return (0.0, 0.0, 0.0);
    }
    let y = 2.0 * core::f64::consts::LN_2 / half_life_s;
    let (j0, j1) = (value, rate + value * y);
    let left = libm::exp(-y * time_s);
    if left <= 0.0 {
        // So long that nothing is left: the time itself would be too large a factor.
        return (0.0, 0.0, j1 / (y * y) + j0 / y);
    }
    let covered = left * (-j1 / (y * y) + (-j0 - j1 * time_s) / y) + j1 / (y * y) + j0 / y;
    (left * (j0 + j1 * time_s), left * (rate - j1 * y * time_s), covered)
}

/// By an angle to the left.
fn turned([x, z]: [f64; 2], angle: f64) -> [f64; 2] {
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    [x * cos + z * sin, z * cos - x * sin]
}

/// An angle within half a turn, whatever it was.
fn wrapped(angle: f64) -> f64 {
    let turn = core::f64::consts::TAU;
    half_turn(angle - libm::floor(angle / turn) * turn)
}

impl Steering {
    /// One who goes as is wanted.
    fn new(wish: &Wish) -> Self {
        Self {
            velocity: wish.velocity,
            wanted: wish.velocity,
            wanted_facing: wish.facing.unwrap_or(0.0),
            ..Self::default()
        }
    }

    /// Seen from a character that has turned.
    fn turn(&mut self, angle: f64) {
        if angle != 0.0 {
            let back = |v: [f32; 2]| turned(v.map(f64::from), -angle).map(|v| v as f32);
            (self.velocity, self.acceleration) = (back(self.velocity), back(self.acceleration));
            self.facing = wrapped(f64::from(self.facing) - angle) as f32;
        }
    }

    /// Where it is to face: as is wanted, or where it is to go.
    fn facing_goal(&self, wish: &Wish) -> f64 {
        let [x, z] = wish.velocity.map(f64::from);
        match wish.facing {
            Some(facing) => f64::from(facing),
            None if x * x + z * z > SLOWEST_MPS * SLOWEST_MPS => libm::atan2(x, z),
            None => f64::from(self.facing),
        }
    }

    /// Velocity and direction follow what is wanted.
    fn follow(&mut self, wish: &Wish, springs: &Springs, time_s: f64) {
        for i in 0..2 {
            let goal = f64::from(wish.velocity[i]);
            let (off, rate) = (f64::from(self.velocity[i]) - goal, f64::from(self.acceleration[i]));
            let (off, rate, _) = spring(off, rate, springs.velocity_half_life_s, time_s);
            (self.velocity[i], self.acceleration[i]) = ((goal + off) as f32, rate as f32);
        }
        let goal = self.facing_goal(wish);
        let off = wrapped(f64::from(self.facing) - goal);
        let (off, rate, _) = spring(off, f64::from(self.turning), springs.facing_half_life_s, time_s);
        (self.facing, self.turning) = (wrapped(goal + off) as f32, rate as f32);
    }

    /// Where it will be, and face, if what is wanted stays.
    fn ahead(&self, wish: &Wish, springs: &Springs, time_s: f64) -> TrajectoryPoint {
        let position = core::array::from_fn(|i| {
            let goal = f64::from(wish.velocity[i]);
            let (off, rate) = (f64::from(self.velocity[i]) - goal, f64::from(self.acceleration[i]));
            (goal * time_s + spring(off, rate, springs.velocity_half_life_s, time_s).2) as f32
        });
        let goal = self.facing_goal(wish);
        let off = wrapped(f64::from(self.facing) - goal);
        let facing = goal + spring(off, f64::from(self.turning), springs.facing_half_life_s, time_s).0;
        TrajectoryPoint { position, direction: [libm::sin(facing) as f32, libm::cos(facing) as f32] }
    }
}

/// What a search is made with, beside what it finds.
pub(crate) struct Asking<'a, F> {
    pub(crate) graph: &'a Graph,
    pub(crate) state: &'a State,
    pub(crate) matched: &'a Matched,
    pub(crate) points: &'a [TrajectoryPoint],
    pub(crate) float: F,
}

impl<F: Fn(u16) -> f32 + Copy> Asking<'_, F> {
    fn springs(&self) -> Springs {
        let positive = |v: f32, or: f64| if v > 0.0 { f64::from(v) } else { or };
        let quick = positive(self.matched.responsiveness.of(self.float), 1.0e-3);
        let half_life_s = |by: By| positive(by.of(self.float), 0.0) / quick;
        Springs {
            velocity_half_life_s: half_life_s(self.matched.velocity_half_life_s),
            facing_half_life_s: half_life_s(self.matched.facing_half_life_s),
        }
    }

    fn transition_cost(&self) -> f32 {
        let positive = |v: f32, or: f32| if v > 0.0 { v } else { or };
        let quick = positive(self.matched.responsiveness.of(self.float), 1.0e-3);
        let cost = positive(self.matched.transition_cost.of(self.float), 0.0) / quick;
        if cost < 1.0e9 { cost } else { 1.0e9 }
    }

    /// The trajectory that is wanted: the game's points, or where springs lead to.
    fn wanted(&self, steering: &Steering, wish: &Wish) -> [TrajectoryPoint; MAX_TIMES] {
        let springs = self.springs();
        let mut points = [TrajectoryPoint::default(); MAX_TIMES];
        for (i, (point, time_s)) in points.iter_mut().zip(&*self.matched.times_s).enumerate() {
            *point = match self.points.get(i).filter(|_| steering.is_led) {
                Some(led) => *led,
                None => steering.ahead(wish, &springs, f64::from(*time_s)),
            };
        }
        points
    }

    /// What a query asks of the trajectory.
    fn trajectory(&self, steering: &Steering, wish: &Wish, values: &mut [f32]) {
        let points = self.wanted(steering, wish);
        // Of a character whose root motion is scaled, the clips' own is looked for.
        let scale = match self.state.root {
            RootUse::Scaled(by) if by > 0.0 => 1.0 / by,
            _ => 1.0,
        };
        for ahead in &*self.matched.ahead {
            let TrajectoryPoint { position, direction } = points[usize::from(ahead.time)];
            let [aside, forward] = if ahead.is_direction { direction } else { position.map(|v| v * scale) };
            let value = if ahead.is_aside { aside } else { forward };
            let most = 1.0e6;
            let value = if value > most { most } else { value };
            values[usize::from(ahead.feature)] = if value < -most { -most } else { value };
        }
    }

    fn query(&self, database: &Database, values: &[f32]) -> Result<Query, QueryError> {
        database.query(&values[..database.features().len()])?.tagged(database, self.matched.tags)
    }

    /// The range of the database that has a clip at a time in it, and the frame there.
    fn place_of(&self, database: &Database, (clip, time_s): (u16, f64)) -> Option<(u32, u32)> {
        let clip = self.matched.clips.iter().position(|own| *own == clip)?;
        let range = database.range_at(clip as u32, time_s as f32)?;
        Some((range, database.frame_at(range, time_s as f32)?))
    }

    /// What a state begins with that may not search yet, after a clip at a time in it, if that is known: it goes on there if it may
    /// play that, else where states of the graph start, and searches at its next turn.
    pub(crate) fn enter_without_search(&self, shown: Option<(u16, f64)>, is_led: bool) -> Entered {
        let wish = self.matched.wish(self.float);
        let start = self.matched.start;
        let steering = Steering { is_led, must_search: true, ..Steering::new(&wish) };
        let seen = shown.and_then(|(clip, time_s)| {
            let database = self.matched.database.as_deref()?;
            let (range, _) = self.place_of(database, (clip, time_s))?;
            let tags = database.ranges().get(range as usize)?.tags;
            (tags & self.matched.tags == self.matched.tags).then_some((clip, range, time_s))
        });
        match seen {
            Some((clip, range, time_s)) => {
                let head = self.graph.head_in(clip, time_s);
                Entered { clip, head, steering: Steering { range, time_s, ..steering } }
            }
            None => {
                let Steering { range, time_s, .. } = start.steering;
                Entered { steering: Steering { range, time_s, ..steering }, ..start }
            }
        }
    }

    /// What a state begins with, after a clip at a time in it, if that is known.
    pub(crate) fn enter(&self, shown: Option<(u16, f64)>, is_led: bool) -> Entered {
        let wish = self.matched.wish(self.float);
        let mut steering = Steering { is_led, ..Steering::new(&wish) };
        let Some(database) = self.matched.database.as_deref() else { return Entered::default() };
        let mut values = [0.0; MAX_FEATURES];
        for (value, feature) in values.iter_mut().zip(database.features()) {
            *value = feature.offset;
        }
        if let Some((_, frame)) = shown.and_then(|shown| self.place_of(database, shown)) {
            // It has this frame.
            let _ = database.values(frame, &mut values);
        }
        self.trajectory(&steering, &wish, &mut values);
        // The tags were checked, so something is found.
        let found = self.query(database, &values).and_then(|query| database.search(&query));
        let Some(place) = found.as_ref().ok().and_then(|found| database.place(found.frame)) else {
            return Entered::default();
        };
        steering.cost = found.map_or(0, |found| found.cost);
        (steering.range, steering.time_s) = (place.range, f64::from(place.time_s));
        let clip = self.matched.clips.get(place.clip as usize).copied().unwrap_or_default();
        Entered { clip, head: self.graph.head_in(clip, steering.time_s), steering }
    }

    /// What a search of its database would ask for that is made at an age of the state.
    pub(crate) fn query_at<'d>(
        &self,
        database: &'d Arc<Database>,
        clip: u16,
        steering: &Steering,
        at_s: f64,
    ) -> Option<MatchedQuery<'d>> {
        let wish = self.matched.wish(self.float);
        let mut steering = *steering;
        let (frame, values) = self.asked(database, clip, &mut steering, &wish, at_s)?;
        let mut wanted = self.wanted(&steering, &wish).to_vec();
        wanted.truncate(self.matched.times_s.len());
        let query = self.query_of(database, frame, &values)?;
        let values = values.iter().take(database.features().len()).copied().collect();
        Some(MatchedQuery { database, frame, values, query, wanted })
    }

    /// Searches of a step from one age of the state to another, as far as they are due; where it goes on from, if that is
    /// elsewhere.
    pub(crate) fn search(
        &self,
        clip: u16,
        steering: &mut Steering,
        from_s: f64,
        to_s: f64,
    ) -> Option<(u16, Head)> {
        let database = self.matched.database.as_deref()?;
        let wish = self.matched.wish(self.float);
        let mut clip = clip;
        let mut goes = false;
        // Of a step that is longer than that, the end alone.
        let early_s = to_s - self.matched.search_s * MAX_SEARCHES as f64;
        let first_s = if from_s > early_s { from_s } else { early_s };
        for _ in 0..MAX_SEARCHES {
            let Some((at_s, must_leave)) = self.due(database, clip, steering, &wish, first_s, to_s) else {
                break;
            };
            let moved = self.search_at(database, clip, steering, &wish, at_s, must_leave);
            if let Some(next) = moved {
                (clip, goes) = (next, true);
            }
        }
        let head = || self.graph.head_in(clip, steering.time_s + (to_s - steering.at_s));
        goes.then(|| (clip, head()))
    }

    /// When the next search is to be made in a step, and whether the clip is over then.
    fn due(
        &self,
        database: &Database,
        clip: u16,
        steering: &Steering,
        wish: &Wish,
        from_s: f64,
        to_s: f64,
    ) -> Option<(f64, bool)> {
        let search_s = self.matched.search_s;
        let regular_s = (libm::floor((steering.at_s + SAME_S) / search_s) + 1.0) * search_s;
        let own = self.graph.matched_clip(clip);
        let over_s = if own.looping {
            f64::INFINITY
        } else {
            steering.at_s + (database.end_of_run_s(steering.range)? - steering.time_s)
        };
        // Where it ended and nothing was found, it searches as usual.
        let is_over = steering.at_s > over_s - SAME_S;
        let due_s = if !is_over && over_s < regular_s { over_s } else { regular_s };
        let at_s = if due_s > from_s { due_s } else { from_s };
        // After a search nothing else is wanted than was then.
        let sharp = steering.must_search
            || (from_s > steering.at_s - SAME_S && self.is_sharp(clip, steering, wish, from_s));
        let at_s = if sharp { from_s } else { at_s };
        (at_s <= to_s + SAME_S).then_some((at_s, at_s > over_s - SAME_S))
    }

    /// True if something else is wanted than at the last search.
    fn is_sharp(&self, clip: u16, steering: &Steering, wish: &Wish, at_s: f64) -> bool {
        let far = |[x, z]: [f64; 2]| {
            let [x, z] = [f64::from(wish.velocity[0]) - x, f64::from(wish.velocity[1]) - z];
            x * x + z * z > f64::from(self.matched.sharp_mps) * f64::from(self.matched.sharp_mps)
        };
        let off = |turn: f64| {
            let facing = f64::from(wish.facing.unwrap_or(steering.wanted_facing));
            wrapped(facing - f64::from(steering.wanted_facing) + turn).abs() > f64::from(SHARP_TURN)
        };
        let wanted = steering.wanted.map(f64::from);
        if steering.is_led || !(far(wanted) || off(0.0)) {
            return false;
        }
        // It may be the character that has turned.
        let turn = self.turn(clip, steering.time_s, at_s - steering.at_s);
        far(turned(wanted, -turn)) || (wish.facing.is_some() && off(turn))
    }

    /// How far a clip turns the character in some time from a time on.
    fn turn(&self, clip: u16, time_s: f64, by_s: f64) -> f64 {
        let own = self.graph.matched_clip(clip);
        match &own.turn {
            Some(turn) if self.state.root != RootUse::Ignore => own.turned(turn, time_s, by_s),
            _ => 0.0,
        }
    }

    /// What a search at an age of the state starts from: the frame that plays, and what is asked for. The steering goes on to then.
    fn asked(
        &self,
        database: &Database,
        clip: u16,
        steering: &mut Steering,
        wish: &Wish,
        at_s: f64,
    ) -> Option<(u32, [f32; MAX_FEATURES])> {
        let by_s = at_s - steering.at_s;
        steering.turn(self.turn(clip, steering.time_s, by_s));
        steering.follow(wish, &self.springs(), by_s);
        steering.time_s = self.graph.matched_clip(clip).within(steering.time_s + by_s);
        steering.at_s = at_s;
        (steering.wanted, steering.wanted_facing) = (wish.velocity, wish.facing.unwrap_or(0.0));
        let frame = database.frame_of_run(steering.range, steering.time_s)?;
        let mut values = [0.0; MAX_FEATURES];
        database.values(frame, &mut values)?;
        self.trajectory(steering, wish, &mut values);
        Some((frame, values))
    }

    /// The query of a frame that plays and of what is asked for. Everything was checked: there is nothing that could be refused.
    fn query_of(&self, database: &Database, frame: u32, values: &[f32]) -> Option<Query> {
        let zone = (NEAR_S * database.rate_hz()) as u32;
        self.query(database, values).ok()?.playing(database, frame, zone, self.transition_cost()).ok()
    }

    /// One search at an age of the state; the clip that it goes on with, if it goes on elsewhere.
    fn search_at(
        &self,
        database: &Database,
        clip: u16,
        steering: &mut Steering,
        wish: &Wish,
        at_s: f64,
        must_leave: bool,
    ) -> Option<u16> {
        let (frame, values) = self.asked(database, clip, steering, wish, at_s)?;
        steering.searches = steering.searches.wrapping_add(1);
        steering.must_search = false;
        let query = self.query_of(database, frame, &values)?;
        let query = if must_leave { query.leaving() } else { query };
        let found = database.search(&query).ok()?;
        steering.cost = found.cost;
        let next = if !found.stays {
            found.frame
        } else if must_leave {
            // All that could be found is too near: it begins anew.
            database.first_found(self.matched.tags).filter(|first| *first != frame)?
        } else {
            return None;
        };
        let place = database.place(next)?;
        (steering.range, steering.time_s) = (place.range, f64::from(place.time_s));
        steering.jumps = steering.jumps.wrapping_add(1);
        self.matched.clips.get(place.clip as usize).copied()
    }
}

impl GraphClip {
    /// How a state plays it that is played by motion matching.
    pub(crate) fn matched_repeat(&self) -> Repeat {
        if self.looping { Repeat::Loop } else { Repeat::Once }
    }

    /// A time in it: a loop begins anew, another clip holds its end.
    pub(crate) fn within(&self, time_s: f64) -> f64 {
        if self.looping && self.duration_s > 0.0 && time_s >= self.duration_s {
            time_s - libm::floor(time_s / self.duration_s) * self.duration_s
        } else {
            time_s
        }
    }

    /// How far it turns in some time from a time on.
    fn turned(&self, turn: &ClipCurve, time_s: f64, by_s: f64) -> f64 {
        if self.duration_s <= 0.0 {
            return 0.0;
        }
        let at = |ratio: f64| f64::from(turn.at(if ratio > 1.0 { 1.0 } else { ratio }));
        let (from, to) = (time_s / self.duration_s, (time_s + by_s) / self.duration_s);
        if !self.looping {
            return at(to) - at(from);
        }
        let laps = libm::floor(to);
        at(to - laps) - at(from) + laps * (at(1.0) - at(0.0))
    }
}

impl Graph {
    /// True if a state of it holds feet.
    pub(crate) fn holds_feet(&self) -> bool {
        self.matched.iter().any(|matched| matched.feet.is_some())
    }

    /// The state's matching, if it is played by that.
    pub(crate) fn matched_of(&self, state: &State) -> Option<&Matched> {
        self.matched.get(usize::from(state.matched?))
    }

    /// A clip of a matched state.
    pub(crate) fn matched_clip(&self, clip: u16) -> &GraphClip {
        &self.clips[usize::from(clip)]
    }

    /// How a clip repeats in a state.
    pub(crate) fn repeat_of(&self, state: u16, clip: u16) -> Repeat {
        let state = self.state(state);
        // Without its database a state plays no clip.
        match self.clips.get(usize::from(clip)).filter(|_| state.matched.is_some()) {
            Some(clip) => clip.matched_repeat(),
            None => state.repeat,
        }
    }

    /// How fast a clip of a matched state goes through its lap.
    pub(crate) fn laps_per_s_of(&self, clip: u16) -> f64 {
        let duration_s = self.matched_clip(clip).duration_s;
        if duration_s > 0.0 { 1.0 / duration_s } else { 1.0 }
    }

    /// Where a clip of a matched state is at a time.
    fn head_in(&self, clip: u16, time_s: f64) -> Head {
        let own = self.matched_clip(clip);
        let laps = if own.duration_s > 0.0 { own.within(time_s) / own.duration_s } else { 0.0 };
        Head::at(laps, own.matched_repeat())
    }

    /// What matched states start with.
    pub(super) fn starts(&self, floats: &[FloatStart]) -> Vec<Entered> {
        let start = |state: &State| {
            let matched = self.matched_of(state)?;
            let float = |at: u16| floats[usize::from(at)].start;
            Some(Asking { graph: self, state, matched, points: &[], float }.enter(None, false))
        };
        self.states.iter().filter_map(start).collect()
    }
}
