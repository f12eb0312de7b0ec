//! Which keys of a channel stay: constants found, keys dropped that a curve through the others replaces.

use super::{
    plan::{PlanTrack, TimePoints},
    source::Motion,
    timeline::row_of,
};
use crate::{
    exact::{Q4, SMALLEST, V3},
    raw::{Channel, Curve, Value},
};

/// Source samples compared in each interval between two candidate keys: the first key and three between.
const TESTS: usize = 4;
/// Of a channel's tolerance, what a curve that skips keys may use; the rest is for rounding its keys.
const FIT_SHARE: f64 = 0.6;
/// What is left for rounding then: the two are independent, so their squares add up.
const ROUND_SHARE: f64 = 0.8;

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
        values.iter().map(|v| v.length() * 3e-7).fold(least, |a, b| if b > a { b } else { a })
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
    curve: Curve,
    /// Where keys can stand: row, time, value of the source. First and last row are among them.
    rows: Vec<u32>,
    times: Vec<f64>,
    values: Vec<V>,
    /// The source at `TESTS` times from each candidate on, candidates included; then the last. Empty if the
    /// source is straight between candidates.
    tests: Vec<V>,
    /// Candidates that must stay: both ends of a path that is ambiguous.
    locked: Vec<bool>,
    /// The curve that is exact if all candidates stay.
    exact: Option<Curve>,
    /// The middle of all values, and how far the farthest is from it.
    middle: V,
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
        let worst = worst.fold(0.0, |a: f64, b| if b > a { b } else { a });
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
        motion: &Motion<'_, V>,
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
        let per_candidate = if straight { 1 } else { TESTS };
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
        let (values, tests) = if straight {
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
        Some(Self { curve: channel.curve, rows, times, values, tests, locked, exact, middle, spread, finest })
    }

    /// Candidates: the keys that stay if nothing is reduced.
    fn len(&self) -> usize {
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

    /// The cheapest keys that stay within the tolerance, in a clip with this many jump frames.
    pub(crate) fn reduce(&self, tolerance: f64, jumps: f64) -> PlanTrack<V> {
        if self.curve == Curve::Step {
            return self.plan(Curve::Step, &self.fit_step(tolerance), tolerance);
        }
        let all = self.keep_all(tolerance);
        let mut best = (self.exact.map_or(f64::INFINITY, |_| cost(&all, self.middle, jumps)), all);
        let fit = tolerance * FIT_SHARE;
        let linear = self.fit_linear(fit);
        let hermite = self.fit_hermite(fit);
        for (curve, keys) in [(Curve::Linear, linear), (Curve::Hermite, hermite)] {
            let Some(keys) = keys else { continue };
            let track = self.plan(curve, &keys, tolerance * ROUND_SHARE);
            let cost = cost(&track, self.middle, jumps);
            if cost < best.0 {
                best = (cost, track);
            }
        }
        best.1
    }

    fn plan(&self, curve: Curve, keys: &[usize], tolerance: f64) -> PlanTrack<V> {
        let keys = keys.iter().map(|i| (self.rows[*i], self.values[*i])).collect();
        PlanTrack { curve, keys, tolerance }
    }

    /// Keys where the value changes by more than the tolerance.
    fn fit_step(&self, tolerance: f64) -> Vec<usize> {
        let mut keys = vec![0];
        let mut held = self.values[0];
        for i in 1..self.len() {
            if V::distance(held, self.values[i]) > tolerance * 0.5 || i + 1 == self.len() {
                keys.push(i);
                held = self.values[i];
            }
        }
        keys
    }

    /// Straight lines, each as long as it can be; `None` if even the shortest miss.
    fn fit_linear(&self, tolerance: f64) -> Option<Vec<usize>> {
        let last = self.len() - 1;
        let mut keys = vec![0];
        let mut a = 0;
        while a < last {
            // Grow in doubling steps, then halve between the last that fitted and the first that did not.
            let (mut good, mut step) = (a + 1, 1);
            let mut bad = last + 1;
            while good < last {
                let next = (good + step).min(last);
                if self.is_line(a, next, tolerance) {
                    good = next;
                    step *= 2;
                } else {
                    bad = next;
                    break;
                }
            }
            while bad - good > 1 && bad <= last {
                let between = (good + bad) / 2;
                if self.is_line(a, between, tolerance) {
                    good = between;
                } else {
                    bad = between;
                }
            }
            if good == a + 1 && !self.is_line(a, good, tolerance) {
                return None;
            }
            keys.push(good);
            a = good;
        }
        Some(keys)
    }

    /// True if the line from candidate a to b meets every test between them.
    fn is_line(&self, a: usize, b: usize, tolerance: f64) -> bool {
        if self.locked[a + 1..b].contains(&true) {
            return false;
        }
        let (from, to) = (self.values[a], self.values[b]);
        let (start, span) = (self.times[a], self.times[b] - self.times[a]);
        let stride = if self.tests.is_empty() && V::is_even(from, to) { TESTS } else { 1 };
        (a * TESTS + stride..b * TESTS).step_by(stride).all(|i| {
            let t = (self.test_time(i) - start) / span;
            V::distance(V::between(from, to, t, Curve::Linear), self.test(i)) <= tolerance
        })
    }

    /// The source at a test.
    fn test(&self, i: usize) -> V {
        let (candidate, k) = (i / TESTS, i % TESTS);
        if k == 0 {
            self.values[candidate]
        } else if self.tests.is_empty() {
            let (a, b) = (self.values[candidate], self.values[candidate + 1]);
            V::between(a, b, k as f64 / TESTS as f64, Curve::Linear)
        } else {
            self.tests[i]
        }
    }

    fn test_time(&self, i: usize) -> f64 {
        let (candidate, k) = (i / TESTS, i % TESTS);
        let t = self.times[candidate];
        if k == 0 { t } else { t + (self.times[candidate + 1] - t) * k as f64 / TESTS as f64 }
    }

    /// Cubics with implied slopes: start sparse, add keys where they miss, then take out what is not needed.
    /// `None` if that does not work with half the keys.
    fn fit_hermite(&self, tolerance: f64) -> Option<Vec<usize>> {
        const SPARSE: usize = 8;
        let last = self.len() - 1;
        if last < 4 {
            return None;
        }
        let mut keys: Vec<usize> =
            (0..=last).filter(|i| i % SPARSE == 0 || *i == last || self.locked[*i]).collect();
        // Whether the segment that starts at a key is known to be good.
        let mut good = vec![false; keys.len()];
        loop {
            let mut added = Vec::new();
            for i in 0..keys.len() - 1 {
                if good[i] {
                    continue;
                }
                match self.worst_of_cubic(&keys, i, tolerance) {
                    None => good[i] = true,
                    Some(_) if keys[i + 1] - keys[i] == 1 => {
                        // Too close already: only closer neighbours can help.
                        let before = i > 0 && keys[i] - keys[i - 1] > 1;
                        let after = keys.get(i + 2).is_some_and(|k| k - keys[i + 1] > 1);
                        if !before && !after {
                            return None;
                        }
                        if before {
                            added.push(keys[i] - 1);
                        }
                        if after {
                            added.push(keys[i + 1] + 1);
                        }
                    }
                    Some(at) => added.push(at.clamp(keys[i] + 1, keys[i + 1] - 1)),
                }
            }
            if added.is_empty() {
                break;
            }
            added.sort_unstable();
            added.dedup();
            if (keys.len() + added.len()) * 2 > last {
                return None;
            }
            (keys, good) = merge(&keys, &good, &added);
        }
        self.take_out(&mut keys, tolerance);
        Some(keys)
    }

    /// The test that the cubic from key i to the next misses most, as a candidate; `None` if it misses none.
    fn worst_of_cubic(&self, keys: &[usize], i: usize, tolerance: f64) -> Option<usize> {
        let (a, b) = (keys[i], keys[i + 1]);
        let before = i.checked_sub(1).map(|i| keys[i]);
        let after = keys.get(i + 2).copied();
        let cubic = self.cubic(before, a, b, after);
        let mut worst = (tolerance, None);
        for test in a * TESTS + 1..b * TESTS {
            let d = V::distance(cubic(self.test_time(test)), self.test(test));
            if d > worst.0 {
                worst = (d, Some((test + TESTS / 2) / TESTS));
            }
        }
        worst.1
    }

    /// The cubic that the player makes of four neighbouring keys; see [`Curve::Hermite`].
    fn cubic(&self, before: Option<usize>, a: usize, b: usize, after: Option<usize>) -> impl Fn(f64) -> V {
        let (p1, p2) = (self.values[a], self.values[b].near(self.values[a]));
        let (t1, t2) = (self.times[a], self.times[b]);
        let slope = |(t0, v0): (f64, V), (t3, v3): (f64, V)| {
            let k = 1.0 / (t3 - t0);
            V::mix(v3, k, v0, -k)
        };
        let p0 = before.map_or((t1, p1), |i| (self.times[i], self.values[i].near(p1)));
        let p3 = after.map_or((t2, p2), |i| (self.times[i], self.values[i].near(p2)));
        let (d1, d2) = (slope(p0, (t2, p2)), slope((t1, p1), p3));
        let span = t2 - t1;
        move |time_s| {
            let t = (time_s - t1) / span;
            let (u2, u3) = (t * t, t * t * t);
            let ends = V::mix(p1, 2.0 * u3 - 3.0 * u2 + 1.0, p2, 3.0 * u2 - 2.0 * u3);
            let slopes = V::mix(d1, (u3 - 2.0 * u2 + t) * span, d2, (u3 - u2) * span);
            V::mix(ends, 1.0, slopes, 1.0).settle()
        }
    }

    /// Takes out every key that its neighbours can do without, from the first to the last.
    fn take_out(&self, keys: &mut Vec<usize>, tolerance: f64) {
        let mut kept: Vec<usize> = vec![keys[0]];
        let mut i = 1;
        while i + 1 < keys.len() {
            let candidate = keys[i];
            let longest = 256;
            let from = *kept.last().expect("the first is kept");
            let fits = !self.locked[candidate] && keys[i + 1] - from <= longest && {
                // The three segments whose shape changes, with a neighbour on either side.
                let mut near: Vec<usize> = kept[kept.len().saturating_sub(3)..].to_vec();
                let first = near.len().saturating_sub(2);
                near.extend_from_slice(&keys[i + 1..(i + 4).min(keys.len())]);
                let end = (first + 3).min(near.len() - 1);
                (first..end).all(|s| self.worst_of_cubic(&near, s, tolerance).is_none())
            };
            if !fits {
                kept.push(candidate);
            }
            i += 1;
        }
        kept.push(keys[keys.len() - 1]);
        *keys = kept;
    }
}

