//! The stream itself: which blocks it has, which it wants next.

use super::{
    super::{error::MissingBlock, source::Source, still::Still, view::ClipView},
    directory::{self, Preamble},
    error::StreamError,
    window::{BROKEN, NOWHERE, Slot, Window},
};

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

/// Blocks ahead of the play head that are asked for. Far more than a window holds, but blocks without a byte
/// fill no window, and a file can have millions of them.
const AHEAD: usize = 1024;

/// A clip that plays from a window of its blocks.
#[derive(Debug)]
pub struct ClipStream {
    preamble: Preamble,
    window: Window,
    still: Still,
    /// The block being played, and whether time runs backward.
    here: usize,
    backward: bool,
}

impl ClipStream {
    /// How long the preamble is, from the first 16 bytes of the file.
    ///
    /// # Errors
    ///
    /// `Short`, `Magic`, `Unsupported`.
    pub fn preamble_len(first: &[u8]) -> Result<u64, StreamError> {
        directory::preamble_len(first)
    }

    /// Opens a stream from its preamble. At most `window_bytes` of blocks are kept in memory.
    ///
    /// # Errors
    ///
    /// Every case of [`StreamError`] but `Damaged` and `NotWanted`.
    pub fn open(preamble: &[u8], window_bytes: usize) -> Result<Self, StreamError> {
        let preamble = Preamble::read(preamble, window_bytes)?;
        let window = Window::new(window_bytes, preamble.directory.len());
        Ok(Self { preamble, window, still: Still::default(), here: 0, backward: false })
    }

    /// The clip as jobs take it. Blocks that are not there give a [`MissingBlock`].
    #[must_use]
    pub fn view(&self) -> ClipView<'_> {
        let Preamble { head, contents, .. } = &self.preamble;
        ClipView::of_stream(head, contents, Source::Window(&self.window), &self.still)
    }

    /// How its blocks are compressed.
    #[must_use]
    pub fn codec(&self) -> super::Codec {
        self.preamble.codec
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

    /// The block that is so far ahead of the play head.
    fn ahead(&self, distance: usize) -> usize {
        let count = self.preamble.directory.len();
        if self.backward { (self.here + count - distance) % count } else { (self.here + distance) % count }
    }

    /// The piece to fetch next: the nearest missing block ahead that the window has room for, if it is among
    /// the next thousand or so.
    #[must_use]
    pub fn wanted(&self) -> Option<Wanted> {
        let mut room = self.window.limit;
        for distance in 0..self.preamble.directory.len().min(AHEAD) {
            let block = self.ahead(distance);
            let entry = &self.preamble.directory[block];
            if self.window.slot_of[block] == BROKEN {
                continue;
            }
            // Everything nearer has its place first.
            room = room.checked_sub(entry.size())?;
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
        let Some(entry) = self.preamble.directory.get(block).copied().filter(|e| e.stored == bytes.len())
        else {
            return Err(StreamError::NotWanted { block, given: bytes.len() });
        };
        if self.window.slot_of[block] != NOWHERE {
            return Err(StreamError::NotWanted { block, given: bytes.len() });
        }
        let damaged = StreamError::Damaged { block, offset: entry.offset };
        let size = entry.size();
        if crc32fast::hash(bytes) != entry.crc {
            self.window.slot_of[block] = BROKEN;
            return Err(damaged);
        }
        let mut far = self.preamble.directory.len();
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
        if self.preamble.codec.unpack(bytes, &mut into.bytes) {
            self.window.slot_of[block] = slot;
            self.window.used += size;
            Ok(())
        } else {
            self.window.free.push(slot);
            self.window.slot_of[block] = BROKEN;
            Err(damaged)
        }
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
        let (mut low, mut high) = (0, self.preamble.directory.len());
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

    /// What a sample says that found this block missing.
    pub(crate) fn without(&self, missing: MissingBlock) -> Played {
        let block = missing.block;
        if self.window.slot_of.get(block) != Some(&BROKEN) {
            return Played::Late { block };
        }
        let good = |b: &usize| self.window.slot_of[*b] != BROKEN;
        let next = (block + 1..self.preamble.directory.len()).find(good);
        let resumes_s = next.and_then(|b| self.view().block(b)).map(|b| b.time_s);
        Played::Damaged { block, resumes_s }
    }
}

/// What the sources in `io` ask for.
#[cfg(feature = "std")]
impl ClipStream {
    /// How far ahead of the play head a block is; a clip that loops comes round again.
    fn distance(&self, block: usize) -> usize {
        let count = self.preamble.directory.len();
        let (from, to) = if self.backward { (block, self.here) } else { (self.here, block) };
        (count + to - from) % count
    }

    /// Notes a block as damaged.
    pub(super) fn give_up(&mut self, block: usize) {
        if self.window.slot_of.get(block) == Some(&NOWHERE) {
            self.window.slot_of[block] = BROKEN;
        }
    }

    /// Where a block is in the file.
    pub(super) fn piece(&self, block: usize) -> Option<Wanted> {
        let entry = self.preamble.directory.get(block)?;
        Some(Wanted { block, offset: entry.offset, len: entry.stored })
    }

    /// True if a block fits without dropping one that is needed before it.
    pub(super) fn has_room(&self, block: usize) -> bool {
        let nearer = |b: &usize| self.has_block(*b) && self.distance(*b) < self.distance(block);
        let size = |b: usize| self.preamble.directory[b].size();
        if self.window.used + size(block) <= self.window.limit {
            return true;
        }
        let held: usize = (0..self.preamble.directory.len()).filter(nearer).map(size).sum();
        held + size(block) <= self.window.limit
    }
}
