//! Filters: what decompressed attributes go through. Results are those of the extension's text, in f64 where it says
//! f32 (it allows a difference of one unit).

use super::{Filter, Reason};

pub(super) fn apply(filter: Filter, stride: usize, bytes: &mut [u8]) -> Result<(), Reason> {
    let fits = match filter {
        Filter::None => true,
        Filter::Octahedral | Filter::Color => stride == 4 || stride == 8,
        Filter::Quaternion => stride == 8,
        Filter::Exponential => stride.is_multiple_of(4),
    };
    if !fits {
        return Err(format!("its byteStride {stride} does not fit its filter {filter:?}"));
    }
    match (filter, stride) {
        (Filter::None, _) => {}
        (Filter::Octahedral, 4) => bytes.chunks_exact_mut(4).for_each(octahedral_8),
        (Filter::Octahedral, _) => bytes.chunks_exact_mut(8).for_each(octahedral_16),
        (Filter::Quaternion, _) => bytes.chunks_exact_mut(8).for_each(quaternion),
        (Filter::Color, 4) => bytes.chunks_exact_mut(4).for_each(colour_8),
        (Filter::Color, _) => bytes.chunks_exact_mut(8).for_each(colour_16),
        (Filter::Exponential, _) => bytes.chunks_exact_mut(4).for_each(exponential),
    }
    Ok(())
}

/// A unit vector from two coordinates of an octahedron, unfolded.
fn octahedron(x: f64, y: f64, one: f64) -> [f64; 3] {
    // An encoder never writes a 0 here; whatever comes of it must be finite.
    let one = if one == 0.0 { 1.0 } else { one };
    let (x, y) = (x / one, y / one);
    let z = 1.0 - x.abs() - y.abs();
    // The lower half is folded outwards over the edges.
    let fold = if z < 0.0 { -z } else { 0.0 };
    let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

fn octahedral_8(element: &mut [u8]) {
    if let [x, y, z, _] = element {
        let v = octahedron(f64::from(*x as i8), f64::from(*y as i8), f64::from(*z as i8));
        [*x, *y, *z] = v.map(|c| (c * 127.0).round() as i8 as u8);
    }
}

fn octahedral_16(element: &mut [u8]) {
    if let [a, b, c, d, e, f, _, _] = element {
        let v = octahedron(short(*a, *b), short(*c, *d), short(*e, *f));
        let [x, y, z] = v.map(|c| ((c * 32767.0).round() as i16).to_le_bytes());
        ([*a, *b], [*c, *d], [*e, *f]) = (x, y, z);
    }
}

/// The three smaller components, a scale, and which one was left out.
fn quaternion(element: &mut [u8]) {
    let [a, b, c, d, e, f, g, h] = element else { return };
    let info = i16::from_le_bytes([*g, *h]);
    let largest = info & 3;
    let unit = core::f64::consts::FRAC_1_SQRT_2 / f64::from(info | 3);
    let [x, y, z] = [short(*a, *b), short(*c, *d), short(*e, *f)].map(|v| v * unit);
    let rest = 1.0 - x * x - y * y - z * z;
    let w = if rest > 0.0 { rest.sqrt() } else { 0.0 };
    let [x, y, z, w] = [x, y, z, w].map(|v| ((v * 32767.0).round() as i16).to_le_bytes());
    // The components go round: the one after the largest comes first.
    let [p, q, r, s] = match largest {
        0 => [w, x, y, z],
        1 => [z, w, x, y],
        2 => [y, z, w, x],
        _ => [x, y, z, w],
    };
    ([*a, *b], [*c, *d], [*e, *f], [*g, *h]) = (p, q, r, s);
}

/// 24 bits of a number and 8 of its power of two.
fn exponential(element: &mut [u8]) {
    let Some(bytes) = element.first_chunk_mut::<4>() else { return };
    let v = i32::from_le_bytes(*bytes);
    let (power, number) = (v >> 24, (v << 8) >> 8);
    *bytes = (libm::ldexp(f64::from(number), power) as f32).to_le_bytes();
}

fn colour_8(element: &mut [u8]) {
    if let [y, co, cg, a] = element {
        let own = [i32::from(*y), i32::from(*co as i8), i32::from(*cg as i8), i32::from(*a)];
        [*y, *co, *cg, *a] = colour(own, 255.0).map(|c| c as u8);
    }
}

fn colour_16(element: &mut [u8]) {
    if let [a, b, c, d, e, f, g, h] = element {
        let signed = |low: &u8, high: &u8| i32::from(i16::from_le_bytes([*low, *high]));
        let whole = |low: &u8, high: &u8| i32::from(u16::from_le_bytes([*low, *high]));
        let own = [whole(a, b), signed(c, d), signed(e, f), whole(g, h)];
        let [x, y, z, w] = colour(own, 65535.0).map(|c| (c as u16).to_le_bytes());
        ([*a, *b], [*c, *d], [*e, *f], [*g, *h]) = (x, y, z, w);
    }
}

/// Red, green, blue, alpha from luma, two chromas and alpha. The highest bit set in alpha says how many bits all of
/// them have; alpha itself has one less.
fn colour([y, co, cg, a]: [i32; 4], most: f64) -> [i32; 4] {
    let bits = 32_u32.saturating_sub(a.leading_zeros());
    let scale = 1_i32.checked_shl(bits).unwrap_or_default().wrapping_sub(1);
    let unit = if scale > 0 { most / f64::from(scale) } else { 0.0 };
    let a = (a.wrapping_shl(1) & scale) | (a & 1);
    let red = y.wrapping_add(co).wrapping_sub(cg);
    let blue = y.wrapping_sub(co).wrapping_sub(cg);
    [red, y.wrapping_add(cg), blue, a].map(|c| (f64::from(c) * unit + 0.5) as i32)
}

fn short(low: u8, high: u8) -> f64 {
    f64::from(i16::from_le_bytes([low, high]))
}
