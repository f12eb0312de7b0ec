//! Which joints a mesh follows.

use super::{Budget, m34, nodes::Nodes, take};
use crate::{
    exact::M34,
    import::ImportError,
    mesh::RawMesh,
    mesh::{Collect, Influences},
    scene::Scene,
};

/// Bytes of a joint and its weight.
const WEIGHT: usize = size_of::<u16>() + size_of::<f32>();

/// What a mesh is bound with.
pub(super) struct Bind<'a> {
    pub(super) mesh: &'a ufbx::Mesh,
    pub(super) node: &'a ufbx::Node,
    /// The joint of the node.
    pub(super) joint: u16,
    /// Every joint's rest pose.
    pub(super) models: &'a [M34],
    /// From the mesh's own space to where its vertices stand now.
    pub(super) to_world: &'a M34,
}

/// Fills in joints, weights and inverse bind matrices. `sources` are the vertices of the file.
pub(super) fn bind(
    raw: &mut RawMesh,
    sources: &[u32],
    bind: &Bind<'_>,
    nodes: &Nodes,
    place: &str,
    (budget, scene): (&mut Budget, &mut Scene),
) -> Result<(), ImportError> {
    let inverse = |m: &M34| m.inverse().unwrap_or(M34::IDENTITY);
    raw.inverse_binds = bind.models.iter().map(inverse).collect();
    let skins = &bind.mesh.skin_deformers;
    let skin = skins.first().map(|s| &**s).filter(|s| s.clusters.count > 0);
    let Some(skin) = skin else {
        raw.influences = Influences::rigid(bind.joint, sources.len());
        return Ok(());
    };
    if skins.count > 1 {
        scene.warn(place, format!("its mesh has {} skins; the first was taken", skins.count));
    }
    let clusters = clusters(raw, skin, bind, nodes, place, scene);
    let mut loose = 0_u32;
    let mut all = Collect::with_room_for(sources.len());
    let mut list = Vec::new();
    for source in sources {
        list.clear();
        if let Some(vertex) = skin.vertices.get(*source as usize) {
            let start = vertex.weight_begin as usize;
            let weights = skin.weights.get(start..start.saturating_add(vertex.num_weights as usize));
            for weight in weights.unwrap_or_default() {
                let joint = clusters.get(weight.cluster_index as usize).copied().flatten();
                list.extend(joint.map(|joint| (joint, weight.weight)));
            }
        }
        let found = all.push(&mut list, bind.joint);
        loose = loose.saturating_add(u32::from(!found));
    }
    // As wide as the widest vertex, which the file need not repeat.
    take(budget, sources.len(), all.widest().saturating_mul(WEIGHT))?;
    raw.influences = all.finish();
    if loose > 0 {
        scene.warn(place, format!("{loose} vertices have no weights; they follow the mesh's node"));
    }
    Ok(())
}

/// The joint of each cluster of a skin; their bind matrices go into the mesh.
fn clusters(
    raw: &mut RawMesh,
    skin: &ufbx::SkinDeformer,
    bind: &Bind<'_>,
    nodes: &Nodes,
    place: &str,
    scene: &mut Scene,
) -> Vec<Option<u16>> {
    // Vertices stand in the world: first back to the mesh's own space, where bind matrices start.
    let back = bind.to_world.inverse();
    if back.is_none() {
        let name = &*bind.node.element.name;
        scene.warn(place, format!("node {name:?} has a scale of 0; its mesh follows the rest pose"));
    }
    let mut bound = vec![false; raw.inverse_binds.len()];
    let mut out = Vec::with_capacity(skin.clusters.count);
    for cluster in &skin.clusters {
        let joint = cluster.bone_node.as_deref().and_then(|n| nodes.joint(n));
        let (Some(joint), Some(back)) = (joint, &back) else {
            out.push(joint);
            continue;
        };
        let matrix = m34(&cluster.geometry_to_bone).mul(back);
        let at = usize::from(joint);
        if let (Some(to), Some(bound)) = (raw.inverse_binds.get_mut(at), bound.get_mut(at)) {
            if *bound && *to != matrix {
                let name = &*cluster.element.name;
                scene.warn(
                    place,
                    format!("cluster {name:?} binds a joint a second time; the first was taken"),
                );
            } else {
                (*to, *bound) = (matrix, true);
            }
        }
        out.push(Some(joint));
    }
    out
}
