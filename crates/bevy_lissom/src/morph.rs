//! Morph targets: their weights are the crowd's.

use crate::{components::Character, crowds::Crowds};
use bevy_ecs::prelude::*;
use bevy_mesh::morph::{MeshMorphWeights, MorphWeights};
use lissom::archive::{Archive, ArchiveError, Morph, SectionKind};
use std::sync::Arc;

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

/// An entity whose weights are those of a mesh of a character.
#[derive(Component, Clone, Debug)]
pub(crate) struct Morphs {
    pub character: Entity,
    /// By name: a file that changed may have it elsewhere.
    pub mesh: Arc<str>,
}

/// After the crowds went on: a mesh's own weights, or those that several meshes of a scene refer to. Marked changed only where they did.
pub(crate) fn weigh(
    mut weighed: Query<(&Morphs, Option<&mut MeshMorphWeights>, Option<&mut MorphWeights>)>,
    characters: Query<&Character>,
    crowds: Res<Crowds>,
) {
    for (Morphs { character, mesh }, own, shared) in &mut weighed {
        let Ok(character) = characters.get(*character) else { continue };
        let Some(troupe) = crowds.get(&character.key) else { continue };
        let Some(weights) = troupe.morph_weights(character.member, mesh) else { continue };
        if let Some(mut own) = own
            && let MeshMorphWeights::Value { weights: own_weights } = own.bypass_change_detection()
            && own_weights != weights
        {
            own_weights.clear();
            own_weights.extend_from_slice(weights);
            own.set_changed();
        }
        if let Some(mut shared) = shared {
            let count = shared.weights().len().min(weights.len());
            if shared.weights()[..count] != weights[..count] {
                shared.weights_mut()[..count].copy_from_slice(&weights[..count]);
            }
        }
    }
}
