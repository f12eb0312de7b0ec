//! The rows of a clip: the times that its keys can stand at.

/// All times that keys stand at, in seconds: the first is 0, the last is the duration.
#[derive(Clone, Debug, PartialEq)]
pub enum TimePoints {
    /// Row i is at i / rate; the last row is at the duration.
    Uniform {
        /// Rows a second.
        rate: f64,
        /// How many rows; at least 2.
        count: u32,
    },
    /// Strictly rising; at least 2.
    Listed(Vec<f64>),
}

impl TimePoints {
    /// How many rows.
    #[must_use]
    pub fn count(&self) -> u32 {
        match self {
            Self::Uniform { count, .. } => *count,
            Self::Listed(times) => times.len() as u32,
        }
    }

    /// The time of a row in seconds.
    #[must_use]
    pub fn time_s(&self, row: u32) -> f64 {
        match self {
            Self::Uniform { rate, .. } => f64::from(row) / rate,
            Self::Listed(times) => times[row as usize],
        }
    }

    /// The time of the last row, in seconds.
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        self.time_s(self.count() - 1)
    }
}

/// Rates that sources are usually sampled at; found ones that are this close become exactly these.
const USUAL_RATES: [f64; 7] = [24.0, 25.0, 30.0, 50.0, 60.0, 100.0, 120.0];

/// Even rows a time at most. Rows without keys are cheap but not free: each doubling is a bit of every key's distance to
/// the next, where a listed time is 32.
const SPARSE: u64 = 32;

/// Rows that fit the rising `times` (from 0 to the duration): uniform if all of them lie on one rate, up to
/// the rounding of f32, and all of `exact` to the last bit; otherwise the times themselves.
pub(crate) fn choose(times: &[f64], exact: &[f64]) -> TimePoints {
    uniform(times, exact).unwrap_or_else(|| listed(times))
}

/// The times themselves, as far as the format can tell them apart.
pub(crate) fn listed(times: &[f64]) -> TimePoints {
    let end = times.last().copied().unwrap_or(0.0);
    let apart = end * CLOSEST;
    let mut rows: Vec<f64> = Vec::with_capacity(times.len());
    for t in times.iter().copied() {
        if rows.last().is_none_or(|before| t - before > apart) {
            rows.push(t);
        }
    }
    // The duration is always a row, in place of one that is too near.
    if rows.len() > 1 {
        rows.pop();
    }
    if rows.last().is_some_and(|before| end - before <= apart) && rows.len() > 1 {
        rows.pop();
    }
    rows.push(end);
    TimePoints::Listed(rows)
}

/// Rows nearer than this share of the duration are one.
const CLOSEST: f64 = 4e-9;

fn uniform(times: &[f64], exact: &[f64]) -> Option<TimePoints> {
    let duration_s = *times.last()?;
    // The rounding of f32 is no distance: a last key may stand just before the end.
    let apart = times.windows(2).map(|w| w[1] - w[0]).filter(|gap| *gap > duration_s * 3e-7);
    let shortest = apart.fold(duration_s, |a, b| if b < a { b } else { a });
    let steps = (duration_s / shortest).round();
    let most = times.len() as f64 * SPARSE as f64 + 64.0;
    let found = [(times.len() - 1) as f64 / duration_s, steps / duration_s];
    // A rate with few decimals, if the rounding of an f32 duration is all that is between.
    let rounded = |r: f64| {
        let few = (r * 1000.0).round() / 1000.0;
        if (few - r).abs() <= 1e-7 * r { few } else { r }
    };
    // The shortest distance may be several rows: an exported clip has keys at some rows of a fine rate. What it says of
    // the rate is rough; each later time says it better.
    let better = |rate: f64, t: &f64| if t * rate > 0.5 { (t * rate).round() / t } else { rate };
    let finer = (1..=16).map(|rows| times.iter().fold(f64::from(rows) / shortest, better)).map(rounded);
    let candidates = [rounded(found[0]), found[0], rounded(found[1]), found[1]]
        .into_iter()
        .chain(USUAL_RATES)
        .chain(finer);
    candidates.into_iter().find_map(|rate| {
        let count = (duration_s * rate).round() + 1.0;
        let fits = |t: &f64| {
            let row = t * rate;
            (row - row.round()).abs() <= 1e-6 + 3e-7 * row
        };
        let on_row = |t: &f64| (t * rate).round() / rate == *t;
        let good = rate > 0.0
            && (2.0..=most).contains(&count)
            && count <= f64::from(u32::MAX)
            && times.iter().all(fits)
            && exact.iter().all(on_row);
        good.then_some(TimePoints::Uniform { rate, count: count as u32 })
    })
}

/// The row nearest to a time.
pub(crate) fn row_of(points: &TimePoints, time_s: f64) -> u32 {
    match points {
        TimePoints::Uniform { rate, count } => {
            let row = (time_s * rate).round() as u32;
            row.min(count - 1)
        }
        TimePoints::Listed(times) => {
            let after = times.partition_point(|t| *t < time_s);
            let nearer_before =
                after > 0 && (after == times.len() || time_s - times[after - 1] < times[after] - time_s);
            (after - usize::from(nearer_before)) as u32
        }
    }
}

