//! The image section, version 1: an image as its file has it, not decoded.

use super::{
    ArchiveError, ArchiveView, Result, Section, SectionKind,
    cursor::Cursor,
    layout::{IMAGE_VERSION, align},
};
use alloc::format;

/// An image in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageView<'a> {
    /// As its file calls it; the section's name is unique, this need not be.
    pub name: &'a str,
    /// `image/png`, `image/jpeg`, `image/ktx2`, ...; empty if nobody knows.
    pub mime_type: &'a str,
    /// The file.
    pub bytes: &'a [u8],
}

impl<'a> ArchiveView<'a> {
    /// The image of this name, in place.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn image(&self, name: &str) -> Result<ImageView<'a>> {
        self.find(SectionKind::Image, name)?.image()
    }
}

impl<'a> Section<'a> {
    /// The image that this section holds. Its bytes are not looked at.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind; otherwise what is wrong with it.
    pub fn image(&self) -> Result<ImageView<'a>> {
        let offset = self.offset;
        let wrong = |reason| Err(ArchiveError::Format { offset, reason });
        if self.kind != SectionKind::Image {
            return wrong(format!("a {:?} section is not an image", self.kind));
        }
        if self.version != IMAGE_VERSION {
            let (what, found, known) = ("an image", self.version, "1");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        let mut at = Cursor::new(self.payload, 0);
        let name = at.long_text("the image's own name")?;
        let mime_type = at.long_text("the image's type")?;
        let gap = align(at.offset()).saturating_sub(at.offset());
        if at.take(gap, "the padding")?.iter().any(|b| *b != 0) {
            return wrong("the padding before the image is not zero".into());
        }
        let left = (self.payload.len() as u64).saturating_sub(at.offset());
        Ok(ImageView { name, mime_type, bytes: at.take(left, "the image")? })
    }

    /// The text of a section of extras: JSON, which is not looked at.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind or not text, [`ArchiveError::Version`].
    pub fn extras(&self) -> Result<&'a str> {
        let offset = self.offset;
        if self.kind != SectionKind::Extras {
            let reason = format!("a {:?} section does not hold extras", self.kind);
            return Err(ArchiveError::Format { offset, reason });
        }
        if self.version != super::layout::EXTRAS_VERSION {
            let (what, found, known) = ("a section of extras", self.version, "1");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        Cursor::new(self.payload, 0).text(self.payload.len() as u64, "the extras")
    }
}
