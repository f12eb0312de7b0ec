//! A picture in memory, and as a file.

use crate::failure::Failure;
use lissom_draw::{Image, gif};
use std::path::Path;

/// A picture in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// Red, green, blue, alpha; row by row from the top.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// Writes a PNG file.
    ///
    /// # Errors
    ///
    /// What the file system says.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let named = |e: &dyn core::fmt::Display| Failure(format!("{}: {e}", path.display()));
        std::fs::write(path, self.to_png().map_err(|e| named(&e))?).map_err(|e| named(&e))
    }

    pub(crate) fn to_png(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size.0, self.size.1);
        encoder.set_color(png::ColorType::Rgba);
        let done = encoder.write_header().and_then(|mut w| w.write_image_data(&self.pixels));
        done.map_err(|e| Failure(e.to_string()))?;
        Ok(bytes)
    }
}

/// The sides of a moving picture have at most this number of pixels.
const MOST_PIXELS: u32 = 480;

/// The bytes of a GIF file of this length in seconds.
pub(crate) fn moving(frames: &[Image], duration_s: f64) -> Result<Vec<u8>, Failure> {
    gif::encode(frames, duration_s).map_err(|e| Failure(e.to_string()))
}

/// Every pixel the mean of a square, so that no side is too long for a moving picture.
pub(crate) fn smaller(picture: &Picture) -> Image {
    let (width, height) = picture.size;
    let step = width.max(height).div_ceil(MOST_PIXELS).max(1);
    let (width, height) = ((width / step).max(1), (height / step).max(1));
    let mut pixels = Vec::with_capacity((width * height * 4) as usize);
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let mut sum = [0_u32; 4];
        for (row, column) in (0..step).flat_map(|row| (0..step).map(move |column| (row, column))) {
            let at = (((y * step + row) * picture.size.0 + x * step + column) * 4) as usize;
            picture.pixels[at..at + 4].iter().zip(&mut sum).for_each(|(v, sum)| *sum += u32::from(*v));
        }
        pixels.extend(sum.map(|sum| (sum / (step * step)) as u8));
    }
    Image { width, height, pixels }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_picture_is_made_smaller_by_means() {
        let size = (MOST_PIXELS * 2, 4);
        let pixels = (0..size.0 * size.1).flat_map(|i| [(i % 2) as u8 * 100, 7, 0, 255]).collect();
        let image = smaller(&Picture { size, pixels });
        assert_eq!((image.width, image.height), (MOST_PIXELS, 2));
        assert!(image.pixels.chunks_exact(4).all(|p| p == [50, 7, 0, 255]));
    }
}
