//! Tracks that are not joints: a weight, a colour, "the foot is on the ground".

use crate::exact::{Q4, larger, smaller};
use lissom::track::TrackKind;

/// Keys over the length of an animation, as ratios: the track stretches with the clip it goes with.
#[derive(Clone, Debug, PartialEq)]
pub struct RawUserTrack {
    /// May be empty.
    pub name: String,
    /// What a value is.
    pub kind: TrackKind,
    /// Strictly rising in ratio; may be empty.
    pub keys: Vec<UserKey>,
}

/// A value at a ratio of the duration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UserKey {
    /// In [0, 1].
    pub ratio: f64,
    /// As many numbers as [`TrackKind::components`]; the others are 0.
    pub value: [f64; 4],
    /// True: the value holds until the next key. False: a straight line leads there.
    pub step: bool,
}

/// What is wrong with a user track; the key is named.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RawUserTrackError {
    /// A ratio is NaN or outside [0, 1].
    #[error("key {key}: its ratio {ratio} is not in [0, 1]")]
    Ratio {
        /// The key.
        key: usize,
        /// Its ratio.
        ratio: f64,
    },
    /// A key does not come after the one before it.
    #[error("key {key}: its ratio {ratio} is not after the key before it")]
    Order {
        /// The key.
        key: usize,
        /// Its ratio.
        ratio: f64,
    },
    /// A value is NaN, infinite, or beyond f32.
    #[error("key {key}: its value is not finite")]
    NotFinite {
        /// The key.
        key: usize,
    },
    /// A rotation has no length.
    #[error("key {key}: a quaternion of length 0 is no rotation")]
    NoRotation {
        /// The key.
        key: usize,
    },
}

impl RawUserTrack {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Every case of [`RawUserTrackError`].
    pub fn validate(&self) -> Result<(), RawUserTrackError> {
        let mut before = f64::NEG_INFINITY;
        for (key, UserKey { ratio, value, .. }) in self.keys.iter().copied().enumerate() {
            if !(0.0..=1.0).contains(&ratio) {
                return Err(RawUserTrackError::Ratio { key, ratio });
            }
            if ratio <= before {
                return Err(RawUserTrackError::Order { key, ratio });
            }
            if value.iter().any(|v| !(*v as f32).is_finite()) {
                return Err(RawUserTrackError::NotFinite { key });
            }
            let [x, y, z, w] = value;
            let q = Q4::new(x, y, z, w);
            if self.kind == TrackKind::Quat && q.dot(q) <= 1e-12 {
                return Err(RawUserTrackError::NoRotation { key });
            }
            before = ratio;
        }
        Ok(())
    }

    /// Leaves out keys that a straight line between their neighbours, or a value that holds, stands for: no number is
    /// farther off than `tolerance`. Of rotations only those are left out that repeat.
    pub fn reduce(&mut self, tolerance: f64) {
        let tolerance = if self.kind == TrackKind::Quat { 0.0 } else { tolerance };
        let mut kept: Vec<UserKey> = Vec::new();
        let mut next = 0;
        while let Some(key) = self.keys.get(next).copied() {
            let holds = kept.last().is_some_and(|before| before.step && before.value == key.value);
            // What ends a hold starts a line; what goes on holding says nothing.
            if !(holds && key.step) {
                kept.push(key);
            }
            next = if key.step { next + 1 } else { self.end_of_line(next, tolerance) };
        }
        // Nothing moves after the last change.
        while let [.., a, b] = kept.as_slice()
            && a.value == b.value
        {
            kept.pop();
        }
        self.keys = kept;
    }

    /// The farthest key, after `from`, to which a line from there is within `tolerance` of all between.
    fn end_of_line(&self, from: usize, tolerance: f64) -> usize {
        let start = self.keys[from];
        let (mut low, mut high) = ([f64::NEG_INFINITY; 4], [f64::INFINITY; 4]);
        let mut end = from + 1;
        for (i, key) in self.keys.iter().enumerate().skip(from + 1) {
            let span = key.ratio - start.ratio;
            let slope = |c: usize, off: f64| (key.value[c] + off - start.value[c]) / span;
            if (0..4).any(|c| slope(c, 0.0) < low[c] || slope(c, 0.0) > high[c]) {
                break;
            }
            end = i;
            if key.step {
                break;
            }
            for c in 0..4 {
                low[c] = larger(low[c], slope(c, -tolerance));
                high[c] = smaller(high[c], slope(c, tolerance));
            }
        }
        end
    }

