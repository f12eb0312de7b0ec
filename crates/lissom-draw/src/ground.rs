//! The floor: a fading grid, and the soft shadow of what stands on it.

use crate::camera::require;
use crate::color::Color;
use crate::vector::{V, is_finite, smoothstep};
use crate::{Canvas, DrawError, palette};

/// A horizontal grid that fades into the background.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Height of the floor.
    pub y: f32,
    /// Metres between lines.
    pub spacing: f32,
    /// Middle of the visible part (x, z).
    pub centre: [f32; 2],
    /// Beyond this distance from the middle nothing is drawn.
    pub radius: f32,
    /// Width of a line in metres.
    pub line_width: f32,
    /// Colour of the lines.
    pub color: Color,
    /// How strong lines are, 0 to 1.
    pub strength: f32,
}

impl Default for Ground {
    fn default() -> Self {
        Self {
            y: 0.0,
            spacing: 0.5,
            centre: [0.0, 0.0],
            radius: 4.0,
            line_width: 0.008,
            color: palette::STONE,
            strength: 0.55,
        }
    }
}

/// How much light is missing on the floor, on a grid of small cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Shadow {
    origin: [f32; 2],
    columns: usize,
    rows: usize,
    cells: Vec<f32>,
}

/// Side of a shadow cell in metres.
const CELL: f32 = 0.025;
/// Most cells along one side.
const MAX_CELLS: usize = 2048;

impl Shadow {
    /// The contact shadow of a dense cloud of points (a mesh's vertices): dark where they touch `ground_y`,
    /// fading with height.
    ///
    /// # Errors
    ///
    /// [`DrawError::NotFinite`], or [`DrawError::Parameter`] if the cloud is empty or wider than 50 m.
    pub fn of_points(points: &[V], ground_y: f32) -> Result<Self, DrawError> {
        if let Some(at) = points.iter().position(|p| !is_finite(*p)) {
            return Err(DrawError::NotFinite { field: "points", at });
        }
        let (mut min, mut max) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for p in points {
            for (i, v) in [p[0], p[2]].into_iter().enumerate() {
                min[i] = min[i].min(v);
                max[i] = max[i].max(v);
            }
        }
        let widest = (max[0] - min[0]).max(max[1] - min[1]);
        require("width of the point cloud", widest, (0.0..=50.0).contains(&widest), "in [0, 50]")?;
        let margin = 16;
        let cells = |i: usize| (((max[i] - min[i]) / CELL) as usize + 1 + 2 * margin).min(MAX_CELLS);
        let (columns, rows) = (cells(0), cells(1));
        let origin = [min[0] - margin as f32 * CELL, min[1] - margin as f32 * CELL];
        let mut near = vec![0.0_f32; columns * rows];
        let mut wide = near.clone();
        for p in points {
            let height = (p[1] - ground_y).max(0.0);
            let x = (((p[0] - origin[0]) / CELL) as usize).min(columns - 1);
            let y = (((p[2] - origin[1]) / CELL) as usize).min(rows - 1);
            let at = y * columns + x;
            near[at] = near[at].max(1.0 - smoothstep(0.0, 0.22, height));
            wide[at] = wide[at].max(1.0 - smoothstep(0.0, 2.4, height));
        }
        // A tight core under the feet and a wide haze under the body.
        for _ in 0..2 {
            blur(&mut near, columns, rows, 2);
        }
        for _ in 0..3 {
            blur(&mut wide, columns, rows, 6);
        }
        let sum = |(n, w): (&f32, &f32)| (0.62 * n + 0.42 * w).min(0.85);
        Ok(Self { origin, columns, rows, cells: near.iter().zip(&wide).map(sum).collect() })
    }

    /// The missing light at a place, 0 to 1.
    fn at(&self, x: f32, z: f32) -> f32 {
        let (u, v) = ((x - self.origin[0]) / CELL - 0.5, (z - self.origin[1]) / CELL - 0.5);
        if u < 0.0 || v < 0.0 || u >= (self.columns - 1) as f32 || v >= (self.rows - 1) as f32 {
            return 0.0;
        }
        let (i, j) = (u as usize, v as usize);
        let (fu, fv) = (u - i as f32, v - j as f32);
        let cell = |i: usize, j: usize| self.cells[j * self.columns + i];
        let row = |j: usize| cell(i, j) * (1.0 - fu) + cell(i + 1, j) * fu;
        row(j) * (1.0 - fv) + row(j + 1) * fv
    }
}

