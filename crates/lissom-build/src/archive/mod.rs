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

#[cfg(test)]
mod mesh_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod track_tests;

use crate::{
    BuiltSkeleton,
    mesh::{RawMesh, RawMeshError},
    raw::{RawUserTrack, RawUserTrackError, UserKind},
};
use lissom::{
    Skeleton,
    archive::{
        SectionKind, TrackKind,
        layout::{self, ENTRY_BYTES, HEADER_BYTES, MAGIC, MAJOR_VERSION, MINOR_VERSION, NO_PARENT},
    },
};
use std::io;

/// Collects sections, then writes them all.
#[derive(Clone, Debug, Default)]
pub struct ArchiveWriter {
    sections: Vec<Pending>,
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
        if self.sections.iter().any(|s| s.kind == kind && s.name == name) {
            return Err(ArchiveWriteError::Twice { kind, name: name.into() });
        }
        self.sections.push(Pending { kind, version, flags, name: name.into(), payload });
        Ok(self)
    }

    /// Adds a skeleton.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn skeleton(self, name: &str, skeleton: &Skeleton) -> Result<Self, ArchiveWriteError> {
        let version = layout::SKELETON_VERSION;
        self.section(SectionKind::Skeleton, version, 0, name, skeleton_payload(skeleton))
    }

    /// Adds a mesh, for the skeleton that was built with these joints of raw joints.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Mesh`] and [`ArchiveWriteError::Twice`].
    pub fn mesh(self, mesh: &RawMesh, built: &BuiltSkeleton) -> Result<Self, ArchiveWriteError> {
        mesh.validate(built.joint_of_raw.len())?;
        self.section(SectionKind::Mesh, layout::MESH_VERSION, 0, &mesh.name, mesh_payload(mesh, built))
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
        self.section(SectionKind::Track, layout::TRACK_VERSION, 0, &track.name, track_payload(track))
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

fn skeleton_payload(skeleton: &Skeleton) -> Vec<u8> {
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

fn mesh_payload(mesh: &RawMesh, built: &BuiltSkeleton) -> Vec<u8> {
    let mut out = Vec::new();
    for count in [mesh.positions.len(), mesh.indices.len(), built.raw_of_joint.len()] {
        out.extend_from_slice(&(count as u32).to_le_bytes());
    }
    let floats = |out: &mut Vec<u8>, list: &[f32]| {
        out.resize(layout::align(out.len() as u64) as usize, 0);
        list.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
    };
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
    let binds: Vec<f32> = columns.flat_map(|c| [c.x as f32, c.y as f32, c.z as f32]).collect();
    floats(&mut out, &binds);
    out
}

fn track_payload(track: &RawUserTrack) -> Vec<u8> {
    let kind = match track.kind {
        UserKind::Float => TrackKind::Float,
        UserKind::Float2 => TrackKind::Float2,
        UserKind::Float3 => TrackKind::Float3,
        UserKind::Float4 => TrackKind::Float4,
        UserKind::Quat => TrackKind::Quat,
    };
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
