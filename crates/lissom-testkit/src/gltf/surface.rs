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

    /// The corners of a list of triangles in a pose, three a triangle, without morph targets; `None` if a vertex may
    /// follow more than four joints.
    ///
    /// # Errors
    ///
    /// If the buffers cannot be read.
    pub fn corners(
        &self,
        node: usize,
        primitive: usize,
        pose: &[Matrix],
    ) -> Result<Option<Vec<[f64; 3]>>, String> {
        let node_json = &self.json["nodes"][node];
        let primitive = &self.json["meshes"][number(&node_json["mesh"])]["primitives"][primitive];
        let attributes = &primitive["attributes"];
        if !attributes["JOINTS_1"].is_null() {
            return Ok(None);
        }
        let positions = self.accessor(number(&attributes["POSITION"]))?;
        let indices: Vec<usize> = match primitive["indices"].as_u64() {
            Some(accessor) => self.accessor(accessor as usize)?.iter().map(|i| i[0] as usize).collect(),
            None => (0..positions.len()).collect(),
        };
        let matrices: Vec<Matrix> = match node_json["skin"].as_u64() {
            Some(skin) if !attributes["JOINTS_0"].is_null() => {
                let skin = &self.json["skins"][skin as usize];
                let binds = match skin["inverseBindMatrices"].as_u64() {
                    Some(accessor) => Some(self.accessor(accessor as usize)?),
                    None => None,
                };
                let bind = |i: usize| binds.as_ref().map_or(IDENTITY, |b| std::array::from_fn(|k| b[i][k]));
                let joints = list(skin, "joints").iter().map(number).enumerate();
                let skin: Vec<Matrix> = joints.map(|(i, joint)| multiply(&pose[joint], &bind(i))).collect();
                let joints = self.accessor(number(&attributes["JOINTS_0"]))?;
                let weights = self.accessor(number(&attributes["WEIGHTS_0"]))?;
                let blend = |(joints, weights): (&Vec<f64>, &Vec<f64>)| {
                    let sum: f64 = weights.iter().sum();
                    let mut out = [0.0; 16];
                    for (joint, weight) in joints.iter().zip(weights) {
                        for (o, m) in out.iter_mut().zip(skin[*joint as usize]) {
                            *o += m * weight / sum;
                        }
                    }
                    out
                };
                joints.iter().zip(&weights).map(blend).collect()
            }
            _ => vec![pose[node]; positions.len()],
        };
        let corner = |i: usize| {
            let (m, p) = (&matrices[i], &positions[i]);
            std::array::from_fn(|r| m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r])
        };
        Ok(Some(indices.into_iter().map(corner).collect()))
    }
}
