//! Animations: one channel a joint's translation, rotation or scale, one a mesh's morph weights.

use super::{binary::Binary, straight};
use crate::{
    exact::{M34, Q4, V3},
    raw::{Channel, Curve, RawSkeleton, RawUserTrack, Tangents, Value as KeyValue},
    scene::{Morph, SceneAnimation},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A mesh with morph targets, and its node.
pub(super) struct Morphed<'a> {
    pub(super) node: usize,
    pub(super) name: &'a str,
    pub(super) morphs: &'a [Morph],
}

/// `node_of` gives the node of a joint; what has none is left out.
pub(super) fn animation(
    animation: &SceneAnimation,
    skeleton: &RawSkeleton,
    node_of: &dyn Fn(usize) -> Option<usize>,
    reach: &[f64],
    morphed: &[Morphed<'_>],
    binary: &mut Binary,
) -> Value {
    let motion = &animation.motion;
    let mut out = Channels { binary, times: BTreeMap::new(), samplers: Vec::new(), channels: Vec::new() };
    for (joint, track) in motion.tracks.iter().enumerate() {
        let Some(node) = node_of(joint) else { continue };
        out.add(node, "translation", "VEC3", &track.translation, place);
        let rotation = straight::turns_evenly(&track.rotation, reach.get(joint).copied().unwrap_or_default());
        out.add(node, "rotation", "VEC4", &rotation, turn);
        out.add(node, "scale", "VEC3", &track.scale, place);
    }
    for mesh in morphed {
        out.add_weights(mesh, &animation.tracks, motion.duration_s);
    }
    if let Some(node) = node_of(0).filter(|_| out.channels.is_empty()) {
        // glTF has no animation without channels: the first joint rests.
        let rest = Channel::constant(skeleton.joints[0].rest.rotation);
        out.add(node, "rotation", "VEC4", &rest, turn);
    }
    // What the source said stays, but for what the scene knows better.
    let own = super::surfaces::extras(&animation.extras).filter(Value::is_object);
    let mut extras = own.unwrap_or_else(|| json!({}));
    extras["looping"] = json!(motion.looping);
    extras["duration_s"] = json!(motion.duration_s);
    if let Some(fields) = extras.as_object_mut() {
        fields.remove("markers");
        fields.remove("additive");
        if motion.additive {
            fields.insert("additive".into(), json!(true));
        }
    }
    if !animation.markers.is_empty() {
        let markers = animation
            .markers
            .iter()
            .map(|m| json!({ "name": m.name, "time_s": m.time_s, "duration_s": m.duration_s }));
        extras["markers"] = Value::Array(markers.collect());
    }
    json!({
        "name": motion.name,
        "samplers": out.samplers,
        "channels": out.channels,
        "extras": extras,
    })
}

/// The channels of one animation. Equal lists of times are written once.
struct Channels<'a> {
    binary: &'a mut Binary,
    times: BTreeMap<Vec<u32>, usize>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Channels<'_> {
    fn add<V: KeyValue, const N: usize>(
        &mut self,
        node: usize,
        path: &str,
        kind: &str,
        channel: &Channel<V>,
        narrow: fn(V) -> [f32; N],
    ) {
        // Times that are one in f32 count once: the later key stands.
        let mut kept: Vec<usize> = Vec::with_capacity(channel.keys.len());
        for (i, key) in channel.keys.iter().enumerate() {
            if kept.last().is_some_and(|k| channel.keys[*k].time_s as f32 >= key.time_s as f32) {
                kept.pop();
            }
            kept.push(i);
        }
        if kept.is_empty() {
            return;
        }
        let input = self.input(kept.iter().map(|k| channel.keys[*k].time_s as f32));
        let tangents = if kept.len() < 2 { None } else { tangents(channel) };
        let (interpolation, rows) = match (channel.curve, tangents) {
            (Curve::Cubic | Curve::Hermite, Some((values, tangents))) => {
                let rows = kept.iter().flat_map(|k| [tangents[*k].into, values[*k], tangents[*k].out]);
                ("CUBICSPLINE", rows.map(narrow).collect())
            }
            (curve, _) => {
                let rows: Vec<[f32; N]> =
                    kept.iter().map(|k| narrow(channel.keys[*k].value.settle())).collect();
                (if curve == Curve::Step { "STEP" } else { "LINEAR" }, rows)
            }
        };
        let output = self.binary.floats(kind, &rows, None, false);
        self.push(node, path, input, output, interpolation);
    }

    /// All weights of a mesh, at the key times of every track that moves one. A track that holds its value until the
    /// next key gets a key right before that one, unless all of them do.
    fn add_weights(&mut self, mesh: &Morphed<'_>, tracks: &[RawUserTrack], duration_s: f64) {
        let of_target = |morph: &Morph| {
            let name = format!("morph/{}/{}", mesh.name, morph.name);
            tracks.iter().find(|t| t.name == name && !t.keys.is_empty())
        };
        let found: Vec<Option<&RawUserTrack>> = mesh.morphs.iter().map(of_target).collect();
        let keys = || found.iter().flatten().flat_map(|t| t.keys.iter());
        if keys().next().is_none() {
            return;
        }
        let all_step = found.iter().flatten().all(|t| t.keys.iter().rev().skip(1).all(|k| k.step));
        // Times are above 0 or 0, so their bits are in order. Beside each: the moment at which to ask.
        let mut moments: BTreeMap<u32, f64> = BTreeMap::new();
        for track in found.iter().flatten() {
            for (i, key) in track.keys.iter().enumerate() {
                moments.insert(((key.ratio * duration_s) as f32).to_bits(), key.ratio);
                let next = track.keys.get(i + 1).filter(|_| key.step && !all_step);
                if let Some(next) = next {
                    let before = ((next.ratio * duration_s) as f32).next_down();
                    if before > (key.ratio * duration_s) as f32 {
                        moments.entry(before.to_bits()).or_insert(next.ratio.next_down());
                    }
                }
            }
        }
        let input = self.input(moments.keys().map(|bits| f32::from_bits(*bits)));
        let mut rows: Vec<[f32; 1]> = Vec::with_capacity(moments.len() * found.len());
        for ratio in moments.values() {
            for (track, morph) in found.iter().zip(mesh.morphs) {
                let weight = track.map_or(morph.weight, |t| t.sample(*ratio)[0]);
                rows.push([weight as f32]);
            }
        }
        let output = self.binary.floats("SCALAR", &rows, None, false);
        let interpolation = if all_step { "STEP" } else { "LINEAR" };
        self.push(mesh.node, "weights", input, output, interpolation);
    }

    /// The accessor of a list of times.
    fn input(&mut self, times: impl Iterator<Item = f32>) -> usize {
        let times: Vec<[f32; 1]> = times.map(|t| [t]).collect();
        let bits: Vec<u32> = times.iter().map(|t| t[0].to_bits()).collect();
        match self.times.get(&bits) {
            Some(accessor) => *accessor,
            None => *self.times.entry(bits).or_insert(self.binary.floats("SCALAR", &times, None, true)),
        }
    }

    fn push(&mut self, node: usize, path: &str, input: usize, output: usize, interpolation: &str) {
        self.channels
            .push(json!({ "sampler": self.samplers.len(), "target": { "node": node, "path": path } }));
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }
}

