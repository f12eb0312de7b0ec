//! What evaluation does in both forms: moving channels stand compactly, in joint order, while a pose has a
//! lane for every joint. They are interpolated side by side, as many as the backend has lanes, into a
//! scratch, and from there *expanded* into the lanes that a mask names, over what does not move. The result
//! is stored, or added to a blend.

use crate::JointLod;
use lissom_math::{
    dispatch,
    simd::{Backend, LEN, Scratch, Simd, WideQuat, WideVec3, prelude::*, splat},
    soa::{GROUP, SoaQuat, SoaTransform, SoaVec3},
};

/// The lanes of a mask that fall into the native vector at `at`.
#[inline(always)]
pub(super) fn part<S: Simd>(mask: u16, at: usize) -> u32 {
    (u32::from(mask) >> at) & ((1 << LEN::<S>()) - 1)
}

/// Once, and not in every loop of every backend.
#[inline(never)]
pub(super) fn contains(lod: &JointLod, group: usize) -> bool {
    lod.contains_group(group)
}

/// A pose that others are put over.
pub(super) trait Under: Copy {
    fn translation(&self, group: usize) -> &SoaVec3;
    fn rotation(&self, group: usize) -> &SoaQuat;
    fn scale(&self, group: usize) -> &SoaVec3;
}

impl Under for &[SoaTransform] {
    #[inline(always)]
    fn translation(&self, group: usize) -> &SoaVec3 {
        &self[group].translation
    }

    #[inline(always)]
    fn rotation(&self, group: usize) -> &SoaQuat {
        &self[group].rotation
    }

    #[inline(always)]
    fn scale(&self, group: usize) -> &SoaVec3 {
        &self[group].scale
    }
}

/// A pose that is written group by group.
pub(super) trait PoseMut {
    fn groups(&self) -> usize;
    /// Translations, rotations and scales of a group.
    fn group_mut(&mut self, group: usize) -> (&mut SoaVec3, &mut SoaQuat, &mut SoaVec3);
}

impl PoseMut for [SoaTransform] {
    #[inline(always)]
    fn groups(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn group_mut(&mut self, group: usize) -> (&mut SoaVec3, &mut SoaQuat, &mut SoaVec3) {
        let SoaTransform { translation, rotation, scale } = &mut self[group];
        (translation, rotation, scale)
    }
}

/// Where a pose goes, and what lies under it.
pub(super) struct Target<'a, U> {
    /// The pose of what does not move; `None` if the output holds it already.
    pub still: Option<U>,
    pub lod: Option<&'a JointLod>,
    pub output: &'a mut [SoaTransform],
}

impl<U> Target<'_, U> {
    /// Groups up to the last that is wanted.
    #[inline(always)]
    fn groups(&self) -> usize {
        let mut groups = self.output.len();
        if let Some(lod) = self.lod {
            while groups > 0 && !contains(lod, groups - 1) {
                groups -= 1;
            }
        }
        groups
    }
}

/// What becomes of values.
pub(super) trait Sink: Copy {
    /// True if they are stored as they are.
    const STORES: bool;
    fn vectors<S: Simd>(self, s: S, v: WideVec3<S>, to: &mut SoaVec3, at: usize);
    fn rotations<S: Simd>(self, s: S, q: WideQuat<S>, to: &mut SoaQuat, at: usize);
}

/// They are the output.
#[derive(Clone, Copy)]
pub(super) struct Stored;

impl Sink for Stored {
    const STORES: bool = true;

    #[inline(always)]
    fn vectors<S: Simd>(self, _: S, v: WideVec3<S>, to: &mut SoaVec3, at: usize) {
        v.store(to, at);
    }

    #[inline(always)]
    fn rotations<S: Simd>(self, _: S, q: WideQuat<S>, to: &mut SoaQuat, at: usize) {
        q.store(to, at);
    }
}

/// They are one layer of a blend whose sums stand in the output. The steps are those of
/// [`BlendJob`](crate::job::BlendJob), in the same order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weighed {
    pub weight: f32,
    /// True for the first layer: whatever was in the output goes.
    pub first: bool,
    /// With the last layer: one over the sum of all weights.
    pub inverse: Option<f32>,
}

impl Sink for Weighed {
    const STORES: bool = false;

    #[inline(always)]
    fn vectors<S: Simd>(self, s: S, v: WideVec3<S>, to: &mut SoaVec3, at: usize) {
        let mut sum = v.scale(splat(s, self.weight));
        if !self.first {
            sum = WideVec3::load(s, to, at) + sum;
        }
        if let Some(inverse) = self.inverse {
            sum = sum.scale(splat(s, inverse));
        }
        sum.store(to, at);
    }

