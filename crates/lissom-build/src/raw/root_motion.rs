//! Where a motion carries its character, taken out of a joint into tracks beside the clip.

use super::{
    Channel, Curve, Key, RawAnimation, RawEditError, RawSkeleton, RawUserTrack, TrackKind, UserKey,
    looping::models,
};
use crate::exact::{M34, Q4, Trs, V3};
use lissom::track::ROOT_TRACKS;

/// What of a joint's movement is root motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMotionRule {
    /// Along x, y and z of model space. With `turn`, x and z belong together.
    pub axes: [bool; 3],
    /// The turn about y, which is up.
    pub turn: bool,
    /// From where it is counted.
    pub reference: RootReference,
    /// True takes it out of the joint; false leaves the motion as it is, and the tracks only tell.
    pub bake: bool,
    /// True if the tracks shall end where they start: what they are off at the end is taken away little by little, and stays
    /// in the joint. Else a loop of the clip goes on from where it ended.
    pub looping: bool,
    /// Keys a second, besides those that the joint and what it hangs on have: between keys a turn is not a straight line.
    pub rate_hz: f64,
}

/// Where a character stands that has not moved: what the joint has there stays in the clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootReference {
    /// The joint's place and heading in the first pose.
    First,
    /// Those in the rest pose.
    Rest,
    /// The origin of model space, and no turn.
    Origin,
}

/// What [`RawAnimation::root_motion`] makes.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtractedRoot {
    /// The motion without it.
    pub motion: RawAnimation,
    /// Where it leads, as [`ROOT_TRACKS`]: three numbers, a rotation.
    pub tracks: [RawUserTrack; 2],
}

impl Default for RootMotionRule {
    /// Over the ground and about up, from the first pose on, out of the joint, at 60 Hz.
    fn default() -> Self {
        Self {
            axes: [true, false, true],
            turn: true,
            reference: RootReference::First,
            bake: true,
            looping: false,
            rate_hz: 60.0,
        }
    }
}

impl RawAnimation {
    /// Takes root motion out of a joint: at every key the root, and what is left under it, give the joint's place in model
    /// space as it was. The joint's translation and rotation become linear. What does not hang on the joint stays where it
    /// was. Where the rule does not bake, only the tracks are new.
    ///
    /// What the joint hangs on may move and turn; its scales must be uniform.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Tracks`], also for a joint that there is not; [`RawEditError::NoInverse`]; [`RawEditError::Rate`] and
    /// [`RawEditError::TooManyKeys`].
    pub fn root_motion(
        &self,
        skeleton: &RawSkeleton,
        joint: usize,
        rule: &RootMotionRule,
    ) -> Result<ExtractedRoot, RawEditError> {
        let (tracks, joints) = (self.tracks.len(), skeleton.joints.len());
        if tracks != joints || joint >= joints {
            return Err(RawEditError::Tracks { tracks, joints });
        }
        let rest: Vec<Trs> = skeleton.joints.iter().map(|joint| joint.rest).collect();
        let reference = match rule.reference {
            RootReference::First => Stand::of(skeleton, &self.pose(skeleton, 0.0), joint),
            RootReference::Rest => Stand::of(skeleton, &rest, joint),
            RootReference::Origin => Stand {
                place: V3::ZERO,
                rotation: Q4::IDENTITY,
                parent: M34::IDENTITY,
                parent_rotation: Q4::IDENTITY,
            },
        };
        let root = |stand: &Stand| {
            let turn = if rule.turn { heading(stand.rotation, reference.rotation) } else { Q4::IDENTITY };
            let chosen = |v: V3| {
                let [x, y, z] = rule.axes.map(|chosen| if chosen { 1.0 } else { 0.0 });
                v.mul_each(V3::new(x, y, z))
            };
            (chosen(stand.place) - turn.rotate(chosen(reference.place)), turn)
        };
        let at = |time_s: f64| Stand::of(skeleton, &self.pose(skeleton, time_s), joint);
        let (first, last) = (root(&at(0.0)), root(&at(self.duration_s)));
        // What the end is off the start: a way, and an angle about y.
        let gap = (last.0 - first.0, about_y(last.1 * first.1.conjugate()));
        let mut motion = self.clone();
        let (mut places, mut turns) = (Vec::new(), Vec::new());
        let (mut root_places, mut root_turns) = (Vec::new(), Vec::new());
        for time_s in self.root_times(skeleton, joint, rule.rate_hz)? {
            let stand = at(time_s);
            let ratio = if self.duration_s > 0.0 { time_s / self.duration_s } else { 0.0 };
            let (mut place, mut turn) = root(&stand);
            if rule.looping {
                place = place - gap.0 * ratio;
                turn = Q4::from_axis_angle(V3::Y, -gap.1 * ratio) * turn;
            }
            // The joint without the root, first in model space, then on what it hangs on.
            let back = turn.conjugate();
            let parent_back = stand.parent.inverse().ok_or(RawEditError::NoInverse { joint })?;
            let left = parent_back.mul_point(back.rotate(stand.place - place));
            let turned = stand.parent_rotation.conjugate() * back * stand.rotation;
            places.push(Key { time_s, value: left });
            turns.push(Key { time_s, value: turned.normalize() });
            let key = |value| UserKey { ratio: crate::exact::clamp(ratio, 0.0, 1.0), value, step: false };
            root_places.push(key([place.x, place.y, place.z, 0.0]));
            root_turns.push(key([turn.x, turn.y, turn.z, turn.w]));
        }
        if rule.bake {
            let track = &mut motion.tracks[joint];
            track.translation = Channel { curve: Curve::Linear, keys: places, tangents: Vec::new() };
            track.rotation = Channel { curve: Curve::Linear, keys: turns, tangents: Vec::new() };
        }
        let [place, turn] = ROOT_TRACKS.map(String::from);
        let tracks = [
            RawUserTrack { name: place, kind: TrackKind::Float3, keys: root_places },
            RawUserTrack { name: turn, kind: TrackKind::Quat, keys: root_turns },
        ];
        Ok(ExtractedRoot { motion, tracks })
    }