/// More rows: at least `pieces[i]` from `times[i]` to `times[i + 1]`, for a curve that bends there.
/// `None` if they would be too many.
pub(crate) fn refine(points: &TimePoints, times: &[f64], pieces: &[u32]) -> Option<TimePoints> {
    if let TimePoints::Uniform { rate, count } = points {
        let factor = times.windows(2).zip(pieces).map(|(w, pieces)| {
            let rows = row_of(points, w[1]) - row_of(points, w[0]);
            pieces.div_ceil(rows.max(1))
        });
        let factor = factor.max().unwrap_or(1);
        let rows = u64::from(count - 1) * u64::from(factor) + 1;
        let listed: u64 = pieces.iter().map(|p| u64::from(*p)).sum();
        if rows <= listed * SPARSE + 64 {
            let count = u32::try_from(rows).ok()?;
            return Some(TimePoints::Uniform { rate: rate * f64::from(factor), count });
        }
    }
    let total: u64 = pieces.iter().map(|p| u64::from(*p)).sum();
    u32::try_from(total + 1).ok()?;
    let end = times.last().copied()?;
    let mut all = Vec::with_capacity(total as usize + 1);
    for (w, pieces) in times.windows(2).zip(pieces) {
        let step = (w[1] - w[0]) / f64::from(*pieces);
        let pieces = if step > end * 1e-7 { *pieces } else { 1 };
        all.extend((0..pieces).map(|k| w[0] + step * f64::from(k)));
    }
    all.extend(times.last());
    Some(listed(&all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampled_sources_are_uniform_at_their_rate() {
        for rate in [24.0, 25.0, 29.97, 30.0, 60.0, 120.0, 7.0, 1000.0 / 7.0] {
            for n in [2, 3, 31, 1000] {
                let times: Vec<f64> = (0..n).map(|i| f64::from(i) / rate).collect();
                let TimePoints::Uniform { rate: found, count } = choose(&times, &[]) else {
                    panic!("{n} samples at {rate} Hz are uniform");
                };
                assert!(count == n as u32 && (found / rate - 1.0).abs() < 1e-12, "{found} for {rate}");
            }
        }
    }

    #[test]
    fn times_rounded_to_f32_and_gaps_are_uniform_too() {
        let rounded: Vec<f64> = (0..500).map(|i| f64::from(i as f32 / 30.0)).collect();
        assert_eq!(choose(&rounded, &[]), TimePoints::Uniform { rate: 30.0, count: 500 });
        let gaps = [0.0, 0.1, 0.2, 0.8, 2.0];
        assert_eq!(choose(&gaps, &[]), TimePoints::Uniform { rate: 10.0, count: 21 });
        // Keys at odd times on a usual rate.
        let sparse = [0.0, 7.0 / 60.0, 12.0 / 60.0, 30.0 / 60.0];
        assert_eq!(choose(&sparse, &[]), TimePoints::Uniform { rate: 60.0, count: 31 });
        // Never less than four rows apart, in f32; and where the shortest distance says too little.
        let fine: Vec<f64> = [0, 5, 10, 15, 19, 24, 182, 187].map(|row| f64::from(row as f32 / 34.0)).into();
        assert_eq!(choose(&fine, &[]), TimePoints::Uniform { rate: 34.0, count: 188 });
        let rough = (0..240).map(|i| i * 12 + i % 2).chain([2880]);
        let rough: Vec<f64> = rough.map(|row| f64::from(row as f32 / 888.0)).collect();
        assert!(matches!(choose(&rough, &[]), TimePoints::Uniform { count: 2881, .. }));
        let end: Vec<f64> = (0..21).map(|i| f64::from(i as f32 / 6.0)).chain([20.0 / 6.0]).collect();
        assert_eq!(choose(&end, &[]), TimePoints::Uniform { rate: 6.0, count: 21 });
    }

    #[test]
    fn what_does_not_fit_is_listed() {
        let odd = vec![0.0, 0.1234, 0.5, 0.77, 1.0];
        assert_eq!(choose(&odd, &[]), TimePoints::Listed(odd.clone()));
        // A step must come at its very time.
        let times = [0.0, f64::from(0.1_f32), 0.2];
        assert!(matches!(choose(&times, &[]), TimePoints::Uniform { .. }));
        assert_eq!(choose(&times, &[times[1]]), TimePoints::Listed(times.to_vec()));
    }

    #[test]
    fn rows_are_found_and_refined() {
        for points in [
            TimePoints::Uniform { rate: 30.0, count: 31 },
            TimePoints::Listed((0..31).map(|i| f64::from(i) / 30.0).collect()),
        ] {
            for row in 0..31 {
                assert_eq!(row_of(&points, points.time_s(row)), row);
                assert_eq!(row_of(&points, points.time_s(row) + 0.01), row);
            }
        }
        let times = [0.0, 0.5, 1.0];
        let even = TimePoints::Uniform { rate: 2.0, count: 3 };
        assert_eq!(refine(&even, &times, &[3, 1]), Some(TimePoints::Uniform { rate: 6.0, count: 7 }));
        let listed = refine(&TimePoints::Listed(times.to_vec()), &times, &[2, 1]);
        assert_eq!(listed, Some(TimePoints::Listed(vec![0.0, 0.25, 0.5, 1.0])));
        assert_eq!(refine(&even, &times, &[u32::MAX, u32::MAX]), None);
    }
}
