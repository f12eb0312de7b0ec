//! What the archive writer writes, read back; and what readers make of it when it is spoiled.

mod meshes;
mod parts;
mod sections;
mod tracks;

use lissom::archive::{AlignedBytes, ArchiveView, Limits};
use lissom_build::archive::{ArchiveWriteError, ArchiveWriter};

/// What stands in the one section that is added.
fn payload(add: impl FnOnce(ArchiveWriter) -> Result<ArchiveWriter, ArchiveWriteError>) -> Vec<u8> {
    let bytes = AlignedBytes::copy_of(&add(ArchiveWriter::new()).unwrap().finish().unwrap());
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    let [section] = archive.sections() else { panic!("{} sections", archive.sections().len()) };
    section.payload.to_vec()
}
