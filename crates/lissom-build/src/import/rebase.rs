//! A motion of one skeleton for another that has the same joints and rests otherwise.
//!
//! What carries over is how far each joint is turned and moved from rest *in model space*. With the parents' and the
//! joint's own rest that is a constant factor before and after each key, so keys stay keys and curves stay curves:
//!
//! ```text
//! rotation     q' = (R'p⁻¹ · T · Rp) · q · (Rj⁻¹ · T⁻¹ · R'j)
//! translation  t' = rest' + (G'p⁻¹ · k · T · Gp) · (t - rest)
//! ```
//!
//! R and G are the rotation and the linear part of the rest pose in model space (primes are the target's), T the quarter
//! turns between where the two look, k how much larger the target is. That is right where both rest in the same pose.
//!
//! Where they do not, keys are taken as they are if the bones agree. The nodes of a motion file often stand in some
//! frame of the motion, and that says nothing about the rig; where each joint is attached to its parent does. Anything
//! else would be a guess, and is refused; [`MotionFit`] forces one or the other.

use super::{MatchError, MotionFit, axes::map};
use crate::{
    exact::{M34, Q4, Trs, V3, larger},
    mesh::model_matrices,
    raw::{Channel, RawSkeleton, RawTrack},
    scene::Fitted,
};

/// Radians: what f32 makes of the same rotation.
const SAME: f64 = 1e-4;
/// Degrees between bones of one and the same pose.
const SAME_POSE: f64 = 1.0;
/// Degrees between bones of two characters in one pose: necks and shoulders differ that much.
const ALIKE: f64 = 40.0;
/// Degrees between the directions that two skeletons with the same axes have for a bone.
const SAME_AXES: f64 = 5.0;
/// How much local translations and scales of one and the same bone differ, as a part of them.
const SAME_BONE: f64 = 0.02;
/// What is no bone: a part of the mean length.
const SHORTEST: f64 = 0.01;
/// Of two skeletons of one rig at least this percentage of the bones is the same. Not all: joints that a motion moves
/// in their parents stand elsewhere, and faces are made to measure.
const SAME_RIG: usize = 75;

/// How a motion becomes one of the other skeleton.
#[derive(Debug)]
pub(super) enum Fit {
    /// Both rest alike: keys stay as they are.
    Same,
    /// The rest poses differ: keys stay as they are all the same, and what has none rests as in its file.
    Copied {
        /// The rest rotations that differ.
        rest: Vec<Option<Q4>>,
        why: Why,
    },
    /// The rest poses are one pose told with other axes, lengths or scales.
    Rebased {
        /// One a joint that both have.
        changes: Vec<Option<Change>>,
        /// Degrees between where the two look.
        turned: f64,
        /// A joint that rests in an uneven scale: what it carries is sheared as it turns, which no other axes can tell.
        uneven: Option<String>,
        /// The bone that is farthest off, and how far in degrees, if the poses are not alike and this was asked for.
        unlike: Option<(String, f64)>,
    },
}

/// Why keys are taken as they are.
#[derive(Debug)]
pub(super) enum Why {
    Asked,
    /// How many bones are the same, and of how many.
    Bones {
        same: usize,
        all: usize,
    },
    /// The joints' axes agree; the bone that is farthest off, and how far in degrees.
    Axes(String, f64),
}

/// What becomes of a joint's keys.
#[derive(Clone, Debug)]
pub(super) struct Change {
    before: Q4,
    after: Q4,
    linear: M34,
    from: Trs,
    to: Trs,
    /// What a scale along an axis of the joint is along the target's axes.
    scales: M34,
    /// Of a joint with nothing above: from its parent's space to model space, and from there to the target's.
    top: Option<(M34, M34)>,
    /// A mesh that is bound to the joint, seen from the target's.
    bind: M34,
}

/// A rest pose in model space.
struct Rest {
    models: Vec<M34>,
    turns: Vec<Q4>,
}

impl Rest {
    fn of(skeleton: &RawSkeleton) -> Self {
        let locals: Vec<Trs> = skeleton.joints.iter().map(|j| j.rest).collect();
        let mut turns = vec![Q4::IDENTITY; locals.len()];
        for joint in skeleton.depth_first() {
            let Some(own) = skeleton.joints.get(joint) else { continue };
            let above = own.parent.and_then(|p| turns.get(p)).copied().unwrap_or(Q4::IDENTITY);
            if let Some(turn) = turns.get_mut(joint) {
                *turn = above.times(own.rest.rotation.normalize()).normalize();
            }
        }
        Self { models: model_matrices(skeleton, &locals), turns }
    }