    /// When the joint or what it hangs on has a key, and at a rate, each once, rising. Times that differ by rounding are
    /// one: as ratios of the duration they might be the same number.
    fn root_times(
        &self,
        skeleton: &RawSkeleton,
        joint: usize,
        rate_hz: f64,
    ) -> Result<Vec<f64>, RawEditError> {
        let mut times = Self::fixed_rate_times(self.duration_s, rate_hz)?;
        let mut next = Some(joint);
        while let Some(joint) = next {
            let track = &self.tracks[joint];
            times.extend(track.translation.keys.iter().map(|k| k.time_s));
            times.extend(track.rotation.keys.iter().map(|k| k.time_s));
            times.extend(track.scale.keys.iter().map(|k| k.time_s));
            next = skeleton.joints[joint].parent;
        }
        times.retain(|time_s| (0.0..=self.duration_s).contains(time_s));
        times.sort_by(f64::total_cmp);
        let end_s = self.duration_s;
        times.dedup_by(|later, kept| *later - *kept <= end_s * 1e-9);
        if let Some(last) = times.last_mut().filter(|last| end_s - **last <= end_s * 1e-9) {
            *last = end_s;
        }
        Ok(times)
    }
}

/// How a joint stands in model space, and what it hangs on.
struct Stand {
    place: V3,
    rotation: Q4,
    parent: M34,
    parent_rotation: Q4,
}

impl Stand {
    fn of(skeleton: &RawSkeleton, pose: &[Trs], joint: usize) -> Self {
        let models = models(skeleton, pose);
        let mut parent_rotation = Q4::IDENTITY;
        let mut next = skeleton.joints[joint].parent;
        while let Some(above) = next {
            parent_rotation = pose[above].rotation * parent_rotation;
            next = skeleton.joints[above].parent;
        }
        let parent = skeleton.joints[joint].parent.map_or(M34::IDENTITY, |p| models[p]);
        let rotation = parent_rotation * pose[joint].rotation;
        Self { place: models[joint].columns[3], rotation, parent, parent_rotation }
    }
}