/// Two rising lists as one; segments near a new key must be looked at again.
fn merge(keys: &[usize], good: &[bool], added: &[usize]) -> (Vec<usize>, Vec<bool>) {
    let mut all = Vec::with_capacity(keys.len() + added.len());
    let mut flags = Vec::with_capacity(all.capacity());
    let mut fresh = Vec::new();
    let mut next = added.iter().copied().peekable();
    for (key, good) in keys.iter().zip(good) {
        while let Some(new) = next.next_if(|n| n < key) {
            fresh.push(all.len());
            all.push(new);
            flags.push(false);
        }
        // A key that is there already changes nothing.
        next.next_if(|n| n == key);
        all.push(*key);
        flags.push(*good);
    }
    for at in fresh {
        for s in at.saturating_sub(2)..(at + 2).min(flags.len()) {
            flags[s] = false;
        }
    }
    (all, flags)
}

/// The middle of the box round all values, and the distance of the farthest from it.
pub(crate) fn middle<V: Fit>(values: &[V]) -> (V, f64) {
    let first = values[0];
    let mut low = [0.0_f64; 3];
    let mut high = [0.0_f64; 3];
    for v in values {
        for (c, x) in v.coordinates(first).into_iter().enumerate() {
            low[c] = if x < low[c] { x } else { low[c] };
            high[c] = if x > high[c] { x } else { high[c] };
        }
    }
    let middle = V::at(first, [0, 1, 2].map(|c| (low[c] + high[c]) * 0.5));
    let spread = values.iter().map(|v| V::distance(middle, *v));
    (middle, spread.fold(0.0, |a, b| if b > a { b } else { a }))
}

