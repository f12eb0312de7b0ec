//! A file that is parsed once, for callers that ask what is in it before they cook it.

use super::{Input, stamp};
use crate::{
    import::{self, Format, ImportOptions, OpenError, ReadOptions},
    scene::{Scene, SceneSkeleton},
};
use std::borrow::Cow;

/// A file that was read and parsed. [`Input::parsed`] hands it on to a [`Plan`](super::Plan), as a file to cook, as the
/// one with the skeleton, or both: nothing is parsed again.
#[derive(Debug)]
pub struct Parsed<'a> {
    input: Input<'a>,
    bytes: Cow<'a, [u8]>,
    format: Format,
    /// As the file has it: units, axes and names are not settled yet.
    scene: Scene,
    /// What was read of the file. A plan that reads other things parses it again.
    reading: ReadOptions,
    /// Files that it names, and hashes of their bytes.
    others: Vec<(String, u64)>,
}

impl<'a> Parsed<'a> {
    /// Reads and parses an input.
    ///
    /// # Errors
    ///
    /// Every case of [`OpenError`] but those of options, of matching and of retargeting.
    pub fn new(input: Input<'a>, options: &ImportOptions) -> Result<Self, OpenError> {
        let limits = &options.limits;
        let bytes = input.read(limits)?;
        let mut others = Vec::new();
        let mut files = |uri: &str| {
            let bytes = input.read_beside(uri, limits)?;
            others.push((uri.to_owned(), stamp::hash(&bytes)));
            Ok(bytes)
        };
        let reading = options.reading();
        let (format, scene) = import::parse(input.name(), &bytes, &mut files, &reading)?;
        Ok(Self { input, bytes, format, scene, reading, others })
    }

    /// True if it has a mesh.
    #[must_use]
    pub fn has_meshes(&self) -> bool {
        !self.scene.meshes.is_empty()
    }

    /// What is in it, in metres, y up, with names that can be told apart; of the options
    /// [`ImportOptions::skeleton`] and [`ImportOptions::retarget`] are not looked at.
    ///
    /// # Errors
    ///
    /// [`OpenError::Option`], [`OpenError::Import`] for numbers that make no sense, [`OpenError::Resample`].
    pub fn scene(&self, options: &ImportOptions) -> Result<Scene, OpenError> {
        import::finish(self.input.name(), self.format, self.scene.clone(), None, options)
    }

    pub(super) fn input(&self) -> &Input<'a> {
        &self.input
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// An input that was read: its scene as the options ask for it, and what the stamp says of it.
pub(super) struct Opened<'a> {
    pub(super) scene: Scene,
    pub(super) bytes: Cow<'a, [u8]>,
    pub(super) others: Vec<(String, u64)>,
}

/// Reads an input, or takes what was parsed of it.
pub(super) fn open<'a>(
    input: &Input<'a>,
    target: Option<&SceneSkeleton>,
    options: &ImportOptions,
) -> Result<Opened<'a>, OpenError> {
    options.check()?;
    let name = input.name();
    if let Some(parsed) = input.known().filter(|parsed| parsed.reading == options.reading()) {
        let scene = import::finish(name, parsed.format, parsed.scene.clone(), target, options)?;
        return Ok(Opened { scene, bytes: Cow::Borrowed(&parsed.bytes), others: parsed.others.clone() });
    }
    let Parsed { bytes, format, scene, others, .. } = Parsed::new(input.clone(), options)?;
    Ok(Opened { scene: import::finish(name, format, scene, target, options)?, bytes, others })
}
