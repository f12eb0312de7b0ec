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
//! [`Viewer`] is all of it but the window: a window ([`run`]), pictures without one ([`Offscreen`]) and tests each
//! show it their own way.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `draco` | yes | glTF meshes compressed with Draco can be read |
//! | `fbx` | yes | FBX files can be read (`ufbx`, a C library: needs a C compiler) |
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "what is drawn promises no bits")]

mod bounds;
mod camera;
#[cfg(not(target_arch = "wasm32"))]
mod changes;
mod compare;
mod crowd;
mod document;
mod drive;
#[cfg(not(target_arch = "wasm32"))]
mod export;
mod ghost;
mod loading;
#[cfg(not(target_arch = "wasm32"))]
mod offscreen;
mod opening;
mod origin;
mod panels;
mod picture;
mod scene;
mod second;
mod viewer;
#[cfg(target_arch = "wasm32")]
pub mod web;
mod window;
mod world;

pub use document::{Document, Failure, Source};
#[cfg(not(target_arch = "wasm32"))]
pub use export::Export;
pub use loading::Loading;
#[cfg(not(target_arch = "wasm32"))]
pub use offscreen::{FrameCost, Offscreen, Picture, Shot, bench, device, document, screenshot};
pub use panels::Panel;
pub use viewer::Viewer;
#[cfg(not(target_arch = "wasm32"))]
pub use window::run;
