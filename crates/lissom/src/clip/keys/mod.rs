//! The keys form of a clip: keys at any times, for sparse, stepped and uneven sources.
//!
//! A table of times (*rows*) and ONE stream of keys. A key stands in the stream where it is *needed*: at the
//! time of the key before it on its channel (two before it for cubics). So a player is one position in the
//! stream and an *active array* with the keys around the current time, already decoded, in
//! structure-of-arrays form. Moving forward reads the next bytes; nothing is searched.
//!
//! Which channel a key belongs to is not stored: at row r the channels whose right key stands at r need
//! their next one, in channel order. And every key is stored as a difference that can be undone, so the same
//! record that moves a channel forward moves it back: playing backward costs what playing forward costs.
//!
//! *Jump frames* hold the whole active state at some rows. The stream between two of them is a *block*.

mod active;
mod advance;
mod bytes;
mod decode;
mod decoded;
mod entry;
mod evaluate;
pub mod format;
mod layout;
mod scan;
mod state;
mod still;
mod view;
mod window;

pub(crate) use advance::{advance, bind, words};
pub(crate) use bytes::{count_bytes, visit_keys};
pub(crate) use decode::decode;
pub(crate) use decoded::{table, table_bytes};
pub(crate) use evaluate::evaluate;
pub(crate) use layout::Layout;
pub(crate) use state::State;
pub(crate) use still::constants;
pub(crate) use view::View;
