//! The clock: the minimum of many rounds.

use std::time::Instant;

/// Seconds of the fastest round; rounds are run for `budget` seconds, at least 5 of them.
pub fn best(budget: f64, mut round: impl FnMut()) -> f64 {
    best_of(budget, usize::MAX, |timer| timer(&mut round))
}

/// Likewise, where a round has parts that are not timed: `round` calls its argument around the timed part.
pub fn best_of(budget: f64, most: usize, mut round: impl FnMut(&mut dyn FnMut(&mut dyn FnMut()))) -> f64 {
    let start = Instant::now();
    let (mut least, mut rounds) = (f64::INFINITY, 0);
    while rounds < most && (rounds < 5 || start.elapsed().as_secs_f64() < budget) {
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
