//! Values whose components stand in arrays one behind the other.
#![allow(
    unsafe_code,
    reason = "arrays are checked once, and a vector by its lane alone: checks for each were a fifth of what interpolating takes"
)]

use super::{LEN, WideQuat, WideVec3};
use fearless_simd::{Simd, prelude::*};

/// `N` arrays in one slice, each `stride` floats behind the one before: the components of many values.
#[derive(Clone, Copy)]
pub struct Columns<'a, S: Simd, const N: usize> {
    s: S,
    floats: &'a [f32],
    first: usize,
    stride: usize,
    /// The last lane that a vector may start at.
    last: usize,
}

impl<'a, S: Simd, const N: usize> Columns<'a, S, N> {
    /// Arrays of which the first starts at `first`. Vectors may start at any of their `count` lanes; there is at least one.
    /// Panics if one of those would reach beyond the end.
    #[inline(always)]
    #[must_use]
    pub fn new(s: S, floats: &'a [f32], first: usize, stride: usize, count: usize) -> Self {
        let len = floats.len();
        // A slice of f32 is shorter than a quarter of what usize counts: none of the sums below is too large.
        assert!(first <= len && stride <= len && count <= len && count > 0, "arrays out of range");
        let last = count - 1;
        assert!(
            (N - 1) * stride <= len && first + (N - 1) * stride + last + LEN::<S>() <= len,
            "arrays out of range"
        );
        Self { s, floats, first, stride, last }
    }

    #[inline(always)]
    fn check(&self, at: usize) {
        assert!(at <= self.last, "lane out of range");
    }

    /// A component from a lane on, which was checked.
    #[inline(always)]
    fn get(&self, component: usize, at: usize) -> S::f32s {
        const { assert!(size_of::<<S::f32s as SimdBase<S>>::Array>() == LEN::<S>() * size_of::<f32>()) };
        let from = self.first + component * self.stride + at;
        debug_assert!(component < N && from + LEN::<S>() <= self.floats.len());
        // SAFETY: `new` has checked that a vector that starts at the last lane of the last array ends inside; callers have
        // checked the lane and ask for components below `N`. An array of f32 is as large as said above and needs no more
        // alignment than they do.
        let lanes = unsafe { &*self.floats.as_ptr().add(from).cast::<<S::f32s as SimdBase<S>>::Array>() };
        S::f32s::load_array_ref(self.s, lanes)
    }
}

impl<S: Simd> Columns<'_, S, 3> {
    /// As many vectors as the backend has lanes, from a lane on. Panics behind the last.
    #[inline(always)]
    #[must_use]
    pub fn vectors(&self, at: usize) -> WideVec3<S> {
        self.check(at);
        WideVec3 { x: self.get(0, at), y: self.get(1, at), z: self.get(2, at) }
    }
}

impl<S: Simd> Columns<'_, S, 4> {
    /// As many rotations as the backend has lanes, from a lane on. Panics behind the last.
    #[inline(always)]
    #[must_use]
    pub fn rotations(&self, at: usize) -> WideQuat<S> {
        self.check(at);
        WideQuat { x: self.get(0, at), y: self.get(1, at), z: self.get(2, at), w: self.get(3, at) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dispatch, simd::Backend};

    #[inline(always)]
    fn compare<S: Simd>(s: S, floats: &[f32]) {
        for stride in 0..20 {
            for first in 0..4 {
                let most = |n: usize| (floats.len() + 1 - LEN::<S>()).checked_sub((n - 1) * stride + first);
                if let Some(count @ 1..) = most(3) {
                    let columns = Columns::<S, 3>::new(s, floats, first, stride, count);
                    for at in 0..count {
                        let v = columns.vectors(at);
                        for (i, lanes) in [v.x, v.y, v.z].into_iter().enumerate() {
                            assert_eq!(lanes.as_slice(), &floats[first + at + i * stride..][..LEN::<S>()]);
                        }
                    }
                }
                if let Some(count @ 1..) = most(4) {
                    let columns = Columns::<S, 4>::new(s, floats, first, stride, count);
                    for at in 0..count {
                        let q = columns.rotations(at);
                        for (i, lanes) in [q.x, q.y, q.z, q.w].into_iter().enumerate() {
                            assert_eq!(lanes.as_slice(), &floats[first + at + i * stride..][..LEN::<S>()]);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn components_are_those_of_the_slices() {
        let floats: Vec<f32> = (0..80).map(|i| i as f32).collect();
        for backend in Backend::all() {
            dispatch!(backend, s => compare(s, &floats));
        }
    }

    #[test]
    fn nothing_is_read_beyond_the_end() {
        let floats = [0.0; 40];
        let refused = |read: &dyn Fn()| {
            let read = std::panic::AssertUnwindSafe(read);
            assert!(std::panic::catch_unwind(read).is_err());
        };
        for backend in Backend::all() {
            for (first, stride, count) in [
                (30, 9, 1),
                (41, 0, 1),
                (0, 41, 1),
                (0, 0, 41),
                (0, 0, 0),
                (usize::MAX, 0, 1),
                (0, usize::MAX / 3, 1),
                (0, 0, usize::MAX),
                (37, 0, 1),
                (0, 0, 38),
            ] {
                refused(
                    &|| dispatch!(backend, s => { let _ = Columns::<_, 3>::new(s, &floats, first, stride, count); }),
                );
                refused(
                    &|| dispatch!(backend, s => { let _ = Columns::<_, 4>::new(s, &floats, first, stride, count); }),
                );
            }
            for at in [5, 40, usize::MAX] {
                refused(
                    &|| dispatch!(backend, s => { let _ = Columns::<_, 3>::new(s, &floats, 0, 8, 5).vectors(at); }),
                );
                refused(
                    &|| dispatch!(backend, s => { let _ = Columns::<_, 4>::new(s, &floats, 0, 6, 5).rotations(at); }),
                );
            }
        }
    }
}
