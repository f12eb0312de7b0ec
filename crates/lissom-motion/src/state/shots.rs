//! One-shots: clips and montages that a program plays over a layer.

use super::{GraphState, LayerState};
use crate::{
    error::StateError,
    graph::{ClipKey, Course, Graph, LayerKey, MontageKey, SectionKey, ShotOf},
    time::{Head, Ticks},
};
use lissom::track::{Repeat, TimeError};

/// A one-shot that is played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shot {
    /// Its number among all that its layer was told to play.
    pub(crate) number: u32,
    /// What it plays: [`ShotOf::code`].
    pub(crate) plays: u16,
    /// Of a montage, the section that plays, and what code wants next.
    pub(crate) section: u8,
    pub(crate) course: Course,
    pub(crate) speed: f32,
    pub(crate) fade_in_s: f32,
    pub(crate) fade_out_s: f32,
    pub(crate) repeat: Repeat,
    /// It comes and goes by inertia.
    pub(crate) inertial: bool,
    pub(crate) age: Ticks,
    /// How old it was when it was told to stop; [`Ticks::NEVER`] if it was not.
    pub(crate) stopped_at: Ticks,
    pub(crate) head: Head,
}

/// A one-shot that a newer one pushed out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PushedOut {
    pub(crate) plays: u16,
    pub(crate) repeat: Repeat,
    /// Whether its lap was an odd one.
    pub(crate) odd: bool,
    /// How far into its lap it was, as in a [`Head`]: in bytes, so that a layer stays small.
    pub(crate) into: [u8; 8],
}

