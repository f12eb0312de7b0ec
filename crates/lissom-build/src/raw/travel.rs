//! Motion that goes nowhere: the travel of a character taken out.

use super::{
    Channel, Curve, Key, RawAnimation, RawEditError, RawSkeleton, RawTrack, Tangents, Value, edit::zero,
    looping::models,
};
use crate::exact::{M34, V3};

/// How much of a character's travel is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travel {
    /// All movement over the ground: the character stays above the point where it starts.
    All,
    /// The straight line from its first place to its last, at an even pace: it sways still.
    Drift,
}

impl RawAnimation {
    /// The joint that carries the character along: of the uppermost joints whose translation moves, the one with the
    /// most joints below it. `None` if no translation moves.
    #[must_use]
    pub fn carrier(&self, skeleton: &RawSkeleton) -> Option<usize> {
        let moves = |joint: usize| self.tracks.get(joint).is_some_and(|t| is_moving(&t.translation));
        let order = skeleton.depth_first();
        // Joints of the subtree, and whether a joint above moves already.
        let (mut below, mut carried) = (vec![1usize; order.len()], vec![false; order.len()]);
        for joint in order.iter().copied() {
            if let Some(parent) = skeleton.joints[joint].parent {
                carried[joint] = carried[parent] || moves(parent);
            }
        }
        for joint in order.iter().rev().copied() {
            if let Some(parent) = skeleton.joints[joint].parent {
                below[parent] += below[joint];
            }
        }
        let mut best: Option<usize> = None;
        for joint in order {
            if moves(joint) && !carried[joint] && best.is_none_or(|b| below[joint] > below[b]) {
                best = Some(joint);
            }
        }
        best
    }

    /// The motion on the spot: the travel of its [carrier](Self::carrier) over the ground (y is up, in model space) is
    /// taken out, its height stays.
    ///
    /// Where nothing above the carrier moves, its curve stays what it is; else it becomes linear, with keys wherever
    /// one of them has a key.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Tracks`], [`RawEditError::NoInverse`].
    pub fn in_place(&self, skeleton: &RawSkeleton, travel: Travel) -> Result<Self, RawEditError> {
        let (tracks, joints) = (self.tracks.len(), skeleton.joints.len());
        if tracks != joints {
            return Err(RawEditError::Tracks { tracks, joints });
        }
        let mut out = self.clone();
        let Some(carrier) = self.carrier(skeleton) else { return Ok(out) };
        let mut above = Vec::new();
        let mut next = skeleton.joints[carrier].parent;
        while let Some(joint) = next {
            above.push(joint);
            next = skeleton.joints[joint].parent;
        }
        let parent = skeleton.joints[carrier].parent;
        // What the carrier stands on, at a time, and the way back.
        let ground = |time_s: f64| {
            let to_model =
                parent.map_or(M34::IDENTITY, |p| models(skeleton, &self.pose(skeleton, time_s))[p]);
            let back = to_model.inverse().ok_or(RawEditError::NoInverse { joint: carrier })?;
            Ok::<_, RawEditError>((to_model, back))
        };
        let channel = &self.tracks[carrier].translation;
        let rest = skeleton.joints[carrier].rest.translation;
        let place = |time_s: f64| {
            let (to_model, _) = ground(time_s)?;
            Ok::<_, RawEditError>(to_model.mul_point(channel.sample(time_s).unwrap_or(rest)))
        };
        let flat = |v: V3| V3::new(v.x, 0.0, v.z);
        let start = place(0.0)?;
        let drift = flat(place(self.duration_s)? - start);
        let stays = |to_model: M34, back: M34, v: V3, time_s: f64| {
            let p = to_model.mul_point(v);
            let away = match travel {
                Travel::All => flat(p - start),
                Travel::Drift => drift * (time_s / self.duration_s),
            };
            v - back.mul_vector(away)
        };
        out.tracks[carrier].translation = if above.iter().any(|j| self.tracks[*j].moves()) {
            let mut times: Vec<f64> = channel.keys.iter().map(|k| k.time_s).collect();
            times.extend([0.0, self.duration_s]);
            for joint in &above {
                let t = &self.tracks[*joint];
                times.extend(t.translation.keys.iter().map(|k| k.time_s));
                times.extend(t.rotation.keys.iter().map(|k| k.time_s));
                times.extend(t.scale.keys.iter().map(|k| k.time_s));
            }
            times.sort_by(f64::total_cmp);
            times.dedup();
            let mut keys = Vec::with_capacity(times.len());
            for time_s in times {
                let (to_model, back) = ground(time_s)?;
                let value = stays(to_model, back, channel.sample(time_s).unwrap_or(rest), time_s);
                keys.push(Key { time_s, value });
            }
            Channel { curve: Curve::Linear, keys, tangents: Vec::new() }
        } else {
            let (to_model, back) = ground(0.0)?;
            let mut channel = channel.clone();
            // A line through held ends would not hold.
            if travel == Travel::Drift && channel.curve != Curve::Hermite {
                channel = channel.held(0.0, self.duration_s);
            }
            for key in &mut channel.keys {
                key.value = stays(to_model, back, key.value, key.time_s);
            }
            for tangents in &mut channel.tangents {
                let slope = |v: V3| match travel {
                    Travel::All => v - back.mul_vector(flat(to_model.mul_vector(v))),
                    Travel::Drift => v - back.mul_vector(drift * (1.0 / self.duration_s)),
                };
                (tangents.into, tangents.out) = (slope(tangents.into), slope(tangents.out));
            }
            channel
        };
        Ok(out)
    }
}

