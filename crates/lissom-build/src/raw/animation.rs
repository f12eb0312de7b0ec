//! Editable animations: keys at any times, each channel with its own curve.

use crate::{
    exact::{Q4, Trs, V3},
    text::quote::Number,
};
use core::fmt;
use lissom::hash::Fnv64;

/// One motion of one skeleton: a track a raw joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawAnimation {
    /// May be empty.
    pub name: String,
    /// Seconds, above 0.
    pub duration_s: f64,
    /// True if the last pose is the first one again.
    pub looping: bool,
    /// True if it is what is added to a pose ([`added_to`](Self::added_to)), and no pose of its own.
    pub additive: bool,
    /// One a joint, in the order of the raw skeleton's joints.
    pub tracks: Vec<RawTrack>,
}

/// The three channels of one joint. A channel without keys is the rest pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawTrack {
    /// Translation, in the parent's space.
    pub translation: Channel<V3>,
    /// Rotation.
    pub rotation: Channel<Q4>,
    /// Scale.
    pub scale: Channel<V3>,
}

/// Keys in order of time, and the curve between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel<V> {
    /// How values between keys are found.
    pub curve: Curve,
    /// Strictly rising in time. Before the first and after the last key, that key's value holds.
    pub keys: Vec<Key<V>>,
    /// For [`Curve::Cubic`]: one pair a key. Empty for every other curve.
    pub tangents: Vec<Tangents<V>>,
}

/// How values between keys are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Curve {
    /// The value of the key before.
    Step,
    /// A straight line; rotations are normalised and take the shorter path.
    #[default]
    Linear,
    /// Rotations turn at constant speed along the shorter path (what glTF means by LINEAR). Translations
    /// and scales: the same as [`Curve::Linear`].
    Slerp,
    /// Cubic Hermite with a tangent into and out of each key, in units a second (as in glTF).
    Cubic,
    /// Cubic Hermite whose tangents follow from the neighbours: (next - before) / (their times), one-sided
    /// at the ends. Rotations stand on one hemisphere and are normalised.
    Hermite,
}

/// A value at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key<V> {
    /// Seconds, in [0, duration].
    pub time_s: f64,
    /// The value.
    pub value: V,
}

/// The slopes of a [`Curve::Cubic`] at one key, in units a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangents<V> {
    /// Coming from the key before.
    pub into: V,
    /// Going to the key after.
    pub out: V,
}

/// Which channel of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind {
    /// Translation.
    Translation,
    /// Rotation.
    Rotation,
    /// Scale.
    Scale,
}

/// What is wrong with a raw animation: the joint, the channel and the key are named.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RawAnimationError {
    /// The duration is zero, negative or not finite.
    #[error("the duration is {} s; it must be finite and above 0", Number(*.duration_s))]
    Duration {
        /// What it is.
        duration_s: f64,
    },
    /// There are more or fewer tracks than joints.
    #[error("{tracks} tracks for a skeleton of {joints} joints")]
    TrackCount {
        /// Tracks given.
        tracks: usize,
        /// Joints of the skeleton.
        joints: usize,
    },
    /// A key's time is NaN, negative or after the end.
    #[error(
        "joint {joint}, {channel}, key {key}: its time {} s is not in [0, {}]",
        Number(*.time_s),
        Number(*.duration_s)
    )]
    KeyTime {
        /// The joint.
        joint: usize,
        /// The channel.
        channel: ChannelKind,
        /// The key.
        key: usize,
        /// Its time.
        time_s: f64,
        /// The animation's duration.
        duration_s: f64,
    },
    /// A key does not come after the one before it.
    #[error("joint {joint}, {channel}, key {key}: its time {} s is not after the key before it", Number(*.time_s))]
    KeyOrder {
        /// The joint.
        joint: usize,
        /// The channel.
        channel: ChannelKind,
        /// The key.
        key: usize,
        /// Its time.
        time_s: f64,
    },
    /// A key's value or tangent is NaN, infinite, or beyond f32.
    #[error("joint {joint}, {channel}, key {key}: its value or tangent is not finite")]
    NotFinite {
        /// The joint.
        joint: usize,
        /// The channel.
        channel: ChannelKind,
        /// The key.
        key: usize,
    },
    /// A rotation key has no length.
    #[error("joint {joint}, {channel}, key {key}: a quaternion of length 0 is no rotation")]
    NoRotation {
        /// The joint.
        joint: usize,
        /// The channel.
        channel: ChannelKind,
        /// The key.
        key: usize,
    },
    /// Tangents and keys do not fit the curve.
    #[error("joint {joint}, {channel}: {tangents} tangents for {keys} keys of a {curve:?} curve")]
    Tangents {
        /// The joint.
        joint: usize,
        /// The channel.
        channel: ChannelKind,
        /// The curve.
        curve: Curve,
        /// Keys of the channel.
        keys: usize,
        /// Tangents of the channel.
        tangents: usize,
    },
}

