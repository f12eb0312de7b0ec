//! What the benches share: a rig, poses, clips. Their stopwatch is the command's: `lissom_cli::timing`.

pub mod player;
pub mod rig;
pub mod skinning;
