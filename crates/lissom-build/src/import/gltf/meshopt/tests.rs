#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::arithmetic_side_effects)]
use super::*;

/// Mode 0 for sixteen elements of four bytes; the tail is padded to 32 bytes, as version 0 wants it.
fn attributes_v0() -> Vec<u8> {
    let mut compressed = vec![0xa0];
    // Byte 0: the example of the extension's text, four bits wide. Bytes 1 to 3: all differences 0.
    compressed.extend([2, 0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5, 0, 0, 0]);
    compressed.extend([0; 28]);
    compressed.extend([100, 7, 8, 9]);
    compressed
}

#[test]
fn the_example_of_the_extension_decodes_as_it_says() {
    let bytes = decode(Mode::Attributes, Filter::None, 16, 4, &attributes_v0()).unwrap();
    let deltas = [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0];
    let mut value = 100_i32;
    for (i, delta) in deltas.into_iter().enumerate() {
        value += delta;
        assert_eq!(bytes[4 * i..4 * i + 4], [value as u8, 7, 8, 9]);
    }
}

#[test]
fn version_1_has_controls_and_channels() {
    // Stride 8: the first channel adds shorts, the second turns and xors words.
    let (count, turn) = (3, 5);
    let mut compressed = vec![0xa1];
    // Controls: byte 0 plain, byte 1 one bit, 2 and 3 zero; 4 to 7 plain.
    compressed.extend([3 | 1 << 2 | 2 << 4 | 2 << 6, 0xff]);
    // Low bytes of the shorts' differences: +1, -1, +3 as zigzag 2, 1, 6.
    compressed.extend([2, 1, 6]);
    // High bytes, one bit each (header 0), the first of them a sentinel: 4, so +0x0200 in all.
    compressed.extend([0, 0b0000_0001, 0, 4]);
    for byte in [[1, 0, 9], [2, 0, 0], [3, 0, 0], [4, 0, 0x80]] {
        compressed.extend(byte);
    }
    compressed.extend([0; 14]);
    compressed.extend([0x10, 0, 0x20, 0, 1, 0, 0, 0, 1, 2 | turn << 4]);
    let bytes = decode(Mode::Attributes, Filter::None, count, 8, &compressed).unwrap();
    let shorts = |i: usize| u16::from_le_bytes([bytes[8 * i], bytes[8 * i + 1]]);
    assert_eq!([shorts(0), shorts(1), shorts(2)], [0x10 + 1 + 0x200, 0x10 + 0x200, 0x13 + 0x200]);
    assert_eq!([bytes[2], bytes[10], bytes[18]], [0x20; 3]);
    let words = |i: usize| u32::from_le_bytes(*bytes[8 * i + 4..].first_chunk().unwrap());
    // By the decoder of the npm package `meshoptimizer`: words turn to the right.
    let first = 1 ^ 0x0403_0201_u32.rotate_right(turn.into());
    assert_eq!(
        [words(0), words(1), words(2)],
        [first, first, first ^ 0x8000_0009_u32.rotate_right(turn.into())]
    );
}

#[test]
fn triangles_and_sequences_decode() {
    // A quad: a fresh triangle by the table's entry 0, then its neighbour over the newest edge but one.
    let mut compressed = vec![0xe1, 0xf0, 0x10];
    compressed.extend([0; 16]);
    let bytes = decode(Mode::Triangles, Filter::None, 6, 2, &compressed).unwrap();
    let indices: Vec<u16> = bytes.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
    // Edges pushed by (0, 1, 2): (1,0), (2,1), (0,2). One back from the newest is (2,1).
    assert_eq!(indices, [0, 1, 2, 2, 1, 3]);

    // Explicit: 0xff, both others explicit too; indices 5, 4, 6 as differences of the one before.
    let mut compressed = vec![0xe1, 0xff, 0xff, 10, 1, 4];
    compressed.extend([0; 16]);
    let bytes = decode(Mode::Triangles, Filter::None, 3, 4, &compressed).unwrap();
    let indices: Vec<u32> = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    assert_eq!(indices, [5, 4, 6]);

    // Two baselines: 3, 100, 4, 98.
    let code = |delta: i32, baseline: u32| ((delta << 1) ^ (delta >> 31)) as u32 * 2 + baseline;
    let mut compressed = vec![0xd1];
    for v in [code(3, 0), code(100, 1), code(1, 0), code(-2, 1)] {
        if v < 128 {
            compressed.push(v as u8);
        } else {
            compressed.extend([v as u8 | 0x80, (v >> 7) as u8]);
        }
    }
    compressed.extend([0; 4]);
    let bytes = decode(Mode::Indices, Filter::None, 4, 4, &compressed).unwrap();
    let indices: Vec<u32> = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    assert_eq!(indices, [3, 100, 4, 98]);
}

