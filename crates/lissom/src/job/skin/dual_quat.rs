//! Dual-quaternion skinning: joints that twist without losing volume.

use super::vertices::{Vertices, methods};
use crate::job::{JobError, error::at_least};
use crate::mesh::{Attribute, Attributes, DualQuat, Inputs, SkinMesh, Strided, VertexOutput, Writer};
use lissom_math::{
    dispatch,
    simd::{Backend, LEN, Simd, WideQuat, WideVec3, f32x4, load, prelude::*, splat},
    soa::{GROUP, Lanes},
};

/// Moves a mesh's vertices with blended dual quaternions.
///
/// | field | | |
/// |---|---|---|
/// | `mesh` | in | joints and weights of every vertex, checked when it was made |
/// | `vertex_count` | in | how many vertices to move; 0 is valid |
/// | `palette` | in | a joint's rigid motion from the bind pose, at least `mesh.joint_count()`; see [`dual_quat_palette`](crate::mesh::dual_quat_palette) |
/// | `positions`, `normals`, `tangents` | in | three f32 a vertex at any stride |
/// | `output` | out | the same attributes, separate or interleaved |
///
/// For each vertex: Σ ±wᵢ·dᵢ in order of influences, the sign being minus where the real part's dot product
/// with that of the first influence is below 0; divided by the length of its real part (no motion if that is
/// 0). Points and vectors are then rotated, points translated. Rotations keep lengths, so vectors stay
/// normalised.
///
/// # Errors
///
/// Those of [`SkinJob`](super::SkinJob).
///
/// # Cost and determinism
///
/// 16 vertices at a time, no allocation, the same bits on every backend and for every split of the vertices.
#[derive(Debug)]
pub struct DualQuatSkinJob<'a> {
    /// Joints and weights.
    pub mesh: SkinMesh<'a>,
    /// How many vertices to move; 0 is valid.
    pub vertex_count: usize,
    /// A motion a joint.
    pub palette: &'a [DualQuat],
    /// Positions in the bind pose.
    pub positions: Strided<'a>,
    /// Normals in the bind pose.
    pub normals: Option<Strided<'a>>,
    /// Tangents in the bind pose.
    pub tangents: Option<Strided<'a>>,
    /// Where moved vertices go.
    pub output: VertexOutput<'a>,
}

impl<'a> DualQuatSkinJob<'a> {
    /// Positions of all vertices of a mesh.
    #[must_use]
    pub fn new(
        mesh: SkinMesh<'a>,
        palette: &'a [DualQuat],
        positions: Strided<'a>,
        output: VertexOutput<'a>,
    ) -> Self {
        Self {
            mesh,
            vertex_count: mesh.vertex_count(),
            palette,
            positions,
            normals: None,
            tangents: None,
            output,
        }
    }
}

methods!(DualQuatSkinJob, palette);

impl DualQuatSkinJob<'_> {
    fn check_palettes(&self) -> Result<(), JobError> {
        at_least("palette", "dual quaternions", self.palette.len(), self.mesh.joint_count())
    }

    fn run_valid(&mut self, backend: Backend) {
        let (mesh, palette, count) = (&self.mesh, self.palette, self.vertex_count);
        let attributes = self.inputs().attributes();
        let out = &mut self.output.writer();
        dispatch!(backend, s => kernel(s, mesh, palette, &attributes, count, out));
    }
}

/// The blended dual quaternion of one vertex, not yet normalised: its two halves side by side.
#[inline(always)]
fn blend<S: Simd>(s: S, mesh: &SkinMesh<'_>, palette: &[DualQuat], vertex: usize) -> [f32x4<S>; 2] {
    let first = &palette[mesh.joint(vertex, 0)];
    let (halves, mut weights) =
        (|d: &DualQuat| [d.real, d.dual].map(|half| f32x4::simd_from(s, half)), mesh.weights(vertex));
    let one = |d: &DualQuat, w: f32| halves(d).map(|half| half * f32x4::simd_from(s, w));
    let mut sum = one(first, weights.next());
    for i in 1..mesh.influences() {
        let d = &palette[mesh.joint(vertex, i)];
        let (f, r, w) = (first.real, d.real, weights.next());
        let dot = (f[0] * r[0] + f[1] * r[1]) + (f[2] * r[2] + f[3] * r[3]);
        let [real, dual] = one(d, if dot < 0.0 { -w } else { w });
        sum = [sum[0] + real, sum[1] + dual];
    }
    sum
}

