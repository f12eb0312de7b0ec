//! Lines, balls and bones.

use crate::camera::require;
use crate::color::Color;
use crate::vector::{V, add, dot, is_finite, mix, scale, sub};
use crate::{Canvas, DrawError, Light};

impl Canvas {
    /// A line of constant width in pixels between two points in space, with soft edges.
    ///
    /// # Errors
    ///
    /// [`DrawError::NotFinite`], or [`DrawError::Parameter`] if the width is not in (0, 1000].
    pub fn line(&mut self, from: V, to: V, width_px: f32, color: Color) -> Result<(), DrawError> {
        require("width_px", width_px, width_px > 0.0 && width_px <= 1000.0, "in (0, 1000]")?;
        for (at, p) in [from, to].into_iter().enumerate() {
            if !is_finite(p) {
                return Err(DrawError::NotFinite { field: "line end", at });
            }
        }
        let Some((from, to)) = self.before_near(from, to) else { return Ok(()) };
        let (Some(a), Some(b)) = (self.view.see(from), self.view.see(to)) else { return Ok(()) };
        let light = color.linear();
        let (pa, pb) = (self.place(a), self.place(b));
        // In samples; one sample of softness outside.
        let radius = width_px * crate::canvas::SAMPLES as f32 * 0.5;
        self.along(pa, pb, radius, |canvas, at, t, alpha| {
            let depth = a.depth + (b.depth - a.depth) * t;
            if depth < canvas.depth[at] {
                return;
            }
            canvas.blend(at, light, alpha);
            if alpha >= 0.5 {
                canvas.depth[at] = depth;
            }
        });
        Ok(())
    }

    /// The part of a line beyond the near plane.
    fn before_near(&self, a: V, b: V) -> Option<(V, V)> {
        let near = self.view.near * 1.0001;
        let (za, zb) = (self.view.distance(a), self.view.distance(b));
        if za < near && zb < near {
            return None;
        }
        let cut = |p: V, z: f32, q: V, zq: f32| if z < near { mix(p, q, (near - z) / (zq - z)) } else { p };
        Some((cut(a, za, b, zb), cut(b, zb, a, za)))
    }

    /// A shaded ball. Behind or around the camera nothing is drawn.
    ///
    /// # Errors
    ///
    /// [`DrawError::NotFinite`], or [`DrawError::Parameter`] if the radius is not above 0.
    pub fn ball(&mut self, centre: V, radius: f32, color: Color, light: &Light) -> Result<(), DrawError> {
        require("radius", radius, radius.is_finite() && radius > 0.0, "finite and above 0")?;
        if !is_finite(centre) {
            return Err(DrawError::NotFinite { field: "centre", at: 0 });
        }
        let z = self.view.distance(centre);
        let Some(seen) = self.view.see(centre).filter(|_| z - radius > self.view.near) else { return Ok(()) };
        let base = color.linear();
        let (cx, cy) = self.place(seen);
        let r = radius * seen.inv_w / self.view.half_height * self.unit();
        let (x0, y0, x1, y1) = self.cover(cx - r - 1.0, cy - r - 1.0, cx + r + 1.0, cy + r + 1.0);
        for y in y0..y1 {
            for x in x0..x1 {
                let (dx, dy) = ((x as f32 + 0.5 - cx) / r, (cy - y as f32 - 0.5) / r);
                let flat = dx * dx + dy * dy;
                let alpha = ((1.0 - flat.sqrt()) * r + 0.5).clamp(0.0, 1.0);
                if alpha <= 0.0 {
                    continue;
                }
                let bulge = (1.0 - flat).max(0.0).sqrt();
                let depth = self.view.depth(z - bulge * radius);
                let at = y * self.stride + x;
                if depth < self.depth[at] {
                    continue;
                }
                let (right, up, forward) = (self.view.right, self.view.up, self.view.forward);
                let normal = add(add(scale(right, dx), scale(up, dy)), scale(forward, -bulge));
                let shaded = light.shade(base, normal, self.to_eye(centre));
                self.blend(at, shaded, alpha);
                if alpha >= 0.5 {
                    self.depth[at] = depth;
                }
            }
        }
        Ok(())
    }

    /// A skeleton: a line from each joint to its parent and a ball on each joint. `parents` holds an index a
    /// joint, `None` for roots.
    ///
    /// # Errors
    ///
    /// [`DrawError::Length`], [`DrawError::Index`], and what [`Canvas::line`] and [`Canvas::ball`] refuse.
    pub fn skeleton(
        &mut self,
        joints: &[V],
        parents: &[Option<usize>],
        radius: f32,
        color: Color,
    ) -> Result<(), DrawError> {
        require("radius", radius, radius.is_finite() && radius > 0.0, "finite and above 0")?;
        let vertices = joints.len();
        if parents.len() != vertices {
            return Err(DrawError::Length { field: "parents", len: parents.len(), expected: vertices });
        }
        if let Some(at) = parents.iter().position(|p| p.is_some_and(|p| p >= vertices)) {
            let index = parents[at].map_or(0, |p| u32::try_from(p).unwrap_or(u32::MAX));
            return Err(DrawError::Index { at, index, vertices });
        }
        if let Some(at) = joints.iter().position(|p| !is_finite(*p)) {
            return Err(DrawError::NotFinite { field: "joints", at });
        }
        let bone = color.mixed(crate::palette::INK, 0.35);
        let light = Light::default();
        for (p, parent) in joints.iter().zip(parents) {
            if let Some(parent) = parent {
                let width = self.pixels_at(*p, radius).clamp(1.0, 1000.0);
                self.line(joints[*parent], *p, width, bone)?;
            }
        }
        for p in joints {
            self.ball(*p, radius, color, &light)?;
        }
        Ok(())
    }

    /// How many pixels a length has at a point.
    fn pixels_at(&self, p: V, length: f32) -> f32 {
        let z = dot(sub(p, self.view.eye), self.view.forward).max(self.view.near);
        let w = if self.view.perspective { z } else { 1.0 };
        length / (w * self.view.half_height) * self.unit() / crate::canvas::SAMPLES as f32
    }
}
