//! How far the skin reaches: the vertices that follow each joint, in that joint's own space.

use crate::{
    BuiltSkeleton,
    exact::{V3, larger, smaller},
    mesh::RawMesh,
    scene::Morph,
};

/// The vertices of all meshes of a skeleton, each under every joint that moves it.
///
/// Made once for a skeleton and shared by all clips that are cooked for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinReach {
    /// Joints in the skeleton's order.
    joints: Vec<Vec<V3>>,
}

impl SkinReach {
    /// Adds a mesh of this skeleton; its vertices follow raw joints. Morph targets count with any weights from 0 to 1,
    /// together: a vertex then stands for the corners of the box that it can get to.
    pub fn add(&mut self, skeleton: &BuiltSkeleton, mesh: &RawMesh, morphs: &[Morph]) {
        self.joints.resize_with(skeleton.skeleton.joint_count(), Vec::new);
        let followed = mesh.influences.by_joint(skeleton.joint_of_raw.len());
        for (raw, vertices) in followed.iter().enumerate() {
            let (Some(joint), Some(bind)) = (skeleton.joint_of_raw.get(raw), mesh.inverse_binds.get(raw))
            else {
                continue;
            };
            let Some(points) = self.joints.get_mut(*joint) else { continue };
            for vertex in vertices {
                let reached = reached(mesh, morphs, *vertex as usize);
                points.extend(reached.map(|p| bind.mul_point(p)));
            }
        }
        for points in &mut self.joints {
            let bits = |p: &V3| [p.x, p.y, p.z].map(f64::to_bits);
            points.sort_unstable_by_key(bits);
            points.dedup_by_key(|p| bits(p));
        }
    }

    /// The points of a joint.
    pub(crate) fn joint(&self, joint: usize) -> &[V3] {
        self.joints.get(joint).map_or(&[], Vec::as_slice)
    }
}

/// Where a vertex can get: its own place, or the corners of a box.
fn reached(mesh: &RawMesh, morphs: &[Morph], vertex: usize) -> impl Iterator<Item = V3> {
    let wide = |p: Option<&[f32; 3]>| p.copied().unwrap_or_default().map(f64::from);
    let own = wide(mesh.positions.get(vertex));
    let (mut low, mut high) = (own, own);
    for morph in morphs {
        for (c, by) in wide(morph.positions.get(vertex)).into_iter().enumerate() {
            low[c] += smaller(by, 0.0);
            high[c] += larger(by, 0.0);
        }
    }
    let still = low == high;
    (0..if still { 1 } else { 8 }).map(move |corner| {
        let pick = |c: usize| if corner >> c & 1 == 0 { low[c] } else { high[c] };
        V3::new(pick(0), pick(1), pick(2))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        SkeletonBuilder,
        exact::{M34, Trs},
        mesh::Influences,
        raw::{RawJoint, RawSkeleton},
    };

    #[test]
    fn vertices_stand_under_every_joint_that_moves_them_and_morphs_widen_them() {
        let joint = |name: &str, parent| RawJoint { name: name.into(), parent, rest: Trs::IDENTITY };
        // Raw order is not skeleton order: the child stands first.
        let joints = vec![joint("child", Some(1)), joint("root", None)];
        let built = SkeletonBuilder::build(&RawSkeleton { joints }).unwrap();
        let bind = Trs::from_translation(V3::new(0.0, -1.0, 0.0)).to_m34();
        let mesh = RawMesh {
            positions: vec![[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]],
            influences: Influences::from_rows(&[[1, 0], [0, 1]], &[[1.0, 0.0], [0.5, 0.5]]),
            inverse_binds: vec![bind, M34::IDENTITY],
            ..RawMesh::default()
        };
        let morph = |to: [f32; 3]| Morph { positions: vec![[0.0; 3], to], ..Morph::default() };
        let mut plain = SkinReach::default();
        plain.add(&built, &mesh, &[]);
        let (root, child) = (built.joint_of_raw[1], built.joint_of_raw[0]);
        assert_eq!(plain.joint(root), [V3::new(0.0, 1.0, 0.0), V3::new(0.0, 2.0, 0.0)]);
        assert_eq!(plain.joint(child), [V3::new(0.0, 1.0, 0.0)]);
        let mut wide = SkinReach::default();
        wide.add(&built, &mesh, &[morph([0.5, 0.0, 0.0]), morph([-0.25, 0.0, 1.0])]);
        let child = wide.joint(child);
        assert!(child.contains(&V3::new(0.5, 1.0, 0.0)) && child.contains(&V3::new(-0.25, 1.0, 1.0)));
        assert!(child.iter().all(|p| p.x <= 0.5 && p.x >= -0.25 && p.z >= 0.0 && p.z <= 1.0));
    }
}
