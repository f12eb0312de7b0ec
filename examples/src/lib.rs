//! What the examples share: the mannequin on a stage. Run one with `cargo run --release --example NAME`.

use anyhow::{Context, Result};
use lissom::{
    Skeleton,
    job::{LocalToModelJob, Models, PaletteJob, SkinJob, Update},
    math::{
        Mat4, Mat34,
        soa::{self, SoaTransform},
    },
    mesh::{IndexFormat, SkinMesh, SkinMeshParts, Strided, StridedMut, VertexOutput, WeightFormat},
};
use lissom_build::{
    SkeletonBuilder,
    exact::M34,
    mannequin,
    mesh::RawMesh,
    raw::{RawAnimation, RawSkeleton},
};
use lissom_draw::{Camera, Canvas, Color, Ground, Light, Mesh, Shadow, Viewport, palette};
use std::path::PathBuf;

/// The mannequin: skeleton, mesh and what binds them.
pub struct Actor {
    /// The runtime skeleton.
    pub skeleton: Skeleton,
    raw: RawSkeleton,
    raw_of_joint: Vec<usize>,
    /// The mesh, its joints those of the skeleton.
    pub mesh: RawMesh,
    /// One a joint.
    pub inverse_binds: Vec<Mat34>,
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
    /// Builds the mannequin.
    ///
    /// # Errors
    ///
    /// None, but for a mannequin that is broken.
    pub fn new() -> Result<Self> {
        let raw = mannequin::skeleton();
        let built = SkeletonBuilder::build(&raw)?;
        let mut mesh = mannequin::mesh(&mannequin::Detail::default())?;
        for joint in mesh.joints.iter_mut().flatten() {
            *joint = u16::try_from(built.joint_of_raw[usize::from(*joint)])?;
        }
        let narrow = |m: &M34| Mat34 { columns: m.columns.map(|c| [c.x as f32, c.y as f32, c.z as f32]) };
        let inverse_binds = built.raw_of_joint.iter().map(|raw| narrow(&mesh.inverse_binds[*raw])).collect();
        Ok(Self { skeleton: built.skeleton, raw, raw_of_joint: built.raw_of_joint, mesh, inverse_binds })
    }

    /// A motion's pose at a time, on the spot: what travels forward is taken off the root.
    #[must_use]
    pub fn pose(&self, clip: &RawAnimation, time_s: f64) -> Vec<SoaTransform> {
        let locals: Vec<_> = self
            .raw_of_joint
            .iter()
            .map(|raw| clip.tracks[*raw].sample(time_s, self.raw.joints[*raw].rest).to_f32())
            .enumerate()
            .map(|(joint, mut t)| {
                if joint == 0 {
                    t.translation.z = 0.0;
                }
                t
            })
            .collect();
        soa::pack(&locals)
    }

    /// Model-space matrices of a pose.
    ///
    /// # Errors
    ///
    /// If the pose is too short.
    pub fn models(&self, pose: &[SoaTransform]) -> Result<Vec<Mat4>> {
        let mut models = vec![Mat4::IDENTITY; self.skeleton.joint_count()];
        LocalToModelJob {
            skeleton: &self.skeleton,
            locals: pose,
            root: None,
            update: Update::All,
            lod: None,
            models: Models::Mat4(&mut models),
        }
        .run()?;
        Ok(models)
    }

    /// The skinning palette of model-space matrices.
    ///
    /// # Errors
    ///
    /// If there are too few matrices.
    pub fn palette(&self, models: &[Mat4]) -> Result<Vec<Mat4>> {
        let mut palette = vec![Mat4::IDENTITY; self.inverse_binds.len()];
        PaletteJob {
            models,
            inverse_binds: &self.inverse_binds,
            joints: None,
            palette: &mut palette,
            vector_palette: None,
        }
        .run()?;
        Ok(palette)
    }

    /// The mesh's influences, checked.
    ///
    /// # Errors
    ///
    /// If the mesh is broken.
    pub fn influences(&self) -> Result<SkinMesh<'_>> {
        Ok(SkinMesh::new(SkinMeshParts {
            vertex_count: self.mesh.positions.len(),
            influences: 4,
            indices: Strided::packed(&self.mesh.joints),
            index_format: IndexFormat::U16,
            weights: Strided::packed(&self.mesh.weights),
            weight_format: WeightFormat::F32,
            explicit_last: true,
            joint_count: self.skeleton.joint_count(),
        })?)
    }

    /// A picture of a pose.
    ///
    /// # Errors
    ///
    /// If the pose is too short.
    pub fn figure(&self, label: impl Into<String>, color: Color, pose: &[SoaTransform]) -> Result<Figure> {
        let palette = self.palette(&self.models(pose)?)?;
        let vertices = self.mesh.positions.len();
        let (mut positions, mut normals) = (vec![[0.0_f32; 3]; vertices], vec![[0.0_f32; 3]; vertices]);
        SkinJob {
            mesh: self.influences()?,
            vertex_count: vertices,
            palette: &palette,
            vector_palette: None,
            positions: Strided::packed(&self.mesh.positions),
            normals: Some(Strided::packed(&self.mesh.normals)),
            tangents: None,
            output: VertexOutput::Separate {
                positions: StridedMut::packed(&mut positions),
                normals: Some(StridedMut::packed(&mut normals)),
                tangents: None,
            },
        }
        .run()?;
        Ok(Figure { label: label.into(), positions, normals, color, rods: Vec::new() })
    }

    /// Draws figures side by side into `target/pictures/NAME.png`, or where the first argument says.
    ///
    /// # Errors
    ///
    /// If the picture cannot be drawn or written.
    pub fn strip(&self, name: &str, from: [f32; 3], figures: &[Figure]) -> Result<()> {
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
            let mesh = Mesh {
                positions: &figure.positions,
                normals: &figure.normals,
                indices: &self.mesh.indices,
                color: figure.color,
                colors: None,
            };
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
}
