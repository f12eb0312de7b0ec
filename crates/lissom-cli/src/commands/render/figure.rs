//! A pose as something to draw: skin, or bones where there is none.

use crate::source::{Motion, Tape};
use crate::stage::{Playable, Stage};
use anyhow::{Context, Result};
use lissom::{
    job::{PaletteJob, SkinJob},
    math::Mat4,
    mesh::{Strided, StridedMut, VertexOutput},
    player::{PlayOptions, Player},
    track::Repeat,
};
use lissom_draw::{Canvas, Color, Light, Mesh, palette};

/// Vertices in model space, all meshes in one; and where the joints are.
#[derive(Clone, Default)]
pub(crate) struct Figure {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) indices: Vec<u32>,
    pub(crate) joints: Vec<[f32; 3]>,
    /// Joints that skin hangs on, and those between them and the root; all of them without skin.
    pub(crate) parents: Vec<Option<usize>>,
}

/// A box.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

/// What to draw, and how.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub(crate) body: Color,
    pub(crate) bone: Color,
    /// Bones over the skin.
    pub(crate) bones: bool,
}

impl Default for Look {
    fn default() -> Self {
        let body = palette::PLASTER.mixed(palette::SAGE, 0.5);
        Self { body, bone: palette::CLAY, bones: false }
    }
}

impl Bounds {
    const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    pub(crate) fn add(&mut self, p: [f32; 3]) {
        for (i, v) in p.into_iter().enumerate() {
            if v < self.min[i] {
                self.min[i] = v;
            }
            if v > self.max[i] {
                self.max[i] = v;
            }
        }
    }

    pub(crate) fn size(&self) -> [f32; 3] {
        core::array::from_fn(|i| self.max[i] - self.min[i])
    }

    /// The longest side; 1 for a single point.
    pub(crate) fn extent(&self) -> f32 {
        let longest = self.size().into_iter().fold(0.0, |a, b| if b > a { b } else { a });
        if longest > 0.0 { longest } else { 1.0 }
    }
}

/// Makes figures of a stage.
pub(crate) struct Body<'a> {
    stage: &'a Stage,
    player: Player,
}

impl<'a> Body<'a> {
    pub(crate) fn new(stage: &'a Stage) -> Result<Self> {
        let mut all = stage.archive.skeletons();
        let own = all.find(|(_, s)| s.as_ref().is_ok_and(|s| s.identity() == stage.skeleton.identity()));
        let (name, _) = own.context("the skeleton is not in its archive")?;
        Ok(Self { stage, player: Player::of_skeleton(&stage.archive, name)? })
    }

    /// The figure of these matrices.
    pub(crate) fn figure(&self, models: &[Mat4]) -> Result<Figure> {
        let mut figure = Figure::bones_of(self.stage, models);
        for mesh in &self.stage.meshes {
            let view = mesh.view();
            let (vertices, joints) = (view.positions.len(), view.inverse_binds.len());
            let mut palette = vec![Mat4::IDENTITY; joints];
            PaletteJob::new(models, view.inverse_binds, &mut palette).run()?;
            let (mut positions, mut normals) = (vec![[0.0_f32; 3]; vertices], vec![[0.0_f32; 3]; vertices]);
            let output = VertexOutput::Separate {
                positions: StridedMut::packed(&mut positions),
                normals: Some(StridedMut::packed(&mut normals)),
                tangents: None,
            };
            let job = SkinJob::new(mesh.influences(), &palette, Strided::packed(view.positions), output);
            SkinJob { normals: Some(Strided::packed(view.normals)), ..job }.run()?;
            figure.add(&positions, &normals, view.indices)?;
        }
        Ok(figure)
    }

    /// The figure at a time of a clip, or at rest.
    pub(crate) fn figure_at(&self, clip: Option<Playable<'_>>, time_s: f64) -> Result<Figure> {
        if let Some(Playable::Stream(name, stream)) = clip {
            let tape = Tape::Stream(stream.tape()?);
            let mut motion = Motion::cooked(name.to_owned(), self.stage.skeleton.clone(), tape);
            return self.figure(&motion.models(time_s)?);
        }
        let mut player = self.player.clone();
        if let Some(clip) = clip {
            player.play_with(clip.name(), PlayOptions { repeat: Repeat::Once, ..PlayOptions::default() })?;
            player.seek(time_s)?;
            player.update(0.0)?;
        }
        let mut figure = Figure::bones_of(self.stage, player.models());
        for mesh in player.skin()? {
            figure.add(mesh.positions, mesh.normals, mesh.indices)?;
        }
        Ok(figure)
    }
}

impl Figure {
    /// Without any mesh yet.
    fn bones_of(stage: &Stage, models: &[Mat4]) -> Self {
        Self {
            joints: models.iter().map(|m| [m.w_axis.x, m.w_axis.y, m.w_axis.z]).collect(),
            parents: (0..models.len()).map(|j| stage.skeleton.parent(j)).collect(),
            ..Self::default()
        }
    }

    fn add(&mut self, positions: &[[f32; 3]], normals: &[[f32; 3]], indices: &[u32]) -> Result<()> {
        let base = u32::try_from(self.positions.len())?;
        self.positions.extend(positions);
        self.normals.extend(normals);
        self.indices.extend(indices.iter().map(|i| i + base));
        Ok(())
    }

