//! The states that a layer plays at once: how they go on, and how they share the layer.

use super::{Step, risen};
use crate::{
    frame::{Entry, until},
    graph::Pace,
    limits::MAX_VOICES,
    state::{LayerState, List, Voice},
    time::{Head, Laps, Rate, Ticks},
};
use lissom::track::Repeat;

/// A voice in this step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Playing {
    pub(crate) voice: Voice,
    pub(super) from: Head,
    pub(super) laps_per_s: f64,
    /// Of the layer's voices.
    pub(super) share: f64,
    /// The same before an inertialised transition.
    pub(super) old_share: f64,
    /// When in the step its head came to where it is.
    pub(super) until: f64,
    /// Its entries in the frame.
    pub(super) entries: (usize, usize),
    /// A bit per entry: it plays in its own time.
    pub(super) own_time: u32,
    /// True if a search led it elsewhere: its last entry is what it plays now.
    pub(super) jumped: bool,
}

impl Playing {
    /// Laps from where its first one began, in the direction in which it plays.
    pub(super) fn laps_done(&self) -> f64 {
        let laps = self.voice.head.laps();
        if self.laps_per_s < 0.0 { 1.0 - laps } else { laps }
    }

    /// Whether one of its entries plays in its own time.
    pub(super) fn has_own_time(&self, entry: usize) -> bool {
        self.own_time >> entry & 1 != 0
    }
}

/// One more than a layer has: a transition may start.
pub(super) type Voices = List<Playing, { MAX_VOICES + 1 }>;

impl Voice {
    /// True while the transition that started it goes on.
    pub(super) fn is_coming(&self) -> bool {
        self.coming.is_some_and(|way| {
            if way.inertial { self.age.seconds() < f64::from(way.fade_s) } else { self.share() < 1.0 }
        })
    }

    /// How much of what is left it takes. The first state of all takes everything.
    pub(super) fn share(&self) -> f64 {
        self.coming.map_or(1.0, |way| {
            if way.inertial { 1.0 } else { way.fade.at(risen(self.age.seconds(), way.fade_s)) }
        })
    }

    /// Takes its share of what newer ones left; the oldest takes the rest. To be called from the newest to the oldest.
    pub(crate) fn take(&self, left: &mut f64, is_oldest: bool) -> f64 {
        let share = if is_oldest { 1.0 } else { self.share() };
        let taken = *left * share;
        *left *= 1.0 - share;
        taken
    }
}

