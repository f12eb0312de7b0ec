//! Writes archives. The same sections in the same order give the same bytes, on every machine.
//!
//! ```
//! use lissom::{Skeleton, SkeletonParts, archive::Limits, math::Transform};
//! use lissom_build::archive::ArchiveWriter;
//!
//! let skeleton = Skeleton::new(SkeletonParts { parents: &[None], names: &["hips"], rest: &[Transform::IDENTITY] })?;
//! let mut file = Vec::new();
//! ArchiveWriter::new().skeleton("body", &skeleton)?.write_to(&mut file)?;
//! let loaded = Skeleton::load(&mut file.as_slice(), &Limits::default())?;
//! assert_eq!(loaded.identity(), skeleton.identity());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod payload;
mod save;
mod scene_writer;

pub use save::{Save, clip_version};
pub use scene_writer::{SceneWriter, settle_names};

use crate::{
    BuiltSkeleton,
    mesh::material::{Image, Material},
    mesh::{RawMesh, RawMeshError},
    raw::{RawUserTrack, RawUserTrackError},
    scene::{Marker, Morph, SceneMesh, SourceNode},
};
use lissom::{
    Skeleton,
    archive::{
        SectionKind,
        layout::{self, ENTRY_BYTES, HEADER_BYTES, MAGIC, MAJOR_VERSION, MINOR_VERSION},
    },
};
use lissom_motion::{GraphParts, matching::DatabaseParts};
use std::{collections::BTreeSet, io};

/// Collects sections, then writes them all.
#[derive(Clone, Debug, Default)]
pub struct ArchiveWriter {
    sections: Vec<Pending>,
    taken: BTreeSet<(SectionKind, String)>,
}

#[derive(Clone, Debug)]
struct Pending {
    kind: SectionKind,
    version: u16,
    flags: u16,
    name: String,
    payload: Vec<u8>,
}

