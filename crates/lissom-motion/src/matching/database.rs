//! A checked database, laid out for searching.

use super::{
    DatabaseError, DatabaseParts, Feature, FeatureGroup, FrameRange, MAX_COLUMNS, MAX_FEATURES, MAX_FRAMES,
    MAX_NAME, MAX_RANGES, MAX_TAGS, clamp, steps,
    tree::{self, Level},
};
use alloc::{collections::BTreeSet, string::String, vec, vec::Vec};
use core::ops::Range;
use lissom::{
    hash::Fnv64,
    math::{
        simd::nearest::{Pairs, ZERO},
        soa::{GROUP, Lanes},
    },
};

/// What a column holds that is no feature.
pub(super) const NO_FEATURE: u16 = u16::MAX;

/// Frames of many clips, and what is known of each: where a search looks.
///
/// Immutable: share it in an `Arc`. Frames are numbered in the order of the ranges, and in each of them in order of time.
#[derive(Clone, Debug)]
pub struct Database {
    skeleton: u64,
    rate_hz: f32,
    tags: Vec<String>,
    clips: Vec<String>,
    groups: Vec<FeatureGroup>,
    features: Vec<Feature>,
    ranges: Vec<FrameRange>,
    /// The first frame of each range, and the end of the last.
    firsts: Vec<u32>,
    /// The frames of the clip, without a gap, that each range is among.
    runs: Vec<Range<u32>>,
    /// The feature of each column, the one that varies most first.
    pub(super) columns: Vec<u16>,
    pub(super) offsets: [Lanes; LANES],
    pub(super) scales: [Lanes; LANES],
    pub(super) clamp: i16,
    steps: f32,
    /// Blocks of sixteen frames in a row that a search may find. A block that has fewer repeats its last.
    pub(super) rows: Vec<Pairs>,
    /// The number of frames of each block, as stored; the lowest level has its first frame.
    pub(super) counts: Vec<u8>,
    /// Where each block is stored, in order of frames.
    by_frame: Vec<u32>,
    /// All columns of the frames that no search finds, in order.
    rest: Vec<i16>,
    /// How many frames that a search may find are before each range.
    found_before: Vec<u32>,
    pub(super) levels: Vec<Level>,
    /// Frames that may be found.
    candidates: usize,
    /// The tags of all ranges that have frames that may be found, each once.
    pub(super) masks: Vec<u32>,
    pub(super) fingerprint: u64,
}

/// Groups of lanes that hold all columns.
pub(super) const LANES: usize = MAX_COLUMNS.div_ceil(GROUP);

/// Up to sixteen frames of one range in a row.
#[derive(Clone, Copy, Debug)]
struct Block {
    first: u32,
    count: u32,
}

/// Where the numbers of a frame are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stored {
    /// In a block, and the lane there.
    Found(usize, usize),
    /// Among the frames that no search finds.
    Rest(usize),
}

/// Where a frame is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The number of its range.
    pub range: u32,
    /// The number of its clip.
    pub clip: u32,
    /// Its time in the clip.
    pub time_s: f32,
    /// Whether the clip is a mirrored copy.
    pub mirrored: bool,
}

impl PartialEq for Database {
    /// By what was cooked.
    fn eq(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
    }
}

