//! Records a character while it plays.

use super::{Recording, Step, delta};
use crate::{
    Graph, GraphState, PoseMemory, RootStep,
    frame::{Event, Frame, What},
};
use alloc::vec::Vec;
use lissom::{
    Skeleton,
    hash::Fnv64,
    math::soa::{self, SoaTransform},
};

/// A recording that goes on.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    recording: Recording,
    /// As the last update left them.
    state: Vec<u8>,
    memory: Vec<u8>,
    dt_s: f64,
    /// What code changed since then: of the frame that has begun.
    state_edits: Option<Vec<u8>>,
    memory_edits: Option<Vec<u8>>,
    scratch: Vec<u8>,
}

/// What was shown of a frame: its pose, as the graph has it.
pub(crate) struct Shown<'a> {
    pub pose: &'a [SoaTransform],
    pub joints: usize,
}

impl Recorder {
    /// From now on.
    pub fn new(skeleton: &Skeleton, graph: &Graph, state: &GraphState, memory: &PoseMemory) -> Self {
        let (state, memory) = (state.to_bytes().into_vec(), memory.to_bytes());
        let recording = Recording {
            graph: graph.shape,
            skeleton: skeleton.identity(),
            state: state.clone(),
            memory: memory.clone(),
            count: 0,
            frames: Vec::new(),
        };
        Self {
            recording,
            state,
            memory,
            // The first frame says its length.
            dt_s: f64::NAN,
            state_edits: None,
            memory_edits: None,
            scratch: Vec::new(),
        }
    }

    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    pub fn into_recording(self) -> Recording {
        self.recording
    }

    /// Before an update: what code changed.
    pub fn begin(&mut self, state: &GraphState, memory: &PoseMemory) {
        let mut changed = |write: &dyn Fn(&mut Vec<u8>), before: &[u8]| {
            self.scratch.clear();
            write(&mut self.scratch);
            (self.scratch != before).then(|| {
                let mut edits = Vec::new();
                delta::write(before, &self.scratch, &mut edits);
                edits
            })
        };
        self.state_edits = changed(&|bytes| state.write(bytes), &self.state);
        self.memory_edits = changed(&|bytes| memory.write(bytes), &self.memory);
    }

    /// After it: what came out.
    pub fn end<'e>(
        &mut self,
        dt_s: f64,
        (state, memory): (&GraphState, &PoseMemory),
        mix: u32,
        events: impl Iterator<Item = Event<'e>>,
        root: &RootStep,
        shown: Option<&Shown<'_>>,
    ) {
        self.state.clear();
        state.write(&mut self.state);
        self.memory.clear();
        memory.write(&mut self.memory);
        let decided = decided(&self.state, &self.memory, mix, events, root);
        let step = Step {
            dt_s,
            state: self.state_edits.as_deref(),
            memory: self.memory_edits.as_deref(),
            decided,
            shown: shown.map(Shown::hash),
            feet_wait: !memory.has_fresh_feet(),
        };
        step.write(self.dt_s, &mut self.recording.frames);
        self.recording.count += 1;
        self.dt_s = dt_s;
        (self.state_edits, self.memory_edits) = (None, None);
    }
}

/// A hash of what a frame is mixed from: clips by the graph's numbers, where each is, and its share of its layer.
pub(crate) fn mix_hash(frame: &Frame) -> u32 {
    let mut hash = Fnv64::new();
    for entry in frame.entries() {
        hash = hash.u32(u32::from(entry.clip)).u32(u32::from(entry.layer)).f32(entry.weight);
        hash = hash.bytes(&entry.ratio().to_bits().to_le_bytes());
    }
    for layer in frame.layers() {
        hash = hash.f32(layer.weight);
    }
    short(hash)
}

/// Of all that is decided. Clips of events are not counted by number: a crowd has numbers of its own.
pub(super) fn decided<'e>(
    state: &[u8],
    memory: &[u8],
    mix: u32,
    events: impl Iterator<Item = Event<'e>>,
    root: &RootStep,
) -> u32 {
    let mut hash = Fnv64::new().bytes(state).bytes(memory).u32(mix);
    for Event { what, layer, share, weight } in events {
        let (kind, which) = match what {
            What::Marker { marker, lap, backward, .. } => {
                hash = hash.bytes(marker.name.as_bytes()).bytes(&marker.time_s.to_bits().to_le_bytes());
                hash = hash.bytes(&lap.to_le_bytes());
                (0, u16::from(backward))
            }
            What::MarkerBegan { marker, .. } => {
                hash = hash.bytes(marker.name.as_bytes()).bytes(&marker.time_s.to_bits().to_le_bytes());
                (9, 0)
            }
            What::MarkerEnded { marker, interrupted, .. } => {
                hash = hash.bytes(marker.name.as_bytes()).bytes(&marker.time_s.to_bits().to_le_bytes());
                (10, u16::from(interrupted))
            }
            What::Entered(state) => (1, state.0),
            What::Left(state) => (2, state.0),
            What::Finished(state) => (3, state.0),
            What::TransitionStarted(state) => (4, state.0),
            What::TransitionEnded(state) => (5, state.0),
            What::ShotBegan(clip) => (6, clip.0),
            What::ShotEnded(clip) => (7, clip.0),
            What::ShotInterrupted(clip) => (8, clip.0),
            What::SectionBegan(section) => {
                hash = hash.u32(u32::from(section.montage));
                (11, u16::from(section.section))
            }
        };
        hash = hash.u32(kind).u32(u32::from(which)).u32(u32::from(layer)).f32(share).f32(weight);
    }
    let RootStep { translation, rotation } = root;
    for number in translation.iter().chain(rotation) {
        hash = hash.bytes(&number.to_bits().to_le_bytes());
    }
    short(hash)
}

impl Shown<'_> {
    pub(super) fn hash(&self) -> u32 {
        let mut hash = Fnv64::new();
        for joint in 0..self.joints {
            hash = soa::lane(self.pose, joint).to_array().into_iter().fold(hash, Fnv64::f32);
        }
        short(hash)
    }
}

/// Both halves count.
fn short(hash: Fnv64) -> u32 {
    let hash = hash.finish();
    (hash >> 32) as u32 ^ hash as u32
}
