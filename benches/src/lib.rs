//! What the benches share: a rig, poses, clips, and rows of work. Stopwatch and random numbers are those of `lissom-measure`.

pub mod ozz;
pub mod player;
pub mod rig;
pub mod rows;
pub mod skinning;
