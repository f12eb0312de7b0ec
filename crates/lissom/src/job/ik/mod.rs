//! Inverse kinematics: one joint that aims, two bones, chains, and what feet and hands need beside them.

mod aim;
mod chain;
mod foot;
mod foot_lock;
mod hand;
mod lanes;
mod two_bone;

pub use aim::{AimCorrection, AimIkJob};
pub use chain::{ChainIkJob, ChainReport, JointLimit};
pub use foot::{FootJob, Ground, Leg, LegCorrection};
pub use foot_lock::{FootLock, FootLockRule};
pub use hand::{ArmCorrection, HandJob};
pub use lanes::{AimBatchJob, AimChain, FootBatchJob, Stance, TwoBoneBatchJob, TwoBoneChain};
pub use two_bone::{TwoBoneCorrection, TwoBoneIkJob};