    fn turn(&self, joint: Option<usize>) -> Q4 {
        joint.and_then(|j| self.turns.get(j)).copied().unwrap_or(Q4::IDENTITY)
    }

    fn model(&self, joint: Option<usize>) -> M34 {
        joint.and_then(|j| self.models.get(j)).copied().unwrap_or(M34::IDENTITY)
    }

    fn origin(&self, joint: usize) -> V3 {
        self.model(Some(joint)).mul_point(V3::ZERO)
    }
}

/// From the nearest joint above that both skeletons have.
struct Bone {
    joint: usize,
    own: V3,
    target: V3,
    /// Nothing that both have hangs on it: where an end points says little about a pose.
    is_end: bool,
}

/// How motions of `own` fit `target`; `places` says where each joint is in it. `is_bound`: a skin of the file is bound in
/// its rest pose, so that somebody chose that pose.
pub(super) fn fit(
    own: &RawSkeleton,
    target: &RawSkeleton,
    places: &[Option<usize>],
    asked: MotionFit,
    is_bound: bool,
) -> Result<Fit, MatchError> {
    let (rest, other) = (Rest::of(own), Rest::of(target));
    let pairs = || places.iter().enumerate().filter_map(|(joint, place)| Some((joint, (*place)?)));
    let parent = |s: &RawSkeleton, j: usize| s.joints.get(j).and_then(|j| j.parent);
    let local = |s: &RawSkeleton, j: usize| s.joints.get(j).map_or(Trs::IDENTITY, |j| j.rest);
    let is_same = |(joint, place): (usize, usize)| {
        let (above, beyond) = (parent(own, joint), parent(target, place));
        let (a, b) = (local(own, joint), local(target, place));
        let room = SAME * (a.translation.length() + f64::MIN_POSITIVE);
        let grown = |a: V3, b: V3| a.distance(b) > SAME * a.length();
        between(rest.turn(Some(joint)), other.turn(Some(place))) < SAME
            && between(rest.turn(above), other.turn(beyond)) < SAME
            && a.translation.distance(b.translation) <= room
            && !grown(a.scale, b.scale)
    };
    if pairs().all(is_same) {
        return Ok(Fit::Same);
    }
    let own_rotations = |is_wanted: &dyn Fn(usize) -> bool| {
        let unlike = |(joint, place)| {
            let rotation = local(own, joint).rotation.normalize();
            let differs = between(rotation, local(target, place).rotation.normalize()) >= SAME;
            (differs && is_wanted(joint)).then_some(rotation)
        };
        places.iter().enumerate().map(|(joint, place)| unlike((joint, (*place)?))).collect::<Vec<_>>()
    };
    let pieces = same_bones(own, target, places);
    // A bone that is another one there has another rest, too: its own is none for the target.
    let is_ours = |joint: usize| pieces.get(joint).copied().flatten() != Some(false);
    if asked == MotionFit::AsIs {
        return Ok(Fit::Copied { rest: own_rotations(&is_ours), why: Why::Asked });
    }
    let bones = bones(own, target, places, &rest, &other)?;
    let (own_length, length) =
        bones.iter().fold((0.0, 0.0), |(a, b), bone| (a + bone.own.length(), b + bone.target.length()));
    let size = if own_length > 0.0 && length > 0.0 { length / own_length } else { 1.0 };
    let facing = facing(&bones);
    let (worst, angle) = worst(&bones, |bone| degrees(facing.rotate(bone.own), bone.target));
    let name = worst.and_then(|j| own.joints.get(j)).map(|j| j.name.clone()).unwrap_or_default();
    if angle > SAME_POSE && asked == MotionFit::Auto {
        let known = pieces.iter().flatten();
        let (same, all) = (known.clone().filter(|same| **same).count(), known.count());
        if !is_bound && all > 0 && same.saturating_mul(100) >= all.saturating_mul(SAME_RIG) {
            return Ok(Fit::Copied { rest: own_rotations(&is_ours), why: Why::Bones { same, all } });
        }
        if axes_agree(own, target, places) {
            return Ok(Fit::Copied { rest: own_rotations(&|_| true), why: Why::Axes(name, angle) });
        }
        if angle > ALIKE {
            return Err(MatchError::Rest { joint: name, degrees: angle, same, all });
        }
    }
    let grow = Trs { rotation: facing, scale: V3::ONE.scaled(size), ..Trs::IDENTITY }.to_m34();
    let change = |joint: usize, place: usize| {
        let (above, beyond) = (parent(own, joint), parent(target, place));
        let (from, to) = (local(own, joint), local(target, place));
        let back = |m: M34| m.inverse().unwrap_or(M34::IDENTITY);
        let out = grow.mul(&rest.model(above));
        let into = back(other.model(beyond));
        let own_turn = facing.times(rest.turn(Some(joint)));
        let is_top = !bones.iter().any(|b| b.joint == joint);
        Change {
            before: other.turn(beyond).conjugate().times(facing).times(rest.turn(above)),
            after: own_turn.conjugate().times(other.turn(Some(place))),
            linear: unmoved(into.mul(&out)),
            from,
            to,
            scales: squared(other.turn(Some(place)).conjugate().times(own_turn)),
            top: is_top.then_some((out, into)),
            bind: back(other.model(Some(place))).mul(&grow).mul(&rest.model(Some(joint))),
        }
    };
    let changes = places.iter().enumerate().map(|(joint, place)| Some(change(joint, (*place)?)));
    let uneven = pairs().find(|(j, p)| !is_even(local(own, *j).scale) || !is_even(local(target, *p).scale));
    Ok(Fit::Rebased {
        changes: changes.collect(),
        turned: between(Q4::IDENTITY, facing).to_degrees(),
        uneven: uneven.and_then(|(joint, _)| own.joints.get(joint)).map(|j| j.name.clone()),
        unlike: (angle > ALIKE).then_some((name, angle)),
    })
}

