//! What the benches share: a rig, poses, a mesh, and a stopwatch that keeps the best of many rounds.

pub mod rig;
pub mod timing;
