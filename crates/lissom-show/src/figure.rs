//! A pose as something to draw: skin as its materials say, or bones where there is none.

use crate::playable::Playable;
use crate::source::{Motion, Tape};
use crate::stage::{Motions, Stage};
use crate::surface::{self, Surface};
use anyhow::{Context, Result, bail};
use lissom::{
    Skeleton,
    job::{LocalToModelJob, MorphJob, PaletteJob, SkinJob},
    math::{Mat4, soa},
    mesh::{MorphTarget, MorphTargets, Strided, StridedMut, VertexOutput},
    player::{PlayOptions, Player, SkinnedMesh},
    track::Repeat,
};
use lissom_build::{edit::facing, exact::Trs, scene::SceneAnimation};
use lissom_draw::{Canvas, Color, Light, Mesh, Opacity, palette};
use std::ops::Range;
use std::sync::Arc;

/// Vertices in model space, mesh after mesh; and where the joints are.
#[derive(Clone, Default)]
pub struct Figure {
    /// Where the vertices are.
    pub positions: Vec<[f32; 3]>,
    /// Where they look.
    pub normals: Vec<[f32; 3]>,
    parts: Vec<Part>,
    /// Where the joints are.
    pub joints: Vec<[f32; 3]>,
    /// What each joint hangs on.
    pub parents: Vec<Option<usize>>,
    /// Joints that only carry the figure about: from a root down to where a body branches.
    carriers: Arc<[bool]>,
}

/// A mesh of a figure.
#[derive(Clone)]
struct Part {
    vertices: Range<usize>,
    surface: Arc<Surface>,
    /// Its triangles run the other way round in this pose: a joint mirrors it.
    mirrored: bool,
}

/// A box.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// The smallest coordinates.
    pub min: [f32; 3],
    /// The largest.
    pub max: [f32; 3],
}

/// What to draw, and how.
#[derive(Clone, Copy)]
pub struct Look {
    /// Of skin without a material.
    pub body: Color,
    /// Of bones.
    pub bone: Color,
    /// Bones over the skin.
    pub bones: bool,
    /// Colours, pictures and sides of materials; else everything is of the body's colour.
    pub materials: bool,
}

impl Default for Look {
    fn default() -> Self {
        let body = palette::PLASTER.mixed(palette::SAGE, 0.5);
        Self { body, bone: palette::CLAY, bones: false, materials: false }
    }
}

impl Bounds {
    const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Grows until a point is inside.
    pub fn add(&mut self, p: [f32; 3]) {
        for (i, v) in p.into_iter().enumerate() {
            if v < self.min[i] {
                self.min[i] = v;
            }
            if v > self.max[i] {
                self.max[i] = v;
            }
        }
    }

    /// From the smallest to the largest.
    pub fn size(&self) -> [f32; 3] {
        core::array::from_fn(|i| self.max[i] - self.min[i])
    }

    /// The longest side; 1 for a single point.
    pub fn extent(&self) -> f32 {
        let longest = self.size().into_iter().fold(0.0, |a, b| if b > a { b } else { a });
        if longest > 0.0 { longest } else { 1.0 }
    }
}

/// Makes figures of a stage.
pub struct Body<'a> {
    stage: &'a Stage,
    player: Player,
    surfaces: Vec<Arc<Surface>>,
    carriers: Arc<[bool]>,
    /// How far the figure has to turn to look along z.
    pub yaw: f32,
    /// Pictures of its materials that are not PNG, and not shown.
    pub unshown: usize,
}

impl<'a> Body<'a> {
    /// What a stage's skeleton and meshes are drawn with.
    ///
    /// # Errors
    /// If a mesh or a material cannot be read.
    pub fn new(stage: &'a Stage) -> Result<Self> {
        let player = Player::of_skeleton(&stage.archive, stage.skeleton_name()?)?;
        let skeleton = &*stage.skeleton;
        let (surfaces, unshown) =
            surface::of_skeleton(&stage.archive, skeleton.identity(), skeleton.joint_count())?;
        let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
        LocalToModelJob::new(skeleton, skeleton.rest_pose(), &mut models).run()?;
        let places: Vec<[f32; 3]> = models.iter().map(place_of).collect();
        let names: Vec<&str> = (0..places.len()).map(|j| skeleton.name(j)).collect();
        let (carriers, yaw) = (carriers(skeleton), facing(&names, &places));
        Ok(Self { stage, player, surfaces, carriers, yaw, unshown })
    }

