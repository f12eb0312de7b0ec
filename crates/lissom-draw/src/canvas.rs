//! The surface that everything is drawn on.

use crate::camera::{Seen, View};
use crate::color::{Color, encode};
use crate::{Camera, DrawError, Image};

/// Samples along each side of a pixel.
pub(crate) const SAMPLES: u32 = 2;
/// The longest side of a canvas, in pixels.
const MAX_SIDE: u32 = 8192;

/// A part of the canvas, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Viewport {
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
}

/// A picture in the making: linear light and depth, two samples a pixel each way.
#[derive(Clone, Debug)]
pub struct Canvas {
    width: u32,
    height: u32,
    pub(crate) stride: usize,
    pub(crate) light: Vec<[f32; 3]>,
    pub(crate) depth: Vec<f32>,
    viewport: Viewport,
    pub(crate) view: View,
}

impl Canvas {
    /// A canvas of one colour. The camera stands at (0, 1, 4) and looks at (0, 1, 0) until it is set.
    ///
    /// # Errors
    ///
    /// [`DrawError::Parameter`] if a side is 0 or above 8192.
    pub fn new(width: u32, height: u32, background: Color) -> Result<Self, DrawError> {
        for (field, side) in [("width", width), ("height", height)] {
            if side == 0 || side > MAX_SIDE {
                let value = f64::from(side);
                return Err(DrawError::Parameter { field, value, allowed: "in 1..=8192" });
            }
        }
        let stride = (width * SAMPLES) as usize;
        let count = stride * (height * SAMPLES) as usize;
        let view = View::new(&Camera::perspective([0.0, 1.0, 4.0], [0.0, 1.0, 0.0], 0.6))?;
        Ok(Self {
            width,
            height,
            stride,
            light: vec![background.linear(); count],
            depth: vec![0.0; count],
            viewport: Viewport { x: 0, y: 0, width, height },
            view,
        })
    }

    /// Pixels across and down.
    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Draws from here on within a part of the canvas; the camera sees that part as its whole picture.
    ///
    /// # Errors
    ///
    /// [`DrawError::Parameter`] if the part is empty or reaches outside.
    pub fn set_viewport(&mut self, v: Viewport) -> Result<(), DrawError> {
        let fits =
            |at: u32, len: u32, side: u32| len > 0 && at.checked_add(len).is_some_and(|end| end <= side);
        for (field, at, len, side) in
            [("viewport width", v.x, v.width, self.width), ("viewport height", v.y, v.height, self.height)]
        {
            if !fits(at, len, side) {
                let value = f64::from(len);
                return Err(DrawError::Parameter { field, value, allowed: "above 0 and inside the canvas" });
            }
        }
        self.viewport = v;
        Ok(())
    }

    /// The part that is drawn on.
    #[must_use]
    pub fn viewport(&self) -> Viewport {
        self.viewport
    }

    /// Looks through another camera from here on.
    ///
    /// # Errors
    ///
    /// [`DrawError::Parameter`] or [`DrawError::NotFinite`] if the camera makes no picture.
    pub fn set_camera(&mut self, camera: &Camera) -> Result<(), DrawError> {
        self.view = View::new(camera)?;
        Ok(())
    }

    /// Forgets all depth inside the viewport: what is drawn next is in front.
    pub fn clear_depth(&mut self) {
        let (x0, y0, x1, y1) = self.bounds();
        for y in y0..y1 {
            self.depth[y * self.stride + x0..y * self.stride + x1].fill(0.0);
        }
    }

    /// Fills the viewport with a colour, and forgets its depth.
    pub fn fill(&mut self, color: Color) {
        let (x0, y0, x1, y1) = self.bounds();
        let light = color.linear();
        for y in y0..y1 {
            self.light[y * self.stride + x0..y * self.stride + x1].fill(light);
        }
        self.clear_depth();
    }

    /// The viewport in samples: left, top, right, bottom (exclusive).
    pub(crate) fn bounds(&self) -> (usize, usize, usize, usize) {
        let v = self.viewport;
        let s = |p: u32| (p * SAMPLES) as usize;
        (s(v.x), s(v.y), s(v.x + v.width), s(v.y + v.height))
    }

