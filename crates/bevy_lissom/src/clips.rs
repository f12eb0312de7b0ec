//! Clips without a graph: one fades to another, at its own speed, from any time.
//!
//! The crowd plays up to four clips of a member by weight. What it does not know is kept here, per member: which of them leads, how a
//! fade goes on, and what was told of it. It is brought up to date before each update of the crowd and compared with it after.

use crate::{
    character::CharacterError,
    components::{Change, WeightedClip},
    crowds::CrowdOf,
};
use lissom::track::Repeat;
use lissom_motion::crowd::{CrowdError, MAX_PLAYED_CLIPS, Member, PlayedClip};
use std::{iter, sync::Arc};

/// A clip that a character plays without a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayingClip {
    /// Its whole name.
    pub name: Arc<str>,
    /// Where it is, in seconds from its start; of a clip that loops, within the lap.
    pub time_s: f64,
    /// How long it is.
    pub duration_s: f64,
    /// The laps that it has played: 2.25 is a quarter into the third.
    pub laps: f64,
    /// 1 as it was made, negative backward.
    pub speed: f32,
    /// What happens at its ends.
    pub repeat: Repeat,
    /// Its share of what is seen, in [0, 1].
    pub weight: f32,
    /// True if it plays once and is at its end.
    pub is_finished: bool,
}

/// A clip of a crowd.
#[derive(Clone, Debug)]
pub(crate) struct ClipFact {
    pub name: Arc<str>,
    pub duration_s: f64,
}

/// What a member's clips need beside the crowd.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Solo {
    /// Which of its clips leads.
    lead: usize,
    /// Where that was when its ends were last told, in laps.
    told: f64,
    fade: Option<Fade>,
}

/// The leading clip comes, the others go.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Fade {
    passed_s: f64,
    for_s: f64,
    /// The weights with which it began; the leading one is the last.
    from: [f32; MAX_PLAYED_CLIPS],
}

/// Something that the leading clip of a member did.
pub(crate) struct Ended {
    pub change: Change,
    pub clip: u16,
    pub share: f32,
    pub weight: f32,
}

const NOTHING: PlayedClip = PlayedClip::new(0, 0.0);

/// A clip that is to play once ends with the lap that it is in.
pub(crate) fn set_repeat(clip: &mut PlayedClip, repeat: Repeat) {
    if repeat == Repeat::Once && clip.repeat != Repeat::Once {
        clip.laps -= clip.laps.floor();
    }
    clip.repeat = repeat;
}

/// The clips of a member, without allocation.
struct Played {
    all: [PlayedClip; MAX_PLAYED_CLIPS],
    len: usize,
}

impl Played {
    fn of(crowd_of: &CrowdOf, member: Member) -> Result<Self, CrowdError> {
        let mut played = Self { all: [NOTHING; MAX_PLAYED_CLIPS], len: 0 };
        for (place, clip) in played.all.iter_mut().zip(crowd_of.crowd.played_clips(member)?) {
            *place = clip;
            played.len += 1;
        }
        Ok(played)
    }

    fn as_slice(&self) -> &[PlayedClip] {
        &self.all[..self.len]
    }

    /// Their weights as shares of 1; where all weigh nothing, so do they.
    fn shares(&self) -> [f32; MAX_PLAYED_CLIPS] {
        let total: f32 = self.as_slice().iter().map(|clip| clip.weight).sum();
        let share = |clip: &PlayedClip| if total > 0.0 { clip.weight / total } else { 0.0 };
        std::array::from_fn(|at| if at < self.len { share(&self.all[at]) } else { 0.0 })
    }

    /// Without the clip at this place.
    fn without(&mut self, at: usize) {
        self.all.copy_within(at + 1..self.len, at);
        self.len -= 1;
    }
}

impl Solo {
    /// Of a member that has begun to play: the heaviest clip leads, of two the first.
    pub fn new(clips: impl Iterator<Item = PlayedClip>) -> Self {
        let mut heaviest: Option<(usize, PlayedClip)> = None;
        for (at, clip) in clips.enumerate() {
            if heaviest.is_none_or(|(_, other)| clip.weight > other.weight) {
                heaviest = Some((at, clip));
            }
        }
        let (lead, told) = heaviest.map_or((0, 0.0), |(at, clip)| (at, clip.laps));
        Self { lead, told, fade: None }
    }

