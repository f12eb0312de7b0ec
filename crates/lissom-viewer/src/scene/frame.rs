//! How a frame is drawn.

use crate::{
    camera::Camera,
    lines::{Bones, Lines},
    settings::SkinOn,
};
use lissom::math::Vec3;
use std::collections::BTreeSet;

/// How a frame is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    pub camera: &'a Camera,
    /// In pixels.
    pub size: [u32; 2],
    /// Pixels a point: lines are as wide on every screen.
    pub pixels_per_point: f32,
    /// Behind everything, at the top and at the bottom, in sRGB.
    pub behind: [[f32; 3]; 2],
    /// Lines of the floor, in sRGB.
    pub ink: [f32; 3],
    pub dark: bool,
    pub floor: bool,
    /// A ball round what is seen: its middle and how far it reaches.
    pub ball: (Vec3, f32),
    pub skin_on: SkinOn,
    pub meshes: bool,
    /// Edges of triangles.
    pub wire: bool,
    /// Normals as lines.
    pub normals: bool,
    /// Colours by how much each vertex follows this joint.
    pub weights_of: Option<usize>,
    /// The only mesh that keeps its colours.
    pub vivid: Option<usize>,
    /// Meshes that are not drawn.
    pub hidden: &'a BTreeSet<usize>,
    pub bones: &'a Bones,
    /// Behind and before what they cross.
    pub lines: &'a Lines,
    /// Before everything.
    pub overlay: &'a Lines,
}