/// Why an archive could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveWriteError {
    /// Two sections of one kind have the same name: only the first could be found again.
    #[error("there are two {kind:?} sections called {name:?}")]
    Twice {
        /// The kind.
        kind: SectionKind,
        /// The name.
        name: String,
    },
    /// There are more sections, or more bytes of names, than the format can count.
    #[error("{what}: {found}, but at most {allowed} are possible")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// The most there can be.
        allowed: usize,
    },
    /// The mesh is not valid.
    #[error(transparent)]
    Mesh(#[from] RawMeshError),
    /// The user track is not valid, or two of its keys are too close for f32.
    #[error(transparent)]
    Track(#[from] RawUserTrackError),
    /// The lists of a morph target differ in length, or a number is not finite.
    #[error("morph target {name:?}: {reason}")]
    Morph {
        /// The target.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// A number of a material is not finite, or it uses a texture that it does not have.
    #[error("material {name:?}: a number is not finite, or it uses a texture that it does not have")]
    Material {
        /// The material.
        name: String,
    },
    /// A mesh has more sets of texture coordinates or colours than can be stored.
    #[error("mesh {name:?} has {found} sets of {what}, but at most {} are possible", layout::MESH_SETS)]
    Sets {
        /// The mesh.
        name: String,
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
    },
    /// There are not as many nodes as joints.
    #[error("{found} nodes for {joints} joints")]
    Nodes {
        /// How many nodes.
        found: usize,
        /// Joints of the skeleton.
        joints: usize,
    },
    /// A marker without a name, times that fall or are outside of [0, ∞), or a duration that is.
    #[error(
        "marker {index} {name:?} at {time_s} s for {duration_s} s: it needs a name, a time that does not fall and a \
         duration of at least 0"
    )]
    Marker {
        /// Which one.
        index: usize,
        /// Its name.
        name: String,
        /// When it is.
        time_s: f64,
        /// How long it lasts.
        duration_s: f64,
    },
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ArchiveWriter {
    /// An archive without sections.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a section of any kind. Its payload will start at a multiple of 64.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn section(
        mut self,
        kind: SectionKind,
        version: u16,
        flags: u16,
        name: &str,
        payload: Vec<u8>,
    ) -> Result<Self, ArchiveWriteError> {
        if !self.taken.insert((kind, name.into())) {
            return Err(ArchiveWriteError::Twice { kind, name: name.into() });
        }
        self.sections.push(Pending { kind, version, flags, name: name.into(), payload });
        Ok(self)
    }

    /// Adds all sections of another; on an error none of them.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn append(&mut self, other: Self) -> Result<(), ArchiveWriteError> {
        if let Some((kind, name)) = other.taken.intersection(&self.taken).next() {
            return Err(ArchiveWriteError::Twice { kind: *kind, name: name.clone() });
        }
        self.sections.extend(other.sections);
        self.taken.extend(other.taken);
        Ok(())
    }

    /// Adds a skeleton.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn skeleton(self, name: &str, skeleton: &Skeleton) -> Result<Self, ArchiveWriteError> {
        let version = layout::SKELETON_VERSION;
        self.section(SectionKind::Skeleton, version, 0, name, payload::skeleton(skeleton))
    }

    /// Adds a mesh, for the skeleton that was built with these joints of raw joints.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Mesh`], [`ArchiveWriteError::Sets`] and [`ArchiveWriteError::Twice`].
    pub fn mesh(self, mesh: &RawMesh, built: &BuiltSkeleton) -> Result<Self, ArchiveWriteError> {
        let none = payload::About { material: "", source: "", node: "", extras: "" };
        self.mesh_about(mesh, built, &none)
    }

    /// Adds a mesh and what it was in its file. `material` is the name of its material's section, or empty.
    ///
    /// # Errors
    ///
    /// As [`mesh`](Self::mesh).
    pub fn scene_mesh(
        self,
        mesh: &SceneMesh,
        built: &BuiltSkeleton,
        material: &str,
    ) -> Result<Self, ArchiveWriteError> {
        let SceneMesh { source, node, extras, .. } = mesh;
        self.mesh_about(&mesh.mesh, built, &payload::About { material, source, node, extras })
    }

    fn mesh_about(
        self,
        mesh: &RawMesh,
        built: &BuiltSkeleton,
        about: &payload::About<'_>,
    ) -> Result<Self, ArchiveWriteError> {
        mesh.validate(built.joint_of_raw.len())?;
        for (what, found) in [("texture coordinates", mesh.uvs.len()), ("colours", mesh.colors.len())] {
            if found > layout::MESH_SETS as usize {
                return Err(ArchiveWriteError::Sets { name: mesh.name.clone(), what, found });
            }
        }
        let payload = payload::mesh(mesh, built, about);
        let ordered = !mesh.order.is_empty();
        let version = if ordered { layout::MESH_ORDERED_VERSION } else { layout::MESH_VERSION };
        self.section(SectionKind::Mesh, version, 0, &mesh.name, payload)
    }

    /// Adds a material. `images` are the names of the sections of the images that its textures count.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Material`] and [`ArchiveWriteError::Twice`].
    pub fn material(
        self,
        name: &str,
        material: &Material,
        images: &[String],
    ) -> Result<Self, ArchiveWriteError> {
        if !material.is_valid() {
            return Err(ArchiveWriteError::Material { name: material.name.clone() });
        }
        let payload = payload::material(material, images);
        self.section(SectionKind::Material, layout::MATERIAL_VERSION, 0, name, payload)
    }

    /// Adds an image.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn image(self, name: &str, image: &Image) -> Result<Self, ArchiveWriteError> {
        self.section(SectionKind::Image, layout::IMAGE_VERSION, 0, name, payload::image(image))
    }

    /// Adds what the joints of the skeleton of this name were in their file; none at all add nothing.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Nodes`] and [`ArchiveWriteError::Twice`].
    pub fn nodes(
        self,
        skeleton: &str,
        nodes: &[SourceNode],
        built: &BuiltSkeleton,
    ) -> Result<Self, ArchiveWriteError> {
        let (found, joints) = (nodes.len(), built.raw_of_joint.len());
        if found == 0 {
            return Ok(self);
        }
        if found != joints {
            return Err(ArchiveWriteError::Nodes { found, joints });
        }
        let payload = payload::nodes(built.raw_of_joint.iter().map(|raw| &nodes[*raw]));
        self.section(SectionKind::Nodes, layout::NODES_VERSION, 0, skeleton, payload)
    }

    /// Adds what a file says beside, as JSON: `asset`, `scene` or `clip/NAME`. Nothing adds nothing.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn extras(self, name: &str, json: &str) -> Result<Self, ArchiveWriteError> {
        if json.is_empty() {
            return Ok(self);
        }
        self.section(SectionKind::Extras, layout::EXTRAS_VERSION, 0, name, json.as_bytes().to_vec())
    }

    /// Adds a user track, its numbers rounded to f32.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Track`] and [`ArchiveWriteError::Twice`].
    pub fn track(self, track: &RawUserTrack) -> Result<Self, ArchiveWriteError> {
        track.validate()?;
        // Two ratios may become one f32.
        for (key, pair) in track.keys.windows(2).enumerate() {
            if pair[0].ratio as f32 >= pair[1].ratio as f32 {
                let ratio = pair[1].ratio;
                return Err(RawUserTrackError::Order { key: key + 1, ratio }.into());
            }
        }
        self.section(SectionKind::Track, layout::TRACK_VERSION, 0, &track.name, payload::track(track))
    }

    /// Adds a morph target of the mesh of this name: the vertices that it moves.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Morph`] and [`ArchiveWriteError::Twice`].
    pub fn morph(self, mesh: &RawMesh, morph: &Morph) -> Result<Self, ArchiveWriteError> {
        let wrong = |reason: String| Err(ArchiveWriteError::Morph { name: morph.name.clone(), reason });
        let vertices = mesh.positions.len();
        for (what, list, optional) in [
            ("positions", &morph.positions, false),
            ("normals", &morph.normals, true),
            ("tangents", &morph.tangents, true),
        ] {
            if list.len() != vertices && !(optional && list.is_empty()) {
                return wrong(format!("{} {what} for {vertices} vertices", list.len()));
            }
            if list.iter().flatten().any(|v| !v.is_finite()) {
                return wrong(format!("a number of its {what} is not finite"));
            }
        }
        if !(morph.weight as f32).is_finite() {
            return wrong(format!("its weight is {}", morph.weight));
        }
        let name = format!("{}/{}", mesh.name, morph.name);
        self.section(SectionKind::Morph, layout::MORPH_VERSION, 0, &name, payload::morph(morph))
    }

    /// Adds the markers of the clip of this name; none at all add nothing.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Marker`] and [`ArchiveWriteError::Twice`].
    pub fn markers(self, clip: &str, markers: &[Marker]) -> Result<Self, ArchiveWriteError> {
        let mut before = 0.0;
        for (index, Marker { name, time_s, duration_s }) in markers.iter().enumerate() {
            let lasts = duration_s.is_finite() && *duration_s >= 0.0;
            if name.is_empty() || !time_s.is_finite() || *time_s < before || !lasts {
                let (time_s, duration_s) = (*time_s, *duration_s);
                return Err(ArchiveWriteError::Marker { index, name: name.clone(), time_s, duration_s });
            }
            before = *time_s;
        }
        if markers.is_empty() {
            return Ok(self);
        }
        self.section(SectionKind::Markers, layout::MARKER_VERSION, 0, clip, payload::markers(markers))
    }

    /// Adds a graph.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn graph(self, name: &str, parts: &GraphParts) -> Result<Self, ArchiveWriteError> {
        self.section(SectionKind::Graph, layout::GRAPH_VERSION, 0, name, parts.to_bytes())
    }

    /// Adds a database for motion matching.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn matching(self, name: &str, parts: &DatabaseParts) -> Result<Self, ArchiveWriteError> {
        self.section(SectionKind::Matching, layout::MATCHING_VERSION, 0, name, parts.to_bytes())
    }

    /// Adds a clip's own bytes, which are played from where they stand.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn clip(self, version: u16, name: &str, bytes: Vec<u8>) -> Result<Self, ArchiveWriteError> {
        self.section(SectionKind::Clip, version, 0, name, bytes)
    }

    /// The archive.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::TooMany`].
    pub fn finish(&self) -> Result<Vec<u8>, ArchiveWriteError> {
        let count = |what, found: usize| {
            u32::try_from(found).map_err(|_| ArchiveWriteError::TooMany {
                what,
                found,
                allowed: u32::MAX as usize,
            })
        };
        let sections = count("sections", self.sections.len())?;
        let names: String = self.sections.iter().map(|s| s.name.as_str()).collect();
        let name_bytes = count("bytes of names", names.len())?;

        let mut table = Vec::with_capacity(self.sections.len() * ENTRY_BYTES + names.len());
        let mut end = (HEADER_BYTES + self.sections.len() * ENTRY_BYTES + names.len()) as u64;
        for section in &self.sections {
            let offset = layout::align(end);
            let length = section.payload.len() as u64;
            table.extend_from_slice(&section.kind.code().to_le_bytes());
            table.extend_from_slice(&section.version.to_le_bytes());
            table.extend_from_slice(&section.flags.to_le_bytes());
            table.extend_from_slice(&offset.to_le_bytes());
            table.extend_from_slice(&length.to_le_bytes());
            table.extend_from_slice(&crc32fast::hash(&section.payload).to_le_bytes());
            table.extend_from_slice(&(section.name.len() as u32).to_le_bytes());
            end = offset + length;
        }
        table.extend_from_slice(names.as_bytes());
        let total = layout::align(end);

        let mut out = Vec::with_capacity(total as usize);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&MAJOR_VERSION.to_le_bytes());
        out.extend_from_slice(&MINOR_VERSION.to_le_bytes());
        out.extend_from_slice(&sections.to_le_bytes());
        out.extend_from_slice(&total.to_le_bytes());
        out.extend_from_slice(&name_bytes.to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(&table).to_le_bytes());
        out.resize(HEADER_BYTES - 4, 0);
        out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
        out.extend_from_slice(&table);
        for section in &self.sections {
            out.resize(layout::align(out.len() as u64) as usize, 0);
            out.extend_from_slice(&section.payload);
        }
        out.resize(total as usize, 0);
        Ok(out)
    }

    /// Writes the archive.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::TooMany`] and [`ArchiveWriteError::Io`].
    pub fn write_to(&self, writer: &mut impl io::Write) -> Result<(), ArchiveWriteError> {
        writer.write_all(&self.finish()?)?;
        Ok(writer.flush()?)
    }
}
