//! What may happen: states, transitions, layers, checked once and laid out flat.

mod compile;
mod delaunay;
mod error;
mod facts;
mod load;
mod mask;
mod matched;
mod montage;
mod names;
mod parts;
mod saved;
mod space;
mod sync;

pub use crate::reader::FormatError;
pub use error::{GraphError, Place, Problem};
pub use facts::{ClipCurve, ClipFacts};
pub use load::{LoadError, PlayedGraph};
pub use montage::{MAX_SECTIONS, MontageParts, Next, SectionParts, ShotOf};
pub use names::TransitionView;
pub use parts::{
    Amount, ConditionParts, Fade, FeetParts, GraphParts, Interruption, KeepSpeed, LayerParts, MaskParts,
    MaskRule, MatchedParts, MotionParts, ParameterKind, ParameterParts, PlaneBlend, PointParts, RootUse,
    StateParts, Test, TransitionParts,
};
pub use space::MAX_POINTS;
pub use sync::MAX_SYNC;

pub(crate) use matched::{Asking, Entered, Matched};
pub(crate) use montage::{Course, Montage};
pub(crate) use sync::Pace;

use crate::{
    error::StateError,
    limits::MAX_EVENTS,
    time::{Head, Laps, Rate, Ticks},
};
use alloc::{boxed::Box, format, string::String, vec::Vec};
use core::ops::Range;
use lissom::{
    archive::clip_called,
    track::{Playhead, Repeat, Timeline},
};
use space::Space;
pub(crate) use space::SpacePoint;
use sync::Marks;

/// Laps from the start that a parameter may lead to: the number that it holds is then still exact to a thousandth of a lap.
const MAX_DRIVEN: f32 = 8192.0;

/// A graph: what may happen. Immutable, shared by all who play it.
///
/// ```
/// use lissom_motion::{Graph, GraphParts, GraphState, frame::Frame, graph::{LayerParts, StateParts, Test, TransitionParts}};
///
/// let gaits = StateParts::line("move", "speed", &[(0.0, "idle"), (1.4, "walk"), (4.0, "run")]);
/// let parts = GraphParts::new().float("speed", 0.0).trigger("jump").layer(
///     LayerParts::new("body")
///         .state(gaits.own_time("idle").keeping_speed())
///         .state(StateParts::clip("jump", "jump").once())
///         .transition(TransitionParts::new("move", "jump").when("jump", Test::On).fade(0.1))
///         .transition(TransitionParts::new("jump", "move").exit(0.9)),
/// );
/// let graph = Graph::new(&parts, |_clip| Some(1.0))?; // how long each clip is, in seconds
/// let (speed, jump) = (graph.float("speed")?, graph.trigger("jump")?);
/// let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
/// state.set(speed, 2.4)?;
/// state.set(jump, true)?;
/// graph.update(&mut state, 1.0 / 60.0, &mut frame)?;
/// assert_eq!(state.leading(&graph, 0), Some("jump"));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// A hash of all that a state refers to by number: a state of another shape is refused.
    pub(crate) shape: u64,
    pub(crate) clips: Box<[GraphClip]>,
    pub(crate) parameters: Box<[Parameter]>,
    pub(crate) floats: Box<[FloatStart]>,
    pub(crate) curves: Box<[Curves]>,
    pub(crate) ints: Box<[i32]>,
    /// Bools and triggers.
    pub(crate) flags: Box<[bool]>,
    pub(crate) masks: Box<[MaskParts]>,
    pub(crate) layers: Box<[Layer]>,
    pub(crate) states: Box<[State]>,
    spaces: Box<[Space]>,
    /// States that are played by motion matching.
    pub(crate) matched: Box<[Matched]>,
    pub(crate) montages: Box<[Montage]>,
    pub(crate) transitions: Box<[Transition]>,
    pub(crate) conditions: Box<[Condition]>,
    /// For each state, the transitions that may leave it, in the order in which they are asked.
    candidates: Box<[u16]>,
    /// A lap of length 1, by [`Repeat`].
    units: [Timeline; 3],
    most_entries: usize,
    /// Markers by which clips are kept in step.
    sync: Box<[String]>,
    /// True if a transition may be by inertia, or poses are kept.
    is_inertial: bool,
    /// True if a rule asks whether a layer plays a one-shot.
    pub(crate) asks_shots: bool,
    /// True if poses may be taken over.
    hand_over: bool,
    /// The least weight of a joint, if it is said.
    pub(crate) blend_threshold: Option<f32>,
    /// Names of poses that are kept.
    pub(crate) poses: Box<[Box<str>]>,
}

