//! What is happening: all that an update reads and writes, as a plain value.

mod list;
mod matched;
mod playing;
mod saved;
mod shots;
mod value;

pub use crate::{
    error::StateError,
    limits::{MAX_SHOTS, MAX_VOICES},
};
pub(crate) use list::List;
pub use matched::{MatchedInputs, MatchedNow, MatchedQuery, TrajectoryPoint};
pub(crate) use matched::{Matching, SearchTurn, Steering};
pub use playing::PlayingState;
pub use shots::{OneShot, PlayingShot, ShotKey};
pub(crate) use shots::{PushedOut, Queued, Shot};
pub use value::Value;

use crate::{
    graph::{
        AnyKey, BoolKey, CurveKey, Fade, FloatKey, Graph, IntKey, Interruption, LayerKey, MaskKey, Matched,
        Montage, MontageKey, ShotOf, StateKey, TriggerKey,
    },
    time::{Head, Ticks},
};
use alloc::boxed::Box;
use lissom::track::TimeError;

/// The state of one character in a graph. A clone is a save, `==` compares, and [`GraphState::write`] makes bytes of it.
///
/// Its size is known from the graph, so `clone_from` between states of one graph allocates nothing.
#[derive(Debug, PartialEq)]
pub struct GraphState {
    pub(crate) shape: u64,
    pub(crate) floats: Box<[Float]>,
    pub(crate) ints: Box<[i32]>,
    /// Bools and triggers.
    pub(crate) flags: Box<[bool]>,
    pub(crate) layers: Box<[LayerState]>,
    /// Boxed: few graphs have states that are matched, and a crowd has many members.
    pub(crate) matching: Option<Box<Matching>>,
}

/// What was set, and what follows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Float {
    pub(crate) target: f32,
    pub(crate) value: f32,
    /// What rounding left of the value: without it a slow one would stop before its target.
    pub(crate) rest: f32,
}

impl Float {
    /// There, and staying.
    pub(crate) fn still(value: f32) -> Self {
        Self { target: value, value, rest: 0.0 }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LayerState {
    /// The oldest first; the last one leads.
    pub(crate) voices: List<Voice, MAX_VOICES>,
    pub(crate) shots: List<Shot, MAX_SHOTS>,
    /// A one-shot that a newer one pushed out since the last step: the next one tells of it.
    pub(crate) pushed_out: Option<PushedOut>,
    /// One that waits.
    pub(crate) queued: Option<Queued>,
    /// How many one-shots it was told to play: the number of the next.
    pub(crate) shots_played: u32,
    /// What code asked for.
    pub(crate) asked: Option<Asked>,
    /// Which joints it moves; none for all.
    pub(crate) mask: Option<MaskKey>,
}

/// A state that is played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Voice {
    pub(crate) state: u16,
    /// The clip that plays, if it is played by motion matching.
    pub(crate) clip: u16,
    /// How it takes over from the voices before it; none at the start.
    pub(crate) coming: Option<Coming>,
    /// True if it goes in step with the voice before it.
    pub(crate) in_step: bool,
    pub(crate) age: Ticks,
    pub(crate) head: Head,
    /// The points of its blend that the last step played: a bit per point.
    pub(crate) points: u32,
}

/// How a state takes over from the one before it. Packed: a voice is eight bytes smaller so, and each layer of a
/// member has room for four voices.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(Rust, packed)]
pub(crate) struct Coming {
    pub(crate) fade_s: f32,
    pub(crate) fade: Fade,
    pub(crate) interruption: Interruption,
    /// By inertia; then its fade takes some time.
    pub(crate) inertial: bool,
}

/// A state that code asked for: it starts with the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) state: u16,
    pub(crate) how: GoTo,
}

/// How code goes to a state: see [`GraphState::go_to`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoTo {
    /// Seconds over which it goes.
    pub fade_s: f32,
    /// How the weights change.
    pub fade: Fade,
    /// True if the state plays alone at once, and the difference to the old motion fades out.
    pub inertial: bool,
    /// What may start while it goes.
    pub interruption: Interruption,
    /// Where the state starts, as a share of its lap in [0, 1].
    pub at: f32,
}

impl Default for GoTo {
    fn default() -> Self {
        Self {
            fade_s: 0.2,
            fade: Fade::default(),
            inertial: false,
            interruption: Interruption::default(),
            at: 0.0,
        }
    }
}

