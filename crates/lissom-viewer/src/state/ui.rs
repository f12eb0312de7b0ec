//! Windows, words and fields that are open.

use super::{browser::Browser, export::Recording};
use crate::failure::Failure;

/// What only panels know of.
pub(crate) struct UiState {
    /// What went wrong last; the document before it stays.
    pub failure: Option<Failure>,
    /// What was done last that cannot be seen, such as a file that was written.
    pub told: Option<String>,
    /// What is looked for in the list of joints.
    pub search: String,
    pub help: bool,
    /// What became of motions that were brought onto the character is shown.
    pub report: bool,
    /// Which of the skeletons that motions came from is shown.
    pub rig: usize,
    /// Where the precision's slider stands, in millimetres.
    pub wanted_mm: Option<f64>,
    /// How wide the bar's switches were last, in points.
    pub switches_width: f32,
    pub browser: Option<Browser>,
    pub recording: Option<Recording>,
    /// Seconds of updating and drawing, without the GPU's own time; the last frame's.
    pub frame_s: f64,
}

impl Default for UiState {
    fn default() -> Self {
        Self {
            failure: None,
            told: None,
            search: String::new(),
            help: false,
            report: false,
            rig: 0,
            wanted_mm: None,
            // About: the first frame shall look like the next.
            switches_width: 430.0,
            browser: None,
            recording: None,
            frame_s: 0.0,
        }
    }
}

impl UiState {
    /// Says what went wrong, if anything did.
    pub fn tell<E: Into<Failure>>(&mut self, done: Result<(), E>) {
        if let Err(e) = done {
            self.failure = Some(e.into());
        }
    }
}
