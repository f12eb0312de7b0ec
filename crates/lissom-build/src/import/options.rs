//! How a file is read: its units and axes, what is left out, what a motion is put onto.

use super::{Axis, ImportLimits, OpenError, ReadOptions};
use crate::{
    mesh::VertexLayout,
    retarget::{BoneNames, Goals},
};
use core::num::NonZeroU8;
use std::path::PathBuf;

/// How long a unit of the file is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Unit {
    /// As the format or the file says: glTF and ozz metres, ACL and rawclip centimetres, FBX as in the file where that
    /// makes a body of sensible size. BVH: the unit that makes the skeleton a human's. What was guessed is a warning.
    #[default]
    Auto,
    /// Metres a unit.
    Metres(f64),
}

/// What becomes of a motion whose file rests otherwise than the skeleton of the other file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MotionFit {
    /// As it is where the bones are the same; re-based where the rest poses are alike; else refused.
    #[default]
    Auto,
    /// Its local transforms are taken as they are, as most engines do.
    AsIs,
    /// Turns and ways from its rest pose become turns and ways from the skeleton's, in model space.
    Rebase,
}

impl MotionFit {
    /// What two switches ask for; `None` if neither says anything.
    pub(crate) fn asked(as_is: Option<bool>, rebase: Option<bool>) -> Option<Self> {
        match (as_is, rebase) {
            (Some(true), _) => Some(Self::AsIs),
            (_, Some(true)) => Some(Self::Rebase),
            (None, None) => None,
            _ => Some(Self::Auto),
        }
    }
}

/// How to read a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportOptions {
    /// How long a unit of the file is.
    pub unit: Unit,
    /// What is up in the file; it becomes y. `None`: y, but for a BVH whose body stands along another axis in the rest
    /// pose and in the motion; that is a warning.
    pub up: Option<Axis>,
    /// Where characters look in the file; it becomes z. `None`: as usual for what is up.
    pub forward: Option<Axis>,
    /// Samples a second for every motion; `None` keeps its keys.
    pub rate_hz: Option<f64>,
    /// The file that has the skeleton, if it is another one. Joints are matched by name; files that have no joint
    /// names (ozz animations, raw clips), by place.
    pub skeleton: Option<PathBuf>,
    /// What becomes of motions then, if their file rests otherwise.
    pub motion: MotionFit,
    /// The file with another skeleton, of other proportions and names, that motions are brought onto
    /// ([`crate::retarget`]). It is read as it is: unit and axes are those of the motions' files.
    pub retarget: Option<PathBuf>,
    /// What is then kept where the file has it.
    pub goals: Goals,
    /// Which joints are which bones, where names do not tell.
    pub bones: BoneNames,
    /// Leaves meshes out, with their materials and images.
    pub no_mesh: bool,
    /// Leaves images out.
    pub no_images: bool,
    /// Joints that a vertex follows at most: the strongest stay. `None` keeps all.
    pub influences: Option<NonZeroU8>,
    /// The order of the vertices of every mesh. `None` keeps that of the file, which is the source's but for archives
    /// that were laid out before.
    pub layout: Option<VertexLayout>,
    /// Refuses a file with a part that cannot be read; otherwise that part is left out with a warning.
    pub strict: bool,
    /// What a file may ask for.
    pub limits: ImportLimits,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            unit: Unit::Auto,
            up: None,
            forward: None,
            rate_hz: None,
            skeleton: None,
            motion: MotionFit::Auto,
            retarget: None,
            goals: Goals::default(),
            bones: BoneNames::default(),
            no_mesh: false,
            no_images: false,
            influences: None,
            layout: None,
            strict: false,
            limits: ImportLimits::default(),
        }
    }
}

impl ImportOptions {
    /// The same for a file that says its unit and axes: units and axes that were said are those of another one.
    pub(crate) fn as_it_is(&self) -> Self {
        Self { unit: Unit::Auto, up: None, forward: None, ..self.clone() }
    }

    /// What of a file is read, and what is done about parts that cannot be.
    pub(crate) fn reading(&self) -> ReadOptions {
        ReadOptions {
            limits: self.limits,
            meshes: !self.no_mesh,
            images: !self.no_images,
            strict: self.strict,
        }
    }

    pub(crate) fn check(&self) -> Result<(), OpenError> {
        let up = self.up.unwrap_or(Axis::Y);
        let forward = self.forward.unwrap_or(up.usual_forward());
        let wrong = if let Unit::Metres(m) = self.unit
            && !(m.is_finite() && m > 0.0)
        {
            format!("the unit is {m} m; it must be finite and above 0")
        } else if let Some(rate) = self.rate_hz.filter(|r| !(r.is_finite() && *r > 0.0)) {
            format!("the rate is {rate} Hz; it must be finite and above 0")
        } else if up.upright(forward).is_none() {
            format!("up is {up:?} and forward {forward:?}; they must be at right angles")
        } else {
            return Ok(());
        };
        Err(OpenError::Option(wrong))
    }
}
