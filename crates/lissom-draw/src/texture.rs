//! Pictures on surfaces.

use crate::{Color, DrawError};
use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

/// The longest side of a texture that is kept; larger ones are thinned out.
const LONGEST: usize = 1024;
/// The most pixels that are decoded at all.
const MOST: u64 = 1 << 26;
/// Of a JPEG or a WebP, whose frequencies or planes may stand in memory beside its pixels.
const MOST_JPEG: u64 = 1 << 25;

/// A picture that surfaces show, in linear light with alpha.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    width: usize,
    height: usize,
    pixels: Vec<[f32; 4]>,
}

/// How much of a surface is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Opacity {
    /// All of it.
    #[default]
    Opaque,
    /// Only where alpha is at least this.
    Mask(f32),
    /// As much as alpha says, over what was drawn before.
    Blend,
}

/// Deflate makes at most this many bytes of one.
const DEFLATED: u64 = 1032;
/// The shortest code of a JPEG is one bit for a square of 8 x 8 pixels.
const PIXELS_PER_BYTE: u64 = 8 * 64;

/// A lossless WebP of one colour takes no bits per pixel: this many are decoded of any file.
const WEBP_PIXELS: u64 = 1 << 20;

/// Checks a size before memory is taken for it: against `most`, and against what a file of this length can hold.
fn few_enough(width: u64, height: u64, most: u64, can_hold: u64) -> Result<(), DrawError> {
    let pixels = width.saturating_mul(height);
    let reason = if pixels > most {
        format!("{width} x {height} pixels are too many")
    } else if pixels > can_hold {
        format!("the file is too short for {width} x {height} pixels")
    } else {
        return Ok(());
    };
    Err(DrawError::Decode { reason })
}

/// A picture as its file has it: 8 bits a channel.
struct Raw {
    width: usize,
    height: usize,
    channels: usize,
    bytes: Vec<u8>,
}

impl Raw {
    fn decode(bytes: &[u8]) -> Result<Self, DrawError> {
        if bytes.starts_with(b"\x89PNG") {
            Self::from_png(bytes)
        } else if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
            Self::from_jpeg(bytes)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Self::from_webp(bytes)
        } else {
            Err(DrawError::Decode { reason: "it is neither a PNG, nor a JPEG, nor a WebP file".into() })
        }
    }

    fn from_png(bytes: &[u8]) -> Result<Self, DrawError> {
        let wrong = |e: png::DecodingError| DrawError::Decode { reason: e.to_string() };
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder
            .set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(wrong)?;
        let info = reader.info();
        let bits = info.bits_per_pixel().max(1) as u64;
        let can_hold = (bytes.len() as u64).saturating_mul(DEFLATED * 8) / bits;
        few_enough(info.width.into(), info.height.into(), MOST, can_hold)?;
        // The decoder takes three bytes at a time, and panics where fewer are left.
        if info.palette.as_ref().is_some_and(|palette| palette.len() % 3 != 0) {
            return Err(DrawError::Decode { reason: "its palette ends inside a colour".into() });
        }
        let size = reader.output_buffer_size();
        let size = size.ok_or_else(|| DrawError::Decode { reason: "it is too large".into() })?;
        let mut raw = vec![0; size];
        let info = reader.next_frame(&mut raw).map_err(wrong)?;
        let (width, height) = (info.width as usize, info.height as usize);
        Ok(Self { width, height, channels: info.color_type.samples(), bytes: raw })
    }

    fn from_jpeg(bytes: &[u8]) -> Result<Self, DrawError> {
        let wrong = |e: zune_jpeg::errors::DecodeErrors| DrawError::Decode { reason: e.to_string() };
        let options = DecoderOptions::new_safe().jpeg_set_out_colorspace(ColorSpace::RGB);
        let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
        decoder.decode_headers().map_err(wrong)?;
        let Some((width, height)) = decoder.dimensions() else {
            return Err(DrawError::Decode { reason: "it has no size".into() });
        };
        let can_hold = (bytes.len() as u64).saturating_mul(PIXELS_PER_BYTE);
        few_enough(width as u64, height as u64, MOST_JPEG, can_hold)?;
        let bytes = decoder.decode().map_err(wrong)?;
        Ok(Self { width, height, channels: 3, bytes })
    }

    /// Of one that moves, the first picture.
    fn from_webp(bytes: &[u8]) -> Result<Self, DrawError> {
        let wrong = |e: image_webp::DecodingError| DrawError::Decode { reason: e.to_string() };
        let mut decoder = image_webp::WebPDecoder::new(std::io::Cursor::new(bytes)).map_err(wrong)?;
        let (width, height) = decoder.dimensions();
        let can_hold = (bytes.len() as u64).saturating_mul(PIXELS_PER_BYTE).max(WEBP_PIXELS);
        few_enough(width.into(), height.into(), MOST_JPEG, can_hold)?;
        let channels = if decoder.has_alpha() { 4 } else { 3 };
        let mut raw = vec![0; width as usize * height as usize * channels];
        decoder.read_image(&mut raw).map_err(wrong)?;
        Ok(Self { width: width as usize, height: height as usize, channels, bytes: raw })
    }

    /// Red, green, blue, alpha.
    fn pixel(&self, x: usize, y: usize) -> Result<[u8; 4], DrawError> {
        let at = (y * self.width + x) * self.channels;
        let Some(p) = self.bytes.get(at..at + self.channels) else {
            return Err(DrawError::Decode { reason: "it ends early".into() });
        };
        Ok(match p {
            [g, a] => [*g, *g, *g, *a],
            [r, g, b, a] => [*r, *g, *b, *a],
            [r, g, b] => [*r, *g, *b, 255],
            other => {
                let grey = other.first().copied().unwrap_or(0);
                [grey, grey, grey, 255]
            }
        })
    }

    /// How many pixels become one, so that no side has more than `longest`.
    fn step(&self, longest: usize) -> usize {
        self.width.max(self.height).div_ceil(longest.max(1)).max(1)
    }
}

