//! Edits of a whole clip: joints, tracks and markers together.

use super::{EditKind, EditReason, RootEdit};
use crate::{
    exact::V3,
    feet::{ContactRule, FromFeet},
    import::Axis,
    raw::{ExtractedRoot, RawEditError, RawSkeleton, RawUserTrack, UserKey},
    scene::{Marker, SceneAnimation},
    text::{pattern::fit, words::nearest},
};
use lissom::track::{ROOT_TRACKS, TrackKind};
use std::collections::BTreeMap;

/// How names tell left from right. Longer words first: `Left` is not an `L`.
const SIDES: [(&str, &str); 14] = [
    ("Left", "Right"),
    ("left", "right"),
    ("LEFT", "RIGHT"),
    ("_L", "_R"),
    ("_l", "_r"),
    (".L", ".R"),
    (".l", ".r"),
    ("-L", "-R"),
    ("-l", "-r"),
    (" L", " R"),
    (" l", " r"),
    ("L_", "R_"),
    ("l_", "r_"),
    (":L", ":R"),
];

/// A trim may miss the end by this much, in seconds: durations are told in milliseconds.
const MISSED_S: f64 = 1e-3;

impl SceneAnimation {
    /// One edit of the motion; others leave it as it is.
    pub(crate) fn edited(&self, skeleton: &RawSkeleton, kind: &EditKind) -> Result<Self, RawEditError> {
        match *kind {
            EditKind::Trim(from, to) => self.trimmed(from, to),
            EditKind::Rate(rate_hz) => Ok(Self { motion: self.motion.resampled(rate_hz)?, ..self.clone() }),
            EditKind::Reverse(true) => Ok(self.reversed()),
            EditKind::Mirror(Some(axis)) => self.mirrored(skeleton, axis),
            EditKind::InPlace(Some(travel)) => {
                Ok(Self { motion: self.motion.in_place(skeleton, travel)?, ..self.clone() })
            }
            _ => Ok(self.clone()),
        }
    }

    /// Root motion out of a joint, into two tracks more.
    /// Adds the root motion that feet show. The motion stays on the spot.
    pub(super) fn rooted_by_feet(
        &mut self,
        skeleton: &RawSkeleton,
        rule: &ContactRule,
    ) -> Result<FromFeet, EditReason> {
        if self.tracks.iter().any(|track| is_root(&track.name)) {
            return Err(EditReason::HasRoot);
        }
        let found = self.root_from_feet(skeleton, rule)?;
        self.tracks.extend(found.tracks(self.motion.duration_s));
        Ok(found)
    }

    pub(super) fn rooted(&self, skeleton: &RawSkeleton, edit: &RootEdit) -> Result<Self, EditReason> {
        let names = || skeleton.joints.iter().map(|joint| joint.name.as_str());
        let joint = match &edit.joint {
            Some(wanted) => names().position(|name| fit(wanted, name).is_some()).ok_or_else(|| {
                let near = nearest(wanted, names()).map(str::to_owned);
                EditReason::NoJoint { wanted: wanted.clone(), near }
            })?,
            None => match self.motion.carrier(skeleton).or(skeleton.depth_first().first().copied()) {
                Some(joint) => joint,
                // Nothing that could move.
                None => return Ok(self.clone()),
            },
        };
        if self.tracks.iter().any(|track| is_root(&track.name)) {
            return Err(EditReason::HasRoot);
        }
        let ExtractedRoot { motion, tracks } = self.motion.root_motion(skeleton, joint, &edit.rule)?;
        Ok(Self { motion, tracks: self.tracks.iter().cloned().chain(tracks).collect(), ..self.clone() })
    }

    fn trimmed(&self, from: Option<f64>, to: Option<f64>) -> Result<Self, RawEditError> {
        let end_s = self.motion.duration_s;
        let (from_s, to_s) = (from.unwrap_or(0.0), to.unwrap_or(end_s));
        let to_s = if to_s > end_s && to_s - end_s <= MISSED_S { end_s } else { to_s };
        let motion = self.motion.trimmed(from_s, to_s)?;
        let (first, last) = (from_s / end_s, to_s / end_s);
        let marker = |m: &Marker| Marker {
            name: m.name.clone(),
            time_s: crate::exact::clamp(m.time_s - from_s, 0.0, motion.duration_s),
            duration_s: crate::exact::smaller(m.duration_s, to_s - m.time_s),
        };
        let within = |m: &&Marker| from_s <= m.time_s && m.time_s <= to_s;
        Ok(Self {
            tracks: self.tracks.iter().map(|t| t.trimmed(first, last)).collect(),
            markers: self.markers.iter().filter(within).map(marker).collect(),
            motion,
            ..self.clone()
        })
    }

