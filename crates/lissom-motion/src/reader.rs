//! Reading numbers and texts from bytes that may come from anywhere.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use alloc::vec::Vec;
use lissom::track::Repeat;

/// Bytes that are not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {reason}")]
pub struct FormatError {
    /// Where.
    pub offset: usize,
    /// What is wrong.
    pub reason: &'static str,
}

pub(crate) type Result<T> = core::result::Result<T, FormatError>;

pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) fn wrong(&self, reason: &'static str) -> FormatError {
        FormatError { offset: self.at, reason }
    }

    pub(crate) fn check(&self, holds: bool, reason: &'static str) -> Result<()> {
        if holds { Ok(()) } else { Err(self.wrong(reason)) }
    }

    fn left(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let Some(found) = self.left().first_chunk::<N>() else {
            return Err(self.wrong("the bytes end here"));
        };
        self.at = self.at.saturating_add(N);
        Ok(*found)
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn i32(&mut self) -> Result<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub(crate) fn bool(&mut self) -> Result<bool> {
        let byte = self.u8()?;
        self.check(byte <= 1, "neither 0 nor 1")?;
        Ok(byte == 1)
    }

    pub(crate) fn f32(&mut self) -> Result<f32> {
        let value = f32::from_le_bytes(self.array()?);
        self.check(value.is_finite(), "not finite")?;
        Ok(value)
    }

    pub(crate) fn f64(&mut self) -> Result<f64> {
        let value = f64::from_le_bytes(self.array()?);
        self.check(value.is_finite(), "not finite")?;
        Ok(value)
    }

    pub(crate) fn repeat(&self, code: u32) -> Result<Repeat> {
        match code {
            0 => Ok(Repeat::Once),
            1 => Ok(Repeat::Loop),
            2 => Ok(Repeat::PingPong),
            _ => Err(self.wrong("no way to repeat")),
        }
    }

    /// A text of at most this number of bytes; its length stands before it.
    pub(crate) fn text(&mut self, most: usize) -> Result<&'a str> {
        let length = usize::try_from(self.u32()?).unwrap_or(usize::MAX);
        self.check(length <= most, "a text that is too long")?;
        let Some(bytes) = self.left().get(..length) else { return Err(self.wrong("the bytes end here")) };
        let Ok(text) = core::str::from_utf8(bytes) else { return Err(self.wrong("not UTF-8")) };
        self.at = self.at.saturating_add(length);
        Ok(text)
    }

    /// A list of things of at least `each` bytes.
    pub(crate) fn list<T>(
        &mut self,
        most: usize,
        each: usize,
        read: impl Fn(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let count = self.count(most, each)?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }

    /// A count of things of at least `each` bytes: there are as many bytes left, so that memory for them may be reserved.
    pub(crate) fn count(&mut self, most: usize, each: usize) -> Result<usize> {
        let count = usize::try_from(self.u32()?).unwrap_or(usize::MAX);
        self.check(count <= most, "more than there may be")?;
        self.check(count.saturating_mul(each) <= self.left().len(), "the bytes end before the list")?;
        Ok(count)
    }

    /// So many 16-bit numbers.
    pub(crate) fn numbers(&mut self, count: usize) -> Result<Vec<i16>> {
        let bytes = self.bytes(count.saturating_mul(2))?;
        Ok(bytes.as_chunks::<2>().0.iter().map(|two| i16::from_le_bytes(*two)).collect())
    }

    /// Seven bits per byte, the lowest first; the highest bit says that more follow. A number is written in one way: the last byte of
    /// several is not zero.
    pub(crate) fn number(&mut self) -> Result<usize> {
        let (mut number, mut shift) = (0_u64, 0_u32);
        loop {
            let byte = self.u8()?;
            self.check(shift <= 28, "a number that is too long")?;
            self.check(byte != 0 || shift == 0, "a number with a byte too many")?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(usize::try_from(number).unwrap_or(usize::MAX));
            }
            shift = shift.saturating_add(7);
        }
    }

    /// So many bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let Some(bytes) = self.left().get(..count) else { return Err(self.wrong("the bytes end here")) };
        self.at = self.at.saturating_add(count);
        Ok(bytes)
    }

    /// All bytes that are left.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        let left = self.left();
        self.at = self.bytes.len();
        left
    }

    /// How many bytes have been read.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// True if nothing is left.
    pub(crate) fn is_at_end(&self) -> bool {
        self.left().is_empty()
    }

    /// Refuses what is left over.
    pub(crate) fn end(&self) -> Result<()> {
        self.check(self.left().is_empty(), "bytes after the end")
    }
}
