//! Several clips into one pose.

use super::{
    BlendJob, BlendLayer, JobError, SampleTime,
    blend::check_threshold,
    error::{at_least, fits_joints},
    kernel::sums,
};
use crate::{
    JointLod, Skeleton,
    clip::{Clip, ClipView, Cursor, DecodedClip, Layer, Sums, Weighed, add_layers},
};
use alloc::vec::Vec;
use lissom_math::{
    simd::Backend,
    soa::{Lanes, SoaTransform},
};

/// One clip of a [`Mix`]: which, when, how much of it, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MixEntry {
    /// Its place in [`MixJob::clips`].
    pub clip: usize,
    /// When.
    pub time: SampleTime,
    /// How much, against the other entries; not above 0: it costs nothing. Of an additive entry: how much is
    /// added, or, below 0, taken away; 0 costs nothing.
    pub weight: f32,
    /// Its place in [`MixJob::masks`]: one more weight for each joint; `None` is 1 everywhere.
    pub mask: Option<u16>,
    /// True if the clip holds differences, to be added after the others are averaged.
    pub additive: bool,
}

/// What a character plays in a frame: a short list of clips, times, weights and masks. Plain data of a fixed
/// size, to be saved, compared or sent; whoever decides makes one, [`MixJob`] moves the joints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    entries: [MixEntry; Self::MAX_ENTRIES],
    len: usize,
    threshold: f32,
}

/// The room that a [`MixJob`] works in: a cursor for each entry, and a pose. Made once; one a character.
#[derive(Clone, Debug, Default)]
pub struct MixScratch {
    slots: Vec<Slot>,
    /// For clips that cannot be added to the blend while they are sampled.
    pose: Vec<SoaTransform>,
    /// What the joints' weights sum to, where masks make them differ.
    totals: Vec<Lanes>,
}

#[derive(Clone, Debug)]
struct Slot {
    /// The clip that the cursor was last used for.
    clip: Option<u64>,
    taken: bool,
    cursor: Cursor,
}

/// Samples the clips of a mix and blends them into one pose.
///
/// | field | | |
/// |---|---|---|
/// | `skeleton` | in | the skeleton that the clips were made for |
/// | `clips` | in | what the entries' numbers speak of |
/// | `decoded` | in | for each of them all its rows, or `None`; may be shorter, or empty |
/// | `masks` | in | joint weights, `skeleton.group_count()` groups a mask, one mask after the other; negative or NaN counts as 0 |
/// | `mix` | in | clips, times, weights, masks; may be empty |
/// | `lod` | in | groups without a joint of the level are skipped |
/// | `scratch` | in, out | room for as many entries as are sampled: those with a weight above 0, and additive ones below |
/// | `output` | out | at least `skeleton.group_count()` groups |
///
/// The bits are those of a [`SampleJob`](super::SampleJob) for each entry and one [`BlendJob`] over them, in
/// order, with the mix's threshold: weights are relative, and where they sum to less than that the rest
/// pose fills in. Additive entries are its additive layers.
///
/// # Errors
///
/// - [`JobError::NoSuchClip`]: an entry's clip is not below `clips`' length.
/// - [`JobError::TooShort`]: an entry's mask is not among `masks`.
/// - [`JobError::Value`]: a weight or a time is NaN or infinite; a threshold that is not a normal number above 0.
/// - [`JobError::OtherSkeleton`]: a clip was made for another skeleton.
/// - [`JobError::TooShort`]: `output` has too few groups, or `scratch` is not made for this number of entries or
///   joints.
/// - [`JobError::Mismatch`]: `lod` belongs to a skeleton of another size.
///
/// # Cost and determinism
///
/// That of its jobs: `BENCHMARKS.md`; one entry alone, of weight 1, is not blended. Where an entry has a
/// mask, every pose is written before it is blended. A cursor goes on where it was if the mix of the frame
/// before had the same clip; a clip that is among `decoded` needs none. No allocation with a scratch that has
/// room for the clips ([`MixScratch::with_room_for`]). The same bits on every backend and whatever the
/// scratch was used for before.
#[derive(Debug)]
pub struct MixJob<'a> {
    /// The skeleton that the clips were made for.
    pub skeleton: &'a Skeleton,
    /// What the entries' numbers speak of.
    pub clips: &'a [Clip],
    /// Clips whose rows are decoded, in the place that each has in `clips`: they are played from there. One
    /// of another clip is not looked at.
    pub decoded: &'a [Option<DecodedClip>],
    /// Joint weights that the entries' masks speak of, one mask after the other.
    pub masks: &'a [Lanes],
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
    /// A clip at a time, with a weight, over the whole body.
    #[must_use]
    pub const fn new(clip: usize, time: SampleTime, weight: f32) -> Self {
        Self { clip, time, weight, mask: None, additive: false }
    }

    /// The same under a mask.
    #[must_use]
    pub const fn masked(self, mask: u16) -> Self {
        Self { mask: Some(mask), ..self }
    }

    /// The same as differences to be added.
    #[must_use]
    pub const fn added(self) -> Self {
        Self { additive: true, ..self }
    }

    /// True if it is averaged with others.
    fn is_averaged(&self) -> bool {
        !self.additive && self.weight > 0.0
    }

    /// True if it is added afterwards.
    fn is_added(&self) -> bool {
        self.additive && self.weight != 0.0
    }
}

