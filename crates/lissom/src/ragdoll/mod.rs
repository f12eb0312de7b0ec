//! Ragdolls as plain data: capsules, masses and limits of joints, for any physics engine.
//!
//! A [`Ragdoll`] is made once, of a skeleton, its meshes and its clips. Each of its bodies has the axes of a joint. Sizes come from
//! the vertices that follow the joint, masses from the sizes, and the limits of a joint contain every pose of every clip.
//!
//! | when | what |
//! |---|---|
//! | a character begins to fall | [`Ragdoll::starts`] says where each body is and how fast it goes, from two frames that were shown |
//! | each frame of the fall | [`Ragdoll::show`] brings the bodies' places into a pose |
//! | it gets up | `Animator::take_over` or `Animator::blend_from` of `lissom-motion` go on from that pose |
//!
//! ```no_run
//! use lissom::{prelude::*, ragdoll::{Ragdoll, RagdollRule}};
//!
//! let archive = Archive::open("hero.lsm")?;
//! let hero = Player::new(&archive)?;
//! let ragdoll = Ragdoll::of_archive(&archive, hero.skeleton(), &RagdollRule::default())?;
//! for body in &ragdoll.bodies {
//!     println!("{}: {:.1} kg", hero.skeleton().name(body.joint), body.mass_kg);
//! }
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! Lissom simulates nothing. The numbers mean the same to any engine.

mod hand_over;
mod limits;
mod size;

pub use hand_over::{RagdollStart, Shown};

use crate::{
    Clip, Skeleton,
    archive::{Archive, ArchiveError, MeshView},
    bones::{Bone, BoneMap, Part, Side},
    clip::ClipView,
    job::{JobError, decompose},
    pose::{RigError, rest_models},
};
use alloc::{string::String, vec::Vec};
use lissom_math::{Mat34, Quat, Transform, Vec3};

/// The bodies of a character, each after the one that it hangs on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ragdoll {
    /// In the order of their joints.
    pub bodies: Vec<RagdollBody>,
}

/// A rigid part of a character. Its space is that of its joint, without the joint's scale: metres, or whatever the unit of the
/// skeleton is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RagdollBody {
    /// The joint that it moves.
    pub joint: usize,
    /// The body that it hangs on; `None`: it hangs on nothing.
    pub parent: Option<usize>,
    /// Its form.
    pub capsule: Capsule,
    /// Its mass, in kilograms.
    pub mass_kg: f32,
    /// How it hangs on `parent`; there if and only if there is one.
    pub hold: Option<RagdollJoint>,
}

/// All points that are not further from a line segment than a radius. A sphere if both ends are one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// One end of the segment.
    pub a: Vec3,
    /// The other end.
    pub b: Vec3,
    /// The radius, above 0.
    pub radius: f32,
}

/// A ball joint with limits. Both bodies have a frame at the joint: x is the twist axis, along the bone that hangs; y and z are the
/// swing axes. In the middle of the limits both frames are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RagdollJoint {
    /// Where it is in the space of the body that carries, at rest. In the space of the body that hangs it is at 0.
    pub anchor: Vec3,
    /// The frame in the space of the body that carries.
    pub parent_frame: Quat,
    /// The frame in the space of the body that hangs.
    pub frame: Quat,
    /// The least and the greatest twist, in radians, in [-π, π].
    pub twist: [f32; 2],
    /// Half axes of the ellipse that the swing lies in, about y and about z, in radians, in [0, π].
    pub swing: [f32; 2],
}

/// What a ragdoll is made by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RagdollRule {
    /// The mass of all bodies together, in kilograms; above 0.
    pub mass_kg: f32,
    /// Poses of each clip that are looked at, per second; above 0, at most 1,000.
    pub rate: f64,
    /// How far limits are beyond the poses that were found, in radians; in [0, π].
    pub margin: f32,
}

impl Default for RagdollRule {
    /// 75 kg, 60 poses per second, 0.05 radians: 3 degrees.
    fn default() -> Self {
        Self { mass_kg: 75.0, rate: 60.0, margin: 0.05 }
    }
}

