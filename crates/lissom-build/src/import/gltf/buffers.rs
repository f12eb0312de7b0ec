//! Buffers and their views: loaded if something reads them, decompressed if they are compressed.

use super::{
    super::{ImportError, Place},
    budget::Budget,
    document::{Document, Meshopt},
    files,
    meshopt::{self, Filter, Mode},
};
use std::borrow::Cow;

/// The bytes of buffers and of compressed views. Those that nothing reads are absent.
pub(super) struct Buffers<'a> {
    buffers: Vec<Option<Cow<'a, [u8]>>>,
    /// A view that cannot be decompressed spoils only what reads it.
    decompressed: Vec<Option<Result<Vec<u8>, ImportError>>>,
}

/// Asks for a file by its URI.
pub(super) type Files<'f> = dyn FnMut(&str) -> Result<Vec<u8>, ImportError> + 'f;

impl<'a> Buffers<'a> {
    /// Loads what the given accessors and views need.
    pub(super) fn load(
        document: &Document<'a>,
        binary: Option<&'a [u8]>,
        accessors: impl Iterator<Item = u32>,
        plain: impl Iterator<Item = u32>,
        files: &mut Files<'_>,
        budget: &mut Budget,
    ) -> Result<Self, ImportError> {
        let mut views = vec![false; document.views.len()];
        for accessor in accessors.filter_map(|a| document.accessors.get(a as usize)) {
            let sparse = accessor.sparse.as_ref().map(|s| [s.indices.view, s.values.view]);
            for view in accessor.view.into_iter().chain(sparse.into_iter().flatten()) {
                if let Some(needed) = views.get_mut(view as usize) {
                    *needed = true;
                }
            }
        }
        for view in plain {
            if let Some(needed) = views.get_mut(view as usize) {
                *needed = true;
            }
        }
        let mut out = Self { buffers: Vec::new(), decompressed: Vec::new() };
        out.buffers.resize_with(document.buffers.len(), || None);
        out.decompressed.resize_with(document.views.len(), || None);
        let needed = document.views.iter().enumerate().zip(&views).filter(|(_, needed)| **needed);
        for ((index, view), _) in needed {
            let compressed = view.extensions.meshopt();
            let buffer = compressed.map_or(view.buffer, |m| m.buffer);
            out.load_buffer(document, buffer, binary, files, budget)?;
            if let Some(compressed) = compressed {
                let bytes = match out.decompress(index, compressed, budget) {
                    Err(error @ ImportError::Limit { .. }) => return Err(error),
                    bytes => bytes,
                };
                if let Some(slot) = out.decompressed.get_mut(index) {
                    *slot = Some(bytes);
                }
            }
        }
        Ok(out)
    }

    fn load_buffer(
        &mut self,
        document: &Document<'a>,
        index: u32,
        binary: Option<&'a [u8]>,
        files: &mut Files<'_>,
        budget: &mut Budget,
    ) -> Result<(), ImportError> {
        let place = || Place::Path(format!("buffer {index}"));
        let fail = |reason: String| ImportError::Format { place: place(), reason };
        let (Some(slot), Some(buffer)) =
            (self.buffers.get_mut(index as usize), document.buffers.get(index as usize))
        else {
            return Err(fail(format!("there are only {} buffers", document.buffers.len())));
        };
        if slot.is_some() {
            return Ok(());
        }
        let bytes = match (&buffer.uri, binary) {
            (None, Some(binary)) if index == 0 => Cow::Borrowed(binary),
            (None, _) => return Err(fail("it has no uri, and there is no binary chunk for it".into())),
            (Some(uri), _) => {
                if let Some(decoded) = files::data_uri(uri, place) {
                    let decoded = decoded?;
                    budget.take(decoded.capacity() as u64, 1, place)?;
                    Cow::Owned(decoded)
                } else {
                    let bytes = files(uri)?;
                    let (found, allowed) = (bytes.len() as u64, budget.limits().max_bytes);
                    if found > allowed {
                        let place = Place::Path(files::shown(uri));
                        return Err(ImportError::Limit { place, what: "the size in bytes", found, allowed });
                    }
                    budget.add_file(found);
                    Cow::Owned(bytes)
                }
            }
        };
        // A binary chunk may be padded, a file may be longer; what counts is that nothing is missing.
        if (bytes.len() as u64) < buffer.length {
            let (needed, left) = (buffer.length, bytes.len() as u64);
            return Err(ImportError::Truncated { place: place(), what: "the buffer", needed, left });
        }
        *slot = Some(bytes);
        Ok(())
    }

    fn decompress(
        &self,
        view: usize,
        compressed: &Meshopt<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<u8>, ImportError> {
        let place = || Place::Path(format!("bufferView {view}, meshopt compression"));
        let fail = |reason: String| ImportError::Format { place: place(), reason };
        let mode = Mode::named(&compressed.mode)
            .ok_or_else(|| fail(format!("its mode {} is unknown", files::shown(&compressed.mode))))?;
        let filter = compressed.filter.as_deref().unwrap_or("NONE");
        let filter = Filter::named(filter)
            .ok_or_else(|| fail(format!("its filter {} is unknown", files::shown(filter))))?;
        let bytes = self.slice(compressed.buffer, compressed.offset, compressed.length, place)?;
        // The stream itself needs a byte or more for 64 elements, so absurd counts end here or in the budget.
        budget.take(compressed.count, usize::try_from(compressed.stride).unwrap_or(usize::MAX), place)?;
        let (count, stride) = (compressed.count as usize, compressed.stride as usize);
        meshopt::decode(mode, filter, count, stride, bytes).map_err(fail)
    }

    fn slice(
        &self,
        buffer: u32,
        offset: u64,
        length: u64,
        place: impl Fn() -> Place,
    ) -> Result<&[u8], ImportError> {
        let Some(bytes) = self.buffers.get(buffer as usize).and_then(|b| b.as_deref()) else {
            let reason = format!("there is no buffer {buffer}");
            return Err(ImportError::Format { place: place(), reason });
        };
        let end = offset.saturating_add(length);
        let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
        range.and_then(|(start, end)| bytes.get(start..end)).ok_or_else(|| ImportError::Truncated {
            place: place(),
            what: "the view",
            needed: end,
            left: bytes.len() as u64,
        })
    }

    /// The bytes of a view, and their stride where it is stated.
    pub(super) fn view(
        &self,
        document: &Document<'_>,
        index: u32,
    ) -> Result<(&[u8], Option<u64>), ImportError> {
        let place = || Place::Path(format!("bufferView {index}"));
        let Some(view) = document.views.get(index as usize) else {
            let reason = format!("there are only {} buffer views", document.views.len());
            return Err(ImportError::Format { place: place(), reason });
        };
        if let Some(decompressed) = self.decompressed.get(index as usize).and_then(|b| b.as_ref()) {
            let bytes = decompressed.as_ref().map_err(Clone::clone)?;
            let stride = view.extensions.meshopt().map(|m| m.stride);
            return Ok((bytes, view.stride.or(stride)));
        }
        Ok((self.slice(view.buffer, view.offset, view.length, place)?, view.stride))
    }
}