/// A box blur along both axes.
fn blur(cells: &mut [f32], columns: usize, rows: usize, radius: usize) {
    let pass = |cells: &mut [f32], start: usize, step: usize, count: usize| {
        let line: Vec<f32> = (0..count).map(|i| cells[start + i * step]).collect();
        let k = 1.0 / (2 * radius + 1) as f32;
        for i in 0..count {
            let window = &line[i.saturating_sub(radius)..(i + radius + 1).min(count)];
            cells[start + i * step] = window.iter().sum::<f32>() * k;
        }
    };
    for row in 0..rows {
        pass(cells, row * columns, 1, columns);
    }
    for column in 0..columns {
        pass(cells, column, columns, rows);
    }
}

impl Canvas {
    /// Draws the floor behind everything that is nearer. Call it after the meshes.
    ///
    /// # Errors
    ///
    /// [`DrawError::Parameter`] if a length is not finite and above 0 or the strength is not in [0, 1].
    pub fn ground(&mut self, ground: &Ground, shadow: Option<&Shadow>) -> Result<(), DrawError> {
        for (field, v) in
            [("spacing", ground.spacing), ("radius", ground.radius), ("line_width", ground.line_width)]
        {
            require(field, v, v.is_finite() && v > 0.0, "finite and above 0")?;
        }
        require("y", ground.y, ground.y.is_finite(), "finite")?;
        for c in ground.centre {
            require("centre", c, c.is_finite(), "finite")?;
        }
        require("strength", ground.strength, (0.0..=1.0).contains(&ground.strength), "in [0, 1]")?;
        let color = ground.color.linear();
        let dark = palette::INK.linear();
        let (x0, y0, x1, y1) = self.bounds();
        let (mx, my) = self.middle();
        let inv = 1.0 / self.unit();
        let hit = |canvas: &Self, x: f32, y: f32| {
            let (o, d) = canvas.view.ray((x - mx) * inv, (my - y) * inv);
            let t = (ground.y - o[1]) / d[1];
            (t.is_finite() && t > canvas.view.near).then(|| (o[0] + d[0] * t, o[2] + d[2] * t, t))
        };
        for y in y0..y1 {
            for x in x0..x1 {
                let (sx, sy) = (x as f32 + 0.5, y as f32 + 0.5);
                let Some((gx, gz, t)) = hit(self, sx, sy) else { continue };
                let (dx, dz) = (gx - ground.centre[0], gz - ground.centre[1]);
                let from_middle = (dx * dx + dz * dz).sqrt();
                let at = y * self.stride + x;
                if from_middle > ground.radius || self.view.depth(t) <= self.depth[at] {
                    continue;
                }
                // What one sample covers on the floor decides how soft a line's edge is.
                let (Some(right), Some(below)) = (hit(self, sx + 1.0, sy), hit(self, sx, sy + 1.0)) else {
                    continue;
                };
                let line = |v: f32, span: f32| {
                    let off = (v / ground.spacing - (v / ground.spacing).round()).abs() * ground.spacing;
                    let half = ground.line_width * 0.5;
                    let soft = span.max(1e-6);
                    // A line thinner than a sample keeps its share of light instead of its edge.
                    ((half + soft * 0.5 - off) / soft).clamp(0.0, 1.0) * (ground.line_width / soft).min(1.0)
                };
                let lx = line(gx, (right.0 - gx).abs().max((below.0 - gx).abs()));
                let lz = line(gz, (right.1 - gz).abs().max((below.1 - gz).abs()));
                let fade = 1.0 - smoothstep(ground.radius * 0.35, ground.radius, from_middle);
                self.blend(at, color, lx.max(lz) * ground.strength * fade);
                if let Some(shadow) = shadow {
                    self.blend(at, dark, shadow.at(gx, gz) * 0.8);
                }
            }
        }
        Ok(())
    }
}
