//! Clips: motions as bytes, in two forms, played in place.
//!
//! *Rows* have a key of every moving channel at every row of an even rate, in blocks of sixteen rows that
//! stand alone. *Keys* have keys at any times, in one stream ordered by the time each is needed. The cooker
//! takes rows where the source lies on an even rate and does not step, and keys where it does not or where
//! keys are smaller. Both play forward, backward and anywhere, with the same bits however a time was reached,
//! and both can be streamed: a *block* is a *jump frame*, which holds all keys at a row, and what follows it
//! up to the next.
//!
//! # The parts
//!
//! - [`Clip`] keeps the bytes (shared: a clone costs a count), [`BorrowedClip`] borrows them; both are
//!   checked once. [`ClipView`] is what jobs take.
//! - [`Cursor`] is the state of one playing instance. `advance` fetches keys, evaluation interpolates.
//! - [`SampleJob`](crate::job::SampleJob) does both and writes a pose.
//! - [`DecodedClip`] is a clip with every key decoded, for thousands who play it.
//! - [`ClipStream`] is a clip that is not all there.
//!
//! `FORMAT.md` describes the bytes.

mod bit_writer;
mod bits;
mod bytes_by_joint;
mod contents;
mod cursor;
mod decoded;
mod error;
mod header;
mod joint_bytes;
mod key_place;
mod keys;
mod lanes;
mod rows;
mod source;
mod stats;
mod still;
mod stream;
mod table;
mod time;
mod view;
mod visit_keys;

pub use bytes_by_joint::BytesByJoint;
pub use cursor::Cursor;
pub use decoded::DecodedClip;
pub(crate) use decoded::{Layer, Sums, add_layers};
pub use error::{ClipError, MissingBlock};
pub use joint_bytes::JointBytes;
pub use key_place::{ChannelKind, KeyCurve, KeyPlace};
pub(crate) use lanes::Weighed;
pub(crate) use rows::{HeldIntegers, LaneIntegers, RowsIntegers, most_numbers};
pub use stats::CursorStats;
pub use stream::{ClipStream, Codec, Played, StreamError, Wanted};
#[cfg(feature = "std")]
pub use stream::{PlayerError, StreamFeed, StreamPlayer};
pub use time::SampleTime;
pub use view::{BlockInfo, BorrowedClip, Clip, ClipView};

/// The numbers of the formats, for who writes clips. `FORMAT.md` explains them.
#[doc(hidden)]
pub mod format {
    pub use super::bit_writer::{BitWriter, signed_bits, unsigned_bits};

    /// Of clips of keys.
    pub mod keys {
        pub use super::super::{
            header::{FLAG_LOOPING, MAGIC, checksum},
            keys::format::*,
        };
    }
    /// Of clips of rows.
    pub mod rows {
        pub use super::super::{
            header::{FLAG_LOOPING, MAGIC, checksum},
            rows::{format::*, write::*},
        };
    }
    /// Of stream files.
    pub mod stream {
        pub use super::super::stream::format::*;
    }
}