impl RawTrack {
    /// True if a channel does not stay what it is.
    #[must_use]
    pub fn moves(&self) -> bool {
        is_moving(&self.translation) || is_moving(&self.rotation) || is_moving(&self.scale)
    }
}

/// True if two keys differ, or a slope leads away from one.
fn is_moving<V: Value>(channel: &Channel<V>) -> bool {
    let slope = |t: &Tangents<V>| t.out != zero(t.out) || t.into != zero(t.into);
    channel.keys.windows(2).any(|w| w[0].value != w[1].value)
        || channel.keys.len() > 1 && channel.tangents.iter().any(slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        exact::{Q4, Trs},
        raw::RawJoint,
    };

    /// An armature on its side and a hundred times too small, hips that walk and sway, a prop that lies about.
    fn walk(curve: Curve, turning: bool) -> (RawSkeleton, RawAnimation) {
        let joint = |name: &str, parent, rest| RawJoint { name: name.into(), parent, rest };
        let turn = Q4::from_axis_angle(V3::X, -core::f64::consts::FRAC_PI_2);
        let armature = Trs { translation: V3::ZERO, rotation: turn, scale: V3::ONE * 0.01 };
        let up = Trs::from_translation(V3::new(0.0, 0.0, 100.0));
        let skeleton = RawSkeleton {
            joints: vec![
                joint("prop", Some(1), Trs::IDENTITY),
                joint("armature", None, armature),
                joint("hips", Some(1), up),
                joint("spine", Some(2), Trs::IDENTITY),
            ],
        };
        // z of the armature is up, -y its forward.
        let at = |t: f64| V3::new(3.0 * libm::sin(6.0 * t), -150.0 * t, 100.0 + 2.0 * libm::cos(12.0 * t));
        let times = [0.0, 0.2, 0.35, 0.5, 0.8, 1.0];
        let mut hips = Channel::new(curve, times.map(|t| (t, at(t))));
        if curve == Curve::Cubic {
            hips.tangents =
                vec![Tangents { into: V3::new(1.0, -140.0, 3.0), out: V3::new(0.0, -150.0, 2.0) }; 6];
        }
        let mut tracks = vec![RawTrack::default(); 4];
        tracks[0].translation = Channel::new(Curve::Linear, [(0.0, V3::ZERO), (1.0, V3::X)]);
        tracks[2].translation = hips;
        if turning {
            let to = Q4::from_axis_angle(V3::Y, 0.5) * turn;
            tracks[1].rotation = Channel::new(Curve::Linear, [(0.0, turn), (0.4, to), (1.0, turn)]);
        }
        (skeleton, RawAnimation { duration_s: 1.0, tracks, ..Default::default() })
    }

    #[test]
    fn a_walk_stays_where_it_starts_and_keeps_its_height() {
        for (curve, turning) in [Curve::Linear, Curve::Cubic, Curve::Hermite, Curve::Step]
            .into_iter()
            .flat_map(|c| [(c, false), (c, true)])
        {
            let (s, a) = walk(curve, turning);
            assert_eq!(a.carrier(&s), Some(2), "the prop has less below it");
            let hips = |a: &RawAnimation, t: f64| models(&s, &a.pose(&s, t))[2].columns[3];
            let still = a.in_place(&s, Travel::All).unwrap();
            let swaying = a.in_place(&s, Travel::Drift).unwrap();
            let (start, end) = (hips(&a, 0.0), hips(&a, 1.0));
            // With a turning armature it is exact at keys.
            let times =
                if turning { a.time_points() } else { (0..=50).map(|i| f64::from(i) / 50.0).collect() };
            for t in times {
                let (was, is) = (hips(&a, t), hips(&still, t));
                assert!(
                    (is.x - start.x).abs() + (is.z - start.z).abs() < 1e-12,
                    "{curve:?} {turning} at {t}: {is:?}"
                );
                assert!((is.y - was.y).abs() < 1e-12, "{curve:?} at {t}");
                if curve != Curve::Step {
                    let line = V3::new(end.x - start.x, 0.0, end.z - start.z) * t;
                    assert!((hips(&swaying, t) - (was - line)).length() < 1e-12, "{curve:?} at {t}");
                }
            }
            assert_eq!(still.tracks[0], a.tracks[0]);
        }
    }

    #[test]
    fn what_does_not_travel_is_left_alone() {
        let (s, mut a) = walk(Curve::Linear, false);
        a.tracks.iter_mut().for_each(|t| t.translation = Channel::default());
        assert_eq!(a.in_place(&s, Travel::All), Ok(a.clone()));
        a.tracks.pop();
        assert_eq!(a.in_place(&s, Travel::All), Err(RawEditError::Tracks { tracks: 3, joints: 4 }));
    }
}
