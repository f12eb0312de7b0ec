//! Words that people write: patterns of names, typing mistakes, and how a word of a file is shown in a message.

pub(crate) mod pattern;
pub(crate) mod quote;
pub(crate) mod words;
