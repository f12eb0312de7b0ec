//! What stands inside of sections.

use crate::{
    BuiltSkeleton,
    exact::{SMALLEST, flush, narrow},
    mesh::RawMesh,
    raw::RawUserTrack,
    scene::{Marker, Morph},
};
use lissom::{
    Skeleton,
    archive::layout::{self, MORPH_NORMALS, MORPH_TANGENTS, NO_PARENT},
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

pub(super) fn mesh(mesh: &RawMesh, built: &BuiltSkeleton) -> Vec<u8> {
    let mut out = Vec::new();
    for count in [mesh.positions.len(), mesh.indices.len(), built.raw_of_joint.len()] {
        out.extend_from_slice(&(count as u32).to_le_bytes());
    }
    out.extend_from_slice(&0_u32.to_le_bytes());
    out.extend_from_slice(&built.skeleton.identity().to_le_bytes());
    floats(&mut out, mesh.positions.as_flattened());
    floats(&mut out, mesh.normals.as_flattened());
    floats(&mut out, mesh.tangents.as_flattened());
    out.resize(layout::align(out.len() as u64) as usize, 0);
    for raw in mesh.joints.as_flattened() {
        out.extend_from_slice(&(built.joint_of_raw[usize::from(*raw)] as u16).to_le_bytes());
    }
    floats(&mut out, mesh.weights.as_flattened());
    out.resize(layout::align(out.len() as u64) as usize, 0);
    mesh.indices.iter().for_each(|i| out.extend_from_slice(&i.to_le_bytes()));
    let columns = built.raw_of_joint.iter().flat_map(|raw| mesh.inverse_binds[*raw].columns);
    let binds: Vec<f32> = columns.flat_map(|c| [narrow(c.x), narrow(c.y), narrow(c.z)]).collect();
    floats(&mut out, &binds);
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
