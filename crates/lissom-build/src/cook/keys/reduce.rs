//! Which keys of a channel stay: those dropped that a curve through the others replaces.

use super::{
    candidates::{Fit, Track},
    plan::PlanTrack,
};
use crate::{exact::larger, raw::Curve};

/// Of a channel's tolerance, what a curve that skips keys may use; the rest is for rounding its keys.
const FIT_SHARE: f64 = 0.6;
/// What is left for rounding then: the two are independent, so their squares add up.
const ROUND_SHARE: f64 = 0.8;

impl<V: Fit> Track<V> {
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
        let each = self.tests_each;
        let stride = if self.tests.is_empty() && V::is_even(from, to) { each } else { 1 };
        (a * each + stride..b * each).step_by(stride).all(|i| {
            let t = (self.test_time(i) - start) / span;
            V::distance(V::between(from, to, t, Curve::Linear), self.test(i)) <= tolerance
        })
    }
}

/// The bits of a track in the quantised coding: records of one width a channel and component, and jump
/// frames, which hold whole keys.
fn cost<V: Fit>(track: &PlanTrack<V>, centre: V, jumps: f64) -> f64 {
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
            (window..points.len()).map(|i| residual(i).abs()).fold(0.0, larger)
        };
        let oldest = largest(&|i| at(i) - at(i - window));
        let smooth = if cubic {
            largest(&|i| at(i) - 4.0 * at(i - 1) + 6.0 * at(i - 2) - 4.0 * at(i - 3) + at(i - 4))
        } else {
            largest(&|i| at(i) - 2.0 * at(i - 1) + at(i - 2))
        };
        record += bits(if smooth < oldest { smooth } else { oldest });
        let range = points.iter().map(|p| p[c].abs()).fold(0.0, larger);
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
    use crate::{
        cook::{source::SourceChannel, timeline::TimePoints},
        exact::{Q4, V3},
        raw::{Channel, Key},
    };

    use crate::cook::keys::candidates::pieces;

    fn track<V: Fit>(curve: Curve, values: &[V]) -> (Channel<V>, Track<V>) {
        let channel = Channel::new(curve, values.iter().enumerate().map(|(i, v)| (i as f64 / 30.0, *v)));
        let points = TimePoints::Uniform { rate: 30.0, count: values.len() as u32 };
        let track = Track::new(&SourceChannel::Moving(&channel), &points, &[], 1e-6).unwrap();
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
        (0..=997).map(|i| apart(at(i))).fold(0.0, larger)
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
