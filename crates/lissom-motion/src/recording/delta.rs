//! The difference between two lists of bytes: edits of so many kept, so many dropped, and what comes in their place.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use crate::reader::{Reader, Result};
use alloc::vec::Vec;

/// Bytes that are the same between two edits, up to which one edit is shorter.
const NEAR: usize = 3;

/// Adds the edits that make `new` of `old`: their number, then kept, dropped, put and the bytes of each.
pub(super) fn write(old: &[u8], new: &[u8], out: &mut Vec<u8>) {
    let mut edits: Vec<(usize, usize, &[u8])> = Vec::new();
    if old.len() == new.len() {
        // Runs of bytes that differ, first and behind the last; near ones are one.
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (at, _) in old.iter().zip(new).enumerate().filter(|(_, (a, b))| a != b) {
            let end = at.saturating_add(1);
            match runs.last_mut() {
                Some((_, last)) if at.saturating_sub(*last) < NEAR => *last = end,
                _ => runs.push((at, end)),
            }
        }
        let mut ended = 0;
        for (from, end) in runs {
            let put = new.get(from..end).unwrap_or_default();
            edits.push((from.saturating_sub(ended), put.len(), put));
            ended = end;
        }
    } else {
        let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let [a, b] = [old, new].map(|bytes| bytes.get(same..).unwrap_or_default());
        let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        let [drop, put] = [a, b].map(|bytes| bytes.len().saturating_sub(tail));
        edits.push((same, drop, b.get(..put).unwrap_or_default()));
    }
    number(edits.len(), out);
    for (keep, drop, put) in edits {
        [keep, drop, put.len()].into_iter().for_each(|n| number(n, out));
        out.extend_from_slice(put);
    }
}

/// Makes the edits in `bytes`. There are never more than `most` bytes.
///
/// # Errors
///
/// Edits that do not fit the bytes. They are then as they were.
pub(super) fn apply(bytes: &mut Vec<u8>, edits: &[u8], most: usize) -> Result<()> {
    let mut from = Reader::new(edits);
    let mut new = Vec::new();
    let mut rest = &bytes[..];
    for _ in 0..from.number()? {
        let (keep, drop, put) = (from.number()?, from.number()?, from.number()?);
        let Some((kept, others)) = rest.split_at_checked(keep) else {
            return Err(from.wrong("an edit behind the end"));
        };
        let Some((_, others)) = others.split_at_checked(drop) else {
            return Err(from.wrong("an edit behind the end"));
        };
        rest = others;
        new.extend_from_slice(kept);
        new.extend_from_slice(from.bytes(put)?);
        from.check(new.len() <= most, "more bytes than a state has")?;
    }
    from.end()?;
    new.extend_from_slice(rest);
    from.check(new.len() <= most, "more bytes than a state has")?;
    *bytes = new;
    Ok(())
}

/// Seven bits per byte, the lowest first; the highest bit says that more follow.
pub(super) fn number(n: usize, out: &mut Vec<u8>) {
    let mut left = n;
    while left >= 0x80 {
        out.push((left & 0x7f) as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_testkit::rng::Rng;

    #[test]
    fn edits_make_any_bytes_of_any_others_and_are_short_where_little_changes() {
        let mut rng = Rng::new(5);
        for round in 0..4000 {
            let old: Vec<u8> = (0..rng.below(300)).map(|_| rng.below(4) as u8).collect();
            let mut new = old.clone();
            for _ in 0..rng.below(4) {
                if let Some(byte) =
                    (!new.is_empty()).then(|| rng.below(new.len())).and_then(|at| new.get_mut(at))
                {
                    *byte = byte.wrapping_add(1);
                }
            }
            let changed = old.iter().zip(&new).filter(|(a, b)| a != b).count();
            if round % 3 == 0 {
                let at = rng.below(new.len().saturating_add(1));
                new.splice(at..at, (0..rng.below(9)).map(|n| n as u8));
            }
            let mut edits = Vec::new();
            write(&old, &new, &mut edits);
            let mut made = old.clone();
            assert_eq!(apply(&mut made, &edits, 400), Ok(()));
            assert_eq!(made, new);
            assert!(
                round % 3 == 0 || edits.len() <= 1 + changed.saturating_mul(6),
                "{} for {changed}",
                edits.len()
            );
            let mut small = old.clone();
            assert!(new.is_empty() || apply(&mut small, &edits, new.len().saturating_sub(1)).is_err());
            assert!(new.is_empty() || small == old, "nothing has changed");
        }
    }
    #[test]
    fn a_number_is_written_in_one_way() {
        for n in [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 1 << 28, (1 << 35) - 1] {
            let mut bytes = Vec::new();
            number(n, &mut bytes);
            assert_eq!(Reader::new(&bytes).number(), Ok(n));
            // The same with a byte more that says nothing.
            if let Some(last) = bytes.last_mut() {
                *last |= 0x80;
            }
            bytes.push(0);
            assert!(Reader::new(&bytes).number().is_err(), "{bytes:?}");
        }
    }
}
