//! Why a transition is taken, or is not: for people, so that it may cost something.

use super::{Step, voices::Playing};
use crate::{
    error::StateError,
    frame::Frame,
    graph::{AnyKey, BoolKey, Condition, CurveKey, FloatKey, Graph, IntKey, TriggerKey},
    state::GraphState,
    time::Ticks,
};
use alloc::vec::Vec;

/// One transition that could leave a state, and what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Why<'g> {
    /// The state that it leaves.
    pub from: &'g str,
    /// The state that it leads to.
    pub to: &'g str,
    /// What becomes of it.
    pub verdict: Verdict<'g>,
}

/// What becomes of a transition in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Verdict<'g> {
    /// It starts.
    Taken,
    /// It could start, but another one goes first.
    Behind,
    /// The transition that goes on may not be interrupted by it.
    Blocked,
    /// The state does not pass the exit in this step.
    NotDue {
        /// Where the state will be, as a share of its lap.
        at: f64,
        /// Where it may be left.
        exit: f32,
    },
    /// A condition does not hold.
    Condition {
        /// Its number among the transition's conditions, from 0.
        number: usize,
        /// Its parameter; empty for a rule, which is the last one ([`TransitionParts::only_if`](crate::graph::TransitionParts::only_if)).
        parameter: &'g str,
    },
}

impl Graph {
    /// Every transition that could leave what a layer plays, in the order in which they are asked, and what becomes of it in
    /// a step of `dt_s` from this state, which stays as it is. Empty for a layer that does not exist, and for a step of 0, in which
    /// nothing starts.
    ///
    /// # Errors
    ///
    /// Those of [`Graph::update`].
    pub fn why(&self, state: &GraphState, dt_s: f64, layer: usize) -> Result<Vec<Why<'_>>, StateError> {
        let mut all = Vec::new();
        let mut state = state.clone();
        let mut frame = Frame::new(self);
        let step = Ticks::of_step(dt_s)?;
        let dt_s = step.seconds();
        self.begin(&mut state, dt_s)?;
        let GraphState { floats, ints, flags, layers, matching, .. } = &mut state;
        let Some(own) = layers.get(layer).copied().filter(|_| dt_s > 0.0) else { return Ok(all) };
        let mut step = Step {
            graph: self,
            floats,
            ints,
            flags,
            step,
            dt_s,
            leading: super::leading(layers),
            shots_before: super::shots(self, layers),
            matching: matching.as_deref_mut(),
            // What is found has no say in transitions.
            may_search: false,
            frame: &mut frame,
        };
        // Layers below may take triggers.
        for (number, below) in layers[..layer].iter_mut().enumerate() {
            step.layer(number, below);
        }
        let playing = step.voices(layer, &own);
        let (playing, taken) = (playing.as_slice(), step.pick(playing.as_slice()));
        let Some(lead) = playing.len().checked_sub(1) else { return Ok(all) };
        let (of_target, of_source) = step.may_leave(playing);
        let first = if lead > 0 { lead - 1 } else { lead };
        for of in (first..=lead).rev() {
            let allowed = if of == lead { of_target } else { of_source };
            for way in self.candidates(playing[of].voice.state).iter().copied() {
                // What goes on already is not asked again.
                if of < lead && (!of_source || self.transition(way).to == playing[lead].voice.state) {
                    continue;
                }
                let verdict = if taken == Some((way, of)) {
                    Verdict::Taken
                } else if allowed {
                    self.verdict(&step, way, &playing[of])
                } else {
                    Verdict::Blocked
                };
                let [from, to] = [playing[of].voice.state, self.transition(way).to];
                all.push(Why { from: &self.state(from).name, to: &self.state(to).name, verdict });
            }
        }
        Ok(all)
    }

    fn verdict(&self, step: &Step<'_>, way: u16, one: &Playing) -> Verdict<'_> {
        let way = self.transition(way);
        if let Some(exit) = way.exit
            && !step.is_due(way, one)
        {
            return Verdict::NotDue { at: one.voice.head.share(), exit };
        }
        let (mut list, mut number) = (self.conditions(way), 0);
        while let [first, rest @ ..] = list {
            let (holds, after) = step.rule_holds(first, rest, one);
            if !holds {
                return Verdict::Condition { number, parameter: self.parameter_of(first) };
            }
            (list, number) = (after, number + 1);
        }
        Verdict::Behind
    }

    /// The name of the parameter that a condition asks.
    pub(super) fn parameter_of(&self, condition: &Condition) -> &str {
        let key = match *condition {
            Condition::FloatAbove(at, _) | Condition::FloatBelow(at, _) => {
                let is_curve = self.curves.iter().any(|curve| curve.float == at);
                if is_curve { AnyKey::Curve(CurveKey(at)) } else { AnyKey::Float(FloatKey(at)) }
            }
            Condition::IntAbove(at, _)
            | Condition::IntBelow(at, _)
            | Condition::IntIs(at, _)
            | Condition::IntIsNot(at, _) => AnyKey::Int(IntKey(at)),
            Condition::On(at) | Condition::Off(at) => AnyKey::Bool(BoolKey(at)),
            Condition::Trigger(at) => AnyKey::Trigger(TriggerKey(at)),
            Condition::AfterSeconds(_)
            | Condition::AfterLaps(_)
            | Condition::Leads(..)
            | Condition::Plays(..)
            | Condition::All(_)
            | Condition::Any(_)
            | Condition::Not => return "",
        };
        let found = self.parameters.iter().find(|parameter| parameter.key == key);
        found.map_or("", |parameter| &parameter.name)
    }
}