impl Fit {
    /// What the user should know.
    pub(super) fn notes(&self) -> Vec<String> {
        match self {
            Self::Same => Vec::new(),
            Self::Rebased { turned, uneven, unlike, .. } => {
                let unlike = unlike.as_ref().map(|(joint, degrees)| {
                    format!(
                        "it rests in another pose than the skeleton (the bone to {joint:?} points {degrees:.0} degrees \
                         away); its motion was re-based all the same, as asked"
                    )
                });
                let turned = (*turned > 1.0).then(|| {
                    format!(
                        "it looks another way than the skeleton; its motion was turned by {turned:.0} degrees"
                    )
                });
                let uneven = uneven.as_ref().map(|joint| {
                    format!(
                        "{joint:?} rests in an uneven scale, and its axes are not those of the skeleton: what it carries \
                         moves nearly as in the file, not exactly"
                    )
                });
                unlike.into_iter().chain(turned).chain(uneven).collect()
            }
            Self::Copied { why: Why::Asked, .. } => Vec::new(),
            Self::Copied { why: Why::Bones { same, all }, .. } => vec![format!(
                "it rests in another pose than the skeleton; {same} of {all} bones are the same, so its motion was taken as \
                 it is"
            )],
            Self::Copied { why: Why::Axes(joint, degrees), .. } => vec![format!(
                "it rests in another pose than the skeleton (the bone to {joint:?} points {degrees:.0} degrees away); their \
                 joints' axes agree, so its rotations were taken as they are"
            )],
        }
    }

    pub(super) fn how(&self) -> Fitted {
        match self {
            Self::Same => Fitted::Same,
            Self::Copied { .. } => Fitted::AsIs,
            Self::Rebased { .. } => Fitted::Rebased,
        }
    }

    /// True if the track of a joint scales unevenly along axes that the target's joint does not have.
    pub(super) fn is_rough(&self, joint: usize, track: &RawTrack) -> bool {
        let Self::Rebased { changes, .. } = self else { return false };
        let Some(Some(change)) = changes.get(joint) else { return false };
        let part = |a: f64, b: f64| if b == 0.0 { 1.0 } else { a / b };
        let from = change.from.scale;
        let share = |s: V3| V3::new(part(s.x, from.x), part(s.y, from.y), part(s.z, from.z));
        let quarter_turns = change.scales.columns.iter().take(3).all(|axis| axis.dot(*axis) > 1.0 - SAME);
        !quarter_turns && track.scale.keys.iter().any(|key| !is_even(share(key.value)))
    }

