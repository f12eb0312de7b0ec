//! The skinned mesh: the form as triangles, each vertex bound to at most four joints.

use super::rig;
use super::shape::{self, Region};
use super::surface::{Surface, extract, gradient};
use crate::exact::{M34, V3, smaller};
use crate::mesh::{Influences, RawMesh};
use crate::raw::RawSkeleton;

/// How fine the mesh is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// Metres between vertices on the body, in [0.005, 0.04].
    pub body_m: f64,
    /// Metres between vertices on the hands, in [0.002, 0.012].
    pub hand_m: f64,
}

impl Default for Detail {
    /// About 10,000 vertices.
    fn default() -> Self {
        Self { body_m: 0.0186, hand_m: 0.0062 }
    }
}

/// A [`Detail`] outside its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{field} is {value} m; it must be in [{min}, {max}]")]
pub struct DetailError {
    /// Which number.
    pub field: &'static str,
    /// What it is.
    pub value: f64,
    /// The least allowed.
    pub min: f64,
    /// The greatest allowed.
    pub max: f64,
}

pub(super) fn mesh(skeleton: &RawSkeleton, detail: &Detail) -> Result<RawMesh, DetailError> {
    for (field, value, min, max) in
        [("body_m", detail.body_m, 0.005, 0.04), ("hand_m", detail.hand_m, 0.002, 0.012)]
    {
        if !(min..=max).contains(&value) {
            return Err(DetailError { field, value, min, max });
        }
    }
    let models = rig::rest_models(skeleton);
    let inverse = |m: &M34| m.inverse().unwrap_or(M34::IDENTITY);
    let mut mesh = RawMesh {
        name: "mannequin".into(),
        influences: Influences { each: 4, ..Influences::default() },
        inverse_binds: models.iter().map(inverse).collect(),
        ..RawMesh::default()
    };
    let body = shape::body(&models);
    let field = |p: V3| shape::body_distance(&body, p);
    let surface = extract(&field, V3::new(-0.68, -0.05, -0.22), V3::new(0.68, 1.86, 0.26), detail.body_m);
    add(&mut mesh, &surface, &field, &body, 0.012, &models);
    for side in rig::SIDES {
        let hand = shape::hand(&models, side);
        let field = |p: V3| shape::hand_distance(&hand, p);
        let middle = models[rig::hand(side)].mul_point(V3::new([0.08, -0.08][side], 0.0, 0.0));
        let reach = V3::new(0.16, 0.16, 0.12);
        let surface = extract(&field, middle - reach, middle + reach, detail.hand_m);
        add(&mut mesh, &surface, &field, &hand, 0.0016, &models);
    }
    Ok(mesh)
}

/// Adds a surface with normals, tangents and weights. Within `soft` metres two regions share a vertex.
fn add(
    mesh: &mut RawMesh,
    surface: &Surface,
    field: &dyn Fn(V3) -> f64,
    regions: &[Region],
    soft: f64,
    models: &[M34],
) {
    let first = mesh.positions.len() as u32;
    for p in &surface.positions {
        let normal = gradient(field, *p, 1.5e-3).normalize_or(V3::Y);
        let (joints, weights) = bind(regions, *p, soft);
        // Around the limb: across the normal and the joint's first axis (for the trunk: the upward one).
        let strongest = usize::from(joints[0]);
        let limb = strongest > rig::HEAD + 1 && strongest < rig::thigh(0);
        let axis = if limb { models[strongest].mul_vector(V3::X) } else { V3::Y };
        let spare = if normal.dot(V3::Z).abs() < 0.9 { V3::Z } else { V3::X };
        let around = axis.cross(normal);
        let around = if around.length() < 0.05 { spare.cross(normal) } else { around };
        let t = around.normalize_or(V3::X).to_f32();
        // The right half is the left one's mirror image, as its texture would be.
        let hand = if p.x < 0.0 { -1.0 } else { 1.0 };
        mesh.positions.push(p.to_f32().to_array());
        mesh.normals.push(normal.to_f32().to_array());
        mesh.tangents.push([t.x, t.y, t.z, hand]);
        mesh.influences.joints.extend(joints);
        mesh.influences.weights.extend(weights);
    }
    mesh.indices.extend(surface.indices.iter().map(|i| i + first));
}

/// The four strongest joints at a place, strongest first.
fn bind(regions: &[Region], p: V3, soft: f64) -> ([u16; 4], [f32; 4]) {
    let distances: Vec<f64> = regions.iter().map(|r| r.distance(p)).collect();
    let nearest = distances.iter().copied().fold(f64::INFINITY, smaller);
    let mut shares = [0.0; rig::JOINTS];
    for (region, d) in regions.iter().zip(distances) {
        let pull = libm::exp(-(d - nearest) / soft);
        if pull > 1e-4 {
            for (joint, share) in region.shares(p) {
                shares[joint] += pull * share;
            }
        }
    }
    let mut order: Vec<usize> = (0..rig::JOINTS).filter(|j| shares[*j] > 0.0).collect();
    order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]).then(a.cmp(b)));
    order.truncate(4);
    let sum: f64 = order.iter().map(|j| shares[*j]).sum();
    let (mut joints, mut weights) = ([0; 4], [0.0_f32; 4]);
    for (i, joint) in order.iter().enumerate() {
        weights[i] = (shares[*joint] / sum) as f32;
        if weights[i] > 0.0 {
            joints[i] = *joint as u16;
        }
    }
    // The first takes up the rounding of the others, so that the sum is 1 as nearly as f32 allows.
    weights[0] = 1.0 - (weights[1] + weights[2] + weights[3]);
    (joints, weights)
}
