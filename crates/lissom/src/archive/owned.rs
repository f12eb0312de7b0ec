//! The archive that owns its bytes: everything is checked once, when it is opened.

use super::{
    AlignedBytes, ArchiveError, ArchiveView, CLIP_ADDITIVE, Limits, Mesh, Morph, Result, Section,
    SectionKind,
    names::{Key, Names},
    packed,
};
use crate::{
    Skeleton,
    bytes::SharedBytes,
    clip::Clip,
    track::{Markers, Track},
};
use alloc::{boxed::Box, format, sync::Arc, vec::Vec};

/// An archive that owns its bytes. Cheap to clone, `Send + Sync`.
///
/// Every section is checked and prepared when the archive is opened, so a look-up only finds and shares: a
/// [`Clip`], [`Mesh`], [`Track`] keeps the bytes alive by itself. What is wrong with one section (damage
/// apart, which refuses the archive) is told when that one is asked for; the others are not touched by it.
///
/// One convention: `thing(name)` is the thing of that name or an error that lists what there is; `things()`
/// are all, with their names, in file order.
///
/// ```no_run
/// use lissom::archive::Archive;
///
/// let archive = Archive::open("hero.lsm")?;
/// let walk = archive.clip("walk")?;
/// let skeleton = archive.skeleton_of(&walk)?;
/// println!("{} joints, {:.2} s", skeleton.joint_count(), walk.view().duration_s());
/// for (name, mesh) in archive.meshes() {
///     println!("{name}: {} vertices", mesh?.view().positions.len());
/// }
/// # Ok::<(), lissom::archive::ArchiveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Archive(Arc<Contents>);

#[derive(Debug)]
struct Contents {
    bytes: SharedBytes,
    items: Vec<Item>,
    names: Names,
}

#[derive(Debug)]
struct Item {
    kind: SectionKind,
    name: Box<str>,
    /// Of a clip: it is added to a pose.
    additive: bool,
    /// What is wrong with it stands apart: a table of nothing but empty sections must not become a large
    /// archive.
    held: core::result::Result<Held, Box<ArchiveError>>,
}

/// What a section holds, ready to be handed out. Small, since there is one a section: see [`Item`].
#[derive(Debug)]
enum Held {
    Skeleton(Arc<Skeleton>),
    Clip(Box<Clip>),
    Mesh(Box<Mesh>),
    Morph(Box<Morph>),
    Track(Box<Track>),
    Markers(Box<Markers>),
    Graph(Box<SharedBytes>),
    Matching(Box<SharedBytes>),
    /// Carried along.
    Other,
}