    /// For a file: which clip leads, what was told of it, and the fade.
    #[cfg(feature = "serde")]
    pub fn saved(&self) -> (usize, f64, Option<Fade>) {
        (self.lead, self.told, self.fade)
    }

    /// What was saved, of this number of clips.
    #[cfg(feature = "serde")]
    pub fn of_saved(
        lead: usize,
        told: f64,
        fade: Option<Fade>,
        clips: usize,
    ) -> Result<Self, CharacterError> {
        let wrong = |what, value, allowed| Err(CharacterError::Value { what, value, allowed });
        if lead >= clips.max(1) {
            return wrong("lead", lead as f64, "one of the clips");
        }
        let Fade { passed_s, for_s, from } =
            fade.unwrap_or(Fade { passed_s: 0.0, for_s: 1.0, from: [0.0; MAX_PLAYED_CLIPS] });
        let numbers = [told, passed_s, for_s].into_iter().chain(from.map(f64::from));
        if let Some(number) = numbers.into_iter().find(|number| !number.is_finite()) {
            return wrong("a number of a fade", number, "a finite number");
        }
        if for_s <= 0.0 || passed_s < 0.0 {
            return wrong("a time of a fade", if for_s <= 0.0 { for_s } else { passed_s }, "above 0");
        }
        if let Some(weight) = from.into_iter().find(|weight| *weight < 0.0) {
            return wrong("a weight of a fade", weight.into(), "at least 0");
        }
        Ok(Self { lead, told, fade })
    }

    /// True while a fade goes on.
    pub fn fades(&self) -> bool {
        self.fade.is_some()
    }

    /// The clips' weights after a step of the fade.
    pub fn step(&mut self, crowd_of: &mut CrowdOf, member: Member, dt_s: f64) -> Result<(), CrowdError> {
        let Some(fade) = &mut self.fade else { return Ok(()) };
        let mut played = Played::of(crowd_of, member)?;
        fade.passed_s += dt_s;
        let share = fade.passed_s / fade.for_s;
        if share < 1.0 {
            let smooth = (share * share * (3.0 - 2.0 * share)) as f32;
            for (at, clip) in played.all[..played.len].iter_mut().enumerate() {
                clip.weight = if at == self.lead { smooth } else { fade.from[at] * (1.0 - smooth) };
            }
            return crowd_of.crowd.set_played_clips(member, played.as_slice());
        }
        let lead = PlayedClip { weight: 1.0, ..played.all[self.lead] };
        (self.lead, self.fade) = (0, None);
        crowd_of.crowd.set_played_clips(member, &[lead])
    }

    /// What the leading clip did in the update, if it came to an end.
    pub fn ended(&mut self, crowd_of: &CrowdOf, member: Member) -> Option<Ended> {
        let PlayedClip { clip, laps, speed, repeat, .. } = self.lead(crowd_of, member)?;
        let before = std::mem::replace(&mut self.told, laps);
        let forward = laps > before;
        if laps == before {
            return None;
        }
        let (change, end) = match repeat {
            Repeat::Once if forward && laps >= 1.0 && before < 1.0 => (Change::Finished, 1.0),
            Repeat::Once if !forward && laps <= 0.0 && before > 0.0 => (Change::Finished, 0.0),
            Repeat::Once => return None,
            // At a bound exactly, it is in the next lap.
            _ if laps.floor() == before.floor() => return None,
            _ => (Change::Looped, if forward { before.floor() + 1.0 } else { before.floor() }),
        };
        // A clip that stops at its end went no farther, although it would have.
        let duration_s = crowd_of.clips.get(usize::from(clip)).map_or(0.0, |fact| fact.duration_s);
        let would = crowd_of.step_s(member) * f64::from(speed).abs()
            / if duration_s > 0.0 { duration_s } else { 1.0 };
        let way = if repeat == Repeat::Once { would } else { (laps - before).abs() };
        let share = (end - before).abs() / way;
        // Rounding must not lead out of the step.
        let share = if share > 1.0 { 1.0 } else { share as f32 };
        let weight = self.playing(crowd_of, member).map_or(1.0, |playing| playing.weight);
        Some(Ended { change, clip, share, weight })
    }

    fn lead(&self, crowd_of: &CrowdOf, member: Member) -> Option<PlayedClip> {
        crowd_of.crowd.played_clips(member).ok()?.nth(self.lead)
    }

