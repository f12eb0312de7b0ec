//! See the motion: one viewer, as a program on the desktop and as a page in the browser.
//!
//! ```text
//!  files, bytes ──▶ Loading (a thread of its own) ──▶ Document: archive, player, surfaces
//!                                                        │
//!  Viewer:   open ◀── commands ◀── panels ◀── View ◀── open, stage, ui, settings
//!              │         └─▶ edits: undo, redo
//!              └──▶ Scene: palettes to the GPU, drawn into a picture that egui shows
//! ```
//!
//! [`Viewer`] is all of it but the window: a window ([`run`]), pictures without one ([`Offscreen`]) and tests each
//! show it their own way.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `draco` | yes | glTF meshes compressed with Draco can be read |
//! | `fbx` | yes | FBX files can be read (`ufbx`, a C library: needs a C compiler) |
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "what is drawn promises no bits")]

mod app;
mod apply;
mod camera;
mod clip_list;
mod document;
mod drive;
mod extent;
mod failure;
mod lines;
mod loading;
mod look;
#[cfg(test)]
#[path = "../tests/ui/matched_file.rs"]
mod matched_file;
mod opening;
mod origin;
mod panels;
mod picture;
mod platform;
mod retargeted;
mod scene;
mod settings;
mod shown;
mod source;
mod state;
mod surfaces;
mod viewer;

#[cfg(target_arch = "wasm32")]
pub use app::page;
#[cfg(not(target_arch = "wasm32"))]
pub use app::{FrameCost, Offscreen, Shot, bench, device, document, run, screenshot};
pub use document::Document;
pub use failure::Failure;
pub use loading::Loading;
pub use look::dress;
pub use picture::Picture;
pub use settings::Panel;
pub use source::Source;
pub use state::Export;
pub use viewer::Viewer;
