//! A clip with all of its rows decoded: memory for time, where many play it.

use super::{
    keys,
    lanes::contains,
    rows,
    table::{Pair, Place, Table},
    time::Moment,
    view::{ClipView, Form},
};
use crate::{JointLod, Skeleton};
use alloc::{boxed::Box, vec};
use lissom_math::{
    dispatch,
    simd::{Backend, LEN, Simd, WideQuat, WideVec3, load, prelude::*, splat, store},
    soa::{GROUP, Lanes, SoaTransform, SoaVec3, group_count},
};

/// All keys of a [`Clip`](super::Clip) as the numbers that a cursor decodes, in the lanes of a pose, and one
/// pose of what does not move: whoever plays it needs no cursor, and any time costs the same. Made once and
/// shared by thousands; the bits are those of a cursor.
///
/// A clip of rows takes 256 bytes for each row and each sixteen joints that turn, 192 where they move or
/// grow: some 30 to 60 kB a second of a whole body. A clip of keys takes two and a half times as much for
/// each time that has a key.
#[derive(Clone, Debug)]
pub struct DecodedClip {
    identity: u64,
    channels: usize,
    /// Constants over the rest pose.
    still: Box<[SoaTransform]>,
    /// True if every scale is 1 throughout.
    unscaled: bool,
    table: Table,
}

/// A layer of a blend: a clip between two rows, or a pose.
#[derive(Clone, Copy)]
pub(crate) struct Layer<'a> {
    weight: f32,
    at: Moment,
    keys: Pair<'a>,
    /// One a group; a pose that stands still has none.
    places: &'a [Place],
    still: &'a [SoaTransform],
    unscaled: bool,
}

/// What is done to the sums of layers.
#[derive(Clone, Copy)]
pub(crate) struct Sums {
    /// True if there are none yet; else they stand in the output.
    pub first: bool,
    /// With the last layers: one over the sum of all weights.
    pub inverse: Option<f32>,
}

impl DecodedClip {
    /// Decodes a clip of this skeleton. `None` if it has cubic keys, is a stream that is not all there, or
    /// was made for another skeleton.
    #[must_use]
    pub fn new(clip: ClipView<'_>, skeleton: &Skeleton) -> Option<Self> {
        if clip.skeleton_identity() != skeleton.identity() || clip.joint_count() != skeleton.joint_count() {
            return None;
        }
        let mut still: Box<[_]> = vec![SoaTransform::IDENTITY; skeleton.group_count()].into();
        clip.write_still(Backend::best(), skeleton.rest_pose(), None, &mut still[..]);
        let table = match clip.form() {
            Form::Rows(clip) => rows::table(&clip, &still)?,
            Form::Keys(clip) => keys::table(&clip, &still)?,
        };
        let unscaled = !table.moves(2) && still.iter().all(|group| group.scale == SoaVec3::ONE);
        Some(Self { identity: clip.identity(), channels: clip.channel_count(), still, unscaled, table })
    }

    /// Bytes that a clip would take; `None` if it cannot be decoded.
    #[must_use]
    pub fn bytes_of(clip: ClipView<'_>) -> Option<usize> {
        let table = match clip.form() {
            Form::Rows(clip) => rows::table_bytes(&clip),
            Form::Keys(clip) => keys::table_bytes(&clip)?,
        };
        let of_group = size_of::<SoaTransform>() + size_of::<Place>();
        Some(table.saturating_add(group_count(clip.joint_count()) * of_group))
    }

