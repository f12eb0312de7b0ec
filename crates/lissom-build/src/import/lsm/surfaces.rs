//! Materials, images, nodes and extras of an archive, as a scene has them.

use super::{
    super::{ImportError, Place, budget::Budget},
    refused,
};
use crate::{
    mesh::material::{Image, Material, Texture, TextureTransform, TextureUse},
    scene::{Scene, SceneMesh, SourceNode},
};
use lissom::archive::{
    ArchiveError, ArchiveView, MaterialView, MeshView, Section, SectionKind, TextureUseView, TextureView,
};
use std::collections::BTreeMap;

/// Memory for each byte of a section of short texts, at most: a string is six times as long as an empty text.
const TEXTS: usize = 8;

/// Where materials are, by the names of their sections.
pub(super) struct Materials<'a>(BTreeMap<&'a str, usize>);

/// Reads all of them into the scene. Skeletons and clips are there already.
pub(super) fn read<'a>(
    archive: &ArchiveView<'a>,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<Materials<'a>, ImportError> {
    for section in archive.sections() {
        use SectionKind as K;
        let each = match section.kind {
            K::Image | K::Extras => 1,
            K::Material | K::Nodes => TEXTS,
            _ => continue,
        };
        let place = || Place::Path(format!("{:?} {:?}", section.kind, section.name));
        budget.take(section.payload.len() as u64, each, place)?;
    }
    all(archive, scene).map_err(refused)
}

fn all<'a>(archive: &ArchiveView<'a>, scene: &mut Scene) -> Result<Materials<'a>, ArchiveError> {
    let of_kind = |kind: SectionKind| archive.sections().iter().filter(move |s| s.kind == kind);
    let mut images: BTreeMap<&str, usize> = BTreeMap::new();
    for section in of_kind(SectionKind::Image) {
        let view = section.image()?;
        images.insert(section.name, scene.images.len());
        let (name, mime_type) = (view.name.into(), view.mime_type.into());
        scene.images.push(Image { name, mime_type, bytes: view.bytes.to_vec() });
    }
    let mut materials = BTreeMap::new();
    for section in of_kind(SectionKind::Material) {
        materials.insert(section.name, scene.materials.len());
        scene.materials.push(material(&section.material()?, &images));
    }
    for section in of_kind(SectionKind::Nodes) {
        let nodes = section.nodes()?;
        let owner = scene.skeletons.iter_mut().find(|s| s.name == section.name);
        let fits = owner.filter(|s| s.skeleton.joints.len() == nodes.len());
        if let Some(skeleton) = fits {
            let node = |n: &lissom::archive::NodeView<'_>| SourceNode {
                index: n.index,
                name: n.name.into(),
                extras: n.extras.into(),
            };
            skeleton.nodes = nodes.iter().map(node).collect();
        } else {
            let place = format!("nodes of {:?}", section.name);
            scene.warn(place, "there is no such skeleton with as many joints; they were left out");
        }
    }
    for section in of_kind(SectionKind::Extras) {
        extras(section, scene)?;
    }
    Ok(Materials(materials))
}

fn extras(section: &Section<'_>, scene: &mut Scene) -> Result<(), ArchiveError> {
    let text = section.extras()?;
    match section.name {
        "asset" => scene.asset = text.into(),
        "scene" => scene.extras = text.into(),
        name => {
            let clip = name.strip_prefix("clip/");
            let owner = clip.and_then(|c| scene.animations.iter_mut().find(|a| a.motion.name == c));
            if let Some(animation) = owner {
                animation.extras = text.into();
            }
        }
    }
    Ok(())
}

impl Materials<'_> {
    /// What a mesh was in its file.
    pub(super) fn describe(&self, view: &MeshView<'_>, mesh: SceneMesh) -> SceneMesh {
        SceneMesh {
            material: self.0.get(view.material).copied(),
            source: view.source.into(),
            node: view.node.into(),
            extras: view.extras.into(),
            ..mesh
        }
    }
}

fn material(view: &MaterialView<'_>, images: &BTreeMap<&str, usize>) -> Material {
    let used = |u: TextureUseView| TextureUse {
        texture: u.texture,
        uv_set: u.uv_set,
        transform: u.transform.map(TextureTransform::from_array),
    };
    let texture = |t: &TextureView<'_>| Texture {
        name: t.name.into(),
        sampler: t.sampler,
        images: t.images.iter().filter_map(|(kind, n)| Some(((*kind).into(), *images.get(n)?))).collect(),
    };
    Material {
        name: view.name.into(),
        base_color: view.base_color,
        base_color_texture: view.base_color_texture.map(used),
        metallic: view.metallic,
        roughness: view.roughness,
        metallic_roughness_texture: view.metallic_roughness_texture.map(used),
        normal_texture: view.normal_texture.map(used),
        normal_scale: view.normal_scale,
        occlusion_texture: view.occlusion_texture.map(used),
        occlusion_strength: view.occlusion_strength,
        emissive: view.emissive,
        emissive_texture: view.emissive_texture.map(used),
        alpha: view.alpha,
        alpha_cutoff: view.alpha_cutoff,
        double_sided: view.double_sided,
        textures: view.textures.iter().map(texture).collect(),
        extensions: view.extensions.iter().map(|(n, j)| ((*n).into(), (*j).into())).collect(),
        extras: view.extras.into(),
    }
}
