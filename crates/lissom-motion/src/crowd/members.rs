//! Who is in a crowd: all that an update reads and writes, a slot a member, as structure of arrays.

use super::{error::CrowdError, played_clip::PlayedClips};
use crate::{PoseMemory, RootStep, memory::InertiaBuffer, state::GraphState, turn::Turn};
use alloc::vec::Vec;
use core::fmt;

/// A member of a crowd: a handle of slot index and generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Member {
    index: u32,
    /// Odd while somebody is there.
    generation: u32,
}

impl Member {
    /// Its place in everything that the crowd writes, for as long as it is a member.
    #[must_use]
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.index, self.generation / 2 + 1)
    }
}

/// What decides for a member.
#[derive(Clone, Debug)]
pub(super) enum Mind {
    Graph { graph: u16, state: GraphState, memory: PoseMemory },
    Clips(PlayedClips),
}

/// How a member is treated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Care {
    pub seen: bool,
    /// Root motion moves its place.
    pub travels: bool,
    pub turn: Turn,
    /// 0 has all joints; the others are the crowd's levels.
    pub level: u8,
    /// The update that posed it; 0 at first.
    pub posed_in: u64,
    /// How fast its time goes.
    pub pace: f32,
}

impl Care {
    pub const NEW: Self =
        Self { seen: true, travels: true, turn: Turn::NEW, level: 0, posed_in: 0, pace: 1.0 };

    /// Its pace is 0: nothing is computed for it, unless its pose is stale.
    pub fn stands_still(&self) -> bool {
        self.pace == 0.0
    }

    /// Makes it visible or hidden. A member that becomes visible is posed with the next update.
    pub fn show(&mut self, seen: bool) {
        if seen && !self.seen {
            self.turn.refresh();
        }
        self.seen = seen;
    }

    /// Its level of detail, from the next update on.
    pub fn set_level(&mut self, level: u8) {
        if self.level != level {
            self.turn.refresh();
        }
        self.level = level;
    }

    /// Something changed that is visible even at a pace of 0.
    pub fn refresh(&mut self) {
        if self.stands_still() {
            self.turn.refresh();
        }
    }
}

/// A slot a member; freed ones keep what they hold, so that who comes next needs no memory.
#[derive(Debug, Default)]
pub(super) struct Members {
    pub generations: Vec<u32>,
    pub minds: Vec<Mind>,
    pub places: Vec<RootStep>,
    pub cares: Vec<Care>,
    /// The step of the last update.
    pub steps: Vec<RootStep>,
    /// Spare buffers for pose memories: no member uses them now.
    pub spares: Vec<InertiaBuffer>,
    free: Vec<u32>,
}

impl Members {
    pub fn slots(&self) -> usize {
        self.generations.len()
    }

    pub fn len(&self) -> usize {
        self.slots() - self.free.len()
    }

    /// Everybody, by index.
    pub fn iter(&self) -> impl Iterator<Item = Member> {
        self.generations
            .iter()
            .enumerate()
            .filter(|(_, generation)| is_live(**generation))
            .map(|(index, generation)| Member { index: index as u32, generation: *generation })
    }

    /// True if a member is in this slot.
    pub fn is_live(&self, at: usize) -> bool {
        is_live(self.generations[at])
    }

    /// Where a member is.
    pub fn find(&self, member: Member) -> Result<usize, CrowdError> {
        let found = self.generations.get(member.index()) == Some(&member.generation);
        found.then(|| member.index()).ok_or(CrowdError::Unknown { member })
    }

