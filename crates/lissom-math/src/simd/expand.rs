//! Packed lanes back to the places that a mask names.
//!
//! Where the CPU moves bytes by a variable it is one shuffle. Where it does not, the SIMD crate goes byte by byte; here
//! it is four lanes by a table.

use super::blocks::same;
use fearless_simd::{Simd, f32x4, prelude::*};

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::Sse2;

/// For a mask of four lanes: which of the packed ones each takes. Five to eight are those of what lies under them.
const TAKES: [[u8; 4]; 16] = {
    let mut table = [[0; 4]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut lane, mut next) = (0, 0);
        while lane < 4 {
            if mask >> lane & 1 == 1 {
                table[mask][lane] = next;
                next += 1;
            } else {
                table[mask][lane] = 4 + lane as u8;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// How lanes are expanded: made once for a mask, used for every component.
#[derive(Clone, Copy)]
pub struct Expansion<S: Simd> {
    mask: S::mask32s,
    takes: [u8; 4],
    all: bool,
}

impl<S: Simd> Expansion<S> {
    /// For lanes whose bit is set.
    #[inline(always)]
    #[must_use]
    pub fn new(s: S, lanes: u32) -> Self {
        Self {
            mask: S::mask32s::from_bitmask(s, u64::from(lanes)),
            takes: TAKES[lanes as usize & 15],
            all: lanes == (1 << super::LEN::<S>()) - 1,
        }
    }

    /// The first of `values`, in order, in the lanes that are set, and `over` in the others.
    #[inline(always)]
    #[must_use]
    pub fn of(&self, s: S, values: S::f32s, over: S::f32s) -> S::f32s {
        if by_table(s) {
            if self.all {
                return values;
            }
            if let (Some(values), Some(over)) = (same::<_, f32x4<S>>(values), same::<_, f32x4<S>>(over))
                && let Some(v) = same(four(s, self.takes, values, over))
            {
                return v;
            }
        }
        values.expand_merge(self.mask, over)
    }
}

/// True where the backend has no shuffle by a variable.
#[inline(always)]
fn by_table<S: Simd>(s: S) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if same::<S, Sse2>(s).is_some() {
        return true;
    }
    s.level().is_fallback()
}

#[inline(always)]
fn four<S: Simd>(s: S, takes: [u8; 4], values: f32x4<S>, over: f32x4<S>) -> f32x4<S> {
    let ([a, b, c, d], [e, f, g, h]) = (values.to_array(), over.to_array());
    let from = [a, b, c, d, e, f, g, h];
    // The table holds 0 to 7: the compiler sees that from the mask.
    let at = |lane: usize| from[usize::from(takes[lane] & 7)];
    f32x4::simd_from(s, [at(0), at(1), at(2), at(3)])
}
