//! Backwards.

use super::{Channel, Curve, Key, RawAnimation, RawTrack, RawUserTrack, Tangents, UserKey, Value};

impl RawAnimation {
    /// The motion from its end to its start. Curves stay what they are; a step that happened at a time happens at
    /// that time still, the other way.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let end_s = self.duration_s;
        let track = |t: &RawTrack| RawTrack {
            translation: t.translation.reversed(end_s),
            rotation: t.rotation.reversed(end_s),
            scale: t.scale.reversed(end_s),
        };
        Self { tracks: self.tracks.iter().map(track).collect(), ..self.clone() }
    }
}

impl<V: Value> Channel<V> {
    fn reversed(&self, end_s: f64) -> Self {
        if self.keys.len() < 2 {
            return self.clone();
        }
        if self.curve == Curve::Step {
            // A value holds from its key to the next one: read backwards, from the next one to its key.
            let ends = self.keys.iter().skip(1).map(|k| k.time_s).chain([end_s]);
            let held: Vec<Key<V>> =
                self.keys.iter().zip(ends).map(|(k, end)| Key { time_s: end, ..*k }).collect();
            let mut keys: Vec<Key<V>> =
                held.iter().rev().map(|k| Key { time_s: end_s - k.time_s, value: k.value }).collect();
            // One that holds for no time at all.
            keys.dedup_by(|later, earlier| {
                let gone = later.time_s == earlier.time_s;
                if gone {
                    earlier.value = later.value;
                }
                gone
            });
            return Self { curve: Curve::Step, keys, tangents: Vec::new() };
        }
        let against = |v: V| V::mix(v, -1.0, v, 0.0);
        let mut out = Self { curve: self.curve, keys: Vec::new(), tangents: Vec::new() };
        for (index, key) in self.keys.iter().enumerate().rev() {
            let time_s = end_s - key.time_s;
            // Keys that were apart by less than a rounding are one.
            if out.keys.last().is_some_and(|k| k.time_s >= time_s) {
                continue;
            }
            out.keys.push(Key { time_s, value: key.value });
            let tangents = self.tangents.get(index);
            out.tangents.extend(tangents.map(|t| Tangents { into: against(t.out), out: against(t.into) }));
        }
        out
    }
}

impl RawUserTrack {
    /// The values from the end to the start.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut keys: Vec<UserKey> = Vec::with_capacity(self.keys.len());
        if let Some(last) = self.keys.last().filter(|k| k.ratio < 1.0) {
            keys.push(UserKey { ratio: 0.0, value: last.value, step: true });
        }
        for pair in self.keys.windows(2).rev() {
            let (before, after) = (pair[0], pair[1]);
            let ratio = 1.0 - after.ratio;
            let value = if before.step { before.value } else { after.value };
            // A straight line that leads here ends at the value before the step.
            if value != after.value && keys.last().is_some_and(|k| !k.step && k.ratio < ratio.next_down()) {
                keys.push(UserKey { ratio: ratio.next_down(), value: after.value, step: true });
            }
            push(&mut keys, UserKey { ratio, value, step: before.step });
        }
        if let Some(first) = self.keys.first() {
            push(&mut keys, UserKey { ratio: 1.0 - first.ratio, value: first.value, step: true });
        }
        Self { keys, ..self.clone() }
    }

    /// The values of the part from one ratio to another, above it.
    #[must_use]
    pub fn trimmed(&self, from: f64, to: f64) -> Self {
        if self.keys.len() < 2 {
            let keys = self.keys.iter().map(|k| UserKey { ratio: 0.0, ..*k }).collect();
            return Self { keys, ..self.clone() };
        }
        let within = |k: &&UserKey| from < k.ratio && k.ratio < to;
        let before = self.keys.partition_point(|k| k.ratio <= from);
        let step = before.checked_sub(1).is_none_or(|b| self.keys[b].step);
        let mut keys = vec![UserKey { ratio: 0.0, value: self.sample(from), step }];
        for key in self.keys.iter().filter(within) {
            push(&mut keys, UserKey { ratio: (key.ratio - from) / (to - from), ..*key });
        }
        push(&mut keys, UserKey { ratio: 1.0, value: self.sample(to), step: true });
        Self { keys, ..self.clone() }
    }
}

/// Ratios rise: what rounding brought together is one key.
fn push(keys: &mut Vec<UserKey>, key: UserKey) {
    match keys.last_mut() {
        Some(last) if last.ratio >= key.ratio => *last = UserKey { ratio: last.ratio, ..key },
        _ => keys.push(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{exact::V3, raw::TrackKind};

    const CURVES: [Curve; 5] = [Curve::Step, Curve::Linear, Curve::Slerp, Curve::Cubic, Curve::Hermite];

    #[test]
    fn every_curve_runs_backwards_and_twice_is_the_original() {
        for curve in CURVES {
            for times in [[0.1, 0.3, 0.9], [0.0, 0.5, 1.0]] {
                let mut channel = Channel::new(curve, times.map(|t| (t, V3::new(t * t, -t, 1.0))));
                if curve == Curve::Cubic {
                    let slope = |k| Tangents { into: V3::X * k, out: V3::Y * k };
                    channel.tangents = vec![slope(1.0), slope(-2.0), slope(3.0)];
                }
                let back = channel.reversed(1.0);
                let twice = back.reversed(1.0);
                for i in 0..200 {
                    // Off the keys: at a step the last bit of the time decides.
                    let t = (f64::from(i) + 0.37) / 200.0;
                    let (was, is) = (channel.sample(t).unwrap(), back.sample(1.0 - t).unwrap());
                    assert!((was - is).length() < 1e-12, "{curve:?} at {t}: {was:?} {is:?}");
                    assert!((was - twice.sample(t).unwrap()).length() < 1e-12, "{curve:?} at {t}, twice");
                }
            }
        }
    }

    fn mixed() -> RawUserTrack {
        let keys =
            [(0.1, 1.0, false), (0.3, 3.0, true), (0.5, 7.0, true), (0.6, 2.0, false), (0.8, 0.0, true)];
        let key = |(ratio, value, step)| UserKey { ratio, value: [value, 0.0, 0.0, 0.0], step };
        RawUserTrack { name: "w".into(), kind: TrackKind::Float, keys: keys.map(key).into() }
    }

    #[test]
    fn tracks_of_steps_and_lines_run_backwards_and_are_cut() {
        let track = mixed();
        let back = track.reversed();
        let part = track.trimmed(0.2, 0.7);
        assert_eq!((back.validate(), part.validate()), (Ok(()), Ok(())));
        for i in 0..400 {
            let t = (f64::from(i) + 0.37) / 400.0;
            let (was, is) = (track.sample(t)[0], back.sample(1.0 - t)[0]);
            assert!((was - is).abs() < 1e-9, "at {t}: {was} {is}");
            let (was, is) = (track.sample(0.2 + 0.5 * t)[0], part.sample(t)[0]);
            assert!((was - is).abs() < 1e-9, "part at {t}: {was} {is}");
        }
    }
}
