//! From raw animations to clips: what to keep, how exactly, and the proof that it was kept.

mod budget;
mod metric;
mod plan;
mod reduce;
mod source;
mod timeline;

pub use metric::{ErrorMetric, ErrorReport, JointError, TIMES_BETWEEN};
pub use plan::{ClipPlan, Coding, Jumps, PlanChannel, PlanKeys, PlanTrack, TimePoints};
