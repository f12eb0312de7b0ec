//! Materials and images, as files have them: nothing is decoded, nothing is shaded.

pub use lissom::archive::AlphaMode;

/// A metallic-roughness material, as glTF puts it. Colours are linear.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// May be empty, and another may have the same.
    pub name: String,
    /// Red, green, blue, alpha.
    pub base_color: [f32; 4],
    /// Times the base colour.
    pub base_color_texture: Option<TextureUse>,
    /// 0 to 1.
    pub metallic: f32,
    /// 0 to 1.
    pub roughness: f32,
    /// Roughness in green, metallic in blue.
    pub metallic_roughness_texture: Option<TextureUse>,
    /// In tangent space.
    pub normal_texture: Option<TextureUse>,
    /// How strong it is.
    pub normal_scale: f32,
    /// In red.
    pub occlusion_texture: Option<TextureUse>,
    /// How strong it is.
    pub occlusion_strength: f32,
    /// Red, green, blue.
    pub emissive: [f32; 3],
    /// Times the emissive colour.
    pub emissive_texture: Option<TextureUse>,
    /// What alpha means.
    pub alpha: AlphaMode,
    /// Of [`AlphaMode::Mask`].
    pub alpha_cutoff: f32,
    /// Drawn from behind too.
    pub double_sided: bool,
    /// What the uses name.
    pub textures: Vec<Texture>,
    /// Extensions by name (`KHR_materials_clearcoat`), as JSON. Textures in it are numbers of `textures`.
    pub extensions: Vec<(String, String)>,
    /// What the file says beside, as JSON; empty if nothing.
    pub extras: String,
}

impl Default for Material {
    /// White and rough, as glTF has it.
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: [0.0; 3],
            emissive_texture: None,
            alpha: AlphaMode::Opaque,
            alpha_cutoff: 0.5,
            double_sided: false,
            textures: Vec::new(),
            extensions: Vec::new(),
            extras: String::new(),
        }
    }
}

impl Material {
    /// The uses of textures, in the order of the archive: base colour, metallic and roughness, normal, occlusion,
    /// emissive.
    #[must_use]
    pub fn texture_uses(&self) -> [Option<TextureUse>; 5] {
        [
            self.base_color_texture,
            self.metallic_roughness_texture,
            self.normal_texture,
            self.occlusion_texture,
            self.emissive_texture,
        ]
    }

    /// True if every number can be stored and every texture that is used exists.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let numbers =
            [self.metallic, self.roughness, self.normal_scale, self.occlusion_strength, self.alpha_cutoff];
        let uses = self.texture_uses();
        let transforms = uses.iter().flatten().filter_map(|u| u.transform);
        let all = numbers.into_iter().chain(self.base_color).chain(self.emissive);
        let exist = uses.iter().flatten().all(|u| u.texture < self.textures.len());
        exist && all.chain(transforms.flat_map(TextureTransform::to_array)).all(f32::is_finite)
    }
}

/// How a material uses a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureUse {
    /// Which of the material's textures.
    pub texture: usize,
    /// Which set of the mesh's texture coordinates.
    pub uv_set: u32,
    /// What is done to the coordinates (`KHR_texture_transform`).
    pub transform: Option<TextureTransform>,
}

/// Texture coordinates are scaled, turned, moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureTransform {
    /// Along u and v.
    pub offset: [f32; 2],
    /// Radians, counter-clockwise.
    pub rotation: f32,
    /// Along u and v.
    pub scale: [f32; 2],
}

impl Default for TextureTransform {
    fn default() -> Self {
        Self { offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2] }
    }
}

impl TextureTransform {
    /// Offset, rotation, scale.
    #[must_use]
    pub fn to_array(self) -> [f32; 5] {
        let ([x, y], [u, v]) = (self.offset, self.scale);
        [x, y, self.rotation, u, v]
    }

    /// From offset, rotation, scale.
    #[must_use]
    pub fn from_array([x, y, rotation, u, v]: [f32; 5]) -> Self {
        Self { offset: [x, y], rotation, scale: [u, v] }
    }
}

/// An image and how it is looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Texture {
    /// May be empty.
    pub name: String,
    /// Magnification and minification filter, wrap along u and v, as glTF numbers them; 0 where it does not say.
    pub sampler: [u32; 4],
    /// The extension that an image needs (`KHR_texture_basisu`; empty: none), and its place in
    /// [`Scene::images`](crate::scene::Scene::images).
    pub images: Vec<(String, usize)>,
}