    fn reversed(&self) -> Self {
        let end_s = self.motion.duration_s;
        let marker = |m: &Marker| Marker {
            name: m.name.clone(),
            time_s: crate::exact::larger(0.0, end_s - m.time_s - m.duration_s),
            duration_s: m.duration_s,
        };
        let mut markers: Vec<Marker> = self.markers.iter().rev().map(marker).collect();
        markers.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
        let tracks = self.tracks.iter().map(RawUserTrack::reversed).collect();
        Self { motion: self.motion.reversed(), tracks, markers, ..self.clone() }
    }

    /// Left and right change places: joints and tracks that have a partner, and markers that name a side.
    fn mirrored(&self, skeleton: &RawSkeleton, axis: Axis) -> Result<Self, RawEditError> {
        let pairs = skeleton.counterparts(&SIDES);
        let motion = self.motion.mirrored(skeleton, &pairs, axis.direction())?;
        let by_name: BTreeMap<&str, &RawUserTrack> =
            self.tracks.iter().rev().map(|t| (t.name.as_str(), t)).collect();
        let track = |t: &RawUserTrack| {
            if is_root(&t.name) {
                return reflected(t, axis.direction());
            }
            let partner = sides(&t.name).find_map(|n| by_name.get(n.as_str()).copied());
            partner
                .filter(|p| p.kind == t.kind)
                .map_or_else(|| t.clone(), |p| RawUserTrack { keys: p.keys.clone(), ..t.clone() })
        };
        let marker = |m: &Marker| Marker { name: swapped_word(&m.name), ..m.clone() };
        Ok(Self {
            motion,
            tracks: self.tracks.iter().map(track).collect(),
            markers: self.markers.iter().map(marker).collect(),
            ..self.clone()
        })
    }
}

/// True for a track of root motion.
pub(super) fn is_root(track: &str) -> bool {
    ROOT_TRACKS.contains(&track)
}

/// Places and rotations as a mirror shows them.
fn reflected(track: &RawUserTrack, normal: V3) -> RawUserTrack {
    let key = |key: &UserKey| {
        let [x, y, z, w] = key.value;
        let v = V3::new(x, y, z);
        let v = v - normal * (2.0 * v.dot(normal));
        // A mirror turns rotations round: their axes are no arrows.
        let v = if track.kind == TrackKind::Quat { v * -1.0 } else { v };
        UserKey { value: [v.x, v.y, v.z, w], ..*key }
    };
    RawUserTrack { keys: track.keys.iter().map(key).collect(), ..track.clone() }
}

