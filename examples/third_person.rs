//! A third-person character: a stick, stairs under its feet, a lamp that it looks at, a rail that it holds, a wave, a jump,
//! and footsteps that are heard. On public crates alone; it draws a film.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::{
    archive::Archive,
    bones::Side,
    job::Ground,
    math::{Mat34, Vec3},
    pose::{Gaze, Legs, Limb, Pose},
};
use lissom_build::{cook::ClipBuilder, mannequin, pipeline};
use lissom_draw::{Camera, Canvas, Image, Light, Mesh, gif, palette};
use lissom_motion::{Animator, RootStep};

const DT_S: f64 = 1.0 / 60.0;
/// Stairs begin here, ahead; each is so deep and so high, and there are so many.
const STAIRS: [f32; 4] = [1.6, 0.34, 0.14, 6.0];
const LAMP: Vec3 = Vec3::new(1.6, 2.6, 3.2);
const RAIL: f32 = 0.42;

/// The ground of the level: what a game asks its physics.
fn height(z: f32) -> f32 {
    let [start, deep, high, count] = STAIRS;
    let step = lissom::math::trig::floor((z - start) / deep) + 1.0;
    high * if step < 0.0 {
        0.0
    } else if step > count {
        count
    } else {
        step
    }
}

/// What the game knows of its hero beside the graph.
struct Hero {
    animator: Animator,
    legs: Legs,
    gaze: Gaze,
    hand: Limb,
    place: RootStep,
    /// How high it stands; it follows the ground little by little.
    up: f32,
}

impl Hero {
    fn new(archive: &Archive) -> Result<Self> {
        let animator = Animator::new(archive, "mannequin")?;
        let skeleton = animator.body().skeleton().clone();
        let (legs, gaze) = (Legs::of(&skeleton)?, Gaze::of(&skeleton)?);
        let hand = Limb::arm(&skeleton, Side::Left)?;
        Ok(Self { animator, legs, gaze, hand, place: RootStep::IDENTITY, up: 0.0 })
    }

    /// From model to world space.
    fn world(&self) -> Mat34 {
        let mut world = self.place.to_transform().to_mat34();
        world.columns[3][1] += self.up;
        world
    }

    /// A frame: the stick asks for a speed, the graph decides, and the pose meets the level.
    fn update(&mut self, speed: f32, grounded: bool) -> Result<Vec<String>> {
        let ahead = self.animator.graph().float("ahead")?;
        self.animator.set(ahead, speed)?;
        self.animator.set_value("grounded", grounded)?;
        let z = self.place.translation[2] as f32;
        self.up += (height(z + 0.1) - self.up) * 0.12;
        let (world, into) = (self.world(), self.world().inverse().context("it stands somewhere")?);
        let Self { animator, legs, gaze, hand, .. } = self;
        animator.update_with(DT_S, |pose: &mut Pose<'_>| {
            let point = |matrix: &Mat34, v: Vec3| Vec3::from_array(matrix.mul_point(v.to_array()));
            let mut grounds = [None; 2];
            for (ground, leg) in grounds.iter_mut().zip(&legs.legs) {
                let foot = point(&world, pose.place(leg.limb.joints[2])?);
                let below = point(&into, Vec3::new(foot.x, height(foot.z + 0.06), foot.z));
                *ground = Some(Ground { place: below, normal: Vec3::Y });
            }
            pose.stand(legs, &grounds, if grounded { 1.0 } else { 0.0 })?;
            pose.look_at(gaze, point(&into, LAMP), 0.9)?;
            // The rail is beside the stairs; the hand slides along it.
            let shoulder = point(&world, pose.place(hand.joints[0])?);
            let on_stairs = shoulder.z > STAIRS[0] && shoulder.z < STAIRS[0] + STAIRS[1] * STAIRS[3];
            let grip = Vec3::new(RAIL, height(shoulder.z) + 0.95, shoulder.z + 0.15);
            pose.reach(hand, point(&into, grip), if on_stairs { 1.0 } else { 0.0 })?;
            Ok(())
        })?;
        self.place = self.place.then(&self.animator.root_delta());
        let heard = self.animator.events().filter(|event| event.weight > 0.5);
        Ok(heard.filter_map(|event| event.marker()).map(|marker| marker.name.to_owned()).collect())
    }
}

fn main() -> Result<()> {
    let scene = mannequin::game_scene(&mannequin::GRAPH_MOTIONS, &mannequin::Detail::default())?;
    let archive =
        Archive::read(&pipeline::cook_scene(&scene, &ClipBuilder::default(), &pipeline::serial)?.archive)?;
    let mut hero = Hero::new(&archive)?;
    let (mut film, mut steps) = (Vec::new(), 0);
    for frame in 0..480_u16 {
        let grounded = !(395..420).contains(&frame);
        if frame == 372 {
            hero.animator.set_value("jump", true)?;
        }
        if frame == 310 {
            hero.animator.play("wave").on("upper_body").fade(0.25).start()?;
        }
        let speed = if (20..300).contains(&frame) { 1.0 } else { 0.0 };
        steps += hero.update(speed, grounded)?.iter().filter(|name| name.starts_with("step")).count();
        if frame % 4 == 0 {
            film.push(picture(&mut hero)?);
        }
    }
    println!("{steps} steps, {:.1} m ahead and {:.2} m up", hero.place.translation[2], hero.up);
    let path = std::env::args().nth(1).unwrap_or_else(|| "target/pictures/third_person.gif".into());
    std::fs::create_dir_all(std::path::Path::new(&path).parent().context("a folder")?)?;
    std::fs::write(&path, gif::encode(&film, film.len() as f64 * 4.0 * DT_S)?)?;
    println!("{path}");
    Ok(())
}

/// The hero, the stairs, the rail and the lamp.
fn picture(hero: &mut Hero) -> Result<Image> {
    let mut canvas = Canvas::new(420, 300, palette::PAPER)?;
    canvas.set_camera(&Camera::framing([-0.9, 0.0, 0.0], [1.6, 2.7, 5.0], [-1.0, 0.3, 0.1], 0.3, 1.4)?)?;
    let (world, light) = (hero.world(), Light::default());
    for mesh in hero.animator.body_mut().skin()? {
        let positions: Vec<_> = mesh.positions.iter().map(|v| world.mul_point(*v)).collect();
        let normals: Vec<_> = mesh.normals.iter().map(|v| world.mul_vector(*v)).collect();
        canvas.mesh(&Mesh::new(&positions, &normals, mesh.indices, palette::SAGE), &light)?;
    }
    for cell in 0..64_u16 {
        let (from, to) = (f32::from(cell) * 0.08, f32::from(cell + 1) * 0.08);
        let edge = |x: f32, z: f32| [x, height(z), z];
        for x in [-0.4, 0.4] {
            canvas.line(edge(x, from), [x, height(from), to], 1.5, palette::INK)?;
            canvas.line([x, height(from), to], edge(x, to), 1.5, palette::INK)?;
        }
        canvas.line(edge(-0.4, from), edge(0.4, from), 1.0, palette::OCHRE)?;
    }
    let [start, deep, high, count] = STAIRS;
    let rail = [[RAIL, 0.95 + high, start], [RAIL, 0.95 + high * count, start + deep * (count - 1.0)]];
    canvas.line(rail[0], rail[1], 3.0, palette::OCHRE)?;
    canvas.ball(LAMP.to_array(), 0.09, palette::OCHRE, &light)?;
    Ok(canvas.finish())
}
