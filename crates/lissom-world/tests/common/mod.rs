//! A naive model of the world: a map of nodes and recursion, nothing clever. And the random operations.
#![allow(dead_code, reason = "each test uses its part")]

use lissom_math::{Qvs, Qvvs, Vec3, scalar};
use lissom_testkit::rng::Rng;
use lissom_world::{Children, Entity, Inherit, Keep, Prefab, World, WorldError};

/// Bits that compare: any NaN equals any NaN.
pub fn bits(w: &Qvvs) -> [u32; 12] {
    let f = |v: f32| if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() };
    let (r, p, s) = (w.rotation, w.position, w.stretch);
    [f(r.x), f(r.y), f(r.z), f(r.w), f(p.x), f(p.y), f(p.z), w.user, f(s.x), f(s.y), f(s.z), f(w.scale)]
}

#[derive(Clone, Debug)]
pub enum Op {
    Spawn(Option<Entity>, Qvs),
    Prefab(usize, usize, Option<Entity>),
    Despawn(Entity, Children),
    SetParent(Entity, Option<Entity>, Keep),
    SetLocal(Entity, Qvs),
    SetWorld(Entity, Qvvs),
    SetStretch(Entity, Vec3),
    SetUser(Entity, u32),
    SetInherit(Entity, Inherit),
    SetExternal(Entity, bool),
    NowLocal(Entity, Qvs),
    NowWorld(Entity, Qvvs),
    EditTwo(Entity, Entity, Qvs, Qvvs),
    MoveAll(f32),
    Reorder,
    Sync,
}

#[derive(Clone)]
struct Node {
    parent: Option<Entity>,
    children: Vec<Entity>,
    local: Qvs,
    world: Qvvs,
    keep: Inherit,
    external: bool,
    dirty: bool,
    version: u64,
}

/// Nodes by the index of their entity: a map, as plain as can be.
#[derive(Default, Clone)]
struct Nodes {
    slots: Vec<Option<(Entity, Node)>>,
    len: usize,
}

impl Nodes {
    fn len(&self) -> usize {
        self.len
    }

    fn get(&self, e: &Entity) -> Option<&Node> {
        let (own, node) = self.slots.get(e.index() as usize)?.as_ref()?;
        (own == e).then_some(node)
    }

    fn get_mut(&mut self, e: &Entity) -> Option<&mut Node> {
        let (own, node) = self.slots.get_mut(e.index() as usize)?.as_mut()?;
        (own == e).then_some(node)
    }

    fn contains_key(&self, e: &Entity) -> bool {
        self.get(e).is_some()
    }

    fn insert(&mut self, e: Entity, node: Node) {
        let index = e.index() as usize;
        if self.slots.len() <= index {
            self.slots.resize(index + 1, None);
        }
        assert!(self.slots[index].replace((e, node)).is_none(), "{e} has the slot of one that lives");
        self.len += 1;
    }

    fn remove(&mut self, e: &Entity) -> Option<Node> {
        self.get(e)?;
        self.len -= 1;
        self.slots[e.index() as usize].take().map(|(_, node)| node)
    }

    fn iter(&self) -> impl Iterator<Item = (&Entity, &Node)> {
        self.slots.iter().flatten().map(|(e, node)| (e, node))
    }

    fn keys(&self) -> impl Iterator<Item = &Entity> {
        self.iter().map(|(e, _)| e)
    }

    fn values(&self) -> impl Iterator<Item = &Node> {
        self.iter().map(|(_, node)| node)
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.slots.iter_mut().flatten().map(|(_, node)| node)
    }
}

impl core::ops::Index<&Entity> for Nodes {
    type Output = Node;

    fn index(&self, e: &Entity) -> &Node {
        self.get(e).expect("it lives")
    }
}

#[derive(Default, Clone)]
pub struct Model {
    nodes: Nodes,
    pub version: u64,
}

