//! `ozz-sample-Mesh`, version 1: parts (their count, if any their version, 1), then triangle indices (u16,
//! counted over the vertices of all parts), the skeleton joint of each mesh joint (u16), and the inverse bind
//! matrices (16 floats a mesh joint, column by column). Every list has its count, in single numbers, before it.
//!
//! A part holds positions (3 floats a vertex), normals (3), tangents (4), texture coordinates (2), colours
//! (4 bytes), joint indices (u16, the same number for each vertex) and weights (one fewer: they sum to 1).

use super::{ImportError, OzzObject};
use crate::{
    exact::{M34, V3},
    import::{Place, bytes::Bytes},
    mesh::fill::{normals, tangents, unit},
    mesh::{Collect, RawMesh, RawMeshError, model_matrices},
    raw::RawSkeleton,
};

/// A skinned mesh of ozz's samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OzzMesh {
    /// Vertices, grouped by how many joints move them.
    pub parts: Vec<OzzMeshPart>,
    /// Three a triangle, counted over the vertices of all parts.
    pub triangles: Vec<u16>,
    /// The skeleton's joint of each mesh joint; empty for a mesh without skin.
    pub joints: Vec<u16>,
    /// One a mesh joint: from the mesh's space to the joint's.
    pub inverse_binds: Vec<M34>,
}

/// Vertices that are moved by the same number of joints. Lists other than positions may be empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OzzMeshPart {
    /// One a vertex.
    pub positions: Vec<[f32; 3]>,
    /// One a vertex.
    pub normals: Vec<[f32; 3]>,
    /// One a vertex; the fourth is the handedness.
    pub tangents: Vec<[f32; 4]>,
    /// One a vertex.
    pub uvs: Vec<[f32; 2]>,
    /// One a vertex.
    pub colors: Vec<[u8; 4]>,
    /// Joints that move a vertex; 0 for a part without skin.
    pub influences: usize,
    /// `influences` a vertex: indices into [`OzzMesh::joints`].
    pub joint_indices: Vec<u16>,
    /// `influences - 1` a vertex; the last weight is what is missing to 1.
    pub joint_weights: Vec<f32>,
}

pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<OzzObject, ImportError> {
    let start = bytes.place();
    // A part has at least seven counts.
    let count = bytes.count(28, "the count of parts")?;
    if count > 0 {
        let place = bytes.place();
        let found = bytes.u32("a version")?;
        if found != 1 {
            return Err(ImportError::Version { place, what: "a mesh part".into(), found, known: "1" });
        }
    }
    let parts = bytes.many(count, part)?;
    let triangles = list(bytes, 2, "the count of triangle indices", |b| b.u16("a triangle index"))?;
    let joints = list(bytes, 2, "the count of mesh joints", |b| b.u16("a mesh joint"))?;
    let inverse_binds = list(bytes, 64, "the count of inverse bind matrices", matrix)?;
    let mesh = OzzMesh { parts, triangles, joints, inverse_binds };
    mesh.check(&start)?;
    Ok(OzzObject::Mesh(mesh))
}

