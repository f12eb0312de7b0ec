//! Deciding: one step of a graph.
//!
//! A layer plays a few states, its *voices*: the last one leads, and its share of the layer grows from 0 to 1 over the
//! fade of the transition that started it; what is left goes to the voices before it, in the same way. One-shots lie
//! over them.
//!
//! A step of a layer is: every voice goes on by dt; then at most one transition starts, whose state begins with the
//! next step; then shares are handed out. So a frame shows what was played during dt, with the weights at its end, and
//! a state that was left in it still tells what it passed.

use crate::{
    frame::{Change, Entry, Frame, FrameLayer},
    graph::{Condition, Curve, Graph, Interruption, Pace, Transition},
    state::{Float, GraphState, LayerState, List, MAX_SHOTS, MAX_VOICES, Shot, StateError, Voice},
};
use lissom::track::{Playhead, Repeat, TimeError};

/// Laps that a state goes in one step, at most.
const MAX_LAPS: f64 = (1_u64 << 32) as f64;

impl Graph {
    /// Goes on by so many seconds, and says what is then to be seen. Allocates nothing with a frame made for this graph.
    ///
    /// A step of 0 changes nothing: the frame shows the state as it is, with nothing passed.
    ///
    /// # Errors
    ///
    /// [`StateError::Value`] for a step that is negative, NaN or infinite; [`StateError::OtherGraph`]. State and frame are then
    /// as they were.
    pub fn update(&self, state: &mut GraphState, dt_s: f64, frame: &mut Frame) -> Result<(), StateError> {
        self.begin(state, dt_s)?;
        frame.begin(dt_s);
        let GraphState { floats, ints, flags, layers, .. } = state;
        let mut step = Step { graph: self, floats, ints, flags, dt_s, frame };
        for (number, layer) in layers.iter_mut().enumerate() {
            step.layer(number, layer);
        }
        if dt_s > 0.0 {
            self.read_curves(frame, floats);
        }
        Ok(())
    }

    /// Parameters that the clips set: layer over layer, each by as much of it as has the curve.
    fn read_curves(&self, frame: &Frame, floats: &mut [Float]) {
        for curves in &self.curves {
            let mut value = f64::from(self.floats[usize::from(curves.float)].start);
            for (number, layer) in frame.layers.iter().enumerate() {
                let (mut sum, mut share) = (0.0, 0.0);
                for entry in frame.entries.iter().filter(|entry| usize::from(entry.layer) == number) {
                    if let Some(curve) = curves.of(entry.clip) {
                        let seen = f64::from(entry.weight) * f64::from(layer.weight);
                        sum += seen * f64::from(curve.at(entry.ratio()));
                        share += seen;
                    }
                }
                value = if layer.additive { value + sum } else { value * (1.0 - share) + sum };
            }
            let value = value as f32;
            let value = if value.is_finite() { value } else { f32::MAX.copysign(value) };
            floats[usize::from(curves.float)] = Float { target: value, value };
        }
    }

    /// A head of a state as one of its clip: the same, unless clips are kept in step by markers.
    fn placed(&self, clip: u16, repeat: Repeat, head: Playhead) -> Playhead {
        let marks = self.clips[usize::from(clip)].marks.as_ref().filter(|_| repeat == Repeat::Loop);
        // Less than two laps are never too far.
        marks.map_or(head, |marks| self.unit(repeat).seek(head, marks.at(head.progress_s())).unwrap_or(head))
    }

    /// Checks, then parameters go on.
    pub(crate) fn begin(&self, state: &mut GraphState, dt_s: f64) -> Result<(), StateError> {
        if !(dt_s.is_finite() && dt_s >= 0.0) {
            let allowed = "finite, at least 0; a negative speed plays backward";
            return Err(TimeError { field: "dt_s", value: dt_s, allowed }.into());
        }
        if state.shape != self.shape {
            return Err(StateError::OtherGraph);
        }
        if dt_s > 0.0 {
            for (float, start) in state.floats.iter_mut().zip(&self.floats) {
                float.follow(start.half_life_s, dt_s);
            }
        }
        Ok(())
    }

