//! Clips as values: owned or borrowed bytes, checked once.

use super::{
    error::ClipError,
    layout::{
        BlockEntry, Layout,
        format::{self, BLOCK_WORDS},
    },
    rows::format::BLOCK_ROWS,
};
use crate::SharedBytes;
use alloc::{boxed::Box, sync::Arc, vec, vec::Vec};

/// A motion, cooked and checked, played in place. A clone shares the bytes: a clip is given to whoever plays it.
#[derive(Clone, Debug)]
pub struct Clip(Arc<Checked>);

/// A clip's bytes, kept alive, and what was made of them once.
#[derive(Debug)]
struct Checked {
    /// Whole words at a multiple of 4.
    bytes: SharedBytes,
    layout: Layout,
}

/// Words as an owner of bytes.
struct Words(Box<[u32]>);

impl AsRef<[u8]> for Words {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

/// A borrowed [`Clip`]: bytes of an archive or a memory map, checked and played where they are.
#[derive(Clone, Copy, Debug)]
pub struct ClipView<'a> {
    pub(crate) words: &'a [u32],
    pub(crate) layout: &'a Layout,
    pub(crate) source: Source<'a>,
}

/// Where a view finds its blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    /// In the clip's own words.
    Whole,
    /// In a stream's window.
    Window(&'a dyn Blocks),
}

/// Blocks that may not be there yet.
pub(crate) trait Blocks: core::fmt::Debug + Sync {
    /// The jump frame and the stream of a block.
    fn block(&self, block: usize) -> Option<(&[u8], &[u8])>;
}

/// One block: what a jump frame and the stream after it hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockInfo {
    /// Where it starts, in seconds.
    pub time_s: f64,
    /// Keys consumed when playing starts here.
    pub keys: u64,
    /// Bytes of its stream.
    pub stream_bytes: u64,
}

impl Clip {
    /// Copies and checks the bytes of a clip; any alignment will do.
    ///
    /// # Errors
    ///
    /// Every case of [`ClipError`] but `Misaligned`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ClipError> {
        if !bytes.len().is_multiple_of(4) {
            let expected = bytes.len().next_multiple_of(4) as u64;
            return Err(ClipError::Length { expected, actual: bytes.len() as u64 });
        }
        let mut words: Vec<u32> = vec![0; bytes.len() / 4];
        for (word, four) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        }
        Self::from_words(words.into())
    }

    /// Checks the words of a clip and takes them over: no copy.
    ///
    /// # Errors
    ///
    /// Every case of [`ClipError`] but `Misaligned`.
    pub fn from_words(words: Box<[u32]>) -> Result<Self, ClipError> {
        Self::from_shared(SharedBytes::new(Words(words)))
    }

    /// Checks bytes that others own too (of an archive, of a memory map), to be played where they are. They must
    /// start at a multiple of 4 in memory.
    ///
    /// # Errors
    ///
    /// Every case of [`ClipError`].
    pub fn from_shared(bytes: SharedBytes) -> Result<Self, ClipError> {
        let layout = Layout::parse(words_of(&bytes)?, false)?;
        Ok(Self(Arc::new(Checked { bytes, layout })))
    }

    /// The clip as jobs take it.
    #[inline]
    #[must_use]
    pub fn view(&self) -> ClipView<'_> {
        let words = bytemuck::try_cast_slice(&self.0.bytes).unwrap_or_default();
        ClipView { words, layout: &self.0.layout, source: Source::Whole }
    }

    /// The bytes, as they were given.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0.bytes
    }
}

/// Bytes as the words they hold.
fn words_of(bytes: &[u8]) -> Result<&[u32], ClipError> {
    if !bytes.len().is_multiple_of(4) {
        let expected = bytes.len().next_multiple_of(4) as u64;
        return Err(ClipError::Length { expected, actual: bytes.len() as u64 });
    }
    bytemuck::try_cast_slice(bytes).map_err(|_| ClipError::Misaligned)
}

