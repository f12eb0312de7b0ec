//! The figures themselves: one function a family, each the minimum of many rounds.

use super::synthetic::Synthetic;
use crate::crowd::{LAYERS, Role, crowd_of};
use crate::source::{Motion, Tape};
use crate::stage::Stage;
use anyhow::Result;
use lissom::{
    Clip, Cursor,
    archive::MeshView,
    job::{BlendJob, BlendLayer, LocalToModelJob, PaletteJob, SampleJob, SampleTime, SkinJob},
    math::{Mat4, soa::Lanes},
    mesh::{SkinMesh, Strided, StridedMut, VertexOutput},
};
use lissom_build::exact::smaller;
use lissom_measure::timing::best_ns;
use std::time::{Duration, Instant};

/// One line of the table. `value` is `None` if there was a reason not to measure.
pub struct Figure {
    /// As JSON calls it.
    pub name: &'static str,
    /// What the value counts.
    pub unit: &'static str,
    /// `None` if it was not measured: the note says why.
    pub value: Option<f64>,
    /// What was measured.
    pub note: String,
}

/// How long to look at each figure.
#[derive(Clone, Copy)]
pub struct Patience {
    /// For one figure.
    pub each: Duration,
    /// At least this many rounds, however long they take.
    pub rounds: usize,
}

impl Patience {
    /// As long as `lissom bench` looks.
    pub const FULL: Self = Self { each: Duration::from_millis(500), rounds: 12 };
    /// Half a second in all.
    pub const QUICK: Self = Self { each: Duration::from_millis(15), rounds: 1 };

    /// ns of one call: the minimum of as many rounds as the patience allows.
    pub fn best_ns(self, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
        // The first error is kept and the rest skipped, so that a round stays a plain closure.
        let mut failed = Ok(());
        let start = Instant::now();
        work()?;
        let once = start.elapsed().max(Duration::from_micros(200));
        let rounds = (self.each.as_nanos() / once.as_nanos()) as usize;
        let rounds = rounds.clamp(self.rounds, 1000);
        let ns = best_ns(rounds, || {
            if failed.is_ok() {
                failed = work();
            }
        });
        failed.map(|()| ns)
    }
}

/// What is measured: a stage, the clip asked for, and its companions.
pub struct Subject<'a> {
    /// Whose skeleton and meshes.
    pub stage: &'a Stage,
    /// The clip asked for first; others of the file after it, in order.
    pub clips: Vec<&'a Clip>,
    /// How long each figure is looked at.
    pub patience: Patience,
}