    /// Where a state starts: at a share of its lap, in the direction of playing.
    pub(crate) fn start_of(&self, state: u16, offset: f32, float: impl Fn(u16) -> f32) -> Playhead {
        let state = self.state(state);
        let line = self.unit(state.repeat);
        let backward = state.speed(float) < 0.0;
        let (start, way) =
            if backward { (line.end(), -f64::from(offset)) } else { (line.start(), f64::from(offset)) };
        // A share of a lap is never too far.
        line.advance(start, way).map_or(start, |span| span.to())
    }
}

impl Float {
    /// Half of the way in its half-life, whatever the steps are.
    fn follow(&mut self, half_life_s: f32, dt_s: f64) {
        let left = if half_life_s > 0.0 { libm::exp2(-dt_s / f64::from(half_life_s)) } else { 0.0 };
        let (target, value) = (f64::from(self.target), f64::from(self.value));
        self.value = if left > 0.0 { (target + (value - target) * left) as f32 } else { self.target };
    }
}

/// Where the share of something that began `age_s` ago stands.
fn risen(age_s: f64, fade_s: f32) -> f64 {
    let fade_s = f64::from(fade_s);
    if age_s < fade_s { age_s / fade_s } else { 1.0 }
}

impl Curve {
    fn at(self, t: f64) -> f64 {
        match self {
            Self::Linear => t,
            Self::Smooth => t * t * (3.0 - 2.0 * t),
        }
    }
}

impl Voice {
    /// True while the transition that started it goes on.
    fn is_coming(&self, graph: &Graph) -> bool {
        self.transition.is_some_and(|way| {
            let way = graph.transition(way);
            if way.inertial { self.age_s < f64::from(way.fade_s) } else { self.share(graph) < 1.0 }
        })
    }

    /// How much of what is left it takes. The first state of all takes everything.
    fn share(&self, graph: &Graph) -> f64 {
        self.transition.map_or(1.0, |way| {
            let way = graph.transition(way);
            if way.inertial { 1.0 } else { way.curve.at(risen(self.age_s, way.fade_s)) }
        })
    }
}

impl Shot {
    fn share(&self, graph: &Graph) -> f64 {
        let mut share = risen(self.age_s, self.how.fade_in_s);
        let mut fall = |left_s: f64| {
            let left = if left_s > 0.0 { risen(left_s, self.how.fade_out_s) } else { 0.0 };
            share = if left < share { left } else { share };
        };
        if let Some(stopping_s) = self.stopping_s {
            fall(f64::from(self.how.fade_out_s) - stopping_s);
        }
        if self.how.repeat == Repeat::Once {
            let left = 1.0 - (self.head.lap() as f64 + self.head.progress_s());
            fall(left / self.laps_per_s(graph));
        }
        share
    }

    fn laps_per_s(&self, graph: &Graph) -> f64 {
        let duration_s = graph.clips[usize::from(self.clip)].duration_s;
        let speed = f64::from(self.how.speed);
        if duration_s > 0.0 { speed / duration_s } else { speed }
    }

    /// True if it has gone for good.
    fn is_over(&self) -> bool {
        let stopped = self.stopping_s.is_some_and(|since_s| since_s >= f64::from(self.how.fade_out_s));
        stopped || (self.how.repeat == Repeat::Once && self.head.lap() > 0)
    }
}

/// A step of all layers.
pub(crate) struct Step<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) floats: &'a [Float],
    pub(crate) ints: &'a [i32],
    pub(crate) flags: &'a mut [bool],
    pub(crate) dt_s: f64,
    pub(crate) frame: &'a mut Frame,
}

/// A voice in this step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Playing {
    pub(crate) voice: Voice,
    from: Playhead,
    laps_per_s: f64,
    /// Of the layer's voices.
    share: f64,
    /// The same before an inertialised transition.
    old_share: f64,
    /// Its entries in the frame.
    entries: (usize, usize),
}

/// One more than a layer has: a transition may start.
type Voices = List<Playing, { MAX_VOICES + 1 }>;

