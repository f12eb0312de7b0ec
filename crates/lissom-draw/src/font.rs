//! Labels: a 5 × 7 font drawn for this crate, printable ASCII.

use crate::canvas::SAMPLES;
use crate::{Canvas, Color};

/// Columns of a glyph; the next one starts after one more.
pub const GLYPH_WIDTH: u32 = 5;
/// Rows of a glyph.
pub const GLYPH_HEIGHT: u32 = 7;

/// Pixels that a line of text takes across at a scale.
#[must_use]
pub fn text_width(text: &str, scale: u32) -> u32 {
    let glyphs = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    glyphs.saturating_mul(GLYPH_WIDTH + 1).saturating_sub(1).saturating_mul(scale)
}

impl Canvas {
    /// Writes one line from the upper left corner (x, y) in pixels, over everything; `scale` pixels a dot.
    /// What lies outside the canvas is cut off; characters without a glyph show as a box.
    pub fn text(&mut self, x: i32, y: i32, text: &str, scale: u32, color: Color) {
        let light = color.linear();
        let (width, height) = self.size();
        let mut left = i64::from(x);
        for c in text.chars() {
            for (row, bits) in glyph(c).iter().enumerate() {
                for column in 0..GLYPH_WIDTH {
                    if bits >> (GLYPH_WIDTH - 1 - column) & 1 == 0 {
                        continue;
                    }
                    let s = i64::from(scale);
                    let (px, py) = (left + i64::from(column) * s, i64::from(y) + row as i64 * s);
                    let clip = |a: i64, side: u32| a.clamp(0, i64::from(side)) as usize * SAMPLES as usize;
                    let (x0, x1) = (clip(px, width), clip(px + s, width));
                    for line in clip(py, height)..clip(py + s, height) {
                        self.light[line * self.stride + x0..line * self.stride + x1].fill(light);
                    }
                }
            }
            left += i64::from((GLYPH_WIDTH + 1) * scale);
        }
    }

    /// Writes one line whose middle is at x.
    pub fn text_centred(&mut self, x: i32, y: i32, text: &str, scale: u32, color: Color) {
        let half = i32::try_from(text_width(text, scale) / 2).unwrap_or(0);
        self.text(x.saturating_sub(half), y, text, scale, color);
    }
}

fn glyph(c: char) -> &'static [u8; 7] {
    const BOX: [u8; 7] = [0x1f, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1f];
    (c as usize).checked_sub(32).and_then(|i| GLYPHS.get(i)).unwrap_or(&BOX)
}

