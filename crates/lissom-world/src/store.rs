//! Where the data lies: 17 levels, the deep store, the lane sets.

use crate::{
    inherit::Flags,
    lanes::LaneSet,
    level::{Level, Row},
    slots::Place,
};
use alloc::vec::Vec;
use lissom_math::{Qvs, Qvvs};

/// Depths that have a level of their own below the roots (a root's child has depth 0).
pub(crate) const DEPTHS: usize = 16;
/// Everything deeper lies in one store, in no order, and is walked depth-first.
pub(crate) const DEEP: usize = DEPTHS + 1;

#[derive(Clone)]
pub(crate) struct Stores {
    /// Level 0 holds the roots, level [`DEEP`] what is deeper than the rest.
    pub levels: Vec<Level>,
    pub lanes: Vec<LaneSet>,
}

impl Default for Stores {
    fn default() -> Self {
        Self { levels: (0..=DEEP).map(|_| Level::default()).collect(), lanes: Vec::new() }
    }
}

/// The store of a child of an entity in `store`.
pub(crate) fn below(store: u32) -> u32 {
    if store as usize >= DEEP { DEEP as u32 } else { store + 1 }
}

impl Stores {
    #[inline(always)]
    fn level(&self, place: Place) -> &Level {
        &self.levels[place.store as usize]
    }

    #[inline(always)]
    pub fn level_mut(&mut self, place: Place) -> &mut Level {
        &mut self.levels[place.store as usize]
    }

    #[inline]
    pub fn local(&self, place: Place) -> Qvs {
        match place.lane_set() {
            Some(set) => self.lanes[set].local(place.row),
            None => self.level(place).local[place.row as usize],
        }
    }

    #[inline]
    pub fn world(&self, place: Place) -> Qvvs {
        match place.lane_set() {
            Some(set) => self.lanes[set].world(place.row),
            None => self.level(place).world[place.row as usize],
        }
    }

    /// Writes a local; says nothing about dirty.
    #[inline]
    pub fn set_local(&mut self, place: Place, local: &Qvs) {
        match place.lane_set() {
            Some(set) => self.lanes[set].set_local(place.row, local),
            None => self.level_mut(place).local[place.row as usize] = *local,
        }
    }

    /// Writes a local and marks it dirty, unless others drive the entity. Says whether it is dirty now.
    #[inline]
    pub fn write_local(&mut self, place: Place, local: &Qvs) -> bool {
        match place.lane_set() {
            Some(set) => {
                let lanes = &mut self.lanes[set];
                lanes.set_local(place.row, local);
                lanes.set_dirty(place.row);
                true
            }
            None => {
                let level = self.level_mut(place);
                level.local[place.row as usize] = *local;
                let moves = !level.is_external(place.row);
                if moves {
                    level.set_dirty(place.row);
                }
                moves
            }
        }
    }

    #[inline]
    pub fn set_world(&mut self, place: Place, world: &Qvvs) {
        match place.lane_set() {
            Some(set) => self.lanes[set].set_world(place.row, world),
            None => self.level_mut(place).world[place.row as usize] = *world,
        }
    }

    #[inline]
    pub fn set_dirty(&mut self, place: Place) {
        match place.lane_set() {
            Some(set) => self.lanes[set].set_dirty(place.row),
            None => self.level_mut(place).set_dirty(place.row),
        }
    }

    pub fn clear_dirty(&mut self, place: Place) {
        match place.lane_set() {
            Some(set) => self.lanes[set].clear_dirty(place.row),
            None => self.level_mut(place).clear_dirty(place.row),
        }
    }

    #[inline]
    pub fn is_dirty(&self, place: Place) -> bool {
        match place.lane_set() {
            Some(set) => self.lanes[set].is_dirty(place.row),
            None => self.level(place).is_dirty(place.row),
        }
    }

    /// Entities in lanes have none.
    #[inline]
    pub fn flags(&self, place: Place) -> Flags {
        match place.lane_set() {
            Some(_) => 0,
            None => self.level(place).tag[place.row as usize].flags,
        }
    }

    /// True where others drive the entity.
    #[inline(always)]
    pub fn is_external(&self, place: Place) -> bool {
        place.lane_set().is_none() && self.level(place).is_external(place.row)
    }

    pub fn version(&self, place: Place) -> u64 {
        match place.lane_set() {
            Some(set) => self.lanes[set].version_of(place.row),
            None => self.level(place).version_of(place.row),
        }
    }

    pub fn mark(&mut self, place: Place, version: u64) {
        match place.lane_set() {
            Some(set) => self.lanes[set].mark_one(place.row, version),
            None => self.level_mut(place).mark_one(place.row, version),
        }
    }

    pub fn row(&self, place: Place) -> Row {
        match place.lane_set() {
            Some(set) => self.lanes[set].row(place.row),
            None => self.level(place).row(place.row),
        }
    }
}
