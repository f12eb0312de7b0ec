//! Keys at a fixed rate, and the times at which an animation has keys.

use super::{Channel, Curve, Key, RawAnimation, RawEditError, RawTrack, Value};

/// The most keys that a channel can be resampled to: 38 hours at 120 Hz.
pub(crate) const MOST_KEYS: usize = 1 << 24;

impl RawAnimation {
    /// The times of fixed-rate keys over a duration: 0, 1/rate, 2/rate … and the end itself. 1 s at 30 Hz is
    /// 31 keys, 1.001 s is 32. A duration that misses a whole number of steps by no more than the rounding of
    /// an f32 counts as whole.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Rate`] and [`RawEditError::TooManyKeys`].
    pub fn fixed_rate_times(duration_s: f64, rate_hz: f64) -> Result<Vec<f64>, RawEditError> {
        if !(rate_hz.is_finite() && rate_hz > 0.0) {
            return Err(RawEditError::Rate { rate_hz });
        }
        let steps = duration_s * rate_hz;
        let rounding = if steps < 1e4 { steps * 1e-6 } else { 0.01 };
        let whole = steps.round();
        let steps = if (steps - whole).abs() <= rounding { whole } else { steps.ceil() };
        if !(0.0..MOST_KEYS as f64).contains(&steps) {
            return Err(RawEditError::TooManyKeys { keys: steps + 1.0, allowed: MOST_KEYS });
        }
        let steps = steps as usize;
        let mut times: Vec<f64> = (0..steps).map(|i| i as f64 / rate_hz).collect();
        times.push(duration_s);
        Ok(times)
    }

    /// Every channel with more than one key, sampled at a fixed rate. Steps stay steps; every other curve
    /// becomes linear.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Rate`] and [`RawEditError::TooManyKeys`].
    pub fn resampled(&self, rate_hz: f64) -> Result<Self, RawEditError> {
        let times = Self::fixed_rate_times(self.duration_s, rate_hz)?;
        Ok(self.sampled_at(&times))
    }

    /// Every channel with more than one key, sampled at the given rising times.
    pub(super) fn sampled_at(&self, times: &[f64]) -> Self {
        let track = |t: &RawTrack| RawTrack {
            translation: t.translation.sampled_at(times),
            rotation: t.rotation.sampled_at(times),
            scale: t.scale.sampled_at(times),
        };
        Self { tracks: self.tracks.iter().map(track).collect(), ..self.clone() }
    }

    /// The times of all keys, each once, rising.
    #[must_use]
    pub fn time_points(&self) -> Vec<f64> {
        fn times<V>(channel: &Channel<V>) -> impl Iterator<Item = f64> {
            channel.keys.iter().map(|k| k.time_s)
        }
        let mut all: Vec<f64> = Vec::new();
        for track in &self.tracks {
            all.extend(times(&track.translation));
            all.extend(times(&track.rotation));
            all.extend(times(&track.scale));
        }
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }
}

impl<V: Value> Channel<V> {
    fn sampled_at(&self, times: &[f64]) -> Self {
        if self.keys.len() < 2 {
            return self.clone();
        }
        let mut keys: Vec<Key<V>> = Vec::with_capacity(times.len());
        for time_s in times.iter().copied() {
            let Some(value) = self.sample(time_s) else { continue };
            let value = keys.last().map_or(value, |before| value.near(before.value));
            keys.push(Key { time_s, value });
        }
        let curve = if self.curve == Curve::Step { Curve::Step } else { Curve::Linear };
        Self { curve, keys, tangents: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{Q4, V3};

    #[test]
    fn fixed_rate_counts_are_the_known_ones() {
        let count = |duration_s, rate_hz| RawAnimation::fixed_rate_times(duration_s, rate_hz).unwrap().len();
        assert_eq!(count(1.0, 30.0), 31);
        assert_eq!(count(1.001, 30.0), 32);
        assert_eq!(count(1000.0, 30.0), 30_001);
        // 4/3 s as an f32 is a little more than 40 steps of 1/30 s.
        assert_eq!(count(f64::from(4.0f32 / 3.0), 30.0), 41);
        let times = RawAnimation::fixed_rate_times(1.001, 30.0).unwrap();
        assert_eq!((times[30], times[31]), (1.0, 1.001));
        assert!(times.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn bad_rates_are_refused() {
        for rate_hz in [0.0, -1.0, f64::INFINITY] {
            let error = RawAnimation::fixed_rate_times(1.0, rate_hz).unwrap_err();
            assert_eq!(error, RawEditError::Rate { rate_hz });
        }
        assert!(matches!(RawAnimation::fixed_rate_times(1.0, f64::NAN), Err(RawEditError::Rate { .. })));
        let many = RawAnimation::fixed_rate_times(1e6, 1e6);
        assert!(matches!(many, Err(RawEditError::TooManyKeys { .. })));
    }

    #[test]
    fn resampling_keeps_values_steps_and_constants() {
        let x = |v: f64| V3::new(v, 0.0, 0.0);
        let step = Channel::new(Curve::Step, [(0.0, x(1.0)), (0.5, x(2.0))]);
        let turn = Channel::new(
            Curve::Slerp,
            [(0.0, Q4::IDENTITY), (1.0, Q4::from_axis_angle(V3::Y, 2.0).scaled(-1.0))],
        );
        let track = RawTrack { translation: step, rotation: turn, scale: Channel::constant(V3::ONE) };
        let a = RawAnimation { duration_s: 1.0, tracks: vec![track], ..Default::default() };
        let r = a.resampled(8.0).unwrap();
        assert_eq!(r.validate(1), Ok(()));
        let (was, is) = (&a.tracks[0], &r.tracks[0]);
        assert_eq!((is.translation.curve, is.translation.keys.len()), (Curve::Step, 9));
        assert_eq!(is.scale, was.scale);
        assert_eq!(is.rotation.curve, Curve::Linear);
        for i in 0..=8 {
            let t = f64::from(i) / 8.0;
            assert_eq!(is.translation.sample(t), was.translation.sample(t));
            let (p, q) = (is.rotation.sample(t).unwrap(), was.rotation.sample(t).unwrap());
            assert!((p.dot(q).abs() - 1.0).abs() < 1e-14);
        }
        assert!(is.rotation.keys.windows(2).all(|w| w[0].value.dot(w[1].value) > 0.0));
        assert_eq!(a.time_points(), [0.0, 0.5, 1.0]);
    }
}