    /// The clip that leads.
    pub fn playing(&self, crowd_of: &CrowdOf, member: Member) -> Option<PlayingClip> {
        Self::playing_at(crowd_of, &Played::of(crowd_of, member).ok()?, self.lead)
    }

    /// All clips, the leading one first.
    pub fn all(&self, crowd_of: &CrowdOf, member: Member) -> impl Iterator<Item = PlayingClip> {
        let played = Played::of(crowd_of, member).ok();
        let others = (0..MAX_PLAYED_CLIPS).filter(|at| *at != self.lead);
        let places = iter::once(self.lead).chain(others);
        places.filter_map(move |at| Self::playing_at(crowd_of, played.as_ref()?, at))
    }

    fn playing_at(crowd_of: &CrowdOf, played: &Played, at: usize) -> Option<PlayingClip> {
        let share = *played.shares().get(at)?;
        let PlayedClip { clip, laps, speed, repeat, .. } = *played.as_slice().get(at)?;
        let ClipFact { name, duration_s } = crowd_of.clips.get(usize::from(clip))?.clone();
        let within = match repeat {
            Repeat::Once => laps,
            Repeat::Loop => laps - laps.floor(),
            Repeat::PingPong => {
                let way = laps - 2.0 * (0.5 * laps).floor();
                if way > 1.0 { 2.0 - way } else { way }
            }
        };
        let over = if speed < 0.0 { laps <= 0.0 } else { laps >= 1.0 };
        Some(PlayingClip {
            name,
            time_s: within * duration_s,
            duration_s,
            laps,
            speed,
            repeat,
            weight: share,
            is_finished: repeat == Repeat::Once && over,
        })
    }

    /// Begins a fade to a clip.
    pub fn fade_to(
        &mut self,
        crowd_of: &mut CrowdOf,
        member: Member,
        to: &WeightedClip,
        fade_s: f32,
    ) -> Result<(), CharacterError> {
        if !(fade_s.is_finite() && fade_s >= 0.0) {
            return Err(CharacterError::Value {
                what: "fade",
                value: fade_s.into(),
                allowed: "at least 0 seconds",
            });
        }
        let clip = crowd_of.clip(&to.name)?;
        let &WeightedClip { speed, repeat, laps, .. } = to;
        let mut played = Played::of(crowd_of, member)?;
        if let Some(lead) = played.all[..played.len].get_mut(self.lead)
            && lead.clip == clip
        {
            set_repeat(lead, repeat);
            lead.speed = speed;
            return Ok(crowd_of.crowd.set_played_clips(member, played.as_slice())?);
        }
        let new = PlayedClip { clip, weight: 0.0, speed, repeat, laps };
        if fade_s == 0.0 || played.len == 0 {
            crowd_of.crowd.set_played_clips(member, &[PlayedClip { weight: 1.0, ..new }])?;
            *self = Self { lead: 0, told: laps, fade: None };
            return Ok(());
        }
        // The lightest makes room; of two the older.
        if played.len == MAX_PLAYED_CLIPS {
            let lightest =
                |a: usize, b: usize| if played.all[b].weight < played.all[a].weight { b } else { a };
            let at = (0..played.len).reduce(lightest).unwrap_or_default();
            played.without(at);
        }
        let from = played.shares();
        for (clip, share) in played.all.iter_mut().zip(from) {
            clip.weight = share;
        }
        played.all[played.len] = new;
        played.len += 1;
        crowd_of.crowd.set_played_clips(member, played.as_slice())?;
        let fade = Some(Fade { passed_s: 0.0, for_s: fade_s.into(), from });
        *self = Self { lead: played.len - 1, told: laps, fade };
        Ok(())
    }

    /// Changes the leading clip.
    pub fn change(
        &mut self,
        crowd_of: &mut CrowdOf,
        member: Member,
        change: impl FnOnce(&mut PlayedClip, f64),
    ) -> Result<(), CharacterError> {
        let mut played = Played::of(crowd_of, member)?;
        let Some(lead) = played.all[..played.len].get_mut(self.lead) else { return Ok(()) };
        let duration_s = crowd_of.clips.get(usize::from(lead.clip)).map_or(0.0, |fact| fact.duration_s);
        change(lead, duration_s);
        let laps = lead.laps;
        crowd_of.crowd.set_played_clips(member, played.as_slice())?;
        self.told = laps;
        Ok(())
    }
}
