//! Draws the mannequin's motions.
//!
//! `cargo run --release -p lissom-examples --example poses` makes `docs/mannequin.png` again;
//! `... --example poses -- --sheets DIR` makes a contact sheet of every clip, front and side.

use anyhow::{Result, bail};
use lissom_build::exact::{Q4, Trs, V3};
use lissom_build::mannequin::{self, Detail, Motion};
use lissom_build::mesh::{RawMesh, model_matrices};
use lissom_build::raw::{RawAnimation, RawSkeleton};
use lissom_draw::{Camera, Canvas, Color, Ground, Light, Mesh, Shadow, Viewport, palette};
use lissom_examples::write_png;
use std::path::Path;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let cast = Cast { skeleton: mannequin::skeleton(), mesh: mannequin::mesh(&Detail::default())? };
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => strip(&cast, Path::new("docs/mannequin.png")),
        ["--sheets", folder] => Motion::ALL.into_iter().try_for_each(|m| sheet(&cast, m, Path::new(folder))),
        [path] if !path.starts_with('-') => strip(&cast, Path::new(path)),
        _ => bail!("usage: poses [FILE.png | --sheets DIR]"),
    }
}

struct Cast {
    skeleton: RawSkeleton,
    mesh: RawMesh,
}

/// Vertices in model space.
struct Posed {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl Cast {
    /// The skin at a time of a clip, with the root at a place of our own.
    fn pose(&self, clip: &RawAnimation, time_s: f64, at: V3, yaw: f64) -> Posed {
        let tracks = self.skeleton.joints.iter().zip(&clip.tracks);
        let mut locals: Vec<Trs> = tracks.map(|(j, track)| track.sample(time_s, j.rest)).collect();
        let turned = Q4::from_axis_angle(V3::Y, yaw) * locals[0].rotation;
        locals[0] = Trs { translation: at, rotation: turned, scale: V3::ONE };
        let (positions, normals) = self.mesh.skin(&model_matrices(&self.skeleton, &locals));
        Posed { positions, normals }
    }

    fn draw(&self, canvas: &mut Canvas, posed: &Posed, color: Color) -> Result<()> {
        let Posed { positions, normals } = posed;
        let mesh = Mesh::new(positions, normals, &self.mesh.indices, color);
        Ok(canvas.mesh(&mesh, &Light::default())?)
    }
}

/// One picture of what it can do: a figure beside the other, on one floor.
fn strip(cast: &Cast, path: &Path) -> Result<()> {
    const FIGURES: [(&str, Motion, f64, Color); 9] = [
        ("idle", Motion::Idle, 2.2, palette::PLASTER),
        ("wave", Motion::Wave, 1.35, palette::OCHRE),
        ("walk", Motion::Walk, 0.0, palette::SAGE),
        ("walk", Motion::Walk, 0.31, palette::SAGE),
        ("jog", Motion::Jog, 0.05, palette::SKY),
        ("run", Motion::Run, 0.11, palette::PLUM),
        ("run", Motion::Run, 0.24, palette::PLUM),
        ("crouch", Motion::Crouch, 1.3, palette::CLAY),
        ("performance", Motion::Performance, 10.1, palette::OCHRE),
    ];
    let (width, height) = (1600, 460);
    let (apart, high) = (1.02, 2.72);
    let mut canvas = Canvas::new(width, height, palette::PAPER)?;
    canvas.set_camera(&Camera::orthographic([0.0, 2.4, 8.0], [0.0, 1.02, 0.0], high))?;
    let middle = (FIGURES.len() - 1) as f64 * 0.5;
    let mut all = Vec::new();
    let mut labels = Vec::new();
    for (i, (name, motion, time_s, color)) in FIGURES.into_iter().enumerate() {
        let x = (i as f64 - middle) * apart;
        let gait = motion.duty().is_some();
        let posed =
            cast.pose(&mannequin::clip(motion), time_s, V3::new(x, 0.0, 0.0), if gait { 0.95 } else { 0.3 });
        cast.draw(&mut canvas, &posed, palette::PLASTER.mixed(color, 0.5))?;
        all.extend(posed.positions);
        let pixels = x / f64::from(high) * f64::from(height) + f64::from(width) * 0.5;
        labels.push((pixels as i32, name));
    }
    let ground = Ground { radius: 9.0, strength: 0.2, ..Ground::default() };
    canvas.ground(&ground, Some(&Shadow::of_points(&all, 0.0)?))?;
    for (x, label) in labels {
        canvas.text_centred(x, height as i32 - 24, label, 2, palette::INK);
    }
    write_png(&canvas, path)
}

/// Eight (or twenty-four) moments of a clip, from the front and from the side.
fn sheet(cast: &Cast, motion: Motion, folder: &Path) -> Result<()> {
    let clip = mannequin::clip(motion);
    let (columns, rows) = (8, if clip.duration_s > 10.0 { 3 } else { 1 });
    let (width, height) = (200, 300);
    let mut canvas = Canvas::new(width * columns, height * 2 * rows, palette::PAPER)?;
    let count = columns * rows;
    for i in 0..count {
        let parts = if clip.looping { count } else { count - 1 };
        let posed = cast.pose(&clip, clip.duration_s * f64::from(i) / f64::from(parts), V3::ZERO, 0.0);
        let shadow = Shadow::of_points(&posed.positions, 0.0)?;
        for (row, from) in [[0.35, 0.12, 1.0], [1.0, 0.08, 0.02]].into_iter().enumerate() {
            let y = (i / columns * 2 + row as u32) * height;
            canvas.set_viewport(Viewport { x: i % columns * width, y, width, height })?;
            let aspect = width as f32 / height as f32;
            canvas.set_camera(&Camera::framing([-0.5, 0.0, -0.5], [0.5, 1.95, 0.5], from, 0.3, aspect)?)?;
            cast.draw(&mut canvas, &posed, palette::PLASTER)?;
            canvas.ground(&Ground::default(), Some(&shadow))?;
        }
    }
    canvas.text(6, 6, &clip.name, 2, palette::INK);
    write_png(&canvas, folder.join(format!("{}.png", clip.name)))
}
