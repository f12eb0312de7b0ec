//! What moves a character: a graph decides, jobs move.
//!
//! A graph never touches a joint. Each frame it turns its state, its parameters and a time step into plain, bounded
//! data, the `Frame`; nothing below a frame knows states. One hero, a crowd, a viewer and a network all run the same
//! two steps.
//!
//! ```text
//!  Graph (shared, immutable)     GraphState (plain value, one a character)
//!    states, transitions,          parameters, where each layer is, heads
//!    layers, masks                    │
//!        └───────────┬────────────────┘
//!                    ▼  update(dt): decides, allocates nothing
//!                  Frame ───────────────────────────────────────────────┐
//!                    entries {clip, time, weight, mask, additive}       │ the same entries, each with the
//!                    post-steps, in order                               │ Span that it covered this frame
//!                    ▼                                                  ▼
//!                  MixJob: samples straight into the blend            events: markers that the spans passed
//!                    ▼                                                root motion: deltas over the spans,
//!                  pose ◀── post-steps ◀──▶ PoseMemory                  blended by weight
//! ```
//!
//! # The parts
//!
//! | type | what it is | size |
//! |---|---|---|
//! | `Graph` | what may happen; made by a builder or read from an archive, shared by all who play it | any |
//! | `GraphState` | what is happening: all that an update reads and writes | known from the graph |
//! | `Frame` | what this frame shows: a `Mix`, a span an entry, post-steps | fixed, no heap |
//! | `PoseMemory` | what post-steps remember: offsets of an inertialisation, springs, foot locks | known from graph and skeleton |
//!
//! **Deciding.** `Graph::update` reads nothing but graph, state and dt, so an unseen character can be updated without a
//! pose, and later get the same bits. A dt of 0 changes nothing; a negative one, NaN or infinity is an error and
//! nothing has moved. At most one transition starts a layer and update: there is no cycle within a tick.
//!
//! **Mixing.** Entries of one layer are averaged by weight. Layers cover one another: with w the weight of a layer and
//! m its mask at a joint, it takes w·m of that joint, and the layers below share the rest. As joint weights of a blend that is,
//! for layer k, w·m of k times Π (1 - w·m) of the layers above it: one row of numbers a layer, made by [`cover()`] once
//! a frame; an entry's `mask` names its layer's row. Additive layers need no cover: their row is their own mask. User tracks and
//! morph weights are blended by the entries' weights.
//!
//! **Post-steps** run on the mixed pose in the order of the frame's list: inertialisation, then IK, look-at, springs, foot lock. Those that
//! remember do so in a `PoseMemory` and nowhere else. An inertialisation starts from the *old mix*, evaluated at the time of the transition
//! and one step earlier, never from poses that happened to be kept: a character that was not drawn, or drawn rarely, gets the same bits.
//!
//! **Events and root motion** are iterated over the frame's entries and spans. A span knows laps, so nothing is met twice or
//! lost, whatever the steps are; a delta is a function of two heads, so deltas over any split of a span compose to the whole.
//!
//! So far the crate holds root motion ([`RootTracks`], [`RootMotion`], [`RootStep`]) and the layers' rows ([`cover()`]); the graph's types are named here so that what is built below and above
//! the seam fits.
//!
//! # Save, load, compare, rewind
//!
//! A character is two plain values, `GraphState` and `PoseMemory`. A copy of both is a save; putting them back and updating with
//! the same parameters and steps gives the same bits. Cursors are not state: where a clip's keys stand shows in time, never in bits.
//! So rollback of n frames is n + 1 updates, and two machines agree if the two values do.
//!
//! # Files
//!
//! `lissom::archive` hands out a graph's section as checked bytes; this crate reads them as hostile input; JSON and the
//! compiler are in `lissom-build`.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | CPU detection at run time |
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod cover;
mod root;

pub use cover::{Layer, cover};
pub use root::{RootMotion, RootStep, RootTracks};