#[test]
fn filters_give_what_they_say() {
    let mut octahedral = [127, 0, 127, 9, 0, 0, 127, 1, (-64_i8) as u8, (-63_i8) as u8, 127, 5, 0, 0, 0, 0];
    filter::apply(Filter::Octahedral, 4, &mut octahedral).unwrap();
    assert_eq!(octahedral[..8], [127, 0, 0, 9, 0, 0, 127, 1]);
    let length =
        octahedral[8..11].iter().map(|c| f64::from(*c as i8) * f64::from(*c as i8)).sum::<f64>().sqrt();
    assert!((length - 127.0).abs() < 1.0 && octahedral[11] == 5);

    // Below the equator: folded over.
    let short = |v: [i16; 4]| v.into_iter().flat_map(i16::to_le_bytes).collect::<Vec<u8>>();
    let mut below = short([32767, 32767, 32767, 3]);
    filter::apply(Filter::Octahedral, 8, &mut below).unwrap();
    assert_eq!(below, short([0, 0, -32767, 3]));

    // x, y, z are 0, a half each in units of 1/sqrt 2; the largest, left out, is y.
    let mut quaternion = short([0, 0, 32767, 32764 | 1]);
    filter::apply(Filter::Quaternion, 8, &mut quaternion).unwrap();
    let q: Vec<f64> =
        quaternion.chunks(2).map(|b| f64::from(i16::from_le_bytes([b[0], b[1]])) / 32767.0).collect();
    let half = core::f64::consts::FRAC_1_SQRT_2;
    for (a, b) in q.iter().zip([half, half, 0.0, 0.0]) {
        assert!((a - b).abs() < 1e-4, "{q:?}");
    }

    // White, half a grey and transparent black, of 8, 8 and 3 bits.
    let mut colours = [255, 0, 0, 255, 128, 0, 0, 0x80 | 64, 0, 0, 0, 4];
    filter::apply(Filter::Color, 4, &mut colours).unwrap();
    assert_eq!(colours, [255, 255, 255, 255, 128, 128, 128, 128, 0, 0, 0, 0]);

    let mut floats = [(-3_i32 << 24) | 12, (2 << 24) | (-5 & 0xff_ffff)].map(i32::to_le_bytes).concat();
    filter::apply(Filter::Exponential, 8, &mut floats).unwrap();
    assert_eq!(floats, [1.5_f32, -20.0].map(f32::to_le_bytes).concat());
    assert!(filter::apply(Filter::Quaternion, 4, &mut [0; 4]).is_err());
}

#[test]
fn every_truncation_is_an_error_and_no_byte_can_do_harm() {
    let mut triangles = vec![0xe1, 0xf0, 0x10, 0xff, 0xff, 10, 1, 4];
    triangles.extend([0; 16]);
    let mut sequence = vec![0xd1, 6, 0x91, 0x03, 2];
    sequence.extend([0; 4]);
    let cases = [
        (Mode::Attributes, 16, 4, attributes_v0()),
        (Mode::Triangles, 9, 2, triangles),
        (Mode::Indices, 3, 4, sequence),
    ];
    for (mode, count, stride, compressed) in cases {
        assert!(decode(mode, Filter::None, count, stride, &compressed).is_ok(), "{mode:?}");
        for length in 0..compressed.len() {
            assert!(
                decode(mode, Filter::None, count, stride, &compressed[..length]).is_err(),
                "{mode:?} {length}"
            );
        }
        let mut compressed = compressed;
        for at in 0..compressed.len() {
            let was = compressed[at];
            for other in 0..=255 {
                compressed[at] = other;
                if let Ok(bytes) = decode(mode, Filter::None, count, stride, &compressed) {
                    assert_eq!(bytes.len(), count * stride);
                }
            }
            compressed[at] = was;
        }
        compressed.push(0);
        let _ = decode(mode, Filter::None, count, stride, &compressed);
        assert!(decode(mode, Filter::Octahedral, count, 12, &compressed).is_err());
    }
}