/// A clip that a graph plays.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphClip {
    /// Its name in the archive.
    pub name: Box<str>,
    /// In seconds.
    pub duration_s: f64,
    /// Where it passes the markers of [`GraphParts::sync`], if it does.
    pub(crate) marks: Option<Marks>,
    /// How far a lap carries its character, seen from the character.
    travel_m: [f64; 3],
    /// True if its end leads on to its start.
    pub(crate) looping: bool,
    /// How far it turns, if that is known.
    pub(crate) turn: Option<ClipCurve>,
}

/// A parameter that clips set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curves {
    /// Its number among the floats.
    pub(crate) float: u16,
    name: Box<str>,
    /// By clip, rising.
    of_clips: Vec<(u16, ClipCurve)>,
}

/// A parameter of a graph, found by [`Graph::parameter`]: for programs that know its name, but not its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub(crate) name: Box<str>,
    pub(crate) key: AnyKey,
}

impl Parameter {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its key, of its kind.
    #[must_use]
    pub fn key(&self) -> AnyKey {
        self.key
    }
}

/// The key of a parameter, of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyKey {
    /// Of a float.
    Float(FloatKey),
    /// Of an int.
    Int(IntKey),
    /// Of a bool.
    Bool(BoolKey),
    /// Of a trigger.
    Trigger(TriggerKey),
    /// Of a number that the clips set.
    Curve(CurveKey),
}

impl AnyKey {
    /// What it is, in words: "a float".
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Float(_) => "a float",
            Self::Int(_) => "an int",
            Self::Bool(_) => "a bool",
            Self::Trigger(_) => "a trigger",
            Self::Curve(_) => "a curve",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FloatStart {
    pub(crate) start: f32,
    pub(crate) half_life_s: f32,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layer {
    pub(crate) name: Box<str>,
    pub(crate) additive: bool,
    pub(crate) mask: Option<u16>,
    pub(crate) weight: f32,
    pub(crate) weight_from: Option<u16>,
    /// The first one is where it starts.
    pub(crate) states: Range<u16>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) name: Box<str>,
    space: u16,
    /// Its number among those that are played by motion matching.
    pub(crate) matched: Option<u16>,
    /// Float parameters.
    place: [Option<u16>; 2],
    speed: f32,
    speed_from: Option<u16>,
    keep_speed: Option<KeepSpeed>,
    /// A float parameter that is its time.
    pub(crate) time_from: Option<u16>,
    start: f32,
    pub(crate) root: RootUse,
    pub(crate) repeat: Repeat,
    candidates: Range<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Transition {
    pub(crate) to: u16,
    pub(crate) conditions: Range<u32>,
    pub(crate) priority: i32,
    pub(crate) exit: Option<f32>,
    pub(crate) fade_s: f32,
    pub(crate) fade: Fade,
    pub(crate) interruption: Interruption,
    pub(crate) offset: f32,
    pub(crate) sync: bool,
    pub(crate) inertial: bool,
}

/// A test of a parameter, by its number in the list of its kind, or a rule. Rules stand before what they are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Condition {
    FloatAbove(u16, f32),
    FloatBelow(u16, f32),
    IntAbove(u16, f64),
    IntBelow(u16, f64),
    IntIs(u16, i32),
    IntIsNot(u16, i32),
    On(u16),
    Off(u16),
    Trigger(u16),
    AfterSeconds(f64),
    AfterLaps(f64),
    /// A layer led with a state before the step.
    Leads(u16, u16),
    /// A layer played a one-shot of a clip, or of any, before the step.
    Plays(u16, Option<u16>),
    /// Of this many entries of the list that follow.
    All(u32),
    Any(u32),
    /// What follows.
    Not,
}

macro_rules! key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub(crate) u16);
    };
}