    /// Samples for one unit of [`Seen`] (half the viewport's height).
    pub(crate) fn unit(&self) -> f32 {
        (self.viewport.height * SAMPLES) as f32 * 0.5
    }

    /// The middle of the viewport, in samples.
    pub(crate) fn middle(&self) -> (f32, f32) {
        let (x0, y0, x1, y1) = self.bounds();
        ((x0 + x1) as f32 * 0.5, (y0 + y1) as f32 * 0.5)
    }

    /// Where a seen point falls, in samples.
    pub(crate) fn place(&self, seen: Seen) -> (f32, f32) {
        let (mx, my) = self.middle();
        (mx + seen.x * self.unit(), my - seen.y * self.unit())
    }

    /// The samples whose centres may lie in a rectangle, within the viewport.
    pub(crate) fn cover(&self, x0: f32, y0: f32, x1: f32, y1: f32) -> (usize, usize, usize, usize) {
        let (left, top, right, bottom) = self.bounds();
        // `as usize` saturates: far off is off.
        let lo = |v: f32, a: usize, b: usize| (v.floor() as usize).clamp(a, b);
        let hi = |v: f32, a: usize, b: usize| (v.ceil().max(0.0) as usize).saturating_add(1).clamp(a, b);
        (lo(x0, left, right), lo(y0, top, bottom), hi(x1, left, right), hi(y1, top, bottom))
    }

    /// Calls `each` with every sample near the line from a to b, all in samples: its index, how far along it lies,
    /// and how much of it is covered. One sample of softness outside of the radius.
    pub(crate) fn along(
        &mut self,
        a: (f32, f32),
        b: (f32, f32),
        radius: f32,
        mut each: impl FnMut(&mut Self, usize, f32, f32),
    ) {
        let reach = radius + 1.0;
        let (x0, y0, x1, y1) = self.cover(
            a.0.min(b.0) - reach,
            a.1.min(b.1) - reach,
            a.0.max(b.0) + reach,
            a.1.max(b.1) + reach,
        );
        let d = (b.0 - a.0, b.1 - a.1);
        let inv = 1.0 / (d.0 * d.0 + d.1 * d.1).max(1e-12);
        for y in y0..y1 {
            for x in x0..x1 {
                let q = (x as f32 + 0.5 - a.0, y as f32 + 0.5 - a.1);
                let t = ((q.0 * d.0 + q.1 * d.1) * inv).clamp(0.0, 1.0);
                let off = (q.0 - d.0 * t, q.1 - d.1 * t);
                let alpha = (radius + 0.5 - (off.0 * off.0 + off.1 * off.1).sqrt()).clamp(0.0, 1.0);
                if alpha > 0.0 {
                    each(self, y * self.stride + x, t, alpha);
                }
            }
        }
    }

    /// Lays light over a sample.
    pub(crate) fn blend(&mut self, at: usize, light: [f32; 3], alpha: f32) {
        let old = &mut self.light[at];
        for c in 0..3 {
            old[c] += (light[c] - old[c]) * alpha;
        }
    }

    /// The finished picture: each pixel the mean of its samples.
    #[must_use]
    pub fn finish(&self) -> Image {
        let mut pixels = Vec::with_capacity(self.width as usize * self.height as usize * 4);
        let k = 1.0 / (SAMPLES * SAMPLES) as f32;
        let n = SAMPLES as usize;
        for y in 0..self.height as usize {
            for x in 0..self.width as usize {
                let mut sum = [0.0_f32; 3];
                for sy in 0..n {
                    let row = (y * n + sy) * self.stride + x * n;
                    for s in &self.light[row..row + n] {
                        for c in 0..3 {
                            sum[c] += s[c].clamp(0.0, 1.0);
                        }
                    }
                }
                pixels.extend(sum.map(|c| encode(c * k)));
                pixels.push(255);
            }
        }
        Image { width: self.width, height: self.height, pixels }
    }
}