/// A picture as graphics devices take it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green, blue, alpha as the file has them; row by row from the top.
    pub rgba: Vec<[u8; 4]>,
}

impl Pixels {
    /// Decodes a PNG, JPEG or WebP file. If a side has more than `longest` pixels, each is the mean of a square of them.
    ///
    /// # Errors
    ///
    /// [`DrawError::Decode`].
    pub fn decode(bytes: &[u8], longest: usize) -> Result<Self, DrawError> {
        let raw = Raw::decode(bytes)?;
        let step = raw.step(longest);
        let (width, height) = (raw.width.div_ceil(step), raw.height.div_ceil(step));
        let mut rgba = Vec::with_capacity(width * height);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y * step, x * step))) {
            let (mut sum, mut count) = ([0_u32; 4], 0);
            for (y, x) in
                (y..raw.height.min(y + step)).flat_map(|y| (x..raw.width.min(x + step)).map(move |x| (y, x)))
            {
                raw.pixel(x, y)?.into_iter().zip(&mut sum).for_each(|(v, sum)| *sum += u32::from(v));
                count += 1;
            }
            rgba.push(sum.map(|sum| (sum / count.max(1)) as u8));
        }
        Ok(Self { width, height, rgba })
    }
}

impl Texture {
    /// Decodes a PNG, JPEG or WebP file. Other formats are none of its business.
    ///
    /// # Errors
    ///
    /// [`DrawError::Decode`].
    pub fn decode(bytes: &[u8]) -> Result<Self, DrawError> {
        let raw = Raw::decode(bytes)?;
        // Every pixel, or every few.
        let step = raw.step(LONGEST);
        let mut pixels = Vec::with_capacity(raw.width.div_ceil(step) * raw.height.div_ceil(step));
        for (y, x) in
            (0..raw.height).step_by(step).flat_map(|y| (0..raw.width).step_by(step).map(move |x| (y, x)))
        {
            let [r, g, b, alpha] = raw.pixel(x, y)?;
            let [r, g, b] = Color { rgb: [r, g, b] }.linear();
            pixels.push([r, g, b, f32::from(alpha) / 255.0]);
        }
        Ok(Self { width: raw.width.div_ceil(step), height: raw.height.div_ceil(step), pixels })
    }

