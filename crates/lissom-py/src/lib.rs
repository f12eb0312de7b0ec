//! Lissom for Python: motion as numpy arrays. The package is `python/lissom`; this is its compiled half.
//!
//! ```text
//! asset.rs     open(), Asset: what a file holds;  cook.rs  cook(): the archive that games load
//! skeleton.rs  Skeleton: joints, built and raw order
//! clip.rs      Clip: as authored (f64) or cooked (as a game plays it);  poses.rs  whole clips at once, on all cores
//! places.rs    where joints stand, fast
//! edit.rs      edits of a clip, as recipes do them
//! crowd/       Crowd: many characters that a graph plays
//! matching.rs Matching: frames, queries and costs of motion matching
//! mesh.rs      Mesh, skin();  track.rs  Track, Marker
//! carry.rs     objects as bytes: pickle;  arrays.rs  what callers pass;  errors.rs  exceptions by kind
//! ```
//!
//! Rules: the GIL is released wherever there is work; nothing of the caller's is read while it is, so arrays are copied
//! or turned into our own data before. Threads live for one call: a process that forks (multiprocessing) has none to lose.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `draco` | yes | glTF meshes that are compressed with Draco (`draco-core`, Apache-2.0 only) |
//! | `gzip` | yes | clip streams compressed with gzip |
//! | `fbx` | yes | FBX files can be read (`ufbx`, a C library: needs a C compiler; what links Rust programs is one, as a rule) |

mod arrays;
mod asset;
mod carry;
mod clip;
mod cook;
mod crowd;
mod edit;
mod errors;
mod matching;
mod mesh;
mod places;
mod poses;
mod skeleton;
mod track;

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the `lissom` command with these arguments, the first of which is its name; the exit code. It writes to the standard
/// output of the process, which need not be `sys.stdout`.
#[pyfunction]
fn _run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| lissom_cli::status_of(arguments))
}

#[pymodule]
mod _lissom {
    use super::*;
    #[pymodule_export]
    use super::{
        _run_command,
        asset::{Asset, open},
        clip::Clip,
        cook::{cook, cook_file, plan},
        crowd::Crowd,
        errors::FormatError,
        matching::Matching,
        mesh::{Mesh, skin},
        skeleton::Skeleton,
        track::{Marker, Track},
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // The libraries take an unknown name for none: say so here, as the command does.
        if let Err(error) = lissom::math::simd::Backend::from_env() {
            return Err(pyo3::exceptions::PyValueError::new_err(format!("LISSOM_SIMD: {error}")));
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
