//! Boxes around skinned meshes: exact ones from moved vertices, and safe ones from joints alone.
//!
//! A linearly skinned vertex is a weighted mean of where its joints would move it, so it lies in the box around
//! the moved boxes of the joints. A vertex under dual quaternions is not such a mean; how far it can be from where its
//! first joint moves it is bounded by how far its other joints would move it from there, over the cosine of
//! half the angle between their rotations.

use super::{
    dual_quat::DualQuat,
    error::{MeshError, at_least},
    influences::SkinMesh,
    morph::MorphTargets,
    vertices::{Strided, VEC3},
};
use alloc::{vec, vec::Vec};
use lissom_math::{Mat4, Mat34};

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The least x, y and z.
    pub min: [f32; 3],
    /// The greatest.
    pub max: [f32; 3],
}

impl Aabb {
    /// True if `other` lies inside or touches from inside.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        (0..3).all(|i| self.min[i] <= other.min[i] && self.max[i] >= other.max[i])
    }
}

/// The box around vertices as they are; `None` if there are none. NaN coordinates are left out.
///
/// # Errors
///
/// [`MeshError::Stride`], [`MeshError::TooShort`]: the buffer does not hold the vertices.
pub fn exact_bounds(positions: Strided<'_>, vertex_count: usize) -> Result<Option<Aabb>, MeshError> {
    positions.validate("positions", VEC3, vertex_count)?;
    let mut range = Range3::EMPTY;
    for v in 0..vertex_count {
        range.add(positions.vec3(v).map(f64::from));
    }
    Ok(range.to_aabb(0.0))
}

/// What is known of a mesh before it moves: for each joint the box of the vertices it moves.
///
/// Made once when a mesh is loaded. Each frame, [`JointBounds::linear`] or [`JointBounds::dual_quat`] gives a box that
/// contains the box of the skinned vertices, in time that grows with joints, not with vertices.
#[derive(Clone, Debug)]
pub struct JointBounds {
    joint_count: usize,
    target_count: usize,
    influences: usize,
    /// Vertices that a joint moves, by joint; then what targets add to them, target by target.
    moved: Vec<Range3>,
    /// The same for vertices whose first influence the joint is.
    first: Vec<Range3>,
    /// (first influence, another joint of the same vertex), sorted.
    partners: Vec<(u16, u16)>,
    /// How far weights are from being a mean.
    slack: f64,
}

/// A box in f64 that may be empty.
#[derive(Clone, Copy, Debug)]
struct Range3 {
    min: [f64; 3],
    max: [f64; 3],
}

impl Range3 {
    const EMPTY: Self = Self { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };
    const ZERO: Self = Self { min: [0.0; 3], max: [0.0; 3] };

    fn is_empty(&self) -> bool {
        self.min[0] > self.max[0]
    }

    fn add(&mut self, p: [f64; 3]) {
        for (v, (min, max)) in p.into_iter().zip(self.min.iter_mut().zip(&mut self.max)) {
            if v < *min {
                *min = v;
            }
            if v > *max {
                *max = v;
            }
        }
    }

    fn grow(&mut self, other: &Self) {
        self.add(other.min);
        self.add(other.max);
    }

    /// The box around the moved box, and the most that any term of the product can be.
    fn moved(&self, m: &Mat34) -> (Self, f64) {
        let mut out = Self::ZERO;
        let mut reach = 0.0;
        for i in 0..3 {
            let t = f64::from(m.columns[3][i]);
            (out.min[i], out.max[i]) = (t, t);
            let mut size = t.abs();
            for j in 0..3 {
                let k = f64::from(m.columns[j][i]);
                let (a, b) = (k * self.min[j], k * self.max[j]);
                let (low, high) = if a < b { (a, b) } else { (b, a) };
                out.min[i] += low;
                out.max[i] += high;
                size += if a.abs() > b.abs() { a.abs() } else { b.abs() };
            }
            reach = larger(reach, size);
        }
        (out, reach)
    }

