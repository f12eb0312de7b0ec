//! Where the joints of an authored clip stand: what most people want of a file, and the fastest way to it.
//!
//! Frames of a file mostly lie on its keys: then a key stands for itself, without a search and without arithmetic. Bodies
//! that nobody scales turn by quaternions, which is half the work of matrices; a block of frames at a time, one array a number,
//! which a compiler makes wide.

use crate::{arrays::on_all_cores, skeleton::Body};
use lissom_build::{
    exact::{M34, Q4, Trs, V3, larger, smaller},
    raw::{Channel, Curve, RawAnimation, RawTrack, Value},
};
use std::convert::Infallible;

/// A key that is so near in seconds is meant: `frame / rate` and `frame * step` round differently.
const MEANT_S: f64 = 1e-12;
/// Frames of a block: with a hundred joints they fit into the second cache.
const BLOCK: usize = 16;

/// A number of every frame of a block.
type Lane = [f64; BLOCK];

/// The key after the last one used, channel by channel.
#[derive(Clone, Copy, Default)]
struct Next {
    translation: usize,
    rotation: usize,
    scale: usize,
}

/// A joint in model space, in every frame of a block.
#[derive(Clone, Copy)]
struct Stand {
    /// x, y, z, w.
    turn: [Lane; 4],
    place: [Lane; 3],
}

/// (times, joints, 3), joints in the slots that they are given, of times that are finite.
pub(crate) fn places(body: &Body, motion: &RawAnimation, times: &[f64], slots: &[usize]) -> Vec<f64> {
    let joints = body.joint_count();
    let mut out = vec![0.0; times.len() * joints * 3];
    let rigid = motion.tracks.iter().all(|t| t.scale.keys.is_empty())
        && body.raw.joints.iter().all(|j| j.rest.scale == V3::ONE);
    // Times outside of the clip are its ends.
    let within = |time_s: &f64| smaller(larger(*time_s, 0.0), motion.duration_s);
    let done = on_all_cores(&mut out, joints * 3, times.len(), |first, out| {
        let mut next = vec![Next::default(); joints];
        if rigid {
            let mut stands = vec![Stand::REST; joints];
            let blocks = out.chunks_mut(joints * 3 * BLOCK).zip(times[first..].chunks(BLOCK));
            for (out, times) in blocks {
                let mut block = [0.0; BLOCK];
                block.iter_mut().zip(times).for_each(|(own, time_s)| *own = within(time_s));
                let times = &block[..times.len()];
                for (joint, slot) in slots.iter().enumerate() {
                    let raw = body.built.raw_of_joint[joint];
                    let mut own =
                        local(&motion.tracks[raw], body.raw.joints[raw].rest, times, &mut next[raw]);
                    if let Some(parent) = body.built.skeleton.parent(joint) {
                        own.hang_on(&stands[parent]);
                    }
                    let [x, y, z] = &own.place;
                    for (frame, out) in out.chunks_exact_mut(joints * 3).enumerate() {
                        out[slot * 3..][..3].copy_from_slice(&[x[frame], y[frame], z[frame]]);
                    }
                    stands[joint] = own;
                }
            }
            return Ok::<(), Infallible>(());
        }
        let mut matrices = vec![M34::IDENTITY; joints];
        for (out, time_s) in out.chunks_exact_mut(joints * 3).zip(&times[first..]) {
            for (joint, slot) in slots.iter().enumerate() {
                let raw = body.built.raw_of_joint[joint];
                let (rest, next) = (body.raw.joints[raw].rest, &mut next[raw]);
                let own = scaled(&motion.tracks[raw], rest, within(time_s), next).to_m34();
                let parent = body.built.skeleton.parent(joint);
                matrices[joint] = parent.map_or(own, |p| matrices[p].mul(&own));
                let place = matrices[joint].columns[3];
                out[slot * 3..][..3].copy_from_slice(&[place.x, place.y, place.z]);
            }
        }
        Ok(())
    });
    match done {
        Ok(()) => out,
        Err(never) => match never {},
    }
}

impl Stand {
    const REST: Self =
        Self { turn: [[0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK], [1.0; BLOCK]], place: [[0.0; BLOCK]; 3] };

    /// From the parent's space to model space.
    fn hang_on(&mut self, parent: &Self) {
        let ([ax, ay, az, aw], [px, py, pz]) = (&parent.turn, &parent.place);
        let ([bx, by, bz, bw], [x, y, z]) = (&mut self.turn, &mut self.place);
        for i in 0..BLOCK {
            let turn = Q4::new(ax[i], ay[i], az[i], aw[i]);
            let place = V3::new(px[i], py[i], pz[i]) + turn.rotate(V3::new(x[i], y[i], z[i]));
            let turn = turn * Q4::new(bx[i], by[i], bz[i], bw[i]);
            (bx[i], by[i], bz[i], bw[i]) = (turn.x, turn.y, turn.z, turn.w);
            (x[i], y[i], z[i]) = (place.x, place.y, place.z);
        }
    }
}

/// A joint in its parent's space, at times of a block.
fn local(track: &RawTrack, rest: Trs, times: &[f64], next: &mut Next) -> Stand {
    let mut own = Stand::REST;
    let [x, y, z] = &mut own.place;
    each(&track.translation, rest.translation, times, &mut next.translation, |i, v| {
        (x[i], y[i], z[i]) = (v.x, v.y, v.z)
    });
    let [x, y, z, w] = &mut own.turn;
    each(&track.rotation, rest.rotation, times, &mut next.rotation, |i, q| {
        let q = unit(q);
        (x[i], y[i], z[i], w[i]) = (q.x, q.y, q.z, q.w);
    });
    own
}

/// A channel's value at each time.
fn each<V: Value>(
    channel: &Channel<V>,
    rest: V,
    times: &[f64],
    next: &mut usize,
    mut put: impl FnMut(usize, V),
) {
    let keys = channel.keys.get(*next..*next + times.len()).unwrap_or_default();
    let meant = keys.iter().zip(times).all(|(key, time_s)| (key.time_s - time_s).abs() <= MEANT_S);
    if meant && keys.len() == times.len() && channel.curve != Curve::Step {
        keys.iter().enumerate().for_each(|(i, key)| put(i, key.value));
        *next += times.len();
        return;
    }
    for (i, time_s) in times.iter().enumerate() {
        put(i, value(channel, *time_s, next).unwrap_or(rest));
    }
}

fn scaled(track: &RawTrack, rest: Trs, time_s: f64, next: &mut Next) -> Trs {
    let Next { translation, rotation, scale } = next;
    Trs {
        translation: value(&track.translation, time_s, translation).unwrap_or(rest.translation),
        rotation: unit(value(&track.rotation, time_s, rotation).unwrap_or(rest.rotation)),
        scale: value(&track.scale, time_s, scale).unwrap_or(rest.scale),
    }
}

/// What is authored may have any length; most of it is of unit length already.
fn unit(q: Q4) -> Q4 {
    if (q.dot(q) - 1.0).abs() < 1e-14 { q } else { q.normalize() }
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