/// The bits of a track in the quantised coding: records of one width a channel and component, and jump
/// frames, which hold whole keys.
pub(crate) fn cost<V: Fit>(track: &PlanTrack<V>, centre: V, jumps: f64) -> f64 {
    let cubic = track.curve == Curve::Hermite;
    let window = if cubic { 4 } else { 2 };
    // Three components off by half a step each stay within the tolerance.
    let step = track.tolerance * 2.0 / 3.0_f64.sqrt();
    let points: Vec<[f64; 3]> =
        track.keys.iter().map(|(_, v)| v.coordinates(centre).map(|x| (x / step).round())).collect();
    let mut record = 0.0;
    let mut state = 0.0;
    for c in 0..3 {
        let at = |i: usize| points[i][c];
        let largest = |residual: &dyn Fn(usize) -> f64| {
            (window..points.len()).map(|i| residual(i).abs()).fold(0.0, |a, b| if b > a { b } else { a })
        };
        let oldest = largest(&|i| at(i) - at(i - window));
        let smooth = if cubic {
            largest(&|i| at(i) - 4.0 * at(i - 1) + 6.0 * at(i - 2) - 4.0 * at(i - 3) + at(i - 4))
        } else {
            largest(&|i| at(i) - 2.0 * at(i - 1) + at(i - 2))
        };
        record += bits(if smooth < oldest { smooth } else { oldest });
        let range = points.iter().map(|p| p[c].abs()).fold(0.0, |a, b| if b > a { b } else { a });
        state += bits(range);
    }
    let spans = track.keys.windows(window + 1).map(|w| w[window].0 - w[0].0);
    let (low, high) = spans.fold((u32::MAX, 0), |(low, high), s| (low.min(s), high.max(s)));
    let span = if high > low { libm::log2(f64::from(high - low + 1)).ceil() } else { 0.0 };
    let row_bits = if high > 0 { libm::log2(f64::from(high + 1)).ceil() } else { 0.0 };
    let jump = window as f64 * (state + row_bits * 0.5);
    (record + span) * points.len().saturating_sub(window) as f64 + jump * jumps
}

