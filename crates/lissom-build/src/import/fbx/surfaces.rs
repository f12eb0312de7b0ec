//! Materials, their textures and images, as glTF has them. Whatever is wrong with one is told and leaves it out; no
//! material can refuse a file.
//!
//! Colours are carried as the numbers that the file has, which are linear. A texture takes the place of the colour
//! that it is connected to. Images stand in the file, or beside it: then only names that stay in the folder are
//! asked for.

use super::{super::budget::Budget, path, take};
use crate::{
    import::{ImportError, ReadOptions, files, names},
    mesh::material::{AlphaMode, Image, ImageHeader, Material, Texture, TextureTransform, TextureUse},
    scene::Scene,
};
use std::collections::{BTreeMap, BTreeSet};
use ufbx::{MaterialMap, ShaderType, TextureType, WrapMode};

/// Gives the bytes of another file by its URI.
pub(super) type Files<'f> = dyn FnMut(&str) -> Result<Vec<u8>, ImportError> + 'f;

/// Numbers of glTF: a texture ends at its edge.
const CLAMP: u32 = 33071;
/// Numbers of glTF: a texture goes on behind its edge.
const REPEAT: u32 = 10497;

/// What materials use and the scene does not carry, and in how many materials.
pub(super) type Left = BTreeMap<&'static str, usize>;

/// Makes materials when a mesh first asks for them.
pub(super) struct Surfaces<'a> {
    file: &'a ufbx::Scene,
    files: &'a mut Files<'a>,
    options: &'a ReadOptions,
    /// By the material's place in the file.
    materials: BTreeMap<u32, usize>,
    /// By the texture file's place in the file; `None` if it cannot be read.
    images: BTreeMap<u32, Option<usize>>,
    pub(super) left: Left,
}

impl<'a> Surfaces<'a> {
    pub(super) fn new(file: &'a ufbx::Scene, files: &'a mut Files<'a>, options: &'a ReadOptions) -> Self {
        Self { file, files, options, materials: BTreeMap::new(), images: BTreeMap::new(), left: Left::new() }
    }

    /// The scene's material for one of the file, used by a mesh with these sets of texture coordinates.
    pub(super) fn material(
        &mut self,
        material: &ufbx::Material,
        mesh: &ufbx::Mesh,
        budget: &mut Budget,
        scene: &mut Scene,
    ) -> Result<usize, ImportError> {
        let id = material.element.typed_id;
        if let Some(known) = self.materials.get(&id) {
            return Ok(*known);
        }
        take(budget, 1, size_of::<[Material; 2]>())?;
        let made = self.make(material, mesh, budget, scene)?;
        let number = scene.materials.len();
        scene.materials.push(made);
        self.materials.insert(id, number);
        Ok(number)
    }

    fn make(
        &mut self,
        from: &ufbx::Material,
        mesh: &ufbx::Mesh,
        budget: &mut Budget,
        scene: &mut Scene,
    ) -> Result<Material, ImportError> {
        let place = names::place("material", from.element.typed_id as usize, Some(&from.element.name));
        let mut out = Material {
            name: from.element.name.chars().take(255).collect(),
            metallic: value(&from.pbr.metalness).unwrap_or(0.0),
            roughness: roughness(from),
            ..Material::default()
        };
        let mut textures = Textures { owner: self, mesh, known: BTreeMap::new(), place: &place };
        let pbr = &from.pbr;
        out.base_color_texture = textures.used(&pbr.base_color, &mut out.textures, budget, scene)?;
        out.normal_texture = textures.used(&pbr.normal_map, &mut out.textures, budget, scene)?;
        out.emissive_texture = textures.used(&pbr.emission_color, &mut out.textures, budget, scene)?;
        out.occlusion_texture = textures.used(&pbr.ambient_occlusion, &mut out.textures, budget, scene)?;
        // One texture for both is one that has them where glTF wants them.
        let both = texture(&pbr.roughness).zip(texture(&pbr.metalness));
        if both.is_some_and(|(a, b)| a.element.element_id == b.element.element_id) {
            out.metallic_roughness_texture =
                textures.used(&pbr.roughness, &mut out.textures, budget, scene)?;
        }
        let base = color(&pbr.base_color).filter(|_| out.base_color_texture.is_none()).unwrap_or([1.0; 3]);
        // Old materials have a factor too, which other importers pass over and exporters leave at 0.8.
        let factor = value(&pbr.base_factor).filter(|_| !is_old(from)).unwrap_or(1.0);
        let [r, g, b] = base.map(|c| unit(c * factor));
        out.base_color = [r, g, b, opacity(from)];
        let shines = value(&pbr.emission_factor).unwrap_or(1.0);
        let own = color(&pbr.emission_color).filter(|_| out.emissive_texture.is_none());
        let own = own.unwrap_or(if out.emissive_texture.is_some() { [1.0; 3] } else { [0.0; 3] });
        emissive(&mut out, own.map(|c| c * shines));
        out.double_sided = from.features.double_sided.enabled;
        let see_through = cutout(from);
        if see_through.is_some() && see_through == texture(&pbr.base_color).map(file_of) {
            out.alpha = AlphaMode::Mask;
        } else if out.base_color[3] < 1.0 {
            out.alpha = AlphaMode::Blend;
        }
        left_out(from, &out, see_through.is_some(), &mut self.left);
        Ok(out)
    }

