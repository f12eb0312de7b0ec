//! A hundred thousand mannequins posed by the GPU; one frame of those near the camera is read back and drawn.
//!
//! `cargo run --release -p lissom-gpu --example gpu_crowd` makes `docs/gpu_crowd.png` again; another path may be given, and a number of
//! mannequins. There is no window: any device of wgpu's will do, a software one too.
#![allow(clippy::print_stdout, reason = "it is for reading")]
#![allow(clippy::disallowed_methods, reason = "where somebody stands in a picture promises no bits")]

use anyhow::{Context, Result};
use lissom::math::Mat4;
use lissom_build::mannequin::Motion;
use lissom_draw::{Camera, Canvas, Ground, Light, Mesh, Shadow, palette};
use lissom_examples::{Actor, Vertices, write_png};
use lissom_gpu::{GpuCrowd, GpuOptions};
use lissom_motion::{
    RootStep,
    crowd::{Crowd, Member, Outputs, PlayedClip, Rayon, Role},
};
use std::time::Instant;

const DT_S: f64 = 1.0 / 60.0;
const FRAMES: usize = 30;
/// Metres between neighbours.
const ROOM: f64 = 1.6;

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or("docs/gpu_crowd.png".into());
    let count: usize = std::env::args().nth(2).map_or(Ok(100_000), |count| count.parse())?;
    let actor = Actor::new(&[Motion::Idle, Motion::Walk, Motion::Jog, Motion::Run])?;

    // The CPU decides, and says what is played as functions of time.
    let mut crowd = Crowd::new(&actor.archive)?;
    crowd.set_outputs(Outputs { mixes: true, ..Outputs::default() });
    let side = (count as f64).sqrt().ceil();
    let mut members = Vec::with_capacity(count);
    for i in 0..count {
        let share = i as f64 * 0.618_033_988_749_895;
        let share = share - share.floor();
        let (a, b) = gaits_of(&crowd, i)?;
        let blend = share as f32;
        let clips = [PlayedClip::new(a, 1.0 - blend).at(share), PlayedClip::new(b, blend).at(share)];
        members.push(crowd.add(Role::InStep(&clips), place(i, side, share))?);
    }
    // They run where they are: the picture is of one moment.
    crowd.set_travels(&members, false)?;

    // The GPU poses, on a device that the host owns.
    let (device, queue) = pollster::block_on(device())?;
    let mut gpu = GpuCrowd::new(&device, &crowd, GpuOptions { places: true, ..GpuOptions::default() })?;
    let (mut bytes, start) = (0, Instant::now());
    for frame in 0..FRAMES {
        crowd.update_on(DT_S, &Rayon)?;
        let uploaded = gpu.upload(&device, &queue, &crowd)?;
        bytes += if frame > 0 { uploaded.bytes } else { 0 };
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        gpu.encode(&mut encoder, None);
        queue.submit([encoder.finish()]);
    }
    let off = gpu.self_test(&device, &queue, &crowd, 1.0e-4)?;
    println!(
        "{count} mannequins, {FRAMES} frames in {:.2} s; {} bytes a frame, of which {} are places; {:.4} mm from the CPU",
        start.elapsed().as_secs_f64(),
        bytes / (FRAMES - 1),
        count * 32,
        off * 1000.0
    );
    let near: Vec<Member> = members.iter().copied().filter(|member| is_near(&crowd, *member)).collect();
    let palettes = gpu.read_palettes(&device, &queue, &near)?.wait(&device)?;
    draw(&actor, &near, &palettes, &path)
}

/// Two gaits that are next to each other.
fn gaits_of(crowd: &Crowd, i: usize) -> Result<(u16, u16)> {
    let pair = [(Motion::Idle, Motion::Walk), (Motion::Walk, Motion::Jog), (Motion::Jog, Motion::Run)][i % 3];
    Ok((crowd.clip(pair.0.name())?, crowd.clip(pair.1.name())?))
}

fn place(i: usize, side: f64, share: f64) -> RootStep {
    let (x, z) = (i as f64 % side, (i as f64 / side).floor());
    let half = std::f64::consts::PI * share;
    RootStep {
        translation: [(x - side / 2.0 + 0.4 * share) * ROOM, 0.0, (z - side / 2.0 - 0.4 * share) * ROOM],
        rotation: [0.0, half.sin(), 0.0, half.cos()],
    }
}

fn is_near(crowd: &Crowd, member: Member) -> bool {
    let Ok(place) = crowd.place(member) else { return false };
    let [x, _, z] = place.translation;
    x.abs() < 17.0 && (-22.0..14.0).contains(&z)
}

async fn device() -> Result<(wgpu::Device, wgpu::Queue)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance
        .request_adapter(&wgpu::RequestAdapterOptions::default())
        .await
        .context("there is no graphics device")?;
    Ok(adapter.request_device(&wgpu::DeviceDescriptor::default()).await?)
}

fn draw(
    actor: &Actor,
    near: &[Member],
    palettes: &[Vec<lissom_motion::crowd::PaletteRows>],
    path: &str,
) -> Result<()> {
    let (mesh, light) = (actor.mesh.view(), Light::default());
    let coats = [palette::SAGE, palette::PLASTER, palette::OCHRE, palette::SKY, palette::PLUM, palette::CLAY];
    let mut canvas = Canvas::new(1200, 560, palette::PAPER)?;
    canvas.set_camera(&Camera::perspective([0.0, 7.0, 18.0], [0.0, 0.5, -3.0], 0.42))?;
    let mut feet = Vec::new();
    for (member, rows) in near.iter().zip(palettes) {
        let palette: Vec<Mat4> = rows
            .iter()
            .map(|[x, y, z]| {
                let column = |c: usize| [x[c], y[c], z[c], if c == 3 { 1.0 } else { 0.0 }];
                Mat4::from_cols_array_2d(&[column(0), column(1), column(2), column(3)])
            })
            .collect();
        let Vertices { positions, normals } = actor.skinned(&palette)?;
        let coat = palette::PLASTER.mixed(coats[member.index() % coats.len()], 0.55);
        canvas.mesh(&Mesh::new(&positions, &normals, mesh.indices, coat), &light)?;
        feet.extend(positions);
    }
    let ground = Ground { radius: 40.0, strength: 0.2, ..Ground::default() };
    canvas.ground(&ground, Some(&Shadow::of_points(&feet, 0.0)?))?;
    write_png(&canvas, path)
}
