//! Sampling on every backend, beside ozz's figures and our goals.

use crate::{
    compression,
    jobs::Table,
    ozz::{self, Goal},
};
use anyhow::{Context, Result};
use lissom::{
    Clip, Cursor, Skeleton,
    job::{
        BlendJob, BlendLayer, LocalToModelJob, Mix, MixEntry, MixJob, MixScratch, Models, SampleJob,
        SampleTime, Update,
    },
    math::{Mat4, simd::Backend, soa::SoaTransform},
};
use lissom_bench::player::Way;
use lissom_build::{
    SkeletonBuilder,
    cook::{ClipBuilder, Effort, Form},
    import::{ozz as archive, rawclip},
    mannequin::{self, Motion},
    raw::{RawAnimation, RawSkeleton},
};
use lissom_cli::timing::best_ns;
use std::{fs, path::Path};

const ROUNDS: usize = 30;

/// A clip, and how fast ozz plays it: forward, backward, same time, random.
struct Subject {
    name: String,
    skeleton: Skeleton,
    clip: Clip,
    goals: Option<[Goal; 4]>,
}

/// A set of raw clips that is printed as one row a way: the geometric mean of its quotients.
struct Set {
    name: &'static str,
    goals: [[f64; 2]; 4],
    clips: Vec<Subject>,
}

/// What is sampled: made once, for all backends.
pub struct Stage {
    subjects: Vec<Subject>,
    sets: Vec<Set>,
}

fn subject(name: &str, skeleton: &RawSkeleton, animation: &RawAnimation, form: Form) -> Result<Subject> {
    let built = SkeletonBuilder::build(skeleton)?;
    let cooked = ClipBuilder { form, ..ClipBuilder::default() }.build(&built, animation)?;
    let clip = Clip::from_bytes(&cooked.bytes)?;
    Ok(Subject { name: name.into(), skeleton: built.skeleton, clip, goals: None })
}

impl Stage {
    /// The mannequin; with a folder that holds `assets/ozz/bin` also ozz's walk, and with `rawclips` in it the sets that
    /// ozz was measured on.
    pub fn new(folder: Option<&Path>) -> Result<Self> {
        let mut subjects = Vec::new();
        let skeleton = mannequin::skeleton();
        for (name, motion, form) in [
            ("mannequin walk", Motion::Walk, Form::Rows),
            ("mannequin walk, keys", Motion::Walk, Form::Keys),
            ("mannequin performance", Motion::Performance, Form::Rows),
        ] {
            subjects.push(subject(name, &skeleton, &mannequin::clip(motion), form)?);
        }
        let mut sets = Vec::new();
        if let Some(folder) = folder {
            let bin = folder.join("assets/ozz/bin");
            let read = |file: &str| -> Result<archive::OzzArchive> {
                let path = bin.join(file);
                Ok(archive::read(&fs::read(&path).with_context(|| path.display().to_string())?)?)
            };
            let (skeleton, walk) = (read("pab_skeleton.ozz")?, read("pab_walk.ozz")?);
            let skeleton = skeleton.skeletons().next().context("no skeleton")?;
            let walk = walk.animations().next().context("no animation")?.clone();
            let mut walk = subject("pab walk", skeleton, &walk, Form::Auto)?;
            walk.goals = Some(ozz::WALK);
            subjects.push(walk);
            let raw = folder.join("rawclips");
            if raw.is_dir() {
                sets.push(read_set("27 CMU clips", "cmu", ozz::CMU, &raw)?);
                sets.push(read_set("104 glTF clips", "gltf", ozz::GLTF, &raw)?);
            }
        }
        Ok(Self { subjects, sets })
    }

    /// Prints every row on one backend.
    pub fn print(&self, backend: Backend) {
        for subject in &self.subjects {
            let table = Table::new(backend);
            for (i, way) in Way::ALL.into_iter().enumerate() {
                let ns = play(subject, backend, way);
                table.row(&format!("{}, {}", subject.name, way.name()), ns, subject.goals.map(|g| g[i]));
            }
        }
        for set in &self.sets {
            let table = Table::new(backend);
            for (i, way) in Way::ALL.into_iter().enumerate() {
                let mut logs = 0.0;
                for subject in &set.clips {
                    let goal = subject.goals.expect("a set is what ozz was measured on")[i];
                    logs += libm::log(table.quotient(play(subject, backend, way), goal));
                }
                let mean = libm::exp(logs / set.clips.len() as f64);
                table.mean(&format!("{}, {}", set.name, way.name()), mean, set.goals[i]);
            }
        }
        if let Some(walk) = self.subjects.last() {
            character(walk, backend);
        }
    }
}