    /// The figure of these matrices, its morph targets at their own weights.
    pub fn figure(&self, models: &[Mat4]) -> Result<Figure> {
        self.morphed(models, |_, _| None)
    }

    /// The figure of these matrices, with weights by mesh and target where there are any.
    fn morphed(&self, models: &[Mat4], weight: impl Fn(&str, &str) -> Option<f32>) -> Result<Figure> {
        let mut figure = self.bones(models);
        for surface in &self.surfaces {
            let view = surface.mesh.view();
            let (vertices, joints) = (view.positions.len(), view.inverse_binds.len());
            let (mut positions, mut normals) = (view.positions.to_vec(), view.normals.to_vec());
            let targets: Vec<MorphTarget<'_>> =
                surface.targets.iter().map(|(_, m)| m.view().target).collect();
            if !targets.is_empty() {
                let own = |(name, m): &(String, _)| {
                    let m: &lissom::archive::Morph = m;
                    weight(&surface.name, name).unwrap_or(m.view().weight)
                };
                let weights: Vec<f32> = surface.targets.iter().map(own).collect();
                let targets = MorphTargets::new(&targets, vertices)?;
                let output = output(&mut positions, &mut normals);
                let job = MorphJob::new(targets, &weights, Strided::packed(view.positions), output);
                MorphJob { normals: Some(Strided::packed(view.normals)), ..job }.run()?;
            }
            let mut palette = vec![Mat4::IDENTITY; joints];
            PaletteJob::new(models, view.inverse_binds, &mut palette).run()?;
            let (mut moved, mut turned) = (vec![[0.0_f32; 3]; vertices], vec![[0.0_f32; 3]; vertices]);
            let output = output(&mut moved, &mut turned);
            let job = SkinJob::new(surface.mesh.influences(), &palette, Strided::packed(&positions), output);
            SkinJob { normals: Some(Strided::packed(&normals)), ..job }.run()?;
            figure.add(&moved, &turned, surface);
        }
        Ok(figure)
    }

    /// The figure at a time of a clip, or at rest.
    pub fn figure_at(&self, clip: Option<Playable<'_>>, time_s: f64) -> Result<Figure> {
        match clip {
            Some(Playable::Stream(name, stream)) => {
                let tape = Tape::Stream(stream.tape()?);
                let mut motion = Motion::cooked(name.to_owned(), self.stage.skeleton.clone(), tape);
                return self.figure(&motion.models(time_s)?);
            }
            Some(Playable::Source(animation)) => return self.authored(animation, time_s),
            Some(Playable::Graph(played)) => {
                let mut animator = played.at(time_s)?;
                let figure = self.bones(animator.models());
                return self.skinned(figure, animator.body_mut().skin()?);
            }
            Some(Playable::Clip(_)) | None => {}
        }
        let mut player = self.player.clone();
        if let Some(clip) = clip {
            player.play_with(clip.name(), PlayOptions { repeat: Repeat::Once, ..PlayOptions::default() })?;
            player.seek(time_s)?;
            player.update(0.0)?;
        }
        let figure = self.bones(player.models());
        self.skinned(figure, player.skin()?)
    }

    /// With its meshes.
    fn skinned<'m>(
        &self,
        mut figure: Figure,
        meshes: impl Iterator<Item = SkinnedMesh<'m>>,
    ) -> Result<Figure> {
        for mesh in meshes {
            let own = self.surfaces.iter().find(|s| s.name == mesh.name);
            figure.add(mesh.positions, mesh.normals, own.context("a mesh of another skeleton")?);
        }
        Ok(figure)
    }

    /// As the file has it: nothing was cooked.
    fn authored(&self, animation: &SceneAnimation, time_s: f64) -> Result<Figure> {
        let Motions::Authored { skeleton: raw, raw_of_joint: order, .. } = &self.stage.motions else {
            bail!("an authored motion needs its authored skeleton");
        };
        let local = |joint: &usize| {
            let t = animation.motion.tracks[*joint].sample(time_s, raw.joints[*joint].rest);
            Trs { rotation: t.rotation.normalize(), ..t }.to_f32()
        };
        let pose = soa::from_transforms(&order.iter().map(local).collect::<Vec<_>>());
        let mut models = vec![Mat4::IDENTITY; order.len()];
        LocalToModelJob::new(&self.stage.skeleton, &pose, &mut models).run()?;
        let ratio = time_s / animation.motion.duration_s;
        self.morphed(&models, |mesh, target| animation.morph_weight(mesh, target, ratio).map(|w| w as f32))
    }

    /// Without any mesh yet.
    fn bones(&self, models: &[Mat4]) -> Figure {
        Figure {
            joints: models.iter().map(place_of).collect(),
            parents: (0..models.len()).map(|j| self.stage.skeleton.parent(j)).collect(),
            carriers: Arc::clone(&self.carriers),
            ..Figure::default()
        }
    }
}