    /// The track of a joint as the target takes it.
    pub(super) fn track(&self, joint: usize, track: RawTrack) -> RawTrack {
        match self {
            Self::Same => track,
            Self::Copied { rest, .. } => {
                let mut track = track;
                let own = rest.get(joint).copied().flatten().filter(|_| track.rotation.keys.is_empty());
                if let Some(rotation) = own {
                    track.rotation = Channel::constant(rotation);
                }
                track
            }
            Self::Rebased { changes, .. } => match changes.get(joint) {
                Some(Some(change)) => change.track(track),
                _ => track,
            },
        }
    }

    /// An inverse bind matrix of a joint as the target takes it.
    pub(super) fn bind(&self, joint: usize, bind: &M34) -> M34 {
        match self {
            Self::Rebased { changes, .. } => match changes.get(joint) {
                Some(Some(change)) => change.bind.mul(bind),
                _ => *bind,
            },
            Self::Same | Self::Copied { .. } => *bind,
        }
    }
}

impl Change {
    fn track(&self, mut track: RawTrack) -> RawTrack {
        map(&mut track.rotation, |q| self.before.times(q).times(self.after));
        let first = track.translation.keys.first().map(|k| k.value);
        let (mut linear, mut start) =
            (self.linear, self.to.translation.minus(self.linear.mul_vector(self.from.translation)));
        if let (Some((out, into)), Some(first)) = (&self.top, first) {
            // A root may rest at the origin and have its place in its keys, or rest in its place and have its way in
            // them: what starts nearer to the height at which the target rests is meant.
            let height = |v: V3| into.inverse().unwrap_or(M34::IDENTITY).mul_point(v).y;
            let rest = height(self.to.translation);
            let placed = into.mul_point(out.mul_point(first));
            let moved = linear.mul_vector(first).plus(start);
            if (height(placed) - rest).abs() < (height(moved) - rest).abs() {
                linear = unmoved(into.mul(out));
                start = into.mul_point(out.mul_point(V3::ZERO));
            }
        }
        affine(&mut track.translation, |v| linear.mul_vector(v), start);
        let part = |a: f64, b: f64| if b == 0.0 { 1.0 } else { a / b };
        let (from, to) = (self.from.scale, self.to.scale);
        map(&mut track.scale, |s| {
            let share = V3::new(part(s.x, from.x), part(s.y, from.y), part(s.z, from.z));
            self.scales.mul_vector(share).mul_each(to)
        });
        track
    }
}

/// As [`map`], and moves values, not slopes.
fn affine(channel: &mut Channel<V3>, linear: impl Fn(V3) -> V3, start: V3) {
    map(channel, linear);
    channel.keys.iter_mut().for_each(|key| key.value = key.value.plus(start));
}

/// The bones of both. An error where they hang together otherwise.
fn bones(
    own: &RawSkeleton,
    target: &RawSkeleton,
    places: &[Option<usize>],
    rest: &Rest,
    other: &Rest,
) -> Result<Vec<Bone>, MatchError> {
    let mut taken = vec![false; target.joints.len()];
    for place in places.iter().flatten() {
        if let Some(taken) = taken.get_mut(*place) {
            *taken = true;
        }
    }
    // A list of parents never leads in circles: both skeletons were read.
    let above = |s: &RawSkeleton, joint: usize, known: &dyn Fn(usize) -> bool| {
        let mut at = s.joints.get(joint).and_then(|j| j.parent);
        while let Some(up) = at.filter(|up| !known(*up)) {
            at = s.joints.get(up).and_then(|j| j.parent);
        }
        at
    };
    let place_of = |joint: usize| places.get(joint).copied().flatten();
    let mut bones = Vec::new();
    let mut carries = vec![false; own.joints.len()];
    for (joint, place) in places.iter().enumerate() {
        let Some(place) = *place else { continue };
        let up = above(own, joint, &|j| place_of(j).is_some());
        let beyond = above(target, place, &|p| taken.get(p).copied().unwrap_or(false));
        if up.and_then(place_of) != beyond {
            let name = |s: &RawSkeleton, j: Option<usize>| {
                j.and_then(|j| s.joints.get(j)).map_or_else(|| "nothing".into(), |j| format!("{:?}", j.name))
            };
            return Err(MatchError::Parent {
                joint: own.joints.get(joint).map(|j| j.name.clone()).unwrap_or_default(),
                own: name(own, up),
                target: name(target, beyond),
            });
        }
        let (Some(up), Some(beyond)) = (up, beyond) else { continue };
        if let Some(carries) = carries.get_mut(up) {
            *carries = true;
        }
        let own = rest.origin(joint).minus(rest.origin(up));
        let target = other.origin(place).minus(other.origin(beyond));
        bones.push(Bone { joint, own, target, is_end: false });
    }
    for bone in &mut bones {
        bone.is_end = !carries.get(bone.joint).copied().unwrap_or(false);
    }
    Ok(bones)
}