key! {
    /// A float parameter, looked up once by [`Graph::float`].
    FloatKey
}
key! {
    /// An int parameter, looked up once by [`Graph::int`].
    IntKey
}
key! {
    /// A bool parameter, looked up once by [`Graph::bool`].
    BoolKey
}
key! {
    /// A trigger, looked up once by [`Graph::trigger`].
    TriggerKey
}
key! {
    /// A number that the clips set, looked up once by [`Graph::curve`].
    CurveKey
}
key! {
    /// A layer, looked up once by [`Graph::layer`].
    LayerKey
}
key! {
    /// A clip, looked up once by [`Graph::clip`].
    ClipKey
}
key! {
    /// A mask, looked up once by [`Graph::mask_key`].
    MaskKey
}
key! {
    /// A state, looked up once by [`Graph::state_key`].
    StateKey
}
key! {
    /// A montage, looked up once by [`Graph::montage`].
    MontageKey
}
key! {
    /// A pose that a character may keep, looked up once by [`Graph::pose_key`].
    PoseKey
}

/// A section of a montage, looked up once by [`Graph::section`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SectionKey {
    pub(crate) montage: u16,
    pub(crate) section: u8,
}

impl Graph {
    /// The most layers.
    pub const MAX_LAYERS: usize = 16;

