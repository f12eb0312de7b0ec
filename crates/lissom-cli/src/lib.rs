//! The `lissom` command as a library: the binary calls [`main`], and so may any program that wants the same commands
//! under another name, or [`run_with`] other arguments; [`status_of`] leaves the end of the process to its caller (Python).
//!
//! ```text
//! commands/   one file or folder a command: its arguments, its work, its words
//! options.rs  options that several commands share;  style.rs, warnings.rs  what a terminal shows
//! ```
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `draco` | no | glTF meshes that are compressed with Draco (`draco-core`, Apache-2.0 only) |
//! | `fbx` | no | FBX files can be read (`ufbx`, a C library: needs a C compiler) |
//! | `gzip` | yes | clip streams compressed with gzip |
//! | `zstd` | no | clip streams compressed with Zstandard (a C library) |
//! | `full` | no | all of them |
//!
//! The defaults are few because `cargo run` in the repository builds the default features of all its crates.

mod commands;
mod options;
mod style;
mod warnings;

pub use commands::{Planned, main, plan_import, run_with, status_of};
