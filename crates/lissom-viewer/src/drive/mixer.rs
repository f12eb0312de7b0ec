//! Clips with weights.

use super::{reach::Reach, springs::Springs};
use lissom::{
    archive::Archive,
    clip::SampleTime,
    job::{Mix, MixEntry},
    math::soa::{self, Lanes},
    player::{Body, ClipShare, PlayError},
};

/// Clips with weights, all at the same share of their length.
pub(crate) struct Mixer {
    body: Body,
    pub channels: Vec<Channel>,
    /// Laps since it began; the share is what is behind the point.
    laps: f64,
    /// What is done to the pose after the mix, in this order.
    pub reach: Option<Reach>,
    pub springs: Option<Springs>,
}

/// One clip.
pub(crate) struct Channel {
    pub name: String,
    duration_s: f64,
    pub strip: Strip,
}

/// What is set of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Strip {
    pub weight: f32,
    /// Its differences are added to the others' blend.
    pub added: bool,
    /// Only what is below this joint, itself included.
    pub below: Option<usize>,
}

impl Mixer {
    /// All clips of a skeleton; the one that plays has all of the weight.
    pub fn new(archive: &Archive, skeleton: &str, playing: Option<&str>) -> Result<Self, PlayError> {
        let body = Body::of_skeleton(archive, skeleton, Mix::MAX_ENTRIES)?;
        let channel = |(name, clip): (&str, &lissom::clip::Clip)| Channel {
            name: name.into(),
            duration_s: clip.view().duration_s(),
            strip: Strip { weight: f32::from(u8::from(Some(name) == playing)), ..Strip::default() },
        };
        let channels = body.clip_names().zip(body.clips()).map(channel).collect();
        let mut mixer = Self { body, channels, laps: 0.0, reach: None, springs: None };
        mixer.update(0.0)?;
        Ok(mixer)
    }

    pub fn body(&self) -> &Body {
        &self.body
    }

    pub fn body_mut(&mut self) -> &mut Body {
        &mut self.body
    }

    /// How long a lap is: the mean of the clips by weight.
    fn lap_s(&self) -> f64 {
        let averaged = |c: &&Channel| c.strip.weight > 0.0 && !c.strip.added && c.duration_s > 0.0;
        let (sum, weights) = self.channels.iter().filter(averaged).fold((0.0, 0.0), |(sum, weights), c| {
            let weight = f64::from(c.strip.weight);
            (sum + c.duration_s * weight, weights + weight)
        });
        if weights > 0.0 { sum / weights } else { 1.0 }
    }

    /// Goes on, or, below 0, back.
    pub fn update(&mut self, dt_s: f64) -> Result<(), PlayError> {
        self.laps += dt_s / self.lap_s();
        let ratio = self.laps - self.laps.floor();
        let mut mix = Mix::default();
        let mut masks: Vec<Lanes> = Vec::new();
        let mut shares = Vec::new();
        let skeleton = self.body.skeleton().clone();
        let strips = self.channels.iter().map(|channel| channel.strip).enumerate();
        for (clip, strip) in strips.filter(|(_, strip)| strip.weight != 0.0) {
            let mut entry = MixEntry::new(clip, SampleTime::Ratio(ratio), strip.weight);
            if let Some(joint) = strip.below {
                let mut weights = vec![0.0; skeleton.joint_count()];
                weights[skeleton.subtree(joint)].fill(1.0);
                entry = entry.masked((masks.len() / skeleton.group_count()) as u16);
                masks.extend(soa::from_floats(&weights));
            } else if !strip.added {
                shares.push(ClipShare { clip, ratio, weight: strip.weight });
            }
            if strip.added {
                entry = entry.added();
            }
            // More than a mix holds are not seen: the panel says how many it shows.
            if !mix.push(entry) {
                break;
            }
        }
        self.body.show(mix, &masks, shares.into_iter())?;
        if let Some(reach) = &mut self.reach {
            reach.apply(&mut self.body)?;
        }
        if let Some(springs) = &mut self.springs {
            // Backward, too, it swings after what was shown before.
            springs.apply(&mut self.body, dt_s.abs() as f32)?;
        }
        Ok(())
    }
}