impl Subject<'_> {
    fn joints(&self) -> f64 {
        self.stage.skeleton.joint_count() as f64
    }

    fn motion(&self, clip: &Clip) -> Motion {
        Motion::cooked(String::new(), self.stage.skeleton.clone(), Tape::Clip(clip.clone()))
    }

    /// The clip of a layer, and how far ahead it plays: with few clips the same ones at other phases.
    fn layer(&self, layer: usize) -> (usize, f64) {
        let clip = layer % self.clips.len();
        let lap = layer / self.clips.len();
        (clip, (0.29 * lap as f64).fract())
    }

    /// `sample_*`: ns a joint for each way through the clip.
    pub fn sample(&self) -> Result<Vec<Figure>> {
        let skeleton = &self.stage.skeleton;
        let view = self.clips[0].view();
        let duration = view.duration_s();
        let frames = ((duration * 60.0) as u32).clamp(2, 3600);
        let forward: Vec<f64> = (0..frames).map(|f| f64::from(f) / 60.0).collect();
        let backward: Vec<f64> = forward.iter().rev().copied().collect();
        // Two instants of one key interval in turn.
        let same = [0.4 * duration, 0.4 * duration + smaller(duration, 1.0) * 1e-4].repeat(64);
        let scattered = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        let random: Vec<f64> = (0..500).map(|i| scattered(i) * duration).collect();
        // Two outputs in turn, so that nothing can be left out because it was written before.
        let mut outputs = [skeleton.rest_pose().to_vec(), skeleton.rest_pose().to_vec()];
        let mut cursor = Cursor::with_room_for(view);
        let ways = [
            ("sample_forward", &forward, "60 frames per second"),
            ("sample_backward", &backward, "60 frames per second"),
            ("sample_same", &same, "two instants of one key interval in turn"),
            ("sample_random", &random, "500 times anywhere in the clip"),
        ];
        ways.into_iter()
            .map(|(name, times, note)| {
                let ns = self.patience.best_ns(|| {
                    for (i, t) in times.iter().enumerate() {
                        let (time, output) = (SampleTime::Clamped(*t), &mut outputs[i % 2]);
                        SampleJob { skeleton, clip: view, time, lod: None, cursor: &mut cursor, output }
                            .run()?;
                    }
                    Ok(())
                })?;
                let value = Some(ns / times.len() as f64 / self.joints());
                Ok(Figure { name, unit: "ns/joint", value, note: note.into() })
            })
            .collect()
    }

    /// `blend_2`, `blend_3`, `blend_4` and `local_to_model`: ns a joint.
    pub fn pose(&self) -> Result<Vec<Figure>> {
        let skeleton = &self.stage.skeleton;
        let mut poses = Vec::new();
        for layer in 0..4 {
            let (clip, phase) = self.layer(layer);
            let clip = self.clips[clip];
            let time_s = clip.view().duration_s() * (0.2 + phase).fract();
            poses.push(self.motion(clip).pose(time_s)?.to_vec());
        }
        let layers: Vec<_> = (0..4)
            .map(|i| BlendLayer { weight: 0.4 - 0.08 * i as f32, pose: &poses[i], joint_weights: None })
            .collect();
        let mut output = skeleton.rest_pose().to_vec();
        let mut figures = Vec::new();
        for (name, count) in [("blend_2", 2), ("blend_3", 3), ("blend_4", 4)] {
            let ns = self.patience.best_ns(|| {
                Ok(BlendJob {
                    layers: &layers[..count],
                    additive: &[],
                    threshold: BlendJob::DEFAULT_THRESHOLD,
                    rest: skeleton.rest_pose(),
                    lod: None,
                    output: &mut output,
                }
                .run()?)
            })?;
            let note = format!("{count} whole poses");
            figures.push(Figure { name, unit: "ns/joint", value: Some(ns / self.joints()), note });
        }
        let mut lines = vec![Lanes::splat(0.0); skeleton.joint_count()];
        let models: &mut [Mat4] = bytemuck::cast_slice_mut(&mut lines);
        let ns = self.patience.best_ns(|| Ok(LocalToModelJob::new(skeleton, &poses[0], models).run()?))?;
        let (value, note) = (Some(ns / self.joints()), "4x4 matrices".into());
        figures.push(Figure { name: "local_to_model", unit: "ns/joint", value, note });
        Ok(figures)
    }

    /// `skin_p`, `skin_pn`, `skin_pnt`: ns a vertex.
    pub fn skin(&self) -> Result<Vec<Figure>> {
        const SYNTHETIC: usize = 10_000;
        let joints = self.stage.skeleton.joint_count();
        let synthetic = Synthetic::new(SYNTHETIC, joints);
        let own = self.stage.vertex_count() > 0;
        // What a game does once when it loads a mesh is not measured.
        let meshes: Vec<(MeshView<'_>, SkinMesh<'_>)> = if own {
            self.stage.meshes.iter().map(|m| (m.view(), m.influences())).collect()
        } else {
            vec![(synthetic.view(), SkinMesh::new(synthetic.view().influences())?)]
        };
        let vertices: usize = meshes.iter().map(|(m, _)| m.positions.len()).sum();
        let note =
            if own { format!("{vertices} vertices") } else { format!("{vertices} synthetic vertices") };
        let models = self.motion(self.clips[0]).models(self.clips[0].view().duration_s() * 0.2)?;
        let mut ready = Vec::new();
        for (view, mesh) in meshes {
            let mut palette = vec![Mat4::IDENTITY; view.inverse_binds.len()];
            PaletteJob::new(&models, view.inverse_binds, &mut palette).run()?;
            ready.push((view, mesh, palette));
        }
        let most = ready.iter().map(|(view, ..)| view.positions.len()).max().unwrap_or(0);
        let mut outputs: [Vec<[f32; 3]>; 3] = core::array::from_fn(|_| vec![[0.0; 3]; most]);
        let mut figures = Vec::new();
        for (name, attributes) in [("skin_p", 1), ("skin_pn", 2), ("skin_pnt", 3)] {
            let ns = self.patience.best_ns(|| {
                for (view, mesh, palette) in &ready {
                    run_skin(view, *mesh, palette, attributes, &mut outputs)?;
                }
                Ok(())
            })?;
            figures.push(Figure {
                name,
                unit: "ns/vertex",
                value: Some(ns / vertices as f64),
                note: note.clone(),
            });
        }
        Ok(figures)
    }

    /// `crowd_1` to `crowd_10000`: µs a character for three samples, a blend and local-to-model, as a crowd does them.
    pub fn crowd(&self) -> Result<Vec<Figure>> {
        let counts = [("crowd_1", 1), ("crowd_100", 100), ("crowd_1000", 1000), ("crowd_10000", 10_000)];
        counts.into_iter().map(|(name, count)| self.crowd_of(name, count)).collect()
    }

    fn crowd_of(&self, name: &'static str, count: usize) -> Result<Figure> {
        /// More than this is somebody else's memory.
        const MOST_BYTES: usize = 3 << 30;
        let unit = "µs/character";
        let skeleton = &self.stage.skeleton;
        let roles: Vec<Role> = (0..count).map(|i| self.role(i)).collect();
        let (one, members) = crowd_of(skeleton, &self.clips, &roles[..1])?;
        let bytes = count * (one.member_bytes(members[0])? + skeleton.joint_count() * size_of::<Mat4>());
        let kinds = self.clips.len().min(LAYERS);
        let note = format!(
            "{LAYERS} samples of {}, blend, local to model; {:.1} MB",
            if kinds == 1 { "one clip".into() } else { format!("{kinds} clips") },
            bytes as f64 / 1e6
        );
        if bytes > MOST_BYTES {
            let note = format!("not measured: {:.1} GB of state and matrices", bytes as f64 / 1e9);
            return Ok(Figure { name, unit, value: None, note });
        }
        let (mut crowd, _) = crowd_of(skeleton, &self.clips, &roles)?;
        let patience = Patience { each: self.patience.each * 2, rounds: self.patience.rounds };
        let ns = patience.best_ns(|| Ok(crowd.update(1.0 / 60.0)?))?;
        Ok(Figure { name, unit, value: Some(ns / 1000.0 / count as f64), note })
    }

    /// Character `i` of a crowd: every one at its own phase.
    fn role(&self, i: usize) -> Role {
        let layers: [(usize, f64); LAYERS] = core::array::from_fn(|l| self.layer(l));
        let own = (i as f64 * 0.618_033_988_749_895).fract();
        Role {
            clips: layers.map(|l| l.0),
            weights: [0.5, 0.3, 0.2],
            phases: layers.map(|l| (l.1 + own).fract()),
            in_step: false,
        }
    }
}

fn run_skin(
    skin: &MeshView<'_>,
    mesh: SkinMesh<'_>,
    palette: &[Mat4],
    attributes: usize,
    [positions, normals, tangents]: &mut [Vec<[f32; 3]>; 3],
) -> Result<()> {
    // What turning them costs is the same whatever they are: normals stand in where a mesh has no tangents.
    let across =
        if skin.tangents.is_empty() { Strided::packed(skin.normals) } else { Strided::packed(skin.tangents) };
    Ok(SkinJob {
        mesh,
        vertex_count: skin.positions.len(),
        palette,
        vector_palette: None,
        positions: Strided::packed(skin.positions),
        normals: (attributes > 1).then(|| Strided::packed(skin.normals)),
        tangents: (attributes > 2).then_some(across),
        output: VertexOutput::Separate {
            positions: StridedMut::packed(positions),
            normals: (attributes > 1).then(|| StridedMut::packed(normals)),
            tangents: (attributes > 2).then(|| StridedMut::packed(tangents)),
        },
    }
    .run()?)
}
