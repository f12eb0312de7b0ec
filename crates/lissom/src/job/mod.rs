//! Jobs: each a plain struct of borrowed slices that reads its inputs, writes its outputs and touches
//! nothing else.
//!
//! Every job has `new`, which takes what it needs (the rest are public fields: `SkinJob { normals,
//! ..SkinJob::new(…) }`), `validate()`, which finds the first thing that is wrong, `run()`, which validates
//! and runs on the widest backend, and `run_on(backend)`, which has the same bits; jobs of plain code say so
//! and run the same on every backend. After an error the outputs are as they were. No job allocates, none
//! keeps state, and two jobs with disjoint outputs may run at once.

mod attach;
mod batch;
mod blend;
pub(crate) mod error;
mod ik;
mod inertia;
pub(crate) mod kernel;
mod local_to_model;
mod mix;
mod model_to_local;
mod retarget;
mod sample;
mod sample_joint;
mod sample_stream;
mod skin;
mod spring;

pub use crate::{JointLod, clip::SampleTime};
pub use attach::{AttachJob, Attachment};
pub use batch::{BatchJob, BatchPalettes, BatchPlan, BatchScratch, HalfRows, PaletteRows};
pub use blend::{BlendJob, BlendLayer};
pub use error::JobError;
pub use ik::{
    AimBatchJob, AimChain, AimCorrection, AimIkJob, ArmCorrection, ChainIkJob, ChainReport, FootBatchJob,
    FootJob, FootLock, FootLockRule, Ground, HandJob, JointLimit, Leg, LegCorrection, Stance,
    TwoBoneBatchJob, TwoBoneChain, TwoBoneCorrection, TwoBoneIkJob,
};
pub use inertia::{InertiaJob, InertiaStartJob, PosePair, SoaInertia, SoaOffset};
pub use local_to_model::{LocalToModelJob, Models, Update};
pub use mix::{Mix, MixEntry, MixJob, MixScratch};
pub use model_to_local::{ModelToLocalJob, decompose};
pub use retarget::{
    RetargetCarry, RetargetFollow, RetargetGoal, RetargetJob, RetargetKnee, RetargetLimb, RetargetPlan,
    RetargetScratch,
};
pub use sample::SampleJob;
pub use sample_joint::{ChannelValue, JointChannel};
pub use skin::{DualQuatSkinJob, MorphJob, PaletteJob, SkinJob, inverse_binds_from_rest, inverse_transpose};
pub use spring::{SpringBone, SpringClock, SpringCollider, SpringJob, SpringPoint};
