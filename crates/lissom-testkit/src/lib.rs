//! What Lissom's own tests share. Dev-only: no library or program that is given to anyone links it.
//!
//! - [`alloc`]: a counting allocator, and the assertion that nothing was allocated.
//! - [`rng`], [`generate`]: random numbers, skeletons, poses and clips from a seed, the same everywhere.
//!   `strategies` wraps them for property tests.
//! - [`kernels`]: every batch kernel beside its plain twin.
//! - [`oracle`]: plain code on plain arrays, what jobs are compared with bit for bit.
//! - [`mod@reference`]: the same in f64, what the oracles themselves are compared with.
//! - [`compare`]: bit-exact comparison that says which joint, which component, and by how many steps.
//! - [`hostile`]: every reader of foreign bytes, what it is fed, and what it must never do. [`mod@ozz`] and
//!   [`mod@fbx`] write the files for that.
//! - [`mod@gltf`]: what a glTF file means by the specification, and glTF files made in code.
//! - [`graphs`]: a graph with everything in it, and random input for it.
//! - [`golden`], [`conformance`]: hashes that every machine must meet.
//!
//! ```
//! use lissom_testkit::{compare::assert_same, generate, oracle, rng::Rng};
//!
//! let mut rng = Rng::new(7);
//! let skeleton = generate::skeleton(&mut rng, 40);
//! let pose = generate::pose(&mut rng, 40);
//! let models = oracle::local_to_model(&skeleton, &pose, None);
//! assert_same("the same code twice", &models, &oracle::local_to_model(&skeleton, &pose, None));
//! ```
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `proptest` | yes | `strategies` for property tests; off where hashes are computed on foreign targets |
//! | `draco` | yes | glTF files with Draco among what is fed to readers |
//! | `fbx` | no | FBX files among what is fed to readers (needs a C compiler) |
//! | `gzip` | no | streams of this codec among what is fed to readers |
//! | `zstd` | no | streams of this codec among what is fed to readers |

pub mod alloc;
pub mod compare;
pub mod conformance;
pub mod crowds;
#[cfg(feature = "draco")]
pub mod draco;
pub mod fbx;
pub mod generate;
pub mod gltf;
pub mod golden;
pub mod graphs;
pub mod hostile;
pub mod kernels;
pub mod oracle;
pub mod ozz;
pub mod reference;
pub mod rng;
#[cfg(feature = "proptest")]
pub mod strategies;
