//! Boxes round what moves, and the places where things can be held.

use crate::{document::Document, failure::Failure, lines::Lines};
use lissom::{
    math::Vec3,
    mesh::{JointBounds, Strided},
};

/// What is known before anything moves.
pub(crate) struct Bounds {
    /// One a mesh, in the document's order.
    meshes: Vec<JointBounds>,
    /// Joints that no vertex follows and nothing hangs on: sockets, and the ends of chains.
    sockets: Vec<usize>,
}

impl Bounds {
    pub fn new(document: &Document) -> Result<Self, Failure> {
        let skeleton = document.player.skeleton();
        let mut is_socket = vec![true; skeleton.joint_count()];
        let parents: Vec<usize> = (0..is_socket.len()).filter_map(|j| skeleton.parent(j)).collect();
        parents.into_iter().for_each(|parent| is_socket[parent] = false);
        let mut meshes = Vec::new();
        for surface in &document.surfaces {
            let mesh = document.archive.mesh(&surface.mesh)?;
            let view = mesh.view();
            for (joint, weight) in view.joints.iter().zip(view.weights) {
                is_socket[usize::from(*joint)] &= *weight <= 0.0;
            }
            let made = JointBounds::new(&mesh.influences(), Strided::packed(view.positions), None);
            meshes.push(made.map_err(|e| Failure(e.to_string()))?);
        }
        let sockets = (0..is_socket.len()).filter(|j| is_socket[*j]).collect();
        Ok(Self { meshes, sockets })
    }

    /// The box round each mesh, as a game has it: of the joints, without looking at vertices. Morph targets are left out.
    pub fn boxes(&self, document: &mut Document, color: [f32; 4], lines: &mut Lines) -> Result<(), Failure> {
        let names: Vec<String> = document.surfaces.iter().map(|s| s.mesh.clone()).collect();
        for (bounds, mesh) in self.meshes.iter().zip(names) {
            let found = bounds.linear(document.body_mut().palette(&mesh)?, &[]);
            let Some(aabb) = found.map_err(|e| Failure(e.to_string()))? else { continue };
            let corner = |n: usize| {
                let axis = |c: usize| if n >> c & 1 == 0 { aabb.min[c] } else { aabb.max[c] };
                Vec3::new(axis(0), axis(1), axis(2))
            };
            lines.add_box(corner, color);
        }
        Ok(())
    }

    /// Axes at every socket, a fraction of the document's size long.
    pub fn sockets(&self, document: &Document, lines: &mut Lines) {
        let length = document.radius() * 0.05;
        let models = document.body().models();
        for model in self.sockets.iter().filter_map(|joint| models.get(*joint)) {
            lines.add_axes(model, length);
        }
    }

    pub fn socket_count(&self) -> usize {
        self.sockets.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_vertex_is_outside_the_box() {
        let mut document = Document::mannequin().unwrap();
        let bounds = Bounds::new(&document).unwrap();
        for (clip, time_s) in [("run", 0.3), ("wave", 1.5), ("crouch", 1.0)] {
            document.pose_at(Some(clip), time_s).unwrap();
            let mut lines = Lines::default();
            bounds.boxes(&mut document, [1.0; 4], &mut lines).unwrap();
            assert_eq!(lines.all().len(), 12);
            let (low, high) = lines.range();
            for mesh in document.body_mut().skin().unwrap() {
                for p in mesh.positions {
                    let p = Vec3::from_array(*p);
                    assert!(p.cmpge(low).all() && p.cmple(high).all(), "{clip}: {p} {low} {high}");
                }
            }
        }
    }
}
