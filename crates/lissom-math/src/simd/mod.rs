//! The home of SIMD: which backends there are, and which one runs.
//!
//! [`Backend`] is what users see: a proof that the CPU has what it says, for jobs' `run_on`.
//!
//! The rest is what Lissom's own kernels are written in, in this crate and in those above it. It shows the types of
//! the SIMD crate, so it is hidden from the documentation and is no part of what a version of ours promises: another
//! version of that crate, or another crate, must not break a program that runs jobs. A kernel is one generic function
//! over `Simd`; `dispatch!` compiles it once for every backend and picks at run time. Lane-wise operations only, so
//! the width cannot change the result.

mod backend;
pub mod blocks;
mod expand;
mod half;
#[doc(hidden)]
pub mod nearest;
mod scratch;
pub mod strided;
pub mod unpack;
mod wide;

pub use backend::{Backend, UnknownBackend};
#[doc(hidden)]
pub use expand::Expansion;
#[doc(hidden)]
pub use fearless_simd::{Simd, f32x4, f32x8, f32x16, f64x8, prelude, u8x32, u8x64, u32x4, u32x8, u32x16};
#[doc(hidden)]
pub use half::halves;
#[doc(hidden)]
pub use scratch::Scratch;
#[doc(hidden)]
pub use wide::{
    LEN, WideMat34, WideQuat, WideTransform, WideVec3, inverse_sqrt_near_one, load, select, splat, store,
};

#[doc(hidden)]
pub use fearless_simd::dispatch as __dispatch;

/// Runs an expression with a SIMD token of the given [`Backend`](crate::simd::Backend):
/// `dispatch!(backend, s => kernel(s, …))`.
///
/// The kernel and everything it calls must be `#[inline(always)]`, or it is compiled for the baseline.
///
/// ```
/// use lissom_math::{dispatch, simd::{Backend, Simd, load, store, LEN}, soa::{Lanes, GROUP}};
///
/// #[inline(always)]
/// fn double<S: Simd>(s: S, lanes: &mut Lanes) {
///     let mut at = 0;
///     while at < GROUP {
///         let v = load(s, lanes, at);
///         store(v + v, lanes, at);
///         at += LEN::<S>();
///     }
/// }
///
/// let mut lanes = Lanes::splat(21.0);
/// dispatch!(Backend::best(), s => double(s, &mut lanes));
/// assert_eq!(lanes, Lanes::splat(42.0));
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! dispatch {
    ($backend:expr, $simd:pat => $op:expr) => {
        $crate::simd::__dispatch!($crate::simd::Backend::level($backend), $simd => $op)
    };
}
