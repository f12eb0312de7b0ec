//! Crowds: microseconds a character against the number of characters, beside a plain loop over the jobs.

use anyhow::{Context, Result};
use lissom::{
    Clip, Cursor, JointLod, Skeleton,
    archive::{Archive, SectionKind},
    clip::DecodedClip,
    job::{
        BlendJob, BlendLayer, Ground, LocalToModelJob, Mix, MixEntry, MixJob, MixScratch, SampleJob,
        SampleTime,
    },
    math::{Mat4, Vec3, soa::SoaTransform},
    pose::{Legs, Pose},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::ArchiveWriter,
    cook::{ClipBuilder, Effort, Form},
    import::ozz as ozz_archive,
    mannequin::{self, Detail, GRAPH, GRAPH_MOTIONS, Motion},
    pipeline,
    raw::{RawAnimation, RawSkeleton},
};
use lissom_draw::chart::{Lines, Series};
use lissom_measure::timing::{best_of_s, calibration_ns};
use lissom_motion::{
    Graph, RootStep,
    crowd::{
        Crowd, Executor, Member, Outputs, PaletteFormat, PlayedClip, PoseHook, Rayon, Role, Serial, Space,
    },
};
use std::{fs, hint::black_box, path::Path, sync::Arc};

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

    /// An archive with this number of clips: the gaits, over and over at other precisions.
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
        let bytes = writer.finish()?;
        let archive = Archive::read(&bytes)?;
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

/// A crowd of this size.
fn crowd(stage: &Stage, count: usize, outputs: Outputs) -> Result<(Crowd, Vec<Member>)> {
    crowd_of(stage, count, outputs, |i| role(i, stage.clips.len()))
}

fn crowd_of(
    stage: &Stage,
    count: usize,
    outputs: Outputs,
    role: impl Fn(usize) -> [(usize, f64); 3],
) -> Result<(Crowd, Vec<Member>)> {
    let mut crowd = Crowd::new(&stage.archive)?;
    crowd.set_outputs(outputs);
    let numbers =
        (0..stage.clips.len()).map(|i| crowd.clip(&format!("clip {i}"))).collect::<Result<Vec<u16>, _>>()?;
    let mut members = Vec::with_capacity(count);
    for i in 0..count {
        let roles = role(i);
        let part = |layer: usize| PlayedClip::new(numbers[roles[layer].0], WEIGHTS[layer]).at(roles[layer].1);
        members.push(crowd.add(Role::Clips(&[part(0), part(1), part(2)]), RootStep::IDENTITY)?);
    }
    Ok((crowd, members))
}

