//! What the examples share: the mannequin in an archive, and a stage to draw it on. Run one with
//! `cargo run --release --example NAME`.

use anyhow::{Context, Result};
use lissom::{
    Cursor, Skeleton,
    archive::{Archive, Mesh},
    job::{LocalToModelJob, PaletteJob, SampleJob, SampleTime, SkinJob},
    math::{Mat4, soa::SoaTransform},
    mesh::{Strided, StridedMut, VertexOutput},
};
use lissom_build::{
    SkeletonBuilder,
    archive::ArchiveWriter,
    cook::ClipBuilder,
    mannequin::{self, Detail, Motion},
    scene::Marker,
};
use lissom_draw::{Camera, Canvas, Color, Ground, Light, Mesh as DrawnMesh, Shadow, Viewport, palette};
use std::{path::PathBuf, sync::Arc};

/// The mannequin as an archive of a game has it: skeleton, mesh and motions, cooked. What travels forward is taken
/// off the root, so that it moves on the spot; where a gait sets its feet down there are markers.
///
/// # Errors
///
/// None, but for a mannequin that is broken.
pub fn mannequin_archive(motions: &[Motion]) -> Result<Vec<u8>> {
    let built = SkeletonBuilder::build(&mannequin::skeleton())?;
    let mesh = mannequin::mesh(&Detail::default())?;
    let mut writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton)?.mesh(&mesh, &built)?;
    for motion in motions {
        let mut clip = mannequin::clip(*motion);
        clip.tracks[0].translation.keys.iter_mut().for_each(|key| key.value.z = 0.0);
        clip.tracks[0].translation.tangents.iter_mut().for_each(|t| (t.into.z, t.out.z) = (0.0, 0.0));
        let bytes = ClipBuilder::default().build(&built, &clip)?.bytes;
        writer = writer.clip(u16::from(bytes[4]), &clip.name, bytes)?;
        if motion.duty().is_some() {
            let step = |name: &str, at: f64| Marker {
                name: name.into(),
                time_s: clip.duration_s * at,
                duration_s: 0.0,
            };
            writer = writer.markers(&clip.name, &[step("left foot", 0.0), step("right foot", 0.5)])?;
        }
    }
    Ok(writer.finish()?)
}

/// Skeleton and mesh of the mannequin, and the archive that they are from.
pub struct Actor {
    /// Its clips, by the names of the motions.
    pub archive: Archive,
    /// Of the clips and the mesh.
    pub skeleton: Arc<Skeleton>,
    /// The mesh.
    pub mesh: Mesh,
}

/// One picture of a strip.
pub struct Figure {
    /// Under the picture.
    pub label: String,
    /// Moved vertices.
    pub positions: Vec<[f32; 3]>,
    /// Their normals.
    pub normals: Vec<[f32; 3]>,
    /// The body's colour.
    pub color: Color,
    /// Rods in space: from, to, width in pixels, colour.
    pub rods: Vec<([f32; 3], [f32; 3], f32, Color)>,
}

impl Actor {
    /// The mannequin with these motions.
    ///
    /// # Errors
    ///
    /// None, but for a mannequin that is broken.
    pub fn new(motions: &[Motion]) -> Result<Self> {
        let archive = Archive::read(&mannequin_archive(motions)?)?;
        let (_, mesh) = archive.meshes().next().context("the mannequin has a mesh")?;
        let mesh = mesh?;
        Ok(Self { skeleton: archive.skeleton_of(&mesh)?, mesh, archive })
    }

    /// The pose of a clip at a ratio of its length.
    ///
    /// # Errors
    ///
    /// If there is no such clip.
    pub fn pose(&self, clip: &str, ratio: f64) -> Result<Vec<SoaTransform>> {
        let clip = self.archive.clip(clip)?;
        let (mut cursor, mut pose) = (Cursor::new(), self.skeleton.rest_pose().to_vec());
        SampleJob::new(&self.skeleton, clip.view(), &mut cursor, &mut pose)
            .at(SampleTime::Ratio(ratio))
            .run()?;
        Ok(pose)
    }

