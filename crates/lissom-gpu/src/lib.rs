//! Crowds on the GPU: the CPU decides, a compute shader poses.
//!
//! ```text
//!  Crowd (Outputs::mixes)          decides: states, fades, events, root motion, places; all of it keeps its bits
//!     │ mixes, as functions of time: who goes on as before uploads nothing
//!     ▼
//!  Core                            knows no GPU: bytes of each buffer, the kernel's text, sizes of dispatches
//!     │ members │ keys │ tables │ inertia
//!     ▼
//!  GpuCrowd (feature `wgpu`)       buffers, pipelines, one pass
//!     ▼
//!  palettes 3×4, model-space matrices, boxes, palettes of the frame before
//! ```
//!
//! # Memory
//!
//! | buffer | bytes |
//! |---|---|
//! | members | 32 a slot, 32 for each entry and 12 for each layer that a slot can have; of a change only what is used is uploaded |
//! | keys | a row has 16 (or 8) bytes a joint and 16 for each translation and scale that some clip moves |
//! | palettes | 48 (or 24) a joint and slot; twice where the frame before is kept |
//! | models | 48 a joint and slot, where they are asked for, and for skeletons of more than 256 joints |
//! | boxes | 32 a slot |
//! | inertia | 64 a joint (96 with scales) for each transition by inertia that goes on |
//!
//! # Limits
//!
//! WebGPU's default limits are enough: 128 MiB a binding, 8 storage buffers, 256 invocations, 16 KiB of workgroup memory, 65,535
//! workgroups. A crowd of more slots than fit into a binding is cut into chunks with buffers of their own. A skeleton has at most
//! [`MOST_JOINTS`] joints, of any depth. No subgroups and no half floats of the device are needed: halves are packed by whole numbers.
//!
//! # How far from the CPU
//!
//! Whole numbers (turns, phases, rows, packed keys) are exact. What is shown is within 0.1 mm of the CPU's crowd for a figure of 2 m,
//! within 2 mm in halves (the rounding of a half: half a millimetre at 1 m, on each axis): [`TIME_ERROR_S`](lissom_motion::crowd::TIME_ERROR_S) and [`WEIGHT_ERROR`](lissom_motion::crowd::WEIGHT_ERROR), the error of keys against their clip
//! ([`GpuClip::error_m`]), and the rounding of the device. Rotations that are blended half a turn apart are exempt: which way is shorter is a
//! matter of the last bit. [`GpuCrowd::self_test`] refuses a device whose driver computes something else. Nothing flows back: decisions,
//! saves and rollback know nothing of the GPU.
//!
//! # Who is posed by the CPU
//!
//! Members of [`Core::set_on_cpu`] (for IK, ragdolls, things they carry), members with a clip that no even rate comes near enough or that does
//! not fit, and members whose transition by inertia finds no room. Their palettes come from [`Crowd::pose_of`](lissom_motion::crowd::Crowd::pose_of) and are
//! uploaded; they lie where those of the others lie. A switch is no jump: both show the same mix.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `wgpu` | yes | [`GpuCrowd`]: buffers and pipelines on a device of wgpu's |

#![forbid(unsafe_code)]

mod clips;
mod core;
mod error;
mod keys;
mod math;
mod rig;
mod shader;
#[cfg(feature = "wgpu")]
mod wgpu;

pub use self::core::{Core, Dispatch, GpuOptions, Target, Write};
#[cfg(feature = "wgpu")]
pub use self::wgpu::{GpuCrowd, Palette, Reading, Uploaded};
pub use clips::{GpuClip, GpuClips};
pub use error::GpuError;
pub use keys::{KeyFormat, pack_rotation, unpack_rotation, whole_numbers};
pub use rig::MOST_JOINTS;
