//! Standing and what is done while standing: breathing, waving, crouching, turning, cheering.

use super::curve::{cosine, deg, ease, envelope, sine};
use super::figure::{Arm, Figure, Foot, Turn};
use super::steps::{Placement, Step, place_feet};
use crate::exact::{V3, clamp};

/// Where the feet stand: left, right.
pub(super) const STANCE: [Placement; 2] = [
    Placement { at: V3::new(0.105, 0.0, -0.02), yaw: 0.14 },
    Placement { at: V3::new(-0.105, 0.0, -0.02), yaw: -0.14 },
];

/// One breath.
pub(super) const BREATH_S: f64 = 3.6;

fn hanging(breath: f64) -> Arm {
    Arm {
        shrug: deg(1.6) * breath,
        reach: deg(2.0),
        swing: deg(3.0) + deg(0.6) * breath,
        spread: deg(8.0) + deg(1.2) * breath,
        twist: deg(9.0),
        elbow: deg(16.0) - deg(1.5) * breath,
        roll: deg(12.0),
        wrist: deg(6.0),
        wrist_side: deg(3.0),
        curl: 0.27 + 0.02 * breath,
        fan: deg(2.0),
        thumb: 0.40,
    }
}

/// Standing at ease: breath and the small shift of weight never stop. Periodic over two breaths.
pub(super) fn stand(t: f64) -> Figure {
    let breath = sine(t / BREATH_S - 0.25);
    let shift = sine(t / (2.0 * BREATH_S));
    let slow = sine(t / (2.0 * BREATH_S) + 0.17);
    let foot = |side: usize| {
        let Placement { at, yaw } = STANCE[side];
        Foot { at, yaw, pitch: 0.0, toes: 1.0, knee_out: deg(3.0) }
    };
    let mut arms = [hanging(breath), hanging(sine(t / BREATH_S - 0.28))];
    for (side, arm) in arms.iter_mut().enumerate() {
        let sign = [1.0, -1.0][side];
        arm.swing += sign * deg(1.5) * slow;
        arm.spread += sign * deg(0.8) * shift;
        arm.curl += sign * 0.03 * slow;
    }
    Figure {
        root: V3::ZERO,
        root_yaw: 0.0,
        hips: V3::new(0.024 * shift, -0.004 + 0.002 * breath, 0.006 * slow),
        hips_turn: Turn::new(deg(2.0) * shift, deg(-1.0), deg(2.2) * shift),
        chest_turn: Turn::new(deg(-1.5) * shift, deg(1.0) - deg(1.4) * breath, deg(-1.2) * shift),
        head_turn: Turn::new(deg(5.0) * slow, deg(2.0) + deg(0.7) * breath, deg(1.5) * shift),
        arms,
        feet: [foot(0), foot(1)],
    }
}

/// The right hand up and waving; `w` is how much of it, `t` drives the wave.
pub(super) fn wave(figure: &mut Figure, w: f64, t: f64) {
    let beat = sine(t * 1.7);
    let follow = sine(t * 1.7 - 0.12);
    let arm = Arm {
        shrug: deg(14.0),
        reach: deg(4.0),
        swing: deg(14.0),
        spread: deg(84.0) + deg(3.0) * beat,
        twist: deg(-84.0),
        elbow: deg(92.0) - deg(21.0) * beat,
        roll: deg(-4.0),
        wrist: deg(-6.0),
        wrist_side: deg(16.0) * follow,
        curl: 0.08,
        fan: deg(7.0),
        thumb: 0.05,
    };
    figure.arms[1] = figure.arms[1].mix(arm, w);
    // The body leans away from the raised arm and the other one answers.
    figure.hips.x += 0.022 * w;
    figure.hips_turn.roll += deg(2.0) * w;
    figure.chest_turn.roll += deg(4.5) * w + deg(0.8) * w * beat;
    figure.chest_turn.yaw += deg(-5.0) * w;
    figure.head_turn.roll += deg(-5.0) * w;
    figure.head_turn.pitch += deg(-4.0) * w;
    figure.arms[0].spread += deg(5.0) * w;
    figure.arms[0].elbow += deg(10.0) * w;
}

/// Down on the balls of the feet, one hand to the floor; `w` is how far.
pub(super) fn crouch(figure: &mut Figure, w: f64) {
    figure.hips.y -= 0.47 * w;
    figure.hips.z -= 0.06 * w;
    figure.hips_turn.pitch += deg(16.0) * w;
    figure.chest_turn.pitch += deg(40.0) * w;
    figure.chest_turn.yaw += deg(12.0) * w;
    figure.head_turn.pitch += deg(14.0) * w;
    for (side, foot) in figure.feet.iter_mut().enumerate() {
        foot.pitch += deg([14.0, 32.0][side]) * w;
        foot.knee_out += deg(16.0) * w;
    }
    let down = Arm {
        shrug: deg(-2.0),
        reach: deg(14.0),
        swing: deg(52.0),
        spread: deg(10.0),
        twist: deg(10.0),
        elbow: deg(22.0),
        roll: deg(30.0),
        wrist: deg(-20.0),
        curl: 0.12,
        fan: deg(6.0),
        thumb: 0.1,
        ..Arm::default()
    };
    let on_knee = Arm {
        reach: deg(8.0),
        swing: deg(46.0),
        spread: deg(24.0),
        twist: deg(26.0),
        elbow: deg(74.0),
        roll: deg(34.0),
        wrist: deg(18.0),
        curl: 0.35,
        thumb: 0.3,
        ..Arm::default()
    };
    figure.arms[1] = figure.arms[1].mix(down, w);
    figure.arms[0] = figure.arms[0].mix(on_knee, w);
}