    /// The image of a texture file, read once.
    fn image(
        &mut self,
        index: u32,
        place: &str,
        budget: &mut Budget,
        scene: &mut Scene,
    ) -> Result<Option<usize>, ImportError> {
        if let Some(known) = self.images.get(&index) {
            return Ok(*known);
        }
        let number = match self.file.texture_files.get(index as usize) {
            Some(from) => self.read_image(from, place, budget, scene)?,
            None => None,
        };
        self.images.insert(index, number);
        Ok(number)
    }

    fn read_image(
        &mut self,
        from: &ufbx::TextureFile,
        place: &str,
        budget: &mut Budget,
        scene: &mut Scene,
    ) -> Result<Option<usize>, ImportError> {
        take(budget, 1, size_of::<[Image; 2]>())?;
        let wanted = said(from);
        let embedded: &[u8] = &from.content;
        let bytes = if embedded.is_empty() {
            match self.beside(from) {
                Ok(bytes) => {
                    budget.add_file(bytes.len() as u64);
                    bytes
                }
                Err(error) if self.options.strict || matches!(error, ImportError::Limit { .. }) => {
                    return Err(error);
                }
                Err(_) => {
                    let text = format!(
                        "its texture {} is neither in the file nor beside it; it was left out",
                        files::shown(&wanted)
                    );
                    scene.warn(place, text);
                    return Ok(None);
                }
            }
        } else {
            take(budget, embedded.len(), 1)?;
            embedded.to_vec()
        };
        let header = ImageHeader::of(&bytes);
        let name = wanted.rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        let image = Image {
            name: stem.chars().take(255).collect(),
            mime_type: header.map_or("", |h| h.mime_type).into(),
            bytes,
        };
        if let Some(header) = header
            && !["image/png", "image/jpeg", "image/webp", "image/ktx2"].contains(&header.mime_type)
        {
            let text = format!(
                "its texture {} is {}; glTF files and pictures cannot show it",
                files::shown(&wanted),
                header.mime_type
            );
            scene.warn(place, text);
        } else if let Some(text) = image.complaint().filter(|_| header.is_none()) {
            scene.warn(place, format!("its texture {}: {text}; it was left out", files::shown(&wanted)));
            return Ok(None);
        }
        scene.images.push(image);
        Ok(Some(scene.images.len().saturating_sub(1)))
    }

    /// The file where it says it is, if that is in the folder; else beside the model, by its own name.
    fn beside(&mut self, from: &ufbx::TextureFile) -> Result<Vec<u8>, ImportError> {
        let wanted = said(from);
        let inside = wanted.split('/').all(|step| step != "..") && !wanted.starts_with('/');
        let base = wanted.rsplit('/').next().unwrap_or_default();
        let places =
            [wanted.clone(), base.to_owned(), format!("textures/{base}"), format!("Textures/{base}")];
        let mut asked = BTreeSet::new();
        let mut first = None;
        for name in places.iter().skip(usize::from(!inside)) {
            if base.is_empty() || !asked.insert(name) {
                continue;
            }
            match (self.files)(&uri(name)) {
                Ok(bytes) => return Ok(bytes),
                Err(error @ ImportError::Limit { .. }) => return Err(error),
                Err(error) => first = first.or(Some(error)),
            }
        }
        let none = || ImportError::Format { place: path("textures"), reason: "it has no file name".into() };
        Err(first.unwrap_or_else(none))
    }
}

