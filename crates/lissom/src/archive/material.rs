//! The material section, version 1: how a surface looks, as glTF puts it.

use super::{
    ArchiveError, ArchiveView, Result, Section, SectionKind,
    cursor::Cursor,
    layout::{MATERIAL_VERSION, NONE},
};
use alloc::{format, vec::Vec};

/// What alpha means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlphaMode {
    /// Nothing.
    #[default]
    Opaque,
    /// Below the cutoff nothing is drawn.
    Mask,
    /// It is mixed with what is behind.
    Blend,
}

impl AlphaMode {
    /// The number in the file.
    #[must_use]
    pub const fn code(self) -> u32 {
        match self {
            Self::Opaque => 0,
            Self::Mask => 1,
            Self::Blend => 2,
        }
    }

    fn from_code(code: u32) -> Option<Self> {
        [Self::Opaque, Self::Mask, Self::Blend].into_iter().find(|mode| mode.code() == code)
    }
}

/// A metallic-roughness material. Colours are linear.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialView<'a> {
    /// As its file calls it; the section's name is unique, this need not be.
    pub name: &'a str,
    /// Red, green, blue, alpha.
    pub base_color: [f32; 4],
    /// 0 to 1.
    pub metallic: f32,
    /// 0 to 1.
    pub roughness: f32,
    /// Red, green, blue.
    pub emissive: [f32; 3],
    /// How strong the normal texture is.
    pub normal_scale: f32,
    /// How strong the occlusion texture is.
    pub occlusion_strength: f32,
    /// Of [`AlphaMode::Mask`].
    pub alpha_cutoff: f32,
    /// What alpha means.
    pub alpha: AlphaMode,
    /// Drawn from behind too.
    pub double_sided: bool,
    /// Times the base colour.
    pub base_color_texture: Option<TextureUseView>,
    /// Roughness in green, metallic in blue.
    pub metallic_roughness_texture: Option<TextureUseView>,
    /// In tangent space.
    pub normal_texture: Option<TextureUseView>,
    /// In red.
    pub occlusion_texture: Option<TextureUseView>,
    /// Times the emissive colour.
    pub emissive_texture: Option<TextureUseView>,
    /// What the uses name.
    pub textures: Vec<TextureView<'a>>,
    /// Extensions of the file (`KHR_materials_clearcoat`) and their JSON. Textures in it are numbers of
    /// `textures`.
    pub extensions: Vec<(&'a str, &'a str)>,
    /// What the file says beside, as JSON; empty if nothing.
    pub extras: &'a str,
}

/// How a material uses a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureUseView {
    /// Which of the material's textures.
    pub texture: usize,
    /// Which set of the mesh's texture coordinates.
    pub uv_set: u32,
    /// Offset x and y, rotation in radians, scale x and y (`KHR_texture_transform`).
    pub transform: Option<[f32; 5]>,
}

/// An image and how it is looked up.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureView<'a> {
    /// May be empty.
    pub name: &'a str,
    /// Magnification and minification filter, wrap along u and v, as glTF numbers them; 0 where it does not
    /// say.
    pub sampler: [u32; 4],
    /// The extension that an image needs (empty: none) and the name of the image's section.
    pub images: Vec<(&'a str, &'a str)>,
}

impl<'a> ArchiveView<'a> {
    /// The material of this name.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn material(&self, name: &str) -> Result<MaterialView<'a>> {
        self.find(SectionKind::Material, name)?.material()
    }
}

impl<'a> Section<'a> {
    /// The material that this section holds, checked: finite numbers, textures that exist.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind; otherwise what is wrong with it.
    pub fn material(&self) -> Result<MaterialView<'a>> {
        let offset = self.offset;
        let wrong = |reason| Err(ArchiveError::Format { offset, reason });
        if self.kind != SectionKind::Material {
            return wrong(format!("a {:?} section is not a material", self.kind));
        }
        if self.version != MATERIAL_VERSION {
            let (what, found, known) = ("a material", self.version, "1");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        let mut at = Cursor::new(self.payload, 0);
        let base_color = at.floats("the base colour")?;
        let [metallic, roughness] = at.floats("metallic and roughness")?;
        let emissive = at.floats("the emissive colour")?;
        let [normal_scale, occlusion_strength, alpha_cutoff] = at.floats("a factor")?;
        let (mode, sides) = (at.u32("the alpha mode")?, at.u32("the count of sides")?);
        let Some(alpha) = AlphaMode::from_code(mode) else {
            return wrong(format!("the alpha mode is {mode}; 0 to 2 are known"));
        };
        if !(1..=2).contains(&sides) {
            return wrong(format!("{sides} sides; a surface has 1 or 2"));
        }
        let mut uses = [None; 5];
        for slot in &mut uses {
            *slot = texture_use(&mut at)?;
        }
        let count = at.u32("the count of textures")?;
        let mut textures = Vec::with_capacity(at.room(count, 24));
        for _ in 0..count {
            textures.push(texture(&mut at)?);
        }
        let count = at.u32("the count of extensions")?;
        let mut extensions = Vec::with_capacity(at.room(count, 8));
        for _ in 0..count {
            extensions.push((at.long_text("an extension's name")?, at.long_text("an extension")?));
        }
        if let Some(missing) = uses.iter().flatten().find(|u| u.texture >= textures.len()) {
            return wrong(format!("texture {} of {} is used", missing.texture, textures.len()));
        }
        let [base, metal, normal, occlusion, emission] = uses;
        let material = MaterialView {
            name: at.long_text("the material's own name")?,
            base_color,
            metallic,
            roughness,
            emissive,
            normal_scale,
            occlusion_strength,
            alpha_cutoff,
            alpha,
            double_sided: sides == 2,
            base_color_texture: base,
            metallic_roughness_texture: metal,
            normal_texture: normal,
            occlusion_texture: occlusion,
            emissive_texture: emission,
            textures,
            extensions,
            extras: at.long_text("the extras")?,
        };
        at.end()?;
        Ok(material)
    }
}

fn texture_use(at: &mut Cursor<'_>) -> Result<Option<TextureUseView>> {
    let (texture, uv_set) = (at.u32("a texture")?, at.u32("a set of texture coordinates")?);
    let offset = at.offset();
    let turned = at.u32("whether a texture is turned")?;
    let transform = at.floats("a texture's transform")?;
    if turned > 1 {
        return Err(ArchiveError::Format { offset, reason: format!("{turned} where 0 or 1 must stand") });
    }
    let transform = (turned == 1).then_some(transform);
    Ok((texture != NONE).then_some(TextureUseView { texture: texture as usize, uv_set, transform }))
}

fn texture<'a>(at: &mut Cursor<'a>) -> Result<TextureView<'a>> {
    let mut sampler = [0; 4];
    for number in &mut sampler {
        *number = at.u32("a texture's sampler")?;
    }
    let name = at.long_text("a texture's name")?;
    let count = at.u32("the count of a texture's images")?;
    let mut images = Vec::with_capacity(at.room(count, 8));
    for _ in 0..count {
        images.push((at.long_text("an image's extension")?, at.long_text("an image's name")?));
    }
    Ok(TextureView { name, sampler, images })
}
