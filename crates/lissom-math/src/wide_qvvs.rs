//! QVVS products four at a time: equal trees that stand side by side, and rows of one level of a hierarchy.
//!
//! Four, not sixteen: a world transform is 48 bytes, and hierarchies are larger than caches. Sixteen side by
//! side spread one transform over twelve cache lines, four over three; whoever moves a single entity pays for
//! the lines, while a sync of everything is bound by memory at either width.
//!
//! Both forms give, lane by lane, the bits of [`Qvvs::mul`]. The child's stretch and user word stay as they
//! are in the output, so a product reads and writes only what changes.

use crate::{Quat, Qvs, Qvvs, Vec3, scalar::MIN_LENGTH_SQUARED, simd::Simd};
use bytemuck::{Pod, Zeroable};
use fearless_simd::{f32x4, prelude::*};

/// Transforms side by side.
pub const QUAD: usize = 4;

/// One component of four transforms.
type Four = [f32; QUAD];

/// Four local transforms, each component its own run of lanes. 128 bytes, two cache lines.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct QuadQvs {
    /// Unit quaternions: x, y, z, w.
    pub rotation: [Four; 4],
    /// In the parents' spaces: x, y, z.
    pub position: [Four; 3],
    /// Uniform scales.
    pub scale: Four,
}

/// Four world transforms. 192 bytes, three cache lines.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct QuadQvvs {
    /// Unit quaternions: x, y, z, w.
    pub rotation: [Four; 4],
    /// In the world: x, y, z.
    pub position: [Four; 3],
    /// The caller's own words.
    pub user: [u32; QUAD],
    /// Per axis, not inherited: x, y, z.
    pub stretch: [Four; 3],
    /// Uniform scales.
    pub scale: Four,
}

impl QuadQvs {
    /// The identity in every lane.
    pub const IDENTITY: Self =
        Self { rotation: [[0.0; 4], [0.0; 4], [0.0; 4], [1.0; 4]], position: [[0.0; 4]; 3], scale: [1.0; 4] };

    /// The transform in lane `i`. Panics if `i` ≥ [`QUAD`].
    #[inline(always)]
    #[must_use]
    pub fn lane(&self, i: usize) -> Qvs {
        let (r, p) = (&self.rotation, &self.position);
        Qvs {
            rotation: Quat::from_xyzw(r[0][i], r[1][i], r[2][i], r[3][i]),
            position: Vec3::new(p[0][i], p[1][i], p[2][i]),
            scale: self.scale[i],
        }
    }

    /// Writes lane `i`. Panics if `i` ≥ [`QUAD`].
    #[inline(always)]
    pub fn set_lane(&mut self, i: usize, t: &Qvs) {
        set(&mut self.rotation, i, t.rotation.to_array());
        set(&mut self.position, i, t.position.to_array());
        self.scale[i] = t.scale;
    }
}

impl QuadQvvs {
    /// The identity in every lane.
    pub const IDENTITY: Self = Self {
        rotation: QuadQvs::IDENTITY.rotation,
        position: [[0.0; 4]; 3],
        user: [0; 4],
        stretch: [[1.0; 4]; 3],
        scale: [1.0; 4],
    };

    /// The transform in lane `i`. Panics if `i` ≥ [`QUAD`].
    #[inline(always)]
    #[must_use]
    pub fn lane(&self, i: usize) -> Qvvs {
        let (r, p, s) = (&self.rotation, &self.position, &self.stretch);
        Qvvs {
            rotation: Quat::from_xyzw(r[0][i], r[1][i], r[2][i], r[3][i]),
            position: Vec3::new(p[0][i], p[1][i], p[2][i]),
            user: self.user[i],
            stretch: Vec3::new(s[0][i], s[1][i], s[2][i]),
            scale: self.scale[i],
        }
    }

    /// Writes lane `i`. Panics if `i` ≥ [`QUAD`].
    #[inline(always)]
    pub fn set_lane(&mut self, i: usize, t: &Qvvs) {
        set(&mut self.rotation, i, t.rotation.to_array());
        set(&mut self.position, i, t.position.to_array());
        set(&mut self.stretch, i, t.stretch.to_array());
        self.user[i] = t.user;
        self.scale[i] = t.scale;
    }

    /// As if the parent were the world's origin; stretch and user word stay.
    #[inline(always)]
    pub fn copy_local(&mut self, local: &QuadQvs) {
        self.rotation = local.rotation;
        self.position = local.position;
        self.scale = local.scale;
    }

