//! Local space to model space, and on to palettes, for several characters side by side.

use super::{JobError, error::at_least};
use crate::{JointLod, Skeleton};
use alloc::{boxed::Box, vec, vec::Vec};
use lissom_math::{
    Mat4, Mat34, dispatch,
    simd::{
        Backend, LEN, Simd, WideMat34, WideQuat, WideTransform, WideVec3, blocks, f32x4, halves, prelude::*,
        splat,
    },
    soa::{GROUP, Lanes, SoaMat34, SoaTransform},
};

/// A skinning matrix: its rows x, y and z, four numbers each. In WGSL a `mat3x4<f32>`, and a point moves by
/// `vec4(p, 1.0) * m`.
pub type PaletteRows = [[f32; 4]; 3];

/// The same in half floats: the bits of each. They lose half a millimetre at a metre, so use them in model
/// space.
pub type HalfRows = [[u16; 4]; 3];

/// How the joints of a skeleton are walked for several characters at once. Made once.
#[derive(Clone, Debug)]
pub struct BatchPlan {
    steps: Box<[Step]>,
    /// Matrices that are needed at once: one for each joint of the longest chain.
    depth: usize,
    groups: usize,
}

/// One joint.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Where its parent's matrix is kept; `None` for a root.
    parent: Option<u16>,
    /// Where its own is kept. Of a joint that a level of detail leaves out: that of the nearest one above
    /// it.
    slot: u16,
    computed: bool,
}

/// Where palettes go.
#[derive(Debug)]
pub enum BatchPalettes<'a> {
    /// Nowhere.
    None,
    /// 48 bytes a joint.
    F32(&'a mut [PaletteRows]),
    /// 24 bytes a joint.
    F16(&'a mut [HalfRows]),
}

/// The room that a [`BatchJob`] works in. Made once; one a thread.
#[derive(Clone, Debug, Default)]
pub struct BatchScratch {
    /// Matrices from the root to the joint that is computed.
    chain: Vec<SoaMat34>,
}

/// [`LocalToModelJob`](super::LocalToModelJob) for up to 16 characters of one skeleton, a lane each, and
/// their palettes.
///
/// | field | | |
/// |---|---|---|
/// | `plan` | in | made of the skeleton |
/// | `locals` | in | a pose a character, one after the other, each as many groups as the skeleton has |
/// | `rows` | in | for each character its row of the outputs: as many matrices a row as there are joints |
/// | `models` | out | model-space matrices; empty: they are not wanted |
/// | `binds` | in | inverse bind matrices by rows, one a joint; at a level of detail those of the joints that move it |
/// | `places` | in | what palettes are multiplied by from the left, one a character; empty: nothing |
/// | `palettes` | out | place · model · inverse bind matrix, by rows |
/// | `scratch` | in, out | any |
///
/// The bits are those of the job for one, products in the order of [`Mat34::mul`]. Joints that a level of
/// detail leaves out keep the matrices that they had; in palettes they move with the nearest joint above
/// them.
///
/// # Errors
///
/// [`JobError::TooShort`]: `locals` or `places` have less than `rows` asks for, `binds` less than there are joints, an output ends before
/// a row does. Nothing has then been written.
///
/// # Cost and determinism
///
/// There is no chain of joints that wait for each other and no look-up of parents, but characters are paid
/// for by the register: with fewer than half as many as it has lanes, one by one is faster. No allocation
/// once the scratch has been used for the plan. The same bits on every backend.
#[derive(Debug)]
pub struct BatchJob<'a> {
    /// Joints and their order.
    pub plan: &'a BatchPlan,
    /// Poses.
    pub locals: &'a [SoaTransform],
    /// The row of each character.
    pub rows: &'a [usize],
    /// Model-space matrices.
    pub models: &'a mut [Mat4],
    /// Inverse bind matrices, by rows.
    pub binds: &'a [PaletteRows],
    /// Where the characters stand.
    pub places: &'a [Mat34],
    /// Skinning matrices.
    pub palettes: BatchPalettes<'a>,
    /// Room.
    pub scratch: &'a mut BatchScratch,
}

