//! Horizontal bars, each of one part or of several.

use super::axes::legend;
use super::sketch::{Anchor, Ink, Sketch};

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Before it.
    pub label: String,
    /// One number for each of [`Bars::parts`].
    pub parts: Vec<f64>,
    /// After the bar.
    pub text: String,
}

/// A chart of bars.
#[derive(Clone, Copy, Debug)]
pub struct Bars<'a> {
    /// Above them.
    pub title: &'a str,
    /// What the parts are; a single one needs no name.
    pub parts: &'a [(&'a str, Ink)],
    /// From the top down.
    pub bars: &'a [Bar],
    /// Under the bars.
    pub note: &'a str,
}

impl Bars<'_> {
    /// The chart, as high as its bars need.
    #[must_use]
    pub fn draw(&self) -> Sketch {
        let (line, head, left, room) = (19.0, if self.parts.len() > 1 { 64.0 } else { 46.0 }, 146.0, 500.0);
        let height = head + line * self.bars.len() as f64 + 36.0;
        let mut sketch = Sketch::new(760.0, height, self.title);
        sketch.heading((16.0, 26.0), self.title);
        if self.parts.len() > 1 {
            // Parts that no bar has are not worth a name.
            let used = |i: usize| self.bars.iter().any(|b| b.parts[i] > 0.0);
            let names: Vec<_> = (0..self.parts.len()).filter(|i| used(*i)).map(|i| self.parts[i]).collect();
            legend(&mut sketch, 744.0, 50.0, &names);
        }
        let sum = |b: &Bar| b.parts.iter().sum::<f64>();
        let most = self.bars.iter().map(sum).fold(0.0, |a, b| if b > a { b } else { a });
        let scale = if most > 0.0 { room / most } else { 0.0 };
        for (row, bar) in self.bars.iter().enumerate() {
            let y = head + line * row as f64;
            sketch.text((left - 8.0, y + 13.0), &bar.label, Anchor::End, Ink::Soft);
            let mut x = left;
            for (part, (_, ink)) in bar.parts.iter().zip(self.parts) {
                if part * scale > 0.0 {
                    sketch.rect((x, y + 3.0), (part * scale, line - 6.0), *ink, 1.0);
                }
                x += part * scale;
            }
            sketch.text((x + 7.0, y + 13.0), &bar.text, Anchor::Start, Ink::Text);
        }
        sketch.text((left, height - 12.0), self.note, Anchor::Start, Ink::Soft);
        sketch
    }
}
