//! A raw animation in the order of its skeleton: what is cooked, and what the result is measured against.

use crate::{
    BuiltSkeleton,
    exact::{M34, Q4, Trs, V3, larger},
    raw::{Channel, Curve, RawAnimation, Value},
};

/// The tracks of an animation, in skeleton order, constants resolved.
#[derive(Clone, Debug)]
pub(crate) struct CookSource<'a> {
    pub(crate) duration_s: f64,
    /// Parents stand before children.
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) joints: Vec<SourceJoint<'a>>,
}

/// The three channels of a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceJoint<'a> {
    pub(crate) rest: Trs,
    pub(crate) translation: SourceChannel<'a, V3>,
    pub(crate) rotation: SourceChannel<'a, Q4>,
    pub(crate) scale: SourceChannel<'a, V3>,
    /// What people see it added to, if it is a difference.
    onto: Option<Trs>,
}

/// What a channel does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SourceChannel<'a, V> {
    /// There are no keys: the rest pose.
    Rest(V),
    /// Every key has this value.
    Constant(V),
    Moving(&'a Channel<V>),
}

impl<'a, V: Value> SourceChannel<'a, V> {
    fn new(channel: &'a Channel<V>, rest: V, keep_all: bool) -> Self {
        let Some(first) = channel.keys.first() else { return Self::Rest(rest) };
        if keep_all && channel.keys.len() > 1 {
            return Self::Moving(channel);
        }
        let still = channel.keys.iter().all(|k| k.value == first.value)
            && channel.tangents.iter().all(|t| {
                let zero = V::mix(first.value, 0.0, first.value, 0.0);
                t.into == zero && t.out == zero
            });
        if still || channel.keys.len() == 1 {
            Self::Constant(first.value.settle())
        } else {
            Self::Moving(channel)
        }
    }

    pub(crate) fn sample(&self, time_s: f64) -> V {
        match self {
            Self::Rest(v) | Self::Constant(v) => *v,
            Self::Moving(channel) => channel.sample(time_s).expect("a moving channel has keys"),
        }
    }

    /// As `sample`, for rising times: see [`Channel::sample_onward`].
    fn sample_onward(&self, time_s: f64, after: &mut usize) -> V {
        match self {
            Self::Rest(v) | Self::Constant(v) => *v,
            Self::Moving(channel) => channel.sample_onward(time_s, after).expect("a moving channel has keys"),
        }
    }

    pub(crate) fn moving(&self) -> Option<&'a Channel<V>> {
        match self {
            Self::Moving(channel) => Some(channel),
            _ => None,
        }
    }
}

impl SourceJoint<'_> {
    /// The local transform at a time; `place` remembers where each channel was found, for rising times.
    pub(crate) fn sample_onward(&self, time_s: f64, [translation, rotation, scale]: &mut [usize; 3]) -> Trs {
        Trs {
            translation: self.translation.sample_onward(time_s, translation),
            rotation: self.rotation.sample_onward(time_s, rotation),
            scale: self.scale.sample_onward(time_s, scale),
        }
    }

    /// What people see of a local transform: itself, or what it makes of the rest pose, as `lissom::job::BlendJob` adds it.
    pub(crate) fn seen(&self, local: Trs) -> Trs {
        self.onto.map_or(local, |onto| Trs {
            translation: onto.translation + local.translation,
            rotation: local.rotation * onto.rotation,
            scale: onto.scale.mul_each(local.scale),
        })
    }

    /// The translation that is seen as this one.
    pub(crate) fn unseen_translation(&self, seen: V3) -> V3 {
        self.onto.map_or(seen, |onto| seen - onto.translation)
    }

    /// The largest part of a scale that is seen where a scale of 1 is stored.
    pub(crate) fn scale_of_one(&self) -> f64 {
        self.onto
            .map_or(1.0, |onto| larger(larger(onto.scale.x.abs(), onto.scale.y.abs()), onto.scale.z.abs()))
    }
}