    /// Width and height.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// The pixels as graphics devices take them: row by row from the top, sRGB and alpha.
    #[must_use]
    pub fn to_srgb(&self) -> Vec<[u8; 4]> {
        let pixel = |[r, g, b, a]: &[f32; 4]| {
            let [r, g, b] = Color::from_linear([*r, *g, *b]).rgb;
            [r, g, b, (a.clamp(0.0, 1.0) * 255.0 + 0.5) as u8]
        };
        self.pixels.iter().map(pixel).collect()
    }

    /// The pixel at (u, v), v down, repeated beyond 0 and 1.
    pub(crate) fn at(&self, uv: [f32; 2]) -> [f32; 4] {
        let place = |t: f32, side: usize| {
            let t = t - t.floor();
            // NaN lands at 0.
            ((t * side as f32) as usize).min(side.saturating_sub(1))
        };
        let at = place(uv[1], self.height) * self.width + place(uv[0], self.width);
        self.pixels.get(at).copied().unwrap_or([1.0; 4])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Image;

    #[test]
    fn a_large_picture_is_made_smaller_by_means() {
        // Columns of 0 and 100; the last column and row have no neighbour.
        let pixels = (0..5 * 3).flat_map(|i: u32| [(i % 5 % 2) as u8 * 100, 7, 0, 255]).collect();
        let png = Image { width: 5, height: 3, pixels }.encode_png().unwrap();
        let whole = Pixels::decode(&png, 5).unwrap();
        assert_eq!((whole.width, whole.height, whole.rgba[1]), (5, 3, [100, 7, 0, 255]));
        let small = Pixels::decode(&png, 3).unwrap();
        let row = [[50, 7, 0, 255], [50, 7, 0, 255], [0, 7, 0, 255]];
        assert_eq!((small.width, small.height, small.rgba), (3, 2, [row, row].concat()));
        assert!(Pixels::decode(b"GIF89a", 5).is_err());
    }

    #[test]
    fn a_png_comes_back_in_linear_light_and_repeats() {
        let pixels = [[255, 0, 0, 255], [0, 255, 0, 128], [0, 0, 255, 255], [255, 255, 255, 0]].concat();
        let png = Image { width: 2, height: 2, pixels }.encode_png().unwrap();
        let texture = Texture::decode(&png).unwrap();
        assert_eq!(texture.at([0.25, 0.25]), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(texture.at([1.75, -0.75]), [0.0, 1.0, 0.0, 128.0 / 255.0]);
        assert_eq!(texture.at([0.25, 0.75])[2], 1.0);
        assert_eq!(texture.at([f32::NAN, 0.0]), [1.0, 0.0, 0.0, 1.0]);
        assert!(matches!(Texture::decode(b"\xff\xd8\xff"), Err(DrawError::Decode { .. })));
        assert!(matches!(Texture::decode(b"RIFF"), Err(DrawError::Decode { .. })));
    }

    /// A square of 8 x 8 pixels of one grey: a mean, and no frequencies.
    fn grey_jpeg() -> Vec<u8> {
        let quantisation = [&[0xff, 0xdb, 0, 67, 0][..], &[8; 64]].concat();
        let frame = [0xff, 0xc0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0];
        // One code of one bit each: 7 bits of a mean follow; nothing more follows.
        let table =
            |class: u8, symbol: u8| [&[0xff, 0xc4, 0, 20, class, 1][..], &[0; 15], &[symbol]].concat();
        let scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0];
        // 0, then 100 in 7 bits, then 0: 100 times 8 is 100 above the middle of 128.
        let bits = [0b0110_0100, 0b0111_1111];
        let parts = [
            &[0xff, 0xd8][..],
            &quantisation,
            &frame,
            &table(0x00, 7),
            &table(0x10, 0),
            &scan,
            &bits,
            &[0xff, 0xd9],
        ];
        parts.concat()
    }

    /// Two pixels of one bit, and a palette of five bytes.
    const ODD_PALETTE: &[u8] = &[
        137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 2, 0, 0, 0, 1, 1, 3, 0, 0, 0,
        206, 236, 237, 201, 0, 0, 0, 5, 80, 76, 84, 69, 1, 2, 3, 4, 5, 227, 79, 186, 232, 0, 0, 0, 10, 73,
        68, 65, 84, 120, 156, 99, 112, 0, 0, 0, 66, 0, 65, 41, 55, 244, 239, 0, 0, 0, 0, 73, 69, 78, 68, 174,
        66, 96, 130,
    ];

    #[test]
    fn a_png_whose_palette_ends_inside_a_colour_is_refused() {
        let error = Texture::decode(ODD_PALETTE).unwrap_err().to_string();
        assert!(error.contains("palette"), "{error}");
    }

    /// A lossless file of these rows of two colours: a bit per pixel.
    fn webp(width: u32, height: u32, greens: [u8; 2], pixels: &[u8]) -> Vec<u8> {
        let mut bits: Vec<(u32, u32)> = vec![(0x2f, 8), (width - 1, 14), (height - 1, 14), (0, 1), (0, 3)];
        // No transform, no cache, no codes by place.
        bits.push((0, 3));
        // Green has two symbols; red, blue, alpha and distance have one each.
        bits.extend([(0b111, 3), (greens[0].into(), 8), (greens[1].into(), 8)]);
        bits.extend([200_u32, 0, 255, 0].into_iter().flat_map(|symbol| [(0b101, 3), (symbol, 8)]));
        bits.extend(pixels.iter().map(|pixel| (u32::from(*pixel), 1)));
        let mut body = Vec::new();
        let ones =
            bits.iter().flat_map(|(value, count)| (0..*count).map(move |bit| (value >> bit & 1) as u8));
        for (at, bit) in ones.enumerate() {
            if at % 8 == 0 {
                body.push(0);
            }
            body[at / 8] |= bit << (at % 8);
        }
        body.resize(body.len().next_multiple_of(2), 0);
        let size = body.len() as u32;
        [&b"RIFF"[..], &(size + 12).to_le_bytes(), b"WEBPVP8L", &size.to_le_bytes(), &body].concat()
    }

    #[test]
    fn a_webp_comes_back_and_one_that_is_too_large_or_cut_is_refused() {
        let file = webp(3, 2, [10, 250], &[0, 1, 1, 0, 0, 1]);
        let texture = Texture::decode(&file).unwrap();
        assert_eq!(texture.size(), (3, 2));
        let (dark, light) = ([200, 10, 0, 255], [200, 250, 0, 255]);
        assert_eq!(texture.to_srgb(), [dark, light, light, dark, dark, light]);
        for cut in 0..file.len() - 1 {
            assert!(Texture::decode(&file[..cut]).is_err(), "{cut}");
        }
        let huge = webp(16_000, 16_000, [1, 2], &[0; 8]);
        let error = Texture::decode(&huge).unwrap_err().to_string();
        assert!(error.contains("too many"), "{error}");
        let short = webp(2_048, 2_048, [1, 2], &[0; 8]);
        assert!(Texture::decode(&short).unwrap_err().to_string().contains("too short"));
    }

    #[test]
    fn a_jpeg_comes_back_in_linear_light_and_one_that_is_too_large_is_refused() {
        let jpeg = grey_jpeg();
        let texture = Texture::decode(&jpeg).unwrap();
        assert_eq!((texture.width, texture.height), (8, 8));
        let [grey, ..] = Color { rgb: [228; 3] }.linear();
        for [r, g, b, a] in &texture.pixels {
            assert!(
                [r, g, b].iter().all(|c| (**c - grey).abs() < 0.02) && *a == 1.0,
                "{r} {g} {b}, not {grey}"
            );
        }
        let size = jpeg.windows(2).position(|w| w == [0xff, 0xc0]).unwrap() + 5;
        let mut huge = jpeg;
        huge[size..size + 4].copy_from_slice(&[0x40, 0, 0x40, 0]);
        let DrawError::Decode { reason } = Texture::decode(&huge).unwrap_err() else { panic!() };
        assert!(reason.contains("too many"), "{reason}");
        // 4096 x 4096 would be allowed, but not in 200 bytes.
        huge[size..size + 4].copy_from_slice(&[0x10, 0, 0x10, 0]);
        let DrawError::Decode { reason } = Texture::decode(&huge).unwrap_err() else { panic!() };
        assert!(reason.contains("too short for 4096 x 4096"), "{reason}");
    }
}
