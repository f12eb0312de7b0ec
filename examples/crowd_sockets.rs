//! Props in the hands of mannequins: joints as sockets of the world.
//!
//! `cargo run --release -p lissom-examples --example crowd_sockets` makes `docs/crowd_sockets.png` again;
//! another path may be given. Every mannequin is an entity. Its hand is a socket: an entity that takes the
//! joint's matrix. A prefab of pole, lamp and three sparks hangs on the socket, and the world moves it all
//! with one sync.

use anyhow::{Context, Result};
use lissom_build::{
    exact::{M34, Q4, Trs, V3},
    mannequin::{self, Detail, Motion},
    mesh::model_matrices,
};
use lissom_draw::{Camera, Canvas, Ground, Light, Mesh, Shadow, palette};
use lissom_examples::write_png;
use lissom_math::{Mat34, Qvs, Vec3, scalar};
use lissom_world::{Entity, Prefab, Socket, World};

/// Pole, its tip, a lamp, three sparks about it.
fn torch() -> Result<Prefab> {
    let spark = |turn: f32| Qvs {
        rotation: scalar::quat_from_axis_angle(Vec3::new(0.0, 0.0, 1.0), turn),
        position: Vec3::new(0.16 * lissom_math::trig::cos(turn), 0.16 * lissom_math::trig::sin(turn), 0.0),
        scale: 1.0,
    };
    let along = |z: f32| Qvs::from_position(Vec3::new(0.0, 0.0, z));
    let locals = [along(-0.35), along(1.15), along(0.0), spark(0.5), spark(2.6), spark(4.7)];
    Ok(Prefab::new(&[None, Some(0_usize), Some(1), Some(2), Some(2), Some(2)], &locals)?)
}

/// The f64 matrix of the builders as the world takes it.
fn matrix(m: &M34) -> Mat34 {
    Mat34 { columns: m.columns.map(|c| c.to_f32().to_array()) }
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or("docs/crowd_sockets.png".into());
    let skeleton = mannequin::skeleton();
    let skin = mannequin::mesh(&Detail::default())?;
    let hand = skeleton
        .joints
        .iter()
        .position(|j| j.name == "prop_r")
        .context("the mannequin has a place for a prop in its right hand")?;

    let (mut world, torch) = (World::new(), torch()?);
    let motions = [Motion::Walk, Motion::Idle, Motion::Wave, Motion::Jog, Motion::Performance];
    let colors = [palette::SAGE, palette::PLASTER, palette::OCHRE, palette::SKY, palette::PLUM];
    let (columns, rows) = (7, 3);
    let mut canvas = Canvas::new(1600, 800, palette::PAPER)?;
    canvas.set_camera(&Camera::perspective([1.0, 3.0, 8.6], [0.1, 0.8, -0.6], 0.5))?;
    let light = Light::default();
    let mut crowd: Vec<(Socket, Vec<Entity>, Vec<Mat34>)> = Vec::new();
    let mut feet = Vec::new();
    for i in 0..columns * rows {
        let (column, row) = (i % columns, i / columns);
        let clip = mannequin::clip(motions[i % motions.len()]);
        let time_s = clip.duration_s * (0.13 + 0.37 * i as f64).rem_euclid(1.0);
        let mut locals: Vec<Trs> =
            skeleton.joints.iter().zip(&clip.tracks).map(|(j, t)| t.sample(time_s, j.rest)).collect();
        locals[0].translation = V3::ZERO;
        let models = model_matrices(&skeleton, &locals);

        // The character stands in the world; the skin is drawn with the same transform.
        let yaw = 0.5 * ((i * 5 % 7) as f64 - 3.0) / 3.0;
        let place = V3::new((column as f64 - 3.0) * 1.35 + 0.4 * (row % 2) as f64, 0.0, -(row as f64) * 1.7);
        let stand = Trs { translation: place, rotation: Q4::from_axis_angle(V3::Y, yaw), scale: V3::ONE };
        let local = Qvs { rotation: stand.rotation.to_f32(), position: place.to_f32(), scale: 1.0 };
        let character = world.spawn(None, local)?;
        let socket = Socket { entity: world.spawn(Some(character), Qvs::IDENTITY)?, joint: hand };
        let mut prop = Vec::new();
        world.spawn_prefab(&torch, 1, Some(socket.entity), &mut prop)?;
        crowd.push((socket, prop, models.iter().map(matrix).collect()));

        let stand = stand.to_m34();
        let placed: Vec<M34> = models.iter().map(|m| stand.mul(m)).collect();
        let (positions, normals) = skin.skin(&placed);
        let color = palette::PLASTER.mixed(colors[i % colors.len()], 0.5);
        let mesh = Mesh::new(&positions, &normals, &skin.indices, color);
        canvas.mesh(&mesh, &light)?;
        feet.extend(positions);
    }

    for (socket, _, models) in &crowd {
        world.copy_sockets(&[*socket], models)?;
    }
    let stats = world.sync();
    for (_, prop, _) in &crowd {
        let at = |i: usize| -> Result<[f32; 3]> { Ok(world.transform(prop[i])?.position.to_array()) };
        canvas.line(at(0)?, at(1)?, 5.0, palette::INK)?;
        canvas.ball(at(2)?, 0.09, palette::OCHRE, &light)?;
        for spark in 3..6 {
            canvas.line(at(2)?, at(spark)?, 1.5, palette::CLAY)?;
            canvas.ball(at(spark)?, 0.035, palette::CLAY, &light)?;
        }
    }
    canvas.ground(
        &Ground { radius: 14.0, strength: 0.2, ..Ground::default() },
        Some(&Shadow::of_points(&feet, 0.0)?),
    )?;
    let text =
        format!("{} mannequins, {} entities, one sync: {} written", crowd.len(), world.len(), stats.written);
    canvas.text(20, 20, &text, 2, palette::INK);
    write_png(&canvas, &path)
}
