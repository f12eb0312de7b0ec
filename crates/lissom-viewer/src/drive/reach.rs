//! A joint that reaches for a target.

use lissom::{
    Skeleton,
    job::ChainIkJob,
    math::Vec3,
    player::{Body, PlayError},
    pose::{Chain, Limb},
};

/// A joint that reaches for a target: two bones bend as a knee does, any other number as a chain.
pub(crate) struct Reach {
    pub joint: usize,
    /// So many bones above it turn.
    pub bones: usize,
    /// Where to, in model space.
    pub target: Vec3,
    /// How far the joint is from there, in metres.
    pub missed_m: f32,
}

impl Reach {
    /// From where the joint is now; `None` if there is nothing above it that could turn.
    pub fn new(body: &Body, joint: usize) -> Option<Self> {
        let target = body.models().get(joint)?.w_axis.truncate();
        let bones = Self::most(body.skeleton(), joint).min(2);
        (bones > 0).then_some(Self { joint, bones, target, missed_m: 0.0 })
    }

    /// How many bones above a joint can turn.
    pub fn most(skeleton: &Skeleton, joint: usize) -> usize {
        skeleton.depth(joint).min(ChainIkJob::MOST - 1)
    }

    /// Changes the pose that is shown.
    pub fn apply(&mut self, body: &mut Body) -> Result<(), PlayError> {
        let skeleton = body.skeleton().clone();
        // There is nothing to turn above a root.
        let Ok(chain) = Chain::above(&skeleton, self.joint, self.bones) else { return Ok(()) };
        let place = body.change(|pose| {
            match chain.joints[..] {
                [start, mid, end] => {
                    // A pose that is straight does not say how it bends: as at rest, or forward.
                    let limb = Limb::of_joints(&skeleton, [start, mid, end], Vec3::Z).ok();
                    limb.map_or(Ok(false), |limb| pose.reach(&limb, self.target, 1.0))?;
                }
                _ => drop(pose.pull(&chain, self.target, 1.0)?),
            }
            pose.place(self.joint)
        })?;
        self.missed_m = (place - self.target).length();
        Ok(())
    }
}
