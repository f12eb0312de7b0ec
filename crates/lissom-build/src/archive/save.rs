//! One thing to any writer, and back from any reader: an archive with one section.

use super::{ArchiveWriteError, ArchiveWriter};
use crate::{
    BuiltSkeleton,
    exact::M34,
    mesh::{Influences, RawMesh},
    raw::{RawUserTrack, UserKey},
};
use lissom::{
    Clip, Skeleton,
    archive::{AlignedBytes, ArchiveError, ArchiveView, Limits, MeshView, SectionKind},
    track::TrackView,
};
use std::io::{Read, Write};

/// What can be saved alone. Each is loaded again within [`Limits`]: [`Skeleton::load`], [`Clip::load`],
/// [`RawUserTrack::load`], [`RawMesh::load`].
///
/// ```
/// use lissom::{Skeleton, archive::Limits};
/// use lissom_build::{SkeletonBuilder, archive::Save, mannequin};
///
/// let skeleton = SkeletonBuilder::build(&mannequin::skeleton())?.skeleton;
/// let mut file = Vec::new();
/// skeleton.save(&mut file)?;
/// assert_eq!(Skeleton::load(&mut file.as_slice(), &Limits::default())?.identity(), skeleton.identity());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Save {
    /// Writes an archive that holds this and nothing else.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Io`], or what is wrong with it.
    fn save(&self, writer: &mut impl Write) -> Result<(), ArchiveWriteError>;
}

impl Save for Skeleton {
    fn save(&self, writer: &mut impl Write) -> Result<(), ArchiveWriteError> {
        ArchiveWriter::new().skeleton("", self)?.write_to(writer)
    }
}

impl Save for Clip {
    fn save(&self, writer: &mut impl Write) -> Result<(), ArchiveWriteError> {
        let bytes = self.as_bytes().to_vec();
        ArchiveWriter::new().clip(clip_version(&bytes), self.view().name(), bytes)?.write_to(writer)
    }
}

impl Save for RawUserTrack {
    fn save(&self, writer: &mut impl Write) -> Result<(), ArchiveWriteError> {
        ArchiveWriter::new().track(self)?.write_to(writer)
    }
}

/// A mesh and the skeleton that it was made for.
impl Save for (&RawMesh, &BuiltSkeleton) {
    fn save(&self, writer: &mut impl Write) -> Result<(), ArchiveWriteError> {
        ArchiveWriter::new().mesh(self.0, self.1)?.write_to(writer)
    }
}

/// The version of a clip's layout, which its section repeats ([`ArchiveWriter::clip`] asks for it).
#[must_use]
pub fn clip_version(bytes: &[u8]) -> u16 {
    bytes.get(4..6).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]))
}

impl RawUserTrack {
    /// Reads an archive and takes its first user track. No more of the reader is used than the archive.
    ///
    /// # Errors
    ///
    /// What is wrong with the archive or the track, or that there is none.
    pub fn load(reader: &mut impl Read, limits: &Limits) -> Result<Self, ArchiveError> {
        let bytes = AlignedBytes::read_from(reader, limits)?;
        let section = ArchiveView::read(&bytes, limits)?.first(SectionKind::Track)?;
        Ok(Self::from_view(section.name, &section.track()?))
    }

    /// An editable copy of a track in an archive.
    #[must_use]
    pub fn from_view(name: &str, view: &TrackView<'_>) -> Self {
        let kind = view.kind;
        let values = view.values.chunks_exact(kind.components());
        let keys = view.ratios.iter().zip(values).enumerate().map(|(i, (ratio, numbers))| {
            let mut value = [0.0; 4];
            value.iter_mut().zip(numbers).for_each(|(to, from)| *to = f64::from(*from));
            UserKey { ratio: f64::from(*ratio), value, step: view.is_step(i) }
        });
        Self { name: name.into(), kind, keys: keys.collect() }
    }
}

impl RawMesh {
    /// Reads an archive and takes its first mesh; its joints are in the order of the built skeleton. No more of the
    /// reader is used than the archive.
    ///
    /// # Errors
    ///
    /// What is wrong with the archive or the mesh, or that there is none.
    pub fn load(reader: &mut impl Read, limits: &Limits) -> Result<Self, ArchiveError> {
        let bytes = AlignedBytes::read_from(reader, limits)?;
        let section = ArchiveView::read(&bytes, limits)?.first(SectionKind::Mesh)?;
        Ok(Self::from_view(section.name, &section.mesh()?))
    }

    /// An editable copy of a mesh in an archive; its joints are in the order of the built skeleton.
    #[must_use]
    pub fn from_view(name: &str, view: &MeshView<'_>) -> Self {
        Self {
            name: name.into(),
            positions: view.positions.to_vec(),
            normals: view.normals.to_vec(),
            tangents: view.tangents.to_vec(),
            influences: Influences {
                each: view.per_vertex,
                joints: view.joints.to_vec(),
                weights: view.weights.to_vec(),
            },
            indices: view.indices.to_vec(),
            inverse_binds: view.inverse_binds.iter().map(M34::from_f32).collect(),
            uvs: (0..view.uv_sets()).filter_map(|set| Some(view.uv(set)?.to_vec())).collect(),
            colors: (0..view.color_sets()).filter_map(|set| Some(view.color(set)?.to_vec())).collect(),
            order: view.order.to_vec(),
        }
    }
}
