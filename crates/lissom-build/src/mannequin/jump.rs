//! A jump in three parts, for a game that moves the character up and down itself: the root stays on the floor. Each part starts in the
//! pose that the one before ends in.

use super::curve::{curve, deg, ease, envelope, sine};
use super::figure::{Arm, Figure};
use super::gesture::stand;

/// Seconds of the start, of one loop in the air, and of the landing.
pub(super) const START_S: f64 = 0.64;
pub(super) const AIR_S: f64 = 0.8;
pub(super) const LAND_S: f64 = 0.7;

/// When the feet leave the floor, and when they are back.
pub(super) const OFF_S: f64 = 0.5;
pub(super) const DOWN_S: f64 = 0.1;

/// Bends the knees and leans over them; `w` is how far.
fn squat(figure: &mut Figure, w: f64) {
    figure.hips.y -= 0.20 * w;
    figure.hips.z -= 0.05 * w;
    figure.hips_turn.pitch += deg(18.0) * w;
    figure.chest_turn.pitch += deg(30.0) * w;
    figure.head_turn.pitch += deg(6.0) * w;
    for foot in &mut figure.feet {
        foot.knee_out += deg(6.0) * w;
    }
}

/// Arms back, to be thrown up; `w` is how far.
fn arms_back(figure: &mut Figure, w: f64) {
    for arm in &mut figure.arms {
        let back = Arm { swing: deg(-42.0), spread: deg(16.0), elbow: deg(30.0), curl: 0.45, ..*arm };
        *arm = arm.mix(back, w);
    }
}

/// Off the floor; `w` is how much of it, `t` moves what hangs.
fn fly(figure: &mut Figure, w: f64, t: f64) {
    let beat = sine(t / AIR_S);
    for (side, arm) in figure.arms.iter_mut().enumerate() {
        let sign = [1.0, -1.0][side];
        let up = Arm {
            shrug: deg(10.0),
            reach: deg(6.0),
            swing: deg(34.0) + deg(7.0) * sign * beat,
            spread: deg(58.0) - deg(6.0) * beat,
            twist: deg(6.0),
            elbow: deg(46.0) + deg(5.0) * sign * beat,
            roll: deg(18.0),
            wrist: deg(-8.0),
            curl: 0.18,
            fan: deg(6.0),
            thumb: 0.15,
            ..*arm
        };
        *arm = arm.mix(up, w);
    }
    // One leg a little ahead of the other.
    for (side, foot) in figure.feet.iter_mut().enumerate() {
        let sign = [1.0, -1.0][side];
        foot.at.y += ([0.20, 0.11][side] + 0.015 * sign * beat) * w;
        foot.at.z += ([0.07, -0.10][side] + 0.02 * sign * beat) * w;
        foot.pitch += deg([14.0, 34.0][side]) * w;
        foot.toes += (0.3 - foot.toes) * w;
        foot.knee_out += deg(3.0) * w;
    }
    figure.hips_turn.pitch += deg(4.0) * w;
    figure.chest_turn.pitch += deg(7.0) * w;
    figure.chest_turn.yaw += deg(2.0) * beat * w;
    figure.head_turn.pitch += deg(5.0) * w;
}

/// Down, then up on the toes, then off: the last frames are in the air.
pub(super) fn starting(t: f64) -> Figure {
    let mut figure = stand(0.0);
    let off = ease(OFF_S - 0.02, START_S, t);
    squat(&mut figure, envelope([0.0, 0.3, 0.3, OFF_S], t));
    arms_back(&mut figure, envelope([0.0, 0.28, 0.3, OFF_S], t));
    let push = curve(&[(0.3, 0.0), (OFF_S - 0.02, 1.0), (START_S, 0.0)], false, t);
    for foot in &mut figure.feet {
        foot.pitch += deg(44.0) * push * (1.0 - off);
    }
    figure.hips.y += 0.05 * push * (1.0 - off);
    fly(&mut figure, off, 0.0);
    figure.settle()
}

/// A loop.
pub(super) fn flying(t: f64) -> Figure {
    let mut figure = stand(0.0);
    fly(&mut figure, 1.0, t);
    figure.settle()
}

/// The legs reach down, give way, and stand.
pub(super) fn landing(t: f64) -> Figure {
    let mut figure = stand(0.0);
    let air = 1.0 - ease(-0.02, DOWN_S + 0.02, t);
    squat(&mut figure, envelope([DOWN_S - 0.06, DOWN_S + 0.12, DOWN_S + 0.16, LAND_S], t));
    fly(&mut figure, air, 0.0);
    // The arms come down later than the feet.
    let mut late = stand(0.0);
    fly(&mut late, 1.0 - ease(0.02, 0.42, t), 0.0);
    figure.arms = late.arms;
    figure.settle()
}
