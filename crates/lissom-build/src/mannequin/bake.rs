//! From a figure that is a function of time to keys.

use super::figure::Figure;
use super::rig;
use crate::exact::{Q4, Trs, V3};
use crate::raw::{Channel, Curve, RawAnimation, RawSkeleton, RawTrack};

/// Keys a second.
pub(super) const RATE: f64 = 30.0;

/// What a clip is made from.
pub(super) struct Score<'a> {
    pub(super) name: &'static str,
    /// Key frames; the duration is `frames / RATE`.
    pub(super) frames: usize,
    /// The last pose is the first one again, but for the root's travel.
    pub(super) looping: bool,
    /// The figure at a time in seconds.
    pub(super) figure: &'a dyn Fn(f64) -> Figure,
}

/// Keys only where something moves: one key for a channel that is still but not at rest, none for the rest pose.
pub(super) fn bake(skeleton: &RawSkeleton, score: &Score<'_>) -> RawAnimation {
    let times: Vec<f64> = (0..=score.frames).map(|i| i as f64 / RATE).collect();
    let mut poses: Vec<Vec<Trs>> = times.iter().map(|t| (score.figure)(*t).solve(skeleton)).collect();
    if score.looping {
        // Exactly, not only up to rounding.
        let last = score.frames;
        let (first, end) = (poses[0].clone(), &mut poses[last]);
        end[1..].copy_from_slice(&first[1..]);
    }
    let track = |joint: usize| {
        let rest = skeleton.joints[joint].rest;
        let mut before = rest.rotation;
        let rotations = poses.iter().map(|p| {
            before = p[joint].rotation.near(before);
            before
        });
        let travels = joint == rig::ROOT || joint == rig::HIPS;
        let places = poses.iter().map(|p| p[joint].translation);
        RawTrack {
            rotation: channel(&times, rotations.collect(), rest.rotation, same_turn),
            translation: match travels {
                true => channel(&times, places.collect(), rest.translation, same_place),
                false => Channel::default(),
            },
            scale: Channel::default(),
        }
    };
    RawAnimation {
        name: score.name.into(),
        duration_s: score.frames as f64 / RATE,
        looping: score.looping,
        additive: false,
        tracks: (0..skeleton.joints.len()).map(track).collect(),
    }
}

fn same_turn(a: Q4, b: Q4) -> bool {
    1.0 - a.dot(b).abs() < 1e-12
}

fn same_place(a: V3, b: V3) -> bool {
    (a - b).length() < 1e-9
}

fn channel<V: crate::raw::Value>(
    times: &[f64],
    values: Vec<V>,
    rest: V,
    same: fn(V, V) -> bool,
) -> Channel<V> {
    if values.iter().all(|v| same(*v, rest)) {
        return Channel::default();
    }
    if values.iter().all(|v| same(*v, values[0])) {
        return Channel::constant(values[0]);
    }
    Channel::new(Curve::Linear, times.iter().copied().zip(values))
}
