//! What moves a character instead of the clip that plays: a mix of clips, or a graph.

mod directed;
mod matched;
mod mixer;
mod reach;
mod springs;

pub(crate) use directed::{Directed, of_mannequin};
pub(crate) use matched::{Asked, Jump, Matched, Now, PAST_S};
pub(crate) use mixer::{Mixer, Strip};
pub(crate) use reach::Reach;
pub(crate) use springs::Springs;