    /// The float parameter of this name.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn float(&self, name: &str) -> Result<FloatKey, StateError> {
        let key = |key| if let AnyKey::Float(key) = key { Some(key) } else { None };
        self.typed("float parameter", name, key)
    }

    /// The int parameter of this name.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn int(&self, name: &str) -> Result<IntKey, StateError> {
        let key = |key| if let AnyKey::Int(key) = key { Some(key) } else { None };
        self.typed("int parameter", name, key)
    }

    /// The bool parameter of this name.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn bool(&self, name: &str) -> Result<BoolKey, StateError> {
        let key = |key| if let AnyKey::Bool(key) = key { Some(key) } else { None };
        self.typed("bool parameter", name, key)
    }

    /// The trigger of this name.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn trigger(&self, name: &str) -> Result<TriggerKey, StateError> {
        let key = |key| if let AnyKey::Trigger(key) = key { Some(key) } else { None };
        self.typed("trigger", name, key)
    }

    /// The parameter of this name that the clips set.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn curve(&self, name: &str) -> Result<CurveKey, StateError> {
        let key = |key| if let AnyKey::Curve(key) = key { Some(key) } else { None };
        self.typed("curve parameter", name, key)
    }

    /// The layer of this name.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn layer(&self, name: &str) -> Result<LayerKey, StateError> {
        let at = self.layers.iter().position(|layer| *layer.name == *name);
        at.map(|at| LayerKey(at as u16)).ok_or_else(|| StateError::unknown("layer", name))
    }

    /// The state of this name in a layer, or the first of a group of this name.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn state_key(&self, layer: LayerKey, name: &str) -> Result<StateKey, StateError> {
        let states = self.layers.get(usize::from(layer.0)).map_or(0..0, |layer| layer.states.clone());
        let named = |state: &u16| *self.state(*state).name == *name;
        let inside = |state: &u16| {
            self.state(*state).name.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
        };
        let found = states.clone().find(named).or_else(|| states.clone().find(inside));
        found.map(StateKey).ok_or_else(|| StateError::unknown("state", name))
    }

    /// The clip of this name; the last part of a name is enough ([`clip_called`]).
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn clip(&self, name: &str) -> Result<ClipKey, StateError> {
        let at = clip_called(self.clips.iter().map(|clip| &*clip.name), name);
        at.map(|at| ClipKey(at as u16)).ok_or_else(|| StateError::unknown("clip", name))
    }

    /// The pose of this name that a character may keep: one of [`GraphParts::poses`].
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn pose_key(&self, name: &str) -> Result<PoseKey, StateError> {
        let at = self.poses.iter().position(|pose| **pose == *name);
        at.map(|at| PoseKey(at as u16)).ok_or_else(|| StateError::unknown("kept pose", name))
    }

    /// The names of the poses that a character may keep.
    pub fn pose_names(&self) -> impl Iterator<Item = &str> {
        self.poses.iter().map(|name| &**name)
    }

    /// The whole name of a state; `None` if it is of another graph.
    #[must_use]
    pub fn state_name(&self, state: StateKey) -> Option<&str> {
        self.states.get(usize::from(state.0)).map(|state| &*state.name)
    }

    /// The whole name of a clip; `None` if it is of another graph.
    #[must_use]
    pub fn clip_name(&self, clip: ClipKey) -> Option<&str> {
        self.clips.get(usize::from(clip.0)).map(|clip| &*clip.name)
    }

    /// The parameter of this name, whatever its kind.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| *parameter.name == *name)
    }

    fn typed<K>(
        &self,
        what: &'static str,
        name: &str,
        pick: fn(AnyKey) -> Option<K>,
    ) -> Result<K, StateError> {
        self.parameter(name)
            .and_then(|parameter| pick(parameter.key))
            .ok_or_else(|| StateError::unknown(what, name))
    }

    /// The clips that it plays; a frame's entries name them by number.
    #[must_use]
    pub fn clips(&self) -> &[GraphClip] {
        &self.clips
    }

    /// The names of the layers, the lowest first.
    pub fn layer_names(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().map(|layer| &*layer.name)
    }

    /// The names of a layer's states; none for a layer that does not exist.
    pub fn state_names(&self, layer: usize) -> impl Iterator<Item = &str> {
        let states = self.layers.get(layer).map_or(0..0, |layer| layer.states.clone());
        states.map(|state| &*self.states[usize::from(state)].name)
    }

    /// The same graph with other clips: for each clip, what it is called there and how long it is, or all of its
    /// [`ClipFacts`]; `None` keeps it. States of one are states of the other.
    ///
    /// # Errors
    ///
    /// The first clip whose length is negative, NaN or infinite.
    pub fn with_clips<F: Into<ClipFacts>>(
        &self,
        mut other: impl FnMut(&str) -> Option<(Box<str>, F)>,
    ) -> Result<Self, GraphError> {
        let mut graph = self.clone();
        for (i, clip) in graph.clips.iter_mut().enumerate() {
            if let Some((name, facts)) = other(&clip.name) {
                let wrong =
                    |problem| GraphError { place: Place::Clip(i), name: format!("clip {name:?}"), problem };
                let facts = facts.into();
                *clip = GraphClip::new(&name, &facts, &self.sync).map_err(wrong)?;
                for curves in &mut graph.curves {
                    curves.set(i as u16, &facts);
                }
            }
        }
        Ok(graph)
    }

    /// The most entries of a frame.
    #[must_use]
    pub fn most_entries(&self) -> usize {
        self.most_entries
    }

    /// What states and one-shots can do in a step.
    pub(crate) fn most_events(&self) -> usize {
        self.layers.len() * MAX_EVENTS
    }

    /// What was played before a step and not in it: clips that blends drop, one-shots that are pushed out.
    pub(crate) fn most_dropped(&self) -> usize {
        self.most_entries
    }

    /// Whether a clip is kept in step with others by [`GraphParts::sync`]; `None` for a clip that does not exist.
    #[must_use]
    pub fn is_in_step(&self, clip: usize) -> Option<bool> {
        self.clips.get(clip).map(|clip| clip.marks.is_some())
    }

    /// True if poses remember, in a [`PoseMemory`](crate::PoseMemory): a transition is by inertia, or they may be taken over or
    /// kept.
    #[must_use]
    pub fn remembers(&self) -> bool {
        self.is_inertial || self.hand_over
    }

    /// True if a transition may be by inertia, or poses are kept.
    pub(crate) fn is_inertial(&self) -> bool {
        self.is_inertial
    }

    pub(crate) fn state(&self, state: u16) -> &State {
        &self.states[usize::from(state)]
    }

    pub(crate) fn transition(&self, transition: u16) -> &Transition {
        &self.transitions[usize::from(transition)]
    }

    /// The transitions that may leave a state, in the order in which they are asked.
    pub(crate) fn candidates(&self, state: u16) -> &[u16] {
        let Range { start, end } = self.state(state).candidates;
        &self.candidates[start as usize..end as usize]
    }

    pub(crate) fn conditions(&self, transition: &Transition) -> &[Condition] {
        &self.conditions[transition.conditions.start as usize..transition.conditions.end as usize]
    }

    /// Intervals of a lap by which clips are kept in step; 0 if they are not.
    pub(crate) fn sync_intervals(&self) -> usize {
        self.sync.len()
    }

    /// A lap of length 1.
    pub(crate) fn unit(&self, repeat: Repeat) -> &Timeline {
        &self.units[repeat as usize]
    }

    /// Where a state starts: at a share of its lap, in the direction of playing; at its own start if that is 0.
    pub(crate) fn start_of(&self, state: u16, offset: f32, float: impl Fn(u16) -> f32) -> Head {
        let state = self.state(state);
        if let Some(by) = state.time_from {
            return self.head_at(state.repeat, float(by));
        }
        let offset = if offset == 0.0 { state.start } else { offset };
        let backward = state.speed(float) < 0.0;
        let (start, way) = if backward { (Head::END, -offset) } else { (Head::START, offset) };
        start.gone(Laps::of(f64::from(way)), state.repeat)
    }

    /// Where a state is whose time is a parameter.
    pub(crate) fn head_at(&self, repeat: Repeat, laps: f32) -> Head {
        let most = if laps < 0.0 { -MAX_DRIVEN } else { MAX_DRIVEN };
        let laps = if laps.abs() > MAX_DRIVEN { most } else { laps };
        Head::at(f64::from(laps), repeat)
    }

    /// The clips of a state and their weights, for values of the float parameters; returns laps per second. Clips in their own
    /// time, and clips without length, have no say in these; without any other the lap counts as a second.
    ///
    /// Where the blend keeps its speed, a clip's weight is divided by its length: clips of different lengths in one lap then travel
    /// with the velocity that their places have together, in length and direction.
    pub(crate) fn shares(
        &self,
        state: &State,
        float: impl Fn(u16) -> f32,
        mut each: impl FnMut(SpacePoint, f32),
    ) -> f64 {
        let asked = state.place.map(|by| by.map_or(0.0, &float));
        let space = &self.spaces[usize::from(state.space)];
        let place = if state.keep_speed.is_some() { space.inward(asked) } else { asked };
        let mean_s = state.keep_speed.map(|_| {
            let (mut total, mut laps) = (0.0, 0.0);
            space.shares(place, &float, |point, weight| {
                if let Some(length_s) = self.lap_s(point) {
                    total += f64::from(weight);
                    laps += f64::from(weight) / length_s;
                }
            });
            total / laps
        });
        let (mut lap_s, mut total, mut travel_m) = (0.0, 0.0, [0.0; 3]);
        space.shares(place, &float, |point, mut weight| {
            if let Some(length_s) = self.lap_s(point) {
                if let Some(mean_s) = mean_s {
                    weight = (f64::from(weight) * (mean_s / length_s)) as f32;
                    let clip = &self.clips[usize::from(point.clip)];
                    travel_m = core::array::from_fn(|i| travel_m[i] + clip.travel_m[i] * f64::from(weight));
                }
                lap_s += length_s * f64::from(weight);
                total += f64::from(weight);
            }
            each(point, weight);
        });
        if state.time_from.is_some() {
            return 0.0;
        }
        let speed = state.speed(float);
        if total <= 0.0 {
            return speed;
        }
        let laps_per_s = speed * (total / lap_s);
        match state.keep_speed {
            Some(keep) => laps_per_s * keep.rate(asked, travel_m, total / lap_s),
            None => laps_per_s,
        }
    }

    /// How long a clip's lap is in a blend; none if it has no say in the lap.
    fn lap_s(&self, point: SpacePoint) -> Option<f64> {
        let duration_s = self.clips[usize::from(point.clip)].duration_s;
        (duration_s > 0.0 && !point.own_time).then(|| duration_s / f64::from(point.speed))
    }

    /// Where a clip in its own time is, when its state is this old.
    pub(crate) fn own_head(&self, state: &State, point: SpacePoint, age: Ticks) -> Head {
        let duration_s = self.clips[usize::from(point.clip)].duration_s;
        let speed = f64::from(state.speed) * f64::from(point.speed);
        let start = if speed < 0.0 { Head::END } else { Head::START };
        let rate = Rate::of(if duration_s > 0.0 { speed / duration_s } else { speed });
        start.gone(rate.over(age), state.repeat)
    }

    /// A bit per point of a state; of one that is matched, one for the clip that plays.
    pub(crate) fn points_of(&self, state: u16) -> u32 {
        if self.state(state).matched.is_some() {
            return 1;
        }
        let count = self.spaces[usize::from(self.state(state).space)].len();
        if count < MAX_POINTS { (1 << count) - 1 } else { u32::MAX }
    }

    /// The points of these numbers (a bit per point), and where each is when its state is at a head and this old.
    pub(crate) fn places_of(
        &self,
        state: u16,
        points: u32,
        head: Head,
        age: Ticks,
    ) -> impl Iterator<Item = (SpacePoint, Playhead)> {
        let state = self.state(state);
        let space = &self.spaces[usize::from(state.space)];
        let some = (0..MAX_POINTS).filter(move |number| points >> number & 1 != 0);
        some.filter_map(|number| space.point(number)).map(move |point| {
            let own = if point.own_time {
                self.own_head(state, point, age).playhead()
            } else {
                self.placed(point.clip, state.repeat, head)
            };
            (point, own)
        })
    }

    /// The same for the first point of a state that plays this clip in its own time.
    pub(crate) fn own_head_of(&self, state: &State, clip: u16, age: Ticks) -> Option<Head> {
        let point = self.spaces[usize::from(state.space)].own_point(clip)?;
        Some(self.own_head(state, point, age))
    }
}

