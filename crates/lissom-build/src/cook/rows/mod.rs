//! Clips as rows: a key of every moving channel at every row of an even rate.
//!
//! 1. [`samples`]: the source at every row, local and in model space.
//! 2. [`channels`]: what moves, what is constant, what rests; how far each channel reaches.
//! 3. [`quantise`]: keys to integers, root to leaf, each joint against its *decoded* parent, so that errors do not
//!    pile up; [`squeeze`] picks, among integers that are good enough, those with the smallest differences.
//! 4. [`bits`]: integers to bits.
//! 5. [`search`]: how coarse the steps may be.
//!
//! One number scales the steps of all channels. The search looks for the one that gives the fewest bytes within
//! the bound; then the real player decodes the clip, the full measurement is taken, and if it is above the bound
//! the limits shrink and the last pass runs again.

mod bits;
mod block;
mod channels;

mod quantise;
mod samples;
mod search;
mod squeeze;

pub(super) use search::RowsSearch;
