//! A cursor over untrusted bytes: every read says what it wanted and where.

use super::{ImportError, Place};

/// Bytes, the position in them, and their byte order.
pub(super) struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
    big_endian: bool,
}

type Result<T> = core::result::Result<T, ImportError>;

impl<'a> Bytes<'a> {
    pub(super) fn new(all: &'a [u8], big_endian: bool) -> Self {
        Self { all, at: 0, big_endian }
    }

    pub(super) fn set_big_endian(&mut self, big_endian: bool) {
        self.big_endian = big_endian;
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.all.get(self.at..).unwrap_or_default()
    }

    pub(super) fn place(&self) -> Place {
        Place::Byte(self.at as u64)
    }

    pub(super) fn fail(&self, reason: impl Into<String>) -> ImportError {
        ImportError::Format { place: self.place(), reason: reason.into() }
    }

    pub(super) fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8]> {
        let rest = self.rest();
        let Some(taken) = rest.get(..count) else {
            let (place, left) = (self.place(), rest.len() as u64);
            return Err(ImportError::Truncated { place, what, needed: count as u64, left });
        };
        self.at = self.at.saturating_add(count);
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N, what)?);
        Ok(bytes)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8> {
        let [byte] = self.array(what)?;
        Ok(byte)
    }

    pub(super) fn u16(&mut self, what: &'static str) -> Result<u16> {
        let bytes = self.array(what)?;
        Ok(if self.big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32> {
        let bytes = self.array(what)?;
        Ok(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    /// A float that is neither NaN nor infinite.
    pub(super) fn f32(&mut self, what: &'static str) -> Result<f32> {
        let place = self.place();
        let value = f32::from_bits(self.u32(what)?);
        if value.is_finite() {
            Ok(value)
        } else {
            Err(ImportError::Format { place, reason: format!("{what} is {value}, not a finite number") })
        }
    }

    pub(super) fn f32s<const N: usize>(&mut self, what: &'static str) -> Result<[f32; N]> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.f32(what)?;
        }
        Ok(values)
    }

    /// A count of things of which each takes at least `each` of the bytes that follow.
    pub(super) fn count(&mut self, each: usize, what: &'static str) -> Result<usize> {
        let count = self.u32(what)?;
        self.room_for(count, each, what)
    }

    /// Checks that `count` things of at least `each` bytes can still come.
    pub(super) fn room_for(&self, count: u32, each: usize, what: &'static str) -> Result<usize> {
        let needed = u64::from(count).saturating_mul(each as u64);
        let left = self.rest().len() as u64;
        if needed > left {
            return Err(ImportError::Truncated { place: self.place(), what, needed, left });
        }
        Ok(count as usize)
    }

    /// `count` things, each made by `read`. The count has been checked against the bytes.
    pub(super) fn many<T>(
        &mut self,
        count: usize,
        mut read: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut out = Vec::with_capacity(count);
        for _ in 0..count {
            out.push(read(self)?);
        }
        Ok(out)
    }
}
