//! Meshes and the jobs that move their vertices.

#[path = "../common/mod.rs"]
mod common;

mod jobs;
mod runs;
mod skin;
