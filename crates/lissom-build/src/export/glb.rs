//! A scene as one `.glb`.

use super::{
    animation::{Morphed, animation, place, turn, wide},
    binary::{Binary, pack},
    meshes::groups,
};
use crate::{
    exact::{Q4, V3},
    mesh::RawMeshError,
    raw::{RawAnimationError, RawSkeleton, RawSkeletonError},
    scene::Scene,
};
use serde_json::{Value, json};

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is no skeleton, or one that is named does not exist.
    #[error("{what} needs skeleton {wanted}, but there are {skeletons}")]
    NoSkeleton {
        /// What needs it.
        what: String,
        /// Its index.
        wanted: usize,
        /// How many there are.
        skeletons: usize,
    },
    /// A skeleton is not valid.
    #[error("skeleton {index} is not valid: {source}")]
    Skeleton {
        /// Which one.
        index: usize,
        /// Why.
        source: RawSkeletonError,
    },
    /// A mesh is not valid.
    #[error("mesh {index} \"{name}\" is not valid: {source}")]
    Mesh {
        /// Which one.
        index: usize,
        /// Its name.
        name: String,
        /// Why.
        source: RawMeshError,
    },
    /// A morph target has other vertices than its mesh.
    #[error("morph target \"{name}\" of mesh {index} has {len} {field} for {vertices} vertices")]
    Morph {
        /// The mesh.
        index: usize,
        /// The target.
        name: String,
        /// Which list.
        field: &'static str,
        /// Its length.
        len: usize,
        /// Vertices of the mesh.
        vertices: usize,
    },
    /// An animation is not valid.
    #[error("animation {index} \"{name}\" is not valid: {source}")]
    Animation {
        /// Which one.
        index: usize,
        /// Its name.
        name: String,
        /// Why.
        source: RawAnimationError,
    },
    /// The file would be larger than 4 GiB, which a `.glb` cannot be.
    #[error("the file would be larger than 4 GiB")]
    TooLarge,
}

