//! The mannequin's form: a signed distance for each region of the body, and which joints move that region.
//!
//! Regions blend where they meet. The body is one surface; each hand is another, finer one whose stub reaches
//! into the forearm, so that fingers get enough vertices.

use super::rig::{self, FOREARM, PHALANGES, UPPERARM, mirror_point};
use crate::exact::{M34, V3, clamp, larger, smaller};

/// A rounded solid.
enum Solid {
    /// A limb through points with radii; `squash` stretches space, so 1.5 makes it thinner there. Its parts
    /// meet at one radius, so they need no blending (which would swell the joint).
    Limb {
        points: Vec<(V3, f64)>,
        squash: V3,
    },
    Ellipsoid {
        centre: V3,
        radii: V3,
    },
}

/// A place where one joint hands over to the next: beyond the plane the next one moves the skin.
struct Handover {
    at: V3,
    along: V3,
    /// Half the width of the soft zone.
    soft: f64,
}

/// Solids that belong to one chain of joints.
pub(super) struct Region {
    solids: Vec<Solid>,
    blend: f64,
    /// Cut off below the floor, for soles.
    floor: bool,
    joints: Vec<usize>,
    handovers: Vec<Handover>,
}

/// The distance of a smooth union: rounder than the smaller of both within `k`.
pub(super) fn smooth_min(a: f64, b: f64, k: f64) -> f64 {
    let h = larger(k - (a - b).abs(), 0.0) / k;
    smaller(a, b) - h * h * k * 0.25
}