impl Database {
    /// Checks a description, and makes boxes for the search.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn new(parts: &DatabaseParts) -> Result<Self, DatabaseError> {
        let frames = check(parts)?;
        let columns = order_of_columns(parts, frames);
        let pairs = columns.len() / 2;
        let mut firsts = Vec::with_capacity(parts.ranges.len() + 1);
        firsts.push(0);
        for range in &parts.ranges {
            firsts.push(firsts.last().copied().unwrap_or(0) + range.frames);
        }
        let (found, tags) = blocks(&parts.ranges, &firsts);
        let mut rows = Vec::with_capacity(found.len() * pairs);
        found.iter().for_each(|block| fill(parts, &columns, *block, &mut rows));
        let order = tree::order(pairs, &rows, found.len());
        let by_order = |i: &u32| found[*i as usize];
        let first: Vec<u32> = order.iter().map(|i| by_order(i).first).collect();
        let counts = order.iter().map(|i| by_order(i).count as u8).collect();
        let tags: Vec<u32> = order.iter().map(|i| tags[*i as usize]).collect();
        let mut sorted = Vec::with_capacity(rows.len());
        for i in &order {
            sorted.extend_from_slice(&rows[*i as usize * pairs..][..pairs]);
        }
        let levels = tree::levels(pairs, &sorted, &first, &tags);
        let mut by_frame: Vec<u32> = (0..first.len() as u32).collect();
        by_frame.sort_unstable_by_key(|i| first[*i as usize]);
        let (rest, found_before) = rest(parts, &columns, &firsts);
        let masks: BTreeSet<u32> =
            parts.ranges.iter().filter(|r| r.entry_from < r.entry_to).map(|r| r.tags).collect();
        let by_column = |of: fn(&Feature) -> f32| {
            let mut lanes = [Lanes::splat(0.0); LANES];
            for (i, feature) in columns.iter().enumerate() {
                let value = parts.features.get(usize::from(*feature)).map_or(0.0, of);
                lanes[i / GROUP].0[i % GROUP] = value;
            }
            lanes
        };
        Ok(Self {
            skeleton: parts.skeleton,
            rate_hz: parts.rate_hz,
            tags: parts.tags.clone(),
            clips: parts.clips.clone(),
            groups: parts.groups.clone(),
            features: parts.features.clone(),
            runs: runs(&parts.ranges, &firsts, parts.rate_hz),
            ranges: parts.ranges.clone(),
            offsets: by_column(|f| f.offset),
            scales: by_column(|f| f.scale),
            clamp: clamp(columns.len()),
            steps: steps(columns.len()),
            candidates: found.iter().map(|block| block.count as usize).sum(),
            rest,
            found_before,
            fingerprint: fingerprint(parts),
            firsts,
            columns,
            rows: sorted,
            counts,
            by_frame,
            levels,
            masks: masks.into_iter().collect(),
        })
    }

    /// The identity of the skeleton that the clips move.
    #[must_use]
    pub fn skeleton(&self) -> u64 {
        self.skeleton
    }

    /// Frames per second.
    #[must_use]
    pub fn rate_hz(&self) -> f32 {
        self.rate_hz
    }

    /// The names of the tags; the first is that of the lowest bit.
    #[must_use]
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// The names of the clips.
    #[must_use]
    pub fn clips(&self) -> &[String] {
        &self.clips
    }

    /// Features that are weighed together.
    #[must_use]
    pub fn groups(&self) -> &[FeatureGroup] {
        &self.groups
    }

    /// What is known of a frame, in the order of a query's values.
    #[must_use]
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// The pieces of clips.
    #[must_use]
    pub fn ranges(&self) -> &[FrameRange] {
        &self.ranges
    }

    /// The frames of a range. Empty if there is no such range.
    #[must_use]
    pub fn frames_of(&self, range: u32) -> Range<u32> {
        let at = |i: usize| self.firsts.get(i).copied().unwrap_or(self.frames());
        at(range as usize)..at(range as usize + 1)
    }

    /// How many frames there are.
    #[must_use]
    pub fn frames(&self) -> u32 {
        self.firsts.last().copied().unwrap_or(0)
    }

    /// How many of them a search may find.
    #[must_use]
    pub fn candidates(&self) -> usize {
        self.candidates
    }

    /// How many blocks of sixteen frames a search may look into.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.levels.first().map_or(0, |level| level.first.len())
    }

    /// Bytes in memory of all frames: those that a search may find with boxes around them, and those that are only played.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let levels: usize = self.levels.iter().map(Level::bytes).sum();
        let places =
            size_of_val(&*self.counts) + size_of_val(&*self.by_frame) + size_of_val(&*self.found_before);
        levels + size_of_val(&*self.rows) + size_of_val(&*self.rest) + places
    }

    /// A cost in squared deviations, as weights count it: 1 is a difference of one deviation in a feature of weight 1.
    #[must_use]
    pub fn in_deviations(&self, cost: i32) -> f32 {
        cost as f32 / (self.steps * self.steps)
    }

    /// The reverse of [`Database::in_deviations`], rounded down. Costs that are too large become the largest.
    #[must_use]
    pub fn cost_of(&self, deviations: f32) -> i32 {
        (deviations * (self.steps * self.steps)) as i32
    }

    /// A hash of all that is in the database.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The range of a frame.
    pub(super) fn range_of(&self, frame: u32) -> Option<usize> {
        (frame < self.frames()).then(|| self.firsts.partition_point(|first| *first <= frame) - 1)
    }

    /// The first frame that a search may find, of those with these tags.
    pub(crate) fn first_found(&self, tags: u32) -> Option<u32> {
        let may = |range: &FrameRange| range.tags & tags == tags && range.entry_from < range.entry_to;
        let at = self.ranges.iter().position(may)?;
        Some(self.firsts.get(at)? + self.ranges.get(at)?.entry_from)
    }

    /// The frames of its clip, without a gap, that a frame is among.
    pub(super) fn run_of(&self, range: usize) -> Range<u32> {
        self.runs.get(range).cloned().unwrap_or_default()
    }

    /// Which clip a frame is of, and when. `None` if there is no such frame.
    #[must_use]
    pub fn place(&self, frame: u32) -> Option<Place> {
        let at = self.range_of(frame)?;
        let (range, first) = (self.ranges.get(at)?, self.firsts.get(at)?);
        let time_s = range.start_s + (frame - first) as f32 / self.rate_hz;
        Some(Place { range: at as u32, clip: range.clip, time_s, mirrored: range.mirrored })
    }

    /// The frame of a range that is nearest to a time in its clip: the later of two. `None` if there is no such range, or
    /// if the time is more than a frame outside of it.
    #[must_use]
    pub fn frame_at(&self, range: u32, time_s: f32) -> Option<u32> {
        let frames = self.frames_of(range);
        let of = self.ranges.get(range as usize)?;
        let at = (time_s - of.start_s) * self.rate_hz;
        if !(-1.0..=of.frames as f32).contains(&at) {
            return None;
        }
        let nearest = libm::floorf(at + 0.5) as i64;
        Some(frames.start + (nearest.clamp(0, i64::from(of.frames) - 1)) as u32)
    }

    /// The frame that plays at a time of a clip: of the range, or of those that follow it without a gap. The nearest one, if the
    /// time is outside of them.
    pub(crate) fn frame_of_run(&self, range: u32, time_s: f64) -> Option<u32> {
        let (of, run) = (self.ranges.get(range as usize)?, self.run_of(range as usize));
        let at = (time_s - f64::from(of.start_s)) * f64::from(self.rate_hz);
        let frame = libm::floor(at + 0.5) + f64::from(self.frames_of(range).start);
        let (first, last) = (f64::from(run.start), f64::from(run.end) - 1.0);
        Some(if frame > last {
            last
        } else if frame > first {
            frame
        } else {
            first
        } as u32)
    }

    /// When the last frame of a range plays, or of those that follow it without a gap.
    pub(crate) fn end_of_run_s(&self, range: u32) -> Option<f64> {
        let (of, run) = (self.ranges.get(range as usize)?, self.run_of(range as usize));
        let frames = run.end.saturating_sub(self.frames_of(range).start).saturating_sub(1);
        Some(f64::from(of.start_s) + f64::from(frames) / f64::from(self.rate_hz))
    }

    /// The first range of a clip that covers a time. `None` if there is none.
    #[must_use]
    pub fn range_at(&self, clip: u32, time_s: f32) -> Option<u32> {
        let covers = |range: &FrameRange| {
            let end = range.start_s + range.frames as f32 / self.rate_hz;
            range.clip == clip && range.start_s <= time_s && time_s < end
        };
        self.ranges.iter().position(covers).map(|range| range as u32)
    }

    /// The values of a frame's features as they were stored, in the order of the features. Values that are beyond the
    /// number of `out` are left out. `None` if there is no such frame.
    #[must_use]
    pub fn values(&self, frame: u32, out: &mut [f32]) -> Option<()> {
        let at = self.stored(frame)?;
        for (column, feature) in self.columns.iter().enumerate() {
            let stored = self.number(at, column);
            if let (Some(feature), Some(out)) =
                (self.features.get(usize::from(*feature)), out.get_mut(usize::from(*feature)))
            {
                let scale = feature.scale;
                *out = feature.offset + if scale == 0.0 { 0.0 } else { f32::from(stored) / scale };
            }
        }
        Some(())
    }

    /// Where a frame is stored.
    pub(super) fn stored(&self, frame: u32) -> Option<Stored> {
        let at = self.range_of(frame)?;
        let (range, into) = (self.ranges.get(at)?, frame - self.firsts.get(at)?);
        let before = *self.found_before.get(at)?;
        if into < range.entry_from {
            return Some(Stored::Rest((frame - before) as usize));
        }
        if into >= range.entry_to {
            let found = before + (range.entry_to - range.entry_from);
            return Some(Stored::Rest((frame - found) as usize));
        }
        let firsts = &self.levels.first()?.first;
        let first = |i: &u32| firsts[*i as usize];
        let block = self.by_frame[self.by_frame.partition_point(|i| first(i) <= frame).checked_sub(1)?];
        Some(Stored::Found(block as usize, (frame - first(&block)) as usize))
    }

    /// A stored number.
    #[inline(always)]
    pub(super) fn number(&self, at: Stored, column: usize) -> i16 {
        let columns = self.columns.len();
        match at {
            Stored::Found(block, lane) => {
                let row = &self.rows[block * (columns / 2) + column / 2];
                (row.0[2 * lane + column % 2] ^ ZERO).cast_signed()
            }
            Stored::Rest(row) => self.rest[row * columns + column],
        }
    }
}

