//! The whole world as bytes, and back.
//!
//! Little endian. Header: `LSWORLD1`, version u64, slots u32, free u32, alive u32. Then the generations of
//! all slots (u32), the free list (u32), and one record an entity, parents before children, siblings in
//! order: slot u32, parent u32 (all ones: none), flags u16, dirty u16, version u64, local 8 × f32, world
//! 12 × 32 bits. A restored world answers every call like the one it came from, except that prefab
//! instances stand in levels, no longer in lanes, so [`World::changed_since`] lists in another order.

use crate::{
    SnapshotError, World,
    inherit::EXTERNAL,
    level::Row,
    slots::{MAX_SLOTS, NONE, Slots},
};
use alloc::{vec, vec::Vec};
use bytemuck::{bytes_of, pod_read_unaligned};
use lissom_math::{Qvs, Qvvs};

const MAGIC: [u8; 8] = *b"LSWORLD1";
const RECORD: usize = 100;

impl World {
    /// The world as bytes: the same world gives the same bytes everywhere.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let n = self.slots.len() as u32;
        let mut out = Vec::with_capacity(28 + self.slots.len() * (RECORD + 8));
        out.extend(MAGIC);
        out.extend(self.version.to_le_bytes());
        out.extend(n.to_le_bytes());
        out.extend((self.slots.free_list().len() as u32).to_le_bytes());
        out.extend((self.len() as u32).to_le_bytes());
        out.extend((0..n).flat_map(|slot| self.slots.generation(slot).to_le_bytes()));
        out.extend(self.slots.free_list().iter().flat_map(|slot| slot.to_le_bytes()));
        for root in (0..n).filter(|&s| self.slots.is_alive(s) && self.slots.parent(s) == NONE) {
            let mut slot = root;
            while slot != NONE {
                self.write_record(slot, &mut out);
                slot = self.slots.next_in_subtree(root, slot);
            }
        }
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
        debug_assert_eq!(bytes_of(&row.local).len() + bytes_of(&row.world).len(), 80);
    }

    /// A world from bytes that [`World::to_bytes`] gave. Any other bytes give an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let mut r = Reader { bytes, at: 0 };
        let magic = u64::from_le_bytes(r.take()?);
        if magic != u64::from_le_bytes(MAGIC) {
            return Err(SnapshotError::Value { offset: 0, what: "magic", value: magic });
        }
        let version = u64::from_le_bytes(r.take()?);
        let (n, free, alive) = (r.u32()? as usize, r.u32()? as usize, r.u32()? as usize);
        r.check(n <= MAX_SLOTS && alive <= n && free <= n - alive, "entity count", alive as u64)?;
        r.need(n * 4 + free * 4 + alive * RECORD)?;
        let generations = (0..n).map(|_| r.u32()).collect::<Result<Vec<u32>, _>>()?;
        // What became of each slot: nothing said, free, or alive.
        let mut seen = vec![false; n];
        let mut free_list = Vec::with_capacity(free);
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
        for (slot, seen) in seen.iter().enumerate() {
            let lost = !seen && generations[slot] != u32::MAX;
            r.check(!lost, "slot that is neither alive nor free", slot as u64)?;
        }
        if r.at != bytes.len() {
            return Err(SnapshotError::Trailing { offset: r.at, extra: bytes.len() - r.at });
        }
        Ok(world)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn need(&self, count: usize) -> Result<(), SnapshotError> {
        let left = self.bytes.len() - self.at;
        if left < count {
            return Err(SnapshotError::Truncated { offset: self.at, need: count - left });
        }
        Ok(())
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        self.need(N)?;
        let mut out = [0; N];
        out.copy_from_slice(&self.bytes[self.at..self.at + N]);
        self.at += N;
        Ok(out)
    }

    fn u32(&mut self) -> Result<u32, SnapshotError> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    /// Names the value just read.
    fn check(&self, ok: bool, what: &'static str, value: u64) -> Result<(), SnapshotError> {
        if ok { Ok(()) } else { Err(SnapshotError::Value { offset: self.at, what, value }) }
    }

    /// A slot may be named once.
    fn claim(&self, seen: &mut [bool], slot: u32) -> Result<(), SnapshotError> {
        let ok = seen.get(slot as usize) == Some(&false);
        self.check(ok, "slot", u64::from(slot))?;
        seen[slot as usize] = true;
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
        let mut words = [0_u32; 20];
        for word in &mut words {
            *word = self.u32()?;
        }
        let local: Qvs = pod_read_unaligned(bytemuck::cast_slice(&words[..8]));
        let own: Qvvs = pod_read_unaligned(bytemuck::cast_slice(&words[8..]));
        self.check(local.is_finite(), "local transform that is not finite: slot", u64::from(slot))?;
        world.slots.revive(slot);
        world.slots.link(slot, parent);
        world.place_new(parent, &Row { slot, local, world: own, flags, version, dirty: dirty == 1 });
        Ok(())
    }
}
