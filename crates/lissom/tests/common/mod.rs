//! What the tests share: meshes, clips, and every job in a row.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod clips;
pub mod corrections;
pub mod meshes;
pub mod stage;
