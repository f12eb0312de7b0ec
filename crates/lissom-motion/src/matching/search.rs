//! The search: the frame of least cost, exactly.

use super::{
    Database, Query, QueryError,
    tree::{Level, MAX_LEVELS},
};
use core::ops::Range;
use lissom::math::{
    dispatch,
    simd::{
        Backend, Simd,
        nearest::{box_distances, distances},
    },
    soa::GROUP,
};

/// What a search has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The frame.
    pub frame: u32,
    /// Its cost: the sum of squared differences, without the cost of a transition.
    pub cost: i32,
    /// Whether it is the frame that plays already.
    pub stays: bool,
}

/// What a search has looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Groups of sixteen boxes.
    pub boxes: u32,
    /// Blocks of sixteen frames.
    pub blocks: u32,
}

/// A cost and a frame in one number: the lower number is the better find. Equal costs are ordered by frame. To stay is
/// better than any frame of the same cost.
type Key = u64;

/// Worse than any frame.
const NOTHING: Key = (i32::MAX as u64) << 32 | u32::MAX as u64;

#[inline(always)]
fn key(cost: i32, frame: u32) -> Key {
    stay(cost) | (u64::from(frame) + 1)
}

#[inline(always)]
fn stay(cost: i32) -> Key {
    u64::from(cost.cast_unsigned()) << 32
}

#[inline(always)]
fn cost(key: Key) -> i32 {
    ((key >> 32) as u32).cast_signed()
}

/// Sixteen boxes that are being looked into.
#[derive(Clone, Copy)]
struct Open {
    group: usize,
    /// Those that may hold something better.
    near: u32,
    bounds: [i32; GROUP],
}

impl Database {
    /// The frame of least cost; of equal ones the lowest. Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`QueryError::OtherDatabase`].
    pub fn search(&self, query: &Query) -> Result<Found, QueryError> {
        self.search_on(Backend::best(), query).map(|(found, _)| found)
    }

    /// Likewise with a given backend, and what was looked at. Backends differ in how long they take, and in nothing else.
    ///
    /// # Errors
    ///
    /// [`QueryError::OtherDatabase`].
    pub fn search_on(&self, backend: Backend, query: &Query) -> Result<(Found, Effort), QueryError> {
        query.check(self)?;
        let playing = Playing::new(self, query);
        let (best, zone) = match &playing {
            None => (NOTHING, 0..0),
            Some(Playing { zone, .. }) if query.leaves => (NOTHING, zone.clone()),
            Some(Playing { frame, cost, zone }) => match cost - query.transition_cost {
                best @ 1.. => (stay(best), zone.clone()),
                _ => return Ok((Found { frame: *frame, cost: *cost, stays: true }, Effort::default())),
            },
        };
        let (best, effort) = dispatch!(backend, s => search(s, self, query, &zone, best));
        let found = match (best as u32, playing) {
            // Of one that must be left, nothing else may be left to find.
            (0 | u32::MAX, Some(Playing { frame, cost, .. })) => Found { frame, cost, stays: true },
            (0 | u32::MAX, _) => return Err(QueryError::OtherDatabase),
            (frame, _) => Found { frame: frame - 1, cost: cost(best), stays: false },
        };
        Ok((found, effort))
    }

    /// Many queries, one after another: the same answers. Boxes that one has fetched are there for the next.
    ///
    /// # Errors
    ///
    /// [`QueryError::Answers`], and [`QueryError::OtherDatabase`]; answers before it are written.
    pub fn search_all(&self, queries: &[Query], found: &mut [Found]) -> Result<(), QueryError> {
        if queries.len() != found.len() {
            return Err(QueryError::Answers { found: found.len(), needed: queries.len() });
        }
        for (query, found) in queries.iter().zip(found) {
            *found = self.search(query)?;
        }
        Ok(())
    }

    /// What a frame costs.
    ///
    /// # Errors
    ///
    /// [`QueryError::UnknownFrame`], [`QueryError::OtherDatabase`].
    pub fn cost(&self, query: &Query, frame: u32) -> Result<i32, QueryError> {
        query.check(self)?;
        let missing = QueryError::UnknownFrame { found: frame, count: self.frames() };
        self.cost_of_frame(query, frame).ok_or(missing)
    }