/// The bytes of a `.glb`: glTF 2.0, metres, Y up. Rotations are written normalised. Linear and slerp channels
/// become LINEAR (which glTF turns at constant speed), Hermite ones CUBICSPLINE with their tangents spelt out.
/// Morph targets go with their meshes, tracks `morph/MESH/TARGET` become weight channels. Whether an animation
/// loops, its duration and its markers are in the animation's `extras`; other user tracks have no place in glTF.
///
/// # Errors
///
/// Every case of [`ExportError`].
pub fn write_glb(scene: &Scene) -> Result<Vec<u8>, ExportError> {
    check(scene)?;
    let groups = groups(scene);
    let mut binary = Binary::default();
    let mut nodes = Vec::new();
    let mut top = Vec::new();
    // Of each skeleton: the node of its first joint, the node above all of its joints.
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (index, skeleton) in scene.skeletons.iter().enumerate() {
        let skinned = groups.iter().any(|g| g.skeleton == index);
        let first = nodes.len();
        let roots = joint_nodes(&skeleton.skeleton, skinned, &mut nodes);
        places.push((first, roots[0]));
        top.extend(roots);
    }
    let (mut meshes, mut skins) = (Vec::new(), Vec::new());
    let mut skin_of: Vec<usize> = Vec::new();
    let mut morphed: Vec<Morphed<'_>> = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let same = groups[..index].iter().position(|g| {
            g.skeleton == group.skeleton && g.parts[0].mesh.inverse_binds == group.parts[0].mesh.inverse_binds
        });
        let skin = match same {
            Some(before) => skin_of[before],
            None => {
                let (first, root) = places[group.skeleton];
                let joints = scene.skeletons[group.skeleton].skeleton.joints.len();
                skins.push(group.skin(joints, first, root, &mut binary));
                skins.len() - 1
            }
        };
        skin_of.push(skin);
        if !group.morphs().is_empty() {
            morphed.push(Morphed { node: nodes.len(), name: group.name, morphs: group.morphs() });
        }
        top.push(nodes.len());
        nodes.push(json!({ "name": group.name, "mesh": index, "skin": skin }));
        meshes.push(group.mesh(&mut binary));
    }
    let animations: Vec<Value> = scene
        .animations
        .iter()
        .map(|a| {
            let index = a.skeleton.unwrap_or(0);
            animation(a, &scene.skeletons[index].skeleton, places[index].0, &morphed, &mut binary)
        })
        .collect();
    let mut file = json!({
        "asset": { "version": "2.0", "generator": concat!("lissom ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
    });
    if !meshes.is_empty() {
        file["materials"] = json!([{
            "name": "plaster",
            "pbrMetallicRoughness": {
                "baseColorFactor": [0.69, 0.64, 0.56, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.75,
            },
        }]);
        file["skins"] = Value::Array(skins);
        file["meshes"] = Value::Array(meshes);
    }
    if !animations.is_empty() {
        file["animations"] = Value::Array(animations);
    }
    file["nodes"] = Value::Array(nodes);
    file["scenes"] = json!([{ "name": scene.name, "nodes": top }]);
    if binary.bytes.is_empty() {
        // A bare skeleton: an empty buffer is not allowed, so there is none, and the chunk stays empty.
        return pack(&file, &[]).ok_or(ExportError::TooLarge);
    }
    file["buffers"] = json!([{ "byteLength": binary.bytes.len() }]);
    file["bufferViews"] = Value::Array(binary.views);
    file["accessors"] = Value::Array(binary.accessors);
    pack(&file, &binary.bytes).ok_or(ExportError::TooLarge)
}

fn check(scene: &Scene) -> Result<(), ExportError> {
    let skeletons = scene.skeletons.len();
    let joints_of = |what: &dyn Fn() -> String, wanted: usize| match scene.skeletons.get(wanted) {
        Some(skeleton) => Ok(skeleton.skeleton.joints.len()),
        None => Err(ExportError::NoSkeleton { what: what(), wanted, skeletons }),
    };
    joints_of(&|| "a scene".into(), 0)?;
    for (index, skeleton) in scene.skeletons.iter().enumerate() {
        skeleton.skeleton.validate().map_err(|source| ExportError::Skeleton { index, source })?;
    }
    for (index, part) in scene.meshes.iter().enumerate() {
        let name = || part.mesh.name.clone();
        let joints = joints_of(&|| format!("mesh {index}"), part.skeleton)?;
        let named = |source| ExportError::Mesh { index, name: name(), source };
        part.mesh.validate(joints).map_err(named)?;
        let vertices = part.mesh.positions.len();
        for morph in &part.morphs {
            for (field, list, optional) in [
                ("positions", &morph.positions, false),
                ("normals", &morph.normals, true),
                ("tangents", &morph.tangents, true),
            ] {
                let len = list.len();
                if len != vertices && !(optional && len == 0) {
                    return Err(ExportError::Morph { index, name: morph.name.clone(), field, len, vertices });
                }
            }
        }
    }
    for (index, a) in scene.animations.iter().enumerate() {
        let joints = joints_of(&|| format!("animation {index}"), a.skeleton.unwrap_or(0))?;
        let named = |source| ExportError::Animation { index, name: a.motion.name.clone(), source };
        a.motion.validate(joints).map_err(named)?;
    }
    Ok(())
}

/// One node a joint; gives the topmost. Several roots of a skin get a common one above them, which it needs.
fn joint_nodes(skeleton: &RawSkeleton, skinned: bool, nodes: &mut Vec<Value>) -> Vec<usize> {
    let first = nodes.len();
    let mut children = vec![Vec::new(); skeleton.joints.len()];
    let mut roots = Vec::new();
    for (i, joint) in skeleton.joints.iter().enumerate() {
        match joint.parent {
            Some(parent) => children[parent].push(first + i),
            None => roots.push(first + i),
        }
    }
    nodes.extend(skeleton.joints.iter().zip(children).map(|(joint, children)| {
        let rest = joint.rest;
        let mut node = json!({ "name": joint.name });
        if rest.translation != V3::ZERO {
            node["translation"] = json!(wide(&place(rest.translation)));
        }
        if rest.rotation != Q4::IDENTITY {
            node["rotation"] = json!(wide(&turn(rest.rotation.normalize())));
        }
        if rest.scale != V3::ONE {
            node["scale"] = json!(wide(&place(rest.scale)));
        }
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    }));
    if roots.len() > 1 && skinned {
        nodes.push(json!({ "name": "roots", "children": roots }));
        roots = vec![nodes.len() - 1];
    }
    roots
}
