//! From motions to numbers, frame by frame.

use super::{
    CookedMatching, MatchingError, MatchingRule,
    normalise::{Column, normalise},
    pieces::pieces,
};
use crate::{
    exact::{Q4, V3, clamp},
    raw::{RawSkeleton, RawUserTrack, models},
    retarget::{Bone, BoneMap},
    scene::SceneAnimation,
};
use lissom::track::ROOT_TRACKS;
use lissom_motion::matching::{DatabaseError, FeatureKind, MAX_FEATURES, MAX_FRAMES};
use std::collections::BTreeSet;

/// Numbers of a track at most.
const MAX_NUMBERS: usize = 3;

/// A clip that a database may be made of.
#[derive(Clone, Copy, Debug)]
pub struct MatchedMotion<'a> {
    /// Its name in the archive.
    pub name: &'a str,
    /// Whether it is a mirrored copy.
    pub mirrored: bool,
    /// Its motion and tracks.
    pub animation: &'a SceneAnimation,
    /// The skeleton that it moves.
    pub skeleton: &'a RawSkeleton,
    /// The identity of that skeleton when it is built.
    pub identity: u64,
}

/// Cooks a database of the motions that a rule names. Mirrored copies are motions of their own, which fit the patterns
/// of what they are copies of.
///
/// # Errors
///
/// [`MatchingError`].
pub fn cook(rule: &MatchingRule, motions: &[MatchedMotion<'_>]) -> Result<CookedMatching, MatchingError> {
    let own_name = |motion: &MatchedMotion<'_>| -> String {
        let name = if motion.mirrored { motion.name.strip_suffix(super::MIRRORED) } else { None };
        name.unwrap_or(motion.name).to_owned()
    };
    let names: Vec<String> = motions.iter().map(own_name).collect();
    for own in &rule.clips {
        if !names.iter().any(|name| crate::text::pattern::fits(&own.clips, name)) {
            return Err(MatchingError::NoClip { pattern: own.clips.clone() });
        }
    }
    let picked = |(_, name): &(&MatchedMotion<'_>, &String)| rule.picks(name).next().is_some();
    let picked: Vec<(&MatchedMotion<'_>, &String)> = motions.iter().zip(&names).filter(picked).collect();
    let Some(&(first, _)) = picked.first() else {
        return Err(MatchingError::NoClip { pattern: "*".into() });
    };
    if let Some((other, _)) = picked.iter().find(|(motion, _)| motion.identity != first.identity) {
        let (first, other) = (first.name.to_owned(), other.name.to_owned());
        return Err(MatchingError::Skeletons { first, other });
    }
    let (columns, joints) = columns(rule, first)?;
    if columns.len() > MAX_FEATURES {
        let (what, found, allowed) = ("features", columns.len(), MAX_FEATURES);
        return Err(DatabaseError::Limit { what, found, allowed }.into());
    }
    let tags: BTreeSet<&String> = rule.clips.iter().flat_map(|own| &own.tags).collect();
    let tags: Vec<String> = tags.into_iter().cloned().collect();
    let (mut all, mut values) = (Vec::new(), Vec::new());
    for (motion, name) in picked {
        let measured = Measured::new(motion, rule, (&joints, &columns))?;
        for piece in pieces(rule, name, motion, &tags)? {
            if (values.len() / columns.len()).saturating_add(piece.frames) > MAX_FRAMES {
                return Err(MatchingError::TooLong { allowed: MAX_FRAMES });
            }
            let from = values.len();
            for frame in 0..piece.frames {
                measured.frame((piece.first + frame) as f64 / rule.rate_hz, &mut values);
            }
            if values[from..].iter().any(|v| !v.is_finite()) {
                return Err(MatchingError::NotFinite { clip: motion.name.to_owned() });
            }
            all.push(piece);
        }
    }
    if all.is_empty() {
        return Err(DatabaseError::None("a frame that a search may find").into());
    }
    normalise(rule, first.identity, tags, &columns, all, &values)
}

/// What the columns are, and the joints that they are of.
fn columns(
    rule: &MatchingRule,
    first: &MatchedMotion<'_>,
) -> Result<(Vec<Column>, Vec<MeasuredJoint>), MatchingError> {
    let skeleton = first.skeleton;
    let bones = BoneMap::guess(skeleton);
    let weights = rule.weights;
    let (mut columns, mut joints) = (Vec::new(), Vec::new());
    let mut add = |group: &str, weight: f64, kind: FeatureKind, axes: &[u8]| {
        for axis in axes {
            columns.push(Column { group: group.to_owned(), weight, kind: kind.clone(), axis: *axis });
        }
    };
    for own in &rule.joints {
        let by_bone = Bone::from_key(&own.joint).and_then(|bone| bones.joints.get(&bone).copied());
        let by_name = || skeleton.joints.iter().position(|joint| joint.name == own.joint);
        let index = by_bone.or_else(by_name);
        let index = index.ok_or_else(|| MatchingError::NoJoint { joint: own.joint.clone() })?;
        let joint = skeleton.joints[index].name.clone();
        let (position, velocity) =
            (own.position.weight(weights.position), own.velocity.weight(weights.velocity));
        let measured = [position.is_some(), velocity.is_some()];
        joints.push(MeasuredJoint { name: joint.clone(), position: measured[0], velocity: measured[1] });
        if let Some(weight) = position {
            let kind = FeatureKind::JointPosition { joint: joint.clone() };
            add(&format!("{} position", own.joint), weight, kind, &[0, 1, 2]);
        }
        if let Some(weight) = velocity {
            let kind = FeatureKind::JointVelocity { joint };
            add(&format!("{} velocity", own.joint), weight, kind, &[0, 1, 2]);
        }
    }
    for time_s in &rule.trajectory_s {
        let kind = FeatureKind::TrajectoryPosition { time_s: *time_s as f32 };
        add("trajectory", weights.trajectory, kind, &[0, 2]);
    }
    for time_s in &rule.trajectory_s {
        let kind = FeatureKind::TrajectoryDirection { time_s: *time_s as f32 };
        add("direction", weights.direction, kind, &[0, 2]);
    }
    for (name, weight) in &rule.tracks {
        let numbers = track(first, name, None)?.kind.components();
        let kind = FeatureKind::Track { name: name.clone() };
        add(&format!("track {name}"), *weight, kind, &[0, 1, 2][..numbers]);
    }
    if columns.is_empty() { Err(MatchingError::NoFeature) } else { Ok((columns, joints)) }
}

/// A track of a clip that counts: of one to three numbers, or of as many as in another clip.
fn track<'a>(
    motion: &MatchedMotion<'a>,
    name: &str,
    numbers: Option<usize>,
) -> Result<&'a RawUserTrack, MatchingError> {
    let fits = |track: &&RawUserTrack| {
        let own = track.kind.components();
        track.name == name && numbers.map_or(own <= MAX_NUMBERS, |numbers| own == numbers)
    };
    let needed = match numbers {
        Some(1) => "one number",
        Some(2) => "two numbers",
        Some(_) => "three numbers",
        None => "one to three numbers",
    };
    let (clip, track) = (motion.name.to_owned(), name.to_owned());
    let found = motion.animation.tracks.iter().find(fits);
    found.ok_or(MatchingError::NoTrack { clip, track, needed })
}