fn place_of(m: &Mat4) -> [f32; 3] {
    [m.w_axis.x, m.w_axis.y, m.w_axis.z]
}

fn output<'a>(positions: &'a mut [[f32; 3]], normals: &'a mut [[f32; 3]]) -> VertexOutput<'a> {
    VertexOutput::Separate {
        positions: StridedMut::packed(positions),
        normals: Some(StridedMut::packed(normals)),
        tangents: None,
    }
}

/// Joints from a root down to where a body branches; none if that is nowhere.
fn carriers(skeleton: &Skeleton) -> Arc<[bool]> {
    let n = skeleton.joint_count();
    let mut children = vec![0_usize; n];
    for parent in (0..n).filter_map(|j| skeleton.parent(j)) {
        children[parent] += 1;
    }
    let mut carries = vec![false; n];
    // Parents first: the chain goes on from above.
    for joint in 0..n {
        carries[joint] = match skeleton.parent(joint) {
            None => children[joint] > 0,
            Some(parent) => carries[parent] && children[parent] == 1 && children[joint] == 1,
        };
    }
    let outside = carries.iter().filter(|c| !**c).count();
    // A rope is all chain: then it is the body.
    if outside < 3 { vec![false; n].into() } else { carries.into() }
}

impl Figure {
    fn add(&mut self, positions: &[[f32; 3]], normals: &[[f32; 3]], surface: &Arc<Surface>) {
        let start = self.positions.len();
        self.positions.extend(positions);
        self.normals.extend(normals);
        let vertices = start..self.positions.len();
        let mirrored = runs_backwards(positions, normals, surface.mesh.view().indices);
        self.parts.push(Part { vertices, surface: Arc::clone(surface), mirrored });
    }

