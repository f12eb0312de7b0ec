//! Plays a recording again.

use super::{
    Recording, Shown, Step, delta,
    recorder::{decided, mix_hash},
};
use crate::{
    AnimateError, Animator, Graph, GraphState, PoseMemory, Save, StateError,
    graph::{FormatError, LoadError},
    reader::Reader,
};
use alloc::{string::String, sync::Arc, vec::Vec};
use lissom::{
    archive::{Archive, SectionKind},
    player::PlayError,
};

/// The most bytes that a state or the memory of a pose may become.
const MOST_BYTES: usize = 1 << 24;

/// Why a recording cannot be played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// No skeleton of the archive is the one that was recorded.
    #[error("the archive does not have the skeleton that was recorded ({identity:#018x}); it has {known}")]
    Skeleton {
        /// The identity of that skeleton.
        identity: u64,
        /// What the archive has.
        known: String,
    },
    /// No graph of the archive has the parameters, layers and states of the one that was recorded.
    #[error(
        "no graph of the archive has the parameters, layers and states of the one that was recorded; it has {known}"
    )]
    Graph {
        /// What the archive has.
        known: String,
    },
    /// Its bytes do not fit the graph.
    #[error("frame {frame}: {source}")]
    Format {
        /// Counted from 0.
        frame: usize,
        /// What is wrong.
        source: FormatError,
    },
    /// A state that the graph cannot be in.
    #[error("frame {frame}: {source}")]
    State {
        /// Counted from 0.
        frame: usize,
        /// What is wrong.
        source: StateError,
    },
    /// The archive, or playing it.
    #[error(transparent)]
    Animate(#[from] AnimateError),
    /// A graph of the archive.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A skeleton of the archive.
    #[error(transparent)]
    Play(#[from] PlayError),
}

/// What came out otherwise than it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// State, mix, events or root motion.
    Decided,
    /// The pose.
    Shown,
}

/// A frame that was played again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayedFrame {
    /// Counted from 0.
    pub frame: usize,
    /// How long it was.
    pub dt_s: f64,
    /// Seconds from the start to its end.
    pub time_s: f64,
    /// True if code changed something before it.
    pub changed: bool,
    /// What came out otherwise; `None`: nothing.
    pub difference: Option<Difference>,
}

/// A recording that is played again: step by step, beside an [`Animator`] that shows it.
#[derive(Clone, Debug)]
pub struct Replay {
    animator: Animator,
    /// As code found it before the last frame.
    before: GraphState,
    recording: Recording,
    /// Bytes of the frames that have been played.
    read: usize,
    frame: usize,
    time_s: f64,
    dt_s: f64,
    state: Vec<u8>,
    memory: Vec<u8>,
}

impl Replay {
    /// Of an archive with the same skeleton and a graph of the same parameters, layers and states.
    ///
    /// # Errors
    ///
    /// [`ReplayError::Skeleton`], [`ReplayError::Graph`]; what is wrong with the archive, or with the first state.
    pub fn new(archive: &Archive, recording: Recording) -> Result<Self, ReplayError> {
        let mut broken = None;
        for name in archive.names(SectionKind::Graph) {
            match Graph::load(archive, name) {
                Ok(graph) if graph.shape == recording.graph => {
                    return Self::with_graph(archive, Arc::new(graph), recording);
                }
                Ok(_) => {}
                Err(error) => broken = broken.or(Some(error)),
            }
        }
        let known = names(archive, SectionKind::Graph);
        Err(broken.map_or(ReplayError::Graph { known }, ReplayError::Load))
    }

    /// The same of a graph made in code.
    ///
    /// # Errors
    ///
    /// Those of [`Replay::new`].
    pub fn with_graph(
        archive: &Archive,
        graph: Arc<Graph>,
        recording: Recording,
    ) -> Result<Self, ReplayError> {
        if graph.shape != recording.graph {
            return Err(ReplayError::Graph { known: String::from("another one") });
        }
        let same = |name: &&str| archive.skeleton(name).is_ok_and(|own| own.identity() == recording.skeleton);
        let Some(skeleton) = archive.names(SectionKind::Skeleton).find(same) else {
            let known = names(archive, SectionKind::Skeleton);
            return Err(ReplayError::Skeleton { identity: recording.skeleton, known });
        };
        let animator = Animator::of_skeleton(archive, skeleton, graph)?;
        let mut replay = Self {
            before: animator.state().clone(),
            state: recording.state.clone(),
            memory: recording.memory.clone(),
            animator,
            recording,
            read: 0,
            frame: 0,
            time_s: 0.0,
            dt_s: 0.0,
        };
        replay.put()?;
        replay.animator.update(0.0)?;
        Ok(replay)
    }

