//! A clip with all of its rows decoded: memory for time, where many play it.

use super::{
    lanes::{Sink, Stored, Target, Weighed, add_pose},
    rows,
    view::{ClipView, Form},
};
use crate::JointLod;
use lissom_math::{simd::Backend, soa::SoaTransform};

/// Every row of a [`Clip`](super::Clip) of rows as the numbers that a cursor decodes: whoever plays it needs no cursor, and any time costs
/// the same. Made once and shared by thousands; the bits are those of a cursor.
///
/// It takes 16 bytes for each row and moving channel (channels count in sixteens): some 40 kB a second of a whole body.
#[derive(Clone, Debug)]
pub struct DecodedClip {
    identity: u64,
    keys: rows::DecodedRows,
}

impl DecodedClip {
    /// Decodes a clip. `None` if it has keys instead of rows, or is a stream that is not all there.
    #[must_use]
    pub fn new(clip: ClipView<'_>) -> Option<Self> {
        let Form::Rows(rows) = clip.form() else { return None };
        Some(Self { identity: clip.identity(), keys: rows::DecodedRows::new(&rows)? })
    }

    /// Bytes that a clip would take; `None` if it cannot be decoded.
    #[must_use]
    pub fn bytes_of(clip: ClipView<'_>) -> Option<usize> {
        let Form::Rows(rows) = clip.form() else { return None };
        Some(rows::DecodedRows::bytes_of(&rows))
    }

    /// Bytes that it takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.keys.memory_bytes()
    }

    /// True if it was made from this clip.
    #[inline]
    #[must_use]
    pub fn is_of(&self, clip: &ClipView<'_>) -> bool {
        self.identity == clip.identity() && matches!(clip.form(), Form::Rows(rows) if self.keys.fits(&rows))
    }

    /// What a cursor's `sample` does, of a clip that [`Self::is_of`] has said yes to.
    pub(crate) fn sample(
        &self,
        backend: Backend,
        clip: &ClipView<'_>,
        time_s: f64,
        rest: &[SoaTransform],
        lod: Option<&JointLod>,
        output: &mut [SoaTransform],
    ) {
        let still = clip.still(backend, rest);
        if still.is_none() {
            clip.write_still(backend, rest, lod, output);
        }
        self.evaluate(backend, clip, time_s, Target { still, lod, output }, Stored);
    }

    /// What a cursor's `add` does.
    #[allow(clippy::too_many_arguments, reason = "those of a cursor")]
    pub(crate) fn add(
        &self,
        backend: Backend,
        clip: &ClipView<'_>,
        time_s: f64,
        rest: &[SoaTransform],
        lod: Option<&JointLod>,
        layer: Weighed,
        room: &mut [SoaTransform],
        output: &mut [SoaTransform],
    ) {
        let Some(still) = clip.still(backend, rest) else {
            self.sample(backend, clip, time_s, rest, lod, room);
            return add_pose(backend, room, lod, layer, output);
        };
        self.evaluate(backend, clip, time_s, Target { still: Some(still), lod, output }, layer);
    }

    #[inline]
    fn evaluate(
        &self,
        backend: Backend,
        clip: &ClipView<'_>,
        time_s: f64,
        mut target: Target<'_>,
        sink: impl Sink,
    ) {
        if let Form::Rows(rows) = clip.form() {
            self.keys.evaluate(backend, &rows, time_s, &mut target, sink);
        }
    }
}
