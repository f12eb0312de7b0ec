//! What the examples share: files to play, and a stage to play them on.
//!
//! `cargo run --ignore-rust-version --example crowd` opens a window. With `LISSOM_PICTURE=crowd.png` in the environment time goes
//! in steps of 1/30 s, a picture is taken when the characters have played for a while, and the window closes.

mod files;
mod stage;

pub use files::{BODY, MORPHS, bring};
pub use stage::{Stage, plaster};
