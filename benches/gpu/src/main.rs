//! Crowds on the GPU: for 100 to 1,000,000 mannequins the GPU's time by timestamps, the CPU's time, bytes uploaded a frame, and how far
//! palettes are from the CPU's.
//!
//! *GPU, busy* is the time of the pass in frames that follow each other at once, after a second of them that does not count: the device's clock is up.
//! *GPU, in frames* is the same between decisions of the CPU, where a device that waits may clock down; *whole frame* is from the
//! update's begin to the device's end.
//!
//! ```sh
//! cargo run --profile dist -p lissom-bench-gpu            # or with the largest crowd as an argument
//! ```
//!
//! The program needs nothing but a driver: copy it to a machine without cargo (CONTRIBUTING.md says what goes along).
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench prints, and promises no bits")]

use anyhow::{Context, Result};
use lissom::archive::Archive;
use lissom_build::{
    cook::{ClipBuilder, Effort},
    mannequin::{self, Detail, GRAPH, GRAPH_MOTIONS},
    pipeline,
};
use lissom_gpu::{GpuCrowd, GpuOptions, KeyFormat};
use lissom_motion::{
    Graph, RootStep,
    crowd::{Crowd, Member, Outputs, PaletteFormat, PlayedClip, Rayon, Role},
};
use std::{sync::Arc, time::Instant};
use wgpu::{Device, Features, Queue};

const DT_S: f64 = 1.0 / 60.0;
/// Frames before those that count, and those.
const FRAMES: [usize; 2] = [20, 50];
/// Seconds of passes before those that count, and these.
const WARM_S: f64 = 1.0;
const BUSY: usize = 50;
const WEIGHTS: [f32; 3] = [0.5, 0.3, 0.2];

fn main() -> Result<()> {
    let most = std::env::args().nth(1).map_or(Ok(1_000_000), |most| most.parse())?;
    let (device, queue, name) = pollster::block_on(device())?;
    println!("{name}");
    println!("timestamps: {}", device.features().contains(Features::TIMESTAMP_QUERY));
    let scene = mannequin::game_scene(&GRAPH_MOTIONS, &Detail::default())?;
    let builder = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let archive = Archive::read(&pipeline::cook_scene(&scene, &builder, &pipeline::serial)?.archive)?;
    let bench = Bench { device, queue, archive };
    println!("mannequin, three gaits at once; us a frame, least (median)");
    println!(
        "| what | members | GPU, busy, us | GPU, in frames, us | decide us | upload us | whole frame us | bytes a frame, steady | bytes a frame, 1 % in transition | off the CPU, mm | bytes on the device a member |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let plain = GpuOptions::default();
    let kinds: [(&str, GpuOptions, usize); 6] = [
        ("f32 keys", plain.clone(), 1_000_000),
        ("21-bit keys", GpuOptions { keys: KeyFormat::Rodrigues21, ..plain.clone() }, 100_000),
        ("halves", GpuOptions { format: PaletteFormat::F16, ..plain.clone() }, 100_000),
        ("models too", GpuOptions { models: true, ..plain.clone() }, 100_000),
        ("frame before", GpuOptions { before: true, ..plain.clone() }, 100_000),
        ("boxes", GpuOptions { spheres: Some(Vec::new()), ..plain }, 100_000),
    ];
    for (what, options, largest) in kinds {
        let mut count = if largest > 100_000 { 100 } else { 100_000 };
        while count <= most.min(largest) {
            bench.row(what, &options, count)?;
            count *= 10;
        }
    }
    bench.graph(most.min(100_000))
}

/// The first device, with WebGPU's default limits but for buffers, and timestamps where it has them.
async fn device() -> Result<(Device, Queue, String)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance
        .request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        })
        .await
        .context("there is no graphics device")?;
    let info = adapter.get_info();
    let name = format!("{}, {:?}, driver {} {}", info.name, info.backend, info.driver, info.driver_info);
    let descriptor = wgpu::DeviceDescriptor {
        required_features: adapter.features() & Features::TIMESTAMP_QUERY,
        ..Default::default()
    };
    let (device, queue) = adapter.request_device(&descriptor).await?;
    Ok((device, queue, name))
}

struct Bench {
    device: Device,
    queue: Queue,
    archive: Archive,
}

/// Times of the frames of a crowd, in microseconds.
#[derive(Default)]
struct Times {
    gpu: Vec<f64>,
    decide: Vec<f64>,
    upload: Vec<f64>,
    whole: Vec<f64>,
    bytes: usize,
    frames: usize,
}