/// Checks everything; the number of frames.
fn check(parts: &DatabaseParts) -> Result<usize, DatabaseError> {
    for (what, found, allowed) in [
        ("features", parts.features.len(), MAX_FEATURES),
        ("groups", parts.groups.len(), MAX_FEATURES),
        ("tags", parts.tags.len(), MAX_TAGS),
        ("clips", parts.clips.len(), MAX_RANGES),
        ("ranges", parts.ranges.len(), MAX_RANGES),
    ] {
        if found > allowed {
            return Err(DatabaseError::Limit { what, found, allowed });
        }
    }
    if parts.features.is_empty() {
        return Err(DatabaseError::None("a feature"));
    }
    names("tag", &parts.tags)?;
    names("clip", &parts.clips)?;
    for (index, group) in parts.groups.iter().enumerate() {
        if group.name.is_empty() || group.name.len() > MAX_NAME {
            return Err(DatabaseError::Name { what: "group", index });
        }
        number("group", index, "weight", group.weight, "at least 0", |v| v >= 0.0)?;
    }
    number("database", 0, "rate_hz", parts.rate_hz, "more than 0, at most 1000", |v| v > 0.0 && v <= 1000.0)?;
    for (index, feature) in parts.features.iter().enumerate() {
        known("feature", index, "group", feature.group, parts.groups.len())?;
        let axis = f32::from(feature.axis);
        number("feature", index, "axis", axis, "0, 1, 2", |v| v <= 2.0)?;
        number("feature", index, "offset", feature.offset, "a finite number", |_| true)?;
        number("feature", index, "scale", feature.scale, "at least 0", |v| v >= 0.0)?;
    }
    let known_tags = if parts.tags.len() >= 32 { u32::MAX } else { (1 << parts.tags.len()) - 1 };
    let (mut frames, mut candidates) = (0_usize, 0_usize);
    for (index, range) in parts.ranges.iter().enumerate() {
        known("range", index, "clip", range.clip, parts.clips.len())?;
        number("range", index, "start_s", range.start_s, "at least 0", |v| v >= 0.0)?;
        let of = |field, value: u32, allowed, holds| {
            let value = f64::from(value);
            if holds {
                Ok(())
            } else {
                Err(DatabaseError::Value { what: "range", index, field, value, allowed })
            }
        };
        of("tags", range.tags, "tags that have a name", range.tags & !known_tags == 0)?;
        of("frames", range.frames, "at least 1", range.frames > 0)?;
        of("entry_to", range.entry_to, "at most the frames", range.entry_to <= range.frames)?;
        of("entry_from", range.entry_from, "at most entry_to", range.entry_from <= range.entry_to)?;
        frames = frames.saturating_add(range.frames as usize);
        candidates = candidates.saturating_add((range.entry_to - range.entry_from) as usize);
    }
    if frames > MAX_FRAMES {
        return Err(DatabaseError::Limit { what: "frames", found: frames, allowed: MAX_FRAMES });
    }
    if candidates == 0 {
        return Err(DatabaseError::None("a frame that a search may find"));
    }
    let features = parts.features.len();
    if parts.rows.len() != frames * features {
        let found = parts.rows.len() / features;
        return Err(DatabaseError::Length { what: "rows", found, needed: frames });
    }
    if !parts.biases.is_empty() && parts.biases.len() != frames {
        let found = parts.biases.len();
        return Err(DatabaseError::Length { what: "biases", found, needed: frames });
    }
    let most = clamp(parts.columns());
    let beyond = |v: &i16| !(-most..=most).contains(v);
    let outside = |list: &[i16], each: usize, what| match list.iter().position(beyond) {
        None => Ok(()),
        Some(at) => Err(DatabaseError::Value {
            what,
            index: at / each,
            field: "value",
            value: f64::from(list[at]),
            allowed: "within the clamp of so many columns",
        }),
    };
    outside(&parts.rows, features, "row")?;
    outside(&parts.biases, 1, "bias")?;
    Ok(frames)
}

