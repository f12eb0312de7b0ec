//! Gaits in step by what they pass: a left foot comes down where the others' left feet do.
//!
//! A graph may name markers that its gaits pass once a lap each, in this order. The lap of a state is then counted in these: with
//! two of them, it begins at the first and is half over at the second, whatever the clip. Each clip runs through the interval
//! between two markers evenly, and a blend takes for each interval the mean time of its clips. So a clip alone plays as it was made.

use alloc::{boxed::Box, string::String, vec::Vec};

/// The most markers by which clips are kept in step.
pub const MAX_SYNC: usize = 8;

/// Of a lap: what is nearer is one place.
const NEAR: f64 = 1.0e-6;

/// Where a clip passes the markers, in laps of its own: rising from the first, which is in its first lap, to where the first is
/// passed again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Marks(Box<[f64]>);

impl Marks {
    /// `None` if the clip does not pass each of them once a lap, in this order.
    pub(super) fn new(sync: &[String], duration_s: f64, markers: &[(f64, String)]) -> Option<Self> {
        let mut places: Vec<f64> = Vec::with_capacity(sync.len() + 1);
        for name in sync {
            let mut passed = markers.iter().filter(|(_, other)| other == name);
            let (Some((time_s, _)), None) = (passed.next(), passed.next()) else { return None };
            let own = time_s / duration_s;
            // What stands at the end is passed as the next lap begins.
            let own = if own == 1.0 { 0.0 } else { own };
            if !(0.0..1.0).contains(&own) {
                return None;
            }
            let first = *places.first().unwrap_or(&own);
            places.push(if own < first { own + 1.0 } else { own });
        }
        places.push(places.first()? + 1.0);
        let rises = places.windows(2).all(|pair| pair[1] - pair[0] > NEAR);
        rises.then(|| Self(places.into()))
    }

    /// Where the clip is, in laps of its own from the start of one, at a share of the state's lap.
    pub(crate) fn at(&self, share: f64) -> f64 {
        let Self(places) = self;
        let way = share * (places.len() - 1) as f64;
        let last = places.len() - 2;
        let interval = way as usize;
        let interval = if interval < last { interval } else { last };
        let (from, to) = (places[interval], places[interval + 1]);
        let at = from + (to - from) * (way - interval as f64);
        // However it is rounded, it never falls as the share rises.
        if at > to { to } else { at }
    }

    fn interval(&self, number: usize) -> f64 {
        self.0[number + 1] - self.0[number]
    }
}

/// How the time of a lap is shared among its intervals.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    times: [f64; MAX_SYNC],
    intervals: usize,
}

impl Pace {
    pub(crate) fn new(intervals: usize) -> Self {
        Self { times: [0.0; MAX_SYNC], intervals }
    }

    /// Counts a clip that takes so long for a lap; without marks it goes evenly.
    pub(crate) fn add(&mut self, marks: Option<&Marks>, lap_s: f64) {
        let even = 1.0 / self.intervals as f64;
        for (number, time) in self.times[..self.intervals].iter_mut().enumerate() {
            *time += lap_s * marks.map_or(even, |marks| marks.interval(number));
        }
    }

    /// Counts another by its share.
    pub(crate) fn blend(&mut self, other: &Self, share: f64) {
        let total = other.total();
        for (time, other) in self.times[..self.intervals].iter_mut().zip(other.times) {
            *time += if total > 0.0 { other / total } else { 1.0 / self.intervals as f64 } * share;
        }
    }

    fn total(&self) -> f64 {
        self.times[..self.intervals].iter().sum()
    }

    /// How much of a lap's time is over at a share of the lap.
    pub(crate) fn time_at(&self, share: f64) -> f64 {
        let total = self.total();
        if total <= 0.0 {
            return share;
        }
        let (way, mut over) = (share * self.intervals as f64, 0.0);
        for (number, time) in self.times[..self.intervals].iter().enumerate() {
            let into = way - number as f64;
            if into < 1.0 {
                return (over + time * if into > 0.0 { into } else { 0.0 }) / total;
            }
            over += time;
        }
        1.0
    }

    /// The share of the lap at which this share of its time is over.
    pub(crate) fn share_at(&self, time: f64) -> f64 {
        let (total, intervals) = (self.total(), self.intervals as f64);
        if total <= 0.0 {
            return time;
        }
        let mut left = time * total;
        for (number, own) in self.times[..self.intervals].iter().enumerate() {
            if left < *own {
                return (number as f64 + left / own) / intervals;
            }
            left -= own;
        }
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).into()).collect()
    }

    fn markers(all: &[(f64, &str)]) -> Vec<(f64, String)> {
        all.iter().map(|(at, name)| (*at, (*name).into())).collect()
    }

    #[test]
    fn marks_count_a_lap_from_the_first() {
        let sync = names(&["left", "right"]);
        // In a clip of 2 seconds: right at 0.2, left at 1.4.
        let marks =
            Marks::new(&sync, 2.0, &markers(&[(0.2, "right"), (1.4, "left"), (1.5, "other")])).unwrap();
        for (share, at) in [(0.0, 0.7), (0.25, 0.9), (0.5, 1.1), (0.75, 1.4)] {
            assert!((marks.at(share) - at).abs() < 1e-15, "{share}: {}", marks.at(share));
        }
        let mut before = marks.at(0.0);
        for i in 1..100_000 {
            let at = marks.at(f64::from(i) / 100_000.0);
            assert!(at >= before && at <= 1.7);
            before = at;
        }
    }

    #[test]
    fn what_does_not_pass_each_once_in_order_has_no_marks() {
        let sync = names(&["a", "b", "c"]);
        for wrong in [
            &[(0.0, "a"), (0.5, "b")][..],
            &[(0.0, "a"), (0.2, "b"), (0.4, "c"), (0.6, "c")],
            &[(0.0, "a"), (0.2, "c"), (0.4, "b")],
            &[(0.0, "a"), (0.2, "b"), (0.2, "c")],
            &[(0.0, "a"), (0.2, "b"), (1.2, "c")],
            &[(0.0, "a"), (0.2, "b"), (f64::NAN, "c")],
            &[(0.0, "a"), (0.2, "b"), (1.0, "c")],
        ] {
            assert_eq!(Marks::new(&sync, 1.0, &markers(wrong)), None, "{wrong:?}");
        }
        let right = [(0.4, "a"), (0.9, "b"), (1.0, "c")];
        assert!(Marks::new(&sync, 1.0, &markers(&right)).is_some());
        assert_eq!(Marks::new(&sync, 0.0, &markers(&right)), None);
        assert_eq!(Marks::new(&[], 1.0, &markers(&right)), None);
    }

    #[test]
    fn a_pace_and_back_is_where_it_was() {
        let sync = names(&["left", "right"]);
        let marks = Marks::new(&sync, 1.0, &markers(&[(0.1, "left"), (0.8, "right")])).unwrap();
        let mut pace = Pace::new(2);
        pace.add(Some(&marks), 1.0);
        assert!((pace.time_at(0.5) - 0.7).abs() < 1e-15);
        pace.add(None, 3.0);
        assert!((pace.time_at(0.5) - (0.7 + 1.5) / 4.0).abs() < 1e-15);
        for i in 0..=1000 {
            let share = f64::from(i) / 1000.0;
            assert!((pace.share_at(pace.time_at(share)) - share).abs() < 1e-14, "{share}");
        }
    }
}
