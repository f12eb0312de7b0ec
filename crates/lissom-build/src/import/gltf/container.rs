//! The outside of the file: a `.glb` with its chunks, or bare JSON.

use super::super::{ImportError, Place};

const MAGIC: &[u8] = b"glTF";
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: u32 = u32::from_le_bytes(*b"JSON");
const BIN: u32 = u32::from_le_bytes(*b"BIN\0");

/// The JSON, and the binary chunk if there is one.
pub(crate) struct Container<'a> {
    pub(crate) json: &'a [u8],
    pub(crate) binary: Option<&'a [u8]>,
}

pub(crate) fn split(bytes: &[u8]) -> Result<Container<'_>, ImportError> {
    if !bytes.starts_with(MAGIC) {
        let first = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start().first();
        if first != Some(&b'{') {
            return Err(ImportError::NotThisFormat {
                place: Place::Byte(0),
                expected: "a glTF file (.gltf or .glb)",
            });
        }
        return Ok(Container { json: bytes, binary: None });
    }
    let version = number(bytes, 4, "the header of a .glb")?;
    if version != 2 {
        let (place, what) = (Place::Byte(4), "the .glb container".into());
        return Err(ImportError::Version { place, what, found: version, known: "version 2" });
    }
    let length = number(bytes, 8, "the header of a .glb")?;
    let Some(bytes) = bytes.get(..length as usize) else {
        let (needed, left) = (length.into(), bytes.len() as u64);
        return Err(ImportError::Truncated { place: Place::Byte(0), what: "the .glb", needed, left });
    };
    let (kind, json, next) = chunk(bytes, HEADER)?;
    if kind != JSON {
        let reason = format!("the first chunk is of type {kind:#010x}, not JSON");
        return Err(ImportError::Format { place: Place::Byte(HEADER as u64), reason });
    }
    // Chunks of other types may follow; whoever does not know them passes over them.
    let (mut at, mut binary) = (next, None);
    while binary.is_none() && at < bytes.len() {
        let (kind, data, next) = chunk(bytes, at)?;
        if kind == BIN {
            binary = Some(data);
        }
        at = next;
    }
    Ok(Container { json, binary })
}

/// The type and bytes of the chunk that starts at `at`, and where the next one starts.
fn chunk(bytes: &[u8], at: usize) -> Result<(u32, &[u8], usize), ImportError> {
    let what = "a chunk of a .glb";
    let length = number(bytes, at, what)?;
    let kind = number(bytes, at.saturating_add(4), what)?;
    let start = at.saturating_add(CHUNK_HEADER);
    let end = start.saturating_add(length as usize);
    let Some(data) = bytes.get(start..end) else {
        let left = bytes.len().saturating_sub(start) as u64;
        return Err(ImportError::Truncated {
            place: Place::Byte(at as u64),
            what,
            needed: length.into(),
            left,
        });
    };
    Ok((kind, data, end))
}

fn number(bytes: &[u8], at: usize, what: &'static str) -> Result<u32, ImportError> {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk::<4>() {
        Some(four) => Ok(u32::from_le_bytes(*four)),
        None => Err(ImportError::Truncated {
            place: Place::Byte(at as u64),
            what,
            needed: 4,
            left: rest.len() as u64,
        }),
    }
}
