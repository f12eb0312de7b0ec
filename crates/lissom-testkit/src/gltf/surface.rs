//! Where the corners of triangles are, skinned or rigid.

use super::{Matrix, Reference, list, multiply, number};
use serde_json::Value;

const IDENTITY: Matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
const TRIANGLES: u64 = 4;

impl Reference {
    /// The primitives of the mesh on a node that are surfaces: (index, is a plain list of triangles).
    #[must_use]
    pub fn surfaces(&self, node: usize) -> Vec<(usize, bool)> {
        let Some(mesh) = self.json["nodes"][node]["mesh"].as_u64() else { return Vec::new() };
        let primitives = list(&self.json["meshes"][mesh as usize], "primitives").iter().enumerate();
        let plain = |p: &Value| p["extensions"]["KHR_draco_mesh_compression"].is_null();
        let modes = primitives.map(|(i, p)| (i, p["mode"].as_u64().unwrap_or(TRIANGLES), plain(p)));
        let surfaces = modes.filter(|(_, mode, _)| (4..=6).contains(mode));
        surfaces.map(|(i, mode, plain)| (i, plain && mode == TRIANGLES)).collect()
    }

    /// The corners of a list of triangles in a pose, three a triangle, without morph targets.
    ///
    /// # Errors
    ///
    /// If the buffers cannot be read.
    pub fn corners(&self, node: usize, primitive: usize, pose: &[Matrix]) -> Result<Vec<[f64; 3]>, String> {
        let json = &self.json["meshes"][number(&self.json["nodes"][node]["mesh"])]["primitives"][primitive];
        let vertices = self.surface(node, primitive)?.vertices(pose, &[]);
        let indices: Vec<usize> = match json["indices"].as_u64() {
            Some(accessor) => self.accessor(accessor as usize)?.iter().map(|i| i[0] as usize).collect(),
            None => (0..vertices.len()).collect(),
        };
        Ok(indices.into_iter().map(|i| vertices[i]).collect())
    }

    /// All vertices of a primitive, and what moves them.
    ///
    /// # Errors
    ///
    /// If the buffers cannot be read.
    pub fn surface(&self, node: usize, primitive: usize) -> Result<Surface, String> {
        let node_json = &self.json["nodes"][node];
        let primitive = &self.json["meshes"][number(&node_json["mesh"])]["primitives"][primitive];
        let attributes = &primitive["attributes"];
        let points = |accessor: usize| -> Result<Vec<[f64; 3]>, String> {
            Ok(self.accessor(accessor)?.iter().map(|p| [p[0], p[1], p[2]]).collect())
        };
        let positions = points(number(&attributes["POSITION"]))?;
        let mut targets = Vec::new();
        for target in list(primitive, "targets") {
            targets.push(match target["POSITION"].as_u64() {
                Some(accessor) => points(accessor as usize)?,
                None => Vec::new(),
            });
        }
        let skin = node_json["skin"].as_u64().filter(|_| !attributes["JOINTS_0"].is_null());
        let Some(skin) = skin else {
            let influences = vec![vec![(0, 1.0)]; positions.len()];
            return Ok(Surface { positions, targets, slots: vec![(node, IDENTITY)], influences });
        };
        let skin = &self.json["skins"][skin as usize];
        let binds = match skin["inverseBindMatrices"].as_u64() {
            Some(accessor) => Some(self.accessor(accessor as usize)?),
            None => None,
        };
        let bind = |i: usize| binds.as_ref().map_or(IDENTITY, |b| std::array::from_fn(|k| b[i][k]));
        let slots = list(skin, "joints").iter().enumerate().map(|(i, j)| (number(j), bind(i))).collect();
        let mut influences: Vec<Vec<(usize, f64)>> = vec![Vec::new(); positions.len()];
        for set in 0.. {
            let Some(joints) = attributes[format!("JOINTS_{set}")].as_u64() else { break };
            let weights = self.accessor(number(&attributes[format!("WEIGHTS_{set}")]))?;
            let joints = self.accessor(joints as usize)?;
            for ((all, joints), weights) in influences.iter_mut().zip(&*joints).zip(&*weights) {
                let pairs = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0);
                all.extend(pairs.map(|(j, w)| (*j as usize, *w)));
            }
        }
        for all in &mut influences {
            let sum: f64 = all.iter().map(|(_, w)| w).sum();
            if sum > 0.0 {
                all.iter_mut().for_each(|(_, w)| *w /= sum);
            }
        }
        Ok(Surface { positions, targets, slots, influences })
    }
}

/// The vertices of a primitive on a node.
#[derive(Clone, Debug)]
pub struct Surface {
    positions: Vec<[f64; 3]>,
    /// What each morph target adds; nothing if it moves no positions.
    targets: Vec<Vec<[f64; 3]>>,
    /// Nodes that move vertices, and what leads into their space.
    slots: Vec<(usize, Matrix)>,
    /// Slots and weights of each vertex.
    influences: Vec<Vec<(usize, f64)>>,
}

impl Surface {
    /// How many morph targets there are.
    #[must_use]
    pub fn targets(&self) -> usize {
        self.targets.len()
    }

    /// The node that moves a vertex most.
    #[must_use]
    pub fn node_of(&self, vertex: usize) -> Option<usize> {
        let most = self.influences[vertex].iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(self.slots[most.0].0)
    }

    /// Where the vertices are in a pose, with these weights of the targets (0 where there are none).
    #[must_use]
    pub fn vertices(&self, pose: &[Matrix], weights: &[f64]) -> Vec<[f64; 3]> {
        let skin: Vec<Matrix> = self.slots.iter().map(|(node, bind)| multiply(&pose[*node], bind)).collect();
        let vertex = |(i, influences): (usize, &Vec<(usize, f64)>)| {
            let mut p = self.positions[i];
            for (target, weight) in
                self.targets.iter().zip(weights).filter(|(t, w)| !t.is_empty() && **w != 0.0)
            {
                p = std::array::from_fn(|c| p[c] + target[i][c] * weight);
            }
            let mut out = [0.0; 3];
            for (slot, weight) in influences {
                let m = &skin[*slot];
                for (r, out) in out.iter_mut().enumerate() {
                    *out += (m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]) * weight;
                }
            }
            out
        };
        self.influences.iter().enumerate().map(vertex).collect()
    }
}