impl Step<'_> {
    pub(crate) fn layer(&mut self, number: usize, layer: &mut LayerState) {
        let begin = self.frame.entries.len();
        let mut playing = self.voices(number, layer);
        let mut inertial = false;
        if self.dt_s > 0.0
            && let Some((way, source)) = self.pick(playing.as_slice())
        {
            let transition = self.graph.transition(way);
            inertial = transition.inertial;
            if inertial {
                share_out(self.graph, playing.as_mut_slice());
                playing.as_mut_slice().iter_mut().for_each(|one| one.old_share = one.share);
                let longest = self.frame.inertia_s.filter(|other| *other > transition.fade_s);
                self.frame.inertia_s = longest.or(Some(transition.fade_s));
            }
            self.start(number, way, source, &mut playing);
        }
        share_out(self.graph, playing.as_mut_slice());
        let (left, shots) = self.shots(number, layer);

        // A layer without states is there as far as its one-shots are.
        let seen = if playing.as_slice().is_empty() { shots } else { 1.0 };
        let shown = &self.graph.layers[number];
        let by = shown.weight_from.map_or(1.0, |by| f64::from(self.floats[usize::from(by)].value));
        self.frame.layers.push(FrameLayer {
            weight: (unit(f64::from(shown.weight) * by) * seen) as f32,
            additive: shown.additive,
            masked: shown.mask.is_some(),
        });
        if self.graph.is_inertial() {
            let change = |entry: &Entry| Change { old_weight: entry.weight, from: entry.from, to: entry.to };
            let Frame { entries, changes, .. } = &mut *self.frame;
            changes.extend(entries[begin..].iter().map(change));
        }
        for one in playing.as_slice() {
            let own = one.entries.0..one.entries.1;
            if self.graph.is_inertial() {
                // A state that begins has not moved: its first step says how fast it is.
                let is_new = inertial && one.voice.age_s == 0.0;
                let repeat = self.graph.state(one.voice.state).repeat;
                let pace = || self.pace(core::slice::from_ref(one));
                let next =
                    is_new.then(|| self.moved(one.voice.head, repeat, one.laps_per_s, pace().as_ref()));
                let share = if inertial { one.old_share } else { one.share };
                let Self { graph, frame: Frame { entries, changes, .. }, .. } = &mut *self;
                for (change, entry) in changes[own.clone()].iter_mut().zip(&entries[own.clone()]) {
                    change.old_weight = (f64::from(change.old_weight) * (share * left)) as f32;
                    change.to = next.map_or(change.to, |next| graph.placed(entry.clip, repeat, next));
                }
            }
            for entry in &mut self.frame.entries[own] {
                entry.weight = (f64::from(entry.weight) * (one.share * left)) as f32;
            }
        }
        layer.keep(self.graph, playing.as_slice());
    }

    /// The voices of a layer, gone on.
    pub(crate) fn voices(&mut self, number: usize, layer: &LayerState) -> Voices {
        let mut playing = Voices::default();
        for voice in layer.voices.as_slice() {
            playing.push(Playing { voice: *voice, ..Playing::default() });
        }
        self.go_on(number, playing.as_mut_slice());
        playing
    }

    /// Every voice goes on: its clips become entries, their weights so far those within the state.
    fn go_on(&mut self, number: usize, playing: &mut [Playing]) {
        share_out(self.graph, playing);
        for one in &mut *playing {
            self.enter(number, one);
        }
        // Voices in step go at one pace: their own, by their shares.
        let mut begin = 0;
        while begin < playing.len() {
            let in_step = playing[begin + 1..].iter().take_while(|one| one.voice.in_step).count();
            let together = &mut playing[begin..=begin + in_step];
            begin += together.len();
            let (mut speed, mut total) = (0.0, 0.0);
            for one in &*together {
                speed += one.laps_per_s * one.share;
                total += one.share;
            }
            let pace = self.pace(together);
            for one in together {
                let own = if in_step > 0 && total > 0.0 { speed / total } else { one.laps_per_s };
                let repeat = self.graph.state(one.voice.state).repeat;
                one.voice.head = self.moved(one.voice.head, repeat, own, pace.as_ref());
                one.voice.age_s += self.dt_s;
                for entry in &mut self.frame.entries[one.entries.0..one.entries.1] {
                    entry.to = self.graph.placed(entry.clip, repeat, one.voice.head);
                }
            }
        }
    }

    /// How voices in step go through a lap, if clips are kept in step by markers. Weights are those within the states.
    fn pace(&self, together: &[Playing]) -> Option<Pace> {
        let parts = self.graph.sync_parts();
        if parts == 0 {
            return None;
        }
        let mut all = Pace::new(parts);
        for one in together {
            let mut own = Pace::new(parts);
            let loops = self.graph.state(one.voice.state).repeat == Repeat::Loop;
            for entry in &self.frame.entries[one.entries.0..one.entries.1] {
                let clip = &self.graph.clips[usize::from(entry.clip)];
                let marks = clip.marks.as_ref().filter(|_| loops);
                own.add(marks, f64::from(entry.weight) * clip.duration_s);
            }
            all.blend(&own, if together.len() > 1 { one.share } else { 1.0 });
        }
        Some(all)
    }

    /// The clips of a voice become entries.
    fn enter(&mut self, number: usize, one: &mut Playing) {
        let Self { graph, floats, frame, .. } = self;
        let (state, head) = (graph.state(one.voice.state), one.voice.head);
        let begin = frame.entries.len();
        let float = |at: u16| floats[usize::from(at)].value;
        one.laps_per_s = graph.shares(state, float, |clip, weight| {
            let (layer, repeat) = (number as u16, state.repeat);
            let head = graph.placed(clip, repeat, head);
            frame.entries.push(Entry { clip, layer, weight, repeat, from: head, to: head });
        });
        one.entries = (begin, frame.entries.len());
        one.from = head;
    }

    /// So many laps a second, for this step; by a pace if the parts of a lap take other times.
    fn moved(&self, head: Playhead, repeat: Repeat, laps_per_s: f64, pace: Option<&Pace>) -> Playhead {
        let laps = self.dt_s * laps_per_s;
        let most = if laps < 0.0 { -MAX_LAPS } else { MAX_LAPS };
        let laps = if laps.abs() > MAX_LAPS { most } else { laps };
        let line = self.graph.unit(repeat);
        // So few laps are never too far.
        let go_on = |from: Playhead| line.advance(from, laps).map_or(from, |span| span.to());
        let Some(pace) = pace.filter(|_| repeat == Repeat::Loop && laps != 0.0) else { return go_on(head) };
        // In a lap's time the pace is even.
        let seek = |head: Playhead, to: f64| line.seek(head, to).unwrap_or(head);
        let timed = go_on(seek(head, pace.time_at(head.progress_s())));
        let to = seek(timed, pace.share_at(timed.progress_s()));
        // However it is rounded, it does not go the other way.
        if (to < head) == (laps < 0.0) { to } else { head }
    }

    /// Whether a transition may leave the leading voice, and the one that it takes over from.
    pub(crate) fn may_leave(&self, playing: &[Playing]) -> (bool, bool) {
        let [before @ .., lead] = playing else { return (true, false) };
        // What an inertialised transition came from is not played any more.
        let has_source = !before.is_empty();
        let running = lead.voice.transition.filter(|_| lead.voice.is_coming(self.graph));
        match running.map_or(Interruption::Target, |way| self.graph.transition(way).interruption) {
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
            let starts = |way: &Transition| wanted(way) && self.is_due(way, &playing[of]) && self.holds(way);
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
            let at = to.lap() as f64 + to.progress_s();
            return if one.laps_per_s < 0.0 { at <= 1.0 - exit } else { at >= exit };
        }
        // How often a head has passed the exit; at 1 it is passed with the lap.
        let passed = |head: Playhead| head.lap().saturating_add(i64::from(head.progress_s() > exit));
        passed(from) != passed(to)
    }

    fn holds(&self, way: &Transition) -> bool {
        self.graph.conditions(way).iter().all(|condition| self.condition_holds(condition))
    }

    pub(crate) fn condition_holds(&self, condition: &Condition) -> bool {
        match *condition {
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

    /// Takes its triggers away and adds the new state, which leads.
    fn start(&mut self, number: usize, way: u16, source: usize, playing: &mut Voices) {
        let transition = self.graph.transition(way);
        for condition in self.graph.conditions(transition) {
            if let Condition::Trigger(at) = condition {
                self.flags[usize::from(*at)] = false;
            }
        }
        let state = transition.to;
        let head = if transition.sync {
            let line = self.graph.unit(self.graph.state(state).repeat);
            let from = playing.as_slice()[source].voice.head.progress_s();
            // Less than two laps are never too far.
            line.at(from + f64::from(transition.offset)).unwrap_or(line.start())
        } else {
            let floats = self.floats;
            self.graph.start_of(state, transition.offset, |at| floats[usize::from(at)].value)
        };
        let in_step = transition.sync && source + 1 == playing.as_slice().len();
        let voice = Voice { state, transition: Some(way), in_step, age_s: 0.0, head };
        let mut one = Playing { voice, ..Playing::default() };
        self.enter(number, &mut one);
        // There is room: one more than a layer has voices.
        let _ = playing.push(one);
    }

    /// One-shots go on and become entries; returns what they leave of the layer, and what they take.
    fn shots(&mut self, number: usize, layer: &mut LayerState) -> (f64, f64) {
        let begin = self.frame.entries.len();
        let mut shares = [0.0; MAX_SHOTS];
        for (shot, share) in layer.shots.as_mut_slice().iter_mut().zip(&mut shares) {
            let (from, repeat) = (shot.head, shot.how.repeat);
            shot.head = self.moved(from, repeat, shot.laps_per_s(self.graph), None);
            shot.age_s += self.dt_s;
            shot.stopping_s = shot.stopping_s.map(|since_s| since_s + self.dt_s);
            *share = shot.share(self.graph);
            let (clip, layer, to) = (shot.clip, number as u16, shot.head);
            self.frame.entries.push(Entry { clip, layer, weight: 0.0, repeat, from, to });
        }
        // The newest first.
        let (mut left, mut seen) = (1.0, 0.0);
        for share in shares.iter_mut().rev() {
            let own = left * *share;
            left *= 1.0 - *share;
            seen += own;
            *share = own;
        }
        // Alone in their layer they share all of it.
        let alone = layer.voices.as_slice().is_empty() && seen > 0.0;
        for (entry, share) in self.frame.entries[begin..].iter_mut().zip(shares) {
            entry.weight = (if alone { share / seen } else { share }) as f32;
        }
        if self.dt_s > 0.0 {
            layer.shots.retain(|shot| !shot.is_over());
        }
        (left, seen)
    }
}

impl LayerState {
    /// What goes on after this step: the voices from the last one that hides those before it.
    fn keep(&mut self, graph: &Graph, playing: &[Playing]) {
        let hides = |one: &Playing| one.voice.share(graph) >= 1.0;
        let first = playing.iter().rposition(hides).unwrap_or(0);
        let most = playing.len().saturating_sub(MAX_VOICES);
        self.voices = List::default();
        for (i, one) in playing[if first > most { first } else { most }..].iter().enumerate() {
            self.voices.push(Voice { in_step: one.voice.in_step && i > 0, ..one.voice });
        }
    }
}

/// The leading voice takes its share, the one before it its share of what is left, and so on; the oldest takes the rest.
fn share_out(graph: &Graph, playing: &mut [Playing]) {
    let mut left = 1.0;
    for (i, one) in playing.iter_mut().enumerate().rev() {
        let share = if i == 0 { 1.0 } else { one.voice.share(graph) };
        one.share = left * share;
        left *= 1.0 - share;
    }
}

/// Into [0, 1].
fn unit(v: f64) -> f64 {
    if v > 1.0 {
        1.0
    } else if v > 0.0 {
        v
    } else {
        0.0
    }
}
