//! Fetching rows: a block's first, the next one, the one before.

use super::{
    super::{
        advance::MissingBlock,
        bits::{Bits, read_3, word_at},
        cursor::Cursor,
        view::ClipView,
    },
    ARRAYS, Arrays, META, STEP, Tables,
    format::{self, BLOCK_ROWS},
    meta,
};

/// Where a cursor stands in a dense clip. The integers are those of rows `at - 1` and `at`; both lie in the
/// cursor's block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub at: u32,
    /// Bits of a row, and where the block's second one starts.
    row_bits: u64,
    rows_bit: u64,
    /// True if the third key is the first of the next block.
    has_next: bool,
}

/// Brings the integers to the interval that starts at a row (before the last one) by the cheapest way.
#[inline]
pub(crate) fn advance(
    cursor: &mut Cursor,
    clip: &ClipView<'_>,
    tables: &Tables,
    row: u32,
) -> Result<(), MissingBlock> {
    if cursor.placed && cursor.row == row {
        return Ok(());
    }
    let block = row / BLOCK_ROWS;
    let first = block * BLOCK_ROWS;
    let last = first + BLOCK_ROWS - 1;
    // The first row of the next block is no key of this one.
    let wanted = if row < last { row + 1 } else { last };
    let index = block as usize;
    let bytes = clip.dense_block(index).ok_or(MissingBlock(index))?;
    let mut reader = Reader { arrays: cursor.dense, words: &mut cursor.words, bytes };
    let mut place = cursor.place;
    let here = cursor.placed && cursor.block == index;
    let mut rows = 0;
    if !here || place.at > wanted && place.at - wanted > wanted - first {
        place = reader.load(clip, tables, index);
        cursor.stats.jumps += 1;
        rows += 1;
    }
    while place.at < wanted {
        reader.forward(&place);
        place.at += 1;
        rows += 1;
    }
    while place.at > wanted {
        reader.backward(&place);
        place.at -= 1;
        rows += 1;
    }
    if row == last && !place.has_next {
        reader.load_next(clip, tables);
        place.has_next = true;
        rows += 1;
    }
    cursor.place = place;
    cursor.block = index;
    cursor.row = row;
    cursor.placed = true;
    cursor.stats.keys_read += rows * clip.channel_count() as u64;
    cursor.keys = (u64::from(row) + 2) * clip.channel_count() as u64;
    Ok(())
}

/// A cursor's integers and the bytes of a block.
struct Reader<'a> {
    arrays: Arrays,
    words: &'a mut [u32],
    bytes: &'a [u8],
}

/// The arrays of one kind, all of one length.
#[inline(always)]
fn arrays_of<'a>(arrays: &Arrays, words: &'a mut [u32], kind: usize) -> [&'a mut [u32]; ARRAYS] {
    let (start, n) = (arrays.start(kind), arrays.count(kind));
    let (a0, rest) = words[start..start + ARRAYS * n].split_at_mut(n);
    let (a1, rest) = rest.split_at_mut(n);
    let (a2, rest) = rest.split_at_mut(n);
    let (b0, rest) = rest.split_at_mut(n);
    let (b1, rest) = rest.split_at_mut(n);
    let (b2, rest) = rest.split_at_mut(n);
    let (c0, rest) = rest.split_at_mut(n);
    let (c1, rest) = rest.split_at_mut(n);
    let (c2, rest) = rest.split_at_mut(n);
    let (step, meta) = rest.split_at_mut(n);
    [a0, a1, a2, b0, b1, b2, c0, c1, c2, step, meta]
}

/// Three numbers of a lane's widths, and the bits they take.
#[inline(always)]
fn differences(bytes: &[u8], at: u64, meta: u32) -> ([i32; 3], u64) {
    let widths = [
        meta & meta::WIDTH_MASK,
        meta >> meta::WIDTH & meta::WIDTH_MASK,
        meta >> (2 * meta::WIDTH) & meta::WIDTH_MASK,
    ];
    (signed_3(bytes, at, widths), u64::from(widths[0] + widths[1] + widths[2]))
}

#[inline(always)]
fn signed_3(bytes: &[u8], at: u64, widths: [u32; 3]) -> [i32; 3] {
    if u64::from(widths[0] + widths[1] + widths[2]) <= Bits::ROOM {
        let mut bits = word_at(bytes, at);
        [bits.take_signed(widths[0]), bits.take_signed(widths[1]), bits.take_signed(widths[2])]
    } else {
        read_3(bytes, at, widths.map(|w| w as u8))
    }
}

