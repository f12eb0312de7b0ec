//! Morph targets added to a mesh before skinning.

use crate::job::JobError;
use crate::mesh::{Attribute, Inputs, MorphTargets, Strided, VEC3, VertexOutput};
use lissom_math::{
    dispatch,
    simd::{
        Backend, Simd,
        blocks::{FourVec3, put_quad, quad},
        f32x4,
        prelude::*,
    },
};

/// Adds weighted morph targets to a mesh.
///
/// | field | | |
/// |---|---|---|
/// | `targets` | in | sparse deltas, checked when they were made |
/// | `weights` | in | one a target, any finite number |
/// | `positions`, `normals`, `tangents` | in | the mesh as it is |
/// | `output` | out | the mesh as it becomes, input of a [`SkinJob`](super::SkinJob) |
///
/// Each attribute is copied, then ((base + w₀·d₀) + w₁·d₁) + … over the targets that name the vertex, in
/// order. A target of weight 0 is skipped. Normals and tangents are not normalised.
///
/// # Errors
///
/// - [`JobError::TooShort`]: fewer weights than targets.
/// - [`JobError::Value`]: a weight is NaN or infinite.
/// - [`JobError::Mesh`]: buffers that do not hold the vertices or do not fit each other, as for skinning.
///
/// # Cost and determinism
///
/// A copy of the mesh, then only the vertices that active targets name, four at a time where four neighbours
/// move and lie packed. The same bits on every backend, no allocation.
#[derive(Debug)]
pub struct MorphJob<'a> {
    /// Sparse deltas.
    pub targets: MorphTargets<'a>,
    /// One a target.
    pub weights: &'a [f32],
    /// Positions before.
    pub positions: Strided<'a>,
    /// Normals before.
    pub normals: Option<Strided<'a>>,
    /// Tangents before.
    pub tangents: Option<Strided<'a>>,
    /// Vertices after.
    pub output: VertexOutput<'a>,
}

impl<'a> MorphJob<'a> {
    /// Of positions alone.
    #[must_use]
    pub fn new(
        targets: MorphTargets<'a>,
        weights: &'a [f32],
        positions: Strided<'a>,
        output: VertexOutput<'a>,
    ) -> Self {
        Self { targets, weights, positions, normals: None, tangents: None, output }
    }
}

impl MorphJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`MorphJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let (len, needed) = (self.weights.len(), self.targets.targets().len());
        if len < needed {
            return Err(JobError::TooShort { field: "weights", unit: "weights", len, needed });
        }
        if let Some(index) = self.weights[..needed].iter().position(|w| !w.is_finite()) {
            let value = self.weights[index].into();
            return Err(JobError::Value { field: "weights", index, value, allowed: "finite numbers" });
        }
        let inputs = Inputs { positions: self.positions, normals: self.normals, tangents: self.tangents };
        inputs.validate(self.targets.vertex_count(), &self.output)?;
        Ok(())
    }

    /// Runs.
    ///
    /// # Errors
    ///
    /// Listed at [`MorphJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend: same bits.
    ///
    /// # Errors
    ///
    /// Listed at [`MorphJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        let mut out = self.output.writer();
        let attributes = [
            (Attribute::Position, Some(self.positions)),
            (Attribute::Normal, self.normals),
            (Attribute::Tangent, self.tangents),
        ];
        for (attribute, from) in attributes {
            let Some(from) = from else { continue };
            let (bytes, stride) = out.attribute(attribute);
            let packed = self.targets.vertex_count() * VEC3;
            if stride == VEC3 && from.stride == VEC3 {
                bytes[..packed].copy_from_slice(&from.bytes[..packed]);
            } else {
                for v in 0..self.targets.vertex_count() {
                    out.put(attribute, v, from.vec3(v));
                }
            }
            for (target, w) in self.targets.targets().iter().zip(self.weights) {
                let deltas = match attribute {
                    Attribute::Position => target.positions,
                    Attribute::Normal => target.normals,
                    Attribute::Tangent => target.tangents,
                };
                if *w == 0.0 {
                    continue;
                }
                let (bytes, stride) = out.attribute(attribute);
                dispatch!(backend, s => add(s, bytes, stride, target.vertices, deltas, *w));
            }
        }
        Ok(())
    }
}

/// Adds w · d to the vertices, whose numbers rise.
#[inline(always)]
fn add<S: Simd>(s: S, bytes: &mut [u8], stride: usize, vertices: &[u32], deltas: &[[f32; 3]], w: f32) {
    let count = if vertices.len() < deltas.len() { vertices.len() } else { deltas.len() };
    let (vertices, deltas) = (&vertices[..count], &deltas[..count]);
    let mut i = 0;
    while i < count {
        let at = vertices[i] as usize * stride;
        let run = i + 4 <= count && vertices[i + 3].wrapping_sub(vertices[i]) == 3 && stride == VEC3;
        if run && let Some(four) = bytes.get_mut(at..).and_then(|b| b.first_chunk_mut()) {
            add_four(
                s,
                four,
                bytemuck::cast_ref(&[deltas[i], deltas[i + 1], deltas[i + 2], deltas[i + 3]]),
                w,
            );
            i += 4;
            continue;
        }
        if let Some(slot) = bytes.get_mut(at..at + VEC3) {
            let (mut old, d) = ([0.0_f32; 3], deltas[i]);
            bytemuck::cast_slice_mut::<f32, u8>(&mut old).copy_from_slice(slot);
            let new = [old[0] + w * d[0], old[1] + w * d[1], old[2] + w * d[2]];
            slot.copy_from_slice(bytemuck::cast_slice(&new));
        }
        i += 1;
    }
}

#[inline(always)]
fn add_four<S: Simd>(s: S, out: &mut FourVec3, deltas: &FourVec3, w: f32) {
    let w = f32x4::simd_from(s, w);
    let (a, b, c) = (quad(s, out, 0), quad(s, out, 16), quad(s, out, 32));
    put_quad(a + w * quad(s, deltas, 0), out, 0);
    put_quad(b + w * quad(s, deltas, 16), out, 16);
    put_quad(c + w * quad(s, deltas, 32), out, 32);
}
