//! Meshes: primitives of one mesh of the file are one mesh again; equal skins are written once, and name only joints
//! that something follows.

use super::{
    animation::columns,
    binary::{Binary, Rows},
    packing::{self, DIRECTIONS, OFFSETS, PLACES, Packing, SHARES},
    surfaces::extras,
};
use crate::{
    exact::M34,
    mesh::RawMesh,
    scene::{Morph, Scene, SceneMesh},
};
use serde_json::{Value, json};

/// Meshes of the scene that become one of the file.
pub(super) struct Group<'a> {
    pub(super) skeleton: usize,
    /// As tracks of its weights call it.
    pub(super) name: &'a str,
    pub(super) parts: Vec<&'a SceneMesh>,
}

/// In file order. What is a part of the same mesh, or shares its name, and shares skeleton, bind pose and morph targets
/// belongs together.
pub(super) fn groups(scene: &Scene) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for part in &scene.meshes {
        let name = part.mesh.name.as_str();
        let fits = |g: &Group<'_>| {
            g.skeleton == part.skeleton
                && g.parts[0].mesh.inverse_binds == part.mesh.inverse_binds
                && same_morphs(&g.parts[0].morphs, &part.morphs)
        };
        let named = groups.iter().position(|g| !name.is_empty() && g.name == name && fits(g));
        // An archive tells parts of one mesh apart by name; they stand in a row.
        let known = |m: &SceneMesh| !m.source.is_empty() || !m.node.is_empty();
        let row = groups.len().checked_sub(1).filter(|last| {
            let before = groups[*last].parts[0];
            known(part) && before.source == part.source && before.node == part.node && fits(&groups[*last])
        });
        match named.or(row) {
            Some(group) => groups[group].parts.push(part),
            None => groups.push(Group { skeleton: part.skeleton, name, parts: vec![part] }),
        }
    }
    groups
}

fn same_morphs(a: &[Morph], b: &[Morph]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name && a.weight == b.weight)
}

/// The joints that a skin names, and the place of each among them.
pub(super) struct Joints {
    pub(super) named: Vec<usize>,
    pub(super) place: Vec<u16>,
}

impl Joints {
    /// Of all groups that share a skin: what any of them follows.
    pub(super) fn of<'g>(groups: impl Iterator<Item = &'g Group<'g>>, joints: usize) -> Self {
        let mut used = vec![false; joints];
        for part in groups.flat_map(|g| &g.parts) {
            let own = part.mesh.influences.used(joints);
            used.iter_mut().zip(own).for_each(|(all, own)| *all |= own);
        }
        let named: Vec<usize> = (0..joints).filter(|j| used[*j]).collect();
        let mut place = vec![0; joints];
        for (at, joint) in named.iter().enumerate() {
            place[*joint] = at as u16;
        }
        Self { named, place }
    }
}

impl Group<'_> {
    pub(super) fn morphs(&self) -> &[Morph] {
        &self.parts[0].morphs
    }

    pub(super) fn inverse_binds(&self) -> &[M34] {
        &self.parts[0].mesh.inverse_binds
    }

    /// The joint that all vertices follow wholly, in whose own space they are: a mesh on a node.
    pub(super) fn rigid(&self) -> Option<usize> {
        let (first, _) = self.parts[0].mesh.influences.of(0).next()?;
        let follows = |part: &&SceneMesh| {
            let own = &part.mesh.influences;
            (0..own.vertex_count()).all(|v| own.of(v).all(|(j, w)| w == 0.0 || (w == 1.0 && j == first)))
        };
        let joint = usize::from(first);
        let bound = self.inverse_binds().get(joint) == Some(&M34::IDENTITY);
        (bound && self.parts.iter().all(follows)).then_some(joint)
    }

    /// `joints` is where each joint of the skeleton stands in the skin; `None` if there is no skin.
    pub(super) fn mesh(&self, joints: Option<&Joints>, binary: &mut Binary) -> Value {
        let primitives: Vec<Value> = self.parts.iter().map(|part| primitive(part, joints, binary)).collect();
        let source = &self.parts[0].source;
        let name = if source.is_empty() { self.name } else { source };
        let mut mesh = json!({ "name": name, "primitives": primitives });
        let mut own = extras(&self.parts[0].extras);
        if !self.morphs().is_empty() {
            let names: Vec<&str> = self.morphs().iter().map(|m| m.name.as_str()).collect();
            let weights: Vec<f64> = self.morphs().iter().map(|m| m.weight).collect();
            mesh["weights"] = json!(weights);
            let mut fields = own.filter(Value::is_object).unwrap_or_else(|| json!({}));
            fields["targetNames"] = json!(names);
            own = Some(fields);
        }
        if let Some(own) = own {
            mesh["extras"] = own;
        }
        mesh
    }

    /// `first` is the node of the skeleton's first joint.
    pub(super) fn skin(&self, joints: &Joints, first: usize, root: usize, binary: &mut Binary) -> Value {
        let all = self.inverse_binds();
        let binds: Vec<[f32; 16]> = joints.named.iter().map(|j| columns(&all[*j])).collect();
        let binds = binary.floats("MAT4", &binds, None, false);
        let nodes: Vec<usize> = joints.named.iter().map(|j| first + j).collect();
        json!({ "inverseBindMatrices": binds, "skeleton": root, "joints": nodes })
    }
}