/// From space to tilde; five bits a row, the leftmost dot is 16.
#[rustfmt::skip]
const GLYPHS: [[u8; 7]; 95] = [
    [0, 0, 0, 0, 0, 0, 0],                              // space
    [4, 4, 4, 4, 4, 0, 4],                              // !
    [10, 10, 10, 0, 0, 0, 0],                           // "
    [10, 10, 31, 10, 31, 10, 10],                       // #
    [4, 15, 20, 14, 5, 30, 4],                          // $
    [24, 25, 2, 4, 8, 19, 3],                           // %
    [12, 18, 20, 8, 21, 18, 13],                        // &
    [4, 4, 8, 0, 0, 0, 0],                              // '
    [2, 4, 8, 8, 8, 4, 2],                              // (
    [8, 4, 2, 2, 2, 4, 8],                              // )
    [0, 4, 21, 14, 21, 4, 0],                           // *
    [0, 4, 4, 31, 4, 4, 0],                             // +
    [0, 0, 0, 0, 4, 4, 8],                              // ,
    [0, 0, 0, 31, 0, 0, 0],                             // -
    [0, 0, 0, 0, 0, 12, 12],                            // .
    [1, 1, 2, 4, 8, 16, 16],                            // /
    [14, 17, 19, 21, 25, 17, 14],                       // 0
    [4, 12, 4, 4, 4, 4, 14],                            // 1
    [14, 17, 1, 6, 8, 16, 31],                          // 2
    [30, 1, 1, 14, 1, 1, 30],                           // 3
    [2, 6, 10, 18, 31, 2, 2],                           // 4
    [31, 16, 30, 1, 1, 17, 14],                         // 5
    [6, 8, 16, 30, 17, 17, 14],                         // 6
    [31, 1, 2, 4, 8, 8, 8],                             // 7
    [14, 17, 17, 14, 17, 17, 14],                       // 8
    [14, 17, 17, 15, 1, 2, 12],                         // 9
    [0, 12, 12, 0, 12, 12, 0],                          // :
    [0, 12, 12, 0, 12, 4, 8],                           // ;
    [2, 4, 8, 16, 8, 4, 2],                             // <
    [0, 0, 31, 0, 31, 0, 0],                            // =
    [8, 4, 2, 1, 2, 4, 8],                              // >
    [14, 17, 1, 2, 4, 0, 4],                            // ?
    [14, 17, 23, 21, 23, 16, 14],                       // @
    [14, 17, 17, 31, 17, 17, 17],                       // A
    [30, 17, 17, 30, 17, 17, 30],                       // B
    [14, 17, 16, 16, 16, 17, 14],                       // C
    [28, 18, 17, 17, 17, 18, 28],                       // D
    [31, 16, 16, 30, 16, 16, 31],                       // E
    [31, 16, 16, 30, 16, 16, 16],                       // F
    [14, 17, 16, 23, 17, 17, 15],                       // G
    [17, 17, 17, 31, 17, 17, 17],                       // H
    [14, 4, 4, 4, 4, 4, 14],                            // I
    [7, 2, 2, 2, 2, 18, 12],                            // J
    [17, 18, 20, 24, 20, 18, 17],                       // K
    [16, 16, 16, 16, 16, 16, 31],                       // L
    [17, 27, 21, 21, 17, 17, 17],                       // M
    [17, 25, 21, 19, 17, 17, 17],                       // N
    [14, 17, 17, 17, 17, 17, 14],                       // O
    [30, 17, 17, 30, 16, 16, 16],                       // P
    [14, 17, 17, 17, 21, 18, 13],                       // Q
    [30, 17, 17, 30, 20, 18, 17],                       // R
    [15, 16, 16, 14, 1, 1, 30],                         // S
    [31, 4, 4, 4, 4, 4, 4],                             // T
    [17, 17, 17, 17, 17, 17, 14],                       // U
    [17, 17, 17, 17, 10, 10, 4],                        // V
    [17, 17, 17, 21, 21, 27, 17],                       // W
    [17, 17, 10, 4, 10, 17, 17],                        // X
    [17, 17, 10, 4, 4, 4, 4],                           // Y
    [31, 1, 2, 4, 8, 16, 31],                           // Z
    [14, 8, 8, 8, 8, 8, 14],                            // [
    [16, 16, 8, 4, 2, 1, 1],                            // \
    [14, 2, 2, 2, 2, 2, 14],                            // ]
    [4, 10, 17, 0, 0, 0, 0],                            // ^
    [0, 0, 0, 0, 0, 0, 31],                             // _
    [8, 4, 2, 0, 0, 0, 0],                              // `
    [0, 0, 14, 1, 15, 17, 15],                          // a
    [16, 16, 30, 17, 17, 17, 30],                       // b
    [0, 0, 15, 16, 16, 16, 15],                         // c
    [1, 1, 15, 17, 17, 17, 15],                         // d
    [0, 0, 14, 17, 31, 16, 15],                         // e
    [3, 4, 14, 4, 4, 4, 4],                             // f
    [0, 0, 15, 17, 15, 1, 14],                          // g
    [16, 16, 30, 17, 17, 17, 17],                       // h
    [4, 0, 12, 4, 4, 4, 14],                            // i
    [2, 0, 6, 2, 2, 18, 12],                            // j
    [16, 16, 18, 20, 24, 20, 18],                       // k
    [12, 4, 4, 4, 4, 4, 14],                            // l
    [0, 0, 26, 21, 21, 21, 21],                         // m
    [0, 0, 30, 17, 17, 17, 17],                         // n
    [0, 0, 14, 17, 17, 17, 14],                         // o
    [0, 0, 30, 17, 30, 16, 16],                         // p
    [0, 0, 15, 17, 15, 1, 1],                           // q
    [0, 0, 11, 12, 8, 8, 8],                            // r
    [0, 0, 15, 16, 14, 1, 30],                          // s
    [4, 4, 14, 4, 4, 4, 3],                             // t
    [0, 0, 17, 17, 17, 17, 15],                         // u
    [0, 0, 17, 17, 17, 10, 4],                          // v
    [0, 0, 17, 17, 21, 21, 10],                         // w
    [0, 0, 17, 10, 4, 10, 17],                          // x
    [0, 0, 17, 17, 15, 1, 14],                          // y
    [0, 0, 31, 2, 4, 8, 31],                            // z
    [2, 4, 4, 8, 4, 4, 2],                              // {
    [4, 4, 4, 4, 4, 4, 4],                              // |
    [8, 4, 4, 2, 4, 4, 8],                              // }
    [0, 0, 8, 21, 2, 0, 0],                             // ~
];
