//! Bytes that many own: a memory map, a buffer, a constant of the program, and parts of them.

use alloc::sync::Arc;
use bytemuck::Pod;
use core::{
    fmt,
    marker::PhantomData,
    ops::{Deref, Range},
};

/// Bytes that are cheap to clone and kept alive by every clone: an owner and a range of it.
///
/// The owner is anything that has bytes: `Vec<u8>`, [`AlignedBytes`](crate::archive::AlignedBytes), a memory
/// map, `&'static [u8]`. It must give the same bytes at the same place for as long as it lives; one that does
/// not can make reads panic, never worse.
///
/// ```
/// use lissom::SharedBytes;
///
/// let all = SharedBytes::new(b"walk, run".to_vec());
/// let run = all.slice(6..9).unwrap();
/// drop(all);
/// assert_eq!(&*run, b"run");
/// assert!(run.slice(2..4).is_none());
/// ```
#[derive(Clone)]
pub struct SharedBytes {
    owner: Arc<dyn AsRef<[u8]> + Send + Sync>,
    range: Range<usize>,
}

impl SharedBytes {
    /// All bytes of an owner, in place.
    #[must_use]
    pub fn new(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Self {
        Self::from_arc(Arc::new(owner))
    }

    /// All bytes of an owner that is shared already, in place.
    #[must_use]
    pub fn from_arc(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Self {
        let range = 0..(*owner).as_ref().len();
        Self { owner, range }
    }

    /// A part that keeps the same owner alive; `None` if it reaches past the end.
    #[must_use]
    pub fn slice(&self, part: Range<usize>) -> Option<Self> {
        self.get(part.clone())?;
        let start = self.range.start.checked_add(part.start)?;
        let end = self.range.start.checked_add(part.end)?;
        Some(Self { owner: Arc::clone(&self.owner), range: start..end })
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        (*self.owner).as_ref().get(self.range.clone()).unwrap_or_default()
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBytes({} bytes)", self.range.len())
    }
}

/// A list of plain numbers inside of shared bytes: cheap to clone, kept alive, used in place.
#[derive(Clone, Debug)]
pub(crate) struct SharedSlice<T> {
    bytes: SharedBytes,
    of: PhantomData<T>,
}

impl<T: Pod> SharedSlice<T> {
    /// Shares a list that lies in these bytes; `None` if it does not.
    pub(crate) fn of(bytes: &SharedBytes, list: &[T]) -> Option<Self> {
        let wanted: &[u8] = bytemuck::cast_slice(list);
        let start =
            if wanted.is_empty() { 0 } else { wanted.as_ptr().addr().checked_sub(bytes.as_ptr().addr())? };
        let bytes = bytes.slice(start..start.checked_add(wanted.len())?)?;
        Some(Self { bytes, of: PhantomData })
    }
}

impl<T: Pod> Deref for SharedSlice<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // It was a list of these when it was made; an owner that has moved its bytes since gets an empty one.
        bytemuck::try_cast_slice(&self.bytes).unwrap_or_default()
    }
}
