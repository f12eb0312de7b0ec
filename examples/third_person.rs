//! A third-person character: a stick, stairs under its feet, a lamp that it aims and looks at, a ledge that it holds, a wave in
//! sections, hits, a crouch, a jump, and footsteps that are heard. On public crates alone; it draws a film.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::math::{Mat34, Vec3, trig};
use lissom::pose::{Gaze, Legs, Limb, Pose};
use lissom::{archive::Archive, bones::Side, job::Ground};
use lissom_build::exact::{Q4, Trs, V3};
use lissom_build::raw::{Channel, Curve, RawAnimation, RawTrack};
use lissom_build::{cook::ClipBuilder, mannequin, pipeline, scene::SceneAnimation};
use lissom_draw::{Camera, Canvas, Image, Light, Mesh, gif, palette};
use lissom_motion::graph::{LayerParts, MontageParts, Next, PlaneBlend, StateParts, Test, TransitionParts};
use lissom_motion::{Animator, GraphParts, RootStep};

/// The stairs: where they begin, the depth and the height of a step, and the number of steps.
const STAIRS: [f32; 4] = [1.6, 0.34, 0.14, 6.0];
const LAMP: Vec3 = Vec3::new(1.6, 2.6, 3.2);
/// Height and place of the edge of the wall at the end.
const LEDGE: [f32; 2] = [1.95, 4.98];
/// The palm lies on it: fingers ahead, the back of the hand up, the thumb to the right.
const GRIP: [[f32; 3]; 4] =
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.22, LEDGE[0] + 0.03, LEDGE[1] - 0.03]];
/// How far the chest turns, in radians, about x and y, at 0.1 s of the clips that are added.
const ADDED: [(&str, f64, f64); 5] =
    [("up", -0.4, 0.0), ("down", 0.4, 0.0), ("left", 0.0, 0.4), ("right", 0.0, -0.4), ("hit", -0.4, 0.3)];

/// The mannequin's graph, a wave in sections, and two layers of what is added: its aim, and hits that interrupt hits.
fn graph() -> GraphParts {
    let aims = [([0.0, 1.0], "up"), ([0.0, -1.0], "down"), ([1.0, 0.0], "left"), ([-1.0, 0.0], "right")];
    let aim = StateParts::plane("aim", ["aim_left", "aim_up"], PlaneBlend::Delaunay, &aims);
    let wave = MontageParts::new("greet", "wave").section("raise", 0.0).section("wave", 0.3);
    let wave = wave.then(Next::Section("wave".into())).section("lower", 0.7);
    let hit = TransitionParts::new("*", "hit").when("hit", Test::On).fade(0.08).again();
    let calm = TransitionParts::new("hit", "calm").exit(1.0);
    let hits = LayerParts::new("hits").added().state(StateParts::clip("calm", "hit").at_speed(0.0));
    let hits = hits.state(StateParts::clip("hit", "hit").once()).transition(hit).transition(calm);
    let parts = mannequin::graph().damped("aim_left", 0.0, 0.1).damped("aim_up", 0.0, 0.1).trigger("hit");
    parts.montage(wave).layer(LayerParts::new("aim").added().state(aim)).layer(hits)
}

/// A turn of the chest, as what it adds to a pose; a hit comes and goes.
fn added(name: &str, x: f64, y: f64) -> Result<SceneAnimation> {
    let skeleton = mannequin::skeleton();
    let rest: Vec<Trs> = skeleton.joints.iter().map(|joint| joint.rest).collect();
    let chest = skeleton.joints.iter().position(|joint| joint.name == "chest").context("a chest")?;
    let turn = Q4::from_axis_angle(V3::Y, y) * Q4::from_axis_angle(V3::X, x);
    let end = if name == "hit" { Q4::IDENTITY } else { turn };
    let mut tracks = vec![RawTrack::default(); rest.len()];
    tracks[chest].rotation = Channel::new(Curve::Slerp, [(0.0, end), (0.1, turn), (0.5, end)]);
    let motion = RawAnimation { name: name.into(), duration_s: 0.5, tracks, ..RawAnimation::default() };
    Ok(SceneAnimation { skeleton: Some(0), motion: motion.added_to(&skeleton, &rest)?, ..Default::default() })
}

/// The height of the ground; a game asks its physics.
fn height(z: f32) -> f32 {
    let [start, deep, high, count] = STAIRS;
    (0..count as u8).map(|step| if z < start + deep * f32::from(step) { 0.0 } else { high }).sum()
}

/// What the game knows of its hero beside the graph: where it is, how high it stands, how much its hand holds.
struct Hero(Animator, Legs, Gaze, Limb, RootStep, f32, f32);

