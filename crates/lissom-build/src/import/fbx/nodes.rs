//! Which nodes become joints.

use super::{limit, stacks::Stack, trs};
use crate::{
    import::{ImportError, ImportLimits, names::Names},
    raw::{RawJoint, RawSkeleton},
    scene::Scene,
};

/// The joints, and the node that each came from.
pub(super) struct Nodes {
    pub(super) skeleton: RawSkeleton,
    /// The joint of each node of the file.
    pub(super) joint_of_node: Vec<Option<u16>>,
}

impl Nodes {
    /// Bones, nodes that skins follow, nodes that move, nodes with a mesh, and all nodes above these. The file's
    /// root stands for the world and is none. A camera, a light and what they look at move without being joints.
    pub(super) fn of(
        file: &ufbx::Scene,
        stacks: &[Stack],
        limits: &ImportLimits,
        scene: &mut Scene,
    ) -> Result<Self, ImportError> {
        let mut wanted = vec![false; file.nodes.count];
        let mut want = |node: &ufbx::Node| {
            let mut at = Some(node);
            while let Some(node) = at {
                let Some(wanted) = wanted.get_mut(node.element.typed_id as usize) else { break };
                // Above a node that is wanted, all are.
                if *wanted || node.is_root {
                    break;
                }
                *wanted = true;
                at = node.parent.as_deref();
            }
        };
        for node in &file.nodes {
            if node.bone.is_some() || node.mesh.is_some() {
                want(node);
            }
        }
        for cluster in &file.skin_clusters {
            cluster.bone_node.as_deref().into_iter().for_each(&mut want);
        }
        let stage = stage(file);
        let is_stage = |id: u32| stage.get(id as usize).copied().unwrap_or_default();
        for moved in stacks.iter().flat_map(|stack| &stack.baked.nodes) {
            let node = file.nodes.get(moved.typed_id as usize);
            node.filter(|_| !is_stage(moved.typed_id)).into_iter().for_each(|node| want(node));
        }
        let count = wanted.iter().filter(|w| **w).count();
        if count > limits.max_joints {
            return Err(limit("the count of joints", count as u64, limits.max_joints as u64));
        }
        let mut out = Self { skeleton: RawSkeleton::default(), joint_of_node: vec![None; file.nodes.count] };
        let mut names = Names::default();
        // Parents come before their children.
        for (node, _) in file.nodes.into_iter().zip(&wanted).filter(|(_, wanted)| **wanted) {
            let joint = u16::try_from(out.skeleton.joints.len()).ok();
            let name = names.unique(Some(&node.element.name), || format!("node_{}", node.element.typed_id));
            let parent = node.parent.as_deref().and_then(|p| out.joint(p)).map(usize::from);
            out.skeleton.joints.push(RawJoint { name, parent, rest: trs(&node.local_transform) });
            if let Some(to) = out.joint_of_node.get_mut(node.element.typed_id as usize) {
                *to = joint;
            }
        }
        for (count, text) in [
            (names.repeated, "nodes have the name of another; they got a number"),
            (names.missing, "nodes have no name; they are called by their place"),
            (names.cut, "nodes have very long names; they were cut"),
        ] {
            if count > 0 {
                scene.warn("nodes", format!("{count} {text}"));
            }
        }
        Ok(out)
    }

    /// The joint that a node became.
    pub(super) fn joint(&self, node: &ufbx::Node) -> Option<u16> {
        self.joint_of_node.get(node.element.typed_id as usize).copied().flatten()
    }
}

/// Which nodes are cameras and lights, or what those look at.
fn stage(file: &ufbx::Scene) -> Vec<bool> {
    let mut out = vec![false; file.nodes.count];
    let mut mark = |node: &ufbx::Node| {
        if let Some(to) = out.get_mut(node.element.typed_id as usize) {
            *to = true;
        }
    };
    for node in file.nodes.into_iter().filter(|n| is_stage(n)) {
        mark(node);
        // Whether the property itself is there or not: the connection says enough.
        let aims = |c: &&ufbx::Connection| ["LookAtProperty", "UpVectorProperty"].contains(&&*c.dst_prop);
        let others = node.element.connections_dst.iter().filter(aims);
        others.filter_map(|c| ufbx::as_node(&c.src)).for_each(&mut mark);
    }
    // 3ds Max calls a target by its camera, and not every exporter says more.
    for node in &file.nodes {
        let owner = node.element.name.strip_suffix(".Target").or(node.element.name.strip_suffix("_Target"));
        let Some(owner) = owner else { continue };
        if file.nodes.into_iter().any(|n| is_stage(n) && *n.element.name == *owner) {
            mark(node);
        }
    }
    out
}

fn is_stage(node: &ufbx::Node) -> bool {
    use ufbx::ElementType;
    let stereo = [ElementType::StereoCamera, ElementType::CameraSwitcher].contains(&node.attrib_type);
    node.camera.is_some() || node.light.is_some() || stereo
}

/// How far from 1 the scale of bones is in the world, or of meshes where there are no bones: 0 if it is 1
/// everywhere, else the mean of |log scale|.
pub(super) fn scaled(file: &ufbx::Scene) -> f64 {
    let of = |pick: fn(&ufbx::Node) -> bool| {
        let (mut sum, mut count) = (0.0, 0_u32);
        for node in file.nodes.into_iter().filter(|n| pick(n)) {
            let [x, y, z, _] = super::m34(&node.node_to_world).columns;
            let volume = x.cross(y).dot(z).abs();
            // A scale of 0 says nothing about units.
            if volume > 0.0 && volume.is_finite() {
                let log = (libm::log(volume) / 3.0).abs();
                sum += if log < 0.01 { 0.0 } else { log };
                count = count.saturating_add(1);
            }
        }
        (count > 0).then(|| sum / f64::from(count))
    };
    of(|n| n.bone.is_some()).or_else(|| of(|n| n.mesh.is_some())).unwrap_or_default()
}