impl Bench {
    fn row(&self, what: &str, options: &GpuOptions, count: usize) -> Result<()> {
        let mut crowd = Crowd::new(&self.archive)?;
        crowd.set_outputs(Outputs { mixes: true, ..Outputs::default() });
        let gaits = ["walk", "jog", "run"].map(|name| crowd.clip(name));
        let [a, b, c] = gaits;
        let gaits = [a?, b?, c?];
        let mut members = Vec::with_capacity(count);
        for i in 0..count {
            let share = i as f64 * 0.618_033_988_749_895;
            let clips: [PlayedClip; 3] =
                std::array::from_fn(|g| PlayedClip::new(gaits[g], WEIGHTS[g]).at(share - share.floor()));
            members.push(crowd.add(Role::InStep(&clips), RootStep::IDENTITY)?);
        }
        let mut options = options.clone();
        if options.spheres.is_some() {
            options.spheres = Some(vec![[0.0, 0.0, 0.0, 0.1]; crowd.skeleton().joint_count()]);
        }
        let mut gpu = GpuCrowd::new(&self.device, &crowd, options)?;
        let steady = self.frames(&mut crowd, &mut gpu, |_, _| Ok(()))?;
        let busy = self.busy_us(&gpu)?;
        let off = gpu.self_test(&self.device, &self.queue, &crowd, f64::INFINITY)?;
        // One in a hundred changes its weights in every frame, as in a fade.
        let hundredth = (count / 100).max(1);
        let changing = self.frames(&mut crowd, &mut gpu, |crowd, frame| {
            for i in 0..hundredth {
                let member = members[i * 100 % count];
                let x = 0.5 + 0.01 * (frame % 37) as f32 * (frame % 37) as f32 / 37.0;
                let clips: Vec<PlayedClip> = crowd
                    .played_clips(member)?
                    .enumerate()
                    .map(|(g, clip)| PlayedClip { weight: WEIGHTS[g] * if g == 0 { x } else { 1.0 }, ..clip })
                    .collect();
                crowd.set_played_clips(member, &clips)?;
            }
            Ok(())
        })?;
        let of = |all: &[f64]| least_and_median(all);
        println!(
            "| {what} | {count} | {} | {} | {} | {} | {} | {} | {} | {:.4} | {} |",
            of(&busy),
            of(&steady.gpu),
            of(&steady.decide),
            of(&steady.upload),
            of(&steady.whole),
            steady.bytes / steady.frames,
            changing.bytes / changing.frames,
            off * 1000.0,
            gpu.device_bytes() / count as u64,
        );
        if count == 100 {
            let clip = gpu.core().clips();
            for gait in gaits {
                if let Some(of) = clip.get(usize::from(gait)) {
                    println!(
                        "<!-- clip {gait}: {} bytes, {} steps, {:.4} mm -->",
                        of.bytes,
                        of.steps,
                        of.error_m * 1e3
                    );
                }
            }
        }
        Ok(())
    }

    /// The mannequin's own graph: markers, root motion, jumps now and then.
    fn graph(&self, count: usize) -> Result<()> {
        let graph = Arc::new(Graph::load(&self.archive, GRAPH)?);
        let (ahead, left, jump) = (graph.float("ahead")?, graph.float("left")?, graph.trigger("jump")?);
        let mut crowd = Crowd::new(&self.archive)?;
        crowd.set_outputs(Outputs { mixes: true, ..Outputs::default() });
        let role = Role::Graph(crowd.add_graph(Arc::clone(&graph))?);
        let mut members: Vec<Member> = Vec::with_capacity(count);
        for i in 0..count {
            let member = crowd.add(role, RootStep::IDENTITY)?;
            let share = i as f64 * 0.618_033_988_749_895;
            let share = (share - share.floor()) as f32;
            crowd.set(member, ahead, 4.0 * share)?;
            crowd.set(member, left, 0.5 * (share - 0.5))?;
            members.push(member);
        }
        let mut gpu = GpuCrowd::new(
            &self.device,
            &crowd,
            GpuOptions { most_changes: 16_384, ..GpuOptions::default() },
        )?;
        for _ in 0..120 {
            crowd.update_on(DT_S, &Rayon)?;
        }
        let steady = self.frames(&mut crowd, &mut gpu, |_, _| Ok(()))?;
        let busy = self.busy_us(&gpu)?;
        let off = gpu.self_test(&self.device, &self.queue, &crowd, f64::INFINITY)?;
        let jumping = self.frames(&mut crowd, &mut gpu, |crowd, frame| {
            // A jump lasts about a second: one in a hundred is in one.
            for i in (frame..count).step_by(6000) {
                crowd.set(members[i], jump, true)?;
            }
            Ok(())
        })?;
        println!(
            "\nits own graph with markers and root motion, {count} members, {} threads",
            rayon::current_num_threads()
        );
        println!(
            "| GPU us | decide us | upload us | whole frame us | bytes a frame, steady | 1 % in transition | off the CPU, mm |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {:.4} |",
            least_and_median(&busy),
            least_and_median(&steady.gpu),
            least_and_median(&steady.decide),
            least_and_median(&steady.upload),
            least_and_median(&steady.whole),
            steady.bytes / steady.frames,
            jumping.bytes / jumping.frames,
            off * 1000.0
        );
        Ok(())
    }