fn compose(keep: Inherit, p: &Qvvs, local: &Qvs, old: &Qvvs) -> Qvvs {
    if keep.contains(Inherit::COPY_PARENT) {
        return *p;
    }
    let mut w = p.mul(local, old.stretch, old.user);
    if keep.contains(Inherit::KEEP_X) {
        w.position.x = old.position.x;
    }
    if keep.contains(Inherit::KEEP_Y) {
        w.position.y = old.position.y;
    }
    if keep.contains(Inherit::KEEP_Z) {
        w.position.z = old.position.z;
    }
    if keep.contains(Inherit::KEEP_SCALE) {
        w.scale = old.scale;
    }
    let forward = keep.contains(Inherit::KEEP_FORWARD);
    let up = keep.contains(Inherit::KEEP_UP);
    if keep.contains(Inherit::KEEP_ROTATION) || (forward && up) {
        w.rotation = old.rotation;
    } else if forward || up {
        let axis = |q, v| scalar::quat_rotate(q, v);
        let z = axis(if forward { old.rotation } else { w.rotation }, Vec3::new(0.0, 0.0, 1.0));
        let y = axis(if up { old.rotation } else { w.rotation }, Vec3::new(0.0, 1.0, 0.0));
        let x = scalar::cross(y, z);
        w.rotation = if scalar::dot(x, x) < 1.0e-12 {
            old.rotation
        } else {
            let x = scalar::normalize_or(x, Vec3::new(1.0, 0.0, 0.0));
            let y2 = if forward { scalar::cross(z, x) } else { y };
            let z2 = if forward { z } else { scalar::cross(x, y) };
            scalar::quat_from_columns([x.to_array(), y2.to_array(), z2.to_array()])
        };
    }
    w
}

impl Model {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn world(&self, e: Entity) -> Qvvs {
        self.nodes[&e].world
    }

    pub fn entities(&self) -> Vec<Entity> {
        self.nodes.keys().copied().collect()
    }

    pub fn changed_since(&self, version: u64) -> Vec<Entity> {
        self.nodes.iter().filter(|(_, n)| n.version > version).map(|(e, _)| *e).collect()
    }

    fn alive(&self, entity: Entity) -> Result<(), WorldError> {
        if self.nodes.contains_key(&entity) { Ok(()) } else { Err(WorldError::Dead { entity }) }
    }

    fn insert(&mut self, e: Entity, parent: Option<Entity>, local: Qvs) {
        let world = Qvvs::from_qvs(local, Vec3::ONE, 0);
        if let Some(p) = parent {
            self.nodes.get_mut(&p).unwrap().children.push(e);
        }
        let keep = Inherit::ALL;
        let node =
            Node { parent, children: vec![], local, world, keep, external: false, dirty: true, version: 0 };
        self.nodes.insert(e, node);
    }

    fn is_below(&self, above: Entity, e: Entity) -> bool {
        e == above || self.nodes[&e].parent.is_some_and(|p| self.is_below(above, p))
    }

    fn root(&self, e: Entity) -> Entity {
        self.nodes[&e].parent.map_or(e, |p| self.root(p))
    }

    fn local_for(&self, parent: Option<Entity>, w: &Qvvs) -> Result<Qvs, WorldError> {
        let Some(parent) = parent else {
            return Ok(Qvs { rotation: w.rotation, position: w.position, scale: w.scale });
        };
        let local = self.nodes[&parent].world.inverse_mul(w);
        if local.is_finite() { Ok(local) } else { Err(WorldError::NotInvertible { parent }) }
    }

    fn move_under(&mut self, e: Entity, to: Option<Entity>, local: Option<Qvs>) {
        if let Some(old) = self.nodes[&e].parent {
            self.nodes.get_mut(&old).unwrap().children.retain(|c| *c != e);
        }
        if let Some(new) = to {
            self.nodes.get_mut(&new).unwrap().children.push(e);
        }
        let node = self.nodes.get_mut(&e).unwrap();
        node.parent = to;
        node.local = local.unwrap_or(node.local);
        node.dirty |= !node.external;
    }

    fn remove(&mut self, e: Entity) {
        let node = self.nodes.remove(&e).unwrap();
        node.children.into_iter().for_each(|c| self.remove(c));
    }

    fn refresh(&mut self, e: Entity, parent_changed: bool, consume: Option<u64>) {
        let node = &self.nodes[&e];
        let moved = node.dirty || (parent_changed && !node.external);
        let mut world = node.world;
        if moved && !node.external {
            world = match node.parent {
                None => Qvvs::from_qvs(node.local, node.world.stretch, node.world.user),
                Some(p) => compose(node.keep, &self.nodes[&p].world, &node.local, &node.world),
            };
        }
        let version = consume.unwrap_or(self.version + 1);
        let node = self.nodes.get_mut(&e).unwrap();
        node.world = world;
        if moved {
            node.version = version;
            node.dirty = false;
        }
        for child in node.children.clone() {
            self.refresh(child, moved, consume);
        }
    }

    fn now(&mut self, e: Entity, version: u64) {
        self.version = version;
        self.nodes.get_mut(&e).unwrap().dirty = true;
        self.refresh(e, false, Some(version));
    }

    fn set_world(&mut self, e: Entity, w: &Qvvs) -> Result<(), WorldError> {
        self.alive(e)?;
        let (parent, external) = (self.nodes[&e].parent, self.nodes[&e].external);
        let local = if external { self.nodes[&e].local } else { self.local_for(parent, w)? };
        let node = self.nodes.get_mut(&e).unwrap();
        node.local = local;
        if external || node.keep != Inherit::ALL {
            node.world = *w;
        } else {
            (node.world.stretch, node.world.user) = (w.stretch, w.user);
        }
        node.dirty = true;
        Ok(())
    }

