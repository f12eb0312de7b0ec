//! What the benches share: a rig, poses, clips, and a stopwatch that keeps the best of many rounds.

pub mod player;
pub mod rig;
pub mod skinning;
pub mod timing;
