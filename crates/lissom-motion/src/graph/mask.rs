//! Masks of layers, as joint weights of a skeleton.

use super::{Graph, MaskParts};
use crate::error::StateError;
use alloc::{vec, vec::Vec};
use lissom::{
    Skeleton,
    math::soa::{self, Lanes},
};

impl Graph {
    /// The joint weights of a layer's mask on a skeleton, in groups; `None` for a layer without one.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`] names a joint that the skeleton does not have.
    pub fn mask(&self, layer: usize, skeleton: &Skeleton) -> Result<Option<Vec<Lanes>>, StateError> {
        let mask = self.layers.get(layer).and_then(|layer| layer.mask);
        mask.map(|mask| weights(&self.masks[usize::from(mask)], skeleton)).transpose()
    }
}

fn weights(mask: &MaskParts, skeleton: &Skeleton) -> Result<Vec<Lanes>, StateError> {
    let mut weights = vec![0.0; skeleton.joint_count()];
    for rule in &mask.rules {
        let top = skeleton.find(&rule.joint).ok_or_else(|| StateError::unknown("joint", &rule.joint))?;
        for joint in skeleton.subtree(top) {
            let steps = skeleton.depth(joint) - skeleton.depth(top) + 1;
            let all = usize::from(rule.falloff) + 1;
            let share = if steps < all { steps as f32 / all as f32 } else { 1.0 };
            weights[joint] = rule.weight * share;
        }
    }
    Ok(soa::from_floats(&weights))
}