    fn corners(&self) -> [[f64; 3]; 8] {
        core::array::from_fn(|c| {
            core::array::from_fn(|i| if c >> i & 1 == 0 { self.min[i] } else { self.max[i] })
        })
    }

    /// Rounded outwards and grown by a margin; `None` if empty.
    fn to_aabb(self, margin: f64) -> Option<Aabb> {
        if self.is_empty() {
            return None;
        }
        let down = |v: f64| {
            let f = v as f32;
            if f64::from(f) > v { f.next_down() } else { f }
        };
        Some(Aabb { min: self.min.map(|v| down(v - margin)), max: self.max.map(|v| -down(-(v + margin))) })
    }
}

impl JointBounds {
    /// Looks at every vertex once.
    ///
    /// # Errors
    ///
    /// - [`MeshError::Stride`], [`MeshError::TooShort`]: `positions` does not hold the mesh's vertices.
    /// - [`MeshError::Mismatch`]: `morphs` is for another number of vertices.
    pub fn new(
        mesh: &SkinMesh<'_>,
        positions: Strided<'_>,
        morphs: Option<&MorphTargets<'_>>,
    ) -> Result<Self, MeshError> {
        let (vertices, joints) = (mesh.vertex_count(), mesh.joint_count());
        positions.validate("positions", VEC3, vertices)?;
        let targets = morphs.map_or(&[][..], |m| m.targets());
        if let Some(m) = morphs.filter(|m| m.vertex_count() != vertices) {
            let (found, expected) = (m.vertex_count(), vertices);
            return Err(MeshError::Mismatch { field: "morphs", unit: "vertices", found, expected });
        }
        let mut all = vec![Range3::EMPTY; joints];
        all.resize(joints * (1 + targets.len()), Range3::ZERO);
        let (mut moved, mut first) = (all.clone(), all);
        let mut partners = Vec::new();
        let mut slack: f64 = 0.0;
        for v in 0..vertices {
            let p = positions.vec3(v).map(f64::from);
            let lead = mesh.joint(v, 0);
            first[lead].add(p);
            let (mut sum, mut negative) = (0.0, 0.0);
            for i in 0..mesh.influences() {
                let (joint, w) = (mesh.joint(v, i), f64::from(mesh.weight(v, i)));
                sum += w;
                if w < 0.0 {
                    negative -= w;
                }
                if w != 0.0 {
                    moved[joint].add(p);
                    if joint != lead {
                        partners.push((lead as u16, joint as u16));
                    }
                }
            }
            let off = (sum - 1.0).abs() + 2.0 * negative;
            if off > slack {
                slack = off;
            }
        }
        partners.sort_unstable();
        partners.dedup();
        for (t, target) in targets.iter().enumerate() {
            for (v, d) in target.vertices.iter().zip(target.positions) {
                let d = d.map(f64::from);
                let at = joints * (1 + t);
                first[at + mesh.joint(*v as usize, 0)].add(d);
                for i in 0..mesh.influences() {
                    moved[at + mesh.joint(*v as usize, i)].add(d);
                }
            }
        }
        Ok(Self {
            joint_count: joints,
            target_count: targets.len(),
            influences: mesh.influences(),
            moved,
            first,
            partners,
            slack,
        })
    }

    /// A box that contains the linearly skinned vertices; `None` if the mesh has none.
    ///
    /// # Errors
    ///
    /// [`MeshError::TooShort`]: fewer matrices than joints, or fewer `morph_weights` than targets.
    pub fn linear(&self, palette: &[Mat4], morph_weights: &[f32]) -> Result<Option<Aabb>, MeshError> {
        at_least("palette", "matrices", palette.len(), self.joint_count)?;
        at_least("morph_weights", "weights", morph_weights.len(), self.target_count)?;
        let mut all = Range3::EMPTY;
        let mut reach = 0.0;
        for (joint, m) in palette[..self.joint_count].iter().enumerate() {
            let Some(local) = self.morphed(&self.moved, joint, morph_weights) else { continue };
            let (moved, size) = local.moved(&Mat34::from_mat4(m));
            all.grow(&moved);
            reach = larger(reach, size);
        }
        // Every operation of the kernel rounds once; weights may miss a mean by the slack.
        let margin = ((self.influences + 8) as f64 * 1.2e-7 + self.slack) * reach;
        Ok(all.to_aabb(margin))
    }

