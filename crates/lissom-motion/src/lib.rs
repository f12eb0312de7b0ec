//! What moves a character: a graph decides, jobs move.
//!
//! A graph never touches a joint. Each frame it turns its state, its parameters and a time step into plain, bounded
//! data, the [`Frame`]; nothing below a frame knows states. One hero, a crowd, a viewer and a network all run the same
//! two steps. For one hero in a game, an [`Animator`] runs both, for many a [`Crowd`](crowd::Crowd).
//!
//! ```text
//!  Graph (shared, immutable)     GraphState (plain value, one a character)
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
//!                  pose ◀── IK, look-at: jobs of `lissom`, by the game
//! ```
//!
//! # The parts
//!
//! | type | what it is | size |
//! |---|---|---|
//! | [`GraphParts`] | the description: plain lists, everything by name; what a program or a file fills in | any |
//! | [`Graph`] | the same checked, by number, in flat lists; shared by all who play it | any |
//! | [`GraphState`] | what is happening: all that an update reads and writes | known from the graph |
//! | [`PoseMemory`] | what the pose remembers: an inertialised transition, a pose taken over | known from graph and skeleton |
//! | [`Frame`] | what this frame shows | room known from the graph |
//! | [`Animator`] | graph, state, frame and a [`Body`](lissom::player::Body) that shows it | known from graph and skeleton |
//! | [`Crowd`](crowd::Crowd) | many states, and what they show | a state and its outputs a member |
//!
//! **Laps.** A state has one head, in laps: lap 3, a quarter into it. All clips of a blend are at that share of their own length, so
//! that gaits of other lengths keep step, states are brought into step by copying a head, and exits are shares of a lap. Where the
//! shares of their lengths are not enough, gaits are kept in step by markers ([`GraphParts::sync`]): a lap is then counted in the
//! parts between these, and each clip is where it passes them. What an entry covered is from one head to the next; on the time line of its clip that is a [`Span`](lissom::track::Span).
//!
//! **Deciding.** [`Graph::update`] reads nothing but graph, state and dt, so an unseen character can be updated without a
//! pose, and later get the same bits. A dt of 0 changes nothing; a negative one, NaN or infinity is an error and
//! nothing has moved. Parameters that the clips set ([`ParameterKind::Curve`]) are read from their tracks at the end of a step, and count in
//! the next. At most one transition starts a layer and update: there is no cycle within a tick. A layer plays a few
//! states at once, its voices: the last one leads, and takes its share from those before it, so that a transition may be
//! interrupted at any time without a jump. A frame shows what was played during dt, with the weights at its end: what was left in it
//! is still there, of weight 0, with what it passed.
//!
//! **Mixing.** Entries of one layer are averaged by weight. Layers cover one another: with w the weight of a layer and
//! m its mask at a joint, it takes w·m of that joint, and the layers below share the rest. As joint weights of a blend that is,
//! for layer k, w·m of k times Π (1 - w·m) of the layers above it: one row of numbers a layer, made by [`cover()`] once
//! a frame; an entry's `mask` names its layer's row. Additive layers need no cover: their row is their own mask. Morph weights
//! are blended by the entries of layers that cover the whole body.
//!
//! **Events and root motion** are iterated over the frame's entries and spans. A span knows laps, so nothing is met twice or
//! lost, whatever the steps are; a delta is a function of two heads, so deltas over any split of a span compose to the whole.
//!
//! **Inertia.** A transition may be by inertia: the new state plays at once, and what the old motion was off it is remembered in a
//! [`PoseMemory`] beside the state, and dies away. It starts from the *old mix*, evaluated at the time of the transition and one step
//! earlier: the two heads of each of the frame's entries, never poses that happened to be kept; so who shows every frame and who
//! shows few get the same bits. One that starts while another goes on takes over what is left of it. A pose from elsewhere, as a
//! ragdoll's, is blended in ([`Animator::blend_in`]) and gone on from in the same way ([`Animator::take_over`]). IK, look-at, springs and
//! foot locks are jobs of `lissom`, which a game runs on the pose.
//!
//! # Save, load, compare, rewind
//!
//! A character is two plain values, its [`GraphState`] and its [`PoseMemory`] (an animator's [`Save`]). A clone is a save, `write` makes bytes of it;
//! putting it back and updating with the same parameters and steps gives the same bits. Cursors are not state: where a clip's keys stand shows
//! in time, never in bits. So rollback of n frames is n + 1 updates, and two machines agree if the two values do.
//!
//! # Files
//!
//! A graph is described in code, or in JSON that `lissom-build` reads and puts into the archive as bytes. [`GraphParts::read`] reads
//! these as what they are, bytes from anywhere; [`Graph::new`] is the one place that checks what any of them says. [`Graph::load`] and
//! [`Animator::new`] do both.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | CPU detection at run time |
//! | `rayon` | no | `crowd::Rayon`: a crowd on the current rayon pool |
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod animator;
mod cover;
pub mod crowd;
mod frame;
mod graph;
mod load;
mod memory;
mod rate;
mod reader;
mod root;
mod state;
mod update;
mod why;

pub use animator::{AnimateError, Animator, Play, Save};
pub use cover::{Layer, cover};
pub use frame::{Entry, Frame, FrameEvent, FrameLayer, MAX_TOLD_LAPS};
pub use graph::{
    BoolKey, ClipCurve, ClipFacts, ClipKey, Curve, CurveKey, FloatKey, Graph, GraphClip, GraphError,
    GraphParts, IntKey, Interruption, LayerKey, LayerParts, MAX_POINTS, MAX_SYNC, MaskParts, MaskRule,
    MotionParts, ParameterKind, ParameterParts, Place, PlaneBlend, PlayingState, Problem, StateParts, Test,
    TransitionParts, TransitionView, TriggerKey,
};
pub use load::{LoadError, PlayedGraph};
pub use memory::{MemoryScratch, PoseMemory};
pub use reader::FormatError;
pub use root::{RootMotion, RootStep, RootTracks};
pub use state::{GraphState, Key, MAX_SHOTS, MAX_VOICES, OneShot, StateError};
pub use why::{Verdict, Why};
