//! What the benches share: a rig, poses, clips, and rows of work. Their stopwatch is the command's: `lissom_cli::timing`.

pub mod ozz;
pub mod player;
pub mod rig;
pub mod rows;
pub mod skinning;
