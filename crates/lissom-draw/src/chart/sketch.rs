//! A drawing in plain shapes, in units of a pixel: as SVG, for a page of ours too, or as PNG.

use super::data_uri;
use crate::{Canvas, Color, DrawError, Image, palette, text_width};
use std::fmt::Write as _;

/// What colour a shape has; a page may have its own idea of them, by day and by night.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Behind everything.
    Paper,
    /// Text.
    Text,
    /// Text that may be missed.
    Soft,
    /// Lines of a grid.
    Grid,
    /// Data, by number; six colours, then round again.
    Series(usize),
}

/// Colours of data on light paper: distinct, also for most who do not see all colours.
const SERIES: [Color; 6] = [
    Color::hex(0xC2_5B_38),
    Color::hex(0x3F_7F_5F),
    Color::hex(0x3B_74_A6),
    Color::hex(0xC4_8A_1E),
    Color::hex(0x7D_55_85),
    Color::hex(0x6F_76_7E),
];

impl Ink {
    fn color(self) -> Color {
        match self {
            Self::Paper => palette::PAPER,
            Self::Text => palette::INK,
            Self::Soft => palette::INK.mixed(palette::PAPER, 0.14),
            Self::Grid => palette::STONE.mixed(palette::PAPER, 0.62),
            Self::Series(i) => SERIES[i % SERIES.len()],
        }
    }

    /// A CSS colour; on our own page a variable of it.
    fn css(self, page: bool) -> String {
        let [r, g, b] = self.color().rgb;
        match self {
            _ if !page => format!("#{r:02x}{g:02x}{b:02x}"),
            Self::Paper => "var(--paper)".into(),
            Self::Text => "var(--ink)".into(),
            Self::Soft => "var(--soft)".into(),
            Self::Grid => "var(--grid)".into(),
            Self::Series(i) => format!("var(--s{})", i % SERIES.len()),
        }
    }
}

/// Where a text's place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At its left end.
    Start,
    /// In its middle.
    Middle,
    /// At its right end.
    End,
}

/// One shape.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A line through points.
    Line {
        /// In order.
        points: Vec<(f64, f64)>,
        /// How wide it is.
        width: f64,
        /// Its colour.
        ink: Ink,
        /// Not drawn through.
        dashed: bool,
    },
    /// A closed polygon.
    Area {
        /// Its corners.
        points: Vec<(f64, f64)>,
        /// Its colour.
        ink: Ink,
        /// How much of what lies below is hidden, in [0, 1].
        alpha: f64,
    },
    /// A disc.
    Dot {
        /// Its middle.
        at: (f64, f64),
        /// Its radius.
        radius: f64,
        /// Its colour.
        ink: Ink,
    },
    /// A line of text.
    Text {
        /// The left, middle or right end of the base line.
        at: (f64, f64),
        /// What it says.
        text: String,
        /// Which of the three.
        anchor: Anchor,
        /// Its colour.
        ink: Ink,
        /// Larger and bolder.
        strong: bool,
    },
    /// Cells of a table, row by row from the top, each filled with this much ink.
    Cells {
        /// The upper left one.
        corner: (f64, f64),
        /// Of the whole table.
        size: (f64, f64),
        /// Cells in a row.
        columns: usize,
        /// In [0, 1] each.
        shares: Vec<f32>,
        /// Their colour.
        ink: Ink,
    },
}

/// A drawing.
#[derive(Clone, Debug)]
pub struct Sketch {
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    /// Said to those who do not see it.
    pub title: String,
    /// From back to front.
    pub shapes: Vec<Shape>,
}

/// Pixels of the PNG for one unit.
const PNG_SCALE: f64 = 2.0;

