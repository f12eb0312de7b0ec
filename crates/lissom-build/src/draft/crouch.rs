//! What a clip of a crouch does: packs have all three kinds under the same names.

use crate::{
    exact::{larger, smaller},
    raw::{RawSkeleton, models},
    scene::SceneAnimation,
};

/// How low a clip starts and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crouch {
    /// It is low all the time: it repeats.
    Low,
    /// It goes down and stays there: its end is held.
    Down,
    /// It goes down and comes up again: it is over when it ends.
    DownAndUp,
}

/// Times at which a clip is looked at.
const LOOKS: usize = 17;
/// The joints' mean height must fall by this share of what it is at most to be a way down.
const FALL: f64 = 0.08;

impl Crouch {
    pub(super) fn of(animation: &SceneAnimation, skeleton: &RawSkeleton) -> Self {
        let motion = &animation.motion;
        if motion.tracks.len() != skeleton.joints.len() || skeleton.joints.is_empty() {
            return Self::Low;
        }
        let height = |look: usize| {
            let time_s = motion.duration_s * look as f64 / (LOOKS - 1) as f64;
            let places = models(skeleton, &motion.pose(skeleton, time_s));
            places.iter().map(|joint| joint.columns[3].y).sum::<f64>() / places.len() as f64
        };
        let heights: Vec<f64> = (0..LOOKS).map(height).collect();
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, larger);
        let low = heights.iter().copied().fold(f64::INFINITY, smaller);
        // Half of the way down counts as up.
        let is_up = |height: f64| high - low > FALL * high.abs() && height > 0.5 * (high + low);
        match (is_up(heights[0]), is_up(heights[LOOKS - 1])) {
            (true, true) => Self::DownAndUp,
            (true, false) => Self::Down,
            (false, _) => Self::Low,
        }
    }
}
