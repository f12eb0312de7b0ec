//! Editable skinned meshes, and what they look like.
//!
//! | file | |
//! |---|---|
//! | `mod` | a mesh, and what can be wrong with it |
//! | `influences` | which joints vertices follow |
//! | `layout` | the order of the vertices |
//! | `fill` | normals and tangents that a file leaves out |
//! | [`material`] | materials and images |

pub(crate) mod fill;
mod influences;
mod layout;
pub mod material;

pub(crate) use influences::Collect;
pub use influences::Influences;
pub use layout::{LAYOUTS, VertexLayout};

use crate::exact::{M34, V3};
use crate::raw::RawSkeleton;
use lissom::mesh::MAX_INFLUENCES;

/// A triangle mesh bound to a skeleton: every vertex follows one joint or many.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawMesh {
    /// May be empty.
    pub name: String,
    /// Metres, in the space of the rest pose.
    pub positions: Vec<[f32; 3]>,
    /// Unit length, one a vertex.
    pub normals: Vec<[f32; 3]>,
    /// Unit length and across the normal; the fourth number is the handedness, 1 or -1. One a vertex, or none at all.
    pub tangents: Vec<[f32; 4]>,
    /// The joints that vertices follow.
    pub influences: Influences,
    /// Three a triangle, counter-clockwise from outside.
    pub indices: Vec<u32>,
    /// From mesh space to each raw joint's space in the rest pose, one a joint.
    pub inverse_binds: Vec<M34>,
    /// Sets of texture coordinates, each one a vertex.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// Sets of colours (linear red, green, blue, alpha), each one a vertex.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// Which vertex of the source each one is, if they were sorted ([`VertexLayout`]); empty if they stand as they did
    /// there. Every vertex occurs once.
    pub order: Vec<u32>,
}

