//! A hand on the pose: joints turned, moved and read in local and in model space, and IK by joints that are
//! found once.
//!
//! A [`Pose`] is lent to a game between mixing and matrices, by [`Player::update_with`], [`Body::change`] and
//! the animators and crowds of `lissom-motion`. What works on it is made once, of a skeleton:
//!
//! | made once | used in a frame | what it does |
//! |---|---|---|
//! | [`Limb`] | [`Pose::reach`], [`Pose::hold`], [`Pose::plant`] | an arm or a leg reaches a place, holds a grip, stays where it stands |
//! | [`Legs`] | [`Pose::stand`] | feet on uneven ground, the pelvis follows |
//! | [`Gaze`] | [`Pose::look_at`] | head, neck and chest share a turn to a place |
//! | [`Chain`] | [`Pose::pull`] | any number of bones, with limits |
//! | [`Springs`] | [`Pose::swing`] | hair, tails and capes swing after the motion |
//!
//! ```no_run
//! use lissom::{math::Vec3, pose::{Gaze, Limb}, bones::Side, prelude::*};
//!
//! let archive = Archive::open("hero.lsm")?;
//! let mut hero = Player::new(&archive)?;
//! // By the names of the joints, as the retargeter knows them.
//! let gaze = Gaze::of(hero.skeleton())?;
//! let arm = Limb::arm(hero.skeleton(), Side::Left)?;
//! hero.play("idle")?;
//! hero.update_with(1.0 / 60.0, |pose| {
//!     pose.look_at(&gaze, Vec3::new(0.3, 1.6, 1.0), 1.0)?;
//!     pose.reach(&arm, Vec3::new(0.3, 1.2, 0.4), 1.0)?;
//!     Ok(())
//! })?;
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! All places and directions are in model space. What a level of detail leaves out is not moved: IK of a limb
//! that is not there says that nothing was reached.
//!
//! [`Player::update_with`]: crate::player::Player::update_with
//! [`Body::change`]: crate::player::Body::change

mod chain;
mod gaze;
mod human;
mod legs;
mod limb;
mod springs;

pub use chain::Chain;
pub use gaze::Gaze;
pub(crate) use human::rest_models;
pub use legs::{Legs, StandingLeg};
pub use limb::{Limb, Reach};
pub use springs::Springs;

use crate::{
    JointLod, Skeleton,
    bones::Bone,
    job::{
        JobError, LocalToModelJob, Models, Update,
        error::{at_least, finite_number, finite_vector, fits_joints},
        kernel::turn::{direction, vector},
    },
};
use alloc::{string::String, vec::Vec};
use core::ops::Range;
use lissom_math::{
    Mat4, Mat34, Quat, Transform, Vec3,
    scalar::{add, length, neg, quat_is_finite, quat_mul, quat_normalize, scale},
    soa::{self, GROUP, SoaTransform},
};

/// The pose of a character while it is changed. Matrices are made when they are read, and again only for
/// what hangs on a joint that was changed.
#[derive(Debug)]
pub struct Pose<'a> {
    skeleton: &'a Skeleton,
    locals: &'a mut [SoaTransform],
    models: &'a mut [Mat4],
    lod: Option<&'a JointLod>,
    /// Joints whose matrices do not follow from the local pose yet. All others do.
    stale: Range<usize>,
}

/// Why joints for IK were not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RigError {
    /// The skeleton has no joint of this name.
    #[error("the skeleton has no joint {name:?}")]
    Joint {
        /// The name.
        name: String,
    },
    /// Two joints of which the second must hang on the first.
    #[error("the joint {below:?} does not hang on {above:?}")]
    Apart {
        /// The upper one.
        above: String,
        /// The lower one.
        below: String,
    },
    /// Bones that no joint is known to be.
    #[error(
        "no joint is known to be the {}: name the joints yourself",
        .bones.iter().map(alloc::string::ToString::to_string).collect::<Vec<_>>().join(", ")
    )]
    Bones {
        /// The bones.
        bones: Vec<Bone>,
    },
    /// Too many joints, or too few.
    #[error("{found} {what}; allowed: {allowed}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        allowed: &'static str,
    },
}