/// A source in model space, asked for rising times: no search a channel and time.
pub(crate) struct SourceWalk<'s, 'a> {
    source: &'s CookSource<'a>,
    places: Vec<[usize; 3]>,
}

impl SourceWalk<'_, '_> {
    pub(crate) fn models(&mut self, time_s: f64, models: &mut [M34]) {
        let joints = self.source.joints.iter().zip(&self.source.parents).zip(&mut self.places);
        for (j, ((joint, parent), place)) in joints.enumerate() {
            let local = joint.seen(joint.sample_onward(time_s, place)).to_m34();
            models[j] = parent.map_or(local, |p| models[p].mul(&local));
        }
    }
}

impl<'a> CookSource<'a> {
    pub(crate) fn walk(&self) -> SourceWalk<'_, 'a> {
        SourceWalk { source: self, places: vec![[0; 3]; self.joints.len()] }
    }

    /// The animation must be valid for the skeleton. With `keep_all`, a channel of several keys counts as
    /// moving even if they are all the same. What is additive is seen added to the rest pose.
    pub(crate) fn new(skeleton: &BuiltSkeleton, animation: &'a RawAnimation, keep_all: bool) -> Self {
        let s = &skeleton.skeleton;
        let joint = |j: usize| {
            let track = &animation.tracks[skeleton.raw_of_joint[j]];
            let rest = Trs::from_f32(s.rest(j));
            SourceJoint {
                rest,
                translation: SourceChannel::new(&track.translation, rest.translation, keep_all),
                rotation: SourceChannel::new(&track.rotation, rest.rotation, keep_all),
                scale: SourceChannel::new(&track.scale, rest.scale, keep_all),
                onto: animation.additive.then_some(rest),
            }
        };
        Self {
            duration_s: animation.duration_s,
            parents: (0..s.joint_count()).map(|j| s.parent(j)).collect(),
            joints: (0..s.joint_count()).map(joint).collect(),
        }
    }

    /// The times of all keys of channels that move, with 0 and the duration; rising.
    pub(crate) fn times(&self) -> Vec<f64> {
        let mut times = vec![0.0, self.duration_s];
        let mut room = 1 << 20;
        for joint in &self.joints {
            let mut add = |keys: &mut dyn Iterator<Item = f64>| times.extend(keys);
            if let Some(c) = joint.translation.moving() {
                add(&mut c.keys.iter().map(|k| k.time_s));
            }
            if let Some(c) = joint.rotation.moving() {
                add(&mut c.keys.iter().map(|k| k.time_s));
            }
            if let Some(c) = joint.scale.moving() {
                add(&mut c.keys.iter().map(|k| k.time_s));
            }
            // Channels mostly share their times: now and then drop what is there many times.
            if times.len() > room {
                sort_times(&mut times);
                room = room.max(times.len() * 2);
            }
        }
        sort_times(&mut times);
        times
    }

    /// The spans between two rotation keys of a joint so far apart (within a degree of 180) that the path
    /// between them is a matter of taste; rising.
    pub(crate) fn ambiguous(&self, joint: usize) -> Vec<(f64, f64)> {
        // The dot product of unit quaternions is the cosine of half the angle between them.
        let limit = libm::cos(179.0_f64.to_radians() * 0.5);
        let Some(channel) = self.joints[joint].rotation.moving() else { return Vec::new() };
        if matches!(channel.curve, Curve::Step | Curve::Cubic) {
            return Vec::new();
        }
        let apart = |pair: &&[crate::raw::Key<Q4>]| {
            pair[0].value.normalize().dot(pair[1].value.normalize()).abs() <= limit
        };
        channel.keys.windows(2).filter(apart).map(|p| (p[0].time_s, p[1].time_s)).collect()
    }
}

/// Sorts, and drops what is there twice.
pub(crate) fn sort_times(times: &mut Vec<f64>) {
    times.sort_unstable_by(f64::total_cmp);
    times.dedup();
}
