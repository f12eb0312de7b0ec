//! User tracks: numbers and rotations over the length of a clip.

use lissom_math::{Quat, scalar};

/// What the values of a track are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrackKind {
    /// One number.
    #[default]
    Float,
    /// Two.
    Float2,
    /// Three.
    Float3,
    /// Four.
    Float4,
    /// A rotation, x y z w.
    Quat,
}

/// A value of a track.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum TrackValue {
    /// One number.
    Float(f32),
    /// Two.
    Float2([f32; 2]),
    /// Three.
    Float3([f32; 3]),
    /// Four.
    Float4([f32; 4]),
    /// A rotation of unit length.
    Quat(Quat),
}

/// A user track in place. Key times are ratios of the duration: a track stretches with the clip it goes with.
///
/// As an archive gives it, it is checked: ratios rise within [0, 1], values are finite, and there are as many
/// of each as there are keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackView<'a> {
    /// What the values are.
    pub kind: TrackKind,
    /// One a key: when, as a ratio of the duration; rising, in [0, 1].
    pub ratios: &'a [f32],
    /// [`TrackKind::components`] a key.
    pub values: &'a [f32],
    /// One bit a key, the first in the lowest bit: set if the value holds until the next key.
    pub steps: &'a [u8],
}

impl TrackKind {
    /// All of them, in the order of their codes.
    pub const ALL: [Self; 5] = [Self::Float, Self::Float2, Self::Float3, Self::Float4, Self::Quat];

    /// How many numbers a value has.
    #[must_use]
    pub const fn components(self) -> usize {
        match self {
            Self::Float => 1,
            Self::Float2 => 2,
            Self::Float3 => 3,
            Self::Float4 | Self::Quat => 4,
        }
    }

    /// The number in the file.
    #[must_use]
    pub const fn code(self) -> u32 {
        self as u32
    }
}

impl TrackView<'_> {
    /// True if the value of this key holds until the next; false for keys that do not exist.
    #[must_use]
    pub fn is_step(&self, key: usize) -> bool {
        self.steps.get(key / 8).is_some_and(|byte| byte >> (key % 8) & 1 != 0)
    }

    /// The value at a ratio of the duration: the same bits everywhere.
    ///
    /// Between keys a straight line leads from one value to the next, for rotations by the shorter path and
    /// normalised (as in a clip); a step holds. Before the first key (NaN too) and after the last, that key's
    /// value holds. Without keys numbers are 0 and a rotation is the identity.
    #[must_use]
    pub fn sample(&self, ratio: f64) -> TrackValue {
        let next = self.ratios.partition_point(|r| f64::from(*r) <= ratio);
        let last = self.ratios.len().saturating_sub(1);
        let (a, b) = (next.saturating_sub(1), if next > last { last } else { next });
        let (before, after) = (self.numbers(a), self.numbers(b));
        let t = if a == b || self.is_step(a) { 0.0 } else { self.way(a, ratio) };
        if self.kind == TrackKind::Quat {
            let [p, q] = [before, after].map(Quat::from_array);
            return TrackValue::Quat(if t == 0.0 {
                scalar::quat_normalize(p)
            } else {
                scalar::quat_nlerp(p, q, t as f32)
            });
        }
        // In f64: equal ends give that value, and no difference of finite values is infinite.
        let v: [f32; 4] = core::array::from_fn(|i| {
            let (p, q) = (f64::from(before[i]), f64::from(after[i]));
            (p + (q - p) * t) as f32
        });
        match self.kind {
            TrackKind::Float => TrackValue::Float(v[0]),
            TrackKind::Float2 => TrackValue::Float2([v[0], v[1]]),
            TrackKind::Float3 => TrackValue::Float3([v[0], v[1], v[2]]),
            TrackKind::Float4 | TrackKind::Quat => TrackValue::Float4(v),
        }
    }

    /// How far a ratio lies on the way from a key to the next.
    fn way(&self, key: usize, ratio: f64) -> f64 {
        let (from, to) = (self.ratio(key), self.ratio(key + 1));
        (ratio - from) / (to - from)
    }

    /// When a key is; 1 after the last.
    pub(super) fn ratio(&self, key: usize) -> f64 {
        self.ratios.get(key).map_or(1.0, |r| f64::from(*r))
    }

    /// The numbers of a key; what it does not have is 0, and the fourth of no rotation is 1.
    pub(super) fn numbers(&self, key: usize) -> [f32; 4] {
        let n = self.kind.components();
        let mut out = [0.0; 4];
        match self.values.get(key * n..(key + 1) * n) {
            Some(stored) => out[..n].copy_from_slice(stored),
            None if self.kind == TrackKind::Quat => out[3] = 1.0,
            None => {}
        }
        out
    }
}

impl TrackValue {
    /// The number, if it is one.
    #[must_use]
    pub fn as_float(self) -> Option<f32> {
        if let Self::Float(v) = self { Some(v) } else { None }
    }

    /// The rotation, if it is one.
    #[must_use]
    pub fn as_quat(self) -> Option<Quat> {
        if let Self::Quat(q) = self { Some(q) } else { None }
    }

    /// The numbers, whatever it is; those that it does not have are 0.
    #[must_use]
    pub fn to_array(self) -> [f32; 4] {
        match self {
            Self::Float(x) => [x, 0.0, 0.0, 0.0],
            Self::Float2([x, y]) => [x, y, 0.0, 0.0],
            Self::Float3([x, y, z]) => [x, y, z, 0.0],
            Self::Float4(v) => v,
            Self::Quat(q) => [q.x, q.y, q.z, q.w],
        }
    }
}
