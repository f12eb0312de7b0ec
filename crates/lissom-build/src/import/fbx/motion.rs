//! Animations: baked stacks become keys of ours.

use super::{
    super::budget::Budget,
    mesh::ShapeTarget,
    nodes::Nodes,
    path, q4,
    stacks::{Stack, rate_hz},
    take, v3,
};
use crate::{
    exact::{Q4, V3},
    import::ImportError,
    raw::{Channel, Curve, Key, RawAnimation, RawTrack, RawUserTrack, TrackKind, UserKey, Value},
    scene::{Scene, SceneAnimation},
};
use ufbx::{BakedKeyFlags, BakedQuat, BakedVec3};

/// Makes an animation of every stack that has keys.
pub(super) fn read(
    file: &ufbx::Scene,
    stacks: Vec<Stack>,
    nodes: &Nodes,
    targets: &[ShapeTarget],
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<(), ImportError> {
    let joints = nodes.skeleton.joints.len();
    for Stack { place, name, baked } in stacks {
        let moved = baked.nodes.iter().filter(|n| joint(nodes, n).is_some()).count();
        let weighed = targets.iter().filter(|t| keys_of(&baked, t).is_some()).count();
        if moved == 0 && weighed == 0 {
            scene.warn(place, "it has no keys; it was left out");
            continue;
        }
        let duration_s = duration(&baked, rate_hz(file));
        take(budget, joints, size_of::<RawTrack>())?;
        let mut tracks = vec![RawTrack::default(); joints];
        for node in &baked.nodes {
            let Some(joint) = joint(nodes, node) else { continue };
            let (Some(track), Some(rest)) = (tracks.get_mut(joint), nodes.skeleton.joints.get(joint)) else {
                continue;
            };
            let rest = rest.rest;
            track.translation = channel(&node.translation_keys, duration_s, rest.translation, budget)?;
            track.rotation = channel(&node.rotation_keys, duration_s, rest.rotation, budget)?;
            track.scale = channel(&node.scale_keys, duration_s, rest.scale, budget)?;
        }
        let motion = RawAnimation { name, duration_s, looping: false, additive: false, tracks };
        let valid = motion.validate(joints);
        valid.map_err(|source| ImportError::Animation { place: path(place.clone()), source })?;
        let mut weights = Vec::new();
        for target in targets {
            let Some(keys) = keys_of(&baked, target) else { continue };
            weights.push(weight_track(target, keys, duration_s, &place, budget)?);
        }
        scene.animations.push(SceneAnimation {
            skeleton: Some(0),
            motion,
            tracks: weights,
            ..Default::default()
        });
    }
    Ok(())
}

fn joint(nodes: &Nodes, baked: &ufbx::BakedNode) -> Option<usize> {
    nodes.joint_of_node.get(baked.typed_id as usize).copied().flatten().map(usize::from)
}

/// Seconds: what the stack says, else up to its last key, else a frame.
fn duration(baked: &ufbx::BakedAnim, rate_hz: f64) -> f64 {
    let good = |d: &f64| *d > 0.0 && d.is_finite();
    let keyed = baked.key_time_max;
    Some(baked.playback_duration).filter(good).or(Some(keyed).filter(good)).unwrap_or(1.0 / rate_hz)
}

/// A key of `ufbx`.
trait BakedKey {
    type Value: Value;
    fn time(&self) -> f64;
    fn value(&self) -> Self::Value;
    fn flags(&self) -> BakedKeyFlags;
}

impl BakedKey for BakedVec3 {
    type Value = V3;
    fn time(&self) -> f64 {
        self.time
    }
    fn value(&self) -> V3 {
        v3(self.value)
    }
    fn flags(&self) -> BakedKeyFlags {
        self.flags
    }
}

impl BakedKey for BakedQuat {
    type Value = Q4;
    fn time(&self) -> f64 {
        self.time
    }
    fn value(&self) -> Q4 {
        q4(self.value)
    }
    fn flags(&self) -> BakedKeyFlags {
        self.flags
    }
}

/// The keys of a channel within the animation. Nothing where all of them are the rest pose; one where all are the
/// same; steps where all of it is steps.
fn channel<K: BakedKey>(
    baked: &[K],
    duration_s: f64,
    rest: K::Value,
    budget: &mut Budget,
) -> Result<Channel<K::Value>, ImportError> {
    let Some(first) = baked.first() else { return Ok(Channel::default()) };
    if baked.iter().all(|k| k.value() == first.value()) {
        if first.value() == rest {
            return Ok(Channel::default());
        }
        take(budget, 1, size_of::<Key<K::Value>>())?;
        return Ok(Channel::new(Curve::Linear, [(0.0, first.value())]));
    }
    // Copied once more where keys stand outside.
    take(budget, baked.len().saturating_add(2).saturating_mul(2), size_of::<Key<K::Value>>())?;
    let is_left = |k: &K| k.flags().has_any(BakedKeyFlags::STEP_LEFT);
    // A step is a key that holds the value of the one before it until just before the one after it.
    let steps = baked.windows(2).all(|pair| match pair {
        [a, b] => is_left(a) || (is_left(b) && a.value() == b.value()),
        _ => true,
    });
    let mut keys: Vec<Key<K::Value>> = Vec::with_capacity(baked.len());
    for key in baked {
        let time_s = key.time();
        let rises = keys.last().is_none_or(|before| time_s > before.time_s);
        // NaN times stay, to be found by the check.
        if (rises || time_s.is_nan()) && !(steps && is_left(key)) {
            keys.push(Key { time_s, value: key.value() });
        }
    }
    let curve = if steps { Curve::Step } else { Curve::Slerp };
    let all = Channel { curve, keys, tangents: Vec::new() };
    Ok(within(all, duration_s))
}

/// The part of a channel in [0, duration].
fn within<V: Value>(channel: Channel<V>, duration_s: f64) -> Channel<V> {
    let outside = |k: &Key<V>| k.time_s < 0.0 || k.time_s > duration_s;
    if !channel.keys.iter().any(outside) {
        return channel;
    }
    let at = |time_s: f64| channel.sample(time_s).map(|value| Key { time_s, value });
    let inside = channel.keys.iter().filter(|k| k.time_s > 0.0 && k.time_s < duration_s);
    let mut keys = Vec::with_capacity(channel.keys.len().saturating_add(2));
    keys.extend(at(0.0));
    keys.extend(inside.copied());
    keys.extend(at(duration_s));
    Channel { curve: channel.curve, keys, tangents: Vec::new() }
}

/// The keys of a morph's weight, in percent.
fn keys_of<'b>(baked: &'b ufbx::BakedAnim, target: &ShapeTarget) -> Option<&'b [BakedVec3]> {
    let at = baked.elements.binary_search_by_key(&target.channel, |e| e.element_id).ok()?;
    let element = baked.elements.get(at)?;
    let prop = element.props.iter().find(|p| &*p.name == "DeformPercent")?;
    Some(prop.keys.as_ref()).filter(|keys: &&[BakedVec3]| !keys.is_empty())
}

fn weight_track(
    target: &ShapeTarget,
    baked: &[BakedVec3],
    duration_s: f64,
    place: &str,
    budget: &mut Budget,
) -> Result<RawUserTrack, ImportError> {
    let all = channel(baked, duration_s, V3::new(f64::NAN, 0.0, 0.0), budget)?;
    take(budget, all.keys.len(), size_of::<UserKey>())?;
    let keys = all.keys.iter().map(|k| UserKey {
        ratio: k.time_s / duration_s,
        value: [k.value.x / 100.0 / target.full, 0.0, 0.0, 0.0],
        step: all.curve == Curve::Step,
    });
    let track = RawUserTrack { name: target.track.clone(), kind: TrackKind::Float, keys: keys.collect() };
    let valid = track.validate();
    valid
        .map_err(|e| ImportError::Format { place: path(place), reason: format!("{}: {e}", target.track) })?;
    Ok(track)
}
