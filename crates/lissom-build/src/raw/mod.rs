//! What authors edit: skeletons and animations in f64, easy to change, checked before they are cooked.

mod additive;
mod animation;
mod cut;
mod edit;
mod looping;
mod mirror;
mod resample;
mod reverse;
mod root_motion;
mod skeleton;
mod splines;
mod travel;
mod user_track;

pub use animation::{
    Channel, ChannelKind, Curve, Key, RawAnimation, RawAnimationError, RawTrack, Tangents, TrackPlace, Value,
};
pub use edit::RawEditError;
pub use lissom::track::TrackKind;
pub use looping::LoopReport;
pub(crate) use looping::models;
pub(crate) use resample::MOST_KEYS;
pub use root_motion::{ExtractedRoot, RootMotionRule, RootReference};
pub use skeleton::{RawJoint, RawSkeleton, RawSkeletonError};
pub use travel::Travel;
pub use user_track::{RawUserTrack, RawUserTrackError, UserKey};
