//! The matrices that skinning reads.

use crate::Skeleton;
use crate::job::{
    JobError,
    error::at_least,
    kernel::matrix::{Columns, MatrixSlot},
};
use alloc::vec::Vec;
use lissom_math::{
    Mat4, Mat34, dispatch,
    simd::{Backend, Simd, blocks, prelude::*},
    soa,
};

/// Makes a mesh's palette: joint matrix · inverse bind matrix.
///
/// | field | | |
/// |---|---|---|
/// | `models` | in | model-space matrices of the skeleton's joints |
/// | `inverse_binds` | in | one for each joint of the mesh; its length is the palette's |
/// | `joints` | in | the skeleton's joint for each joint of the mesh; `None`: they are the same |
/// | `palette` | out | at least as long as `inverse_binds` |
/// | `vector_palette` | out | inverse transposes of the palette's upper 3×3, translation 0; at least as long |
///
/// The product is [`Mat34::mul`]. The inverse transpose is the cofactor matrix times 1 / determinant; where
/// that is not finite or the determinant is 0, the cofactor matrix alone, which still points normals of a
/// flattened joint the right way (normalise them), or is zero if the joint is a line or a point.
///
/// # Errors
///
/// - [`JobError::TooShort`]: `joints`, `palette` or `vector_palette` are shorter than `inverse_binds`;
///   without `joints`, also `models`.
/// - [`JobError::NoSuchJoint`]: an entry of `joints` is not below `models`' length.
///
/// # Cost and determinism
///
/// One product a joint, no allocation, the same bits on every backend. Nothing past `inverse_binds`' length
/// is written.
#[derive(Debug)]
pub struct PaletteJob<'a> {
    /// Model-space matrices of the skeleton's joints.
    pub models: &'a [Mat4],
    /// Inverse bind matrices of the mesh's joints.
    pub inverse_binds: &'a [Mat34],
    /// The skeleton's joint for each of the mesh's.
    pub joints: Option<&'a [u16]>,
    /// For points.
    pub palette: &'a mut [Mat4],
    /// For vectors.
    pub vector_palette: Option<&'a mut [Mat4]>,
}

impl<'a> PaletteJob<'a> {
    /// For a mesh that has the skeleton's joints, for points and vectors alike.
    #[must_use]
    pub fn new(models: &'a [Mat4], inverse_binds: &'a [Mat34], palette: &'a mut [Mat4]) -> Self {
        Self { models, inverse_binds, joints: None, palette, vector_palette: None }
    }
}

impl PaletteJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`PaletteJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let count = self.inverse_binds.len();
        match self.joints {
            None => at_least("models", "matrices", self.models.len(), count)?,
            Some(joints) => {
                at_least("joints", "joints", joints.len(), count)?;
                if let Some(joint) = joints[..count].iter().find(|j| usize::from(**j) >= self.models.len()) {
                    return Err(JobError::NoSuchJoint {
                        field: "joints",
                        joint: usize::from(*joint),
                        joints: self.models.len(),
                    });
                }
            }
        }
        at_least("palette", "matrices", self.palette.len(), count)?;
        self.vector_palette
            .as_ref()
            .map_or(Ok(()), |p| at_least("vector_palette", "matrices", p.len(), count))
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`PaletteJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend.
    ///
    /// # Errors
    ///
    /// Listed at [`PaletteJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        let count = self.inverse_binds.len();
        let palette = &mut self.palette[..count];
        dispatch!(backend, s => kernel(s, self.models, self.inverse_binds, self.joints, palette));
        if let Some(vectors) = &mut self.vector_palette {
            for (vector, m) in vectors.iter_mut().zip(&*palette) {
                *vector = inverse_transpose(&Mat34::from_mat4(m)).to_mat4();
            }
        }
        Ok(())
    }
}

#[inline(always)]
fn kernel<S: Simd>(
    s: S,
    models: &[Mat4],
    inverse_binds: &[Mat34],
    joints: Option<&[u16]>,
    palette: &mut [Mat4],
) {
    for (i, (bind, out)) in inverse_binds.iter().zip(palette).enumerate() {
        let joint = match joints {
            Some(joints) => usize::from(joints[i]),
            None => i,
        };
        match blocks::mul_columns(s, bytemuck::cast_ref(&models[joint]), &bind.columns) {
            Some(product) => product.store_slice(bytemuck::cast_mut::<_, [f32; 16]>(out)),
            None => {
                let product = models[joint].load(s).mul(s, &Columns::from_mat34(s, bind));
                out.store(s, product);
            }
        }
    }
}

/// The matrix that moves normals when `m` moves points: the inverse transpose of the upper 3×3, translation
/// 0.
///
/// Where there is no inverse, the cofactor matrix; see [`PaletteJob`].
#[must_use]
pub fn inverse_transpose(m: &Mat34) -> Mat34 {
    let [a, b, c, _] = m.columns;
    let cross = |p: [f32; 3], q: [f32; 3]| {
        [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
    };
    let cofactors = [cross(b, c), cross(c, a), cross(a, b)];
    let inverse = 1.0 / m.determinant();
    let k = if inverse.is_finite() { inverse } else { 1.0 };
    let [x, y, z] = cofactors.map(|column| column.map(|v| v * k));
    Mat34 { columns: [x, y, z, [0.0; 3]] }
}

/// Inverse bind matrices for a mesh that is bound to the skeleton in its rest pose, joint by joint.
///
/// # Errors
///
/// [`JobError::Singular`] if a joint's rest matrix has no inverse (a scale of 0).
pub fn inverse_binds_from_rest(skeleton: &Skeleton) -> Result<Vec<Mat34>, JobError> {
    let mut models: Vec<Mat34> = Vec::with_capacity(skeleton.joint_count());
    for j in 0..skeleton.joint_count() {
        let local = soa::lane(skeleton.rest_pose(), j).to_mat34();
        let model = skeleton.parent(j).map_or(local, |p| models[p].mul(&local));
        models.push(model);
    }
    models.iter().enumerate().map(|(joint, m)| m.inverse().ok_or(JobError::Singular { joint })).collect()
}
