//! Materials and images of a file.

use super::cut;
use crate::style::{Style, Table, Tone, grouped, plain};
use anyhow::Result;
use lissom_build::{
    mesh::material::{AlphaMode, Image, ImageHeader, Material},
    scene::Scene,
};
use lissom_draw::Color;
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
pub(super) struct MaterialReport {
    name: String,
    /// Linear red, green, blue, alpha.
    base_color: [f32; 4],
    /// Uses of textures, by what they are for.
    textures: Vec<&'static str>,
    alpha: &'static str,
    double_sided: bool,
    /// Meshes that are made of it.
    meshes: usize,
}

#[derive(Serialize)]
pub(super) struct ImageReport {
    name: String,
    /// As the file says: `image/png`.
    kind: String,
    /// Pixels; `None` if its first bytes do not tell.
    size: Option<[u32; 2]>,
    bytes: usize,
}

pub(super) fn materials(scene: &Scene) -> Vec<MaterialReport> {
    let report = |(place, material): (usize, &Material)| {
        let names = ["colour", "metal and roughness", "normals", "occlusion", "emission"];
        let used = names.into_iter().zip(material.texture_uses());
        MaterialReport {
            name: material.name.clone(),
            base_color: material.base_color,
            textures: used.filter(|(_, used)| used.is_some()).map(|(name, _)| name).collect(),
            alpha: match material.alpha {
                AlphaMode::Opaque => "opaque",
                AlphaMode::Mask => "mask",
                AlphaMode::Blend => "blend",
            },
            double_sided: material.double_sided,
            meshes: scene.meshes.iter().filter(|mesh| mesh.material == Some(place)).count(),
        }
    };
    scene.materials.iter().enumerate().map(report).collect()
}

pub(super) fn images(scene: &Scene) -> Vec<ImageReport> {
    let report = |image: &Image| ImageReport {
        name: image.name.clone(),
        kind: image.mime_type.clone(),
        size: ImageHeader::of(&image.bytes).and_then(|header| header.size),
        bytes: image.bytes.len(),
    };
    scene.images.iter().map(report).collect()
}

/// Both as tables.
pub(super) fn write(
    materials: &[MaterialReport],
    images: &[ImageReport],
    all: bool,
    style: Style,
    out: &mut impl Write,
) -> Result<()> {
    let named = |name: &str, place: usize| {
        if name.is_empty() { place.to_string() } else { plain(name) }
    };
    if !materials.is_empty() {
        writeln!(out)?;
        let mut table = Table::new(&["material", "colour", "alpha", "sides", "meshes", "textures"]);
        let shown = cut(materials.len(), all);
        for (place, material) in materials.iter().take(shown).enumerate() {
            let textures =
                if material.textures.is_empty() { "-".into() } else { material.textures.join(", ") };
            let sides = if material.double_sided { "2" } else { "1" };
            let cells = vec![
                named(&material.name, place),
                colour(material.base_color),
                material.alpha.into(),
                sides.into(),
                material.meshes.to_string(),
                textures,
            ];
            table.row(cells, Tone::Plain);
        }
        table.write(style, out)?;
        if materials.len() > shown {
            writeln!(out, "{} more materials (--all shows them)", materials.len() - shown)?;
        }
    }
    if !images.is_empty() {
        writeln!(out)?;
        let mut table = Table::new(&["image", "type", "pixels", "bytes"]);
        let shown = cut(images.len(), all);
        for (place, image) in images.iter().take(shown).enumerate() {
            let size = image.size.map_or_else(|| "-".into(), |[width, height]| format!("{width} x {height}"));
            let cells = [named(&image.name, place), plain(&image.kind), size, grouped(image.bytes as u64)];
            table.row(cells.into(), Tone::Plain);
        }
        table.write(style, out)?;
        if images.len() > shown {
            writeln!(out, "{} more images (--all shows them)", images.len() - shown)?;
        }
    }
    Ok(())
}

/// `#b3261e`, as painting programs and web pages write the same colour.
fn colour([r, g, b, _]: [f32; 4]) -> String {
    let [r, g, b] = Color::from_linear([r, g, b]).rgb;
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::colour;

    #[test]
    fn colours_are_told_as_painting_programs_do() {
        assert_eq!(colour([0.0, 1.0, 2.0, 1.0]), "#00ffff");
        // Half of the light is three quarters of the scale.
        assert_eq!(colour([0.5, 0.216, -1.0, 1.0]), "#bc8000");
    }
}