impl Archive {
    /// Opens a file, with the default [`Limits`].
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Io`], or the first thing that is wrong with the archive.
    #[cfg(feature = "std")]
    pub fn open(path: impl AsRef<std::path::Path>) -> Result<Self> {
        Self::open_with(path, &Limits::default())
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// Those of [`Archive::open`].
    #[cfg(feature = "std")]
    pub fn open_with(path: impl AsRef<std::path::Path>, limits: &Limits) -> Result<Self> {
        use std::io::Read as _;
        let path = path.as_ref();
        let failed = |offset: usize, error: &std::io::Error| ArchiveError::Io {
            offset: offset as u64,
            kind: error.kind(),
            message: format!("{}: {error}", path.display()),
        };
        let mut file = std::fs::File::open(path).map_err(|error| failed(0, &error))?;
        let bytes = AlignedBytes::read_from(&mut file, limits)?;
        if file.read(&mut [0]).map_err(|error| failed(bytes.len(), &error))? > 0 {
            let (offset, reason) = (bytes.len() as u64, "bytes after the end of the archive".into());
            return Err(ArchiveError::Format { offset, reason });
        }
        Self::new_with(bytes, limits)
    }

    /// Copies bytes from anywhere, with the default [`Limits`].
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with the archive.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        Self::read_with(bytes, &Limits::default())
    }

    /// Copies bytes from anywhere.
    ///
    /// # Errors
    ///
    /// Those of [`Archive::read`].
    pub fn read_with(bytes: &[u8], limits: &Limits) -> Result<Self> {
        limits.check(0, "the length of the archive", bytes.len() as u64, limits.max_bytes)?;
        Self::new_with(AlignedBytes::of_archive(bytes, limits)?, limits)
    }

    /// Takes bytes over and uses them in place, with the default [`Limits`]: an [`AlignedBytes`], a memory
    /// map, a constant. They must start at a multiple of 4 in memory. If they are packed, they are
    /// unpacked and let go.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Alignment`], or the first thing that is wrong with the archive.
    pub fn new(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self> {
        Self::new_with(bytes, &Limits::default())
    }

    /// Takes bytes over and uses them in place.
    ///
    /// # Errors
    ///
    /// Those of [`Archive::new`].
    pub fn new_with(bytes: impl AsRef<[u8]> + Send + Sync + 'static, limits: &Limits) -> Result<Self> {
        let bytes = match packed::is_packed(bytes.as_ref()) {
            true => SharedBytes::new(packed::unpack(bytes.as_ref(), limits)?),
            false => SharedBytes::new(bytes),
        };
        if !bytes.as_ptr().addr().is_multiple_of(align_of::<u32>()) {
            let (what, needed) = ("the archive", align_of::<u32>());
            return Err(ArchiveError::Alignment { offset: 0, what, needed });
        }
        let ArchiveView { sections, names } = ArchiveView::read(&bytes, limits)?;
        let item = |section: &Section<'_>| Item {
            kind: section.kind,
            name: section.name.into(),
            additive: section.kind == SectionKind::Clip && section.flags & CLIP_ADDITIVE != 0,
            held: Held::of(&bytes, section, limits).map_err(Box::new),
        };
        let items = sections.iter().map(item).collect();
        Ok(Self(Arc::new(Contents { items, names, bytes })))
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &SharedBytes {
        &self.0.bytes
    }

    /// The names of all sections of a kind, in file order.
    pub fn names(&self, kind: SectionKind) -> impl Iterator<Item = &str> {
        self.0.items.iter().filter(move |item| item.kind == kind).map(|item| &*item.name)
    }

    /// The skeleton of this name.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn skeleton(&self, name: &str) -> Result<Arc<Skeleton>> {
        self.named(SectionKind::Skeleton, name, Held::skeleton)
    }

    /// All skeletons.
    pub fn skeletons(&self) -> impl Iterator<Item = (&str, Result<Arc<Skeleton>>)> {
        self.all(SectionKind::Skeleton, Held::skeleton)
    }

    /// The skeleton that a clip or a mesh was made for.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`] if it is not in this archive.
    pub fn skeleton_of(&self, made_for: &impl MadeForSkeleton) -> Result<Arc<Skeleton>> {
        let identity = made_for.skeleton_identity();
        let mut whole = self.skeletons().filter_map(|(_, skeleton)| skeleton.ok());
        whole
            .find(|skeleton| skeleton.identity() == identity)
            .ok_or_else(|| self.missing(SectionKind::Skeleton, &format!("with the identity {identity:016x}")))
    }

    /// The clip of this name.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn clip(&self, name: &str) -> Result<Clip> {
        self.named(SectionKind::Clip, name, Held::clip)
    }

    /// All clips.
    pub fn clips(&self) -> impl Iterator<Item = (&str, Result<Clip>)> {
        self.all(SectionKind::Clip, Held::clip)
    }

    /// True for a clip of this name that is what is added to a pose, and no pose of its own.
    #[must_use]
    pub fn is_additive(&self, clip: &str) -> bool {
        let found = self.0.names.find(SectionKind::Clip, clip, |at| self.key(at));
        found.and_then(|at| self.0.items.get(at as usize)).is_some_and(|item| item.additive)
    }

    /// The mesh of this name.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn mesh(&self, name: &str) -> Result<Mesh> {
        self.named(SectionKind::Mesh, name, Held::mesh)
    }

    /// All meshes.
    pub fn meshes(&self) -> impl Iterator<Item = (&str, Result<Mesh>)> {
        self.all(SectionKind::Mesh, Held::mesh)
    }

    /// The morph target of this name: `MESH/TARGET`.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn morph(&self, name: &str) -> Result<Morph> {
        self.named(SectionKind::Morph, name, Held::morph)
    }

    /// All morph targets.
    pub fn morphs(&self) -> impl Iterator<Item = (&str, Result<Morph>)> {
        self.all(SectionKind::Morph, Held::morph)
    }

    /// The user track of this name: `CLIP/NAME` if it belongs to a clip.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn track(&self, name: &str) -> Result<Track> {
        self.named(SectionKind::Track, name, Held::track)
    }

    /// All user tracks.
    pub fn tracks(&self) -> impl Iterator<Item = (&str, Result<Track>)> {
        self.all(SectionKind::Track, Held::track)
    }

    /// The markers of the clip of this name.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`] if it has none, or what is wrong with them.
    pub fn markers(&self, clip: &str) -> Result<Markers> {
        self.named(SectionKind::Markers, clip, Held::markers)
    }

    /// All lists of markers, by the names of their clips.
    pub fn all_markers(&self) -> impl Iterator<Item = (&str, Result<Markers>)> {
        self.all(SectionKind::Markers, Held::markers)
    }

    /// The bytes of the graph of this name: whole, and of a version that is known. What they mean is read by
    /// `lissom_motion::Graph::load`.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], [`ArchiveError::Version`].
    pub fn graph(&self, name: &str) -> Result<SharedBytes> {
        self.named(SectionKind::Graph, name, Held::graph)
    }

    /// The bytes of all graphs.
    pub fn graphs(&self) -> impl Iterator<Item = (&str, Result<SharedBytes>)> {
        self.all(SectionKind::Graph, Held::graph)
    }

    /// The bytes of the database for motion matching of this name: whole, and of a version that is known. What they mean
    /// is read by `lissom_motion::matching::Database::load`.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], [`ArchiveError::Version`].
    pub fn matching(&self, name: &str) -> Result<SharedBytes> {
        self.named(SectionKind::Matching, name, Held::matching)
    }

    /// The bytes of all databases for motion matching.
    pub fn all_matching(&self) -> impl Iterator<Item = (&str, Result<SharedBytes>)> {
        self.all(SectionKind::Matching, Held::matching)
    }

    /// Splits `OWNER/NAME`: tracks are called after their clip, morph targets after their mesh. The owner is
    /// the longest name of a section of this kind that fits.
    #[must_use]
    pub fn owner<'n>(&self, kind: SectionKind, name: &'n str) -> Option<(&'n str, &'n str)> {
        self.0.names.owner(kind, name, |at| self.key(at))
    }

    fn key(&self, at: u32) -> Key<'_> {
        self.0.items.get(at as usize).map(|item| (item.kind.code(), item.name.as_bytes())).unwrap_or_default()
    }

    fn named<T: Clone>(&self, kind: SectionKind, name: &str, pick: fn(&Held) -> Option<&T>) -> Result<T> {
        let found = self.0.names.find(kind, name, |at| self.key(at));
        match found.and_then(|at| self.0.items.get(at as usize)).map(|item| &item.held) {
            Some(Err(error)) => Err(error.as_ref().clone()),
            Some(Ok(held)) => pick(held).cloned().ok_or_else(|| self.missing(kind, name)),
            None => Err(self.missing(kind, name)),
        }
    }

    fn all<T: Clone>(
        &self,
        kind: SectionKind,
        pick: fn(&Held) -> Option<&T>,
    ) -> impl Iterator<Item = (&str, Result<T>)> {
        self.0.items.iter().filter(move |item| item.kind == kind).filter_map(move |item| match &item.held {
            Ok(held) => pick(held).map(|it| (&*item.name, Ok(it.clone()))),
            Err(error) => Some((&*item.name, Err(error.as_ref().clone()))),
        })
    }

    fn missing(&self, kind: SectionKind, name: &str) -> ArchiveError {
        ArchiveError::missing(kind, Some(name), self.names(kind))
    }
}

