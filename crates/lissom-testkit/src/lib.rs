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
//! - [`graphs`]: graphs with one of each thing that a graph can have, and random input for them.
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
//! | `tests` | no | what our tests use: the next five, and the libraries with all that they test |
//! | `draco` | no | glTF files with Draco among what is fed to readers |
//! | `draw` | no | pictures among what is fed to readers |
//! | `gzip` | no | streams of this codec among what is fed to readers |
//! | `proptest` | no | `strategies` for property tests; off where hashes are computed on foreign targets |
//! | `scalar` | no | the scalar backend among those that are compared |
//! | `fbx` | no | FBX files among what is fed to readers (needs a C compiler) |
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
pub mod matched;
pub mod npz;
pub mod oracle;
pub mod ozz;
pub mod reference;
#[cfg(feature = "proptest")]
pub mod strategies;

/// The generator stands in a crate of its own, because benches use it and do not compile this kit.
pub use lissom_measure::rng;