/// An image: a file in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// May be empty, and another may have the same.
    pub name: String,
    /// `image/png`, `image/jpeg`, `image/ktx2`, ...; empty if nobody knows.
    pub mime_type: String,
    /// The file.
    pub bytes: Vec<u8>,
}

/// What the first bytes of an image say that it is, and how wide and high where that stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageHeader {
    /// `image/png` and the like.
    pub mime_type: &'static str,
    /// Pixels, if the header says so in a fixed place.
    pub size: Option<[u32; 2]>,
}

impl ImageHeader {
    /// Looks at the first bytes; `None` if they are of no image that is known.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let four = |at: usize| bytes.get(at..)?.first_chunk::<4>().copied();
        let big = |at: usize| four(at).map(u32::from_be_bytes);
        let little = |at: usize| four(at).map(u32::from_le_bytes);
        let pair = |a: Option<u32>, b: Option<u32>| a.zip(b).map(|(a, b)| [a, b]);
        let known = |mime_type, size| Some(Self { mime_type, size });
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            return known("image/png", pair(big(16), big(20)));
        }
        if bytes.starts_with(b"\xff\xd8\xff") {
            return known("image/jpeg", None);
        }
        if bytes.starts_with(b"\xabKTX 20\xbb\r\n\x1a\n") {
            return known("image/ktx2", pair(little(20), little(24)));
        }
        if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            return known("image/webp", None);
        }
        if bytes.starts_with(b"DDS ") {
            return known("image/vnd-ms.dds", pair(little(16), little(12)));
        }
        if bytes.get(4..12) == Some(b"ftypavif") {
            return known("image/avif", None);
        }
        if bytes.starts_with(b"GIF8") {
            return known("image/gif", None);
        }
        if bytes.starts_with(b"BM") {
            return known("image/bmp", None);
        }
        None
    }
}

impl Image {
    /// What is odd about the image: another type than the bytes say, no type at all, no pixels.
    #[must_use]
    pub fn complaint(&self) -> Option<String> {
        let Some(header) = ImageHeader::of(&self.bytes) else {
            return Some(format!(
                "its first bytes are of no image that is known; it is called {:?}",
                self.mime_type
            ));
        };
        if header.size.is_some_and(|[w, h]| w == 0 || h == 0) {
            return Some(format!(
                "its header says that it is {:?} pixels large",
                header.size.unwrap_or_default()
            ));
        }
        if self.mime_type != header.mime_type {
            return Some(format!(
                "it is called {:?}, its first bytes say {:?}",
                self.mime_type, header.mime_type
            ));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_told_apart_and_cut_ones_do_no_harm() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend([0, 0, 1, 0, 0, 0, 0, 7]);
        assert_eq!(ImageHeader::of(&png), Some(ImageHeader { mime_type: "image/png", size: Some([256, 7]) }));
        assert_eq!(ImageHeader::of(&png[..20]), Some(ImageHeader { mime_type: "image/png", size: None }));
        let mut ktx = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
        ktx.extend([37, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0]);
        assert_eq!(ImageHeader::of(&ktx).and_then(|h| h.size), Some([8, 4]));
        for (bytes, mime) in [
            (&b"\xff\xd8\xff\xe0"[..], "image/jpeg"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
            (b"\0\0\0\x20ftypavif", "image/avif"),
            (b"DDS |", "image/vnd-ms.dds"),
            (b"GIF89a", "image/gif"),
        ] {
            assert_eq!(ImageHeader::of(bytes).map(|h| h.mime_type), Some(mime));
        }
        for cut in 0..8 {
            assert_eq!(ImageHeader::of(&png[..cut]), None);
        }
        let image = |mime: &str, bytes: &[u8]| Image {
            name: String::new(),
            mime_type: mime.into(),
            bytes: bytes.to_vec(),
        };
        assert_eq!(image("image/png", &png).complaint(), None);
        assert!(image("image/jpeg", &png).complaint().unwrap().contains("image/png"));
        assert!(image("image/png", b"what").complaint().unwrap().contains("no image"));
        png[19] = 0;
        png[18] = 0;
        assert!(image("image/png", &png).complaint().unwrap().contains("pixels"));
    }
}