impl Reader<'_> {
    /// Takes the first key of every channel of a block, and how its rows are coded.
    fn load(&mut self, clip: &ClipView<'_>, tables: &Tables, block: usize) -> Place {
        let clip_bytes: &[u8] = bytemuck::cast_slice(clip.words);
        let (blocks, width) = (clip.block_count(), tables.width_bits());
        let state_bytes = if block == 0 { 0 } else { tables.state_bytes };
        let mut state = 0;
        let mut head = state_bytes as u64 * 8;
        let mut slope = head + clip.channel_count() as u64 * u64::from(1 + 3 * width);
        let mut row_bits = 0;
        for kind in 0..3 {
            let arrays = arrays_of(&self.arrays, self.words, kind);
            for lane in 0..arrays[META].len() {
                let record = tables.record(clip_bytes, kind, lane, blocks);
                let mut first = record.base;
                if block > 0 {
                    let off = signed_3(self.bytes, state, record.state);
                    first = core::array::from_fn(|c| first[c].wrapping_add(off[c]));
                    state += u64::from(record.state.iter().sum::<u32>());
                }
                let mut bits = word_at(self.bytes, head);
                let goes_on = bits.take(1) != 0;
                let widths = [bits.take(width), bits.take(width), bits.take(width)];
                head += u64::from(1 + 3 * width);
                let mut before = first;
                if goes_on {
                    let steep = signed_3(self.bytes, slope, record.slope);
                    before = core::array::from_fn(|c| first[c].wrapping_sub(steep[c] << widths[c]));
                    slope += u64::from(record.slope.iter().sum::<u32>());
                }
                row_bits += u64::from(widths.iter().sum::<u32>());
                for c in 0..3 {
                    arrays[c][lane] = before[c] as u32;
                    arrays[3 + c][lane] = first[c] as u32;
                }
                arrays[STEP][lane] = format::step(kind, record.code).to_bits();
                arrays[META][lane] = widths[0]
                    | widths[1] << meta::WIDTH
                    | widths[2] << (2 * meta::WIDTH)
                    | if goes_on { meta::GOES_ON } else { 0 }
                    | record.centre << meta::CENTRE_SHIFT
                    | if record.holds { meta::HOLDS } else { 0 };
            }
        }
        Place { at: block as u32 * BLOCK_ROWS, row_bits, rows_bit: slope, has_next: false }
    }

    /// Takes the first key of every channel of the next block.
    fn load_next(&mut self, clip: &ClipView<'_>, tables: &Tables) {
        let clip_bytes: &[u8] = bytemuck::cast_slice(clip.words);
        let mut state = (self.bytes.len().saturating_sub(tables.state_bytes)) as u64 * 8;
        for kind in 0..3 {
            let arrays = arrays_of(&self.arrays, self.words, kind);
            for lane in 0..arrays[META].len() {
                let record = tables.record(clip_bytes, kind, lane, clip.block_count());
                let off = signed_3(self.bytes, state, record.state);
                for c in 0..3 {
                    arrays[6 + c][lane] = record.base[c].wrapping_add(off[c]) as u32;
                }
                state += u64::from(record.state.iter().sum::<u32>());
            }
        }
    }

    /// Adds the row after `place.at`.
    #[inline]
    fn forward(&mut self, place: &Place) {
        let mut bit = place.rows_bit + u64::from(place.at % BLOCK_ROWS) * place.row_bits;
        for kind in 0..3 {
            let [ax, ay, az, bx, by, bz, _, _, _, _, metas] = arrays_of(&self.arrays, self.words, kind);
            let lanes = metas.len();
            let (ax, ay, az) = (&mut ax[..lanes], &mut ay[..lanes], &mut az[..lanes]);
            let (bx, by, bz) = (&mut bx[..lanes], &mut by[..lanes], &mut bz[..lanes]);
            for lane in 0..lanes {
                let meta = metas[lane];
                let (d, bits) = differences(self.bytes, bit, meta);
                bit += bits;
                let on = if meta & meta::GOES_ON == 0 { 0 } else { u32::MAX };
                for (a, b, d) in [
                    (&mut ax[lane], &mut bx[lane], d[0]),
                    (&mut ay[lane], &mut by[lane], d[1]),
                    (&mut az[lane], &mut bz[lane], d[2]),
                ] {
                    let next = b.wrapping_add(b.wrapping_sub(*a) & on).wrapping_add(d as u32);
                    *a = *b;
                    *b = next;
                }
            }
        }
    }

    /// Takes the row `place.at` away again, which is not the block's first or second.
    #[inline]
    fn backward(&mut self, place: &Place) {
        let row = u64::from(place.at % BLOCK_ROWS);
        // A prediction that stays is undone by the row before: it is what led to the key before this one.
        let mut bit = place.rows_bit + row.saturating_sub(2) * place.row_bits;
        for kind in 0..3 {
            let [ax, ay, az, bx, by, bz, _, _, _, _, metas] = arrays_of(&self.arrays, self.words, kind);
            let lanes = metas.len();
            let (ax, ay, az) = (&mut ax[..lanes], &mut ay[..lanes], &mut az[..lanes]);
            let (bx, by, bz) = (&mut bx[..lanes], &mut by[..lanes], &mut bz[..lanes]);
            for lane in 0..lanes {
                let meta = metas[lane];
                let on = meta & meta::GOES_ON != 0;
                let from = if on { bit + place.row_bits } else { bit };
                let (d, bits) = differences(self.bytes, from, meta);
                bit += bits;
                for (a, b, d) in [
                    (&mut ax[lane], &mut bx[lane], d[0] as u32),
                    (&mut ay[lane], &mut by[lane], d[1] as u32),
                    (&mut az[lane], &mut bz[lane], d[2] as u32),
                ] {
                    let going = a.wrapping_add(a.wrapping_sub(*b)).wrapping_add(d);
                    let staying = a.wrapping_sub(d);
                    *b = *a;
                    *a = if on { going } else { staying };
                }
            }
        }
    }
}
