//! What is shown, as a file: a picture, a moving one, or everything as glTF.

use lissom_draw::Image;
use std::path::PathBuf;

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

    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Glb => "glb",
        }
    }
}

/// A moving picture on its way: a frame is drawn, read back, and kept, in every frame of the viewer.
pub(crate) struct Recording {
    pub path: PathBuf,
    pub frames: Vec<Image>,
    steps: u32,
    pub duration_s: f64,
    /// Where the clip was, and whether it played.
    pub was: (Option<f64>, bool),
}

/// Frames per second of a moving picture, and the most frames.
const RATE_HZ: f64 = 25.0;
const MOST_FRAMES: u32 = 150;
/// How long what has no end is recorded, in seconds.
const ENDLESS_S: f64 = 4.0;

impl Recording {
    /// Of a clip that is so long, or, with `None`, of what has no end.
    pub fn new(path: PathBuf, clip_s: Option<f64>, was: (Option<f64>, bool)) -> Self {
        let duration_s = clip_s.filter(|s| *s > 0.0).unwrap_or(ENDLESS_S);
        let steps = ((duration_s * RATE_HZ).round() as u32).clamp(1, MOST_FRAMES);
        Self { path, frames: Vec::new(), steps, duration_s, was }
    }

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

    /// Where the clip is to be for the next frame; `None` if no clip plays.
    pub fn time_s(&self) -> Option<f64> {
        self.was.0.map(|_| self.step_s() * self.frames.len() as f64)
    }
}
