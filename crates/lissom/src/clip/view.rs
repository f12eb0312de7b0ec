//! Clips as values: owned, shared or borrowed bytes, checked once.

use super::{
    contents::{Contents, FormTables},
    error::ClipError,
    header::Head,
    keys,
    lanes::PoseMut,
    rows,
    source::Source,
    still::{Still, StillPose, write_still},
};
use crate::{JointLod, SharedBytes};
use alloc::{boxed::Box, sync::Arc, vec, vec::Vec};
use lissom_math::{dispatch, simd::Backend, soa::SoaTransform};

/// A motion, cooked and checked, played in place. A clone shares the bytes: a clip is given to whoever plays
/// it.
#[derive(Clone, Debug)]
pub struct Clip(Arc<Checked>);

/// A clip's bytes, kept alive, and what was made of them once.
#[derive(Debug)]
struct Checked {
    /// Whole words at a multiple of 4.
    bytes: SharedBytes,
    contents: Contents,
    still: Still,
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
    words: &'a [u32],
    contents: &'a Contents,
    source: Source<'a>,
    /// What does not move; `None`: it is computed in every frame.
    still: Option<&'a Still>,
}

/// A view of one of the two forms.
pub(crate) enum Form<'a> {
    Keys(keys::View<'a>),
    Rows(rows::View<'a>),
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

    /// Checks bytes that others own too (of an archive, of a memory map), to be played where they are. They
    /// must start at a multiple of 4 in memory.
    ///
    /// # Errors
    ///
    /// Every case of [`ClipError`].
    pub fn from_shared(bytes: SharedBytes) -> Result<Self, ClipError> {
        let contents = Contents::parse(words_of(&bytes)?, false)?;
        Ok(Self(Arc::new(Checked { bytes, contents, still: Still::default() })))
    }

    /// The clip as jobs take it.
    #[inline]
    #[must_use]
    pub fn view(&self) -> ClipView<'_> {
        let words = bytemuck::try_cast_slice(&self.0.bytes).unwrap_or_default();
        ClipView { words, contents: &self.0.contents, source: Source::Whole, still: Some(&self.0.still) }
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
    contents: Contents,
    still: Still,
}

impl<'a> BorrowedClip<'a> {
    /// Checks the bytes of a clip where they are. They must start at a multiple of 4 in memory.
    ///
    /// # Errors
    ///
    /// Every case of [`ClipError`].
    pub fn new(bytes: &'a [u8]) -> Result<Self, ClipError> {
        let words = words_of(bytes)?;
        Ok(Self { words, contents: Contents::parse(words, false)?, still: Still::default() })
    }

    /// The clip as jobs take it.
    #[inline]
    #[must_use]
    pub fn view(&self) -> ClipView<'_> {
        let still = Some(&self.still);
        ClipView { words: self.words, contents: &self.contents, source: Source::Whole, still }
    }
}

impl<'a> ClipView<'a> {
    /// A view of a clip whose blocks are a stream's.
    pub(super) fn of_stream(
        words: &'a [u32],
        contents: &'a Contents,
        source: Source<'a>,
        still: &'a Still,
    ) -> Self {
        Self { words, contents, source, still: Some(still) }
    }

    /// The same clip, played without the pose of what does not move: the bits are the same, a sample takes
    /// longer, and nothing is kept besides the bytes.
    #[must_use]
    pub fn lean(self) -> Self {
        Self { still: None, ..self }
    }

    /// Bytes kept beside the clip: the pose of what does not move, at most 48 a joint. 0 before the first
    /// sample.
    #[must_use]
    pub fn kept_bytes(&self) -> usize {
        self.still.map_or(0, Still::memory_bytes)
    }

    /// Makes room for what is kept, so that the first sample allocates nothing.
    pub(super) fn reserve_still(&self) {
        if let Some(still) = self.still {
            still.reserve(self.head().joints);
        }
    }

