//! A small software renderer: figures, bones, ground and labels to PNG, without a GPU.
//!
//! It exists so that tests, tools and documents can show a pose anywhere a compiler runs. Priorities: the same
//! picture on every machine, calm looks, little code. It knows nothing of Lissom: input is plain slices of
//! `[f32; 3]`, metres, Y up.
//!
//! ```
//! use lissom_draw::{Camera, Canvas, Ground, Light, Mesh, palette};
//!
//! let mut canvas = Canvas::new(64, 48, palette::PAPER)?;
//! canvas.set_camera(&Camera::framing([-1.0, 0.0, -1.0], [1.0, 1.0, 1.0], [0.5, 0.3, 1.0], 0.6, 64.0 / 48.0)?)?;
//! let corners = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let triangle = Mesh::new(&corners, &[[0.0, 0.0, 1.0]; 3], &[0, 1, 2], palette::CLAY);
//! canvas.mesh(&Mesh { culled: true, ..triangle }, &Light::default())?;
//! canvas.ground(&Ground::default(), None)?;
//! canvas.text(2, 2, "triangle", 1, palette::INK);
//! let png = canvas.finish().encode_png()?;
//! assert_eq!(&png[1..4], b"PNG");
//! # Ok::<(), lissom_draw::DrawError>(())
//! ```
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `gif` | no | moving pictures: `gif` |
//!
//! A canvas keeps two samples a pixel each way and a depth buffer; [`Canvas::set_viewport`] restricts drawing to
//! a part, so that one picture can hold many poses.

#![allow(clippy::disallowed_methods, reason = "pictures are no part of the promise of equal bits")]

mod camera;
mod canvas;
pub mod chart;
mod color;
mod error;
mod flat;
mod font;
#[cfg(feature = "gif")]
pub mod gif;
mod ground;
mod image;
mod raster;
mod shapes;
mod texture;
mod vector;

pub use camera::{Camera, Projection};
pub use canvas::{Canvas, Viewport};
pub use color::{Color, palette};
pub use error::DrawError;
pub use font::{GLYPH_HEIGHT, GLYPH_WIDTH, text_width};
pub use ground::{Ground, Shadow};
pub use image::Image;
pub use raster::{Light, Mesh};
pub use texture::{Opacity, Pixels, Texture};
