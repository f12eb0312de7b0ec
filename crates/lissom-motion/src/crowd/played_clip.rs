//! A mix that plays by itself: for members that need no graph.

use super::error::{CrowdError, value};
use crate::{
    frame::{Entry, Frame, FrameLayer, until},
    graph::{Graph, RootUse},
    state::List,
    time::{Head, Rate, Ticks},
};
use lissom::track::Repeat;

/// Clips that a member plays at once without a graph.
pub const MAX_PLAYED_CLIPS: usize = 4;
/// Clips start so many laps from the start, at most: the count of laps stays exact.
const MAX_LAPS: f64 = (1_u64 << 50) as f64;

/// One clip of a member that plays by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayedClip {
    /// Its number in the crowd: [`Crowd::clip`](super::Crowd::clip).
    pub clip: u16,
    /// How much of it, against the other clips; at least 0.
    pub weight: f32,
    /// 1 as it was made, negative backward.
    pub speed: f32,
    /// What happens at its ends.
    pub repeat: Repeat,
    /// Where it is, in laps: 2.25 is a quarter into the third.
    pub laps: f64,
}

impl PlayedClip {
    /// A clip from its start, over and over.
    #[must_use]
    pub const fn new(clip: u16, weight: f32) -> Self {
        Self { clip, weight, speed: 1.0, repeat: Repeat::Loop, laps: 0.0 }
    }

    /// The same from elsewhere.
    #[must_use]
    pub const fn at(self, laps: f64) -> Self {
        Self { laps, ..self }
    }
}

/// The clips that a member plays without a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlayedClips {
    list: List<Playing, MAX_PLAYED_CLIPS>,
    in_step: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Playing {
    clip: u16,
    repeat: Repeat,
    weight: f32,
    speed: f32,
    head: Head,
}

impl PlayedClips {
    /// `clips` has the crowd's clips, all of them.
    pub fn new(played: &[PlayedClip], in_step: bool, clips: &Graph) -> Result<Self, CrowdError> {
        if played.len() > MAX_PLAYED_CLIPS {
            return Err(CrowdError::TooManyClips { found: played.len(), allowed: MAX_PLAYED_CLIPS });
        }
        let mut list = List::default();
        for one in played {
            let (found, all) = (usize::from(one.clip), clips.clips().len());
            if found >= all {
                return Err(CrowdError::NoSuchClip { found, clips: all });
            }
            if !(one.weight.is_finite() && one.weight >= 0.0) {
                return Err(value("weight", one.weight.into(), "finite, at least 0"));
            }
            if !one.speed.is_finite() {
                return Err(value("speed", one.speed.into(), "a finite number"));
            }
            if !(-MAX_LAPS..=MAX_LAPS).contains(&one.laps) {
                return Err(value("laps", one.laps, "finite, at most 2^50"));
            }
            let head = Head::at(one.laps, one.repeat);
            let PlayedClip { clip, repeat, weight, speed, .. } = *one;
            // The list is long enough: they have been counted.
            let _ = list.push(Playing { clip, repeat, weight, speed, head });
        }
        Ok(Self { list, in_step })
    }

    pub fn is_in_step(&self) -> bool {
        self.in_step
    }

    /// The numbers of the clips.
    pub fn numbers(&self) -> impl Iterator<Item = u16> {
        self.list.as_slice().iter().map(|playing| playing.clip)
    }

    /// The same with other numbers; `None` if one has none.
    pub fn renumbered(mut self, number: impl Fn(u16) -> Option<u16>) -> Option<Self> {
        for playing in self.list.as_mut_slice() {
            playing.clip = number(playing.clip)?;
        }
        Some(self)
    }

    /// The clips as they are now.
    pub fn iter(&self) -> impl Iterator<Item = PlayedClip> {
        self.list.as_slice().iter().map(|playing| PlayedClip {
            clip: playing.clip,
            weight: playing.weight,
            speed: playing.speed,
            repeat: playing.repeat,
            laps: playing.head.laps(),
        })
    }

    /// Makes a step and says what is then shown.
    pub fn advance(&mut self, clips: &Graph, step: Ticks, frame: &mut Frame) {
        let own = |playing: &Playing| {
            let duration_s = clips.clips()[usize::from(playing.clip)].duration_s;
            f64::from(playing.speed) / if duration_s > 0.0 { duration_s } else { 1.0 }
        };
        // In step all go at one pace: the mean of their own, by weight.
        let (mut pace, mut total) = (0.0, 0.0);
        for playing in self.list.as_slice() {
            pace += own(playing) * f64::from(playing.weight);
            total += f64::from(playing.weight);
        }
        let together = (self.in_step && total > 0.0).then(|| pace / total);
        frame.begin(step.seconds());
        frame.layers.push(FrameLayer::WHOLE);
        for playing in self.list.as_mut_slice() {
            let Playing { clip, repeat, weight, head: from, .. } = *playing;
            let laps = Rate::of(together.unwrap_or_else(|| own(playing))).over(step);
            let to = from.gone(laps, repeat);
            playing.head = to;
            // A frame's weights are shares.
            let weight = if total > 0.0 { (f64::from(weight) / total) as f32 } else { 0.0 };
            let until = until(repeat, from, to, laps);
            let [from, to] = [from, to].map(Head::playhead);
            let entry = Entry::new(clip, 0, repeat, from, RootUse::Take);
            frame.entries.push(Entry { weight, heard: weight, to, until, ..entry });
        }
    }
}
