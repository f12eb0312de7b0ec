//! Triangles, normals and tangents of a primitive.

use super::{
    accessor::Values,
    matrix::{across, direction},
};
use crate::{exact::V3, mesh::fill};

/// The modes of a primitive that are surfaces.
pub(super) const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;

pub(super) fn is_surface(mode: u32) -> bool {
    matches!(mode, TRIANGLES | STRIP | FAN)
}

/// Three indices a triangle.
pub(super) struct Triangles {
    pub(super) indices: Vec<u32>,
    /// Triangles that named a vertex that does not exist.
    pub(super) dropped: usize,
}

/// The triangles of a list, a strip or a fan, all the same way round. Those of a strip or fan that have a corner
/// twice are joints between pieces and are left out.
pub(super) fn triangles(mode: u32, indices: Option<&Values<'_>>, vertices: usize) -> Triangles {
    let corners = indices.map_or(vertices, Values::len);
    let corner = |i: usize| indices.map_or(i as u32, |v| v.whole::<1>(i)[0]);
    let count = if mode == TRIANGLES { corners / 3 } else { corners.saturating_sub(2) };
    let mut out = Triangles { indices: Vec::with_capacity(count.saturating_mul(3)), dropped: 0 };
    for t in 0..count {
        let [a, b, c] = match mode {
            TRIANGLES => [
                t.saturating_mul(3),
                t.saturating_mul(3).saturating_add(1),
                t.saturating_mul(3).saturating_add(2),
            ],
            // Every other triangle of a strip is the other way round.
            STRIP if t.is_multiple_of(2) => [t, t.saturating_add(1), t.saturating_add(2)],
            STRIP => [t, t.saturating_add(2), t.saturating_add(1)],
            _ => [t.saturating_add(1), t.saturating_add(2), 0],
        };
        let triangle = [corner(a), corner(b), corner(c)];
        if triangle.iter().any(|v| *v as usize >= vertices) {
            out.dropped = out.dropped.saturating_add(1);
            continue;
        }
        let [a, b, c] = triangle;
        if mode == TRIANGLES || (a != b && b != c && c != a) {
            out.indices.extend(triangle);
        }
    }
    out
}

/// The vertices that triangles use, in rising order, and the triangles in terms of these. Many primitives may share
/// one list of vertices; each takes only its own.
pub(super) fn compact(indices: Vec<u32>, vertices: usize) -> (Vec<u32>, Vec<u32>) {
    let mut used = indices.clone();
    used.sort_unstable();
    used.dedup();
    if used.len() == vertices {
        return (used, indices);
    }
    let place = |v: &u32| used.binary_search(v).unwrap_or_default() as u32;
    let indices = indices.iter().map(place).collect();
    (used, indices)
}

/// What normals and tangents are worked out from.
pub(super) struct Vertices<'a> {
    /// Where each vertex stands in its accessors.
    pub(super) used: &'a [u32],
    pub(super) positions: &'a [[f32; 3]],
    pub(super) indices: &'a [u32],
}

impl Vertices<'_> {
    /// Unit normals, and how many stored ones have no direction. What is missing follows from the triangles,
    /// large ones counting more.
    pub(super) fn normals(&self, stored: Option<&Values<'_>>) -> (Vec<[f32; 3]>, usize) {
        let mut bad = 0;
        let mut own: Option<Vec<[f32; 3]>> = None;
        let mut out = Vec::with_capacity(self.used.len());
        for (vertex, at) in self.used.iter().enumerate() {
            let given = stored.map(|s| s.get::<3>(*at as usize)).map(|[x, y, z]| V3::new(x, y, z));
            out.push(given.and_then(direction).map(narrow).unwrap_or_else(|| {
                bad = usize::saturating_add(bad, stored.is_some().into());
                let own = own.get_or_insert_with(|| fill::normals(self.positions, self.indices));
                own.get(vertex).copied().unwrap_or([0.0, 1.0, 0.0])
            }));
        }
        (out, bad)
    }

    /// Unit tangents with a handedness of 1 or -1; what is missing is any direction across the normal.
    pub(super) fn tangents(&self, stored: Option<&Values<'_>>, normals: &[[f32; 3]]) -> Vec<[f32; 4]> {
        let one = |(at, normal): (&u32, &[f32; 3])| {
            let [x, y, z, w] = stored.map_or([0.0; 4], |s| s.get::<4>(*at as usize));
            let [nx, ny, nz] = normal.map(f64::from);
            let unit = direction(V3::new(x, y, z)).unwrap_or_else(|| across(V3::new(nx, ny, nz)));
            let [x, y, z] = narrow(unit);
            [x, y, z, if w < 0.0 { -1.0 } else { 1.0 }]
        };
        self.used.iter().zip(normals).map(one).collect()
    }
}

fn narrow(v: V3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}
