//! Curves over logarithmic axes: how something grows.

use super::axes::{Panel, number, ticks};
use super::sketch::{Anchor, Ink, Sketch};

/// A named curve.
#[derive(Clone, Debug)]
pub struct Series {
    /// Stands at its end.
    pub name: String,
    /// From the left to the right, all above 0.
    pub points: Vec<(f64, f64)>,
}

/// Curves over two logarithmic axes.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    /// Above them.
    pub title: &'a str,
    /// What goes to the right.
    pub x_name: &'a str,
    /// What goes up.
    pub y_name: &'a str,
    /// In the order of their colours.
    pub series: &'a [Series],
}

/// Two curves over one logarithmic axis, each with a scale of its own from 0.
#[derive(Clone, Copy, Debug)]
pub struct TwoScales<'a> {
    /// Above them.
    pub title: &'a str,
    /// What goes to the right.
    pub x_name: &'a str,
    /// What the first (numbers to the left) and the second (to the right) are.
    pub names: [&'a str; 2],
    /// From the left to the right: a place above 0, and the two values.
    pub points: &'a [(f64, [f64; 2])],
}

/// Pixels between names that would else lie on each other.
const LINE: f64 = 15.0;

impl Lines<'_> {
    /// The chart. Points that have no logarithm are left out.
    #[must_use]
    pub fn draw(&self) -> Sketch {
        let log = |p: &(f64, f64)| (libm::log10(p.0), libm::log10(p.1));
        let curve = |s: &Series| {
            s.points.iter().map(log).filter(|p| p.0.is_finite() && p.1.is_finite()).collect::<Vec<_>>()
        };
        let curves: Vec<Vec<(f64, f64)>> = self.series.iter().map(curve).collect();
        let (x, y) =
            (decades(curves.iter().flatten().map(|p| p.0)), decades(curves.iter().flatten().map(|p| p.1)));
        let mut sketch = Sketch::new(820.0, 480.0, self.title);
        sketch.heading((16.0, 26.0), self.title);
        let panel = Panel { left: 78.0, top: 64.0, width: 560.0, height: 356.0, x, y };
        grid_of_decades(&panel, &mut sketch);
        let middle = (panel.left + panel.width / 2.0, panel.top + panel.height + 42.0);
        sketch.text(middle, self.x_name, Anchor::Middle, Ink::Text);
        sketch.text((16.0, 48.0), self.y_name, Anchor::Start, Ink::Text);
        let mut ends = Vec::new();
        for (i, points) in curves.iter().enumerate() {
            panel.curve(&mut sketch, points, Ink::Series(i));
            ends.extend(points.last().map(|p| (panel.at(p.0, p.1), i)));
        }
        ends.sort_by(|a, b| a.0.1.total_cmp(&b.0.1));
        let mut free = f64::NEG_INFINITY;
        for ((x, y), i) in ends {
            let y = if y < free { free } else { y };
            free = y + LINE;
            sketch.text((x + 8.0, y + 4.0), &self.series[i].name, Anchor::Start, Ink::Series(i));
        }
        sketch
    }
}

impl TwoScales<'_> {
    /// The chart. Points whose place has no logarithm are left out.
    #[must_use]
    pub fn draw(&self) -> Sketch {
        let points: Vec<(f64, f64, [f64; 2])> =
            self.points.iter().map(|(x, y)| (*x, libm::log10(*x), *y)).filter(|p| p.1.is_finite()).collect();
        let mut sketch = Sketch::new(720.0, 390.0, self.title);
        sketch.heading((16.0, 26.0), self.title);
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return sketch };
        let x = if last.1 > first.1 { (first.1, last.1) } else { (first.1 - 1.0, first.1 + 1.0) };
        let place = Panel { left: 78.0, top: 62.0, width: 560.0, height: 264.0, x, y: (0.0, 1.0) };
        let (right, bottom) = (place.left + place.width, place.top + place.height);
        for side in [0, 1] {
            let ink = Ink::Series(2 * (1 - side));
            let most = points.iter().map(|p| p.2[side]).fold(0.0, |a, b| if b > a { b } else { a });
            let panel = Panel { y: super::nice((0.0, most), 4), ..place };
            // Both scales have the lines of the first; the second only its numbers.
            let (values, decimals) = ticks(panel.y, 4);
            for v in values {
                let y = panel.at(x.0, v).1;
                if side == 0 {
                    sketch.line(vec![(place.left, y), (right, y)], 1.0, Ink::Grid);
                }
                let (at, anchor) =
                    if side == 0 { (place.left - 7.0, Anchor::End) } else { (right + 7.0, Anchor::Start) };
                sketch.text((at, y + 4.0), number(v, decimals), anchor, ink);
            }
            let curve: Vec<(f64, f64)> = points.iter().map(|p| (p.1, p.2[side])).collect();
            panel.curve(&mut sketch, &curve, ink);
            panel.dots(&mut sketch, &curve, 3.0, ink);
            let (at, anchor) = if side == 0 { (place.left, Anchor::Start) } else { (right, Anchor::End) };
            sketch.text((at, 50.0), self.names[side], anchor, ink);
        }
        for (value, log, _) in &points {
            let x = place.at(*log, 0.0).0;
            sketch.text((x, bottom + 18.0), format!("{value}"), Anchor::Middle, Ink::Soft);
        }
        sketch.text((place.left + place.width / 2.0, bottom + 42.0), self.x_name, Anchor::Middle, Ink::Text);
        sketch
    }
}

