//! What the examples share: the mannequin in an archive, and a stage to draw it on. Run one with
//! `cargo run --release --example NAME`.

pub mod walkers;

use anyhow::{Context, Result};
use lissom::{
    Cursor, Skeleton,
    archive::{Archive, Mesh},
    job::{LocalToModelJob, PaletteJob, SampleJob, SampleTime, SkinJob},
    math::{Mat4, Mat34, Transform, soa::SoaTransform},
    mesh::{Strided, StridedMut, VertexOutput},
};
use lissom_build::{
    cook::ClipBuilder,
    export,
    mannequin::{self, Detail, Motion},
    matching::{MatchedClips, MatchingRule, MatchingWeights},
    pipeline::{self, Input, Options, Plan},
};
use lissom_draw::{Camera, Canvas, Color, Ground, Light, Mesh as DrawnMesh, Shadow, Viewport, palette};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The mannequin as an archive of a game has it: skeleton, mesh and motions in place, with root motion and markers beside them, cooked;
/// and its graph, if all that it plays is there.
///
/// # Errors
///
/// None, but for a mannequin that is broken.
pub fn mannequin_archive(motions: &[Motion]) -> Result<Vec<u8>> {
    let scene = mannequin::game_scene(motions, &Detail::default())?;
    Ok(pipeline::cook_scene(&scene, &ClipBuilder::default(), &pipeline::serial)?.archive)
}

/// The same with a database of these motions for motion matching, called `gaits`, and mirrored copies of them.
///
/// # Errors
///
/// None, but for a mannequin that is broken.
pub fn matched_archive(motions: &[Motion]) -> Result<Vec<u8>> {
    let clips = vec![MatchedClips { clips: "*".into(), ..MatchedClips::default() }];
    // These clips have no starts and stops: where to go counts more than how it fits.
    let weights = MatchingWeights { trajectory: 2.5, direction: 2.5, ..MatchingWeights::default() };
    let rule = MatchingRule { clips, mirrored: true, weights, ..MatchingRule::new("gaits") };
    let plan = Plan::new(Options { matching: vec![rule], ..Options::default() })?;
    let own = mannequin_archive(motions)?;
    let done =
        plan.cook(&[Input::bytes("mannequin.lsm", &own)], &pipeline::serial, &mut pipeline::unwatched)?;
    for input in done.inputs {
        input?;
    }
    done.archive.context("an archive was asked for")
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
    pub rods: Vec<Rod>,
    /// Balls: where, radius in metres, colour.
    pub balls: Vec<([f32; 3], f32, Color)>,
}

impl Default for Figure {
    fn default() -> Self {
        let (positions, normals, rods, balls) = Default::default();
        Self { label: String::new(), positions, normals, color: palette::SAGE, rods, balls }
    }
}

/// Where the vertices of a mesh are, and their normals.
pub struct Vertices {
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Normals.
    pub normals: Vec<[f32; 3]>,
}

impl Vertices {
    /// Buffers for a number of vertices.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self { positions: vec![[0.0; 3]; count], normals: vec![[0.0; 3]; count] }
    }

    /// What a skinning job writes to.
    pub fn output(&mut self) -> VertexOutput<'_> {
        VertexOutput::Separate {
            positions: StridedMut::packed(&mut self.positions),
            normals: Some(StridedMut::packed(&mut self.normals)),
            tangents: None,
        }
    }
}

/// From, to, width in pixels, colour.
pub type Rod = ([f32; 3], [f32; 3], f32, Color);

impl Actor {
    /// The mannequin with these motions.
    ///
    /// # Errors
    ///
    /// None, but for a mannequin that is broken.
    pub fn new(motions: &[Motion]) -> Result<Self> {
        Self::of(Archive::read(&mannequin_archive(motions)?)?)
    }

