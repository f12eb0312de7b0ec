//! Morph targets added to a mesh before skinning.

use super::JobError;
use crate::mesh::{Attribute, Inputs, MorphTargets, Strided, VEC3, VertexOutput};
use lissom_math::simd::Backend;

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
/// A copy of the mesh, then only the vertices that active targets name. Plain code, the same bits everywhere, no
/// allocation.
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

    /// Runs; plain code, the same on every backend.
    ///
    /// # Errors
    ///
    /// Listed at [`MorphJob`].
    pub fn run_on(&mut self, _backend: Backend) -> Result<(), JobError> {
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
                for (v, d) in target.vertices.iter().zip(deltas) {
                    let at = *v as usize * stride;
                    let Some(slot) = bytes.get_mut(at..at + VEC3) else { continue };
                    let mut old = [0.0_f32; 3];
                    bytemuck::cast_slice_mut::<f32, u8>(&mut old).copy_from_slice(slot);
                    let new = [old[0] + w * d[0], old[1] + w * d[1], old[2] + w * d[2]];
                    slot.copy_from_slice(bytemuck::cast_slice(&new));
                }
            }
        }
        Ok(())
    }
}