    /// Bytes that it takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.table.memory_bytes() + size_of_val::<[SoaTransform]>(&self.still)
    }

    /// True if it was made from this clip.
    #[inline]
    #[must_use]
    pub fn is_of(&self, clip: &ClipView<'_>) -> bool {
        self.identity == clip.identity()
            && self.channels == clip.channel_count()
            && self.table.rows() == clip.row_count()
            && self.table.places().len() == group_count(clip.joint_count())
    }

    /// The clip at a time, as a layer. [`Self::is_of`] has said yes to it.
    #[inline]
    pub(crate) fn layer(&self, clip: &ClipView<'_>, time_s: f64, weight: f32) -> Layer<'_> {
        let (at, row) = match clip.form() {
            Form::Rows(clip) => {
                let at = clip.moment(time_s);
                (at, at.tick)
            }
            Form::Keys(clip) => clip.moment(time_s, 0),
        };
        let (still, unscaled, places) = (&*self.still, self.unscaled, self.table.places());
        Layer { weight, at, keys: self.table.pair(row), places, still, unscaled }
    }

    /// What a cursor's `sample` does.
    pub(crate) fn sample(
        &self,
        backend: Backend,
        clip: &ClipView<'_>,
        time_s: f64,
        lod: Option<&JointLod>,
        output: &mut [SoaTransform],
    ) {
        let layer = self.layer(clip, time_s, 1.0);
        dispatch!(backend, s => put(s, &layer, lod, output));
    }
}

impl<'a> Layer<'a> {
    /// A pose as it is.
    pub const fn of_pose(pose: &'a [SoaTransform], weight: f32) -> Self {
        let (at, keys) = (Moment { tick: 0, fraction: 0.0 }, Pair { left: &[], right: &[], spans: &[] });
        Self { weight, at, keys, places: &[], still: pose, unscaled: false }
    }

    #[inline(always)]
    fn place(&self, group: usize) -> Place {
        self.places.get(group).copied().unwrap_or_default()
    }

    /// Lanes `at..` of a group's rotations. The steps are those of a cursor.
    #[inline(always)]
    fn rotations<S: Simd>(&self, s: S, group: usize, at: usize) -> WideQuat<S> {
        let place = self.place(group);
        if place.moving[1] == 0 {
            return WideQuat::load(s, &self.still[group].rotation, at);
        }
        let a = quat(s, self.keys.left, place.at[1] as usize, at);
        let b = quat(s, self.keys.right, place.at[1] as usize, at);
        let moving = lanes::<S>(s, place.moving[1], at);
        WideQuat::select(moving, a.nlerp_near_one(s, b, self.ratios(s, place.span[1] as usize, at)), a)
    }

    /// Those of translations (kind 0) or scales (kind 2).
    #[inline(always)]
    fn vectors<S: Simd>(&self, s: S, kind: usize, group: usize, at: usize) -> WideVec3<S> {
        let place = self.place(group);
        if place.moving[kind] == 0 {
            let still = &self.still[group];
            return WideVec3::load(s, if kind == 0 { &still.translation } else { &still.scale }, at);
        }
        let a = vector(s, self.keys.left, place.at[kind] as usize, at);
        let b = vector(s, self.keys.right, place.at[kind] as usize, at);
        let moving = lanes::<S>(s, place.moving[kind], at);
        WideVec3::select(moving, a.lerp(s, b, self.ratios(s, place.span[kind] as usize, at)), a)
    }

    /// How far each channel is between its keys.
    #[inline(always)]
    fn ratios<S: Simd>(&self, s: S, span: usize, at: usize) -> S::f32s {
        if self.keys.spans.is_empty() {
            return splat(s, self.at.fraction);
        }
        let spans = &self.keys.spans[span..span + 2];
        let ticks: &[u32; GROUP] = bytemuck::cast_ref(&spans[0].0);
        let ticks = S::u32s::from_slice(s, &ticks[at..at + LEN::<S>()]);
        let since: S::f32s = (S::u32s::simd_from(s, self.at.tick) - ticks).to_float();
        (since + splat(s, self.at.fraction)) * load(s, &spans[1], at)
    }
}

#[inline(always)]
fn lanes<S: Simd>(s: S, moving: u16, at: usize) -> S::mask32s {
    S::mask32s::from_bitmask(s, u64::from(moving >> at) & ((1 << LEN::<S>()) - 1))
}

#[inline(always)]
fn quat<S: Simd>(s: S, row: &[Lanes], from: usize, at: usize) -> WideQuat<S> {
    let row = &row[from..from + 4];
    WideQuat {
        x: load(s, &row[0], at),
        y: load(s, &row[1], at),
        z: load(s, &row[2], at),
        w: load(s, &row[3], at),
    }
}

