//! Poses in plain numbers: what keys are made from and compared by, outside of frames.

use lissom::{
    Skeleton,
    math::{
        Mat4,
        soa::{GROUP, SoaTransform},
    },
};
use lissom_motion::crowd::PaletteRows;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub q: [f32; 4],
    pub t: [f32; 3],
    pub s: [f32; 3],
}

pub(crate) type Pose = Vec<Local>;

pub(crate) fn local(group: &SoaTransform, lane: usize) -> Local {
    let SoaTransform { translation: t, rotation: q, scale: s } = group;
    Local {
        q: [q.x.0[lane], q.y.0[lane], q.z.0[lane], q.w.0[lane]],
        t: [t.x.0[lane], t.y.0[lane], t.z.0[lane]],
        s: [s.x.0[lane], s.y.0[lane], s.z.0[lane]],
    }
}

pub(crate) fn rest(skeleton: &Skeleton) -> Pose {
    let rest = skeleton.rest_pose();
    (0..skeleton.joint_count()).map(|joint| local(&rest[joint / GROUP], joint % GROUP)).collect()
}

pub(crate) fn dot(a: [f32; 4], b: [f32; 4]) -> f32 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
}

/// Between two rows, as the shader does it.
pub(crate) fn mix(a: &Local, b: &Local, part: f32) -> Local {
    let left = 1.0 - part;
    let sign = if dot(a.q, b.q) < 0.0 { -part } else { part };
    let q: [f32; 4] = core::array::from_fn(|i| a.q[i] * left + b.q[i] * sign);
    let by = 1.0 / dot(q, q).sqrt();
    Local {
        q: q.map(|v| v * by),
        t: core::array::from_fn(|i| a.t[i] * left + b.t[i] * part),
        s: core::array::from_fn(|i| a.s[i] * left + b.s[i] * part),
    }
}

/// Rows of the affine matrix of a local transform, in f64.
fn matrix(of: &Local) -> [[f64; 4]; 3] {
    let [x, y, z, w] = of.q.map(f64::from);
    let [a, b, c] = of.s.map(f64::from);
    let [tx, ty, tz] = of.t.map(f64::from);
    [
        [(1.0 - 2.0 * (y * y + z * z)) * a, 2.0 * (x * y - w * z) * b, 2.0 * (x * z + w * y) * c, tx],
        [2.0 * (x * y + w * z) * a, (1.0 - 2.0 * (x * x + z * z)) * b, 2.0 * (y * z - w * x) * c, ty],
        [2.0 * (x * z - w * y) * a, 2.0 * (y * z + w * x) * b, (1.0 - 2.0 * (x * x + y * y)) * c, tz],
    ]
}

pub(crate) fn models(skeleton: &Skeleton, pose: &Pose, out: &mut Vec<[[f64; 4]; 3]>) {
    out.clear();
    for (joint, local) in pose.iter().enumerate() {
        let own = matrix(local);
        let model = match skeleton.parent(joint) {
            None => own,
            Some(parent) => {
                let p = out[parent];
                core::array::from_fn(|r| {
                    core::array::from_fn(|c| {
                        let moved = if c == 3 { p[r][3] } else { 0.0 };
                        (p[r][0] * own[0][c] + p[r][1] * own[1][c]) + (p[r][2] * own[2][c] + moved)
                    })
                })
            }
        };
        out.push(model);
    }
}

/// The largest distance between joints, and between points 0.1 m beside them.
pub(crate) fn apart_m(a: &[[[f64; 4]; 3]], b: &[[[f64; 4]; 3]]) -> f64 {
    let mut worst = 0.0;
    for (a, b) in a.iter().zip(b) {
        for beside in [[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]] {
            let mut sum = 0.0;
            for (a, b) in a.iter().zip(b) {
                let d = |i: usize| a[i] - b[i];
                let off = (d(0) * beside[0] + d(1) * beside[1]) + (d(2) * beside[2] + d(3));
                sum += off * off;
            }
            let off = sum.sqrt();
            // NaN is the worst of all.
            if off > worst || off.is_nan() {
                worst = off;
            }
        }
    }
    worst
}

