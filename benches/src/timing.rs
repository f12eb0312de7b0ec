//! Best of many rounds: on a shared machine everything but the minimum is somebody else's work.

use std::{hint::black_box, time::Instant};

/// Nanoseconds of one call: the smallest of `rounds` rounds, each long enough to be measured.
pub fn best_ns(rounds: usize, mut work: impl FnMut()) -> f64 {
    work();
    let start = Instant::now();
    work();
    let once = start.elapsed().as_nanos().max(1);
    let repeats = usize::try_from(200_000 / once).unwrap_or(1).max(1);
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        for _ in 0..repeats {
            work();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / repeats as f64);
    }
    best
}

/// Nanoseconds of one step of a chain of dependent multiplications and additions. Every core of a kind
/// takes the same number of cycles for it, so figures of two runs compare through it.
#[must_use]
pub fn calibration_ns() -> f64 {
    const STEPS: u32 = 4096;
    best_ns(200, || {
        let mut x = black_box(1.0_f32);
        for _ in 0..STEPS {
            x = x * 0.999 + 0.001;
        }
        black_box(x);
    }) / f64::from(STEPS)
}
