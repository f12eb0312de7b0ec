//! The numbers of the rows form, shared by reader and writer. `FORMAT.md` explains them.

/// The version of a clip of rows.
pub const VERSION: u16 = 2;
/// Words of the header.
pub const HEADER_WORDS: usize = 11;
/// Rows of a block.
pub const BLOCK_ROWS: u32 = 16;
/// The widest integer of any kind, in bits.
pub const WIDEST: u32 = 31;

/// The duration is given; otherwise it is the time of the last row.
pub const FLAG_DURATION: u16 = 2;
/// Widths of differences and slopes have 5 bits; otherwise 4.
pub const FLAG_WIDE: u16 = 4;

/// The last row is the first one again and not stored.
pub const FLAG_ROUND: u16 = 0x8000;

/// Set if a kind (translation 0, rotation 1, scale 2) has constants.
#[must_use]
pub const fn flag_constant(kind: usize) -> u16 {
    8 << (2 * kind)
}

/// Set if a kind has moving channels.
#[must_use]
pub const fn flag_moving(kind: usize) -> u16 {
    16 << (2 * kind)
}

/// Bytes of a number of a kind's constants, 1 to 4: these two flags plus 1.
#[must_use]
pub const fn constant_bytes(flags: u16, kind: usize) -> usize {
    (flags as usize >> (9 + 2 * kind) & 3) + 1
}

/// The flags that [`constant_bytes`] reads.
#[must_use]
pub const fn flag_constant_bytes(kind: usize, bytes: usize) -> u16 {
    ((bytes - 1) << (9 + 2 * kind)) as u16
}

/// Header words, by name. The first seven are those of every clip.
#[allow(missing_docs, reason = "FORMAT.md describes each field")]
pub mod word {
    pub use crate::clip::header::word::*;

    pub const JOINTS_NAME: usize = 3;
    pub const TICKS_PER_SECOND: usize = 8;
    pub const ROWS: usize = 10;
}

/// Eighths of an octave: 2^(0/8) to 2^(7/8), rounded to f32.
const EIGHTHS: [f32; 8] = [
    1.0,
    1.090_507_7,
    1.189_207_1,
    1.296_839_6,
    core::f32::consts::SQRT_2,
    1.542_210_8,
    1.681_792_9,
    1.834_008,
];

/// The step that a code means: eighths of octaves, falling. Rotations from 1 on, other kinds from 256 on.
#[inline]
#[must_use]
pub fn step(kind: usize, code: u8) -> f32 {
    let eighths = if kind == 1 { 0 } else { 64 } - i32::from(code);
    let (octave, eighth) = (eighths >> 3, eighths & 7);
    f32::from_bits(((octave + 127) as u32) << 23) * EIGHTHS[eighth as usize]
}

/// The step of a kind's constants with as many bytes: rotations only, other kinds store theirs.
#[inline]
#[must_use]
pub fn rotation_constant_step(bytes: usize) -> f32 {
    f32::from_bits((127 + 1 - 8 * bytes as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_fall_by_an_eighth_of_an_octave() {
        assert_eq!((step(1, 0), step(1, 8), step(1, 255)), (1.0, 0.5, EIGHTHS[1] / 4_294_967_296.0));
        assert_eq!((step(0, 0), step(2, 64), step(0, 72)), (256.0, 1.0, 0.5));
        for code in 1..=255 {
            let ratio = f64::from(step(0, code - 1)) / f64::from(step(0, code));
            let octave = (0..8).fold(1.0, |octave, _| octave * ratio);
            assert!((octave - 2.0).abs() < 1e-5, "{code}: {octave}");
        }
        assert_eq!(rotation_constant_step(2), 1.0 / 32768.0);
    }
}