/// A borrowed clip that keeps its own checked header: what a memory map is held by.
#[derive(Clone, Debug)]
pub struct BorrowedClip<'a> {
    words: &'a [u32],
    layout: Layout,
}

impl<'a> BorrowedClip<'a> {
    /// Checks the bytes of a clip where they are. They must start at a multiple of 4 in memory.
    ///
    /// # Errors
    ///
    /// Every case of [`ClipError`].
    pub fn new(bytes: &'a [u8]) -> Result<Self, ClipError> {
        let words = words_of(bytes)?;
        Ok(Self { words, layout: Layout::parse(words, false)? })
    }

    /// The clip as jobs take it.
    #[inline]
    #[must_use]
    pub fn view(&self) -> ClipView<'_> {
        ClipView { words: self.words, layout: &self.layout, source: Source::Whole }
    }
}

impl<'a> ClipView<'a> {
    /// The clip's name; may be empty.
    #[must_use]
    pub fn name(&self) -> &'a str {
        let bytes: &[u8] = match self.layout.dense {
            Some(_) => {
                bytemuck::cast_slice::<u32, u8>(self.words).get(self.layout.name.start..).unwrap_or_default()
            }
            None => bytemuck::cast_slice(self.run(self.layout.name)),
        };
        // Checked when the clip was made.
        core::str::from_utf8(bytes.get(..self.layout.name_bytes).unwrap_or_default()).unwrap_or_default()
    }

    /// Length in seconds.
    #[inline]
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        self.layout.duration_s
    }

    /// True if the last pose is the first one again.
    #[must_use]
    pub fn is_looping(&self) -> bool {
        self.layout.is(format::FLAG_LOOPING)
    }

    /// Joints of the skeleton it was made for.
    #[inline]
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.layout.joints
    }

    /// [`Skeleton::identity`](crate::Skeleton::identity) of the skeleton it was made for.
    #[inline]
    #[must_use]
    pub fn skeleton_identity(&self) -> u64 {
        self.layout.skeleton
    }

    /// A hash of the whole clip: equal for equal bytes.
    #[inline]
    #[must_use]
    pub fn identity(&self) -> u64 {
        self.layout.identity
    }

    /// Channels that move (each a translation, rotation or scale of one joint).
    #[must_use]
    pub fn channel_count(&self) -> usize {
        self.layout.channels
    }

    /// Keys of all channels together, constants not counted.
    #[must_use]
    pub fn key_count(&self) -> u64 {
        self.layout.keys
    }

    /// Channels that hold one value throughout and differ from the rest pose.
    #[must_use]
    pub fn constant_count(&self) -> usize {
        self.layout.const_lanes.iter().sum()
    }

    /// How many distinct times keys stand at.
    #[must_use]
    pub fn row_count(&self) -> u32 {
        self.layout.rows
    }

    /// How many blocks: one more than the jump frames after time 0.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.layout.blocks
    }

    /// Facts about a block; `None` if there is no such block.
    #[must_use]
    pub fn block(&self, block: usize) -> Option<BlockInfo> {
        if block >= self.layout.blocks {
            return None;
        }
        if let Some(tables) = &self.layout.dense {
            let first = block as u32 * BLOCK_ROWS;
            return Some(BlockInfo {
                time_s: f64::from(first) / self.layout.ticks_per_s,
                keys: (u64::from(first) + 2) * self.layout.channels as u64,
                stream_bytes: tables.block_len(bytemuck::cast_slice(self.words), block, self.layout.blocks)
                    as u64,
            });
        }
        let e = self.block_entry(block);
        Some(BlockInfo {
            time_s: f64::from(self.tick(e.first_row)) / self.layout.ticks_per_s,
            keys: e.keys,
            stream_bytes: e.stream_end() - e.stream_byte,
        })
    }

    /// Bytes that playing needs, everything included.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.words.len() * 4
    }

    /// Bytes of the jump frames.
    #[must_use]
    pub fn jump_bytes(&self) -> usize {
        self.layout.state_bytes
    }

    /// Bytes of the key stream.
    #[must_use]
    pub fn stream_bytes(&self) -> usize {
        self.layout.stream_bytes
    }

    /// The clip's tables: everything before the jump frames. What a stream file starts with.
    #[must_use]
    pub fn head_bytes(&self) -> &'a [u8] {
        let words = self.layout.dense.map_or(self.layout.states.start, |tables| tables.blocks_at / 4);
        bytemuck::cast_slice(self.words.get(..words).unwrap_or_default())
    }

    /// The jump frame and the stream of a block, as stored; empty if there is no such block.
    #[must_use]
    pub fn stored_block(&self, block: usize) -> (&'a [u8], &'a [u8]) {
        if block >= self.layout.blocks {
            return (&[], &[]);
        }
        if self.layout.dense.is_some() {
            return (&[], self.dense_block(block).unwrap_or_default());
        }
        let Some((state, stream)) = self.block_bytes(block) else { return (&[], &[]) };
        let e = self.block_entry(block);
        let next = (block + 1 < self.layout.blocks).then(|| self.block_entry(block + 1).state_byte as usize);
        let state_len = next.unwrap_or(self.layout.state_bytes).saturating_sub(e.state_byte as usize);
        let stream_len = e.stream_bits.div_ceil(8) as usize;
        (state.get(..state_len).unwrap_or(state), stream.get(..stream_len).unwrap_or(stream))
    }

    #[inline(always)]
    pub(crate) fn run(&self, run: super::layout::Run) -> &'a [u32] {
        self.words.get(run.start..run.start + run.len).unwrap_or_default()
    }

    pub(crate) fn block_entry(&self, block: usize) -> BlockEntry {
        let at = self.layout.block_table.start + block * BLOCK_WORDS;
        BlockEntry::unpack(&self.words[at..at + BLOCK_WORDS])
    }

    /// The jump frame and the stream of a block; `None` if a stream does not have it.
    #[inline]
    pub(crate) fn block_bytes(&self, block: usize) -> Option<(&'a [u8], &'a [u8])> {
        match self.source {
            Source::Window(blocks) => blocks.block(block),
            Source::Whole => {
                let e = self.block_entry(block);
                let states: &[u8] = bytemuck::cast_slice(self.run(self.layout.states));
                let stream: &[u8] = bytemuck::cast_slice(self.run(self.layout.stream));
                Some((states.get(e.state_byte as usize..)?, stream.get(e.stream_byte as usize..)?))
            }
        }
    }

    /// The bytes of a dense clip's block and the jump frame after it; `None` if a stream does not have it.
    #[inline]
    pub(crate) fn dense_block(&self, block: usize) -> Option<&'a [u8]> {
        match self.source {
            Source::Window(blocks) => blocks.block(block).map(|(_, bytes)| bytes),
            Source::Whole => {
                let tables = self.layout.dense.as_ref()?;
                Some(tables.block(bytemuck::cast_slice(self.words), block, self.layout.blocks))
            }
        }
    }

    /// The last row: where the clip ends.
    #[inline(always)]
    pub(crate) fn last_row(&self) -> u32 {
        self.layout.rows - 1
    }

    /// The tick of a row; rows past the end are at the end.
    #[inline(always)]
    pub(crate) fn tick(&self, row: u32) -> u32 {
        let row = if row > self.last_row() { self.last_row() } else { row };
        if self.layout.is(format::FLAG_LISTED) { self.run(self.layout.ticks)[row as usize] } else { row }
    }

    /// The last row at or before a tick, looked for near `hint`.
    #[inline]
    pub(crate) fn row_of_tick(&self, tick: u32, hint: u32) -> u32 {
        if !self.layout.is(format::FLAG_LISTED) {
            return if tick > self.last_row() { self.last_row() } else { tick };
        }
        let ticks = self.run(self.layout.ticks);
        let here = hint as usize;
        if let (Some(a), Some(b)) = (ticks.get(here), ticks.get(here + 1))
            && *a <= tick
            && tick < *b
        {
            return hint;
        }
        // The first tick is 0, so there is always a row before.
        (ticks.partition_point(|t| *t <= tick) - 1) as u32
    }
}