impl fmt::Display for ChannelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
        })
    }
}

impl<V> Default for Channel<V> {
    fn default() -> Self {
        Self { curve: Curve::default(), keys: Vec::new(), tangents: Vec::new() }
    }
}

/// What a channel's keys hold: a vector or a rotation.
pub trait Value: Copy + PartialEq + fmt::Debug {
    /// a·x + b·y
    #[must_use]
    fn mix(a: Self, x: f64, b: Self, y: f64) -> Self;
    /// `self`, on the same side as `other` where two values mean the same.
    #[must_use]
    fn near(self, other: Self) -> Self;
    /// A valid value again, after arithmetic.
    #[must_use]
    fn settle(self) -> Self;
    /// [`Curve::Linear`] or [`Curve::Slerp`] between two neighbours.
    #[must_use]
    fn between(a: Self, b: Self, t: f64, curve: Curve) -> Self;
    /// True if it is finite, in f32 too.
    fn is_finite(self) -> bool;
    /// True if it can be a key's value (a rotation needs a length).
    fn is_valid(self) -> bool;
}

impl Value for V3 {
    fn mix(a: Self, x: f64, b: Self, y: f64) -> Self {
        a * x + b * y
    }
    fn near(self, _: Self) -> Self {
        self
    }
    fn settle(self) -> Self {
        self
    }
    fn between(a: Self, b: Self, t: f64, _: Curve) -> Self {
        a.lerp(b, t)
    }
    fn is_finite(self) -> bool {
        let v = self.to_f32();
        v.x.is_finite() && v.y.is_finite() && v.z.is_finite()
    }
    fn is_valid(self) -> bool {
        true
    }
}

impl Value for Q4 {
    fn mix(a: Self, x: f64, b: Self, y: f64) -> Self {
        a.scaled(x).plus(b.scaled(y))
    }
    fn near(self, other: Self) -> Self {
        self.near(other)
    }
    fn settle(self) -> Self {
        self.normalize()
    }
    fn between(a: Self, b: Self, t: f64, curve: Curve) -> Self {
        if curve == Curve::Slerp { a.slerp(b, t) } else { a.nlerp(b, t) }
    }
    fn is_finite(self) -> bool {
        self.is_finite()
    }
    fn is_valid(self) -> bool {
        // A length beyond f64 would be normalised to nothing.
        self.dot(self) > 1e-12 && self.dot(self).is_finite()
    }
}

impl<V: Value> Channel<V> {
    /// One key at time 0: a constant.
    #[must_use]
    pub fn constant(value: V) -> Self {
        Self { curve: Curve::Step, keys: vec![Key { time_s: 0.0, value }], tangents: Vec::new() }
    }

    /// Keys `(time, value)` with a curve that needs no tangents.
    pub fn new(curve: Curve, keys: impl IntoIterator<Item = (f64, V)>) -> Self {
        let keys = keys.into_iter().map(|(time_s, value)| Key { time_s, value }).collect();
        Self { curve, keys, tangents: Vec::new() }
    }

    /// The value at a time in seconds; `None` if there are no keys. Rotations come out normalised.
    #[must_use]
    pub fn sample(&self, time_s: f64) -> Option<V> {
        self.sample_before(self.keys.partition_point(|k| k.time_s <= time_s), time_s)
    }

    /// As [`sample`](Self::sample), the same bits, for who asks for rising times: `after` remembers where the last one
    /// was found (0 at first), and the next is looked for from there.
    #[must_use]
    pub fn sample_onward(&self, time_s: f64, after: &mut usize) -> Option<V> {
        let is_before = |key: usize| self.keys.get(key).is_some_and(|k| k.time_s <= time_s);
        // Frames and keys often lie at one rate: the next key or the one after it.
        let near = (*after..=after.saturating_add(2)).find(|at| !is_before(*at));
        let from_there = near.filter(|at| *at <= self.keys.len() && (*at == 0 || is_before(*at - 1)));
        *after = from_there.unwrap_or_else(|| self.keys.partition_point(|k| k.time_s <= time_s));
        self.sample_before(*after, time_s)
    }

