//! The world: entities, their transforms, and what changed.

use crate::{
    Entity, Inherit, WorldError,
    inherit::{COPY, EXTERNAL, Flags},
    level::Row,
    slots::{NONE, Place, Slots},
    store::{Stores, below},
    sync::depth_first::{Frame, Paths},
};
use alloc::vec::Vec;
use lissom_math::{Mat34, Qvs, Qvvs, Vec3, simd::Backend};

/// A forest of entities with local and world transforms.
#[derive(Clone)]
pub struct World {
    pub(crate) slots: Slots,
    pub(crate) stores: Stores,
    /// Entities whose parent changed since the last structure phase, with their generation.
    pub(crate) queue: Vec<(u32, u32)>,
    pub(crate) version: u64,
    /// There may be something to sync.
    pub(crate) dirty: bool,
    pub(crate) backend: Backend,
    pub(crate) parallel: bool,
    // Scratch that keeps its capacity.
    pub(crate) stack: Vec<Frame>,
    pub(crate) paths: Paths,
    pub(crate) scratch: Vec<u32>,
    pub(crate) places: Vec<Place>,
    #[cfg(feature = "oracles")]
    pub(crate) oracles: crate::oracles::Oracles,
}

/// What stays when an entity gets another parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// The local transform: the entity jumps to where that puts it under the new parent.
    Local,
    /// The world transform as of the last sync: the local is recomputed.
    World,
}

