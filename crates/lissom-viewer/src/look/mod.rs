//! How panels look: colours, sizes of text, icons.

mod gauge;
mod icons;
mod theme;

pub(crate) use gauge::gauge;
pub(crate) use icons::{Icon, button, choice, label, small_button};
pub use theme::dress;
pub(crate) use theme::{Palette, of, palette};
