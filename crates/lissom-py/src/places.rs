//! Where the joints of an authored clip stand: what most people want of a file, and the fastest way to it.
//!
//! Frames of a file mostly lie on its keys: then a key stands for itself, without a search and without arithmetic. Bodies
//! that nobody scales turn by quaternions, which is half the work of matrices.

use crate::{arrays::on_all_cores, skeleton::Body};
use lissom_build::{
    exact::{M34, Q4, Trs, V3, larger, smaller},
    raw::{Channel, Curve, RawAnimation, RawTrack, Value},
};
use std::convert::Infallible;

/// A key that is so near in seconds is meant: `frame / rate` and `frame * step` round differently.
const MEANT_S: f64 = 1e-12;

/// The key after the last one used, channel by channel.
#[derive(Clone, Copy, Default)]
struct Next {
    translation: usize,
    rotation: usize,
    scale: usize,
}

/// (times, joints, 3), joints in the slots that they are given, of times that are finite.
pub(crate) fn places(body: &Body, motion: &RawAnimation, times: &[f64], slots: &[usize]) -> Vec<f64> {
    let joints = body.joint_count();
    let mut out = vec![0.0; times.len() * joints * 3];
    let rigid = motion.tracks.iter().all(|t| t.scale.keys.is_empty())
        && body.raw.joints.iter().all(|j| j.rest.scale == V3::ONE);
    let done = on_all_cores(&mut out, joints * 3, times.len(), |first, out| {
        let mut next = vec![Next::default(); joints];
        let (mut turns, mut matrices) = (vec![(Q4::IDENTITY, V3::ZERO); joints], vec![M34::IDENTITY; joints]);
        for (out, time_s) in out.chunks_exact_mut(joints * 3).zip(&times[first..]) {
            // Times outside of the clip are its ends.
            let time_s = smaller(larger(*time_s, 0.0), motion.duration_s);
            for (joint, slot) in slots.iter().enumerate() {
                let raw = body.built.raw_of_joint[joint];
                let local = local(&motion.tracks[raw], body.raw.joints[raw].rest, time_s, &mut next[raw]);
                let parent = body.built.skeleton.parent(joint);
                let place = if rigid {
                    turns[joint] = match parent.map(|p| turns[p]) {
                        None => (local.rotation, local.translation),
                        Some((turn, place)) => {
                            (turn * local.rotation, place + turn.rotate(local.translation))
                        }
                    };
                    turns[joint].1
                } else {
                    let own = local.to_m34();
                    matrices[joint] = parent.map_or(own, |p| matrices[p].mul(&own));
                    matrices[joint].columns[3]
                };
                out[slot * 3..][..3].copy_from_slice(&[place.x, place.y, place.z]);
            }
        }
        Ok::<(), Infallible>(())
    });
    match done {
        Ok(()) => out,
        Err(never) => match never {},
    }
}

fn local(track: &RawTrack, rest: Trs, time_s: f64, next: &mut Next) -> Trs {
    let Next { translation, rotation, scale } = next;
    let turn = value(&track.rotation, time_s, rotation).unwrap_or(rest.rotation);
    let length = turn.dot(turn);
    Trs {
        translation: value(&track.translation, time_s, translation).unwrap_or(rest.translation),
        // What is authored may have any length; most of it is of unit length already.
        rotation: if (length - 1.0).abs() < 1e-14 { turn } else { turn.normalize() },
        scale: value(&track.scale, time_s, scale).unwrap_or(rest.scale),
    }
}

fn value<V: Value>(channel: &Channel<V>, time_s: f64, next: &mut usize) -> Option<V> {
    match channel.keys.get(*next) {
        Some(key) if (key.time_s - time_s).abs() <= MEANT_S && channel.curve != Curve::Step => {
            *next += 1;
            Some(key.value)
        }
        _ => channel.sample_onward(time_s, next),
    }
}