#[inline(always)]
fn vector<S: Simd>(s: S, row: &[Lanes], from: usize, at: usize) -> WideVec3<S> {
    let row = &row[from..from + 3];
    WideVec3 { x: load(s, &row[0], at), y: load(s, &row[1], at), z: load(s, &row[2], at) }
}

/// One layer as it is.
#[inline(always)]
fn put<S: Simd>(s: S, layer: &Layer<'_>, lod: Option<&JointLod>, output: &mut [SoaTransform]) {
    for (group, out) in output.iter_mut().enumerate() {
        if lod.is_some_and(|lod| !contains(lod, group)) {
            continue;
        }
        let mut at = 0;
        while at < GROUP {
            layer.rotations(s, group, at).store(&mut out.rotation, at);
            layer.vectors(s, 0, group, at).store(&mut out.translation, at);
            layer.vectors(s, 2, group, at).store(&mut out.scale, at);
            at += LEN::<S>();
        }
    }
}

/// Adds layers to a blend: all of them while a group's sums are in registers. The steps are those of
/// [`BlendJob`](crate::job::BlendJob), in the same order.
pub(crate) fn add_layers(
    backend: Backend,
    layers: &[Layer<'_>],
    sums: Sums,
    lod: Option<&JointLod>,
    output: &mut [SoaTransform],
) {
    // One is w times one: where every scale is, the sums of all joints are one number.
    let scale = match sums {
        Sums { first: true, inverse: Some(inverse) } if layers.iter().all(|layer| layer.unscaled) => {
            let sum = layers.iter().map(|layer| layer.weight).reduce(|sum, weight| sum + weight);
            sum.map(|sum| sum * inverse)
        }
        _ => None,
    };
    dispatch!(backend, s => sum(s, layers, sums, scale, lod, output));
}

#[inline(always)]
fn sum<S: Simd>(
    s: S,
    layers: &[Layer<'_>],
    sums: Sums,
    scale: Option<f32>,
    lod: Option<&JointLod>,
    output: &mut [SoaTransform],
) {
    for (group, out) in output.iter_mut().enumerate() {
        if lod.is_some_and(|lod| !contains(lod, group)) {
            continue;
        }
        let mut at = 0;
        while at < GROUP {
            sum_rotations(s, layers, sums, group, at, out);
            sum_vectors(s, layers, sums, 0, group, at, &mut out.translation);
            match scale {
                Some(scale) => {
                    let scale = splat(s, scale);
                    store(scale, &mut out.scale.x, at);
                    store(scale, &mut out.scale.y, at);
                    store(scale, &mut out.scale.z, at);
                }
                None => sum_vectors(s, layers, sums, 2, group, at, &mut out.scale),
            }
            at += LEN::<S>();
        }
    }
}

#[inline(always)]
fn sum_rotations<S: Simd>(
    s: S,
    layers: &[Layer<'_>],
    sums: Sums,
    group: usize,
    at: usize,
    out: &mut SoaTransform,
) {
    let mut sum = WideQuat::load(s, &out.rotation, at);
    let mut first = sums.first;
    for layer in layers {
        let (q, w) = (layer.rotations(s, group, at), splat(s, layer.weight));
        if first {
            sum = q.scale(w);
            first = false;
        } else {
            let q = q.scale(sum.dot(q).simd_lt(splat(s, 0.0)).select(-w, w));
            sum = WideQuat { x: sum.x + q.x, y: sum.y + q.y, z: sum.z + q.z, w: sum.w + q.w };
        }
    }
    if let Some(inverse) = sums.inverse {
        sum = sum.scale(splat(s, inverse)).normalize(s);
    }
    sum.store(&mut out.rotation, at);
}

#[inline(always)]
fn sum_vectors<S: Simd>(
    s: S,
    layers: &[Layer<'_>],
    sums: Sums,
    kind: usize,
    group: usize,
    at: usize,
    out: &mut SoaVec3,
) {
    let mut sum = WideVec3::load(s, out, at);
    let mut first = sums.first;
    for layer in layers {
        let v = layer.vectors(s, kind, group, at).scale(splat(s, layer.weight));
        sum = if first { v } else { sum + v };
        first = false;
    }
    if let Some(inverse) = sums.inverse {
        sum = sum.scale(splat(s, inverse));
    }
    sum.store(out, at);
}
