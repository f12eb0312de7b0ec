//! Fifteen seconds of everything: a greeting, a walk, a crouch, a cheer, a turn and a bow.

use super::curve::{curve, deg, ease, envelope, sine};
use super::figure::Figure;
use super::gesture::{self, STANCE};
use super::steps::{Placement, Step, place_feet};
use crate::exact::V3;

/// Seconds.
pub(super) const DURATION_S: f64 = 15.0;

/// The first step lifts here; each one takes this long.
const WALK_START: f64 = 4.3;
const STEP_S: f64 = 0.50;
/// Where the walk leads.
const WALK_TO: f64 = 2.4;
/// When the quarter turn starts.
const TURN_START: f64 = 11.3;

/// Six steps forward, the last one closing the stance.
fn walk_steps() -> [Step; 6] {
    let reach = [0.42, 1.02, 1.62, 2.14, WALK_TO, WALK_TO];
    core::array::from_fn(|i| {
        let side = (i + 1) % 2;
        // Feet come closer to the line while walking; the last two open the stance again.
        let narrow = if i < 4 { 0.75 } else { 1.0 };
        let Placement { at, yaw } = STANCE[side];
        let lift = WALK_START + STEP_S * i as f64;
        Step {
            side,
            lift,
            land: lift + STEP_S * 0.84,
            to: Placement { at: V3::new(at.x * narrow, 0.0, at.z + reach[i]), yaw: yaw * narrow },
        }
    })
}

pub(super) fn figure(t: f64) -> Figure {
    let mut f = gesture::stand(t);
    // A look around before the greeting.
    let look = envelope([0.2, 0.6, 0.9, 1.4], t);
    f.head_turn.yaw += deg(-26.0) * look;
    f.chest_turn.yaw += deg(-6.0) * look;
    gesture::wave(&mut f, envelope([1.2, 1.75, 3.3, 3.95], t), t - 1.6);
    walk(&mut f, t);
    gesture::crouch(&mut f, envelope([7.6, 8.4, 8.9, 9.65], t));
    gesture::cheer(&mut f, envelope([9.15, 9.85, 10.6, 11.3], t), t);
    if t >= TURN_START {
        let from = STANCE.map(|p| p.turned(0.0, V3::new(0.0, 0.0, WALK_TO)));
        gesture::turn(&mut f, t, TURN_START, 0.0, &from, V3::new(0.0, 0.0, WALK_TO));
    }
    gesture::bow(&mut f, envelope([12.7, 13.4, 13.8, 14.6], t));
    f.settle()
}

fn walk(f: &mut Figure, t: f64) {
    let end = WALK_START + STEP_S * 6.0;
    if t >= TURN_START {
        return;
    }
    let keys = [(WALK_START, 0.0), (WALK_START + 0.5, 0.18), (end - 1.0, 2.02), (end + 0.15, WALK_TO)];
    f.root = V3::new(0.0, 0.0, curve(&keys, false, t));
    place_feet(f, &STANCE, &walk_steps(), t);
    // Arms and shoulders go against the legs: the right foot steps first, so the left arm swings forward.
    let going = ease(WALK_START - 0.1, WALK_START + 0.5, t) - ease(end - 0.7, end + 0.3, t);
    let beat = sine((t - WALK_START - 0.1) / (2.0 * STEP_S));
    f.chest_turn.yaw += deg(-6.0) * beat * going;
    f.hips_turn.yaw += deg(5.0) * beat * going;
    f.chest_turn.pitch += deg(3.0) * going;
    for (side, arm) in f.arms.iter_mut().enumerate() {
        let swing = [1.0, -1.0][side] * beat * going;
        arm.swing += deg(20.0) * swing;
        arm.elbow += deg(8.0) * swing + deg(5.0) * going;
    }
}
