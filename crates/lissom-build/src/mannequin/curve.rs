//! Smooth curves through a few chosen values, and small waves.

use crate::exact::clamp;
use core::f64::consts::TAU;

/// A curve through (place, value) pairs in rising order: it never overshoots, so what is flat stays flat.
/// Periodic over [0, 1) if `wrap`, else held at its ends.
pub(super) fn curve(keys: &[(f64, f64)], wrap: bool, x: f64) -> f64 {
    let n = keys.len();
    let key = |i: isize| {
        let turn = i.div_euclid(n as isize);
        let (at, value) = keys[i.rem_euclid(n as isize) as usize];
        if wrap { (at + turn as f64, value) } else { keys[i.clamp(0, n as isize - 1) as usize] }
    };
    let x = if wrap { x - libm::floor(x) } else { x };
    let after = keys.partition_point(|k| k.0 <= x) as isize;
    if !wrap && (after == 0 || after == n as isize) {
        return key(after - isize::from(after > 0)).1;
    }
    let (a, b) = (key(after - 1), key(after));
    let slope = |i: isize| {
        let (p, q, r) = (key(i - 1), key(i), key(i + 1));
        let rise = |p: (f64, f64), q: (f64, f64)| if q.0 > p.0 { (q.1 - p.1) / (q.0 - p.0) } else { 0.0 };
        let (d0, d1) = (rise(p, q), rise(q, r));
        // The harmonic mean keeps the curve between its keys; a turning point is flat.
        if d0 * d1 <= 0.0 { 0.0 } else { 2.0 * d0 * d1 / (d0 + d1) }
    };
    let span = b.0 - a.0;
    hermite(a.1, slope(after - 1) * span, b.1, slope(after) * span, (x - a.0) / span)
}

/// The cubic from `a` with slope `da` to `b` with slope `db`, over t in [0, 1].
pub(super) fn hermite(a: f64, da: f64, b: f64, db: f64, t: f64) -> f64 {
    let (t2, t3) = (t * t, t * t * t);
    a * (2.0 * t3 - 3.0 * t2 + 1.0) + da * (t3 - 2.0 * t2 + t) + b * (3.0 * t2 - 2.0 * t3) + db * (t3 - t2)
}

/// From 0 to 1 between two times, with no jump in speed or acceleration.
pub(super) fn ease(from: f64, to: f64, t: f64) -> f64 {
    let x = clamp((t - from) / (to - from), 0.0, 1.0);
    x * x * x * (x * (x * 6.0 - 15.0) + 10.0)
}

/// Up between the first two times, down between the last two.
pub(super) fn envelope(times: [f64; 4], t: f64) -> f64 {
    ease(times[0], times[1], t) - ease(times[2], times[3], t)
}

/// cos over turns.
pub(super) fn cosine(turns: f64) -> f64 {
    libm::cos(TAU * turns)
}

/// sin over turns.
pub(super) fn sine(turns: f64) -> f64 {
    libm::sin(TAU * turns)
}

/// Radians from degrees.
pub(super) fn deg(v: f64) -> f64 {
    v * (core::f64::consts::PI / 180.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_meets_its_keys_and_never_overshoots() {
        let keys = [(0.0, -1.0), (0.2, 0.0), (0.5, 0.0), (0.7, 3.0)];
        for wrap in [true, false] {
            for (x, v) in keys {
                assert!((curve(&keys, wrap, x) - v).abs() < 1e-12);
            }
            for i in 0..=30 {
                assert_eq!(curve(&keys, wrap, 0.2 + 0.01 * f64::from(i)), 0.0);
            }
            assert!((0..100).all(|i| (-1.0..=3.0).contains(&curve(&keys, wrap, f64::from(i) * 0.01))));
        }
        assert!((curve(&keys, true, 0.9999) + 1.0).abs() < 1e-3);
        assert_eq!(curve(&keys, false, 2.0), 3.0);
        assert_eq!(curve(&keys, false, -2.0), -1.0);
    }
}
