//! One-shots: clips that a program plays over a layer.

use super::{GraphState, LayerState};
use crate::{
    error::StateError,
    graph::{ClipKey, Graph, LayerKey},
    time::{Head, Ticks},
};
use lissom::track::{Repeat, TimeError};

/// A one-shot that is played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shot {
    /// Its number among all that its layer was told to play.
    pub(crate) number: u32,
    pub(crate) clip: u16,
    pub(crate) speed: f32,
    pub(crate) fade_in_s: f32,
    pub(crate) fade_out_s: f32,
    pub(crate) repeat: Repeat,
    pub(crate) age: Ticks,
    /// How old it was when it was told to stop; [`Ticks::NEVER`] if it was not.
    pub(crate) stopped_at: Ticks,
    pub(crate) head: Head,
}

/// A one-shot that a newer one pushed out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PushedOut {
    pub(crate) clip: u16,
    pub(crate) repeat: Repeat,
    /// Whether its lap was an odd one.
    pub(crate) odd: bool,
    /// How far into its lap it was, as in a [`Head`]: in bytes, so that a layer stays small.
    pub(crate) into: [u8; 8],
}

impl PushedOut {
    fn new(shot: &Shot) -> Self {
        let Shot { clip, repeat, head, .. } = *shot;
        Self { clip, repeat, odd: head.lap & 1 != 0, into: head.part.to_le_bytes() }
    }

    /// Where it was: in its lap, or in another one that runs the same way.
    pub(crate) fn head(&self) -> Head {
        Head { lap: i64::from(self.odd), part: u64::from_le_bytes(self.into) }
    }
}

/// A one-shot that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Queued {
    pub(crate) number: u32,
    pub(crate) clip: u16,
    pub(crate) how: OneShot,
}

/// How a one-shot is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneShot {
    /// 1 as it was made; above 0.
    pub speed: f32,
    /// Seconds in which it comes.
    pub fade_in_s: f32,
    /// Seconds in which it goes; played once, these are the last of the clip.
    pub fade_out_s: f32,
    /// What happens at the ends; what repeats goes on until it is stopped.
    pub repeat: Repeat,
    /// Where it starts, as a share of the clip in [0, 1].
    pub at: f32,
    /// True if it waits until the one-shots of its layer fade out. One that waits there already gives way to it.
    pub queued: bool,
}

impl Default for OneShot {
    fn default() -> Self {
        Self::NEW
    }
}

/// One call of [`GraphState::play`]: what it started. It stays valid in saved states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShotKey {
    layer: u16,
    number: u32,
}

/// A one-shot that a layer plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayingShot {
    /// Which one.
    pub shot: ShotKey,
    /// What it plays.
    pub clip: ClipKey,
    /// Where it is in its clip, in seconds.
    pub time_s: f64,
    /// Seconds since it began.
    pub age_s: f64,
    /// True if it has not begun: it waits for the one before it.
    pub is_queued: bool,
    /// True if it was stopped, and fades out.
    pub is_stopping: bool,
}

impl OneShot {
    /// Once, at its own speed, fading in and out in 0.2 seconds.
    pub const NEW: Self =
        Self { speed: 1.0, fade_in_s: 0.2, fade_out_s: 0.2, repeat: Repeat::Once, at: 0.0, queued: false };

    pub(super) fn check(&self) -> Result<(), TimeError> {
        let check = |field, value: f32, allowed, holds: bool| {
            if value.is_finite() && holds {
                Ok(())
            } else {
                Err(TimeError { field, value: f64::from(value), allowed })
            }
        };
        check("speed", self.speed, "finite, above 0", self.speed > 0.0)?;
        check("fade_in_s", self.fade_in_s, "finite, at least 0", self.fade_in_s >= 0.0)?;
        check("fade_out_s", self.fade_out_s, "finite, at least 0", self.fade_out_s >= 0.0)?;
        check("at", self.at, "in [0, 1]", (0.0..=1.0).contains(&self.at))
    }
}

impl Queued {
    /// As it begins.
    pub(crate) fn begin(self) -> Shot {
        let Self { number, clip, how: OneShot { speed, fade_in_s, fade_out_s, repeat, at, .. } } = self;
        let head = Head::at(f64::from(at), repeat);
        Shot {
            number,
            clip,
            speed,
            fade_in_s,
            fade_out_s,
            repeat,
            age: Ticks::ZERO,
            stopped_at: Ticks::NEVER,
            head,
        }
    }
}

