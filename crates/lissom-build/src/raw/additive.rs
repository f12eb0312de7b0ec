//! A motion as what it adds to another pose, as `lissom::job::BlendJob` adds it back: rotations `pose · reference⁻¹`,
//! translations `pose − reference`, scales `pose / reference`, joint by joint.

use super::{Channel, Curve, Key, RawAnimation, RawEditError, RawSkeleton, RawTrack, Value};
use crate::exact::{Q4, Trs, V3};

/// Between keys of two motions that both move, their difference is sampled at least so often, in seconds.
const FINEST_S: f64 = 1.0 / 60.0;

impl RawAnimation {
    /// What this motion adds to a pose, one transform a joint. Curves stay what they are.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Tracks`], and [`RawEditError::NoScale`] where the pose has a scale of 0.
    pub fn added_to(&self, skeleton: &RawSkeleton, pose: &[Trs]) -> Result<Self, RawEditError> {
        self.difference(skeleton, |joint| {
            let Trs { translation, rotation, scale } = *pose.get(joint)?;
            Some(RawTrack {
                translation: Channel::constant(translation),
                rotation: Channel::constant(rotation),
                scale: Channel::constant(scale),
            })
        })
    }

    /// What this motion adds to another one, which is stretched to last as long. Where both move, the difference
    /// becomes linear, with keys at those of both and every sixtieth of a second.
    ///
    /// # Errors
    ///
    /// As [`Self::added_to`].
    pub fn added_to_motion(&self, skeleton: &RawSkeleton, base: &Self) -> Result<Self, RawEditError> {
        let stretch = self.duration_s / base.duration_s;
        fn stretched<V: Value>(channel: &Channel<V>, stretch: f64, end_s: f64, rest: V) -> Channel<V> {
            if channel.keys.len() < 2 {
                return Channel::constant(channel.sample(0.0).unwrap_or(rest));
            }
            // Slopes are values a second. Rounding must not lead past the end.
            channel
                .mapped(|v| v, |t| V::mix(t, 1.0 / stretch, t, 0.0))
                .with_times(|t| crate::exact::smaller(t * stretch, end_s))
        }
        self.difference(skeleton, |joint| {
            let (track, rest) = (base.tracks.get(joint)?, skeleton.joints[joint].rest);
            Some(RawTrack {
                translation: stretched(&track.translation, stretch, self.duration_s, rest.translation),
                rotation: stretched(&track.rotation, stretch, self.duration_s, rest.rotation),
                scale: stretched(&track.scale, stretch, self.duration_s, rest.scale),
            })
        })
    }

    fn difference(
        &self,
        skeleton: &RawSkeleton,
        reference: impl Fn(usize) -> Option<RawTrack>,
    ) -> Result<Self, RawEditError> {
        let (tracks, joints) = (self.tracks.len(), skeleton.joints.len());
        let wrong = RawEditError::Tracks { tracks, joints };
        if tracks != joints {
            return Err(wrong);
        }
        let mut out = Vec::with_capacity(joints);
        for (joint, (track, j)) in self.tracks.iter().zip(&skeleton.joints).enumerate() {
            let Some(base) = reference(joint) else { return Err(wrong) };
            let zero = |s: V3| s.x == 0.0 || s.y == 0.0 || s.z == 0.0;
            if base.scale.keys.iter().any(|k| zero(k.value)) {
                return Err(RawEditError::NoScale { joint });
            }
            let d = self.duration_s;
            let over = |v: V3, s: V3| V3::new(v.x / s.x, v.y / s.y, v.z / s.z);
            out.push(RawTrack {
                translation: less(
                    &track.translation,
                    j.rest.translation,
                    &base.translation,
                    d,
                    |v, r| v - r,
                    |t, _| t,
                ),
                rotation: less(
                    &track.rotation,
                    j.rest.rotation,
                    &base.rotation,
                    d,
                    |q: Q4, r: Q4| q * r.conjugate(),
                    |t: Q4, r: Q4| t * r.conjugate(),
                ),
                scale: less(&track.scale, j.rest.scale, &base.scale, d, over, over),
            });
        }
        Ok(Self { name: self.name.clone(), tracks: out, additive: true, ..*self })
    }
}

