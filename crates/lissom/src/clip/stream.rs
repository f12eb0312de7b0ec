//! Playing a clip that is not all there: blocks come in, a bounded window of them is kept.
//!
//! A stream file is a *preamble* (directory and the clip's tables) and one compressed, checksummed piece a
//! block; `FORMAT.md` has the bytes. [`ClipStream`] holds no source: it says what it wants
//! ([`ClipStream::wanted`]), takes what it is given ([`ClipStream::supply`]) and plays what it has. So it works
//! from a file, a memory map, a socket or an async runtime alike; [`StreamPlayer`](super::StreamPlayer) and
//! [`StreamFeed`](super::StreamFeed) are the usual two ways to drive it.

use super::{
    Cursor,
    error::ClipError,
    layout::Layout,
    view::{Blocks, ClipView, Source},
};
use crate::{
    Skeleton,
    job::{JobError, JointLod, SampleJob, SampleTime},
};
use alloc::{boxed::Box, vec, vec::Vec};
use lissom_math::soa::SoaTransform;

/// The numbers of the stream format.
pub mod stream_format {
    /// The first four bytes.
    pub const MAGIC: [u8; 4] = *b"LCST";
    /// The version that this library reads and writes.
    pub const VERSION: u16 = 1;
    /// Bytes before the directory.
    pub const FIXED_BYTES: usize = 16;
    /// Bytes of a directory entry.
    pub const ENTRY_BYTES: usize = 24;
}

use stream_format::{ENTRY_BYTES, FIXED_BYTES};

/// How the pieces of a stream are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Codec {
    /// Not at all.
    None,
    /// LZ4 blocks: pure Rust, the default.
    Lz4,
    /// Zstandard; needs the feature `zstd`.
    Zstd,
    /// Gzip; needs the feature `gzip`.
    Gzip,
}

/// What is wrong with a stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// Not a stream file.
    #[error("not a clip stream: it starts with {found:?}")]
    Magic {
        /// The first four bytes.
        found: [u8; 4],
    },
    /// A version or codec that this build does not read.
    #[error("byte {offset}: {field} {value} is not supported by this build")]
    Unsupported {
        /// Where.
        offset: u64,
        /// Which field.
        field: &'static str,
        /// Its value.
        value: u32,
    },
    /// The preamble is shorter than it says.
    #[error("the preamble needs {needed} bytes, there are {given}")]
    Short {
        /// Bytes it needs.
        needed: u64,
        /// Bytes given.
        given: u64,
    },
    /// The preamble's checksum does not fit.
    #[error("the preamble is damaged: its checksum is {found:#010x}, not {expected:#010x}")]
    Preamble {
        /// What the file says.
        expected: u32,
        /// What the bytes give.
        found: u32,
    },
    /// A directory entry points nowhere.
    #[error("byte {offset}: the directory entry of block {block} cannot be")]
    Directory {
        /// Where.
        offset: u64,
        /// The block.
        block: usize,
    },
    /// The clip's tables are wrong.
    #[error("the clip's tables: {0}")]
    Clip(#[from] ClipError),
    /// The window cannot hold the largest block.
    #[error("a window of {window} bytes cannot hold block {block}, which needs {needed}")]
    Window {
        /// Bytes of the window.
        window: usize,
        /// The block.
        block: usize,
        /// Bytes it needs.
        needed: usize,
    },
    /// A block's bytes do not fit its checksum or its size. It is skipped from now on.
    #[error("block {block} at byte {offset} is damaged")]
    Damaged {
        /// The block.
        block: usize,
        /// Where it is in the file.
        offset: u64,
    },
    /// A block that was not asked for, or with another length.
    #[error("block {block} was not asked for, or not with {given} bytes")]
    NotWanted {
        /// The block.
        block: usize,
        /// Bytes given.
        given: usize,
    },
}

/// A piece of the file that the stream would like next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The block.
    pub block: usize,
    /// Where it starts in the file.
    pub offset: u64,
    /// Its bytes in the file.
    pub len: usize,
}

/// How a sample of a stream went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Played {
    /// The pose was written.
    Pose,
    /// The block is not there yet: the output holds the last pose.
    Late {
        /// The block that is missing.
        block: usize,
    },
    /// The block is damaged: the output holds the last pose until the next block.
    Damaged {
        /// The block that is damaged.
        block: usize,
        /// When playing goes on, in seconds; `None` if nothing good follows.
        resumes_s: Option<f64>,
    },
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    offset: u64,
    stored: usize,
    state: usize,
    stream: usize,
    crc: u32,
}

