//! Morph targets: their weights are the crowd's.

use crate::{components::Character, crowds::Crowds};
use bevy_ecs::prelude::*;
use bevy_mesh::morph::{MeshMorphWeights, MorphWeights};
use bevy_reflect::Reflect;
use std::sync::Arc;

/// An entity whose weights are those of a mesh of a character.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(from_reflect = false)]
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
        let Some(crowd_of) = crowds.get(&character.key) else { continue };
        let Some(weights) = crowd_of.morph_weights(character.member, mesh) else { continue };
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
