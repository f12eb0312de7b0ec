//! The stopwatch: the best of many rounds. On a shared machine everything above the minimum is other programs' work.

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
        let took = start.elapsed().as_nanos() as f64 / repeats as f64;
        if took < best {
            best = took;
        }
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

/// Seconds of the fastest round; rounds are run for `budget_s` seconds, at least 5 of them.
pub fn best_s(budget_s: f64, mut round: impl FnMut()) -> f64 {
    best_of_s(budget_s, usize::MAX, |timer| timer(&mut round))
}

/// Likewise, at most `most` rounds, where a round has parts that are not timed: `round` calls its argument around the
/// timed part.
pub fn best_of_s(budget_s: f64, most: usize, mut round: impl FnMut(&mut dyn FnMut(&mut dyn FnMut()))) -> f64 {
    let start = Instant::now();
    let (mut least, mut rounds) = (f64::INFINITY, 0);
    while rounds < most && (rounds < 5 || start.elapsed().as_secs_f64() < budget_s) {
        round(&mut |timed: &mut dyn FnMut()| {
            let from = Instant::now();
            timed();
            let took = from.elapsed().as_secs_f64();
            if took < least {
                least = took;
            }
        });
        rounds += 1;
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_as_many_as_asked_for_and_only_the_timed_part_counts() {
        let mut rounds = 0;
        let slow = std::time::Duration::from_millis(5);
        let seconds = best_of_s(0.0, 3, |timer| {
            rounds += 1;
            std::thread::sleep(slow);
            timer(&mut || {});
        });
        assert_eq!(rounds, 3);
        assert!(seconds < slow.as_secs_f64(), "{seconds}");
        assert!(best_s(0.0, || std::thread::sleep(slow)) >= slow.as_secs_f64());
        assert!(best_ns(2, || std::thread::sleep(slow)) >= 5e6);
    }
}
