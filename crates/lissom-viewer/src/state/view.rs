//! What panels read.

use super::{history::History, open::Open, stage::Stage, ui::UiState};
use crate::settings::{Settings, Shows};

/// All of the viewer, to be read.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub open: &'a Open,
    pub stage: &'a Stage,
    pub ui: &'a UiState,
    pub settings: &'a Settings,
    pub history: &'a History,
}

impl View<'_> {
    /// The document is what is seen.
    pub fn shows_document(&self) -> bool {
        self.settings.shows == Shows::Document
    }

    /// How far what is seen has turned from looking along z, in radians.
    pub fn facing(&self) -> f32 {
        let document = self.open.document.as_ref().filter(|_| self.shows_document());
        document.map_or(0.0, |document| document.facing)
    }

    /// The time of the clip that plays, in seconds; `None` without one, or where something else is seen.
    pub fn time_s(&self) -> Option<f64> {
        self.open.time_s().filter(|_| self.shows_document())
    }
}