/// The part of the turn from `reference` to `rotation` that is about y; none for one that is half a turn about something level.
fn heading(rotation: Q4, reference: Q4) -> Q4 {
    let turn = rotation * reference.conjugate();
    let about_y = Q4::new(0.0, turn.y, 0.0, turn.w);
    if about_y.dot(about_y) > 1e-12 { about_y.normalize() } else { Q4::IDENTITY }
}

/// The angle of a turn about y, by the shorter way.
fn about_y(turn: Q4) -> f64 {
    let turn = turn.near(Q4::IDENTITY);
    2.0 * libm::atan2(turn.y, turn.w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::RawJoint;

    /// An armature on its side, hips that walk through a bend and roll, a spine on them.
    fn bend() -> (RawSkeleton, RawAnimation) {
        let joint = |name: &str, parent, rest| RawJoint { name: name.into(), parent, rest };
        let side = Q4::from_axis_angle(V3::X, -core::f64::consts::FRAC_PI_2);
        let armature = Trs { translation: V3::new(0.3, 0.0, 0.1), rotation: side, scale: V3::ONE * 0.01 };
        let up = Trs::from_translation(V3::new(0.0, 0.0, 100.0));
        let joints = vec![
            joint("armature", None, armature),
            joint("hips", Some(0), up),
            joint("spine", Some(1), Trs::from_translation(V3::new(0.0, 0.0, 20.0))),
        ];
        let times: [f64; 5] = core::array::from_fn(|i| i as f64 * 0.25);
        let mut tracks = vec![Default::default(); 3];
        let hips: &mut crate::raw::RawTrack = &mut tracks[1];
        hips.translation = Channel::new(
            Curve::Linear,
            times.map(|t| (t, V3::new(10.0 + 40.0 * t, -150.0 * t, 100.0 + 3.0 * libm::sin(9.0 * t)))),
        );
        let roll = |t: f64| {
            Q4::from_axis_angle(V3::Z, 0.4 + 1.5 * t) * Q4::from_axis_angle(V3::X, 0.2 * libm::sin(6.0 * t))
        };
        hips.rotation = Channel::new(Curve::Linear, times.map(|t| (t, roll(t))));
        (RawSkeleton { joints }, RawAnimation { duration_s: 1.0, tracks, ..Default::default() })
    }

    fn root_at(tracks: &[RawUserTrack; 2], key: usize) -> (V3, Q4) {
        let ([x, y, z, _], q) = (tracks[0].keys[key].value, tracks[1].keys[key].value);
        (V3::new(x, y, z), Q4::new(q[0], q[1], q[2], q[3]))
    }

    #[test]
    fn keys_a_rounding_apart_are_one() {
        let (skeleton, mut motion) = bend();
        motion.duration_s = 1.1;
        let before = f64::from_bits(0.55_f64.to_bits() - 1);
        let after = f64::from_bits(1.1_f64.to_bits() - 1);
        let places = [0.0, before, 0.55, after].map(|t| (t, V3::new(10.0, -150.0 * t, 100.0)));
        motion.tracks[1].translation = Channel::new(Curve::Linear, places);
        let rule = RootMotionRule {
            axes: [true, false, true],
            turn: false,
            reference: RootReference::First,
            looping: false,
            bake: true,
            rate_hz: 30.0,
        };
        let ExtractedRoot { motion, tracks } = motion.root_motion(&skeleton, 1, &rule).unwrap();
        motion.validate(3).unwrap();
        for track in &tracks {
            track.validate().unwrap();
            assert_eq!((track.keys[0].ratio, track.keys[track.keys.len() - 1].ratio), (0.0, 1.0));
            assert!(track.keys.windows(2).all(|pair| pair[1].ratio - pair[0].ratio > 1e-10));
        }
    }

    #[test]
    fn the_root_and_what_is_left_are_the_motion_as_it_was() {
        let (skeleton, motion) = bend();
        for reference in [RootReference::First, RootReference::Rest, RootReference::Origin] {
            for (axes, turn, looping) in [
                ([true, false, true], true, false),
                ([true; 3], false, false),
                ([false, false, true], false, true),
                ([false; 3], true, false),
                ([true, false, true], true, true),
            ] {
                let rule = RootMotionRule { axes, turn, reference, looping, bake: true, rate_hz: 30.0 };
                let ExtractedRoot { motion: left, tracks } = motion.root_motion(&skeleton, 1, &rule).unwrap();
                left.validate(3).unwrap();
                for (key, at) in left.tracks[1].translation.keys.iter().enumerate() {
                    let was = models(&skeleton, &motion.pose(&skeleton, at.time_s));
                    let is = models(&skeleton, &left.pose(&skeleton, at.time_s));
                    let (place, turn) = root_at(&tracks, key);
                    // A point beside the spine: rotations show too.
                    let point = V3::new(5.0, 6.0, 7.0);
                    let again = place + turn.rotate(is[2].mul_point(point));
                    assert!(again.distance(was[2].mul_point(point)) < 1e-9, "{rule:?} at {}", at.time_s);
                }
            }
        }
    }

    #[test]
    fn what_is_chosen_is_gone_from_the_joint_and_the_rest_stays() {
        let (skeleton, motion) = bend();
        let left = motion.root_motion(&skeleton, 1, &RootMotionRule::default()).unwrap();
        let start = models(&skeleton, &motion.pose(&skeleton, 0.0))[1].columns[3];
        for (key, at) in left.motion.tracks[1].translation.keys.iter().enumerate() {
            let is = models(&skeleton, &left.motion.pose(&skeleton, at.time_s))[1].columns[3];
            let was = models(&skeleton, &motion.pose(&skeleton, at.time_s))[1].columns[3];
            assert!(
                (is.x - start.x).abs() < 1e-9 && (is.z - start.z).abs() < 1e-9 && (is.y - was.y).abs() < 1e-9
            );
            let (_, turn) = root_at(&left.tracks, key);
            assert!(turn.x == 0.0 && turn.z == 0.0);
        }
        // From the first pose on: it starts with nothing, and goes somewhere.
        assert!(root_at(&left.tracks, 0).0.length() < 1e-9);
        let last = left.tracks[0].keys.len() - 1;
        let (place, turn) = root_at(&left.tracks, last);
        assert!(
            place.length() > 1.0 && (2.0 * libm::atan2(turn.y, turn.w) - 1.5).abs() < 0.05,
            "{place:?} {turn:?}"
        );
    }

    #[test]
    fn tracks_that_loop_end_where_they_start_and_what_is_not_baked_only_tells() {
        let (skeleton, motion) = bend();
        let rule = RootMotionRule { looping: true, ..RootMotionRule::default() };
        let looped = motion.root_motion(&skeleton, 1, &rule).unwrap();
        let last = looped.tracks[0].keys.len() - 1;
        let (first, last) = (root_at(&looped.tracks, 0), root_at(&looped.tracks, last));
        assert!(first.0.distance(last.0) < 1e-12 && first.1.dot(last.1) > 1.0 - 1e-12, "{first:?} {last:?}");
        let (told, taken) = (RootMotionRule { bake: false, ..rule }, rule);
        let (told, taken) =
            (motion.root_motion(&skeleton, 1, &told), motion.root_motion(&skeleton, 1, &taken));
        let (told, taken) = (told.unwrap(), taken.unwrap());
        assert_eq!(told.motion, motion);
        assert_eq!(told.tracks, taken.tracks);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let (skeleton, motion) = bend();
        let run = |joint, rule: &RootMotionRule| motion.root_motion(&skeleton, joint, rule).map(|_| ());
        let rule = RootMotionRule::default();
        assert!(matches!(run(3, &rule), Err(RawEditError::Tracks { .. })));
        let never = RootMotionRule { rate_hz: 0.0, ..rule };
        assert!(matches!(run(1, &never), Err(RawEditError::Rate { .. })));
        let mut flat = skeleton.clone();
        flat.joints[0].rest.scale = V3::ZERO;
        assert!(matches!(motion.root_motion(&flat, 1, &rule), Err(RawEditError::NoInverse { joint: 1 })));
    }
}
