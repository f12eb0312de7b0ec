//! Line charts with logarithmic axes, as SVG.

use std::fmt::Write;

const COLORS: [&str; 5] = ["#c97355", "#d8a84e", "#6b94b8", "#7fa086", "#8c6a8e"];
const W: f64 = 820.0;
const H: f64 = 480.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 56.0;

pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// The decades that hold all values.
fn decades(values: impl Iterator<Item = f64>) -> (i32, i32) {
    let (mut low, mut high) = (i32::MAX, i32::MIN);
    for v in values {
        let l = v.log10();
        low = low.min(l.floor() as i32);
        high = high.max(l.ceil() as i32);
    }
    (low, if high > low { high } else { low + 1 })
}

fn label(power: i32) -> String {
    match power {
        p if p < 0 => format!("{:.*}", (-p) as usize, 10_f64.powi(p)),
        0..=2 => format!("{}", 10_i64.pow(power as u32)),
        3..=5 => format!("{} k", 10_i64.pow(power as u32 - 3)),
        _ => format!("{} M", 10_i64.pow(power as u32 - 6)),
    }
}

pub fn chart(title: &str, x_name: &str, y_name: &str, series: &[Series]) -> String {
    let points = || series.iter().flat_map(|s| &s.points);
    let (x0, x1) = decades(points().map(|p| p.0));
    let (y0, y1) = decades(points().map(|p| p.1));
    let x = |v: f64| LEFT + (v.log10() - f64::from(x0)) / f64::from(x1 - x0) * (W - LEFT - RIGHT);
    let y = |v: f64| H - BOTTOM - (v.log10() - f64::from(y0)) / f64::from(y1 - y0) * (H - TOP - BOTTOM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {W} {H}\" font-family=\"sans-serif\" \
         font-size=\"13\" fill=\"#333840\">\n<rect width=\"{W}\" height=\"{H}\" fill=\"#f4f1ea\"/>\n\
         <text x=\"{LEFT}\" y=\"26\" font-size=\"16\">{title}</text>\n"
    );
    for power in x0..=x1 {
        let at = x(10_f64.powi(power));
        let _ = writeln!(
            out,
            "<path d=\"M{at:.1} {TOP}V{:.1}\" stroke=\"#d9d2c6\"/><text x=\"{at:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{}</text>",
            H - BOTTOM,
            H - BOTTOM + 20.0,
            label(power)
        );
    }
    for power in y0..=y1 {
        let at = y(10_f64.powi(power));
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"#d9d2c6\"/><text x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"end\">{}</text>",
            W - RIGHT,
            LEFT - 8.0,
            at + 4.0,
            label(power)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x_name}</text>\n\
         <text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{y_name}</text>",
        (LEFT + W - RIGHT) / 2.0,
        H - 14.0,
        (TOP + H - BOTTOM) / 2.0
    );
    // Labels stand at the lines' ends, apart from each other.
    let mut ends: Vec<(f64, usize)> =
        series.iter().enumerate().filter_map(|(i, s)| Some((y(s.points.last()?.1), i))).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut last = f64::NEG_INFINITY;
    for (end, i) in ends {
        let s = &series[i];
        let color = COLORS[i % COLORS.len()];
        let line: Vec<String> = s.points.iter().map(|p| format!("{:.1},{:.1}", x(p.0), y(p.1))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2.5\"/>",
            line.join(" ")
        );
        let at = if end < last + 17.0 { last + 17.0 } else { end };
        last = at;
        let from = s.points.last().map_or(0.0, |p| x(p.0));
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{color}\">{}</text>",
            from + 8.0,
            at + 4.0,
            s.name
        );
    }
    out.push_str("</svg>\n");
    out
}
