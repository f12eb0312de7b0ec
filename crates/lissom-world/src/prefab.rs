//! Prefabs: one tree, spawned many times, its copies laid out side by side.

use crate::{
    Entity, Inherit, World, WorldError,
    inherit::Flags,
    lanes::{LaneSet, Shape},
    level::Row,
    slots::{LANES, NONE, Place},
    world::{check_local, check_world},
};
use alloc::{sync::Arc, vec::Vec};
use lissom_math::{Qvs, Qvvs, Vec3};

/// A tree to be spawned many times. Copies of one prefab value share lanes; so do clones of it.
#[derive(Clone, Debug)]
pub struct Prefab {
    shape: Arc<Shape>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    local: Qvs,
    stretch: Vec3,
    user: u32,
    flags: Flags,
}

impl Prefab {
    /// A tree from its nodes' parents and local transforms: parents first, node 0 the only root.
    pub fn new<P: Copy + Into<usize>>(parents: &[Option<P>], locals: &[Qvs]) -> Result<Self, WorldError> {
        if parents.len() != locals.len() {
            return Err(WorldError::Length { what: "locals", got: locals.len(), expected: parents.len() });
        }
        if parents.is_empty() {
            return Err(WorldError::Length { what: "nodes of a prefab", got: 0, expected: 1 });
        }
        let mut depths: Vec<u32> = Vec::with_capacity(parents.len());
        for (node, parent) in parents.iter().enumerate() {
            check_local(node, &locals[node])?;
            match parent.map(Into::into) {
                None if node == 0 => depths.push(0),
                Some(parent) if parent < node => depths.push(depths[parent] + 1),
                Some(parent) if node > 0 || parent > 0 => {
                    return Err(WorldError::ParentOrder { node, parent });
                }
                _ => return Err(WorldError::PrefabRoot { node }),
            }
        }
        let parents = parents.iter().map(|p| p.map_or(NONE, |p| p.into() as u32)).collect();
        let node = |&local| Node { local, stretch: Vec3::ONE, user: 0, flags: 0 };
        Ok(Self { shape: Arc::new(Shape { parents, depths }), nodes: locals.iter().map(node).collect() })
    }

    /// Nodes of the tree.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: a prefab has a root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Sets a node's stretch and user word. Panics if there is no such node.
    pub fn set_own(&mut self, node: usize, stretch: Vec3, user: u32) -> Result<(), WorldError> {
        check_world(node, &Qvvs { stretch, ..Qvvs::IDENTITY })?;
        let node = &mut self.nodes[node];
        (node.stretch, node.user) = (stretch, user);
        Ok(())
    }

    /// Sets what a node inherits. Copies of a prefab with flags do not stand in lanes. Panics if there is no
    /// such node.
    pub fn set_inherit(&mut self, node: usize, inherit: Inherit) {
        self.nodes[node].flags = Flags::from(inherit.bits());
    }
}

/// Smaller trees are better off in levels: half of their nodes are roots, which need no product (measured with
/// the bench's world c).
const MIN_LANE_NODES: usize = 3;

/// Copies that are laid out together, node by node.
const BATCH: usize = 64;

impl World {
    /// Spawns `count` copies of a tree. Their handles are appended to `out`, copy by copy: node k of copy i
    /// at `i * prefab.len() + k` of what was appended.
    ///
    /// Copies without a parent and without flags stand in SIMD lanes, if the tree has three nodes or more.
    pub fn spawn_prefab(
        &mut self,
        prefab: &Prefab,
        count: usize,
        parent: Option<Entity>,
        out: &mut Vec<Entity>,
    ) -> Result<(), WorldError> {
        let nodes = prefab.len();
        self.slots.reserve_check(count.saturating_mul(nodes))?;
        let parent = match parent {
            None => NONE,
            Some(parent) => {
                let (slot, _) = self.slots.get(parent)?;
                self.leave_lanes(slot);
                slot
            }
        };
        let plain = prefab.nodes.iter().all(|n| n.flags == 0);
        let fits = parent == NONE && plain && self.lanes_pay(nodes);
        let lanes = fits.then(|| self.lane_set(prefab));
        let first = out.len();
        let mut done = 0;
        while done < count {
            let batch = if count - done < BATCH { count - done } else { BATCH };
            self.spawn_batch(prefab, batch, parent, lanes, first + done * nodes, out);
            done += batch;
        }
        self.dirty |= count > 0;
        Ok(())
    }

    /// True where trees of this size are better off in lanes.
    fn lanes_pay(&self, nodes: usize) -> bool {
        #[cfg(feature = "oracles")]
        if let Some(told) = self.oracles.lanes() {
            return told;
        }
        nodes >= MIN_LANE_NODES
    }

    /// The lane set of a shape.
    fn lane_set(&mut self, prefab: &Prefab) -> usize {
        let sets = &mut self.stores.lanes;
        if let Some(at) = sets.iter().position(|set| Arc::ptr_eq(&set.shape, &prefab.shape)) {
            return at;
        }
        // A set without instances is another prefab's to take.
        let new = LaneSet::new(prefab.shape.clone());
        match sets.iter().position(LaneSet::is_empty) {
            Some(at) => {
                sets[at] = new;
                at
            }
            None => {
                sets.push(new);
                sets.len() - 1
            }
        }
    }

    /// Node by node, so that copies of one node lie side by side in handles, levels and lanes.
    fn spawn_batch(
        &mut self,
        prefab: &Prefab,
        batch: usize,
        parent: u32,
        lanes: Option<usize>,
        first: usize,
        out: &mut Vec<Entity>,
    ) {
        let nodes = prefab.len();
        out.resize(first + batch * nodes, Entity::new(NONE, 0));
        let mut instances = core::mem::take(&mut self.scratch);
        instances.clear();
        if let Some(set) = lanes {
            instances.extend((0..batch).map(|_| self.stores.lanes[set].take_lane()));
        }
        for (k, node) in prefab.nodes.iter().enumerate() {
            let above = prefab.shape.parents[k];
            let world = Qvvs::from_qvs(node.local, node.stretch, node.user);
            for i in 0..batch {
                let slot = self.slots.insert();
                out[first + i * nodes + k] = self.slots.entity(slot);
                let parent =
                    if above == NONE { parent } else { out[first + i * nodes + above as usize].index() };
                self.slots.link(slot, parent);
                match lanes {
                    Some(set) => {
                        let lanes = &mut self.stores.lanes[set];
                        let row = lanes.row_of(instances[i], k);
                        lanes.put(row, slot, &node.local, &world);
                        self.slots.set_place(slot, Place { store: LANES | set as u32, row });
                    }
                    None => {
                        let Node { local, flags, .. } = *node;
                        self.place_new(parent, &Row { slot, local, world, flags, version: 0, dirty: true });
                    }
                }
            }
        }
        self.scratch = instances;
    }
}