impl Step<'_> {
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
        share_out(playing);
        for one in &mut *playing {
            self.enter(number, one, self.step);
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
                let state = self.graph.state(one.voice.state);
                let repeat = self.graph.repeat_of(one.voice.state, one.voice.clip);
                one.voice.head = match state.time_from {
                    Some(_) if self.step == Ticks::ZERO => one.voice.head,
                    Some(by) => self.graph.head_at(repeat, self.floats[usize::from(by)].value),
                    None => self.moved(one.voice.head, repeat, own, pace.as_ref()),
                };
                one.voice.age = one.voice.age.plus(self.step);
                one.until = until(repeat, one.from, one.voice.head, Rate::of(own).over(self.step));
                let own = &mut self.frame.entries[one.entries.0..one.entries.1];
                for (_, entry) in own.iter_mut().enumerate().filter(|(i, _)| !one.has_own_time(*i)) {
                    entry.to = match state.matched {
                        Some(_) => one.voice.head.playhead(),
                        None => self.graph.placed(entry.clip, repeat, one.voice.head),
                    };
                    entry.until = one.until;
                }
            }
        }
    }

    /// How voices in step go through a lap, if clips are kept in step by markers. Weights are those within the states.
    pub(super) fn pace(&self, together: &[Playing]) -> Option<Pace> {
        let intervals = self.graph.sync_intervals();
        // Matched states go as their clips were made.
        let is_matched = |one: &Playing| self.graph.state(one.voice.state).matched.is_some();
        if intervals == 0 || together.iter().any(is_matched) {
            return None;
        }
        let mut all = Pace::new(intervals);
        for one in together {
            let mut own = Pace::new(intervals);
            let loops = self.graph.state(one.voice.state).repeat == Repeat::Loop;
            let entries = &self.frame.entries[one.entries.0..one.entries.1];
            for (_, entry) in entries.iter().enumerate().filter(|(i, _)| !one.has_own_time(*i)) {
                let clip = &self.graph.clips[usize::from(entry.clip)];
                let marks = clip.marks.as_ref().filter(|_| loops);
                own.add(marks, f64::from(entry.weight) * clip.duration_s);
            }
            all.blend(&own, if together.len() > 1 { one.share } else { 1.0 });
        }
        Some(all)
    }

    /// The clips of a voice become entries. Those in their own time make their step, the others when the pace is known.
    pub(super) fn enter(&mut self, number: usize, one: &mut Playing, step: Ticks) {
        let Self { graph, floats, frame, .. } = self;
        let (state, head, age) = (graph.state(one.voice.state), one.voice.head, one.voice.age);
        let goes_on = step > Ticks::ZERO;
        let begin = frame.entries.len();
        let float = |at: u16| floats[usize::from(at)].value;
        one.own_time = 0;
        if let Some(matched) = graph.matched_of(state) {
            one.from = head;
            if matched.database.is_some() {
                let clip = one.voice.clip;
                let repeat = graph.repeat_of(one.voice.state, clip);
                let came = goes_on && one.voice.points == 0;
                let entry = Entry::new(clip, number, repeat, head.playhead(), state.root);
                frame.entries.push(Entry { came, ..entry });
                if goes_on {
                    one.voice.points = 1;
                }
                one.laps_per_s = graph.laps_per_s_of(clip);
            }
            one.entries = (begin, frame.entries.len());
            return;
        }
        let mut points = 0;
        one.laps_per_s = graph.shares(state, float, |point, weight| {
            let (clip, repeat) = (point.clip, state.repeat);
            let bit = 1_u32 << point.number;
            let came = goes_on && one.voice.points & bit == 0;
            points |= bit;
            let [from, to] = if point.own_time {
                one.own_time |= 1 << (frame.entries.len() - begin);
                [age, age.plus(step)].map(|age| graph.own_head(state, point, age).playhead())
            } else {
                [graph.placed(clip, repeat, head); 2]
            };
            let entry = Entry::new(clip, number, repeat, from, state.root);
            frame.entries.push(Entry { weight, to, came, ..entry });
        });
        if goes_on {
            let dropped = one.voice.points & !points;
            if dropped != 0 {
                for (point, head) in graph.places_of(one.voice.state, dropped, head, age) {
                    frame.dropped.push(Entry::dropped(point.clip, number, state.repeat, head));
                }
            }
            one.voice.points = points;
        }
        one.entries = (begin, frame.entries.len());
        one.from = head;
    }

    /// So many laps a second, for this step; by a pace if the intervals of a lap take other times.
    pub(super) fn moved(&self, head: Head, repeat: Repeat, laps_per_s: f64, pace: Option<&Pace>) -> Head {
        let laps = Rate::of(laps_per_s).over(self.step);
        let Some(pace) = pace.filter(|_| repeat == Repeat::Loop && laps != Laps::NONE) else {
            return head.gone(laps, repeat);
        };
        // In a lap's time the pace is even.
        let timed = head.seek(pace.time_at(head.share())).gone(laps, repeat);
        let to = timed.seek(pace.share_at(timed.share()));
        // However it is rounded, it does not go the other way.
        if (to < head) == (laps < Laps::NONE) { to } else { head }
    }
}

impl LayerState {
    /// What goes on after this step: the voices from the last one that hides those before it. Returns how many do not
    /// go on.
    pub(super) fn keep(&mut self, playing: &[Playing]) -> usize {
        let hides = |one: &Playing| one.voice.share() >= 1.0;
        let first = playing.iter().rposition(hides).unwrap_or(0);
        let most = playing.len().saturating_sub(MAX_VOICES);
        self.voices = List::default();
        let gone = if first > most { first } else { most };
        for (i, one) in playing[gone..].iter().enumerate() {
            self.voices.push(Voice { in_step: one.voice.in_step && i > 0, ..one.voice });
        }
        gone
    }
}

/// What each voice takes, beginning with the leading one.
pub(super) fn share_out(playing: &mut [Playing]) {
    let mut left = 1.0;
    for (i, one) in playing.iter_mut().enumerate().rev() {
        one.share = one.voice.take(&mut left, i == 0);
    }
}
