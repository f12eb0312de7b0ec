//! How far the skin reaches: the vertices that follow each joint, in that joint's own space.

use crate::{
    BuiltSkeleton,
    exact::{M34, V3, larger, smaller},
    mesh::RawMesh,
    scene::Morph,
};
use lissom::archive::{MeshView, MorphView};

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
        let mut boxes = Boxes::new(&mesh.positions);
        for morph in morphs {
            morph.positions.iter().enumerate().for_each(|(vertex, by)| boxes.widen(vertex, *by));
        }
        let followed = mesh.influences.by_joint(skeleton.joint_of_raw.len());
        for (raw, vertices) in followed.iter().enumerate() {
            let (Some(joint), Some(bind)) = (skeleton.joint_of_raw.get(raw), mesh.inverse_binds.get(raw))
            else {
                continue;
            };
            for vertex in vertices {
                self.follow(*joint, bind, boxes.corners(*vertex as usize));
            }
        }
        self.drop_doubles();
    }

    /// Adds a mesh of an archive, made for a skeleton of this number of joints, and its morph targets.
    pub fn add_archived(&mut self, joint_count: usize, mesh: &MeshView<'_>, morphs: &[MorphView<'_>]) {
        self.joints.resize_with(joint_count, Vec::new);
        let mut boxes = Boxes::new(mesh.positions);
        for target in morphs.iter().map(|m| &m.target) {
            target.vertices.iter().zip(target.positions).for_each(|(v, by)| boxes.widen(*v as usize, *by));
        }
        let binds: Vec<M34> = mesh.inverse_binds.iter().map(M34::from_f32).collect();
        let each = mesh.per_vertex.max(1);
        let followed = mesh.joints.chunks_exact(each).zip(mesh.weights.chunks_exact(each));
        for (vertex, (joints, weights)) in followed.enumerate() {
            for (joint, _) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
                let joint = usize::from(*joint);
                if let Some(bind) = binds.get(joint) {
                    self.follow(joint, bind, boxes.corners(vertex));
                }
            }
        }
        self.drop_doubles();
    }

    /// True if no vertex follows any joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints.iter().all(Vec::is_empty)
    }

    fn follow(&mut self, joint: usize, bind: &M34, corners: impl Iterator<Item = V3>) {
        if let Some(points) = self.joints.get_mut(joint) {
            points.extend(corners.map(|p| bind.mul_point(p)));
        }
    }

    fn drop_doubles(&mut self) {
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

/// Where vertices can get, each within a box.
struct Boxes {
    low: Vec<[f64; 3]>,
    high: Vec<[f64; 3]>,
}

impl Boxes {
    fn new(positions: &[[f32; 3]]) -> Self {
        let own: Vec<[f64; 3]> = positions.iter().map(|p| p.map(f64::from)).collect();
        Self { low: own.clone(), high: own }
    }

    /// The vertex may move by this, or by less.
    fn widen(&mut self, vertex: usize, by: [f32; 3]) {
        let (Some(low), Some(high)) = (self.low.get_mut(vertex), self.high.get_mut(vertex)) else { return };
        for (c, by) in by.map(f64::from).into_iter().enumerate() {
            low[c] += smaller(by, 0.0);
            high[c] += larger(by, 0.0);
        }
    }

    /// The place of a vertex that stays, or the corners of its box.
    fn corners(&self, vertex: usize) -> impl Iterator<Item = V3> {
        let (low, high) = (self.low.get(vertex).copied(), self.high.get(vertex).copied());
        let count = match low {
            None => 0,
            _ if low == high => 1,
            Some(_) => 8,
        };
        let (low, high) = (low.unwrap_or_default(), high.unwrap_or_default());
        (0..count).map(move |corner| {
            let pick = |c: usize| if corner >> c & 1 == 0 { low[c] } else { high[c] };
            V3::new(pick(0), pick(1), pick(2))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        SkeletonBuilder,
        exact::Trs,
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
