//! A part of an animation, and one animation after another.

use super::{
    Channel, ChannelKind, Curve, Key, RawAnimation, RawEditError, RawSkeleton, RawTrack, Tangents, Value,
    edit::zero,
};
use crate::exact::Trs;

impl RawAnimation {
    /// The part from `from_s` to `to_s`, starting at 0. The motion is the same: where a cut goes through a
    /// curve that has no exact part of its own kind (nlerp of rotations, implied tangents), the channel
    /// becomes cubic with explicit tangents. Channels without keys stay so.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Range`].
    pub fn trimmed(&self, from_s: f64, to_s: f64) -> Result<Self, RawEditError> {
        if !(0.0 <= from_s && from_s < to_s && to_s <= self.duration_s) {
            return Err(RawEditError::Range { from_s, to_s, duration_s: self.duration_s });
        }
        let track = |t: &RawTrack| RawTrack {
            translation: t.translation.trimmed(from_s, to_s, true),
            rotation: t.rotation.trimmed(from_s, to_s, false),
            scale: t.scale.trimmed(from_s, to_s, true),
        };
        Ok(Self {
            name: self.name.clone(),
            duration_s: to_s - from_s,
            looping: self.looping && from_s == 0.0 && to_s == self.duration_s,
            additive: self.additive,
            tracks: self.tracks.iter().map(track).collect(),
        })
    }

    /// This animation, then `next`. Where the end of the one is not the start of the other, the motion jumps
    /// there: the end stands at the last instant before. A channel that has keys in only one of the two
    /// takes the rest pose of `skeleton` in the other.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Tracks`], and [`RawEditError::Curves`] where step or slerp meets another curve.
    pub fn concatenated(&self, next: &Self, skeleton: &RawSkeleton) -> Result<Self, RawEditError> {
        let joints = skeleton.joints.len();
        for tracks in [self.tracks.len(), next.tracks.len()] {
            if tracks != joints {
                return Err(RawEditError::Tracks { tracks, joints });
            }
        }
        let mut tracks = Vec::with_capacity(joints);
        for (joint, (a, b)) in self.tracks.iter().zip(&next.tracks).enumerate() {
            let Trs { translation, rotation, scale } = skeleton.joints[joint].rest;
            let (a_s, b_s) = (self.duration_s, next.duration_s);
            let wrong =
                |channel| move |(first, second)| RawEditError::Curves { joint, channel, first, second };
            tracks.push(RawTrack {
                translation: joined(&a.translation, a_s, &b.translation, b_s, translation)
                    .map_err(wrong(ChannelKind::Translation))?,
                rotation: joined(&a.rotation, a_s, &b.rotation, b_s, rotation)
                    .map_err(wrong(ChannelKind::Rotation))?,
                scale: joined(&a.scale, a_s, &b.scale, b_s, scale).map_err(wrong(ChannelKind::Scale))?,
            });
        }
        Ok(Self {
            name: self.name.clone(),
            duration_s: self.duration_s + next.duration_s,
            looping: false,
            additive: self.additive,
            tracks,
        })
    }
}

impl<V: Value> Channel<V> {
    /// `lines`: a part of a linear curve is linear again.
    fn trimmed(&self, from_s: f64, to_s: f64, lines: bool) -> Self {
        if self.keys.len() < 2 {
            return self.clone().with_times(|_| 0.0);
        }
        let keeps = match self.curve {
            Curve::Step | Curve::Slerp | Curve::Cubic => true,
            Curve::Linear => lines,
            Curve::Hermite => false,
        };
        let whole = if keeps { None } else { self.to_cubic() };
        let whole = whole.unwrap_or_else(|| self.clone()).held(from_s, to_s);
        let keys = &whole.keys;
        // The keys strictly inside; there is one at or before `from_s` and one at or after `to_s`.
        let start = keys.partition_point(|k| k.time_s <= from_s);
        let end = keys.partition_point(|k| k.time_s < to_s);
        let inside = keys[start..end].iter().copied();
        let mut out = Self { curve: whole.curve, keys: Vec::new(), tangents: Vec::new() };
        if whole.curve == Curve::Cubic {
            let (first, slope) = whole.cubic_at(start - 1, from_s);
            let (last, last_slope) = whole.cubic_at(end - 1, to_s);
            out.tangents.push(Tangents { into: zero(first), out: slope });
            out.tangents.extend_from_slice(&whole.tangents[start..end]);
            out.tangents.push(Tangents { into: last_slope, out: zero(last) });
            out.keys.push(Key { time_s: from_s, value: first });
            out.keys.extend(inside);
            out.keys.push(Key { time_s: to_s, value: last });
        } else {
            let at = |time_s| whole.sample(time_s).map(|value| Key { time_s, value });
            out.keys.extend(at(from_s));
            out.keys.extend(inside);
            out.keys.extend(at(to_s));
        }
        out.with_times(|t| t - from_s)
    }
}

