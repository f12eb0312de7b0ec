//! The other way round: a size is given, and the error is searched for.

use super::{error::CookError, report::CookedClip};

/// Steps of precision to an octave: the search ends between neighbours, 3 % apart.
const OCTAVE: i32 = 24;
/// How far it goes to either side of the usual precision.
const FARTHEST: i32 = 16 * OCTAVE;
/// A clip that leaves less than this share of the budget is near enough.
const LEFT: f64 = 0.005;
/// The share of a clip that an octave of precision takes, until two clips tell: a bit of the eight or so of a number.
const BIT: f64 = 0.125;

/// The clip with the smallest error that takes at most `budget` bytes. `cook` makes one with all precisions
/// multiplied by a number, which is searched for.
pub(super) fn fit_bytes(
    budget: u64,
    cook: impl Fn(f64) -> Result<CookedClip, CookError>,
) -> Result<CookedClip, CookError> {
    let mut search =
        Search { budget: budget as f64, finest: None, coarsest: None, last: None, slope: 0.0, asked: 0 };
    let (mut best, mut smallest) = (None, u64::MAX);
    let mut step = 0;
    loop {
        match cook(libm::exp2(f64::from(step) / f64::from(OCTAVE))) {
            Ok(clip) => {
                let bytes = clip.bytes.len() as u64;
                smallest = smallest.min(bytes);
                search.learn(step, bytes as f64);
                if bytes <= budget {
                    best = Some(clip);
                }
            }
            // As fine as f32 can hold.
            Err(CookError::TooFine { .. }) if best.is_some() => search.coarsest = Some(step),
            Err(e) => return Err(e),
        }
        match search.next() {
            Some(next) => step = next,
            None => return best.ok_or(CookError::Budget { budget, smallest }),
        }
    }
}

/// Where the budget is crossed. Bytes fall almost in a line over the octaves, so a line through the last two clips
/// is a good guess; it is held between what is known to fit and what is known not to.
struct Search {
    budget: f64,
    /// The finest step that fits.
    finest: Option<i32>,
    /// The coarsest that does not.
    coarsest: Option<i32>,
    last: Option<(i32, f64)>,
    /// Bytes a step.
    slope: f64,
    /// Steps asked for since both sides are known.
    asked: u32,
}

impl Search {
    fn learn(&mut self, step: i32, bytes: f64) {
        let slope = match self.last {
            Some((before, then)) if before != step => (bytes - then) / f64::from(step - before),
            _ => -BIT * bytes / f64::from(OCTAVE),
        };
        // Coarser is smaller; where two clips do not show it, the line from before holds.
        if slope < 0.0 || self.slope == 0.0 {
            self.slope = slope;
        }
        self.last = Some((step, bytes));
        if bytes <= self.budget {
            self.finest = Some(step);
        } else {
            self.coarsest = Some(step);
        }
    }

    /// What to try next; nothing if there is no better.
    fn next(&mut self) -> Option<i32> {
        let (step, bytes) = self.last?;
        if bytes <= self.budget && bytes >= self.budget * (1.0 - LEFT) {
            return None;
        }
        let line = step + ((self.budget * (1.0 - 0.5 * LEFT) - bytes) / self.slope) as i32;
        match (self.coarsest, self.finest) {
            (Some(bad), Some(good)) if good - bad <= 1 => None,
            (Some(bad), Some(good)) => {
                self.asked += 1;
                let margin = 1.max((good - bad) / 8);
                // Where it is no line, halves find it.
                let guess = if self.asked.is_multiple_of(3) { bad + (good - bad) / 2 } else { line };
                Some(guess.clamp(bad + margin, good - margin))
            }
            (None, Some(good)) => {
                (good > -FARTHEST).then(|| line.clamp(good - 4 * OCTAVE, good - OCTAVE / 4).max(-FARTHEST))
            }
            (Some(bad), None) => {
                (bad < FARTHEST).then(|| line.clamp(bad + OCTAVE / 4, bad + 4 * OCTAVE).min(FARTHEST))
            }
            (None, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The finest step that fits, and how many were tried.
    fn search(budget: f64, bytes: impl Fn(i32) -> f64) -> (Option<i32>, usize) {
        let mut search = Search { budget, finest: None, coarsest: None, last: None, slope: 0.0, asked: 0 };
        let (mut step, mut tried) = (0, 1);
        search.learn(step, bytes(step));
        while let Some(next) = search.next() {
            step = next;
            tried += 1;
            search.learn(step, bytes(step));
        }
        (search.finest, tried)
    }

    #[test]
    fn a_few_clips_find_the_step_on_any_curve() {
        let line = |step: i32| 4000.0 - 20.0 * f64::from(step);
        let bent = |step: i32| 300.0 + 3700.0 * libm::exp2(-f64::from(step) / 60.0);
        let stairs = |step: i32| 4000.0 - 480.0 * f64::from(step.div_euclid(24));
        for budget in [1000.0, 2500.0, 3990.0, 4000.0, 4001.0, 6000.0, 9000.0] {
            for (name, bytes) in
                [("line", &line as &dyn Fn(i32) -> f64), ("bent", &bent), ("stairs", &stairs)]
            {
                let (found, tried) = search(budget, bytes);
                let found = found.unwrap();
                let near = bytes(found) >= budget * (1.0 - LEFT);
                let finest = bytes(found - 1) > budget;
                assert!(bytes(found) <= budget && (near || finest), "{name} {budget}: {found}");
                assert!(tried <= 10, "{name} {budget}: {tried} clips");
            }
        }
    }

    #[test]
    fn no_budget_is_searched_for_ever() {
        assert_eq!(search(10.0, |_| 11.0).0, None);
        assert_eq!(search(10.0, |_| 1.0).0, Some(-FARTHEST));
        assert!(search(10.0, |_| 11.0).1 < 70);
    }
}
