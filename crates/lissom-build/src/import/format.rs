//! Which format a file has: by its first bytes, else by its name.

use std::path::Path;

/// A file format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// glTF 2.0, binary (`.glb`, `.vrm`) or JSON (`.gltf`).
    Gltf,
    /// Autodesk FBX, binary or text.
    Fbx,
    /// Motion capture in text.
    Bvh,
    /// An archive of ozz-animation.
    Ozz,
    /// A raw clip or track list of ACL.
    Acl,
    /// Plain samples.
    RawClip,
    /// A NumPy archive with the motion of an SMPL body.
    Npz,
    /// A Lissom archive.
    Lsm,
}

impl Format {
    /// Every format and the extensions of its files.
    pub const ALL: [(Self, &'static [&'static str]); 8] = [
        (Self::Gltf, &["glb", "gltf", "vrm", "vrma"]),
        (Self::Fbx, &["fbx"]),
        (Self::Bvh, &["bvh"]),
        (Self::Ozz, &["ozz"]),
        (Self::Acl, &["sjson"]),
        (Self::RawClip, &["rawclip"]),
        (Self::Npz, &["npz"]),
        (Self::Lsm, &["lsm"]),
    ];

    /// As people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gltf => "glTF",
            Self::Fbx => "FBX",
            Self::Bvh => "BVH",
            Self::Ozz => "ozz",
            Self::Acl => "ACL",
            Self::RawClip => "rawclip",
            Self::Npz => "npz",
            Self::Lsm => "lsm",
        }
    }

    /// By the first bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        if let [0 | 1, b'o', b'z', b'z', b'-', ..] = bytes {
            return Some(Self::Ozz);
        }
        for (magic, format) in [
            (&b"glTF"[..], Self::Gltf),
            (b"LSM1", Self::Lsm),
            (b"LSMP", Self::Lsm),
            (b"RCL1", Self::RawClip),
            (b"PK\x03\x04", Self::Npz),
            (b"Kaydara FBX Binary", Self::Fbx),
            (b"; FBX", Self::Fbx),
        ] {
            if bytes.starts_with(magic) {
                return Some(format);
            }
        }
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        let word = text.get(..9).unwrap_or(text);
        if word.eq_ignore_ascii_case(b"HIERARCHY") {
            return Some(Self::Bvh);
        }
        text.starts_with(b"{").then_some(Self::Gltf)
    }

    /// By the file's extension.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let known = Self::ALL.into_iter().find(|(_, e)| e.contains(&extension.as_str()));
        known.map(|(format, _)| format)
    }

    /// Of bytes that a file of this name holds.
    pub(crate) fn of(path: &Path, bytes: &[u8]) -> Option<Self> {
        Self::of_bytes(bytes).or_else(|| Self::of_path(path))
    }

    /// Metres per unit, where neither the file nor the caller says.
    pub(super) fn unit_m(self) -> f64 {
        match self {
            Self::Acl | Self::RawClip => 0.01,
            _ => 1.0,
        }
    }
}
