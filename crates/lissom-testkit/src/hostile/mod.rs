//! Every reader of foreign bytes, and what it must never do: panic, hang, or take more memory than it may.
//!
//! The fuzzer (`fuzz/`) and the ordinary tests run the same [`Target`]s: a body that reads bytes and uses whatever
//! comes out, a bound on memory, and seeds made by code. [`check`] needs
//! [`CountingAllocator`](crate::alloc::CountingAllocator) as the binary's global allocator.

mod bodies;
mod kept;
mod mutate;
#[cfg(feature = "draw")]
mod pictures;
mod play;
mod reseal;
mod seeds;

pub use kept::{keep, kept};
pub use mutate::{Mutator, mutants};

use crate::alloc::peak_bytes;

/// A reader of foreign bytes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the fuzz target, too.
    pub name: &'static str,
    /// Reads the bytes and uses what came out; true if anything did.
    pub run: fn(&[u8]) -> bool,
    /// The most memory that `run` may take, by the number of bytes that it reads.
    pub bound: fn(u64) -> u64,
    /// Good files, small, the same every time.
    pub seeds: fn() -> Vec<Seed>,
}

/// A good file.
#[derive(Clone, Debug)]
pub struct Seed {
    /// Unique in its target; can be a file's name.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
}

/// All of them. The runtime's readers may take 8 bytes a byte and a mebibyte, the world's 20, databases for matching 48; the importers 256
/// and 16, whoever copies a file twice that; what unpacks an archive as much as 8 times its bytes can ask for.
pub const TARGETS: &[Target] = &[
    Target { name: "archive", run: bodies::archive, bound: runtime, seeds: seeds::archives },
    Target { name: "packed", run: bodies::packed, bound: unpacker, seeds: seeds::packed },
    Target { name: "clip", run: bodies::clip, bound: runtime, seeds: seeds::clips },
    Target { name: "stream", run: bodies::stream, bound: runtime, seeds: seeds::streams },
    Target { name: "world", run: bodies::world, bound: world, seeds: seeds::worlds },
    Target { name: "graph_state", run: bodies::graph_state, bound: runtime, seeds: seeds::graph_states },
    Target { name: "pose_memory", run: bodies::pose_memory, bound: runtime, seeds: seeds::pose_memories },
    Target { name: "recording", run: bodies::recording, bound: recording, seeds: seeds::recordings },
    Target { name: "graph", run: bodies::graph, bound: runtime, seeds: seeds::graphs },
    Target { name: "matching", run: bodies::matching, bound: matching, seeds: seeds::matching },
    Target { name: "graph_json", run: bodies::graph_json, bound: importer, seeds: seeds::graph_files },
    Target { name: "ozz", run: bodies::ozz, bound: importer, seeds: seeds::ozz },
    Target { name: "bvh", run: bodies::bvh, bound: importer, seeds: seeds::bvh },
    Target { name: "acl_sjson", run: bodies::acl_sjson, bound: importer, seeds: seeds::acl_sjson },
    Target { name: "rawclip", run: bodies::rawclip, bound: importer, seeds: seeds::rawclips },
    Target { name: "npz", run: bodies::npz, bound: importer, seeds: seeds::npz },
    Target { name: "lsm", run: bodies::lsm, bound: importer, seeds: seeds::archives },
    Target { name: "recipe", run: bodies::recipe, bound: importer, seeds: seeds::recipes },
    Target { name: "gltf", run: bodies::gltf, bound: importer, seeds: seeds::gltf },
    Target { name: "onto", run: bodies::onto, bound: copier, seeds: seeds::gltf },
    #[cfg(feature = "draw")]
    Target { name: "picture", run: pictures::picture, bound: picture, seeds: pictures::seeds },
    #[cfg(feature = "fbx")]
    Target { name: "fbx", run: bodies::fbx, bound: importer, seeds: seeds::fbx },
];

fn runtime(bytes: u64) -> u64 {
    8 * bytes + (1 << 20)
}

/// What is read, and an animator that plays it.
fn recording(bytes: u64) -> u64 {
    8 * bytes + (4 << 20)
}

/// A frame that is a range of its own takes a block of sixteen, which is sorted from one list into another.
fn matching(bytes: u64) -> u64 {
    48 * bytes + (1 << 20)
}

/// An archive is at most 8 times as large as it was packed. Its largest clip stands there as integers, and what is learnt of a channel,
/// which is 4 bytes of a clip at least, takes half a kibibyte.
fn unpacker(bytes: u64) -> u64 {
    8 * (200 * bytes + (1 << 20))
}

/// A slot is 4 bytes of a snapshot at least and 32 of a world, which doubles its lists where it grows.
fn world(bytes: u64) -> u64 {
    20 * bytes + (1 << 20)
}

fn importer(bytes: u64) -> u64 {
    lissom_build::import::ImportLimits::default().memory_for(bytes)
}

/// A PNG: deflate makes 1,032 bytes of one, a byte holds 8 pixels of one bit, and a decoded pixel takes 4 bytes. A JPEG: a byte holds 512
/// pixels, and a pixel takes 16 bytes with its frequencies. A WebP: the same, and 2^20 pixels of any file. 2^26 and 2^25 pixels are decoded at
/// most. 2^20 are kept, and take 20 bytes.
#[cfg(feature = "draw")]
fn picture(bytes: u64) -> u64 {
    let (png, jpeg) = (bytes.saturating_mul(1032 * 8), bytes.saturating_mul(512).max(1 << 20));
    let decoded = (4 * png.min(1 << 26)).max(16 * jpeg.min(1 << 25));
    decoded + 20 * png.max(jpeg).min(1 << 20) + (2 << 20)
}

/// The file is imported, and stands there as a tree beside its copy.
fn copier(bytes: u64) -> u64 {
    2 * importer(bytes)
}

/// The target of this name.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn target(name: &str) -> &'static Target {
    TARGETS.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("there is no target {name:?}"))
}

/// Runs the target and checks the memory it took; true if anything came out of the bytes.
///
/// # Panics
///
/// If the target panics or takes more memory than it may, or if the counting allocator is not installed.
pub fn check(target: &Target, bytes: &[u8]) -> bool {
    play::prepare();
    let (came_out, peak) = peak_bytes(|| (target.run)(bytes));
    let bound = (target.bound)(bytes.len() as u64);
    let (name, length) = (target.name, bytes.len());
    assert!(peak <= bound, "{name} took {peak} bytes of memory for {length}; at most {bound} are allowed");
    came_out
}
