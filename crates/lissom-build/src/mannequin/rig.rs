//! The mannequin's joints: names, parents, places.
//!
//! 1.8 m, metres, Y up, facing +Z, its left is +X. Rest is an A-pose: arms 45° down. In an arm's frame X runs
//! along the left arm, Y out of the back of the hand, Z to the thumb. The right side is the left one mirrored
//! in x, so a right limb takes the mirrored rotation of a left one.

use crate::exact::{M34, Q4, Trs, V3};
use crate::mesh::model_matrices;
use crate::raw::{RawJoint, RawSkeleton};

pub(super) const ROOT: usize = 0;
pub(super) const HIPS: usize = 1;
/// Three lumbar and thoracic joints; the chest follows.
pub(super) const SPINE: usize = 2;
pub(super) const CHEST: usize = 5;
pub(super) const NECK1: usize = 6;
pub(super) const NECK2: usize = 7;
pub(super) const HEAD: usize = 8;
const ARMS: [usize; 2] = [10, 32];
const LEGS: [usize; 2] = [54, 59];
/// How many joints there are.
pub(super) const JOINTS: usize = 64;

/// Left is 0, right is 1.
pub(super) const SIDES: [usize; 2] = [0, 1];

pub(super) fn clavicle(side: usize) -> usize {
    ARMS[side]
}
pub(super) fn upperarm(side: usize) -> usize {
    ARMS[side] + 1
}
pub(super) fn upperarm_twist(side: usize) -> usize {
    ARMS[side] + 2
}
pub(super) fn forearm(side: usize) -> usize {
    ARMS[side] + 3
}
pub(super) fn forearm_twist(side: usize) -> usize {
    ARMS[side] + 4
}
pub(super) fn hand(side: usize) -> usize {
    ARMS[side] + 5
}
/// Thumb 0 to little finger 4, joints 0 to 2.
pub(super) fn finger(side: usize, finger: usize, joint: usize) -> usize {
    ARMS[side] + 6 + finger * 3 + joint
}
pub(super) fn thigh(side: usize) -> usize {
    LEGS[side]
}
pub(super) fn shin(side: usize) -> usize {
    LEGS[side] + 1
}
pub(super) fn foot(side: usize) -> usize {
    LEGS[side] + 2
}
pub(super) fn toes(side: usize) -> usize {
    LEGS[side] + 3
}

/// How far the arms hang in the rest pose, from straight out, in radians.
pub(super) const REST_ARM: f64 = core::f64::consts::FRAC_PI_4;
/// Shoulder to elbow.
pub(super) const UPPERARM: f64 = 0.285;
/// Elbow to wrist.
pub(super) const FOREARM: f64 = 0.25;

/// Lengths of the three parts of each finger.
pub(super) const PHALANGES: [[f64; 3]; 5] = [
    [0.040, 0.032, 0.026],
    [0.042, 0.026, 0.021],
    [0.046, 0.029, 0.022],
    [0.043, 0.027, 0.021],
    [0.034, 0.021, 0.018],
];
/// Where each finger starts, from the wrist in the arm's frame.
const KNUCKLES: [V3; 5] = [
    V3::new(0.026, -0.010, 0.027),
    V3::new(0.090, 0.002, 0.027),
    V3::new(0.092, 0.004, 0.007),
    V3::new(0.088, 0.002, -0.013),
    V3::new(0.080, -0.002, -0.031),
];

/// The same place on the other side.
pub(super) fn mirror_point(v: V3) -> V3 {
    V3::new(-v.x, v.y, v.z)
}

/// The same turn on the other side.
pub(super) fn mirror(q: Q4) -> Q4 {
    Q4::new(q.x, -q.y, -q.z, q.w)
}

fn finger_rest(f: usize) -> Q4 {
    match f {
        // The thumb points forward and out of the palm's plane, and its curl turns across the palm.
        0 => {
            Q4::from_axis_angle(V3::Y, -0.72)
                * Q4::from_axis_angle(V3::Z, -0.30)
                * Q4::from_axis_angle(V3::X, 1.0)
        }
        // Spread wider than at ease, so that the skin between the fingers is well apart.
        f => Q4::from_axis_angle(V3::Y, [0.0, -0.17, -0.03, 0.11, 0.26][f]),
    }
}

struct Maker {
    joints: Vec<RawJoint>,
}

impl Maker {
    /// Adds a joint; for the right side the transform is mirrored.
    fn add(&mut self, name: &str, side: Option<usize>, parent: Option<usize>, at: V3, turn: Q4) -> usize {
        let right = side == Some(1);
        let rest = Trs {
            translation: if right { mirror_point(at) } else { at },
            rotation: if right { mirror(turn) } else { turn },
            scale: V3::ONE,
        };
        let name = side.map_or_else(|| name.to_owned(), |s| format!("{name}_{}", ["l", "r"][s]));
        self.joints.push(RawJoint { name, parent, rest });
        self.joints.len() - 1
    }
}

