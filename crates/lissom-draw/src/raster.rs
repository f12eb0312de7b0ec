//! Shaded triangles.

use crate::camera::{Seen, require};
use crate::color::Color;
use crate::texture::{Opacity, Texture};
use crate::vector::{V, add, dot, is_finite, scale, sub, unit};
use crate::{Canvas, DrawError};

/// Triangles to draw. Counter-clockwise is the front.
#[derive(Clone, Copy, Debug)]
pub struct Mesh<'a> {
    /// Vertices.
    pub positions: &'a [[f32; 3]],
    /// One a vertex; any length but 0.
    pub normals: &'a [[f32; 3]],
    /// Three a triangle.
    pub indices: &'a [u32],
    /// Of the whole mesh.
    pub color: Color,
    /// One a vertex, instead of `color`.
    pub colors: Option<&'a [Color]>,
    /// A picture, which `color` is multiplied with, and where on it each vertex lies (v down).
    pub texture: Option<(&'a Texture, &'a [[f32; 2]])>,
    /// How much of it is seen; times the texture's alpha.
    pub alpha: f32,
    /// What alpha means.
    pub opacity: Opacity,
    /// Draws fronts alone.
    pub culled: bool,
}

impl<'a> Mesh<'a> {
    /// Opaque triangles of one colour, drawn from both sides.
    #[must_use]
    pub const fn new(
        positions: &'a [[f32; 3]],
        normals: &'a [[f32; 3]],
        indices: &'a [u32],
        color: Color,
    ) -> Self {
        Self {
            positions,
            normals,
            indices,
            color,
            colors: None,
            texture: None,
            alpha: 1.0,
            opacity: Opacity::Opaque,
            culled: false,
        }
    }
}

/// A soft studio: a warm key from one side, a cool fill from the sky, a thin rim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// From the scene to the key light.
    pub key: [f32; 3],
    /// Strength of the key, 0 to about 1.
    pub key_strength: f32,
    /// Strength of the sky, 0 to about 1.
    pub fill_strength: f32,
    /// Strength of the light that comes round the edges.
    pub rim_strength: f32,
}

impl Default for Light {
    fn default() -> Self {
        Self { key: [0.45, 0.8, 0.55], key_strength: 0.78, fill_strength: 0.42, rim_strength: 0.10 }
    }
}

impl Light {
    /// The light that leaves a surface of this colour towards `to_eye`. Directions are unit vectors.
    pub(crate) fn shade(&self, base: V, normal: V, to_eye: V) -> V {
        let key = unit(self.key, [0.0, 1.0, 0.0]);
        // Wrapped a little past the terminator: skin and plaster, not metal.
        let wrap = 0.22;
        let facing = ((dot(normal, key) + wrap) / (1.0 + wrap)).max(0.0);
        let sky = 0.5 + 0.5 * normal[1];
        let grazing = 1.0 - dot(normal, to_eye).clamp(0.0, 1.0);
        let rim = grazing * grazing * grazing * (0.4 + 0.6 * sky);
        let half = unit(add(key, to_eye), normal);
        let gloss = dot(normal, half).max(0.0);
        let gloss = gloss * gloss * gloss * gloss;
        let gloss = gloss * gloss * gloss * 0.06 * self.key_strength;
        let key_tint = [1.0, 0.965, 0.91];
        let sky_tint = [0.86, 0.94, 1.0];
        let ground_tint = [0.52, 0.47, 0.42];
        core::array::from_fn(|c| {
            let fill = ground_tint[c] * (1.0 - sky) + sky_tint[c] * sky;
            let lit = key_tint[c] * facing * self.key_strength + fill * self.fill_strength;
            base[c] * lit + (rim * self.rim_strength + gloss) * sky_tint[c]
        })
    }
}

impl Canvas {
    /// Draws a mesh with smooth shading. Triangles that reach before the near plane are left out.
    ///
    /// # Errors
    ///
    /// [`DrawError::Length`], [`DrawError::Triangles`], [`DrawError::Index`], [`DrawError::NotFinite`].
    pub fn mesh(&mut self, mesh: &Mesh<'_>, light: &Light) -> Result<(), DrawError> {
        check(mesh)?;
        let seen: Vec<Option<Seen>> = mesh.positions.iter().map(|p| self.view.see(*p)).collect();
        let base = mesh.color.linear();
        let colors: Option<Vec<V>> = mesh.colors.map(|c| c.iter().map(|c| c.linear()).collect());
        for t in mesh.indices.chunks_exact(3) {
            let ids = [t[0] as usize, t[1] as usize, t[2] as usize];
            let [Some(a), Some(b), Some(c)] = ids.map(|i| seen[i]) else { continue };
            let corners = ids.map(|i| Corner {
                position: mesh.positions[i],
                normal: mesh.normals[i],
                color: colors.as_ref().map_or(base, |c| c[i]),
                uv: mesh.texture.map_or([0.0; 2], |(_, uvs)| uvs[i]),
            });
            self.triangle([a, b, c], &corners, mesh, light);
        }
        Ok(())
    }