impl<'a> Pose<'a> {
    /// A local pose, and room for its matrices: what they hold does not count.
    ///
    /// # Errors
    ///
    /// Too few groups or matrices; a level of detail of another skeleton.
    pub fn new(
        skeleton: &'a Skeleton,
        locals: &'a mut [SoaTransform],
        models: &'a mut [Mat4],
        lod: Option<&'a JointLod>,
    ) -> Result<Self, JobError> {
        let joints = skeleton.joint_count();
        at_least("locals", "groups", locals.len(), skeleton.group_count())?;
        at_least("models", "matrices", models.len(), joints)?;
        fits_joints(lod, joints)?;
        Ok(Self { skeleton, locals, models, lod, stale: 0..joints })
    }

    /// A local pose and the matrices that follow from it already: they are made again only below joints that are changed.
    ///
    /// # Errors
    ///
    /// Those of [`Pose::new`].
    pub fn in_step(
        skeleton: &'a Skeleton,
        locals: &'a mut [SoaTransform],
        models: &'a mut [Mat4],
        lod: Option<&'a JointLod>,
    ) -> Result<Self, JobError> {
        Ok(Self { stale: 0..0, ..Self::new(skeleton, locals, models, lod)? })
    }

    /// The skeleton.
    #[must_use]
    pub fn skeleton(&self) -> &'a Skeleton {
        self.skeleton
    }

    /// The level of detail; `None`: all joints.
    #[must_use]
    pub fn lod(&self) -> Option<&'a JointLod> {
        self.lod
    }

    /// The local pose, in groups.
    #[must_use]
    pub fn locals(&self) -> &[SoaTransform] {
        self.locals
    }

    /// The local pose, to be changed as a whole: all matrices are made again.
    pub fn locals_mut(&mut self) -> &mut [SoaTransform] {
        self.stale = 0..self.skeleton.joint_count();
        self.locals
    }

    /// The model-space matrices, one a joint.
    ///
    /// # Errors
    ///
    /// None: the buffers were checked.
    pub fn models(&mut self) -> Result<&[Mat4], JobError> {
        self.make_matrices(self.skeleton.joint_count())?;
        Ok(&self.models[..self.skeleton.joint_count()])
    }

    /// The matrix of a joint in model space.
    ///
    /// # Errors
    ///
    /// [`JobError::NoSuchJoint`].
    pub fn model(&mut self, joint: usize) -> Result<Mat34, JobError> {
        self.check(joint)?;
        self.make_matrices(joint + 1)?;
        Ok(Mat34::from_mat4(&self.models[joint]))
    }

    /// Where a joint is, in model space.
    ///
    /// # Errors
    ///
    /// [`JobError::NoSuchJoint`].
    pub fn place(&mut self, joint: usize) -> Result<Vec3, JobError> {
        Ok(self.model(joint)?.translation())
    }

    /// A joint in the space of what it hangs on.
    ///
    /// # Errors
    ///
    /// [`JobError::NoSuchJoint`].
    pub fn local(&self, joint: usize) -> Result<Transform, JobError> {
        self.check(joint)?;
        Ok(soa::lane(self.locals, joint))
    }

    /// Puts a joint somewhere in the space of what it hangs on.
    ///
    /// # Errors
    ///
    /// [`JobError::NoSuchJoint`]; a number that is NaN or infinite. Nothing has then changed.
    pub fn set_local(&mut self, joint: usize, local: Transform) -> Result<(), JobError> {
        self.check(joint)?;
        local.to_array().into_iter().try_for_each(|v| finite_number("local", v))?;
        self.put(joint, local);
        Ok(())
    }

    /// Turns a joint in its own space, as the corrections of IK jobs are meant: `local · by`.
    ///
    /// # Errors
    ///
    /// [`JobError::NoSuchJoint`]; a number that is NaN or infinite. Nothing has then changed.
    pub fn turn(&mut self, joint: usize, by: Quat) -> Result<(), JobError> {
        let local = self.local(joint)?;
        self.check_turn(by)?;
        let rotation = quat_normalize(quat_mul(local.rotation, by));
        self.put(joint, Transform { rotation, ..local });
        Ok(())
    }

    /// Turns a joint about the axes of model space. What hangs on it goes along; the joint stays where it is.
    ///
    /// # Errors
    ///
    /// [`JobError::NoSuchJoint`]; a number that is NaN or infinite. Nothing has then changed.
    pub fn turn_in_model(&mut self, joint: usize, by: Quat) -> Result<(), JobError> {
        self.check_turn(by)?;
        let model = self.model(joint)?;
        let axis = Vec3::new(by.x, by.y, by.z);
        let Some(axis) = model.inverse().and_then(|into| direction(vector(&into, axis))) else {
            return Ok(());
        };
        // A mirrored joint turns the other way round.
        let axis = if model.determinant() < 0.0 { neg(axis) } else { axis };
        let half = length(Vec3::new(by.x, by.y, by.z));
        let [x, y, z] = scale(axis, half).to_array();
        self.turn(joint, quat_normalize(Quat::from_xyzw(x, y, z, by.w)))
    }

    /// Moves a joint by a way in model space.
    ///
    /// # Errors
    ///
    /// [`JobError::NoSuchJoint`]; a number that is NaN or infinite. Nothing has then changed.
    pub fn shift(&mut self, joint: usize, by: Vec3) -> Result<(), JobError> {
        let local = self.local(joint)?;
        finite_vector("by", by)?;
        let own = match self.skeleton.parent(joint) {
            Some(parent) => self.model(parent)?.inverse().map(|into| vector(&into, by)),
            None => Some(by),
        };
        if let Some(own) = own {
            self.put(joint, Transform { translation: add(local.translation, own), ..local });
        }
        Ok(())
    }

    /// Makes the matrices that are still missing.
    ///
    /// # Errors
    ///
    /// None: the buffers were checked.
    pub fn finish(mut self) -> Result<(), JobError> {
        self.make_matrices(self.skeleton.joint_count())
    }

    /// True if the level of detail has all of these joints.
    #[must_use]
    pub fn shows(&self, joints: &[usize]) -> bool {
        self.lod.is_none_or(|lod| joints.iter().all(|joint| lod.contains(*joint)))
    }

    fn check(&self, joint: usize) -> Result<(), JobError> {
        let joints = self.skeleton.joint_count();
        if joint < joints { Ok(()) } else { Err(JobError::NoSuchJoint { field: "joint", joint, joints }) }
    }

    fn check_turn(&self, by: Quat) -> Result<(), JobError> {
        if quat_is_finite(by) {
            return Ok(());
        }
        by.to_array().into_iter().try_for_each(|v| finite_number("by", v))
    }

    /// The joint is there, and the numbers are finite.
    fn put(&mut self, joint: usize, local: Transform) {
        self.locals[joint / GROUP].set_lane(joint % GROUP, local);
        let changed = self.skeleton.subtree(joint);
        let apart = changed.end < self.stale.start || self.stale.end < changed.start;
        if self.stale.is_empty() {
            self.stale = changed;
        } else if apart {
            // Two branches: the other one is made now. It cannot fail, its joints are the skeleton's.
            let _ = self.make_matrices(self.stale.end);
            self.stale = changed;
        } else {
            let (start, end) = (self.stale.start, self.stale.end);
            self.stale = if changed.start < start { changed.start } else { start }..if changed.end > end {
                changed.end
            } else {
                end
            };
        }
    }

    /// Makes the missing matrices of all joints before this one.
    fn make_matrices(&mut self, end: usize) -> Result<(), JobError> {
        let end = if end < self.stale.end { end } else { self.stale.end };
        if self.stale.start >= end {
            return Ok(());
        }
        LocalToModelJob {
            skeleton: self.skeleton,
            locals: self.locals,
            root: None,
            update: Update::Range(self.stale.start..end),
            lod: self.lod,
            models: Models::Mat4(self.models),
        }
        .run()?;
        self.stale.start = end;
        Ok(())
    }
}

impl RigError {
    fn joint(skeleton: &Skeleton, name: &str) -> Result<usize, Self> {
        skeleton.find(name).ok_or_else(|| Self::Joint { name: name.into() })
    }

    fn hangs(skeleton: &Skeleton, above: usize, below: usize) -> Result<(), Self> {
        if above < below && skeleton.subtree(above).contains(&below) {
            return Ok(());
        }
        let name = |joint| String::from(skeleton.name(joint));
        Err(Self::Apart { above: name(above), below: name(below) })
    }
}
