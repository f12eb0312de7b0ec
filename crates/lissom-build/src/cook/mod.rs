//! From raw animations to clips: what to keep, how exactly, and the proof that it was kept.

mod encode;
mod plan;

pub use encode::{EncodeError, encode, seal};
pub use plan::{ClipPlan, Coding, Jumps, PlanChannel, PlanKeys, PlanTrack, TimePoints};
