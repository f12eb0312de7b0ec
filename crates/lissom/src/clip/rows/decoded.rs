//! All rows of a clip at once: a table of what their keys say.

use super::{
    super::{
        lanes::{Sink, Target},
        stats::CursorStats,
    },
    advance::{advance, bind},
    arrays::{Arrays, LEFT, RIGHT},
    evaluate::{Keys, evaluate},
    view::View,
};
use alloc::{boxed::Box, vec, vec::Vec};
use lissom_math::{dispatch, simd::Backend, soa::GROUP};

/// Numbers of a lane: x, y, z and, for rotations, w.
const NUMBERS: usize = 4;

/// A row after the other; of each row all x, all y, all z, all w.
#[derive(Clone, Debug)]
pub(crate) struct DecodedRows {
    arrays: Arrays,
    rows: u32,
    keys: Box<[f32]>,
}

impl DecodedRows {
    /// `None` if a block is missing.
    pub fn new(clip: &View<'_>) -> Option<Self> {
        let (mut words, mut stats) = (Vec::new(), CursorStats::default());
        let mut state = bind(clip, &mut words);
        let (arrays, rows) = (state.arrays, clip.head.rows);
        let of_row = NUMBERS * arrays.len();
        let mut keys: Box<[f32]> = vec![0.0; Self::floats(clip)].into();
        // A clip that stands still has rows of no numbers.
        let moving = if of_row > 0 { rows as usize } else { 0 };
        for (row, out) in keys.chunks_exact_mut(of_row.max(1)).take(moving).enumerate() {
            // The last row is the right key of the last interval.
            let last = row + 1 == rows as usize;
            advance(Backend::best(), &mut state, &mut words, &mut stats, clip, row as u32 - u32::from(last))
                .ok()?;
            let from = if last { RIGHT } else { LEFT } * arrays.len();
            out.copy_from_slice(bytemuck::cast_slice(&words[from..from + of_row]));
        }
        Some(Self { arrays, rows, keys })
    }

    /// A wide load from the last lane on stays inside.
    fn floats(clip: &View<'_>) -> usize {
        let arrays = Arrays { lanes: clip.tables.lanes };
        clip.head.rows as usize * NUMBERS * arrays.len() + GROUP
    }

    pub fn bytes_of(clip: &View<'_>) -> usize {
        Self::floats(clip).saturating_mul(size_of::<f32>())
    }

    pub fn memory_bytes(&self) -> usize {
        size_of_val::<[f32]>(&self.keys)
    }

    /// True if the lanes and rows are those of this clip.
    #[inline]
    pub fn fits(&self, clip: &View<'_>) -> bool {
        self.arrays.lanes == clip.tables.lanes && self.rows == clip.head.rows
    }

    #[inline]
    pub fn evaluate(
        &self,
        backend: Backend,
        clip: &View<'_>,
        time_s: f64,
        target: &mut Target<'_>,
        sink: impl Sink,
    ) {
        let at = clip.moment(time_s);
        let of_row = NUMBERS * self.arrays.len();
        let left = at.tick as usize * of_row;
        let keys = Keys { arrays: self.arrays, floats: &self.keys, left, right: left + of_row };
        dispatch!(backend, s => evaluate(s, &keys, clip, at.fraction, target, sink));
    }
}
