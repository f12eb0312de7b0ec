//! Affine matrices in registers: four columns, each in one 4-lane vector.

use lissom_math::{
    Mat4, Mat34,
    simd::{Simd, blocks, f32x4, f32x16, prelude::*},
};

/// A matrix as four columns. The fourth lane of each is unspecified until it is stored.
#[derive(Clone, Copy)]
pub(crate) struct Columns<S: Simd>(pub [f32x4<S>; 4]);

// No closures below: one that is not inlined is compiled for the baseline and costs ten times as much.
impl<S: Simd> Columns<S> {
    #[inline(always)]
    pub fn from_mat34(s: S, m: &Mat34) -> Self {
        let [a, b, c, d] = &m.columns;
        Self([column(s, a), column(s, b), column(s, c), column(s, d)])
    }

    /// From rows x, y and z.
    #[inline(always)]
    pub fn from_rows(s: S, [x, y, z]: &[[f32; 4]; 3]) -> Self {
        Self([
            f32x4::from_slice(s, &[x[0], y[0], z[0], 0.0]),
            f32x4::from_slice(s, &[x[1], y[1], z[1], 0.0]),
            f32x4::from_slice(s, &[x[2], y[2], z[2], 0.0]),
            f32x4::from_slice(s, &[x[3], y[3], z[3], 0.0]),
        ])
    }

    /// `self` · a matrix given by rows; [`Mat34::mul`] in the same order.
    #[inline(always)]
    pub fn mul_rows(&self, s: S, rows: &[[f32; 4]; 3]) -> Self {
        Self([
            self.turn_row(s, rows, 0),
            self.turn_row(s, rows, 1),
            self.turn_row(s, rows, 2),
            self.turn_row(s, rows, 3) + self.0[3],
        ])
    }

    /// [`Mat34::mul`] in the same order.
    #[inline(always)]
    pub fn mul(&self, s: S, rhs: &Self) -> Self {
        let [a, b, c, d] = rhs.0;
        Self([
            self.turn_column(s, a),
            self.turn_column(s, b),
            self.turn_column(s, c),
            self.turn_column(s, d) + self.0[3],
        ])
    }

    #[inline(always)]
    fn turn_column(&self, s: S, v: f32x4<S>) -> f32x4<S> {
        let [a, b, c, _] = self.0;
        let v = v.to_array();
        (a * f32x4::splat(s, v[0]) + b * f32x4::splat(s, v[1])) + c * f32x4::splat(s, v[2])
    }

    /// (a·x + b·y) + c·z, each element broadcast from memory.
    #[inline(always)]
    fn turn_row(&self, s: S, rows: &[[f32; 4]; 3], i: usize) -> f32x4<S> {
        let [a, b, c, _] = self.0;
        let x = f32x4::splat(s, rows[0][i]);
        let y = f32x4::splat(s, rows[1][i]);
        let z = f32x4::splat(s, rows[2][i]);
        (a * x + b * y) + c * z
    }
}

#[inline(always)]
fn column<S: Simd>(s: S, c: &[f32; 3]) -> f32x4<S> {
    f32x4::from_slice(s, &[c[0], c[1], c[2], 0.0])
}

/// A matrix in memory.
pub(crate) trait MatrixSlot: bytemuck::Pod {
    fn load<S: Simd>(&self, s: S) -> Columns<S>;
    fn store<S: Simd>(&mut self, s: S, m: Columns<S>);

    /// 48 bytes of the matrix as room for the rows of another one.
    fn rows_mut(&mut self) -> &mut [[f32; 4]; 3];

    /// Writes rows that lie in one register, whose last block is anything.
    fn put_rows<S: Simd>(&mut self, rows: f32x16<S>);

    /// `self`, which holds the rows of a local matrix, becomes `parent` · local.
    #[inline(always)]
    fn move_rows<S: Simd>(&mut self, s: S, parent: &Self) {
        let model = parent.load(s).mul_rows(s, self.rows_mut());
        self.store(s, model);
    }
}

