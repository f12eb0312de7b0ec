//! What goes along with a clip: user tracks, their edges, named markers, and the time line that they are met
//! on.
//!
//! A [`TrackView`] is a curve of numbers or rotations over the length of a clip (a weight, a colour, "the
//! foot is on the ground"). A [`MarkersView`] is a list of named moments ("step_left"), some of which last.
//!
//! # What is passed when
//!
//! A [`Timeline`] is a clip's length and what happens at its ends ([`Repeat`]); a [`Playhead`] is a place on
//! it: a lap, and how far into it. A [`Span`] is what a frame covers, from one head to another, either way,
//! over any number of laps. What a span passes is defined so that nothing is met twice or missed, whatever
//! the frames are:
//!
//! - A span holds its earlier end and not its later one, **whichever way it is travelled**. A head at t has
//!   passed what is before t. So spans that follow one another find together what one span over all of them
//!   finds, and going back finds exactly what going there found, in reverse.
//! - Forward is in the order of time, and of the list where times are equal; backward is the reverse.
//! - A marker at or after the end stands at the end *of its lap*: it is passed when the head leaves the lap
//!   (a loop) or arrives at the end (played once). A marker at 0 stands at the start: it is passed in the
//!   first frame. At the seam of a loop the end's come first, then the start's.
//! - Played to and fro, a marker inside is passed on the way there and on the way back, one at a turn once a
//!   turn.
//! - A span without length passes nothing.
//!
//! A head compares laps first, then progress: no sum of times is ever rounded, after hours of playing either.
//!
//! ```
//! use lissom::track::{MarkersView, Repeat, Timeline};
//!
//! let steps = MarkersView::EMPTY; // as an archive holds them
//! let timeline = Timeline::new(1.2, Repeat::Loop)?;
//! let mut head = timeline.start();
//! for _frame in 0..100 {
//!     let span = timeline.advance(head, 1.0 / 60.0)?;
//!     for passed in steps.passed(&span) {
//!         println!("{}", passed.marker.name);
//!     }
//!     head = span.to();
//! }
//! # Ok::<(), lissom::track::TimeError>(())
//! ```

mod edges;
mod markers;
mod owned;
mod span;
mod user;
mod walk;

/// The names of the tracks that hold a clip's root motion, beside it: a place (three numbers) and a rotation.
pub const ROOT_TRACKS: [&str; 2] = ["root/translation", "root/rotation"];

pub use edges::{Edge, Edges};
pub use markers::{MarkerView, MarkersView, PassedMarker, PassedMarkers};
pub use owned::{Markers, Track};
pub use span::{Playhead, Repeat, Span, TimeError, Timeline};
pub use user::{TrackKind, TrackValue, TrackView};
