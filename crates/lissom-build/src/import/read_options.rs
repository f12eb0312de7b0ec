//! What is read of a file.

use super::ImportLimits;

/// What an importer reads, and what it does about parts that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    /// What a file may ask for.
    pub limits: ImportLimits,
    /// Meshes, their materials and images. Default: yes.
    pub meshes: bool,
    /// Images. Default: yes.
    pub images: bool,
    /// A part that cannot be read refuses the file; otherwise it is left out with a warning. Default: no.
    pub strict: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { limits: ImportLimits::default(), meshes: true, images: true, strict: false }
    }
}