/// The quarter turns after which both look the same way: none, unless others fit far better.
fn facing(bones: &[Bone]) -> Q4 {
    let cost = |turn: Q4| -> f64 {
        bones.iter().map(|b| b.target.length() * degrees(turn.rotate(b.own), b.target)).sum()
    };
    let axes = [V3::X, V3::Y, V3::Z, -V3::X, -V3::Y, -V3::Z];
    let mut best = (Q4::IDENTITY, cost(Q4::IDENTITY) * 0.5);
    for x in axes {
        for y in axes.into_iter().filter(|y| y.dot(x) == 0.0) {
            let turn = Q4::from_axes(x, y, x.cross(y));
            let cost = cost(turn);
            if cost < best.1 {
                best = (turn, cost);
            }
        }
    }
    best.0
}

/// The joint whose bone is farthest off, and how far; ends count where there is nothing else.
fn worst(bones: &[Bone], off: impl Fn(&Bone) -> f64) -> (Option<usize>, f64) {
    let ends_count = bones.iter().all(|b| b.is_end);
    let mut worst = (None, 0.0);
    for bone in bones.iter().filter(|b| ends_count || !b.is_end) {
        let found = off(bone);
        if found > worst.1 {
            worst = (Some(bone.joint), found);
        }
    }
    worst
}

/// True if every joint that carries something hangs on the same joint, in the same direction as that one sees it.
fn axes_agree(own: &RawSkeleton, target: &RawSkeleton, places: &[Option<usize>]) -> bool {
    let mut carries = vec![false; own.joints.len()];
    for joint in &own.joints {
        if let Some(above) = joint.parent.and_then(|p| carries.get_mut(p)) {
            *above = true;
        }
    }
    let ends_count = !places.iter().zip(&carries).any(|(place, carries)| place.is_some() && *carries);
    own.joints.iter().zip(places).zip(carries).all(|((joint, place), carries)| {
        let Some(other) = place.and_then(|p| target.joints.get(p)) else { return true };
        let above = joint.parent.map(|p| places.get(p).copied().flatten());
        above == other.parent.map(Some)
            && (!(carries || ends_count)
                || degrees(joint.rest.translation, other.rest.translation) < SAME_AXES)
    })
}

/// For each joint whether it is attached to its parent alike in both: translations and scales agree. `None` for
/// those that only one has, that hang on another joint, and that are so near their parents that rounding decides.
fn same_bones(own: &RawSkeleton, target: &RawSkeleton, places: &[Option<usize>]) -> Vec<Option<bool>> {
    let pair = |joint: usize, place: usize| {
        let (a, b) = (own.joints.get(joint)?, target.joints.get(place)?);
        let above = places.get(a.parent?).copied().flatten()?;
        let length = larger(a.rest.translation.length(), b.rest.translation.length());
        (b.parent == Some(above)).then_some((a.rest, b.rest, length))
    };
    let pairs = places.iter().enumerate().map(|(joint, place)| pair(joint, (*place)?));
    let pairs: Vec<_> = pairs.collect();
    let lengths = pairs.iter().flatten().map(|(.., length)| *length);
    let mean = lengths.clone().sum::<f64>() / larger(lengths.count() as f64, 1.0);
    let differ = |a: V3, b: V3| a.distance(b) > SAME_BONE * larger(a.length(), b.length());
    let same = |(a, b, length): (Trs, Trs, f64)| {
        (length > SHORTEST * mean).then(|| !differ(a.translation, b.translation) && !differ(a.scale, b.scale))
    };
    pairs.into_iter().map(|pair| same(pair?)).collect()
}