impl MatrixSlot for Mat4 {
    #[inline(always)]
    fn load<S: Simd>(&self, s: S) -> Columns<S> {
        let [a, b, c, d]: &[[f32; 4]; 4] = bytemuck::cast_ref(self);
        Columns([
            f32x4::from_slice(s, a),
            f32x4::from_slice(s, b),
            f32x4::from_slice(s, c),
            f32x4::from_slice(s, d),
        ])
    }

    #[inline(always)]
    fn store<S: Simd>(&mut self, s: S, m: Columns<S>) {
        let out: &mut [[f32; 4]; 4] = bytemuck::cast_mut(self);
        let xyz = f32x4::from_slice(s, &[0.0, 0.0, 0.0, 1.0]).simd_lt(f32x4::splat(s, 0.5));
        let zero = f32x4::splat(s, 0.0);
        let one = f32x4::splat(s, 1.0);
        xyz.select(m.0[0], zero).store_slice(&mut out[0]);
        xyz.select(m.0[1], zero).store_slice(&mut out[1]);
        xyz.select(m.0[2], zero).store_slice(&mut out[2]);
        xyz.select(m.0[3], one).store_slice(&mut out[3]);
    }

    #[inline(always)]
    fn rows_mut(&mut self) -> &mut [[f32; 4]; 3] {
        let [rows @ .., _]: &mut [[f32; 4]; 4] = bytemuck::cast_mut(self);
        rows
    }

    #[inline(always)]
    fn put_rows<S: Simd>(&mut self, rows: f32x16<S>) {
        rows.store_slice(bytemuck::cast_mut::<_, [f32; 16]>(self));
    }

    #[inline(always)]
    fn move_rows<S: Simd>(&mut self, s: S, parent: &Self) {
        match blocks::mul_rows(s, bytemuck::cast_ref(parent), self.rows_mut()) {
            Some(model) => model.store_slice(bytemuck::cast_mut::<_, [f32; 16]>(self)),
            None => {
                let model = parent.load(s).mul_rows(s, self.rows_mut());
                self.store(s, model);
            }
        }
    }
}

impl MatrixSlot for Mat34 {
    #[inline(always)]
    fn load<S: Simd>(&self, s: S) -> Columns<S> {
        let [p, q, r]: &[[f32; 4]; 3] = bytemuck::cast_ref(self);
        let (p, q, r) = (f32x4::from_slice(s, p), f32x4::from_slice(s, q), f32x4::from_slice(s, r));
        Columns([p, p.slide::<3>(q), q.slide::<2>(r), r.slide::<1>(r)])
    }

    #[inline(always)]
    fn store<S: Simd>(&mut self, s: S, m: Columns<S>) {
        let out: &mut [[f32; 4]; 3] = bytemuck::cast_mut(self);
        let [a, b, c, d] = m.0;
        let none = f32x4::splat(s, 0.0);
        // Three columns of three close up into 4 + 4 + 4, so that a later load of each finds one whole store.
        none.slide::<3>(a).slide::<1>(b).store_slice(&mut out[0]);
        none.slide::<3>(b).slide::<2>(c).store_slice(&mut out[1]);
        none.slide::<3>(c).slide::<3>(d).store_slice(&mut out[2]);
    }

    #[inline(always)]
    fn rows_mut(&mut self) -> &mut [[f32; 4]; 3] {
        bytemuck::cast_mut(self)
    }

    #[inline(always)]
    fn put_rows<S: Simd>(&mut self, rows: f32x16<S>) {
        let [to_xy @ .., to_z]: &mut [[f32; 4]; 3] = self.rows_mut();
        let (xy, z) = rows.split();
        xy.store_slice(to_xy.as_flattened_mut());
        z.split().0.store_slice(to_z);
    }
}
