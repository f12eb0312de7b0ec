//! Several clips into one pose.

use super::{
    BlendJob, BlendLayer, JobError, SampleJob, SampleTime,
    error::{at_least, fits_joints},
};
use crate::{
    JointLod, Skeleton,
    clip::{Clip, Cursor},
};
use alloc::vec::Vec;
use lissom_math::{
    dispatch,
    simd::{Backend, LEN, Simd, WideQuat},
    soa::{GROUP, SoaTransform},
};

/// One clip of a [`Mix`]: which, when, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MixEntry {
    /// Its place in [`MixJob::clips`].
    pub clip: usize,
    /// When.
    pub time: SampleTime,
    /// How much, against the other entries; not above 0: it costs nothing.
    pub weight: f32,
}

/// What a character plays in a frame: a short list of clips, times and weights. Plain data of a fixed size, to be
/// saved, compared or sent; whoever decides makes one, [`MixJob`] moves the joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    entries: [MixEntry; Self::MAX_ENTRIES],
    len: usize,
}

/// The room that a [`MixJob`] works in: a cursor and a pose for each entry. Made once; one a character.
#[derive(Clone, Debug, Default)]
pub struct MixScratch {
    slots: Vec<Slot>,
}

#[derive(Clone, Debug)]
struct Slot {
    /// The clip that the cursor was last used for.
    clip: Option<u64>,
    taken: bool,
    cursor: Cursor,
    pose: Vec<SoaTransform>,
}

/// Samples the clips of a mix and blends them into one pose.
///
/// | field | | |
/// |---|---|---|
/// | `skeleton` | in | the skeleton that the clips were made for |
/// | `clips` | in | what the entries' numbers speak of |
/// | `mix` | in | clips, times, weights; may be empty |
/// | `lod` | in | groups without a joint of the level are skipped |
/// | `scratch` | in, out | room for as many entries as have a weight above 0 |
/// | `output` | out | at least `skeleton.group_count()` groups |
///
/// The bits are those of a [`SampleJob`] for each entry and one [`BlendJob`] over them, in order, with its default
/// threshold: weights are relative, and where they sum to less than that the rest pose fills in.
///
/// # Errors
///
/// - [`JobError::NoSuchClip`]: an entry's clip is not below `clips`' length.
/// - [`JobError::Value`]: a weight or a time is NaN or infinite.
/// - [`JobError::OtherSkeleton`]: a clip was made for another skeleton.
/// - [`JobError::TooShort`]: `output` has too few groups, or `scratch` is not made for so many entries or joints.
/// - [`JobError::Mismatch`]: `lod` belongs to a skeleton of another size.
///
/// # Cost and determinism
///
/// That of its jobs: `BENCHMARKS.md`; one entry alone, of weight 1, is not blended. A cursor goes on where it was if the mix of the frame before had the same
/// clip. No allocation with a scratch that has room for the clips ([`MixScratch::with_room_for`]). The same bits on
/// every backend and whatever the scratch was used for before.
#[derive(Debug)]
pub struct MixJob<'a> {
    /// The skeleton that the clips were made for.
    pub skeleton: &'a Skeleton,
    /// What the entries' numbers speak of.
    pub clips: &'a [Clip],
    /// What to play.
    pub mix: &'a Mix,
    /// The joints to compute; `None` for all.
    pub lod: Option<&'a JointLod>,
    /// Cursors and poses of the entries.
    pub scratch: &'a mut MixScratch,
    /// The blended pose.
    pub output: &'a mut [SoaTransform],
}

impl MixEntry {
    /// A clip at a time, with a weight.
    #[must_use]
    pub const fn new(clip: usize, time: SampleTime, weight: f32) -> Self {
        Self { clip, time, weight }
    }
}

impl Mix {
    /// The most entries a mix has.
    pub const MAX_ENTRIES: usize = 16;

    /// Nothing: the rest pose.
    pub const EMPTY: Self =
        Self { entries: [MixEntry::new(0, SampleTime::Clamped(0.0), 0.0); Self::MAX_ENTRIES], len: 0 };

    /// Adds an entry; false, and nothing is changed, if there is no room left.
    #[must_use]
    pub fn push(&mut self, entry: MixEntry) -> bool {
        let Some(free) = self.entries.get_mut(self.len) else { return false };
        *free = entry;
        self.len += 1;
        true
    }

    /// The entries, in the order in which they are blended.
    #[must_use]
    pub fn entries(&self) -> &[MixEntry] {
        &self.entries[..self.len]
    }
}

impl Default for Mix {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl MixScratch {
    /// Room for mixes of up to `entries` of these clips: nothing is allocated later, whichever they are.
    #[must_use]
    pub fn with_room_for(skeleton: &Skeleton, clips: &[Clip], entries: usize) -> Self {
        let slot = |_| {
            let mut cursor = Cursor::new();
            clips.iter().for_each(|clip| cursor.reserve(clip.view()));
            Slot { clip: None, taken: false, cursor, pose: skeleton.rest_pose().to_vec() }
        };
        Self { slots: (0..entries).map(slot).collect() }
    }

