//! Nested motion and re-parenting: a small solar system, and a probe that changes planets.
//!
//! `cargo run --release -p lissom-examples --example solar_system` makes `docs/solar_system.png` again; another
//! path may be given. A planet hangs on a pivot that turns about the sun, a moon on a pivot that turns about
//! the planet. The probe circles the second planet, is handed to the sun (`Keep::World`: it stays where it
//! is), and then to the fourth planet; its trail has the colour of whoever it belongs to.

use anyhow::Result;
use lissom_draw::{Camera, Canvas, Color, Light, palette};
use lissom_examples::write_png;
use lissom_math::{Qvs, Vec3, scalar};
use lissom_world::{Entity, Keep, World};
use std::f32::consts::TAU;

struct Body {
    /// Turns about the parent; the body hangs on it.
    pivot: Entity,
    entity: Entity,
    turns_per_year: f32,
    tilt: f32,
    radius: f32,
    color: Color,
    trail: Vec<[f32; 3]>,
}

fn at(x: f32, y: f32, z: f32) -> Qvs {
    Qvs::from_position(Vec3::new(x, y, z))
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or("docs/solar_system.png".into());
    let mut world = World::new();
    let sun = world.spawn(None, Qvs::IDENTITY)?;
    let mut bodies = Vec::new();
    let mut add =
        |world: &mut World, parent, distance, turns_per_year, tilt, radius, color| -> Result<Entity> {
            let pivot = world.spawn(Some(parent), Qvs::IDENTITY)?;
            let entity = world.spawn(Some(pivot), at(distance, 0.0, 0.0))?;
            bodies.push(Body { pivot, entity, turns_per_year, tilt, radius, color, trail: Vec::new() });
            Ok(entity)
        };
    add(&mut world, sun, 2.2, 2.1, 0.05, 0.16, palette::STONE)?;
    let second = add(&mut world, sun, 3.9, 1.0, 0.0, 0.3, palette::SKY)?;
    add(&mut world, second, 0.8, 7.0, 0.35, 0.1, palette::PLASTER)?;
    add(&mut world, sun, 5.6, 0.62, -0.06, 0.24, palette::CLAY)?;
    let fourth = add(&mut world, sun, 8.0, 0.4, 0.03, 0.5, palette::SAGE)?;
    for (distance, turns, tilt) in [(0.95, 5.0, 0.1), (1.35, -3.1, 0.5), (1.7, 2.2, -0.3)] {
        add(&mut world, fourth, distance, turns, tilt, 0.1, palette::PLUM)?;
    }

    let probe_pivot = world.spawn(Some(second), Qvs::IDENTITY)?;
    let probe = world.spawn(Some(probe_pivot), at(0.0, 0.0, 1.3))?;
    let mut probe_trail = Vec::new();
    let frames = 1500;
    for frame in 0..frames {
        let year = frame as f32 / 1000.0;
        for body in &bodies {
            let turn =
                scalar::quat_from_axis_angle(Vec3::new(0.0, 1.0, 0.0), year * body.turns_per_year * TAU);
            let tilt = scalar::quat_from_axis_angle(Vec3::new(1.0, 0.0, 0.0), body.tilt);
            let rotation = scalar::quat_mul(tilt, turn);
            world.set_local(body.pivot, Qvs { rotation, ..Qvs::IDENTITY })?;
        }
        let turn = scalar::quat_from_axis_angle(Vec3::new(0.0, 1.0, 0.0), year * 6.0 * TAU);
        world.set_local(probe_pivot, Qvs { rotation: turn, ..Qvs::IDENTITY })?;
        match frame {
            500 => world.set_parent(probe, Some(sun), Keep::World)?,
            501..=899 => {
                // On its own: towards the fourth planet, in the sun's space, to arrive in time.
                let local = world.local(probe)?;
                let goal = scalar::add(world.transform(fourth)?.position, Vec3::new(0.0, 0.4, 1.1));
                let position = scalar::lerp(local.position, goal, 1.0 / (901 - frame) as f32);
                world.set_local(probe, Qvs { position, ..local })?;
            }
            900 => {
                // The pivot's new world transform must be known before the probe can keep its own under it.
                world.set_parent(probe_pivot, Some(fourth), Keep::Local)?;
                world.sync();
                world.set_parent(probe, Some(probe_pivot), Keep::World)?;
            }
            _ => {}
        }
        world.sync();
        for body in &mut bodies {
            body.trail.push(world.transform(body.entity)?.position.to_array());
        }
        let color = [palette::SKY, palette::OCHRE, palette::SAGE]
            [usize::from(frame >= 500) + usize::from(frame >= 900)];
        probe_trail.push((world.transform(probe)?.position.to_array(), color));
    }

    let (width, height) = (1400, 800);
    let mut canvas = Canvas::new(width, height, palette::NIGHT)?;
    canvas.set_camera(&Camera::perspective([0.0, 12.5, 16.0], [0.0, 0.0, 0.9], 0.72))?;
    let light = Light::default();
    canvas.ball([0.0; 3], 0.9, palette::OCHRE, &light)?;
    for body in &bodies {
        let trail = &body.trail[body.trail.len() - 420..];
        for (i, pair) in trail.windows(2).enumerate() {
            let fade = palette::NIGHT.mixed(body.color, i as f32 / trail.len() as f32 * 0.7);
            canvas.line(pair[0], pair[1], 1.5, fade)?;
        }
        canvas.ball(trail[trail.len() - 1], body.radius, body.color, &light)?;
    }
    for pair in probe_trail.windows(2) {
        canvas.line(pair[0].0, pair[1].0, 2.5, pair[1].1)?;
    }
    canvas.ball(probe_trail[frames - 1].0, 0.1, palette::PAPER, &light)?;
    canvas.text(
        24,
        24,
        "the probe's trail: circling the blue planet, its own way, circling the green one",
        2,
        palette::PLASTER,
    );
    write_png(&canvas, &path)
}
