//! From what an animator says (hips here, this foot there, arms so) to a local transform for every joint.

use super::curve::deg;
use super::rig::{self, ANKLE, BALL, HEEL, SIDES, mirror};
use super::shape::smooth_min;
use crate::exact::{Q4, Trs, V3, clamp, larger};
use crate::raw::RawSkeleton;

/// A pose in an animator's words. Lengths in metres, angles in radians, all in the space of the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    /// Where the root is on the floor, and where it faces.
    pub(super) root: V3,
    pub(super) root_yaw: f64,
    /// From the rest place of the hips.
    pub(super) hips: V3,
    pub(super) hips_turn: Turn,
    /// Where the chest faces; the spine shares the way there from the hips.
    pub(super) chest_turn: Turn,
    /// Where the head faces; the neck shares the way there from the chest.
    pub(super) head_turn: Turn,
    /// Left, right.
    pub(super) arms: [Arm; 2],
    pub(super) feet: [Foot; 2],
}

/// Yaw to the left, pitch forward, roll to the right (the left side up).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    pub(super) yaw: f64,
    pub(super) pitch: f64,
    pub(super) roll: f64,
}

/// All zero: hanging straight down, thumb forward, hand flat. Signs are the same on both sides.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arm {
    /// Shoulder up and forward.
    pub(super) shrug: f64,
    pub(super) reach: f64,
    /// Forward, outward, and about its own length (negative turns the bent forearm outward and up).
    pub(super) swing: f64,
    pub(super) spread: f64,
    pub(super) twist: f64,
    pub(super) elbow: f64,
    /// Turns the palm back (positive) or forward.
    pub(super) roll: f64,
    /// Towards the palm; towards the little finger.
    pub(super) wrist: f64,
    pub(super) wrist_side: f64,
    /// How closed the four fingers are, 0 to 1; how far apart.
    pub(super) curl: f64,
    pub(super) fan: f64,
    /// How closed the thumb is, 0 to 1.
    pub(super) thumb: f64,
}

/// A foot by the place on the floor below its ankle when it stands flat.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Foot {
    pub(super) at: V3,
    pub(super) yaw: f64,
    /// Above 0 it stands on its ball, heel up; below 0 on its heel, toes up.
    pub(super) pitch: f64,
    /// How much the toes give way to a raised heel: 1 leaves them flat on the floor.
    pub(super) toes: f64,
    /// Knee outward.
    pub(super) knee_out: f64,
}

impl Turn {
    pub(super) const fn new(yaw: f64, pitch: f64, roll: f64) -> Self {
        Self { yaw, pitch, roll }
    }

    fn rotation(self) -> Q4 {
        Q4::from_axis_angle(V3::Y, self.yaw)
            * Q4::from_axis_angle(V3::X, self.pitch)
            * Q4::from_axis_angle(V3::Z, self.roll)
    }
}

impl Foot {
    /// The ankle and the foot's rotation.
    fn ankle(&self) -> (V3, Q4) {
        let yaw = Q4::from_axis_angle(V3::Y, self.yaw);
        let pitch = Q4::from_axis_angle(V3::X, self.pitch);
        let pivot = if self.pitch > 0.0 { BALL } else { HEEL };
        (self.at + yaw.rotate(pivot + pitch.rotate(ANKLE - pivot)), yaw * pitch)
    }
}

impl Arm {
    /// This arm, `w` of the way to another.
    pub(super) fn mix(self, to: Self, w: f64) -> Self {
        let m = |a: f64, b: f64| a + (b - a) * w;
        Self {
            shrug: m(self.shrug, to.shrug),
            reach: m(self.reach, to.reach),
            swing: m(self.swing, to.swing),
            spread: m(self.spread, to.spread),
            twist: m(self.twist, to.twist),
            elbow: m(self.elbow, to.elbow),
            roll: m(self.roll, to.roll),
            wrist: m(self.wrist, to.wrist),
            wrist_side: m(self.wrist_side, to.wrist_side),
            curl: m(self.curl, to.curl),
            fan: m(self.fan, to.fan),
            thumb: m(self.thumb, to.thumb),
        }
    }
}