    fn triangle(&mut self, seen: [Seen; 3], corners: &[Corner; 3], mesh: &Mesh<'_>, light: &Light) {
        let p = seen.map(|s| self.place(s));
        // Twice the signed area; y points down, so the front is negative.
        let area = (p[1].0 - p[0].0) * (p[2].1 - p[0].1) - (p[1].1 - p[0].1) * (p[2].0 - p[0].0);
        if area.abs() < 1e-9 || !area.is_finite() {
            return;
        }
        if mesh.culled && area > 0.0 {
            return;
        }
        let flip = if area > 0.0 { -1.0 } else { 1.0 };
        let inv_area = 1.0 / area;
        let min = |f: fn((f32, f32)) -> f32| f(p[0]).min(f(p[1])).min(f(p[2]));
        let max = |f: fn((f32, f32)) -> f32| f(p[0]).max(f(p[1])).max(f(p[2]));
        let (x0, y0, x1, y1) = self.cover(min(|p| p.0), min(|p| p.1), max(|p| p.0), max(|p| p.1));
        let edge =
            |a: (f32, f32), b: (f32, f32), x: f32, y: f32| (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0);
        for y in y0..y1 {
            for x in x0..x1 {
                let (sx, sy) = (x as f32 + 0.5, y as f32 + 0.5);
                let w = [
                    edge(p[1], p[2], sx, sy) * inv_area,
                    edge(p[2], p[0], sx, sy) * inv_area,
                    edge(p[0], p[1], sx, sy) * inv_area,
                ];
                if w[0] < 0.0 || w[1] < 0.0 || w[2] < 0.0 {
                    continue;
                }
                let at = y * self.stride + x;
                let depth = w[0] * seen[0].depth + w[1] * seen[1].depth + w[2] * seen[2].depth;
                if depth <= self.depth[at] {
                    continue;
                }
                let k: V = core::array::from_fn(|i| w[i] * seen[i].inv_w);
                let k = scale(k, 1.0 / (k[0] + k[1] + k[2]));
                let mix = |f: fn(&Corner) -> V| {
                    add(
                        add(scale(f(&corners[0]), k[0]), scale(f(&corners[1]), k[1])),
                        scale(f(&corners[2]), k[2]),
                    )
                };
                let normal = unit(scale(mix(|c| c.normal), flip), [0.0, 1.0, 0.0]);
                let to_eye = self.to_eye(mix(|c| c.position));
                let (mut color, mut alpha) = (mix(|c| c.color), mesh.alpha);
                if let Some((texture, _)) = mesh.texture {
                    let uv = core::array::from_fn(|i| (0..3).map(|c| corners[c].uv[i] * k[c]).sum());
                    let [r, g, b, a] = texture.at(uv);
                    color = [color[0] * r, color[1] * g, color[2] * b];
                    alpha *= a;
                }
                let shaded = light.shade(color, normal, to_eye);
                match mesh.opacity {
                    Opacity::Mask(least) if alpha < least => {}
                    Opacity::Blend if alpha < 1.0 => self.blend(at, shaded, alpha),
                    _ => (self.depth[at], self.light[at]) = (depth, shaded),
                }
            }
        }
    }

    /// The unit direction from a point to the camera.
    pub(crate) fn to_eye(&self, p: V) -> V {
        let back = scale(self.view.forward, -1.0);
        if self.view.perspective { unit(sub(self.view.eye, p), back) } else { back }
    }
}

struct Corner {
    position: V,
    normal: V,
    color: V,
    uv: [f32; 2],
}

fn check(mesh: &Mesh<'_>) -> Result<(), DrawError> {
    let vertices = mesh.positions.len();
    let length = |field, len| {
        if len == vertices { Ok(()) } else { Err(DrawError::Length { field, len, expected: vertices }) }
    };
    length("normals", mesh.normals.len())?;
    length("colors", mesh.colors.map_or(vertices, <[Color]>::len))?;
    length("texture coordinates", mesh.texture.map_or(vertices, |(_, uvs)| uvs.len()))?;
    require("alpha", mesh.alpha, (0.0..=1.0).contains(&mesh.alpha), "in [0, 1]")?;
    if !mesh.indices.len().is_multiple_of(3) {
        return Err(DrawError::Triangles { count: mesh.indices.len() });
    }
    if let Some((at, index)) = mesh.indices.iter().enumerate().find(|(_, i)| **i as usize >= vertices) {
        return Err(DrawError::Index { at, index: *index, vertices });
    }
    for (field, list) in [("positions", mesh.positions), ("normals", mesh.normals)] {
        if let Some(at) = list.iter().position(|v| !is_finite(*v)) {
            return Err(DrawError::NotFinite { field, at });
        }
    }
    Ok(())
}