impl Sketch {
    /// An empty one.
    #[must_use]
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        Self { width, height, title: title.into(), shapes: Vec::new() }
    }

    /// A line through points.
    pub fn line(&mut self, points: Vec<(f64, f64)>, width: f64, ink: Ink) {
        self.shapes.push(Shape::Line { points, width, ink, dashed: false });
    }

    /// A dashed line.
    pub fn dashes(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink) {
        self.shapes.push(Shape::Line { points: vec![from, to], width: 1.2, ink, dashed: true });
    }

    /// A rectangle.
    pub fn rect(&mut self, corner: (f64, f64), size: (f64, f64), ink: Ink, alpha: f64) {
        let ((x, y), (w, h)) = (corner, size);
        self.shapes.push(Shape::Area {
            points: vec![(x, y), (x + w, y), (x + w, y + h), (x, y + h)],
            ink,
            alpha,
        });
    }

    /// A line of text.
    pub fn text(&mut self, at: (f64, f64), text: impl Into<String>, anchor: Anchor, ink: Ink) {
        self.shapes.push(Shape::Text { at, text: text.into(), anchor, ink, strong: false });
    }

    /// The title at the top.
    pub fn heading(&mut self, at: (f64, f64), text: impl Into<String>) {
        let (anchor, ink) = (Anchor::Start, Ink::Text);
        self.shapes.push(Shape::Text { at, text: text.into(), anchor, ink, strong: true });
    }

    /// An SVG file of its own.
    ///
    /// # Errors
    ///
    /// A picture inside it cannot be encoded.
    pub fn to_svg(&self) -> Result<String, DrawError> {
        self.svg(false)
    }

    /// An SVG to stand in our page, in the page's colours.
    ///
    /// # Errors
    ///
    /// A picture inside it cannot be encoded.
    pub fn to_page(&self) -> Result<String, DrawError> {
        self.svg(true)
    }

    fn svg(&self, page: bool) -> Result<String, DrawError> {
        let (w, h) = (self.width, self.height);
        // Writing to a string does not fail.
        let mut svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.0} {h:.0}\"");
        if !page {
            let _ = write!(svg, " width=\"{w:.0}\" height=\"{h:.0}\"");
        }
        let font = "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif";
        let title = escape(&self.title);
        let _ = write!(svg, " font-family=\"{font}\" font-size=\"12\" role=\"img\" aria-label=\"{title}\">");
        let _ = writeln!(svg, "<title>{title}</title>");
        if !page {
            let _ =
                writeln!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>", Ink::Paper.css(false));
        }
        for shape in &self.shapes {
            shape.svg(&mut svg, page)?;
        }
        svg.push_str("</svg>\n");
        Ok(svg)
    }

    /// A PNG, twice as large as the units.
    ///
    /// # Errors
    ///
    /// A size or a number is not one that can be drawn.
    pub fn to_image(&self) -> Result<Image, DrawError> {
        let side = |v: f64| (v * PNG_SCALE) as u32;
        let mut canvas = Canvas::new(side(self.width), side(self.height), Ink::Paper.color())?;
        for shape in &self.shapes {
            shape.draw(&mut canvas)?;
        }
        Ok(canvas.finish())
    }
}