impl Mix {
    /// The most entries a mix has.
    pub const MAX_ENTRIES: usize = 16;

    /// Nothing: the rest pose.
    pub const EMPTY: Self = Self {
        entries: [MixEntry::new(0, SampleTime::Clamped(0.0), 0.0); Self::MAX_ENTRIES],
        len: 0,
        threshold: BlendJob::DEFAULT_THRESHOLD,
    };

    /// The same with another least weight of a joint: where weights sum to less, the rest pose fills in.
    #[must_use]
    pub const fn with_threshold(self, threshold: f32) -> Self {
        Self { threshold, ..self }
    }

    /// The least weight of a joint; [`BlendJob::DEFAULT_THRESHOLD`] unless told.
    #[must_use]
    pub const fn threshold(&self) -> f32 {
        self.threshold
    }

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
            Slot { clip: None, taken: false, cursor }
        };
        let groups = skeleton.group_count();
        Self {
            slots: (0..entries).map(slot).collect(),
            pose: skeleton.rest_pose().to_vec(),
            totals: alloc::vec![Lanes::splat(0.0); groups],
        }
    }
}

/// Takes a slot that no entry of this frame has: the one that had the clip before, else a new one, else any.
fn take(slots: &mut [Slot], clip: u64) -> Option<&mut Slot> {
    let free =
        |wanted: fn(&Slot, u64) -> bool| slots.iter().position(|slot| !slot.taken && wanted(slot, clip));
    let at = free(|slot, clip| slot.clip == Some(clip))
        .or_else(|| free(|slot, _| slot.clip.is_none()))
        .or_else(|| free(|_, _| true))?;
    let slot = slots.get_mut(at)?;
    (slot.taken, slot.clip) = (true, Some(clip));
    Some(slot)
}

/// Layers that are added at once: more than most characters play.
const MOST_LAYERS: usize = 6;

/// Layers that are added to a blend at once.
struct Layers<'a> {
    list: [Layer<'a>; MOST_LAYERS],
    len: usize,
}

impl Default for Layers<'_> {
    #[inline(always)]
    fn default() -> Self {
        Self { list: [Layer::of_pose(&[], 0.0); MOST_LAYERS], len: 0 }
    }
}

impl<'a> Layers<'a> {
    fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn is_full(&self) -> bool {
        self.len == MOST_LAYERS
    }

    /// There is room: nobody pushes to a full list.
    #[inline]
    fn push(&mut self, layer: Layer<'a>) {
        self.list[self.len] = layer;
        self.len += 1;
    }

    /// Adds them, and is empty again.
    #[inline]
    fn add(&mut self, backend: Backend, sums: Sums, lod: Option<&JointLod>, output: &mut [SoaTransform]) {
        add_layers(backend, &self.list[..self.len], sums, lod, output);
        self.len = 0;
    }
}

/// The rows of a clip, if they are decoded.
#[inline]
fn decoded_of<'a>(
    all: &'a [Option<DecodedClip>],
    number: usize,
    clip: &ClipView<'_>,
) -> Option<&'a DecodedClip> {
    all.get(number)?.as_ref().filter(|decoded| decoded.is_of(clip))
}

