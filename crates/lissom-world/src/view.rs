//! The tree as text, for people.

use crate::{Entity, World, WorldError, inherit::EXTERNAL, slots::NONE};
use core::fmt;

/// Prints a hierarchy, one line an entity; see [`World::tree`].
pub struct TreeView<'w> {
    world: &'w World,
    root: u32,
}

impl World {
    /// A hierarchy as text: handle, depth, version, `dirty`, where its data lies, world position.
    ///
    /// ```
    /// # use lissom_world::*;
    /// # use lissom_math::{Qvs, Vec3};
    /// let mut world = World::new();
    /// let ship = world.spawn(None, Qvs::from_position(Vec3::new(1.0, 0.0, 0.0)))?;
    /// let crew = world.spawn(Some(ship), Qvs::from_position(Vec3::new(0.0, 2.0, 0.0)))?;
    /// world.sync();
    /// world.set_local(crew, Qvs::IDENTITY)?;
    /// assert_eq!(
    ///     world.tree(ship)?.to_string(),
    ///     "0v0 depth 0 version 1 level (1, 0, 0)\n  1v0 depth 1 version 1 dirty level (1, 2, 0)\n"
    /// );
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn tree(&self, entity: Entity) -> Result<TreeView<'_>, WorldError> {
        Ok(TreeView { world: self, root: self.slots.get(entity)?.0 })
    }
}

impl fmt::Display for TreeView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let World { slots, stores, .. } = self.world;
        let mut slot = self.root;
        while slot != NONE {
            let (mut depth, mut up) = (0, slot);
            while up != self.root {
                up = slots.parent(up);
                depth += 1;
            }
            let place = slots.place(slot);
            let (flags, p) = (stores.flags(place), stores.world(place).position);
            write!(f, "{:indent$}{:?} depth {depth} ", "", slots.entity(slot), indent = depth * 2)?;
            write!(f, "version {}", stores.version(place))?;
            write!(f, "{}", if stores.is_dirty(place) { " dirty" } else { "" })?;
            write!(f, "{}", if flags & EXTERNAL != 0 { " external" } else { "" })?;
            write!(f, "{}", if place.lane_set().is_some() { " lane" } else { " level" })?;
            writeln!(f, " ({}, {}, {})", p.x, p.y, p.z)?;
            slot = slots.next_in_subtree(self.root, slot);
        }
        Ok(())
    }
}
