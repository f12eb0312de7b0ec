//! Meshes: what a skin, its morph targets and its boxes are made of. Jobs move them.
//!
//! Everything here is checked once, when it is made, and borrows the buffers as they come.

mod bounds;
mod dual_quat;
mod error;
mod influences;
mod morph;
mod runs;
mod tools;
mod vertices;

pub use bounds::{Aabb, JointBounds, exact_bounds};
pub use dual_quat::{DualQuat, dual_quat_palette};
pub use error::MeshError;
pub(crate) use influences::read_weight;
pub use influences::{IndexFormat, InfluenceRun, MAX_INFLUENCES, SkinMesh, SkinMeshParts, WeightFormat};
pub use morph::{MorphTarget, MorphTargets};
pub use runs::InfluenceRuns;
pub use tools::{InfluencePart, bitangents, normalize_weights, partition_by_influences};
pub(crate) use vertices::{Attribute, Attributes, Inputs, VEC3, Writer};
pub use vertices::{Strided, StridedMut, VertexOutput};