fn names(what: &'static str, names: &[String]) -> Result<(), DatabaseError> {
    let mut seen = BTreeSet::new();
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(DatabaseError::Name { what, index });
        }
        if !seen.insert(name.as_str()) {
            let what = if what == "tag" { "tags" } else { "clips" };
            return Err(DatabaseError::Twice { what, name: name.clone() });
        }
    }
    Ok(())
}

fn number(
    what: &'static str,
    index: usize,
    field: &'static str,
    value: f32,
    allowed: &'static str,
    holds: impl Fn(f32) -> bool,
) -> Result<(), DatabaseError> {
    if value.is_finite() && holds(value) {
        return Ok(());
    }
    Err(DatabaseError::Value { what, index, field, value: f64::from(value), allowed })
}

fn known(
    what: &'static str,
    index: usize,
    of: &'static str,
    found: u32,
    count: usize,
) -> Result<(), DatabaseError> {
    let found = found as usize;
    if found < count { Ok(()) } else { Err(DatabaseError::Unknown { what, index, of, found, count }) }
}

/// The feature of each column: what varies most first, so that a search may stop early. Equal ones in order. Then the
/// bias, then nothing.
fn order_of_columns(parts: &DatabaseParts, frames: usize) -> Vec<u16> {
    let features = parts.features.len();
    let mut sums = vec![(0_i64, 0_i64); features];
    for row in parts.rows.chunks_exact(features) {
        for ((sum, squares), v) in sums.iter_mut().zip(row) {
            let v = i64::from(*v);
            *sum += v;
            *squares += v * v;
        }
    }
    let variance = |(sum, squares): &(i64, i64)| {
        i128::from(*squares) * frames as i128 - i128::from(*sum) * i128::from(*sum)
    };
    let mut columns: Vec<u16> = (0..features as u16).collect();
    columns.sort_by_key(|f| core::cmp::Reverse(variance(&sums[usize::from(*f)])));
    columns.resize(parts.columns(), NO_FEATURE);
    columns
}

