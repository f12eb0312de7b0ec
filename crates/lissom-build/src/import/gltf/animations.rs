//! Animations: the channels of nodes become tracks of joints.

use super::{
    super::{ImportError, Place},
    accessor::Source,
    budget::Budget,
    document::{self, Aim, Animation, AnimationExtras, Kind, MarkerNote, Path, Sampler},
    morphs::{self, MeshNames, WeightKeys},
    names::{Names, place},
    nodes::Skeleton,
    samplers::{Odd, Reader},
    spare,
};
use crate::{
    exact::{Q4, V3},
    raw::{Curve, RawAnimation, RawTrack},
    scene::{Marker, Scene, SceneAnimation},
};
use std::collections::BTreeSet;

/// What an animation lasts whose keys all stand at 0: a single pose.
const POSE_S: f64 = 1.0 / 30.0;
/// The longest duration that is believed if only a note in the file states it: eleven days.
const LONGEST_NOTE_S: f64 = 1e6;

/// What every animation needs to know.
pub(super) struct Stage<'s, 'a> {
    pub(super) source: &'s Source<'a>,
    pub(super) skeleton: &'s Skeleton,
    pub(super) meshes: &'s MeshNames,
    pub(super) strict: bool,
}

/// Reads all animations into the scene; weights of morph targets only `with_weights`.
pub(super) fn read(
    stage: &Stage<'_, '_>,
    with_weights: bool,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<(), ImportError> {
    let mut names = Names::default();
    for (index, animation) in stage.source.document.animations.iter().enumerate() {
        let here = place("animation", index, animation.name.as_deref());
        let joints = stage.skeleton.raw.joints.len() as u64;
        budget.take(joints, size_of::<RawTrack>(), || Place::Path(here.clone()))?;
        let motion = match one(stage, animation, &here, with_weights, budget, scene) {
            Ok(motion) => motion,
            Err(error) => {
                spare(error, "the animation was left out", stage.strict, budget, scene)?;
                None
            }
        };
        let Some(mut motion) = motion else { continue };
        // A name of its own, or none: whoever knows the file's name may call it after that.
        if let Some(name) = animation.name.as_deref().filter(|n| !n.is_empty()) {
            motion.motion.name = names.unique(Some(name), String::new);
            if motion.motion.name != name {
                let text = format!("its name is taken or too long; it is called {:?}", motion.motion.name);
                scene.warn(here, text);
            }
        }
        scene.animations.push(motion);
    }
    Ok(())
}

/// The channels of one animation so far.
struct Growing {
    tracks: Vec<RawTrack>,
    weights: Vec<(u32, WeightKeys)>,
    seen: BTreeSet<(u32, Path)>,
    odd: Odd,
    /// Channels that were read.
    read: usize,
}

/// `None` if nothing in it moves anything.
fn one(
    stage: &Stage<'_, '_>,
    animation: &Animation<'_>,
    here: &str,
    with_weights: bool,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Option<SceneAnimation>, ImportError> {
    let joints = stage.skeleton.raw.joints.len();
    let mut tracks: Vec<RawTrack> = Vec::new();
    tracks.resize_with(joints, RawTrack::default);
    let mut all =
        Growing { tracks, weights: Vec::new(), seen: BTreeSet::new(), odd: Odd::default(), read: 0 };
    for (index, channel) in animation.channels.iter().enumerate() {
        let at = || format!("{here}, channel {index}");
        let targets: Vec<(u32, Path)> = match channel.target.aim() {
            Aim::Nothing => {
                all.odd.aimless = all.odd.aimless.saturating_add(1);
                continue;
            }
            Aim::Elsewhere => {
                all.odd.unknown = all.odd.unknown.saturating_add(1);
                continue;
            }
            Aim::Node(node, path) => vec![(node, path)],
            // Few channels and few nodes can be very many together: each pair takes its share.
            Aim::Mesh(mesh) => {
                let nodes = (0_u32..).zip(&stage.source.document.nodes);
                let on: Vec<_> =
                    nodes.filter(|(_, n)| n.mesh == Some(mesh)).map(|(n, _)| (n, Path::Weights)).collect();
                budget.take(on.len() as u64, 64, || Place::Path(at()))?;
                on
            }
        };
        for (node, path) in targets {
            if path == Path::Weights && !with_weights {
                continue;
            }
            if !all.seen.insert((node, path)) {
                let text =
                    format!("another channel moves the {path:?} of node {node} too; the first one counts");
                scene.warn(at(), text);
                continue;
            }
            let sampler = animation.samplers.get(channel.sampler as usize);
            let last_key_s = all.odd.last_key_s;
            match all.channel(stage, sampler, channel.sampler, (node, path), &at, budget, scene) {
                Ok(()) => all.read = all.read.saturating_add(1),
                Err(error) => {
                    all.odd.last_key_s = last_key_s;
                    spare(error, "the channel was left out", stage.strict, budget, scene)?;
                }
            }
        }
    }
    let Growing { tracks, weights, odd, read, .. } = all;
    odd.warn(here, scene);
    if read == 0 {
        let text = if animation.channels.is_empty() {
            "it has no channels; it was left out"
        } else {
            "none of its channels moves anything; it was left out"
        };
        scene.warn(here, text);
        return Ok(None);
    }
    let extras: AnimationExtras<'_> = document::extras(animation.extras);
    let noted = extras.duration_s.filter(|d| (0.0..=LONGEST_NOTE_S).contains(d)).unwrap_or(0.0);
    let mut duration_s = if noted > odd.last_key_s { noted } else { odd.last_key_s };
    if duration_s <= 0.0 {
        duration_s = POSE_S;
        scene.warn(here, "all of its keys stand at 0, so it has no duration; it was given 1/30 s");
    }
    let mut user = Vec::new();
    for (node, keys) in &weights {
        morphs::tracks(keys, *node, stage.meshes, duration_s, &mut user);
    }
    let (looping, additive) = (extras.looping.unwrap_or(false), extras.additive.unwrap_or(false));
    let motion = RawAnimation { name: String::new(), duration_s, looping, additive, tracks };
    motion
        .validate(joints)
        .map_err(|source| ImportError::Animation { place: Place::Path(here.into()), source })?;
    let markers = markers(document::extras(extras.markers), duration_s, here, budget, scene)?;
    let extras = document::text(animation.extras);
    Ok(Some(SceneAnimation {
        skeleton: Some(0),
        motion,
        tracks: user,
        markers,
        extras,
        precision: Vec::new(),
        kept: None,
    }))
}

impl Growing {
    /// Reads a channel. What was read before an error stays out of the tracks.
    #[allow(clippy::too_many_arguments, reason = "one call, and every one of them is another thing")]
    fn channel(
        &mut self,
        stage: &Stage<'_, '_>,
        sampler: Option<&Sampler>,
        number: u32,
        (node, path): (u32, Path),
        at: &dyn Fn() -> String,
        budget: &mut Budget,
        scene: &mut Scene,
    ) -> Result<(), ImportError> {
        let fail = |reason: String| ImportError::Format { place: Place::Path(at()), reason };
        let sampler = sampler.ok_or_else(|| fail(format!("there is no sampler {number}")))?;
        if path == Path::Weights {
            // The duration is not known before all channels are.
            let keys = morphs::keys(stage.source, sampler, node, at, budget, scene, &mut self.odd)?;
            self.weights.extend(keys.map(|keys| (node, keys)));
            return Ok(());
        }
        let count = stage.source.document.nodes.len();
        let joint = stage.skeleton.joint(node);
        let joint = joint.ok_or_else(|| fail(format!("there is no node {node}; there are {count} nodes")))?;
        let Some(track) = self.tracks.get_mut(joint) else { return Ok(()) };
        let mut reader = Reader { source: stage.source, sampler, at, budget, odd: &mut self.odd };
        match path {
            Path::Translation => track.translation = reader.channel(Kind::Vec3, vector, Curve::Linear)?,
            Path::Scale => track.scale = reader.channel(Kind::Vec3, vector, Curve::Linear)?,
            _ => track.rotation = reader.channel(Kind::Vec4, rotation, Curve::Slerp)?,
        }
        Ok(())
    }
}

/// Moments outside of the motion are moved to its ends; those without a name are dropped.
fn markers(
    notes: Vec<MarkerNote>,
    duration_s: f64,
    here: &str,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Vec<Marker>, ImportError> {
    budget.take(notes.len() as u64, size_of::<[Marker; 2]>(), || Place::Path(here.into()))?;
    let (mut markers, mut dropped, mut moved) = (Vec::new(), 0_usize, 0_usize);
    for MarkerNote { name, time_s, duration_s: lasts } in notes {
        if name.is_empty() {
            dropped = dropped.saturating_add(1);
            continue;
        }
        let inside = if time_s < 0.0 {
            0.0
        } else if time_s > duration_s {
            duration_s
        } else {
            time_s
        };
        let lasts_s = if lasts > 0.0 { lasts } else { 0.0 };
        moved = moved.saturating_add((inside != time_s || lasts_s != lasts).into());
        markers.push(Marker { name, time_s: inside, duration_s: lasts_s });
    }
    markers.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    if dropped > 0 {
        scene.warn(here, format!("{dropped} markers have no name; they were dropped"));
    }
    if moved > 0 {
        scene.warn(here, format!("{moved} markers lie outside of it; they were moved to its ends"));
    }
    Ok(markers)
}

fn vector([x, y, z, _]: [f64; 4]) -> V3 {
    V3::new(x, y, z)
}

fn rotation([x, y, z, w]: [f64; 4]) -> Q4 {
    Q4::new(x, y, z, w)
}