impl Shape {
    fn svg(&self, out: &mut String, page: bool) -> Result<(), DrawError> {
        let list = |points: &[(f64, f64)]| {
            points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
        };
        match self {
            Self::Line { points, width, ink, dashed } => {
                let dash = if *dashed { " stroke-dasharray=\"5 4\"" } else { "" };
                let (points, ink) = (list(points), ink.css(page));
                let _ = writeln!(
                    out,
                    "<polyline points=\"{points}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"{width}\" \
                     stroke-linejoin=\"round\"{dash}/>"
                );
            }
            Self::Area { points, ink, alpha } => {
                let opacity = if *alpha < 1.0 { format!(" fill-opacity=\"{alpha}\"") } else { String::new() };
                let _ = writeln!(
                    out,
                    "<polygon points=\"{}\" fill=\"{}\"{opacity}/>",
                    list(points),
                    ink.css(page)
                );
            }
            Self::Dot { at: (x, y), radius, ink } => {
                let _ = writeln!(
                    out,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{}\"/>",
                    ink.css(page)
                );
            }
            Self::Text { at: (x, y), text, anchor, ink, strong } => {
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " text-anchor=\"middle\"",
                    Anchor::End => " text-anchor=\"end\"",
                };
                let weight = if *strong { " font-weight=\"600\" font-size=\"14\"" } else { "" };
                let (ink, text) = (ink.css(page), escape(text));
                let _ = writeln!(
                    out,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{ink}\"{anchor}{weight}>{text}</text>"
                );
            }
            Self::Cells { corner: (x, y), size: (w, h), columns, shares, ink } => {
                let uri = data_uri("image/png", &cells(*columns, shares, *ink)?.encode_png()?);
                let _ = writeln!(
                    out,
                    "<image x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" \
                     preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"{uri}\"/>"
                );
            }
        }
        Ok(())
    }

    fn draw(&self, canvas: &mut Canvas) -> Result<(), DrawError> {
        let px = |(x, y): (f64, f64)| ((x * PNG_SCALE) as f32, (y * PNG_SCALE) as f32);
        match self {
            Self::Line { points, width, ink, dashed } => {
                let points: Vec<_> = points.iter().map(|p| px(*p)).collect();
                let dash = dashed.then_some((5.0 * PNG_SCALE as f32, 4.0 * PNG_SCALE as f32));
                canvas.polyline(&points, (width * PNG_SCALE) as f32, dash, ink.color())?;
            }
            Self::Area { points, ink, alpha } => {
                let points: Vec<_> = points.iter().map(|p| px(*p)).collect();
                canvas.polygon(&points, ink.color(), *alpha as f32)?;
            }
            Self::Dot { at, radius, ink } => {
                let at = px(*at);
                let width = (radius * 2.0 * PNG_SCALE) as f32;
                canvas.polyline(&[at, at], width, None, ink.color())?;
            }
            Self::Text { at, text, anchor, ink, strong } => {
                let (scale, text) = (2, ascii(text));
                let (x, y) = px(*at);
                let width = text_width(&text, scale) as f32;
                let left = match anchor {
                    Anchor::Start => x,
                    Anchor::Middle => x - width / 2.0,
                    Anchor::End => x - width,
                };
                let top = y as i32 - 14;
                canvas.text(left as i32, top, &text, scale, ink.color());
                if *strong {
                    canvas.text(left as i32 + 1, top, &text, scale, ink.color());
                }
            }
            Self::Cells { corner: (x, y), size: (w, h), columns, shares, ink } => {
                let rows = shares.len() / columns.max(&1);
                let (cw, ch) = (w / *columns as f64, h / rows as f64);
                for (i, share) in shares.iter().enumerate().filter(|(_, s)| **s > 0.0) {
                    let (cx, cy) = (x + cw * (i % columns) as f64, y + ch * (i / columns) as f64);
                    let corners = [(cx, cy), (cx + cw, cy), (cx + cw, cy + ch), (cx, cy + ch)];
                    canvas.polygon(&corners.map(px), ink.color(), unit(*share))?;
                }
            }
        }
        Ok(())
    }
}

/// One pixel a cell, the share as alpha, so that it lies on any paper.
fn cells(columns: usize, shares: &[f32], ink: Ink) -> Result<Image, DrawError> {
    let [r, g, b] = ink.color().rgb;
    let pixels = shares.iter().flat_map(|s| [r, g, b, (unit(*s) * 255.0) as u8]).collect();
    let side = |field: &'static str, count: usize| {
        let wrong = DrawError::Parameter { field, value: count as f64, allowed: "below 2^32" };
        u32::try_from(count).map_err(|_| wrong)
    };
    let (width, height) = (side("columns", columns)?, side("rows", shares.len() / columns.max(1))?);
    Ok(Image { width, height, pixels })
}

/// Within [0, 1].
fn unit(v: f32) -> f32 {
    if v > 1.0 {
        1.0
    } else if v > 0.0 {
        v
    } else {
        0.0
    }
}

/// The PNG's font has printable ASCII.
fn ascii(text: &str) -> String {
    text.replace('µ', "u").replace('°', " deg").replace('×', "x").replace('·', "*")
}

/// Text as XML takes it.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // What XML does not allow even as a reference.
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
