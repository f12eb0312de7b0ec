//! Walk, jog and run, steps back and to the sides: one cycle each, in phase. The left heel lands at phase 0, the right one at 0.5.

use super::bake::RATE;
use super::curve::{cosine, curve, deg, hermite, sine};
use super::figure::{Arm, Figure, Foot, Turn};
use crate::exact::V3;

/// The numbers that make a gait. Angles in degrees, lengths in metres, phases of the foot's own cycle.
pub(super) struct Gait {
    pub(super) frames: usize,
    /// Metres a second.
    pub(super) speed: f64,
    /// Where to, along x and z: a unit vector. The figure looks along z.
    pub(super) heading: [f64; 2],
    /// The share of the cycle that a foot stands.
    pub(super) duty: f64,
    /// Middle of the stance ahead of the root.
    ahead: f64,
    /// Distance of a foot from the middle line.
    track: f64,
    /// Foot pitch, lift, and how much the toes give way.
    pitch: &'static [(f64, f64)],
    lift: &'static [(f64, f64)],
    toes: &'static [(f64, f64)],
    /// Height of the hips over a step (half a cycle), and their sway and turns.
    height: f64,
    bob: f64,
    bob_phase: f64,
    sway: f64,
    hips_yaw: f64,
    hips_roll: f64,
    hips_pitch: f64,
    chest_yaw: f64,
    lean: f64,
    /// Arm swing about a middle, and elbow.
    swing: f64,
    swing_middle: f64,
    elbow: f64,
    elbow_swing: f64,
    curl: f64,
}

const AHEAD: [f64; 2] = [0.0, 1.0];

pub(super) const WALK: Gait = Gait {
    frames: 32,
    speed: 1.32,
    heading: AHEAD,
    duty: 0.62,
    ahead: -0.05,
    track: 0.075,
    pitch: &[
        (0.0, -20.0),
        (0.09, 0.0),
        (0.36, 0.0),
        (0.50, 18.0),
        (0.62, 52.0),
        (0.70, 50.0),
        (0.84, 2.0),
        (0.94, -19.0),
    ],
    lift: &[(0.0, 0.0), (0.62, 0.0), (0.72, 0.044), (0.84, 0.052), (0.94, 0.022)],
    toes: &[(0.0, 1.0), (0.62, 1.0), (0.74, 0.3), (0.90, 0.3)],
    height: -0.040,
    bob: 0.020,
    bob_phase: 0.31,
    sway: 0.024,
    hips_yaw: 7.0,
    hips_roll: 4.0,
    hips_pitch: 3.0,
    chest_yaw: 7.0,
    lean: 3.0,
    swing: 24.0,
    swing_middle: 3.0,
    elbow: 20.0,
    elbow_swing: 9.0,
    curl: 0.28,
};

pub(super) const JOG: Gait = Gait {
    frames: 22,
    speed: 2.6,
    heading: AHEAD,
    duty: 0.37,
    ahead: -0.03,
    track: 0.06,
    pitch: &[
        (0.0, -12.0),
        (0.06, 0.0),
        (0.18, 0.0),
        (0.30, 26.0),
        (0.37, 48.0),
        (0.52, 78.0),
        (0.72, 30.0),
        (0.92, -12.0),
    ],
    lift: &[(0.0, 0.0), (0.37, 0.0), (0.58, 0.16), (0.76, 0.14), (0.92, 0.035)],
    toes: &[(0.0, 1.0), (0.37, 1.0), (0.50, 0.2), (0.92, 0.3)],
    height: -0.055,
    bob: -0.034,
    bob_phase: 0.17,
    sway: 0.012,
    hips_yaw: 9.0,
    hips_roll: 4.5,
    hips_pitch: 7.0,
    chest_yaw: 11.0,
    lean: 9.0,
    swing: 34.0,
    swing_middle: -8.0,
    elbow: 82.0,
    elbow_swing: 10.0,
    curl: 0.55,
};

