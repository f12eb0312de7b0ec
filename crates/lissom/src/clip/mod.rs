//! Clips: one stream of keys, read strictly forward or backward, with jump frames to start from.
//!
//! # The idea
//!
//! A clip is a table of times (*rows*) and ONE stream of keys. A key stands in the stream where it is
//! *needed*: at the time of the key before it on its channel (two before it for cubics). So a player is one
//! position in the stream and an *active array* with the keys around the current time, already decoded, in
//! structure-of-arrays form. Moving forward reads the next bytes; nothing is searched.
//!
//! Which channel a key belongs to is not stored: at row r the channels whose right key stands at r need
//! their next one, in channel order. And every key is stored as a difference that can be undone, so the same
//! record that moves a channel forward moves it back: playing backward costs what playing forward costs.
//!
//! *Jump frames* hold the whole active state at some rows. The stream between two of them is a *block*, which
//! can be decoded alone: that is what seeking and streaming use.
//!
//! # The parts
//!
//! - [`Clip`] owns the bytes, [`ClipView`] borrows them (from a memory map, an archive); both are checked once.
//! - [`Cursor`] is the state of one playing instance. `advance` fetches keys, evaluation interpolates.
//! - [`SampleJob`](crate::job::SampleJob) does both and writes a pose.
//!
//! `FORMAT.md` describes the bytes.

mod advance;
mod bits;
mod cursor;
mod decode;
mod error;
mod evaluate;
mod layout;
mod one;
mod rows;
mod scan;
mod stream;
#[cfg(feature = "std")]
mod stream_io;
mod view;
mod window;

pub use cursor::{Cursor, CursorStats};
pub use error::ClipError;
pub use layout::format;
pub use one::{ChannelValue, JointChannel};
pub use rows::format as rows_format;
pub use stream::{ClipStream, Codec, Played, StreamError, Wanted, stream_format};
#[cfg(feature = "std")]
pub use stream_io::{PlayerError, StreamFeed, StreamPlayer};
pub use view::{BlockInfo, BorrowedClip, Clip, ClipView};
