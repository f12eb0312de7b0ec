//! What files leave out of their meshes: normals, tangents.

use crate::exact::V3;

fn v3([x, y, z]: [f32; 3]) -> V3 {
    V3::new(f64::from(x), f64::from(y), f64::from(z))
}

fn narrow(v: V3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// The corners of a triangle, where all three exist.
fn corners(triangle: &[u32; 3], vertices: usize) -> Option<[usize; 3]> {
    let corners = triangle.map(|i| i as usize);
    corners.iter().all(|i| *i < vertices).then_some(corners)
}

/// A normal a vertex: the mean of its triangles' normals, by area. Up where there is no triangle.
pub(crate) fn normals(positions: &[[f32; 3]], indices: &[u32]) -> Vec<[f32; 3]> {
    let mut sums = vec![V3::ZERO; positions.len()];
    for triangle in indices.as_chunks().0 {
        let Some([a, b, c]) = corners(triangle, positions.len()) else { continue };
        let p = |i: usize| v3(positions[i]);
        let area = (p(b) - p(a)).cross(p(c) - p(a));
        for corner in [a, b, c] {
            sums[corner] = sums[corner] + area;
        }
    }
    sums.into_iter().map(|n| narrow(n.normalize_or(V3::Y))).collect()
}

/// A tangent a vertex, along the first texture coordinate where there are such (`uvs` is one a vertex, or
/// empty) and they say anything; any direction across the normal elsewhere.
pub(crate) fn tangents(
    positions: &[[f32; 3]],
    normals: &[[f32; 3]],
    uvs: &[[f32; 2]],
    indices: &[u32],
) -> Vec<[f32; 4]> {
    let mut along = vec![[V3::ZERO; 2]; positions.len()];
    for triangle in indices.as_chunks().0 {
        let Some([a, b, c]) = corners(triangle, positions.len().min(uvs.len())) else { continue };
        let p = |i: usize| v3(positions[i]);
        let uv = |i: usize| (f64::from(uvs[i][0]), f64::from(uvs[i][1]));
        let (e1, e2) = (p(b) - p(a), p(c) - p(a));
        let ((u0, v0), (u1, v1), (u2, v2)) = (uv(a), uv(b), uv(c));
        let (u1, v1, u2, v2) = (u1 - u0, v1 - v0, u2 - u0, v2 - v0);
        let det = u1 * v2 - u2 * v1;
        if det == 0.0 || !det.is_finite() {
            continue;
        }
        // Only directions matter, so the sign of the determinant is enough: large triangles count more.
        let sign = if det < 0.0 { -1.0 } else { 1.0 };
        let tangent = (e1 * v2 - e2 * v1) * sign;
        let bitangent = (e2 * u1 - e1 * u2) * sign;
        for corner in [a, b, c] {
            let [t, s] = along[corner];
            along[corner] = [t + tangent, s + bitangent];
        }
    }
    let settle = |(normal, [tangent, bitangent]): (&[f32; 3], &[V3; 2])| {
        let n = v3(*normal);
        let flat = *tangent - n * n.dot(*tangent);
        let across = if n.x.abs() < 0.9 { V3::X } else { V3::Y };
        let fallback = (across - n * n.dot(across)).normalize_or(V3::X);
        let known = flat.is_finite() && flat.length() > 1e-6 * tangent.length();
        let t = if known { flat.normalize_or(fallback) } else { fallback };
        let left = known && n.cross(t).dot(*bitangent) < 0.0;
        [t.x as f32, t.y as f32, t.z as f32, if left { -1.0 } else { 1.0 }]
    };
    normals.iter().zip(&along).map(settle).collect()
}

/// A unit vector, or `None` where it has no direction.
pub(crate) fn unit(v: V3) -> Option<[f32; 3]> {
    let length = v.length();
    (length.is_finite() && length > 1e-12).then(|| narrow(v * (1.0 / length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_and_tangents_of_a_square_point_the_right_way() {
        let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [9.0, 9.0, 9.0]];
        let indices = [0, 1, 2, 0, 2, 3, 0, 0, 4, 0, 1, 77];
        let n = normals(&positions, &indices);
        assert_eq!(n[..4], [[0.0, 0.0, 1.0]; 4]);
        assert_eq!(n[4], [0.0, 1.0, 0.0]);
        // u runs along y, v along x: a mirrored mapping.
        let uvs = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];
        let t = tangents(&positions, &n, &uvs, &indices);
        assert_eq!(t[..4], [[0.0, 1.0, 0.0, -1.0]; 4]);
        assert_eq!(t[4], [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(tangents(&positions, &n, &[], &indices)[0], [1.0, 0.0, 0.0, 1.0]);
    }
}