impl GoTo {
    /// At once, without a fade.
    pub const CUT: Self = Self {
        fade_s: 0.0,
        fade: Fade::Smooth,
        inertial: false,
        interruption: Interruption::Target,
        at: 0.0,
    };

    pub(crate) fn check(&self) -> Result<(), TimeError> {
        let check = |field, value: f32, allowed, holds: bool| {
            if value.is_finite() && holds {
                Ok(())
            } else {
                Err(TimeError { field, value: f64::from(value), allowed })
            }
        };
        check("fade_s", self.fade_s, "finite, at least 0", self.fade_s >= 0.0)?;
        check("at", self.at, "in [0, 1]", (0.0..=1.0).contains(&self.at))
    }

    pub(crate) fn coming(&self) -> Coming {
        let Self { fade_s, fade, inertial, interruption, .. } = *self;
        Coming { fade_s, fade, interruption, inertial: inertial && fade_s > 0.0 }
    }
}

/// The key of a parameter: what [`GraphState::set`] takes.
pub trait Key: Copy + sealed::Sealed {
    /// What it holds.
    type Value;

    #[doc(hidden)]
    fn set(self, state: &mut GraphState, value: Self::Value) -> Result<(), StateError>;

    #[doc(hidden)]
    fn get(self, state: &GraphState) -> Option<Self::Value>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::FloatKey {}
    impl Sealed for super::IntKey {}
    impl Sealed for super::BoolKey {}
    impl Sealed for super::TriggerKey {}
}

fn put<T>(place: Option<&mut T>, value: T) -> Result<(), StateError> {
    *place.ok_or(StateError::OtherGraph)? = value;
    Ok(())
}

impl Key for FloatKey {
    type Value = f32;

    fn set(self, state: &mut GraphState, value: f32) -> Result<(), StateError> {
        if !value.is_finite() {
            let (field, value, allowed) = ("value", f64::from(value), "a finite number");
            return Err(TimeError { field, value, allowed }.into());
        }
        put(state.floats.get_mut(usize::from(self.0)).map(|float| &mut float.target), value)
    }

    fn get(self, state: &GraphState) -> Option<f32> {
        state.floats.get(usize::from(self.0)).map(|float| float.target)
    }
}

impl Key for IntKey {
    type Value = i32;

    fn set(self, state: &mut GraphState, value: i32) -> Result<(), StateError> {
        put(state.ints.get_mut(usize::from(self.0)), value)
    }

    fn get(self, state: &GraphState) -> Option<i32> {
        state.ints.get(usize::from(self.0)).copied()
    }
}

impl Key for BoolKey {
    type Value = bool;

    fn set(self, state: &mut GraphState, value: bool) -> Result<(), StateError> {
        put(state.flags.get_mut(usize::from(self.0)), value)
    }

    fn get(self, state: &GraphState) -> Option<bool> {
        state.flags.get(usize::from(self.0)).copied()
    }
}

impl Key for TriggerKey {
    type Value = bool;

    fn set(self, state: &mut GraphState, value: bool) -> Result<(), StateError> {
        put(state.flags.get_mut(usize::from(self.0)), value)
    }

    fn get(self, state: &GraphState) -> Option<bool> {
        state.flags.get(usize::from(self.0)).copied()
    }
}

