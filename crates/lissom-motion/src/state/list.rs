//! A short list in place.

/// At most N, the oldest first. What is not in it is not compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<T, const N: usize> {
    items: [T; N],
    len: u8,
}

impl<T: Copy + Default, const N: usize> List<T, N> {
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.items[..usize::from(self.len)]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items[..usize::from(self.len)]
    }

    pub(crate) fn is_full(&self) -> bool {
        usize::from(self.len) == N
    }

    /// Adds one at the end; false, and nothing is changed, if it is full.
    pub(crate) fn push(&mut self, item: T) -> bool {
        let Some(free) = self.items.get_mut(usize::from(self.len)) else { return false };
        *free = item;
        self.len += 1;
        true
    }

    pub(crate) fn drop_first(&mut self, count: usize) {
        let mut nth = 0;
        self.retain(|_| {
            nth += 1;
            nth > count
        });
    }

    /// Keeps the order.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let mut kept = Self::default();
        for item in self.as_slice() {
            if keep(item) {
                kept.push(*item);
            }
        }
        *self = kept;
    }
}

impl<T: Copy + Default, const N: usize> Default for List<T, N> {
    fn default() -> Self {
        Self { items: [T::default(); N], len: 0 }
    }
}

impl<T: Copy + Default + PartialEq, const N: usize> PartialEq for List<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}
