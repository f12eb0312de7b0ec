//! As much of ZIP as NumPy writes: members that are stored or deflated, sizes of 32 or 64 bits.

use crate::import::{ImportError, Place, budget::Budget, bytes::Bytes};
use std::collections::BTreeMap;

/// Members that are listed at most.
const MOST_MEMBERS: usize = 4096;
/// Bytes that the end of the list and its comment may take.
const END: usize = 22 + 0xffff;

/// A member, as the list at the end of the file has it.
#[derive(Clone, Copy, Debug)]
struct Member {
    method: u16,
    packed: u64,
    size: u64,
    header: u64,
}

/// The members by name, without `.npy`.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    members: BTreeMap<String, Member>,
}

fn fail(at: usize, reason: impl Into<String>) -> ImportError {
    ImportError::Format { place: Place::Byte(at as u64), reason: reason.into() }
}

impl<'a> Archive<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, ImportError> {
        if !(bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")) {
            return Err(ImportError::NotThisFormat {
                place: Place::Byte(0),
                expected: "an .npz file (a ZIP archive)",
            });
        }
        let from = bytes.len().saturating_sub(END);
        let tail = bytes.get(from..).unwrap_or_default();
        let end = tail.windows(4).rposition(|w| w == b"PK\x05\x06");
        let end = from
            .saturating_add(end.ok_or_else(|| fail(bytes.len(), "the archive has no end: it was cut off"))?);
        let mut at = Bytes::new(bytes.get(end..).unwrap_or_default(), false);
        at.take(10, "the end of the archive")?;
        let count = usize::from(at.u16("the count of members")?);
        at.take(4, "the end of the archive")?;
        let list = at.u32("the place of the list")? as usize;
        at.take(2, "the end of the archive")?;
        let mut out = Self { bytes, members: BTreeMap::new() };
        let mut list = Bytes::new(bytes.get(list..end).unwrap_or_default(), false);
        // A count of 16 bits says nothing about larger ones: the list ends where it ends.
        for _ in 0..if count == 0xffff { MOST_MEMBERS } else { count.min(MOST_MEMBERS) } {
            if !list.rest().starts_with(b"PK\x01\x02") {
                break;
            }
            out.member(&mut list)?;
        }
        Ok(out)
    }

    fn member(&mut self, list: &mut Bytes<'_>) -> Result<(), ImportError> {
        const WHAT: &str = "a member of the list";
        list.take(10, WHAT)?;
        let method = list.u16(WHAT)?;
        list.take(8, WHAT)?;
        let mut member =
            Member { method, packed: list.u32(WHAT)?.into(), size: list.u32(WHAT)?.into(), header: 0 };
        let lengths = [list.u16(WHAT)?, list.u16(WHAT)?, list.u16(WHAT)?].map(usize::from);
        list.take(8, WHAT)?;
        member.header = list.u32(WHAT)?.into();
        let [name, extra, comment] = lengths;
        let name = String::from_utf8_lossy(list.take(name, WHAT)?).into_owned();
        let extra = list.take(extra, WHAT)?;
        list.take(comment, WHAT)?;
        member.widen(extra)?;
        let name = name.strip_suffix(".npy").map(str::to_owned).unwrap_or(name);
        self.members.entry(name).or_insert(member);
        Ok(())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    /// The names, for a message.
    pub(super) fn listed(&self) -> String {
        let names: Vec<String> = self.members.keys().take(12).map(|n| n.chars().take(40).collect()).collect();
        if names.is_empty() { "nothing".into() } else { names.join(", ") }
    }

    /// The bytes of a member.
    pub(super) fn bytes(&self, name: &str, budget: &mut Budget) -> Result<Vec<u8>, ImportError> {
        self.unpack(name, budget).map_err(|error| match error {
            error @ ImportError::Truncated { .. } => super::wrong(name, error.to_string()),
            error => error,
        })
    }

    fn unpack(&self, name: &str, budget: &mut Budget) -> Result<Vec<u8>, ImportError> {
        let place = || Place::Path(name.to_owned());
        let wrong = |reason: &str| ImportError::Format { place: place(), reason: reason.into() };
        let member = self.members.get(name).ok_or_else(|| wrong("there is no such member"))?;
        let start = usize::try_from(member.header).unwrap_or(usize::MAX);
        let mut header = Bytes::new(self.bytes.get(start..).unwrap_or_default(), false);
        if !header.rest().starts_with(b"PK\x03\x04") {
            return Err(wrong("the list of the archive leads to no member"));
        }
        header.take(26, "a member's header")?;
        let lengths = [header.u16("a name's length")?, header.u16("a length")?].map(usize::from);
        for length in lengths {
            header.take(length, "a member's header")?;
        }
        let packed = usize::try_from(member.packed).unwrap_or(usize::MAX);
        let packed = header.take(packed, "a member")?;
        // Its size is a claim of the file's.
        budget.take(member.size, 1, place)?;
        let size = usize::try_from(member.size).unwrap_or(usize::MAX);
        match member.method {
            0 if packed.len() == size => Ok(packed.to_vec()),
            0 => Err(wrong("it is stored in another length than the list says")),
            8 => miniz_oxide::inflate::decompress_to_vec_with_limit(packed, size)
                .ok()
                .filter(|bytes| bytes.len() == size)
                .ok_or_else(|| wrong("it cannot be unpacked: its bytes are damaged")),
            _ => Err(wrong("it is packed in a way that NumPy does not write")),
        }
    }
}

impl Member {
    /// Numbers that need 64 bits stand behind.
    fn widen(&mut self, extra: &[u8]) -> Result<(), ImportError> {
        const WHAT: &str = "a large member's sizes";
        let mut at = Bytes::new(extra, false);
        while at.rest().len() >= 4 {
            let (kind, length) = (at.u16(WHAT)?, at.u16(WHAT)?);
            let mut own = Bytes::new(at.take(usize::from(length), WHAT)?, false);
            if kind != 1 {
                continue;
            }
            for number in [&mut self.size, &mut self.packed, &mut self.header] {
                if *number == u64::from(u32::MAX) {
                    let (low, high) = (own.u32(WHAT)?, own.u32(WHAT)?);
                    *number = u64::from(low) | u64::from(high) << 32;
                }
            }
        }
        Ok(())
    }
}