/// The width of signed integers up to this.
fn bits(largest: f64) -> f64 {
    if largest == 0.0 { 0.0 } else { libm::log2(largest).floor() + 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::Key;

    fn track<V: Fit>(curve: Curve, values: &[V]) -> (Channel<V>, Track<V>) {
        let channel = Channel::new(curve, values.iter().enumerate().map(|(i, v)| (i as f64 / 30.0, *v)));
        let points = TimePoints::Uniform { rate: 30.0, count: values.len() as u32 };
        let track = Track::new(&Motion::Moving(&channel), &points, &[], 1e-6).unwrap();
        (channel, track)
    }

    fn x(v: f64) -> V3 {
        V3::new(v, 0.0, 0.0)
    }

    /// The farthest that the plan's keys are from the source, at and between rows.
    fn off<V: Fit>(channel: &Channel<V>, plan: &PlanTrack<V>) -> f64 {
        let keys = plan.keys.iter().map(|(row, v)| Key { time_s: f64::from(*row) / 30.0, value: *v });
        let fitted = Channel { curve: plan.curve, keys: keys.collect(), tangents: Vec::new() };
        let last = channel.keys.last().unwrap().time_s;
        let at = |i: i32| f64::from(i) / 997.0 * last;
        let apart = |t: f64| V::distance(channel.sample(t).unwrap(), fitted.sample(t).unwrap());
        (0..=997).map(|i| apart(at(i))).fold(0.0, f64::max)
    }

    #[test]
    fn a_line_needs_its_ends_and_a_corner_its_corner() {
        let values: Vec<V3> = (0..40).map(|i| x(f64::from(if i < 25 { i } else { 50 - i }))).collect();
        let (_, track) = track(Curve::Linear, &values);
        assert_eq!(track.fit_linear(1e-6).unwrap(), [0, 25, 39]);
    }

    #[test]
    fn steps_keep_the_rows_where_they_change() {
        let (channel, track) = track(Curve::Step, &[x(1.0), x(1.0), x(2.0), x(2.0), x(2.0), x(1.0)]);
        let plan = track.reduce(1e-3, 1.0);
        assert_eq!(plan.keys.iter().map(|k| k.0).collect::<Vec<_>>(), [0, 2, 5]);
        assert_eq!(off(&channel, &plan), 0.0);
    }

    #[test]
    fn smooth_turns_become_few_cubics_within_the_tolerance() {
        let turn = |i: i32| Q4::from_axis_angle(V3::Y, 0.7 * libm::sin(f64::from(i) * 0.05));
        let (channel, track) = track(Curve::Linear, &(0..200).map(turn).collect::<Vec<_>>());
        let keys = track.fit_hermite(2e-3).unwrap();
        assert!(keys.len() < 40 && keys[0] == 0 && keys[keys.len() - 1] == 199, "{} keys", keys.len());
        assert!(off(&channel, &track.plan(Curve::Hermite, &keys, 0.0)) <= 2.2e-3);
        assert!(keys.len() < track.fit_linear(2e-3).unwrap().len());
    }

    #[test]
    fn what_is_chosen_is_within_the_tolerance() {
        for (i, noise) in [0.0, 1e-3, 0.1].into_iter().enumerate() {
            let wobble = |k: i32| noise * libm::sin(f64::from(k * k) * (1.7 + i as f64));
            let value = |k: i32| Q4::from_axis_angle(V3::Z, libm::sin(f64::from(k) * 0.1) + wobble(k));
            let (channel, track) = track(Curve::Linear, &(0..150).map(value).collect::<Vec<_>>());
            for tolerance in [1e-2, 1e-3, 1e-4] {
                let plan = track.reduce(tolerance, 10.0);
                assert!(off(&channel, &plan) <= tolerance * FIT_SHARE * 1.1);
                assert!(plan.tolerance <= tolerance);
                assert_eq!((plan.keys[0].0, plan.keys[plan.keys.len() - 1].0), (0, 149));
            }
        }
    }

    #[test]
    fn curves_that_bend_say_how_many_pieces_they_need() {
        let far = [Q4::IDENTITY, Q4::from_axis_angle(V3::X, 2.5)];
        let keys = |curve| Channel::new(curve, [(0.0, far[0]), (1.0, far[1])]);
        assert_eq!(pieces(&keys(Curve::Linear), 1e-4), [1]);
        let needed = pieces(&keys(Curve::Slerp), 1e-4)[0];
        assert!((5..200).contains(&needed), "{needed}");
        assert!(pieces(&keys(Curve::Slerp), 1e-2)[0] < needed);
    }

    #[test]
    fn the_middle_of_still_values_is_near_all_of_them() {
        let near = |i: i32| Q4::from_axis_angle(V3::X, 2.0 + 1e-4 * f64::from(i % 5));
        let (_, track) = track(Curve::Linear, &(0..20).map(near).collect::<Vec<_>>());
        let (_, spread) = track.constant();
        assert!((spread - 2e-4).abs() < 1e-6, "{spread}");
    }
}
