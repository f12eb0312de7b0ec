//! A mesh's influences, checked once.

use super::{error::MeshError, vertices::Strided};
use core::ops::Range;

/// The most influences a vertex can have.
pub const MAX_INFLUENCES: usize = 255;

/// How joint indices are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexFormat {
    /// One byte each.
    U8,
    /// Two bytes each, in the machine's byte order.
    U16,
}

/// How weights are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightFormat {
    /// Four bytes each.
    F32,
    /// One byte each, 255 is 1: byte · (1 / 255).
    Unorm8,
    /// Two bytes each, 65535 is 1: number · (1 / 65535).
    Unorm16,
}

/// What a mesh's influences are made from: buffers as they come.
#[derive(Clone, Copy, Debug)]
pub struct SkinMeshParts<'a> {
    /// How many vertices; 0 is valid.
    pub vertex_count: usize,
    /// Joints a vertex depends on, 1 to [`MAX_INFLUENCES`].
    pub influences: usize,
    /// `influences` indices a vertex.
    pub indices: Strided<'a>,
    /// How they are stored.
    pub index_format: IndexFormat,
    /// `influences` − 1 weights a vertex, the last being 1 − their sum; or `influences` if `explicit_last`.
    /// Not read where that is none.
    pub weights: Strided<'a>,
    /// How they are stored.
    pub weight_format: WeightFormat,
    /// True if the last weight is stored too.
    pub explicit_last: bool,
    /// Joints of the palette that the indices speak of.
    pub joint_count: usize,
}

/// The influences of a mesh's vertices, checked: every index is inside the palette, every weight is finite,
/// none is negative, and they sum to 1.
///
/// Made once when a mesh is loaded; jobs do not check again. It borrows the buffers, so they cannot change
/// under it.
#[derive(Clone, Copy, Debug)]
pub struct SkinMesh<'a> {
    parts: SkinMeshParts<'a>,
    /// Of the mesh that this is a slice of.
    runs: Option<&'a [InfluenceRun]>,
    /// Vertices of that mesh before the first one here.
    skipped: usize,
}

/// Neighbouring vertices of which none follows more joints than the others may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InfluenceRun {
    /// Which vertices.
    pub vertices: Range<usize>,
    /// Joints that each of them follows: from here on all weights are 0.
    pub influences: usize,
    /// Each follows one joint with a weight of exactly 1, so that no weight need be read.
    pub whole: bool,
}

/// How far weights may sum from 1. Beyond, [`normalize_weights`](crate::mesh::normalize_weights) helps.
pub(crate) const WEIGHT_TOLERANCE: f32 = 1.0e-4;

impl IndexFormat {
    /// Bytes of one index.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
        }
    }
}

impl WeightFormat {
    /// Bytes of one weight.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::Unorm8 => 1,
            Self::Unorm16 => 2,
        }
    }
}

impl<'a> SkinMesh<'a> {
    /// Checks the buffers.
    ///
    /// # Errors
    ///
    /// - [`MeshError::Influences`]: none, or more than [`MAX_INFLUENCES`].
    /// - [`MeshError::Stride`], [`MeshError::TooShort`]: `indices` or `weights` do not hold the vertices.
    /// - [`MeshError::VertexJoint`]: an index is not below `joint_count`.
    /// - [`MeshError::VertexWeights`]: a weight is negative or not finite, or the sum is further than 0.0001
    ///   from 1 (above 1, where the last is restored).
    pub fn new(parts: SkinMeshParts<'a>) -> Result<Self, MeshError> {
        let influences = parts.influences;
        if influences == 0 || influences > MAX_INFLUENCES {
            return Err(MeshError::Influences { influences, max: MAX_INFLUENCES });
        }
        let mesh = Self::checked_before(parts);
        let index_bytes = influences * parts.index_format.size();
        parts.indices.validate("indices", index_bytes, parts.vertex_count)?;
        let weight_bytes = mesh.stored_weights() * parts.weight_format.size();
        if weight_bytes > 0 {
            parts.weights.validate("weights", weight_bytes, parts.vertex_count)?;
        }
        for vertex in 0..parts.vertex_count {
            for influence in 0..influences {
                let joint = mesh.joint(vertex, influence);
                if joint >= parts.joint_count {
                    return Err(MeshError::VertexJoint {
                        vertex,
                        influence,
                        joint,
                        joints: parts.joint_count,
                    });
                }
            }
            let mut sum = 0.0;
            let mut good = true;
            for i in 0..mesh.stored_weights() {
                let w = mesh.stored_weight(vertex, i);
                good &= w.is_finite() && w >= 0.0;
                sum += w;
            }
            let too_far = if parts.explicit_last {
                (sum - 1.0).abs() > WEIGHT_TOLERANCE
            } else {
                sum > 1.0 + WEIGHT_TOLERANCE
            };
            if !good || too_far {
                return Err(MeshError::VertexWeights { vertex, sum });
            }
        }
        Ok(mesh)
    }

