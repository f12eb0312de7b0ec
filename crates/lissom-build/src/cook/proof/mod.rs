//! The proof: what was written is played by the real player and measured against the source.

mod metric;
mod playback;
mod probe;
mod report;

pub use metric::{ErrorMetric, TIMES_BETWEEN};
pub(super) use playback::Playback;
pub(super) use probe::Probe;
pub use report::{ErrorReport, JointError};