/// `minus` of a channel and a reference at every time; `slope` is its linear part.
fn less<V: Value>(
    channel: &Channel<V>,
    rest: V,
    reference: &Channel<V>,
    end_s: f64,
    minus: impl Fn(V, V) -> V,
    slope: impl Fn(V, V) -> V,
) -> Channel<V> {
    let channel = if channel.keys.is_empty() { Channel::constant(rest) } else { channel.clone() };
    if let [only] = reference.keys.as_slice() {
        let r = only.value.settle();
        return channel.mapped(|v| minus(v, r), |t| slope(t, r));
    }
    let mut times: Vec<f64> = channel.keys.iter().chain(&reference.keys).map(|k| k.time_s).collect();
    times.extend([0.0, end_s]);
    times.sort_by(f64::total_cmp);
    times.dedup();
    let mut keys: Vec<Key<V>> = Vec::with_capacity(times.len());
    let mut add = |time_s: f64| {
        if let (Some(v), Some(r)) = (channel.sample(time_s), reference.sample(time_s)) {
            let value = minus(v, r).settle();
            let value = keys.last().map_or(value, |before| value.near(before.value));
            keys.push(Key { time_s, value });
        }
    };
    for pair in times.windows(2) {
        let parts = crate::exact::clamp(((pair[1] - pair[0]) / FINEST_S).ceil(), 1.0, 1e6) as u32;
        for part in 0..parts {
            let t = f64::from(part) / f64::from(parts);
            add(pair[0] * (1.0 - t) + pair[1] * t);
        }
    }
    add(end_s);
    Channel { curve: Curve::Linear, keys, tangents: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::{RawJoint, Tangents};

    fn motion(curve: Curve, k: f64, duration_s: f64) -> RawAnimation {
        let times = [0.0, 0.3, 0.45, 1.0].map(|t| t * duration_s);
        let mut track = RawTrack {
            translation: Channel::new(curve, times.map(|t| (t, V3::new(k * t, 1.0 - t, k)))),
            rotation: Channel::new(curve, times.map(|t| (t, Q4::from_axis_angle(V3::Z, k * t)))),
            scale: Channel::new(curve, times.map(|t| (t, V3::ONE * (1.0 + k * t)))),
        };
        if curve == Curve::Cubic {
            track.translation.tangents = vec![Tangents { into: V3::X, out: V3::Y }; 4];
            track.rotation.tangents =
                vec![Tangents { into: Q4::new(0.0, 0.0, 0.3, 0.1), out: Q4::new(0.1, 0.0, 0.3, 0.0) }; 4];
            track.scale.tangents = vec![Tangents { into: V3::X, out: V3::Z * 0.5 }; 4];
        }
        RawAnimation { duration_s, tracks: vec![track, RawTrack::default()], ..Default::default() }
    }

    fn skeleton() -> RawSkeleton {
        let rest =
            Trs { translation: V3::Y, rotation: Q4::from_axis_angle(V3::X, 0.4), scale: V3::ONE * 2.0 };
        let joint = |parent| RawJoint { parent, rest, ..Default::default() };
        RawSkeleton { joints: vec![joint(None), joint(Some(0))] }
    }

    /// As the runtime adds a layer of weight 1.
    fn plus(base: Trs, delta: Trs) -> Trs {
        Trs {
            translation: base.translation + delta.translation,
            rotation: delta.rotation * base.rotation,
            scale: base.scale.mul_each(delta.scale),
        }
    }

    fn apart(a: Trs, b: Trs) -> f64 {
        let q = a.rotation.near(b.rotation).plus(b.rotation.scaled(-1.0));
        (a.translation - b.translation).length() + q.dot(q).sqrt() + (a.scale - b.scale).length()
    }

    #[test]
    fn what_is_added_back_is_the_motion_for_every_curve() {
        let s = skeleton();
        for curve in [Curve::Step, Curve::Linear, Curve::Slerp, Curve::Cubic, Curve::Hermite] {
            let a = motion(curve, 0.7, 1.0);
            let base = motion(Curve::Linear, -0.4, 1.0).pose(&s, 0.6);
            let delta = a.added_to(&s, &base).unwrap();
            assert_eq!(delta.validate(2), Ok(()));
            for i in 0..=100 {
                let t = f64::from(i) / 100.0;
                for (joint, base) in base.iter().enumerate() {
                    let d = delta.tracks[joint].sample(t, Trs::IDENTITY);
                    let off = apart(plus(*base, d), a.pose(&s, t)[joint]);
                    assert!(off < 1e-12, "{curve:?}, joint {joint} at {t}: {off}");
                }
            }
        }
    }

    #[test]
    fn a_moving_reference_is_stretched_and_met_at_every_time() {
        let s = skeleton();
        for curve in [Curve::Linear, Curve::Cubic] {
            let (a, base) = (motion(curve, 0.7, 1.0), motion(curve, 0.4, 2.0));
            let delta = a.added_to_motion(&s, &base).unwrap();
            assert_eq!(delta.validate(2), Ok(()));
            for i in 0..=100 {
                let t = f64::from(i) / 100.0;
                for joint in 0..2 {
                    let d = delta.tracks[joint].sample(t, Trs::IDENTITY);
                    let off = apart(plus(base.pose(&s, 2.0 * t)[joint], d), a.pose(&s, t)[joint]);
                    // A chord of a sixtieth of a second under a curve that bends hard.
                    assert!(
                        off < if curve == Curve::Cubic { 4e-3 } else { 5e-4 },
                        "{curve:?}, joint {joint} at {t}: {off}"
                    );
                }
            }
        }
        let itself = motion(Curve::Linear, 0.7, 1.0);
        let nothing = itself.added_to_motion(&s, &itself).unwrap();
        assert!(apart(nothing.tracks[0].sample(0.4, Trs::IDENTITY), Trs::IDENTITY) < 1e-12);
    }

    #[test]
    fn a_scale_of_nothing_and_other_skeletons_are_refused() {
        let (s, a) = (skeleton(), motion(Curve::Linear, 0.7, 1.0));
        let mut pose = a.pose(&s, 0.0);
        pose[1].scale.y = 0.0;
        assert_eq!(a.added_to(&s, &pose), Err(RawEditError::NoScale { joint: 1 }));
        assert_eq!(a.added_to(&s, &pose[..1]), Err(RawEditError::Tracks { tracks: 2, joints: 2 }));
    }
}
