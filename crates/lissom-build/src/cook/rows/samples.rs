//! The source at every row: local transforms and model matrices, a piece of the clip at a time.

use super::block::BLOCK;
use crate::{
    cook::proof::ErrorMetric,
    exact::{M34, Trs},
};
use std::borrow::Cow;

/// Joints times rows that are held at once: what one piece takes is about 180 bytes each.
const AT_ONCE: usize = 1 << 20;

/// The rows of a clip, cut into pieces of whole blocks.
pub(super) struct Samples<'a> {
    pub metric: &'a ErrorMetric<'a>,
    pub rate: f64,
    pub rows: usize,
    piece_rows: usize,
    /// The only piece, if one is enough.
    kept: Option<Piece>,
}

/// Neighbouring rows. Both lists hold all rows of joint 0, then of joint 1, and so on.
#[derive(Clone)]
pub(super) struct Piece {
    pub rows: usize,
    pub locals: Vec<Trs>,
    pub models: Vec<M34>,
}

impl<'a> Samples<'a> {
    pub fn new(metric: &'a ErrorMetric<'a>, rate: f64, rows: usize) -> Self {
        let joints = metric.source().joints.len();
        let piece_rows = (AT_ONCE / joints).next_multiple_of(BLOCK).max(BLOCK);
        let mut samples = Self { metric, rate, rows, piece_rows, kept: None };
        if rows <= piece_rows {
            samples.kept = Some(samples.take(0));
        }
        samples
    }

    /// All pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = Cow<'_, Piece>> {
        (0..self.rows.div_ceil(self.piece_rows)).map(|i| match &self.kept {
            Some(piece) => Cow::Borrowed(piece),
            None => Cow::Owned(self.take(i)),
        })
    }

    pub fn joints(&self) -> usize {
        self.metric.source().joints.len()
    }

    fn take(&self, index: usize) -> Piece {
        let source = self.metric.source();
        let first = index * self.piece_rows;
        let rows = (self.rows - first).min(self.piece_rows);
        let time = |row: usize| {
            let t = (first + row) as f64 / self.rate;
            // The last row of all is the end, to the last bit.
            let is_end = t > source.duration_s || (source.duration_s - t) * self.rate < 0.01;
            if is_end { source.duration_s } else { t }
        };
        let mut locals = Vec::with_capacity(rows * source.joints.len());
        let mut models: Vec<M34> = Vec::with_capacity(rows * source.joints.len());
        for (j, joint) in source.joints.iter().enumerate() {
            let mut place = [0; 3];
            for row in 0..rows {
                let local = joint.sample_onward(time(row), &mut place);
                locals.push(local);
                let own = joint.seen(local).to_m34();
                models.push(source.parents[j].map_or(own, |p| models[p * rows + row].mul(&own)));
            }
            debug_assert_eq!(models.len(), (j + 1) * rows);
        }
        Piece { rows, locals, models }
    }
}
