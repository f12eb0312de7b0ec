//! Morph targets: their weights follow what a character plays.
//!
//! A crowd does not keep how much of each clip it shows. For who plays clips it follows from where they are; for who is
//! played by a graph, a copy of its state makes the step first. Both are done only where a mesh has targets.

use crate::{
    components::{Character, Pace},
    crowds::Crowds,
};
use bevy_ecs::prelude::*;
use bevy_mesh::morph::{MeshMorphWeights, MorphWeights};
use bevy_time::Time;
use lissom::{
    archive::{Archive, ArchiveError, Morph, SectionKind},
    track::{Timeline, Track},
};
use lissom_motion::{Frame, GraphState};
use std::{collections::HashMap, sync::Arc};

/// The morph targets of a mesh, in file order, by name.
pub(crate) fn targets(archive: &Archive, mesh: &str) -> Result<Vec<(String, Morph)>, ArchiveError> {
    archive
        .morphs()
        .filter_map(|(full_name, morph)| {
            let (owner, name) = archive.owner(SectionKind::Mesh, full_name)?;
            (owner == mesh).then(|| Ok((name.to_owned(), morph?)))
        })
        .collect()
}

/// What clips say of a mesh's targets.
#[derive(Debug)]
pub(crate) struct MorphTracks {
    /// The targets' names, and the weight of each where no clip says otherwise.
    pub targets: Vec<(String, f32)>,
    /// By the clip's name; one a target, where there is one.
    clips: HashMap<Box<str>, Vec<Option<Track>>>,
}

impl MorphTracks {
    /// None for a mesh without targets.
    pub fn new(archive: &Archive, mesh: &str) -> Result<Option<Self>, ArchiveError> {
        let targets: Vec<(String, f32)> =
            targets(archive, mesh)?.into_iter().map(|(name, morph)| (name, morph.view().weight)).collect();
        if targets.is_empty() {
            return Ok(None);
        }
        let mut clips = HashMap::new();
        for (full_name, track) in archive.tracks() {
            let Some((clip, name)) = archive.owner(SectionKind::Clip, full_name) else { continue };
            let name =
                name.strip_prefix("morph/").and_then(|name| name.strip_prefix(mesh)?.strip_prefix('/'));
            let target = name.and_then(|name| targets.iter().position(|(target, _)| target == name));
            let Some(target) = target else { continue };
            let tracks = clips.entry(clip.into()).or_insert_with(|| vec![None; targets.len()]);
            tracks[target] = Some(track?);
        }
        Ok(Some(Self { targets, clips }))
    }

    /// The weights of the clips by how much of each is shown. A clip that says nothing of a target stands for the target's own.
    fn weigh<'a>(&self, shares: impl Iterator<Item = Share<'a>> + Clone, weights: &mut Vec<f32>) {
        weights.clear();
        weights.extend(self.targets.iter().enumerate().map(|(target, (_, own))| {
            let (mut sum, mut all) = (0.0, 0.0);
            for Share { clip, ratio, weight } in shares.clone() {
                let track = self.clips.get(clip).and_then(|tracks| tracks[target].as_ref());
                let value = track.and_then(|track| track.view().sample(ratio).as_float());
                sum += weight * value.unwrap_or(*own);
                all += weight;
            }
            if all > 0.0 { sum / all } else { *own }
        }));
    }
}

/// How much of a clip is shown, and where it is as a share of its length.
#[derive(Clone, Copy)]
struct Share<'a> {
    clip: &'a str,
    ratio: f64,
    weight: f32,
}

/// An entity whose weights follow a character.
#[derive(Component, Debug)]
pub(crate) struct Morphs {
    character: Entity,
    tracks: Arc<MorphTracks>,
    pub weights: Vec<f32>,
    /// True until they have been weighed.
    fresh: bool,
    state: Option<GraphState>,
    frame: Frame,
}

impl Morphs {
    pub fn new(character: Entity, tracks: Arc<MorphTracks>) -> Self {
        let weights = tracks.targets.iter().map(|(_, own)| *own).collect();
        Self { character, tracks, weights, fresh: true, state: None, frame: Frame::default() }
    }
}

/// Entities with weights: a mesh's own, or those that several meshes of a scene refer to.
type Weighed<'a> = (&'a mut Morphs, Option<&'a mut MeshMorphWeights>, Option<&'a mut MorphWeights>);

/// Before the crowds go on: whom a graph plays.
pub(crate) fn weigh_graphs(
    mut weighed: Query<Weighed>,
    characters: Query<(&Character, Option<&Pace>)>,
    crowds: Res<Crowds>,
    time: Res<Time>,
) {
    for (mut morphs, mesh, scene) in &mut weighed {
        let Morphs { character, tracks, weights, fresh, state, frame } = &mut *morphs;
        let Ok((character, pace)) = characters.get(*character) else { continue };
        let Some(troupe) = crowds.get(&character.key) else { continue };
        let (Some(graph), Ok(now)) =
            (troupe.graph_of(character.member), troupe.crowd.state(character.member))
        else {
            continue;
        };
        let pace = pace.map_or(1.0, |Pace(pace)| f64::from(*pace));
        if pace == 0.0 && !*fresh {
            continue;
        }
        let state = state.get_or_insert_with(|| now.clone());
        state.clone_from(now);
        // A step that cannot be made is told where the crowd makes it.
        if graph.update(state, time.delta_secs_f64() * pace, frame).is_err() {
            continue;
        }
        let shares = frame.seen().filter_map(|(entry, weight)| {
            let clip = &*graph.clips().get(usize::from(entry.clip))?.name;
            Some(Share { clip, ratio: entry.ratio(), weight })
        });
        tracks.weigh(shares, weights);
        *fresh = false;
        write(weights, mesh, scene);
    }
}

/// After they went on: who plays clips.
pub(crate) fn weigh_clips(mut weighed: Query<Weighed>, characters: Query<&Character>, crowds: Res<Crowds>) {
    for (mut morphs, mesh, scene) in &mut weighed {
        let Morphs { character, tracks, weights, .. } = &mut *morphs;
        let Ok(character) = characters.get(*character) else { continue };
        let troupe = crowds.get(&character.key);
        let Some(clips) = troupe.and_then(|troupe| troupe.clips_of(character.member)) else { continue };
        let shares: Vec<Share<'_>> = clips
            .filter_map(|(clip, part)| {
                let line = Timeline::new(1.0, part.repeat).ok()?;
                Some(Share { clip, ratio: line.time_s(line.at(part.laps).ok()?), weight: part.weight })
            })
            .collect();
        tracks.weigh(shares.iter().copied(), weights);
        write(weights, mesh, scene);
    }
}

/// Marked changed only where they did.
fn write(weights: &[f32], mesh: Option<Mut<MeshMorphWeights>>, scene: Option<Mut<MorphWeights>>) {
    if let Some(mut mesh) = mesh
        && let MeshMorphWeights::Value { weights: own } = mesh.bypass_change_detection()
        && own != weights
    {
        own.clear();
        own.extend_from_slice(weights);
        mesh.set_changed();
    }
    if let Some(mut scene) = scene {
        let shared = scene.weights().len().min(weights.len());
        if scene.weights()[..shared] != weights[..shared] {
            scene.weights_mut()[..shared].copy_from_slice(&weights[..shared]);
        }
    }
}
