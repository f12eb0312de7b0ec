//! What authors edit: skeletons and animations in f64, easy to change, checked before they are cooked.

mod animation;
mod skeleton;
mod user_track;

pub use animation::{
    Channel, ChannelKind, Curve, Key, RawAnimation, RawAnimationError, RawTrack, Tangents, Value,
};
pub use skeleton::{RawJoint, RawSkeleton, RawSkeletonError};
pub use user_track::{RawUserTrack, RawUserTrackError, UserKey, UserKind};
