//! Writing the locals of the whole world at once, in memory order and in parallel.

use crate::{
    Entity, World, WorldError,
    lanes::Blocks,
    level::PAGE,
    rows::Rows,
    slots::Slots,
    world::{EXPONENT, is_finite},
};
use lissom_math::{
    Qvs,
    wide_qvvs::{QUAD, QuadQvs},
};

/// Whose transform it is: asked only by those who want to know, since it costs a look at the handles.
#[derive(Clone, Copy)]
pub struct Handle<'w> {
    slots: &'w Slots,
    /// Not read before it is asked for.
    slot: &'w u32,
}

impl Handle<'_> {
    /// The entity.
    #[must_use]
    pub fn entity(self) -> Entity {
        self.slots.entity(*self.slot)
    }
}

impl World {
    /// Lets `f` change the local transform of every entity, in memory order and (feature `rayon`) on
    /// several threads. Every entity counts as changed, except externally driven ones.
    ///
    /// An entity for which `f` leaves a number that is not finite keeps its old local; the others are
    /// written, and the error names the first such entity in memory order.
    pub fn update_locals(&mut self, f: impl Fn(Handle<'_>, &mut Qvs) + Sync) -> Result<(), WorldError> {
        self.dirty = true;
        let mut bad = None;
        for set in &mut self.stores.lanes {
            let found = lane_blocks(set.blocks(), &self.slots, &f, self.parallel);
            bad = bad.or(found);
        }
        for level in &mut self.stores.levels {
            if level.live_count() != 0 {
                level.any_dirty = true;
                let found = rows(Rows::of(level), &self.slots, &f, self.parallel);
                bad = bad.or(found);
            }
        }
        match bad {
            None => Ok(()),
            Some(entity) => Err(WorldError::Update { entity }),
        }
    }
}

#[inline(always)]
fn update(
    slots: &Slots,
    slot: &u32,
    local: &mut Qvs,
    f: &impl Fn(Handle<'_>, &mut Qvs),
    bad: &mut Option<Entity>,
) {
    let handle = Handle { slots, slot };
    let mut new = *local;
    f(handle, &mut new);
    if is_finite(&new) {
        *local = new;
    } else if bad.is_none() {
        *bad = Some(handle.entity());
    }
}

fn rows(
    rows: Rows<'_>,
    slots: &Slots,
    f: &(impl Fn(Handle<'_>, &mut Qvs) + Sync),
    parallel: bool,
) -> Option<Entity> {
    #[cfg(feature = "rayon")]
    if parallel && rows.is_large() {
        let (a, b) = rows.halves();
        let (x, y) = rayon::join(|| self::rows(a, slots, f, parallel), || self::rows(b, slots, f, parallel));
        return x.or(y);
    }
    let _ = parallel;
    let mut bad = None;
    for word in 0..rows.word.len() {
        let live = rows.word[word].live;
        let range = rows.range(word);
        let (tag, local) = (&rows.tag[range.clone()], &mut rows.local[range]);
        if live == u64::MAX {
            for (tag, local) in tag.iter().zip(local) {
                update(slots, &tag.slot, local, f, &mut bad);
            }
        } else {
            let mut rest = live;
            while rest != 0 {
                let i = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                update(slots, &tag[i].slot, &mut local[i], f, &mut bad);
            }
        }
        rows.word[word].dirty |= live & !rows.driven(word);
        if rows.word[word].dirty != 0 {
            rows.summary[word / PAGE] |= 1 << (word % PAGE);
        }
    }
    bad
}

/// Four entities without a branch between them. False, and nothing written, if a number is not finite.
#[inline(always)]
fn whole_quad(quad: &mut QuadQvs, owners: &[u32], slots: &Slots, f: &impl Fn(Handle<'_>, &mut Qvs)) -> bool {
    let mut new = *quad;
    for (lane, slot) in owners.iter().enumerate() {
        let mut local = quad.lane(lane);
        f(Handle { slots, slot }, &mut local);
        new.set_lane(lane, &local);
    }
    let words: [u32; 32] = bytemuck::cast(new);
    let finite = words.iter().fold(0, |bad, w| bad | u32::from(w & EXPONENT == EXPONENT)) == 0;
    if finite {
        *quad = new;
    }
    finite
}

fn lane_blocks(
    blocks: Blocks<'_>,
    slots: &Slots,
    f: &(impl Fn(Handle<'_>, &mut Qvs) + Sync),
    parallel: bool,
) -> Option<Entity> {
    #[cfg(feature = "rayon")]
    if parallel && blocks.is_large() {
        let (a, b) = blocks.halves();
        let (x, y) =
            rayon::join(|| lane_blocks(a, slots, f, parallel), || lane_blocks(b, slots, f, parallel));
        return x.or(y);
    }
    let _ = parallel;
    let mut bad = None;
    let nodes = blocks.nodes();
    for (block, &live) in blocks.live.iter().enumerate() {
        blocks.block_dirty[block] = live != 0;
        for cell in block * nodes..(block + 1) * nodes {
            blocks.dirty[cell] |= live;
            for (i, quad) in blocks.local[cell].iter_mut().enumerate() {
                let lanes = live >> (i * QUAD) & 0xf;
                let owners = &blocks.slot[cell][i * QUAD..(i + 1) * QUAD];
                if lanes == 0xf && whole_quad(quad, owners, slots, f) {
                    continue;
                }
                for lane in (0..QUAD).filter(|lane| lanes >> lane & 1 != 0) {
                    let mut local = quad.lane(lane);
                    update(slots, &owners[lane], &mut local, f, &mut bad);
                    quad.set_lane(lane, &local);
                }
            }
        }
    }
    bad
}
