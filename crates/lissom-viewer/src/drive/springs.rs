//! Joints that swing after the motion.

use super::reach::turn;
use lissom::{
    job::{SpringBone, SpringClock, SpringJob, SpringPoint},
    math::{Mat34, Quat, soa},
    player::{Body, PlayError},
};
use std::ops::Range;

/// A joint and everything below it, swinging after the motion.
pub(crate) struct Springs {
    pub joint: usize,
    /// Of all of its bones.
    pub bone: SpringBone,
    /// Parents first. Joints stand depth-first: a chain is a range that ends at a leaf, and a branch starts the next one.
    chains: Vec<Chain>,
    /// Of the joints from `joint` on, as they are shown.
    models: Vec<Mat34>,
}

struct Chain {
    joints: Range<usize>,
    clock: SpringClock,
    points: Vec<SpringPoint>,
}

impl Springs {
    pub fn new(body: &Body, joint: usize) -> Self {
        let skeleton = body.skeleton();
        let all = skeleton.subtree(joint);
        let mut chains: Vec<Chain> = Vec::new();
        for j in all.clone() {
            match chains.last_mut() {
                Some(chain) if skeleton.parent(j) == Some(j - 1) => chain.joints.end = j + 1,
                _ => {
                    chains.push(Chain { joints: j..j + 1, clock: SpringClock::default(), points: Vec::new() })
                }
            }
        }
        for chain in &mut chains {
            chain.points = vec![SpringPoint::default(); chain.joints.len()];
        }
        Self { joint, bone: SpringBone::default(), chains, models: vec![Mat34::IDENTITY; all.len()] }
    }

    /// Changes the pose that is shown, this many seconds after the last time.
    pub fn apply(&mut self, body: &mut Body, dt_s: f32) -> Result<(), PlayError> {
        let skeleton = body.skeleton().clone();
        for Chain { joints, clock, points } in &mut self.chains {
            // A branch hangs on what has swung already.
            let parent = match skeleton.parent(joints.start) {
                Some(parent) if parent >= self.joint => self.models[parent - self.joint],
                Some(parent) => Mat34::from_mat4(&body.models()[parent]),
                None => Mat34::IDENTITY,
            };
            let own = joints.start - self.joint..joints.end - self.joint;
            place(&mut self.models[own.clone()], parent, body, joints.start);
            // The last bone goes on as the one before it.
            let tip = soa::lane(body.pose(), joints.end - 1).translation;
            let bones = vec![self.bone; joints.len()];
            let mut turns = vec![Quat::IDENTITY; joints.len()];
            SpringJob::new(&self.models[own.clone()], tip, &bones, dt_s, (clock, points), &mut turns)
                .run()?;
            joints.clone().zip(turns).for_each(|(joint, correction)| turn(body, joint, correction));
            place(&mut self.models[own], parent, body, joints.start);
        }
        body.pose_to_models()
    }
}

/// The matrices of a chain, from its local pose.
fn place(models: &mut [Mat34], parent: Mat34, body: &Body, first: usize) {
    let mut above = parent;
    for (joint, model) in (first..).zip(models) {
        above = above.mul(&soa::lane(body.pose(), joint).to_mat34());
        *model = above;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn chains_hold_every_joint_below_once_and_parents_first() {
        let document = Document::mannequin().unwrap();
        let (body, skeleton) = (document.body(), document.body().skeleton());
        for joint in 0..skeleton.joint_count() {
            let springs = Springs::new(body, joint);
            let all: Vec<usize> = springs.chains.iter().flat_map(|c| c.joints.clone()).collect();
            assert!(all.into_iter().eq(skeleton.subtree(joint)));
            for chain in &springs.chains {
                let linked = chain.joints.clone().skip(1).all(|j| skeleton.parent(j) == Some(j - 1));
                assert!(linked && skeleton.is_leaf(chain.joints.end - 1), "{:?}", chain.joints);
            }
        }
    }
}
