//! The tree of nodes, and the skeleton that becomes of it: every node that moves, carries a mesh or is a joint, and
//! all above these.

use super::{
    super::{ImportError, Place},
    budget::Budget,
    document::{Document, Node},
    matrix,
    names::{Names, place},
};
use crate::{
    exact::{M34, Q4, Trs, V3},
    mesh::model_matrices,
    raw::{RawJoint, RawSkeleton},
    scene::Scene,
};
use lissom::MAX_JOINTS;

/// The skeleton, and which node each joint was.
pub(super) struct Skeleton {
    pub(super) raw: RawSkeleton,
    /// Of the rest pose, one a joint.
    pub(super) models: Vec<M34>,
    joint_of_node: Vec<Option<u16>>,
}

impl Skeleton {
    pub(super) fn joint(&self, node: u32) -> Option<usize> {
        self.joint_of_node.get(node as usize).copied().flatten().map(usize::from)
    }
}

/// The parent of every node. Refuses cycles, nodes with two parents, and trees too deep.
fn parents(nodes: &[Node<'_>], deepest: usize) -> Result<Vec<Option<u32>>, ImportError> {
    let fail = |node: usize, reason: String| {
        let name = nodes.get(node).and_then(|n| n.name.as_deref());
        ImportError::Format { place: Place::Path(place("node", node, name)), reason }
    };
    let mut parents: Vec<Option<u32>> = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for child in &node.children {
            let Some(parent) = parents.get_mut(*child as usize) else {
                return Err(fail(
                    index,
                    format!("its child {child} does not exist; there are {} nodes", nodes.len()),
                ));
            };
            if let Some(first) = parent.replace(index as u32) {
                return Err(fail(
                    *child as usize,
                    format!("it is a child of both node {first} and node {index}"),
                ));
            }
        }
    }
    // Down from the roots, level by level: what is not reached hangs on a cycle.
    let mut level: Vec<u32> = (0_u32..).zip(&parents).filter(|(_, p)| p.is_none()).map(|(n, _)| n).collect();
    let (mut reached, mut depth) = (0_usize, 0_usize);
    let mut seen = vec![false; nodes.len()];
    while !level.is_empty() {
        depth = depth.saturating_add(1);
        if depth > deepest {
            let first = level.first().copied().unwrap_or_default();
            let place = Place::Path(format!("node {first}"));
            let (found, allowed) = (depth as u64, deepest as u64);
            return Err(ImportError::Limit { place, what: "the depth of nodes", found, allowed });
        }
        let mut next = Vec::new();
        for node in level {
            reached = reached.saturating_add(1);
            if let Some(seen) = seen.get_mut(node as usize) {
                *seen = true;
            }
            next.extend(nodes.get(node as usize).into_iter().flat_map(|n| &n.children));
        }
        level = next;
    }
    match seen.iter().position(|s| !s) {
        Some(node) if reached < nodes.len() => {
            Err(fail(node, "it is its own ancestor, or below one that is".into()))
        }
        _ => Ok(parents),
    }
}

/// Builds the one skeleton of the file; `None` if it has no nodes.
pub(super) fn skeleton(
    document: &Document<'_>,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Option<Skeleton>, ImportError> {
    let nodes = &document.nodes;
    let parents = parents(nodes, budget.limits().max_depth)?;
    let mut chosen = chosen(document)?;
    if !chosen.contains(&true) {
        // Nothing moves and nothing is drawn: a bare hierarchy, all of it.
        chosen.fill(true);
    }
    for start in 0..nodes.len() {
        // Up to the first that is chosen already: its ancestors are too, or will be.
        let mut at =
            if chosen.get(start) == Some(&true) { parents.get(start).copied().flatten() } else { None };
        while let Some(node) = at {
            match chosen.get_mut(node as usize) {
                Some(c) if !*c => *c = true,
                _ => break,
            }
            at = parents.get(node as usize).copied().flatten();
        }
    }
    let count = chosen.iter().filter(|c| **c).count();
    if count == 0 {
        return Ok(None);
    }
    let allowed = budget.limits().max_joints.min(MAX_JOINTS);
    if count > allowed {
        let (found, allowed) = (count as u64, allowed as u64);
        return Err(ImportError::Limit {
            place: Place::Path("nodes".into()),
            what: "the count of joints",
            found,
            allowed,
        });
    }
    budget.take(count as u64, size_of::<RawJoint>().saturating_add(size_of::<M34>()), || {
        Place::Path("nodes".into())
    })?;

    let mut joint_of_node: Vec<Option<u16>> = Vec::with_capacity(nodes.len());
    let mut next = 0_u16;
    for chosen in &chosen {
        joint_of_node.push(chosen.then_some(next));
        next = next.saturating_add((*chosen).into());
    }
    let mut names = Names::default();
    let mut joints = Vec::with_capacity(count);
    for (index, node) in nodes.iter().enumerate().filter(|(i, _)| chosen.get(*i) == Some(&true)) {
        let rest = rest(index, node, scene)?;
        let name = names.unique(node.name.as_deref(), || format!("node_{index}"));
        let parent = parents.get(index).copied().flatten();
        let parent = parent.and_then(|p| joint_of_node.get(p as usize).copied().flatten()).map(usize::from);
        joints.push(RawJoint { name, parent, rest });
    }
    if names.missing > 0 {
        scene.warn("nodes", format!("{} have no name and are called node_N by their index", names.missing));
    }
    if names.repeated > 0 {
        scene.warn("nodes", format!("{} have the name of another and got a suffix", names.repeated));
    }
    if names.cut > 0 {
        scene.warn("nodes", format!("{} names were cut to 255 bytes", names.cut));
    }
    let raw = RawSkeleton { joints };
    raw.validate().map_err(|source| ImportError::Skeleton { place: Place::Path("nodes".into()), source })?;
    let locals: Vec<Trs> = raw.joints.iter().map(|j| j.rest).collect();
    let models = model_matrices(&raw, &locals);
    if models.iter().any(|m| m.columns.iter().any(|c| !c.is_finite())) {
        let reason = "the rest transforms multiply to more than a number can hold".into();
        return Err(ImportError::Format { place: Place::Path("nodes".into()), reason });
    }
    Ok(Some(Skeleton { raw, models, joint_of_node }))
}

