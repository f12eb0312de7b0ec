//! A channel before keys are chosen: where they can stand, and what the source does between.

use super::plan::PlanTrack;
use crate::{
    cook::{
        source::SourceChannel,
        timeline::{TimePoints, row_of},
    },
    exact::{Q4, SMALLEST, V3, larger, smaller},
    raw::{Channel, Curve, Value},
};

/// Source samples compared in each interval between two candidate keys: the first key and three between.
const TESTS: usize = 4;

/// A value of a channel that can be fitted.
pub(crate) trait Fit: Value {
    /// A distance for vectors, radians for rotations.
    fn distance(a: Self, b: Self) -> f64;
    /// True if a straight line between these two runs at even speed, so that only keys need a look.
    fn is_even(a: Self, b: Self) -> bool;
    /// Three coordinates about a centre in which steps have the size of distances.
    fn coordinates(self, centre: Self) -> [f64; 3];
    /// The finest tolerance that the player's f32 can keep for these values.
    fn finest(values: &[Self]) -> f64;
    /// The value at these coordinates.
    fn at(centre: Self, coordinates: [f64; 3]) -> Self;
}

impl Fit for V3 {
    fn distance(a: Self, b: Self) -> f64 {
        (a - b).length()
    }
    fn is_even(_: Self, _: Self) -> bool {
        true
    }
    fn coordinates(self, centre: Self) -> [f64; 3] {
        let d = self - centre;
        [d.x, d.y, d.z]
    }
    fn finest(values: &[Self]) -> f64 {
        // Steps are not below the smallest number, with room for some halving.
        let least = 16.0 * f64::from(SMALLEST);
        values.iter().map(|v| v.length() * 3e-7).fold(least, larger)
    }
    fn at(centre: Self, [x, y, z]: [f64; 3]) -> Self {
        centre + Self::new(x, y, z)
    }
}

impl Fit for Q4 {
    fn distance(a: Self, b: Self) -> f64 {
        // Of unit quaternions the chord is 2 sin(angle / 4).
        let d = b.near(a).plus(a.scaled(-1.0));
        2.0 * d.dot(d).sqrt()
    }
    fn is_even(a: Self, b: Self) -> bool {
        // Over 0.05 radians a normalised line is off an even turn by less than a millionth.
        Self::distance(a, b) < 0.05
    }
    fn coordinates(self, centre: Self) -> [f64; 3] {
        let q = centre.conjugate() * self;
        let k = if q.w < 0.0 { -2.0 } else { 2.0 };
        [q.x * k, q.y * k, q.z * k]
    }
    fn finest(_: &[Self]) -> f64 {
        1e-6
    }
    fn at(centre: Self, [x, y, z]: [f64; 3]) -> Self {
        let w = 1.0 - (x * x + y * y + z * z) * 0.25;
        let w = if w > 0.0 { w.sqrt() } else { 0.0 };
        (centre * Self::new(x * 0.5, y * 0.5, z * 0.5, w)).normalize()
    }
}

/// A moving channel, ready to be fitted at any tolerance.
#[derive(Clone, Debug)]
pub(crate) struct Track<V> {
    pub(super) curve: Curve,
    /// Where keys can stand: row, time, value of the source. First and last row are among them.
    pub(super) rows: Vec<u32>,
    pub(super) times: Vec<f64>,
    pub(super) values: Vec<V>,
    /// Source samples compared from each candidate to the next: one where candidates stand as dense as tests would.
    pub(super) tests_each: usize,
    /// The source at that many times from each candidate on, candidates included; then the last. Empty if the
    /// source is straight between candidates, or if they are the tests.
    pub(super) tests: Vec<V>,
    /// Candidates that must stay: both ends of a path that is ambiguous.
    pub(super) locked: Vec<bool>,
    /// The curve that is exact if all candidates stay.
    pub(super) exact: Option<Curve>,
    /// The middle of all values, and how far the farthest is from it.
    pub(super) middle: V,
    spread: f64,
    /// No tolerance below this can be kept.
    finest: f64,
}

/// How many pieces of straight line each interval between two keys of the channel needs, so that the
/// source is nowhere farther off than `tolerance`. One for every interval where it is straight.
pub(crate) fn pieces<V: Fit>(channel: &Channel<V>, tolerance: f64) -> Vec<u32> {
    let of_interval = |i: usize| {
        let (a, b) = (&channel.keys[i], &channel.keys[i + 1]);
        if !bends(channel) {
            return 1;
        }
        let (from, to) = (a.value.settle(), b.value.settle());
        let worst = (1..8).map(|k| {
            let t = f64::from(k) / 8.0;
            let time_s = a.time_s + (b.time_s - a.time_s) * t;
            let source = channel.sample(time_s).expect("it has keys");
            V::distance(V::between(from, to, t, Curve::Linear), source)
        });
        let worst = worst.fold(0.0, larger);
        // A straight line's error falls with the square of its length.
        ((worst / tolerance).sqrt().ceil() as u32).clamp(1, 4096)
    };
    (0..channel.keys.len().saturating_sub(1)).map(of_interval).collect()
}

/// True if the source is not straight between its keys.
pub(crate) fn bends<V>(channel: &Channel<V>) -> bool {
    matches!(channel.curve, Curve::Slerp | Curve::Cubic | Curve::Hermite)
}

