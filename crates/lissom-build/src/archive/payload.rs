//! What stands inside of sections.

use crate::{
    BuiltSkeleton,
    exact::{SMALLEST, flush, narrow},
    mesh::RawMesh,
    mesh::material::{Image, Material},
    raw::RawUserTrack,
    scene::{Marker, Morph, SourceNode},
};
use lissom::{
    Skeleton,
    archive::layout::{self, MORPH_NORMALS, MORPH_TANGENTS, NO_PARENT, NONE},
};

pub(super) fn skeleton(skeleton: &Skeleton) -> Vec<u8> {
    let joints = 0..skeleton.joint_count();
    let names: String = joints.clone().map(|j| skeleton.name(j)).collect();
    let mut out = Vec::with_capacity(16 + joints.len() * 46 + 2 + names.len());
    out.extend_from_slice(&(joints.len() as u32).to_le_bytes());
    out.extend_from_slice(&(names.len() as u32).to_le_bytes());
    out.extend_from_slice(&skeleton.identity().to_le_bytes());
    for joint in joints.clone() {
        skeleton.rest(joint).to_array().iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
    }
    for joint in joints.clone() {
        let parent = skeleton.parent(joint).map_or(NO_PARENT, |p| p as u16);
        out.extend_from_slice(&parent.to_le_bytes());
    }
    out.resize(out.len().next_multiple_of(4), 0);
    let mut end = 0;
    for joint in joints {
        end += skeleton.name(joint).len() as u32;
        out.extend_from_slice(&end.to_le_bytes());
    }
    out.extend_from_slice(names.as_bytes());
    out
}

/// What a mesh section says beside its vertices.
pub(super) struct About<'a> {
    /// The name of the material's section.
    pub(super) material: &'a str,
    pub(super) source: &'a str,
    pub(super) node: &'a str,
    pub(super) extras: &'a str,
}

pub(super) fn mesh(mesh: &RawMesh, built: &BuiltSkeleton, about: &About<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let influences = &mesh.influences;
    for count in [
        mesh.positions.len(),
        mesh.indices.len(),
        built.raw_of_joint.len(),
        influences.each,
        mesh.uvs.len(),
        mesh.colors.len(),
        usize::from(!mesh.tangents.is_empty()),
        usize::from(!mesh.order.is_empty()),
    ] {
        out.extend_from_slice(&(count as u32).to_le_bytes());
    }
    out.extend_from_slice(&built.skeleton.identity().to_le_bytes());
    floats(&mut out, mesh.positions.as_flattened());
    floats(&mut out, mesh.normals.as_flattened());
    floats(&mut out, mesh.tangents.as_flattened());
    out.resize(layout::align(out.len() as u64) as usize, 0);
    for (raw, weight) in influences.joints.iter().zip(&influences.weights) {
        // Where nothing is followed, joint 0 stands for it.
        let joint =
            if flush(*weight, SMALLEST) == 0.0 { 0 } else { built.joint_of_raw[usize::from(*raw)] as u16 };
        out.extend_from_slice(&joint.to_le_bytes());
    }
    floats(&mut out, &influences.weights);
    out.resize(layout::align(out.len() as u64) as usize, 0);
    mesh.indices.iter().for_each(|i| out.extend_from_slice(&i.to_le_bytes()));
    let columns = built.raw_of_joint.iter().flat_map(|raw| mesh.inverse_binds[*raw].columns);
    let binds: Vec<f32> = columns.flat_map(|c| [narrow(c.x), narrow(c.y), narrow(c.z)]).collect();
    floats(&mut out, &binds);
    floats(&mut out, mesh.uvs.concat().as_flattened());
    floats(&mut out, mesh.colors.concat().as_flattened());
    if !mesh.order.is_empty() {
        out.resize(layout::align(out.len() as u64) as usize, 0);
        mesh.order.iter().for_each(|i| out.extend_from_slice(&i.to_le_bytes()));
    }
    [about.material, about.source, about.node, about.extras].into_iter().for_each(|t| text(&mut out, t));
    out
}