#[inline(always)]
fn kernel<S: Simd>(
    s: S,
    mesh: &SkinMesh<'_>,
    palette: &[DualQuat],
    attributes: &Attributes<'_>,
    count: usize,
    out: &mut Writer<'_>,
) {
    let mut blended = [Lanes::splat(0.0); 8];
    let mut vectors = [Lanes::splat(0.0); 3];
    let mut start = 0;
    while start < count {
        let here = if count - start < GROUP { count - start } else { GROUP };
        for lane in 0..here {
            let [real, dual] = blend(s, mesh, palette, start + lane);
            let (real, dual) = (real.to_array(), dual.to_array());
            let mut k = 0;
            while k < 4 {
                blended[k].0[lane] = real[k];
                blended[4 + k].0[lane] = dual[k];
                k += 1;
            }
        }
        for (attribute, from) in attributes.iter().flatten() {
            for lane in 0..here {
                for (to, v) in vectors.iter_mut().zip(from.vec3(start + lane)) {
                    to.0[lane] = v;
                }
            }
            let point = *attribute == Attribute::Position;
            let mut at = 0;
            while at < GROUP {
                let moved = turn(s, &blended, &vectors, at, point);
                moved[0].store_slice(&mut vectors[0].0[at..at + LEN::<S>()]);
                moved[1].store_slice(&mut vectors[1].0[at..at + LEN::<S>()]);
                moved[2].store_slice(&mut vectors[2].0[at..at + LEN::<S>()]);
                at += LEN::<S>();
            }
            for lane in 0..here {
                out.put(
                    *attribute,
                    start + lane,
                    [vectors[0].0[lane], vectors[1].0[lane], vectors[2].0[lane]],
                );
            }
        }
        start += GROUP;
    }
}

/// Rotates vectors, and translates them if they are points.
#[inline(always)]
fn turn<S: Simd>(s: S, dq: &[Lanes; 8], v: &[Lanes; 3], at: usize, point: bool) -> [S::f32s; 3] {
    let real = WideQuat::<S> {
        x: load(s, &dq[0], at),
        y: load(s, &dq[1], at),
        z: load(s, &dq[2], at),
        w: load(s, &dq[3], at),
    };
    let l2 = real.dot(real);
    let (zero, one) = (splat(s, 0.0), splat(s, 1.0));
    let ok = l2.simd_gt(splat(s, lissom_math::scalar::MIN_LENGTH_SQUARED));
    let inv = one / l2.sqrt();
    let q = WideQuat::<S> {
        x: ok.select(real.x * inv, zero),
        y: ok.select(real.y * inv, zero),
        z: ok.select(real.z * inv, zero),
        w: ok.select(real.w * inv, one),
    };
    let v = WideVec3::<S> { x: load(s, &v[0], at), y: load(s, &v[1], at), z: load(s, &v[2], at) };
    let r = q.rotate(v);
    if !point {
        return [r.x, r.y, r.z];
    }
    let dual = WideQuat::<S> {
        x: ok.select(load(s, &dq[4], at) * inv, zero),
        y: ok.select(load(s, &dq[5], at) * inv, zero),
        z: ok.select(load(s, &dq[6], at) * inv, zero),
        w: ok.select(load(s, &dq[7], at) * inv, zero),
    };
    // The translation is twice dual times the conjugate of real.
    let back = WideQuat::<S> { x: -q.x, y: -q.y, z: -q.z, w: q.w };
    let t = dual * back;
    [r.x + (t.x + t.x), r.y + (t.y + t.y), r.z + (t.z + t.z)]
}
