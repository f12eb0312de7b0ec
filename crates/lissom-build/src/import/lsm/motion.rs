//! A cooked clip as keys: its own, at their own times, with the curves between them that the player plays.

use super::super::{ImportError, Place, budget::Budget};
use crate::{
    exact::{Q4, Trs},
    raw::{Channel, Curve, Key, RawAnimation, RawTrack, Value},
};
use core::ops::ControlFlow;
use lissom::{
    Cursor, Skeleton,
    clip::{ChannelKind, ClipView, KeyCurve, KeyPlace},
    job::{SampleJob, SampleTime},
    math::soa,
};
use std::collections::BTreeMap;

/// A joint of a clip: its track, with a key of each channel perhaps.
const JOINT_BYTES: usize = size_of::<RawTrack>() + size_of::<[Key<Q4>; 3]>();
/// A channel that moves, while its keys are collected.
const CHANNEL_BYTES: usize = 4 * size_of::<Rows>();
/// A key: its row in a list that doubles, the row among all rows, and the key in a list that doubles.
const KEY_BYTES: usize = 4 * size_of::<u32>() + 2 * size_of::<Key<Q4>>();

/// The rows of a channel's keys.
struct Rows {
    curve: KeyCurve,
    rows: Vec<u32>,
}

/// The clip as keys; `place` says which it is.
pub(super) fn read(
    clip: ClipView<'_>,
    skeleton: &Skeleton,
    budget: &mut Budget,
    place: &dyn Fn() -> Place,
) -> Result<RawAnimation, ImportError> {
    let joints = skeleton.joint_count();
    budget.take(joints as u64, JOINT_BYTES, place)?;
    let channels = places(clip, budget, place)?;
    let mut rows: Vec<u32> = channels.values().flat_map(|c| &c.rows).copied().collect();
    rows.sort_unstable();
    rows.dedup();

    let mut cursor = Cursor::with_room_for(clip);
    let mut pose = skeleton.rest_pose().to_vec();
    let mut sample = |time_s: f64| -> Result<Vec<Trs>, ImportError> {
        let time = SampleTime::Clamped(time_s);
        let mut job = SampleJob { skeleton, clip, time, lod: None, cursor: &mut cursor, output: &mut pose };
        job.run().map_err(|error| ImportError::Format { place: place(), reason: error.to_string() })?;
        Ok((0..joints).map(|j| Trs::from_f32(soa::lane(&pose, j))).collect())
    };
    // What does not move is the same at any time.
    let mut tracks: Vec<RawTrack> = Vec::with_capacity(joints);
    for (joint, first) in sample(0.0)?.into_iter().enumerate() {
        let rest = Trs::from_f32(skeleton.rest(joint));
        tracks.push(RawTrack {
            translation: still(first.translation, rest.translation),
            rotation: still(first.rotation, rest.rotation),
            scale: still(first.scale, rest.scale),
        });
    }
    for ((joint, kind), channel) in &channels {
        if let Some(track) = tracks.get_mut(*joint) {
            let curve = channel.curve;
            match kind {
                ChannelKind::Translation => track.translation = moving(curve),
                ChannelKind::Rotation => track.rotation = moving(curve),
                ChannelKind::Scale => track.scale = moving(curve),
            }
        }
    }
    let mut open: Vec<(usize, ChannelKind, &[u32])> =
        channels.iter().map(|((joint, kind), c)| (*joint, *kind, c.rows.as_slice())).collect();
    let mut before = None;
    for row in rows {
        let time_s = time_of(clip, row);
        // Two rows at one time are one key: the first.
        let is_new = before.is_none_or(|before| time_s > before);
        let values = sample(time_s)?;
        for (joint, kind, left) in &mut open {
            let Some((_, rest)) = left.split_first().filter(|(next, _)| **next == row) else { continue };
            *left = rest;
            let (Some(value), Some(track)) = (values.get(*joint).filter(|_| is_new), tracks.get_mut(*joint))
            else {
                continue;
            };
            match kind {
                ChannelKind::Translation => push(&mut track.translation, time_s, value.translation),
                ChannelKind::Rotation => push(&mut track.rotation, time_s, value.rotation),
                ChannelKind::Scale => push(&mut track.scale, time_s, value.scale),
            }
        }
        before = Some(time_s);
    }
    Ok(RawAnimation {
        name: clip.name().into(),
        duration_s: clip.duration_s(),
        looping: clip.is_looping(),
        additive: false,
        tracks,
    })
}

/// The rows of every channel's keys, by joint.
fn places(
    clip: ClipView<'_>,
    budget: &mut Budget,
    place: &dyn Fn() -> Place,
) -> Result<BTreeMap<(usize, ChannelKind), Rows>, ImportError> {
    let mut channels: BTreeMap<(usize, ChannelKind), Rows> = BTreeMap::new();
    let mut refused = Ok(());
    let visited = clip.visit_keys(&mut |KeyPlace { joint, kind, curve, row }| {
        let own = channels.entry((joint, kind));
        let is_new = matches!(own, std::collections::btree_map::Entry::Vacant(_));
        refused = budget.take(1, if is_new { CHANNEL_BYTES + KEY_BYTES } else { KEY_BYTES }, place);
        if refused.is_err() {
            return ControlFlow::Break(());
        }
        own.or_insert_with(|| Rows { curve, rows: Vec::new() }).rows.push(row);
        ControlFlow::Continue(())
    });
    refused?;
    visited.map_err(|error| ImportError::Format { place: place(), reason: error.to_string() })?;
    Ok(channels)
}

/// The time of a row in the clip; one that rounding put beside the end is the end.
fn time_of(clip: ClipView<'_>, row: u32) -> f64 {
    let (time_s, end) = (clip.row_time_s(row), clip.duration_s());
    if time_s > end || (end - time_s).abs() < end * 1e-9 { end } else { time_s }
}

/// A channel that holds one value.
fn still<V: Value + PartialEq>(value: V, rest: V) -> Channel<V> {
    if value == rest { Channel::default() } else { Channel::constant(value) }
}

/// A channel whose keys are still to come.
fn moving<V>(curve: KeyCurve) -> Channel<V> {
    let curve = match curve {
        KeyCurve::Step => Curve::Step,
        KeyCurve::Linear => Curve::Linear,
        KeyCurve::Cubic => Curve::Hermite,
    };
    Channel { curve, keys: Vec::new(), tangents: Vec::new() }
}

fn push<V>(channel: &mut Channel<V>, time_s: f64, value: V) {
    channel.keys.push(Key { time_s, value });
}
