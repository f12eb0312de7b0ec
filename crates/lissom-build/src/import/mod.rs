//! Readers of other people's files. Whatever the bytes are, the answer is a value or an [`ImportError`] that
//! says where and why: nothing panics, and nothing is reserved that the bytes could not fill.

mod bytes;
mod error;
pub mod ozz;
pub mod rawclip;

pub use error::{ImportError, Place};
