//! A character, saved: all that decides its next frames.

use crate::{GraphState, PoseMemory, turn::Turn};
use alloc::vec::Vec;
use lissom::math::{Mat4, soa::SoaTransform};

/// All that decides the next frames of a character: plain values, to keep, compare and restore.
///
/// It also holds the rate ([`Animator::set_rate`](crate::Animator::set_rate)) and, at a rate above 1, what is shown until the
/// next pose. The level of detail is not part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Save {
    /// Of its graph.
    pub state: GraphState,
    /// Of its pose.
    pub memory: PoseMemory,
    pub(crate) held: Held,
}

impl Save {
    /// Of a character that is posed in every update.
    #[must_use]
    pub fn new(state: GraphState, memory: PoseMemory) -> Self {
        Self { state, memory, held: Held::NOTHING }
    }
}

/// When a character is posed next, and what it shows until then. The lists are empty if every update poses it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held {
    pub turn: Turn,
    /// Empty for a member of a crowd, which keeps no local pose.
    pub pose: Vec<SoaTransform>,
    pub models: Vec<Mat4>,
    /// What the matrices move to; empty if they do not move from pose to pose.
    pub target: Vec<Mat4>,
    /// Weights of all morph targets, mesh after mesh.
    pub morphs: Vec<f32>,
}

impl Held {
    pub const NOTHING: Self = Self {
        turn: Turn::FULL,
        pose: Vec::new(),
        models: Vec::new(),
        target: Vec::new(),
        morphs: Vec::new(),
    };

    /// Nothing held yet, for this turn. Keeps its capacity.
    pub fn begin(&mut self, turn: Turn) {
        self.turn = turn;
        self.pose.clear();
        self.models.clear();
        self.target.clear();
        self.morphs.clear();
    }

    /// True if what it holds is of a skeleton of this many joints, in this many groups.
    pub fn fits(&self, joints: usize, groups: usize) -> bool {
        let is = |len: usize, of: usize| len == 0 || len == of;
        is(self.pose.len(), groups) && is(self.models.len(), joints) && is(self.target.len(), joints)
    }
}