/// What a despawn does to the children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Children {
    /// They go along, and theirs.
    Despawn,
    /// They are handed to the grandparent, or become roots.
    HandUp(Keep),
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty world.
    #[must_use]
    pub fn new() -> Self {
        Self {
            slots: Slots::default(),
            stores: Stores::default(),
            queue: Vec::new(),
            version: 0,
            dirty: false,
            backend: Backend::best(),
            parallel: cfg!(feature = "rayon"),
            stack: Vec::new(),
            paths: Paths::default(),
            scratch: Vec::new(),
            places: Vec::new(),
            #[cfg(feature = "oracles")]
            oracles: crate::oracles::Oracles::default(),
        }
    }

    /// The SIMD backend of the lane kernels; [`Backend::best`] unless set. The bits do not depend on it.
    pub fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    /// Whether large passes run on the current rayon pool (feature `rayon`; on by default then). The bits
    /// do not depend on it.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel && cfg!(feature = "rayon");
    }

    /// Entities alive.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.alive_count()
    }

    /// True where nothing is alive.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True where the handle names a live entity.
    #[must_use]
    pub fn is_alive(&self, entity: Entity) -> bool {
        self.slots.get(entity).is_ok()
    }

    /// A new entity with stretch 1 and user word 0.
    ///
    /// Until the next sync its world transform is its local one, as if the parent were the origin.
    pub fn spawn(&mut self, parent: Option<Entity>, local: Qvs) -> Result<Entity, WorldError> {
        check_local(0, &local)?;
        self.slots.reserve_check(1)?;
        let parent = self.parent_slot(parent)?;
        Ok(self.spawn_unchecked(parent, local))
    }

    /// New entities with one parent; their handles are appended to `out`.
    pub fn spawn_many(
        &mut self,
        parent: Option<Entity>,
        locals: &[Qvs],
        out: &mut Vec<Entity>,
    ) -> Result<(), WorldError> {
        for (i, local) in locals.iter().enumerate() {
            check_local(i, local)?;
        }
        self.slots.reserve_check(locals.len())?;
        let parent = self.parent_slot(parent)?;
        out.extend(locals.iter().map(|&local| self.spawn_unchecked(parent, local)));
        Ok(())
    }

    /// The slot of a parent that is about to get a child: it has left the lanes.
    fn parent_slot(&mut self, parent: Option<Entity>) -> Result<u32, WorldError> {
        let Some(parent) = parent else { return Ok(NONE) };
        let (slot, _) = self.slots.get(parent)?;
        self.leave_lanes(slot);
        Ok(slot)
    }

    fn spawn_unchecked(&mut self, parent: u32, local: Qvs) -> Entity {
        let slot = self.slots.insert();
        self.slots.link(slot, parent);
        let world = Qvvs::from_qvs(local, Vec3::ONE, 0);
        self.place_new(parent, &Row { slot, local, world, flags: 0, version: 0, dirty: true });
        self.slots.entity(slot)
    }

    /// Gives a linked slot its row, below its parent's.
    pub(crate) fn place_new(&mut self, parent: u32, row: &Row) {
        let above = if parent == NONE { Place::NOWHERE } else { self.slots.place(parent) };
        let store = if parent == NONE { 0 } else { below(above.store) };
        let at = self.stores.levels[store as usize].insert(row, above.row);
        self.slots.set_place(row.slot, Place { store, row: at });
        self.dirty |= row.dirty;
    }

    /// The local transform.
    pub fn local(&self, entity: Entity) -> Result<Qvs, WorldError> {
        Ok(self.stores.local(self.slots.get(entity)?.1))
    }

    /// The world transform as of the last sync or immediate write.
    pub fn transform(&self, entity: Entity) -> Result<Qvvs, WorldError> {
        Ok(self.stores.world(self.slots.get(entity)?.1))
    }

    /// The world transform as an affine matrix.
    pub fn matrix(&self, entity: Entity) -> Result<Mat34, WorldError> {
        Ok(self.transform(entity)?.to_mat34())
    }

    /// The parent's world transform as of the last sync or immediate write; `None` for a root.
    pub fn parent_transform(&self, entity: Entity) -> Result<Option<Qvvs>, WorldError> {
        let (slot, _) = self.slots.get(entity)?;
        let parent = self.slots.parent(slot);
        Ok((parent != NONE).then(|| self.stores.world(self.slots.place(parent))))
    }

    /// Sets the local transform. The world transform follows at the next sync; that of an externally driven
    /// entity does not.
    #[inline]
    pub fn set_local(&mut self, entity: Entity, local: Qvs) -> Result<(), WorldError> {
        let (_, place) = self.slots.get(entity)?;
        check_local(0, &local)?;
        self.write_local(place, &local);
        Ok(())
    }

    /// Lets `f` change the local transform; one look-up instead of two.
    #[inline]
    pub fn update_local(&mut self, entity: Entity, f: impl FnOnce(&mut Qvs)) -> Result<(), WorldError> {
        let (_, place) = self.slots.get(entity)?;
        let mut local = self.stores.local(place);
        f(&mut local);
        check_local(0, &local)?;
        self.write_local(place, &local);
        Ok(())
    }

    /// Sets many local transforms. Checks everything first: on an error nothing was written.
    ///
    /// Faster than one [`World::set_local`] each: all handles are looked up, then all transforms written, and
    /// what the memory is asked for in either loop does not wait for the other. Copies of a prefab take their
    /// locals in the order in which [`World::spawn_prefab`] gave the handles.
    pub fn set_locals(&mut self, entities: &[Entity], locals: &[Qvs]) -> Result<(), WorldError> {
        if entities.len() != locals.len() {
            return Err(WorldError::Length { what: "locals", got: locals.len(), expected: entities.len() });
        }
        let mut places = core::mem::take(&mut self.places);
        let checked = self.find(entities, &mut places, |i| check_local(i, &locals[i]));
        if checked.is_ok() {
            for (&place, local) in places.iter().zip(locals) {
                self.write_local(place, local);
            }
        }
        self.places = places;
        checked
    }

    /// Lets `f` change many local transforms, in the order of `entities`; `f` gets the index there. If a handle is
    /// dead nothing is written. An entity for which `f` leaves a number that is not finite keeps its old local;
    /// the others are written, and the error names the first such entity.
    ///
    /// Faster than one [`World::update_local`] each, as [`World::set_locals`] is.
    pub fn update_each(
        &mut self,
        entities: &[Entity],
        mut f: impl FnMut(usize, &mut Qvs),
    ) -> Result<(), WorldError> {
        let mut places = core::mem::take(&mut self.places);
        let found = self.find(entities, &mut places, |_| Ok(()));
        let mut bad = None;
        if found.is_ok() {
            for (i, &place) in places.iter().enumerate() {
                let mut local = self.stores.local(place);
                f(i, &mut local);
                if is_finite(&local) {
                    self.write_local(place, &local);
                } else {
                    bad = bad.or(Some(WorldError::Update { entity: entities[i] }));
                }
            }
        }
        self.places = places;
        found.and(bad.map_or(Ok(()), Err))
    }

    /// The places of entities, all of which must be alive and pass `check`.
    fn find(
        &self,
        entities: &[Entity],
        places: &mut Vec<Place>,
        check: impl Fn(usize) -> Result<(), WorldError>,
    ) -> Result<(), WorldError> {
        places.clear();
        for (i, &entity) in entities.iter().enumerate() {
            places.push(self.slots.get(entity)?.1);
            check(i)?;
        }
        Ok(())
    }

    #[inline]
    fn write_local(&mut self, place: Place, local: &Qvs) {
        self.dirty |= self.stores.write_local(place, local);
    }

    /// Marks an entity dirty, unless others drive it.
    #[inline]
    fn touch(&mut self, place: Place) {
        if !self.stores.is_external(place) {
            self.stores.set_dirty(place);
            self.dirty = true;
        }
    }

    /// Sets the world transform, stretch and user word with it.
    ///
    /// The local transform becomes what gives it under the parent's world transform as of the last sync, and
    /// the world transform follows at the next one (equal up to rounding). Components that the entity keeps
    /// are written at once, and so is everything of an externally driven entity.
    pub fn set_transform(&mut self, entity: Entity, world: Qvvs) -> Result<(), WorldError> {
        let (slot, place) = self.slots.get(entity)?;
        check_world(0, &world)?;
        let flags = self.stores.flags(place);
        if flags & EXTERNAL == 0 {
            let local = self.local_for(self.slots.parent(slot), &world)?;
            self.stores.set_local(place, &local);
        }
        if flags != 0 {
            self.stores.set_world(place, &world);
        } else {
            let old = self.stores.world(place);
            self.stores.set_world(place, &Qvvs { stretch: world.stretch, user: world.user, ..old });
        }
        self.stores.set_dirty(place);
        self.dirty = true;
        Ok(())
    }

    /// The local transform that puts a child of `parent` at `world`.
    pub(crate) fn local_for(&self, parent: u32, world: &Qvvs) -> Result<Qvs, WorldError> {
        if parent == NONE {
            return Ok(Qvs { rotation: world.rotation, position: world.position, scale: world.scale });
        }
        let local = self.stores.world(self.slots.place(parent)).inverse_mul(world);
        if local.is_finite() {
            Ok(local)
        } else {
            Err(WorldError::NotInvertible { parent: self.slots.entity(parent) })
        }
    }

    /// Sets the stretch: a change of the entity's own. While it copies its parent, the copy wins.
    pub fn set_stretch(&mut self, entity: Entity, stretch: Vec3) -> Result<(), WorldError> {
        let (_, place) = self.slots.get(entity)?;
        let world = Qvvs { stretch, ..self.stores.world(place) };
        check_world(0, &world)?;
        self.stores.set_world(place, &world);
        self.touch_any(place);
        Ok(())
    }

    /// Sets the user word: a change of the entity's own. While it copies its parent, the copy wins.
    pub fn set_user(&mut self, entity: Entity, user: u32) -> Result<(), WorldError> {
        let (_, place) = self.slots.get(entity)?;
        let world = Qvvs { user, ..self.stores.world(place) };
        self.stores.set_world(place, &world);
        self.touch_any(place);
        Ok(())
    }

    fn touch_any(&mut self, place: Place) {
        self.stores.set_dirty(place);
        self.dirty = true;
    }

    /// What the entity takes from its parent.
    pub fn inherit(&self, entity: Entity) -> Result<Inherit, WorldError> {
        Ok(Inherit::from_bits(self.stores.flags(self.slots.get(entity)?.1) as u8))
    }

    /// Sets what the entity takes from its parent. Setting or clearing [`Inherit::COPY_PARENT`] is a change
    /// of the entity; the other flags have their effect from the next change on.
    pub fn set_inherit(&mut self, entity: Entity, inherit: Inherit) -> Result<(), WorldError> {
        let (slot, place) = self.slots.get(entity)?;
        let old = self.stores.flags(place);
        let new = (old & EXTERNAL) | Flags::from(inherit.bits());
        if old == new {
            return Ok(());
        }
        self.leave_lanes(slot);
        let place = self.slots.place(slot);
        self.stores.level_mut(place).set_flags(place.row, new);
        if (old ^ new) & COPY != 0 {
            self.touch(place);
        }
        Ok(())
    }

    /// True where `sync` leaves the world transform to the caller.
    pub fn is_external(&self, entity: Entity) -> Result<bool, WorldError> {
        Ok(self.stores.is_external(self.slots.get(entity)?.1))
    }

    /// Leaves the entity's world transform to the caller, or takes it back. While it is set, `sync` never
    /// writes it, only [`World::set_transform`] does, and the descendants follow. Taken back, the entity is
    /// recomputed at the next sync.
    pub fn set_external(&mut self, entity: Entity, external: bool) -> Result<(), WorldError> {
        let (slot, place) = self.slots.get(entity)?;
        let old = self.stores.flags(place);
        if (old & EXTERNAL != 0) == external {
            return Ok(());
        }
        self.leave_lanes(slot);
        let place = self.slots.place(slot);
        self.stores.level_mut(place).set_flags(place.row, old ^ EXTERNAL);
        if external {
            self.stores.clear_dirty(place);
        } else {
            self.touch(place);
        }
        Ok(())
    }

    /// The parent; `None` for a root.
    pub fn parent(&self, entity: Entity) -> Result<Option<Entity>, WorldError> {
        let parent = self.slots.parent(self.slots.get(entity)?.0);
        Ok((parent != NONE).then(|| self.slots.entity(parent)))
    }

    /// The root of the entity's hierarchy: itself if it has no parent.
    pub fn root(&self, entity: Entity) -> Result<Entity, WorldError> {
        Ok(self.slots.entity(self.slots.root(self.slots.get(entity)?.0)))
    }

    /// The children in the order they were added.
    pub fn children(&self, entity: Entity) -> Result<impl Iterator<Item = Entity> + '_, WorldError> {
        let (slot, _) = self.slots.get(entity)?;
        Ok(self.slots.children(slot).map(|c| self.slots.entity(c)))
    }

    /// The entity and everything below it, parents first, children in order.
    pub fn subtree(&self, entity: Entity) -> Result<impl Iterator<Item = Entity> + '_, WorldError> {
        let (root, _) = self.slots.get(entity)?;
        let mut slot = root;
        Ok(core::iter::from_fn(move || {
            let this = (slot != NONE).then_some(slot)?;
            slot = self.slots.next_in_subtree(root, this);
            Some(self.slots.entity(this))
        }))
    }

    /// Every live entity, by handle index.
    pub fn entities(&self) -> impl Iterator<Item = Entity> + '_ {
        (0..self.slots.len() as u32).filter(|&s| self.slots.is_alive(s)).map(|s| self.slots.entity(s))
    }

    /// The version that the last change got: grows by one with every sync or immediate write that changed
    /// something.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The version in which the entity's world transform last changed; 0 if it never was computed.
    pub fn entity_version(&self, entity: Entity) -> Result<u64, WorldError> {
        Ok(self.stores.version(self.slots.get(entity)?.1))
    }

    /// True where the next sync recomputes the entity for its own sake (its parents are not looked at).
    pub fn is_dirty(&self, entity: Entity) -> Result<bool, WorldError> {
        Ok(self.stores.is_dirty(self.slots.get(entity)?.1))
    }

    /// Calls `f` for exactly the entities whose world transform changed in a version above `version`.
    ///
    /// The order is that of the memory: lanes by prefab, block and node, then levels from the roots down.
    /// It depends on the calls made so far and on nothing else.
    ///
    /// ```compile_fail,E0502
    /// # use lissom_world::*;
    /// # let mut world = World::new();
    /// // What is being iterated cannot be changed: the borrow checker says so.
    /// world.changed_since(0, |e| { world.despawn(e, Children::Despawn); });
    /// ```
    pub fn changed_since(&self, version: u64, mut f: impl FnMut(Entity)) {
        if version >= self.version {
            return;
        }
        for set in &self.stores.lanes {
            set.changed(version, |slot| f(self.slots.entity(slot)));
        }
        for level in &self.stores.levels {
            level.changed(version, |slot| f(self.slots.entity(slot)));
        }
    }
}

