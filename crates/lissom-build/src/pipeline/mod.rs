//! From authored files to one archive: what a command, a viewer, an engine's asset loader and a script all do, without
//! a terminal and without threads of its own.
//!
//! ```text
//!  Options ──▶ Plan (the other skeleton read once)
//!                 │
//!  Input, Input ──┼─▶ read ─▶ open ─▶ edit ─▶ settle names ─▶ cook clips ─▶ write ─▶ Cooked
//!  a path, or     │     │                                │                   │       archive: bytes, or none
//!  bytes and a    │     └ files that a file names        └ executor: in       │       inputs:  a Report or an InputError each
//!  way to read    │       (Input::with_files)              turn, or yours     │       stamp:   what it was made of
//!  what they name │                                                          │
//!                 └─ watch: told of each step, may stop it all ◀──────────────┘
//! ```
//!
//! - **In.** An [`Input`] is a file or bytes. Bytes need no file system: this works in a browser. Files that an input
//!   names (the `.bin` of a `.gltf`) come from its folder, or from a closure.
//! - **How.** [`Options`] become a [`Plan`], which may cook any number of archives.
//! - **Threads.** Reading files and cooking clips are independent tasks; an [`Executor`] runs them, [`serial`] by
//!   default. The archive has the same bytes whoever runs them, in whatever order.
//! - **Progress.** [`Plan::cook`] tells a closure of every [`Step`], one call at a time, with rising counts; the last
//!   call has all of them. If the closure breaks, no further task starts and the answer is
//!   [`PipelineError::Cancelled`]: nothing is left behind.
//! - **Out.** [`Cooked`]. An input that is refused does not stop the others: it has an [`InputError`] with its name.
//!   The stamp stands in the archive too, so that [`Plan::is_unchanged`] can tell that cooking again would give the
//!   same.
//!
//! ```
//! use lissom_build::pipeline::{self, Input, Options, Plan};
//!
//! let bvh = b"HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 1 Xposition End Site { OFFSET 0 1 0 } }
//!             MOTION Frames: 3 Frame Time: 0.5 0 1 2";
//! let plan = Plan::new(Options::default())?;
//! let cooked = plan.cook(&[Input::bytes("walk.bvh", bvh)], &pipeline::serial, &mut pipeline::unwatched)?;
//! let report = cooked.inputs[0].as_ref().expect("it is a good file");
//! assert_eq!((report.joints, report.clips[0].name.as_str()), (1, "walk"));
//! assert!(cooked.archive.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clips;
mod cook;
mod error;
mod file;
mod input;
mod matched;
mod open;
mod options;
mod parsed;
mod plan;
mod precision;
mod report;
mod scene;
mod stamp;
mod together;
mod watch;
mod weights;
mod write;

pub(crate) use clips::clip_called;
pub use clips::{did_you_mean, find_clip, similar_clips};
pub use error::{InputError, PipelineError};
pub use input::{Input, Resolve};
pub use matched::MatchingReport;
pub use options::Options;
pub use parsed::Parsed;
pub use plan::Plan;
pub use precision::ScenePrecision;
pub use report::{ClipReport, Cooked, Report};
pub use scene::{CookedScene, SceneError, cook_scene, cook_scene_with};
pub use watch::{Executor, Progress, Step, Watch, serial, unwatched};