/// The largest distance that two palettes carry points at and beside joints apart. `places` are the joints' places in the space of the
/// palettes' vertices.
#[cfg(feature = "wgpu")]
pub(crate) fn palettes_apart_m(a: &[PaletteRows], b: &[PaletteRows], places: &[[f32; 3]]) -> f64 {
    let mut worst = 0.0;
    for ((a, b), place) in a.iter().zip(b).zip(places) {
        for beside in [[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]] {
            let p: [f64; 3] = core::array::from_fn(|i| f64::from(place[i]) + beside[i]);
            let mut sum = 0.0;
            for (a, b) in a.iter().zip(b) {
                let d = |i: usize| f64::from(a[i]) - f64::from(b[i]);
                let off = (d(0) * p[0] + d(1) * p[1]) + (d(2) * p[2] + d(3));
                sum += off * off;
            }
            let off = sum.sqrt();
            if off > worst || off.is_nan() {
                worst = off;
            }
        }
    }
    worst
}

/// Where joints stand in the space of the vertices that an inverse bind matrix takes to them; the origin where it cannot be told.
#[cfg(feature = "wgpu")]
pub(crate) fn bind_places(binds: &[PaletteRows]) -> Vec<[f32; 3]> {
    binds
        .iter()
        .map(|m| {
            let m = m.map(|row| row.map(f64::from));
            let cofactor = |r: usize, c: usize| {
                let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
                m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
            };
            let determinant = (0..3).map(|c| m[0][c] * cofactor(0, c)).sum::<f64>();
            if determinant.abs() < 1.0e-12 {
                return [0.0; 3];
            }
            let at = |i: usize| -(0..3).map(|r| cofactor(r, i) * m[r][3]).sum::<f64>() / determinant;
            [at(0) as f32, at(1) as f32, at(2) as f32]
        })
        .collect()
}

/// The box of spheres under a palette; `None` without spheres.
pub(crate) fn box_of(palette: &[PaletteRows], spheres: &[[f32; 4]]) -> Option<[[f32; 3]; 2]> {
    let mut found: Option<[[f32; 3]; 2]> = None;
    for (rows, [x, y, z, radius]) in palette.iter().zip(spheres).filter(|(_, sphere)| sphere[3] >= 0.0) {
        let corner = |sign: f32| -> [f32; 3] {
            core::array::from_fn(|i| {
                let [a, b, c, d] = rows[i];
                let middle = (a * x + b * y) + (c * z + d);
                middle + sign * radius * (a * a + b * b + c * c).sqrt()
            })
        };
        let (low, high) = (corner(-1.0), corner(1.0));
        found = Some(match found {
            None => [low, high],
            Some([a, b]) => [
                core::array::from_fn(|i| if low[i] < a[i] { low[i] } else { a[i] }),
                core::array::from_fn(|i| if high[i] > b[i] { high[i] } else { b[i] }),
            ],
        });
    }
    found
}

/// A place (rotation, translation, spare) as rows.
pub(crate) fn place_rows([x, y, z, w, tx, ty, tz, _]: &[f32; 8]) -> PaletteRows {
    let local = Local { q: [*x, *y, *z, *w], t: [*tx, *ty, *tz], s: [1.0; 3] };
    matrix(&local).map(|row| row.map(|v| v as f32))
}

/// One after the other: `a` of `b`.
pub(crate) fn product(a: &PaletteRows, b: &PaletteRows) -> PaletteRows {
    core::array::from_fn(|r| {
        core::array::from_fn(|c| {
            let moved = if c == 3 { a[r][3] } else { 0.0 };
            (a[r][0] * b[0][c] + a[r][1] * b[1][c]) + (a[r][2] * b[2][c] + moved)
        })
    })
}

pub(crate) fn rows_of(m: &Mat4) -> PaletteRows {
    let m = m.to_cols_array();
    core::array::from_fn(|r| core::array::from_fn(|c| m[c * 4 + r]))
}
