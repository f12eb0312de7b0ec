//! Which frames of a clip a database has: ranges that overlap are cut where tags change, so that no frame is there twice.

use super::{MatchedMotion, MatchingError, MatchingRule, normalise::Piece};
use crate::exact::{clamp, larger};
use lissom_motion::matching::MAX_FRAMES;

/// What is said of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Said {
    tags: u32,
    cost: f64,
    may_be_found: bool,
}

/// The pieces of a clip, in order of time. Frames stand on one grid from the clip's start.
pub(super) fn pieces(
    rule: &MatchingRule,
    name: &str,
    motion: &MatchedMotion<'_>,
    tags: &[String],
) -> Result<Vec<Piece>, MatchingError> {
    let (end_s, rate) = (motion.animation.motion.duration_s, rule.rate_hz);
    if end_s * rate > MAX_FRAMES as f64 {
        return Err(MatchingError::TooLong { allowed: MAX_FRAMES });
    }
    // A frame at the very end counts, however the times of the file were rounded.
    let first = |time_s: f64| libm::ceil(time_s * rate - 1e-3) as usize;
    let last = |time_s: f64| libm::floor(time_s * rate + 1e-3) as usize;
    let mut frames: Vec<Option<Said>> = vec![None; last(end_s) + 1];
    for own in rule.picks(name) {
        let start_s = clamp(own.range_s.0.unwrap_or(0.0), 0.0, end_s);
        let stop_s = clamp(own.range_s.1.unwrap_or(end_s), start_s, end_s);
        let (from, to) = (first(start_s), last(stop_s) + 1);
        let bit =
            |tag: &String| tags.iter().position(|known| known == tag).map_or(0, |at| 1_u32 << (at % 32));
        let tags = own.tags.iter().map(bit).fold(0, |all, bit| all | bit);
        let [before, behind] =
            own.no_entry_s.unwrap_or(rule.no_entry_s).map(|s| libm::ceil(s * rate - 1e-3) as usize);
        let found = from.saturating_add(before)..to.saturating_sub(behind);
        for (at, frame) in frames.iter_mut().enumerate().take(to).skip(from) {
            let said = frame.get_or_insert_default();
            said.tags |= tags;
            said.cost = larger(said.cost, own.cost);
            said.may_be_found |= found.contains(&at);
        }
    }
    let mut all = Vec::new();
    let mut at = 0;
    // Frames without a gap belong together: what follows one that is found is played, even if it is never found itself.
    while at < frames.len() {
        let count = frames[at..].iter().take_while(|frame| frame.is_some()).count();
        let together: Vec<Said> = frames[at..at + count].iter().copied().flatten().collect();
        if together.iter().any(|said| said.may_be_found) {
            cut(motion, at, &together, &mut all);
        }
        at += count.max(1);
    }
    Ok(all)
}

/// Cuts frames where something else is said of them, so that those of a piece that may be found stand without a gap.
fn cut(motion: &MatchedMotion<'_>, first: usize, frames: &[Said], all: &mut Vec<Piece>) {
    let mut from = 0;
    while let Some(said) = frames.get(from) {
        let mut to = from + 1;
        let mut was_found = said.may_be_found;
        while let Some(next) = frames.get(to) {
            let begins_again = was_found && next.may_be_found && !frames[to - 1].may_be_found;
            if (next.tags, next.cost) != (said.tags, said.cost) || begins_again {
                break;
            }
            was_found |= next.may_be_found;
            to += 1;
        }
        let own = &frames[from..to];
        let entry_from = own.iter().position(|said| said.may_be_found).unwrap_or(0);
        let found = own.iter().filter(|said| said.may_be_found).count();
        all.push(Piece {
            clip: motion.name.to_owned(),
            mirrored: motion.mirrored,
            first: first + from,
            tags: said.tags,
            cost: said.cost,
            frames: to - from,
            entry_from,
            entry_to: entry_from + found,
        });
        from = to;
    }
}
