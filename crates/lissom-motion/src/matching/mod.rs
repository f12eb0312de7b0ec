//! Motion matching: the frame of many clips that fits best to where a character is and wants to go.
//!
//! A [`Database`] knows a few numbers of every frame, its features: where the feet are, how fast they and the hips move,
//! where the character will be and face. A [`Query`] has the same numbers as they are wanted. [`Database::search`] finds
//! the frame that is nearest, and it is the nearest: nothing is approximated.
//!
//! **Whole numbers.** The cooked features are 16-bit integers, and a cost is a sum of squared integer differences. No
//! float is in a search, so its answer is the same bits on every backend, in every batch and on every machine. Against
//! a search in floats, the rounding changes which of two nearly equal frames is found.
//!
//! | | |
//! |---|---|
//! | cost | Σ (frame - query)² over all columns, below 2^31: [`clamp()`] |
//! | found | the frame of least cost; of equal ones the lowest, in order of ranges and time |
//! | stays | the frame that plays, unless another costs less by more than a transition costs |
//! | not found | frames outside of their range's entry, without the tags of the query, or near the one that plays |
//!
//! **How it is fast.** Sixteen frames in a row are a block. Blocks are stored in an order in which neighbours are alike.
//! Boxes lie around each block, around sixteen boxes, and so on. A search starts with the cost of the frame that plays,
//! takes the nearest box first, and passes over every box that is further away than what it has. The columns that vary
//! most come first, so that a look at eight of them is often enough.
//!
//! ```
//! use lissom_motion::matching::{Database, DatabaseParts, Feature, FeatureGroup, FeatureKind, FrameRange};
//!
//! // Two seconds of a clip, of which one number is known: how far the character is in a second.
//! let database = Database::new(&DatabaseParts {
//!     rate_hz: 30.0,
//!     clips: vec!["walk".into()],
//!     groups: vec![FeatureGroup { name: "trajectory".into(), weight: 1.0 }],
//!     features: vec![Feature {
//!         group: 0,
//!         kind: FeatureKind::TrajectoryPosition { time_s: 1.0 },
//!         axis: 2,
//!         offset: 0.0,
//!         scale: 100.0,
//!     }],
//!     ranges: vec![FrameRange { frames: 60, entry_to: 50, ..FrameRange::default() }],
//!     rows: (0..60).map(|frame| 2 * frame).collect(),
//!     ..DatabaseParts::default()
//! })?;
//! let found = database.search(&database.query(&[0.412])?)?;
//! // 41 steps lie between frames 20 and 21: the lower one is found.
//! assert_eq!((found.frame, found.cost), (20, 1));
//! assert_eq!(database.place(found.frame).map(|place| place.time_s), Some(20.0 / 30.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod database;
mod error;
mod explain;
mod load;
mod parts;
mod query;
mod saved;
mod search;
mod tree;

pub use crate::reader::FormatError;
pub use database::{Database, Place};
pub use error::{DatabaseError, QueryError};
pub use explain::{Costs, Explanation};
pub use load::MatchingLoadError;
pub use parts::{
    DatabaseParts, Feature, FeatureGroup, FeatureKind, FrameRange, MAX_COLUMNS, MAX_FEATURES, MAX_FRAMES,
    MAX_NAME, MAX_RANGES, MAX_TAGS, clamp, columns, steps,
};
pub use query::Query;
pub use search::{Effort, Found};
