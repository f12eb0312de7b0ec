//! Jobs: each a plain struct of borrowed slices that reads its inputs, writes its outputs and touches
//! nothing else.
//!
//! Every job has `validate()`, which finds the first thing that is wrong, `run()`, which validates and runs on
//! the widest backend, and `run_on(backend)`. After an error the outputs are as they were. No job allocates,
//! none keeps state, and two jobs with disjoint outputs may run at once.

mod attach;
mod blend;
mod bounds;
mod dual_quat;
mod error;
mod local_to_model;
mod lod;
mod matrix;
mod mesh;
mod mesh_tools;
mod model_to_local;
mod morph;
mod palette;
mod sample;
mod skin;
mod skin_kernel;
mod vertices;

pub use attach::{AttachJob, Attachment};
pub use blend::{BlendJob, BlendLayer};
pub use bounds::{Aabb, JointBounds, exact_bounds};
pub use dual_quat::{DualQuat, DualQuatSkinJob, dual_quat_palette};
pub use error::JobError;
pub use local_to_model::{LocalToModelJob, Models, Update};
pub use lod::JointLod;
pub use mesh::{IndexFormat, MAX_INFLUENCES, SkinMesh, SkinMeshParts, WeightFormat};
pub use mesh_tools::{InfluencePart, bitangents, normalize_weights, partition_by_influences};
pub use model_to_local::{ModelToLocalJob, decompose};
pub use morph::{MorphJob, MorphTarget, MorphTargets};
pub use palette::{PaletteJob, inverse_binds_from_rest, inverse_transpose};
pub use sample::{SampleJob, SampleTime};
pub use skin::SkinJob;
pub use vertices::{Strided, StridedMut, VertexOutput};
