//! Moving pictures as GIF: one palette for all frames, and only what changed from frame to frame.
//!
//! A shade that the palette lacks is a pattern of colours whose mean it is. The pattern stands still on the screen, so what
//! does not move does not flicker and takes no bytes.

use crate::{DrawError, Image};
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use std::{borrow::Cow, collections::HashMap};

/// The index that means "as before".
const SAME: u8 = 255;
/// Colours that remain.
const COLORS: usize = 255;
/// Bits of each channel that a colour is looked up by.
const BITS: u32 = 6;

/// Encodes frames of one size that last `duration_s` together and repeat for ever.
///
/// # Errors
///
/// No frame, frames of several sizes, or sides above 65,535 pixels.
pub fn encode(frames: &[Image], duration_s: f64) -> Result<Vec<u8>, DrawError> {
    let wrong = |field, value: u32, allowed| DrawError::Parameter { field, value: value.into(), allowed };
    let first = frames.first().ok_or_else(|| wrong("frames", 0, "at least 1"))?;
    let side = |side: u32| u16::try_from(side).map_err(|_| wrong("a side", side, "at most 65535"));
    let (width, height) = (side(first.width)?, side(first.height)?);
    if let Some(other) = frames.iter().find(|f| (f.width, f.height) != (first.width, first.height)) {
        return Err(wrong("a frame's width or height", other.width, "that of the first"));
    }
    written(frames, duration_s, width, height).map_err(|e| DrawError::Gif { reason: e.to_string() })
}

fn written(frames: &[Image], duration_s: f64, width: u16, height: u16) -> Result<Vec<u8>, EncodingError> {
    let mut palette = Palette::new(frames);
    let mut bytes = Vec::new();
    let mut flat: Vec<u8> = palette.colors.iter().flatten().copied().collect();
    flat.resize(3 * (usize::from(SAME) + 1), 0);
    let mut encoder = Encoder::new(&mut bytes, width, height, &flat)?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut before: Option<Vec<u8>> = None;
    // Hundredths of a second, rounded so that the sum stays right; below two, viewers slow down.
    let end = |i: usize| libm::round(duration_s * 100.0 * (i + 1) as f64 / frames.len() as f64) as u64;
    let mut clock = 0;
    for (i, image) in frames.iter().enumerate() {
        let pixels = image.pixels.chunks_exact(4).zip(0_u32..);
        let now: Vec<u8> = pixels
            .map(|(p, i)| palette.index([p[0], p[1], p[2]], [i % image.width, i / image.width]))
            .collect();
        let mut frame = changed(before.as_deref(), &now, width, height);
        let delay = end(i).saturating_sub(clock).max(2);
        clock += delay;
        frame.delay = u16::try_from(delay).unwrap_or(u16::MAX);
        encoder.write_frame(&frame)?;
        before = Some(now);
    }
    drop(encoder);
    Ok(bytes)
}

/// The smallest rectangle that holds what changed; what did not change inside it is transparent.
fn changed<'a>(before: Option<&[u8]>, now: &[u8], width: u16, height: u16) -> Frame<'a> {
    let dispose = DisposalMethod::Keep;
    let Some(before) = before else {
        return Frame { width, height, dispose, buffer: Cow::Owned(now.to_vec()), ..Frame::default() };
    };
    let (w, h) = (usize::from(width), usize::from(height));
    let differs = |x: usize, y: usize| before[y * w + x] != now[y * w + x];
    let row = |y: &usize| (0..w).any(|x| differs(x, *y));
    let column = |x: &usize| (0..h).any(|y| differs(*x, y));
    let (top, bottom) = ((0..h).find(row), (0..h).rfind(row));
    let (left, right) = ((0..w).find(column), (0..w).rfind(column));
    // Nothing changed: one transparent pixel carries the delay.
    let (Some(top), Some(bottom), Some(left), Some(right)) = (top, bottom, left, right) else {
        let buffer = Cow::Owned(vec![SAME]);
        return Frame { width: 1, height: 1, dispose, transparent: Some(SAME), buffer, ..Frame::default() };
    };
    let mut buffer = Vec::with_capacity((right - left + 1) * (bottom - top + 1));
    for y in top..=bottom {
        buffer.extend((left..=right).map(|x| if differs(x, y) { now[y * w + x] } else { SAME }));
    }
    Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        transparent: Some(SAME),
        dispose,
        buffer: Cow::Owned(buffer),
        ..Frame::default()
    }
}

/// At most 255 colours, found by median cut; the commonest colour of all is one of them exactly.
struct Palette {
    colors: Vec<[u8; 3]>,
    /// The pattern of each colour that was asked for.
    known: HashMap<[u8; 3], [u8; PATTERN]>,
}

/// Pixels of a pattern: 4 by 4.
const PATTERN: usize = 16;
/// Weights of red, green and blue in a distance.
const SEEN: [i32; 3] = [3, 4, 2];