pub(super) const RUN: Gait = Gait {
    frames: 18,
    speed: 4.4,
    heading: AHEAD,
    duty: 0.29,
    ahead: -0.03,
    track: 0.045,
    pitch: &[
        (0.0, -9.0),
        (0.045, 0.0),
        (0.13, 0.0),
        (0.22, 26.0),
        (0.29, 52.0),
        (0.46, 98.0),
        (0.64, 60.0),
        (0.80, 8.0),
        (0.93, -12.0),
    ],
    lift: &[(0.0, 0.0), (0.29, 0.0), (0.48, 0.28), (0.64, 0.30), (0.80, 0.22), (0.93, 0.06)],
    toes: &[(0.0, 1.0), (0.29, 1.0), (0.42, 0.2), (0.93, 0.3)],
    height: -0.060,
    bob: -0.042,
    bob_phase: 0.13,
    sway: 0.008,
    hips_yaw: 11.0,
    hips_roll: 5.0,
    hips_pitch: 11.0,
    chest_yaw: 15.0,
    lean: 14.0,
    swing: 48.0,
    swing_middle: -10.0,
    elbow: 92.0,
    elbow_swing: 16.0,
    curl: 0.70,
};

/// Lands on the ball, comes down on the heel, leaves flat.
pub(super) const BACK: Gait = Gait {
    frames: 30,
    speed: 0.95,
    heading: [0.0, -1.0],
    duty: 0.64,
    ahead: 0.04,
    track: 0.09,
    pitch: &[(0.0, 22.0), (0.14, 4.0), (0.22, 0.0), (0.64, 0.0), (0.74, 6.0), (0.86, 20.0)],
    lift: &[(0.0, 0.0), (0.64, 0.0), (0.76, 0.040), (0.88, 0.036)],
    toes: &[(0.0, 1.0), (0.64, 1.0), (0.80, 0.5)],
    height: -0.050,
    bob: 0.014,
    bob_phase: 0.31,
    sway: 0.028,
    hips_yaw: -4.0,
    hips_roll: 3.0,
    hips_pitch: 1.0,
    chest_yaw: -4.0,
    lean: 5.0,
    swing: -13.0,
    swing_middle: 6.0,
    elbow: 28.0,
    elbow_swing: 5.0,
    curl: 0.30,
};

/// Side steps: the feet meet, they do not cross.
const SIDEWAYS: Gait = Gait {
    frames: 20,
    speed: 0.75,
    heading: [1.0, 0.0],
    duty: 0.60,
    ahead: 0.0,
    track: 0.185,
    pitch: &[(0.0, 6.0), (0.10, 0.0), (0.42, 0.0), (0.60, 16.0), (0.74, 12.0)],
    lift: &[(0.0, 0.0), (0.60, 0.0), (0.72, 0.052), (0.86, 0.048)],
    toes: &[(0.0, 1.0), (0.60, 1.0), (0.76, 0.5)],
    height: -0.075,
    bob: 0.012,
    bob_phase: 0.28,
    sway: 0.014,
    hips_yaw: 0.0,
    hips_roll: 2.5,
    hips_pitch: 4.0,
    chest_yaw: 0.0,
    lean: 6.0,
    swing: 4.0,
    swing_middle: 8.0,
    elbow: 46.0,
    elbow_swing: 5.0,
    curl: 0.40,
};

pub(super) const LEFT: Gait = SIDEWAYS;
pub(super) const RIGHT: Gait = Gait { heading: [-1.0, 0.0], ..SIDEWAYS };

/// The same in a jog: on the balls of the feet, off the floor between the steps.
const SIDE_JOG: Gait = Gait {
    frames: 20,
    speed: 1.6,
    heading: [1.0, 0.0],
    duty: 0.34,
    ahead: 0.0,
    track: 0.185,
    pitch: &[(0.0, 10.0), (0.07, 0.0), (0.20, 0.0), (0.34, 20.0), (0.52, 26.0), (0.78, 16.0)],
    lift: &[(0.0, 0.0), (0.34, 0.0), (0.54, 0.085), (0.74, 0.080), (0.92, 0.030)],
    toes: &[(0.0, 1.0), (0.34, 1.0), (0.52, 0.4), (0.92, 0.5)],
    height: -0.085,
    bob: -0.026,
    bob_phase: 0.17,
    sway: 0.010,
    hips_yaw: 0.0,
    hips_roll: 3.0,
    hips_pitch: 5.0,
    chest_yaw: 0.0,
    lean: 9.0,
    swing: 7.0,
    swing_middle: 2.0,
    elbow: 74.0,
    elbow_swing: 7.0,
    curl: 0.50,
};