/// Both arms thrown up, on tiptoe; `w` is how much, `t` shakes the hands.
pub(super) fn cheer(figure: &mut Figure, w: f64, t: f64) {
    for (side, arm) in figure.arms.iter_mut().enumerate() {
        let shake = sine(t * 2.1 + 0.5 * side as f64);
        let up = Arm {
            shrug: deg(26.0),
            reach: deg(4.0),
            swing: deg(12.0),
            spread: deg(142.0) + deg(5.0) * shake,
            twist: deg(-70.0),
            elbow: deg(28.0) + deg(9.0) * shake,
            roll: deg(-10.0),
            wrist: deg(-8.0),
            wrist_side: deg(8.0) * shake,
            curl: 0.1,
            fan: deg(8.0),
            thumb: 0.05,
        };
        *arm = arm.mix(up, w);
    }
    figure.chest_turn.pitch += deg(-11.0) * w;
    figure.head_turn.pitch += deg(-17.0) * w;
    figure.hips.y += 0.055 * w;
    for foot in &mut figure.feet {
        foot.pitch += deg(24.0) * w;
    }
}

/// A deep bow, one hand to the heart; `w` is how far.
pub(super) fn bow(figure: &mut Figure, w: f64) {
    figure.hips_turn.pitch += deg(26.0) * w;
    figure.hips.z -= 0.09 * w;
    figure.chest_turn.pitch += deg(52.0) * w;
    figure.head_turn.pitch += deg(58.0) * w;
    let heart = Arm {
        reach: deg(14.0),
        swing: deg(30.0),
        spread: deg(22.0),
        twist: deg(62.0),
        elbow: deg(112.0),
        roll: deg(4.0),
        wrist: deg(8.0),
        curl: 0.15,
        thumb: 0.2,
        ..Arm::default()
    };
    let aside = Arm { swing: deg(-8.0), spread: deg(40.0), elbow: deg(20.0), curl: 0.1, ..Arm::default() };
    figure.arms[1] = figure.arms[1].mix(heart, w);
    figure.arms[0] = figure.arms[0].mix(aside, w);
}

pub(super) fn idle(t: f64) -> Figure {
    let mut figure = stand(t);
    // A look to one side, then a glance down to the other, once a loop.
    let look = envelope([1.0, 1.7, 2.9, 3.6], t) - 0.6 * envelope([4.4, 5.0, 5.7, 6.4], t);
    figure.head_turn.yaw += deg(24.0) * look;
    figure.chest_turn.yaw += deg(5.0) * look;
    figure.head_turn.pitch += deg(7.0) * envelope([4.4, 5.0, 5.7, 6.4], t);
    figure.settle()
}

pub(super) fn waving(t: f64) -> Figure {
    let mut figure = stand(t);
    wave(&mut figure, envelope([0.15, 0.75, 2.2, 2.85], t), t - 0.6);
    figure.settle()
}

pub(super) fn crouching(t: f64) -> Figure {
    let mut figure = stand(t);
    // A small rise before going down and after coming up.
    let w = envelope([0.25, 1.0, 1.5, 2.2], t);
    let before = envelope([0.0, 0.2, 0.25, 0.5], t);
    crouch(&mut figure, w);
    figure.arms[0].spread += deg(8.0) * before;
    figure.arms[1].spread += deg(8.0) * before;
    figure.chest_turn.pitch -= deg(3.0) * before;
    figure.settle()
}

/// A quarter turn to the left in two steps; the head goes first.
pub(super) fn turning(t: f64) -> Figure {
    let mut figure = stand(t);
    turn(&mut figure, t, 0.0, 0.0, &STANCE, V3::ZERO);
    figure.settle()
}

/// How a quarter turn to the left from `yaw` about `pivot` runs, `t` seconds after its start.
pub(super) fn turn(figure: &mut Figure, t: f64, start: f64, yaw: f64, from: &[Placement; 2], pivot: V3) {
    let quarter = core::f64::consts::FRAC_PI_2;
    let t = t - start;
    let to = STANCE.map(|p| p.turned(yaw + quarter, pivot));
    let steps = [
        Step { side: 0, lift: 0.30, land: 0.68, to: to[0] },
        Step { side: 1, lift: 0.82, land: 1.22, to: to[1] },
    ];
    let body = ease(0.22, 1.25, t);
    figure.root = pivot;
    figure.root_yaw = yaw + quarter * body;
    place_feet(figure, from, &steps, t);
    let ahead = |from: f64, to: f64| quarter * (ease(from, to, t) - body);
    figure.head_turn.yaw += ahead(0.0, 0.75);
    figure.chest_turn.yaw += ahead(0.10, 1.05);
    figure.chest_turn.roll += deg(3.0) * envelope([0.2, 0.5, 0.7, 1.1], t);
    for (side, arm) in figure.arms.iter_mut().enumerate() {
        let fling = envelope([0.2, 0.6, 0.8, 1.35], t);
        arm.spread += deg(9.0) * fling;
        arm.swing += deg([-9.0, 14.0][side]) * fling;
        arm.elbow += deg(8.0) * fling;
    }
    figure.hips.y -= 0.008 * (1.0 - cosine(clamp(t / 1.4, 0.0, 1.0)));
}
