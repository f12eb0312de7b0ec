//! The tree of nodes, and the skeleton that becomes of it: every node but those that only carry a skinned mesh, which
//! follows the joints of its skin and not its node. Leaves that nothing names are sockets, ends of chains, parts of a
//! humanoid: they mean something to somebody.

use super::{
    super::{ImportError, Place},
    budget::Budget,
    document::{self, Aim, Document, Node, Path},
    matrix,
    names::{Names, place},
};
use crate::{
    exact::{M34, Q4, Trs, V3},
    mesh::model_matrices,
    raw::{RawJoint, RawSkeleton},
    scene::{Scene, SourceNode},
};
use lissom::MAX_JOINTS;

/// The skeleton, and which node each joint was.
pub(super) struct Skeleton {
    pub(super) raw: RawSkeleton,
    /// Of the rest pose, one a joint.
    pub(super) models: Vec<M34>,
    joint_of_node: Vec<Option<u16>>,
    /// What each joint is in the file.
    pub(super) nodes: Vec<SourceNode>,
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
    let allowed = budget.limits().max_joints.min(MAX_JOINTS);
    let needed = needed(document)?;
    let mut chosen: Vec<bool> =
        nodes.iter().zip(&needed).map(|(n, needed)| *needed || !carrier(document, n)).collect();
    let all = chosen.iter().filter(|c| **c).count();
    if all > allowed && needed.contains(&true) {
        scene.warn("nodes", format!("there are {all}; those that nothing names were left out"));
        chosen = needed;
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
    if count > allowed {
        let (found, allowed) = (count as u64, allowed as u64);
        return Err(ImportError::Limit {
            place: Place::Path("nodes".into()),
            what: "the count of joints",
            found,
            allowed,
        });
    }
    const EACH: usize = size_of::<RawJoint>() + size_of::<M34>() + size_of::<SourceNode>();
    budget.take(count as u64, EACH, || Place::Path("nodes".into()))?;

    let mut joint_of_node: Vec<Option<u16>> = Vec::with_capacity(nodes.len());
    let mut next = 0_u16;
    for chosen in &chosen {
        joint_of_node.push(chosen.then_some(next));
        next = next.saturating_add((*chosen).into());
    }
    let mut names = Names::default();
    let mut joints = Vec::with_capacity(count);
    let mut sources = Vec::with_capacity(count);
    for (index, node) in nodes.iter().enumerate().filter(|(i, _)| chosen.get(*i) == Some(&true)) {
        let rest = rest(index, node, scene)?;
        let name = names.unique(node.name.as_deref(), || format!("node_{index}"));
        let parent = parents.get(index).copied().flatten();
        let parent = parent.and_then(|p| joint_of_node.get(p as usize).copied().flatten()).map(usize::from);
        joints.push(RawJoint { name, parent, rest });
        let own = node.name.as_deref().unwrap_or_default();
        let name = own.chars().take(255).collect();
        let extras = document::text(node.extras);
        budget.take(1, extras.len(), || Place::Path(place("node", index, node.name.as_deref())))?;
        sources.push(SourceNode { index: Some(index as u32), name, extras });
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
    Ok(Some(Skeleton { raw, models, joint_of_node, nodes: sources }))
}

/// True if a node does nothing but carry a mesh that follows a skin.
fn carrier(document: &Document<'_>, node: &Node<'_>) -> bool {
    let skin = node.skin.and_then(|s| document.skins.get(s as usize));
    let mesh = node.mesh.and_then(|m| document.meshes.get(m as usize));
    let (Some(skin), Some(mesh)) = (skin, mesh) else { return false };
    // What has no weights follows its node.
    let bound = |name: &str| mesh.primitives.iter().all(|p| p.attributes.contains_key(name));
    !skin.joints.is_empty() && bound("JOINTS_0") && bound("WEIGHTS_0")
}

/// Nodes that something depends on: joints of skins, what channels move, carriers of rigid meshes.
fn needed(document: &Document<'_>) -> Result<Vec<bool>, ImportError> {
    let count = document.nodes.len();
    let rigid = |n: &Node<'_>| n.mesh.is_some() && !carrier(document, n);
    let mut needed: Vec<bool> = document.nodes.iter().map(rigid).collect();
    for (index, skin) in document.skins.iter().enumerate() {
        for joint in &skin.joints {
            let Some(needed) = needed.get_mut(*joint as usize) else {
                let reason = format!("there is no node {joint}; there are {count} nodes");
                let place = Place::Path(place("skin", index, skin.name.as_deref()));
                return Err(ImportError::Format { place, reason });
            };
            *needed = true;
        }
    }
    for channel in document.animations.iter().flat_map(|a| &a.channels) {
        // Weights move a mesh, not its node. A node that does not exist is told where its channel is read.
        if let Aim::Node(node, Path::Translation | Path::Rotation | Path::Scale) = channel.target.aim()
            && let Some(needed) = needed.get_mut(node as usize)
        {
            *needed = true;
        }
    }
    Ok(needed)
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
