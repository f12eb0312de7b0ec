//! The bones of SMPL bodies: an adult of 1.7 m with arms stretched out, looking along z.

use crate::{
    exact::{Trs, V3},
    raw::{RawJoint, RawSkeleton},
};

/// Joint, parent, place in the parent's space in metres. Of left and right, the left.
const BODY: [(&str, &str, [f64; 3]); 22] = [
    ("pelvis", "", [0.0, 0.0, 0.0]),
    ("left_hip", "pelvis", [0.07, -0.09, 0.0]),
    ("right_hip", "pelvis", [0.07, -0.09, 0.0]),
    ("spine1", "pelvis", [0.0, 0.11, -0.02]),
    ("left_knee", "left_hip", [0.03, -0.38, 0.0]),
    ("right_knee", "right_hip", [0.03, -0.38, 0.0]),
    ("spine2", "spine1", [0.0, 0.13, 0.0]),
    ("left_ankle", "left_knee", [-0.01, -0.4, -0.04]),
    ("right_ankle", "right_knee", [-0.01, -0.4, -0.04]),
    ("spine3", "spine2", [0.0, 0.06, 0.02]),
    ("left_foot", "left_ankle", [0.03, -0.06, 0.12]),
    ("right_foot", "right_ankle", [0.03, -0.06, 0.12]),
    ("neck", "spine3", [0.0, 0.21, -0.03]),
    ("left_collar", "spine3", [0.08, 0.11, -0.02]),
    ("right_collar", "spine3", [0.08, 0.11, -0.02]),
    ("head", "neck", [0.0, 0.09, 0.04]),
    ("left_shoulder", "left_collar", [0.1, 0.04, -0.01]),
    ("right_shoulder", "right_collar", [0.1, 0.04, -0.01]),
    ("left_elbow", "left_shoulder", [0.26, -0.01, -0.02]),
    ("right_elbow", "right_shoulder", [0.26, -0.01, -0.02]),
    ("left_wrist", "left_elbow", [0.25, 0.01, 0.0]),
    ("right_wrist", "right_elbow", [0.25, 0.01, 0.0]),
];
const FACE: [(&str, &str, [f64; 3]); 3] = [
    ("jaw", "head", [0.0, 0.01, 0.01]),
    ("left_eye", "head", [0.03, 0.07, 0.08]),
    ("right_eye", "head", [0.03, 0.07, 0.08]),
];
const MITTENS: [(&str, &str, [f64; 3]); 2] =
    [("left_hand", "left_wrist", [0.08, -0.01, -0.01]), ("right_hand", "right_wrist", [0.08, -0.01, -0.01])];
/// Fingers, and where each starts.
const FINGERS: [(&str, [f64; 3]); 5] = [
    ("index", [0.1, 0.0, 0.03]),
    ("middle", [0.1, 0.0, 0.0]),
    ("pinky", [0.1, 0.0, -0.05]),
    ("ring", [0.1, 0.0, -0.025]),
    ("thumb", [0.03, -0.02, 0.05]),
];
/// Where the pelvis of a body at rest is in the model's own space, whose origin is in the chest.
const PELVIS: V3 = V3::new(0.0, -0.23, 0.02);

/// The joints of a body with this number of them, standing on the ground at rest, and where its pelvis is in the model's own space.
pub(super) fn skeleton(joints: usize) -> (RawSkeleton, V3) {
    let mut out = Maker::default();
    BODY.iter().for_each(|(name, parent, place)| out.add(name, parent, *place));
    if joints == 24 {
        MITTENS.iter().for_each(|(name, parent, place)| out.add(name, parent, *place));
    }
    if joints == 55 {
        FACE.iter().for_each(|(name, parent, place)| out.add(name, parent, *place));
    }
    if joints >= 52 {
        ["left", "right"].iter().for_each(|side| out.hand(side));
    }
    let Maker { mut skeleton, places } = out;
    let lowest = places.iter().fold(0.0, |low, place| if place.y < low { place.y } else { low });
    if let Some(pelvis) = skeleton.joints.first_mut() {
        // At rest it stands on the ground.
        pelvis.rest.translation = V3::new(PELVIS.x, -lowest, PELVIS.z);
    }
    (skeleton, PELVIS)
}

#[derive(Default)]
struct Maker {
    skeleton: RawSkeleton,
    /// In the pelvis's space.
    places: Vec<V3>,
}

impl Maker {
    fn add(&mut self, name: &str, parent: &str, [x, y, z]: [f64; 3]) {
        let offset = V3::new(if name.starts_with("right") { -x } else { x }, y, z);
        let parent = self.skeleton.joints.iter().position(|j| j.name == parent);
        let above = parent.and_then(|p| self.places.get(p)).copied().unwrap_or(V3::ZERO);
        self.places.push(V3::new(above.x + offset.x, above.y + offset.y, above.z + offset.z));
        let rest = Trs { translation: offset, ..Trs::IDENTITY };
        self.skeleton.joints.push(RawJoint { name: name.to_owned(), parent, rest });
    }

    fn hand(&mut self, side: &str) {
        for (finger, first) in FINGERS {
            let mut parent = format!("{side}_wrist");
            for (bone, place) in [(1, first), (2, [0.03, 0.0, 0.0]), (3, [0.03, 0.0, 0.0])] {
                let name = format!("{side}_{finger}{bone}");
                self.add(&name, &parent, place);
                parent = name;
            }
        }
    }
}
