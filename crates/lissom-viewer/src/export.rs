//! What is shown, as a file: a picture, a moving one, or everything as glTF.

use crate::{
    document::{Document, Failure},
    offscreen::Picture,
    viewer::Viewer,
};
use lissom_build::export::write_whole;
use lissom_draw::{Image, gif};
use std::path::{Path, PathBuf};

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// The scene as it is seen, without panels.
    Png,
    /// A lap of the clip that plays, or a few seconds of whatever else decides.
    Gif,
    /// The character and all of its clips, as they are stored.
    Glb,
}

impl Export {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Png, Self::Gif, Self::Glb];

    /// What the menu calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "save the picture (PNG)",
            Self::Gif => "save it moving (GIF)",
            Self::Glb => "save as glTF (GLB)",
        }
    }

    const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Glb => "glb",
        }
    }
}

/// A moving picture on its way: a frame is drawn, read back, and kept, in every frame of the viewer.
pub(crate) struct Recording {
    path: PathBuf,
    frames: Vec<Image>,
    steps: u32,
    duration_s: f64,
    /// Where the clip was, and whether it played.
    was: (Option<f64>, bool),
}

/// A moving picture has so many frames a second, but not more than these, and sides of so many pixels at most.
const RATE_HZ: f64 = 25.0;
const MOST_FRAMES: u32 = 150;
const MOST_PIXELS: u32 = 480;
/// How long what has no end is recorded, in seconds.
const ENDLESS_S: f64 = 4.0;

impl Recording {
    /// Frames that there are, and that there will be.
    pub fn progress(&self) -> (u32, u32) {
        (self.frames.len() as u32, self.steps)
    }

    fn step_s(&self) -> f64 {
        self.duration_s / f64::from(self.steps)
    }

    /// Seconds that time goes on by; a clip is told where to go instead.
    pub fn dt_s(&self) -> f64 {
        if self.was.0.is_some() { 0.0 } else { self.step_s() }
    }
}

impl Viewer {
    /// Writes a file of a new name into a folder; its path. A moving picture is written once its last frame was drawn.
    ///
    /// # Errors
    ///
    /// If there is nothing to write, and what the file system says.
    pub fn export(&mut self, what: Export, folder: &Path) -> Result<PathBuf, Failure> {
        let (name, clip) = self.title();
        let stem = Path::new(&name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let path = match what {
            Export::Png | Export::Gif => free(folder, &format!("{stem} {clip}"), what.extension()),
            Export::Glb => free(folder, &stem, what.extension()),
        };
        let bytes = match what {
            Export::Png => self.scene.picture()?.to_png(),
            Export::Gif => {
                self.record(path.clone());
                return Ok(path);
            }
            Export::Glb => self.document.as_ref().map_or(Err(nothing()), Document::to_glb),
        };
        write(&path, bytes).map(|()| path)
    }

    fn record(&mut self, path: PathBuf) {
        let clip_s = self.time_s().map(|_| self.duration_s()).filter(|s| *s > 0.0);
        let duration_s = clip_s.unwrap_or(ENDLESS_S);
        let steps = ((duration_s * RATE_HZ).round() as u32).clamp(1, MOST_FRAMES);
        let was = (self.time_s(), self.playing);
        self.recording = Some(Recording { path, frames: Vec::new(), steps, duration_s, was });
    }

    /// Before a frame is drawn: goes where the recording is.
    pub(crate) fn record_from(&mut self) {
        let Some(recording) = &self.recording else { return };
        if recording.was.0.is_some() {
            self.scrub(recording.step_s() * recording.frames.len() as f64);
        }
    }

    /// After it was drawn: keeps it; the last one ends the recording.
    pub(crate) fn record_to(&mut self, ctx: &egui::Context) {
        let Some(recording) = &mut self.recording else { return };
        ctx.request_repaint();
        let kept = self.scene.picture().map(|picture| recording.frames.push(smaller(&picture)));
        if kept.is_ok() && recording.frames.len() < recording.steps as usize {
            return;
        }
        let Some(Recording { path, frames, duration_s, was, .. }) = self.recording.take() else { return };
        let bytes = kept.and_then(|()| gif::encode(&frames, duration_s).map_err(|e| Failure(e.to_string())));
        match write(&path, bytes) {
            Ok(()) => self.told = Some(format!("saved {}", path.display())),
            Err(failure) => self.failure = Some(failure),
        }
        if let Some(time_s) = was.0 {
            self.scrub(time_s);
        }
        self.playing = was.1;
    }
}

/// Every pixel the mean of a square, so that no side is too long.
fn smaller(picture: &Picture) -> Image {
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

pub(crate) fn write(path: &Path, bytes: Result<Vec<u8>, Failure>) -> Result<(), Failure> {
    let named = |e: &dyn core::fmt::Display| Failure(format!("{}: {e}", path.display()));
    write_whole(path, &bytes.map_err(|e| named(&e))?).map_err(|e| named(&e))
}

fn nothing() -> Failure {
    Failure("there is nothing to save".into())
}

/// A path that is not taken: `hero walk.png`, `hero walk 2.png`, …
pub(crate) fn free(folder: &Path, stem: &str, extension: &str) -> PathBuf {
    let stem = stem.trim().replace(['/', '\\', ':'], "_");
    let path = |n: usize| match n {
        1 => folder.join(format!("{stem}.{extension}")),
        n => folder.join(format!("{stem} {n}.{extension}")),
    };
    (1..).map(path).find(|path| !path.exists()).unwrap_or_else(|| path(0))
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