    /// Applies an operation. `spawned` are the handles that the world gave.
    pub fn apply(
        &mut self,
        op: &Op,
        prefabs: &[(Vec<Option<usize>>, Vec<Qvs>)],
        spawned: &[Entity],
    ) -> Result<(), WorldError> {
        match *op {
            Op::Spawn(parent, local) => {
                if let Some(p) = parent {
                    self.alive(p)?;
                }
                self.insert(spawned[0], parent, local);
            }
            Op::Prefab(which, count, parent) => {
                if let Some(p) = parent {
                    self.alive(p)?;
                }
                let (parents, locals) = &prefabs[which];
                for i in 0..count {
                    for (k, above) in parents.iter().enumerate() {
                        let at = |k: usize| spawned[i * parents.len() + k];
                        self.insert(at(k), above.map_or(parent, |a| Some(at(a))), locals[k]);
                    }
                }
            }
            Op::Despawn(e, children) => {
                self.alive(e)?;
                let parent = self.nodes[&e].parent;
                if let Children::HandUp(keep) = children {
                    let mut moves = Vec::new();
                    for c in self.nodes[&e].children.clone() {
                        let local = match keep {
                            Keep::Local => None,
                            Keep::World => Some(self.local_for(parent, &self.nodes[&c].world)?),
                        };
                        moves.push((c, local));
                    }
                    moves.into_iter().for_each(|(c, local)| self.move_under(c, parent, local));
                }
                if let Some(p) = parent {
                    self.nodes.get_mut(&p).unwrap().children.retain(|c| *c != e);
                }
                self.remove(e);
            }
            Op::SetParent(e, to, keep) => {
                self.alive(e)?;
                if let Some(parent) = to {
                    self.alive(parent)?;
                    if self.is_below(e, parent) {
                        return Err(WorldError::Cycle { entity: e, parent });
                    }
                }
                let local = match keep {
                    Keep::Local => None,
                    Keep::World => Some(self.local_for(to, &self.nodes[&e].world)?),
                };
                self.move_under(e, to, local);
            }
            Op::SetLocal(e, local) => {
                self.alive(e)?;
                let node = self.nodes.get_mut(&e).unwrap();
                node.local = local;
                node.dirty |= !node.external;
            }
            Op::SetWorld(e, w) => self.set_world(e, &w)?,
            Op::SetStretch(e, s) => {
                self.alive(e)?;
                let node = self.nodes.get_mut(&e).unwrap();
                (node.world.stretch, node.dirty) = (s, true);
            }
            Op::SetUser(e, u) => {
                self.alive(e)?;
                let node = self.nodes.get_mut(&e).unwrap();
                (node.world.user, node.dirty) = (u, true);
            }
            Op::SetInherit(e, keep) => {
                self.alive(e)?;
                let node = self.nodes.get_mut(&e).unwrap();
                let copy = |k: Inherit| k.contains(Inherit::COPY_PARENT);
                node.dirty |= copy(node.keep) != copy(keep) && !node.external;
                node.keep = keep;
            }
            Op::SetExternal(e, external) => {
                self.alive(e)?;
                let node = self.nodes.get_mut(&e).unwrap();
                if node.external != external {
                    node.external = external;
                    node.dirty = !external;
                }
            }
            Op::NowLocal(e, local) => {
                self.alive(e)?;
                let node = self.nodes.get_mut(&e).unwrap();
                node.local = local;
                if !node.external {
                    self.now(e, self.version + 1);
                }
            }
            Op::NowWorld(e, w) => {
                self.set_world(e, &w)?;
                self.now(e, self.version + 1);
            }
            Op::EditTwo(a, b, local, w) => {
                self.alive(a)?;
                self.alive(b)?;
                let (ra, rb) = (self.root(a), self.root(b));
                if ra == rb {
                    return Err(WorldError::Twice { entity: rb });
                }
                let version = self.version + 1;
                let node = self.nodes.get_mut(&a).unwrap();
                node.local = local;
                if !node.external {
                    self.now(a, version);
                }
                if self.set_world(b, &w).is_ok() {
                    self.now(b, version);
                }
            }
            Op::MoveAll(by) => {
                for node in self.nodes.values_mut() {
                    node.local.position.x += by;
                    node.dirty |= !node.external;
                }
            }
            Op::Reorder => {}
            Op::Sync => {
                let roots: Vec<Entity> =
                    self.nodes.iter().filter(|(_, n)| n.parent.is_none()).map(|(e, _)| *e).collect();
                let next = self.version + 1;
                roots.into_iter().for_each(|r| self.refresh(r, false, None));
                if self.nodes.values().any(|n| n.version == next) {
                    self.version = next;
                }
            }
        }
        Ok(())
    }
}

