//! The usual two ways to drive a [`ClipStream`]: a source that can seek, and bytes that arrive in order.

use super::{
    error::StreamError,
    format::FIXED_BYTES,
    state::{ClipStream, Wanted},
};
use std::{
    io::{self, ErrorKind, Read, Seek, SeekFrom},
    vec::Vec,
};

/// Plays a clip from anything that can be read and sought: a file, bytes, a memory map.
#[derive(Debug)]
pub struct StreamPlayer<R> {
    stream: ClipStream,
    source: R,
    /// The piece being read, and how far it has come.
    piece: Option<Wanted>,
    buffer: Vec<u8>,
    filled: usize,
}

/// Why a stream could not be opened or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The source failed.
    #[error("reading the stream: {0}")]
    Io(#[from] io::Error),
    /// The bytes are wrong.
    #[error(transparent)]
    Stream(#[from] StreamError),
}

impl<R: Read + Seek> StreamPlayer<R> {
    /// Reads the preamble from the start of the source.
    ///
    /// # Errors
    ///
    /// The source fails or ends early, or the preamble is no stream's.
    pub fn open(mut source: R, window_bytes: usize) -> Result<Self, PlayerError> {
        source.seek(SeekFrom::Start(0))?;
        let mut preamble = Vec::new();
        source.by_ref().take(FIXED_BYTES as u64).read_to_end(&mut preamble)?;
        let needed = ClipStream::preamble_len(&preamble)?;
        // `take` and `read_to_end` reserve what is there, not what a damaged length asks for.
        source.by_ref().take(needed - FIXED_BYTES as u64).read_to_end(&mut preamble)?;
        let stream = ClipStream::open(&preamble, window_bytes)?;
        Ok(Self { stream, source, piece: None, buffer: Vec::new(), filled: 0 })
    }

    /// The stream: what it has, what is damaged.
    #[must_use]
    pub fn stream(&self) -> &ClipStream {
        &self.stream
    }

    /// Moves the play head ahead of a seek, so that prefetching starts there.
    pub fn move_to(&mut self, time_s: f64) {
        self.stream.move_to(time_s);
    }

    /// Reads up to `max_bytes` of what will be needed next; returns how many were read. Call it every frame,
    /// or on another thread between frames. A source that would block is left alone until the next call; a
    /// damaged block is noted and skipped.
    ///
    /// # Errors
    ///
    /// The source fails.
    pub fn prefetch(&mut self, max_bytes: usize) -> Result<usize, PlayerError> {
        // A piece without a byte takes time too: it counts as one.
        let (mut done, mut empty) = (0, 0);
        while done + empty < max_bytes {
            let wanted = self.stream.wanted();
            if self.piece != wanted {
                let Some(wanted) = wanted else { break };
                self.source.seek(SeekFrom::Start(wanted.offset))?;
                self.piece = Some(wanted);
                self.buffer.clear();
                self.filled = 0;
            }
            let Some(piece) = self.piece else { break };
            if self.filled < piece.len {
                // Grown as bytes come: a directory that lies about a length gets no memory for it.
                let ahead = (piece.len - self.filled).min(max_bytes - done).min(1 << 16);
                self.buffer.resize(self.filled + ahead, 0);
                match self.source.read(&mut self.buffer[self.filled..]) {
                    Ok(0) => {
                        // The file ends inside a block.
                        self.piece = None;
                        self.stream.give_up(piece.block);
                        continue;
                    }
                    Ok(n) => {
                        self.filled += n;
                        done += n;
                    }
                    Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                    Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                    Err(e) => return Err(e.into()),
                }
            }
            if self.filled >= piece.len {
                self.piece = None;
                empty += usize::from(piece.len == 0);
                match self.stream.supply(piece.block, &self.buffer) {
                    Ok(()) | Err(StreamError::Damaged { .. }) => {}
                    Err(_) => self.stream.give_up(piece.block),
                }
            }
        }
        Ok(done)
    }
}

impl<R> StreamPlayer<R> {
    /// The stream, to be sampled.
    pub(crate) fn stream_mut(&mut self) -> &mut ClipStream {
        &mut self.stream
    }
}

/// Plays a clip whose bytes arrive in order, in pieces of any size: a download, a pipe.
#[derive(Debug)]
pub struct StreamFeed {
    window_bytes: usize,
    stream: Option<ClipStream>,
    /// Bytes of the preamble or of the block that is arriving.
    buffer: Vec<u8>,
    /// The next block in file order.
    next: usize,
}

impl StreamFeed {
    /// A feed that keeps at most `window_bytes` of blocks.
    #[must_use]
    pub fn new(window_bytes: usize) -> Self {
        Self { window_bytes, stream: None, buffer: Vec::new(), next: 0 }
    }

    /// The stream, once the preamble has arrived.
    pub fn stream(&mut self) -> Option<&mut ClipStream> {
        self.stream.as_mut()
    }

    /// Takes bytes and returns how many it used. Fewer than given: the window is full; play on, then push the
    /// rest again. Damaged blocks are noted and skipped.
    ///
    /// # Errors
    ///
    /// The preamble is no stream's.
    pub fn push(&mut self, bytes: &[u8]) -> Result<usize, StreamError> {
        let mut used = 0;
        while used < bytes.len() {
            let target = match &self.stream {
                None if self.buffer.len() < FIXED_BYTES => FIXED_BYTES as u64,
                None => ClipStream::preamble_len(&self.buffer)?,
                Some(stream) => match stream.piece(self.next) {
                    // Everything has arrived; what follows is not ours.
                    None => return Ok(bytes.len()),
                    Some(piece) if stream.has_room(self.next) || !self.buffer.is_empty() => piece.len as u64,
                    Some(_) => break,
                },
            };
            let missing = usize::try_from(target).unwrap_or(usize::MAX) - self.buffer.len();
            let take = missing.min(bytes.len() - used);
            self.buffer.extend_from_slice(&bytes[used..used + take]);
            used += take;
            if take < missing {
                continue;
            }
            match &mut self.stream {
                None if self.buffer.len() as u64 == ClipStream::preamble_len(&self.buffer)? => {
                    self.stream = Some(ClipStream::open(&self.buffer, self.window_bytes)?);
                    self.buffer.clear();
                }
                None => {}
                Some(stream) => {
                    match stream.supply(self.next, &self.buffer) {
                        Ok(()) | Err(StreamError::Damaged { .. }) => {}
                        Err(_) => stream.give_up(self.next),
                    }
                    self.buffer.clear();
                    self.next += 1;
                }
            }
        }
        Ok(used)
    }
}
