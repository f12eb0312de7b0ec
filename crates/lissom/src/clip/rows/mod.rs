//! The rows form of a clip: a key of every moving channel at every row of an even rate, in blocks of sixteen
//! rows that stand alone. What most clips become.
//!
//! A key is three integers times the channel's step. In a block they are coded as differences from a
//! prediction, at a width of their own for each component, the same for all rows of the block: so the place
//! of a row is computed, not searched. A step forward adds a row of differences, a step back takes it away
//! again.
//!
//! A block starts with its first key of every channel, as a difference from the channel's first key of all.
//! That is the jump frame, and all there is to know: a seek loads a block and adds at most fifteen rows. The
//! bytes of a block reach over the jump frame of the next one, so the last interval needs no other block.
//!
//! A key's integers stay in the cursor, since the next key is predicted from them. Beside them stands what
//! the keys around the current time say, decoded once, when they are fetched: evaluation only interpolates.

mod advance;
mod arrays;
mod bytes;
mod decode;
mod decoded;
mod evaluate;
pub mod format;
mod integers;
mod state;
mod still;
mod tables;
mod view;
pub mod write;

pub(crate) use advance::{advance, bind, words};
pub(crate) use bytes::{count_bytes, visit_keys};
pub(crate) use decoded::{table, table_bytes};
pub(crate) use evaluate::evaluate;
pub(crate) use integers::{HeldIntegers, LaneIntegers, RowsIntegers, most_numbers};
pub(crate) use state::State;
pub(crate) use still::constants;
pub(crate) use tables::Tables;
pub(crate) use view::View;