impl Hero {
    /// A frame: the graph decides, and the pose meets the level. From model to world space, and how many steps are heard.
    fn update(&mut self, speed: f32, grounded: bool, holds: bool) -> Result<(Mat34, usize)> {
        let Self(animator, legs, gaze, hand, place, up, hold) = self;
        *up += (height(place.translation[2] as f32 + 0.1) - *up) * 0.12;
        *hold += (f32::from(u8::from(holds)) - *hold) * 0.08;
        let mut world = place.to_transform().to_mat34();
        world.columns[3][1] += *up;
        let into = world.inverse().context("it stands somewhere")?;
        let point = |matrix: &Mat34, v: Vec3| Vec3::from_array(matrix.mul_point(v.to_array()));
        let (lamp, free) = (point(&into, LAMP), 1.0 - *hold);
        animator.set_value("ahead", speed)?;
        animator.set_value("aim_left", trig::atan2(lamp.x, lamp.z) * free)?;
        animator.set_value("aim_up", trig::atan2(lamp.y - 1.5, 2.0) * free)?;
        animator.set_value("grounded", grounded)?;
        animator.update_with(1.0 / 60.0, |pose: &mut Pose<'_>| {
            let mut grounds = [None; 2];
            for (ground, leg) in grounds.iter_mut().zip(&legs.legs) {
                let foot = point(&world, pose.place(leg.limb.joints[2])?);
                let below = point(&into, Vec3::new(foot.x, height(foot.z + 0.06), foot.z));
                *ground = Some(Ground { place: below, normal: Vec3::Y });
            }
            pose.stand(legs, &grounds, if grounded { 1.0 } else { 0.0 })?;
            pose.look_at(gaze, lamp, 0.9 * free)?;
            pose.hold(hand, &into.mul(&Mat34 { columns: GRIP }), *hold)?;
            Ok(())
        })?;
        *place = place.then(&animator.root_delta());
        let heard = animator.events().filter(|event| event.weight > 0.5).filter_map(|event| event.marker());
        Ok((world, heard.filter(|marker| marker.name.starts_with("step")).count()))
    }
}

fn main() -> Result<()> {
    let mut scene = mannequin::game_scene(&mannequin::GRAPH_MOTIONS, &mannequin::Detail::default())?;
    scene.graphs[0].parts = graph();
    for (name, x, y) in ADDED {
        scene.animations.push(added(name, x, y)?);
    }
    let file = pipeline::cook_scene(&scene, &ClipBuilder::default(), &pipeline::serial)?.archive;
    let animator = Animator::new(&Archive::read(&file)?, "mannequin")?;
    let rig = animator.body().skeleton().clone();
    let (legs, gaze, hand) = (Legs::of(&rig)?, Gaze::of(&rig)?, Limb::arm(&rig, Side::Left)?);
    let mut hero = Hero(animator, legs, gaze, hand, RootStep::IDENTITY, 0.0, 0.0);
    let (mut film, mut steps, mut greeting) = (Vec::new(), 0, None);
    for frame in 0..780_u16 {
        match frame {
            310 => greeting = Some(hero.0.play("greet").on("upper_body").fade(0.25).start()?),
            420 => _ = hero.0.set_next_section(greeting.context("it waves")?, Some("lower"))?,
            470 | 484 => hero.0.set_value("hit", true)?,
            580 => hero.0.set_value("crouch", true)?,
            706 => hero.0.set_value("jump", true)?,
            _ => {}
        }
        let on = |held: std::ops::Range<u16>| f32::from(u8::from(held.contains(&frame)));
        let (at, heard) = hero.update(on(20..300) - on(500..555), on(729..754) < 0.5, on(310..460) > 0.5)?;
        steps += heard;
        if frame % 5 == 0 {
            film.push(picture(&mut hero.0, &at)?);
        }
    }
    println!("{steps} steps, {:.1} m ahead and {:.2} m up", hero.4.translation[2], hero.5);
    let path = std::env::args().nth(1).unwrap_or_else(|| "target/pictures/third_person.gif".into());
    std::fs::create_dir_all(std::path::Path::new(&path).parent().context("a folder")?)?;
    Ok(std::fs::write(&path, gif::encode(&film, film.len() as f64 / 12.0)?)?)
}

/// The hero, the stairs, the wall and the lamp.
fn picture(hero: &mut Animator, world: &Mat34) -> Result<Image> {
    let mut canvas = Canvas::new(420, 300, palette::PAPER)?;
    canvas.set_camera(&Camera::framing([-0.9, 0.0, 0.0], [1.6, 2.7, 5.3], [-1.0, 0.3, 0.1], 0.3, 1.4)?)?;
    for mesh in hero.body_mut().skin()? {
        let positions: Vec<_> = mesh.positions.iter().map(|v| world.mul_point(*v)).collect();
        let normals: Vec<_> = mesh.normals.iter().map(|v| world.mul_vector(*v)).collect();
        canvas.mesh(&Mesh::new(&positions, &normals, mesh.indices, palette::SAGE), &Light::default())?;
    }
    let floor = (0..126_u16).map(|cell| f32::from(cell) * 0.04).map(|z| [height(z), z]);
    let outline: Vec<_> = floor.chain([LEDGE, [LEDGE[0], LEDGE[1] + 0.3]]).collect();
    for pair in outline.windows(2) {
        for x in [-0.4, 0.4] {
            canvas.line([x, pair[0][0], pair[0][1]], [x, pair[1][0], pair[1][1]], 1.5, palette::INK)?;
        }
    }
    canvas.line([-0.4, LEDGE[0], LEDGE[1]], [0.4, LEDGE[0], LEDGE[1]], 3.0, palette::OCHRE)?;
    canvas.ball(LAMP.to_array(), 0.09, palette::OCHRE, &Light::default())?;
    Ok(canvas.finish())
}
