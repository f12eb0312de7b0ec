//! Playing a clip that is not all there: blocks come in, a bounded window of them is kept.
//!
//! A stream file is a *preamble* (directory and the clip's tables) and one compressed, checksummed piece a
//! block; `FORMAT.md` has the bytes. [`ClipStream`] holds no source: it says what it wants
//! ([`ClipStream::wanted`]), takes what it is given ([`ClipStream::supply`]) and plays what it has. So it
//! works from a file, a memory map, a socket or an async runtime alike;
//! [`StreamPlayer`](crate::clip::StreamPlayer) and [`StreamFeed`](crate::clip::StreamFeed) are the usual two
//! ways to drive it.

mod codec;
mod directory;
mod error;
pub mod format;
#[cfg(feature = "std")]
mod io;
mod state;
mod window;

pub use codec::Codec;
pub use error::StreamError;
#[cfg(feature = "std")]
pub use io::{PlayerError, StreamFeed, StreamPlayer};
pub use state::{ClipStream, Played, Wanted};
