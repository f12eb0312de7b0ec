//! A recording as bytes, and back: what is read may come from anywhere.
//!
//! Little-endian: `LREC`, a version, the graph's shape, the skeleton's identity, state and memory each after their length, the number of
//! frames, and the frames. A frame is a byte of bits, and what they say: its length if it is not that of the frame before, edits of the
//! state, edits of the memory (each after its length), a hash of what was decided, and one of what was shown. A bit says that feet are held and were not in a pose of this frame.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use super::{Recording, Step, delta::number};
use crate::reader::{FormatError, Reader, Result};
use alloc::vec::Vec;

const MAGIC: [u8; 4] = *b"LREC";
const VERSION: u32 = 2;

const LENGTH: u8 = 1;
const STATE: u8 = 2;
const MEMORY: u8 = 4;
const SHOWN: u8 = 8;
const FEET_WAIT: u8 = 16;

impl Recording {
    /// Its bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::from(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.graph.to_le_bytes());
        bytes.extend_from_slice(&self.skeleton.to_le_bytes());
        for list in [&self.state, &self.memory] {
            number(list.len(), &mut bytes);
            bytes.extend_from_slice(list);
        }
        bytes.extend_from_slice(&self.count.to_le_bytes());
        bytes.extend_from_slice(&self.frames);
        bytes
    }

    /// Reads what [`Recording::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// [`FormatError`]: where, and what is wrong. That edits fit a graph's state is checked by a [`Replay`](super::Replay).
    pub fn read(bytes: &[u8]) -> core::result::Result<Self, FormatError> {
        let mut from = Reader::new(bytes);
        let magic: [u8; 4] = from.array()?;
        from.check(magic == MAGIC, "no recording: it does not start with LREC")?;
        let version = from.u32()?;
        from.check(version == VERSION, "a version that is not known")?;
        let [graph, skeleton] = [from.array()?, from.array()?].map(u64::from_le_bytes);
        let length = from.number()?;
        let state = Vec::from(from.bytes(length)?);
        let length = from.number()?;
        let memory = Vec::from(from.bytes(length)?);
        let count = from.u32()?;
        let frames = Vec::from(from.rest());
        let recording = Self { graph, skeleton, state, memory, count, frames };
        let (mut steps, mut dt_s) = (Reader::new(&recording.frames), 0.0);
        for _ in 0..count {
            dt_s = Step::read(&mut steps, dt_s)?.dt_s;
        }
        steps.end()?;
        Ok(recording)
    }

    pub(super) fn frames(&self) -> &[u8] {
        &self.frames
    }
}

impl<'a> Step<'a> {
    /// The next one, after a frame of this length.
    pub(super) fn read(from: &mut Reader<'a>, before_s: f64) -> Result<Self> {
        let bits = from.u8()?;
        from.check(bits <= (LENGTH | STATE | MEMORY | SHOWN | FEET_WAIT), "bits that are not known")?;
        let has = |bit: u8| bits & bit != 0;
        let dt_s = if has(LENGTH) { from.f64()? } else { before_s };
        from.check(dt_s >= 0.0, "a frame of negative length")?;
        let mut edits = |there: bool| -> Result<Option<&'a [u8]>> {
            if !there {
                return Ok(None);
            }
            let length = from.number()?;
            from.bytes(length).map(Some)
        };
        let (state, memory) = (edits(has(STATE))?, edits(has(MEMORY))?);
        let decided = from.u32()?;
        let shown = if has(SHOWN) { Some(from.u32()?) } else { None };
        Ok(Self { dt_s, state, memory, decided, shown, feet_wait: has(FEET_WAIT) })
    }

    /// Adds it, after a frame of this length.
    pub(super) fn write(&self, before_s: f64, out: &mut Vec<u8>) {
        let bit = |bit: u8, there: bool| if there { bit } else { 0 };
        let new_length = self.dt_s.to_bits() != before_s.to_bits();
        out.push(
            bit(LENGTH, new_length)
                | bit(STATE, self.state.is_some())
                | bit(MEMORY, self.memory.is_some())
                | bit(SHOWN, self.shown.is_some())
                | bit(FEET_WAIT, self.feet_wait),
        );
        if new_length {
            out.extend_from_slice(&self.dt_s.to_le_bytes());
        }
        for edits in [self.state, self.memory].into_iter().flatten() {
            number(edits.len(), out);
            out.extend_from_slice(edits);
        }
        out.extend_from_slice(&self.decided.to_le_bytes());
        if let Some(shown) = self.shown {
            out.extend_from_slice(&shown.to_le_bytes());
        }
    }
}
