//! The proof: what was written is played by the real player and measured against the source.

mod metric;
mod playback;
mod points;
mod probe;
mod report;
mod skin;

pub use metric::{ErrorMetric, TIMES_BETWEEN};
pub(super) use playback::Playback;
pub use points::{JointPoints, ShellSpace};
pub(super) use probe::Probe;
pub use report::{ErrorReport, JointError};
pub use skin::SkinReach;
