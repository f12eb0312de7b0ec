//! Errors of the editing utilities, and what they share: exact changes of curve and held ends.

use super::{Channel, ChannelKind, Curve, Key, Tangents, Value, animation::hermite};
use crate::text::quote::Seconds;

/// Why an edit is not possible. The animation is left as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RawEditError {
    /// A sampling rate is zero, negative or not finite.
    #[error("the rate is {rate_hz} Hz; it must be finite and above 0")]
    Rate {
        /// What it is.
        rate_hz: f64,
    },
    /// A channel would have more keys than is sensible.
    #[error("{keys} keys a channel, but at most {allowed} are possible")]
    TooManyKeys {
        /// What would be needed.
        keys: f64,
        /// The limit.
        allowed: usize,
    },
    /// A range of time is empty or not inside the animation.
    #[error(
        "the range {} s to {} s is empty or not inside 0 to {} s",
        Seconds(*from_s), Seconds(*to_s), Seconds(*duration_s)
    )]
    Range {
        /// Its start.
        from_s: f64,
        /// Its end.
        to_s: f64,
        /// The animation's duration.
        duration_s: f64,
    },
    /// Tracks and joints do not fit.
    #[error("{tracks} tracks where there are {joints} joints")]
    Tracks {
        /// Tracks found.
        tracks: usize,
        /// Joints wanted.
        joints: usize,
    },
    /// Two curves have no common form; resample first.
    #[error(
        "joint {joint}, {channel}: a {first:?} curve cannot go on as a {second:?} curve; resample one of them"
    )]
    Curves {
        /// The joint.
        joint: usize,
        /// The channel.
        channel: ChannelKind,
        /// The first animation's curve.
        first: Curve,
        /// The second's.
        second: Curve,
    },
    /// A mirror's normal has no direction.
    #[error("the normal of the mirror has no direction")]
    Normal,
    /// A list of counterparts does not name every joint once, or not in pairs.
    #[error("joint {joint} is mirrored to joint {counterpart}, which is not mirrored back")]
    Counterpart {
        /// The joint.
        joint: usize,
        /// What it is said to be mirrored to.
        counterpart: usize,
    },
    /// Two counterparts do not hang on counterparts.
    #[error("joints {joint} and {counterpart} are each other's mirror image, but not what they hang on")]
    Sides {
        /// The joint.
        joint: usize,
        /// Its counterpart.
        counterpart: usize,
    },
    /// A scale of 0 cannot be added to.
    #[error("joint {joint}: what is added to has a scale of 0")]
    NoScale {
        /// The joint.
        joint: usize,
    },
    /// What holds a joint has a scale of 0.
    #[error("joint {joint} cannot be moved: its model matrix has no inverse")]
    NoInverse {
        /// The joint.
        joint: usize,
    },
}

impl<V: Value> Channel<V> {
    /// The same curve with explicit tangents; `None` for step and slerp curves, which have no such form.
    #[must_use]
    pub fn to_cubic(&self) -> Option<Self> {
        let one_sided = match self.curve {
            Curve::Cubic => return Some(self.clone()),
            Curve::Step | Curve::Slerp => return None,
            Curve::Linear => true,
            Curve::Hermite => false,
        };
        // One hemisphere all along, as sampling would choose neighbour by neighbour.
        let mut keys: Vec<Key<V>> = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            let value = key.value.settle();
            let value = keys.last().map_or(value, |before| value.near(before.value));
            keys.push(Key { time_s: key.time_s, value });
        }
        let slope = |a: Option<&Key<V>>, b: Option<&Key<V>>| match (a, b) {
            (Some(a), Some(b)) if b.time_s > a.time_s => {
                let k = 1.0 / (b.time_s - a.time_s);
                Some(V::mix(b.value, k, a.value, -k))
            }
            _ => None,
        };
        let tangents = (0..keys.len()).map(|i| {
            let (before, here, after) = (i.checked_sub(1).map(|b| &keys[b]), &keys[i], keys.get(i + 1));
            let zero = zero(here.value);
            let into = slope(before, Some(here));
            let out = slope(Some(here), after);
            if one_sided {
                Tangents { into: into.unwrap_or(zero), out: out.unwrap_or(zero) }
            } else {
                let through = slope(before, after).or(into).or(out).unwrap_or(zero);
                Tangents { into: through, out: through }
            }
        });
        let tangents = tangents.collect();
        Some(Self { curve: Curve::Cubic, keys, tangents })
    }

    /// The same values, with keys at (or before) `start_s` and at (or after) `end_s`. Not for
    /// [`Curve::Hermite`], whose tangents a new key would change.
    pub(super) fn held(mut self, start_s: f64, end_s: f64) -> Self {
        let cubic = self.curve == Curve::Cubic;
        if let Some(first) = self.keys.first().copied().filter(|k| k.time_s > start_s) {
            self.keys.insert(0, Key { time_s: start_s, value: first.value });
            if cubic {
                let zero = zero(first.value);
                self.tangents[0].into = zero;
                self.tangents.insert(0, Tangents { into: zero, out: zero });
            }
        }
        if let Some(last) = self.keys.last().copied().filter(|k| k.time_s < end_s) {
            self.keys.push(Key { time_s: end_s, value: last.value });
            if cubic {
                let zero = zero(last.value);
                if let Some(t) = self.tangents.last_mut() {
                    t.out = zero;
                }
                self.tangents.push(Tangents { into: zero, out: zero });
            }
        }
        self
    }

    /// Value and slope of a cubic, not normalised, in the segment that starts at key `before`.
    pub(super) fn cubic_at(&self, before: usize, time_s: f64) -> (V, V) {
        let (a, b) = (self.keys[before], self.keys[before + 1]);
        let (da, db) = (self.tangents[before].out, self.tangents[before + 1].into);
        let span = b.time_s - a.time_s;
        let t = (time_s - a.time_s) / span;
        let ends = (6.0 * t * t - 6.0 * t) / span;
        let slope = V::mix(
            V::mix(a.value, ends, b.value, -ends),
            1.0,
            V::mix(da, 3.0 * t * t - 4.0 * t + 1.0, db, 3.0 * t * t - 2.0 * t),
            1.0,
        );
        (hermite(a.value, da, b.value, db, t, span), slope)
    }

    /// Every value changed by `value`, which must be a linear map and a constant, every tangent by the map
    /// alone: the curve between keys changes likewise.
    pub(super) fn mapped(&self, value: impl Fn(V) -> V, map: impl Fn(V) -> V) -> Self {
        let key = |k: &Key<V>| Key { time_s: k.time_s, value: value(k.value) };
        let tangents = |t: &Tangents<V>| Tangents { into: map(t.into), out: map(t.out) };
        Self {
            curve: self.curve,
            keys: self.keys.iter().map(key).collect(),
            tangents: self.tangents.iter().map(tangents).collect(),
        }
    }

    /// Every key's time changed.
    pub(super) fn with_times(mut self, change: impl Fn(f64) -> f64) -> Self {
        self.keys.iter_mut().for_each(|k| k.time_s = change(k.time_s));
        self
    }
}

/// The value that adds nothing.
pub(super) fn zero<V: Value>(v: V) -> V {
    V::mix(v, 0.0, v, 0.0)
}
