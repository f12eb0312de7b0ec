//! A clip as curves, as errors, as bytes.

pub mod bytes;
pub mod curves;
pub mod deviation;
pub mod error;
