//! Masks of layers, as joint weights of a skeleton.

use super::{Graph, MaskKey, MaskParts};
use crate::error::StateError;
use alloc::{vec, vec::Vec};
use lissom::{
    Skeleton,
    math::soa::{self, Lanes},
};

impl Graph {
    /// The mask of this name.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn mask_key(&self, name: &str) -> Result<MaskKey, StateError> {
        let at = self.masks.iter().position(|mask| mask.name == name);
        at.map(|at| MaskKey(at as u16)).ok_or_else(|| StateError::unknown("mask", name))
    }

    /// The names of the masks.
    pub fn mask_names(&self) -> impl Iterator<Item = &str> {
        self.masks.iter().map(|mask| &*mask.name)
    }

    /// The joint weights of a mask on a skeleton, in groups.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`] names a joint that the skeleton does not have; [`StateError::OtherGraph`].
    pub fn mask(&self, mask: MaskKey, skeleton: &Skeleton) -> Result<Vec<Lanes>, StateError> {
        weights(self.masks.get(usize::from(mask.0)).ok_or(StateError::OtherGraph)?, skeleton)
    }

    /// The joint weights of every mask on a skeleton, in groups: what [`Frame::cover`](crate::frame::Frame::cover) takes.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`] names a joint that the skeleton does not have.
    pub fn masks(&self, skeleton: &Skeleton) -> Result<Vec<Vec<Lanes>>, StateError> {
        self.masks.iter().map(|mask| weights(mask, skeleton)).collect()
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