/// What was made for a skeleton and knows which: clips and meshes.
pub trait MadeForSkeleton {
    /// [`Skeleton::identity`] of that skeleton.
    fn skeleton_identity(&self) -> u64;
}

impl MadeForSkeleton for Clip {
    fn skeleton_identity(&self) -> u64 {
        self.view().skeleton_identity()
    }
}

impl MadeForSkeleton for Mesh {
    fn skeleton_identity(&self) -> u64 {
        self.view().skeleton_identity
    }
}

impl Held {
    fn of(bytes: &SharedBytes, section: &Section<'_>, limits: &Limits) -> Result<Self> {
        let offset = section.offset;
        // Views are made of these very bytes, so that none is lost here.
        let elsewhere =
            || ArchiveError::Format { offset, reason: "the bytes moved while they were read".into() };
        let part = || {
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            bytes.slice(start..start.saturating_add(section.payload.len()))
        };
        Ok(match section.kind {
            SectionKind::Skeleton => Self::Skeleton(Arc::new(section.skeleton(limits)?)),
            SectionKind::Clip => {
                let clip = Clip::from_shared(part().ok_or_else(elsewhere)?);
                Self::Clip(Box::new(clip.map_err(|source| ArchiveError::Clip { offset, source })?))
            }
            SectionKind::Mesh => Self::Mesh(Box::new(Mesh::of(bytes, offset, &section.mesh()?)?)),
            SectionKind::Morph => {
                Self::Morph(Box::new(Morph::of(bytes, &section.morph()?).ok_or_else(elsewhere)?))
            }
            SectionKind::Track => {
                Self::Track(Box::new(Track::of(bytes, &section.track()?).ok_or_else(elsewhere)?))
            }
            SectionKind::Markers => {
                Self::Markers(Box::new(Markers::of(bytes, &section.markers()?).ok_or_else(elsewhere)?))
            }
            SectionKind::Graph => {
                section.graph()?;
                Self::Graph(Box::new(part().ok_or_else(elsewhere)?))
            }
            SectionKind::Matching => {
                section.matching()?;
                Self::Matching(Box::new(part().ok_or_else(elsewhere)?))
            }
            _ => Self::Other,
        })
    }

    fn skeleton(&self) -> Option<&Arc<Skeleton>> {
        if let Self::Skeleton(it) = self { Some(it) } else { None }
    }

    fn clip(&self) -> Option<&Clip> {
        if let Self::Clip(it) = self { Some(it.as_ref()) } else { None }
    }

    fn mesh(&self) -> Option<&Mesh> {
        if let Self::Mesh(it) = self { Some(it.as_ref()) } else { None }
    }

    fn morph(&self) -> Option<&Morph> {
        if let Self::Morph(it) = self { Some(it.as_ref()) } else { None }
    }

    fn track(&self) -> Option<&Track> {
        if let Self::Track(it) = self { Some(it.as_ref()) } else { None }
    }

    fn markers(&self) -> Option<&Markers> {
        if let Self::Markers(it) = self { Some(it.as_ref()) } else { None }
    }

    fn graph(&self) -> Option<&SharedBytes> {
        if let Self::Graph(it) = self { Some(it.as_ref()) } else { None }
    }

    fn matching(&self) -> Option<&SharedBytes> {
        if let Self::Matching(it) = self { Some(it.as_ref()) } else { None }
    }
}