impl<V: Fit> Track<V> {
    /// `None` if the channel does not move. Curved intervals take every row in them as candidates if they
    /// are off a straight line by more than `bend`.
    pub(crate) fn new(
        motion: &SourceChannel<'_, V>,
        points: &TimePoints,
        ambiguous: &[(f64, f64)],
        bend: f64,
    ) -> Option<Self> {
        let channel = motion.moving()?;
        let last = points.count() - 1;
        let key_row = |i: usize| row_of(points, channel.keys[i].time_s);
        let mut rows = vec![0];
        let pieces = pieces(channel, bend);
        let mut bent = false;
        for (i, pieces) in pieces.iter().enumerate() {
            let (from, to) = (key_row(i), key_row(i + 1));
            rows.push(from);
            if *pieces > 1 {
                bent = true;
                rows.extend(from + 1..to);
            }
        }
        rows.push(key_row(channel.keys.len() - 1));
        rows.push(last);
        rows.dedup();
        let whole = channel.keys[0].time_s == 0.0 && key_row(channel.keys.len() - 1) == last;
        let exact = match channel.curve {
            Curve::Step => Some(Curve::Step),
            Curve::Linear => Some(Curve::Linear),
            Curve::Slerp | Curve::Hermite | Curve::Cubic if !bent => Some(Curve::Linear),
            Curve::Hermite if whole => {
                rows = (0..channel.keys.len()).map(key_row).collect();
                rows.dedup();
                Some(Curve::Hermite)
            }
            _ => None,
        };

        // A candidate's value is that of the source at its row, or at its key if the two differ by rounding.
        let mut next_key = 0;
        let mut times = Vec::with_capacity(rows.len());
        for row in &rows {
            while next_key + 1 < channel.keys.len() && key_row(next_key) < *row {
                next_key += 1;
            }
            let on_key = key_row(next_key) == *row;
            times.push(if on_key { channel.keys[next_key].time_s } else { points.time_s(*row) });
        }
        let straight = matches!(exact, Some(Curve::Linear | Curve::Step));
        let dense = !straight && rows.len() >= channel.keys.len() * TESTS;
        let tests_each = if dense { 1 } else { TESTS };
        let per_candidate = if straight { 1 } else { tests_each };
        let mut samples: Vec<V> = Vec::with_capacity(times.len() * per_candidate);
        for (i, t) in times.iter().enumerate() {
            let next = times.get(i + 1).copied().unwrap_or(*t);
            for k in 0..if i + 1 == times.len() { 1 } else { per_candidate } {
                let value = channel.sample(t + (next - t) * k as f64 / TESTS as f64);
                let value = value.expect("a moving channel has keys");
                // Rotations stay on one side from sample to sample.
                samples.push(samples.last().map_or(value, |before| value.near(*before)));
            }
        }
        let (middle, spread) = middle(&samples);
        let (values, tests) = if straight || dense {
            (samples, Vec::new())
        } else {
            (samples.iter().step_by(TESTS).copied().collect(), samples)
        };
        let is_end = |t: f64| {
            let after = ambiguous.partition_point(|(from, _)| *from < t);
            ambiguous.get(after).is_some_and(|(from, _)| *from == t)
                || (after > 0 && ambiguous[after - 1].1 == t)
        };
        let locked = times.iter().map(|t| !ambiguous.is_empty() && is_end(*t)).collect();
        let finest = V::finest(&values);
        Some(Self {
            curve: channel.curve,
            rows,
            times,
            values,
            tests_each,
            tests,
            locked,
            exact,
            middle,
            spread,
            finest,
        })
    }

    /// Candidates: the keys that stay if nothing is reduced.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// No tolerance below this can be kept.
    pub(crate) fn finest(&self) -> f64 {
        self.finest
    }

    /// A value that all others are near, and how near.
    pub(crate) fn constant(&self) -> (V, f64) {
        (self.middle, self.spread)
    }

    /// All keys, as exact as asked.
    pub(crate) fn keep_all(&self, tolerance: f64) -> PlanTrack<V> {
        self.plan(self.exact.unwrap_or(Curve::Linear), &(0..self.len()).collect::<Vec<_>>(), tolerance)
    }
    /// The plan with these candidates as keys.
    pub(super) fn plan(&self, curve: Curve, keys: &[usize], tolerance: f64) -> PlanTrack<V> {
        let keys = keys.iter().map(|i| (self.rows[*i], self.values[*i])).collect();
        PlanTrack { curve, keys, tolerance }
    }

    /// The source at a test.
    pub(super) fn test(&self, i: usize) -> V {
        let (candidate, k) = (i / self.tests_each, i % self.tests_each);
        if k == 0 {
            self.values[candidate]
        } else if self.tests.is_empty() {
            let (a, b) = (self.values[candidate], self.values[candidate + 1]);
            V::between(a, b, k as f64 / self.tests_each as f64, Curve::Linear)
        } else {
            self.tests[i]
        }
    }

    /// When that is.
    pub(super) fn test_time(&self, i: usize) -> f64 {
        let (candidate, k) = (i / self.tests_each, i % self.tests_each);
        let t = self.times[candidate];
        if k == 0 { t } else { t + (self.times[candidate + 1] - t) * k as f64 / self.tests_each as f64 }
    }
}

/// The middle of the box round all values, and the distance of the farthest from it.
pub(crate) fn middle<V: Fit>(values: &[V]) -> (V, f64) {
    let first = values[0];
    let mut low = [0.0_f64; 3];
    let mut high = [0.0_f64; 3];
    for v in values {
        for (c, x) in v.coordinates(first).into_iter().enumerate() {
            low[c] = smaller(low[c], x);
            high[c] = larger(high[c], x);
        }
    }
    let middle = V::at(first, [0, 1, 2].map(|c| (low[c] + high[c]) * 0.5));
    let spread = values.iter().map(|v| V::distance(middle, *v));
    (middle, spread.fold(0.0, larger))
}