/// Blocks that a search may find, and their tags.
fn blocks(ranges: &[FrameRange], firsts: &[u32]) -> (Vec<Block>, Vec<u32>) {
    let (mut found, mut tags) = (Vec::new(), Vec::new());
    for (range, first) in ranges.iter().zip(firsts) {
        let end = first + range.entry_to;
        for first in (first + range.entry_from..end).step_by(GROUP) {
            found.push(Block { first, count: (end - first).min(GROUP as u32) });
        }
        tags.resize(found.len(), range.tags);
    }
    (found, tags)
}

/// All columns of the frames that no search finds, and how many others are before each range.
fn rest(parts: &DatabaseParts, columns: &[u16], firsts: &[u32]) -> (Vec<i16>, Vec<u32>) {
    let features = parts.features.len();
    let (mut rest, mut found_before, mut found) = (Vec::new(), Vec::with_capacity(parts.ranges.len()), 0);
    for (range, first) in parts.ranges.iter().zip(firsts) {
        found_before.push(found);
        found += range.entry_to - range.entry_from;
        let outside = (0..range.entry_from).chain(range.entry_to..range.frames);
        for frame in outside.map(|into| (first + into) as usize) {
            let mut bias = parts.biases.get(frame).copied();
            rest.extend(columns.iter().map(|feature| {
                let of = |feature: u16| parts.rows[frame * features + usize::from(feature)];
                if *feature == NO_FEATURE { bias.take().unwrap_or(0) } else { of(*feature) }
            }));
        }
    }
    (rest, found_before)
}