/// What is wrong with a raw mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RawMeshError {
    /// There is no vertex or no triangle.
    #[error("a mesh needs vertices and triangles")]
    Empty,
    /// An attribute has more or fewer entries than there are vertices (or joints, or whole triangles).
    #[error("{field} has {len} entries; {expected} were expected")]
    Length {
        /// Which list.
        field: &'static str,
        /// Its length.
        len: usize,
        /// What it should be.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("{field} of vertex {vertex} is not finite")]
    NotFinite {
        /// Which list.
        field: &'static str,
        /// The vertex (or joint, for inverse binds).
        vertex: usize,
    },
    /// A normal or tangent is not of unit length, a handedness is not 1 or -1.
    #[error("{field} of vertex {vertex} is not a unit vector")]
    NotUnit {
        /// Which list.
        field: &'static str,
        /// The vertex.
        vertex: usize,
    },
    /// Weights are negative or do not sum to 1.
    #[error("the weights of vertex {vertex} sum to {sum}; they must be in [0, 1] and sum to 1")]
    Weights {
        /// The vertex.
        vertex: usize,
        /// Their sum.
        sum: f32,
    },
    /// A vertex follows no joints, or too many.
    #[error("{each} joints a vertex; 1 to {MAX_INFLUENCES} are possible")]
    Influences {
        /// How many.
        each: usize,
    },
    /// A vertex follows a joint that does not exist.
    #[error("vertex {vertex} follows joint {joint}, but there are {joints} joints")]
    Joint {
        /// The vertex.
        vertex: usize,
        /// The joint it asks for.
        joint: u16,
        /// How many there are.
        joints: usize,
    },
    /// The order does not have every vertex once.
    #[error("vertex {vertex} was vertex {source_vertex}, which does not exist or occurs twice")]
    Order {
        /// The vertex.
        vertex: usize,
        /// What it is said to have been.
        source_vertex: u32,
    },
    /// A triangle names a vertex that does not exist.
    #[error("index {at} is {index}, but there are {vertices} vertices")]
    Index {
        /// Where in the list.
        at: usize,
        /// The index.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
}

/// How far f32 weights may sum from 1: 255 of them round to less.
const SUM_TOLERANCE: f32 = 2e-5;

fn finite<const N: usize>(field: &'static str, list: &[[f32; N]]) -> Result<(), RawMeshError> {
    match list.iter().position(|row| !row.iter().all(|v| v.is_finite())) {
        Some(vertex) => Err(RawMeshError::NotFinite { field, vertex }),
        None => Ok(()),
    }
}

impl RawMesh {
    /// Finds the first thing that is wrong. `joints` is the skeleton's count.
    ///
    /// # Errors
    ///
    /// Every case of [`RawMeshError`].
    pub fn validate(&self, joints: usize) -> Result<(), RawMeshError> {
        use RawMeshError as E;
        let vertices = self.positions.len();
        if vertices == 0 || self.indices.is_empty() {
            return Err(E::Empty);
        }
        let length = |field, len, expected| {
            if len == expected { Ok(()) } else { Err(E::Length { field, len, expected }) }
        };
        length("normals", self.normals.len(), vertices)?;
        if !self.tangents.is_empty() {
            length("tangents", self.tangents.len(), vertices)?;
        }
        let Influences { each, joints: followed, weights } = &self.influences;
        if !(1..=MAX_INFLUENCES).contains(each) {
            return Err(E::Influences { each: *each });
        }
        length("joints", followed.len(), vertices.saturating_mul(*each))?;
        length("weights", weights.len(), vertices.saturating_mul(*each))?;
        for set in &self.uvs {
            length("uvs", set.len(), vertices)?;
            finite("uvs", set)?;
        }
        for set in &self.colors {
            length("colors", set.len(), vertices)?;
            finite("colors", set)?;
        }
        if !self.order.is_empty() {
            length("order", self.order.len(), vertices)?;
            let mut seen = vec![false; vertices];
            for (vertex, source_vertex) in self.order.iter().copied().enumerate() {
                match seen.get_mut(source_vertex as usize) {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err(E::Order { vertex, source_vertex }),
                }
            }
        }
        length("inverse_binds", self.inverse_binds.len(), joints)?;
        length("indices", self.indices.len(), self.indices.len() / 3 * 3)?;
        if let Some((at, index)) = self.indices.iter().enumerate().find(|(_, i)| **i as usize >= vertices) {
            return Err(E::Index { at, index: *index, vertices });
        }
        for (vertex, m) in self.inverse_binds.iter().enumerate() {
            if !m.columns.iter().all(|c| c.is_finite()) {
                return Err(E::NotFinite { field: "inverse_binds", vertex });
            }
        }
        for vertex in 0..vertices {
            let (p, n) = (self.positions[vertex], self.normals[vertex]);
            let t = self.tangents.get(vertex).copied().unwrap_or([1.0, 0.0, 0.0, 1.0]);
            for (field, list) in [("positions", &p[..]), ("normals", &n[..]), ("tangents", &t[..])] {
                if !list.iter().all(|v| v.is_finite()) {
                    return Err(E::NotFinite { field, vertex });
                }
            }
            let long = |v: &[f32]| v.iter().map(|c| c * c).sum::<f32>().sqrt();
            if (long(&n) - 1.0).abs() > 1e-3 {
                return Err(E::NotUnit { field: "normals", vertex });
            }
            if (long(&t[..3]) - 1.0).abs() > 1e-3 || t[3].abs() != 1.0 {
                return Err(E::NotUnit { field: "tangents", vertex });
            }
            let sum: f32 = self.influences.of(vertex).map(|(_, w)| w).sum();
            let inside = self.influences.of(vertex).all(|(_, w)| (0.0..=1.0).contains(&w));
            if !inside || (sum - 1.0).abs() > SUM_TOLERANCE || sum.is_nan() {
                return Err(E::Weights { vertex, sum });
            }
            if let Some((joint, _)) = self.influences.of(vertex).find(|(j, _)| usize::from(*j) >= joints) {
                return Err(E::Joint { vertex, joint, joints });
            }
        }
        Ok(())
    }

    /// Triangles.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.indices.len() / 3
    }

    /// Positions and normals in a pose, in f64: the reference for skinning on the CPU. `models` holds a
    /// matrix a raw joint. Normals turn with the joints' matrices (poses here have no uneven scale).
    ///
    /// # Panics
    ///
    /// If the mesh is not valid for as many joints as there are matrices.
    #[must_use]
    pub fn skin(&self, models: &[M34]) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
        let skin: Vec<M34> = models.iter().zip(&self.inverse_binds).map(|(m, b)| m.mul(b)).collect();
        let v3 = |v: [f32; 3]| V3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]));
        let narrow = |v: V3| [v.x as f32, v.y as f32, v.z as f32];
        let mut out = (Vec::with_capacity(self.positions.len()), Vec::with_capacity(self.positions.len()));
        for i in 0..self.positions.len() {
            let (p, n) = (v3(self.positions[i]), v3(self.normals[i]));
            let (mut position, mut normal) = (V3::ZERO, V3::ZERO);
            for (joint, weight) in self.influences.of(i) {
                let m = &skin[usize::from(joint)];
                position = position + m.mul_point(p) * f64::from(weight);
                normal = normal + m.mul_vector(n) * f64::from(weight);
            }
            out.0.push(narrow(position));
            out.1.push(narrow(normal.normalize_or(V3::Y)));
        }
        out
    }
}

/// Model-space matrices of a raw skeleton, a local transform a raw joint. `locals` in raw order; joints may
/// be stored in any order.
#[must_use]
pub fn model_matrices(skeleton: &RawSkeleton, locals: &[crate::exact::Trs]) -> Vec<M34> {
    let mut models = vec![M34::IDENTITY; skeleton.joints.len()];
    for joint in skeleton.depth_first() {
        let local = locals[joint].to_m34();
        models[joint] = match skeleton.joints[joint].parent {
            Some(parent) => models[parent].mul(&local),
            None => local,
        };
    }
    models
}
