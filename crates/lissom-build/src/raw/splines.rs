//! Other cubic curves as cubics with tangents.

use super::{Channel, Curve, Key, Tangents, Value};

impl<V: Value> Channel<V> {
    /// Bézier segments: per key `(time, value, handle before, handle after)`. Handles are values; they stand at
    /// a third of the way to the neighbouring key. The first handle before and the last after play no part.
    pub fn from_bezier(keys: impl IntoIterator<Item = (f64, V, V, V)>) -> Self {
        let keys: Vec<_> = keys.into_iter().collect();
        let third = |a: f64, b: f64| if b > a { 3.0 / (b - a) } else { 0.0 };
        let tangents = (0..keys.len()).map(|i| {
            let (time_s, value, before, after) = keys[i];
            let into = i.checked_sub(1).map_or(0.0, |p| third(keys[p].0, time_s));
            let out = keys.get(i + 1).map_or(0.0, |n| third(time_s, n.0));
            Tangents { into: V::mix(value, into, before, -into), out: V::mix(after, out, value, -out) }
        });
        let tangents = tangents.collect();
        let keys = keys.iter().map(|(time_s, value, ..)| Key { time_s: *time_s, value: *value }).collect();
        Self { curve: Curve::Cubic, keys, tangents }
    }

    /// A uniform cubic B-spline: one control point every `spacing_s` seconds from `start_s` on. The curve has
    /// continuous acceleration; it starts at the first point and ends at the last (which are mirrored beyond
    /// the ends), and passes near the others. Rotations are first put on one hemisphere.
    pub fn from_b_spline(start_s: f64, spacing_s: f64, points: &[V]) -> Self {
        let mut aligned: Vec<V> = Vec::with_capacity(points.len());
        for point in points {
            aligned.push(aligned.last().map_or(*point, |before| point.near(*before)));
        }
        let mut out = Self { curve: Curve::Cubic, keys: Vec::new(), tangents: Vec::new() };
        for (i, here) in aligned.iter().copied().enumerate() {
            let before = i.checked_sub(1).map(|b| aligned[b]);
            let after = aligned.get(i + 1).copied();
            // Beyond an end, the point that makes the curve end there.
            let beyond = |other: Option<V>| other.map_or(here, |o| V::mix(here, 2.0, o, -1.0));
            let (p, n) = (before.unwrap_or_else(|| beyond(after)), after.unwrap_or_else(|| beyond(before)));
            let value = V::mix(here, 4.0 / 6.0, V::mix(p, 1.0 / 6.0, n, 1.0 / 6.0), 1.0);
            let slope = V::mix(n, 0.5 / spacing_s, p, -0.5 / spacing_s);
            out.keys.push(Key { time_s: start_s + spacing_s * i as f64, value });
            out.tangents.push(Tangents { into: slope, out: slope });
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{Q4, V3};

    #[test]
    fn a_bezier_meets_the_bernstein_polynomials() {
        let p =
            [V3::new(0.0, 1.0, 2.0), V3::new(3.0, -1.0, 0.0), V3::new(1.0, 4.0, 2.0), V3::new(5.0, 5.0, 5.0)];
        let q = [p[3], V3::new(9.0, 6.0, 8.0), V3::new(1.0, 1.0, 1.0), V3::ZERO];
        let c = Channel::from_bezier([
            (0.5, p[0], p[0], p[1]),
            (2.0, p[3], p[2], q[1]),
            (2.25, q[3], q[2], q[3]),
        ]);
        let bernstein = |p: [V3; 4], t: f64| {
            let s = 1.0 - t;
            p[0] * (s * s * s) + p[1] * (3.0 * s * s * t) + p[2] * (3.0 * s * t * t) + p[3] * (t * t * t)
        };
        for i in 0..=50 {
            let t = f64::from(i) / 50.0;
            assert!((c.sample(0.5 + 1.5 * t).unwrap() - bernstein(p, t)).length() < 1e-12);
            assert!((c.sample(2.0 + 0.25 * t).unwrap() - bernstein(q, t)).length() < 1e-12);
        }
    }

    #[test]
    fn a_b_spline_meets_its_basis_functions_and_its_ends() {
        let points: Vec<V3> = [0.0, 2.0, -1.0, 5.0, 4.0].map(|v| V3::new(v, v * v, 1.0)).into();
        let c = Channel::from_b_spline(1.0, 0.5, &points);
        assert!((c.sample(1.0).unwrap() - points[0]).length() < 1e-12);
        assert!((c.sample(3.0).unwrap() - points[4]).length() < 1e-12);
        for i in 0..=20 {
            let t = f64::from(i) / 20.0;
            let s = 1.0 - t;
            let basis = [
                s * s * s,
                3.0 * t * t * t - 6.0 * t * t + 4.0,
                -3.0 * t * t * t + 3.0 * t * t + 3.0 * t + 1.0,
                t * t * t,
            ];
            let value = (0..4).fold(V3::ZERO, |sum, k| sum + points[k] * (basis[k] / 6.0));
            assert!((c.sample(1.5 + 0.5 * t).unwrap() - value).length() < 1e-12);
        }
        assert_eq!(Channel::from_b_spline(0.0, 1.0, &[V3::ONE]).sample(0.0), Some(V3::ONE));
    }

    #[test]
    fn a_b_spline_of_rotations_does_not_mind_signs() {
        let q = |i: i32| Q4::from_axis_angle(V3::Z, 0.4 * f64::from(i));
        let plain = Channel::from_b_spline(0.0, 1.0, &[q(0), q(1), q(2), q(3)]);
        let flipped = Channel::from_b_spline(0.0, 1.0, &[q(0), q(1).scaled(-1.0), q(2), q(3).scaled(-1.0)]);
        assert_eq!(plain, flipped);
    }
}