fn read_set(name: &'static str, folder: &str, goals: [[f64; 2]; 4], raw: &Path) -> Result<Set> {
    let table = raw.join("ozz-0.16.csv");
    let table = fs::read_to_string(&table).with_context(|| table.display().to_string())?;
    let mut clips = Vec::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.first() != Some(&folder) {
            continue;
        }
        let file = raw.join(folder).join(format!("{}.rawclip", fields[1]));
        let source = rawclip::read(&fs::read(&file).with_context(|| file.display().to_string())?)?;
        let skeleton = SkeletonBuilder::build(&source.skeleton)?;
        let builder = compression::builder(&source, &skeleton, 0.01, Effort::Default);
        let cooked = builder.build(&skeleton, &source.animation)?;
        let mut ns = [0.0; 4];
        for (ns, field) in ns.iter_mut().zip(&fields[5..9]) {
            *ns = field.parse().with_context(|| line.to_owned())?;
        }
        let goals = core::array::from_fn(|i| Goal::new(ns[i], goals[i][0], goals[i][1]));
        let clip = Clip::from_bytes(&cooked.bytes)?;
        clips.push(Subject { name: fields[1].into(), skeleton: skeleton.skeleton, clip, goals: Some(goals) });
    }
    Ok(Set { name, goals, clips })
}

/// Nanoseconds a joint.
fn play(subject: &Subject, backend: Backend, way: Way) -> f64 {
    let Subject { skeleton, clip, .. } = subject;
    let times = way.times(clip.view().duration_s());
    let mut cursor = Cursor::with_room_for(clip.view());
    // Two outputs in turn, so that nothing can be left out because it was written before.
    let mut outputs = [(); 2].map(|()| vec![SoaTransform::IDENTITY; skeleton.group_count()]);
    let ns = best_ns(ROUNDS, || {
        for (i, t) in times.iter().enumerate() {
            let output = &mut outputs[i % 2];
            SampleJob::new(skeleton, clip.view(), &mut cursor, output)
                .at(SampleTime::Clamped(*t))
                .run_on(backend)
                .expect("valid");
        }
    });
    ns / (times.len() * skeleton.joint_count()) as f64
}

/// One character: three samples a frame apart, a blend and model matrices; and the same as a mix.
fn character(subject: &Subject, backend: Backend) {
    let Subject { skeleton, clip, .. } = subject;
    let table = Table::new(backend);
    let groups = skeleton.group_count();
    let weights = [0.5, 0.3, 0.2];
    let duration = clip.view().duration_s();
    let at = |frame: u32, i: usize| SampleTime::Wrapped(f64::from(frame) / 60.0 + duration * 0.3 * i as f64);
    let mut poses = vec![vec![SoaTransform::IDENTITY; groups]; 3];
    let mut cursors = [(); 3].map(|()| Cursor::with_room_for(clip.view()));
    let mut blended = vec![SoaTransform::IDENTITY; groups];
    let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
    let mut frame = 0;
    let mut apart = |with_models: bool| {
        best_ns(200, || {
            frame += 1;
            for (i, (cursor, pose)) in cursors.iter_mut().zip(&mut poses).enumerate() {
                SampleJob::new(skeleton, clip.view(), cursor, pose)
                    .at(at(frame, i))
                    .run_on(backend)
                    .expect("valid");
            }
            let layer = |i: usize| BlendLayer { weight: weights[i], pose: &poses[i], joint_weights: None };
            let layers = [layer(0), layer(1), layer(2)];
            BlendJob::new(&layers, skeleton.rest_pose(), &mut blended).run_on(backend).expect("valid");
            if with_models {
                let (locals, models) = (&blended[..], Models::Mat4(&mut models));
                LocalToModelJob { skeleton, locals, root: None, update: Update::All, lod: None, models }
                    .run_on(backend)
                    .expect("valid");
            }
        })
    };
    table.row(&format!("{}, a character", subject.name), apart(true), Some(ozz::CHARACTER));
    let jobs = apart(false);
    let clips = [clip.clone(), clip.clone(), clip.clone()];
    let mut scratch = MixScratch::with_room_for(skeleton, &clips, 3);
    let mut frame = 0;
    let mixed = best_ns(200, || {
        frame += 1;
        let mut mix = Mix::EMPTY;
        for (i, weight) in weights.into_iter().enumerate() {
            assert!(mix.push(MixEntry::new(i, at(frame, i), weight)));
        }
        MixJob::new(skeleton, &clips, &mix, &mut scratch, &mut blended).run_on(backend).expect("valid");
    });
    table.row("three samples and a blend, as jobs", jobs, None);
    table.row("three samples and a blend, as a mix", mixed, None);
}
