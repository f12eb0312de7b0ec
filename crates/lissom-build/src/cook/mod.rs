//! From raw animations to clips: what to keep, how exactly, and the proof that it was kept.

mod budget;
mod builder;
mod dense;
mod encode;
mod fitter;
mod kitchen;
mod metric;
mod plan;
mod player;
mod reduce;
mod source;
mod stream_file;
mod timeline;
mod within;

pub use builder::{ClipBuilder, CookError, CookReport, CookedClip, Effort, Form, JointPrecision};
pub use encode::{EncodeError, encode, seal};
pub use metric::{ErrorMetric, ErrorReport, JointError, TIMES_BETWEEN};
pub use plan::{ClipPlan, Jumps, PlanChannel, PlanKeys, PlanTrack, TimePoints};
pub use stream_file::{StreamFileError, write_stream};