struct MeasuredJoint {
    name: String,
    position: bool,
    velocity: bool,
}

/// A motion that is being measured.
struct Measured<'a> {
    motion: &'a MatchedMotion<'a>,
    rule: &'a MatchingRule,
    place: &'a RawUserTrack,
    turn: &'a RawUserTrack,
    /// By number, what is known of each.
    joints: Vec<(usize, bool, bool)>,
    tracks: Vec<&'a RawUserTrack>,
    /// From the start of a lap to its end, for a loop.
    lap: Option<Root>,
}

/// A place and a turn.
#[derive(Clone, Copy)]
struct Root(V3, Q4);

impl Root {
    fn point(self, p: V3) -> V3 {
        self.0 + self.1.rotate(p)
    }

    fn then(self, other: Self) -> Self {
        Self(self.point(other.0), (self.1 * other.1).normalize())
    }

    fn inverse(self) -> Self {
        let back = self.1.conjugate();
        Self(back.rotate(self.0) * -1.0, back)
    }
}

impl<'a> Measured<'a> {
    fn new(
        motion: &'a MatchedMotion<'a>,
        rule: &'a MatchingRule,
        (joints, columns): (&[MeasuredJoint], &[Column]),
    ) -> Result<Self, MatchingError> {
        let clip = || motion.name.to_owned();
        let track = |name: &str| motion.animation.tracks.iter().find(|track| track.name == name);
        let [Some(place), Some(turn)] = ROOT_TRACKS.map(track) else {
            return Err(MatchingError::NoRoot { clip: clip() });
        };
        if motion.animation.motion.additive {
            return Err(MatchingError::Additive { clip: clip() });
        }
        let number = |joint: &MeasuredJoint| {
            let at = motion.skeleton.joints.iter().position(|own| own.name == joint.name);
            let at = at.ok_or_else(|| MatchingError::NoJoint { joint: joint.name.clone() })?;
            Ok((at, joint.position, joint.velocity))
        };
        let joints = joints.iter().map(number).collect::<Result<Vec<_>, MatchingError>>()?;
        let is_of = |column: &&Column, name: &str| matches!(&column.kind, FeatureKind::Track { name: own } if own == name);
        let tracks = rule.tracks.iter().map(|(name, _)| {
            self::track(motion, name, Some(columns.iter().filter(|column| is_of(column, name)).count()))
        });
        let tracks = tracks.collect::<Result<Vec<_>, _>>()?;
        let mut measured = Self { motion, rule, place, turn, joints, tracks, lap: None };
        if motion.animation.motion.looping {
            measured.lap = Some(measured.inside(1.0).then(measured.inside(0.0).inverse()));
        }
        Ok(measured)
    }