/// A part of a rotation.
fn part(q: Q4, share: f64) -> Q4 {
    Q4::IDENTITY.slerp(q, share)
}

impl Figure {
    /// Every joint's local transform, in the order of the skeleton.
    pub(super) fn solve(&self, skeleton: &RawSkeleton) -> Vec<Trs> {
        let mut pose: Vec<Trs> = skeleton.joints.iter().map(|j| j.rest).collect();
        pose[rig::ROOT].translation = self.root;
        pose[rig::ROOT].rotation = Q4::from_axis_angle(V3::Y, self.root_yaw);
        pose[rig::HIPS].translation = pose[rig::HIPS].translation + self.hips;
        let hips = self.hips_turn.rotation();
        pose[rig::HIPS].rotation = hips;
        let chest = self.chest_turn.rotation();
        let bend = part(hips.conjugate() * chest, 0.25);
        for joint in [rig::SPINE, rig::SPINE + 1, rig::SPINE + 2, rig::CHEST] {
            pose[joint].rotation = bend;
        }
        let nod = chest.conjugate() * self.head_turn.rotation();
        for (joint, share) in [(rig::NECK1, 0.25), (rig::NECK2, 0.3), (rig::HEAD, 0.45)] {
            pose[joint].rotation = part(nod, share);
        }
        for side in SIDES {
            self.solve_arm(side, &mut pose);
            self.solve_leg(side, &mut pose);
        }
        pose
    }

    fn solve_arm(&self, side: usize, pose: &mut [Trs]) {
        let a = &self.arms[side];
        let about = |axis: V3, angle: f64| {
            let q = Q4::from_axis_angle(axis, angle);
            if side == 1 { mirror(q) } else { q }
        };
        let (x, y, z) = (V3::X, V3::Y, V3::Z);
        let clavicle = about(y, -a.reach) * about(z, a.shrug);
        pose[rig::clavicle(side)].rotation = clavicle;
        let hang = core::f64::consts::FRAC_PI_2 - a.spread;
        let arm = about(x, -a.swing) * about(z, -hang) * about(x, a.twist);
        pose[rig::upperarm(side)].rotation = clavicle.conjugate() * arm;
        // The skin at the shoulder follows only part of the arm's twist, at the wrist half of the hand's.
        pose[rig::upperarm_twist(side)].rotation = about(x, -0.75 * a.twist);
        pose[rig::forearm(side)].rotation = about(y, -a.elbow);
        pose[rig::forearm_twist(side)].rotation = about(x, 0.5 * a.roll);
        pose[rig::hand(side)].rotation = about(x, a.roll) * about(y, a.wrist_side) * about(z, -a.wrist);
        for f in 1..5 {
            // Outer fingers close a little more, as in a loose hand.
            let close = a.curl * [0.0, 0.9, 1.0, 1.06, 1.12][f];
            // The rest pose spreads them; 0 here is side by side.
            let fan = (a.fan - 0.105) * [0.0, -1.0, -0.2, 0.6, 1.35][f];
            for (j, most) in [deg(78.0), deg(95.0), deg(60.0)].into_iter().enumerate() {
                let joint = &mut pose[rig::finger(side, f, j)];
                let open = if j == 0 { about(y, fan) } else { Q4::IDENTITY };
                joint.rotation = joint.rotation * open * about(z, -close * most);
            }
        }
        for (j, most) in [deg(30.0), deg(40.0), deg(55.0)].into_iter().enumerate() {
            let joint = &mut pose[rig::finger(side, 0, j)];
            joint.rotation = joint.rotation * about(z, -a.thumb * most);
        }
    }