    #[inline(always)]
    fn rotations<S: Simd>(self, s: S, q: WideQuat<S>, to: &mut SoaQuat, at: usize) {
        let w = splat(s, self.weight);
        let mut sum = if self.first {
            q.scale(w)
        } else {
            let sum = WideQuat::load(s, to, at);
            let q = q.scale(sum.dot(q).simd_lt(splat(s, 0.0)).select(-w, w));
            WideQuat { x: sum.x + q.x, y: sum.y + q.y, z: sum.z + q.z, w: sum.w + q.w }
        };
        if let Some(inverse) = self.inverse {
            sum = sum.scale(splat(s, inverse)).normalize(s);
        }
        sum.store(to, at);
    }
}

/// Where channels stand in a pose, whatever their values are.
pub(super) trait InLanes {
    /// How many there are.
    fn count(&self) -> usize;

    /// The lanes of a group that they belong to.
    fn mask(&self, group: usize) -> u16;
}

/// The channels of one kind, or of one kind that are interpolated in one way.
pub(super) trait Channels<S: Simd>: InLanes {
    /// What they give.
    type Value: Copy;

    /// As many as the backend has lanes, from one on; anything behind the last.
    fn interpolate(&self, s: S, from: usize) -> Self::Value;
}

/// A kind of channel: its part of a pose.
pub(super) trait Kind<S: Simd> {
    type Value: Copy;
    type Soa: Copy;
    fn push(scratch: &mut Scratch, value: Self::Value);
    fn under(still: &impl Under, group: usize) -> &Self::Soa;
    fn of_mut(pose: &mut SoaTransform) -> &mut Self::Soa;
    fn load(s: S, from: &Self::Soa, at: usize) -> Self::Value;
    /// Lanes of the scratch from `from` on, in the lanes that the mask names, over what is there.
    fn expand(s: S, scratch: &Scratch, from: usize, mask: u32, over: Self::Value) -> Self::Value;
    fn put(s: S, sink: impl Sink, value: Self::Value, to: &mut Self::Soa, at: usize);
}

pub(super) struct Translations;
pub(super) struct Rotations;
pub(super) struct Scales;

macro_rules! vector_kind {
    ($kind:ty, $field:ident) => {
        impl<S: Simd> Kind<S> for $kind {
            type Value = WideVec3<S>;
            type Soa = SoaVec3;
            #[inline(always)]
            fn push(scratch: &mut Scratch, value: WideVec3<S>) {
                scratch.push_vectors(value);
            }
            #[inline(always)]
            fn under(still: &impl Under, group: usize) -> &SoaVec3 {
                still.$field(group)
            }
            #[inline(always)]
            fn of_mut(pose: &mut SoaTransform) -> &mut SoaVec3 {
                &mut pose.$field
            }
            #[inline(always)]
            fn load(s: S, from: &SoaVec3, at: usize) -> WideVec3<S> {
                WideVec3::load(s, from, at)
            }
            #[inline(always)]
            fn expand(s: S, scratch: &Scratch, from: usize, mask: u32, over: WideVec3<S>) -> WideVec3<S> {
                scratch.vectors(s, from).expand(s, mask, over)
            }
            #[inline(always)]
            fn put(s: S, sink: impl Sink, value: WideVec3<S>, to: &mut SoaVec3, at: usize) {
                sink.vectors(s, value, to, at);
            }
        }
    };
}

vector_kind!(Translations, translation);
vector_kind!(Scales, scale);

impl<S: Simd> Kind<S> for Rotations {
    type Value = WideQuat<S>;
    type Soa = SoaQuat;
    #[inline(always)]
    fn push(scratch: &mut Scratch, value: WideQuat<S>) {
        scratch.push_rotations(value);
    }
    #[inline(always)]
    fn under(still: &impl Under, group: usize) -> &SoaQuat {
        still.rotation(group)
    }
    #[inline(always)]
    fn of_mut(pose: &mut SoaTransform) -> &mut SoaQuat {
        &mut pose.rotation
    }
    #[inline(always)]
    fn load(s: S, from: &SoaQuat, at: usize) -> WideQuat<S> {
        WideQuat::load(s, from, at)
    }
    #[inline(always)]
    fn expand(s: S, scratch: &Scratch, from: usize, mask: u32, over: WideQuat<S>) -> WideQuat<S> {
        scratch.rotations(s, from).expand(s, mask, over)
    }
    #[inline(always)]
    fn put(s: S, sink: impl Sink, value: WideQuat<S>, to: &mut SoaQuat, at: usize) {
        sink.rotations(s, value, to, at);
    }
}

