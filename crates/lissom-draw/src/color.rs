//! Colours: sRGB bytes outside, linear light inside.

use std::sync::OnceLock;

/// An opaque sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color {
    /// Red, green, blue.
    pub rgb: [u8; 3],
}

impl Color {
    /// From 0xRRGGBB.
    #[must_use]
    pub const fn hex(v: u32) -> Self {
        Self { rgb: [(v >> 16) as u8, (v >> 8) as u8, v as u8] }
    }

    /// From linear light, 0 to 1.
    #[must_use]
    pub fn from_linear(light: [f32; 3]) -> Self {
        Self { rgb: light.map(encode) }
    }

    /// This colour with `t` of another in it, mixed in linear light.
    #[must_use]
    pub fn mixed(self, other: Self, t: f32) -> Self {
        let (a, b) = (self.linear(), other.linear());
        let t = t.clamp(0.0, 1.0);
        Self { rgb: core::array::from_fn(|c| encode(a[c] * (1.0 - t) + b[c] * t)) }
    }

    pub(crate) fn linear(self) -> [f32; 3] {
        self.rgb.map(|c| {
            let v = f32::from(c) / 255.0;
            if v <= 0.040_45 { v / 12.92 } else { libm::powf((v + 0.055) / 1.055, 2.4) }
        })
    }
}

/// From linear light to an sRGB byte.
pub(crate) fn encode(v: f32) -> u8 {
    /// The low bits of a number that do not choose its entry: the fewer, the larger the table.
    const SHIFT: u32 = 12;
    /// Below this, sRGB is a straight line.
    const LINE_ENDS: f32 = 0.003_130_8;
    /// In the table: the numbers of this entry have different bytes.
    const MIXED: u16 = 256;
    // A picture encodes every pixel, and the power is the slow part. The curve only rises, so if both ends of an entry have the same
    // byte, all its numbers have it.
    static BYTES: OnceLock<Vec<u16>> = OnceLock::new();
    let v = v.clamp(0.0, 1.0);
    if v <= LINE_ENDS {
        return (v * 12.92 * 255.0 + 0.5) as u8;
    }
    let curve = |v: f32| ((1.055 * libm::powf(v, 1.0 / 2.4) - 0.055) * 255.0 + 0.5) as u8;
    let first = LINE_ENDS.to_bits() >> SHIFT;
    let bytes = BYTES.get_or_init(|| {
        let entry = |i: u32| {
            let ends = [i << SHIFT, ((i + 1) << SHIFT) - 1].map(|bits| curve(f32::from_bits(bits)));
            if ends[0] == ends[1] { u16::from(ends[0]) } else { MIXED }
        };
        (first..=1.0_f32.to_bits() >> SHIFT).map(entry).collect()
    });
    let entry = bytes.get(((v.to_bits() >> SHIFT) - first) as usize);
    entry.and_then(|&byte| u8::try_from(byte).ok()).unwrap_or_else(|| curve(v))
}

/// The house palette: calm, distinct, readable on [`palette::PAPER`].
pub mod palette {
    use super::Color;

    /// Warm white, for backgrounds.
    pub const PAPER: Color = Color::hex(0xF4_F1_EA);
    /// Dark slate, for dark backgrounds.
    pub const NIGHT: Color = Color::hex(0x22_28_30);
    /// Near black, for text.
    pub const INK: Color = Color::hex(0x33_38_40);
    /// Middle grey, for secondary text and grid lines.
    pub const STONE: Color = Color::hex(0x9A_9C_9E);
    /// Pale warm grey: the mannequin.
    pub const PLASTER: Color = Color::hex(0xD9_D2_C6);
    /// Terracotta.
    pub const CLAY: Color = Color::hex(0xC9_73_55);
    /// Grey green.
    pub const SAGE: Color = Color::hex(0x7F_A0_86);
    /// Muted blue.
    pub const SKY: Color = Color::hex(0x6B_94_B8);
    /// Ochre.
    pub const OCHRE: Color = Color::hex(0xD8_A8_4E);
    /// Plum.
    pub const PLUM: Color = Color::hex(0x8C_6A_8E);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_linear_light() {
        for v in 0..=255_u8 {
            assert_eq!(encode(Color { rgb: [v; 3] }.linear()[0]), v);
        }
    }

    #[test]
    fn bytes_are_those_of_the_formula() {
        let of_formula = |v: f32| {
            let s = if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * libm::powf(v, 1.0 / 2.4) - 0.055 };
            (s * 255.0 + 0.5) as u8
        };
        for v in (0..=1.0_f32.to_bits()).step_by(1009).chain([1.0_f32.to_bits()]).map(f32::from_bits) {
            assert_eq!(encode(v), of_formula(v), "{v}");
        }
        assert_eq!([encode(-1.0), encode(2.0)], [0, 255]);
    }
}
