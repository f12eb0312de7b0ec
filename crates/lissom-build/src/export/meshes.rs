//! Meshes: primitives that share a name are one mesh of the file; equal skins are written once.

use super::{
    animation::columns,
    binary::{ARRAY, Binary},
};
use crate::scene::{Morph, Scene, SceneMesh};
use serde_json::{Value, json};

/// Meshes of the scene that become one of the file.
pub(super) struct Group<'a> {
    pub(super) skeleton: usize,
    pub(super) name: &'a str,
    pub(super) parts: Vec<&'a SceneMesh>,
}

/// In file order. What shares name, skeleton, bind pose and morph targets belongs together.
pub(super) fn groups(scene: &Scene) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for part in &scene.meshes {
        let name = part.mesh.name.as_str();
        let same = groups.iter_mut().find(|g| {
            !name.is_empty()
                && g.name == name
                && g.skeleton == part.skeleton
                && g.parts[0].mesh.inverse_binds == part.mesh.inverse_binds
                && same_morphs(&g.parts[0].morphs, &part.morphs)
        });
        match same {
            Some(group) => group.parts.push(part),
            None => groups.push(Group { skeleton: part.skeleton, name, parts: vec![part] }),
        }
    }
    groups
}

fn same_morphs(a: &[Morph], b: &[Morph]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name && a.weight == b.weight)
}

impl Group<'_> {
    pub(super) fn morphs(&self) -> &[Morph] {
        &self.parts[0].morphs
    }

    pub(super) fn mesh(&self, binary: &mut Binary) -> Value {
        let primitives: Vec<Value> = self.parts.iter().map(|part| primitive(part, binary)).collect();
        let mut mesh = json!({ "name": self.name, "primitives": primitives });
        if !self.morphs().is_empty() {
            let names: Vec<&str> = self.morphs().iter().map(|m| m.name.as_str()).collect();
            let weights: Vec<f64> = self.morphs().iter().map(|m| f64::from(m.weight as f32)).collect();
            mesh["weights"] = json!(weights);
            mesh["extras"] = json!({ "targetNames": names });
        }
        mesh
    }

    pub(super) fn skin(&self, joints: usize, first: usize, root: usize, binary: &mut Binary) -> Value {
        let binds: Vec<[f32; 16]> = self.parts[0].mesh.inverse_binds.iter().map(columns).collect();
        let binds = binary.floats("MAT4", &binds, None, false);
        let all: Vec<usize> = (first..first + joints).collect();
        json!({ "inverseBindMatrices": binds, "skeleton": root, "joints": all })
    }
}

fn primitive(part: &SceneMesh, binary: &mut Binary) -> Value {
    let mesh = &part.mesh;
    let mut primitive = json!({
        "attributes": {
            "POSITION": binary.floats("VEC3", &mesh.positions, ARRAY, true),
            "NORMAL": binary.floats("VEC3", &mesh.normals, ARRAY, false),
            "TANGENT": binary.floats("VEC4", &mesh.tangents, ARRAY, false),
            "JOINTS_0": binary.joints(&mesh.joints),
            "WEIGHTS_0": binary.floats("VEC4", &mesh.weights, ARRAY, false),
        },
        "indices": binary.indices(&mesh.indices),
        "material": 0,
        "mode": 4,
    });
    // All targets of a primitive have the same attributes: what one lacks is zero.
    let normals = part.morphs.iter().any(|m| !m.normals.is_empty());
    let tangents = part.morphs.iter().any(|m| !m.tangents.is_empty());
    let full = |list: &[[f32; 3]]| {
        if list.is_empty() { vec![[0.0; 3]; mesh.positions.len()] } else { list.to_vec() }
    };
    let mut targets = Vec::with_capacity(part.morphs.len());
    for morph in &part.morphs {
        let mut target = json!({ "POSITION": binary.floats("VEC3", &morph.positions, ARRAY, true) });
        if normals {
            target["NORMAL"] = json!(binary.floats("VEC3", &full(&morph.normals), ARRAY, false));
        }
        if tangents {
            target["TANGENT"] = json!(binary.floats("VEC3", &full(&morph.tangents), ARRAY, false));
        }
        targets.push(target);
    }
    if !targets.is_empty() {
        primitive["targets"] = Value::Array(targets);
    }
    primitive
}