/// Microseconds a character.
fn us_each(count: usize, mut update: impl FnMut() -> Result<()>) -> Result<f64> {
    // A frame of few is too short for a clock.
    let frames = (200 / count).max(1);
    let mut result = update().and_then(|()| update());
    let best = best_of_s(0.35, 400, |timer| {
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

const MODELS: Outputs = Outputs {
    models: true,
    palettes: None,
    before: false,
    space: Space::Model,
    between: false,
    morphs: false,
    mixes: false,
};
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

/// Prints the tables, and draws the plot.
///
/// # Errors
///
/// A folder without ozz's files; a plot that cannot be written.
pub fn print(folder: Option<&Path>, plot: Option<&Path>) -> Result<()> {
    println!("calibration {:.2} ns; one thread fills {:.1} GB/s", calibration_ns(), fill_gb_s());
    let mut subjects = vec![Subject::mannequin()];
    if let Some(folder) = folder {
        subjects.push(Subject::ozz(folder)?);
    }
    let mut series = Vec::new();
    for subject in &subjects {
        let stage = subject.stage(3, Form::Rows)?;
        let joints = stage.built.skeleton.joint_count();
        println!("\n{}, {joints} joints, three gaits, us a character", subject.name);
        series.extend(table(&stage, subject.name, &[1, 100, 1_000, 10_000, 100_000])?);
        shares(&stage, 1_000)?;
        phases(&stage, 10_000)?;
        details(&stage, 10_000)?;
    }
    let stage = subjects[0].stage(200, Form::Rows)?;
    println!("\nmannequin, 200 clips, us a character");
    table(&stage, "200 clips", &[1_000, 10_000])?;
    own_graph(&[1, 100, 500, 1_000, 10_000])?;
    println!(
        "\nozz, three samples, a blend, model matrices: 2.44 us alone, 2.8 at 100, 3.1 at 1,000, 4.6 to 5.0 at 10,000"
    );
    if let Some(plot) = plot {
        series.push(Series {
            name: "ozz 0.16, recorded".into(),
            points: vec![(1.0, 2.44), (100.0, 2.8), (1_000.0, 3.1), (10_000.0, 4.8)],
        });
        let title = "Three clips blended, 64 to 67 joints, one thread";
        let (x_name, y_name) = ("characters", "microseconds a character");
        let svg = Lines { title, x_name, y_name, series: &series }.draw().to_svg()?;
        fs::write(plot, svg).with_context(|| plot.display().to_string())?;
    }
    Ok(())
}

/// The table, and two of its columns as curves.
fn table(stage: &Stage, name: &str, counts: &[usize]) -> Result<[Series; 2]> {
    println!(
        "| characters | plain jobs | crowd, matrices | of plain | goal | f32 palettes | goal | half | 2 threads, matrices | times |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let mut curves =
        ["plain jobs", "crowd"].map(|what| Series { name: format!("{name}, {what}"), points: Vec::new() });
    for &count in counts {
        let plain = if count <= MOST_PLAIN {
            let mut plain = Plain::new(stage, count);
            Some(us_each(count, || plain.update())?)
        } else {
            None
        };
        let models = crowd_us(stage, count, MODELS, &Serial)?;
        let palettes = crowd_us(stage, count, PALETTES, &Serial)?;
        let halves = crowd_us(stage, count, HALVES, &Serial)?;
        let two = pool.install(|| crowd_us(stage, count, MODELS, &Rayon))?;
        let (alone, of_plain) = match plain {
            Some(plain) => (format!("{plain:.2}"), format!("{:.2}", models / plain)),
            None => Default::default(),
        };
        println!(
            "| {count} | {alone} | {models:.2} | {of_plain} | 0.7 | {palettes:.2} | 0.9 | {halves:.2} | {two:.2} | {:.2} |",
            models / two
        );
        curves[0].points.extend(plain.map(|plain| (count as f64, plain)));
        curves[1].points.push((count as f64, models));
    }
    Ok(curves)
}

/// The mannequin by its own graph, as a game plays it: markers are told, roots travel, who goes how fast differs, and now
/// and then somebody jumps.
fn own_graph(counts: &[usize]) -> Result<()> {
    let scene = mannequin::game_scene(&GRAPH_MOTIONS, &Detail::default())?;
    let builder = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let archive = Archive::read(&pipeline::cook_scene(&scene, &builder, &pipeline::serial)?.archive)?;
    let graph = Arc::new(Graph::load(&archive, GRAPH)?);
    let (ahead, left, jump) = (graph.float("ahead")?, graph.float("left")?, graph.trigger("jump")?);
    println!("\nmannequin, its own graph with markers and root motion, us a character");
    println!(
        "| characters | decide | crowd, matrices | with feet on the ground | f32 palettes | 2 threads, palettes | events a frame |"
    );
    println!("|---|---|---|---|---|---|---|");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let legs =
        Legs::of(&*archive.skeleton(archive.names(SectionKind::Skeleton).next().context("a skeleton")?)?)?;
    let ground = |height| Some(Ground { place: Vec3::new(0.0, height, 0.0), normal: Vec3::Y });
    let stand = |_: Member, _: &RootStep, pose: &mut Pose<'_>| {
        pose.stand(&legs, &[ground(0.1), ground(0.0)], 1.0).map(drop)
    };
    for &count in counts {
        let mut told = 0.0;
        let mut time =
            |outputs: Outputs, seen: bool, executor: &dyn Executor, hook: &PoseHook<'_>| -> Result<f64> {
                let mut crowd = Crowd::new(&archive)?;
                crowd.set_outputs(outputs);
                let role = Role::Graph(crowd.add_graph(Arc::clone(&graph))?);
                let mut members = Vec::with_capacity(count);
                for i in 0..count {
                    let member = crowd.add(role, RootStep::IDENTITY)?;
                    let share = i as f64 * 0.618_033_988_749_895;
                    let share = (share - libm::floor(share)) as f32;
                    crowd.set(member, ahead, 4.0 * share)?;
                    crowd.set(member, left, 0.5 * (share - 0.5))?;
                    members.push(member);
                }
                crowd.set_seen(&members, seen)?;
                let (mut frames, mut events) = (0_usize, 0_usize);
                let us = us_each(count, || {
                    frames += 1;
                    if let Some(member) = members.get(frames * 7 % count.next_multiple_of(64)) {
                        crowd.trigger_each(&[*member], jump)?;
                    }
                    crowd.update_with(DT_S, executor, None, hook)?;
                    events += crowd.events().count();
                    Ok(())
                })?;
                told = events as f64 / frames as f64;
                Ok(us)
            };
        let none: &PoseHook<'_> = &|_, _, _| Ok(());
        let decided = time(MODELS, false, &Serial, none)?;
        let models = time(MODELS, true, &Serial, none)?;
        let standing = time(MODELS, true, &Serial, &stand)?;
        let palettes = time(PALETTES, true, &Serial, none)?;
        let two = pool.install(|| time(PALETTES, true, &Rayon, none))?;
        println!(
            "| {count} | {decided:.2} | {models:.2} | {standing:.2} | {palettes:.2} | {two:.2} | {told:.1} |"
        );
    }
    Ok(())
}

/// What each stage takes, by leaving out what comes after it.
fn shares(stage: &Stage, count: usize) -> Result<()> {
    let (mut unseen, members) = crowd(stage, count, MODELS)?;
    unseen.set_seen(&members, false)?;
    let decided = us_each(count, || Ok(unseen.update(DT_S)?))?;
    let mixed = mix_us(stage, count)?;
    let posed = crowd_us(stage, count, NOTHING, &Serial)?;
    let written = crowd_us(stage, count, MODELS, &Serial)?;
    let palettes = crowd_us(stage, count, PALETTES, &Serial)?;
    println!(
        "of {count}: decide {decided:.3}; sample and blend {mixed:.3}; local to model {:.3}; write matrices {:.3}; palettes instead {:.3}",
        posed - decided - mixed,
        written - posed,
        palettes - posed
    );
    let joints = stage.built.skeleton.joint_count();
    let keys: usize = stage.clips[..3].iter().map(of_moment).sum();
    println!(
        "bytes a character: {} of its own, {keys} of keys that it shares, {} of matrices or {} of f32 palettes written",
        unseen.member_bytes(members[0])?,
        joints * 64,
        joints * 48
    );
    Ok(())
}

/// What sorting by phase could give at most, and narrower keys: members in the order of their phases, and all at one.
fn phases(stage: &Stage, count: usize) -> Result<()> {
    let time = |share: &dyn Fn(usize) -> f64| -> Result<f64> {
        let role = |i: usize| core::array::from_fn(|layer| (layer, share(i)));
        let (mut crowd, _) = crowd_of(stage, count, MODELS, role)?;
        us_each(count, || Ok(crowd.update(DT_S)?))
    };
    let golden = |i: usize| i as f64 * 0.618_033_988_749_895;
    println!(
        "of {count}, matrices: phases in any order {:.3}, sorted {:.3}, one phase {:.3}",
        time(&|i| golden(i) - libm::floor(golden(i)))?,
        time(&|i| i as f64 / count as f64)?,
        time(&|_| 0.25)?
    );
    Ok(())
}

/// Bytes of a decoded clip that a moment reads.
fn of_moment(clip: &Clip) -> usize {
    let (rows, joints) = (clip.view().row_count() as usize, clip.view().joint_count());
    // Keys of their own times stand in pairs; of rows two are read.
    let pairs = if clip.view().stored_block(0).0.is_empty() { 2 } else { 1 };
    let still = joints.div_ceil(16) * size_of::<SoaTransform>();
    DecodedClip::bytes_of(clip.view()).map_or(0, |bytes| (bytes - still) / rows * pairs + still)
}

/// Sampling and blending alone, from decoded clips.
fn mix_us(stage: &Stage, count: usize) -> Result<f64> {
    let skeleton: &Skeleton = &stage.built.skeleton;
    let decoded: Vec<_> = stage.clips.iter().map(|clip| DecodedClip::new(clip.view(), skeleton)).collect();
    let mut scratch = MixScratch::with_room_for(skeleton, &stage.clips, 3);
    let mut pose = skeleton.rest_pose().to_vec();
    let mut time_s = 0.0;
    us_each(count, || {
        time_s += DT_S;
        for i in 0..count {
            let mut mix = Mix::EMPTY;
            for ((clip, share), weight) in role(i, stage.clips.len()).into_iter().zip(WEIGHTS) {
                let laps = share + time_s / stage.clips[clip].view().duration_s();
                let time = SampleTime::Ratio(laps - libm::floor(laps));
                anyhow::ensure!(mix.push(MixEntry::new(clip, time, weight)), "three entries");
            }
            let job = MixJob::new(skeleton, &stage.clips, &mix, &mut scratch, &mut pose);
            MixJob { decoded: &decoded, ..job }.run()?;
        }
        Ok(())
    })
}

/// Levels of detail and rates, alone and as a street has them.
fn details(stage: &Stage, count: usize) -> Result<()> {
    println!("\nof {count}, f32 palettes:\n| detail | us a character |\n|---|---|");
    let joints = stage.built.skeleton.joint_count();
    let line = |name: &str, of: &dyn Fn(usize) -> (u8, u8)| -> Result<()> {
        let (mut crowd, members) = crowd(stage, count, PALETTES)?;
        let levels = [
            0,
            crowd.add_level(JointLod::prefix(joints / 2))?,
            crowd.add_level(JointLod::prefix(joints / 4))?,
        ];
        for every in [1, 2, 4] {
            // All at once: their turns are then spread.
            let list: Vec<Member> = members
                .iter()
                .enumerate()
                .filter(|(i, _)| of(*i).1 == every)
                .map(|(_, member)| *member)
                .collect();
            crowd.set_rate(&list, every)?;
        }
        for (i, member) in members.iter().enumerate() {
            crowd.set_level(&[*member], levels[usize::from(of(i).0)])?;
        }
        println!("| {name} | {:.3} |", us_each(count, || Ok(crowd.update(DT_S)?))?);
        Ok(())
    };
    line("all joints, every update", &|_| (0, 1))?;
    line("half of the joints", &|_| (1, 1))?;
    line("a quarter of the joints", &|_| (2, 1))?;
    line("all joints, every second update", &|_| (0, 2))?;
    line("all joints, every fourth update", &|_| (0, 4))?;
    line("a tenth near; a third at half of the joints and rate; the rest at a quarter of both", &|i| match i
        % 10
    {
        0 => (0, 1),
        1..=3 => (1, 2),
        _ => (2, 4),
    })
}
