//! From a signed distance to triangles: surface nets, then vertices pulled onto the surface.

use crate::exact::{V3, larger};
use std::collections::BTreeMap;

/// A distance, negative inside.
pub(super) type Field<'a> = dyn Fn(V3) -> f64 + 'a;

/// Vertices on the zero surface, and triangles counter-clockwise from outside.
pub(super) struct Surface {
    pub(super) positions: Vec<V3>,
    pub(super) indices: Vec<u32>,
}

/// Cuts the box `min..max` into cells and puts a vertex in each cell that the surface passes.
pub(super) fn extract(field: &Field<'_>, min: V3, max: V3, cell: f64) -> Surface {
    let count = |a: f64, b: f64| ((b - a) / cell).ceil() as usize + 1;
    let n = [count(min.x, max.x), count(min.y, max.y), count(min.z, max.z)];
    let corner = |x: usize, y: usize, z: usize| min + V3::new(x as f64, y as f64, z as f64) * cell;
    let at = |x: usize, y: usize, z: usize| (z * n[1] + y) * n[0] + x;
    let mut values = Vec::with_capacity(n[0] * n[1] * n[2]);
    for z in 0..n[2] {
        for y in 0..n[1] {
            for x in 0..n[0] {
                values.push(field(corner(x, y, z)));
            }
        }
    }
    // One vertex a cell: the mean of the places where its edges cross the surface.
    let mut vertex_of_cell = BTreeMap::new();
    let mut positions = Vec::new();
    for z in 0..n[2] - 1 {
        for y in 0..n[1] - 1 {
            for x in 0..n[0] - 1 {
                let corners: [(usize, usize, usize); 8] =
                    core::array::from_fn(|i| (x + (i & 1), y + (i >> 1 & 1), z + (i >> 2 & 1)));
                let v = corners.map(|(x, y, z)| values[at(x, y, z)]);
                let (mut sum, mut crossings) = (V3::ZERO, 0.0);
                for (a, b) in EDGES {
                    if (v[a] < 0.0) != (v[b] < 0.0) {
                        let t = v[a] / (v[a] - v[b]);
                        let place = |(x, y, z): (usize, usize, usize)| corner(x, y, z);
                        sum = sum + place(corners[a]).lerp(place(corners[b]), t);
                        crossings += 1.0;
                    }
                }
                if crossings > 0.0 {
                    vertex_of_cell.insert(at(x, y, z), positions.len() as u32);
                    positions.push(sum * (1.0 / crossings));
                }
            }
        }
    }
    // One quad for each grid edge that crosses: the four cells around it.
    let mut indices = Vec::new();
    let step = [at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)];
    for z in 1..n[2] - 1 {
        for y in 1..n[1] - 1 {
            for x in 1..n[0] - 1 {
                let here = at(x, y, z);
                for axis in 0..3 {
                    let (inside, beyond) = (values[here] < 0.0, values[here + step[axis]] < 0.0);
                    if inside == beyond {
                        continue;
                    }
                    let (u, v) = (step[(axis + 1) % 3], step[(axis + 2) % 3]);
                    let mut quad = [here - u - v, here - v, here, here - u].map(|c| vertex_of_cell[&c]);
                    if !inside {
                        quad.reverse();
                    }
                    // Along the shorter diagonal.
                    let p = quad.map(|i| positions[i as usize]);
                    let [a, b, c, d] = quad;
                    if (p[0] - p[2]).length() <= (p[1] - p[3]).length() {
                        indices.extend([a, b, c, a, c, d]);
                    } else {
                        indices.extend([a, b, d, b, c, d]);
                    }
                }
            }
        }
    }
    let mut surface = Surface { positions, indices };
    for _ in 0..3 {
        surface.relax();
        surface.project(field, cell);
    }
    surface
}

/// Pairs of cell corners that differ in one coordinate.
const EDGES: [(usize, usize); 12] =
    [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7)];

/// The direction of steepest ascent, not normalised, by differences over `h`.
pub(super) fn gradient(field: &Field<'_>, p: V3, h: f64) -> V3 {
    let along = |d: V3| (field(p + d) - field(p - d)) / (2.0 * h);
    V3::new(along(V3::X * h), along(V3::Y * h), along(V3::Z * h))
}

impl Surface {
    /// Moves every vertex half way to the mean of its neighbours: evens out the cells' pattern.
    fn relax(&mut self) {
        let mut sums = vec![(V3::ZERO, 0.0); self.positions.len()];
        for t in self.indices.chunks_exact(3) {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                let sum = &mut sums[a as usize];
                *sum = (sum.0 + self.positions[b as usize], sum.1 + 1.0);
            }
        }
        for (p, (sum, count)) in self.positions.iter_mut().zip(sums) {
            if count > 0.0 {
                *p = p.lerp(sum * (1.0 / count), 0.5);
            }
        }
    }

    /// Newton steps onto the zero surface, none longer than half a cell.
    fn project(&mut self, field: &Field<'_>, cell: f64) {
        for p in &mut self.positions {
            for _ in 0..2 {
                let g = gradient(field, *p, 1e-4);
                let step = g * (-field(*p) / larger(g.dot(g), 1e-6));
                let long = step.length();
                *p = *p + if long > cell * 0.5 { step * (cell * 0.5 / long) } else { step };
            }
        }
    }
}
