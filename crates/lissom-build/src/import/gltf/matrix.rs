//! Arithmetic on vectors and matrices: a matrix as translation, rotation and scale.
#![allow(clippy::arithmetic_side_effects, reason = "floats alone: nothing can overflow into a panic")]

use crate::exact::{M34, Q4, Trs, V3};

/// Cosines between axes up to this are rounding of a matrix stored in f32 with few digits.
const RIGHT_ANGLE: f64 = 1e-4;

/// Sixteen numbers, column by column, as glTF stores them.
pub(super) fn from_columns(m: &[f64; 16]) -> (M34, bool) {
    let [a, b, c, d, e, f, g, h, i, j, k, l, x, y, z, w] = *m;
    let columns = [V3::new(a, b, c), V3::new(e, f, g), V3::new(i, j, k), V3::new(x, y, z)];
    let affine = [d, h, l].iter().all(|v| v.abs() <= 1e-6) && (w - 1.0).abs() <= 1e-6;
    (M34 { columns }, affine)
}

/// Translation, rotation and scale; a mirrored matrix gets one negative scale (x). Shear is left out.
pub(super) fn decompose(m: &M34) -> (Trs, bool) {
    let [x, y, z, translation] = m.columns;
    let mut scale = V3::new(x.length(), y.length(), z.length());
    if x.cross(y).dot(z) < 0.0 {
        scale.x = -scale.x;
    }
    let unit = |axis: V3, length: f64| if length == 0.0 { None } else { Some(axis * (1.0 / length)) };
    let (ux, uy, uz) = (unit(x, scale.x), unit(y, scale.y), unit(z, scale.z));
    let leaning = |a: Option<V3>, b: Option<V3>| a.zip(b).is_some_and(|(a, b)| a.dot(b).abs() > RIGHT_ANGLE);
    let shear = leaning(ux, uy) || leaning(uy, uz) || leaning(uz, ux);
    // Axes without length follow from the others; three without are not turned.
    let (ax, ay) = match (ux, uy, uz) {
        (Some(x), Some(y), _) => (x, y),
        (Some(x), None, Some(z)) => (x, z.cross(x)),
        (None, Some(y), Some(z)) => (y.cross(z), y),
        (Some(x), None, None) => (x, across(x)),
        (None, Some(y), None) => (across(y), y),
        (None, None, Some(z)) => {
            let x = across(z);
            (x, z.cross(x))
        }
        (None, None, None) => (V3::X, V3::Y),
    };
    // Right angles again, starting from x.
    let ax = ax.normalize_or(V3::X);
    let ay = (ay - ax * ax.dot(ay)).normalize_or(across(ax));
    (Trs { translation, rotation: rotation(ax, ay, ax.cross(ay)), scale }, shear)
}

/// A unit vector at a right angle to another.
pub(super) fn across(v: V3) -> V3 {
    let other = if v.x.abs() < 0.6 { V3::X } else { V3::Y };
    v.cross(other).normalize_or(V3::Z)
}

/// Unit length, if there is any and it is finite.
pub(super) fn direction(v: V3) -> Option<V3> {
    let length = v.length();
    (length > 1e-30 && length.is_finite()).then(|| v * (1.0 / length))
}

/// The rotation that takes x, y, z to three unit vectors at right angles: from the largest of the four
/// components, whose square is at least a quarter.
fn rotation(x: V3, y: V3, z: V3) -> Q4 {
    let trace = x.x + y.y + z.z;
    let q = if trace > 0.0 {
        Q4::new(y.z - z.y, z.x - x.z, x.y - y.x, 1.0 + trace)
    } else if x.x >= y.y && x.x >= z.z {
        Q4::new(1.0 + x.x - y.y - z.z, x.y + y.x, z.x + x.z, y.z - z.y)
    } else if y.y >= z.z {
        Q4::new(x.y + y.x, 1.0 + y.y - z.z - x.x, y.z + z.y, z.x - x.z)
    } else {
        Q4::new(z.x + x.z, y.z + z.y, 1.0 + z.z - x.x - y.y, x.y - y.x)
    };
    q.normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_comes_apart_into_what_it_was_made_of() {
        let turns = [
            V3::X,
            V3::Y,
            V3::Z,
            V3::new(1.0, 2.0, -3.0).normalize_or(V3::X),
            V3::new(-1.0, 0.5, 0.1).normalize_or(V3::X),
        ];
        for axis in turns {
            for angle in [0.0, 0.3, 1.5, 2.9, 3.13, -2.0] {
                for scale in
                    [V3::ONE, V3::new(2.0, 0.5, 7.0), V3::new(-1.0, 1.0, 3.0), V3::new(1.0, 1.0, -2.0)]
                {
                    let made = Trs {
                        translation: V3::new(1.0, -2.0, 3.0),
                        rotation: Q4::from_axis_angle(axis, angle),
                        scale,
                    };
                    let m = made.to_m34();
                    let (found, shear) = decompose(&m);
                    assert!(!shear);
                    for (a, b) in found.to_m34().columns.into_iter().zip(m.columns) {
                        assert!((a - b).length() < 1e-12, "{made:?} became {found:?}");
                    }
                    let mirrored = scale.x * scale.y * scale.z < 0.0;
                    assert_eq!(found.scale.x < 0.0, mirrored, "a mirror is one negative scale");
                    assert!(found.scale.y > 0.0 && found.scale.z > 0.0);
                }
            }
        }
    }

    #[test]
    fn axes_without_length_still_give_a_rotation() {
        for scale in [
            V3::new(0.0, 1.0, 2.0),
            V3::new(3.0, 0.0, 1.0),
            V3::new(1.0, 1.0, 0.0),
            V3::new(0.0, 0.0, 1.0),
            V3::new(0.0, 2.0, 0.0),
            V3::new(1.0, 0.0, 0.0),
            V3::ZERO,
        ] {
            let made =
                Trs { rotation: Q4::from_axis_angle(V3::new(0.6, 0.8, 0.0), 1.0), scale, translation: V3::Y };
            let (found, shear) = decompose(&made.to_m34());
            assert!(!shear && (found.rotation.dot(found.rotation) - 1.0).abs() < 1e-12);
            for (a, b) in found.to_m34().columns.into_iter().zip(made.to_m34().columns) {
                assert!((a - b).length() < 1e-12, "{made:?} became {found:?}");
            }
        }
    }

    #[test]
    fn shear_is_seen() {
        let m = M34 { columns: [V3::X, V3::new(0.3, 1.0, 0.0), V3::Z, V3::ZERO] };
        let (found, shear) = decompose(&m);
        assert!(shear && found.is_finite());
        let (_, affine) =
            from_columns(&[1.0, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert!(!affine);
    }
}
