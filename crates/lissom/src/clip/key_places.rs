//! Where the keys of a clip stand: for tools that take clips apart.

use super::{
    error::MissingBlock,
    keys, rows,
    view::{ClipView, Form},
};
use core::ops::ControlFlow;

/// A channel of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChannelKind {
    /// Where it is.
    Translation,
    /// How it is turned.
    Rotation,
    /// How large it is.
    Scale,
}

impl ChannelKind {
    pub(super) const ALL: [Self; 3] = [Self::Translation, Self::Rotation, Self::Scale];
}

/// What a channel does from one key to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyCurve {
    /// It stays.
    Step,
    /// It goes straight; rotations are normalised.
    Linear,
    /// The cubic whose slopes follow from the neighbouring keys, one-sided at the ends.
    Cubic,
}

/// A key of a channel that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPlace {
    /// In the skeleton's order.
    pub joint: usize,
    /// Of which channel.
    pub kind: ChannelKind,
    /// What the whole channel does between keys.
    pub curve: KeyCurve,
    /// When: see [`ClipView::row_time_s`].
    pub row: u32,
}

impl ClipView<'_> {
    /// Tells of every key of every channel that moves, until the answer is to break. Rows of one channel rise. A pose
    /// at the time of a row has the key's own value.
    ///
    /// A few bytes can stand for very many keys: whoever collects them counts.
    ///
    /// # Errors
    ///
    /// [`MissingBlock`] if the clip is a stream that does not have all blocks.
    pub fn visit_keys(&self, visit: &mut dyn FnMut(KeyPlace) -> ControlFlow<()>) -> Result<(), MissingBlock> {
        match self.form() {
            Form::Keys(clip) => keys::visit_keys(&clip, visit),
            Form::Rows(clip) => {
                rows::visit_keys(&clip, visit);
                Ok(())
            }
        }
    }
}
