//! Axes with round numbers, and what is drawn between them.

use super::sketch::{Anchor, Ink, Shape, Sketch};

/// A rectangle of a sketch with a scale along each side.
#[derive(Clone, Copy, Debug)]
pub struct Panel {
    /// Where it starts, from the left.
    pub left: f64,
    /// Where it starts, from the top.
    pub top: f64,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    /// The values at its left and right edge.
    pub x: (f64, f64),
    /// The values at its lower and upper edge.
    pub y: (f64, f64),
}

impl Panel {
    /// Where a value stands.
    #[must_use]
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let share = |v: f64, (low, high): (f64, f64)| (v - low) / (high - low);
        (self.left + share(x, self.x) * self.width, self.top + (1.0 - share(y, self.y)) * self.height)
    }

    /// Grid lines and numbers; the numbers along x only where asked for.
    pub fn grid(&self, sketch: &mut Sketch, x_numbers: bool) {
        let (left, right, bottom) = (self.left, self.left + self.width, self.top + self.height);
        let (ticks, decimals) = ticks(self.y, if self.height < 110.0 { 3 } else { 5 });
        for v in ticks {
            let y = self.at(self.x.0, v).1;
            sketch.line(vec![(left, y), (right, y)], 1.0, Ink::Grid);
            sketch.text((left - 7.0, y + 4.0), number(v, decimals), Anchor::End, Ink::Soft);
        }
        let (ticks, decimals) = ticks_x(self.x, self.width);
        for v in ticks {
            let x = self.at(v, self.y.0).0;
            sketch.line(vec![(x, bottom), (x, bottom + 4.0)], 1.0, Ink::Grid);
            if x_numbers {
                sketch.text((x, bottom + 17.0), number(v, decimals), Anchor::Middle, Ink::Soft);
            }
        }
    }

    /// A curve.
    pub fn curve(&self, sketch: &mut Sketch, points: &[(f64, f64)], ink: Ink) {
        sketch.line(points.iter().map(|p| self.at(p.0, p.1)).collect(), 1.8, ink);
    }

    /// A curve with what lies under it.
    pub fn hill(&self, sketch: &mut Sketch, points: &[(f64, f64)], ink: Ink) {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
        let mut area = vec![self.at(first.0, self.y.0)];
        area.extend(points.iter().map(|p| self.at(p.0, p.1)));
        area.push(self.at(last.0, self.y.0));
        sketch.shapes.push(Shape::Area { points: area, ink, alpha: 0.14 });
        self.curve(sketch, points, ink);
    }

    /// Dots, such as the keys of a source.
    pub fn dots(&self, sketch: &mut Sketch, points: &[(f64, f64)], radius: f64, ink: Ink) {
        for p in points {
            sketch.shapes.push(Shape::Dot { at: self.at(p.0, p.1), radius, ink });
        }
    }
}

/// Names of series in a row, ending at the right.
pub fn legend(sketch: &mut Sketch, right: f64, y: f64, names: &[(&str, Ink)]) {
    let mut x = right;
    for (name, ink) in names.iter().rev() {
        x -= 6.6 * name.chars().count() as f64;
        sketch.text((x, y), *name, Anchor::Start, Ink::Soft);
        x -= 16.0;
        sketch.rect((x, y - 8.5), (10.0, 8.0), *ink, 1.0);
        x -= 16.0;
    }
}

/// A range with round ends that holds another one; it never has length 0.
#[must_use]
pub fn nice((low, high): (f64, f64), count: usize) -> (f64, f64) {
    let least = high.abs().max(low.abs()).max(1e-9) * 1e-3;
    let (low, high) = if high - low < least { (low - least, high + least) } else { (low, high) };
    let step = step(high - low, count);
    (libm::floor(low / step + 1e-9) * step, libm::ceil(high / step - 1e-9) * step)
}

/// 1, 2 or 5 times a power of ten.
fn step(span: f64, count: usize) -> f64 {
    let rough = span / count as f64;
    let power = libm::exp10(libm::floor(libm::log10(rough)));
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= rough * 0.999);
    factor.unwrap_or(10.0) * power
}

/// Round numbers in a range, and how many decimals they need.
pub(super) fn ticks((low, high): (f64, f64), count: usize) -> (Vec<f64>, usize) {
    let step = step(high - low, count);
    let first = libm::ceil(low / step - 1e-9) as i64;
    let last = libm::floor(high / step + 1e-9) as i64;
    let decimals = (-libm::floor(libm::log10(step) + 1e-9)).max(0.0) as usize;
    ((first..=last).map(|i| i as f64 * step).collect(), decimals)
}

fn ticks_x(range: (f64, f64), width: f64) -> (Vec<f64>, usize) {
    ticks(range, ((width / 70.0) as usize).max(2))
}

pub(super) fn number(v: f64, decimals: usize) -> String {
    // No minus before a zero.
    let v = if v == 0.0 { 0.0 } else { v };
    format!("{v:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_become_round_and_ticks_cover_them() {
        assert_eq!(nice((0.013, 0.087), 5), (0.0, 0.1));
        assert_eq!(nice((-7.0, 31.0), 4), (-10.0, 40.0));
        let (low, high) = nice((3.0, 3.0), 4);
        assert!(low < 3.0 && high > 3.0);
        assert_eq!(ticks((0.0, 1.0), 5), (vec![0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0], 1));
        assert_eq!(ticks((0.0, 100.0), 4), (vec![0.0, 50.0, 100.0], 0));
        assert_eq!(number(-0.0, 1), "0.0");
    }
}