    /// A slot that no entry of this frame has: the one that had the clip before, else a new one, else any.
    fn free(&self, clip: u64) -> Option<usize> {
        let free = |wanted: fn(&Slot, u64) -> bool| {
            self.slots.iter().position(|slot| !slot.taken && wanted(slot, clip))
        };
        free(|slot, clip| slot.clip == Some(clip))
            .or_else(|| free(|slot, _| slot.clip.is_none()))
            .or_else(|| free(|_, _| true))
    }
}

impl<'a> MixJob<'a> {
    /// All joints.
    #[must_use]
    pub fn new(
        skeleton: &'a Skeleton,
        clips: &'a [Clip],
        mix: &'a Mix,
        scratch: &'a mut MixScratch,
        output: &'a mut [SoaTransform],
    ) -> Self {
        Self { skeleton, clips, mix, lod: None, scratch, output }
    }
}

impl MixJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`MixJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let groups = self.skeleton.group_count();
        let mut sampled = 0;
        for (index, entry) in self.mix.entries().iter().enumerate() {
            let Some(clip) = self.clips.get(entry.clip) else {
                let (clip, clips) = (entry.clip, self.clips.len());
                return Err(JobError::NoSuchClip { field: "mix", index, clip, clips });
            };
            if !entry.weight.is_finite() {
                let (field, value) = ("mix.weight", f64::from(entry.weight));
                return Err(JobError::Value { field, index, value, allowed: "finite numbers" });
            }
            if !entry.time.value().is_finite() {
                let (field, value) = ("mix.time", entry.time.value());
                return Err(JobError::Value { field, index, value, allowed: "a finite time" });
            }
            let (found, expected) = (clip.view().skeleton_identity(), self.skeleton.identity());
            if found != expected || clip.view().joint_count() != self.skeleton.joint_count() {
                return Err(JobError::OtherSkeleton { field: "clips", found, expected });
            }
            sampled += usize::from(entry.weight > 0.0);
        }
        let slots = &self.scratch.slots;
        at_least("scratch", "entries", slots.len(), sampled)?;
        at_least("scratch", "groups", slots.first().map_or(groups, |slot| slot.pose.len()), groups)?;
        at_least("output", "groups", self.output.len(), groups)?;
        fits_joints(self.lod, self.skeleton.joint_count())
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`MixJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend: same bits.
    ///
    /// # Errors
    ///
    /// Listed at [`MixJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        let (skeleton, lod, groups) = (self.skeleton, self.lod, self.skeleton.group_count());
        self.scratch.slots.iter_mut().for_each(|slot| slot.taken = false);
        let mut sounding = self.mix.entries().iter().filter(|entry| entry.weight > 0.0);
        let alone = sounding.next().is_some_and(|entry| entry.weight == 1.0) && sounding.next().is_none();
        let mut sampled = [(0, 0.0); Mix::MAX_ENTRIES];
        let mut count = 0;
        for entry in self.mix.entries().iter().filter(|entry| entry.weight > 0.0) {
            let clip = self.clips[entry.clip].view();
            // Validated: there are as many slots as entries to sample.
            let Some(at) = self.scratch.free(clip.identity()) else { continue };
            let slot = &mut self.scratch.slots[at];
            (slot.taken, slot.clip) = (true, Some(clip.identity()));
            let output = if alone { &mut self.output[..groups] } else { &mut slot.pose[..] };
            let cursor = &mut slot.cursor;
            SampleJob { skeleton, clip, time: entry.time, lod, cursor, output }.run_on(backend)?;
            sampled[count] = (at, entry.weight);
            count += 1;
        }
        if alone {
            // A blend would multiply everything by 1, twice, and normalise the rotations.
            dispatch!(backend, s => normalize_rotations(s, &mut self.output[..groups], lod));
            return Ok(());
        }
        let mut layers = [BlendLayer { weight: 0.0, pose: &[], joint_weights: None }; Mix::MAX_ENTRIES];
        for (layer, (at, weight)) in layers.iter_mut().zip(&sampled[..count]) {
            let pose = &self.scratch.slots[*at].pose;
            *layer = BlendLayer { weight: *weight, pose, joint_weights: None };
        }
        BlendJob {
            layers: &layers[..count],
            additive: &[],
            threshold: BlendJob::DEFAULT_THRESHOLD,
            rest: skeleton.rest_pose(),
            lod,
            output: &mut self.output[..groups],
        }
        .run_on(backend)
    }
}

/// Those of the groups of a level, in place.
#[inline(always)]
fn normalize_rotations<S: Simd>(s: S, pose: &mut [SoaTransform], lod: Option<&JointLod>) {
    for (group, joints) in pose.iter_mut().enumerate() {
        if lod.is_none_or(|lod| lod.contains_group(group)) {
            let mut at = 0;
            while at < GROUP {
                WideQuat::load(s, &joints.rotation, at).normalize(s).store(&mut joints.rotation, at);
                at += LEN::<S>();
            }
        }
    }
}