pub(super) const JOG_LEFT: Gait = SIDE_JOG;
pub(super) const JOG_RIGHT: Gait = Gait { heading: [-1.0, 0.0], ..SIDE_JOG };

impl Gait {
    pub(super) fn duration_s(&self) -> f64 {
        self.frames as f64 / RATE
    }

    /// Metres a second.
    pub(super) const fn velocity(&self) -> V3 {
        V3::new(self.speed * self.heading[0], 0.0, self.speed * self.heading[1])
    }

    /// Metres a cycle.
    pub(super) fn stride(&self) -> f64 {
        self.speed * self.duration_s()
    }

    /// A foot at a phase of its own cycle (0 is its landing), in the space of the root.
    fn foot(&self, side: usize, phase: f64) -> Foot {
        let phase = phase - libm::floor(phase);
        let stride = self.stride();
        // Along the heading; what the middle of the stance is ahead of the root is there whatever the heading is.
        let ahead = self.ahead * (self.heading[0] + self.heading[1]);
        let landing = ahead + stride * self.duty * 0.5;
        let way = if phase <= self.duty {
            // It stays where it is while the root moves on.
            landing - stride * phase
        } else {
            let span = 1.0 - self.duty;
            let slope = -stride * span;
            let leaving = landing - stride * self.duty;
            hermite(leaving, slope, landing, slope, (phase - self.duty) / span)
        };
        let out = [1.0, -1.0][side];
        Foot {
            at: V3::new(
                out * self.track + self.heading[0] * way,
                curve(self.lift, true, phase),
                self.heading[1] * way,
            ),
            yaw: out * deg(5.0),
            pitch: deg(curve(self.pitch, true, phase)),
            toes: curve(self.toes, true, phase),
            knee_out: deg(2.0),
        }
    }

    /// The whole figure at a phase; the root stands at the origin.
    pub(super) fn figure(&self, phase: f64) -> Figure {
        let c = cosine(phase);
        let step = cosine(2.0 * (phase - self.bob_phase));
        let s = sine(phase - 0.03);
        let hips_yaw = deg(-self.hips_yaw) * c;
        let arm = |side: usize| {
            // An arm goes with the other leg, a little late.
            let swing = [-1.0, 1.0][side] * cosine(phase - 0.02);
            let late = [-1.0, 1.0][side] * cosine(phase - 0.09);
            Arm {
                shrug: deg(1.5) * step + deg(if self.elbow > 60.0 { 3.0 } else { 0.0 }),
                reach: deg(0.14 * self.swing) * swing,
                swing: deg(self.swing_middle + self.swing * swing),
                spread: deg(10.0 + 0.04 * self.elbow) - deg(1.5) * swing,
                twist: deg(3.0 + 0.12 * self.elbow),
                elbow: deg(self.elbow + self.elbow_swing * late),
                roll: deg(10.0),
                wrist: deg(6.0) - deg(7.0) * late,
                wrist_side: deg(4.0),
                curl: self.curl + 0.04 * late,
                fan: deg(1.5),
                thumb: 0.35 + 0.4 * self.curl,
            }
        };
        Figure {
            root: V3::ZERO,
            root_yaw: 0.0,
            hips: V3::new(self.sway * s, self.height + self.bob * step, 0.008 * cosine(2.0 * phase)),
            hips_turn: Turn::new(hips_yaw, deg(self.hips_pitch) + deg(1.2) * step, deg(self.hips_roll) * s),
            chest_turn: Turn::new(
                deg(self.chest_yaw) * c,
                deg(self.lean) - deg(1.5) * step,
                deg(-0.35 * self.hips_roll) * s,
            ),
            // The eyes stay on the way: only a trace of the chest's motion is left.
            head_turn: Turn::new(
                deg(0.08 * self.chest_yaw) * c,
                deg(0.25 * self.lean) - deg(0.8) * step,
                deg(0.6) * s,
            ),
            arms: [arm(0), arm(1)],
            feet: [self.foot(0, phase), self.foot(1, phase + 0.5)],
        }
        .settle()
    }

    /// The figure at a time, with its root on the way.
    pub(super) fn travelling(&self, t: f64) -> Figure {
        let mut figure = self.figure(t / self.duration_s());
        figure.root = self.velocity() * t;
        figure
    }
}
