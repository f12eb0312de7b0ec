//! Jobs: each a plain struct of borrowed slices that reads its inputs, writes its outputs and touches
//! nothing else.
//!
//! Every job has `validate()`, which finds the first thing that is wrong, `run()`, which validates and runs on
//! the widest backend, and `run_on(backend)`. After an error the outputs are as they were. No job allocates,
//! none keeps state, and two jobs with disjoint outputs may run at once.

mod blend;
mod error;
mod local_to_model;
mod lod;
mod matrix;
mod sample;

pub use blend::{BlendJob, BlendLayer};
pub use error::JobError;
#[doc(hidden)]
pub use local_to_model::local_to_model_in_order;
pub use local_to_model::{LocalToModelJob, Models, Update};
pub use lod::JointLod;
pub use sample::{SampleJob, SampleTime};