    pub(super) fn cost_of_frame(&self, query: &Query, frame: u32) -> Option<i32> {
        let at = self.stored(frame)?;
        let squared = |column: usize| {
            let d = i32::from(self.number(at, column)) - i32::from(query.number(column));
            d * d
        };
        Some((0..self.columns.len()).map(squared).sum())
    }
}

/// The frame that plays, as far as a query is concerned.
pub(super) struct Playing {
    pub frame: u32,
    pub cost: i32,
    /// Frames that are not looked at.
    pub zone: Range<u32>,
}

impl Playing {
    /// `None` if nothing plays, or if what plays lacks the tags.
    pub(super) fn new(database: &Database, query: &Query) -> Option<Self> {
        let frame = query.current?;
        let range = database.range_of(frame)?;
        if database.ranges().get(range)?.tags & query.tags != query.tags {
            return None;
        }
        let run = database.run_of(range);
        let from = frame.saturating_sub(query.zone).max(run.start);
        let to = frame.saturating_add(query.zone).saturating_add(1).min(run.end);
        Some(Self { frame, cost: database.cost_of_frame(query, frame)?, zone: from..to })
    }
}

#[inline(always)]
fn search<S: Simd>(
    s: S,
    database: &Database,
    query: &Query,
    zone: &Range<u32>,
    mut best: Key,
) -> (Key, Effort) {
    let pairs = database.columns.len() / 2;
    let words = &query.pairs[..pairs];
    let levels: &[Level] = &database.levels;
    let mut effort = Effort::default();
    let mut open = [Open { group: 0, near: 0, bounds: [0; GROUP] }; MAX_LEVELS];
    // A database has a frame that may be found, so it has a level.
    let top = levels.len() - 1;
    let mut level = top;
    let mut group = 0;
    loop {
        // Look at sixteen boxes.
        effort.boxes += 1;
        let this = &mut open[level];
        let (boxes, there) = levels[level].group(group);
        this.group = group;
        this.near = there & box_distances(s, boxes, words, cost(best), &mut this.bounds);
        // Find the next that may hold something better, here or further up.
        loop {
            let this = &mut open[level];
            let Some(lane) = nearest(this.near, &this.bounds) else {
                if level == top {
                    return (best, effort);
                }
                level += 1;
                continue;
            };
            if this.bounds[lane] > cost(best) {
                // All others are as far.
                this.near = 0;
                continue;
            }
            this.near &= !(1 << lane);
            let at = this.group * GROUP + lane;
            let of = &levels[level];
            if key(this.bounds[lane], of.first[at]) >= best || of.tags[at] & query.tags != query.tags {
                continue;
            }
            if level > 0 {
                level -= 1;
                group = at;
                break;
            }
            effort.blocks += 1;
            best = block(s, database, words, at, zone, best);
        }
    }
}

/// The best so far, with a block looked into.
#[inline(always)]
fn block<S: Simd>(
    s: S,
    database: &Database,
    words: &[u32],
    at: usize,
    zone: &Range<u32>,
    mut best: Key,
) -> Key {
    let mut costs = [0; GROUP];
    let rows = &database.rows[at * words.len()..][..words.len()];
    let mut near = distances(s, rows, words, cost(best), &mut costs);
    if near == 0 {
        return best;
    }
    let (first, count) = (database.levels[0].first[at], u32::from(database.counts[at]));
    if first < zone.end && first + count > zone.start {
        // Lanes behind the last frame repeat it: they go with it.
        for lane in 0..GROUP as u32 {
            if lane >= count || zone.contains(&(first + lane)) {
                near &= !(1 << lane);
            }
        }
    }
    while near != 0 {
        let lane = near.trailing_zeros();
        near &= near - 1;
        // A lane that repeats the last frame is behind it, so its key is never better.
        let found = key(costs[lane as usize], first + lane);
        if found < best {
            best = found;
        }
    }
    best
}

/// The lane of the least bound; the first of equal ones.
#[inline(always)]
fn nearest(lanes: u32, bounds: &[i32; GROUP]) -> Option<usize> {
    let mut left = lanes;
    let mut least = (i32::MAX, None);
    while left != 0 {
        let lane = left.trailing_zeros() as usize % GROUP;
        left &= left - 1;
        if least.1.is_none() || bounds[lane] < least.0 {
            least = (bounds[lane], Some(lane));
        }
    }
    least.1
}
