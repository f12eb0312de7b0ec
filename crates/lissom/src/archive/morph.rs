//! The morph target section, version 1: what a target adds to the vertices that it moves.

use super::{
    ArchiveError, ArchiveView, Result, Section, SectionKind,
    layout::{ALIGNMENT, MORPH_NORMALS, MORPH_TANGENTS, MORPH_VERSION},
    lists::Lists,
};
use crate::{
    bytes::{SharedBytes, SharedSlice},
    mesh::MorphTarget,
};
use alloc::{format, vec::Vec};

/// A morph target in place: its lists are slices of the archive's bytes.
#[derive(Clone, Copy, Debug)]
pub struct MorphView<'a> {
    /// Vertices of the mesh that it belongs to.
    pub vertex_count: usize,
    /// The weight where no track says otherwise.
    pub weight: f32,
    /// As a [`MorphJob`](crate::job::MorphJob) takes it.
    pub target: MorphTarget<'a>,
}

/// A morph target that keeps its archive's bytes alive; cheap to clone.
#[derive(Clone, Debug)]
pub struct Morph {
    vertex_count: usize,
    weight: f32,
    vertices: SharedSlice<u32>,
    positions: SharedSlice<[f32; 3]>,
    normals: SharedSlice<[f32; 3]>,
    tangents: SharedSlice<[f32; 3]>,
}

impl Morph {
    /// Keeps a view of these bytes; `None` if it is of others.
    pub(super) fn of(bytes: &SharedBytes, view: &MorphView<'_>) -> Option<Self> {
        Some(Self {
            vertex_count: view.vertex_count,
            weight: view.weight,
            vertices: SharedSlice::of(bytes, view.target.vertices)?,
            positions: SharedSlice::of(bytes, view.target.positions)?,
            normals: SharedSlice::of(bytes, view.target.normals)?,
            tangents: SharedSlice::of(bytes, view.target.tangents)?,
        })
    }

    /// The target as jobs take it.
    #[must_use]
    pub fn view(&self) -> MorphView<'_> {
        MorphView {
            vertex_count: self.vertex_count,
            weight: self.weight,
            target: MorphTarget {
                vertices: &self.vertices,
                positions: &self.positions,
                normals: &self.normals,
                tangents: &self.tangents,
            },
        }
    }
}

impl<'a> ArchiveView<'a> {
    /// The morph targets of a mesh: their names without the mesh's, and the targets, in file order.
    ///
    /// # Errors
    ///
    /// What is wrong with the first that is.
    pub fn morphs(&self, mesh: &str) -> Result<Vec<(&'a str, MorphView<'a>)>> {
        let mut found = Vec::new();
        for section in self.sections().iter().filter(|s| s.kind == SectionKind::Morph) {
            if section.name.starts_with(mesh)
                && let Some((owner, name)) = self.owner(SectionKind::Mesh, section.name)
                && owner == mesh
            {
                found.push((name, section.morph()?));
            }
        }
        Ok(found)
    }
}

impl<'a> Section<'a> {
    /// The morph target that this section holds, checked: finite numbers, rising vertices that exist.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind; [`ArchiveError::Alignment`] if the archive
    /// does not start at a multiple of 4 in memory; otherwise what is wrong with it.
    pub fn morph(&self) -> Result<MorphView<'a>> {
        let offset = self.offset;
        let wrong = |reason| Err(ArchiveError::Format { offset, reason });
        if self.kind != SectionKind::Morph {
            return wrong(format!("a {:?} section is not a morph target", self.kind));
        }
        if self.version != MORPH_VERSION {
            let (what, found, known) = ("a morph target", self.version, "1");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        let mut lists = Lists::new(self, ALIGNMENT);
        let vertex_count = lists.count("the count of vertices")?;
        let moved = u64::from(lists.count("the count of moved vertices")?);
        let parts = lists.count("the parts of a morph target")?;
        let weight = lists.float("the weight of a morph target")?;
        if parts & !(MORPH_NORMALS | MORPH_TANGENTS) != 0 {
            return wrong(format!("the parts of a morph target are {parts:#x}; only bits 0 and 1 are known"));
        }
        let with = |bit: u32| if parts & bit != 0 { moved } else { 0 };
        let target = MorphTarget {
            vertices: lists.next(moved, "the moved vertices")?,
            positions: lists.next(moved, "the positions of a morph target")?,
            normals: lists.next(with(MORPH_NORMALS), "the normals of a morph target")?,
            tangents: lists.next(with(MORPH_TANGENTS), "the tangents of a morph target")?,
        };
        lists.end()?;
        let vertices = target.vertices;
        let rising = vertices.iter().zip(vertices.iter().skip(1)).all(|(a, b)| a < b);
        if !rising || vertices.last().is_some_and(|last| *last >= vertex_count) {
            return wrong(format!("the moved vertices do not rise below {vertex_count}"));
        }
        let floats = [target.positions, target.normals, target.tangents].map(<[[f32; 3]]>::as_flattened);
        if !weight.is_finite() || floats.iter().any(|list| list.iter().any(|v| !v.is_finite())) {
            return wrong("a number of a morph target is not finite".into());
        }
        Ok(MorphView { vertex_count: vertex_count as usize, weight, target })
    }
}
