//! Single steps: feet stand still in the world until they are lifted, and the hips go with them.

use super::curve::{curve, deg, ease, envelope};
use super::figure::{Figure, Foot};
use crate::exact::{Q4, V3, clamp, smaller};

/// Where a foot stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    pub(super) at: V3,
    pub(super) yaw: f64,
}

/// One foot goes from where it is to another place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) side: usize,
    /// Seconds.
    pub(super) lift: f64,
    pub(super) land: f64,
    pub(super) to: Placement,
}

impl Placement {
    /// Turned by `yaw` about the origin, then moved there.
    pub(super) fn turned(self, yaw: f64, pivot: V3) -> Self {
        let turn = Q4::from_axis_angle(V3::Y, yaw);
        Self { at: pivot + turn.rotate(self.at), yaw: self.yaw + yaw }
    }
}

/// A foot at a time, in the world, and how much it is in the air.
fn foot_at(side: usize, start: Placement, steps: &[Step], t: f64) -> (Foot, f64) {
    let mut from = start;
    let mut foot = Foot { at: from.at, yaw: from.yaw, pitch: 0.0, toes: 1.0, knee_out: deg(2.0) };
    let mut air = 0.0;
    for step in steps.iter().filter(|s| s.side == side) {
        let span = step.land - step.lift;
        let way = step.to.at - from.at;
        // Long steps roll from heel to toe, short ones are set down flat.
        let roll = smaller(way.length() / 0.7, 1.0);
        let s = (t - step.lift) / span;
        let along = ease(0.0, 1.0, s);
        foot.at = from.at.lerp(step.to.at, along);
        foot.yaw = from.yaw + (step.to.yaw - from.yaw) * along;
        let height = 0.045 + 0.03 * roll;
        foot.at.y += curve(&[(0.0, 0.0), (0.35, height), (0.75, height * 0.6), (1.0, 0.0)], false, s);
        let leave = 10.0 + 34.0 * roll;
        let strike = -18.0 * roll;
        let pitch = [
            (-0.55, 0.0),
            (0.0, leave),
            (0.12, leave),
            (0.62, 0.0),
            (0.9, strike),
            (1.0, strike),
            (1.3, 0.0),
        ];
        foot.pitch = deg(curve(&pitch, false, s));
        foot.toes = curve(&[(0.0, 1.0), (0.4, 0.3), (1.0, 1.0)], false, s);
        air += envelope([step.lift - 0.22, step.lift + 0.05, step.land - 0.05, step.land + 0.22], t);
        if t < step.land + 0.3 * span {
            break;
        }
        from = step.to;
    }
    (foot, air)
}

/// Puts both feet where the steps say, and the hips between them, over the foot that stands. The figure's
/// root must be set; what the hips did before is kept on top.
pub(super) fn place_feet(figure: &mut Figure, start: &[Placement; 2], steps: &[Step], t: f64) {
    let turn = Q4::from_axis_angle(V3::Y, -figure.root_yaw);
    let root = figure.root;
    let (left, left_air) = foot_at(0, start[0], steps, t);
    let (right, right_air) = foot_at(1, start[1], steps, t);
    let local = |f: Foot| Foot { at: turn.rotate(f.at - root), yaw: f.yaw - figure.root_yaw, ..f };
    let feet = [local(left), local(right)];
    // Half of the way to the foot that stands while the other one flies.
    let lean = clamp(right_air - left_air, -1.0, 1.0) * 0.22;
    let over = feet[0].at * (0.5 + lean) + feet[1].at * (0.5 - lean);
    figure.feet = feet;
    figure.hips = figure.hips + V3::new(over.x, 0.0, over.z + 0.02);
}
