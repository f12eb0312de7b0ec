//! Plots as plain SVG.

use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 650.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 320.0;

/// Two curves over one logarithmic axis, each with its own scale: (x, first, second).
#[must_use]
pub fn two_axes(title: &str, x_label: &str, labels: (&str, &str), points: &[(f64, f64, f64)]) -> String {
    let x_of = |x: f64| {
        let (low, high) = (libm::log(points[0].0), libm::log(points[points.len() - 1].0));
        LEFT + (libm::log(x) - low) / (high - low) * (RIGHT - LEFT)
    };
    let top_of = |values: &dyn Fn(&(f64, f64, f64)) -> f64| {
        let most = points.iter().map(values).fold(0.0, |a: f64, b| if b > a { b } else { a });
        let step = libm::exp10(libm::floor(libm::log10(most)));
        (most / step).ceil() * step
    };
    let (first_top, second_top) = (top_of(&|p| p.1), top_of(&|p| p.2));
    let y_of = |v: f64, top: f64| BOTTOM - v / top * (BOTTOM - TOP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"26\" font-size=\"15\" font-weight=\"bold\">{title}</text>\n"
    );
    for i in 0..=4 {
        let share = f64::from(i) / 4.0;
        let y = BOTTOM - share * (BOTTOM - TOP);
        let (a, b) = (first_top * share, second_top * share);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {y}H{RIGHT}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\" \
             fill=\"#1f6f8b\">{a:.0}</text><text x=\"{}\" y=\"{}\" fill=\"#b3541e\">{b:.0}</text>",
            LEFT - 8.0,
            y + 4.0,
            RIGHT + 8.0,
            y + 4.0
        );
    }
    for (x, _, _) in points {
        let at = x_of(*x);
        let _ =
            writeln!(svg, "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{x}</text>", BOTTOM + 20.0);
    }
    let mut curve = |colour: &str, top: f64, value: &dyn Fn(&(f64, f64, f64)) -> f64| {
        let place = |p: &(f64, f64, f64)| (x_of(p.0), y_of(value(p), top));
        let line: Vec<String> =
            points.iter().map(|p| format!("{:.1},{:.1}", place(p).0, place(p).1)).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"/>",
            line.join(" ")
        );
        for p in points {
            let (x, y) = place(p);
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>");
        }
    };
    curve("#1f6f8b", first_top, &|p| p.1);
    curve("#b3541e", second_top, &|p| p.2);
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"44\" fill=\"#1f6f8b\">{}</text><text x=\"{RIGHT}\" y=\"44\" text-anchor=\"end\" \
         fill=\"#b3541e\">{}</text><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{x_label}</text>\n</svg>",
        labels.0,
        labels.1,
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 44.0
    );
    svg
}

/// A named curve: its points.
pub type Curve = (String, Vec<(f64, f64)>);

const COLOURS: [&str; 8] =
    ["#1f6f8b", "#b3541e", "#3c7d3c", "#7a4f9e", "#a8862b", "#b0395b", "#4a6fb5", "#666666"];

/// Curves over two logarithmic axes, with a legend.
#[must_use]
pub fn curves(title: &str, x_label: &str, curves: &[Curve]) -> String {
    let all = || curves.iter().flat_map(|c| &c.1);
    let range = |value: &dyn Fn(&(f64, f64)) -> f64| {
        let low = all().map(value).fold(f64::INFINITY, |a, b| if b < a { b } else { a });
        let high = all().map(value).fold(0.0, |a: f64, b| if b > a { b } else { a });
        (libm::floor(libm::log10(low)), libm::ceil(libm::log10(high)))
    };
    let (x, y) = (range(&|p| p.0), range(&|p| p.1));
    let share = |v: f64, (low, high): (f64, f64)| (libm::log10(v) - low) / (high - low);
    let x_of = |v: f64| LEFT + share(v, x) * (RIGHT - LEFT);
    let y_of = |v: f64| BOTTOM - share(v, y) * (BOTTOM - TOP);
    let height = HEIGHT + 18.0 * curves.len().div_ceil(2) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"26\" font-size=\"15\" font-weight=\"bold\">{title}</text>\n"
    );
    for decade in y.0 as i32..=y.1 as i32 {
        let v = libm::exp10(f64::from(decade));
        let at = y_of(v);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{RIGHT}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{v}</text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    for decade in x.0 as i32..=x.1 as i32 {
        let v = libm::exp10(f64::from(decade));
        let at = x_of(v);
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {TOP}V{BOTTOM}\" stroke=\"#ddd\"/><text x=\"{at:.1}\" y=\"{}\" \
             text-anchor=\"middle\">{v}</text>",
            BOTTOM + 20.0
        );
    }
    for (i, (name, points)) in curves.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let line: Vec<String> = points.iter().map(|p| format!("{:.1},{:.1}", x_of(p.0), y_of(p.1))).collect();
        let (left, top) = (LEFT + 290.0 * (i % 2) as f64, BOTTOM + 70.0 + 18.0 * (i / 2) as f64);
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"/>\
             <path d=\"M{left} {}h22\" stroke=\"{colour}\" stroke-width=\"2.5\"/><text x=\"{}\" y=\"{top}\">{name}</text>",
            line.join(" "),
            top - 4.0,
            left + 30.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{x_label}</text>\n</svg>",
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 44.0
    );
    svg
}
