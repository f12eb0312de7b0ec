//! The last decisions of a character: what was gone to, when, and why.

use crate::{
    frame::Frame,
    graph::{Condition, Graph, Test},
};
use alloc::{boxed::Box, vec::Vec};

/// Tests of one decision that are remembered.
pub const MAX_TOLD_TESTS: usize = 4;

/// The last decisions of a character, in a ring: no more memory is taken than for as many as were asked for.
///
/// [`Animator::remember_decisions`](crate::Animator::remember_decisions) and
/// [`Crowd::remember_decisions`](crate::crowd::Crowd::remember_decisions) keep one; who updates a [`Graph`] by hand calls
/// [`Decisions::follow`] after each update. [`Graph::decision`] says in words what one was. It decides nothing, and is no part of a save.
#[derive(Clone, Debug, PartialEq)]
pub struct Decisions {
    ring: Vec<Decision>,
    most: usize,
    /// Where the next one goes, once the ring is full.
    oldest: usize,
    time_s: f64,
}

/// A state was gone to; [`Graph::decision`] says it in words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Seconds since the first step that was followed.
    pub time_s: f64,
    pub(crate) chosen: Chosen,
}

/// What a step of a layer decided, and what its tests saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chosen {
    pub layer: u16,
    pub from: u16,
    pub to: u16,
    /// True if code asked for it.
    pub by_code: bool,
    pub tests: [Option<(Condition, f64)>; MAX_TOLD_TESTS],
}

/// A decision in words.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionView<'g> {
    /// Seconds since the first step that was followed.
    pub time_s: f64,
    /// The layer.
    pub layer: &'g str,
    /// The state that was left.
    pub from: &'g str,
    /// The state that was gone to.
    pub to: &'g str,
    /// True if code went there; else a transition did.
    pub by_code: bool,
    /// The first [`MAX_TOLD_TESTS`] of the transition's tests of parameters: the parameter, the test, and the value that passed it; 1 for
    /// what was on, 0 for what was off. Rules ([`TransitionParts::only_if`](crate::graph::TransitionParts::only_if)) are not told.
    pub tests: Box<[(&'g str, Test, f64)]>,
}

impl Decisions {
    /// None yet; at most this many are remembered, and at least one.
    #[must_use]
    pub fn new(most: usize) -> Self {
        let most = if most > 0 { most } else { 1 };
        Self { ring: Vec::with_capacity(most), most, oldest: 0, time_s: 0.0 }
    }

    /// Remembers what a step decided. Allocates nothing.
    pub fn follow(&mut self, frame: &Frame) {
        self.time_s += frame.step_s();
        for chosen in &frame.chosen {
            let one = Decision { time_s: self.time_s, chosen: *chosen };
            if self.ring.len() < self.most {
                self.ring.push(one);
            } else if let Some(oldest) = self.ring.get_mut(self.oldest) {
                *oldest = one;
                self.oldest = (self.oldest + 1) % self.most;
            }
        }
    }

    /// The decisions, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Decision> {
        let (newer, older) = self.ring.split_at(self.oldest);
        older.iter().chain(newer)
    }

    /// Seconds that were followed.
    #[must_use]
    pub fn time_s(&self) -> f64 {
        self.time_s
    }

    /// Forgets them all.
    pub fn clear(&mut self) {
        self.ring.clear();
        (self.oldest, self.time_s) = (0, 0.0);
    }
}

impl Graph {
    /// A decision in words; `None` if it is another graph's.
    #[must_use]
    pub fn decision(&self, decision: &Decision) -> Option<DecisionView<'_>> {
        let Decision { time_s, chosen: Chosen { layer, from, to, by_code, tests } } = *decision;
        let state = |state: u16| self.states.get(usize::from(state)).map(|state| &*state.name);
        let tests = tests.iter().flatten().map(|(test, value)| {
            let parameter = self.parameter_of(test);
            (!parameter.is_empty()).then_some((parameter, test.said()?, *value))
        });
        Some(DecisionView {
            time_s,
            layer: &self.layers.get(usize::from(layer))?.name,
            from: state(from)?,
            to: state(to)?,
            by_code,
            tests: tests.collect::<Option<_>>()?,
        })
    }
}

impl Condition {
    /// As it is described; `None` for a rule.
    fn said(&self) -> Option<Test> {
        Some(match *self {
            Self::FloatAbove(_, than) => Test::Above(than),
            Self::FloatBelow(_, than) => Test::Below(than),
            Self::IntAbove(_, than) => Test::Above(than as f32),
            Self::IntBelow(_, than) => Test::Below(than as f32),
            Self::IntIs(_, this) => Test::Is(this),
            Self::IntIsNot(_, this) => Test::IsNot(this),
            Self::On(_) | Self::Trigger(_) => Test::On,
            Self::Off(_) => Test::Off,
            _ => return None,
        })
    }
}
