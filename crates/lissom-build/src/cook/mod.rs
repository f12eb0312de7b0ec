//! From raw animations to clips: what to keep, how exactly, and the proof that it was kept.
//!
//! [`ClipBuilder`] holds the options. Its `build` tries the two forms of a clip, `rows` and `keys`; both are played by
//! the real player and measured (`proof`) until the bound holds, and the smaller clip is kept.

mod builder;
mod error;
mod fit_bytes;
mod keep;
mod keys;
mod proof;
mod report;
mod rows;
mod seal;
mod search;
mod source;
mod stream_file;
mod timeline;

pub use builder::{ClipBuilder, Effort, Form, JointPrecision};
pub use error::CookError;
pub use keys::{ClipPlan, EncodeError, Jumps, PlanChannel, PlanKeys, PlanTrack, encode};
pub use proof::{ErrorMetric, ErrorReport, JointError, JointPoints, ShellSpace, SkinReach, TIMES_BETWEEN};
pub use report::{CookReport, CookedClip};
pub use seal::seal;
pub use stream_file::{StreamFileError, write_stream};
pub use timeline::TimePoints;
