//! A channel's keys in the order that the player's window passes over them, and how they are written.

use super::quantise::Quantised;
use crate::raw::Curve;
use lissom::clip::format::{
    BitWriter,
    keys::{PREDICT_OLDEST, PREDICT_SMOOTH},
    signed_bits, unsigned_bits,
};

/// What the window passes over. The last key stands at the row *after* the last one, so that it never becomes
/// a left key; a step channel's last key does become one, and a copy of it follows. A cubic has its first and
/// its last key twice, which makes the slopes at the ends one-sided.
pub(super) struct Sequence {
    step: bool,
    window: usize,
    keys: Vec<(u32, [i32; 3])>,
    predictor: u8,
    wide: bool,
    value_bits: [u32; 3],
    residual_bits: [u32; 3],
    span_base: u32,
    span_bits: u32,
}

impl Sequence {
    /// `None` if the keys do not rise from row 0 to the last row, or the curve is none that a clip has.
    pub fn new(q: &Quantised, rows: u32) -> Option<Self> {
        let rising = q.keys.windows(2).all(|p| p[0].0 < p[1].0);
        if q.keys.len() < 2 || q.keys[0].0 != 0 || q.keys.last()?.0 != rows - 1 || !rising {
            return None;
        }
        let mut keys = q.keys.clone();
        let last = keys.last_mut()?;
        let end = (rows, last.1);
        let (step, window) = match q.curve {
            Curve::Step => {
                keys.push(end);
                (true, 2)
            }
            Curve::Linear => {
                *last = end;
                (false, 2)
            }
            Curve::Hermite => {
                *last = end;
                keys.push(end);
                keys.insert(0, keys[0]);
                (false, 4)
            }
            Curve::Slerp | Curve::Cubic => return None,
        };
        let mut s = Self {
            step,
            window,
            keys,
            predictor: PREDICT_OLDEST,
            wide: false,
            value_bits: [0; 3],
            residual_bits: [0; 3],
            span_base: 0,
            span_bits: 0,
        };
        s.value_bits = widest(s.keys.iter().map(|k| k.1));
        s.wide = s.value_bits.iter().any(|b| *b > 16);
        let spans = || (0..s.record_count()).map(|i| s.span(i));
        let low = spans().fold(u32::MAX, |a, b| if b < a { b } else { a });
        let high = spans().fold(0, |a, b| if b > a { b } else { a });
        if high > 0 {
            (s.span_base, s.span_bits) = (low, unsigned_bits(high - low));
        }
        Some(s)
    }

    /// Takes whichever prediction needs fewer bits, with integers of the clip's width.
    pub fn choose_predictor(&mut self, wide: bool) {
        self.wide = wide;
        let mut cost = |predictor: u8| {
            self.predictor = predictor;
            widest((0..self.record_count()).map(|i| self.residual(i)))
        };
        let (oldest, smooth) = (cost(PREDICT_OLDEST), cost(PREDICT_SMOOTH));
        let sum = |b: [u32; 3]| b[0] + b[1] + b[2];
        (self.predictor, self.residual_bits) =
            if sum(smooth) < sum(oldest) { (PREDICT_SMOOTH, smooth) } else { (PREDICT_OLDEST, oldest) };
    }

    pub fn is_cubic(&self) -> bool {
        self.window == 4
    }

    pub fn is_wide(&self) -> bool {
        self.wide
    }

    /// Keys that stand in the first state: the window without the copy of a cubic's first key.
    pub fn first_keys(&self) -> u64 {
        if self.is_cubic() { 3 } else { 2 }
    }

    pub fn key_count(&self) -> u64 {
        self.first_keys() + self.record_count() as u64
    }

    fn record_count(&self) -> usize {
        self.keys.len() - self.window
    }

    /// The row that each record is needed at: where the right key of the window before it stands.
    pub fn needed(&self) -> impl Iterator<Item = u32> + '_ {
        let right = self.window / 2;
        (0..self.record_count()).map(move |i| self.keys[i + right].0)
    }

    /// Rows from the key that leaves the window to the one that enters.
    fn span(&self, record: usize) -> u32 {
        self.keys[record + self.window].0 - self.keys[record].0
    }

    fn residual(&self, record: usize) -> [i32; 3] {
        core::array::from_fn(|c| {
            let key = |i: usize| self.keys[record + i].1[c];
            let predicted = match (self.predictor, self.window) {
                (PREDICT_OLDEST, _) => key(0),
                (_, 2) => key(1).wrapping_mul(2).wrapping_sub(key(0)),
                _ => (key(3).wrapping_add(key(1)).wrapping_mul(4))
                    .wrapping_sub(key(2).wrapping_mul(6))
                    .wrapping_sub(key(0)),
            };
            let r = key(self.window).wrapping_sub(predicted);
            // The player wraps at its integers' width, so the residual may as well.
            if self.wide { r } else { i32::from(r as i16) }
        })
    }

    /// The channel's entry in the table.
    pub fn entry(&self, set: usize, lane: usize) -> [u32; 4] {
        let bytes = |b: [u32; 3], last: u32| b[0] | b[1] << 8 | b[2] << 16 | last << 24;
        [
            lane as u32 | (set as u32) << 16 | u32::from(self.predictor) << 24,
            bytes(self.value_bits, self.span_bits),
            bytes(self.residual_bits, u32::from(self.step)),
            self.span_base,
        ]
    }

    pub fn write_record(&self, out: &mut BitWriter, record: usize) {
        out.put(self.span(record) - self.span_base, self.span_bits);
        for (r, bits) in self.residual(record).into_iter().zip(self.residual_bits) {
            out.put(r as u32, bits);
        }
    }

    /// Row distances of the window after `passed` records: back to the left key, then from key to key.
    fn state_rows(&self, passed: usize, first_row: u32) -> Vec<u32> {
        let row = |i: usize| self.keys[passed + i].0;
        if self.is_cubic() {
            vec![first_row - row(1), row(2) - row(1), row(1) - row(0), row(3) - row(2)]
        } else {
            vec![first_row - row(0), row(1) - row(0)]
        }
    }

    pub fn state_row_bits(&self, passed: usize, first_row: u32) -> u32 {
        let rows = self.state_rows(passed, first_row);
        rows.into_iter().map(unsigned_bits).fold(0, |a, b| if b > a { b } else { a })
    }

    pub fn write_state(&self, out: &mut BitWriter, passed: usize, first_row: u32, row_bits: u32) {
        for distance in self.state_rows(passed, first_row) {
            out.put(distance, row_bits);
        }
        for (_, key) in &self.keys[passed..passed + self.window] {
            for (v, bits) in key.iter().zip(self.value_bits) {
                out.put(*v as u32, bits);
            }
        }
    }
}

/// The widths that hold every one of these.
fn widest(all: impl Iterator<Item = [i32; 3]>) -> [u32; 3] {
    all.fold([0; 3], |w, v| {
        core::array::from_fn(|c| {
            let bits = signed_bits(v[c]);
            if bits > w[c] { bits } else { w[c] }
        })
    })
}
