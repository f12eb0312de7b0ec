//! Undo and redo: edits, and what takes them back.

use super::edit::Edit;

/// Edits that can be taken back, and those that can be done again.
#[derive(Default)]
pub(crate) struct History {
    back: Vec<Edit>,
    forth: Vec<Edit>,
    /// True while the mouse holds what it changes: all of that is one edit.
    held: bool,
}

/// Edits that are remembered.
const MOST: usize = 200;

impl History {
    /// An edit was done that this one takes back.
    pub fn did(&mut self, inverse: Edit) {
        self.forth.clear();
        // The first inverse of a drag leads back to its start.
        if !(self.held && self.back.last().is_some_and(|last| last.is_like(&inverse))) {
            self.back.push(inverse);
        }
        if self.back.len() > MOST {
            self.back.remove(0);
        }
        self.held = true;
    }

    /// Nothing is held any more: what comes next is an edit of its own.
    pub fn let_go(&mut self) {
        self.held = false;
    }

    pub fn can_undo(&self) -> Option<&'static str> {
        self.back.last().map(Edit::name)
    }

    pub fn can_redo(&self) -> Option<&'static str> {
        self.forth.last().map(Edit::name)
    }

    /// Takes the last edit back with `apply`, which gives the inverse of what it did.
    pub fn undo<E>(&mut self, apply: impl FnOnce(Edit) -> Result<Edit, E>) -> Result<(), E> {
        let Self { back, forth, .. } = self;
        turn(back, forth, apply)
    }

    /// Does again what was taken back.
    pub fn redo<E>(&mut self, apply: impl FnOnce(Edit) -> Result<Edit, E>) -> Result<(), E> {
        let Self { back, forth, .. } = self;
        turn(forth, back, apply)
    }

    /// Another document is open: what was done to the one before is past.
    pub fn forget_document(&mut self) {
        self.back.retain(|edit| !edit.is_of_document());
        self.forth.retain(|edit| !edit.is_of_document());
        self.held = false;
    }

    /// The same document was opened again: what played it is past, what it was made with is not.
    pub fn forget_driver(&mut self) {
        self.back.retain(|edit| !edit.is_of_driver());
        self.forth.retain(|edit| !edit.is_of_driver());
        self.held = false;
    }
}

fn turn<E>(
    from: &mut Vec<Edit>,
    to: &mut Vec<Edit>,
    apply: impl FnOnce(Edit) -> Result<Edit, E>,
) -> Result<(), E> {
    if let Some(edit) = from.pop() {
        to.push(apply(edit)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::Strip;

    fn strip(weight: f32) -> Strip {
        Strip { weight, ..Strip::default() }
    }

    /// A mix of two clips.
    struct Mix {
        history: History,
        strips: [Strip; 2],
    }

    impl Mix {
        fn swap(strips: &mut [Strip; 2], edit: Edit) -> Result<Edit, ()> {
            let Edit::Mix(index, to) = edit else { return Err(()) };
            Ok(Edit::Mix(index, std::mem::replace(&mut strips[index], to)))
        }

        fn set(&mut self, index: usize, weight: f32) {
            let inverse = Self::swap(&mut self.strips, Edit::Mix(index, strip(weight))).unwrap();
            self.history.did(inverse);
        }

        fn undo(&mut self) -> [f32; 2] {
            self.history.undo(|edit| Self::swap(&mut self.strips, edit)).unwrap();
            self.strips.map(|s| s.weight)
        }

        fn redo(&mut self) -> [f32; 2] {
            self.history.redo(|edit| Self::swap(&mut self.strips, edit)).unwrap();
            self.strips.map(|s| s.weight)
        }
    }

    #[test]
    fn a_drag_is_one_edit_and_two_clicks_are_two() {
        let mut mix = Mix { history: History::default(), strips: [strip(0.0); 2] };
        for weight in [0.1, 0.2, 0.3] {
            mix.set(0, weight);
        }
        mix.history.let_go();
        mix.set(0, 0.5);
        mix.history.let_go();
        mix.set(1, 1.0);
        assert_eq!(mix.undo(), [0.5, 0.0]);
        assert_eq!(mix.undo(), [0.3, 0.0]);
        assert_eq!(mix.undo(), [0.0, 0.0]);
        assert_eq!(mix.undo(), [0.0, 0.0], "there is no more");
        assert_eq!((mix.redo(), mix.redo()), ([0.3, 0.0], [0.5, 0.0]));
        // Whoever goes another way leaves what was undone.
        mix.history.let_go();
        mix.set(1, 0.7);
        assert_eq!((mix.redo(), mix.history.can_redo()), ([0.5, 0.7], None));
        mix.history.forget_document();
        assert_eq!(mix.history.can_undo(), None);
    }
}