pub(super) fn skeleton() -> RawSkeleton {
    let mut m = Maker { joints: Vec::with_capacity(JOINTS) };
    let still = Q4::IDENTITY;
    let root = m.add("root", None, None, V3::ZERO, still);
    let hips = m.add("hips", None, Some(root), V3::new(0.0, HIPS_HEIGHT, 0.0), still);
    let mut spine = hips;
    for (name, at) in [
        ("spine_01", V3::new(0.0, 0.08, -0.008)),
        ("spine_02", V3::new(0.0, 0.105, 0.0)),
        ("spine_03", V3::new(0.0, 0.105, -0.012)),
        ("chest", V3::new(0.0, 0.11, -0.008)),
    ] {
        spine = m.add(name, None, Some(spine), at, still);
    }
    let chest = spine;
    let mut neck = chest;
    for (name, at) in [
        ("neck_01", V3::new(0.0, 0.13, 0.006)),
        ("neck_02", V3::new(0.0, 0.045, 0.008)),
        ("head", V3::new(0.0, 0.045, 0.008)),
        ("head_top", V3::new(0.0, 0.205, 0.0)),
    ] {
        neck = m.add(name, None, Some(neck), at, still);
    }
    for side in SIDES {
        arm(&mut m, chest, side);
    }
    for side in SIDES {
        let s = Some(side);
        let thigh = m.add("thigh", s, Some(hips), HIP, still);
        let shin = m.add("shin", s, Some(thigh), KNEE, still);
        let foot = m.add("foot", s, Some(shin), SHIN, still);
        let toes = m.add("toes", s, Some(foot), BALL - ANKLE, still);
        m.add("toe_end", s, Some(toes), V3::new(0.0, -0.008, 0.075), still);
    }
    RawSkeleton { joints: m.joints }
}

fn arm(m: &mut Maker, chest: usize, side: usize) {
    let s = Some(side);
    let still = Q4::IDENTITY;
    let clavicle = m.add("clavicle", s, Some(chest), V3::new(0.025, 0.075, 0.02), still);
    let hang = Q4::from_axis_angle(V3::Z, -REST_ARM);
    let upper = m.add("upperarm", s, Some(clavicle), V3::new(0.155, -0.005, -0.02), hang);
    m.add("upperarm_twist", s, Some(upper), V3::new(UPPERARM * 0.5, 0.0, 0.0), still);
    let forearm = m.add("forearm", s, Some(upper), V3::new(UPPERARM, 0.0, 0.0), still);
    m.add("forearm_twist", s, Some(forearm), V3::new(FOREARM * 0.5, 0.0, 0.0), still);
    let hand = m.add("hand", s, Some(forearm), V3::new(FOREARM, 0.0, 0.0), still);
    for (f, name) in ["thumb", "index", "middle", "ring", "pinky"].into_iter().enumerate() {
        let mut parent = hand;
        let mut at = KNUCKLES[f];
        for (part, length) in PHALANGES[f].into_iter().enumerate() {
            let turn = if part == 0 { finger_rest(f) } else { still };
            parent = m.add(&format!("{name}_0{}", part + 1), s, Some(parent), at, turn);
            at = V3::new(length, 0.0, 0.0);
        }
    }
    // Where a tool is held: in the palm, with the arm's axes.
    m.add("prop", s, Some(hand), V3::new(0.075, -0.03, 0.005), still);
}

/// Of the hips above the floor.
pub(super) const HIPS_HEIGHT: f64 = 0.98;
/// The left hip joint from the hips, the knee from there, the ankle from the knee.
pub(super) const HIP: V3 = V3::new(0.092, -0.05, 0.0);
pub(super) const KNEE: V3 = V3::new(0.0, -0.43, 0.008);
pub(super) const SHIN: V3 = V3::new(0.0, -0.415, -0.028);
/// The ankle, over a foot whose frame is on the floor below it.
pub(super) const ANKLE: V3 = V3::new(0.0, 0.085, 0.0);
/// Where the foot bends, in the same frame.
pub(super) const BALL: V3 = V3::new(0.0, 0.022, 0.135);
/// Where the heel touches.
pub(super) const HEEL: V3 = V3::new(0.0, 0.0, -0.055);

/// The rest pose in model space.
pub(super) fn rest_models(skeleton: &RawSkeleton) -> Vec<M34> {
    let locals: Vec<Trs> = skeleton.joints.iter().map(|j| j.rest).collect();
    model_matrices(skeleton, &locals)
}
