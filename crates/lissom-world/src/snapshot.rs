//! The whole world as bytes, and back.
//!
//! Little endian. Header: `LSWORLD1`, version u64, slots u32, free u32, alive u32. Then the generations of
//! all slots (u32), the free list (u32), and one record an entity, parents before children, siblings in
//! order: slot u32, parent u32 (all ones: none), flags u16, dirty u16, version u64, local 8 × f32, world
//! 12 × 32 bits. A restored world answers every call like the one it came from, except that prefab
//! instances stand in levels, no longer in lanes, so [`World::changed_since`] lists in another order.
//!
//! Reading believes nothing: every count is checked against the bytes that are there before anything is
//! reserved for it.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use crate::{
    SnapshotError, World,
    inherit::EXTERNAL,
    level::Row,
    slots::{MAX_SLOTS, NONE, Slots},
};
use alloc::{vec, vec::Vec};
use lissom_math::{Qvs, Qvvs};

const MAGIC: [u8; 8] = *b"LSWORLD1";
/// Bytes before the generations.
const HEADER: u64 = 28;
/// Bytes an entity.
const RECORD: u64 = 100;
/// The newest version that is read: as many syncs again can follow before the count overflows.
const MAX_VERSION: u64 = u64::MAX / 2;

/// Bytes after the header. In 64 bits whatever the machine: as a 32-bit `usize`, counts that pass every
/// check would wrap around to a size that is there.
fn body_bytes(slots: u32, free: u32, alive: u32) -> u64 {
    let words = u64::from(slots).saturating_add(u64::from(free));
    words.saturating_mul(4).saturating_add(u64::from(alive).saturating_mul(RECORD))
}