#[inline]
pub(crate) fn check_local(index: usize, t: &Qvs) -> Result<(), WorldError> {
    if is_finite(t) { Ok(()) } else { Err(not_finite(index, t)) }
}

/// All ones in the numbers that are not finite.
pub(crate) const EXPONENT: u32 = 0x7f80_0000;

/// [`Qvs::is_finite`] without a branch a number.
#[inline(always)]
pub(crate) fn is_finite(local: &Qvs) -> bool {
    let words: [u32; 8] = bytemuck::cast(*local);
    words.iter().fold(0, |bad, w| bad | u32::from(w & EXPONENT == EXPONENT)) == 0
}

#[cold]
fn not_finite(index: usize, t: &Qvs) -> WorldError {
    let field = if !lissom_math::scalar::quat_is_finite(t.rotation) {
        "rotation"
    } else if !t.scale.is_finite() {
        "scale"
    } else {
        "position"
    };
    WorldError::NotFinite { index, field }
}

pub(crate) fn check_world(index: usize, t: &Qvvs) -> Result<(), WorldError> {
    check_local(index, &Qvs { rotation: t.rotation, position: t.position, scale: t.scale })?;
    if lissom_math::scalar::is_finite(t.stretch) {
        Ok(())
    } else {
        Err(WorldError::NotFinite { index, field: "stretch" })
    }
}
