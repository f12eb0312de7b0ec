//! Poses that a character keeps by name, to be blended from later.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use crate::{
    graph::{Graph, PoseKey},
    reader::{FormatError, Reader},
    state::StateError,
};
use alloc::vec::Vec;
use lissom::{job::JobError, math::soa::SoaTransform, track::TimeError};

/// The most poses that a character keeps.
pub const MAX_POSES: usize = 8;

/// Where nothing is blended from with the next update.
const NOTHING: u8 = u8::MAX;

/// The poses that a character keeps; its size is known from graph and skeleton. There is none for a graph that keeps no poses.
#[derive(Debug, PartialEq)]
pub(crate) struct KeptPoses {
    /// One after the other; those that were not kept yet are the identity.
    poses: Vec<SoaTransform>,
    count: usize,
    /// A bit for each that was kept.
    there: u8,
    /// The one that the next update goes on from, and how long that fades.
    asked: Option<(u8, f32)>,
}

impl KeptPoses {
    pub fn new(graph: &Graph, groups: usize) -> Option<Self> {
        let count = graph.poses.len();
        let poses = || alloc::vec![SoaTransform::IDENTITY; groups.saturating_mul(count)];
        (count > 0).then(|| Self { poses: poses(), count, there: 0, asked: None })
    }

    pub fn count(&self) -> usize {
        self.count
    }

    fn groups(&self) -> usize {
        self.poses.len().checked_div(self.count).unwrap_or(0)
    }

    fn bit(key: PoseKey) -> u8 {
        1_u8.checked_shl(u32::from(key.0)).unwrap_or(0)
    }

    fn get(&self, at: usize) -> Option<&[SoaTransform]> {
        self.poses.chunks_exact(self.groups().max(1)).nth(at)
    }

    /// A pose that was kept.
    pub fn kept(&self, key: PoseKey) -> Option<&[SoaTransform]> {
        if self.there & Self::bit(key) == 0 { None } else { self.get(usize::from(key.0)) }
    }

    /// Keeps a pose; what was kept under this name is gone.
    pub fn keep(&mut self, key: PoseKey, pose: &[SoaTransform]) -> Result<(), KeepError> {
        let (at, groups) = (usize::from(key.0), self.groups());
        if at >= self.count {
            return Err(StateError::OtherGraph.into());
        }
        let Some(pose) = pose.get(..groups) else {
            let (field, unit) = ("pose", "groups");
            return Err(JobError::TooShort { field, unit, len: pose.len(), needed: groups }.into());
        };
        let numbers: &[f32] = bytemuck::cast_slice(pose);
        if let Some(value) = numbers.iter().find(|number| !number.is_finite()) {
            let (field, value, allowed) = ("pose", f64::from(*value), "poses of finite numbers");
            return Err(StateError::from(TimeError { field, value, allowed }).into());
        }
        if let Some(own) = self.poses.chunks_exact_mut(groups.max(1)).nth(at) {
            own.copy_from_slice(pose);
            self.there |= Self::bit(key);
        }
        Ok(())
    }

    /// The next update goes on from a pose that was kept.
    pub fn blend_from(&mut self, key: PoseKey, fade_s: f32) -> Result<(), StateError> {
        if !(fade_s.is_finite() && fade_s >= 0.0) {
            let (field, value, allowed) = ("fade_s", f64::from(fade_s), "finite, at least 0");
            return Err(TimeError { field, value, allowed }.into());
        }
        if usize::from(key.0) >= self.count {
            return Err(StateError::OtherGraph);
        }
        if self.there & Self::bit(key) == 0 {
            return Err(StateError::NothingKept);
        }
        self.asked = Some((key.0 as u8, fade_s));
        Ok(())
    }

    pub fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// What the update goes on from, and how long that fades: it is asked once.
    pub fn take_asked(&mut self) -> Option<(&[SoaTransform], f32)> {
        let (at, fade_s) = self.asked.take()?;
        Some((self.get(usize::from(at))?, fade_s))
    }

    pub fn forget_asked(&mut self) {
        self.asked = None;
    }

    /// Its bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        self.poses.capacity().saturating_mul(size_of::<SoaTransform>()).saturating_add(size_of::<Self>())
    }

    /// Which are there, what is asked for, and those that are there.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let (at, fade_s) = self.asked.unwrap_or((NOTHING, 0.0));
        bytes.extend_from_slice(&[self.there, at]);
        bytes.extend_from_slice(&fade_s.to_le_bytes());
        for at in 0..self.count {
            let pose = self.kept(PoseKey(at as u16)).unwrap_or_default();
            for number in bytemuck::cast_slice::<SoaTransform, f32>(pose) {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
    }

    /// Reads what was written, into a value of this size that keeps nothing.
    pub fn read(&mut self, from: &mut Reader<'_>) -> Result<(), FormatError> {
        let [there, asked] = from.array()?;
        let fade_s = from.f32()?;
        let known = u32::from(there).checked_shr(self.count as u32).unwrap_or(0) == 0;
        from.check(known, "more poses than the graph keeps")?;
        self.there = there;
        if asked == NOTHING {
            from.check(fade_s.to_bits() == 0, "a fade of nothing")?;
        } else {
            let kept = self.kept(PoseKey(u16::from(asked))).is_some();
            from.check(kept, "a pose to go on from that is not kept")?;
            from.check(fade_s >= 0.0, "a fade of less than no time")?;
            self.asked = Some((asked, fade_s));
        }
        let groups = self.groups();
        for (at, pose) in self.poses.chunks_exact_mut(groups.max(1)).enumerate() {
            if there & Self::bit(PoseKey(at as u16)) != 0 {
                for number in bytemuck::cast_slice_mut::<SoaTransform, f32>(pose) {
                    *number = from.f32()?;
                }
            }
        }
        Ok(())
    }
}

impl Clone for KeptPoses {
    fn clone(&self) -> Self {
        Self { poses: self.poses.clone(), ..*self }
    }

    /// Without allocation if both are of one graph and skeleton.
    fn clone_from(&mut self, source: &Self) {
        self.poses.clone_from(&source.poses);
        (self.count, self.there, self.asked) = (source.count, source.there, source.asked);
    }
}

/// Why a pose was not kept. Nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KeepError {
    /// The graph keeps no pose of this name, or a number is not finite.
    #[error(transparent)]
    State(#[from] StateError),
    /// A pose of another skeleton.
    #[error(transparent)]
    Job(#[from] JobError),
}
