//! What decides the pose: the clip that plays, a mix of clips, or a graph.

mod directed;
mod mixer;
mod reach;
mod springs;

pub(crate) use directed::{Directed, of_mannequin};
pub(crate) use mixer::{Mixer, Strip};
pub(crate) use reach::Reach;
pub(crate) use springs::Springs;

/// Who decides.
#[derive(Default)]
pub(crate) enum Driver {
    /// The document's player.
    #[default]
    Clip,
    /// Weights that the user sets.
    Mix(Box<Mixer>),
    /// A graph, by parameters that the user sets.
    Graph(Box<Directed>),
}
