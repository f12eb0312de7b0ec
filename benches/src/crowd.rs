//! Crowds: microseconds a character against the number of characters, beside a plain loop over the jobs.

use anyhow::{Context, Result};
use lissom::{
    Clip, Cursor, Skeleton,
    archive::Archive,
    job::{BlendJob, BlendLayer, LocalToModelJob, SampleJob, SampleTime},
    math::{Mat4, soa::SoaTransform},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::ArchiveWriter,
    cook::{ClipBuilder, Effort, Form},
    import::ozz as ozz_archive,
    mannequin::{self, Motion},
    raw::{RawAnimation, RawSkeleton},
};
use lissom_cli::timing::{best_of_s, calibration_ns};
use lissom_motion::{
    RootStep,
    crowd::{Crowd, Executor, Member, Outputs, PaletteFormat, Part, Rayon, Role, Serial},
};
use std::{fs, hint::black_box, path::Path};

const DT_S: f64 = 1.0 / 60.0;
const WEIGHTS: [f32; 3] = [0.5, 0.3, 0.2];
/// What a character of the plain loop takes is measured up to here: its cursors are 17 kB.
const MOST_PLAIN: usize = 10_000;

/// A skeleton and three gaits.
struct Subject {
    name: &'static str,
    skeleton: RawSkeleton,
    gaits: Vec<RawAnimation>,
}

impl Subject {
    fn mannequin() -> Self {
        let gaits = [Motion::Walk, Motion::Jog, Motion::Run].map(mannequin::clip).into();
        Self { name: "mannequin", skeleton: mannequin::skeleton(), gaits }
    }

    /// The walk, jog and run of ozz's character.
    fn ozz(folder: &Path) -> Result<Self> {
        let read = |file: &str| -> Result<ozz_archive::OzzArchive> {
            let path = folder.join("assets/ozz/bin").join(file);
            Ok(ozz_archive::read(&fs::read(&path).with_context(|| path.display().to_string())?)?)
        };
        let skeleton = read("pab_skeleton.ozz")?.skeletons().next().context("no skeleton")?.clone();
        let gait = |file: &str| -> Result<RawAnimation> {
            Ok(read(file)?.animations().next().context("no animation")?.clone())
        };
        let gaits =
            ["pab_walk.ozz", "pab_jog.ozz", "pab_run.ozz"].map(gait).into_iter().collect::<Result<_>>()?;
        Ok(Self { name: "ozz's character", skeleton, gaits })
    }

    /// An archive with so many clips: the gaits, over and over at other precisions.
    fn stage(&self, clips: usize, form: Form) -> Result<Stage> {
        let built = SkeletonBuilder::build(&self.skeleton)?;
        let mut writer = ArchiveWriter::new().skeleton("skeleton", &built.skeleton)?;
        let mut all = Vec::new();
        for i in 0..clips {
            let precision = 1.0e-4 * (1.0 + (i / 3) as f64 * 0.01);
            let builder = ClipBuilder { form, effort: Effort::Fast, precision, ..ClipBuilder::default() };
            let bytes = builder.build(&built, &self.gaits[i % 3])?.bytes;
            all.push(Clip::from_bytes(&bytes)?);
            writer = writer.clip(u16::from(bytes[4]), &format!("clip {i}"), bytes)?;
        }
        let archive = Archive::read(&writer.finish()?)?;
        Ok(Stage { built, clips: all, archive })
    }
}

struct Stage {
    built: BuiltSkeleton,
    clips: Vec<Clip>,
    archive: Archive,
}

/// Character `i`: three clips of its own, each somewhere.
fn role(i: usize, clips: usize) -> [(usize, f64); 3] {
    let first = if clips > 3 { i * 3 % (clips - 2) } else { 0 };
    core::array::from_fn(|layer| {
        let share = i as f64 * 0.618_033_988_749_895 + layer as f64 * 0.3;
        (first + layer, share - libm::floor(share))
    })
}

/// The jobs one after the other, each character with its own cursors: what a game without a crowd does.
struct Plain<'a> {
    stage: &'a Stage,
    cursors: Vec<[Cursor; 3]>,
    models: Vec<Mat4>,
    layers: [Vec<SoaTransform>; 3],
    blended: Vec<SoaTransform>,
    time_s: f64,
}

impl<'a> Plain<'a> {
    fn new(stage: &'a Stage, count: usize) -> Self {
        let skeleton = &stage.built.skeleton;
        let cursor = |(clip, _): (usize, f64)| Cursor::with_room_for(stage.clips[clip].view());
        Self {
            stage,
            cursors: (0..count).map(|i| role(i, stage.clips.len()).map(cursor)).collect(),
            models: vec![Mat4::IDENTITY; count * skeleton.joint_count()],
            layers: core::array::from_fn(|_| skeleton.rest_pose().to_vec()),
            blended: skeleton.rest_pose().to_vec(),
            time_s: 0.0,
        }
    }

    fn update(&mut self) -> Result<()> {
        let Self { stage, cursors, models, layers, blended, time_s } = self;
        let skeleton: &Skeleton = &stage.built.skeleton;
        *time_s += DT_S;
        let rows = models.chunks_exact_mut(skeleton.joint_count());
        for (i, (cursors, models)) in cursors.iter_mut().zip(rows).enumerate() {
            let roles = role(i, stage.clips.len());
            for ((cursor, output), (clip, share)) in cursors.iter_mut().zip(&mut *layers).zip(roles) {
                let clip = stage.clips[clip].view();
                let time = SampleTime::Wrapped(*time_s + share * clip.duration_s());
                SampleJob { skeleton, clip, time, lod: None, cursor, output }.run()?;
            }
            let layer = |i: usize| BlendLayer { weight: WEIGHTS[i], pose: &layers[i], joint_weights: None };
            BlendJob::new(&[layer(0), layer(1), layer(2)], skeleton.rest_pose(), blended).run()?;
            LocalToModelJob::new(skeleton, blended, models).run()?;
        }
        Ok(())
    }
}