impl GraphState {
    /// Parameters as they start, every layer in its first state.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        let layer = |layer: &crate::graph::Layer| {
            let mut state = LayerState { mask: layer.mask.map(MaskKey), ..LayerState::default() };
            if let Some(first) = layer.states.clone().next() {
                let matched = graph.matched_of(graph.state(first));
                let (clip, head) = match matched {
                    Some(matched) => (matched.start.clip, matched.start.head),
                    None => (0, graph.start_of(first, 0.0, |by| graph.floats[usize::from(by)].start)),
                };
                state.voices.push(Voice { state: first, clip, head, ..Voice::default() });
            }
            state
        };
        Self {
            shape: graph.shape,
            floats: graph.floats.iter().map(|float| Float::still(float.start)).collect(),
            ints: graph.ints.clone(),
            flags: graph.flags.clone(),
            layers: graph.layers.iter().map(layer).collect(),
            matching: Matching::new(graph),
        }
    }

    /// True if it is a state of this graph: of the same parameters, layers and states.
    #[must_use]
    pub fn fits(&self, graph: &Graph) -> bool {
        self.shape == graph.shape
    }

    /// Bytes that it holds besides itself.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.floats)
            + size_of_val(&*self.ints)
            + size_of_val(&*self.flags)
            + size_of_val(&*self.layers)
            + self.matching.as_ref().map_or(0, |matching| matching.memory_bytes())
    }

    /// Sets a parameter: a float, an int, a bool; a trigger is set by `true` and taken back by `false`.
    ///
    /// # Errors
    ///
    /// [`StateError::Value`] for NaN or infinity; [`StateError::OtherGraph`] for a key that this state has not.
    pub fn set<K: Key>(&mut self, key: K, value: K::Value) -> Result<(), StateError> {
        key.set(self, value)
    }

    /// What a parameter was set to; `None` for a key that this state has not.
    #[must_use]
    pub fn get<K: Key>(&self, key: K) -> Option<K::Value> {
        key.get(self)
    }

    /// What a float parameter is now: on its way to what it was set to, if it is damped.
    #[must_use]
    pub fn value(&self, key: FloatKey) -> Option<f32> {
        self.floats.get(usize::from(key.0)).map(|float| float.value)
    }

    /// What the clips said in the last update; `None` for a key that this state has not.
    #[must_use]
    pub fn curve(&self, key: CurveKey) -> Option<f32> {
        self.floats.get(usize::from(key.0)).map(|float| float.value)
    }

    /// Goes to a state with the next update, whatever transitions say; of several calls the last one counts. What the layer plays
    /// is left as by a transition, also if it is this state: then it starts again.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`]; [`StateError::Value`] for a fade or a start that cannot be; [`StateError::NoInertia`].
    pub fn go_to(&mut self, graph: &Graph, state: StateKey, how: GoTo) -> Result<(), StateError> {
        how.check()?;
        if self.shape != graph.shape {
            return Err(StateError::OtherGraph);
        }
        if how.coming().inertial && !graph.is_inertial() {
            return Err(StateError::NoInertia);
        }
        let at = graph.layers.iter().position(|layer| layer.states.contains(&state.0));
        let layer = at.and_then(|at| self.layers.get_mut(at)).ok_or(StateError::OtherGraph)?;
        let how = GoTo { inertial: how.coming().inertial, ..how };
        layer.asked = Some(Asked { state: state.0, how });
        Ok(())
    }

    /// Gives a layer another mask of its graph; `None`: it moves the whole body, and root motion counts too.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`].
    pub fn set_mask(
        &mut self,
        graph: &Graph,
        layer: LayerKey,
        mask: Option<MaskKey>,
    ) -> Result<(), StateError> {
        let known = mask.is_none_or(|mask| usize::from(mask.0) < graph.masks.len());
        let own = self.layers.get_mut(usize::from(layer.0)).filter(|_| known && self.shape == graph.shape);
        own.ok_or(StateError::OtherGraph)?.mask = mask;
        Ok(())
    }

    /// The name of a layer's leading state; `None` for one without states, or if it is another graph's.
    #[must_use]
    pub fn leading<'g>(&self, graph: &'g Graph, layer: usize) -> Option<&'g str> {
        let voice = self.layers.get(layer)?.voices.as_slice().last()?;
        (self.shape == graph.shape).then(|| &*graph.state(voice.state).name)
    }

    /// The state of another version of its graph, where names still match: parameters keep their values, layers the
    /// state that leads, with its place in its lap, and one-shots go on. What is new starts as it does.
    #[must_use]
    pub fn carried_over(&self, from: &Graph, to: &Graph) -> Self {
        let mut new = Self::new(to);
        if self.shape != from.shape {
            return new;
        }
        for parameter in &to.parameters {
            let Some(old) = from.parameter(&parameter.name) else { continue };
            match (old.key, parameter.key) {
                (AnyKey::Float(a), AnyKey::Float(b)) => {
                    new.floats[usize::from(b.0)] = self.floats[usize::from(a.0)];
                }
                (AnyKey::Curve(a), AnyKey::Curve(b)) => {
                    new.floats[usize::from(b.0)] = self.floats[usize::from(a.0)];
                }
                (AnyKey::Int(a), AnyKey::Int(b)) => {
                    new.ints[usize::from(b.0)] = self.ints[usize::from(a.0)];
                }
                (AnyKey::Bool(a), AnyKey::Bool(b)) => {
                    new.flags[usize::from(b.0)] = self.flags[usize::from(a.0)];
                }
                (AnyKey::Trigger(a), AnyKey::Trigger(b)) => {
                    new.flags[usize::from(b.0)] = self.flags[usize::from(a.0)];
                }
                _ => {}
            }
        }
        for (i, layer) in to.layers.iter().enumerate() {
            let Some(was) = from.layers.iter().position(|old| old.name == layer.name) else { continue };
            let old = &self.layers[was];
            if let Some(voice) = old.voices.as_slice().last() {
                let was = from.state(voice.state);
                // In a lap of another kind its head means nothing.
                let same = |state: &u16| {
                    let is = to.state(*state);
                    is.name == was.name && is.repeat == was.repeat
                };
                if let Some(state) = layer.states.clone().find(same) {
                    // What is matched goes on in its database alone; else it begins anew.
                    let clip = match (from.matched_of(was), to.matched_of(to.state(state))) {
                        (None, None) => Some(0),
                        (Some(a), Some(b)) if a.database == b.database => {
                            let number = |m: &Matched| m.clips.iter().position(|clip| *clip == voice.clip);
                            let clip = number(a).and_then(|clip| b.clips.get(clip).copied());
                            clip.filter(|_| match (&mut new.matching, &self.matching) {
                                (Some(new), Some(old)) => new.take(to, state, from, voice.state, old),
                                _ => false,
                            })
                        }
                        _ => None,
                    };
                    let points = voice.points & to.points_of(state);
                    let own = Voice { state, coming: None, in_step: false, points, ..*voice };
                    let own = clip.map(|clip| Voice { clip, ..own }).or_else(|| {
                        let start = to.matched_of(to.state(state))?.start;
                        Some(Voice { clip: start.clip, head: start.head, age: Ticks::ZERO, points: 0, ..own })
                    });
                    if let Some(own) = own {
                        new.layers[i].voices = List::default();
                        new.layers[i].voices.push(own);
                    }
                }
            }
            let clip_there = |shot: u16| shot_there(shot, from, to);
            let shot_there = |shot: &Shot| Some(Shot { plays: clip_there(shot.plays)?, ..*shot });
            for shot in old.shots.as_slice().iter().filter_map(shot_there) {
                new.layers[i].shots.push(shot);
            }
            let out_there = |out: PushedOut| Some(PushedOut { plays: clip_there(out.plays)?, ..out });
            new.layers[i].pushed_out = old.pushed_out.and_then(out_there);
            let queued_there = |queued: Queued| Some(Queued { plays: clip_there(queued.plays)?, ..queued });
            new.layers[i].queued = old.queued.and_then(queued_there);
            new.layers[i].shots_played = old.shots_played;
            // A mask that code set stays, if it is still there.
            if old.mask != from.layers[was].mask.map(MaskKey) {
                let name = old.mask.map(|mask| &*from.masks[usize::from(mask.0)].name);
                match name.map(|name| to.mask_key(name)) {
                    None => new.layers[i].mask = None,
                    Some(Ok(mask)) => new.layers[i].mask = Some(mask),
                    Some(Err(_)) => {}
                }
            }
        }
        new
    }
}