/// Every number from 0 to 15 once in 4 by 4 pixels, neighbours far apart: Bayer's matrix.
fn place([x, y]: [u32; 2]) -> usize {
    let bit = |v: u32, from: u32, to: u32| (v >> from & 1) << to;
    let z = x ^ y;
    (bit(z, 0, 3) | bit(y, 0, 2) | bit(z, 1, 1) | bit(y, 1, 0)) as usize
}

/// Colours whose mean is nearest to a colour, the darkest first: each makes up for what those before it missed.
fn pattern(colors: &[[u8; 3]], color: [u8; 3]) -> [u8; PATTERN] {
    let wanted = color.map(i32::from);
    let mut missed = [0_i32; 3];
    let mut out = [0; PATTERN];
    for own in &mut out {
        let aim = [0, 1, 2].map(|c| wanted[c] + missed[c]);
        let far =
            |i: &usize| -> i32 { (0..3).map(|c| (i32::from(colors[*i][c]) - aim[c]).pow(2) * SEEN[c]).sum() };
        let nearest = (0..colors.len()).min_by_key(far).unwrap_or(0);
        *own = nearest as u8;
        for c in 0..3 {
            missed[c] = aim[c] - i32::from(colors[nearest][c]);
        }
    }
    let light = |i: &u8| -> i32 { (0..3).map(|c| i32::from(colors[usize::from(*i)][c]) * SEEN[c]).sum() };
    out.sort_by_key(light);
    out
}

/// A coarse colour: how often it occurs, and the sum of what it stands for.
#[derive(Clone, Copy, Default)]
struct Bin {
    count: u64,
    sum: [u64; 3],
}

impl Bin {
    fn mean(&self) -> [u8; 3] {
        self.sum.map(|s| ((s + self.count / 2) / self.count.max(1)) as u8)
    }
}

fn coarse(c: [u8; 3]) -> usize {
    c.iter().fold(0, |at, v| at << BITS | usize::from(v >> (8 - BITS)))
}

impl Palette {
    fn new(frames: &[Image]) -> Self {
        let mut bins = vec![Bin::default(); 1 << (3 * BITS)];
        for p in frames.iter().flat_map(|f| f.pixels.chunks_exact(4)) {
            let bin = &mut bins[coarse([p[0], p[1], p[2]])];
            bin.count += 1;
            (0..3).for_each(|c| bin.sum[c] += u64::from(p[c]));
        }
        let mut used: Vec<Bin> = bins.into_iter().filter(|b| b.count > 0).collect();
        let commonest =
            used.iter().enumerate().max_by_key(|(i, b)| (b.count, usize::MAX - i)).map(|(i, _)| i);
        let mut colors = Vec::new();
        // The background, as a rule: if it were off by one, every still would show it.
        colors.extend(commonest.map(|i| used.swap_remove(i).mean()));
        let mut boxes = vec![used];
        while boxes.len() < COLORS - colors.len() {
            let spread = boxes.iter().map(|b| widest(b).1);
            let Some((at, _)) =
                spread.enumerate().filter(|(_, s)| *s > 0).max_by_key(|(i, s)| (*s, usize::MAX - i))
            else {
                break;
            };
            let mut whole = boxes.swap_remove(at);
            let axis = widest(&whole).0;
            whole.sort_by_key(|b| b.mean()[axis]);
            let half = whole.iter().map(|b| b.count).sum::<u64>() / 2;
            let mut below = 0;
            let cut = whole.iter().position(|b| {
                below += b.count;
                below > half
            });
            let rest = whole.split_off(cut.unwrap_or(0).clamp(1, whole.len() - 1));
            boxes.extend([whole, rest]);
        }
        let mean = |bins: &Vec<Bin>| {
            let mut all = Bin::default();
            for b in bins {
                all.count += b.count;
                (0..3).for_each(|c| all.sum[c] += b.sum[c]);
            }
            all.mean()
        };
        colors.extend(boxes.iter().filter(|b| !b.is_empty()).map(mean));
        Self { colors, known: HashMap::new() }
    }

    /// The colour for a pixel of this colour at this place.
    fn index(&mut self, color: [u8; 3], at: [u32; 2]) -> u8 {
        let Self { colors, known } = self;
        known.entry(color).or_insert_with(|| pattern(colors, color))[place(at)]
    }
}