    /// Times of passes that follow each other at once: the frame that was uploaded last, over and over.
    fn busy_us(&self, gpu: &GpuCrowd) -> Result<Vec<f64>> {
        let Self { device, queue, .. } = self;
        let Some(clock) = Clock::new(device, BUSY) else { return Ok(Vec::new()) };
        let begin = Instant::now();
        while begin.elapsed().as_secs_f64() < WARM_S {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            (0..20).for_each(|_| gpu.encode(&mut encoder, None));
            queue.submit([encoder.finish()]);
            device.poll(wgpu::PollType::wait_indefinitely())?;
        }
        for frame in 0..BUSY {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            gpu.encode(&mut encoder, Some(clock.writes(frame)));
            if frame + 1 == BUSY {
                clock.resolve(&mut encoder);
            }
            queue.submit([encoder.finish()]);
        }
        device.poll(wgpu::PollType::wait_indefinitely())?;
        clock.read_us(device, queue)
    }

    fn frames(
        &self,
        crowd: &mut Crowd,
        gpu: &mut GpuCrowd,
        mut change: impl FnMut(&mut Crowd, usize) -> Result<()>,
    ) -> Result<Times> {
        let Self { device, queue, .. } = self;
        let clock = Clock::new(device, 1);
        let mut times = Times::default();
        for frame in 0..FRAMES[0] + FRAMES[1] {
            change(crowd, frame)?;
            let begin = Instant::now();
            crowd.update_on(DT_S, &Rayon)?;
            let decided = Instant::now();
            let uploaded = gpu.upload(device, queue, crowd)?;
            let written = Instant::now();
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            gpu.encode(&mut encoder, clock.as_ref().map(|clock| clock.writes(0)));
            if let Some(clock) = &clock {
                clock.resolve(&mut encoder);
            }
            queue.submit([encoder.finish()]);
            device.poll(wgpu::PollType::wait_indefinitely())?;
            let done = Instant::now();
            if frame < FRAMES[0] {
                continue;
            }
            let us = |from: Instant, to: Instant| to.duration_since(from).as_secs_f64() * 1e6;
            times.decide.push(us(begin, decided));
            times.upload.push(us(decided, written));
            times.whole.push(us(begin, done));
            times.bytes += uploaded.bytes;
            times.frames += 1;
            if let Some(clock) = &clock {
                times.gpu.extend(clock.read_us(device, queue)?);
            }
        }
        Ok(times)
    }
}

fn least_and_median(all: &[f64]) -> String {
    let mut all = all.to_vec();
    all.sort_by(f64::total_cmp);
    match (all.first(), all.get(all.len() / 2)) {
        (Some(least), Some(median)) => format!("{least:.1} ({median:.1})"),
        _ => "-".into(),
    }
}

/// Timestamps at the begin and end of some passes.
struct Clock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    read: wgpu::Buffer,
    passes: u32,
}

impl Clock {
    /// `None` for a device without timestamps.
    fn new(device: &Device, passes: usize) -> Option<Self> {
        let passes =
            u32::try_from(passes).ok().filter(|_| device.features().contains(Features::TIMESTAMP_QUERY))?;
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("timestamps"),
                size: u64::from(passes) * 16,
                usage,
                mapped_at_creation: false,
            })
        };
        Some(Self {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: passes * 2,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            read: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            passes,
        })
    }

    fn writes(&self, pass: usize) -> wgpu::ComputePassTimestampWrites<'_> {
        let first = pass as u32 * 2;
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        }
    }

    fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..self.passes * 2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.read, 0, self.read.size());
    }

    /// A time a pass.
    fn read_us(&self, device: &Device, queue: &Queue) -> Result<Vec<f64>> {
        self.read.slice(..).map_async(wgpu::MapMode::Read, |_| ());
        device.poll(wgpu::PollType::wait_indefinitely())?;
        let period_us = f64::from(queue.get_timestamp_period()) / 1000.0;
        let times = {
            let view = self.read.slice(..).get_mapped_range()?;
            let word = |at: &[u8]| -> Result<u64> { Ok(u64::from_le_bytes(at.try_into()?)) };
            let pass = |pair: &[u8]| Ok(word(&pair[8..])?.wrapping_sub(word(&pair[..8])?) as f64 * period_us);
            view.chunks_exact(16).map(pass).collect::<Result<Vec<f64>>>()
        };
        self.read.unmap();
        times
    }
}