fn list<T>(
    bytes: &mut Bytes<'_>,
    each: usize,
    what: &'static str,
    read: impl FnMut(&mut Bytes<'_>) -> Result<T, ImportError>,
) -> Result<Vec<T>, ImportError> {
    let count = bytes.count(each, what)?;
    bytes.many(count, read)
}

fn part(bytes: &mut Bytes<'_>) -> Result<OzzMeshPart, ImportError> {
    let start = bytes.place();
    let positions = vectors::<3>(bytes, "a position")?;
    let normals = vectors::<3>(bytes, "a normal")?;
    let tangents = vectors::<4>(bytes, "a tangent")?;
    let uvs = vectors::<2>(bytes, "a texture coordinate")?;
    let colors = list(bytes, 1, "the count of colour bytes", |b| b.u8("a colour"))?;
    let joint_indices = list(bytes, 2, "the count of joint indices", |b| b.u16("a joint index"))?;
    let joint_weights = list(bytes, 4, "the count of joint weights", |b| b.f32("a joint weight"))?;
    let vertices = positions.len();
    let influences = joint_indices.len().checked_div(vertices).unwrap_or_default();
    let wrong = |what: &str, found: usize| {
        let reason = format!("{found} {what} do not fit {vertices} vertices of {influences} joints each");
        ImportError::Format { place: start.clone(), reason }
    };
    for (what, found) in
        [("normals", normals.len()), ("tangents", tangents.len()), ("texture coordinates", uvs.len())]
    {
        if found != 0 && found != vertices {
            return Err(wrong(what, found));
        }
    }
    if !colors.is_empty() && Some(colors.len()) != vertices.checked_mul(4) {
        return Err(wrong("colour bytes", colors.len()));
    }
    if Some(joint_indices.len()) != vertices.checked_mul(influences) {
        return Err(wrong("joint indices", joint_indices.len()));
    }
    if Some(joint_weights.len()) != vertices.checked_mul(influences.saturating_sub(1)) {
        return Err(wrong("joint weights", joint_weights.len()));
    }
    let colors = colors.as_chunks().0.to_vec();
    Ok(OzzMeshPart { positions, normals, tangents, uvs, colors, influences, joint_indices, joint_weights })
}

/// A list counted in floats, of N each.
fn vectors<const N: usize>(bytes: &mut Bytes<'_>, what: &'static str) -> Result<Vec<[f32; N]>, ImportError> {
    let place = bytes.place();
    let floats = bytes.count(4, what)?;
    if floats.checked_rem(N) != Some(0) {
        let reason = format!("{floats} floats of {what} are not {N} each");
        return Err(ImportError::Format { place, reason });
    }
    bytes.many(floats.checked_div(N).unwrap_or_default(), |b| b.f32s(what))
}

fn matrix(bytes: &mut Bytes<'_>) -> Result<M34, ImportError> {
    let place = bytes.place();
    let m: [f32; 16] = bytes.f32s("an inverse bind matrix")?;
    let [x, y, z, t] = {
        let (columns, _) = m.as_chunks::<4>();
        let mut out = [[0.0; 4]; 4];
        out.copy_from_slice(columns);
        out
    };
    let affine = |[.., w]: [f32; 4], wanted: f32| (w - wanted).abs() <= 1e-5;
    if !(affine(x, 0.0) && affine(y, 0.0) && affine(z, 0.0) && affine(t, 1.0)) {
        let reason = "an inverse bind matrix is not affine: its last row is not 0 0 0 1".into();
        return Err(ImportError::Format { place, reason });
    }
    let column = |[x, y, z, _]: [f32; 4]| V3::new(f64::from(x), f64::from(y), f64::from(z));
    Ok(M34 { columns: [x, y, z, t].map(column) })
}

impl OzzMesh {
    /// How many vertices all parts have together.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.parts.iter().fold(0, |sum, p| sum.saturating_add(p.positions.len()))
    }

    /// The mesh on this skeleton, all parts in one. Normals and tangents that are missing, or are no directions, are
    /// computed. A vertex that no joint moves follows the first joint, in the rest pose.
    ///
    /// # Errors
    ///
    /// What [`RawMesh::validate`] finds, a mesh joint that the skeleton does not have among it.
    pub fn to_raw(&self, skeleton: &RawSkeleton) -> Result<RawMesh, RawMeshError> {
        let joints = skeleton.joints.len();
        let mut mesh = RawMesh { inverse_binds: self.binds(skeleton)?, ..RawMesh::default() };
        mesh.indices = self.triangles.iter().map(|i| u32::from(*i)).collect();
        let (mut uvs, mut colors) = (Vec::new(), Vec::new());
        let mut all = Collect::with_room_for(self.vertex_count());
        let (mut missing_normals, mut missing_tangents) = (false, false);
        for part in &self.parts {
            for vertex in 0..part.positions.len() {
                mesh.positions.extend(part.positions.get(vertex));
                let normal = part.normals.get(vertex).copied().and_then(direction);
                missing_normals |= normal.is_none();
                mesh.normals.push(normal.unwrap_or_default());
                let tangent = part.tangents.get(vertex).and_then(|[x, y, z, w]| {
                    let [x, y, z] = direction([*x, *y, *z])?;
                    Some([x, y, z, if *w < 0.0 { -1.0 } else { 1.0 }])
                });
                missing_tangents |= tangent.is_none();
                mesh.tangents.push(tangent.unwrap_or_default());
                uvs.push(part.uvs.get(vertex).copied().unwrap_or_default());
                let color = part.colors.get(vertex).copied().unwrap_or([u8::MAX; 4]);
                colors.push(color.map(|c| f32::from(c) / 255.0));
                all.push(&mut part.influences(vertex, &self.joints), 0);
            }
        }
        mesh.influences = all.finish();
        if missing_normals {
            let computed = normals(&mesh.positions, &mesh.indices);
            fill(&mut mesh.normals, computed, |n| *n == [0.0; 3]);
        }
        if missing_tangents {
            let computed = tangents(&mesh.positions, &mesh.normals, &uvs, &mesh.indices);
            fill(&mut mesh.tangents, computed, |[.., w]| *w == 0.0);
        }
        if self.parts.iter().any(|p| !p.uvs.is_empty()) && uvs.iter().flatten().all(|c| c.is_finite()) {
            mesh.uvs = vec![uvs];
        }
        if self.parts.iter().any(|p| !p.colors.is_empty()) {
            mesh.colors = vec![colors];
        }
        mesh.validate(joints)?;
        Ok(mesh)
    }

    /// From mesh space to every joint of the skeleton: as stored for the joints of the mesh, from the rest pose
    /// for the others, which no vertex follows (or all do, in a mesh without skin).
    fn binds(&self, skeleton: &RawSkeleton) -> Result<Vec<M34>, RawMeshError> {
        let rest: Vec<_> = skeleton.joints.iter().map(|j| j.rest).collect();
        let models = model_matrices(skeleton, &rest);
        let mut binds: Vec<M34> = models.iter().map(|m| m.inverse().unwrap_or(M34::IDENTITY)).collect();
        for (joint, bind) in self.joints.iter().zip(&self.inverse_binds) {
            let joints = binds.len();
            let Some(to) = binds.get_mut(usize::from(*joint)) else {
                return Err(RawMeshError::Joint { vertex: 0, joint: *joint, joints });
            };
            *to = *bind;
        }
        Ok(binds)
    }

    fn check(&self, place: &Place) -> Result<(), ImportError> {
        let fail = |reason| Err(ImportError::Format { place: place.clone(), reason });
        let vertices = self.vertex_count();
        if !self.triangles.len().is_multiple_of(3) {
            return fail(format!("{} triangle indices are not three a triangle", self.triangles.len()));
        }
        if let Some(index) = self.triangles.iter().find(|i| usize::from(**i) >= vertices) {
            return fail(format!("a triangle has vertex {index} of {vertices}"));
        }
        if self.joints.len() != self.inverse_binds.len() {
            let (joints, binds) = (self.joints.len(), self.inverse_binds.len());
            return fail(format!("{binds} inverse bind matrices for {joints} mesh joints"));
        }
        let indices = self.parts.iter().flat_map(|p| &p.joint_indices);
        if let Some(index) = indices.into_iter().find(|i| usize::from(**i) >= self.joints.len()) {
            return fail(format!("a vertex has mesh joint {index} of {}", self.joints.len()));
        }
        Ok(())
    }
}

