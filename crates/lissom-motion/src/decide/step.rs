//! One step of one layer: voices, at most one transition, one-shots; then weights are given to the frame's entries.

use super::{
    Chosen, MAX_TOLD_TESTS, Step,
    shots::{Shared, Thrice},
    voices::{Playing, Voices, share_out},
};
use crate::{
    frame::{Change, Entry, Frame, FrameLayer},
    graph::Condition,
    state::{Coming, LayerState},
    time::{Head, Ticks},
};

impl Step<'_> {
    pub(crate) fn layer(&mut self, number: usize, layer: &mut LayerState) {
        let begin = self.frame.entries.len();
        let mut playing = self.voices(number, layer);
        let mut inertial = false;
        if self.dt_s > 0.0 {
            playing.as_slice().iter().for_each(|one| self.tell_of(number, one));
            // What code asks for goes before what transitions say.
            if let Some(asked) = layer.asked.take() {
                self.note_choice(number, &playing, None, asked.state);
                inertial = self.note_inertia(asked.how.coming(), &mut playing);
                self.go_to(number, asked, &mut playing);
            } else if let Some((way, source)) = self.pick(playing.as_slice()) {
                self.note_choice(number, &playing, Some((way, source)), self.graph.transition(way).to);
                inertial = self.note_inertia(self.graph.transition(way).coming(), &mut playing);
                self.start(number, way, source, &mut playing);
            } else {
                inertial = self.search(number, &mut playing);
            }
        }
        share_out(playing.as_mut_slice());
        if self.graph.is_inertial() {
            let change = |entry: &Entry| Change { old_weight: entry.weight, from: entry.from, to: entry.to };
            let Frame { entries, changes, .. } = &mut *self.frame;
            changes.extend(entries[begin..].iter().map(change));
        }
        let Shared { left, seen } = self.shots(number, layer);

        // A layer without states is there as far as its one-shots are.
        let seen = if playing.as_slice().is_empty() { seen } else { Thrice::ALL };
        let shown = &self.graph.layers[number];
        let by = shown.weight_from.map_or(1.0, |by| f64::from(self.floats[usize::from(by)].value));
        let weight = unit(f64::from(shown.weight) * by);
        self.frame.layers.push(FrameLayer {
            weight: (weight * seen.now) as f32,
            additive: shown.additive,
            mask: layer.mask,
            heard: (weight * seen.heard) as f32,
            before: (weight * seen.before) as f32,
        });
        for one in playing.as_slice() {
            if self.graph.is_inertial() {
                self.note_changes(one, inertial, left);
            }
            let heard = if inertial { one.old_share } else { one.share };
            for (i, entry) in self.frame.entries[one.entries.0..one.entries.1].iter_mut().enumerate() {
                let own = f64::from(entry.weight);
                // One that goes elsewhere leaves its first entry for its second.
                let played = match (one.jumped, i) {
                    (false, _) => own,
                    (true, 0) => 1.0,
                    (true, _) => 0.0,
                };
                entry.weight = (own * (one.share * left.now)) as f32;
                entry.heard = (played * (heard * left.heard)) as f32;
            }
        }
        let gone = layer.keep(playing.as_slice());
        if self.dt_s > 0.0 {
            self.tell_of_gone(number, playing.as_slice(), gone);
        }
    }

    /// What is decided, and what the tests of the transition see: before its triggers are taken.
    fn note_choice(&mut self, number: usize, playing: &Voices, way: Option<(u16, usize)>, to: u16) {
        let at = way.map_or(playing.as_slice().len().saturating_sub(1), |(_, source)| source);
        let Some(left) = playing.as_slice().get(at) else { return };
        let mut tests = [None; MAX_TOLD_TESTS];
        if let Some((way, _)) = way {
            let list = self.graph.conditions(self.graph.transition(way));
            // Rules stand behind the tests.
            let seen = list.iter().map_while(|test| Some((*test, self.tested(test)?)));
            tests.iter_mut().zip(seen).for_each(|(told, test)| *told = Some(test));
        }
        let (layer, from) = (number as u16, left.voice.state);
        self.frame.chosen.push(Chosen { layer, from, to, by_code: way.is_none(), tests });
    }

    /// The value that a test of a parameter sees; `None` for a rule.
    fn tested(&self, test: &Condition) -> Option<f64> {
        Some(match *test {
            Condition::FloatAbove(at, _) | Condition::FloatBelow(at, _) => {
                f64::from(self.floats[usize::from(at)].value)
            }
            Condition::IntAbove(at, _)
            | Condition::IntBelow(at, _)
            | Condition::IntIs(at, _)
            | Condition::IntIsNot(at, _) => f64::from(self.ints[usize::from(at)]),
            Condition::On(at) | Condition::Off(at) | Condition::Trigger(at) => {
                f64::from(u8::from(self.flags[usize::from(at)]))
            }
            _ => return None,
        })
    }

    /// True if what starts is by inertia: the frame is then told how long it takes.
    pub(super) fn note_inertia(&mut self, coming: Coming, playing: &mut Voices) -> bool {
        if coming.inertial {
            share_out(playing.as_mut_slice());
            playing.as_mut_slice().iter_mut().for_each(|one| one.old_share = one.share);
            let longest = self.frame.inertia_s.filter(|other| *other > coming.fade_s);
            self.frame.inertia_s = longest.or(Some(coming.fade_s));
        }
        coming.inertial
    }

    /// What the entries of a voice were before an inertial transition, where `left` is what one-shots leave of the layer.
    fn note_changes(&mut self, one: &Playing, inertial: bool, left: Thrice) {
        // A state that begins has not moved: its first step says how fast it is.
        let starts = inertial || self.graph.pose_names().next().is_some();
        let is_new = (starts && one.voice.age == Ticks::ZERO) || one.jumped;
        let repeat = self.graph.repeat_of(one.voice.state, one.voice.clip);
        let pace = || self.pace(core::slice::from_ref(one));
        let next = is_new.then(|| self.moved(one.voice.head, repeat, one.laps_per_s, pace().as_ref()));
        let share = if inertial { one.old_share } else { one.share };
        let own = one.entries.0..one.entries.1;
        let Self { graph, frame: Frame { entries, changes, .. }, step, .. } = &mut *self;
        for (i, (change, entry)) in changes[own.clone()].iter_mut().zip(&entries[own]).enumerate() {
            // One that goes elsewhere leaves its first entry for its second.
            let old_weight = match (one.jumped, i) {
                (false, _) => f64::from(change.old_weight),
                (true, 0) => 1.0,
                (true, _) => 0.0,
            };
            change.old_weight = (old_weight * (share * left.before)) as f32;
            change.to = match next {
                None => change.to,
                Some(_) if one.jumped && i == 0 => change.to,
                Some(_) if one.has_own_time(i) => graph
                    .own_head_of(graph.state(one.voice.state), entry.clip, *step)
                    .map_or(change.to, Head::playhead),
                Some(next) if graph.state(one.voice.state).matched.is_some() => next.playhead(),
                Some(next) => graph.placed(entry.clip, repeat, next),
            };
        }
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
