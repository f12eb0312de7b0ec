//! How meshes look: their materials, and the pictures that those name.

use crate::failure::Failure;
use lissom::{
    archive::{AlphaMode, Archive, ArchiveView, Limits, MaterialView, TextureUseView},
    player::Player,
};
use lissom_draw::Pixels;
use std::{collections::BTreeMap, sync::Arc};

/// A picture that surfaces show.
pub(crate) struct Pictured {
    /// As the file calls it.
    pub name: String,
    /// What its file takes.
    pub bytes: usize,
    /// Why it is not shown, if it cannot be decoded.
    pub pixels: Result<Pixels, String>,
}

/// The longest side of a picture that is kept.
const LONGEST: usize = 2048;

/// What a texture says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapKind {
    Base,
    /// Roughness in green, metal in blue.
    Rough,
    Normal,
    /// How much of the sky is seen, in red.
    Open,
    Glow,
}

impl MapKind {
    pub const ALL: [Self; 5] = [Self::Base, Self::Rough, Self::Normal, Self::Open, Self::Glow];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Base => "base colour",
            Self::Rough => "metal, roughness",
            Self::Normal => "normals",
            Self::Open => "occlusion",
            Self::Glow => "emissive",
        }
    }

    /// True if its numbers are colours, which files store brighter than they are.
    pub const fn is_color(self) -> bool {
        matches!(self, Self::Base | Self::Glow)
    }
}

/// A texture and how it is looked up.
#[derive(Clone)]
pub(crate) struct Map {
    pub picture: Arc<Pictured>,
    /// Which of the mesh's coordinates: 0 or 1.
    pub uv_set: u32,
    /// From coordinates to the texture: two rows.
    pub rows: [[f32; 3]; 2],
    /// Along u and v: repeated, mirrored or the edge's pixel, as glTF numbers them.
    pub wraps: [u32; 2],
    /// Pixels stay squares when they are seen large.
    pub nearest: bool,
}

/// What alpha means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Opacity {
    Opaque,
    /// Below this alpha nothing is drawn.
    Mask(f32),
    Blend,
}

/// How a mesh looks.
pub(crate) struct Surface {
    pub mesh: String,
    /// As its file calls it; empty: it has none.
    pub material: String,
    /// Linear.
    pub color: [f32; 4],
    pub metallic: f32,
    pub roughness: f32,
    pub emissive: [f32; 3],
    pub normal_scale: f32,
    pub occlusion: f32,
    pub opacity: Opacity,
    pub double_sided: bool,
    /// Its colour is what is seen: no light falls on it.
    pub unlit: bool,
    /// In the order of [`MapKind::ALL`].
    pub maps: [Option<Map>; 5],
    pub vertices: usize,
    pub triangles: usize,
    /// The most joints that a vertex follows.
    pub per_vertex: usize,
    /// Of each joint, how many vertices follow it.
    pub moved_by: Vec<u32>,
    /// The names of its morph targets.
    pub morphs: Vec<String>,
}

impl Surface {
    /// One colour, one side.
    pub fn plain(mesh: &str) -> Self {
        Self {
            mesh: mesh.into(),
            material: String::new(),
            color: [0.69, 0.64, 0.56, 1.0],
            metallic: 0.0,
            roughness: 0.75,
            emissive: [0.0; 3],
            normal_scale: 1.0,
            occlusion: 1.0,
            opacity: Opacity::Opaque,
            double_sided: false,
            unlit: false,
            maps: Default::default(),
            vertices: 0,
            triangles: 0,
            per_vertex: 0,
            moved_by: Vec::new(),
            morphs: Vec::new(),
        }
    }

    pub fn map(&self, kind: MapKind) -> Option<&Map> {
        self.maps[kind as usize].as_ref()
    }
}

