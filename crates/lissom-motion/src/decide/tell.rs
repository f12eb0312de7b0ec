//! What states did in a step, for those who listen.

use super::{Step, voices::Playing};
use crate::{
    frame::{Event, What, within},
    graph::StateKey,
    state::Voice,
    time::Head,
};
use lissom::track::Repeat;

impl Step<'_> {
    pub(super) fn tell(&mut self, number: usize, what: What<'static>, share: f64, weight: f64) {
        let (layer, share, weight) = (number as u16, share as f32, weight as f32);
        self.frame.happened.push(Event { what, layer, share, weight });
    }

    /// What a state did while it went on.
    pub(super) fn tell_of(&mut self, number: usize, one: &Playing) {
        let (voice, key) = (&one.voice, StateKey(one.voice.state));
        if voice.coming.is_none() && voice.age <= self.step {
            self.tell(number, What::Entered(key), 0.0, one.share);
        }
        if let Some(share) = self.settled(voice) {
            self.tell(number, What::TransitionEnded(key), share, one.share);
        }
        if self.graph.state(voice.state).repeat == Repeat::Once {
            // In step with another state it may go against its own direction.
            let (from, to) = (one.from, voice.head);
            if (from < Head::END && to >= Head::END) || (from > Head::START && to <= Head::START) {
                self.tell(number, What::Finished(key), one.until, one.share);
            }
        }
    }

    /// A state that begins at the end of the step.
    pub(super) fn tell_of_new(&mut self, number: usize, voice: &Voice) {
        let key = StateKey(voice.state);
        self.tell(number, What::TransitionStarted(key), 1.0, voice.share());
        self.tell(number, What::Entered(key), 1.0, voice.share());
        if !voice.is_coming() {
            self.tell(number, What::TransitionEnded(key), 1.0, voice.share());
        }
    }

    /// States that are not played any more: since the change that hides them was over.
    pub(super) fn tell_of_gone(&mut self, number: usize, playing: &[Playing], gone: usize) {
        let since = playing.get(gone).and_then(|one| self.settled(&one.voice)).unwrap_or(1.0);
        for one in playing.iter().take(gone) {
            for entry in &mut self.frame.entries[one.entries.0..one.entries.1] {
                entry.goes = Some(1.0);
            }
            self.tell(number, What::Left(StateKey(one.voice.state)), since, 0.0);
        }
    }

    /// When in the step the change to a state was over, if it was in this one.
    fn settled(&self, voice: &Voice) -> Option<f64> {
        let fade_s = f64::from(voice.coming?.fade_s);
        let before_s = voice.age.minus(self.step).seconds();
        let ends = fade_s > 0.0 && before_s < fade_s && voice.age.seconds() >= fade_s;
        ends.then(|| within((fade_s - before_s) / self.dt_s))
    }
}