/// Nodes that something names: joints of skins, targets of channels, carriers of meshes.
fn chosen(document: &Document<'_>) -> Result<Vec<bool>, ImportError> {
    let count = document.nodes.len();
    let mut chosen: Vec<bool> = document.nodes.iter().map(|n| n.mesh.is_some()).collect();
    let mut choose = |node: u32, place: &dyn Fn() -> String| match chosen.get_mut(node as usize) {
        Some(c) => {
            *c = true;
            Ok(())
        }
        None => {
            let reason = format!("there is no node {node}; there are {count} nodes");
            Err(ImportError::Format { place: Place::Path(place()), reason })
        }
    };
    for (index, skin) in document.skins.iter().enumerate() {
        for joint in &skin.joints {
            choose(*joint, &|| place("skin", index, skin.name.as_deref()))?;
        }
    }
    for (index, animation) in document.animations.iter().enumerate() {
        for (channel, target) in animation.channels.iter().enumerate() {
            if let Some(node) = target.target.node {
                choose(node, &|| {
                    format!("{}, channel {channel}", place("animation", index, animation.name.as_deref()))
                })?;
            }
        }
    }
    Ok(chosen)
}

/// The rest transform of a node.
fn rest(index: usize, node: &Node<'_>, scene: &mut Scene) -> Result<Trs, ImportError> {
    let here = || place("node", index, node.name.as_deref());
    let fail = |reason: &str| ImportError::Format { place: Place::Path(here()), reason: reason.into() };
    let trs = if let Some(m) = &node.matrix {
        if node.translation.is_some() || node.rotation.is_some() || node.scale.is_some() {
            scene.warn(here(), "it has a matrix and a transform apart from it; the matrix counts");
        }
        let (m, affine) = matrix::from_columns(m);
        let (trs, shear) = matrix::decompose(&m);
        if shear {
            scene.warn(here(), "its matrix has shear, which no joint can have; it was left out");
        }
        if !affine {
            scene.warn(here(), "the last row of its matrix is not 0 0 0 1; it was taken as that");
        }
        trs
    } else {
        let v3 = |[x, y, z]: [f64; 3]| V3::new(x, y, z);
        let [x, y, z, w] = node.rotation.as_deref().copied().unwrap_or([0.0, 0.0, 0.0, 1.0]);
        Trs {
            translation: node.translation.as_deref().map_or(V3::ZERO, |t| v3(*t)),
            rotation: Q4::new(x, y, z, w),
            scale: node.scale.as_deref().map_or(V3::ONE, |s| v3(*s)),
        }
    };
    if !trs.is_finite() || !trs.to_f32().is_finite() {
        return Err(fail("its transform has a number that f32 cannot hold"));
    }
    let length = trs.rotation.dot(trs.rotation);
    if length < 1e-12 {
        return Err(fail("its rotation has no length"));
    }
    if (length - 1.0).abs() > 1e-2 {
        scene.warn(here(), format!("its rotation has length {:.3}; it was normalised", length.sqrt()));
    }
    Ok(Trs { rotation: trs.rotation.normalize(), ..trs })
}