impl BatchPlan {
    /// The plan of a level of detail, or of all joints. `None` if a joint outside the level has no ancestor
    /// inside it: nothing says what moves it.
    #[must_use]
    pub fn new(skeleton: &Skeleton, lod: Option<&JointLod>) -> Option<Self> {
        let mut depths: Vec<u16> = Vec::with_capacity(skeleton.joint_count());
        let mut steps: Vec<Step> = Vec::with_capacity(skeleton.joint_count());
        let mut depth = 0;
        for joint in 0..skeleton.joint_count() {
            let parent = skeleton.parent(joint);
            let computed = lod.is_none_or(|lod| lod.contains(joint));
            // Depth-first order: whoever stands at a depth stays until its whole subtree has been walked.
            let own = parent.map_or(0, |parent| depths[parent] + 1);
            depths.push(own);
            let slot = if computed { own } else { steps[parent?].slot };
            steps.push(Step { parent: parent.map(|parent| depths[parent]), slot, computed });
            depth = depth.max(usize::from(own) + 1);
        }
        Some(Self { steps: steps.into(), depth, groups: skeleton.group_count() })
    }

    /// How many of these characters are computed faster side by side than one by one: whole registers, and
    /// a last one that is at least half full.
    #[must_use]
    pub fn worth(characters: usize, backend: Backend) -> usize {
        dispatch!(backend, s => worth(s, characters))
    }
}

#[inline(always)]
fn worth<S: Simd>(_: S, characters: usize) -> usize {
    let last = characters % LEN::<S>();
    if last * 2 < LEN::<S>() { characters - last } else { characters }
}

impl BatchScratch {
    /// Makes room for a plan.
    pub fn reserve(&mut self, plan: &BatchPlan) {
        if self.chain.len() < plan.depth {
            self.chain.resize(plan.depth, SoaMat34 { columns: [lissom_math::soa::SoaVec3::ZERO; 4] });
        }
    }
}

impl BatchPalettes<'_> {
    fn len(&self) -> Option<usize> {
        match self {
            Self::None => None,
            Self::F32(all) => Some(all.len()),
            Self::F16(all) => Some(all.len()),
        }
    }
}

impl<'a> BatchJob<'a> {
    /// Matrices alone.
    #[must_use]
    pub fn new(
        plan: &'a BatchPlan,
        locals: &'a [SoaTransform],
        rows: &'a [usize],
        models: &'a mut [Mat4],
        scratch: &'a mut BatchScratch,
    ) -> Self {
        let palettes = BatchPalettes::None;
        Self { plan, locals, rows, models, binds: &[], places: &[], palettes, scratch }
    }
}

impl BatchJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`BatchJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let (joints, characters) = (self.plan.steps.len(), self.rows.len());
        at_least("locals", "groups", self.locals.len(), characters.saturating_mul(self.plan.groups))?;
        let rows = self.rows.iter().map(|row| row.saturating_add(1)).max().unwrap_or(0);
        let needed = rows.saturating_mul(joints);
        if !self.models.is_empty() {
            at_least("models", "matrices", self.models.len(), needed)?;
        }
        if let Some(len) = self.palettes.len() {
            at_least("palettes", "matrices", len, needed)?;
            at_least("binds", "matrices", self.binds.len(), joints)?;
        }
        if !self.places.is_empty() {
            at_least("places", "matrices", self.places.len(), characters)?;
        }
        Ok(())
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`BatchJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend.
    ///
    /// # Errors
    ///
    /// Listed at [`BatchJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        self.scratch.reserve(self.plan);
        dispatch!(backend, s => self.characters(s));
        Ok(())
    }

    /// As many at once as the backend has lanes.
    #[inline(always)]
    fn characters<S: Simd>(&mut self, s: S) {
        let Self { plan, locals, rows, models, binds, places, palettes, scratch } = self;
        let (groups, joints) = (plan.groups, plan.steps.len());
        let mut first = 0;
        while first < rows.len() {
            let count = if rows.len() - first < LEN::<S>() { rows.len() - first } else { LEN::<S>() };
            let mut batch = Batch { count, poses: [&locals[first * groups..]; GROUP], at: [0; GROUP] };
            // Lanes without a character compute the first one again; nobody sees it.
            for c in 0..count {
                batch.poses[c] = &locals[(first + c) * groups..][..groups];
                batch.at[c] = rows[first + c] * joints;
            }
            let mut place = None;
            if !places.is_empty() {
                place = Some(transposed(&places[first..first + count]));
            }
            // Each kind of output is a loop of its own.
            match palettes {
                BatchPalettes::None => walk(s, plan, &batch, scratch, models, binds, None, &mut NoPalettes),
                BatchPalettes::F32(all) => {
                    walk(s, plan, &batch, scratch, models, binds, place.as_ref(), &mut **all);
                }
                BatchPalettes::F16(all) => {
                    walk(s, plan, &batch, scratch, models, binds, place.as_ref(), &mut **all);
                }
            }
            first += count;
        }
    }
}

