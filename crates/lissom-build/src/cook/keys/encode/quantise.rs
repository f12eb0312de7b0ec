//! From values to integers, and what it takes to come back.

use crate::{
    cook::keys::plan::{PlanKeys, PlanTrack},
    exact::{Q4, SMALLEST, V3, flush, larger, smaller},
    raw::Curve,
};
use lissom::math::{Quat, Vec3};

/// A channel as integers.
pub(super) struct Quantised {
    pub curve: Curve,
    /// (row, x y z)
    pub keys: Vec<(u32, [i32; 3])>,
    /// What the player needs to decode a lane: base and step, or mean and step.
    pub constants: Vec<f32>,
}

/// The value of a constant channel.
pub(super) struct Constant(pub Vec<f32>);

/// The value of a channel with one key.
pub(super) fn constant(keys: &PlanKeys) -> Option<Constant> {
    let vector = |v: V3| Constant(v.to_f32().to_array().to_vec());
    match keys {
        PlanKeys::Translation(t) | PlanKeys::Scale(t) if t.keys.len() == 1 => Some(vector(t.keys[0].1)),
        PlanKeys::Rotation(t) if t.keys.len() == 1 => {
            let q = t.keys[0].1.normalize().to_f32();
            Some(Constant(vec![q.x, q.y, q.z, q.w]))
        }
        _ => None,
    }
}

/// The integers of a channel; the tolerance comes back where f32 cannot meet it.
pub(super) fn quantise(keys: &PlanKeys) -> Result<Quantised, f64> {
    match keys {
        PlanKeys::Translation(t) | PlanKeys::Scale(t) => vectors(t),
        PlanKeys::Rotation(t) => rotations(t),
    }
}

/// The largest integer a key may have: beyond it an f32 product is no longer exact enough.
const LARGEST: f64 = 8_388_607.0;

/// How often a step is halved before the tolerance is given up.
const HALVINGS: u32 = 8;

/// Bases below this are 0: above it, base + n · step is 0 or, f32 having 24 bits, at least [`SMALLEST`].
const SMALLEST_BASE: f32 = SMALLEST * 16_777_216.0;

/// Parts of a mean below this are 0: above it, times a parameter (at least 1 / [`LARGEST`]), it is at least
/// [`SMALLEST`].
const SMALLEST_MEAN: f32 = SMALLEST * LARGEST as f32;

/// base + n · step, the same step for x, y and z.
fn vectors(track: &PlanTrack<V3>) -> Result<Quantised, f64> {
    let low = track.keys.iter().map(|k| k.1).fold(V3::ONE * f64::INFINITY, |a, b| each(a, b, smaller));
    let high = track.keys.iter().map(|k| k.1).fold(V3::ONE * -f64::INFINITY, |a, b| each(a, b, larger));
    let base = ((low + high) * 0.5).to_f32().to_array().map(|c| flush(c, SMALLEST_BASE));
    let base = Vec3::from_array(base);
    let center = V3::from_f32(base);
    // A cube of half-size step / 2 around the value lies inside the ball of the tolerance.
    let mut step = (track.tolerance * 2.0 / 3_f64.sqrt()) as f32;
    for _ in 0..HALVINGS {
        let wide = f64::from(step);
        if step >= SMALLEST
            && (larger(larger(high.x - low.x, high.y - low.y), high.z - low.z) / wide) < LARGEST
        {
            let ints = |v: V3| {
                [v.x - center.x, v.y - center.y, v.z - center.z].map(|d| libm::round(d / wide) as i32)
            };
            let decoded = |n: [i32; 3]| {
                // In f32, as the player does it.
                let v = [base.x, base.y, base.z];
                let [x, y, z] = core::array::from_fn(|c| f64::from(v[c] + n[c] as f32 * step));
                V3::new(x, y, z)
            };
            let keys: Vec<_> = track.keys.iter().map(|(row, v)| (*row, ints(*v))).collect();
            let met =
                |(n, v): (&(u32, [i32; 3]), &(u32, V3))| (decoded(n.1) - v.1).length() <= track.tolerance;
            if keys.iter().zip(&track.keys).all(met) {
                return Ok(Quantised {
                    curve: track.curve,
                    keys,
                    constants: vec![base.x, base.y, base.z, step],
                });
            }
        }
        step *= 0.5;
    }
    Err(track.tolerance)
}

/// mean · r, r as modified Rodrigues parameters n · step: axis · tan(angle / 4), within half a turn of the mean.
fn rotations(track: &PlanTrack<Q4>) -> Result<Quantised, f64> {
    let first = track.keys.first().map_or(Q4::IDENTITY, |k| k.1.normalize());
    let sum = track.keys.iter().fold(Q4::new(0.0, 0.0, 0.0, 0.0), |s, k| s.plus(k.1.normalize().near(first)));
    let mean = if sum.dot(sum) > 1e-6 { sum.normalize() } else { first }.to_f32();
    let mean = Quat::from_array(mean.to_array().map(|c| flush(c, SMALLEST_MEAN)));
    let inverse = Q4::from_f32(mean).normalize().conjugate();
    // An angle is at least four times what it is as a parameter.
    let mut step = (track.tolerance * 0.5 / 3_f64.sqrt()) as f32;
    for _ in 0..HALVINGS {
        let wide = f64::from(step);
        if wide > 0.0 && 1.0 / wide < LARGEST {
            let ints = |q: Q4| {
                let r = (inverse * q.normalize()).near(Q4::IDENTITY);
                [r.x, r.y, r.z].map(|c| libm::round(c / (1.0 + r.w) / wide) as i32)
            };
            let decoded = |n: [i32; 3]| {
                let [x, y, z] = n.map(|c| c as f32 * step);
                let squared = (x * x + y * y) + z * z;
                let inv = 1.0 / (1.0 + squared);
                let k = inv + inv;
                let r = [x * k, y * k, z * k, (1.0 - squared) * inv];
                let r = Quat::from_xyzw(r[0], r[1], r[2], r[3]);
                Q4::from_f32(lissom::math::scalar::quat_mul(mean, r))
            };
            let keys: Vec<_> = track.keys.iter().map(|(row, q)| (*row, ints(*q))).collect();
            let met = |(n, q): (&(u32, [i32; 3]), &(u32, Q4))| {
                // Half the chord is the sine of a quarter of the angle: exact for small angles, unlike acos.
                let (a, b) = (decoded(n.1).normalize(), q.1.normalize());
                let d = a.plus(b.near(a).scaled(-1.0));
                4.0 * libm::asin(0.5 * d.dot(d).sqrt()) <= track.tolerance
            };
            if keys.iter().zip(&track.keys).all(met) {
                return Ok(Quantised {
                    curve: track.curve,
                    keys,
                    constants: vec![mean.x, mean.y, mean.z, mean.w, step],
                });
            }
        }
        step *= 0.5;
    }
    Err(track.tolerance)
}

fn each(a: V3, b: V3, f: fn(f64, f64) -> f64) -> V3 {
    V3::new(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z))
}