    /// Model-space matrices of a pose.
    ///
    /// # Errors
    ///
    /// If the pose is too short.
    pub fn models(&self, pose: &[SoaTransform]) -> Result<Vec<Mat4>> {
        let mut models = vec![Mat4::IDENTITY; self.skeleton.joint_count()];
        LocalToModelJob::new(&self.skeleton, pose, &mut models).run()?;
        Ok(models)
    }

    /// The skinning palette of model-space matrices.
    ///
    /// # Errors
    ///
    /// If there are too few matrices.
    pub fn palette(&self, models: &[Mat4]) -> Result<Vec<Mat4>> {
        let mut palette = vec![Mat4::IDENTITY; self.skeleton.joint_count()];
        PaletteJob::new(models, self.mesh.view().inverse_binds, &mut palette).run()?;
        Ok(palette)
    }

    /// A picture of a pose.
    ///
    /// # Errors
    ///
    /// If the pose is too short.
    pub fn figure(&self, label: impl Into<String>, color: Color, pose: &[SoaTransform]) -> Result<Figure> {
        let palette = self.palette(&self.models(pose)?)?;
        let mesh = self.mesh.view();
        let vertices = mesh.positions.len();
        let (mut positions, mut normals) = (vec![[0.0_f32; 3]; vertices], vec![[0.0_f32; 3]; vertices]);
        let output = VertexOutput::Separate {
            positions: StridedMut::packed(&mut positions),
            normals: Some(StridedMut::packed(&mut normals)),
            tangents: None,
        };
        let job = SkinJob::new(self.mesh.influences(), &palette, Strided::packed(mesh.positions), output);
        SkinJob { normals: Some(Strided::packed(mesh.normals)), ..job }.run()?;
        Ok(Figure { label: label.into(), positions, normals, color, rods: Vec::new() })
    }

    /// Draws figures side by side; see [`strip`].
    ///
    /// # Errors
    ///
    /// If the picture cannot be drawn or written.
    pub fn strip(&self, name: &str, from: [f32; 3], figures: &[Figure]) -> Result<()> {
        strip(name, from, figures, self.mesh.view().indices)
    }
}

/// Draws figures side by side into `target/pictures/NAME.png`, or where the first argument says.
///
/// # Errors
///
/// If the picture cannot be drawn or written.
pub fn strip(name: &str, from: [f32; 3], figures: &[Figure], indices: &[u32]) -> Result<()> {
    let path = match std::env::args().nth(1) {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from("target/pictures").join(name).with_extension("png"),
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let (width, height) = (220, 380);
    let mut canvas = Canvas::new(width * u32::try_from(figures.len())?, height, palette::PAPER)?;
    for (i, figure) in (0..).zip(figures) {
        canvas.set_viewport(Viewport { x: i * width, y: 0, width, height })?;
        let aspect = width as f32 / height as f32;
        canvas.set_camera(&Camera::framing([-0.6, 0.0, -0.6], [0.6, 2.1, 0.6], from, 0.3, aspect)?)?;
        let mesh = DrawnMesh::new(&figure.positions, &figure.normals, indices, figure.color);
        canvas.mesh(&mesh, &Light::default())?;
        for (from, to, width_px, color) in &figure.rods {
            canvas.line(*from, *to, *width_px, *color)?;
        }
        canvas.ground(&Ground::default(), Some(&Shadow::of_points(&figure.positions, 0.0)?))?;
        let x = i32::try_from(i * width + width / 2)?;
        canvas.text_centred(x, i32::try_from(height)? - 24, &figure.label, 2, palette::INK);
    }
    canvas.finish().save_png(&path)?;
    // The one line that every example ends with.
    #[allow(clippy::print_stdout, reason = "examples talk to their reader")]
    {
        println!("picture: {}", path.display());
    }
    Ok(())
}
