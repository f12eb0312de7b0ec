//! Joints that swing after the motion: hair, a tail, a cape.

use super::{Pose, RigError};
use crate::{
    Skeleton,
    job::{JobError, SpringBone, SpringClock, SpringCollider, SpringJob, SpringPoint},
};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use lissom_math::{Mat34, Quat, Vec3};

/// A joint and everything below it, swinging after the motion. It remembers how it swings: plain data, to be saved with a character.
#[derive(Debug, PartialEq)]
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

#[derive(Debug, PartialEq)]
struct Chain {
    joints: Range<usize>,
    clock: SpringClock,
    points: Vec<SpringPoint>,
}

impl Clone for Springs {
    fn clone(&self) -> Self {
        let Self { bone, colliders, chains, bones, models, turns } = self;
        let (colliders, chains) = (colliders.clone(), chains.clone());
        Self {
            bone: *bone,
            colliders,
            chains,
            bones: bones.clone(),
            models: models.clone(),
            turns: turns.clone(),
        }
    }

    /// Without allocation if both are of the same joints.
    fn clone_from(&mut self, source: &Self) {
        self.bone = source.bone;
        self.colliders.clone_from(&source.colliders);
        self.chains.clone_from(&source.chains);
        self.bones.clone_from(&source.bones);
        self.models.clone_from(&source.models);
        self.turns.clone_from(&source.turns);
    }
}

impl Clone for Chain {
    fn clone(&self) -> Self {
        Self { joints: self.joints.clone(), clock: self.clock, points: self.points.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        (self.joints, self.clock) = (source.joints.clone(), source.clock);
        self.points.clone_from(&source.points);
    }
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

    /// How it swings, as numbers: for a file. As many as the joints need.
    #[must_use]
    pub fn to_numbers(&self) -> Vec<f32> {
        let mut numbers = Vec::new();
        for Chain { clock, points, .. } in &self.chains {
            let SpringClock { start, frame, left, running } = *clock;
            numbers.extend(start.iter().flat_map(Vec3::to_array));
            numbers.extend([frame, left, if running { 1.0 } else { 0.0 }]);
            for SpringPoint { place, speed, bone: [last, before] } in points {
                numbers.extend([place, speed, last, before].into_iter().flat_map(Vec3::to_array));
            }
        }
        numbers
    }

    /// Swings on as [`Springs::to_numbers`] of the same joints said.
    ///
    /// # Errors
    ///
    /// Another number of numbers; one that is not finite; times that no clock has. Nothing has then changed.
    pub fn set_numbers(&mut self, numbers: &[f32]) -> Result<(), JobError> {
        let needed: usize = self.chains.iter().map(|chain| CLOCK + POINT * chain.points.len()).sum();
        if numbers.len() != needed {
            let (field, unit, found) = ("numbers", "numbers", numbers.len());
            return Err(JobError::Mismatch { field, unit, found, expected: needed });
        }
        let chains = self.chains.iter().scan(numbers, |rest, chain| {
            let (own, after) = rest.split_at(CLOCK + POINT * chain.points.len());
            *rest = after;
            Some(own.split_at(CLOCK))
        });
        for (clock, points) in chains.clone() {
            clock_of(clock).check()?;
            points.chunks_exact(POINT).try_for_each(|own| point_of(own).check())?;
        }
        let read: Vec<_> = chains.collect();
        for (Chain { clock, points, .. }, (of_clock, of_points)) in self.chains.iter_mut().zip(read) {
            *clock = clock_of(of_clock);
            points
                .iter_mut()
                .zip(of_points.chunks_exact(POINT))
                .for_each(|(point, own)| *point = point_of(own));
        }
        Ok(())
    }

    /// Forgets how it swung: the next frame starts at rest.
    pub fn settle(&mut self) {
        self.chains.iter_mut().for_each(|chain| chain.clock = SpringClock::default());
    }
}

/// Numbers of a chain's clock, and of each of its points.
const CLOCK: usize = 9;
const POINT: usize = 12;

fn clock_of(own: &[f32]) -> SpringClock {
    SpringClock { start: [vec3(own), vec3(&own[3..])], frame: own[6], left: own[7], running: own[8] > 0.5 }
}

fn point_of(own: &[f32]) -> SpringPoint {
    SpringPoint { place: vec3(own), speed: vec3(&own[3..]), bone: [vec3(&own[6..]), vec3(&own[9..])] }
}

fn vec3(numbers: &[f32]) -> Vec3 {
    Vec3::new(numbers[0], numbers[1], numbers[2])
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