    /// From buffers that were checked before and have not changed since: the border of a mesh checks once.
    pub(crate) fn checked_before(parts: SkinMeshParts<'a>) -> Self {
        Self { parts, runs: None, skipped: 0 }
    }

    /// With runs that were found in this mesh.
    pub(crate) fn with_checked_runs(self, runs: &'a [InfluenceRun]) -> Self {
        Self { runs: Some(runs), ..self }
    }

    pub(crate) fn runs(&self) -> Option<&'a [InfluenceRun]> {
        self.runs
    }

    pub(crate) fn skipped(&self) -> usize {
        self.skipped
    }

    /// How many vertices.
    #[inline]
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.parts.vertex_count
    }

    /// Joints a vertex depends on.
    #[inline]
    #[must_use]
    pub fn influences(&self) -> usize {
        self.parts.influences
    }

    /// Joints a palette must have.
    #[inline]
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.parts.joint_count
    }

    /// The buffers it was made from.
    #[must_use]
    pub fn parts(&self) -> &SkinMeshParts<'a> {
        &self.parts
    }

    /// Some of the vertices, without another check. Vertices that there are not are left out.
    #[must_use]
    pub fn slice(&self, vertices: Range<usize>) -> Self {
        let end = vertices.end.min(self.parts.vertex_count);
        let start = vertices.start.min(end);
        Self {
            parts: SkinMeshParts {
                vertex_count: end - start,
                indices: self.parts.indices.skip(start),
                weights: self.parts.weights.skip(start),
                ..self.parts
            },
            runs: self.runs,
            skipped: self.skipped + start,
        }
    }

    /// The joint of an influence of a vertex. Panics if there is no such vertex or influence.
    #[inline]
    #[must_use]
    pub fn joint(&self, vertex: usize, influence: usize) -> usize {
        let format = self.parts.index_format;
        let at = vertex * self.parts.indices.stride + influence * format.size();
        let b = self.parts.indices.bytes;
        match format {
            IndexFormat::U8 => usize::from(b[at]),
            IndexFormat::U16 => usize::from(u16::from_ne_bytes([b[at], b[at + 1]])),
        }
    }

    /// The weight of an influence of a vertex, the last one restored if it is not stored. Panics if there is
    /// no such vertex or influence.
    #[inline]
    #[must_use]
    pub fn weight(&self, vertex: usize, influence: usize) -> f32 {
        if influence < self.stored_weights() {
            return self.stored_weight(vertex, influence);
        }
        let mut sum = 0.0;
        for i in 0..self.stored_weights() {
            let w = self.stored_weight(vertex, i);
            sum = if i == 0 { w } else { sum + w };
        }
        1.0 - sum
    }

    /// The weights of a vertex one after the other: the last one is restored without reading the others
    /// again.
    #[inline(always)]
    pub(crate) fn weights(&self, vertex: usize) -> Weights<'_, 'a> {
        Weights { mesh: self, vertex, next: 0, sum: 0.0 }
    }

    #[inline]
    fn stored_weights(&self) -> usize {
        self.parts.influences - usize::from(!self.parts.explicit_last)
    }

    #[inline]
    fn stored_weight(&self, vertex: usize, i: usize) -> f32 {
        let format = self.parts.weight_format;
        let b = &self.parts.weights.bytes[vertex * self.parts.weights.stride + i * format.size()..];
        read_weight(format, b)
    }
}

/// See [`SkinMesh::weights`].
pub(crate) struct Weights<'m, 'a> {
    mesh: &'m SkinMesh<'a>,
    vertex: usize,
    next: usize,
    /// Of those so far.
    sum: f32,
}

impl Weights<'_, '_> {
    /// The next one, of as many as there are influences.
    #[inline(always)]
    pub fn next(&mut self) -> f32 {
        let i = self.next;
        self.next += 1;
        if i >= self.mesh.stored_weights() {
            return 1.0 - self.sum;
        }
        let w = self.mesh.stored_weight(self.vertex, i);
        self.sum = if i == 0 { w } else { self.sum + w };
        w
    }
}

/// The weight at the start of the bytes.
#[inline(always)]
pub(crate) fn read_weight(format: WeightFormat, b: &[u8]) -> f32 {
    match format {
        WeightFormat::F32 => f32::from_ne_bytes([b[0], b[1], b[2], b[3]]),
        WeightFormat::Unorm8 => f32::from(b[0]) * (1.0 / 255.0),
        WeightFormat::Unorm16 => f32::from(u16::from_ne_bytes([b[0], b[1]])) * (1.0 / 65535.0),
    }
}
