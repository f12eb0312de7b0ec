//! Boxes around skinned meshes: exact ones from moved vertices, and safe ones from joints alone.
//!
//! A linearly skinned vertex is a weighted mean of where its joints would move it, so it lies in the box
//! around the moved boxes of the joints. A vertex under dual quaternions is not such a mean; how far it can
//! be from where its first joint moves it is bounded by how far its other joints would move it from there,
//! over the cosine of half the angle between their rotations.

use super::{
    dual_quat::DualQuat,
    error::{MeshError, at_least},
    influences::SkinMesh,
    morph::MorphTargets,
    vertices::{Strided, VEC3},
};
use alloc::{vec, vec::Vec};
use lissom_math::{
    Mat4, Mat34, dispatch,
    simd::{Backend, Simd, f32x4, prelude::*},
};

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
/// Made once when a mesh is loaded. Each frame, [`JointBounds::linear`] or [`JointBounds::dual_quat`] gives a
/// box that contains the box of the skinned vertices, in time that grows with joints, not with vertices.
#[derive(Clone, Debug)]
pub struct JointBounds {
    joint_count: usize,
    target_count: usize,
    influences: usize,
    /// Joints that move vertices.
    movers: Vec<u16>,
    /// The vertices of each of them; then what targets add to them, target by target.
    moved: Vec<Middle>,
    /// By joint, the vertices whose first influence it is; then what targets add to them.
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

/// A box by its middle and half its size, in f32, as a register takes them: the fourth lane is 0.
#[derive(Clone, Copy, Debug)]
struct Middle {
    center: [f32; 4],
    half: [f32; 4],
}

impl Middle {
    /// Around a box: what the middle is rounded by, the size has more.
    fn around(range: &Range3) -> Self {
        let (mut center, mut half) = ([0.0; 4], [0.0; 4]);
        for i in 0..3 {
            let (min, max) = (range.min[i], range.max[i]);
            center[i] = (0.5 * min + 0.5 * max) as f32;
            let middle = f64::from(center[i]);
            half[i] = up(larger(middle - min, max - middle));
        }
        Self { center, half }
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
        let movers: Vec<u16> =
            (0..joints).filter(|joint| !moved[*joint].is_empty()).map(|joint| joint as u16).collect();
        let moved = moved
            .chunks_exact(joints.max(1))
            .flat_map(|all| movers.iter().map(|joint| Middle::around(&all[usize::from(*joint)])))
            .collect();
        Ok(Self {
            joint_count: joints,
            target_count: targets.len(),
            influences: mesh.influences(),
            movers,
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
        self.linear_on(Backend::best(), palette, morph_weights)
    }

    /// The same on a chosen backend: the same bits.
    ///
    /// # Errors
    ///
    /// Those of [`JointBounds::linear`].
    pub fn linear_on(
        &self,
        backend: Backend,
        palette: &[Mat4],
        morph_weights: &[f32],
    ) -> Result<Option<Aabb>, MeshError> {
        at_least("palette", "matrices", palette.len(), self.joint_count)?;
        at_least("morph_weights", "weights", morph_weights.len(), self.target_count)?;
        let weights = &morph_weights[..self.target_count];
        if self.movers.is_empty() {
            return Ok(None);
        }
        let Moved { min, max, reach } = dispatch!(backend, s => moved(s, self, palette, weights));
        // Every operation rounds once, those that moved the vertices and those here; weights may miss a mean
        // by the slack.
        let operations = (self.influences + self.target_count + 20) as f64;
        let margin = (operations * 1.2e-7 + self.slack) * reach;
        Ok(Range3 { min, max }.to_aabb(margin))
    }

    /// A box that contains the vertices skinned by dual quaternions; `None` if the mesh has none. It becomes
    /// large where joints that share vertices are rotated by almost half a turn to each other.
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
            let Some(local) = self.morphed(joint, morph_weights) else { continue };
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

    /// The box of the vertices that a joint leads, with morph targets applied.
    fn morphed(&self, joint: usize, weights: &[f32]) -> Option<Range3> {
        let mut local = self.first[joint];
        if local.is_empty() {
            return None;
        }
        for (t, w) in weights[..self.target_count].iter().enumerate() {
            let (d, w) = (&self.first[(1 + t) * self.joint_count + joint], f64::from(*w));
            for i in 0..3 {
                let (a, b) = (d.min[i] * w, d.max[i] * w);
                local.min[i] += if a < b { a } else { b };
                local.max[i] += if a < b { b } else { a };
            }
        }
        Some(local)
    }
}

/// What [`JointBounds::linear`] finds: a box, and the most that any term of a product can be, NaN if one is.
struct Moved {
    min: [f64; 3],
    max: [f64; 3],
    reach: f64,
}

/// All boxes, each moved by its joint: a column of the matrix a register, so that its three rows are done at
/// once.
#[inline(always)]
fn moved<S: Simd>(s: S, bounds: &JointBounds, palette: &[Mat4], weights: &[f32]) -> Moved {
    let joints = bounds.movers.len();
    let mut min = f32x4::splat(s, f32::INFINITY);
    let mut max = f32x4::splat(s, f32::NEG_INFINITY);
    let mut reach = f32x4::splat(s, 0.0);
    let mut sum = reach;
    for (i, joint) in bounds.movers.iter().enumerate() {
        let own = &bounds.moved[i];
        let mut center = f32x4::from_slice(s, &own.center);
        let mut half = f32x4::from_slice(s, &own.half);
        let mut most = center.abs() + half;
        for (t, weight) in weights.iter().enumerate() {
            let target = &bounds.moved[(1 + t) * joints + i];
            let weight = f32x4::splat(s, *weight);
            let (by, wide) = (f32x4::from_slice(s, &target.center), f32x4::from_slice(s, &target.half));
            center += weight * by;
            half += weight.abs() * wide;
            most += weight.abs() * (by.abs() + wide);
        }
        let [a, b, c, d]: &[[f32; 4]; 4] = bytemuck::cast_ref(&palette[usize::from(*joint)]);
        let (a, b) = (f32x4::from_slice(s, a), f32x4::from_slice(s, b));
        let (c, d) = (f32x4::from_slice(s, c), f32x4::from_slice(s, d));
        let center = times(s, a, b, c, center) + d;
        let (a, b, c) = (a.abs(), b.abs(), c.abs());
        let half = times(s, a, b, c, half);
        let most = times(s, a, b, c, most) + d.abs();
        let (low, high) = (center - half, center + half);
        min = low.simd_lt(min).select(low, min);
        max = high.simd_gt(max).select(high, max);
        reach = most.simd_gt(reach).select(most, reach);
        // A comparison does not see a NaN; a sum does.
        sum += most;
    }
    let (min, max, reach, sum) = (min.to_array(), max.to_array(), reach.to_array(), sum.to_array());
    let three = |v: [f32; 4]| [v[0], v[1], v[2]].map(f64::from);
    let reach = three(reach).into_iter().fold(0.0, larger);
    let nonsense = three(sum).into_iter().any(f64::is_nan);
    Moved { min: three(min), max: three(max), reach: if nonsense { f64::NAN } else { reach } }
}

/// (a·x + b·y) + c·z
#[inline(always)]
fn times<S: Simd>(s: S, a: f32x4<S>, b: f32x4<S>, c: f32x4<S>, v: f32x4<S>) -> f32x4<S> {
    let v = v.to_array();
    (a * f32x4::splat(s, v[0]) + b * f32x4::splat(s, v[1])) + c * f32x4::splat(s, v[2])
}

/// A number not below it.
fn up(v: f64) -> f32 {
    let f = v as f32;
    if f64::from(f) < v { f.next_up() } else { f }
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
