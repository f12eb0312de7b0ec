//! What files leave out of their meshes: normals, tangents, weights that sum to 1.

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

/// Up to four joints of a vertex.
pub(crate) struct Strongest {
    pub(crate) joints: [u16; 4],
    /// Falling, with sum 1.
    pub(crate) weights: [f32; 4],
    /// How much of the whole was left out with the weaker ones, in [0, 1].
    #[cfg_attr(not(feature = "fbx"), allow(dead_code, reason = "only the FBX importer warns about it"))]
    pub(crate) left_out: f64,
}

/// The four strongest of a vertex's influences, with sum 1; the same joint twice counts once. Weights that are
/// not above 0 are left out. `None` if nothing is left. `list` comes back sorted.
pub(crate) fn strongest(list: &mut Vec<(u16, f64)>) -> Option<Strongest> {
    list.retain(|(_, w)| *w > 0.0 && w.is_finite());
    list.sort_by_key(|(joint, _)| *joint);
    list.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1 += later.1;
        }
        same
    });
    // Falling; equal ones in the order of joints.
    list.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all: f64 = list.iter().map(|(_, w)| w).sum();
    let kept: f64 = list.iter().take(4).map(|(_, w)| w).sum();
    if !(kept > 0.0 && all.is_finite()) {
        return None;
    }
    let mut out = Strongest { joints: [0; 4], weights: [0.0; 4], left_out: (all - kept) / all };
    for (to, (joint, weight)) in list.iter().take(4).enumerate() {
        let share = (weight / kept) as f32;
        if share > 0.0 {
            out.joints[to] = *joint;
            out.weights[to] = share;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_strongest_stay_and_sum_to_1() {
        let mut list =
            vec![(7, 0.1), (3, 0.2), (9, 0.4), (3, 0.2), (1, 0.05), (2, 0.05), (5, f64::NAN), (6, -1.0)];
        let s = strongest(&mut list).unwrap();
        assert_eq!(s.joints, [3, 9, 7, 1]);
        assert!((s.weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(s.weights.is_sorted_by(|a, b| a >= b));
        assert!((s.left_out - 0.05).abs() < 1e-12);
        assert!(strongest(&mut vec![(1, 0.0), (2, f64::INFINITY)]).is_none());
        assert!(strongest(&mut Vec::new()).is_none());
        // What vanishes in f32 names no joint.
        let s = strongest(&mut vec![(1, 1.0), (2, 1e-300)]).unwrap();
        assert_eq!((s.joints, s.weights), ([1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]));
    }

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
