//! Pictures on surfaces.

use crate::{Color, DrawError};

/// The longest side of a texture that is kept; larger ones are thinned out.
const LONGEST: u32 = 1024;
/// The most pixels that are decoded at all.
const MOST: u64 = 1 << 26;

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

impl Texture {
    /// Decodes a PNG file. Other formats are none of its business.
    ///
    /// # Errors
    ///
    /// [`DrawError::Decode`].
    pub fn from_png(bytes: &[u8]) -> Result<Self, DrawError> {
        let wrong = |e: png::DecodingError| DrawError::Decode { reason: e.to_string() };
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder
            .set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(wrong)?;
        let (width, height) = (reader.info().width, reader.info().height);
        if u64::from(width) * u64::from(height) > MOST {
            return Err(DrawError::Decode { reason: format!("{width} x {height} pixels are too many") });
        }
        let size = reader.output_buffer_size();
        let size = size.ok_or_else(|| DrawError::Decode { reason: "it is too large".into() })?;
        let mut raw = vec![0; size];
        let info = reader.next_frame(&mut raw).map_err(wrong)?;
        let channels = info.color_type.samples();
        let step = (width.max(height).div_ceil(LONGEST)).max(1) as usize;
        let (width, height) = (info.width as usize, info.height as usize);
        let mut pixels = Vec::new();
        for y in (0..height).step_by(step) {
            for x in (0..width).step_by(step) {
                let at = (y * width + x) * channels;
                let Some(p) = raw.get(at..at + channels) else {
                    return Err(DrawError::Decode { reason: "it ends early".into() });
                };
                let (rgb, alpha) = match p {
                    [g, a] => ([*g; 3], *a),
                    [r, g, b, a] => ([*r, *g, *b], *a),
                    [r, g, b] => ([*r, *g, *b], 255),
                    other => ([other.first().copied().unwrap_or(0); 3], 255),
                };
                let [r, g, b] = Color { rgb }.linear();
                pixels.push([r, g, b, f32::from(alpha) / 255.0]);
            }
        }
        Ok(Self { width: width.div_ceil(step), height: height.div_ceil(step), pixels })
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
    fn a_png_comes_back_in_linear_light_and_repeats() {
        let pixels = [[255, 0, 0, 255], [0, 255, 0, 128], [0, 0, 255, 255], [255, 255, 255, 0]].concat();
        let png = Image { width: 2, height: 2, pixels }.encode_png().unwrap();
        let texture = Texture::from_png(&png).unwrap();
        assert_eq!(texture.at([0.25, 0.25]), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(texture.at([1.75, -0.75]), [0.0, 1.0, 0.0, 128.0 / 255.0]);
        assert_eq!(texture.at([0.25, 0.75])[2], 1.0);
        assert_eq!(texture.at([f32::NAN, 0.0]), [1.0, 0.0, 0.0, 1.0]);
        for cut in 0..png.len() - 1 {
            let _ = Texture::from_png(&png[..cut]);
        }
        assert!(matches!(Texture::from_png(b"\xff\xd8\xff"), Err(DrawError::Decode { .. })));
    }
}