/// How far a figure has to turn about the vertical to look along z, in radians, by quarter turns: by where its left and its right
/// are, and by what is in front of what. Where the two are opposite, what is in front counts: some files have their sides
/// from the viewer's place. 0 if the names of its joints do not tell. `places` are those of the joints, one per name.
#[must_use]
pub fn facing(names: &[&str], places: &[[f32; 3]]) -> f32 {
    let (mut x, mut z, mut all) = (0.0, 0.0, 0.0);
    for (left, right) in left_and_right(names) {
        let (Some(left), Some(right)) = (places.get(left), places.get(right)) else { continue };
        let d: [f32; 3] = core::array::from_fn(|i| left[i] - right[i]);
        (x, z, all) = (x + d[0], z + d[2], all + libm::sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    let sides = all > 0.0 && libm::hypotf(x, z) >= 0.5 * all;
    // Who looks along z has the left at x: ahead is a quarter turn from it.
    let by_sides = sides.then_some([-z, x]);
    let ahead = match (by_sides, ahead(names, places)) {
        (Some([sx, sz]), Some([fx, fz])) if sx * fx + sz * fz < 0.0 => [fx, fz],
        (Some(sides), _) => sides,
        (None, Some(front)) => front,
        (None, None) => return 0.0,
    };
    let quarters = libm::roundf(libm::atan2f(ahead[0], ahead[1]) / core::f32::consts::FRAC_PI_2);
    -quarters * core::f32::consts::FRAC_PI_2
}

/// What is in front of what, by words of names: a face of the head, toes of feet, a head of a tail.
const FRONTS: [(&[&str], &[&str]); 3] = [
    (&["eye", "nose", "snout", "muzzle", "jaw", "mouth"], &["head"]),
    (&["toe"], &["foot", "ankle"]),
    (&["head"], &["tail"]),
];

/// Over the ground, where a figure looks (x, z); `None` if its names do not tell, or not clearly.
fn ahead(names: &[&str], places: &[[f32; 3]]) -> Option<[f32; 2]> {
    let small: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let middle = |words: &[&str], not: &[&str]| {
        let has = |name: &str, words: &[&str]| words.iter().any(|word| name.contains(word));
        let named = small.iter().zip(places).filter(|(name, _)| has(name, words) && !has(name, not));
        let (mut sum, mut count) = ([0.0; 3], 0.0);
        for (_, place) in named {
            sum = core::array::from_fn(|i| sum[i] + place[i]);
            count += 1.0;
        }
        (count > 0.0).then(|| sum.map(|v: f32| v / count))
    };
    let (mut x, mut z, mut all) = (0.0, 0.0, 0.0);
    for (front, behind) in FRONTS {
        let (Some(front), Some(behind)) = (middle(front, behind), middle(behind, front)) else { continue };
        let d: [f32; 3] = core::array::from_fn(|i| front[i] - behind[i]);
        (x, z, all) = (x + d[0], z + d[2], all + libm::sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    // A face is above the joint of its head, too; but what is nearly above says nothing.
    (all > 0.0 && libm::hypotf(x, z) > 0.3 * all).then_some([x, z])
}

/// Names that differ by a word for left and right: the places of each pair, left first.
#[must_use]
pub fn left_and_right(names: &[&str]) -> Vec<(usize, usize)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, name) in names.iter().enumerate() {
        places.entry(name).or_insert(place);
    }
    let other = |name: &str| {
        SIDES.iter().find_map(|(left, right)| {
            let swapped = name
                .match_indices(left)
                .map(|(at, _)| [&name[..at], right, &name[at + left.len()..]].concat());
            swapped.into_iter().find_map(|n| places.get(n.as_str()).copied())
        })
    };
    names.iter().enumerate().filter_map(|(place, name)| Some((place, other(name)?))).collect()
}

/// What something of this name may be called on the other side.
fn sides(name: &str) -> impl Iterator<Item = String> + '_ {
    let both = SIDES.iter().flat_map(|(l, r)| [(*l, *r), (*r, *l)]);
    both.flat_map(move |(from, to)| {
        name.match_indices(from).map(move |(at, _)| [&name[..at], to, &name[at + from.len()..]].concat())
    })
}

/// `left foot` is `right foot`; a name without such a word stays.
fn swapped_word(name: &str) -> String {
    for (from, to) in SIDES[..3].iter().flat_map(|(l, r)| [(*l, *r), (*r, *l)]) {
        if let Some(at) = name.find(from) {
            return [&name[..at], to, &name[at + from.len()..]].concat();
        }
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::facing;
    use core::f32::consts::{FRAC_PI_2, PI};

    #[test]
    fn who_looks_away_is_turned_to_look_along_z() {
        let names = ["hips", "J_Bip_L_UpperLeg", "J_Bip_R_UpperLeg", "J_Bip_C_Head"];
        let body = |left: [f32; 3]| [[0.0, 1.0, 0.0], left, left.map(|v| -v), [0.0, 1.6, 0.0]];
        for (left, turn) in [
            ([0.1, 0.0, 0.0], 0.0),
            ([-0.1, 0.0, 0.0], PI),
            ([0.0, 0.0, 0.1], FRAC_PI_2),
            ([0.0, 0.0, -0.1], FRAC_PI_2),
        ] {
            let yaw = facing(&names, &body(left));
            assert!((yaw.abs() - turn).abs() < 1e-6, "{left:?}: {yaw}");
            // Turned about the vertical, left comes to lie at x.
            let (sin, cos) = (libm::sinf(yaw), libm::cosf(yaw));
            assert!(left[0] * cos + left[2] * sin > 0.09, "{left:?}: {yaw}");
        }
        // Sides as the viewer sees them: the eyes tell better.
        let face = ["head", "eyeLeft", "eyeRight"];
        let eyes = |x: f32, z: f32| [[0.0; 3], [x, 0.2, z], [-x, 0.2, z]];
        assert_eq!(facing(&face, &eyes(-0.3, 0.2)), 0.0);
        assert_eq!(facing(&face, &eyes(0.3, -0.2)).abs(), PI);
        // Without sides: a dog looks away from its tail.
        let dog = ["Head", "Tail_1", "Tail_2"];
        let looks = facing(&dog, &[[-0.5, 0.8, 0.0], [0.4, 0.6, 0.0], [0.6, 0.6, 0.0]]);
        assert!((looks - FRAC_PI_2).abs() < 1e-6, "{looks}");
        assert_eq!(facing(&["a", "b"], &[[0.0; 3], [1.0, 0.0, 0.0]]), 0.0, "nobody says what is left");
        let twisted = [[0.0; 3], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0; 3]];
        assert_eq!(facing(&names, &twisted), 0.0, "left is above right");
    }
}
