//! The runtime's [`Repeat`] for Bevy's reflection.
#![allow(unsafe_code, reason = "Bevy's macro looks at a foreign type as at its mirror, of the same layout")]

use bevy_reflect::{reflect_remote, std_traits::ReflectDefault};
use lissom::track::Repeat;

/// A mirror of [`Repeat`].
#[reflect_remote(Repeat)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default)]
pub enum ReflectRepeat {
    /// It stops there.
    Once,
    /// It starts again.
    #[default]
    Loop,
    /// It turns round.
    PingPong,
}
