//! The `lissom` command as a library: the binary calls [`main`], and so may any program that wants the same commands
//! under another name, or [`run_with`] other arguments; [`status_of`] leaves the end of the process to its caller (Python).
//!
//! ```text
//! commands/   one file or folder a command: its arguments, its work, its words
//! source.rs   a file in memory: an archive, a stream of a clip, or the scene of an authored file
//! stage.rs    what is shown: a skeleton, its clips ready to play, its meshes
//! crowd.rs    a crowd of characters with three clips each: what `bench` measures and `demo` plays
//! options.rs  options that several commands share;  style.rs, progress.rs  what a terminal shows
//! files.rs    writing whole or not at all
//! ```
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `draco` | yes | glTF meshes that are compressed with Draco (`draco-core`, Apache-2.0 only) |
//! | `fbx` | no | FBX files can be read (`ufbx`, a C library: needs a C compiler) |
//! | `gzip` | yes | clip streams compressed with gzip |
//! | `zstd` | no | clip streams compressed with Zstandard (a C library) |
//!
//! Without a C compiler: `cargo install --no-default-features --features draco`.

mod commands;
mod crowd;
mod files;
mod options;
mod progress;
mod source;
mod stage;
mod style;
mod warnings;

// What `demo` and `bench` measure with.
pub use commands::{Planned, main, plan_import, run_with, status_of};
use lissom_measure::machine;