    /// `self` = `parent` · `local`, lane by lane; stretch and user word stay.
    #[inline(always)]
    pub fn set_mul<S: Simd>(&mut self, s: S, parent: &Self, local: &QuadQvs) {
        let parent = Parent {
            rotation: parent.rotation.map(|v| f32x4::simd_from(s, v)),
            position: parent.position.map(|v| f32x4::simd_from(s, v)),
            stretch: parent.stretch.map(|v| f32x4::simd_from(s, v)),
            scale: f32x4::simd_from(s, parent.scale),
        };
        let local = Local {
            rotation: local.rotation.map(|v| f32x4::simd_from(s, v)),
            position: local.position.map(|v| f32x4::simd_from(s, v)),
            scale: f32x4::simd_from(s, local.scale),
        };
        let out = product(s, parent, local);
        self.rotation = out.rotation.map(|v| *v);
        self.position = out.position.map(|v| *v);
        self.scale = *out.scale;
    }
}

/// Four rows of a level: `world[i]` = `above[parent[i]]` · `local[i]`; stretch and user word stay.
///
/// Panics if a parent is not in `above`.
#[inline(always)]
pub fn mul_rows<S: Simd>(
    s: S,
    above: &[Qvvs],
    parent: &[u32; QUAD],
    local: &[Qvs; QUAD],
    world: &mut [Qvvs; QUAD],
) {
    let load = |v: &[f32]| f32x4::from_slice(s, v);
    let locals: [&[f32; 8]; QUAD] = local.each_ref().map(bytemuck::cast_ref);
    // Siblings stand together: most often four rows have one parent, which then needs no transposing.
    let parent = if parent.iter().all(|p| *p == parent[0]) {
        let p: &[f32; 12] = bytemuck::cast_ref(&above[parent[0] as usize]);
        let splat = |i: usize| f32x4::simd_from(s, p[i]);
        Parent {
            rotation: [splat(0), splat(1), splat(2), splat(3)],
            position: [splat(4), splat(5), splat(6)],
            stretch: [splat(8), splat(9), splat(10)],
            scale: splat(11),
        }
    } else {
        let parents: [&[f32; 12]; QUAD] = parent.map(|p| bytemuck::cast_ref(&above[p as usize]));
        let [px, py, pz, _] = transpose(parents.map(|r| load(&r[4..8])));
        let [sx, sy, sz, scale] = transpose(parents.map(|r| load(&r[8..12])));
        Parent {
            rotation: transpose(parents.map(|r| load(&r[0..4]))),
            position: [px, py, pz],
            stretch: [sx, sy, sz],
            scale,
        }
    };
    let rotation = transpose(locals.map(|r| load(&r[0..4])));
    let [x, y, z, scale] = transpose(locals.map(|r| load(&r[4..8])));
    let out = product(s, parent, Local { rotation, position: [x, y, z], scale });
    // Whole 16-byte stores: the user word travels as bits beside the position.
    let words: [&mut [f32; 12]; QUAD] = world.each_mut().map(bytemuck::cast_mut);
    let user = f32x4::simd_from(s, words.each_ref().map(|w| w[7]));
    let rotation = transpose(out.rotation);
    let position = transpose([out.position[0], out.position[1], out.position[2], user]);
    for (i, w) in words.into_iter().enumerate() {
        rotation[i].store_slice(&mut w[0..4]);
        position[i].store_slice(&mut w[4..8]);
        w[11] = out.scale[i];
    }
}

struct Parent<S: Simd> {
    rotation: [f32x4<S>; 4],
    position: [f32x4<S>; 3],
    stretch: [f32x4<S>; 3],
    scale: f32x4<S>,
}

struct Local<S: Simd> {
    rotation: [f32x4<S>; 4],
    position: [f32x4<S>; 3],
    scale: f32x4<S>,
}

