//! A clip's checked contents: the head, and the tables of one of the two forms.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use super::{
    error::ClipError,
    header::{self, Head, long_at, word, word_at},
    keys, rows,
};

/// The tables of a clip, by its form.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "made once a clip and kept behind its Arc")]
pub(crate) enum FormTables {
    Keys(keys::Layout),
    Rows(rows::Tables),
}

/// What was made of a clip's bytes when they were checked: plain numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contents {
    pub head: Head,
    pub tables: FormTables,
}

impl Contents {
    /// Checks everything that playing relies on. `cut` are the bytes of a clip up to its first jump frame:
    /// what a stream has before its first block arrives; their checksum is the caller's business.
    pub fn parse(words: &[u32], cut: bool) -> Result<Self, ClipError> {
        let length =
            |expected: u64| ClipError::Length { expected, actual: (words.len() as u64).saturating_mul(4) };
        // The shorter of the two headers.
        let Some(header) = words.first_chunk::<{ rows::format::HEADER_WORDS }>() else {
            return Err(length(const { rows::format::HEADER_WORDS as u64 * 4 }));
        };
        if header[word::MAGIC] != header::MAGIC {
            return Err(ClipError::Magic { found: header[word::MAGIC] });
        }
        let version = header[word::VERSION_FLAGS] as u16;
        if version != keys::format::VERSION && version != rows::format::VERSION {
            return Err(ClipError::Version { found: version, known: rows::format::VERSION });
        }
        let total = word_at(header, word::TOTAL_WORDS);
        if total as usize != words.len() && !cut {
            return Err(length(u64::from(total).saturating_mul(4)));
        }
        let identity = long_at(header, word::IDENTITY);
        let found = if cut { identity } else { header::checksum(words) };
        if identity != found {
            return Err(ClipError::Checksum { expected: identity, found });
        }
        Ok(if version == rows::format::VERSION {
            let (head, tables) = rows::Tables::parse(words, cut)?;
            Self { head, tables: FormTables::Rows(tables) }
        } else {
            let (head, layout) = keys::Layout::parse(words, cut)?;
            Self { head, tables: FormTables::Keys(layout) }
        })
    }
}
