//! Clips as keys: as few as the precision allows, at any times, on lines and cubics.
//!
//! 1. [`candidates`]: where the keys of a channel can stand, and what the source does between.
//! 2. [`tolerance`]: from the bound in model space to what each channel may be off by.
//! 3. [`fitter`], [`reduce`] and [`hermite`]: which keys stay at these tolerances, as a [`plan`].
//! 4. [`encode`](mod@encode): the plan's bytes.
//! 5. [`search`]: plays them, measures them, moves the tolerances, and repeats.

mod candidates;
mod encode;
mod fitter;
mod hermite;
mod plan;
mod reduce;
mod search;
mod tolerance;

pub use encode::{EncodeError, encode};
pub use plan::{ClipPlan, Jumps, PlanChannel, PlanKeys, PlanTrack};
pub(super) use search::KeysSearch;