impl PushedOut {
    fn new(shot: &Shot) -> Self {
        let Shot { plays, repeat, head, .. } = *shot;
        Self { plays, repeat, odd: head.lap & 1 != 0, into: head.part.to_le_bytes() }
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
    pub(crate) plays: u16,
    pub(crate) course: Course,
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
    /// What happens at the ends; what repeats goes on until it is stopped. Of a montage its sections say it.
    pub repeat: Repeat,
    /// Where it starts, as a share of the clip in [0, 1]; of a montage, that is in the section there.
    pub at: f32,
    /// True if it takes the layer at once and leaves it at once, and the difference to what was seen before fades out in these times:
    /// nothing jumps. So do jumps between sections.
    pub inertial: bool,
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
    /// The clip that it plays.
    pub clip: ClipKey,
    /// If it plays a montage: the section that it is in.
    pub section: Option<SectionKey>,
    /// Where it is in its clip, in seconds.
    pub time_s: f64,
    /// How fast it plays; 1 is as the clip was made.
    pub speed: f32,
    /// Seconds since it began.
    pub age_s: f64,
    /// True if it has not begun: it waits for the one before it.
    pub is_queued: bool,
    /// True if it was stopped, and fades out.
    pub is_stopping: bool,
}

impl PlayingShot {
    /// The montage that it plays; `None` for a clip.
    #[must_use]
    pub fn montage(&self) -> Option<MontageKey> {
        self.section.map(|section| MontageKey(section.montage))
    }
}

impl OneShot {
    /// Once, at its own speed, fading in and out in 0.2 seconds.
    pub const NEW: Self = Self {
        speed: 1.0,
        fade_in_s: 0.2,
        fade_out_s: 0.2,
        repeat: Repeat::Once,
        at: 0.0,
        inertial: false,
        queued: false,
    };

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
    pub(crate) fn begin(self, graph: &Graph) -> Shot {
        let Self { number, plays, course, how } = self;
        let OneShot { speed, fade_in_s, fade_out_s, repeat, at, inertial, .. } = how;
        let montage = graph.montage_of(plays);
        let repeat = if montage.is_some() { Repeat::Once } else { repeat };
        let head = Head::at(f64::from(at), repeat);
        Shot {
            number,
            plays,
            section: montage.map_or(0, |montage| montage.section_at(head)),
            course,
            speed,
            fade_in_s,
            fade_out_s,
            repeat,
            inertial,
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

/// A one-shot that code changes.
enum Found<'s> {
    Playing(&'s mut Shot),
    Queued(&'s mut Queued),
}

impl GraphState {
    /// Plays a clip or a montage over a layer with the next update, or when it is its turn ([`OneShot::queued`]). One that plays there
    /// already goes under it; one that waits is forgotten.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`]; [`StateError::Value`]; [`StateError::NoInertia`].
    pub fn play(
        &mut self,
        graph: &Graph,
        layer: LayerKey,
        shot: impl Into<ShotOf>,
        how: OneShot,
    ) -> Result<ShotKey, StateError> {
        how.check()?;
        let shot = shot.into();
        if self.shape != graph.shape || !graph.has_shot(shot) {
            return Err(StateError::OtherGraph);
        }
        if how.inertial && !graph.is_inertial() {
            return Err(StateError::NoInertia);
        }
        let own = self.layers.get_mut(usize::from(layer.0)).ok_or(StateError::OtherGraph)?;
        let number = own.shots_played;
        own.shots_played = number.wrapping_add(1);
        let shot = Queued { number, plays: shot.code(), course: Course::AsDescribed, how };
        own.queued = how.queued.then_some(shot);
        if !how.queued {
            own.push_shot(shot.begin(graph));
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

    /// Plays a one-shot at another speed from now on. False if it is over.
    ///
    /// # Errors
    ///
    /// [`StateError::Value`] for a speed that is not above 0.
    pub fn set_shot_speed(&mut self, shot: ShotKey, speed: f32) -> Result<bool, StateError> {
        OneShot { speed, ..OneShot::NEW }.check()?;
        Ok(match self.find_shot(shot) {
            Some(Found::Playing(own)) => {
                own.speed = speed;
                true
            }
            Some(Found::Queued(own)) => {
                own.how.speed = speed;
                true
            }
            None => false,
        })
    }

    /// Lets a one-shot that plays a montage jump: at the end of the next step it is at the beginning of this section; one that has not
    /// begun begins there. False if it is over.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`]; [`StateError::OtherSection`] if the section is not of the montage that it plays.
    pub fn jump_shot(
        &mut self,
        graph: &Graph,
        shot: ShotKey,
        section: SectionKey,
    ) -> Result<bool, StateError> {
        let at = graph.section_start(section).ok_or(StateError::OtherGraph)?;
        let head = Head::at(f64::from(at), Repeat::Once);
        self.direct_shot(graph, shot, Some(section), |found| match found {
            // What has not begun begins there.
            Found::Queued(own) => own.how.at = at,
            Found::Playing(own) if own.age == Ticks::ZERO => {
                (own.head, own.section) = (head, section.section)
            }
            Found::Playing(own) => own.course = Course::Jumps(section.section),
        })
    }

    /// Says what comes after the section of a montage that a one-shot plays now; `None`: it ends there. It counts once. False if it is
    /// over.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`]; [`StateError::OtherSection`] if the section is not of the montage that it plays.
    pub fn set_next_section(
        &mut self,
        graph: &Graph,
        shot: ShotKey,
        next: Option<SectionKey>,
    ) -> Result<bool, StateError> {
        let course = next.map_or(Course::Ends, |next| Course::Then(next.section));
        self.direct_shot(graph, shot, next, |found| match found {
            Found::Queued(own) => own.course = course,
            Found::Playing(own) => own.course = course,
        })
    }

    /// Changes a one-shot that plays the montage of a section.
    fn direct_shot(
        &mut self,
        graph: &Graph,
        shot: ShotKey,
        section: Option<SectionKey>,
        change: impl FnOnce(Found<'_>),
    ) -> Result<bool, StateError> {
        let known = section.is_none_or(|section| graph.section_name(section).is_some());
        if self.shape != graph.shape || !known {
            return Err(StateError::OtherGraph);
        }
        let Some(found) = self.find_shot(shot) else { return Ok(false) };
        let plays = match &found {
            Found::Playing(own) => own.plays,
            Found::Queued(own) => own.plays,
        };
        let of = section.map(|section| ShotOf::Montage(MontageKey(section.montage)).code());
        if graph.montage_of(plays).is_none() || of.is_some_and(|of| of != plays) {
            return Err(StateError::OtherSection);
        }
        change(found);
        Ok(true)
    }

    fn find_shot(&mut self, shot: ShotKey) -> Option<Found<'_>> {
        let LayerState { shots, queued, .. } = self.layers.get_mut(usize::from(shot.layer))?;
        let waits = queued.as_mut().filter(|queued| queued.number == shot.number).map(Found::Queued);
        let mut playing = shots.as_mut_slice().iter_mut();
        waits.or_else(|| playing.find(|own| own.number == shot.number).map(Found::Playing))
    }

    /// The one-shots of a layer, the oldest first; one that waits is the last. None for another graph.
    pub fn shots<'s>(
        &'s self,
        graph: &'s Graph,
        layer: LayerKey,
    ) -> impl Iterator<Item = PlayingShot> + use<'s> {
        let own = self.layers.get(usize::from(layer.0)).filter(|_| self.shape == graph.shape);
        let playing = own.map_or(&[][..], |own| own.shots.as_slice());
        let queued = own.and_then(|own| own.queued).map(|queued| (queued.begin(graph), true));
        let all = playing.iter().map(|shot| (*shot, false)).chain(queued);
        all.map(move |(shot, is_queued)| PlayingShot {
            shot: ShotKey { layer: layer.0, number: shot.number },
            clip: ClipKey(graph.clip_of(shot.plays)),
            section: match ShotOf::of_code(shot.plays) {
                ShotOf::Clip(_) => None,
                ShotOf::Montage(key) => Some(SectionKey { montage: key.0, section: shot.section }),
            },
            time_s: graph.unit(shot.repeat).time_s(shot.head.playhead())
                * graph.clips[usize::from(graph.clip_of(shot.plays))].duration_s,
            speed: shot.speed,
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
