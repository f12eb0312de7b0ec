//! Charts of our own: few shapes, no fonts to be found, the same picture on every machine.
//!
//! [`Lines`], [`TwoScales`] and [`Bars`] are whole charts; a [`Panel`] is one of your own. Each becomes a [`Sketch`],
//! and a sketch an SVG file, an SVG for a page, or a PNG:
//!
//! ```
//! use lissom_draw::chart::{Lines, Series};
//!
//! let series = [Series { name: "ours".into(), points: vec![(10.0, 4.0), (1000.0, 2.5)] }];
//! let sketch = Lines { title: "Time by size", x_name: "entities", y_name: "ns an entity", series: &series }.draw();
//! assert!(sketch.to_svg()?.starts_with("<svg"));
//! assert_eq!(&sketch.to_image()?.encode_png()?[1..4], b"PNG");
//! # Ok::<(), lissom_draw::DrawError>(())
//! ```

mod axes;
mod bars;
mod lines;
mod sketch;

pub use axes::{Panel, legend, nice};
pub use bars::{Bar, Bars};
pub use lines::{Lines, Series, TwoScales};
pub use sketch::{Anchor, Ink, Shape, Sketch, escape};

/// Bytes as a link that holds them.
#[must_use]
pub fn data_uri(kind: &str, bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = format!("data:{kind};base64,");
    out.reserve(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0_u32, |b, v| b << 8 | u32::from(*v)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= three.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn data_uris_are_base64() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(super::data_uri("a/b", bytes.as_bytes()), format!("data:a/b;base64,{text}"));
        }
        assert_eq!(super::data_uri("a/b", &[255, 239]), "data:a/b;base64,/+8=");
    }
}