/// What a one-shot plays, in another version of its graph. A montage of other sections is another one.
fn shot_there(shot: u16, from: &Graph, to: &Graph) -> Option<u16> {
    let Some(montage) = from.montage_of(shot) else {
        return Some(to.clip(&from.clips[usize::from(shot)].name).ok()?.0);
    };
    let same = |other: &Montage| {
        let names = montage.sections.iter().map(|section| &section.name);
        other.name == montage.name && other.sections.iter().map(|section| &section.name).eq(names)
    };
    let there = to.montages.iter().position(same);
    Some(ShotOf::Montage(MontageKey(there? as u16)).code())
}

impl Clone for GraphState {
    fn clone(&self) -> Self {
        Self {
            shape: self.shape,
            floats: self.floats.clone(),
            ints: self.ints.clone(),
            flags: self.flags.clone(),
            layers: self.layers.clone(),
            matching: self.matching.clone(),
        }
    }

    /// Without allocation if both are of one graph.
    fn clone_from(&mut self, source: &Self) {
        self.shape = source.shape;
        self.floats.clone_from(&source.floats);
        self.ints.clone_from(&source.ints);
        self.flags.clone_from(&source.flags);
        self.layers.clone_from(&source.layers);
        match (&mut self.matching, &source.matching) {
            (Some(own), Some(source)) => own.clone_from_same(source),
            (own, source) => own.clone_from(source),
        }
    }
}
