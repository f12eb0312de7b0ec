//! The keys around the current time: how a channel takes the next one, gives it back, or takes all from a
//! jump frame.

use super::{
    super::bits::{Bits, read_3, word_at},
    active::{Active, ActiveLayout, SetLayout},
    entry::{BlockEntry, ChannelEntry},
    format,
    view::View,
};
use lissom_math::soa::GROUP;

/// The three integers of a key while playing. They wrap.
pub(super) trait Key: Copy {
    fn get(self) -> [i32; 3];
    fn put(v: [i32; 3]) -> Self;
    fn cast(words: &mut [u32]) -> &mut [Self];
}

impl Key for [i16; 3] {
    #[inline(always)]
    fn get(self) -> [i32; 3] {
        [i32::from(self[0]), i32::from(self[1]), i32::from(self[2])]
    }
    #[inline(always)]
    fn put(v: [i32; 3]) -> Self {
        [v[0] as i16, v[1] as i16, v[2] as i16]
    }
    #[inline(always)]
    fn cast(words: &mut [u32]) -> &mut [Self] {
        bytemuck::cast_slice_mut::<_, i16>(words).as_chunks_mut().0
    }
}

/// 21 bits each.
impl Key for [u32; 2] {
    #[inline(always)]
    fn get(self) -> [i32; 3] {
        let all = u64::from(self[0]) | u64::from(self[1]) << 32;
        [(all << 43) as i64 >> 43, (all << 22) as i64 >> 43, (all << 1) as i64 >> 43].map(|v| v as i32)
    }
    #[inline(always)]
    fn put(v: [i32; 3]) -> Self {
        let [x, y, z] = v.map(|v| v as u64 & 0x1f_ffff);
        let all = x | y << 21 | z << 42;
        [all as u32, (all >> 32) as u32]
    }
    #[inline(always)]
    fn cast(words: &mut [u32]) -> &mut [Self] {
        words.as_chunks_mut().0
    }
}

impl Key for [i32; 3] {
    #[inline(always)]
    fn get(self) -> [i32; 3] {
        self
    }
    #[inline(always)]
    fn put(v: [i32; 3]) -> Self {
        v
    }
    #[inline(always)]
    fn cast(words: &mut [u32]) -> &mut [Self] {
        bytemuck::cast_slice_mut::<_, i32>(words).as_chunks_mut().0
    }
}

/// What one key of the stream says.
#[derive(Clone, Copy)]
pub(super) struct Record {
    span: u32,
    residuals: [i32; 3],
}

impl ChannelEntry {
    /// The record of this channel at a bit.
    #[inline(always)]
    pub(super) fn record(&self, bytes: &[u8], at: u64) -> Record {
        let span_bits = u32::from(self.span_bits);
        if self.record_bits() <= Bits::ROOM {
            let mut bits = word_at(bytes, at);
            return Record {
                span: bits.take(span_bits) + self.span_base,
                residuals: bits.take_3(self.residual_bits),
            };
        }
        let span = word_at(bytes, at).take(span_bits) + self.span_base;
        Record { span, residuals: read_3(bytes, at + u64::from(span_bits), self.residual_bits) }
    }
}

/// The active array while keys are fetched, and what of the clip that takes.
pub(super) struct Window<'a, K> {
    pub active: Active<'a>,
    layout: &'a ActiveLayout,
    ints: &'a mut [K],
    entries: &'a [[u32; format::CHANNEL_WORDS]],
    /// The tick of each row; empty if they are the same.
    ticks: &'a [u32],
    /// The row after the last: right rows of channels that have no key left.
    end: u32,
}

/// Where a channel's keys stand.
struct Place<'a> {
    set: &'a SetLayout,
    lane: usize,
    channel: usize,
}

impl<'a, K: Key> Window<'a, K> {
    pub fn new(layout: &'a ActiveLayout, words: &'a mut [u32], clip: &View<'a>) -> Self {
        let mut active = layout.split(words);
        let ints = K::cast(core::mem::take(&mut active.ints));
        Self {
            active,
            layout,
            ints,
            entries: clip.channels(),
            ticks: clip.run(clip.layout.ticks),
            end: clip.head.rows,
        }
    }

