//! What the viewer knows, what can be done to it, and how that is undone. Nothing here draws or needs a graphics device.

mod browser;
mod command;
mod edit;
mod export;
mod history;
mod layout;
mod open;
mod stage;
mod time_view;
mod ui;
mod view;

pub(crate) use browser::Browser;
pub(crate) use command::{Command, Commands, Slot};
pub(crate) use edit::Edit;
pub use export::Export;
pub(crate) use export::Recording;
pub(crate) use history::History;
pub(crate) use layout::{Layout, NARROW, Pane, SIMPLE};
pub(crate) use open::{Kept, Open};
pub(crate) use stage::{Projection, Stage, Strokes, shows_bones};
pub(crate) use time_view::TimeView;
pub(crate) use ui::{Section, UiState};
pub(crate) use view::View;