    /// What must be inside the picture.
    pub(crate) fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        let points = if self.positions.is_empty() { &self.joints } else { &self.positions };
        points.iter().for_each(|p| bounds.add(*p));
        bounds
    }

    /// The mean of the joints: the middle of the body, wherever the arms are.
    pub(crate) fn middle(&self) -> [f32; 3] {
        let n = self.joints.len() as f32;
        core::array::from_fn(|i| self.joints.iter().map(|p| p[i]).sum::<f32>() / n)
    }

    /// Scales about the origin, turns about the vertical, then moves.
    pub(crate) fn place(&mut self, scale: f32, yaw: f32, to: [f32; 3]) {
        let (sin, cos) = (libm::sinf(yaw), libm::cosf(yaw));
        let turn = |v: [f32; 3]| [v[0] * cos + v[2] * sin, v[1], v[2] * cos - v[0] * sin];
        for p in self.positions.iter_mut().chain(&mut self.joints) {
            let v = turn(*p);
            *p = core::array::from_fn(|i| v[i] * scale + to[i]);
        }
        self.normals.iter_mut().for_each(|n| *n = turn(*n));
    }

    /// Draws it. Bones are as thick as suits a figure of this height.
    pub(crate) fn draw(&self, canvas: &mut Canvas, look: &Look, height: f32) -> Result<()> {
        let light = Light::default();
        let bones = look.bones || self.positions.is_empty();
        if !self.positions.is_empty() {
            let color = if bones { look.body.mixed(palette::PAPER, 0.35) } else { look.body };
            let (positions, normals, indices) = (&self.positions, &self.normals, &self.indices);
            canvas.mesh(&Mesh { positions, normals, indices, color, colors: None }, &light)?;
        }
        if bones {
            if !self.positions.is_empty() {
                canvas.clear_depth();
            }
            let thickest = height * 0.016;
            let (positions, normals) = self.bones(thickest);
            let indices: Vec<u32> = (0..positions.len() as u32).collect();
            let (positions, normals, indices) = (&positions, &normals, &indices);
            canvas.mesh(&Mesh { positions, normals, indices, color: look.bone, colors: None }, &light)?;
            for (p, radius) in self.joints.iter().zip(self.balls(thickest)) {
                canvas.ball(*p, radius, look.bone.mixed(palette::INK, 0.55), &light)?;
            }
        }
        Ok(())
    }

    /// How large each joint's ball is: small where bones are short, so that fingers stay fingers.
    fn balls(&self, thickest: f32) -> Vec<f32> {
        let mut longest = vec![0.0_f32; self.joints.len()];
        for (joint, parent) in self.parents.iter().enumerate() {
            let Some(parent) = *parent else { continue };
            let length = distance(self.joints[parent], self.joints[joint]);
            for end in [joint, parent] {
                longest[end] = if length > longest[end] { length } else { longest[end] };
            }
        }
        let least = thickest * 0.25;
        let radius = |length: f32| match length * 0.16 {
            thin if thin > thickest => thickest,
            thin if thin < least => least,
            thin => thin,
        };
        longest.into_iter().map(|length| radius(length) * 0.62).collect()
    }

    /// A long octahedron from each joint's parent to the joint, as loose triangles with flat normals.
    fn bones(&self, thickest: f32) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        for (joint, parent) in self.parents.iter().enumerate() {
            let Some(parent) = parent else { continue };
            let (from, to) = (self.joints[*parent], self.joints[joint]);
            let length = distance(from, to);
            if length < 1e-6 {
                continue;
            }
            let along = scale(sub(to, from), 1.0 / length);
            let aside = if along[1].abs() < 0.9 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
            let u = unit(cross(along, aside));
            let v = cross(along, u);
            let wide = if length * 0.16 < thickest { length * 0.16 } else { thickest };
            // From the floor to the hips there is no bone, only a link.
            let wide = if self.parents[*parent].is_none() { wide * 0.3 } else { wide };
            let ring = add(from, scale(along, length * 0.18));
            let corner = |k: usize| {
                let (a, b) = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][k % 4];
                add(ring, add(scale(u, a * wide), scale(v, b * wide)))
            };
            for k in 0..4 {
                for t in [[from, corner(k + 1), corner(k)], [to, corner(k), corner(k + 1)]] {
                    let n = unit(cross(sub(t[1], t[0]), sub(t[2], t[0])));
                    positions.extend(t);
                    normals.extend([n; 3]);
                }
            }
        }
        (positions, normals)
    }

    /// Points dense enough to cast a shadow.
    pub(crate) fn cloud(&self) -> Vec<[f32; 3]> {
        if !self.positions.is_empty() {
            return self.positions.clone();
        }
        let mut cloud = self.joints.clone();
        for (joint, parent) in self.parents.iter().enumerate() {
            let Some(parent) = parent else { continue };
            let (from, to) = (self.joints[*parent], self.joints[joint]);
            let steps = ((distance(from, to) / 0.02) as usize).min(500);
            let at = |i: usize| add(from, scale(sub(to, from), i as f32 / steps as f32));
            cloud.extend((1..steps).map(at));
        }
        cloud
    }
}

fn add(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    core::array::from_fn(|i| a[i] + b[i])
}
fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    core::array::from_fn(|i| a[i] - b[i])
}
fn scale(a: [f32; 3], k: f32) -> [f32; 3] {
    a.map(|v| v * k)
}
fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    sub(b, a).iter().map(|v| v * v).sum::<f32>().sqrt()
}
/// Zero stays zero-ish: up, which no picture shows.
fn unit(a: [f32; 3]) -> [f32; 3] {
    let length = distance([0.0; 3], a);
    if length > 1e-12 { scale(a, 1.0 / length) } else { [0.0, 1.0, 0.0] }
}
