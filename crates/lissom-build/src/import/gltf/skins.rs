//! Skins: which joints a mesh follows, and the inverse bind matrices.

use super::{
    super::{ImportError, Place},
    accessor::Source,
    budget::Budget,
    document::{Kind, Skin},
    matrix,
    names::place,
    nodes::Skeleton,
    spare,
};
use crate::{exact::M34, scene::Scene};

/// A skin, checked.
pub(super) struct Binding {
    /// The raw joint of each of the skin's joints.
    pub(super) joints: Vec<u16>,
    /// The inverse bind matrix of each, in the same order.
    binds: Vec<M34>,
}

impl Binding {
    /// An inverse bind matrix for every raw joint: the skin's own; for the others the inverse of their rest
    /// pose, which nothing follows.
    pub(super) fn for_all(&self, rest: &[M34]) -> Vec<M34> {
        let mut all = rest.to_vec();
        // From the back: where a joint is listed twice, the first stands.
        for (joint, bind) in self.joints.iter().zip(&self.binds).rev() {
            if let Some(slot) = all.get_mut(usize::from(*joint)) {
                *slot = *bind;
            }
        }
        all
    }
}

/// Inverses of the rest pose; where a joint is flat (scale 0), no movement.
pub(super) fn rest_inverses(skeleton: &Skeleton) -> Vec<M34> {
    skeleton.models.iter().map(|m| m.inverse().unwrap_or(M34::IDENTITY)).collect()
}

/// Checks all skins; what is wrong with one leaves it out, and its meshes with it.
pub(super) fn read(
    source: &Source<'_>,
    skeleton: &Skeleton,
    strict: bool,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Vec<Option<Binding>>, ImportError> {
    let mut out = Vec::with_capacity(source.document.skins.len());
    for (index, skin) in source.document.skins.iter().enumerate() {
        let here = place("skin", index, skin.name.as_deref());
        out.push(match one(source, skin, &here, skeleton, budget, scene) {
            Ok(binding) => Some(binding),
            Err(error) => {
                spare(error, "the skin was left out", strict, budget, scene)?;
                None
            }
        });
    }
    Ok(out)
}

fn one(
    source: &Source<'_>,
    skin: &Skin<'_>,
    here: &str,
    skeleton: &Skeleton,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Binding, ImportError> {
    let fail = |reason: String| ImportError::Format { place: Place::Path(here.into()), reason };
    budget.take(skin.joints.len() as u64, size_of::<M34>().saturating_add(4), || Place::Path(here.into()))?;
    let mut joints = Vec::with_capacity(skin.joints.len());
    for node in &skin.joints {
        let joint = skeleton.joint(*node).ok_or_else(|| fail(format!("there is no node {node}")))?;
        joints.push(joint as u16);
    }
    let mut sorted = joints.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() < joints.len() {
        scene.warn(here, "a joint is listed more than once; its first inverse bind matrix counts");
    }
    if let Some(root) = skin.skeleton {
        if source.document.nodes.get(root as usize).is_none() {
            scene.warn(
                here,
                format!("its skeleton is node {root}, which does not exist; nothing depends on it"),
            );
        } else if !skin.joints.contains(&root) {
            scene.warn(
                here,
                format!("its skeleton, node {root}, is none of its joints; nothing depends on it"),
            );
        }
    }
    let Some(accessor) = skin.binds else {
        scene.warn(here, "it has no inverse bind matrices; they are the identity, as glTF says");
        return Ok(Binding { binds: vec![M34::IDENTITY; joints.len()], joints });
    };
    let values = source.open(accessor, &[Kind::Mat4], budget)?;
    if values.len() < joints.len() {
        let reason = format!("it has {} joints, but {} inverse bind matrices", joints.len(), values.len());
        return Err(fail(reason));
    }
    let (mut odd, mut broken) = (0_usize, 0_usize);
    let mut binds = Vec::with_capacity(joints.len());
    for (i, joint) in joints.iter().enumerate() {
        let (bind, affine) = matrix::from_columns(&values.get::<16>(i));
        if bind.columns.iter().all(|c| c.is_finite()) {
            odd = odd.saturating_add((!affine).into());
            binds.push(bind);
        } else {
            broken = broken.saturating_add(1);
            let rest = skeleton.models.get(usize::from(*joint)).and_then(M34::inverse);
            binds.push(rest.unwrap_or(M34::IDENTITY));
        }
    }
    if odd > 0 {
        scene.warn(
            here,
            format!("the last row of {odd} inverse bind matrices is not 0 0 0 1; it was taken as that"),
        );
    }
    if broken > 0 {
        scene.warn(
            here,
            format!("{broken} inverse bind matrices are not finite; the rest pose stands in for them"),
        );
    }
    Ok(Binding { joints, binds })
}