    /// A box that contains the vertices skinned by dual quaternions; `None` if the mesh has none. It becomes large
    /// where joints that share vertices are rotated by almost half a turn to each other.
    ///
    /// # Errors
    ///
    /// [`MeshError::TooShort`]: fewer motions than joints, or fewer `morph_weights` than targets.
    pub fn dual_quat(&self, palette: &[DualQuat], morph_weights: &[f32]) -> Result<Option<Aabb>, MeshError> {
        at_least("palette", "dual quaternions", palette.len(), self.joint_count)?;
        at_least("morph_weights", "weights", morph_weights.len(), self.target_count)?;
        let mut all = Range3::EMPTY;
        let mut margin = 0.0;
        let mut next = 0;
        for joint in 0..self.joint_count {
            let from = next;
            while self.partners.get(next).is_some_and(|p| usize::from(p.0) == joint) {
                next += 1;
            }
            let Some(local) = self.morphed(&self.first, joint, morph_weights) else { continue };
            let lead = palette[joint].to_mat34();
            let (mut moved, mut reach) = local.moved(&lead);
            let (mut away, mut cosine) = (0.0, 1.0);
            for (_, other) in &self.partners[from..next] {
                let other = &palette[usize::from(*other)];
                let dot: f64 = (0..4)
                    .map(|i| f64::from(palette[joint].real[i]) * f64::from(other.real[i]))
                    .sum::<f64>()
                    .abs();
                if dot < cosine {
                    cosine = dot;
                }
                let m = other.to_mat34();
                let size = local.moved(&m).1;
                if size > reach {
                    reach = size;
                }
                for corner in local.corners() {
                    let d: f64 = (0..3).map(|i| square(apart(&m, &lead, corner, i))).sum();
                    if d > away {
                        away = d;
                    }
                }
            }
            let radius = root_above(away) / cosine;
            for i in 0..3 {
                moved.min[i] -= radius;
                moved.max[i] += radius;
            }
            all.grow(&moved);
            let here =
                ((self.influences + 60) as f64 * 1.2e-7 + self.slack) * (2.0 * reach + radius) / cosine;
            margin = larger(margin, here);
        }
        Ok(all.to_aabb(margin))
    }

    /// The box of a joint's vertices with morph targets applied.
    fn morphed(&self, boxes: &[Range3], joint: usize, weights: &[f32]) -> Option<Range3> {
        let mut local = boxes[joint];
        if local.is_empty() {
            return None;
        }
        for (t, w) in weights[..self.target_count].iter().enumerate() {
            let (d, w) = (&boxes[(1 + t) * self.joint_count + joint], f64::from(*w));
            for i in 0..3 {
                let (a, b) = (d.min[i] * w, d.max[i] * w);
                local.min[i] += if a < b { a } else { b };
                local.max[i] += if a < b { b } else { a };
            }
        }
        Some(local)
    }
}

/// The larger one; NaN if there is one, so that a box around nonsense is no box.
fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

fn square(v: f64) -> f64 {
    v * v
}

/// Coordinate `i` of m·p − n·p.
fn apart(m: &Mat34, n: &Mat34, p: [f64; 3], i: usize) -> f64 {
    let mut d = f64::from(m.columns[3][i]) - f64::from(n.columns[3][i]);
    for (j, p) in p.into_iter().enumerate() {
        d += (f64::from(m.columns[j][i]) - f64::from(n.columns[j][i])) * p;
    }
    d
}

/// A number not below the square root, by the f32 root and one step up.
fn root_above(v: f64) -> f64 {
    let f = v as f32;
    f64::from(lissom_math::trig::sqrt(f.next_up()).next_up())
}