impl<'a> MixJob<'a> {
    /// All joints, no masks.
    #[must_use]
    pub fn new(
        skeleton: &'a Skeleton,
        clips: &'a [Clip],
        mix: &'a Mix,
        scratch: &'a mut MixScratch,
        output: &'a mut [SoaTransform],
    ) -> Self {
        Self { skeleton, clips, decoded: &[], masks: &[], mix, lod: None, scratch, output }
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
        check_threshold(self.mix.threshold)?;
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
            if let Some(mask) = entry.mask {
                at_least(
                    "masks",
                    "groups",
                    self.masks.len(),
                    (usize::from(mask) + 1).saturating_mul(groups),
                )?;
            }
            sampled += usize::from(entry.is_averaged() || entry.is_added());
        }
        let slots = &self.scratch.slots;
        at_least("scratch", "entries", slots.len(), sampled)?;
        let room = if slots.is_empty() { groups } else { self.scratch.pose.len() };
        at_least("scratch", "groups", room, groups)?;
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
        self.scratch.slots.iter_mut().for_each(|slot| slot.taken = false);
        if self.mix.entries().iter().any(|entry| entry.is_averaged() && entry.mask.is_some()) {
            self.average_masked(backend)?;
        } else {
            self.average_whole(backend)?;
        }
        self.add(backend)
    }

    /// The average of entries without masks: sampled straight into it.
    fn average_whole(&mut self, backend: Backend) -> Result<(), JobError> {
        let (skeleton, lod, rest) = (self.skeleton, self.lod, self.skeleton.rest_pose());
        let output = &mut self.output[..skeleton.group_count()];
        let MixScratch { slots, pose, .. } = &mut *self.scratch;
        let sounding = || self.mix.entries().iter().filter(|entry| entry.is_averaged());
        let (mut total, mut left) = (0.0, 0);
        for entry in sounding() {
            total = if left == 0 { entry.weight } else { total + entry.weight };
            left += 1;
        }
        // What is missing to the threshold is the rest pose, as the last layer.
        let missing = self.mix.threshold - total;
        let filled = total < self.mix.threshold;
        let inverse = 1.0 / if filled { total + missing } else { total };
        // Decoded clips that follow each other are added at once.
        let mut decoded = Layers::default();
        let mut first = true;
        for entry in sounding() {
            left -= 1;
            let clip = self.clips[entry.clip].view();
            let time_s = entry.time.seconds(clip.duration_s());
            if let Some(of) = decoded_of(self.decoded, entry.clip, &clip) {
                if decoded.is_full() {
                    decoded.add(backend, Sums { first, inverse: None }, lod, output);
                    first = false;
                }
                decoded.push(of.layer(&clip, time_s, entry.weight));
                continue;
            }
            if !decoded.is_empty() {
                decoded.add(backend, Sums { first, inverse: None }, lod, output);
                first = false;
            }
            let inverse = (left == 0 && !filled).then_some(inverse);
            let layer = Weighed { weight: entry.weight, first, inverse };
            // Validated: there are as many slots as entries to sample.
            if let Some(slot) = take(slots, clip.identity()) {
                let room = &mut pose[..rest.len()];
                slot.cursor.add(backend, &clip, time_s, rest, lod, layer, room, output)?;
            }
            first = false;
        }
        if filled {
            if decoded.is_full() {
                decoded.add(backend, Sums { first, inverse: None }, lod, output);
                first = false;
            }
            decoded.push(Layer::of_pose(rest, missing));
        }
        if !decoded.is_empty() {
            decoded.add(backend, Sums { first, inverse: Some(inverse) }, lod, output);
        }
        Ok(())
    }

    /// The average where some entries have masks: every joint has a sum of weights of its own.
    fn average_masked(&mut self, backend: Backend) -> Result<(), JobError> {
        let mut first = true;
        for entry in self.mix.entries().iter().filter(|entry| entry.is_averaged()) {
            self.sample(backend, entry)?;
            let groups = self.skeleton.group_count();
            let MixScratch { pose, totals, .. } = &mut *self.scratch;
            let layer = layer(entry, pose, self.masks, groups);
            let (totals, sums) = (&mut totals[..groups], &mut self.output[..groups]);
            sums::sum_layer(backend, &layer, self.lod, first, totals, sums);
            first = false;
        }
        let rest = self.skeleton.rest_pose();
        let (threshold, sums) = (self.mix.threshold, &mut self.output[..rest.len()]);
        sums::divide_sums(backend, threshold, rest, self.lod, &self.scratch.totals, sums);
        Ok(())
    }

    /// Additive entries onto the average.
    fn add(&mut self, backend: Backend) -> Result<(), JobError> {
        let mut left = self.mix.entries().iter().filter(|entry| entry.is_added()).count();
        for entry in self.mix.entries().iter().filter(|entry| entry.is_added()) {
            left -= 1;
            self.sample(backend, entry)?;
            let groups = self.skeleton.group_count();
            let layer = layer(entry, &self.scratch.pose, self.masks, groups);
            sums::add_to_pose(backend, &layer, self.lod, left == 0, &mut self.output[..groups]);
        }
        Ok(())
    }

    /// One entry into the scratch's pose.
    fn sample(&mut self, backend: Backend, entry: &MixEntry) -> Result<(), JobError> {
        let (clip, rest) = (self.clips[entry.clip].view(), self.skeleton.rest_pose());
        let MixScratch { slots, pose, .. } = &mut *self.scratch;
        let time_s = entry.time.seconds(clip.duration_s());
        if let Some(decoded) = decoded_of(self.decoded, entry.clip, &clip) {
            decoded.sample(backend, &clip, time_s, self.lod, &mut pose[..rest.len()]);
            return Ok(());
        }
        // Validated: there are as many slots as entries to sample.
        let Some(slot) = take(slots, clip.identity()) else { return Ok(()) };
        Ok(slot.cursor.sample(backend, &clip, time_s, rest, self.lod, &mut pose[..rest.len()])?)
    }
}

/// An entry as a layer of a blend.
fn layer<'a>(
    entry: &MixEntry,
    pose: &'a [SoaTransform],
    masks: &'a [Lanes],
    groups: usize,
) -> BlendLayer<'a> {
    let of_mask = |mask: u16| &masks[usize::from(mask) * groups..][..groups];
    BlendLayer { weight: entry.weight, pose, joint_weights: entry.mask.map(of_mask) }
}
