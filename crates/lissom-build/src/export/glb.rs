//! A scene as one `.glb`.

use super::{
    animation::{Morphed, animation, place, turn, wide},
    binary::{Binary, to_glb},
    meshes::{Group, Joints, groups},
    straight,
    surfaces::{Surfaces, extras},
};
use crate::{
    exact::{Q4, V3},
    mesh::RawMeshError,
    raw::{RawAnimationError, RawSkeletonError},
    scene::{Scene, SceneSkeleton},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is no skeleton.
    #[error("there is no skeleton to write; tracks alone have no place in such a file")]
    Empty,
    /// A skeleton that is named does not exist.
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
    /// A material has a number that is not finite, or uses a texture that it does not have.
    #[error(
        "material {index} \"{name}\" has a number that is not finite, or uses a texture that it does not have"
    )]
    Material {
        /// Which one.
        index: usize,
        /// Its name.
        name: String,
    },
    /// Something names what does not exist.
    #[error("{what} {wanted} is named, but there are {found}")]
    Missing {
        /// What kind of thing.
        what: &'static str,
        /// Its index.
        wanted: usize,
        /// How many there are.
        found: usize,
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
/// Morph targets go with their meshes, tracks `morph/MESH/TARGET` become weight channels. Materials, images, texture
/// coordinates, colours and extras come back as they were; a rigid mesh stands on its joint. What the source stores as
/// integers is stored so again, and of morph targets only the vertices that move, where that is shorter. Whether an animation
/// loops, its duration and its markers are in the animation's `extras`, graphs in those of the file; other user tracks
/// have no place in glTF.
///
/// # Errors
///
/// Every case of [`ExportError`].
pub fn write_glb(scene: &Scene) -> Result<Vec<u8>, ExportError> {
    check(scene)?;
    let groups = groups(scene);
    let rigid = rigid(&groups);
    let mut binary = Binary::default();
    let mut nodes = Vec::new();
    let mut top = Vec::new();
    // Of each skeleton: the node of its first joint, the node above all of its joints.
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (index, skeleton) in scene.skeletons.iter().enumerate() {
        let skinned = groups.iter().zip(&rigid).any(|(g, rigid)| g.skeleton == index && rigid.is_none());
        let first = nodes.len();
        let roots = joint_nodes(skeleton, skinned, &mut nodes);
        places.push((first, roots[0]));
        top.extend(roots);
    }
    let (mut meshes, mut skins) = (Vec::new(), Vec::new());
    let mut skin_of: Vec<Option<usize>> = vec![None; groups.len()];
    let mut morphed: Vec<Morphed<'_>> = Vec::new();
    for (index, group) in groups.iter().enumerate() {
        let (first, root) = places[group.skeleton];
        let own = rigid[index].map(|joint| first + joint);
        let node = own.unwrap_or(nodes.len());
        if !group.morphs().is_empty() {
            morphed.push(Morphed { node, name: group.name, morphs: group.morphs() });
        }
        if own.is_some() {
            nodes[node]["mesh"] = json!(index);
            meshes.push(group.mesh(None, &mut binary));
            continue;
        }
        let same = |other: &Group<'_>| {
            other.skeleton == group.skeleton && other.inverse_binds() == group.inverse_binds()
        };
        let count = scene.skeletons[group.skeleton].skeleton.joints.len();
        let sharing = groups.iter().zip(&rigid).filter(|(g, rigid)| rigid.is_none() && same(g));
        let joints = Joints::of(sharing.map(|(g, _)| g), count);
        let before = groups[..index].iter().zip(&skin_of).filter(|(g, _)| same(g)).find_map(|(_, s)| *s);
        let skin = before.unwrap_or_else(|| {
            let mut skin = group.skin(&joints, first, root, &mut binary);
            let name = &scene.skeletons[group.skeleton].name;
            if !name.is_empty() {
                skin["name"] = json!(name);
            }
            skins.push(skin);
            skins.len() - 1
        });
        skin_of[index] = Some(skin);
        top.push(nodes.len());
        let source = &group.parts[0].node;
        let name = if source.is_empty() { group.name } else { source };
        nodes.push(json!({ "name": name, "mesh": index, "skin": skin }));
        meshes.push(group.mesh(Some(&joints), &mut binary));
    }
    let mut surfaces = Surfaces::of(scene, &mut binary);
    if binary.quantised {
        surfaces.require("KHR_mesh_quantization");
    }
    let reach: Vec<Vec<f64>> = (0..scene.skeletons.len()).map(|s| straight::reach(scene, s)).collect();
    let animations: Vec<Value> = scene
        .animations
        .iter()
        .map(|a| {
            let index = a.skeleton.unwrap_or(0);
            let node_of = |joint: usize| Some(places[index].0 + joint);
            animation(a, &scene.skeletons[index].skeleton, &node_of, &reach[index], &morphed, &mut binary)
        })
        .collect();
    let mut asset = json!({});
    if let Some(source) = extras(&scene.asset) {
        for field in ["copyright", "extras"] {
            if let Some(value) = source.get(field) {
                asset[field] = value.clone();
            }
        }
    }
    asset["version"] = json!("2.0");
    asset["generator"] = json!(concat!("lissom ", env!("CARGO_PKG_VERSION")));
    let mut file = json!({ "asset": asset, "scene": 0 });
    surfaces.add_to(&mut file);
    for (name, list) in [("skins", skins), ("meshes", meshes)] {
        if !list.is_empty() {
            file[name] = Value::Array(list);
        }
    }
    if !animations.is_empty() {
        file["animations"] = Value::Array(animations);
    }
    file["nodes"] = Value::Array(nodes);
    file["scenes"] = json!([{ "name": scene.name, "nodes": top }]);
    if let Some(extras) = extras(&scene.extras) {
        file["scenes"][0]["extras"] = extras;
    }
    if let Some(graphs) = super::graphs::extras(scene) {
        file["extras"] = graphs;
    }
    if binary.bytes.is_empty() {
        // A bare skeleton: an empty buffer is not allowed, so there is none, and the chunk stays empty.
        return to_glb(&file, &[]).ok_or(ExportError::TooLarge);
    }
    file["buffers"] = json!([{ "byteLength": binary.bytes.len() }]);
    file["bufferViews"] = Value::Array(binary.views);
    file["accessors"] = Value::Array(binary.accessors);
    to_glb(&file, &binary.bytes).ok_or(ExportError::TooLarge)
}

