//! Where the keys of a clip stand: for tools that take clips apart.

use super::{
    error::MissingBlock,
    key_place::KeyPlace,
    keys, rows,
    view::{ClipView, Form},
};
use core::ops::ControlFlow;

impl ClipView<'_> {
    /// Tells of every key of every channel that moves, until the answer is to break. Rows of one channel
    /// rise. A pose at the time of a row has the key's own value.
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
