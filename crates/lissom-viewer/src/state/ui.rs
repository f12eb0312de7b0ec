//! Windows, words and fields that are open.

use super::{browser::Browser, export::Recording, time_view::TimeView};
use crate::{failure::Failure, settings::Panels};
use std::collections::BTreeSet;

/// A part of the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Section {
    #[default]
    Joints,
    Meshes,
    Materials,
    Morphs,
    Facts,
    Notes,
}

impl Section {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Joints => "joints",
            Self::Meshes => "meshes",
            Self::Materials => "materials",
            Self::Morphs => "morphs",
            Self::Facts => "facts",
            Self::Notes => "notes",
        }
    }
}

/// What only panels know of.
pub(crate) struct UiState {
    /// What went wrong last; the document before it stays.
    pub failure: Option<Failure>,
    /// What was done last that cannot be seen, such as a file that was written.
    pub told: Option<String>,
    /// What of the open file is inspected.
    pub section: Section,
    /// What is looked for in the list of joints, and in that of clips.
    pub search: String,
    pub clip_search: String,
    /// Joints whose children are not listed.
    pub folded: BTreeSet<usize>,
    /// The mesh that stands out, if one does.
    pub vivid: Option<usize>,
    /// Meshes that are not drawn.
    pub hidden: BTreeSet<usize>,
    pub help: bool,
    /// What became of motions that were brought onto the character is shown.
    pub report: bool,
    /// Which of the skeletons that motions came from is shown.
    pub rig: usize,
    /// Where the precision's slider stands, in millimetres.
    pub wanted_mm: Option<f64>,
    /// Which panels are open, if only behind others; and which of them are seen.
    pub panels: Panels,
    pub seen: Panels,
    /// The part of the clip's time that is seen.
    pub time: TimeView,
    /// The picture, as egui knows it.
    pub picture: Option<egui::TextureId>,
    /// How wide what stands at the right of the bar was last, in points.
    pub bar_width: f32,
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
            section: Section::default(),
            search: String::new(),
            clip_search: String::new(),
            folded: BTreeSet::new(),
            vivid: None,
            hidden: BTreeSet::new(),
            help: false,
            report: false,
            rig: 0,
            wanted_mm: None,
            panels: Panels::default(),
            seen: Panels::default(),
            time: TimeView::default(),
            picture: None,
            // About: the first frame shall look like the next.
            bar_width: 230.0,
            browser: None,
            recording: None,
            frame_s: 0.0,
        }
    }
}

impl UiState {
    /// Another document is open: what was chosen of the one before is past.
    pub fn forget_document(&mut self) {
        (self.vivid, self.rig, self.time) = (None, 0, TimeView::default());
        (self.folded, self.hidden) = Default::default();
        self.clip_search.clear();
    }

    /// Says what went wrong, if anything did.
    pub fn tell<E: Into<Failure>>(&mut self, done: Result<(), E>) {
        if let Err(e) = done {
            self.failure = Some(e.into());
        }
    }
}
