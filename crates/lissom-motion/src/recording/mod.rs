//! What was done to a character, frame by frame, as bytes: a bug that can be sent.
//!
//! A [`Recording`] has the state that a character started from, the length of each frame, and what code changed before it:
//! parameters, one-shots, states gone to, masks, restored saves. It does not matter how code changed them: what is stored is the
//! difference between the state that one update left and the state that the next one found. With each frame goes a hash of what came
//! out of it. A [`Replay`] plays it again, on any machine, and says in which frame something first came out otherwise.
//!
//! ```no_run
//! use lissom::archive::Archive;
//! use lissom_motion::{Animator, recording::{Recording, Replay}};
//!
//! let archive = Archive::open("hero.lsm")?;
//! let mut hero = Animator::new(&archive, "hero")?;
//! hero.record();
//! hero.set_value("speed", 2.0)?;
//! hero.update(1.0 / 60.0)?;
//! let bytes = hero.stop_recording().expect("it was recorded").to_bytes();
//!
//! // Elsewhere, of the same archive:
//! let mut replay = Replay::new(&archive, Recording::read(&bytes)?)?;
//! while let Some(frame) = replay.step()? {
//!     println!("{:.2} s: {}", frame.time_s, if frame.difference.is_none() { "as recorded" } else { "different" });
//! }
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! A frame takes five bytes, nine with the pose's hash, and what was changed. The graph and the clips are not stored: a replay takes
//! them from an archive.

mod delta;
mod file;
mod recorder;
mod replay;

pub(crate) use recorder::{Recorder, Shown, mix_hash};
pub use replay::{Difference, Replay, ReplayError, ReplayedFrame};

use alloc::vec::Vec;

/// What was done to a character, frame by frame; see [the module](self).
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The shape of the graph that it played.
    graph: u64,
    /// The identity of its skeleton.
    skeleton: u64,
    /// What it started from.
    state: Vec<u8>,
    memory: Vec<u8>,
    /// How many frames there are.
    count: u32,
    /// One after the other: see `Step`.
    frames: Vec<u8>,
}

/// What is stored of one frame: a byte of bits, then what they say.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Step<'a> {
    dt_s: f64,
    /// What code changed before it, in the bytes of the state and of the pose's memory.
    state: Option<&'a [u8]>,
    memory: Option<&'a [u8]>,
    /// Of state, memory, mix, events and root motion after it.
    decided: u32,
    /// Of the local pose, where the game did not change it.
    shown: Option<u32>,
    /// True if feet are held, and were not in a pose of this frame.
    feet_wait: bool,
}

impl Recording {
    /// How many frames there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// True if there is no frame.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The identity of the skeleton that it was made on: [`Skeleton::identity`](lissom::Skeleton::identity).
    #[must_use]
    pub fn skeleton(&self) -> u64 {
        self.skeleton
    }
}
