//! Joints that swing after the motion: hair, a tail, a cape.

use super::{Pose, RigError};
use crate::{
    Skeleton,
    job::{JobError, SpringBone, SpringClock, SpringCollider, SpringJob, SpringPoint},
};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use lissom_math::{Mat34, Quat};

/// A joint and everything below it, swinging after the motion. It remembers how it swings: plain data, to be saved with a character.
#[derive(Clone, Debug, PartialEq)]
pub struct Springs {
    /// How all of its bones swing.
    pub bone: SpringBone,
    /// What the bones' ends stay out of, in world space.
    pub colliders: Vec<SpringCollider>,
    /// Parents first. Joints stand depth-first: a chain is a range that ends at a leaf, and a branch starts the next one.
    chains: Vec<Chain>,
    bones: Vec<SpringBone>,
    models: Vec<Mat34>,
    turns: Vec<Quat>,
}

#[derive(Clone, Debug, PartialEq)]
struct Chain {
    joints: Range<usize>,
    clock: SpringClock,
    points: Vec<SpringPoint>,
}

impl Springs {
    /// Of a joint by name, and all that hangs on it.
    ///
    /// # Errors
    ///
    /// A name that no joint has.
    pub fn new(skeleton: &Skeleton, joint: &str) -> Result<Self, RigError> {
        Ok(Self::below(skeleton, RigError::joint(skeleton, joint)?))
    }

    /// Of a joint, and all that hangs on it. Panics if there is no such joint.
    #[must_use]
    pub fn below(skeleton: &Skeleton, joint: usize) -> Self {
        let mut chains: Vec<Chain> = Vec::new();
        for j in skeleton.subtree(joint) {
            match chains.last_mut() {
                Some(chain) if j > 0 && skeleton.parent(j) == Some(j - 1) => chain.joints.end = j + 1,
                _ => {
                    chains.push(Chain { joints: j..j + 1, clock: SpringClock::default(), points: Vec::new() })
                }
            }
        }
        let mut longest = 0;
        for chain in &mut chains {
            chain.points = vec![SpringPoint::default(); chain.joints.len()];
            longest = if chain.points.len() > longest { chain.points.len() } else { longest };
        }
        Self {
            bone: SpringBone::default(),
            colliders: Vec::new(),
            chains,
            bones: vec![SpringBone::default(); longest],
            models: vec![Mat34::IDENTITY; longest],
            turns: vec![Quat::IDENTITY; longest],
        }
    }

    /// The chains, parents first: each a range of joints.
    pub fn chains(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.chains.iter().map(|chain| chain.joints.clone())
    }

    /// Forgets how it swung: the next frame starts at rest.
    pub fn settle(&mut self) {
        self.chains.iter_mut().for_each(|chain| chain.clock = SpringClock::default());
    }
}

impl Pose<'_> {
    /// Lets joints swing after the motion, this many seconds after the last time. `world` is where the character stands.
    ///
    /// # Errors
    ///
    /// Those of [`SpringJob`]; joints of another skeleton. What was swung before the error stays.
    pub fn swing(&mut self, springs: &mut Springs, world: &Mat34, dt_s: f32) -> Result<(), JobError> {
        let Springs { bone, colliders, chains, bones, models, turns } = springs;
        bones.fill(*bone);
        for Chain { joints, clock, points } in chains {
            if joints.clone().any(|joint| !self.shows(&[joint])) {
                continue;
            }
            for (model, joint) in models.iter_mut().zip(joints.clone()) {
                *model = self.model(joint)?;
            }
            // The last bone goes on as the one before it.
            let tip = self.local(joints.end - 1)?.translation;
            let job = SpringJob::new(&models[..joints.len()], tip, bones, dt_s, (clock, points), &mut *turns);
            SpringJob { world: *world, colliders, ..job }.run()?;
            joints.clone().zip(turns.iter()).try_for_each(|(joint, by)| self.turn(joint, *by))?;
        }
        Ok(())
    }
}