/// What the file calls a texture's file, with slashes. Relative where it says so.
fn said(from: &ufbx::TextureFile) -> String {
    let names = [&from.relative_filename, &from.filename, &from.absolute_filename];
    let name = names.into_iter().find(|n| !n.is_empty()).map(|n| n.replace('\\', "/")).unwrap_or_default();
    let name = name.strip_prefix("./").map(str::to_owned).unwrap_or(name);
    // A drive is no folder: only the file's own name can help.
    match name.split_once(':') {
        Some((_, rest)) => format!("/{}", rest.trim_start_matches('/')),
        None => name,
    }
}

/// As a URI: what is special in one is written as %.
fn uri(name: &str) -> String {
    name.replace('%', "%25")
}

/// The textures of one material.
struct Textures<'t, 'a> {
    owner: &'t mut Surfaces<'a>,
    mesh: &'t ufbx::Mesh,
    /// By the texture's place in the file.
    known: BTreeMap<u32, usize>,
    place: &'t str,
}

impl Textures<'_, '_> {
    fn used(
        &mut self,
        map: &MaterialMap,
        out: &mut Vec<Texture>,
        budget: &mut Budget,
        scene: &mut Scene,
    ) -> Result<Option<TextureUse>, ImportError> {
        let Some(from) = texture(map) else { return Ok(None) };
        let image = if self.owner.options.images {
            self.owner.image(from.file_index, self.place, budget, scene)?
        } else {
            None
        };
        if image.is_none() && self.owner.options.images {
            return Ok(None);
        }
        let id = from.element.typed_id;
        let number = match self.known.get(&id) {
            Some(known) => *known,
            None => {
                take(budget, 1, size_of::<[Texture; 4]>())?;
                let wrap = |mode: WrapMode| if mode == WrapMode::Clamp { CLAMP } else { REPEAT };
                let mime = image.and_then(|i| scene.images.get(i)).map_or("", |i| i.mime_type.as_str());
                let kind = match mime {
                    "image/webp" => "EXT_texture_webp",
                    "image/ktx2" => "KHR_texture_basisu",
                    _ => "",
                };
                out.push(Texture {
                    name: from.element.name.chars().take(255).collect(),
                    sampler: [0, 0, wrap(from.wrap_u), wrap(from.wrap_v)],
                    images: image.map(|i| (kind.to_owned(), i)).into_iter().collect(),
                });
                let number = out.len().saturating_sub(1);
                self.known.insert(id, number);
                number
            }
        };
        let set = self.mesh.uv_sets.iter().position(|s| *s.name == *from.uv_set);
        let uv_set = set.filter(|_| !from.uv_set.is_empty()).unwrap_or_default();
        let transform = self.transform(from);
        Ok(Some(TextureUse { texture: number, uv_set: u32::try_from(uv_set).unwrap_or_default(), transform }))
    }

    /// FBX counts v from below, so what is scaled and moved there moves otherwise here.
    fn transform(&mut self, from: &ufbx::Texture) -> Option<TextureTransform> {
        if !from.has_uv_transform {
            return None;
        }
        let m = &from.uv_to_texture;
        if m.m01.abs() > 1e-6 || m.m10.abs() > 1e-6 {
            let count = self.owner.left.entry("the turn of textures").or_default();
            *count = count.saturating_add(1);
        }
        let offset = [m.m03 as f32, (1.0 - m.m11 - m.m13) as f32];
        let out = TextureTransform { offset, rotation: 0.0, scale: [m.m00 as f32, m.m11 as f32] };
        (out != TextureTransform::default() && out.to_array().iter().all(|v| v.is_finite())).then_some(out)
    }
}

/// The texture that a map has: of several, the first that is a file.
fn texture(map: &MaterialMap) -> Option<&ufbx::Texture> {
    let own = map.texture.as_deref().filter(|_| map.texture_enabled)?;
    if own.type_ == TextureType::File && own.has_file {
        return Some(own);
    }
    own.file_textures.iter().map(|t| &**t).find(|t| t.has_file)
}

fn file_of(texture: &ufbx::Texture) -> u32 {
    texture.file_index
}

/// A number of the material, if it is said and finite.
fn value(map: &MaterialMap) -> Option<f32> {
    let v = map.value_vec4.x as f32;
    (map.has_value && v.is_finite()).then_some(v)
}

fn color(map: &MaterialMap) -> Option<[f32; 3]> {
    let v = &map.value_vec4;
    let all = [v.x as f32, v.y as f32, v.z as f32];
    (map.has_value && all.iter().all(|c| c.is_finite())).then_some(all)
}