/// A clip that plays from a window of its blocks.
#[derive(Debug)]
pub struct ClipStream {
    head: Box<[u32]>,
    layout: Layout,
    codec: Codec,
    directory: Box<[Entry]>,
    window: Window,
    /// The block being played, and whether time runs backward.
    here: usize,
    backward: bool,
}

/// The blocks that are there.
#[derive(Debug)]
struct Window {
    limit: usize,
    used: usize,
    /// Where each block is in `slots`; `NOWHERE` or `BROKEN`.
    slot_of: Box<[u32]>,
    slots: Vec<Slot>,
    /// Slots whose block was dropped; their memory is used again.
    free: Vec<u32>,
}

#[derive(Debug, Default)]
struct Slot {
    bytes: Vec<u8>,
    state: usize,
}

const NOWHERE: u32 = u32::MAX;
const BROKEN: u32 = u32::MAX - 1;

/// Blocks ahead of the play head that are asked for. Far more than a window holds, but blocks without a byte fill no
/// window, and a file can have millions of them.
const AHEAD: usize = 1024;

impl Blocks for Window {
    fn block(&self, block: usize) -> Option<(&[u8], &[u8])> {
        let slot = self.slots.get(*self.slot_of.get(block)? as usize)?;
        slot.bytes.split_at_checked(slot.state)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let four = bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
    u32::from_le_bytes(four.unwrap_or_default())
}

impl ClipStream {
    /// How long the preamble is, from the first 16 bytes of the file.
    ///
    /// # Errors
    ///
    /// `Short`, `Magic`, `Unsupported`.
    pub fn preamble_len(first: &[u8]) -> Result<u64, StreamError> {
        let Some(fixed) = first.get(..FIXED_BYTES) else {
            return Err(StreamError::Short { needed: FIXED_BYTES as u64, given: first.len() as u64 });
        };
        if fixed[..4] != stream_format::MAGIC {
            return Err(StreamError::Magic { found: [fixed[0], fixed[1], fixed[2], fixed[3]] });
        }
        let version = u16::from_le_bytes([fixed[4], fixed[5]]);
        if version != stream_format::VERSION {
            return Err(StreamError::Unsupported { offset: 4, field: "version", value: version.into() });
        }
        let (head, blocks) = (u64::from(u32_at(fixed, 8)), u64::from(u32_at(fixed, 12)));
        Ok(FIXED_BYTES as u64 + blocks * ENTRY_BYTES as u64 + head + 4)
    }

    /// Opens a stream from its preamble. At most `window_bytes` of blocks are kept in memory.
    ///
    /// # Errors
    ///
    /// Every case of [`StreamError`] but `Damaged` and `NotWanted`.
    pub fn open(preamble: &[u8], window_bytes: usize) -> Result<Self, StreamError> {
        let needed = Self::preamble_len(preamble)?;
        let given = preamble.len() as u64;
        if given < needed {
            return Err(StreamError::Short { needed, given });
        }
        let body = &preamble[..needed as usize - 4];
        let (expected, found) = (u32_at(preamble, body.len()), crc32fast::hash(body));
        if expected != found {
            return Err(StreamError::Preamble { expected, found });
        }
        let codec = Codec::from_byte(body[6])?;
        let blocks = u32_at(body, 12) as usize;
        let (entries, head) = body[FIXED_BYTES..].split_at(blocks * ENTRY_BYTES);
        let head: Box<[u32]> =
            head.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let layout = Layout::parse(&head, true)?;
        if layout.blocks != blocks {
            return Err(StreamError::Directory { offset: 12, block: blocks });
        }
        let mut directory = Vec::with_capacity(blocks);
        for (block, e) in entries.chunks_exact(ENTRY_BYTES).enumerate() {
            let offset = u64::from(u32_at(e, 0)) | u64::from(u32_at(e, 4)) << 32;
            let [stored, state, stream] = [8, 12, 16].map(|at| u32_at(e, at) as usize);
            let entry = Entry { offset, stored, state, stream, crc: u32_at(e, 20) };
            let at = (FIXED_BYTES + block * ENTRY_BYTES) as u64;
            // Pieces cannot blow up beyond what a block can be, whatever the directory says.
            if offset < needed || offset.checked_add(stored as u64).is_none() {
                return Err(StreamError::Directory { offset: at, block });
            }
            let needed = state.saturating_add(stream);
            if needed > window_bytes {
                return Err(StreamError::Window { window: window_bytes, block, needed });
            }
            directory.push(entry);
        }
        let window = Window {
            limit: window_bytes,
            used: 0,
            slot_of: vec![NOWHERE; blocks].into(),
            slots: Vec::new(),
            free: Vec::new(),
        };
        Ok(Self { head, layout, codec, directory: directory.into(), window, here: 0, backward: false })
    }

