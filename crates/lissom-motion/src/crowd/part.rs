//! A mix that plays by itself: for members that need no graph.

use super::error::{CrowdError, value};
use crate::{
    frame::{Entry, Frame, FrameLayer},
    graph::Graph,
    state::List,
};
use lissom::track::{Playhead, Repeat};

/// Clips that a member plays at once without a graph.
pub const MAX_PARTS: usize = 4;

/// One clip of a member that plays by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Its number in the crowd: [`Crowd::clip`](super::Crowd::clip).
    pub clip: u16,
    /// How much of it, against the other parts; at least 0.
    pub weight: f32,
    /// 1 as it was made, negative backward.
    pub speed: f32,
    /// What happens at its ends.
    pub repeat: Repeat,
    /// Where it is, in laps: 2.25 is a quarter into the third.
    pub laps: f64,
}

impl Part {
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

/// The parts of a member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Parts {
    list: List<Playing, MAX_PARTS>,
    in_step: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Playing {
    clip: u16,
    repeat: Repeat,
    weight: f32,
    speed: f32,
    /// In laps.
    head: Playhead,
}

impl Parts {
    /// `clips` has the crowd's clips, all of them.
    pub fn new(parts: &[Part], in_step: bool, clips: &Graph) -> Result<Self, CrowdError> {
        if parts.len() > MAX_PARTS {
            return Err(CrowdError::TooManyParts { found: parts.len(), allowed: MAX_PARTS });
        }
        let mut list = List::default();
        for part in parts {
            let (found, all) = (usize::from(part.clip), clips.clips().len());
            if found >= all {
                return Err(CrowdError::NoSuchClip { found, clips: all });
            }
            if !(part.weight.is_finite() && part.weight >= 0.0) {
                return Err(value("weight", part.weight.into(), "finite, at least 0"));
            }
            if !part.speed.is_finite() {
                return Err(value("speed", part.speed.into(), "a finite number"));
            }
            let head = clips.unit(part.repeat).at(part.laps)?;
            let Part { clip, repeat, weight, speed, .. } = *part;
            // There is room: they have been counted.
            let _ = list.push(Playing { clip, repeat, weight, speed, head });
        }
        Ok(Self { list, in_step })
    }

    pub fn is_in_step(&self) -> bool {
        self.in_step
    }

    /// The parts as they are now.
    pub fn iter(&self) -> impl Iterator<Item = Part> {
        self.list.as_slice().iter().map(|playing| Part {
            clip: playing.clip,
            weight: playing.weight,
            speed: playing.speed,
            repeat: playing.repeat,
            laps: playing.head.lap() as f64 + playing.head.progress_s(),
        })
    }

    /// Goes on by so many seconds, and says what is then to be seen.
    pub fn update(&mut self, clips: &Graph, dt_s: f64, frame: &mut Frame) {
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
        frame.begin(dt_s);
        frame.layers.push(FrameLayer { weight: 1.0, additive: false, masked: false });
        for playing in self.list.as_mut_slice() {
            let Playing { clip, repeat, weight, head: from, .. } = *playing;
            let laps = dt_s * together.unwrap_or_else(|| own(playing));
            // What is too far away to be counted stays where it is.
            let to = clips.unit(repeat).advance(from, laps).map_or(from, |span| span.to());
            playing.head = to;
            // A frame's weights are shares.
            let weight = if total > 0.0 { (f64::from(weight) / total) as f32 } else { 0.0 };
            frame.entries.push(Entry { clip, layer: 0, weight, repeat, from, to });
        }
    }
}