/// One channel after another; the two curves where they have no common form.
fn joined<V: Value>(
    a: &Channel<V>,
    a_s: f64,
    b: &Channel<V>,
    b_s: f64,
    rest: V,
) -> Result<Channel<V>, (Curve, Curve)> {
    if a.keys.is_empty() && b.keys.is_empty() {
        return Ok(Channel::default());
    }
    let filled = |c: &Channel<V>| if c.keys.is_empty() { Channel::constant(rest) } else { c.clone() };
    let (mut a, mut b) = (filled(a), filled(b));
    // A constant is a constant on any curve.
    let adapt = |c: &mut Channel<V>, curve: Curve| {
        if c.keys.len() == 1 {
            c.curve = if curve == Curve::Cubic { Curve::Linear } else { curve };
            c.tangents.clear();
        }
    };
    adapt(&mut a, b.curve);
    adapt(&mut b, a.curve);
    if a.curve != b.curve || a.curve == Curve::Hermite {
        let curves = (a.curve, b.curve);
        a = a.to_cubic().ok_or(curves)?;
        b = b.to_cubic().ok_or(curves)?;
    }
    let (mut a, mut b) = (a.held(0.0, a_s), b.held(0.0, b_s).with_times(|t| t + a_s));
    let (Some(end), Some(start)) = (a.keys.last().copied(), b.keys.first().copied()) else {
        return Ok(Channel::default());
    };
    // On a cubic, values are taken as they stand: keep both on one hemisphere.
    if start.value.near(end.value) != start.value {
        let negative = |v: V| V::mix(v, -1.0, v, 0.0);
        b.keys.iter_mut().for_each(|k| k.value = negative(k.value));
        for t in &mut b.tangents {
            *t = Tangents { into: negative(t.into), out: negative(t.out) };
        }
    }
    let gap = V::mix(end.value.settle().near(start.value.settle()), 1.0, start.value.settle(), -1.0);
    let jumps = gap != zero(gap);
    let cubic = a.curve == Curve::Cubic;
    if a.curve == Curve::Step || !jumps {
        // One key is enough.
        a.keys.pop();
        if let (true, Some(last), Some(first)) = (cubic, a.tangents.pop(), b.tangents.first_mut()) {
            first.into = last.into;
        }
    } else if let Some(last) = a.keys.last_mut() {
        last.time_s = a_s.next_down();
        if let (Some(last), Some(first)) = (a.tangents.last_mut(), b.tangents.first_mut()) {
            (last.out, first.into) = (zero(end.value), zero(end.value));
        }
    }
    a.keys.append(&mut b.keys);
    a.tangents.append(&mut b.tangents);
    Ok(a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        exact::{Q4, V3, larger},
        raw::RawJoint,
    };

    const CURVES: [Curve; 5] = [Curve::Step, Curve::Linear, Curve::Slerp, Curve::Cubic, Curve::Hermite];

    fn one_joint() -> RawSkeleton {
        RawSkeleton { joints: vec![RawJoint { name: "hips".into(), ..Default::default() }] }
    }

    /// Uneven keys, a sign flip, ends that are held.
    fn motion(curve: Curve) -> RawAnimation {
        let v = |t: f64| V3::new(t * t, 1.0 - t, 3.0 * t);
        let q = |t: f64| {
            Q4::from_axis_angle(V3::new(0.6, 0.8, 0.0), 4.0 * t).scaled(if t > 0.5 { -1.0 } else { 1.0 })
        };
        let times = [0.1, 0.3, 0.45, 0.8, 0.9];
        let mut track = RawTrack {
            translation: Channel::new(curve, times.map(|t| (t, v(t)))),
            rotation: Channel::new(curve, times.map(|t| (t, q(t)))),
            scale: Channel::default(),
        };
        if curve == Curve::Cubic {
            let k = V3::new(0.5, -1.0, 2.0);
            track.translation.tangents = vec![Tangents { into: k, out: k * 0.5 }; 5];
            let k = Q4::new(0.1, 0.2, 0.3, -0.1);
            track.rotation.tangents = vec![Tangents { into: k, out: k.scaled(2.0) }; 5];
        }
        RawAnimation { duration_s: 1.0, tracks: vec![track], ..Default::default() }
    }

    fn distance(a: Trs, b: Trs) -> f64 {
        let q = a.rotation.near(b.rotation).plus(b.rotation.scaled(-1.0));
        larger(
            larger((a.translation - b.translation).length(), q.dot(q).sqrt()),
            (a.scale - b.scale).length(),
        )
    }

    fn at(a: &RawAnimation, t: f64) -> Trs {
        a.tracks[0].sample(t, Trs::IDENTITY)
    }

    #[test]
    fn a_part_moves_as_the_whole_does_for_every_curve() {
        for curve in CURVES {
            let whole = motion(curve);
            for (from, to) in [(0.0, 1.0), (0.2, 0.7), (0.3, 0.45), (0.0, 0.05), (0.95, 1.0), (0.31, 0.32)] {
                let part = whole.trimmed(from, to).unwrap();
                assert_eq!(part.validate(1), Ok(()));
                for i in 0..=100 {
                    let t = (to - from) * f64::from(i) / 100.0;
                    // At a step the last bit of the time decides: stay off the keys.
                    if curve == Curve::Step
                        && whole.time_points().iter().any(|k| (k - from - t).abs() < 1e-12)
                    {
                        continue;
                    }
                    let d = distance(at(&part, t), at(&whole, from + t));
                    assert!(d < 1e-12, "{curve:?} {from}..{to} at {t}: {d}");
                }
            }
        }
        let bad = motion(Curve::Linear);
        for (from, to) in [(-0.1, 0.5), (0.5, 0.5), (0.5, 1.1), (f64::NAN, 0.5), (0.5, f64::NAN)] {
            assert!(matches!(bad.trimmed(from, to), Err(RawEditError::Range { .. })));
        }
    }

    #[test]
    fn one_after_another_moves_as_each_does() {
        let s = one_joint();
        for (first, second) in CURVES.into_iter().flat_map(|a| CURVES.map(|b| (a, b))) {
            let (a, b) = (motion(first), motion(second));
            let joined = match a.concatenated(&b, &s) {
                Ok(joined) => joined,
                Err(error) => {
                    let apart = [Curve::Step, Curve::Slerp];
                    assert!(
                        first != second && (apart.contains(&first) || apart.contains(&second)),
                        "{error}"
                    );
                    continue;
                }
            };
            assert_eq!(joined.validate(1), Ok(()));
            assert_eq!(joined.duration_s, 2.0);
            for i in 0..100 {
                let t = (f64::from(i) + 0.5) / 100.0;
                let d =
                    larger(distance(at(&joined, t), at(&a, t)), distance(at(&joined, 1.0 + t), at(&b, t)));
                assert!(d < 1e-12, "{first:?} then {second:?} at {t}: {d}");
            }
            assert!(distance(at(&joined, 1.0), at(&b, 0.0)) < 1e-12);
        }
    }

    #[test]
    fn what_meets_shares_one_key_and_what_is_missing_rests() {
        let x = |v: f64| V3::new(v, 0.0, 0.0);
        let with = |translation| RawAnimation {
            duration_s: 1.0,
            tracks: vec![RawTrack { translation, ..Default::default() }],
            ..Default::default()
        };
        let up = with(Channel::new(Curve::Linear, [(0.0, x(0.0)), (1.0, x(1.0))]));
        let down = with(Channel::new(Curve::Linear, [(0.0, x(1.0)), (1.0, x(0.0))]));
        let both = up.concatenated(&down, &one_joint()).unwrap();
        assert_eq!(both.tracks[0].translation.keys.len(), 3);
        assert_eq!(at(&both, 1.5).translation, x(0.5));
        let nothing = with(Channel::default());
        let rests = up.concatenated(&nothing, &one_joint()).unwrap();
        // The end of the first stands an instant before the seam, so that there is a jump.
        assert!((at(&rests, 0.5).translation - x(0.5)).length() < 1e-12);
        assert_eq!(at(&rests, 1.5).translation, V3::ZERO);
        assert_eq!(nothing.concatenated(&nothing, &one_joint()).unwrap().tracks[0], RawTrack::default());
        let two = RawSkeleton { joints: vec![RawJoint::default(); 2] };
        assert_eq!(up.concatenated(&down, &two), Err(RawEditError::Tracks { tracks: 1, joints: 2 }));
    }
}
