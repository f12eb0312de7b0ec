//! The other way round: a size is given, and the error is searched for.

use super::{error::CookError, report::CookedClip};

/// Octaves of precision that are looked at, and how near to the budget the search goes.
const BUDGET_OCTAVES: u32 = 16;
const BUDGET_STEP: f64 = 1.03;

/// The clip with the smallest error that takes at most `budget` bytes. `cook` makes one with all precisions
/// multiplied by a number, which is searched for.
pub(super) fn fit_bytes(
    budget: u64,
    cook: impl Fn(f64) -> Result<CookedClip, CookError>,
) -> Result<CookedClip, CookError> {
    let fits = |clip: &CookedClip| clip.bytes.len() as u64 <= budget;
    let mut scale = 1.0;
    let mut best = cook(scale)?;
    // The first octave in which the budget is crossed.
    let finer = fits(&best);
    let mut crossed = None;
    for _ in 0..BUDGET_OCTAVES {
        let next = if finer { scale * 0.5 } else { scale * 2.0 };
        match cook(next) {
            Ok(clip) if finer && fits(&clip) => (scale, best) = (next, clip),
            Ok(clip) if !finer && !fits(&clip) => (scale, best) = (next, clip),
            Ok(clip) => {
                crossed = Some((next, clip));
                break;
            }
            // As fine as f32 can hold.
            Err(CookError::TooFine { .. }) if finer => return Ok(best),
            Err(e) => return Err(e),
        }
    }
    let (mut good, mut bad) = match (finer, crossed) {
        (true, Some((next, _))) => ((scale, best), next),
        (false, Some(next)) => (next, scale),
        (true, None) => return Ok(best),
        (false, None) => {
            return Err(CookError::Budget { budget, smallest: best.bytes.len() as u64 });
        }
    };
    while good.0 / bad > BUDGET_STEP {
        let middle = (good.0 * bad).sqrt();
        match cook(middle) {
            Ok(clip) if fits(&clip) => good = (middle, clip),
            Ok(_) | Err(CookError::TooFine { .. }) => bad = middle,
            Err(e) => return Err(e),
        }
    }
    Ok(good.1)
}