/// The channel along which a box spreads most, and its share of what is to be told apart.
fn widest(bins: &[Bin]) -> (usize, u64) {
    if bins.len() < 2 {
        return (0, 0);
    }
    let count: u64 = bins.iter().map(|b| b.count).sum();
    let spread = |axis: usize| {
        let values = bins.iter().map(|b| u64::from(b.mean()[axis]));
        let (low, high) = values.fold((255, 0), |(l, h), v| (l.min(v), h.max(v)));
        // Rare shades of a wide range matter as much as common ones of a narrow one.
        (high - low).pow(2) * count.isqrt()
    };
    (0..3).map(|axis| (axis, spread(axis))).max_by_key(|(axis, s)| (*s, 3 - axis)).unwrap_or((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(f: impl Fn(u32, u32) -> [u8; 3]) -> Image {
        let pixels = (0..12 * 10_u32).flat_map(|i| [f(i % 12, i / 12), [255; 3]].concat()[..4].to_vec());
        Image { width: 12, height: 10, pixels: pixels.collect() }
    }

    fn decode(bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes).unwrap();
        let mut screen = vec![0_u8; 12 * 10 * 4];
        let mut out = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (i, p) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, p)| p[3] == 255) {
                let (x, y) = (i % usize::from(frame.width), i / usize::from(frame.width));
                let at = ((y + usize::from(frame.top)) * 12 + x + usize::from(frame.left)) * 4;
                screen[at..at + 4].copy_from_slice(p);
            }
            out.push((frame.delay, screen.clone()));
        }
        out
    }

    #[test]
    fn frames_with_few_colours_come_back_exactly() {
        let frames: Vec<Image> = (0..5)
            .map(|k| image(|x, y| if x == k && y > 2 { [200, 40, 30] } else { [244, 241, 234] }))
            .chain([image(|_, _| [244, 241, 234]), image(|_, _| [244, 241, 234])])
            .collect();
        let decoded = decode(&encode(&frames, 0.5).unwrap());
        assert_eq!(decoded.len(), frames.len());
        for (frame, (_, screen)) in frames.iter().zip(&decoded) {
            assert_eq!(&frame.pixels, screen);
        }
        assert_eq!(decoded.iter().map(|d| u32::from(d.0)).sum::<u32>(), 50);
    }

    #[test]
    fn frames_with_many_colours_stay_near() {
        let frame = image(|x, y| [(x * 20) as u8, (y * 25) as u8, ((x + y) * 11) as u8]);
        let decoded = decode(&encode(core::slice::from_ref(&frame), 0.1).unwrap());
        let off = frame.pixels.iter().zip(&decoded[0].1).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
        assert!(off <= 3, "{off}");
    }

    /// A ball in soft light: more shades than a palette holds.
    fn ball(size: u32) -> Image {
        let shade = |i: u32| {
            let (x, y) = ((i % size) as f32 / size as f32 - 0.5, (i / size) as f32 / size as f32 - 0.5);
            let z = (0.25 - x * x - y * y).max(0.0).sqrt();
            let light = (x * 0.9 - y * 1.1 + z * 1.4).clamp(0.0, 1.0);
            [
                (235.0 * light) as u8,
                (170.0 * light + 20.0 * x.abs()) as u8,
                (150.0 * light + 60.0 * z) as u8,
                255,
            ]
        };
        Image { width: size, height: size, pixels: (0..size * size).flat_map(shade).collect() }
    }

    #[test]
    fn shades_that_the_palette_lacks_are_right_in_the_mean() {
        const SIZE: u32 = 128;
        let ball = ball(SIZE);
        let mut palette = Palette::new(core::slice::from_ref(&ball));
        let drawn: Vec<[u8; 3]> = (0..SIZE * SIZE)
            .map(|i| {
                let p = &ball.pixels[4 * i as usize..];
                let index = palette.index([p[0], p[1], p[2]], [i % SIZE, i / SIZE]);
                palette.colors[usize::from(index)]
            })
            .collect();
        let (mut worst, mut sum) = (0.0_f32, 0.0);
        for block in 0..(SIZE / 8) * (SIZE / 8) {
            let (left, top) = (block % (SIZE / 8) * 8, block / (SIZE / 8) * 8);
            let pixels = |c: usize| {
                let places = (0..64_u32).map(|i| ((top + i / 8) * SIZE + left + i % 8) as usize);
                places.map(move |i| (i, c))
            };
            for channel in [0, 1, 2].map(pixels) {
                let off: i32 =
                    channel.map(|(i, c)| i32::from(drawn[i][c]) - i32::from(ball.pixels[4 * i + c])).sum();
                let off = (off as f32 / 64.0).abs();
                worst = if off > worst { off } else { worst };
                sum += off;
            }
        }
        let mean = sum / ((SIZE / 8) * (SIZE / 8) * 3) as f32;
        assert!(mean < 0.5 && worst < 4.0, "blocks are off by {mean} in the mean, {worst} at most");
    }

    #[test]
    fn what_stands_still_takes_no_bytes() {
        let frames = vec![ball(64); 4];
        let (one, four) = (encode(&frames[..1], 0.1).unwrap(), encode(&frames, 0.4).unwrap());
        assert!(four.len() < one.len() + 100, "{} {}", one.len(), four.len());
    }
}