/// Values and slopes for a cubic curve; for [`Curve::Hermite`] the slopes that its rule gives. `None` for
/// other curves.
fn tangents<V: KeyValue>(channel: &Channel<V>) -> Option<(Vec<V>, Vec<Tangents<V>>)> {
    let keys = &channel.keys;
    match channel.curve {
        Curve::Cubic => Some((keys.iter().map(|k| k.value).collect(), channel.tangents.clone())),
        Curve::Hermite => {
            let mut values: Vec<V> = Vec::with_capacity(keys.len());
            for key in keys {
                let settled = key.value.settle();
                values.push(values.last().map_or(settled, |before| settled.near(*before)));
            }
            let slopes = (0..keys.len()).map(|i| {
                let (a, b) = (i.saturating_sub(1), (i + 1).min(keys.len() - 1));
                let k = 1.0 / (keys[b].time_s - keys[a].time_s);
                let slope = V::mix(values[b], k, values[a], -k);
                Tangents { into: slope, out: slope }
            });
            let slopes = slopes.collect();
            Some((values, slopes))
        }
        Curve::Step | Curve::Linear | Curve::Slerp => None,
    }
}

pub(super) fn place(v: V3) -> [f32; 3] {
    v.to_f32().to_array()
}

pub(super) fn turn(q: Q4) -> [f32; 4] {
    [q.x as f32, q.y as f32, q.z as f32, q.w as f32]
}

/// JSON numbers that read back as the same f32.
pub(super) fn wide(v: &[f32]) -> Vec<f64> {
    v.iter().map(|c| f64::from(*c)).collect()
}

pub(super) fn columns(m: &M34) -> [f32; 16] {
    let [x, y, z, t] = m.columns.map(place);
    [x[0], x[1], x[2], 0.0, y[0], y[1], y[2], 0.0, z[0], z[1], z[2], 0.0, t[0], t[1], t[2], 1.0]
}
