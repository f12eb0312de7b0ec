//! Down the trees, on all threads.
//!
//! A branch is the children of one entity, or some of them. As long as few are waiting, one thread goes down level by level; then
//! branches are dealt out, and whoever has gone far hands back what is left, so that no thread is alone with a large tree.
#![allow(unsafe_code, reason = "threads write to entities of one query that are known to be different ones")]

use super::{Marks, Nodes};
use bevy_ecs::prelude::*;
use bevy_tasks::ComputeTaskPool;
use bevy_transform::components::GlobalTransform;

/// Entities that wait before they are dealt out: fewer are not worth a task.
const SHARED: usize = 2048;

/// Entities of a task, at least.
const PIECE: usize = 256;

/// Entities after which a task hands back what it has not visited.
const FAR: usize = 16 * 1024;

/// Children that are visited before what is below them: all that waits then stays in the nearest cache, however many roots there are.
const BITE: usize = 64;

/// Children that are to be visited.
struct Branch<'w> {
    /// Their parent and its place; roots have none.
    above: Option<(Entity, GlobalTransform)>,
    /// All are visited; else those with a mark.
    moved: bool,
    children: &'w [Entity],
}

/// Visits roots and what is below them, where it is marked or where what is above it moved.
///
/// # Panics
/// If a child does not know its parent, as Bevy's own propagation does.
pub(super) fn from_roots(nodes: &mut Nodes, marks: &Marks, roots: &[Entity]) {
    let nodes: &Nodes = nodes;
    let pool = ComputeTaskPool::try_get().filter(|pool| pool.thread_num() > 1);
    let bites = roots.chunks(BITE).map(|children| Branch { above: None, moved: true, children });
    let (mut level, mut next): (Vec<_>, _) = (bites.collect(), Vec::new());
    if pool.is_none() {
        // SAFETY: this is the only thread, and `nodes` is borrowed from a unique reference.
        unsafe { visit_far(nodes, marks, &mut level, usize::MAX) };
    }
    while !level.is_empty() {
        let waiting: usize = level.iter().map(|branch| branch.children.len()).sum();
        if let Some(pool) = pool.filter(|_| waiting >= SHARED) {
            let mut hands = dealt(&mut level, (waiting / (pool.thread_num() * 4)).max(PIECE));
            pool.scope(|scope| {
                for hand in &mut hands {
                    // SAFETY: branches of all hands together are those of `level`, of which each was there once.
                    scope.spawn(async move { unsafe { visit_far(nodes, marks, hand, FAR) } });
                }
            });
            level.extend(hands.into_iter().flatten());
        } else {
            for branch in level.drain(..) {
                // SAFETY: this is the only thread, and `nodes` is borrowed from a unique reference.
                unsafe { visit(nodes, marks, branch, &mut next) };
            }
            std::mem::swap(&mut level, &mut next);
        }
    }
}

/// Branches in heaps of this number of entities; large ones are cut into bites.
fn dealt<'w>(branches: &mut Vec<Branch<'w>>, piece: usize) -> Vec<Vec<Branch<'w>>> {
    let (mut hands, mut hand, mut entities) = (Vec::new(), Vec::new(), 0);
    for Branch { above, moved, children } in branches.drain(..) {
        for children in children.chunks(BITE) {
            entities += children.len();
            hand.push(Branch { above, moved, children });
            if entities >= piece {
                hands.push(std::mem::take(&mut hand));
                entities = 0;
            }
        }
    }
    hands.push(hand);
    hands
}

/// Depth first, until nothing is left or it has gone so far.
///
/// # Safety
/// As of [`visit`], for each of these branches and all that is below them.
unsafe fn visit_far<'w>(nodes: &'w Nodes, marks: &Marks, stack: &mut Vec<Branch<'w>>, far: usize) {
    let mut visited = 0;
    while visited < far
        && let Some(branch) = stack.pop()
    {
        visited += branch.children.len();
        // SAFETY: what is pushed are children of children, whom nobody else visits; see `visit`.
        unsafe { visit(nodes, marks, branch, stack) };
    }
}

/// Children get their places; their own children are left in `below`.
///
/// # Safety
/// - Nobody else has an item of `nodes` for any of these children while this runs. That follows if every branch is visited
///   once: an entity is in the list of one parent, which is checked, and a root in none.
unsafe fn visit<'w>(nodes: &'w Nodes, marks: &Marks, branch: Branch<'_>, below: &mut Vec<Branch<'w>>) {
    let Branch { above, moved, children } = branch;
    for child in children {
        if !(moved || marks.contains(*child)) {
            continue;
        }
        // SAFETY: the caller's promise.
        let item = unsafe { nodes.get_unchecked(*child) };
        // Who has no transform, or is moved by somebody else, hides what is below it.
        let Ok((_, transform, mut global, child_of, children)) = item else { continue };
        assert_eq!(
            child_of.map(|child_of| child_of.parent()),
            above.map(|(parent, _)| parent),
            "a parent of {child}"
        );
        global.set_if_neq(match &above {
            Some((_, place)) => place.mul_transform(*transform),
            None => GlobalTransform::from(*transform),
        });
        if let Some(children) = children {
            below.push(Branch { above: Some((*child, *global)), moved: global.is_changed(), children });
        }
    }
}
