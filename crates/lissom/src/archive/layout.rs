//! The numbers of the container, shared by reader and writer. Changing one makes old files unreadable.

/// The first eight bytes. The line ends show a transfer that changed them; 0x1a ends a listing on some
/// systems.
pub const MAGIC: &[u8; 8] = b"LSM1\r\n\x1a\n";
/// Readers refuse any other.
pub const MAJOR_VERSION: u16 = 1;
/// Readers take any. 1 added markers, morph targets and the skeleton of a mesh; 2 materials, images, nodes
/// and extras.
pub const MINOR_VERSION: u16 = 2;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;
/// Bytes of one line in the table of sections.
pub const ENTRY_BYTES: usize = 32;
/// Every section starts at a multiple of this: a cache line, and the widest vector.
pub const ALIGNMENT: u64 = 64;
/// The version of the skeleton section.
pub const SKELETON_VERSION: u16 = 1;
/// The version of the mesh section. Versions 1 and 2 had four influences a vertex and were never released.
pub const MESH_VERSION: u16 = 3;
/// The version of a mesh section that says where its vertices stood in their source.
pub const MESH_ORDERED_VERSION: u16 = 4;
/// Sets of texture coordinates, and of colours, that a mesh has at most.
pub const MESH_SETS: u32 = 255;
/// The version of the material section.
pub const MATERIAL_VERSION: u16 = 1;
/// The version of the image section.
pub const IMAGE_VERSION: u16 = 1;
/// The version of the node section.
pub const NODES_VERSION: u16 = 1;
/// The version of the extras section.
pub const EXTRAS_VERSION: u16 = 1;
/// The version of the graph section. Version 1 was never released.
pub const GRAPH_VERSION: u16 = 2;
/// The version of the matching section.
pub const MATCHING_VERSION: u16 = 1;
/// Where a material has no texture, or a joint was no node.
pub const NONE: u32 = u32::MAX;
/// The version of the morph target section.
pub const MORPH_VERSION: u16 = 1;
/// The version of the marker section. In version 1 no marker lasts.
pub const MARKER_VERSION: u16 = 2;
/// Flag of a clip's section: the clip is what is added to a pose, and no pose of its own.
pub const CLIP_ADDITIVE: u16 = 1;
/// Bit of a morph target: it has normals.
pub const MORPH_NORMALS: u32 = 1;
/// Bit of a morph target: it has tangents.
pub const MORPH_TANGENTS: u32 = 2;
/// The version of the user track section.
pub const TRACK_VERSION: u16 = 1;
/// The parent of a root in the skeleton section.
pub const NO_PARENT: u16 = 0xffff;

/// What a section holds. In the file: four letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SectionKind {
    /// `SKEL`: a skeleton.
    Skeleton,
    /// `CLIP`: a clip, played in place.
    Clip,
    /// `TRAK`: a user track.
    Track,
    /// `MESH`: a skinned mesh.
    Mesh,
    /// `MRPH`: a morph target of a mesh, called `MESH/TARGET`.
    Morph,
    /// `MARK`: the markers of the clip of the same name.
    Markers,
    /// `MATL`: a material of meshes.
    Material,
    /// `IMAG`: an image of materials.
    Image,
    /// `NODE`: which nodes of their file the joints of the skeleton of the same name were.
    Nodes,
    /// `XTRA`: what a file says beside, as JSON: of itself (`asset`), of its scene (`scene`), of a clip
    /// (`clip/NAME`).
    Extras,
    /// `GRPH`: a graph. `lissom-motion` knows what its bytes mean.
    Graph,
    /// `MTCH`: a database for motion matching. `lissom-motion` knows what its bytes mean.
    Matching,
    /// A kind that this version does not know; it is carried along.
    Other(u32),
}

impl SectionKind {
    const KNOWN: [(Self, [u8; 4]); 12] = [
        (Self::Skeleton, *b"SKEL"),
        (Self::Clip, *b"CLIP"),
        (Self::Track, *b"TRAK"),
        (Self::Mesh, *b"MESH"),
        (Self::Morph, *b"MRPH"),
        (Self::Markers, *b"MARK"),
        (Self::Material, *b"MATL"),
        (Self::Image, *b"IMAG"),
        (Self::Nodes, *b"NODE"),
        (Self::Extras, *b"XTRA"),
        (Self::Graph, *b"GRPH"),
        (Self::Matching, *b"MTCH"),
    ];

    /// From the number in the file.
    #[must_use]
    pub fn from_code(code: u32) -> Self {
        let known = Self::KNOWN.iter().find(|(_, letters)| u32::from_le_bytes(*letters) == code);
        known.map_or(Self::Other(code), |(kind, _)| *kind)
    }

    /// The number in the file: four letters, the first in the lowest byte.
    #[must_use]
    pub fn code(self) -> u32 {
        if let Self::Other(code) = self {
            return code;
        }
        let known = Self::KNOWN.iter().find(|(kind, _)| *kind == self);
        known.map_or(0, |(_, letters)| u32::from_le_bytes(*letters))
    }
}

/// The next multiple of [`ALIGNMENT`], or the largest number where there is none.
#[must_use]
pub const fn align(offset: u64) -> u64 {
    match offset.checked_next_multiple_of(ALIGNMENT) {
        Some(aligned) => aligned,
        None => u64::MAX,
    }
}