    /// What does not move, over the rest pose of the clip's skeleton; `None` where it is not kept.
    #[inline]
    pub(super) fn still(&self, backend: Backend, rest: &[SoaTransform]) -> Option<&'a StillPose> {
        self.still?.pose(self.head().joints, |pose| self.write_still(backend, rest, None, pose))
    }

    /// Writes what does not move into every group that the level of detail asks for.
    #[inline(never)]
    pub(super) fn write_still(
        &self,
        backend: Backend,
        rest: &[SoaTransform],
        lod: Option<&JointLod>,
        output: &mut (impl PoseMut + ?Sized),
    ) {
        match self.form() {
            Form::Keys(clip) => {
                dispatch!(backend, s => write_still(s, keys::constants(&clip), rest, lod, output))
            }
            Form::Rows(clip) => {
                dispatch!(backend, s => write_still(s, rows::constants(&clip), rest, lod, output))
            }
        }
    }

    /// The clip as its form plays it.
    #[inline(always)]
    pub(crate) fn form(&self) -> Form<'a> {
        let Self { words, contents: Contents { head, tables }, source, .. } = *self;
        match tables {
            FormTables::Keys(layout) => Form::Keys(keys::View { words, head, layout, source }),
            FormTables::Rows(tables) => {
                Form::Rows(rows::View { bytes: bytemuck::cast_slice(words), head, tables, source })
            }
        }
    }

    #[inline(always)]
    fn head(&self) -> &'a Head {
        &self.contents.head
    }

    /// The clip's name; may be empty.
    #[must_use]
    pub fn name(&self) -> &'a str {
        let bytes: &[u8] = bytemuck::cast_slice(self.words);
        let name = bytes.get(self.head().name_at..).and_then(|b| b.get(..self.head().name_len));
        // Checked when the clip was made.
        core::str::from_utf8(name.unwrap_or_default()).unwrap_or_default()
    }

    /// Length in seconds.
    #[inline]
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        self.head().duration_s
    }

    /// True if the last pose is the first one again.
    #[must_use]
    pub fn is_looping(&self) -> bool {
        self.head().looping
    }

    /// Joints of the skeleton it was made for.
    #[inline]
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.head().joints
    }

    /// [`Skeleton::identity`](crate::Skeleton::identity) of the skeleton it was made for.
    #[inline]
    #[must_use]
    pub fn skeleton_identity(&self) -> u64 {
        self.head().skeleton
    }

    /// A hash of the whole clip: equal for equal bytes.
    #[inline]
    #[must_use]
    pub fn identity(&self) -> u64 {
        self.head().identity
    }

    /// Channels that move (each a translation, rotation or scale of one joint).
    #[must_use]
    pub fn channel_count(&self) -> usize {
        self.head().channels
    }

    /// Keys of all channels together, constants not counted.
    #[must_use]
    pub fn key_count(&self) -> u64 {
        self.head().keys
    }

    /// Channels that hold one value throughout and differ from the rest pose.
    #[must_use]
    pub fn constant_count(&self) -> usize {
        self.head().constants
    }

    /// How many distinct times keys stand at.
    #[must_use]
    pub fn row_count(&self) -> u32 {
        self.head().rows
    }

    /// How many blocks: one more than the jump frames after time 0.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.head().blocks
    }

    /// When a row is, in seconds; rows past the end are at the end. Between rows a channel may be curved.
    #[must_use]
    pub fn row_time_s(&self, row: u32) -> f64 {
        let tick = match self.form() {
            Form::Keys(clip) => clip.tick(row),
            Form::Rows(clip) => row.min(clip.head.last_row()),
        };
        f64::from(tick) / self.head().ticks_per_s
    }

    /// Facts about a block; `None` if there is no such block.
    #[must_use]
    pub fn block(&self, block: usize) -> Option<BlockInfo> {
        if block >= self.head().blocks {
            return None;
        }
        let (row, keys, stream_bytes) = match self.form() {
            Form::Keys(clip) => {
                let e = clip.block_entry(block);
                (e.first_row, e.keys, e.stream_end() - e.stream_byte)
            }
            Form::Rows(clip) => clip.block_facts(block),
        };
        Some(BlockInfo { time_s: self.row_time_s(row), keys, stream_bytes })
    }

    /// Bytes that playing needs, everything included.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.words.len() * 4
    }

    /// Bytes of the jump frames.
    #[must_use]
    pub fn jump_bytes(&self) -> usize {
        self.head().jump_bytes
    }

    /// Bytes of the key stream.
    #[must_use]
    pub fn stream_bytes(&self) -> usize {
        self.head().stream_bytes
    }

    /// The clip's tables: everything before the jump frames. What a stream file starts with.
    #[must_use]
    pub fn head_bytes(&self) -> &'a [u8] {
        bytemuck::cast_slice(self.words.get(..self.head().table_bytes / 4).unwrap_or_default())
    }

    /// The jump frame and the stream of a block, as stored; empty if there is no such block.
    #[must_use]
    pub fn stored_block(&self, block: usize) -> (&'a [u8], &'a [u8]) {
        if block >= self.head().blocks {
            return (&[], &[]);
        }
        match self.form() {
            Form::Keys(clip) => clip.stored_block(block).unwrap_or_default(),
            Form::Rows(clip) => (&[], clip.block(block).unwrap_or_default()),
        }
    }
}