/// Degrees between two directions; 0 if one has no length.
fn degrees(a: V3, b: V3) -> f64 {
    if a.length() == 0.0 || b.length() == 0.0 {
        return 0.0;
    }
    libm::atan2(a.cross(b).length(), a.dot(b)).to_degrees()
}

/// True if a scale is the same along all axes.
fn is_even(scale: V3) -> bool {
    scale.distance(V3::ONE.scaled(scale.x)) <= SAME * scale.length()
}

/// Radians between two rotations.
fn between(a: Q4, b: Q4) -> f64 {
    let turn = a.conjugate().times(b);
    2.0 * libm::atan2(V3::new(turn.x, turn.y, turn.z).length(), turn.w.abs())
}

fn unmoved(m: M34) -> M34 {
    let [x, y, z, _] = m.columns;
    M34 { columns: [x, y, z, V3::ZERO] }
}

/// The squares of a rotation's matrix: rows and columns have the sum 1.
fn squared(q: Q4) -> M34 {
    let square = |axis: V3| {
        let v = q.rotate(axis);
        v.mul_each(v)
    };
    M34 { columns: [square(V3::X), square(V3::Y), square(V3::Z), V3::ZERO] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        mannequin::{self, Motion},
        raw::{RawAnimation, RawJoint},
    };

    const TIMES: [f64; 4] = [0.0, 0.13, 0.42, 0.77];

    /// Every joint's axes turned by something, the root's too, centimetres below a root of scale 0.01.
    fn told_otherwise(own: &RawSkeleton, turn: impl Fn(usize) -> Q4) -> RawSkeleton {
        let above = |j: usize| own.joints[j].parent.map_or(Q4::IDENTITY, &turn);
        let joint = |j: usize| {
            let RawJoint { name, parent, rest } = own.joints[j].clone();
            let lengths = if parent.is_some() { 100.0 } else { 1.0 };
            let back = above(j).conjugate();
            let rest = Trs {
                translation: back.rotate(rest.translation).scaled(lengths),
                rotation: back.times(rest.rotation.normalize()).times(turn(j)),
                scale: V3::ONE.scaled(if parent.is_some() { 1.0 } else { 0.01 }),
            };
            RawJoint { name, parent, rest }
        };
        RawSkeleton { joints: (0..own.joints.len()).map(joint).collect() }
    }

    fn crooked(j: usize) -> Q4 {
        let axis = V3::new((j % 3) as f64 - 0.7, 0.4, (j % 5) as f64 - 2.0).normalize_or(V3::X);
        Q4::from_axis_angle(axis, 0.3 + (j % 7) as f64)
    }

    fn fitted(own: &RawSkeleton, motion: &RawAnimation, target: &RawSkeleton) -> (Fit, RawAnimation) {
        let places: Vec<_> = (0..own.joints.len()).map(Some).collect();
        let fit = fit(own, target, &places, MotionFit::Auto, true).unwrap();
        let tracks = motion.tracks.iter().cloned().enumerate().map(|(j, t)| fit.track(j, t)).collect();
        (fit, RawAnimation { tracks, ..motion.clone() })
    }

    /// Where joints are, compared with where the source has them, changed by `expected`.
    fn assert_follows(
        (own, motion): (&RawSkeleton, &RawAnimation),
        (target, found): (&RawSkeleton, &RawAnimation),
        expected: impl Fn(V3) -> V3,
    ) {
        for time in TIMES {
            let a = model_matrices(own, &motion.pose(own, time));
            let b = model_matrices(target, &found.pose(target, time));
            for (joint, (a, b)) in a.iter().zip(&b).enumerate() {
                let (a, b) = (expected(a.mul_point(V3::ZERO)), b.mul_point(V3::ZERO));
                assert!(a.distance(b) < 1e-9, "joint {joint} at {time} s: {a:?} {b:?}");
            }
        }
    }

    #[test]
    fn other_axes_and_scales_give_the_same_poses() {
        let (own, motion) = (mannequin::skeleton(), mannequin::clip(Motion::Walk));
        let target = told_otherwise(&own, crooked);
        let (fit, found) = fitted(&own, &motion, &target);
        assert!(matches!(fit, Fit::Rebased { .. }) && fit.notes().is_empty());
        assert_follows((&own, &motion), (&target, &found), |v| v);
        // And the way back.
        let (_, back) = fitted(&target, &found, &own);
        assert_follows((&own, &motion), (&own, &back), |v| v);
    }

    #[test]
    fn a_target_that_looks_elsewhere_and_is_half_as_large_moves_as_large_as_it_is() {
        let (own, motion) = (mannequin::skeleton(), mannequin::clip(Motion::Run));
        let turn = Q4::from_axis_angle(V3::Y, core::f64::consts::PI);
        let mut target = told_otherwise(&own, crooked);
        for joint in &mut target.joints {
            joint.rest.translation = joint.rest.translation.scaled(0.5);
            if joint.parent.is_none() {
                joint.rest.translation = turn.rotate(joint.rest.translation);
                joint.rest.rotation = turn.times(joint.rest.rotation);
            }
        }
        let (fit, found) = fitted(&own, &motion, &target);
        assert_eq!(
            fit.notes(),
            ["it looks another way than the skeleton; its motion was turned by 180 degrees"]
        );
        assert_follows((&own, &motion), (&target, &found), |v| turn.rotate(v).scaled(0.5));
    }

    #[test]
    fn a_root_whose_place_is_in_its_keys_alone_stands_on_the_ground() {
        let (mut own, motion) = (mannequin::skeleton(), mannequin::clip(Motion::Walk));
        let target = told_otherwise(&own, crooked);
        for joint in own.joints.iter_mut().filter(|j| j.parent.is_none()) {
            joint.rest.translation = V3::ZERO;
        }
        let (_, found) = fitted(&own, &motion, &target);
        assert_follows((&own, &motion), (&target, &found), |v| v);
    }

    #[test]
    fn a_rest_pose_that_is_the_first_frame_is_no_pose_to_start_from() {
        let (own, motion) = (mannequin::skeleton(), mannequin::clip(Motion::Run));
        let mut frozen = own.clone();
        for (joint, first) in frozen.joints.iter_mut().zip(motion.pose(&own, 0.2)) {
            joint.rest.rotation = first.rotation;
        }
        let (fit, found) = fitted(&frozen, &motion, &own);
        assert!(fit.notes()[0].contains("degrees away"), "{fit:?}");
        // What has no keys in the frozen file rests as that file does.
        let played = |track: &RawTrack, joint: &RawJoint| {
            track.rotation.keys.first().map_or(joint.rest.rotation, |k| k.value)
        };
        for ((joint, track), own) in frozen.joints.iter().zip(&found.tracks).zip(&own.joints) {
            let expected = if track.rotation.keys.len() > 1 {
                track.rotation.keys[0].value
            } else {
                joint.rest.rotation
            };
            assert!(between(played(track, own), expected) < 1e-3, "{}", joint.name);
        }
    }

    /// A file without a skin whose nodes stand in a frame of the motion, one of them moved in its parent; a finger's axes
    /// were rolled, so that not every joint's axes agree.
    fn in_a_frame(own: &RawSkeleton, motion: &RawAnimation) -> RawSkeleton {
        let mut frozen = own.clone();
        for (joint, first) in frozen.joints.iter_mut().zip(motion.pose(own, 0.2)) {
            joint.rest.rotation = first.rotation;
        }
        let head = frozen.joints.iter().position(|j| j.name == "head").unwrap();
        let rest = &mut frozen.joints[head].rest;
        rest.translation = Q4::from_axis_angle(V3::X, 1.0).rotate(rest.translation);
        rest.rotation = Q4::from_axis_angle(V3::Z, 1.0);
        frozen
    }

    #[test]
    fn the_keys_of_a_motion_of_the_same_bones_are_taken_as_they_are() {
        let (own, mut motion) = (mannequin::skeleton(), mannequin::clip(Motion::Run));
        let frozen = in_a_frame(&own, &motion);
        let head = own.joints.iter().position(|j| j.name == "head").unwrap();
        motion.tracks[head] = RawTrack::default();
        let places: Vec<_> = (0..own.joints.len()).map(Some).collect();
        let fit = |asked, is_bound| fit(&frozen, &own, &places, asked, is_bound);
        let found = fit(MotionFit::Auto, false).unwrap();
        let Fit::Copied { why: Why::Bones { same, all }, .. } = found else { panic!("{found:?}") };
        assert_eq!(same, all - 1, "all but the head, which was moved");
        for (joint, track) in motion.tracks.iter().enumerate() {
            let taken = found.track(joint, track.clone());
            if !track.rotation.keys.is_empty() {
                assert_eq!(&taken, track, "{}", own.joints[joint].name);
            }
        }
        // A bone that is another one rests as the skeleton's, not as in the file.
        assert_eq!(found.track(head, RawTrack::default()), RawTrack::default());
        // A skin that is bound in this pose says that it is one: then the head is in the way.
        assert!(matches!(fit(MotionFit::Auto, true), Err(MatchError::Rest { .. })));
        assert!(matches!(fit(MotionFit::AsIs, true), Ok(Fit::Copied { why: Why::Asked, .. })));
        let Ok(Fit::Rebased { unlike: Some((_, degrees)), .. }) = fit(MotionFit::Rebase, true) else {
            panic!()
        };
        assert!(degrees > ALIKE, "{degrees}");
    }

    #[test]
    fn bones_of_other_lengths_are_no_reason_to_take_keys_as_they_are() {
        let (own, motion) = (mannequin::skeleton(), mannequin::clip(Motion::Run));
        let mut other = in_a_frame(&own, &motion);
        for joint in other.joints.iter_mut().skip(1).step_by(2) {
            joint.rest.translation = joint.rest.translation.scaled(1.1);
        }
        let places: Vec<_> = (0..own.joints.len()).map(Some).collect();
        let refused = fit(&other, &own, &places, MotionFit::Auto, false).unwrap_err();
        let MatchError::Rest { same, all, .. } = &refused else { panic!("{refused}") };
        assert!(same * 100 < all * SAME_RIG && *same > 0, "{same} of {all}");
        let said = refused.to_string();
        assert!(["--retarget", "--as-is", "--rebase"].iter().all(|option| said.contains(option)), "{said}");
    }

    #[test]
    fn scales_that_other_axes_cannot_tell_are_told() {
        let (own, mut motion) = (mannequin::skeleton(), mannequin::clip(Motion::Walk));
        let head = own.joints.iter().position(|j| j.name == "head").unwrap();
        let mut target = told_otherwise(&own, crooked);
        let grow = |scale: V3| Channel::constant(scale);
        motion.tracks[head].scale = grow(V3::ONE.scaled(2.0));
        let (fit, _) = fitted(&own, &motion, &target);
        assert!(!fit.is_rough(head, &motion.tracks[head]) && fit.notes().is_empty(), "an even one is exact");
        motion.tracks[head].scale = grow(V3::new(2.0, 1.0, 1.0));
        assert!(fit.is_rough(head, &motion.tracks[head]));
        // Quarter turns only change which axis is which.
        let quarter = Q4::from_axis_angle(V3::Z, core::f64::consts::FRAC_PI_2);
        let straight = told_otherwise(&own, |_| quarter);
        let (fit, _) = fitted(&own, &motion, &straight);
        assert!(matches!(fit, Fit::Rebased { .. }) && !fit.is_rough(head, &motion.tracks[head]));
        target.joints[head].rest.scale = V3::new(1.0, 2.0, 1.0);
        let (fit, _) = fitted(&own, &motion, &target);
        assert!(fit.notes()[0].starts_with("\"head\" rests in an uneven scale"), "{:?}", fit.notes());
    }

    #[test]
    fn another_pose_on_other_axes_is_refused_with_the_joint_and_the_angle() {
        let own = mannequin::skeleton();
        let mut target = told_otherwise(&own, crooked);
        let arm = own.joints.iter().position(|j| j.name == "upperarm_l").unwrap();
        let rest = &mut target.joints[arm].rest;
        rest.rotation =
            rest.rotation.times(Q4::from_axis_angle(V3::new(0.3, 0.8, 0.5).normalize_or(V3::X), 2.0));
        let places: Vec<_> = (0..own.joints.len()).map(Some).collect();
        let refused = fit(&own, &target, &places, MotionFit::Auto, false).unwrap_err();
        let MatchError::Rest { degrees, .. } = &refused else { panic!("{refused}") };
        assert!(*degrees > ALIKE && refused.to_string().contains("degrees away"), "{refused}");
        // And one that hangs together otherwise.
        let mut target = told_otherwise(&own, crooked);
        let last = target.joints.len() - 1;
        target.joints[last].parent = Some(0);
        let refused = fit(&own, &target, &places, MotionFit::Auto, false).unwrap_err();
        assert!(matches!(refused, MatchError::Parent { .. }), "{refused}");
    }
}
