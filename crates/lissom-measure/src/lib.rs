//! What benches, commands and tests share to measure with. It depends on `lissom-math` alone, so a bench compiles
//! neither the command nor the test kit for it.
//!
//! - [`timing`]: the stopwatch of `lissom bench`, the demo and the benches.
//! - [`machine`]: what a figure was measured on.
//! - [`rng`]: random numbers from a seed. The test kit re-exports them.
//!
//! ```
//! use lissom_measure::{rng::Rng, timing::best_ns};
//!
//! let mut rng = Rng::new(7);
//! let numbers: Vec<f32> = (0..1000).map(|_| rng.unit()).collect();
//! let sum_ns = best_ns(3, || {
//!     std::hint::black_box(numbers.iter().sum::<f32>());
//! });
//! assert!(sum_ns > 0.0);
//! ```

pub mod machine;
pub mod rng;
pub mod timing;
