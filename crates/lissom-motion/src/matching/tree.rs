//! Boxes over blocks of frames, and over boxes: sixteen to one.
//!
//! A box has the least and the largest number of the columns that vary most. So no frame in a box is nearer to a query than the box. Columns
//! that vary less would hardly make it further away: they are not worth their memory.

use alloc::vec::Vec;
use lissom::math::{
    simd::nearest::{Boxes, Pairs, ZERO},
    soa::GROUP,
};

/// Levels at most: sixteen to the sixth blocks.
pub(super) const MAX_LEVELS: usize = 6;

/// Pairs of columns that a box knows at most: of 27 features, the 20 that vary most.
const BOX_PAIRS: usize = 10;

/// One level: boxes, sixteen side by side.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// For sixteen boxes, all pairs of columns that they know.
    boxes: Vec<Boxes>,
    /// How many these are.
    pairs: usize,
    /// The first frame of each box.
    pub first: Vec<u32>,
    /// All tags of each box.
    pub tags: Vec<u32>,
}

/// The least and the largest number of each column.
#[derive(Clone)]
struct Extent {
    low: Vec<u16>,
    high: Vec<u16>,
}

impl Level {
    /// Sixteen boxes, and which of them there are.
    #[inline(always)]
    pub fn group(&self, group: usize) -> (&[Boxes], u32) {
        let count = self.first.len() - group * GROUP;
        let there = if count < GROUP { (1 << count) - 1 } else { 0xffff };
        (&self.boxes[group * self.pairs..][..self.pairs], there)
    }

    /// Bytes of what is stored.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.boxes) + size_of_val(&*self.first) + size_of_val(&*self.tags)
    }

    fn new(pairs: usize, extents: &[Extent], first: Vec<u32>, tags: Vec<u32>) -> Self {
        let mut boxes = Vec::with_capacity(extents.len().div_ceil(GROUP) * pairs);
        for sixteen in extents.chunks(GROUP) {
            for pair in 0..pairs {
                let mut of = [Pairs::NONE; 2];
                for (lane, extent) in sixteen.iter().enumerate() {
                    for column in 0..2 {
                        of[0].0[2 * lane + column] = extent.low[2 * pair + column];
                        of[1].0[2 * lane + column] = extent.high[2 * pair + column];
                    }
                }
                boxes.push(of);
            }
        }
        Self { boxes, pairs, first, tags }
    }
}

/// The levels over blocks that lie one after another, each of `pairs` pairs of columns. The last has at most 16 boxes.
pub(super) fn levels(pairs: usize, rows: &[Pairs], first: &[u32], tags: &[u32]) -> Vec<Level> {
    let mut extents: Vec<Extent> = rows.chunks(pairs).take(first.len()).map(extent).collect();
    let (mut first, mut tags) = (first.to_vec(), tags.to_vec());
    let mut levels = Vec::new();
    let known = pairs.min(BOX_PAIRS);
    loop {
        levels.push(Level::new(known, &extents, first.clone(), tags.clone()));
        if first.len() <= GROUP {
            return levels;
        }
        extents = extents.chunks(GROUP).map(around).collect();
        first = first.chunks(GROUP).map(|of| of.iter().copied().min().unwrap_or(0)).collect();
        tags = tags.chunks(GROUP).map(|of| of.iter().fold(0, |all, tags| all | tags)).collect();
    }
}

/// What the rows of a block cover. Rows that repeat the last one change nothing.
fn extent(block: &[Pairs]) -> Extent {
    let columns = 2 * block.len();
    let of = |column: usize| (0..GROUP).map(move |lane| block[column / 2].0[2 * lane + column % 2]);
    Extent {
        low: (0..columns).map(|c| of(c).min().unwrap_or(ZERO)).collect(),
        high: (0..columns).map(|c| of(c).max().unwrap_or(ZERO)).collect(),
    }
}

fn around(inner: &[Extent]) -> Extent {
    let mut all = inner[0].clone();
    for one in &inner[1..] {
        all.low.iter_mut().zip(&one.low).for_each(|(a, b)| *a = (*a).min(*b));
        all.high.iter_mut().zip(&one.high).for_each(|(a, b)| *a = (*a).max(*b));
    }
    all
}

/// The order in which blocks are stored: blocks that are like each other lie side by side, so that boxes are small. The
/// blocks are cut in two at the median of the column in which their centres differ most, again and again. Equal ones are
/// ordered by their number, so that the order is the same everywhere.
pub(super) fn order(pairs: usize, rows: &[Pairs], count: usize) -> Vec<u32> {
    let columns = 2 * pairs;
    let mut centres = Vec::with_capacity(count * columns);
    for block in rows.chunks(pairs).take(count) {
        let extent = extent(block);
        centres.extend(extent.low.iter().zip(&extent.high).map(|(a, b)| i32::from(*a) + i32::from(*b)));
    }
    let mut order: Vec<u32> = (0..count as u32).collect();
    split(&mut order, &centres, columns);
    order
}

fn split(blocks: &mut [u32], centres: &[i32], columns: usize) {
    let count = blocks.len();
    if count <= GROUP {
        blocks.sort_unstable();
        return;
    }
    let centre = |block: u32, column: usize| centres[block as usize * columns + column];
    let spread = |column: usize| {
        let (mut sum, mut squares) = (0_i64, 0_i64);
        for block in blocks.iter() {
            let v = i64::from(centre(*block, column)) - 2 * i64::from(ZERO);
            sum += v;
            squares += v * v;
        }
        i128::from(squares) * count as i128 - i128::from(sum) * i128::from(sum)
    };
    // The first of those that are equal.
    let widest = (0..columns).map(|c| (spread(c), core::cmp::Reverse(c))).max().map_or(0, |(_, c)| c.0);
    // Whole boxes to the left, and whole boxes of boxes where there is more than one.
    let mut unit = GROUP;
    while unit * GROUP < count {
        unit *= GROUP;
    }
    let middle = count.div_ceil(2 * unit) * unit;
    blocks.select_nth_unstable_by_key(middle, |block| (centre(*block, widest), *block));
    let (left, right) = blocks.split_at_mut(middle);
    split(left, centres, columns);
    split(right, centres, columns);
}
