//! What evaluation does in both forms: moving channels stand compactly, in joint order, while a pose has a lane for
//! every joint. They are interpolated side by side, as many as the backend has lanes, into a scratch, and from there
//! *expanded* into the lanes that a mask names, over what does not move.

use crate::JointLod;
use lissom_math::{
    simd::{LEN, Scratch, Simd, WideQuat, WideVec3},
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

/// Where a pose goes, and what lies under it.
pub(super) struct Target<'a> {
    /// The pose of what does not move; `None` if the output holds it already.
    pub still: Option<&'a [SoaTransform]>,
    pub lod: Option<&'a JointLod>,
    pub output: &'a mut [SoaTransform],
}

impl Target<'_> {
    #[inline(always)]
    fn wants(&self, group: usize) -> bool {
        self.lod.is_none_or(|lod| contains(lod, group))
    }

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

/// The channels of one kind, or of one kind that are interpolated in one way.
pub(super) trait Channels<S: Simd> {
    /// What they give.
    type Value: Copy;

    /// How many there are.
    fn count(&self) -> usize;

    /// The lanes of a group that they belong to.
    fn mask(&self, group: usize) -> u16;

    /// As many as the backend has lanes, from one on; anything behind the last.
    fn interpolate(&self, s: S, from: usize) -> Self::Value;
}

/// A kind of channel: its part of a pose.
pub(super) trait Kind<S: Simd> {
    type Value: Copy;
    type Soa: Copy;
    fn push(scratch: &mut Scratch, value: Self::Value);
    fn of(pose: &SoaTransform) -> &Self::Soa;
    fn of_mut(pose: &mut SoaTransform) -> &mut Self::Soa;
    /// Lanes of the scratch from `from` on, in the lanes that the mask names, over what is there.
    fn expand(s: S, scratch: &Scratch, from: usize, mask: u32, over: &Self::Soa, at: usize) -> Self::Value;
    fn store(value: Self::Value, to: &mut Self::Soa, at: usize);
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
            fn of(pose: &SoaTransform) -> &SoaVec3 {
                &pose.$field
            }
            #[inline(always)]
            fn of_mut(pose: &mut SoaTransform) -> &mut SoaVec3 {
                &mut pose.$field
            }
            #[inline(always)]
            fn expand(
                s: S,
                scratch: &Scratch,
                from: usize,
                mask: u32,
                over: &SoaVec3,
                at: usize,
            ) -> WideVec3<S> {
                scratch.vectors(s, from).expand(s, mask, WideVec3::load(s, over, at))
            }
            #[inline(always)]
            fn store(value: WideVec3<S>, to: &mut SoaVec3, at: usize) {
                value.store(to, at);
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
    fn of(pose: &SoaTransform) -> &SoaQuat {
        &pose.rotation
    }
    #[inline(always)]
    fn of_mut(pose: &mut SoaTransform) -> &mut SoaQuat {
        &mut pose.rotation
    }
    #[inline(always)]
    fn expand(s: S, scratch: &Scratch, from: usize, mask: u32, over: &SoaQuat, at: usize) -> WideQuat<S> {
        scratch.rotations(s, from).expand(s, mask, WideQuat::load(s, over, at))
    }
    #[inline(always)]
    fn store(value: WideQuat<S>, to: &mut SoaQuat, at: usize) {
        value.store(to, at);
    }
}

/// Writes a kind of a pose: what does not move, and over it the channels.
#[inline(always)]
pub(super) fn put_over<S: Simd, K: Kind<S>>(
    s: S,
    target: &mut Target<'_>,
    channels: &impl Channels<S, Value = K::Value>,
) {
    let groups = target.groups();
    let count = match target.lod {
        None => channels.count(),
        Some(_) => (0..groups).map(|group| channels.mask(group).count_ones() as usize).sum(),
    };
    if count == 0 {
        copy_still::<S, K>(target, groups);
        return;
    }
    let mut scratch = Scratch::new();
    let (mut group, mut lane) = (0, 0);
    while group < groups {
        // Pieces of as many channels as there is room for: most skeletons are one.
        scratch.clear();
        let (first, end) = (lane, if count - lane > Scratch::LANES { lane + Scratch::LANES } else { count });
        let mut last = channels.interpolate(s, lane);
        K::push(&mut scratch, last);
        let mut next = lane + LEN::<S>();
        while next < end {
            last = channels.interpolate(s, next);
            K::push(&mut scratch, last);
            next += LEN::<S>();
        }
        // Read over by what starts at one of the last lanes.
        K::push(&mut scratch, last);
        while group < groups {
            let mask = channels.mask(group);
            let after = lane + mask.count_ones() as usize;
            if after > end && end < count {
                break;
            }
            if target.wants(group) {
                let (still, out) = (target.still.map(|still| &still[group]), &mut target.output[group]);
                put_group::<S, K>(s, &scratch, lane - first, mask, still, out);
            }
            (group, lane) = (group + 1, after);
        }
    }
}

/// What does not move of a kind, where none of it does.
#[inline(always)]
fn copy_still<S: Simd, K: Kind<S>>(target: &mut Target<'_>, groups: usize) {
    let Some(still) = target.still else { return };
    let mut group = 0;
    while group < groups {
        if target.wants(group) {
            *K::of_mut(&mut target.output[group]) = *K::of(&still[group]);
        }
        group += 1;
    }
}

#[inline(always)]
fn put_group<S: Simd, K: Kind<S>>(
    s: S,
    scratch: &Scratch,
    mut from: usize,
    mask: u16,
    still: Option<&SoaTransform>,
    out: &mut SoaTransform,
) {
    if mask == 0 {
        if let Some(still) = still {
            *K::of_mut(out) = *K::of(still);
        }
        return;
    }
    let mut at = 0;
    while at < GROUP {
        let part = part::<S>(mask, at);
        let v = match still {
            Some(still) => K::expand(s, scratch, from, part, K::of(still), at),
            None => K::expand(s, scratch, from, part, K::of(out), at),
        };
        K::store(v, K::of_mut(out), at);
        from += part.count_ones() as usize;
        at += LEN::<S>();
    }
}
