//! A joint that reaches for a target.

use lissom::{
    Skeleton,
    job::{ChainIkJob, ChainReport, TwoBoneCorrection, TwoBoneIkJob},
    math::{Mat34, Quat, Vec3, soa},
    player::{Body, PlayError},
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
        // From the joint up, then turned round.
        let skeleton = body.skeleton().clone();
        let above = core::iter::successors(Some(self.joint), |j| skeleton.parent(*j));
        let mut chain: Vec<usize> = above.take(self.bones + 1).collect();
        chain.reverse();
        match chain[..] {
            [start, mid, end] => two_bones(body, [start, mid, end], self.target)?,
            _ => a_chain(body, &chain, self.target)?,
        }
        body.pose_to_models()?;
        self.missed_m = (body.models()[self.joint].w_axis.truncate() - self.target).length();
        Ok(())
    }
}

fn two_bones(body: &mut Body, joints: [usize; 3], target: Vec3) -> Result<(), PlayError> {
    let [start, mid, end] = joints.map(|joint| Mat34::from_mat4(&body.models()[joint]));
    let mut found = TwoBoneCorrection::default();
    let mut job = TwoBoneIkJob::new([&start, &mid, &end], target, &mut found);
    (job.mid_axis, job.pole) = (hinge(&start, &mid, &end), Vec3::ZERO);
    job.run()?;
    turn(body, joints[0], found.start);
    turn(body, joints[1], found.mid);
    Ok(())
}

/// About which the middle joint opens, in its own space: the way that it is bent; any if it is straight.
fn hinge(start: &Mat34, mid: &Mat34, end: &Mat34) -> Vec3 {
    let Some(into) = mid.inverse() else { return Vec3::X };
    let [up, down] = [start, end]
        .map(|m| Vec3::from_array(into.mul_point(m.translation().to_array())).normalize_or_zero());
    let axis = up.cross(down);
    if axis.length() > 1e-3 {
        axis
    } else {
        down.try_normalize().map_or(Vec3::X, |d| d.any_orthonormal_vector())
    }
}

fn a_chain(body: &mut Body, joints: &[usize], target: Vec3) -> Result<(), PlayError> {
    let parent = body.skeleton().parent(joints[0]).map(|parent| Mat34::from_mat4(&body.models()[parent]));
    let mut locals: Vec<_> = joints.iter().map(|joint| soa::lane(body.pose(), *joint)).collect();
    let mut report = ChainReport::default();
    ChainIkJob::new(&parent.unwrap_or_default(), target, &mut locals, &mut report).run()?;
    for (joint, local) in joints.iter().zip(locals) {
        body.pose_mut()[joint / soa::GROUP].set_lane(joint % soa::GROUP, local);
    }
    Ok(())
}

/// A correction, as jobs give it: multiplied from the right to the local rotation.
pub(super) fn turn(body: &mut Body, joint: usize, correction: Quat) {
    let mut local = soa::lane(body.pose(), joint);
    local.rotation *= correction;
    body.pose_mut()[joint / soa::GROUP].set_lane(joint % soa::GROUP, local);
}