    /// The value at a time before this key, and not before the one before it.
    fn sample_before(&self, after: usize, time_s: f64) -> Option<V> {
        let Some(before) = after.checked_sub(1) else { return Some(self.keys.first()?.value.settle()) };
        let a = &self.keys[before];
        let Some(b) = self.keys.get(after) else { return Some(a.value.settle()) };
        let span = b.time_s - a.time_s;
        let t = (time_s - a.time_s) / span;
        Some(match self.curve {
            Curve::Step => a.value.settle(),
            Curve::Linear | Curve::Slerp => {
                V::between(a.value.settle(), b.value.settle(), t, self.curve).settle()
            }
            Curve::Cubic => {
                let tangent = |i: usize| self.tangents.get(i).copied();
                let zero = V::mix(a.value, 0.0, a.value, 0.0);
                let out = tangent(before).map_or(zero, |t| t.out);
                let into = tangent(after).map_or(zero, |t| t.into);
                hermite(a.value, out, b.value, into, t, span).settle()
            }
            Curve::Hermite => {
                // Signs are settled along the way, neighbour by neighbour, starting at key a.
                let p1 = a.value.settle();
                let p2 = b.value.settle().near(p1);
                let p0 = before
                    .checked_sub(1)
                    .map(|i| (self.keys[i].time_s, self.keys[i].value.settle().near(p1)));
                let p3 = self.keys.get(after + 1).map(|k| (k.time_s, k.value.settle().near(p2)));
                let slope = |(t0, v0): (f64, V), (t1, v1): (f64, V)| {
                    let k = 1.0 / (t1 - t0);
                    V::mix(v1, k, v0, -k)
                };
                let d1 = slope(p0.unwrap_or((a.time_s, p1)), (b.time_s, p2));
                let d2 = slope((a.time_s, p1), p3.unwrap_or((b.time_s, p2)));
                hermite(p1, d1, p2, d2, t, span).settle()
            }
        })
    }

    fn validate(&self, joint: usize, channel: ChannelKind, duration_s: f64) -> Result<(), RawAnimationError> {
        use RawAnimationError as E;
        let wanted = if self.curve == Curve::Cubic { self.keys.len() } else { 0 };
        if self.tangents.len() != wanted {
            let (keys, tangents) = (self.keys.len(), self.tangents.len());
            return Err(E::Tangents { joint, channel, curve: self.curve, keys, tangents });
        }
        let mut before = f64::NEG_INFINITY;
        for (key, Key { time_s, value }) in self.keys.iter().copied().enumerate() {
            if !(0.0..=duration_s).contains(&time_s) {
                return Err(E::KeyTime { joint, channel, key, time_s, duration_s });
            }
            if time_s <= before {
                return Err(E::KeyOrder { joint, channel, key, time_s });
            }
            let tangents_finite =
                self.tangents.get(key).is_none_or(|t| t.into.is_finite() && t.out.is_finite());
            if !value.is_finite() || !tangents_finite {
                return Err(E::NotFinite { joint, channel, key });
            }
            if !value.is_valid() {
                return Err(E::NoRotation { joint, channel, key });
            }
            before = time_s;
        }
        Ok(())
    }
}

/// The cubic from `a` with slope `da` to `b` with slope `db`, slopes in units a second over `span` seconds.
pub(super) fn hermite<V: Value>(a: V, da: V, b: V, db: V, t: f64, span: f64) -> V {
    let (t2, t3) = (t * t, t * t * t);
    let ends = V::mix(a, 2.0 * t3 - 3.0 * t2 + 1.0, b, 3.0 * t2 - 2.0 * t3);
    let slopes = V::mix(da, (t3 - 2.0 * t2 + t) * span, db, (t3 - t2) * span);
    V::mix(ends, 1.0, slopes, 1.0)
}

/// Where the channels of a track were last asked: see [`RawTrack::sample_onward`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackPlace {
    translation: usize,
    rotation: usize,
    scale: usize,
}

impl RawTrack {
    /// As [`sample`](Self::sample), the same bits, for who asks for rising times: no search a channel and time.
    #[must_use]
    pub fn sample_onward(&self, time_s: f64, rest: Trs, place: &mut TrackPlace) -> Trs {
        let TrackPlace { translation, rotation, scale } = place;
        Trs {
            translation: self.translation.sample_onward(time_s, translation).unwrap_or(rest.translation),
            rotation: self.rotation.sample_onward(time_s, rotation).unwrap_or(rest.rotation),
            scale: self.scale.sample_onward(time_s, scale).unwrap_or(rest.scale),
        }
    }