/// [`Qvvs::mul`], operation by operation.
#[inline(always)]
fn product<S: Simd>(s: S, parent: Parent<S>, local: Local<S>) -> Local<S> {
    let [ax, ay, az, aw] = parent.rotation;
    let [bx, by, bz, bw] = local.rotation;
    let x = (aw * bx + ax * bw) + (ay * bz - az * by);
    let y = (aw * by + ay * bw) + (az * bx - ax * bz);
    let z = (aw * bz + az * bw) + (ax * by - ay * bx);
    let w = (aw * bw - ax * bx) - (ay * by + az * bz);

    let l2 = (x * x + y * y) + (z * z + w * w);
    let (zero, one) = (f32x4::simd_from(s, 0.0), f32x4::simd_from(s, 1.0));
    let ok = l2.simd_gt(f32x4::simd_from(s, MIN_LENGTH_SQUARED));
    let inv = one / l2.sqrt();
    let rotation = [
        ok.select(x * inv, zero),
        ok.select(y * inv, zero),
        ok.select(z * inv, zero),
        ok.select(w * inv, one),
    ];

    let [vx, vy, vz] = core::array::from_fn(|i| (local.position[i] * parent.stretch[i]) * parent.scale);
    let cross = |a: [f32x4<S>; 3], b: [f32x4<S>; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let c = cross([ax, ay, az], [vx, vy, vz]);
    let t = c.map(|v| v + v);
    let d = cross([ax, ay, az], t);
    let position = [
        parent.position[0] + ((vx + aw * t[0]) + d[0]),
        parent.position[1] + ((vy + aw * t[1]) + d[1]),
        parent.position[2] + ((vz + aw * t[2]) + d[2]),
    ];
    Local { rotation, position, scale: parent.scale * local.scale }
}

/// Rows become columns.
#[inline(always)]
fn transpose<S: Simd>(r: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (a, b) = (r[0].zip_low(r[2]), r[1].zip_low(r[3]));
    let (c, d) = (r[0].zip_high(r[2]), r[1].zip_high(r[3]));
    [a.zip_low(b), a.zip_high(b), c.zip_low(d), c.zip_high(d)]
}

#[inline(always)]
fn set<const N: usize>(to: &mut [Four; N], i: usize, v: [f32; N]) {
    for (to, v) in to.iter_mut().zip(v) {
        to[i] = v;
    }
}

impl Default for QuadQvs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Default for QuadQvvs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

const _: () = assert!(size_of::<QuadQvs>() == 128 && size_of::<QuadQvvs>() == 192);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dispatch, simd::Backend};

    fn bits(t: &Qvvs) -> [u32; 12] {
        bytemuck::cast::<_, [f32; 12]>(*t).map(|v| if v.is_nan() { 1 } else { v.to_bits() })
    }

    /// Ordinary, huge, tiny, zero and NaN values; one bit off fails.
    #[test]
    fn lanes_and_rows_give_the_bits_of_the_single_product_on_every_backend() {
        let mut seed = 1_u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match seed >> 24 {
                0 => 0.0,
                1 => 1.0e30,
                2 => -1.0e-30,
                3 => f32::NAN,
                _ => (seed >> 8) as f32 / 8_388_608.0 - 1.0,
            }
        };
        for _ in 0..500 {
            let (mut parent, mut local, mut own) =
                (QuadQvvs::IDENTITY, QuadQvs::IDENTITY, QuadQvvs::IDENTITY);
            bytemuck::cast_slice_mut::<_, f32>(core::slice::from_mut(&mut parent)).fill_with(&mut next);
            bytemuck::cast_slice_mut::<_, f32>(core::slice::from_mut(&mut local)).fill_with(&mut next);
            bytemuck::cast_slice_mut::<_, f32>(core::slice::from_mut(&mut own)).fill_with(&mut next);
            let want: [Qvvs; QUAD] = core::array::from_fn(|i| {
                let mine = own.lane(i);
                parent.lane(i).mul(&local.lane(i), mine.stretch, mine.user)
            });
            for backend in Backend::all() {
                let mut out = own;
                dispatch!(backend, s => out.set_mul(s, &parent, &local));
                // The rows' parents stand in another order than the rows.
                let order = [2, 0, 3, 1];
                let above: [Qvvs; QUAD] = order.map(|i| parent.lane(i));
                let find = |i: usize| order.iter().position(|o| *o == i).map_or(9, |p| p as u32);
                let (locals, mut rows) =
                    (core::array::from_fn(|i| local.lane(i)), core::array::from_fn(|i| own.lane(i)));
                let parents = core::array::from_fn(find);
                dispatch!(backend, s => mul_rows(s, &above, &parents, &locals, &mut rows));
                let mut siblings = core::array::from_fn(|i| own.lane(i));
                dispatch!(backend, s => mul_rows(s, &above, &[1; QUAD], &locals, &mut siblings));
                for i in 0..QUAD {
                    let one = above[1].mul(&locals[i], own.lane(i).stretch, own.lane(i).user);
                    assert_eq!(bits(&siblings[i]), bits(&one), "sibling {i} on {backend}");
                    assert_eq!(bits(&out.lane(i)), bits(&want[i]), "lane {i} on {backend}");
                    assert_eq!(bits(&rows[i]), bits(&want[i]), "row {i} on {backend}");
                }
            }
        }
    }
}
