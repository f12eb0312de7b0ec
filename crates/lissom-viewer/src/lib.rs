//! See the motion: one viewer, as a program on the desktop and as a page in the browser.
//!
//! ```text
//!  files, bytes ──▶ Loading (a thread of its own) ──▶ Document: archive, player, surfaces
//!                                                        │ update(dt)
//!  keys, mouse, panels ──▶ Viewer ─────────────────────▶ │
//!                            │                           ▼
//!                            └──▶ Scene: palettes to the GPU, drawn into a picture that egui shows
//! ```
//!
//! [`Viewer`] is all of it but the window: a window ([`run`]), a picture without one ([`screenshot()`]) and tests each
//! show it their own way.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `draco` | yes | glTF meshes compressed with Draco can be read |
//! | `fbx` | yes | FBX files can be read (`ufbx`, a C library: needs a C compiler) |
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "what is drawn promises no bits")]

mod camera;
mod document;
mod panels;
mod scene;
mod screenshot;
mod viewer;
mod window;

pub use document::{Document, Failure, Loading};
pub use screenshot::{Picture, Shot, device, screenshot};
pub use viewer::Viewer;
pub use window::run;
