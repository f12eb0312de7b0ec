//! How fast a clip goes.

use super::Gait;
use crate::{feet::ContactRule, raw::RawSkeleton, scene::SceneAnimation};

/// A gait's speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Metres per second, above 0.
    pub m_per_s: f64,
    /// How it is known.
    pub source: SpeedSource,
}

/// How a speed is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeedSource {
    /// By the clip's root motion.
    RootMotion,
    /// By how far the clip carries the character.
    Travel,
    /// By feet that stand while the ground goes by.
    Feet,
    /// What is usual for such a gait at this size: nothing in the clip tells.
    Usual,
}

/// People of this height go at [`Gait::usual_speed`].
const USUAL_HEIGHT_M: f64 = 1.75;

impl Speed {
    /// The speed of a clip that plays a gait on a body of this height.
    #[must_use]
    pub fn of(animation: &SceneAnimation, skeleton: &RawSkeleton, gait: Gait, height_m: Option<f64>) -> Self {
        // Bodies of other sizes go at the speed at which pendulums of their size swing.
        let size = height_m.filter(|h| *h > 0.0).map_or(1.0, |h| libm::sqrt(h / USUAL_HEIGHT_M));
        let usual = gait.usual_speed() * size;
        // Root motion and travel are what the clip says; a speed by feet is an estimate, and must be a sensible one.
        let sensible = |speed: &Self| (0.3..=3.0).contains(&(speed.m_per_s / usual));
        root_motion(animation)
            .or_else(|| travel(animation, skeleton, 0.2 * usual))
            .or_else(|| feet(animation, skeleton).filter(sensible))
            .unwrap_or(Self { m_per_s: usual, source: SpeedSource::Usual })
    }
}

/// By the tracks that an archive has.
fn root_motion(animation: &SceneAnimation) -> Option<Speed> {
    animation.root_speed().and_then(|m_per_s| speed(m_per_s, SpeedSource::RootMotion))
}

/// By the way of the joint that carries the character. A clip on the spot has none worth speaking of.
fn travel(animation: &SceneAnimation, skeleton: &RawSkeleton, least: f64) -> Option<Speed> {
    let motion = &animation.motion;
    if motion.tracks.len() != skeleton.joints.len() {
        return None;
    }
    let carrier = motion.carrier(skeleton)?;
    let at = |time_s: f64| {
        let pose = motion.pose(skeleton, time_s);
        let mut place = crate::exact::V3::ZERO;
        let mut joint = Some(carrier);
        while let Some(at) = joint {
            place = pose.get(at)?.to_m34().mul_point(place);
            joint = skeleton.joints.get(at)?.parent;
        }
        Some(place)
    };
    let way = at(motion.duration_s)? - at(0.0)?;
    speed(libm::hypot(way.x, way.z) / motion.duration_s, SpeedSource::Travel).filter(|s| s.m_per_s >= least)
}

/// By the feet of a clip on the spot.
fn feet(animation: &SceneAnimation, skeleton: &RawSkeleton) -> Option<Speed> {
    speed(animation.ground_speed(skeleton, &ContactRule::default()).ok()?, SpeedSource::Feet)
}

/// A speed that is worth speaking of.
fn speed(m_per_s: f64, source: SpeedSource) -> Option<Speed> {
    (m_per_s.is_finite() && m_per_s > 1e-3).then_some(Speed { m_per_s, source })
}
