//! Lissom's vocabulary: transforms, quaternions, QVVS, structure-of-arrays groups, and the one place
//! where SIMD lives.
//!
//! Priorities, in order: **same bits on every machine**, then speed, then brevity.
//!
//! - [`Transform`], [`Qvvs`], [`Qvs`] and [`Mat34`] are plain values; [`glam`] types stand at the border.
//! - [`soa`] holds the group types that poses are made of.
//! - [`scalar`] is plain code on single values. It is also the oracle that every kernel is tested against.
//! - [`simd`] wraps the SIMD crate, of which users see [`simd::Backend`] alone. Kernels are written once over it.
//! - [`batch`] runs the common operations over slices of groups.
//!
//! ```
//! use lissom_math::{Transform, Vec3, Quat, soa, batch, simd::Backend};
//!
//! let joints = [Transform { translation: Vec3::new(1.0, 2.0, 3.0), ..Transform::IDENTITY }; 20];
//! let groups = soa::from_transforms(&joints);    // two groups of 16 lanes, spare lanes are identity
//! assert_eq!(groups.len(), 2);
//! assert_eq!(soa::lane(&groups, 17), joints[17]);
//!
//! let mut matrices = vec![soa::SoaMat34::IDENTITY; groups.len()];
//! batch::transform_to_mat34(Backend::best(), &groups, &mut matrices);
//! assert_eq!(matrices[0].lane(3).columns[3], [1.0, 2.0, 3.0]);
//! ```
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | CPU detection at run time and the `LISSOM_SIMD` environment variable |
//! | `scalar` | no | the scalar backend also where every CPU has vectors: for tests and benches |
//!
//! # Same bits
//!
//! `glam` is storage here: its SSE2 and scalar builds round differently, so nothing in this workspace's
//! promised paths calls its operators or methods. No fused multiply-add, no reciprocal estimates, no
//! hardware minimum or maximum: `cargo xtask ci` looks for them in the sources and in the machine code.
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

pub mod batch;
mod mat34;
mod qvvs;
pub mod scalar;
pub mod simd;
pub mod soa;
mod transform;
pub mod trig;
#[doc(hidden)]
pub mod wide_qvvs;

pub use glam::{Affine3A, Mat4, Quat, Vec3, Vec4};
pub use mat34::Mat34;
pub use qvvs::{Qvs, Qvvs};
pub use transform::Transform;