/// Why a ragdoll could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RagdollError {
    /// The joints of the bodies.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A clip is of another skeleton.
    #[error(transparent)]
    Job(#[from] JobError),
    /// Something in the archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A mesh is of another skeleton, or its lists do not fit together.
    #[error("mesh {mesh}: {reason}")]
    Mesh {
        /// Which of the meshes.
        mesh: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// Nothing says how large a body is.
    #[error("no vertex follows the joint {joint:?}, or what hangs on it: no mesh says how large it is")]
    NoFlesh {
        /// The joint.
        joint: String,
    },
    /// A number of the rule.
    #[error("`{field}` is {value}; allowed: {allowed}")]
    Value {
        /// Which number.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
}

impl Ragdoll {
    /// The ragdoll of a human: up to 16 bodies, whose joints are found by their names. It has hips, head, upper and lower arms, hands, upper
    /// and lower legs and feet; and spine and chest, if the skeleton has them. Clips that add to a pose are no poses: leave them out.
    ///
    /// # Errors
    ///
    /// Bones that no joint is known to be; those of [`Ragdoll::of_joints`].
    pub fn of<'a>(
        skeleton: &Skeleton,
        meshes: &[MeshView<'_>],
        clips: impl IntoIterator<Item = ClipView<'a>>,
        rule: &RagdollRule,
    ) -> Result<Self, RagdollError> {
        Self::of_joints(skeleton, &human(skeleton)?, meshes, clips, rule)
    }

    /// The ragdoll of any creature: a body for each of these joints. It hangs on the nearest of the others above it. Fingers, toes and
    /// whatever else hangs on a joint without a body of its own belong to its body.
    ///
    /// # Errors
    ///
    /// A joint that there is not, or that is there twice; no joint; a clip or a mesh of another skeleton; a joint that no vertex follows; a
    /// number of the rule that is out of bounds.
    pub fn of_joints<'a>(
        skeleton: &Skeleton,
        joints: &[usize],
        meshes: &[MeshView<'_>],
        clips: impl IntoIterator<Item = ClipView<'a>>,
        rule: &RagdollRule,
    ) -> Result<Self, RagdollError> {
        rule.check()?;
        let joints = ordered(skeleton, joints)?;
        let parents: Vec<Option<usize>> =
            joints.iter().map(|joint| above(skeleton, &joints, *joint)).collect();
        let rest: Vec<(Transform, Mat34)> = rigid_rest(skeleton, &joints);
        let capsules = size::capsules(skeleton, &joints, &parents, &rest, meshes)?;
        let holds = limits::holds(skeleton, &joints, &parents, &rest, &capsules, clips, rule)?;
        let whole: f32 = capsules.iter().map(Capsule::volume).sum();
        let body = |((at, capsule), hold): ((usize, &Capsule), Option<RagdollJoint>)| RagdollBody {
            joint: joints[at],
            parent: parents[at],
            capsule: *capsule,
            mass_kg: rule.mass_kg * (capsule.volume() / whole),
            hold,
        };
        Ok(Self { bodies: capsules.iter().enumerate().zip(holds).map(body).collect() })
    }

    /// The ragdoll of a human, by all that an archive has of a skeleton: all its meshes, and all its clips but those that add to a pose.
    ///
    /// # Errors
    ///
    /// Those of [`Ragdoll::of`]; a mesh or a clip of the archive that cannot be read.
    pub fn of_archive(
        archive: &Archive,
        skeleton: &Skeleton,
        rule: &RagdollRule,
    ) -> Result<Self, RagdollError> {
        let mut meshes = Vec::new();
        for (_, mesh) in archive.meshes() {
            let mesh = mesh?;
            if mesh.view().skeleton_identity == skeleton.identity() {
                meshes.push(mesh);
            }
        }
        let mut clips: Vec<Clip> = Vec::new();
        for (name, clip) in archive.clips() {
            let clip = clip?;
            if clip.view().skeleton_identity() == skeleton.identity() && !archive.is_additive(name) {
                clips.push(clip);
            }
        }
        let views: Vec<MeshView<'_>> = meshes.iter().map(crate::archive::Mesh::view).collect();
        Self::of(skeleton, &views, clips.iter().map(Clip::view), rule)
    }

    /// The body of a joint: its own, or that of the nearest joint above that has one.
    #[must_use]
    pub fn body_of(&self, skeleton: &Skeleton, joint: usize) -> Option<usize> {
        let mut at = (joint < skeleton.joint_count()).then_some(joint);
        while let Some(joint) = at {
            if let Some(body) = self.bodies.iter().position(|body| body.joint == joint) {
                return Some(body);
            }
            at = skeleton.parent(joint);
        }
        None
    }
}

impl RagdollRule {
    fn check(&self) -> Result<(), RagdollError> {
        let numbers = [
            ("mass_kg", f64::from(self.mass_kg), self.mass_kg > 0.0, "finite and above 0"),
            ("rate", self.rate, self.rate > 0.0 && self.rate <= 1000.0, "above 0, at most 1,000"),
            (
                "margin",
                f64::from(self.margin),
                (0.0..=core::f32::consts::PI).contains(&self.margin),
                "in [0, π]",
            ),
        ];
        for (field, value, is_good, allowed) in numbers {
            if !(is_good && value.is_finite()) {
                return Err(RagdollError::Value { field, value, allowed });
            }
        }
        Ok(())
    }
}

/// The joints of a human's bodies.
fn human(skeleton: &Skeleton) -> Result<Vec<usize>, RigError> {
    let bones = BoneMap::guess(skeleton).joints;
    let middle = [Part::Hips, Part::Head].map(|part| Bone { part, side: Side::Middle });
    let limbs = [Part::UpperArm, Part::LowerArm, Part::Hand, Part::UpperLeg, Part::LowerLeg, Part::Foot];
    let sides = [Side::Left, Side::Right].into_iter();
    let limbs = sides.flat_map(|side| limbs.map(|part| Bone { part, side }));
    let needed: Vec<Bone> = middle.into_iter().chain(limbs).collect();
    let missing: Vec<Bone> = needed.iter().copied().filter(|bone| !bones.contains_key(bone)).collect();
    if !missing.is_empty() {
        return Err(RigError::Bones { bones: missing });
    }
    let mut joints: Vec<usize> = needed.iter().map(|bone| bones[bone]).collect();
    // A trunk of three parts bends enough.
    let trunk = |part| bones.get(&Bone { part, side: Side::Middle }).copied();
    let chest = trunk(Part::UpperChest).or_else(|| trunk(Part::Chest));
    for joint in [trunk(Part::Spine), chest].into_iter().flatten() {
        if !joints.contains(&joint) {
            joints.push(joint);
        }
    }
    Ok(joints)
}

/// In the order of the skeleton, so that bodies stand after those that they hang on.
fn ordered(skeleton: &Skeleton, joints: &[usize]) -> Result<Vec<usize>, RagdollError> {
    let count = skeleton.joint_count();
    if let Some(joint) = joints.iter().copied().find(|joint| *joint >= count) {
        return Err(JobError::NoSuchJoint { field: "joints", joint, joints: count }.into());
    }
    let mut ordered = joints.to_vec();
    ordered.sort_unstable();
    let found = ordered.len();
    ordered.dedup();
    if ordered.is_empty() || ordered.len() != found {
        return Err(RigError::Count { what: "joints", found, allowed: "1 or more, each once" }.into());
    }
    Ok(ordered)
}

/// The body that a joint hangs on.
fn above(skeleton: &Skeleton, joints: &[usize], joint: usize) -> Option<usize> {
    let mut at = skeleton.parent(joint);
    while let Some(joint) = at {
        if let Ok(body) = joints.binary_search(&joint) {
            return Some(body);
        }
        at = skeleton.parent(joint);
    }
    None
}

/// Where bodies are at rest, with the scale of their joints; and the matrices into their spaces, without scale.
fn rigid_rest(skeleton: &Skeleton, joints: &[usize]) -> Vec<(Transform, Mat34)> {
    let models = rest_models(skeleton);
    let rest = |joint: &usize| {
        let (place, _) = decompose(&models[*joint]);
        (place, rigid(&place).inverse().unwrap_or(Mat34::IDENTITY))
    };
    joints.iter().map(rest).collect()
}

/// Without scale.
fn rigid(place: &Transform) -> Mat34 {
    Transform { scale: Vec3::ONE, ..*place }.to_mat34()
}