pub(super) fn smoothstep(x: f64) -> f64 {
    let t = clamp(x, 0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

impl Solid {
    fn distance(&self, p: V3) -> f64 {
        match *self {
            Self::Limb { ref points, squash } => {
                let part = |w: &[(V3, f64)]| {
                    let ((a, ra), (b, rb)) = (w[0], w[1]);
                    let (q, d) = ((p - a).mul_each(squash), (b - a).mul_each(squash));
                    let t = clamp(q.dot(d) / d.dot(d), 0.0, 1.0);
                    (q - d * t).length() - (ra + (rb - ra) * (smoothstep(t) + t) * 0.5)
                };
                points.windows(2).map(part).fold(f64::INFINITY, smaller)
            }
            Self::Ellipsoid { centre, radii } => {
                let q = p - centre;
                let inverse = V3::new(1.0 / radii.x, 1.0 / radii.y, 1.0 / radii.z);
                let k0 = q.mul_each(inverse).length();
                let k1 = q.mul_each(inverse).mul_each(inverse).length();
                if k1 < 1e-9 { -smaller(smaller(radii.x, radii.y), radii.z) } else { k0 * (k0 - 1.0) / k1 }
            }
        }
    }

    fn mirrored(self) -> Self {
        match self {
            Self::Limb { points, squash } => {
                Self::Limb { points: points.into_iter().map(|(p, r)| (mirror_point(p), r)).collect(), squash }
            }
            Self::Ellipsoid { centre, radii } => Self::Ellipsoid { centre: mirror_point(centre), radii },
        }
    }
}

impl Region {
    pub(super) fn distance(&self, p: V3) -> f64 {
        let mut d = f64::INFINITY;
        for solid in &self.solids {
            let s = solid.distance(p);
            d = if d.is_finite() { smooth_min(d, s, self.blend) } else { s };
        }
        if self.floor { larger(d, -p.y) } else { d }
    }

    /// The share of each of the region's joints at a place; the shares sum to 1.
    pub(super) fn shares(&self, p: V3) -> impl Iterator<Item = (usize, f64)> + '_ {
        let mut left = 1.0;
        (0..self.joints.len()).map(move |i| {
            let beyond = self.handovers.get(i).map_or(0.0, |h| {
                let s = (p - h.at).dot(h.along) / h.soft;
                smoothstep(s * 0.5 + 0.5)
            });
            let share = left * (1.0 - beyond);
            left *= beyond;
            (self.joints[i], share)
        })
    }

    /// The region on the other side; `joints` are that side's.
    fn mirrored(self, joints: Vec<usize>) -> Self {
        let flip =
            |h: Handover| Handover { at: mirror_point(h.at), along: mirror_point(h.along), soft: h.soft };
        Self {
            solids: self.solids.into_iter().map(Solid::mirrored).collect(),
            handovers: self.handovers.into_iter().map(flip).collect(),
            joints,
            ..self
        }
    }
}

const ROUND: V3 = V3::ONE;

fn cone(a: V3, ra: f64, b: V3, rb: f64) -> Solid {
    limb([(a, ra), (b, rb)])
}

fn limb(points: impl Into<Vec<(V3, f64)>>) -> Solid {
    Solid::Limb { points: points.into(), squash: ROUND }
}

fn ball(x: f64, y: f64, z: f64, rx: f64, ry: f64, rz: f64) -> Solid {
    Solid::Ellipsoid { centre: V3::new(x, y, z), radii: V3::new(rx, ry, rz) }
}

fn v(x: f64, y: f64, z: f64) -> V3 {
    V3::new(x, y, z)
}

fn origin(models: &[M34], joint: usize) -> V3 {
    models[joint].columns[3]
}

/// Trunk, neck and head.
fn torso(models: &[M34]) -> Region {
    let trunk = vec![
        (v(0.0, 0.96, -0.004), 0.148),
        (v(0.0, 1.10, 0.0), 0.127),
        (v(0.0, 1.22, -0.004), 0.140),
        (v(0.0, 1.33, -0.012), 0.158),
    ];
    let mut solids = vec![
        Solid::Limb { points: trunk, squash: v(1.0, 1.0, 1.45) },
        ball(0.0, 0.945, -0.004, 0.150, 0.10, 0.103),
        cone(v(-0.125, 1.435, -0.022), 0.050, v(0.125, 1.435, -0.022), 0.050),
        limb([(v(0.0, 1.44, -0.022), 0.060), (v(0.0, 1.52, -0.014), 0.050), (v(0.0, 1.62, 0.004), 0.052)]),
        ball(0.0, 1.702, 0.0, 0.077, 0.098, 0.095),
        cone(v(0.0, 1.668, 0.022), 0.066, v(0.0, 1.626, 0.040), 0.047),
        cone(v(0.0, 1.712, 0.082), 0.007, v(0.0, 1.682, 0.090), 0.009),
    ];
    for side in [1.0, -1.0] {
        solids.push(ball(side * 0.072, 0.905, -0.050, 0.084, 0.090, 0.074));
        solids.push(ball(side * 0.070, 1.352, 0.050, 0.086, 0.066, 0.046));
        solids.push(cone(v(side * 0.125, 1.452, -0.03), 0.030, v(side * 0.02, 1.530, -0.02), 0.038));
        solids.push(ball(side * 0.080, 1.36, -0.068, 0.078, 0.10, 0.05));
    }
    let joints = vec![
        rig::HIPS,
        rig::SPINE,
        rig::SPINE + 1,
        rig::SPINE + 2,
        rig::CHEST,
        rig::NECK1,
        rig::NECK2,
        rig::HEAD,
    ];
    let soft = [0.06, 0.055, 0.055, 0.06, 0.04, 0.025, 0.03];
    let handovers = joints[1..]
        .iter()
        .zip(soft)
        .map(|(j, soft)| Handover { at: origin(models, *j), along: V3::Y, soft })
        .collect();
    Region { solids, blend: 0.045, floor: false, joints, handovers }
}

/// A point of the left arm: along it from the shoulder, up and forward in the arm's frame.
fn on_arm(models: &[M34], along: f64, up: f64, forward: f64) -> V3 {
    models[rig::upperarm(0)].mul_point(v(along, up, forward))
}

fn arm_joints(side: usize) -> Vec<usize> {
    vec![
        rig::CHEST,
        rig::clavicle(side),
        rig::upperarm_twist(side),
        rig::upperarm(side),
        rig::forearm(side),
        rig::forearm_twist(side),
        rig::hand(side),
    ]
}

fn left_arm(models: &[M34]) -> Region {
    let at = |along, up, forward| on_arm(models, along, up, forward);
    let (elbow, wrist) = (UPPERARM, UPPERARM + FOREARM);
    let solids = vec![
        limb([
            (at(-0.012, -0.004, 0.0), 0.060),
            (at(0.07, 0.0, 0.0), 0.054),
            (at(0.17, -0.002, 0.002), 0.047),
            (at(elbow - 0.03, 0.0, 0.0), 0.037),
            (at(elbow + 0.02, 0.0, 0.0), 0.038),
            (at(elbow + 0.08, 0.0, 0.004), 0.0425),
            (at(wrist - 0.06, 0.0, 0.0), 0.031),
            (at(wrist - 0.012, 0.0, 0.0), 0.0265),
        ]),
        cone(at(0.11, -0.004, 0.016), 0.034, at(0.19, -0.003, 0.012), 0.033),
    ];
    let along = models[rig::upperarm(0)].mul_vector(V3::X);
    let shoulder = origin(models, rig::upperarm(0));
    let handover = |x: f64, soft: f64| Handover { at: at(x, 0.0, 0.0), along, soft };
    let handovers = vec![
        Handover { at: v(0.085, shoulder.y, 0.0), along: V3::X, soft: 0.06 },
        // Tilted: the arm takes over later on top of the shoulder than in the armpit.
        Handover { at: shoulder + along * 0.012, along: v(0.92, -0.39, 0.0), soft: 0.062 },
        handover(UPPERARM * 0.5, 0.10),
        handover(elbow, 0.042),
        handover(elbow + FOREARM * 0.5, 0.10),
        handover(wrist, 0.02),
    ];
    Region { solids, blend: 0.03, floor: false, joints: arm_joints(0), handovers }
}

fn leg_joints(side: usize) -> Vec<usize> {
    vec![rig::HIPS, rig::thigh(side), rig::shin(side), rig::foot(side), rig::toes(side)]
}

fn left_leg(models: &[M34]) -> Region {
    let hip = origin(models, rig::thigh(0));
    let knee = origin(models, rig::shin(0));
    let ankle = origin(models, rig::foot(0));
    let ball_joint = origin(models, rig::toes(0));
    let (x, z) = (ankle.x, ankle.z);
    let wide = v(0.80, 1.25, 1.0);
    let thigh = |t: f64| hip.lerp(knee, t);
    let calf = |t: f64| knee.lerp(ankle, t);
    let sole = vec![
        (v(x, 0.052, z + 0.01), 0.044),
        (v(x, 0.036, z + 0.08), 0.041),
        (v(x, 0.027, z + 0.130), 0.0375),
        (v(x, 0.022, z + 0.185), 0.026),
    ];
    let solids = vec![
        limb([
            (hip + v(0.002, -0.01, 0.0), 0.088),
            (thigh(0.28) + v(0.0, 0.0, 0.008), 0.082),
            (thigh(0.62) + v(0.0, 0.0, 0.006), 0.065),
            (thigh(0.92), 0.050),
            (calf(0.08), 0.048),
            (calf(0.32) + v(0.002, 0.0, -0.012), 0.0535),
            (calf(0.65) + v(0.0, 0.0, -0.006), 0.042),
            (calf(0.90), 0.0325),
            (ankle + v(0.0, -0.02, -0.008), 0.0345),
        ]),
        ball(x, 0.036, z - 0.028, 0.034, 0.044, 0.036),
        Solid::Limb { points: sole, squash: wide },
    ];
    let handovers = vec![
        // Tilted along the groin.
        Handover { at: hip + v(0.0, -0.01, 0.0), along: v(0.34, -0.94, 0.0), soft: 0.085 },
        Handover { at: knee, along: v(0.0, -1.0, 0.0), soft: 0.055 },
        Handover { at: ankle + v(0.0, 0.005, 0.0), along: v(0.0, -0.94, 0.34), soft: 0.038 },
        Handover { at: ball_joint, along: v(0.0, 0.0, 1.0), soft: 0.022 },
    ];
    Region { solids, blend: 0.032, floor: true, joints: leg_joints(0), handovers }
}

/// Trunk, arms, legs: the one large surface.
pub(super) fn body(models: &[M34]) -> Vec<Region> {
    vec![
        torso(models),
        left_arm(models),
        left_arm(models).mirrored(arm_joints(1)),
        left_leg(models),
        left_leg(models).mirrored(leg_joints(1)),
    ]
}

/// The distance to the whole body.
pub(super) fn body_distance(regions: &[Region], p: V3) -> f64 {
    // Arms and legs join the trunk, never each other.
    let arms = smaller(regions[1].distance(p), regions[2].distance(p));
    let legs = smaller(regions[3].distance(p), regions[4].distance(p));
    smooth_min(smooth_min(regions[0].distance(p), arms, 0.04), legs, 0.05)
}

/// A hand: the palm with its stub, then five fingers.
pub(super) fn hand(models: &[M34], side: usize) -> Vec<Region> {
    let frame = &models[rig::hand(0)];
    let at = |x: f64, y: f64, z: f64| frame.mul_point(v(x, y, z));
    let along = frame.mul_vector(V3::X);
    let knuckle = |f: usize| origin(models, rig::finger(0, f, 0));
    let mut palm = vec![cone(at(-0.04, 0.0, 0.0), 0.021, at(0.01, 0.0, 0.0), 0.0215)];
    for f in 1..5 {
        let heel = at(0.015, -0.002, [0.0, 0.012, 0.004, -0.005, -0.014][f]);
        palm.push(cone(heel, 0.0165, knuckle(f) - along * 0.006, 0.0120));
    }
    let thumb = knuckle(0);
    palm.push(cone(at(0.018, -0.006, 0.010), 0.0165, thumb, 0.0150));
    let mut regions = vec![Region {
        solids: palm,
        blend: 0.016,
        floor: false,
        joints: vec![rig::forearm_twist(0), rig::hand(0)],
        handovers: vec![Handover { at: at(0.0, 0.0, 0.0), along, soft: 0.02 }],
    }];
    for (f, lengths) in PHALANGES.iter().enumerate() {
        let model = |j: usize| &models[rig::finger(0, f, j)];
        let radii = if f == 0 {
            [0.0150, 0.0122, 0.0115, 0.0082]
        } else {
            let k = [0.0, 1.0, 1.04, 0.98, 0.86][f];
            [0.0092 * k, 0.0086 * k, 0.0080 * k, 0.0062 * k]
        };
        let mut solids = Vec::new();
        let mut handovers = Vec::new();
        for j in 0..3 {
            let end = model(j).mul_point(v(lengths[j] - if j == 2 { radii[3] } else { 0.0 }, 0.0, 0.0));
            solids.push(cone(origin(models, rig::finger(0, f, j)), radii[j], end, radii[j + 1]));
            let soft = if j == 0 { 0.010 } else { 0.006 };
            handovers.push(Handover {
                at: origin(models, rig::finger(0, f, j)),
                along: model(j).mul_vector(V3::X),
                soft,
            });
        }
        let joints = vec![rig::hand(0), rig::finger(0, f, 0), rig::finger(0, f, 1), rig::finger(0, f, 2)];
        regions.push(Region { solids, blend: 0.003, floor: false, joints, handovers });
    }
    if side == 0 {
        return regions;
    }
    // Right joints follow the left ones at a constant distance.
    let offset = rig::hand(1) - rig::hand(0);
    let other = |r: Region| {
        let joints = r.joints.iter().map(|j| j + offset).collect();
        r.mirrored(joints)
    };
    regions.into_iter().map(other).collect()
}

/// The distance to a hand: fingers join the palm, never each other.
pub(super) fn hand_distance(regions: &[Region], p: V3) -> f64 {
    let fingers = regions[1..].iter().fold(f64::INFINITY, |d, r| smaller(d, r.distance(p)));
    smooth_min(regions[0].distance(p), fingers, 0.012)
}