/// The characters of a register.
struct Batch<'a> {
    count: usize,
    poses: [&'a [SoaTransform]; GROUP],
    /// The first matrix of each.
    at: [usize; GROUP],
}

/// Matrices side by side.
fn transposed(matrices: &[Mat34]) -> SoaMat34 {
    let mut all = SoaMat34 { columns: [lissom_math::soa::SoaVec3::ZERO; 4] };
    for (lane, m) in matrices.iter().enumerate() {
        for (column, c) in all.columns.iter_mut().zip(&m.columns) {
            (column.x.0[lane], column.y.0[lane], column.z.0[lane]) = (c[0], c[1], c[2]);
        }
    }
    all
}

/// Numbers of a transform, as they lie in a group.
type Components = [[f32; GROUP]; 10];

/// Where the palettes of a register go.
trait Sink<S: Simd> {
    const WANTED: bool;
    fn put(&mut self, s: S, batch: &Batch<'_>, joint: usize, m: &WideMat34<S>);
}

struct NoPalettes;

impl<S: Simd> Sink<S> for NoPalettes {
    const WANTED: bool = false;
    #[inline(always)]
    fn put(&mut self, _: S, _: &Batch<'_>, _: usize, _: &WideMat34<S>) {}
}

impl<S: Simd> Sink<S> for [PaletteRows] {
    const WANTED: bool = true;
    #[inline(always)]
    fn put(&mut self, s: S, batch: &Batch<'_>, joint: usize, m: &WideMat34<S>) {
        let [a, b, c, d] = m.columns;
        let x = blocks::transpose(s, [a.x, b.x, c.x, d.x]);
        let y = blocks::transpose(s, [a.y, b.y, c.y, d.y]);
        let z = blocks::transpose(s, [a.z, b.z, c.z, d.z]);
        put_rows(s, batch, joint, 0, x[0], y[0], z[0], self);
        put_rows(s, batch, joint, 1, x[1], y[1], z[1], self);
        put_rows(s, batch, joint, 2, x[2], y[2], z[2], self);
        put_rows(s, batch, joint, 3, x[3], y[3], z[3], self);
    }
}

/// Characters `lane`, `lane` + 4, and so on: block i of the vectors belongs to the i-th of them.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "three rows, a place and where it goes")]
fn put_rows<S: Simd>(
    _: S,
    batch: &Batch<'_>,
    joint: usize,
    lane: usize,
    x: S::f32s,
    y: S::f32s,
    z: S::f32s,
    out: &mut [PaletteRows],
) {
    let (x, y, z) = (blocks::unstack::<S>(x), blocks::unstack::<S>(y), blocks::unstack::<S>(z));
    let mut i = 0;
    while i < LEN::<S>() / 4 {
        let character = lane + 4 * i;
        if character < batch.count {
            let [to_x, to_y, to_z] = &mut out[batch.at[character] + joint];
            x[i].store_slice(to_x);
            y[i].store_slice(to_y);
            z[i].store_slice(to_z);
        }
        i += 1;
    }
}

impl<S: Simd> Sink<S> for [HalfRows] {
    const WANTED: bool = true;
    #[inline(always)]
    fn put(&mut self, s: S, batch: &Batch<'_>, joint: usize, m: &WideMat34<S>) {
        let [a, b, c, d] = m.columns;
        let (x0, x1) = (two_halves(s, a.x, b.x), two_halves(s, c.x, d.x));
        let (y0, y1) = (two_halves(s, a.y, b.y), two_halves(s, c.y, d.y));
        let (z0, z1) = (two_halves(s, a.z, b.z), two_halves(s, c.z, d.z));
        let xy = blocks::transpose(s, [x0, x1, y0, y1]);
        let z = blocks::transpose(s, [z0, z1, z0, z1]);
        put_halves(s, batch, joint, 0, xy[0], z[0], self);
        put_halves(s, batch, joint, 1, xy[1], z[1], self);
        put_halves(s, batch, joint, 2, xy[2], z[2], self);
        put_halves(s, batch, joint, 3, xy[3], z[3], self);
    }
}

/// Two in a lane, in the order of memory; no float, but it is only moved.
#[inline(always)]
fn two_halves<S: Simd>(s: S, a: S::f32s, b: S::f32s) -> S::f32s {
    let (low, high) = if cfg!(target_endian = "little") { (a, b) } else { (b, a) };
    (halves(s, low) | (halves(s, high) << 16)).bitcast()
}

#[inline(always)]
fn put_halves<S: Simd>(
    _: S,
    batch: &Batch<'_>,
    joint: usize,
    lane: usize,
    xy: S::f32s,
    z: S::f32s,
    out: &mut [HalfRows],
) {
    let (xy, z) = (blocks::unstack::<S>(xy), blocks::unstack::<S>(z));
    let mut i = 0;
    while i < LEN::<S>() / 4 {
        let character = lane + 4 * i;
        if character < batch.count {
            let [to_xy @ .., to_z] = &mut out[batch.at[character] + joint];
            *to_xy = bytemuck::cast(xy[i].to_array());
            let [z, _]: [[u16; 4]; 2] = bytemuck::cast(z[i].to_array());
            *to_z = z;
        }
        i += 1;
    }
}

/// All joints, depth first.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the fields of the job, apart")]
fn walk<S: Simd, P: Sink<S> + ?Sized>(
    s: S,
    plan: &BatchPlan,
    batch: &Batch<'_>,
    scratch: &mut BatchScratch,
    models: &mut [Mat4],
    binds: &[PaletteRows],
    place: Option<&SoaMat34>,
    palettes: &mut P,
) {
    // Four joints at a time: four turn from lanes of joints to lanes of characters at once.
    let mut locals = [[Lanes::splat(0.0); 4]; 10];
    let chain = &mut scratch.chain[..plan.depth];
    for (quad, steps) in plan.steps.chunks(4).enumerate() {
        if steps.iter().any(|step| step.computed) {
            turn(s, batch, quad, &mut locals);
        }
        for (i, step) in steps.iter().enumerate() {
            let joint = quad * 4 + i;
            let slot = usize::from(step.slot);
            if step.computed {
                let local = local_at(s, &locals, i).to_mat34(s);
                let model = match step.parent {
                    Some(parent) => WideMat34::load(s, &chain[usize::from(parent)], 0) * local,
                    None => local,
                };
                model.store(&mut chain[slot], 0);
                if !models.is_empty() {
                    put_model(s, batch, joint, &model, models);
                }
            }
            if P::WANTED {
                let mut m = WideMat34::load(s, &chain[slot], 0) * spread(s, &binds[joint]);
                if let Some(place) = place {
                    m = WideMat34::load(s, place, 0) * m;
                }
                palettes.put(s, batch, joint, &m);
            }
        }
    }
}

/// A matrix for all characters.
#[inline(always)]
fn spread<S: Simd>(s: S, [x, y, z]: &PaletteRows) -> WideMat34<S> {
    WideMat34 {
        columns: [column(s, x, y, z, 0), column(s, x, y, z, 1), column(s, x, y, z, 2), column(s, x, y, z, 3)],
    }
}

#[inline(always)]
fn column<S: Simd>(s: S, x: &[f32; 4], y: &[f32; 4], z: &[f32; 4], i: usize) -> WideVec3<S> {
    WideVec3 { x: splat(s, x[i]), y: splat(s, y[i]), z: splat(s, z[i]) }
}

/// Four joints of all characters, from lanes of joints to lanes of characters.
#[inline(always)]
fn turn<S: Simd>(s: S, batch: &Batch<'_>, quad: usize, locals: &mut [[Lanes; 4]; 10]) {
    let (group, at) = (quad / 4, quad % 4 * 4);
    let mut poses: [&Components; GROUP] = [bytemuck::cast_ref(&batch.poses[0][group]); GROUP];
    let mut c = 1;
    while c < LEN::<S>() {
        poses[c] = bytemuck::cast_ref(&batch.poses[c][group]);
        c += 1;
    }
    let mut k = 0;
    while k < 10 {
        let turned = blocks::transpose(
            s,
            [
                stacked(s, &poses, 0, k, at),
                stacked(s, &poses, 1, k, at),
                stacked(s, &poses, 2, k, at),
                stacked(s, &poses, 3, k, at),
            ],
        );
        let to = &mut locals[k];
        turned[0].store_slice(&mut to[0].0[..LEN::<S>()]);
        turned[1].store_slice(&mut to[1].0[..LEN::<S>()]);
        turned[2].store_slice(&mut to[2].0[..LEN::<S>()]);
        turned[3].store_slice(&mut to[3].0[..LEN::<S>()]);
        k += 1;
    }
}

/// Four joints of characters `first`, `first` + 4, and so on: a block each.
#[inline(always)]
fn stacked<S: Simd>(s: S, poses: &[&Components; GROUP], first: usize, k: usize, at: usize) -> S::f32s {
    blocks::stack(
        s,
        [
            f32x4::from_slice(s, &poses[first][k][at..at + 4]),
            f32x4::from_slice(s, &poses[first + 4][k][at..at + 4]),
            f32x4::from_slice(s, &poses[first + 8][k][at..at + 4]),
            f32x4::from_slice(s, &poses[first + 12][k][at..at + 4]),
        ],
    )
}

#[inline(always)]
fn local_at<S: Simd>(s: S, locals: &[[Lanes; 4]; 10], i: usize) -> WideTransform<S> {
    WideTransform {
        translation: WideVec3 {
            x: lanes(s, &locals[0][i]),
            y: lanes(s, &locals[1][i]),
            z: lanes(s, &locals[2][i]),
        },
        rotation: WideQuat {
            x: lanes(s, &locals[3][i]),
            y: lanes(s, &locals[4][i]),
            z: lanes(s, &locals[5][i]),
            w: lanes(s, &locals[6][i]),
        },
        scale: WideVec3 {
            x: lanes(s, &locals[7][i]),
            y: lanes(s, &locals[8][i]),
            z: lanes(s, &locals[9][i]),
        },
    }
}

#[inline(always)]
fn lanes<S: Simd>(s: S, lanes: &Lanes) -> S::f32s {
    lissom_math::simd::load(s, lanes, 0)
}

#[inline(always)]
fn put_model<S: Simd>(s: S, batch: &Batch<'_>, joint: usize, m: &WideMat34<S>, models: &mut [Mat4]) {
    let [a, b, c, d] = m.columns;
    let (zero, one) = (splat(s, 0.0), splat(s, 1.0));
    let a = blocks::transpose(s, [a.x, a.y, a.z, zero]);
    let b = blocks::transpose(s, [b.x, b.y, b.z, zero]);
    let c = blocks::transpose(s, [c.x, c.y, c.z, zero]);
    let d = blocks::transpose(s, [d.x, d.y, d.z, one]);
    put_columns(s, batch, joint, 0, [a[0], b[0], c[0], d[0]], models);
    put_columns(s, batch, joint, 1, [a[1], b[1], c[1], d[1]], models);
    put_columns(s, batch, joint, 2, [a[2], b[2], c[2], d[2]], models);
    put_columns(s, batch, joint, 3, [a[3], b[3], c[3], d[3]], models);
}

/// Characters `lane`, `lane` + 4, and so on: block i of the columns belongs to the i-th of them.
#[inline(always)]
fn put_columns<S: Simd>(
    s: S,
    batch: &Batch<'_>,
    joint: usize,
    lane: usize,
    columns: [S::f32s; 4],
    models: &mut [Mat4],
) {
    if let Some(whole) = blocks::whole(s, columns) {
        let mut i = 0;
        while i < 4 {
            let character = lane + 4 * i;
            if character < batch.count {
                let out = &mut models[batch.at[character] + joint];
                whole[i].store_slice(bytemuck::cast_mut::<_, [f32; GROUP]>(out));
            }
            i += 1;
        }
        return;
    }
    let [a, b, c, d] = columns;
    let (a, b) = (blocks::unstack::<S>(a), blocks::unstack::<S>(b));
    let (c, d) = (blocks::unstack::<S>(c), blocks::unstack::<S>(d));
    let mut i = 0;
    while i < LEN::<S>() / 4 {
        let character = lane + 4 * i;
        if character < batch.count {
            let out: &mut [[f32; 4]; 4] = bytemuck::cast_mut(&mut models[batch.at[character] + joint]);
            a[i].store_slice(&mut out[0]);
            b[i].store_slice(&mut out[1]);
            c[i].store_slice(&mut out[2]);
            d[i].store_slice(&mut out[3]);
        }
        i += 1;
    }
}

impl Default for BatchPlan {
    /// Of no joints.
    fn default() -> Self {
        Self { steps: vec![].into(), depth: 0, groups: 0 }
    }
}