    #[inline(always)]
    pub fn entry(&self, channel: usize) -> ChannelEntry {
        ChannelEntry::unpack(&self.entries[channel])
    }

    #[inline(always)]
    fn place(&self, channel: usize, entry: &ChannelEntry) -> Place<'a> {
        Place { set: &self.layout.sets[usize::from(entry.set)], lane: usize::from(entry.lane), channel }
    }

    /// A channel leaves its oldest key and takes the next one. Returns its new right row.
    #[inline(always)]
    pub fn step_forward(&mut self, channel: usize, entry: &ChannelEntry, record: Record) -> u32 {
        let at = self.place(channel, entry);
        match (at.set.window(), at.set.width()) {
            (2, 4) => self.take_next::<2, 4>(at, entry, record),
            (2, _) => self.take_next::<2, 3>(at, entry, record),
            (_, 4) => self.take_next::<4, 4>(at, entry, record),
            _ => self.take_next::<4, 3>(at, entry, record),
        }
    }

    /// A channel gives its newest key back and takes the one before its oldest. Returns its new left row.
    #[inline(always)]
    pub fn step_backward(&mut self, channel: usize, entry: &ChannelEntry, record: Record) -> u32 {
        let at = self.place(channel, entry);
        match (at.set.window(), at.set.width()) {
            (2, 4) => self.take_last::<2, 4>(at, entry, record),
            (2, _) => self.take_last::<2, 3>(at, entry, record),
            (_, 4) => self.take_last::<4, 4>(at, entry, record),
            _ => self.take_last::<4, 3>(at, entry, record),
        }
    }

    #[inline(always)]
    fn take_next<const N: usize, const W: usize>(
        &mut self,
        at: Place<'_>,
        entry: &ChannelEntry,
        record: Record,
    ) -> u32 {
        let (set, lane) = (at.set, at.lane);
        let keys = &mut self.ints[set.ints(lane)..][..N];
        let predicted = predict::<K, N>(entry, keys);
        let next = K::put(sum(predicted, record.residuals));
        for k in 1..N {
            keys[k - 1] = keys[k];
        }
        keys[N - 1] = next;

        let n = set.lanes();
        if N == 2 {
            // It waits in the place of the key that leaves: decoding puts both in order.
            let left = usize::from(self.swap(set, lane));
            self.put_raw(set, left, lane, next.get());
        } else {
            let floats = &mut self.active.floats[set.key(0) + lane..];
            for i in 0..(N - 1) * W {
                floats[i * n] = floats[(i + W) * n];
            }
            for k in 1..N {
                self.pass_on(set, k, k - 1, lane);
            }
            self.put_raw(set, N - 1, lane, next.get());
        }

        let (left, right) = (self.active.left[at.channel], self.active.right[at.channel]);
        // A damaged clip could stand still or run back: then its channel ends.
        let end = self.end;
        let after = |row: u32, before: u32| if row > before && row < end { row } else { end };
        let new_right = if N == 2 {
            after(left.saturating_add(record.span), right)
        } else {
            let (oldest, newest) = (set.outer() + lane, set.outer() + n + lane);
            let (first, last) = (self.active.outer[oldest], self.active.outer[newest]);
            self.active.outer[oldest] = left;
            self.active.outer[newest] = after(first.saturating_add(record.span), last);
            after(last, right)
        };
        self.place_between::<N>(&at, entry, right, new_right);
        new_right
    }

    #[inline(always)]
    fn take_last<const N: usize, const W: usize>(
        &mut self,
        at: Place<'_>,
        entry: &ChannelEntry,
        record: Record,
    ) -> u32 {
        let (set, lane) = (at.set, at.lane);
        let keys = &mut self.ints[set.ints(lane)..][..N];
        let before = K::put(recall::<K, N>(entry, keys, record.residuals));
        for k in (1..N).rev() {
            keys[k] = keys[k - 1];
        }
        keys[0] = before;

        let n = set.lanes();
        if N == 2 {
            let right = usize::from(!self.swap(set, lane));
            self.put_raw(set, right, lane, before.get());
        } else {
            let floats = &mut self.active.floats[set.key(0) + lane..];
            for i in (0..(N - 1) * W).rev() {
                floats[(i + W) * n] = floats[i * n];
            }
            for k in (1..N).rev() {
                self.pass_on(set, k - 1, k, lane);
            }
            self.put_raw(set, 0, lane, before.get());
        }

        let (left, right) = (self.active.left[at.channel], self.active.right[at.channel]);
        let before = |row: u32, after: u32| if row < after { row } else { 0 };
        let new_left = if N == 2 {
            before(right.wrapping_sub(record.span), left)
        } else {
            let (oldest, newest) = (set.outer() + lane, set.outer() + n + lane);
            let (first, last) = (self.active.outer[oldest], self.active.outer[newest]);
            let earlier = last.wrapping_sub(record.span);
            self.active.outer[newest] = right;
            self.active.outer[oldest] = if earlier <= first { earlier } else { 0 };
            before(first, left)
        };
        self.place_between::<N>(&at, entry, new_left, left);
        new_left
    }

    /// Puts a key's integers in its place, to be decoded.
    #[inline(always)]
    fn put_raw(&mut self, set: &SetLayout, key: usize, lane: usize, v: [i32; 3]) {
        let (n, floats) = (set.lanes(), &mut self.active.floats[set.key(key) + lane..]);
        for c in 0..3 {
            floats[c * n] = v[c] as f32;
        }
        self.active.dirty[set.dirty(key, lane / GROUP)] |= 1 << (lane % GROUP);
    }

    /// Swaps the places of a lane's two keys; true if they were swapped before.
    #[inline(always)]
    fn swap(&mut self, set: &SetLayout, lane: usize) -> bool {
        let (word, bit) = (&mut self.active.dirty[set.swapped(lane / GROUP)], 1 << (lane % GROUP));
        let before = *word & bit != 0;
        *word ^= bit;
        before
    }

    /// A key that was fetched but not decoded changes its place: so does its mark.
    #[inline(always)]
    fn pass_on(&mut self, set: &SetLayout, from: usize, to: usize, lane: usize) {
        let bit = 1 << (lane % GROUP);
        let mark = self.active.dirty[set.dirty(from, lane / GROUP)] & bit;
        let to = &mut self.active.dirty[set.dirty(to, lane / GROUP)];
        *to = *to & !bit | mark;
    }

    /// The tick of a row; rows past the end are at the end.
    #[inline(always)]
    fn tick(&self, row: u32) -> u32 {
        let row = if row < self.end { row } else { self.end - 1 };
        self.ticks.get(row as usize).copied().unwrap_or(row)
    }

    /// Sets the rows that a channel is between, and what follows from them.
    #[inline(always)]
    fn place_between<const N: usize>(&mut self, at: &Place<'_>, entry: &ChannelEntry, left: u32, right: u32) {
        self.active.left[at.channel] = left;
        self.active.right[at.channel] = right;
        let (left, right) = (self.tick(left), self.tick(right));
        let span = right.wrapping_sub(left) as f32;
        let (set, lane) = (at.set, at.lane);
        self.active.ticks[set.tick() + lane] = left;
        let moves = !entry.step && right > left;
        self.active.floats[set.inverse_span() + lane] = if moves { 1.0 / span } else { 0.0 };
        if N == 4 {
            let oldest = self.tick(self.active.outer[set.outer() + lane]);
            let newest = self.tick(self.active.outer[set.outer() + set.lanes() + lane]);
            let share = |a: u32, b: u32| if b > a { span / (b - a) as f32 } else { 0.0 };
            self.active.floats[set.slopes() + lane] = share(oldest, right);
            self.active.floats[set.slopes() + set.lanes() + lane] = share(left, newest);
        }
    }

    /// Takes the whole state from a jump frame. Returns the largest left row, the smallest right row, and how
    /// many keys that were.
    pub fn restore(&mut self, bytes: &[u8], jump: &BlockEntry) -> (u32, u32, u64) {
        self.active.left.fill(0);
        self.active.right.fill(u32::MAX);
        self.active.dirty.fill(0);
        let (mut at, mut last_left, mut next_right, mut keys) = (0, 0, u32::MAX, 0);
        for channel in 0..self.entries.len() {
            let entry = self.entry(channel);
            let place = self.place(channel, &entry);
            keys += place.set.window() as u64;
            let (left, right) = match place.set.window() {
                2 => self.restore_one::<2>(&place, &entry, bytes, jump, &mut at),
                _ => self.restore_one::<4>(&place, &entry, bytes, jump, &mut at),
            };
            last_left = if left > last_left { left } else { last_left };
            next_right = if right < next_right { right } else { next_right };
        }
        (last_left, next_right, keys)
    }

    #[inline(always)]
    fn restore_one<const N: usize>(
        &mut self,
        place: &Place<'_>,
        entry: &ChannelEntry,
        bytes: &[u8],
        jump: &BlockEntry,
        at: &mut u64,
    ) -> (u32, u32) {
        let (set, lane, end) = (place.set, place.lane, self.end);
        // Rows: the left one looking back from the jump, then the distances from key to key.
        let mut distance = || {
            let d = word_at(bytes, *at).take(jump.row_bits);
            *at += u64::from(jump.row_bits);
            d
        };
        let clamp = |row: u32| if row < end { row } else { end };
        let left = jump.first_row.saturating_sub(distance());
        let right = clamp(left.saturating_add(distance()));
        if N == 4 {
            self.active.outer[set.outer() + lane] = left.saturating_sub(distance());
            self.active.outer[set.outer() + set.lanes() + lane] = clamp(right.saturating_add(distance()));
        }
        let right = if right > jump.first_row { right } else { end };
        let [x, y, z] = entry.value_bits.map(u64::from);
        for key in 0..N {
            let v = if x + y + z <= Bits::ROOM {
                word_at(bytes, *at).take_3(entry.value_bits)
            } else {
                read_3(bytes, *at, entry.value_bits)
            };
            *at += x + y + z;
            let v = K::put(v);
            self.ints[set.ints(lane) + key] = v;
            self.put_raw(set, key, lane, v.get());
        }
        self.place_between::<N>(place, entry, left, right);
        (left, right)
    }
}