    /// The value at a ratio. Before the first and after the last key, that key's value holds; without keys
    /// numbers are 0 and a rotation is the identity. Rotations come out normalised, by the shorter path.
    #[must_use]
    pub fn sample(&self, ratio: f64) -> [f64; 4] {
        let as_rotation = |[x, y, z, w]: [f64; 4]| Q4::new(x, y, z, w);
        let settle = |v: [f64; 4]| {
            if self.kind != TrackKind::Quat {
                return v;
            }
            let q = as_rotation(v).normalize();
            [q.x, q.y, q.z, q.w]
        };
        let next = self.keys.partition_point(|k| k.ratio <= ratio);
        let (before, after) = match (next.checked_sub(1).map(|b| self.keys[b]), self.keys.get(next)) {
            (None, None) => {
                return if self.kind == TrackKind::Quat { [0.0, 0.0, 0.0, 1.0] } else { [0.0; 4] };
            }
            (None, Some(only)) => return settle(only.value),
            (Some(only), None) => return settle(only.value),
            (Some(before), Some(after)) => (before, after),
        };
        if before.step {
            return settle(before.value);
        }
        let t = (ratio - before.ratio) / (after.ratio - before.ratio);
        if self.kind == TrackKind::Quat {
            let q = as_rotation(before.value).nlerp(as_rotation(after.value), t);
            return [q.x, q.y, q.z, q.w];
        }
        core::array::from_fn(|i| before.value[i] * (1.0 - t) + after.value[i] * t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(kind: TrackKind, keys: &[(f64, [f64; 4], bool)]) -> RawUserTrack {
        let key = |(ratio, value, step): &(f64, [f64; 4], bool)| UserKey {
            ratio: *ratio,
            value: *value,
            step: *step,
        };
        RawUserTrack { name: String::new(), kind, keys: keys.iter().map(key).collect() }
    }

    #[test]
    fn values_hold_at_the_ends_step_or_run_straight_between() {
        let one = |v: f64| [v, 0.0, 0.0, 0.0];
        let t =
            track(TrackKind::Float, &[(0.2, one(1.0), false), (0.6, one(3.0), true), (0.8, one(7.0), false)]);
        assert_eq!(t.validate(), Ok(()));
        for (ratio, v) in
            [(0.0, 1.0), (0.2, 1.0), (0.4, 2.0), (0.6, 3.0), (0.79, 3.0), (0.8, 7.0), (1.0, 7.0)]
        {
            assert!((t.sample(ratio)[0] - v).abs() < 1e-12, "{ratio}");
        }
        assert_eq!(track(TrackKind::Float3, &[]).sample(0.5), [0.0; 4]);
        assert_eq!(track(TrackKind::Quat, &[]).sample(0.5), [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn keys_that_say_nothing_go_and_no_value_is_off_by_more_than_the_tolerance() {
        let wave = |i: usize| libm::sin(i as f64 * 0.05) * libm::floor(i as f64 / 120.0);
        let keys: Vec<_> =
            (0..400).map(|i| (i as f64 / 399.0, [wave(i), 0.0, 0.0, 0.0], i % 50 == 7)).collect();
        let full = track(TrackKind::Float, &keys);
        let mut before = full.keys.len();
        for tolerance in [1e-9, 1e-4, 1e-3, 1e-2] {
            let mut few = full.clone();
            few.reduce(tolerance);
            assert_eq!(few.validate(), Ok(()));
            assert!(few.keys.len() < before, "{} keys at {tolerance}", few.keys.len());
            before = few.keys.len();
            for i in 0..=4000 {
                let ratio = f64::from(i) / 4000.0;
                let off = (few.sample(ratio)[0] - full.sample(ratio)[0]).abs();
                assert!(off <= tolerance * 1.000_001, "{off} at {ratio}, {tolerance}");
            }
        }
    }

    #[test]
    fn a_value_that_never_changes_is_one_key() {
        for step in [false, true] {
            let keys: Vec<_> = (0..9).map(|i| (f64::from(i) / 8.0, [0.25; 4], step)).collect();
            let mut still = track(TrackKind::Float4, &keys);
            still.reduce(1e-4);
            assert_eq!((still.keys.len(), still.sample(0.4)), (1, [0.25; 4]));
        }
        let mut turns =
            track(TrackKind::Quat, &[(0.0, [0.0, 0.0, 0.0, 1.0], false), (1.0, [0.0, 1.0, 0.0, 0.0], false)]);
        turns.reduce(10.0);
        assert_eq!(turns.keys.len(), 2);
    }

    #[test]
    fn rotations_take_the_shorter_path() {
        let keys = [(0.0, [0.0, 0.0, 0.0, -1.0], false), (1.0, [0.0, 1.0, 0.0, 0.0], false)];
        let [x, y, z, w] = track(TrackKind::Quat, &keys).sample(0.5);
        let half = 0.5_f64.sqrt();
        assert!(x == 0.0 && z == 0.0 && (y.abs() - half).abs() < 1e-12 && (w.abs() - half).abs() < 1e-12);
    }

    #[test]
    fn what_is_wrong_is_named() {
        use RawUserTrackError as E;
        let check = |kind, keys: &[(f64, f64)]| {
            let keys: Vec<_> = keys.iter().map(|(r, v)| (*r, [*v; 4], false)).collect();
            track(kind, &keys).validate()
        };
        assert_eq!(check(TrackKind::Float, &[(0.5, 1.0), (1.5, 1.0)]), Err(E::Ratio { key: 1, ratio: 1.5 }));
        assert!(matches!(check(TrackKind::Float, &[(f64::NAN, 1.0)]), Err(E::Ratio { key: 0, .. })));
        assert_eq!(check(TrackKind::Float, &[(0.5, 1.0), (0.5, 1.0)]), Err(E::Order { key: 1, ratio: 0.5 }));
        assert_eq!(check(TrackKind::Float, &[(0.5, 1e300)]), Err(E::NotFinite { key: 0 }));
        assert_eq!(check(TrackKind::Quat, &[(0.5, 0.0)]), Err(E::NoRotation { key: 0 }));
    }
}
