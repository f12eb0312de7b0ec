//! What all skins of a mesh share: its inverse bind matrices and its bounds.

use bevy_camera::primitives::Aabb;
use lissom::{
    archive::{Mesh, Morph},
    math::Mat34,
    mesh::{JointBounds, MeshError, MorphTargets, Strided},
};
use std::sync::{Arc, OnceLock};

/// The data that all skins of one mesh use.
#[derive(Debug)]
pub(crate) struct Rig {
    pub inverse_binds: Vec<Mat34>,
    pub bounds: JointBounds,
    pub mesh: Arc<str>,
    /// A box that no pose leaves, once somebody asked for it.
    pub reach: OnceLock<Option<Aabb>>,
}

impl Rig {
    pub fn new(name: &str, mesh: &Mesh, targets: &[(String, Morph)]) -> Result<Self, MeshError> {
        let view = mesh.view();
        let targets: Vec<_> = targets.iter().map(|(_, target)| target.view().target).collect();
        let targets = MorphTargets::new(&targets, view.positions.len())?;
        let bounds = JointBounds::new(&mesh.influences(), Strided::packed(view.positions), Some(&targets))?;
        Ok(Self {
            inverse_binds: view.inverse_binds.to_vec(),
            bounds,
            mesh: name.into(),
            reach: OnceLock::new(),
        })
    }
}
