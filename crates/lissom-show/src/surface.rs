//! What a mesh looks like: the colour, the picture and the sides that its material gives it.

use anyhow::{Context, Result};
use lissom::archive::{AlphaMode, ArchiveView, Limits, MaterialView, Mesh, Morph, SectionKind};
use lissom_draw::{Color, Opacity, Texture};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A mesh that can be drawn in any pose: what does not change from frame to frame.
pub struct Surface {
    /// In the archive.
    pub name: String,
    pub mesh: Mesh,
    /// Its morph targets, by name.
    pub targets: Vec<(String, Morph)>,
    /// `None`: nobody says, or what is said cannot be shown.
    pub color: Option<Color>,
    /// One a vertex, with `color` in it.
    pub colors: Option<Vec<Color>>,
    pub texture: Option<(Arc<Texture>, Vec<[f32; 2]>)>,
    pub alpha: f32,
    pub opacity: Opacity,
    pub double_sided: bool,
}

/// The meshes of a skeleton, and how many of their pictures are in a format that is not shown.
pub fn of_skeleton(
    archive: &lissom::archive::Archive,
    identity: u64,
    joints: usize,
) -> Result<(Vec<Arc<Surface>>, usize)> {
    let view = ArchiveView::read(archive.bytes(), &Limits::default())?;
    let mut pictures: BTreeMap<String, Option<Arc<Texture>>> = BTreeMap::new();
    let mut surfaces = Vec::new();
    for (name, mesh) in archive.meshes() {
        let mesh = mesh.with_context(|| format!("mesh {name:?}"))?;
        if mesh.view().skeleton_identity != identity || mesh.view().inverse_binds.len() != joints {
            continue;
        }
        let mut targets = Vec::new();
        for (full_name, morph) in archive.morphs() {
            let owner = archive.owner(SectionKind::Mesh, full_name);
            let Some((_, own)) = owner.filter(|(mesh, _)| *mesh == name) else { continue };
            targets.push((own.to_owned(), morph.with_context(|| format!("morph target {full_name:?}"))?));
        }
        let mut surface = Surface {
            name: name.to_owned(),
            targets,
            color: None,
            colors: None,
            texture: None,
            alpha: 1.0,
            opacity: Opacity::Opaque,
            // What nobody says anything about is seen from both sides.
            double_sided: true,
            mesh,
        };
        let material = surface.mesh.view().material.to_owned();
        if !material.is_empty() {
            surface.take(&view.material(&material)?, &view, &mut pictures);
        }
        surfaces.push(Arc::new(surface));
    }
    let unshown = pictures.values().filter(|p| p.is_none()).count();
    Ok((surfaces, unshown))
}

impl Surface {
    fn take(
        &mut self,
        material: &MaterialView<'_>,
        archive: &ArchiveView<'_>,
        pictures: &mut BTreeMap<String, Option<Arc<Texture>>>,
    ) {
        let [r, g, b, alpha] = material.base_color;
        let base = [r, g, b];
        self.double_sided = material.double_sided;
        self.alpha = if alpha < 0.0 {
            0.0
        } else if alpha < 1.0 {
            alpha
        } else {
            1.0
        };
        self.opacity = match material.alpha {
            AlphaMode::Opaque => Opacity::Opaque,
            AlphaMode::Mask => Opacity::Mask(material.alpha_cutoff),
            AlphaMode::Blend => Opacity::Blend,
        };
        let mesh = self.mesh.view();
        if let Some(colors) = mesh.color(0) {
            let times = |c: &[f32; 4]| Color::from_linear(core::array::from_fn(|i| c[i] * base[i]));
            self.colors = Some(colors.iter().map(times).collect());
        }
        let mut hidden = false;
        if let Some(used) = material.base_color_texture {
            let images = material.textures.get(used.texture).map_or(&[][..], |t| &t.images);
            let texture = images.iter().find_map(|(_, image)| {
                let decode = || {
                    let found = archive.image(image).ok()?;
                    Texture::decode(found.bytes).ok().map(Arc::new)
                };
                pictures.entry((*image).to_owned()).or_insert_with(decode).clone()
            });
            hidden = texture.is_none();
            let uvs = mesh.uv(used.uv_set as usize);
            self.texture = texture.zip(uvs.map(|uvs| placed(uvs, used.transform)));
        }
        // White under a picture that is not shown would be a lie; so would glTF's white of a material that says nothing.
        let plain = self.texture.is_none() && self.colors.is_none() && base.iter().all(|c| *c > 0.9);
        self.color = (!plain).then(|| Color::from_linear(base));
        if hidden {
            self.opacity = Opacity::Opaque;
        }
    }
}

/// Texture coordinates where the material moves them to.
fn placed(uvs: &[[f32; 2]], transform: Option<[f32; 5]>) -> Vec<[f32; 2]> {
    let Some([x, y, turn, wide, high]) = transform else { return uvs.to_vec() };
    let (sin, cos) = (libm::sinf(turn), libm::cosf(turn));
    uvs.iter()
        .map(|[u, v]| {
            let (u, v) = (u * wide, v * high);
            [u * cos + v * sin + x, v * cos - u * sin + y]
        })
        .collect()
}