    /// The mannequin of an archive.
    ///
    /// # Errors
    ///
    /// If the archive has no mesh.
    pub fn of(archive: Archive) -> Result<Self> {
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

    /// The same as the jobs of IK take them.
    ///
    /// # Errors
    ///
    /// If the pose is too short.
    pub fn matrices(&self, pose: &[SoaTransform]) -> Result<Vec<Mat34>> {
        Ok(self.models(pose)?.iter().map(Mat34::from_mat4).collect())
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

    /// The mesh, moved by a skinning palette.
    ///
    /// # Errors
    ///
    /// If there are too few matrices.
    pub fn skinned(&self, palette: &[Mat4]) -> Result<Vertices> {
        let mesh = self.mesh.view();
        let mut moved = Vertices::new(mesh.positions.len());
        let from = Strided::packed(mesh.positions);
        let job = SkinJob::new(self.mesh.influences(), palette, from, moved.output());
        SkinJob { normals: Some(Strided::packed(mesh.normals)), ..job }.run()?;
        Ok(moved)
    }

    /// A picture of a pose.
    ///
    /// # Errors
    ///
    /// If the pose is too short.
    pub fn figure(&self, label: impl Into<String>, color: Color, pose: &[SoaTransform]) -> Result<Figure> {
        let Vertices { positions, normals } = self.skinned(&self.palette(&self.models(pose)?)?)?;
        Ok(Figure { label: label.into(), positions, normals, color, ..Figure::default() })
    }

    /// Draws figures side by side; see [`strip`].
    ///
    /// # Errors
    ///
    /// If the picture cannot be drawn or written.
    pub fn strip(&self, name: &str, from: [f32; 3], figures: &[Figure]) -> Result<()> {
        strip(name, from, figures, self.mesh.view().indices)
    }

    /// Draws all figures into one picture, where they stand.
    ///
    /// # Errors
    ///
    /// If the picture cannot be drawn or written.
    pub fn stage(&self, name: &str, from: [f32; 3], figures: &[Figure]) -> Result<()> {
        let (width, height) = (1000, 420);
        let mut canvas = Canvas::new(width, height, palette::PAPER)?;
        let all: Vec<[f32; 3]> = figures.iter().flat_map(|figure| figure.positions.iter().copied()).collect();
        let ends = |axis: usize| {
            let values = all.iter().map(|place| place[axis]);
            values.fold((f32::MAX, f32::MIN), |(low, high), v| {
                (if v < low { v } else { low }, if v > high { v } else { high })
            })
        };
        let [(x, to_x), (y, to_y), (z, to_z)] = [ends(0), ends(1), ends(2)];
        let aspect = width as f32 / height as f32;
        canvas.set_camera(&Camera::framing([x, y, z], [to_x, to_y, to_z], from, 0.3, aspect)?)?;
        for figure in figures {
            figure.draw(&mut canvas, self.mesh.view().indices)?;
        }
        canvas.ground(&Ground::default(), Some(&Shadow::of_points(&all, 0.0)?))?;
        save(&canvas, name)
    }
}

impl Figure {
    fn draw(&self, canvas: &mut Canvas, indices: &[u32]) -> Result<()> {
        let mesh = DrawnMesh::new(&self.positions, &self.normals, indices, self.color);
        canvas.mesh(&mesh, &Light::default())?;
        for (from, to, width_px, color) in &self.rods {
            canvas.line(*from, *to, *width_px, *color)?;
        }
        for (centre, radius, color) in &self.balls {
            canvas.ball(*centre, *radius, *color, &Light::default())?;
        }
        Ok(())
    }

    /// The same elsewhere: vertices, normals, and what was drawn beside.
    #[must_use]
    pub fn placed(mut self, at: &Transform) -> Self {
        let matrix = at.to_mat34();
        self.positions.iter_mut().for_each(|place| *place = matrix.mul_point(*place));
        self.normals.iter_mut().for_each(|normal| *normal = matrix.mul_vector(*normal));
        self
    }
}

/// A skeleton as rods, moved aside.
///
/// # Errors
///
/// If the pose is too short.
pub fn bones(skeleton: &Skeleton, pose: &[SoaTransform], aside: [f32; 3], color: Color) -> Result<Vec<Rod>> {
    let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
    LocalToModelJob::new(skeleton, pose, &mut models).run()?;
    let place = |joint: usize| {
        let at = Mat34::from_mat4(&models[joint]).translation();
        [at.x + aside[0], at.y + aside[1], at.z + aside[2]]
    };
    let parents = (0..models.len()).filter_map(|joint| Some((skeleton.parent(joint)?, joint)));
    Ok(parents.map(|(parent, joint)| (place(parent), place(joint), 3.0, color)).collect())
}

/// Draws figures side by side into `target/pictures/NAME.png`, or where the first argument says.
///
/// # Errors
///
/// If the picture cannot be drawn or written.
pub fn strip(name: &str, from: [f32; 3], figures: &[Figure], indices: &[u32]) -> Result<()> {
    let (width, height) = (220, 380);
    let mut canvas = Canvas::new(width * u32::try_from(figures.len())?, height, palette::PAPER)?;
    for (i, figure) in (0..).zip(figures) {
        canvas.set_viewport(Viewport { x: i * width, y: 0, width, height })?;
        let aspect = width as f32 / height as f32;
        canvas.set_camera(&Camera::framing([-0.6, 0.0, -0.6], [0.6, 2.1, 0.6], from, 0.3, aspect)?)?;
        figure.draw(&mut canvas, indices)?;
        canvas.ground(&Ground::default(), Some(&Shadow::of_points(&figure.positions, 0.0)?))?;
        let x = i32::try_from(i * width + width / 2)?;
        canvas.text_centred(x, i32::try_from(height)? - 24, &figure.label, 2, palette::INK);
    }
    save(&canvas, name)
}

/// Writes a picture, and makes its folder if there is none.
///
/// # Errors
///
/// If the picture cannot be encoded or written.
pub fn write_png(canvas: &Canvas, path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    let named = || path.display().to_string();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(named)?;
    }
    export::write_whole(path, &canvas.finish().encode_png()?).with_context(named)
}

fn save(canvas: &Canvas, name: &str) -> Result<()> {
    let path = match std::env::args().nth(1) {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from("target/pictures").join(name).with_extension("png"),
    };
    write_png(canvas, &path)?;
    // The one line that every example ends with.
    #[allow(clippy::print_stdout, reason = "examples talk to their reader")]
    {
        println!("picture: {}", path.display());
    }
    Ok(())
}