impl OzzMeshPart {
    /// The skeleton's joints that move a vertex, and how much.
    fn influences(&self, vertex: usize, joints: &[u16]) -> Vec<(u16, f64)> {
        let stored = self.influences.saturating_sub(1);
        let indices = slice_of(&self.joint_indices, vertex, self.influences);
        let weights = slice_of(&self.joint_weights, vertex, stored);
        let last = weights.iter().fold(1.0, |rest, w| rest - f64::from(*w));
        let weights = weights.iter().map(|w| f64::from(*w)).chain([last]);
        let pairs = indices.iter().zip(weights);
        pairs.filter_map(|(index, weight)| Some((*joints.get(usize::from(*index))?, weight))).collect()
    }
}

/// The `each` entries of a vertex.
fn slice_of<T>(list: &[T], vertex: usize, each: usize) -> &[T] {
    let start = vertex.saturating_mul(each);
    list.get(start..start.saturating_add(each)).unwrap_or_default()
}

fn direction([x, y, z]: [f32; 3]) -> Option<[f32; 3]> {
    unit(V3::new(f64::from(x), f64::from(y), f64::from(z)))
}

fn fill<T>(list: &mut [T], computed: Vec<T>, missing: fn(&T) -> bool) {
    for (to, from) in list.iter_mut().zip(computed) {
        if missing(to) {
            *to = from;
        }
    }
}
