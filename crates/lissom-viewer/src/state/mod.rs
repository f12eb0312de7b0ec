//! What the viewer knows, what can be done to it, and how that is undone. Nothing here draws or needs a graphics device.

mod browser;
mod command;
mod edit;
mod export;
mod history;
mod open;
mod stage;
mod ui;
mod view;

pub(crate) use browser::Browser;
pub(crate) use command::{Command, Commands, Slot};
pub(crate) use edit::Edit;
pub use export::Export;
pub(crate) use export::Recording;
pub(crate) use history::History;
pub(crate) use open::{Kept, Open};
pub(crate) use stage::{COOKED, Projection, SOURCE, Stage, shows_bones};
pub(crate) use ui::UiState;
pub(crate) use view::View;