/// How the player's meshes look. A texture that cannot be decoded leaves its colour.
pub(crate) fn surfaces(archive: &Archive, player: &Player) -> Result<Vec<Surface>, Failure> {
    let view = ArchiveView::read(archive.bytes(), &Limits::default())?;
    let mut pictures = BTreeMap::new();
    let mut surfaces = Vec::new();
    for mesh in player.mesh_names() {
        let shape = view.mesh(mesh)?;
        let surface = match shape.material {
            "" => Surface::plain(mesh),
            name => surface(mesh, &view.material(name)?, &view, &mut pictures),
        };
        let mut moved_by = vec![0; player.skeleton().joint_count()];
        for (joint, weight) in shape.joints.iter().zip(shape.weights) {
            if let Some(count) = moved_by.get_mut(usize::from(*joint)).filter(|_| *weight > 0.0) {
                *count += 1;
            }
        }
        surfaces.push(Surface {
            vertices: shape.positions.len(),
            triangles: shape.indices.len() / 3,
            per_vertex: shape.per_vertex,
            moved_by,
            morphs: view.morphs(mesh)?.into_iter().map(|(name, _)| name.to_owned()).collect(),
            ..surface
        });
    }
    Ok(surfaces)
}

fn surface(
    mesh: &str,
    material: &MaterialView<'_>,
    view: &ArchiveView<'_>,
    pictures: &mut BTreeMap<String, Arc<Pictured>>,
) -> Surface {
    let has = |extension: &str| material.extensions.iter().any(|(name, _)| *name == extension);
    let mut map = |used: Option<TextureUseView>| {
        let used = used?;
        let texture = material.textures.get(used.texture)?;
        // The first that can be decoded; else the first, which says why not.
        let mut first = None;
        for (_, image) in &texture.images {
            let picture =
                pictures.entry((*image).into()).or_insert_with(|| pictured(image, texture.name, view));
            let usable = picture.pixels.is_ok();
            first = first.filter(|_| !usable).or_else(|| Some(picture.clone()));
            if usable {
                break;
            }
        }
        let [large, _, u, v] = texture.sampler;
        const NEAREST: u32 = 9728;
        Some(Map {
            picture: first?,
            uv_set: used.uv_set.min(1),
            rows: rows(used.transform),
            wraps: [u, v],
            nearest: large == NEAREST,
        })
    };
    let maps = [
        map(material.base_color_texture),
        map(material.metallic_roughness_texture),
        map(material.normal_texture),
        map(material.occlusion_texture),
        map(material.emissive_texture),
    ];
    Surface {
        mesh: mesh.into(),
        material: material.name.into(),
        color: material.base_color,
        metallic: material.metallic,
        roughness: material.roughness,
        emissive: material.emissive,
        normal_scale: material.normal_scale,
        occlusion: material.occlusion_strength,
        opacity: match material.alpha {
            AlphaMode::Opaque => Opacity::Opaque,
            AlphaMode::Mask => Opacity::Mask(material.alpha_cutoff),
            AlphaMode::Blend => Opacity::Blend,
        },
        double_sided: material.double_sided,
        unlit: has("KHR_materials_unlit"),
        maps,
        ..Surface::plain(mesh)
    }
}

fn pictured(image: &str, texture: &str, view: &ArchiveView<'_>) -> Arc<Pictured> {
    let found = view.image(image);
    let bytes = found.as_ref().map_or(0, |image| image.bytes.len());
    let pixels = match found {
        Ok(found) => Pixels::decode(found.bytes, LONGEST).map_err(|e| e.to_string()),
        Err(e) => Err(e.to_string()),
    };
    let name = if image.is_empty() { texture } else { image };
    Arc::new(Pictured { name: name.into(), bytes, pixels })
}

/// `KHR_texture_transform`: scaled, then turned, then moved.
fn rows(transform: Option<[f32; 5]>) -> [[f32; 3]; 2] {
    let Some([x, y, turn, wide, high]) = transform else { return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] };
    let (sin, cos) = (libm::sinf(turn), libm::cosf(turn));
    [[cos * wide, sin * high, x], [-sin * wide, cos * high, y]]
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn coordinates_are_scaled_then_turned_then_moved() {
        let at = |rows: [[f32; 3]; 2], u: f32, v: f32| rows.map(|[a, b, c]| a * u + b * v + c);
        assert_eq!(at(rows(None), 0.25, 0.75), [0.25, 0.75]);
        assert_eq!(at(rows(Some([0.5, 0.25, 0.0, 2.0, 4.0])), 0.1, 0.1), [0.7, 0.65]);
        // As the extension's page has it: a quarter turn takes u to -v.
        let [u, v] = at(rows(Some([0.0, 0.0, core::f32::consts::FRAC_PI_2, 1.0, 1.0])), 1.0, 0.0);
        assert!(u.abs() < 1e-6 && (v + 1.0).abs() < 1e-6, "{u} {v}");
    }
}
