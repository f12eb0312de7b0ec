//! Animation graphs: what moves a character. A graph decides, jobs compute the pose.
//!
//! A graph never touches a joint. Each frame it turns its state, its parameters and a time step into plain, bounded
//! data, the [`Frame`](frame::Frame). Nothing below a frame knows states. One character, a crowd, a viewer and a
//! network peer all run the same two steps. For one character an [`Animator`] runs both, for many a
//! [`Crowd`](crowd::Crowd).
//!
//! ```text
//!  Graph (shared, immutable)     GraphState (plain value, one per character)
//!    states, transitions,          parameters, voices of each layer, one-shots
//!    layers, masks                    │
//!        └───────────┬────────────────┘
//!                    ▼  update(dt): decides, allocates nothing
//!                  Frame ───────────────────────────────────────────────┐
//!                    entries {clip, layer, weight, from, to}            │ the same entries, over what
//!                    layers {weight, mask, additive}                    │ each covered this frame
//!                    ▼                                                  ▼
//!                  Mix, rows of joint weights                         events: markers that were passed
//!                    ▼                                                root motion: deltas over the spans,
//!                  MixJob: samples straight into the blend              blended by weight
//!                    ▼
//!                  pose ◀── IK, look-at: jobs of `lissom`, run by the game
//! ```
//!
//! # The types
//!
//! | type | what it is | size |
//! |---|---|---|
//! | [`GraphParts`] | the description: plain lists, everything by name; a program or a file fills it in | any |
//! | [`Graph`] | the same description, checked, by number, in flat lists; shared by all characters that play it | any |
//! | [`GraphState`] | what is happening: all that an update reads and writes | known from the graph |
//! | [`PoseMemory`] | what the pose remembers: an inertial transition, a pose taken over | known from graph and skeleton |
//! | [`Frame`](frame::Frame) | what this frame shows | capacity known from the graph |
//! | [`Animator`] | graph, state, frame and a [`Body`](lissom::player::Body) that shows it | known from graph and skeleton |
//! | [`Crowd`](crowd::Crowd) | many states, and what they show | one state and one row of outputs per member |
//!
//! | module | what is in it |
//! |---|---|
//! | [`graph`] | what may happen: descriptions, keys, errors, loading |
//! | [`state`] | what is happening: the state of one character, its parameters, one-shots |
//! | [`decide`] | one step of a graph, and why a transition starts or not |
//! | [`frame`] | what one frame shows: entries, layers, events, joint weights |
//! | [`memory`] | what a pose remembers |
//! | [`root`] | root motion |
//! | [`recording`] | what was done to a character, frame by frame, to be played again |
//! | [`crowd`] | many characters of one skeleton |
//! | [`matching`] | the frame of many clips that fits best |
//!
//! **Laps.** A state has one playhead, counted in laps: lap 3, a quarter into it. All clips of a blend are at that share
//! of their own length. So gaits of different lengths keep step, a state is brought into step by copying a playhead, and
//! exits are shares of a lap. Where shares of the length are not enough, markers keep gaits in step
//! ([`GraphParts::sync`]): a lap is then counted in the intervals between these markers, and each clip is where it passes
//! them. An entry covers the time from one playhead to the next; on the time line of its clip that is a
//! [`Span`](lissom::track::Span).
//!
//! **Deciding.** [`Graph::update`] reads nothing but graph, state and dt. So a hidden character can be updated without a
//! pose, and later gets the same bits. A dt of 0 changes nothing. A negative dt, NaN or infinity is an error, and nothing
//! has moved. Parameters that the clips set ([`ParameterKind::Curve`](graph::ParameterKind::Curve)) are read from their
//! tracks at the end of a step, and count in the next one. At most one transition starts per layer and update: there is
//! no cycle within a step. A layer plays a few states at once, its voices. The last one leads and takes its share from
//! those before it, so that a transition may be interrupted at any time without a jump. A frame shows what was played
//! during dt, with the weights at its end: a state that was left during the frame is still listed, with weight 0, so that
//! its markers are reported.
//!
//! **Mixing.** Entries of one layer are averaged by weight. Layers cover one another: with w the weight of a layer and
//! m its mask at a joint, it takes w·m of that joint, and the layers below share the rest. As joint weights of a blend
//! that is, for layer k, w·m of k times Π (1 - w·m) of the layers above it: one row of numbers per layer, made by
//! [`cover()`](frame::cover()) once per frame. An entry's `mask` names its layer's row. Additive layers need no cover:
//! their row is their own mask. Morph weights are blended by the entries of layers that cover the whole body.
//!
//! **Events and root motion** are computed from the frame's entries and spans. A span knows laps, so nothing is met twice
//! or lost, whatever the steps are. A delta is a function of two playheads, so deltas over any split of a span compose to
//! the whole.
//!
//! **Inertia.** A transition may be inertial: the new state plays at once, and the difference to the old motion fades out.
//! A [`PoseMemory`] beside the state remembers it. It starts from the *old mix*, evaluated at the time of the transition
//! and one step earlier: the two playheads of each of the frame's entries, never poses that happened to be kept. So a
//! character that shows every frame and one that shows few get the same bits. A transition that starts while another goes
//! on takes over what is left of it. A pose from elsewhere, such as a ragdoll's, is blended in
//! ([`Animator::blend_in`]), and the graph goes on from it in the same way ([`Animator::take_over`]). IK, look-at, springs
//! and foot locks are jobs of `lissom`, which a game runs on the pose.
//!
//! # Save, load, compare, rewind
//!
//! A character is two plain values, its [`GraphState`] and its [`PoseMemory`]. A clone is a save, and `write` makes bytes
//! of it. A [`Save`] is both, and the rate at which the character is posed; at a rate above 1 it also holds what is shown
//! until the next pose. Restoring it and updating with the same parameters and steps gives the same bits. Cursors are not
//! state: where a clip's keys stand changes the time that a sample takes, never its bits. So rollback of n frames is n + 1
//! updates, and two machines agree if their saves do.
//!
//! # Files
//!
//! A graph is described in code, or in JSON that `lissom-build` reads and writes into the archive as bytes.
//! [`GraphParts::read`] reads these bytes and trusts nothing in them; [`Graph::new`] is the one place that checks what a
//! description says. [`Graph::load`] and [`Animator::new`] do both.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | CPU detection at run time |
//! | `rayon` | no | `crowd::Rayon`: a crowd on the current rayon pool |
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod animator;
mod cast;
pub mod crowd;
pub mod decide;
mod error;
mod feet;
pub mod frame;
pub mod graph;
mod kept;
mod limits;
pub mod matching;
pub mod memory;
mod reader;
pub mod recording;
pub mod root;
mod save;
pub mod state;
mod time;
mod turn;

pub use animator::{AnimateError, Animator, GoToState, Play};
pub use graph::{Graph, GraphParts};
pub use memory::PoseMemory;
pub use root::RootStep;
pub use save::Save;
pub use state::{GraphState, StateError};
