//! Room on the stack for wide values that are computed in one order and read in another.
#![allow(unsafe_code, reason = "clearing the room would cost as much as a fifth of the work that it is for")]

use super::{LEN, WideQuat, WideVec3};
use core::mem::MaybeUninit;
use fearless_simd::{Simd, prelude::*};

/// Vectors or quaternions of up to [`Scratch::LANES`] lanes, one vector behind the other, and room for one that is only
/// there to be read over. What was not written cannot be read.
pub struct Scratch {
    components: [[MaybeUninit<f32>; Self::ROOM]; 4],
    /// Lanes that were written, of the first three components and of the last.
    filled: [usize; 2],
}

impl Scratch {
    /// Lanes there is room for.
    pub const LANES: usize = 128;
    const ROOM: usize = Self::LANES + 16;

    /// Room with nothing in it.
    #[inline(always)]
    #[must_use]
    pub fn new() -> Self {
        Self { components: [[MaybeUninit::uninit(); Self::ROOM]; 4], filled: [0; 2] }
    }

    /// Forgets what was written.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.filled = [0; 2];
    }

    /// Adds vectors. Panics if there is no room.
    #[inline(always)]
    pub fn push_vectors<S: Simd>(&mut self, v: WideVec3<S>) {
        let at = self.filled[0];
        self.put(0, at, v.x);
        self.put(1, at, v.y);
        self.put(2, at, v.z);
        self.filled[0] = at + LEN::<S>();
    }

    /// Adds rotations. Panics if there is no room, or if vectors were added before.
    #[inline(always)]
    pub fn push_rotations<S: Simd>(&mut self, q: WideQuat<S>) {
        let at = self.filled[0];
        assert_eq!(at, self.filled[1], "vectors and rotations in one scratch");
        self.put(0, at, q.x);
        self.put(1, at, q.y);
        self.put(2, at, q.z);
        self.put(3, at, q.w);
        self.filled = [at + LEN::<S>(); 2];
    }

    /// The vectors from a lane on. Panics if fewer were added.
    #[inline(always)]
    #[must_use]
    pub fn vectors<S: Simd>(&self, s: S, at: usize) -> WideVec3<S> {
        self.check(at, LEN::<S>(), self.filled[0]);
        WideVec3 { x: self.get(s, 0, at), y: self.get(s, 1, at), z: self.get(s, 2, at) }
    }

    /// The rotations from a lane on. Panics if fewer were added.
    #[inline(always)]
    #[must_use]
    pub fn rotations<S: Simd>(&self, s: S, at: usize) -> WideQuat<S> {
        self.check(at, LEN::<S>(), self.filled[1]);
        WideQuat {
            x: self.get(s, 0, at),
            y: self.get(s, 1, at),
            z: self.get(s, 2, at),
            w: self.get(s, 3, at),
        }
    }

    /// Panics if fewer lanes were written.
    #[inline(always)]
    fn check(&self, at: usize, lanes: usize, filled: usize) {
        assert!(at < Self::ROOM && at + lanes <= filled, "lanes out of range");
    }

    #[inline(always)]
    fn put<S: Simd, V: SimdFloat<S, Element = f32>>(&mut self, component: usize, at: usize, v: V) {
        self.components[component][at..at + V::LEN].write_copy_of_slice(v.as_slice());
    }

    #[inline(always)]
    fn get<S: Simd>(&self, s: S, component: usize, at: usize) -> S::f32s {
        debug_assert!(at + LEN::<S>() <= self.filled[component / 3]);
        let lanes = self.components[component].as_ptr();
        // SAFETY: both callers have checked that the vector ends before `filled`, which is at most `ROOM` and grows only
        // behind `put`, lane by lane without a gap, for all components that it counts. So it is inside the array and
        // written; an array of f32 needs no more alignment than they do.
        let lanes = unsafe { &*lanes.add(at).cast::<<S::f32s as SimdBase<S>>::Array>() };
        S::f32s::load_array_ref(s, lanes)
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dispatch, simd::Backend};

    #[inline(always)]
    fn fill_and_read<S: Simd>(s: S, lanes: usize) {
        let number = |component: usize, lane: usize| (component * 1000 + lane) as f32;
        // The same in a vector that is all there from the start.
        let mut plain = vec![vec![0.0_f32; lanes]; 4];
        let mut scratch = Scratch::new();
        for round in 0..2 {
            scratch.clear();
            let mut at = 0;
            while at < lanes {
                let wide = |component: usize| {
                    let all: Vec<f32> =
                        (at..at + LEN::<S>()).map(|lane| number(component + round, lane)).collect();
                    S::f32s::from_slice(s, &all)
                };
                let (x, y, z, w) = (wide(0), wide(1), wide(2), wide(3));
                if round == 0 {
                    scratch.push_rotations(WideQuat::<S> { x, y, z, w });
                } else {
                    scratch.push_vectors(WideVec3::<S> { x, y, z });
                }
                for (component, v) in [x, y, z, w].into_iter().enumerate() {
                    plain[component][at..at + LEN::<S>()].copy_from_slice(v.as_slice());
                }
                at += LEN::<S>();
            }
            for at in 0..=lanes - LEN::<S>() {
                let v = scratch.vectors(s, at);
                for (component, v) in [v.x, v.y, v.z].into_iter().enumerate() {
                    assert_eq!(v.as_slice(), &plain[component][at..at + LEN::<S>()]);
                }
                if round == 0 {
                    assert_eq!(scratch.rotations(s, at).w.as_slice(), &plain[3][at..at + LEN::<S>()]);
                }
            }
        }
    }

    #[test]
    fn a_scratch_gives_back_what_a_vector_would() {
        for backend in Backend::all() {
            for lanes in [16, 32, Scratch::ROOM] {
                dispatch!(backend, s => fill_and_read(s, lanes));
            }
        }
    }

    #[inline(always)]
    fn ones<S: Simd>(s: S) -> WideVec3<S> {
        let one = crate::simd::splat(s, 1.0);
        WideVec3 { x: one, y: one, z: one }
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn what_was_not_written_is_not_read() {
        let mut scratch = Scratch::new();
        dispatch!(Backend::baseline(), s => {
            scratch.push_vectors(ones(s));
            let _ = scratch.vectors(s, 1);
        });
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn vectors_are_no_rotations() {
        let mut scratch = Scratch::new();
        dispatch!(Backend::baseline(), s => {
            scratch.push_vectors(ones(s));
            let _ = scratch.rotations(s, 0);
        });
    }
}
