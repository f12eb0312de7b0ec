//! Files of other programs, cooked as they are loaded (feature `import`).
//!
//! Known by their bytes: the one loader of archives reads them, whatever they are called. So labels of a `.glb`, its scenes, are
//! still `bevy_gltf`'s.

use lissom_build::{
    import::{Format, OpenError},
    pipeline::{self, Input, InputError, Options, PipelineError, Plan},
};
use tracing::warn;

/// Why a file cannot be cooked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The options.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file.
    #[error(transparent)]
    Input(#[from] InputError),
    /// What came out of it.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
}

/// The archive of a file: its own bytes, if it is one.
pub(crate) fn cooked(name: &str, bytes: Vec<u8>) -> Result<Vec<u8>, ImportError> {
    if Format::of_bytes(&bytes).is_none_or(|format| format == Format::Lsm) {
        return Ok(bytes);
    }
    let plan = Plan::new(Options::default())?;
    let input = [Input::bytes(name, &bytes)];
    // On this thread alone: frames go on meanwhile.
    let cooked = plan.cook(&input, &pipeline::serial, &mut pipeline::unwatched)?;
    for report in cooked.inputs {
        for warning in report?.warnings {
            warn!("{name}: {}: {}", warning.place, warning.text);
        }
    }
    // There is one where no input was refused.
    Ok(cooked.archive.unwrap_or_default())
}
