//! Numbers in fewer bytes, where that loses nothing: integers that read back as the very floats, and lists of which
//! only the rows that are not zero are written.

use super::binary::FLOAT;
use crate::{exact::V3, mesh::fill};

/// How the numbers of a row are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Packing {
    /// glTF's number for the type.
    pub(super) component: u32,
    /// Of one number.
    pub(super) bytes: usize,
    /// The integers stand for 0 to 1, or -1 to 1.
    pub(super) normalised: bool,
    least: i32,
    most: i32,
}

const fn integers(component: u32, bytes: usize, least: i32, most: i32, normalised: bool) -> Packing {
    Packing { component, bytes, normalised, least, most }
}

const I8: u32 = 5120;
const U8: u32 = 5121;
const I16: u32 = 5122;
const U16: u32 = 5123;
const SIGNED: [Packing; 2] = [integers(I8, 1, -127, 127, true), integers(I16, 2, -32767, 32767, true)];
const UNSIGNED: [Packing; 2] = [integers(U8, 1, 0, 255, true), integers(U16, 2, 0, 65535, true)];
const WHOLE: [Packing; 4] = [
    integers(I8, 1, -128, 127, false),
    integers(U8, 1, 0, 255, false),
    integers(I16, 2, -32768, 32767, false),
    integers(U16, 2, 0, 65535, false),
];

/// Floats, as they are.
pub(super) const FLOATS: Packing = integers(FLOAT, 4, 0, 0, false);
/// Of colours and weights: every reader of glTF knows them.
pub(super) const SHARES: &[Packing] = &UNSIGNED;
/// Of directions and what morph targets add to them (`KHR_mesh_quantization`).
pub(super) const DIRECTIONS: &[Packing] = &SIGNED;
/// Of positions and texture coordinates (`KHR_mesh_quantization`).
pub(super) const PLACES: &[Packing] =
    &[WHOLE[0], WHOLE[1], WHOLE[2], WHOLE[3], SIGNED[0], SIGNED[1], UNSIGNED[0], UNSIGNED[1]];
/// Of what morph targets add to positions (`KHR_mesh_quantization`).
pub(super) const OFFSETS: &[Packing] = &[WHOLE[0], WHOLE[2], SIGNED[0], SIGNED[1]];

impl Packing {
    /// The first of these that stores every number exactly; else floats.
    pub(super) fn of<const N: usize>(rows: &[[f32; N]], allowed: &[Self]) -> Self {
        let exact = |p: &&Self| rows.iter().flatten().all(|v| p.integer(*v).is_some());
        allowed.iter().find(exact).copied().unwrap_or(FLOATS)
    }

    /// The integer that reads back as this float, to the bit.
    fn integer(&self, v: f32) -> Option<i32> {
        let scale = if self.normalised { f64::from(self.most) } else { 1.0 };
        let near = (f64::from(v) * scale).round();
        if !(f64::from(self.least)..=f64::from(self.most)).contains(&near) {
            return None;
        }
        // As an integer, zero has no sign.
        let back = (f64::from(near as i32) / scale) as f32;
        (back.to_bits() == v.to_bits()).then_some(near as i32)
    }

    /// The number as it is stored, for the bounds of an accessor.
    pub(super) fn stored(&self, v: f32) -> f64 {
        if self.component == FLOAT {
            return f64::from(v);
        }
        self.integer(v).map_or(0.0, f64::from)
    }

    pub(super) fn write(&self, v: f32, to: &mut Vec<u8>) {
        match (self.component, self.integer(v)) {
            (FLOAT, _) | (_, None) => to.extend(v.to_le_bytes()),
            (_, Some(n)) => to.extend(&n.to_le_bytes()[..self.bytes]),
        }
    }
}

/// The directions as integers over 127 or 32,767, if those read back as the very same unit vectors; else as they are.
pub(super) fn directions(units: &[[f32; 3]]) -> Vec<[f32; 3]> {
    for packing in DIRECTIONS {
        let found: Option<Vec<_>> = units.iter().map(|u| direction(*u, packing.most)).collect();
        if let Some(found) = found {
            return found;
        }
    }
    units.to_vec()
}

/// Rounding may land on a neighbour of the integers that were there, since those were not of unit length.
fn direction(unit: [f32; 3], most: i32) -> Option<[f32; 3]> {
    let scale = f64::from(most);
    let [x, y, z] = unit.map(|c| (f64::from(c) * scale).round());
    let steps = [0.0, -1.0, 1.0];
    let all = steps.into_iter().flat_map(|i| steps.map(|j| (i, j)));
    for ((i, j), k) in all.flat_map(|pair| steps.map(|k| (pair, k))) {
        let whole = [x + i, y + j, z + k];
        if whole.iter().any(|c| c.abs() > scale) {
            continue;
        }
        let [x, y, z] = whole.map(|c| c / scale);
        if fill::unit(V3::new(x, y, z)) == Some(unit) {
            return Some([x as f32, y as f32, z as f32]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_reads_back_to_the_bit_is_stored_as_integers() {
        assert_eq!(Packing::of(&[[3.0, -128.0]], PLACES), WHOLE[0]);
        assert_eq!(Packing::of(&[[3.0, 65535.0]], PLACES), WHOLE[3]);
        assert_eq!(Packing::of(&[[3.0, -40000.0]], PLACES), FLOATS);
        assert_eq!(Packing::of(&[[0.5, 1.0]], PLACES), FLOATS);
        assert_eq!(Packing::of(&[[5.0 / 127.0, -1.0]], DIRECTIONS), SIGNED[0]);
        assert_eq!(Packing::of(&[[5.0_f32 / 127.0 + 1e-6]], DIRECTIONS), FLOATS);
        // A zero below zero is another float.
        assert_eq!(Packing::of(&[[-0.0]], PLACES), FLOATS);
        assert_eq!(Packing::of(&[[f32::NAN]], SHARES), FLOATS);
        let mut bytes = Vec::new();
        WHOLE[2].write(-2.0, &mut bytes);
        UNSIGNED[0].write(1.0, &mut bytes);
        assert_eq!(bytes, [0xfe, 0xff, 255]);
    }

    #[test]
    fn unit_vectors_that_were_integers_are_found_again() {
        let mut units = Vec::new();
        for a in (-127_i32..=127).step_by(9) {
            for b in (-127_i32..=127).step_by(7) {
                let c = f64::from(127 * 127 - a * a - b * b);
                if c >= 0.0 {
                    let v = [f64::from(a), f64::from(b), c.sqrt().round()].map(|c| c / 127.0);
                    units.extend(fill::unit(V3::new(v[0], v[1], v[2])));
                }
            }
        }
        assert!(units.len() > 500);
        let found = directions(&units);
        assert_eq!(Packing::of(&found, DIRECTIONS), SIGNED[0]);
        for (found, unit) in found.iter().zip(&units) {
            let [x, y, z] = found.map(f64::from);
            let near = fill::unit(V3::new(x, y, z)).unwrap();
            assert!(near.iter().zip(unit).all(|(a, b)| (a - b).abs() < 1e-7));
        }
        let other = [[0.6, 0.8, 0.0], [0.123, 0.456, 0.881_435]];
        assert_eq!(directions(&other), other);
    }
}
