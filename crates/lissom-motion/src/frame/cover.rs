//! Layers that cover one another, as joint weights of one blend.

use super::{Frame, Weights};
use crate::graph::{Graph, MaskKey};
use alloc::vec::Vec;
use lissom::math::soa::{GROUP, Lanes};

/// One layer of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer<'a> {
    /// How much of it, in [0, 1]; numbers outside count as the nearer end, NaN as 0.
    pub weight: f32,
    /// One weight a joint, in groups, likewise in [0, 1]; `None`: the whole body.
    pub mask: Option<&'a [Lanes]>,
    /// True if it is added: it covers nothing, and nothing covers it.
    pub additive: bool,
}

/// Writes a row of joint weights for every layer, the lowest layer first, one row after the other: the masks of a
/// [`MixJob`](lissom::job::MixJob), whose entries name their layer as their mask.
///
/// With c = weight · mask of a layer at a joint, its row is c · Π (1 - c of the layers above it). So the rows of a joint sum to at most 1, and to
/// 1 where a layer of weight 1 without a mask lies at the bottom. The row of an additive layer is c.
///
/// False, and nothing is written, if a mask is shorter than `groups` or `rows` than `groups` a layer.
#[must_use]
pub fn cover(layers: &[Layer<'_>], groups: usize, rows: &mut [Lanes]) -> bool {
    let short = |layer: &Layer<'_>| layer.mask.is_some_and(|mask| mask.len() < groups);
    if layers.iter().any(short) || rows.len() < layers.len().saturating_mul(groups) {
        return false;
    }
    for group in 0..groups {
        // What the layers above leave of each joint.
        let mut left = [1.0_f32; GROUP];
        for (index, layer) in layers.iter().enumerate().rev() {
            let weight = unit(layer.weight);
            let row = &mut rows[index * groups + group].0;
            for (lane, (row, left)) in row.iter_mut().zip(&mut left).enumerate() {
                let share = weight * layer.mask.map_or(1.0, |mask| unit(mask[group].0[lane]));
                if layer.additive {
                    *row = share;
                } else {
                    *row = share * *left;
                    *left *= 1.0 - share;
                }
            }
        }
    }
    true
}

impl Frame {
    /// The rows of joint weights that a layered mix speaks of: one a layer, `groups` each. `masks` are those of
    /// [`Graph::masks`]. False, and nothing is written, if a mask is missing, or it or `rows` is too short.
    #[must_use]
    pub fn cover(&self, masks: &[Vec<Lanes>], groups: usize, rows: &mut [Lanes]) -> bool {
        self.cover_by(Weights::Now, masks, groups, rows)
    }

    /// The same by other weights of its layers: those that [`PoseMemory::follow`](crate::PoseMemory::follow) names for a mix.
    #[must_use]
    pub fn cover_by(
        &self,
        weights: Weights,
        masks: &[Vec<Lanes>],
        groups: usize,
        rows: &mut [Lanes],
    ) -> bool {
        let none = Layer { weight: 0.0, mask: None, additive: false };
        let mut layers = [none; Graph::MAX_LAYERS];
        let count = self.layers.len();
        for (out, layer) in layers.iter_mut().zip(&self.layers) {
            let own = |mask: MaskKey| masks.get(usize::from(mask.0)).map_or(&[][..], Vec::as_slice);
            *out = Layer { weight: weights.of(layer), mask: layer.mask.map(own), additive: layer.additive };
        }
        layers.get(..count).is_some_and(|layers| cover(layers, groups, rows))
    }

    /// The rows of [`Frame::cover`] if the mix speaks of them, else none. Masks and rows were made for `groups`.
    pub(crate) fn covered<'r>(
        &self,
        weights: Weights,
        masks: &[Vec<Lanes>],
        groups: usize,
        rows: &'r mut [Lanes],
    ) -> &'r [Lanes] {
        if !self.is_layered_by(weights) {
            return &[];
        }
        // They are long enough, so this cannot fail.
        let _ = self.cover_by(weights, masks, groups, rows);
        rows
    }
}

/// Into [0, 1]; NaN is 0.
fn unit(v: f32) -> f32 {
    if v > 1.0 {
        1.0
    } else if v > 0.0 {
        v
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUPS: usize = 2;

    fn rows(layers: &[Layer<'_>]) -> Vec<Lanes> {
        let mut rows = vec![Lanes::splat(9.0); layers.len() * GROUPS];
        assert!(cover(layers, GROUPS, &mut rows));
        rows
    }

    #[test]
    fn a_layer_takes_its_share_and_those_below_it_the_rest() {
        let mut arm = [Lanes::splat(0.0); GROUPS];
        (arm[1].0[3], arm[1].0[4]) = (1.0, 0.5);
        let body = Layer { weight: 1.0, mask: None, additive: false };
        let wave = Layer { weight: 0.5, mask: Some(&arm), additive: false };
        let add = Layer { weight: 0.25, mask: Some(&arm), additive: true };
        let rows = rows(&[body, wave, add]);
        let at = |layer: usize, joint: usize| rows[layer * GROUPS + joint / GROUP].0[joint % GROUP];
        assert_eq!([at(0, 0), at(1, 0), at(2, 0)], [1.0, 0.0, 0.0]);
        assert_eq!([at(0, 19), at(1, 19), at(2, 19)], [0.5, 0.5, 0.25]);
        assert_eq!([at(0, 20), at(1, 20), at(2, 20)], [0.75, 0.25, 0.125]);
    }

    #[test]
    fn a_whole_layer_of_weight_1_hides_what_is_below() {
        let full = Layer { weight: 7.0, mask: None, additive: false };
        let rows = rows(&[full, full, Layer { weight: f32::NAN, ..full }]);
        assert!(rows[..GROUPS].iter().all(|row| *row == Lanes::splat(0.0)));
        assert!(rows[GROUPS..2 * GROUPS].iter().all(|row| *row == Lanes::splat(1.0)));
        assert!(rows[2 * GROUPS..].iter().all(|row| *row == Lanes::splat(0.0)));
    }

    #[test]
    fn what_does_not_fit_is_left_alone() {
        let full = Layer { weight: 1.0, mask: None, additive: false };
        let mut rows = [Lanes::splat(9.0); 3];
        assert!(!cover(&[full, full], GROUPS, &mut rows));
        let short = [Lanes::splat(1.0)];
        assert!(!cover(&[Layer { mask: Some(&short), ..full }], GROUPS, &mut rows));
        assert_eq!(rows, [Lanes::splat(9.0); 3]);
    }
}
