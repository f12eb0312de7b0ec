//! What can go wrong. After any error the world is as it was.

use crate::Entity;

/// Why a call on the world was refused. The world is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The entity was despawned, or belongs to another world.
    #[error("{entity} is not alive")]
    Dead {
        /// The handle given.
        entity: Entity,
    },
    /// The new parent is the entity itself or one of its descendants.
    #[error("{entity} cannot have {parent} as its parent: that is itself or below it")]
    Cycle {
        /// The entity to move.
        entity: Entity,
        /// The parent asked for.
        parent: Entity,
    },
    /// A number of a transform is infinite or NaN.
    #[error("the {field} of transform {index} is not finite")]
    NotFinite {
        /// Which transform of the call, counted from 0.
        index: usize,
        /// `rotation`, `position`, `scale`, `stretch` or `matrix`.
        field: &'static str,
    },
    /// A function given to [`update_locals`](crate::World::update_locals) or
    /// [`update_each`](crate::World::update_each) left a number that is not finite.
    #[error("the new local transform of {entity} is not finite")]
    Update {
        /// The first such entity, in memory order or in that of the list. It kept its old local transform.
        entity: Entity,
    },
    /// The parent's scale or stretch is zero (or so small that the result overflows), so no local transform
    /// gives the world transform asked for.
    #[error("no local transform under {parent} gives this world transform: its scale or stretch is zero")]
    NotInvertible {
        /// The parent.
        parent: Entity,
    },
    /// The entity is not in the hierarchy that was opened.
    #[error("{entity} is not in the hierarchy of {root}")]
    OtherHierarchy {
        /// The handle given.
        entity: Entity,
        /// The root of the hierarchy that was opened.
        root: Entity,
    },
    /// The entity has a parent, but a root was asked for.
    #[error("{entity} is not a root")]
    NotRoot {
        /// The handle given.
        entity: Entity,
    },
    /// The same hierarchy was asked for twice in one call.
    #[error("{entity} was given twice")]
    Twice {
        /// The root given twice.
        entity: Entity,
    },
    /// Slices that belong together differ in length.
    #[error("{what}: {got} given, {expected} expected")]
    Length {
        /// Which slice.
        what: &'static str,
        /// Its length.
        got: usize,
        /// What it should be.
        expected: usize,
    },
    /// A node's parent does not stand before it.
    #[error("node {node}: its parent {parent} must stand before it")]
    ParentOrder {
        /// The node.
        node: usize,
        /// The parent given.
        parent: usize,
    },
    /// A prefab needs a node 0 without a parent, and no other node without one.
    #[error("node {node}: a prefab has exactly one root, and it is node 0")]
    PrefabRoot {
        /// The node.
        node: usize,
    },
    /// A socket names a joint that is not there.
    #[error("joint {joint}: there are {count}")]
    NoSuchJoint {
        /// The joint asked for.
        joint: usize,
        /// How many there are.
        count: usize,
    },
    /// A joint's matrix is flat (a zero axis), so it has no rotation.
    #[error("the matrix of joint {joint} has a zero axis")]
    FlatMatrix {
        /// The joint.
        joint: usize,
    },
    /// The world is full: rows and handles are 32-bit.
    #[error("a world holds at most {max} entities")]
    Full {
        /// The limit.
        max: usize,
    },
}

/// Why bytes are not a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes end too early.
    #[error("byte {offset}: {need} more bytes expected")]
    Truncated {
        /// Where.
        offset: usize,
        /// How many are missing at least.
        need: u64,
    },
    /// A value is not allowed.
    #[error("byte {offset}: {what} is {value}")]
    Value {
        /// Where.
        offset: usize,
        /// Which field.
        what: &'static str,
        /// What it holds.
        value: u64,
    },
    /// There are bytes after the end.
    #[error("byte {offset}: {extra} bytes after the end")]
    Trailing {
        /// Where the snapshot ends.
        offset: usize,
        /// How many follow.
        extra: usize,
    },
}
