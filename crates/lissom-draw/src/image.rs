//! Finished pictures.

use crate::DrawError;

/// RGBA8, sRGB, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// `width · height · 4` bytes.
    pub pixels: Vec<u8>,
}

impl Image {
    /// The four bytes of a pixel, or `None` outside.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = (y as usize * self.width as usize + x as usize) * 4;
        self.pixels.get(at..at + 4).and_then(|p| p.try_into().ok())
    }

    /// The bytes of a PNG file. Opaque pictures are stored without alpha.
    ///
    /// # Errors
    ///
    /// [`DrawError::Length`] if `pixels` does not fit the size, [`DrawError::Png`].
    pub fn encode_png(&self) -> Result<Vec<u8>, DrawError> {
        let expected = self.width as usize * self.height as usize * 4;
        if self.pixels.len() != expected {
            return Err(DrawError::Length { field: "pixels", len: self.pixels.len(), expected });
        }
        let opaque = self.pixels.chunks_exact(4).all(|p| p[3] == 255);
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width, self.height);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        let mut writer = encoder.write_header()?;
        if opaque {
            let rgb: Vec<u8> = self.pixels.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
            writer.write_image_data(&rgb)?;
        } else {
            writer.write_image_data(&self.pixels)?;
        }
        writer.finish()?;
        Ok(out)
    }
}