/// A crowd of so many.
fn crowd(stage: &Stage, count: usize, outputs: Outputs) -> Result<(Crowd, Vec<Member>)> {
    let mut crowd = Crowd::new(&stage.archive)?;
    crowd.set_outputs(outputs);
    let numbers =
        (0..stage.clips.len()).map(|i| crowd.clip(&format!("clip {i}"))).collect::<Result<Vec<u16>, _>>()?;
    let mut members = Vec::with_capacity(count);
    for i in 0..count {
        let roles = role(i, stage.clips.len());
        let part = |layer: usize| Part::new(numbers[roles[layer].0], WEIGHTS[layer]).at(roles[layer].1);
        members.push(crowd.add(Role::Parts(&[part(0), part(1), part(2)]), RootStep::IDENTITY)?);
    }
    Ok((crowd, members))
}

/// Microseconds a character.
fn us_each(count: usize, mut update: impl FnMut() -> Result<()>) -> Result<f64> {
    // A frame of few is too short for a clock.
    let frames = (200 / count).max(1);
    let mut result = update().and_then(|()| update());
    let best = best_of_s(0.7, 400, |timer| {
        timer(&mut || {
            for _ in 0..frames {
                if let Err(error) = update() {
                    result = Err(error);
                }
            }
        });
    });
    result.map(|()| best * 1e6 / (count * frames) as f64)
}

fn crowd_us(stage: &Stage, count: usize, outputs: Outputs, executor: &dyn Executor) -> Result<f64> {
    let (mut crowd, _) = crowd(stage, count, outputs)?;
    us_each(count, || Ok(crowd.update_on(DT_S, executor)?))
}

const MODELS: Outputs =
    Outputs { models: true, palettes: None, before: false, space: lissom_motion::crowd::Space::Model };
const NOTHING: Outputs = Outputs { models: false, ..MODELS };
const PALETTES: Outputs = Outputs { palettes: Some(PaletteFormat::F32), ..NOTHING };
const HALVES: Outputs = Outputs { palettes: Some(PaletteFormat::F16), ..NOTHING };

/// Bytes a second that one thread writes, in GB.
fn fill_gb_s() -> f64 {
    let mut memory = vec![0_u64; 32 << 20];
    let mut value = 1;
    let seconds = best_of_s(1.0, 20, |timer| {
        timer(&mut || {
            value += 1;
            memory.fill(black_box(value));
        });
    });
    black_box(&memory);
    (memory.len() * 8) as f64 / seconds / 1e9
}

/// Prints the tables.
///
/// # Errors
///
/// A folder without ozz's files.
pub fn print(folder: Option<&Path>) -> Result<()> {
    println!("calibration {:.2} ns; one thread fills {:.1} GB/s", calibration_ns(), fill_gb_s());
    let mut subjects = vec![Subject::mannequin()];
    if let Some(folder) = folder {
        subjects.push(Subject::ozz(folder)?);
    }
    for subject in &subjects {
        let stage = subject.stage(3, Form::Rows)?;
        println!(
            "\n{}, {} joints, three gaits, us a character",
            subject.name,
            stage.built.skeleton.joint_count()
        );
        table(&stage, &[1, 100, 1_000, 10_000, 100_000])?;
        shares(&stage, 1_000)?;
    }
    let stage = subjects[0].stage(200, Form::Rows)?;
    println!("\nmannequin, 200 clips, us a character");
    table(&stage, &[1_000, 10_000])?;
    println!(
        "\nozz, three samples, a blend, model matrices: 2.44 us alone, 2.8 at 100, 3.1 at 1,000, 4.6 to 5.0 at 10,000"
    );
    Ok(())
}

fn table(stage: &Stage, counts: &[usize]) -> Result<()> {
    println!(
        "| characters | plain jobs | crowd, matrices | of plain | goal | f32 palettes | goal | half | 2 threads, matrices | times |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    for &count in counts {
        let plain = if count <= MOST_PLAIN {
            let mut plain = Plain::new(stage, count);
            us_each(count, || plain.update())?
        } else {
            f64::NAN
        };
        let models = crowd_us(stage, count, MODELS, &Serial)?;
        let palettes = crowd_us(stage, count, PALETTES, &Serial)?;
        let halves = crowd_us(stage, count, HALVES, &Serial)?;
        let two = pool.install(|| crowd_us(stage, count, MODELS, &Rayon))?;
        println!(
            "| {count} | {plain:.2} | {models:.2} | {:.2} | 0.7 | {palettes:.2} | 0.9 | {halves:.2} | {two:.2} | {:.2} |",
            models / plain,
            models / two
        );
    }
    Ok(())
}

/// What each stage takes, by leaving out what comes after it.
fn shares(stage: &Stage, count: usize) -> Result<()> {
    let (mut unseen, members) = crowd(stage, count, MODELS)?;
    unseen.set_seen(&members, false)?;
    let decided = us_each(count, || Ok(unseen.update(DT_S)?))?;
    let posed = crowd_us(stage, count, NOTHING, &Serial)?;
    let written = crowd_us(stage, count, MODELS, &Serial)?;
    let palettes = crowd_us(stage, count, PALETTES, &Serial)?;
    println!(
        "of {count}: decide {decided:.3}; sample, blend and local to model {:.3}; write matrices {:.3}; palettes instead {:.3}",
        posed - decided,
        written - posed,
        palettes - posed
    );
    println!("{} bytes a character without outputs", unseen.member_bytes(members[0])?);
    Ok(())
}
