//! What Lissom shows of a file: pictures, plots, figures of speed, and the demo's report. The command's `render`, `plot`,
//! `bench` and `demo` are built on it, and so is `cargo run --release` in the repository, which needs no command line.
//!
//! ```text
//! source     a file in memory: an archive, a stream of a clip, or the scene of an authored file
//! stage      what is shown: a skeleton, its clips ready to play, its meshes
//! figure     a posed character, ready to draw;  playable, played  what moves it
//! scene      camera and floor: strips and moving pictures of figures
//! plot       curves, errors and bytes of a clip
//! measure    what a clip costs on this machine;  crowd  a crowd with three clips per character
//! demo       all of that at once, for the mannequin
//! files      writing whole or not at all;  progress, usage  what a terminal shows
//! ```

pub mod crowd;
pub mod demo;
pub mod figure;
pub mod files;
pub mod measure;
pub mod playable;
pub mod played;
pub mod plot;
pub mod progress;
pub mod scene;
pub mod source;
pub mod stage;
mod surface;
mod synthetic;
pub mod usage;