/// Writes a kind of a pose: what does not move, and over it the channels.
#[inline(always)]
pub(super) fn put_over<S: Simd, K: Kind<S>>(
    s: S,
    target: &mut Target<'_, impl Under>,
    sink: impl Sink,
    channels: &impl Channels<S, Value = K::Value>,
) {
    let groups = target.groups();
    let Target { still, lod, ref mut output } = *target;
    let count = match lod {
        None => channels.count(),
        Some(_) => (0..groups).map(|group| channels.mask(group).count_ones() as usize).sum(),
    };
    let mut scratch = Scratch::new();
    // The next lane, and the lanes that the scratch holds: most skeletons fit in.
    let (mut lane, mut first, mut end) = (0, 0, 0);
    for (group, out) in output[..groups].iter_mut().enumerate() {
        let still = still.as_ref().map(|still| K::under(still, group));
        let mask = channels.mask(group);
        let after = lane + mask.count_ones() as usize;
        if after > end && end < count {
            (first, end) = (lane, fill::<S, K>(s, &mut scratch, channels, lane, count));
        }
        if lod.is_none_or(|lod| contains(lod, group)) {
            if mask == 0 {
                if let Some(still) = still {
                    put_still::<S, K, _>(s, sink, still, out);
                }
            } else {
                put_group::<S, K>(s, sink, &scratch, lane - first, mask, still, out);
            }
        }
        lane = after;
    }
}

/// Interpolates the channels from one on, as many as there is room for. Returns where the next ones start.
#[inline(always)]
fn fill<S: Simd, K: Kind<S>>(
    s: S,
    scratch: &mut Scratch,
    channels: &impl Channels<S, Value = K::Value>,
    from: usize,
    count: usize,
) -> usize {
    let end = if count - from > Scratch::LANES { from + Scratch::LANES } else { count };
    scratch.clear();
    let mut at = from;
    loop {
        let value = channels.interpolate(s, at);
        K::push(scratch, value);
        at += LEN::<S>();
        if at >= end {
            // Read over by what starts at one of the last lanes.
            K::push(scratch, value);
            return end;
        }
    }
}

/// Writes a kind of a pose of which nothing moves.
#[inline(always)]
pub(super) fn put_all_still<S: Simd, K: Kind<S>>(s: S, target: &mut Target<'_, impl Under>, sink: impl Sink) {
    let Some(still) = target.still else { return };
    for (group, out) in target.output.iter_mut().enumerate() {
        if target.lod.is_none_or(|lod| contains(lod, group)) {
            put_still::<S, K, _>(s, sink, K::under(&still, group), out);
        }
    }
}

/// Adds a whole pose to a blend.
pub(crate) fn add_pose(
    backend: Backend,
    pose: &[SoaTransform],
    lod: Option<&JointLod>,
    layer: Weighed,
    output: &mut [SoaTransform],
) {
    dispatch!(backend, s => put_pose(s, pose, lod, layer, output));
}

#[inline(always)]
fn put_pose<S: Simd>(
    s: S,
    pose: &[SoaTransform],
    lod: Option<&JointLod>,
    sink: Weighed,
    output: &mut [SoaTransform],
) {
    let mut target = Target { still: Some(pose), lod, output };
    put_all_still::<S, Rotations>(s, &mut target, sink);
    put_all_still::<S, Translations>(s, &mut target, sink);
    put_all_still::<S, Scales>(s, &mut target, sink);
}

#[inline(always)]
fn put_still<S: Simd, K: Kind<S>, I: Sink>(s: S, sink: I, still: &K::Soa, out: &mut SoaTransform) {
    if I::STORES {
        *K::of_mut(out) = *still;
        return;
    }
    let mut at = 0;
    while at < GROUP {
        K::put(s, sink, K::load(s, still, at), K::of_mut(out), at);
        at += LEN::<S>();
    }
}

#[inline(always)]
fn put_group<S: Simd, K: Kind<S>>(
    s: S,
    sink: impl Sink,
    scratch: &Scratch,
    mut from: usize,
    mask: u16,
    still: Option<&K::Soa>,
    out: &mut SoaTransform,
) {
    let mut at = 0;
    while at < GROUP {
        let part = part::<S>(mask, at);
        let mut v = match still {
            Some(still) => K::load(s, still, at),
            None => K::load(s, K::of_mut(out), at),
        };
        if LEN::<S>() == GROUP || part != 0 {
            v = K::expand(s, scratch, from, part, v);
        }
        K::put(s, sink, v, K::of_mut(out), at);
        from += part.count_ones() as usize;
        at += LEN::<S>();
    }
}