impl Shot {
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped_at < Ticks::NEVER
    }

    /// False if it was stopped before.
    fn stop(&mut self) -> bool {
        let stops = !self.is_stopped();
        if stops {
            self.stopped_at = self.age;
        }
        stops
    }
}

impl LayerState {
    /// Adds a one-shot over the others. Where there is one too many, the newest gives way unseen if it has not begun; else the oldest
    /// is taken out. So at most one is between two steps.
    pub(crate) fn push_shot(&mut self, shot: Shot) {
        if self.shots.is_full() {
            if let Some(newest) =
                self.shots.as_mut_slice().last_mut().filter(|newest| newest.age <= Ticks::ZERO)
            {
                *newest = shot;
                return;
            }
            self.pushed_out = self.shots.as_slice().first().map(PushedOut::new);
            self.shots.drop_first(1);
        }
        self.shots.push(shot);
    }
}

impl GraphState {
    /// Plays a clip over a layer with the next update, or when it is its turn ([`OneShot::queued`]). One that plays there already
    /// goes under it; one that waits is forgotten.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`]; [`StateError::Value`].
    pub fn play(
        &mut self,
        graph: &Graph,
        layer: LayerKey,
        clip: ClipKey,
        how: OneShot,
    ) -> Result<ShotKey, StateError> {
        how.check()?;
        if self.shape != graph.shape || usize::from(clip.0) >= graph.clips.len() {
            return Err(StateError::OtherGraph);
        }
        let own = self.layers.get_mut(usize::from(layer.0)).ok_or(StateError::OtherGraph)?;
        let number = own.shots_played;
        own.shots_played = number.wrapping_add(1);
        let shot = Queued { number, clip: clip.0, how };
        own.queued = how.queued.then_some(shot);
        if !how.queued {
            own.push_shot(shot.begin());
        }
        Ok(ShotKey { layer: layer.0, number })
    }

    /// Lets the one-shots of a layer go, each in the time that it goes in. One that waits is forgotten.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`].
    pub fn stop(&mut self, layer: LayerKey) -> Result<(), StateError> {
        let layer = self.layers.get_mut(usize::from(layer.0)).ok_or(StateError::OtherGraph)?;
        layer.queued = None;
        for shot in layer.shots.as_mut_slice() {
            shot.stop();
        }
        Ok(())
    }

    /// Lets one one-shot go. False if it is over, or was stopped before.
    pub fn stop_shot(&mut self, shot: ShotKey) -> bool {
        let Some(layer) = self.layers.get_mut(usize::from(shot.layer)) else { return false };
        if layer.queued.is_some_and(|queued| queued.number == shot.number) {
            layer.queued = None;
            return true;
        }
        layer.shots.as_mut_slice().iter_mut().any(|own| own.number == shot.number && own.stop())
    }

    /// The one-shots of a layer, the oldest first; one that waits is the last. None for another graph.
    pub fn shots<'s>(
        &'s self,
        graph: &'s Graph,
        layer: LayerKey,
    ) -> impl Iterator<Item = PlayingShot> + use<'s> {
        let own = self.layers.get(usize::from(layer.0)).filter(|_| self.shape == graph.shape);
        let playing = own.map_or(&[][..], |own| own.shots.as_slice());
        let queued = own.and_then(|own| own.queued).map(|queued| (queued.begin(), true));
        let all = playing.iter().map(|shot| (*shot, false)).chain(queued);
        all.map(move |(shot, is_queued)| PlayingShot {
            shot: ShotKey { layer: layer.0, number: shot.number },
            clip: ClipKey(shot.clip),
            time_s: graph.unit(shot.repeat).time_s(shot.head.playhead())
                * graph.clips[usize::from(shot.clip)].duration_s,
            age_s: shot.age.seconds(),
            is_queued,
            is_stopping: shot.is_stopped(),
        })
    }

    /// A one-shot that is played or waits; `None` if it is over.
    #[must_use]
    pub fn shot(&self, graph: &Graph, shot: ShotKey) -> Option<PlayingShot> {
        self.shots(graph, LayerKey(shot.layer)).find(|own| own.shot == shot)
    }
}