fn unit(v: f32) -> f32 {
    if v > 0.0 { if v < 1.0 { v } else { 1.0 } } else { 0.0 }
}

fn roughness(from: &ufbx::Material) -> f32 {
    let gloss = value(&from.pbr.glossiness).map(|g| 1.0 - g);
    let own = value(&from.pbr.roughness);
    let own = own.map(|r| if from.features.roughness_as_glossiness.enabled { 1.0 - r } else { r });
    unit(gloss.or(own).unwrap_or(1.0))
}

/// A material of FBX's own kinds, which know nothing of metal.
fn is_old(from: &ufbx::Material) -> bool {
    let old = [ShaderType::Unknown, ShaderType::FbxLambert, ShaderType::FbxPhong, ShaderType::BlenderPhong];
    old.contains(&from.shader_type)
}

/// How opaque a material is. Old materials say how transparent: a colour times a factor. What they make
/// invisible is opaque: some exporters write 1 and white into materials that hide nothing.
fn opacity(from: &ufbx::Material) -> f32 {
    let said =
        from.element.props.find_prop("Opacity").filter(|_| is_old(from)).map(|p| p.value_vec4.x as f32);
    let transparent = || {
        let mean = color(&from.fbx.transparency_color).map_or(1.0, |[r, g, b]| (r + g + b) / 3.0);
        1.0 - value(&from.fbx.transparency_factor).unwrap_or(0.0) * mean
    };
    let found = said.or_else(|| value(&from.pbr.opacity)).unwrap_or_else(transparent);
    let found = if found.is_finite() { unit(found) } else { 1.0 };
    if found > 0.0 { found } else { 1.0 }
}

/// The texture file that says what can be seen through.
fn cutout(from: &ufbx::Material) -> Option<u32> {
    let maps = [&from.pbr.opacity, &from.fbx.transparency_color, &from.fbx.transparency_factor];
    maps.into_iter().find_map(texture).map(file_of)
}

/// Emissive colours above 1 are a colour and a strength.
fn emissive(out: &mut Material, wanted: [f32; 3]) {
    let wanted = wanted.map(|c| if c.is_finite() && c > 0.0 { c } else { 0.0 });
    let most = wanted.into_iter().fold(1.0_f32, |a, b| if b > a { b } else { a });
    out.emissive = wanted.map(|c| c / most);
    if most > 1.0 {
        let text = format!("{{\"emissiveStrength\":{most}}}");
        out.extensions.push(("KHR_materials_emissive_strength".into(), text));
    }
}

/// Counts what the material has and the scene does not.
fn left_out(from: &ufbx::Material, out: &Material, cutout: bool, left: &mut Left) {
    let (pbr, fbx) = (&from.pbr, &from.fbx);
    let mut note = |what: &'static str, is: bool| {
        if is {
            let count = left.entry(what).or_default();
            *count = count.saturating_add(1);
        }
    };
    let has = |map: &MaterialMap| texture(map).is_some();
    note("bump maps", has(&fbx.bump) && out.normal_texture.is_none());
    note("displacement maps", has(&fbx.displacement) || has(&pbr.displacement_map));
    note(
        "specular textures",
        has(&fbx.specular_color) || has(&fbx.specular_factor) || has(&pbr.specular_color),
    );
    note("reflection textures", has(&fbx.reflection_color) || has(&fbx.reflection_factor));
    note("ambient textures", has(&fbx.ambient_color));
    let single = out.metallic_roughness_texture.is_none();
    note("roughness and gloss textures", single && (has(&pbr.roughness) || has(&pbr.glossiness)));
    note("metalness textures", single && has(&pbr.metalness));
    note("transparency textures", cutout && out.alpha != AlphaMode::Mask);
    let layered = |map: &MaterialMap| {
        map.texture.as_deref().is_some_and(|t| t.type_ != TextureType::File && t.file_textures.count > 1)
    };
    note("layers of textures", layered(&pbr.base_color) || layered(&pbr.emission_color));
    let coat = value(&pbr.coat_factor).is_some_and(|f| f > 0.0);
    let sheen = value(&pbr.sheen_factor).is_some_and(|f| f > 0.0);
    let scatter = value(&pbr.subsurface_factor).is_some_and(|f| f > 0.0);
    note("coats", coat);
    note("sheen", sheen);
    note("subsurface scattering", scatter);
}
