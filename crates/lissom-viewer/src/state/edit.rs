//! What can be undone.

use crate::{drive::Strip, retargeted::Corrections, shown::Place};
use lissom_motion::GraphParts;

/// A change; doing it gives the change that takes it back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    /// A clip of the mix.
    Mix(usize, Strip),
    /// The weight of a mesh's morph target; `None`: as the clip has it.
    Morph(usize, usize, Option<f32>),
    /// Numbers of the graph.
    Graph(Box<GraphParts>),
    /// Which joints are which bones: the motions are brought over again.
    Bones(Box<Corrections>),
    /// Something in the world gets another parent, or none.
    Under(usize, Option<usize>),
    /// The same, exactly where it was.
    Back(usize, Place),
}

impl Edit {
    /// True if both change the same thing: while the mouse holds it, they are one.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mix(a, _), Self::Mix(b, _)) => a == b,
            (Self::Morph(a, b, _), Self::Morph(c, d, _)) => (a, b) == (c, d),
            (Self::Graph(_), Self::Graph(_)) => true,
            _ => false,
        }
    }

    /// True if it is about the open document.
    pub fn is_of_document(&self) -> bool {
        self.is_of_driver() || matches!(self, Self::Bones(_) | Self::Morph(..))
    }

    /// True if it is about what plays the document's clips.
    pub fn is_of_driver(&self) -> bool {
        matches!(self, Self::Mix(..) | Self::Graph(_))
    }

    /// What is changed.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Mix(..) => "mix",
            Self::Morph(..) => "morph target",
            Self::Graph(_) => "graph",
            Self::Bones(_) => "bones",
            Self::Under(..) | Self::Back(..) => "parent",
        }
    }
}