/// Powers of ten around values that are powers already; at least one decade.
fn decades(powers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for p in powers {
        low = if p < low { p } else { low };
        high = if p > high { p } else { high };
    }
    if low > high {
        return (0.0, 1.0);
    }
    let (low, high) = (libm::floor(low), libm::ceil(high));
    (low, if high > low { high } else { low + 1.0 })
}

fn grid_of_decades(panel: &Panel, sketch: &mut Sketch) {
    let whole = |(low, high): (f64, f64)| (low as i32..=high as i32).map(f64::from);
    let (right, bottom) = (panel.left + panel.width, panel.top + panel.height);
    for power in whole(panel.y) {
        let y = panel.at(panel.x.0, power).1;
        sketch.line(vec![(panel.left, y), (right, y)], 1.0, Ink::Grid);
        sketch.text((panel.left - 7.0, y + 4.0), power_of_ten(power), Anchor::End, Ink::Soft);
    }
    for power in whole(panel.x) {
        let x = panel.at(power, panel.y.0).0;
        sketch.line(vec![(x, panel.top), (x, bottom)], 1.0, Ink::Grid);
        sketch.text((x, bottom + 18.0), power_of_ten(power), Anchor::Middle, Ink::Soft);
    }
}

/// `0.01`, `100`, `10 k`, `1 M`.
fn power_of_ten(power: f64) -> String {
    let short = |p: f64, unit: &str| format!("{:.0}{unit}", libm::exp10(p));
    match power {
        p if p < 0.0 => format!("{:.*}", -p as usize, libm::exp10(p)),
        p if p < 3.0 => short(p, ""),
        p if p < 6.0 => short(p - 3.0, " k"),
        p => short(p - 6.0, " M"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Shape;

    #[test]
    fn decades_hold_all_values_and_are_named_shortly() {
        assert_eq!(decades([0.3, 2.0, 4.2].into_iter()), (0.0, 5.0));
        assert_eq!(decades([2.0].into_iter()), (2.0, 3.0));
        assert_eq!(decades([].into_iter()), (0.0, 1.0));
        let names: Vec<String> = [-2.0, 0.0, 2.0, 4.0, 7.0].map(power_of_ten).to_vec();
        assert_eq!(names, ["0.01", "1", "100", "10 k", "10 M"]);
    }

    #[test]
    fn names_at_the_ends_do_not_lie_on_each_other() {
        let series: Vec<Series> = ["a", "b", "c"]
            .map(|n| Series { name: n.into(), points: vec![(1.0, 5.0), (100.0, 5.0)] })
            .to_vec();
        let sketch = Lines { title: "t", x_name: "x", y_name: "y", series: &series }.draw();
        let ends = sketch.shapes.iter().filter_map(|s| match s {
            Shape::Text { at, ink: Ink::Series(_), .. } => Some(at.1),
            _ => None,
        });
        let ends: Vec<f64> = ends.collect();
        assert_eq!(ends.len(), 3);
        assert!(ends.windows(2).all(|w| w[1] - w[0] >= LINE), "{ends:?}");
    }

    #[test]
    fn two_scales_show_every_point_twice_and_nothing_breaks_without_any() {
        let points = [(0.1, [10.0, 3.0]), (1.0, [20.0, 2.0]), (8.0, [80.0, 1.0])];
        let chart = TwoScales { title: "t", x_name: "x", names: ["a", "b"], points: &points };
        let dots = chart.draw().shapes.iter().filter(|s| matches!(s, Shape::Dot { .. })).count();
        assert_eq!(dots, 6);
        assert!(TwoScales { points: &[], ..chart }.draw().to_svg().is_ok());
        assert!(
            TwoScales { points: &points[..1], ..chart }.draw().to_svg().is_ok_and(|s| !s.contains("NaN"))
        );
    }
}
