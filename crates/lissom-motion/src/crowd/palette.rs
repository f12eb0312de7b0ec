//! Skinning matrices as a GPU takes them.

use crate::RootStep;
use alloc::{vec, vec::Vec};
use core::ops::Range;
use lissom::{
    job::BatchPalettes,
    math::{Mat4, Mat34, scalar::half},
};

pub use lissom::job::{HalfRows, PaletteRows};

/// What the numbers of palettes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaletteFormat {
    /// 48 bytes a joint.
    #[default]
    F32,
    /// 24 bytes a joint.
    F16,
}

/// What palettes are relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Space {
    /// The member: whoever draws it knows its place.
    #[default]
    Model,
    /// The world, by the members' places, about an origin: far from that of the world f32 is coarse.
    World {
        /// Metres.
        origin: [f64; 3],
    },
}

/// Palettes, one after the other: as many matrices a member as the skeleton has joints, in the order of
/// [`Member::index`](super::Member::index).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Palettes<'a> {
    /// In floats.
    F32(&'a [PaletteRows]),
    /// In half floats.
    F16(&'a [HalfRows]),
}

/// A buffer of palettes.
#[derive(Debug)]
pub enum PalettesMut<'a> {
    /// In floats.
    F32(&'a mut [PaletteRows]),
    /// In half floats.
    F16(&'a mut [HalfRows]),
}

impl<'a> Palettes<'a> {
    pub(super) fn row(self, at: usize, joints: usize) -> Option<Self> {
        let range = at * joints..(at + 1) * joints;
        Some(match self {
            Self::F32(all) => Self::F32(all.get(range)?),
            Self::F16(all) => Self::F16(all.get(range)?),
        })
    }
}

impl PalettesMut<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::F32(all) => all.len(),
            Self::F16(all) => all.len(),
        }
    }

    pub(super) fn split_at(self, at: usize) -> (Self, Self) {
        match self {
            Self::F32(all) => {
                let (a, b) = all.split_at_mut(at);
                (Self::F32(a), Self::F32(b))
            }
            Self::F16(all) => {
                let (a, b) = all.split_at_mut(at);
                (Self::F16(a), Self::F16(b))
            }
        }
    }

    /// For several members at once.
    pub(super) fn batch(&mut self) -> BatchPalettes<'_> {
        match self {
            Self::F32(all) => BatchPalettes::F32(all),
            Self::F16(all) => BatchPalettes::F16(all),
        }
    }

    /// Writes the palette of one member: place · model · inverse bind matrix, the latter by rows.
    pub(super) fn put<'b>(
        &mut self,
        first: usize,
        place: Option<&Mat34>,
        models: impl Iterator<Item = &'b Mat4>,
        binds: &[PaletteRows],
    ) {
        let place = place.map(|place| place.columns.map(|[x, y, z]| [x, y, z, 0.0]));
        let matrices = models.zip(binds).map(|(model, bind)| {
            let rows = times(&model.to_cols_array_2d(), bind);
            place.map_or(rows, |place| times(&place, &rows))
        });
        match self {
            Self::F32(all) => {
                for (out, rows) in all[first..].iter_mut().zip(matrices) {
                    *out = rows;
                }
            }
            Self::F16(all) => {
                for (out, rows) in all[first..].iter_mut().zip(matrices) {
                    *out = rows.map(|row| row.map(half));
                }
            }
        }
    }

    /// Copies the palette of one member from the frame before.
    pub(super) fn keep(&mut self, first: usize, joints: usize, before: &Buffer, from: usize) {
        let to = first..first + joints;
        let from = from..from + joints;
        match (self, before) {
            (Self::F32(all), Buffer::F32(before)) => all[to].copy_from_slice(&before[from]),
            (Self::F16(all), Buffer::F16(before)) => all[to].copy_from_slice(&before[from]),
            _ => {}
        }
    }
}

/// Palettes of a crowd's own.
#[derive(Clone, Debug)]
pub(super) enum Buffer {
    F32(Vec<PaletteRows>),
    F16(Vec<HalfRows>),
}

impl Buffer {
    pub fn new(format: PaletteFormat, len: usize) -> Self {
        match format {
            PaletteFormat::F32 => Self::F32(vec![rows(&Mat34::IDENTITY); len]),
            PaletteFormat::F16 => Self::F16(vec![rows(&Mat34::IDENTITY).map(|row| row.map(half)); len]),
        }
    }

    pub fn resize(&mut self, len: usize) {
        match self {
            Self::F32(all) => all.resize(len, rows(&Mat34::IDENTITY)),
            Self::F16(all) => all.resize(len, rows(&Mat34::IDENTITY).map(|row| row.map(half))),
        }
    }

    pub fn format(&self) -> PaletteFormat {
        match self {
            Self::F32(_) => PaletteFormat::F32,
            Self::F16(_) => PaletteFormat::F16,
        }
    }

    /// Adds matrices of another of the same format.
    pub fn add(&mut self, other: &Self, matrices: Range<usize>) {
        match (self, other) {
            (Self::F32(all), Self::F32(other)) => all.extend_from_slice(&other[matrices]),
            (Self::F16(all), Self::F16(other)) => all.extend_from_slice(&other[matrices]),
            _ => {}
        }
    }

    pub fn view(&self) -> Palettes<'_> {
        match self {
            Self::F32(all) => Palettes::F32(all),
            Self::F16(all) => Palettes::F16(all),
        }
    }

    pub fn view_mut(&mut self) -> PalettesMut<'_> {
        match self {
            Self::F32(all) => PalettesMut::F32(all),
            Self::F16(all) => PalettesMut::F16(all),
        }
    }
}

/// An affine product in the order of [`Mat34::mul`], its left side by columns, its right side and itself by rows: four elements of a
/// row side by side, which any compiler finds.
#[inline]
fn times([a, b, c, d]: &[[f32; 4]; 4], [x, y, z]: &PaletteRows) -> PaletteRows {
    let mut out = [[0.0; 4]; 3];
    for (r, row) in out.iter_mut().enumerate() {
        for (j, v) in row.iter_mut().enumerate() {
            *v = (a[r] * x[j] + b[r] * y[j]) + c[r] * z[j];
        }
        row[3] += d[r];
    }
    out
}

/// The rows of a matrix.
pub(super) fn rows(m: &Mat34) -> PaletteRows {
    let [a, b, c, d] = m.columns;
    core::array::from_fn(|i| [a[i], b[i], c[i], d[i]])
}

/// The matrix of its rows.
pub(super) fn matrix([x, y, z]: &PaletteRows) -> Mat34 {
    Mat34 { columns: core::array::from_fn(|i| [x[i], y[i], z[i]]) }
}

/// A place as a matrix, about an origin.
pub(super) fn place_matrix(place: &RootStep, origin: [f64; 3]) -> Mat34 {
    let translation = core::array::from_fn(|i| place.translation[i] - origin[i]);
    RootStep { translation, ..*place }.to_transform().to_mat34()
}
