//! Flat shapes in pixels of the canvas, over everything: what charts are made of.

use crate::camera::require;
use crate::canvas::SAMPLES;
use crate::{Canvas, Color, DrawError};

impl Canvas {
    /// A line through points (x, y) in pixels, with round ends and soft edges; `dash` is the length of a dash and
    /// of the gap after it. Two equal points make a dot.
    ///
    /// # Errors
    ///
    /// [`DrawError::NotFinite`], or [`DrawError::Parameter`] if the width is not in (0, 1000] or a dash or gap is not
    /// above 0.
    pub fn polyline(
        &mut self,
        points: &[(f32, f32)],
        width_px: f32,
        dash: Option<(f32, f32)>,
        color: Color,
    ) -> Result<(), DrawError> {
        require("width_px", width_px, width_px > 0.0 && width_px <= 1000.0, "in (0, 1000]")?;
        finite(points)?;
        if let Some((on, off)) = dash {
            for (field, v) in [("dash", on), ("gap", off)] {
                require(field, v, v.is_finite() && v > 0.0, "finite and above 0")?;
            }
        }
        let mut travelled = 0.0;
        for pair in points.windows(2) {
            let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
            let length = ((bx - ax) * (bx - ax) + (by - ay) * (by - ay)).sqrt();
            match dash {
                None => self.stroke(pair[0], pair[1], width_px, color),
                Some((on, off)) => {
                    let at = |d: f32| (ax + (bx - ax) * d / length, ay + (by - ay) * d / length);
                    // Dashes that began before this segment go on in it.
                    let mut d = -(travelled % (on + off));
                    while d < length {
                        let (from, to) = (d.max(0.0), (d + on).min(length));
                        if to > from {
                            self.stroke(at(from), at(to), width_px, color);
                        }
                        d += on + off;
                    }
                }
            }
            travelled += length;
        }
        Ok(())
    }

    /// One straight stroke.
    fn stroke(&mut self, a: (f32, f32), b: (f32, f32), width_px: f32, color: Color) {
        let (s, light) = (SAMPLES as f32, color.linear());
        let (a, b) = ((a.0 * s, a.1 * s), (b.0 * s, b.1 * s));
        self.along(a, b, width_px * s * 0.5, |canvas, at, _, alpha| canvas.blend(at, light, alpha));
    }

    /// Fills a polygon given by its corners in pixels; where it crosses itself, every second part stays empty.
    ///
    /// # Errors
    ///
    /// [`DrawError::NotFinite`], or [`DrawError::Parameter`] if alpha is not in [0, 1].
    pub fn polygon(&mut self, corners: &[(f32, f32)], color: Color, alpha: f32) -> Result<(), DrawError> {
        require("alpha", alpha, (0.0..=1.0).contains(&alpha), "in [0, 1]")?;
        finite(corners)?;
        let s = SAMPLES as f32;
        let fold = |f: fn(f32, f32) -> f32, start: f32| corners.iter().map(|c| c.1 * s).fold(start, f);
        let (_, y0, _, y1) = self.cover(0.0, fold(f32::min, f32::INFINITY), 0.0, fold(f32::max, 0.0));
        let (left, _, right, _) = self.bounds();
        let light = color.linear();
        let mut crossings = Vec::new();
        for y in y0..y1 {
            let at = y as f32 + 0.5;
            crossings.clear();
            for i in 0..corners.len() {
                let ((ax, ay), (bx, by)) = (corners[i], corners[(i + 1) % corners.len()]);
                let (ay, by) = (ay * s, by * s);
                if (ay <= at) != (by <= at) {
                    crossings.push((ax + (bx - ax) * (at - ay) / (by - ay)) * s);
                }
            }
            crossings.sort_by(f32::total_cmp);
            for span in crossings.chunks_exact(2) {
                // A sample counts if its centre is inside. `as usize` saturates: far off is off.
                let from = ((span[0] - 0.5).ceil().max(0.0) as usize).clamp(left, right);
                let to = ((span[1] - 0.5).ceil().max(0.0) as usize).clamp(left, right);
                for x in from..to {
                    self.blend(y * self.stride + x, light, alpha);
                }
            }
        }
        Ok(())
    }
}

fn finite(points: &[(f32, f32)]) -> Result<(), DrawError> {
    match points.iter().position(|p| !p.0.is_finite() || !p.1.is_finite()) {
        Some(at) => Err(DrawError::NotFinite { field: "points", at }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Canvas, DrawError, palette};

    fn dark(canvas: &Canvas, x: u32, y: u32) -> bool {
        canvas.finish().pixel(x, y).unwrap()[0] < 100
    }

    #[test]
    fn a_polygon_covers_its_inside_and_nothing_else() {
        let mut canvas = Canvas::new(20, 20, palette::PAPER).unwrap();
        canvas.polygon(&[(4.0, 4.0), (16.0, 4.0), (16.0, 12.0), (4.0, 12.0)], palette::INK, 1.0).unwrap();
        let covered = (0..400).filter(|i| dark(&canvas, i % 20, i / 20)).count();
        assert_eq!(covered, 12 * 8);
        assert!(
            dark(&canvas, 4, 4) && dark(&canvas, 15, 11) && !dark(&canvas, 16, 11) && !dark(&canvas, 4, 12)
        );
    }

    #[test]
    fn dashes_leave_gaps() {
        let mut canvas = Canvas::new(40, 9, palette::PAPER).unwrap();
        canvas
            .polyline(&[(2.0, 4.5), (20.0, 4.5), (38.0, 4.5)], 2.0, Some((6.0, 6.0)), palette::INK)
            .unwrap();
        let row: Vec<bool> = [4, 11, 17, 23, 29, 35].iter().map(|x| dark(&canvas, *x, 4)).collect();
        assert_eq!(row, [true, false, true, false, true, false]);
    }

    #[test]
    fn flat_shapes_that_make_no_sense_are_refused() {
        let mut canvas = Canvas::new(8, 8, palette::PAPER).unwrap();
        let before = canvas.finish();
        let nan = [(1.0, 1.0), (f32::NAN, 2.0)];
        assert!(matches!(canvas.polygon(&nan, palette::INK, 1.0), Err(DrawError::NotFinite { at: 1, .. })));
        assert!(canvas.polygon(&[], palette::INK, 1.5).is_err());
        assert!(canvas.polyline(&nan, 1.0, None, palette::INK).is_err());
        assert!(canvas.polyline(&[(1.0, 1.0); 2], 0.0, None, palette::INK).is_err());
        assert!(canvas.polyline(&[(1.0, 1.0); 2], 1.0, Some((0.0, 1.0)), palette::INK).is_err());
        // Far outside is no error, and nothing.
        canvas.polygon(&[(-1e9, -1e9), (-1e8, -1e9), (-1e8, -1e8)], palette::INK, 1.0).unwrap();
        assert_eq!(canvas.finish(), before);
    }
}