    /// Takes a slot; the member's mind is a copy of this. Without allocation where somebody of the same graph has been before.
    pub fn add(&mut self, mind: &Mind, place: RootStep) -> Result<Member, CrowdError> {
        let Some(index) = self.free.pop() else {
            let full = CrowdError::Full { what: "members" };
            let index = u32::try_from(self.slots()).map_err(|_| full)?;
            self.generations.push(1);
            self.minds.push(mind.copy(&mut self.spares));
            self.places.push(place);
            self.cares.push(Care::NEW);
            self.steps.push(RootStep::IDENTITY);
            // Capacity for every slot: removing allocates nothing.
            self.free.reserve(self.generations.len());
            return Ok(Member { index, generation: 1 });
        };
        let at = index as usize;
        self.minds[at].copy_from(mind, &mut self.spares);
        (self.places[at], self.cares[at], self.steps[at]) = (place, Care::NEW, RootStep::IDENTITY);
        self.generations[at] = self.generations[at].wrapping_add(1);
        Ok(Member { index, generation: self.generations[at] })
    }

    pub fn remove(&mut self, member: Member) -> Result<(), CrowdError> {
        let at = self.find(member)?;
        self.generations[at] = self.generations[at].wrapping_add(1);
        self.free.push(member.index);
        Ok(())
    }

    /// Takes a removal back; the last one first.
    pub fn undo_remove(&mut self, member: Member) {
        self.generations[member.index()] = member.generation;
        self.free.pop();
    }

    /// Bytes of a slot.
    pub fn bytes(&self, at: usize) -> usize {
        let mind = match &self.minds[at] {
            Mind::Graph { state, memory, .. } => state.memory_bytes() + memory.memory_bytes(),
            Mind::Clips(_) => 0,
        };
        let slot = size_of::<Mind>() + 2 * size_of::<RootStep>() + size_of::<Care>() + 2 * size_of::<u32>();
        slot + mind
    }
}

pub(super) fn is_live(generation: u32) -> bool {
    generation & 1 != 0
}

pub(super) fn member_at(index: usize, generation: u32) -> Member {
    Member { index: index as u32, generation }
}

impl Mind {
    /// A copy; its pose memory uses a spare buffer, if there is one.
    fn copy(&self, spares: &mut Vec<InertiaBuffer>) -> Self {
        match self {
            Self::Graph { graph, state, memory } => {
                Self::Graph { graph: *graph, state: state.clone(), memory: memory.clone_into_buffer(spares) }
            }
            Self::Clips(clips) => Self::Clips(*clips),
        }
    }

    /// Without allocation if both are of one graph and there is a spare buffer.
    fn copy_from(&mut self, source: &Self, spares: &mut Vec<InertiaBuffer>) {
        match (&mut *self, source) {
            (
                Self::Graph { graph, state, memory },
                Self::Graph { graph: from, state: source, memory: kept },
            ) => {
                *graph = *from;
                state.clone_from(source);
                memory.clone_from_into_buffer(kept, spares);
            }
            _ => {
                self.forget(spares);
                *self = source.copy(spares);
            }
        }
    }

    /// True if its pose memory may need a buffer, and has none.
    pub fn lacks_buffer(&self) -> bool {
        matches!(self, Self::Graph { memory, .. } if memory.lacks_buffer())
    }

    /// Its pose remembers nothing any more.
    fn forget(&mut self, spares: &mut Vec<InertiaBuffer>) {
        if let Self::Graph { memory, .. } = self {
            memory.forget();
            memory.return_buffer(spares);
        }
    }
}

impl Clone for Members {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Without allocation if the capacity is there.
    fn clone_from(&mut self, source: &Self) {
        self.generations.clone_from(&source.generations);
        // All buffers are returned first: they are then enough if as many have ever been in use.
        let Self { minds, spares, .. } = self;
        minds.iter_mut().for_each(|mind| mind.forget(spares));
        minds.truncate(source.minds.len());
        for (mind, from) in minds.iter_mut().zip(&source.minds) {
            mind.copy_from(from, spares);
        }
        let more = &source.minds[minds.len()..];
        minds.extend(more.iter().map(|mind| mind.copy(spares)));
        // As many spares as the source: repeated copies then need no further allocation.
        let more = source.spares.iter().skip(spares.len());
        spares.extend(more.map(|buffer| InertiaBuffer::with_capacity(buffer.capacity())));
        self.places.clone_from(&source.places);
        self.cares.clone_from(&source.cares);
        self.steps.clone_from(&source.steps);
        self.free.clone_from(&source.free);
    }
}