impl KeepSpeed {
    /// What the playback rate is multiplied by: 1 where clips stand at their own velocities, and the place is among them.
    /// `travel_m` is what the blend travels in a lap.
    fn rate(self, place: [f32; 2], travel_m: [f64; 3], laps_per_s: f64) -> f64 {
        let [x, y] = place.map(f64::from);
        let [tx, ty, tz] = travel_m;
        let asked = libm::sqrt(x * x + y * y);
        let made = libm::sqrt(tx * tx + ty * ty + tz * tz) * laps_per_s;
        // What hardly moves cannot be brought to a speed.
        if !(asked > 1.0e-3 && made > 1.0e-3) {
            return 1.0;
        }
        let rate = asked / made;
        let [slowest, fastest] = [self.slowest, self.fastest].map(f64::from);
        if rate < slowest {
            slowest
        } else if rate < fastest {
            rate
        } else {
            fastest
        }
    }
}

impl GraphClip {
    fn new(name: &str, facts: &ClipFacts, sync: &[String]) -> Result<Self, Problem> {
        let duration_s = compile::check_duration(facts.duration_s)?;
        let marks = facts.markers.as_ref().and_then(|markers| Marks::new(sync, duration_s, markers));
        let (looping, turn) = (facts.looping, facts.turn.clone());
        Ok(Self { name: name.into(), duration_s, marks, travel_m: facts.travel_m, looping, turn })
    }
}

impl Curves {
    /// The track of a clip.
    pub(crate) fn of(&self, clip: u16) -> Option<&ClipCurve> {
        let at = self.of_clips.binary_search_by_key(&clip, |(clip, _)| *clip).ok()?;
        Some(&self.of_clips[at].1)
    }

    /// Sets or takes away that of a clip.
    fn set(&mut self, clip: u16, facts: &ClipFacts) {
        let own = facts.curves.iter().find(|(name, _)| **name == *self.name).map(|(_, curve)| curve.clone());
        let all = &mut self.of_clips;
        match (all.binary_search_by_key(&clip, |(clip, _)| *clip), own) {
            (Ok(at), Some(curve)) => all[at].1 = curve,
            (Err(at), Some(curve)) => all.insert(at, (clip, curve)),
            (Ok(at), None) => drop(all.remove(at)),
            (Err(_), None) => {}
        }
    }
}

impl State {
    pub(crate) fn speed(&self, float: impl Fn(u16) -> f32) -> f64 {
        f64::from(self.speed) * self.speed_from.map_or(1.0, |by| f64::from(float(by)))
    }
}
