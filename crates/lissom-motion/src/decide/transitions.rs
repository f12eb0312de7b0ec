//! Which transition starts, and how.

use super::{
    Step,
    voices::{Playing, Voices},
};
use crate::{
    graph::{Condition, Fade, Interruption, Transition},
    state::{Asked, Coming, Voice},
    time::{Head, Laps, Ticks},
};
use lissom::track::Repeat;

impl Fade {
    pub(super) fn at(self, t: f64) -> f64 {
        match self {
            Self::Linear => t,
            Self::Smooth => t * t * (3.0 - 2.0 * t),
        }
    }
}

impl Transition {
    pub(super) fn coming(&self) -> Coming {
        let Self { fade_s, fade, interruption, inertial, .. } = *self;
        Coming { fade_s, fade, interruption, inertial }
    }
}

impl Step<'_> {
    /// Whether a transition may leave the leading voice, and the one that it takes over from.
    pub(crate) fn may_leave(&self, playing: &[Playing]) -> (bool, bool) {
        let [before @ .., lead] = playing else { return (true, false) };
        // What an inertialised transition came from is not played any more.
        let has_source = !before.is_empty();
        let running = lead.voice.coming.filter(|_| lead.voice.is_coming());
        match running.map_or(Interruption::Target, |way| way.interruption) {
            Interruption::Never => (false, false),
            Interruption::Target => (true, false),
            Interruption::Source => (false, has_source),
            Interruption::Both => (true, has_source),
        }
    }

    /// The transition that starts, and the voice that it leaves.
    pub(crate) fn pick(&self, playing: &[Playing]) -> Option<(u16, usize)> {
        let lead = playing.len().checked_sub(1)?;
        let ask = |of: usize, wanted: &dyn Fn(&Transition) -> bool| {
            let mut ways = self.graph.candidates(playing[of].voice.state).iter().copied();
            let starts = |way: &Transition| {
                wanted(way) && self.is_due(way, &playing[of]) && self.holds(way, &playing[of])
            };
            ways.find(|way| starts(self.graph.transition(*way))).map(|way| (way, of))
        };
        let (of_target, of_source) = self.may_leave(playing);
        let target = of_target.then(|| ask(lead, &|_| true)).flatten();
        // What goes on already does not start again.
        let leads_to = playing[lead].voice.state;
        let source = of_source.then(|| ask(lead - 1, &|way| way.to != leads_to)).flatten();
        let (Some(by_target), Some(by_source)) = (target, source) else { return target.or(source) };
        let priority = |(way, _): (u16, usize)| self.graph.transition(way).priority;
        Some(if priority(by_source) > priority(by_target) { by_source } else { by_target })
    }

    /// True if the state that it leaves is where it may be left.
    pub(crate) fn is_due(&self, way: &Transition, one: &Playing) -> bool {
        let Some(exit) = way.exit else { return true };
        let (exit, from, to) = (f64::from(exit), one.from, one.voice.head);
        if self.graph.state(one.voice.state).repeat == Repeat::Once {
            let at = to.laps();
            return if one.laps_per_s < 0.0 { at <= 1.0 - exit } else { at >= exit };
        }
        // Whole laps first, then a share in (0, 1], or 0.
        let share = if exit > 1.0 { exit - (libm::ceil(exit) - 1.0) } else { exit };
        // How often a head has passed the exit; at 1 it is passed with the lap.
        let passed = |head: Head| head.lap.saturating_add(i64::from(head.share() > share));
        passed(from) != passed(to) && (exit <= 1.0 || one.laps_done() >= exit)
    }

    fn holds(&self, way: &Transition, one: &Playing) -> bool {
        self.all_hold(self.graph.conditions(way), one)
    }

    fn all_hold(&self, mut list: &[Condition], one: &Playing) -> bool {
        while let [first, rest @ ..] = list {
            let (holds, after) = self.rule_holds(first, rest, one);
            if !holds {
                return false;
            }
            list = after;
        }
        true
    }

    fn any_holds(&self, mut list: &[Condition], one: &Playing) -> bool {
        while let [first, rest @ ..] = list {
            let (holds, after) = self.rule_holds(first, rest, one);
            if holds {
                return true;
            }
            list = after;
        }
        false
    }

    /// Whether a condition holds for the voice that would be left, and what follows it and all that it is made of.
    pub(crate) fn rule_holds<'c>(
        &self,
        first: &Condition,
        rest: &'c [Condition],
        one: &Playing,
    ) -> (bool, &'c [Condition]) {
        match *first {
            Condition::All(count) => {
                let (own, after) = rest.split_at(count as usize);
                (self.all_hold(own, one), after)
            }
            Condition::Any(count) => {
                let (own, after) = rest.split_at(count as usize);
                (self.any_holds(own, one), after)
            }
            Condition::Not => {
                let [first, rest @ ..] = rest else { return (true, rest) };
                let (holds, after) = self.rule_holds(first, rest, one);
                (!holds, after)
            }
            ref single => (self.condition_holds(single, one), rest),
        }
    }

    fn condition_holds(&self, condition: &Condition, one: &Playing) -> bool {
        match *condition {
            Condition::AfterSeconds(time_s) => one.voice.age.seconds() >= time_s,
            Condition::AfterLaps(laps) => one.laps_done() >= laps,
            Condition::Leads(layer, state) => self.leading[usize::from(layer)] == Some(state),
            Condition::Plays(layer, shot) => {
                let mut playing = self.shots_before[usize::from(layer)].iter().flatten();
                playing.any(|own| shot.is_none_or(|shot| *own == shot || self.graph.clip_of(*own) == shot))
            }
            // Rules are taken apart before.
            Condition::All(_) | Condition::Any(_) | Condition::Not => false,
            Condition::FloatAbove(at, than) => self.floats[usize::from(at)].value > than,
            Condition::FloatBelow(at, than) => self.floats[usize::from(at)].value < than,
            Condition::IntAbove(at, than) => f64::from(self.ints[usize::from(at)]) > than,
            Condition::IntBelow(at, than) => f64::from(self.ints[usize::from(at)]) < than,
            Condition::IntIs(at, this) => self.ints[usize::from(at)] == this,
            Condition::IntIsNot(at, this) => self.ints[usize::from(at)] != this,
            Condition::On(at) | Condition::Trigger(at) => self.flags[usize::from(at)],
            Condition::Off(at) => !self.flags[usize::from(at)],
        }
    }

    /// Adds a state that code asked for.
    pub(super) fn go_to(&mut self, number: usize, asked: Asked, playing: &mut Voices) {
        let Asked { state, how } = asked;
        let (clip, head) = self.begin_at(state, how.at, playing.as_slice());
        let coming = Some(how.coming());
        self.lead(number, Voice { state, clip, coming, head, ..Voice::default() }, playing);
    }

    /// Where a state begins: in a clip of its own if it is played by motion matching, else at a share of its lap.
    fn begin_at(&mut self, state: u16, offset: f32, playing: &[Playing]) -> (u16, Head) {
        match self.enter_matched(state, playing) {
            Some(entered) => (entered.clip, entered.head),
            None => {
                let floats = self.floats;
                (0, self.graph.start_of(state, offset, |at| floats[usize::from(at)].value))
            }
        }
    }

    /// Takes its triggers away and adds the new state, which leads.
    pub(super) fn start(&mut self, number: usize, way: u16, source: usize, playing: &mut Voices) {
        let transition = self.graph.transition(way);
        for condition in self.graph.conditions(transition) {
            if let Condition::Trigger(at) = condition {
                self.flags[usize::from(*at)] = false;
            }
        }
        let state = transition.to;
        // A state whose time is a parameter goes in step with nothing, nor does one that is matched.
        let is_driven = |state: u16| {
            let state = self.graph.state(state);
            state.time_from.is_some() || state.matched.is_some()
        };
        let sync = transition.sync && !is_driven(state) && !is_driven(playing.as_slice()[source].voice.state);
        let (clip, head) = if sync {
            let from = playing.as_slice()[source].voice.head;
            let offset = Laps::of(f64::from(transition.offset));
            (0, Head { lap: 0, ..from }.gone(offset, self.graph.state(state).repeat))
        } else {
            self.begin_at(state, transition.offset, playing.as_slice())
        };
        let in_step = sync && source + 1 == playing.as_slice().len();
        let coming = Some(transition.coming());
        self.lead(number, Voice { state, clip, coming, in_step, head, ..Voice::default() }, playing);
    }

    fn lead(&mut self, number: usize, voice: Voice, playing: &mut Voices) {
        let mut one = Playing { voice, ..Playing::default() };
        self.enter(number, &mut one, Ticks::ZERO);
        self.tell_of_new(number, &one.voice);
        // The list is long enough: it holds one more than a layer has voices.
        let _ = playing.push(one);
    }
}