/// Four influences of every vertex, from `start` on; what is not followed is joint 0.
fn four(mesh: &RawMesh, joints: &Joints, start: usize) -> (Vec<[u16; 4]>, Vec<[f32; 4]>) {
    let count = mesh.positions.len();
    let (mut places, mut weights) = (vec![[0; 4]; count], vec![[0.0; 4]; count]);
    for vertex in 0..count {
        for (at, (joint, weight)) in mesh.influences.of(vertex).skip(start).take(4).enumerate() {
            if weight > 0.0 {
                places[vertex][at] = joints.place[usize::from(joint)];
                weights[vertex][at] = weight;
            }
        }
    }
    (places, weights)
}

fn primitive(part: &SceneMesh, joints: Option<&Joints>, binary: &mut Binary) -> Value {
    // As the source has it: other files may speak of its vertices by number.
    let part = &*part.in_source_order();
    let mesh = &part.mesh;
    // Integers only where the source has them: not every reader knows the extension.
    let how = |kind, packings: &'static [Packing]| {
        let packings = if part.quantised { packings } else { &[] };
        Rows { kind, packings, extension: true, ..Rows::default() }
    };
    let normals = if part.quantised { &packing::directions(&mesh.normals) } else { &mesh.normals };
    let mut attributes = json!({
        "POSITION": binary.rows(&mesh.positions, Rows { bounded: true, ..how("VEC3", PLACES) }),
        "NORMAL": binary.rows(normals, how("VEC3", DIRECTIONS)),
    });
    if !mesh.tangents.is_empty() {
        attributes["TANGENT"] = json!(binary.rows(&mesh.tangents, how("VEC4", DIRECTIONS)));
    }
    for (set, uvs) in mesh.uvs.iter().enumerate() {
        attributes[format!("TEXCOORD_{set}")] = json!(binary.rows(uvs, how("VEC2", PLACES)));
    }
    let shares = Rows { kind: "VEC4", packings: SHARES, ..Rows::default() };
    for (set, colors) in mesh.colors.iter().enumerate() {
        attributes[format!("COLOR_{set}")] = json!(binary.rows(colors, shares));
    }
    for set in 0..joints.map_or(0, |_| mesh.influences.each.div_ceil(4)) {
        let Some(joints) = joints else { break };
        let (places, weights) = four(mesh, joints, set * 4);
        attributes[format!("JOINTS_{set}")] = json!(binary.joints(&places));
        attributes[format!("WEIGHTS_{set}")] = json!(binary.rows(&weights, shares));
    }
    let mut primitive =
        json!({ "attributes": attributes, "indices": binary.indices(&mesh.indices), "mode": 4 });
    if let Some(material) = part.material {
        primitive["material"] = json!(material);
    }
    // All targets of a primitive have the same attributes: what one lacks is zero.
    let normals = part.morphs.iter().any(|m| !m.normals.is_empty());
    let tangents = part.morphs.iter().any(|m| !m.tangents.is_empty());
    let full = |list: &[[f32; 3]]| {
        if list.is_empty() { vec![[0.0; 3]; mesh.positions.len()] } else { list.to_vec() }
    };
    let added = |packings| Rows { sparse: true, ..how("VEC3", packings) };
    let mut targets = Vec::with_capacity(part.morphs.len());
    for morph in &part.morphs {
        let moved = Rows { bounded: true, ..added(OFFSETS) };
        let mut target = json!({ "POSITION": binary.rows(&morph.positions, moved) });
        if normals {
            target["NORMAL"] = json!(binary.rows(&full(&morph.normals), added(DIRECTIONS)));
        }
        if tangents && !mesh.tangents.is_empty() {
            target["TANGENT"] = json!(binary.rows(&full(&morph.tangents), added(DIRECTIONS)));
        }
        targets.push(target);
    }
    if !targets.is_empty() {
        primitive["targets"] = Value::Array(targets);
    }
    primitive
}