/// Applies an operation to the world; the handles it gave go to `spawned`.
pub fn apply(
    world: &mut World,
    op: &Op,
    prefabs: &[Prefab],
    spawned: &mut Vec<Entity>,
) -> Result<(), WorldError> {
    spawned.clear();
    match *op {
        Op::Spawn(parent, local) => spawned.push(world.spawn(parent, local)?),
        Op::Prefab(which, count, parent) => world.spawn_prefab(&prefabs[which], count, parent, spawned)?,
        Op::Despawn(e, children) => world.despawn(e, children)?,
        Op::SetParent(e, to, keep) => world.set_parent(e, to, keep)?,
        Op::SetLocal(e, local) => world.set_local(e, local)?,
        Op::SetWorld(e, w) => world.set_transform(e, w)?,
        Op::SetStretch(e, s) => world.set_stretch(e, s)?,
        Op::SetUser(e, u) => world.set_user(e, u)?,
        Op::SetInherit(e, keep) => world.set_inherit(e, keep)?,
        Op::SetExternal(e, external) => world.set_external(e, external)?,
        Op::NowLocal(e, local) => {
            let root = world.root(e)?;
            world.hierarchy(root)?.set_local(e, local)?;
        }
        Op::NowWorld(e, w) => {
            let root = world.root(e)?;
            world.hierarchy(root)?.set_transform(e, w)?;
        }
        Op::EditTwo(a, b, local, w) => {
            let roots = [world.root(a)?, world.root(b)?];
            world.edit_hierarchies(&roots, |i, h| {
                if i == 0 {
                    h.set_local(a, local).unwrap();
                    assert!(h.set_local(b, local).is_err(), "the other hierarchy is out of reach");
                } else {
                    // A parent of scale zero refuses; the model knows.
                    let _ = h.set_transform(b, w);
                }
            })?;
        }
        Op::MoveAll(by) => world.update_locals(|_, l| l.position.x += by)?,
        Op::Reorder => world.reorder(),
        Op::Sync => {
            world.sync();
        }
    }
    Ok(())
}

/// A random operation on a world with these entities; `dead` are handles that may be stale.
pub fn random_op(rng: &mut Rng, alive: &[Entity], dead: &[Entity], prefabs: usize, target: usize) -> Op {
    let pick = |rng: &mut Rng| {
        if !dead.is_empty() && rng.one_in(50) {
            dead[rng.below(dead.len())]
        } else {
            alive[rng.below(alive.len())]
        }
    };
    let keep = |rng: &mut Rng| if rng.one_in(2) { Keep::Local } else { Keep::World };
    if alive.is_empty() {
        return Op::Spawn(None, rng.qvs());
    }
    let parent = |rng: &mut Rng| if rng.one_in(5) { None } else { Some(pick(rng)) };
    let full = alive.len() > target;
    match rng.below(100) {
        0..=8 if !full => Op::Spawn(parent(rng), rng.qvs()),
        9..=11 if !full => {
            let under = if rng.one_in(3) { parent(rng) } else { None };
            Op::Prefab(rng.below(prefabs), 1 + rng.below(6), under)
        }
        0..=11 => Op::Despawn(pick(rng), Children::Despawn),
        12..=14 => Op::Despawn(pick(rng), Children::HandUp(keep(rng))),
        15..=24 => Op::SetParent(pick(rng), parent(rng), keep(rng)),
        25..=54 => Op::SetLocal(pick(rng), rng.qvs()),
        55..=63 => Op::SetWorld(pick(rng), rng.qvvs()),
        64..=66 => Op::SetStretch(pick(rng), rng.qvvs().stretch),
        67 => Op::SetUser(pick(rng), rng.next_u64() as u32),
        68..=72 => {
            let flags = if rng.one_in(2) { 0 } else { rng.next_u64() as u8 };
            let flags = if rng.one_in(3) { flags } else { flags & 0x7f };
            Op::SetInherit(pick(rng), Inherit::from_bits(flags))
        }
        73..=76 => Op::SetExternal(pick(rng), rng.one_in(3)),
        77..=84 => Op::NowLocal(pick(rng), rng.qvs()),
        85..=88 => Op::NowWorld(pick(rng), rng.qvvs()),
        89 => Op::EditTwo(pick(rng), pick(rng), rng.qvs(), rng.qvvs()),
        90 if rng.one_in(10) => Op::MoveAll(rng.signed()),
        91 if rng.one_in(5) => Op::Reorder,
        _ => Op::Sync,
    }
}