    /// The local transform at a time; channels without keys come from `rest`.
    #[must_use]
    pub fn sample(&self, time_s: f64, rest: Trs) -> Trs {
        Trs {
            translation: self.translation.sample(time_s).unwrap_or(rest.translation),
            rotation: self.rotation.sample(time_s).unwrap_or(rest.rotation),
            scale: self.scale.sample(time_s).unwrap_or(rest.scale),
        }
    }
}

impl RawAnimation {
    /// A hash of everything in it, the name too: another one for every change.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        fn number(hash: Fnv64, v: f64) -> Fnv64 {
            hash.bytes(&v.to_le_bytes())
        }
        fn channel<V: Copy>(hash: Fnv64, channel: &Channel<V>, add: impl Fn(Fnv64, V) -> Fnv64) -> Fnv64 {
            let hash = hash.word(channel.curve as u32).word(channel.keys.len() as u32);
            let hash = channel.keys.iter().fold(hash, |h, k| add(number(h, k.time_s), k.value));
            channel.tangents.iter().fold(hash, |h, t| add(add(h, t.into), t.out))
        }
        let vector = |h: Fnv64, v: V3| [v.x, v.y, v.z].into_iter().fold(h, number);
        let rotation = |h: Fnv64, q: Q4| [q.x, q.y, q.z, q.w].into_iter().fold(h, number);
        let hash = Fnv64::new().bytes(self.name.as_bytes()).word(self.looping.into());
        let hash = number(hash, self.duration_s).word(self.tracks.len() as u32);
        let track = |h: Fnv64, t: &RawTrack| {
            let h = channel(h, &t.translation, vector);
            channel(channel(h, &t.rotation, rotation), &t.scale, vector)
        };
        self.tracks.iter().fold(hash, track).finish()
    }

    /// Finds the first thing that is wrong. `joints` is the skeleton's count.
    ///
    /// # Errors
    ///
    /// Every case of [`RawAnimationError`].
    pub fn validate(&self, joints: usize) -> Result<(), RawAnimationError> {
        if !(self.duration_s.is_finite() && self.duration_s > 0.0) {
            return Err(RawAnimationError::Duration { duration_s: self.duration_s });
        }
        if self.tracks.len() != joints {
            return Err(RawAnimationError::TrackCount { tracks: self.tracks.len(), joints });
        }
        for (joint, track) in self.tracks.iter().enumerate() {
            track.translation.validate(joint, ChannelKind::Translation, self.duration_s)?;
            track.rotation.validate(joint, ChannelKind::Rotation, self.duration_s)?;
            track.scale.validate(joint, ChannelKind::Scale, self.duration_s)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(v: f64) -> V3 {
        V3::new(v, 0.0, 0.0)
    }

    #[test]
    fn linear_keys_meet_the_known_values() {
        let keys = [(0.0, 2.0), (0.2, 6.0), (0.4, 8.0), (0.6, 10.0), (1.0, 11.0)];
        let c = Channel::new(Curve::Linear, keys.map(|(t, v)| (t, x(v))));
        for (t, v) in [(0.1, 4.0), (0.3, 7.0), (0.5, 9.0), (0.0, 2.0), (1.0, 11.0)] {
            assert!((c.sample(t).unwrap().x - v).abs() < 1e-12);
        }
        // Values hold before the first and after the last key.
        let c = Channel::new(Curve::Linear, [(0.2, x(7.0)), (0.6, x(9.0))]);
        for (t, v) in [(0.3, 7.5), (0.0, 7.0), (1.0, 9.0)] {
            assert!((c.sample(t).unwrap().x - v).abs() < 1e-12);
        }
    }

    #[test]
    fn rotations_take_the_shorter_path() {
        let c = Channel::new(
            Curve::Linear,
            [(0.0, Q4::new(0.0, 0.0, 0.0, -1.0)), (1.0, Q4::new(0.0, 1.0, 0.0, 0.0))],
        );
        let q = c.sample(0.5).unwrap().near(Q4::IDENTITY);
        assert!((q.y.abs() - 0.5_f64.sqrt()).abs() < 1e-12 && (q.w - 0.5_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn hermite_goes_through_its_keys_and_is_straight_on_a_line() {
        let keys = [(0.0, 0.0), (0.25, 1.0), (1.0, 4.0)];
        let c = Channel::new(Curve::Hermite, keys.map(|(t, v)| (t, x(v))));
        for i in 0..=100 {
            let t = f64::from(i) / 100.0;
            assert!((c.sample(t).unwrap().x - 4.0 * t).abs() < 1e-12);
        }
    }

    #[test]
    fn times_that_follow_each_other_need_no_search_and_give_the_same_bits() {
        let keys = (0..40).map(|k| (f64::from(k * k) * 0.01 + 0.1, x(f64::from(k % 7))));
        for curve in [Curve::Step, Curve::Linear, Curve::Hermite] {
            let c = Channel::new(curve, keys.clone());
            let mut after = 0;
            // Forward at several rates, over every key, past the end, and back again.
            let times = (0..2000).map(|i| f64::from(i) * 0.01).chain((0..200).map(|i| f64::from(i) * 0.1));
            for time_s in times.chain([16.0, 3.0, 0.1, 0.0, f64::NAN, 0.11, -1.0]) {
                let (onward, searched) = (c.sample_onward(time_s, &mut after), c.sample(time_s));
                assert_eq!(
                    onward.map(|v| v.x.to_bits()),
                    searched.map(|v| v.x.to_bits()),
                    "{curve:?} {time_s}"
                );
            }
        }
        assert_eq!(Channel::<V3>::default().sample_onward(1.0, &mut 0), None);
    }

    #[test]
    fn a_cubic_with_one_key_is_a_constant() {
        let tangents = vec![Tangents { into: x(9.0), out: x(9.0) }];
        let c = Channel { curve: Curve::Cubic, keys: vec![Key { time_s: 0.5, value: x(3.0) }], tangents };
        assert_eq!(c.sample(0.0), Some(x(3.0)));
        assert_eq!(c.sample(9.0), Some(x(3.0)));
        assert_eq!(Channel::<V3>::default().sample(0.0), None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        use RawAnimationError as E;
        let with = |translation: Channel<V3>| {
            let track = RawTrack { translation, ..Default::default() };
            RawAnimation { duration_s: 1.0, tracks: vec![track], ..Default::default() }.validate(1)
        };
        let channel = ChannelKind::Translation;
        let lin = |keys: &[(f64, V3)]| Channel::new(Curve::Linear, keys.iter().copied());
        assert_eq!(with(lin(&[(0.0, x(1.0)), (1.0, x(2.0))])), Ok(()));
        assert!(matches!(with(lin(&[(f64::NAN, x(0.0))])), Err(E::KeyTime { joint: 0, key: 0, .. })));
        assert!(matches!(with(lin(&[(-0.1, x(0.0))])), Err(E::KeyTime { key: 0, .. })));
        assert!(matches!(with(lin(&[(0.0, x(0.0)), (1.1, x(0.0))])), Err(E::KeyTime { key: 1, .. })));
        let twice = with(lin(&[(0.5, x(0.0)), (0.5, x(0.0))]));
        assert_eq!(twice, Err(E::KeyOrder { joint: 0, channel, key: 1, time_s: 0.5 }));
        let nan = with(lin(&[(0.5, x(f64::NAN))]));
        assert_eq!(nan, Err(E::NotFinite { joint: 0, channel, key: 0 }));
        assert_eq!(with(lin(&[(0.5, x(1e300))])), Err(E::NotFinite { joint: 0, channel, key: 0 }));
        let no_tangents = with(Channel { curve: Curve::Cubic, ..lin(&[(0.5, x(0.0))]) });
        assert!(matches!(no_tangents, Err(E::Tangents { keys: 1, tangents: 0, .. })));

        let zero = Channel::constant(Q4::new(0.0, 0.0, 0.0, 0.0));
        let mut a = RawAnimation {
            duration_s: 1.0,
            tracks: vec![RawTrack { rotation: zero, ..Default::default() }],
            ..Default::default()
        };
        assert!(matches!(a.validate(1), Err(E::NoRotation { channel: ChannelKind::Rotation, .. })));
        assert_eq!(a.validate(2), Err(E::TrackCount { tracks: 1, joints: 2 }));
        for bad in [0.0, -1.0, f64::INFINITY] {
            a.duration_s = bad;
            assert_eq!(a.validate(1), Err(E::Duration { duration_s: bad }));
        }
        a.duration_s = f64::NAN;
        assert!(matches!(a.validate(1), Err(E::Duration { .. })));
    }
}