/// A text and, before it, its length.
fn text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// `images` are the names of the images' sections.
pub(super) fn material(material: &Material, images: &[String]) -> Vec<u8> {
    let mut out = Vec::new();
    let word = |out: &mut Vec<u8>, v: u32| out.extend_from_slice(&v.to_le_bytes());
    let one = [
        material.metallic,
        material.roughness,
        material.emissive[0],
        material.emissive[1],
        material.emissive[2],
        material.normal_scale,
        material.occlusion_strength,
        material.alpha_cutoff,
    ];
    material.base_color.iter().chain(&one).for_each(|v| word(&mut out, v.to_bits()));
    word(&mut out, material.alpha.code());
    word(&mut out, if material.double_sided { 2 } else { 1 });
    for slot in material.texture_uses() {
        word(&mut out, slot.map_or(NONE, |s| s.texture as u32));
        word(&mut out, slot.map_or(0, |s| s.uv_set));
        let transform = slot.and_then(|s| s.transform);
        word(&mut out, transform.is_some().into());
        transform.unwrap_or_default().to_array().iter().for_each(|v| word(&mut out, v.to_bits()));
    }
    word(&mut out, material.textures.len() as u32);
    for texture in &material.textures {
        texture.sampler.iter().for_each(|v| word(&mut out, *v));
        text(&mut out, &texture.name);
        let known = || texture.images.iter().filter_map(|(kind, image)| Some((kind, images.get(*image)?)));
        word(&mut out, known().count() as u32);
        for (kind, image) in known() {
            text(&mut out, kind);
            text(&mut out, image);
        }
    }
    word(&mut out, material.extensions.len() as u32);
    for (name, json) in &material.extensions {
        text(&mut out, name);
        text(&mut out, json);
    }
    text(&mut out, &material.name);
    text(&mut out, &material.extras);
    out
}

pub(super) fn image(image: &Image) -> Vec<u8> {
    let mut out = Vec::with_capacity(image.bytes.len() + 128);
    text(&mut out, &image.name);
    text(&mut out, &image.mime_type);
    out.resize(layout::align(out.len() as u64) as usize, 0);
    out.extend_from_slice(&image.bytes);
    out
}

/// One a joint, in the skeleton's order.
pub(super) fn nodes<'a>(nodes: impl ExactSizeIterator<Item = &'a SourceNode>) -> Vec<u8> {
    let mut out = (nodes.len() as u32).to_le_bytes().to_vec();
    for node in nodes {
        out.extend_from_slice(&node.index.unwrap_or(NONE).to_le_bytes());
        text(&mut out, &node.name);
        text(&mut out, &node.extras);
    }
    out
}

pub(super) fn track(track: &RawUserTrack) -> Vec<u8> {
    let kind = track.kind;
    let mut out = (track.keys.len() as u32).to_le_bytes().to_vec();
    out.extend_from_slice(&kind.code().to_le_bytes());
    track.keys.iter().for_each(|k| out.extend_from_slice(&(k.ratio as f32).to_le_bytes()));
    for value in track.keys.iter().flat_map(|k| &k.value[..kind.components()]) {
        out.extend_from_slice(&(*value as f32).to_le_bytes());
    }
    for eight in track.keys.chunks(8) {
        out.push(eight.iter().enumerate().fold(0, |byte, (bit, key)| byte | u8::from(key.step) << bit));
    }
    out
}

/// A list that starts at the next multiple of 64, without numbers below [`SMALLEST`].
fn floats(out: &mut Vec<u8>, list: &[f32]) {
    out.resize(layout::align(out.len() as u64) as usize, 0);
    list.iter().for_each(|v| out.extend_from_slice(&flush(*v, SMALLEST).to_le_bytes()));
}

/// Only vertices that it moves are stored.
pub(super) fn morph(morph: &Morph) -> Vec<u8> {
    let moves = |list: &[[f32; 3]], v: usize| {
        list.get(v).is_some_and(|d| d.iter().any(|c| flush(*c, SMALLEST) != 0.0))
    };
    let moved: Vec<usize> = (0..morph.positions.len())
        .filter(|v| moves(&morph.positions, *v) || moves(&morph.normals, *v) || moves(&morph.tangents, *v))
        .collect();
    let parts = if morph.normals.is_empty() { 0 } else { MORPH_NORMALS }
        | if morph.tangents.is_empty() { 0 } else { MORPH_TANGENTS };
    let mut out = Vec::new();
    for count in [morph.positions.len() as u32, moved.len() as u32, parts] {
        out.extend_from_slice(&count.to_le_bytes());
    }
    out.extend_from_slice(&(morph.weight as f32).to_le_bytes());
    out.resize(layout::align(out.len() as u64) as usize, 0);
    moved.iter().for_each(|v| out.extend_from_slice(&(*v as u32).to_le_bytes()));
    for list in [&morph.positions, &morph.normals, &morph.tangents] {
        let rows: Vec<f32> = moved.iter().filter_map(|v| list.get(*v)).flatten().copied().collect();
        floats(&mut out, &rows);
    }
    out
}

pub(super) fn markers(markers: &[Marker]) -> Vec<u8> {
    let names: String = markers.iter().map(|m| m.name.as_str()).collect();
    let mut out = (markers.len() as u32).to_le_bytes().to_vec();
    out.extend_from_slice(&(names.len() as u32).to_le_bytes());
    markers.iter().for_each(|m| out.extend_from_slice(&m.time_s.to_le_bytes()));
    markers.iter().for_each(|m| out.extend_from_slice(&m.duration_s.to_le_bytes()));
    let mut end = 0;
    for marker in markers {
        end += marker.name.len() as u32;
        out.extend_from_slice(&end.to_le_bytes());
    }
    out.extend_from_slice(names.as_bytes());
    out
}
