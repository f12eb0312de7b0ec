//! Many characters of one skeleton, each with three clips at its own phase: what `bench` measures and `demo` plays.

use anyhow::Result;
use lissom::{Clip, Skeleton, archive::Archive};
use lissom_build::archive::ArchiveWriter;
use lissom_motion::{
    RootStep,
    crowd::{Crowd, Member, PlayedClip, Role as Plays},
};

/// Clips that one character plays at once.
pub const LAYERS: usize = 3;

/// Which of its three clips a character plays, and how much of each.
#[derive(Clone, Copy)]
pub struct Role {
    /// The clips that it blends, by their numbers.
    pub clips: [usize; LAYERS],
    /// The weight of each.
    pub weights: [f32; LAYERS],
    /// Share of the duration that each clip is ahead, in [0, 1).
    pub phases: [f64; LAYERS],
    /// True if all keep step: gaits that are blended take the same time.
    pub in_step: bool,
}

/// A character a role, at the start.
pub fn crowd_of(skeleton: &Skeleton, clips: &[&Clip], roles: &[Role]) -> Result<(Crowd, Vec<Member>)> {
    let mut writer = ArchiveWriter::new().skeleton("skeleton", skeleton)?;
    for (i, clip) in clips.iter().enumerate() {
        let bytes = clip.as_bytes().to_vec();
        writer = writer.clip(u16::from(bytes[4]), &i.to_string(), bytes)?;
    }
    let mut crowd = Crowd::new(&Archive::read(&writer.finish()?)?)?;
    let numbers = (0..clips.len()).map(|i| crowd.clip(&i.to_string())).collect::<Result<Vec<_>, _>>()?;
    let mut members = Vec::with_capacity(roles.len());
    for role in roles {
        let part = |i: usize| PlayedClip::new(numbers[role.clips[i]], role.weights[i]).at(role.phases[i]);
        let parts: [PlayedClip; LAYERS] = core::array::from_fn(part);
        let plays = if role.in_step { Plays::InStep(&parts) } else { Plays::Clips(&parts) };
        members.push(crowd.add(plays, RootStep::IDENTITY)?);
    }
    Ok((crowd, members))
}