    /// Plays the next frame; `None` after the last one. A difference does not stop it: what follows is compared, too.
    ///
    /// # Errors
    ///
    /// [`ReplayError::Format`], [`ReplayError::State`]: edits that do not fit the state, which also happens after a difference.
    pub fn step(&mut self) -> Result<Option<ReplayedFrame>, ReplayError> {
        let frame = self.frame;
        if frame >= self.recording.len() {
            return Ok(None);
        }
        let recording = core::mem::replace(&mut self.recording, Recording::EMPTY);
        let done = self.play(&recording);
        self.recording = recording;
        done.map(Some)
    }

    fn play(&mut self, recording: &Recording) -> Result<ReplayedFrame, ReplayError> {
        let frame = self.frame;
        let format = |source| ReplayError::Format { frame, source };
        let mut from = Reader::new(recording.frames().get(self.read..).unwrap_or_default());
        let step = Step::read(&mut from, self.dt_s).map_err(format)?;
        self.state.clear();
        self.animator.state().write(&mut self.state);
        self.memory.clear();
        self.animator.memory().write(&mut self.memory);
        for (bytes, edits) in [(&mut self.state, step.state), (&mut self.memory, step.memory)] {
            edits.map_or(Ok(()), |edits| delta::apply(bytes, edits, MOST_BYTES)).map_err(format)?;
        }
        let changed = step.state.is_some() || step.memory.is_some();
        if changed {
            self.put()?;
        }
        self.before.clone_from(self.animator.state());
        self.animator.replay(step.dt_s, step.feet_wait)?;
        self.state.clear();
        self.animator.state().write(&mut self.state);
        self.memory.clear();
        self.animator.memory().write(&mut self.memory);
        let (mix, root) = (mix_hash(self.animator.frame()), self.animator.root_delta());
        let is = decided(&self.state, &self.memory, mix, self.animator.events(), &root);
        let shown =
            Shown { pose: self.animator.pose(), joints: self.animator.body().skeleton().joint_count() };
        let difference = if is != step.decided {
            Some(Difference::Decided)
        } else {
            step.shown.filter(|recorded| *recorded != shown.hash()).map(|_| Difference::Shown)
        };
        self.read += from.at();
        self.frame += 1;
        self.dt_s = step.dt_s;
        self.time_s += step.dt_s;
        Ok(ReplayedFrame { frame, dt_s: step.dt_s, time_s: self.time_s, changed, difference })
    }

    /// State and memory as their bytes say.
    fn put(&mut self) -> Result<(), ReplayError> {
        let (frame, graph) = (self.frame, self.animator.graph());
        let state =
            GraphState::read(graph, &self.state).map_err(|source| ReplayError::State { frame, source })?;
        let memory = PoseMemory::read(graph, self.animator.body().skeleton(), &self.memory)
            .map_err(|source| ReplayError::Format { frame, source })?;
        Ok(self.animator.restore(&Save::new(state, memory))?)
    }

    /// The character, as it is after the last frame.
    #[must_use]
    pub fn animator(&self) -> &Animator {
        &self.animator
    }

    /// The same, to skin or to take palettes.
    pub fn animator_mut(&mut self) -> &mut Animator {
        &mut self.animator
    }

    /// The state that the last frame started from: with what code had changed.
    #[must_use]
    pub fn before(&self) -> &GraphState {
        &self.before
    }

    /// What is played.
    #[must_use]
    pub fn recording(&self) -> &Recording {
        &self.recording
    }
}

impl Recording {
    const EMPTY: Self =
        Self { graph: 0, skeleton: 0, state: Vec::new(), memory: Vec::new(), count: 0, frames: Vec::new() };
}

fn names(archive: &Archive, kind: SectionKind) -> String {
    let names: Vec<&str> = archive.names(kind).collect();
    if names.is_empty() { String::from("none") } else { names.join(", ") }
}
