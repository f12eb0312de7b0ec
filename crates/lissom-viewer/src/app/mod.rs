//! The viewer in a window, on a page, or where nobody sees it.

#[cfg(not(target_arch = "wasm32"))]
mod offscreen;
#[cfg(target_arch = "wasm32")]
pub mod page;
mod start;
#[cfg(not(target_arch = "wasm32"))]
mod window;

#[cfg(not(target_arch = "wasm32"))]
pub use {
    offscreen::{FrameCost, Offscreen, Shot, bench, device, document, screenshot},
    window::run,
};