    /// What must be inside the picture.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        if self.positions.is_empty() {
            self.body().for_each(|p| bounds.add(p));
        } else {
            self.positions.iter().for_each(|p| bounds.add(*p));
        }
        bounds
    }

    /// The joints of the body, without what only carries it.
    fn body(&self) -> impl Iterator<Item = [f32; 3]> + '_ {
        self.joints.iter().enumerate().filter(|(joint, _)| !self.carries(*joint)).map(|(_, p)| *p)
    }

    fn carries(&self, joint: usize) -> bool {
        self.carriers.get(joint) == Some(&true)
    }

    /// The mean of the body's joints: its middle, wherever the arms are.
    pub fn middle(&self) -> [f32; 3] {
        let n = self.body().count() as f32;
        core::array::from_fn(|i| self.body().map(|p| p[i]).sum::<f32>() / n)
    }

    /// Scales about the origin, turns about the vertical, then moves.
    pub fn place(&mut self, scale: f32, yaw: f32, to: [f32; 3]) {
        let (sin, cos) = (libm::sinf(yaw), libm::cosf(yaw));
        let turn = |v: [f32; 3]| [v[0] * cos + v[2] * sin, v[1], v[2] * cos - v[0] * sin];
        for p in self.positions.iter_mut().chain(&mut self.joints) {
            let v = turn(*p);
            *p = core::array::from_fn(|i| v[i] * scale + to[i]);
        }
        self.normals.iter_mut().for_each(|n| *n = turn(*n));
    }

    /// Draws it. Bones are as thick as suits a figure of this height.
    pub fn draw(&self, canvas: &mut Canvas, look: &Look, height: f32) -> Result<()> {
        let light = Light::default();
        let bones = look.bones || self.positions.is_empty();
        // What can be seen through comes last.
        let blended = |p: &&Part| look.materials && p.surface.opacity == Opacity::Blend;
        for part in self.parts.iter().filter(|p| !blended(p)).chain(self.parts.iter().filter(blended)) {
            self.draw_part(part, canvas, look, bones, &light)?;
        }
        if bones {
            if !self.positions.is_empty() {
                canvas.clear_depth();
            }
            let thickest = height * 0.016;
            let (positions, normals) = self.bones(thickest);
            let indices: Vec<u32> = (0..positions.len() as u32).collect();
            canvas.mesh(&Mesh::new(&positions, &normals, &indices, look.bone), &light)?;
            for (p, radius) in self.body().zip(self.balls(thickest)) {
                canvas.ball(p, radius, look.bone.mixed(palette::INK, 0.55), &light)?;
            }
        }
        Ok(())
    }

    fn draw_part(
        &self,
        part: &Part,
        canvas: &mut Canvas,
        look: &Look,
        faded: bool,
        light: &Light,
    ) -> Result<()> {
        let Part { vertices, surface, mirrored } = part;
        let (positions, normals) = (&self.positions[vertices.clone()], &self.normals[vertices.clone()]);
        let fade = |c: Color| if faded { c.mixed(palette::PAPER, 0.35) } else { c };
        let indices = surface.mesh.view().indices;
        if !look.materials {
            return Ok(canvas.mesh(&Mesh::new(positions, normals, indices, fade(look.body)), light)?);
        }
        let turned: Vec<u32>;
        let indices = if *mirrored {
            turned = indices.chunks_exact(3).flat_map(|t| [t[0], t[2], t[1]]).collect();
            &turned
        } else {
            indices
        };
        let color = fade(surface.color.unwrap_or(look.body));
        let mesh = Mesh {
            colors: surface.colors.as_deref(),
            texture: surface.texture.as_ref().map(|(texture, uvs)| (&**texture, uvs.as_slice())),
            alpha: surface.alpha,
            opacity: surface.opacity,
            culled: !surface.double_sided,
            ..Mesh::new(positions, normals, indices, color)
        };
        Ok(canvas.mesh(&mesh, light)?)
    }

    /// How large the ball of each joint of the body is: small where bones are short, so that fingers stay fingers.
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
        let balls = longest.into_iter().map(|length| radius(length) * 0.62).enumerate();
        balls.filter(|(joint, _)| !self.carries(*joint)).map(|(_, radius)| radius).collect()
    }

    /// A long octahedron from each joint's parent to the joint, as loose triangles with flat normals.
    fn bones(&self, thickest: f32) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        for (joint, parent) in self.parents.iter().enumerate() {
            // From where a figure is carried to its hips there is no bone.
            let Some(parent) = parent.filter(|p| !self.carries(*p)) else { continue };
            let (from, to) = (self.joints[parent], self.joints[joint]);
            let length = distance(from, to);
            if length < 1e-6 {
                continue;
            }
            let along = scale(sub(to, from), 1.0 / length);
            let aside = if along[1].abs() < 0.9 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
            let u = unit(cross(along, aside));
            let v = cross(along, u);
            let wide = if length * 0.16 < thickest { length * 0.16 } else { thickest };
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
    pub fn cloud(&self) -> Vec<[f32; 3]> {
        if !self.positions.is_empty() {
            return self.positions.clone();
        }
        let mut cloud: Vec<[f32; 3]> = self.body().collect();
        for (joint, parent) in self.parents.iter().enumerate() {
            let Some(parent) = parent.filter(|p| !self.carries(*p)) else { continue };
            let (from, to) = (self.joints[parent], self.joints[joint]);
            let steps = ((distance(from, to) / 0.02) as usize).min(500);
            let at = |i: usize| add(from, scale(sub(to, from), i as f32 / steps as f32));
            cloud.extend((1..steps).map(at));
        }
        cloud
    }
}

/// True if most triangles face away from their normals.
fn runs_backwards(positions: &[[f32; 3]], normals: &[[f32; 3]], indices: &[u32]) -> bool {
    let away = |t: &[u32]| {
        let [a, b, c] = [0, 1, 2].map(|i| t[i] as usize);
        let face = cross(sub(positions[b], positions[a]), sub(positions[c], positions[a]));
        let n = add(add(normals[a], normals[b]), normals[c]);
        face.iter().zip(n).map(|(f, n)| f * n).sum::<f32>() < 0.0
    };
    let triangles = indices.len() / 3;
    2 * indices.chunks_exact(3).filter(|t| away(t)).count() > triangles
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