    /// Two-bone IK: the knee bends forward, in the plane of hip, ankle and the way the foot points.
    fn solve_leg(&self, side: usize, pose: &mut [Trs]) {
        let foot = &self.feet[side];
        let hips = &pose[rig::HIPS];
        let hip = hips.translation + hips.rotation.rotate(pose[rig::thigh(side)].translation);
        let hips_rotation = hips.rotation;
        let (ankle, foot_rotation) = foot.ankle();
        let thigh_rest = pose[rig::shin(side)].translation;
        let shin_rest = pose[rig::foot(side)].translation;
        let (a, b) = (thigh_rest.length(), shin_rest.length());
        let way = ankle - hip;
        let distance = clamp(way.length(), (a - b).abs() + 1e-6, (a + b) * MAX_REACH);
        let way = way.normalize_or(-V3::Y);
        let out = if side == 0 { foot.knee_out } else { -foot.knee_out };
        let pole = Q4::from_axis_angle(V3::Y, foot.yaw * 0.6 + self.hips_turn.yaw * 0.4 + out).rotate(V3::Z);
        let ahead = (pole - way * pole.dot(way)).normalize_or(V3::Z);
        let along = (a * a - b * b + distance * distance) / (2.0 * distance);
        let height = larger(a * a - along * along, 0.0).sqrt();
        let knee = hip + way * along + ahead * height;
        let end = hip + way * distance;
        let hinge = ahead.cross(way);
        let thigh = aim(thigh_rest, knee - hip, hinge);
        let shin = aim(shin_rest, end - knee, hinge);
        pose[rig::thigh(side)].rotation = hips_rotation.conjugate() * thigh;
        pose[rig::shin(side)].rotation = thigh.conjugate() * shin;
        pose[rig::foot(side)].rotation = shin.conjugate() * foot_rotation;
        let give = -larger(foot.pitch, 0.0) * foot.toes;
        pose[rig::toes(side)].rotation = Q4::from_axis_angle(V3::X, give);
    }

    /// Left and right change places.
    pub(super) fn mirrored(self) -> Self {
        let point = |v: V3| V3::new(-v.x, v.y, v.z);
        let turn = |t: Turn| Turn::new(-t.yaw, t.pitch, -t.roll);
        let foot = |f: Foot| Foot { at: point(f.at), yaw: -f.yaw, ..f };
        let [left, right] = self.feet;
        Self {
            root: point(self.root),
            root_yaw: -self.root_yaw,
            hips: point(self.hips),
            hips_turn: turn(self.hips_turn),
            chest_turn: turn(self.chest_turn),
            head_turn: turn(self.head_turn),
            arms: [self.arms[1], self.arms[0]],
            feet: [foot(right), foot(left)],
        }
    }

    /// Lowers the hips until both legs reach their feet with a bent knee; softly, so that nothing jerks.
    pub(super) fn settle(mut self) -> Self {
        const SOFT: f64 = 0.012;
        let top = |side: usize| {
            let out = if side == 1 { rig::mirror_point(rig::HIP) } else { rig::HIP };
            let hip = self.hips + self.hips_turn.rotation().rotate(out);
            let (ankle, _) = self.feet[side].ankle();
            let (dx, dz) = (ankle.x - hip.x, ankle.z - hip.z);
            let long = (rig::KNEE.length() + rig::SHIN.length()) * 0.997;
            // How high the hips may be for this leg.
            ankle.y + larger(long * long - dx * dx - dz * dz, 0.01).sqrt()
                - (hip.y - self.hips.y)
                - rig::HIPS_HEIGHT
        };
        self.hips.y = smooth_min(self.hips.y, smooth_min(top(0), top(1), SOFT), SOFT);
        self
    }
}

/// A leg is never quite straight: the knee keeps its direction.
pub(super) const MAX_REACH: f64 = 0.9990;

/// The rotation that lays the bone `from` along `to` and the joint's x axis along `hinge`.
fn aim(from: V3, to: V3, hinge: V3) -> Q4 {
    let to = to.normalize_or(-V3::Y);
    let swing = Q4::from_arc(from, to);
    let x = swing.rotate(V3::X);
    let (x, hinge) = (x - to * x.dot(to), hinge - to * hinge.dot(to));
    let angle = libm::atan2(x.cross(hinge).dot(to), x.dot(hinge));
    Q4::from_axis_angle(to, angle) * swing
}