    /// The clip as jobs take it. Blocks that are not there give [`JobError::BlockMissing`].
    #[must_use]
    pub fn view(&self) -> ClipView<'_> {
        ClipView { words: &self.head, layout: &self.layout, source: Source::Window(&self.window) }
    }

    /// How its blocks are compressed.
    #[must_use]
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// Bytes of blocks in memory now; never more than the window.
    #[must_use]
    pub fn window_used(&self) -> usize {
        self.window.used
    }

    /// True if a block can be played now.
    #[must_use]
    pub fn has_block(&self, block: usize) -> bool {
        self.window.slot_of.get(block).is_some_and(|s| *s < BROKEN)
    }

    /// The blocks that turned out to be damaged, in order.
    pub fn damaged(&self) -> impl Iterator<Item = usize> + '_ {
        self.window.slot_of.iter().enumerate().filter(|(_, s)| **s == BROKEN).map(|(block, _)| block)
    }

    /// How far ahead of the play head a block is; a clip that loops comes round again.
    fn distance(&self, block: usize) -> usize {
        let count = self.directory.len();
        let (from, to) = if self.backward { (block, self.here) } else { (self.here, block) };
        (count + to - from) % count
    }

    /// The block that is so far ahead of the play head.
    fn ahead(&self, distance: usize) -> usize {
        let count = self.directory.len();
        if self.backward { (self.here + count - distance) % count } else { (self.here + distance) % count }
    }

    /// The piece to fetch next: the nearest missing block ahead that the window has room for, if it is among the next
    /// thousand or so.
    #[must_use]
    pub fn wanted(&self) -> Option<Wanted> {
        let mut room = self.window.limit;
        for distance in 0..self.directory.len().min(AHEAD) {
            let block = self.ahead(distance);
            let entry = &self.directory[block];
            if self.window.slot_of[block] == BROKEN {
                continue;
            }
            // Everything nearer has its place first.
            room = room.checked_sub(entry.state + entry.stream)?;
            if !self.has_block(block) {
                return Some(Wanted { block, offset: entry.offset, len: entry.stored });
            }
        }
        None
    }

    /// Takes the bytes of a wanted piece. Blocks that are farthest from the play head make room.
    ///
    /// # Errors
    ///
    /// `NotWanted`, or `Damaged`: then the block is skipped from now on.
    pub fn supply(&mut self, block: usize, bytes: &[u8]) -> Result<(), StreamError> {
        let Some(entry) = self.directory.get(block).copied().filter(|e| e.stored == bytes.len()) else {
            return Err(StreamError::NotWanted { block, given: bytes.len() });
        };
        if self.window.slot_of[block] != NOWHERE {
            return Err(StreamError::NotWanted { block, given: bytes.len() });
        }
        let damaged = StreamError::Damaged { block, offset: entry.offset };
        let size = entry.state + entry.stream;
        if crc32fast::hash(bytes) != entry.crc {
            self.window.slot_of[block] = BROKEN;
            return Err(damaged);
        }
        let mut far = self.directory.len();
        while self.window.used + size > self.window.limit && far > 0 {
            far -= 1;
            let far = self.ahead(far);
            if self.has_block(far) {
                self.drop_block(far);
            }
        }
        let slot = match self.window.free.pop() {
            Some(slot) => slot,
            None => {
                self.window.slots.push(Slot::default());
                (self.window.slots.len() - 1) as u32
            }
        };
        let into = &mut self.window.slots[slot as usize];
        into.state = entry.state;
        into.bytes.resize(size, 0);
        if self.codec.unpack(bytes, &mut into.bytes) {
            self.window.slot_of[block] = slot;
            self.window.used += size;
            Ok(())
        } else {
            self.window.free.push(slot);
            self.window.slot_of[block] = BROKEN;
            Err(damaged)
        }
    }

    /// Notes a block as damaged.
    pub(super) fn give_up(&mut self, block: usize) {
        if self.window.slot_of.get(block) == Some(&NOWHERE) {
            self.window.slot_of[block] = BROKEN;
        }
    }

    /// Where a block is in the file.
    pub(super) fn piece(&self, block: usize) -> Option<Wanted> {
        let entry = self.directory.get(block)?;
        Some(Wanted { block, offset: entry.offset, len: entry.stored })
    }

    /// True if a block fits without dropping one that is needed before it.
    pub(super) fn has_room(&self, block: usize) -> bool {
        let nearer = |b: &usize| self.has_block(*b) && self.distance(*b) < self.distance(block);
        let size = |b: usize| self.directory[b].state + self.directory[b].stream;
        if self.window.used + size(block) <= self.window.limit {
            return true;
        }
        let held: usize = (0..self.directory.len()).filter(nearer).map(size).sum();
        held + size(block) <= self.window.limit
    }

    fn drop_block(&mut self, block: usize) {
        let slot = core::mem::replace(&mut self.window.slot_of[block], NOWHERE);
        self.window.free.push(slot);
        self.window.used -= self.window.slots[slot as usize].bytes.len();
    }

    /// The block that a time in seconds lies in.
    #[must_use]
    pub fn block_at(&self, time_s: f64) -> usize {
        let view = self.view();
        let starts_later = |b: usize| view.block(b).is_some_and(|b| b.time_s > time_s);
        let (mut low, mut high) = (0, self.directory.len());
        while high - low > 1 {
            let middle = low.midpoint(high);
            if starts_later(middle) { high = middle } else { low = middle }
        }
        low
    }

    /// Moves the play head without sampling, so that [`ClipStream::wanted`] asks for what is needed there.
    pub fn move_to(&mut self, time_s: f64) {
        let block = self.block_at(time_s);
        let step_back = block + 1 == self.here;
        if block != self.here {
            self.backward = step_back;
        }
        self.here = block;
    }

    /// Samples like a [`SampleJob`]. Where the block is missing or damaged the output is left as it was.
    ///
    /// # Errors
    ///
    /// Those of [`SampleJob`], except `BlockMissing`, which is an answer here.
    pub fn sample(
        &mut self,
        skeleton: &Skeleton,
        time: SampleTime,
        lod: Option<&JointLod>,
        cursor: &mut Cursor,
        output: &mut [SoaTransform],
    ) -> Result<Played, JobError> {
        let time_s = time.seconds(self.layout.duration_s);
        if time_s.is_finite() {
            self.move_to(time_s);
        }
        let view = self.view();
        match (SampleJob { skeleton, clip: view, time, lod, cursor, output }).run() {
            Ok(()) => Ok(Played::Pose),
            Err(JobError::BlockMissing { block }) if self.window.slot_of.get(block) == Some(&BROKEN) => {
                let good = |b: &usize| self.window.slot_of[*b] != BROKEN;
                let next = (block + 1..self.directory.len()).find(good);
                let resumes_s = next.and_then(|b| self.view().block(b)).map(|b| b.time_s);
                Ok(Played::Damaged { block, resumes_s })
            }
            Err(JobError::BlockMissing { block }) => Ok(Played::Late { block }),
            Err(other) => Err(other),
        }
    }
}

