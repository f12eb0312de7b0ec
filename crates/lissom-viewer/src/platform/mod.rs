//! All that differs between the desktop and a page: files, threads, pictures that are read back.

#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(not(target_arch = "wasm32"))]
mod watch;
#[cfg(target_arch = "wasm32")]
mod web;

#[cfg(target_arch = "wasm32")]
pub(crate) use web::*;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use {native::*, watch::Watch};