/// The joint that each group stands on: of rigid ones that share a joint, the first.
fn rigid(groups: &[Group<'_>]) -> Vec<Option<usize>> {
    let mut taken = BTreeSet::new();
    let own = |g: &Group<'_>| g.rigid().filter(|joint| taken.insert((g.skeleton, *joint)));
    groups.iter().map(own).collect()
}

fn check(scene: &Scene) -> Result<(), ExportError> {
    let skeletons = scene.skeletons.len();
    let joints_of = |what: &dyn Fn() -> String, wanted: usize| match scene.skeletons.get(wanted) {
        Some(skeleton) => Ok(skeleton.skeleton.joints.len()),
        None => Err(ExportError::NoSkeleton { what: what(), wanted, skeletons }),
    };
    if skeletons == 0 {
        return Err(ExportError::Empty);
    }
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
    for (index, material) in scene.materials.iter().enumerate() {
        if !material.is_valid() {
            return Err(ExportError::Material { index, name: material.name.clone() });
        }
    }
    let exists = |what, wanted: Option<usize>, found: usize| match wanted {
        Some(wanted) if wanted >= found => Err(ExportError::Missing { what, wanted, found }),
        _ => Ok(()),
    };
    for mesh in &scene.meshes {
        exists("material", mesh.material, scene.materials.len())?;
    }
    for texture in scene.materials.iter().flat_map(|m| &m.textures) {
        for (_, image) in &texture.images {
            exists("image", Some(*image), scene.images.len())?;
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
fn joint_nodes(own: &SceneSkeleton, skinned: bool, nodes: &mut Vec<Value>) -> Vec<usize> {
    let skeleton = &own.skeleton;
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
    for (node, source) in nodes[first..].iter_mut().zip(&own.nodes) {
        if let Some(extras) = extras(&source.extras) {
            node["extras"] = extras;
        }
    }
    if roots.len() > 1 && skinned {
        nodes.push(json!({ "name": "roots", "children": roots }));
        roots = vec![nodes.len() - 1];
    }
    roots
}