/// Adds the rows of a block.
fn fill(parts: &DatabaseParts, columns: &[u16], block: Block, rows: &mut Vec<Pairs>) {
    let features = parts.features.len();
    let mut bias = !parts.biases.is_empty();
    let lane_by_lane = |at: usize, of: &dyn Fn(usize) -> i16, pair: &mut Pairs| {
        for lane in 0..GROUP {
            let frame = block.first as usize + lane.min(block.count as usize - 1);
            pair.0[2 * lane + at] = of(frame).cast_unsigned() ^ ZERO;
        }
    };
    for pair in columns.chunks(2) {
        let mut row = Pairs::NONE;
        for (at, feature) in pair.iter().enumerate() {
            if *feature != NO_FEATURE {
                let of = |frame: usize| parts.rows[frame * features + usize::from(*feature)];
                lane_by_lane(at, &of, &mut row);
            } else if core::mem::take(&mut bias) {
                lane_by_lane(at, &|frame| parts.biases[frame], &mut row);
            }
        }
        rows.push(row);
    }
}

/// The frames without a gap around each range: ranges of one clip that follow one another.
fn runs(ranges: &[FrameRange], firsts: &[u32], rate_hz: f32) -> Vec<Range<u32>> {
    let follows = |a: &FrameRange, b: &FrameRange| {
        let gap = (b.start_s - a.start_s) * rate_hz - a.frames as f32;
        a.clip == b.clip && a.mirrored == b.mirrored && gap > -0.5 && gap < 0.5
    };
    let mut runs = Vec::with_capacity(ranges.len());
    let mut from = 0;
    while from < ranges.len() {
        let mut to = from + 1;
        while to < ranges.len() && follows(&ranges[to - 1], &ranges[to]) {
            to += 1;
        }
        runs.resize(to, firsts[from]..firsts[to]);
        from = to;
    }
    runs
}

fn fingerprint(parts: &DatabaseParts) -> u64 {
    let numbers = parts.rows.chunks(2).chain(parts.biases.chunks(2));
    let word = |pair: &[i16]| {
        let of = |i: usize| u32::from(pair.get(i).map_or(0, |v| v.cast_unsigned()));
        of(0) | of(1) << 16
    };
    let hash = numbers.fold(Fnv64::new(), |hash, pair| hash.word(word(pair)));
    hash.bytes(&parts.head()).finish()
}