impl Codec {
    /// The byte that stands for it in a file.
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Lz4 => 1,
            Self::Zstd => 2,
            Self::Gzip => 3,
        }
    }

    fn from_byte(byte: u8) -> Result<Self, StreamError> {
        match byte {
            0 => Ok(Self::None),
            1 => Ok(Self::Lz4),
            #[cfg(feature = "zstd")]
            2 => Ok(Self::Zstd),
            #[cfg(feature = "gzip")]
            3 => Ok(Self::Gzip),
            _ => Err(StreamError::Unsupported { offset: 6, field: "codec", value: byte.into() }),
        }
    }

    /// Unpacks into exactly as many bytes as there must be.
    fn unpack(self, bytes: &[u8], out: &mut [u8]) -> bool {
        match self {
            Self::None => {
                let fits = bytes.len() == out.len();
                if fits {
                    out.copy_from_slice(bytes);
                }
                fits
            }
            Self::Lz4 => lz4_flex::block::decompress_into(bytes, out).is_ok_and(|n| n == out.len()),
            #[cfg(feature = "zstd")]
            Self::Zstd => zstd::bulk::decompress_to_buffer(bytes, out).is_ok_and(|n| n == out.len()),
            #[cfg(feature = "gzip")]
            Self::Gzip => {
                use std::io::Read;
                let mut reader = flate2::read::GzDecoder::new(bytes);
                reader.read_exact(out).is_ok() && matches!(reader.read(&mut [0]), Ok(0))
            }
            #[cfg(not(all(feature = "zstd", feature = "gzip")))]
            _ => false,
        }
    }
}
