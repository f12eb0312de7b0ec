//! Matrices as caches have them.

use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};
use lissom::math::{Mat4, soa::Lanes};

/// A list of matrices, each of them one line of the cache: they are written whole, and in no other order.
#[derive(Clone, Debug, Default)]
pub(super) struct Matrices(Vec<Lanes>);

impl Matrices {
    /// New ones are the identity.
    pub fn resize(&mut self, len: usize) {
        self.0.resize(len, Lanes(Mat4::IDENTITY.to_cols_array()));
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Deref for Matrices {
    type Target = [Mat4];

    fn deref(&self) -> &[Mat4] {
        bytemuck::cast_slice(&self.0)
    }
}

impl DerefMut for Matrices {
    fn deref_mut(&mut self) -> &mut [Mat4] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}