impl World {
    /// The world as bytes: the same world gives the same bytes everywhere.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (n, free) = (self.slots.len() as u32, self.slots.free_list());
        let (free_count, alive) = (free.len() as u32, self.len() as u32);
        // What is in memory already, with more around it, fits.
        let size = HEADER.saturating_add(body_bytes(n, free_count, alive)) as usize;
        let mut out = Vec::with_capacity(size);
        out.extend(MAGIC);
        out.extend(self.version.to_le_bytes());
        out.extend(n.to_le_bytes());
        out.extend(free_count.to_le_bytes());
        out.extend(alive.to_le_bytes());
        out.extend((0..n).flat_map(|slot| self.slots.generation(slot).to_le_bytes()));
        out.extend(free.iter().flat_map(|slot| slot.to_le_bytes()));
        for root in (0..n).filter(|&s| self.slots.is_alive(s) && self.slots.parent(s) == NONE) {
            let mut slot = root;
            while slot != NONE {
                self.write_record(slot, &mut out);
                slot = self.slots.next_in_subtree(root, slot);
            }
        }
        debug_assert_eq!(out.len(), size);
        out
    }

    fn write_record(&self, slot: u32, out: &mut Vec<u8>) {
        let row = self.stores.row(self.slots.place(slot));
        out.extend(slot.to_le_bytes());
        out.extend(self.slots.parent(slot).to_le_bytes());
        out.extend(row.flags.to_le_bytes());
        out.extend(u16::from(row.dirty).to_le_bytes());
        out.extend(row.version.to_le_bytes());
        let local: [u32; 8] = bytemuck::cast(row.local);
        let world: [u32; 12] = bytemuck::cast(row.world);
        out.extend(local.iter().chain(&world).flat_map(|word| word.to_le_bytes()));
    }

    /// A world from bytes that [`World::to_bytes`] gave. Any other bytes give an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let mut r = Reader { rest: bytes, at: 0 };
        let magic = u64::from_le_bytes(r.take()?);
        if magic != u64::from_le_bytes(MAGIC) {
            return Err(SnapshotError::Value { offset: 0, what: "magic", value: magic });
        }
        let version = u64::from_le_bytes(r.take()?);
        r.check(version <= MAX_VERSION, "version", version)?;
        let (slots, free, alive) = (r.u32()?, r.u32()?, r.u32()?);
        let used = u64::from(free).saturating_add(u64::from(alive));
        r.check(slots as usize <= MAX_SLOTS && used <= u64::from(slots), "entity count", used)?;
        r.need(body_bytes(slots, free, alive))?;
        let n = slots as usize;
        let mut generations = Vec::with_capacity(n);
        for _ in 0..n {
            generations.push(r.u32()?);
        }
        // What became of each slot: nothing said, free, or alive.
        let mut seen = vec![false; n];
        let mut free_list = Vec::with_capacity(free as usize);
        for _ in 0..free {
            let slot = r.u32()?;
            r.claim(&mut seen, slot)?;
            free_list.push(slot);
        }
        let mut world = Self::new();
        world.version = version;
        world.slots = Slots::restore(&generations, free_list);
        for _ in 0..alive {
            r.record(&mut world, &mut seen)?;
        }
        for (slot, (seen, generation)) in seen.iter().zip(&generations).enumerate() {
            let lost = !seen && *generation != u32::MAX;
            r.check(!lost, "slot that is neither alive nor free", slot as u64)?;
        }
        match r.rest.len() {
            0 => Ok(world),
            extra => Err(SnapshotError::Trailing { offset: r.at, extra }),
        }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn need(&self, count: u64) -> Result<(), SnapshotError> {
        match count.saturating_sub(self.rest.len() as u64) {
            0 => Ok(()),
            need => Err(SnapshotError::Truncated { offset: self.at, need }),
        }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let Some((head, rest)) = self.rest.split_first_chunk() else {
            let need = (N as u64).saturating_sub(self.rest.len() as u64);
            return Err(SnapshotError::Truncated { offset: self.at, need });
        };
        self.rest = rest;
        self.at = self.at.saturating_add(N);
        Ok(*head)
    }

    fn u32(&mut self) -> Result<u32, SnapshotError> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    fn words<const N: usize>(&mut self) -> Result<[u32; N], SnapshotError> {
        let mut out = [0; N];
        for word in &mut out {
            *word = self.u32()?;
        }
        Ok(out)
    }

    /// Names the value just read.
    fn check(&self, ok: bool, what: &'static str, value: u64) -> Result<(), SnapshotError> {
        if ok { Ok(()) } else { Err(SnapshotError::Value { offset: self.at, what, value }) }
    }

    /// A slot may be named once.
    fn claim(&self, seen: &mut [bool], slot: u32) -> Result<(), SnapshotError> {
        match seen.get_mut(slot as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => self.check(false, "slot", u64::from(slot))?,
        }
        Ok(())
    }

    fn record(&mut self, world: &mut World, seen: &mut [bool]) -> Result<(), SnapshotError> {
        let slot = self.u32()?;
        self.claim(seen, slot)?;
        let parent = self.u32()?;
        let known = parent == NONE || ((parent as usize) < seen.len() && world.slots.is_alive(parent));
        self.check(known, "parent", u64::from(parent))?;
        let flags = u16::from_le_bytes(self.take()?);
        self.check(flags <= EXTERNAL | 0xff, "flags", u64::from(flags))?;
        let dirty = u16::from_le_bytes(self.take()?);
        self.check(dirty <= 1, "dirty", u64::from(dirty))?;
        let version = u64::from_le_bytes(self.take()?);
        self.check(version <= world.version, "version", version)?;
        let local: Qvs = bytemuck::cast(self.words::<8>()?);
        let own: Qvvs = bytemuck::cast(self.words::<12>()?);
        self.check(local.is_finite(), "local transform that is not finite: slot", u64::from(slot))?;
        world.slots.revive(slot);
        world.slots.link(slot, parent);
        world.place_new(parent, &Row { slot, local, world: own, flags, version, dirty: dirty == 1 });
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests may panic")]
mod tests {
    use super::*;

    /// A header with these counts and nothing behind it.
    fn header(version: u64, slots: u32, free: u32, alive: u32) -> Vec<u8> {
        let counts = [slots, free, alive].map(u32::to_le_bytes).concat();
        [&MAGIC[..], &version.to_le_bytes(), &counts].concat()
    }

    #[test]
    fn sizes_beyond_32_bits_are_counted_in_full() {
        // 2^30 slots are 2^32 bytes, with these entities 2^33 + 4: to a 32-bit machine 0 and 4.
        let most = MAX_SLOTS as u32;
        let wraps = 42_949_673;
        assert_eq!(body_bytes(most, 0, 0), 1 << 32);
        assert_eq!(body_bytes(most, 0, wraps), (1 << 33) + 4);
        assert_eq!(body_bytes(u32::MAX, u32::MAX, u32::MAX), 108 * u64::from(u32::MAX));
        for alive in [0, wraps] {
            let need = body_bytes(most, 0, alive);
            let error = World::from_bytes(&header(0, most, 0, alive)).err();
            assert_eq!(error, Some(SnapshotError::Truncated { offset: 28, need }));
        }
        assert_eq!(header(0, 0, 0, 0).len() as u64, HEADER);
    }

    #[test]
    fn counts_that_contradict_each_other_are_refused() {
        for (slots, free, alive) in [(1, 1, 1), (0, 0, 1), (3, 4, 0), (u32::MAX, 0, 0), (9, u32::MAX, 10)] {
            let error = World::from_bytes(&header(0, slots, free, alive)).err();
            assert!(matches!(error, Some(SnapshotError::Value { offset: 28, .. })), "{error:?}");
        }
    }

    #[test]
    fn a_version_that_the_next_syncs_would_overflow_is_refused() {
        for (version, ok) in [(MAX_VERSION, true), (MAX_VERSION + 1, false), (u64::MAX, false)] {
            assert_eq!(World::from_bytes(&header(version, 0, 0, 0)).is_ok(), ok, "{version}");
        }
    }
}