    fn inside(&self, ratio: f64) -> Root {
        let ([x, y, z, _], q) = (self.place.sample(ratio), self.turn.sample(ratio));
        Root(V3::new(x, y, z), Q4::new(q[0], q[1], q[2], q[3]))
    }

    /// Where the character is at a time, and the time in the clip. A loop goes on, before its start and behind its end;
    /// what is no loop stays where it ends.
    fn root(&self, time_s: f64) -> (Root, f64) {
        let end_s = self.motion.animation.motion.duration_s;
        let Some(lap) = self.lap.filter(|_| !(0.0..=end_s).contains(&time_s)) else {
            let time_s = clamp(time_s, 0.0, end_s);
            return (self.inside(time_s / end_s), time_s);
        };
        let laps = libm::floor(time_s / end_s);
        let within_s = clamp(time_s - laps * end_s, 0.0, end_s);
        let step = if laps < 0.0 { lap.inverse() } else { lap };
        let mut root = self.inside(within_s / end_s);
        // A time of the trajectory is a few seconds; a clip of no length has no laps to count.
        for _ in 0..clamp(laps.abs(), 0.0, 1000.0) as usize {
            root = step.then(root);
        }
        (root, within_s)
    }

    /// Where joints are over the ground.
    fn joints(&self, time_s: f64) -> (Root, Vec<V3>) {
        let (root, time_s) = self.root(time_s);
        let pose = self.motion.animation.motion.pose(self.motion.skeleton, time_s);
        let models = models(self.motion.skeleton, &pose);
        let places = self.joints.iter().map(|(joint, ..)| root.point(models[*joint].columns[3]));
        (root, places.collect())
    }

    /// The numbers of a frame.
    fn frame(&self, time_s: f64, out: &mut Vec<f64>) {
        let half_s = 0.5 / self.rule.rate_hz;
        let end_s = self.motion.animation.motion.duration_s;
        let is_loop = self.lap.is_some();
        let near = |time_s: f64| if is_loop { time_s } else { clamp(time_s, 0.0, end_s) };
        let (from_s, to_s) = (near(time_s - half_s), near(time_s + half_s));
        let (root, places) = self.joints(time_s);
        let ((_, before), (_, after)) = (self.joints(from_s), self.joints(to_s));
        let back = root.inverse();
        for (i, (_, position, velocity)) in self.joints.iter().enumerate() {
            if *position {
                let p = back.point(places[i]);
                out.extend([p.x, p.y, p.z]);
            }
            if *velocity {
                let v = back.1.rotate((after[i] - before[i]) * (1.0 / (to_s - from_s)));
                out.extend([v.x, v.y, v.z]);
            }
        }
        let ahead: Vec<Root> =
            self.rule.trajectory_s.iter().map(|s| back.then(self.root(time_s + s).0)).collect();
        out.extend(ahead.iter().flat_map(|Root(place, _)| [place.x, place.z]));
        for Root(_, turn) in &ahead {
            let ahead = turn.rotate(V3::new(0.0, 0.0, 1.0));
            let ahead = V3::new(ahead.x, 0.0, ahead.z).normalize_or(V3::new(0.0, 0.0, 1.0));
            out.extend([ahead.x, ahead.z]);
        }
        let ratio = if end_s > 0.0 { self.root(time_s).1 / end_s } else { 0.0 };
        for track in &self.tracks {
            out.extend(&track.sample(ratio)[..track.kind.components()]);
        }
    }
}
