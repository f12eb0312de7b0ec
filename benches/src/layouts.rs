//! The two layouts that the stream replaces, as baselines: keys by track then time, and keys by plain time.
//! Both hold the same decoded keys and interpolate in plain scalar code; only how keys are found differs.

use lissom::math::{Quat, Vec3, scalar};
use lissom_build::{
    BuiltSkeleton,
    raw::{Channel, RawAnimation, Value},
};
use lissom_measure::timing::best_ns;
use std::hint::black_box;

/// A key of any channel: three or four numbers.
#[derive(Clone, Copy)]
struct Key {
    time_s: f64,
    channel: u32,
    value: [f32; 4],
}

/// Nanoseconds a frame of each layout, playing these times in order.
pub fn forward(
    skeleton: &BuiltSkeleton,
    animation: &RawAnimation,
    times: &[f64],
) -> Vec<(&'static str, f64)> {
    let mut tracks: Vec<(bool, Vec<Key>)> = Vec::new();
    for raw in &skeleton.raw_of_joint {
        let track = &animation.tracks[*raw];
        let vector = |v: lissom_build::exact::V3| [v.x as f32, v.y as f32, v.z as f32, 0.0];
        push(&mut tracks, false, &track.translation, vector);
        push(&mut tracks, true, &track.rotation, |q| [q.x as f32, q.y as f32, q.z as f32, q.w as f32]);
        push(&mut tracks, false, &track.scale, vector);
    }
    vec![
        ("by track, then time", by_track(&tracks, times) / times.len() as f64),
        ("by plain time", by_time(&tracks, times) / times.len() as f64),
    ]
}

fn push<V: Value>(
    tracks: &mut Vec<(bool, Vec<Key>)>,
    turns: bool,
    channel: &Channel<V>,
    to: impl Fn(V) -> [f32; 4],
) {
    if channel.keys.len() < 2 {
        return;
    }
    let number = tracks.len() as u32;
    let keys = channel.keys.iter().map(|k| Key { time_s: k.time_s, channel: number, value: to(k.value) });
    tracks.push((turns, keys.collect()));
}

fn between(turns: bool, a: &Key, b: &Key, t: f64) -> [f32; 4] {
    let ratio = ((t - a.time_s) / (b.time_s - a.time_s)) as f32;
    if turns {
        let quat = |k: &Key| Quat::from_xyzw(k.value[0], k.value[1], k.value[2], k.value[3]);
        scalar::quat_nlerp(quat(a), quat(b), ratio).to_array()
    } else {
        let vec = |k: &Key| Vec3::new(k.value[0], k.value[1], k.value[2]);
        let v = scalar::lerp(vec(a), vec(b), ratio);
        [v.x, v.y, v.z, 0.0]
    }
}

/// Each track has its own keys and its own place in them.
fn by_track(tracks: &[(bool, Vec<Key>)], times: &[f64]) -> f64 {
    let mut places = vec![0_usize; tracks.len()];
    best_ns(10, || {
        places.fill(0);
        for t in times {
            for ((turns, keys), place) in tracks.iter().zip(&mut places) {
                while *place + 2 < keys.len() && keys[*place + 1].time_s <= *t {
                    *place += 1;
                }
                black_box(between(*turns, &keys[*place], &keys[*place + 1], *t));
            }
        }
    })
}

/// All keys in order of their own times: the right key of a quiet track is far away, so every frame looks
/// ahead until each track has one.
fn by_time(tracks: &[(bool, Vec<Key>)], times: &[f64]) -> f64 {
    let mut keys: Vec<Key> = tracks.iter().flat_map(|t| t.1.iter().copied()).collect();
    keys.sort_by(|a, b| a.time_s.total_cmp(&b.time_s).then(a.channel.cmp(&b.channel)));
    let mut left: Vec<Option<Key>> = vec![None; tracks.len()];
    let mut right: Vec<Option<Key>> = vec![None; tracks.len()];
    best_ns(3, || {
        let mut place = 0;
        left.fill(None);
        for t in times {
            while place < keys.len() && keys[place].time_s <= *t {
                left[keys[place].channel as usize] = Some(keys[place]);
                place += 1;
            }
            right.fill(None);
            let mut missing = tracks.len();
            for key in &keys[place..] {
                let slot = &mut right[key.channel as usize];
                if slot.is_none() {
                    *slot = Some(*key);
                    missing -= 1;
                    if missing == 0 {
                        break;
                    }
                }
            }
            for ((turns, _), (a, b)) in tracks.iter().zip(left.iter().zip(&right)) {
                if let (Some(a), Some(b)) = (a, b) {
                    black_box(between(*turns, a, b, *t));
                }
            }
        }
    })
}