#[inline(always)]
fn sum(a: [i32; 3], b: [i32; 3]) -> [i32; 3] {
    [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1]), a[2].wrapping_add(b[2])]
}

/// The next key's integers, before the residuals.
#[inline(always)]
fn predict<K: Key, const N: usize>(entry: &ChannelEntry, keys: &[K]) -> [i32; 3] {
    let a = keys[0].get();
    if entry.predictor != format::PREDICT_SMOOTH {
        return a;
    }
    let b = keys[1].get();
    if N == 2 {
        return mix([(2, b), (-1, a), (0, a), (0, a)]);
    }
    mix([(4, keys[3].get()), (-6, keys[2].get()), (4, b), (-1, a)])
}

/// The integers that left the window when the newest ones came: the inverse of [`predict`] plus residuals.
#[inline(always)]
fn recall<K: Key, const N: usize>(entry: &ChannelEntry, keys: &[K], residuals: [i32; 3]) -> [i32; 3] {
    let last = keys[N - 1].get();
    if entry.predictor != format::PREDICT_SMOOTH {
        return mix([(1, last), (-1, residuals), (0, last), (0, last)]);
    }
    let a = keys[0].get();
    if N == 2 {
        return mix([(2, a), (-1, last), (1, residuals), (0, last)]);
    }
    sum(mix([(4, keys[2].get()), (-6, keys[1].get()), (4, a), (-1, last)]), residuals)
}

/// The sum of numbers times weights, wrapping.
#[inline(always)]
fn mix(terms: [(i32, [i32; 3]); 4]) -> [i32; 3] {
    let mut out = [0_i32; 3];
    for (weight, v) in terms {
        for c in 0..3 {
            out[c] = out[c].wrapping_add(v[c].wrapping_mul(weight));
        }
    }
    out
}
