//! Ten thousand mannequins on their way: to targets, round each other, and a wave for who arrives.
//!
//! `cargo run --release -p lissom-examples --example crowd` makes `docs/crowd.png` again; another path may be given, and a
//! number of mannequins. One graph plays them all: gaits blended by speed, waves over the upper body. The program steers;
//! the crowd turns speeds into poses, and places into palettes of the world.
#![allow(clippy::print_stdout, reason = "it is for reading")]

use anyhow::Result;
use lissom::math::Mat4;
use lissom_build::{exact::smaller, mannequin::Motion};
use lissom_draw::{Camera, Canvas, Ground, Light, Mesh, Shadow, palette};
use lissom_examples::{Actor, Vertices, write_png};
use lissom_math::trig;
use lissom_motion::{
    Graph, GraphParts, RootStep,
    crowd::{Crowd, Member, Outputs, PaletteFormat, Palettes, Rayon, Role, Serial, Space},
    graph::{LayerParts, StateParts},
    state::OneShot,
};
use std::{sync::Arc, time::Instant};

const DT_S: f32 = 1.0 / 30.0;
const FRAMES: usize = 240;
/// Metres between neighbours, about.
const ROOM: f32 = 1.7;

/// Somebody on the way.
struct Walker {
    at: [f32; 2],
    /// Radians; 0 looks along z.
    heading: f32,
    speed: f32,
    target: [f32; 2],
    /// How fast it likes to go.
    likes: f32,
    /// Seconds that it still stands and waves.
    waves_s: f32,
}

/// Numbers that look random, the same in every run. The generator of our tests is not used here: you can copy this
/// example into a game that has none of our test crates.
struct Chance(u32);

impl Chance {
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }

    fn place(&mut self, side: f32) -> [f32; 2] {
        [self.unit() * side, self.unit() * side]
    }
}

/// Who is near, by squares of a metre and a half.
struct Grid {
    across: usize,
    squares: Vec<Vec<usize>>,
}

impl Grid {
    const SQUARE: f32 = 1.5;

    fn new(side: f32) -> Self {
        let across = (side / Self::SQUARE) as usize + 1;
        Self { across, squares: vec![Vec::new(); across * across] }
    }

    fn square(&self, at: [f32; 2]) -> [usize; 2] {
        at.map(|v| ((v / Self::SQUARE) as usize).min(self.across - 1))
    }

    fn fill(&mut self, walkers: &[Walker]) {
        self.squares.iter_mut().for_each(Vec::clear);
        for (i, walker) in walkers.iter().enumerate() {
            let [x, z] = self.square(walker.at);
            self.squares[z * self.across + x].push(i);
        }
    }

    fn near(&self, at: [f32; 2]) -> impl Iterator<Item = usize> {
        let [x, z] = self.square(at);
        let last = self.across - 1;
        let rows = z.saturating_sub(1)..=(z + 1).min(last);
        let columns = x.saturating_sub(1)..=(x + 1).min(last);
        rows.flat_map(move |z| columns.clone().map(move |x| z * self.across + x))
            .flat_map(|square| self.squares[square].iter().copied())
    }
}

/// Where somebody wants to go now: to the target, and away from who is close.
fn wish(i: usize, walkers: &[Walker], grid: &Grid) -> [f32; 2] {
    let own = &walkers[i];
    let way = [own.target[0] - own.at[0], own.target[1] - own.at[1]];
    let far = trig::sqrt(way[0] * way[0] + way[1] * way[1]);
    let k = if far > 1.0e-3 { own.likes / far } else { 0.0 };
    let mut wish = way.map(|v| v * k);
    for other in grid.near(own.at).filter(|other| *other != i) {
        let off = [own.at[0] - walkers[other].at[0], own.at[1] - walkers[other].at[1]];
        let near = off[0] * off[0] + off[1] * off[1];
        if near < 1.4 && near > 1.0e-6 {
            // Harder the closer, and a little to the right, or two that meet would stand.
            let push = 0.9 * (1.4 - near) / near;
            wish[0] += push * (off[0] + 0.5 * off[1]);
            wish[1] += push * (off[1] - 0.5 * off[0]);
        }
    }
    wish
}

/// The nearest number from `least` to `most`.
fn within(v: f32, least: f32, most: f32) -> f32 {
    if v < least {
        least
    } else if v > most {
        most
    } else {
        v
    }
}

impl Walker {
    fn go(&mut self, wish: [f32; 2], side: f32) {
        let wanted = trig::sqrt(wish[0] * wish[0] + wish[1] * wish[1]);
        let mut turn = trig::atan2(wish[0], wish[1]) - self.heading;
        let lap = std::f32::consts::TAU;
        turn -= lap * trig::floor(turn / lap + 0.5);
        let stands = self.waves_s > 0.0;
        let most = 2.8 * DT_S;
        self.heading += if stands { 0.0 } else { within(turn, -most, most) };
        // Round a corner one goes slower.
        let ahead = trig::cos(turn);
        let aim = if stands || ahead < 0.0 { 0.0 } else { within(wanted, 0.0, 1.4 * self.likes) * ahead };
        self.speed += within(aim - self.speed, -4.0 * DT_S, 3.0 * DT_S);
        let step = self.speed * DT_S;
        let [x, z] = self.at;
        self.at = [x + step * trig::sin(self.heading), z + step * trig::cos(self.heading)]
            .map(|v| within(v, 0.0, side));
        self.waves_s -= DT_S;
    }

    fn place(&self) -> RootStep {
        let half = 0.5 * self.heading;
        RootStep {
            translation: [self.at[0].into(), 0.0, self.at[1].into()],
            rotation: [0.0, trig::sin(half).into(), 0.0, trig::cos(half).into()],
        }
    }
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or("docs/crowd.png".into());
    let count: usize = std::env::args().nth(2).map_or(Ok(10_000), |count| count.parse())?;
    let actor = Actor::new(&[Motion::Idle, Motion::Walk, Motion::Jog, Motion::Run, Motion::Wave])?;
    let gait = |motion: Motion| (motion.speed() as f32, motion.name());
    let gaits = [(0.0, Motion::Idle.name()), gait(Motion::Walk), gait(Motion::Jog), gait(Motion::Run)];
    // At any speed the feet keep up with the ground.
    let gaits = StateParts::line("move", "speed", &gaits).own_time(Motion::Idle.name()).keeping_speed();
    let parts = GraphParts::new()
        .damped("speed", 0.0, 0.1)
        .clip(Motion::Wave.name())
        .mask("upper body", "spine_01", 2)
        .layer(LayerParts::new("body").state(gaits))
        .layer(LayerParts::new("arms").masked("upper body"));
    let graph = Arc::new(Graph::of_archive(&parts, &actor.archive)?);
    let (speed, arms, wave) = (graph.float("speed")?, graph.layer("arms")?, graph.clip(Motion::Wave.name())?);

    let side = trig::sqrt(count as f32) * ROOM;
    let mut chance = Chance(7);
    let mut walkers = Vec::with_capacity(count);
    let mut crowd = Crowd::new(&actor.archive)?;
    let role = Role::Graph(crowd.add_graph(Arc::clone(&graph))?);
    let mut members: Vec<Member> = Vec::with_capacity(count);
    for _ in 0..count {
        let heading = chance.unit() * std::f32::consts::TAU;
        let likes = 1.1 + 2.4 * chance.unit() * chance.unit();
        let (at, target) = (chance.place(side), chance.place(side));
        walkers.push(Walker { at, heading, speed: 0.0, target, likes, waves_s: 0.0 });
        members.push(crowd.add(role, RootStep::IDENTITY)?);
    }
    // The program steers: clips do not move anybody.
    crowd.set_travels(&members, false)?;
    let middle = f64::from(side) * 0.5;
    let space = Space::World { origin: [middle, 0.0, middle] };
    crowd.set_outputs(Outputs { palettes: Some(PaletteFormat::F32), space, ..Outputs::default() });

    let mut grid = Grid::new(side);
    let (mut arrived, mut one_ms, mut all_ms) = (0, f64::INFINITY, f64::INFINITY);
    for frame in 0..FRAMES {
        grid.fill(&walkers);
        let wishes: Vec<[f32; 2]> = (0..count).map(|i| wish(i, &walkers, &grid)).collect();
        for (i, walker) in walkers.iter_mut().enumerate() {
            walker.go(wishes[i], side);
            let off = [walker.target[0] - walker.at[0], walker.target[1] - walker.at[1]];
            if off[0] * off[0] + off[1] * off[1] < 2.0 {
                (walker.target, walker.waves_s) = (chance.place(side), 2.0);
                crowd.play(members[i], arms, wave, OneShot::default())?;
                arrived += 1;
            }
        }
        let speeds: Vec<f32> = walkers.iter().map(|walker| walker.speed).collect();
        let places: Vec<RootStep> = walkers.iter().map(Walker::place).collect();
        crowd.set_each(&members, speed, &speeds)?;
        crowd.set_places(&members, &places)?;
        let start = Instant::now();
        let best = if frame % 8 == 7 {
            crowd.update_on(DT_S.into(), &Serial)?;
            &mut one_ms
        } else {
            crowd.update_on(DT_S.into(), &Rayon)?;
            &mut all_ms
        };
        *best = smaller(*best, start.elapsed().as_secs_f64() * 1e3);
    }
    println!("{count} mannequins, {FRAMES} frames, {arrived} arrived; palettes of the world included:");
    println!("  one thread   {:.0} characters a millisecond", count as f64 / one_ms);
    println!("  all threads  {:.0} characters a millisecond", count as f64 / all_ms);
    println!("  {} bytes a character without outputs", crowd.member_bytes(members[0])?);
    draw(&actor, &crowd, &members, &walkers, middle as f32, &path)
}

/// Those about the middle, skinned with their palettes.
fn draw(
    actor: &Actor,
    crowd: &Crowd,
    members: &[Member],
    walkers: &[Walker],
    middle: f32,
    path: &str,
) -> Result<()> {
    let (mesh, light) = (actor.mesh.view(), Light::default());
    let coats = [palette::SAGE, palette::PLASTER, palette::OCHRE, palette::SKY, palette::PLUM, palette::CLAY];
    let mut canvas = Canvas::new(1200, 560, palette::PAPER)?;
    canvas.set_camera(&Camera::perspective([0.0, 7.0, 18.0], [0.0, 0.5, -3.0], 0.42))?;
    let mut feet = Vec::new();
    for (i, (member, walker)) in members.iter().zip(walkers).enumerate() {
        let [x, z] = walker.at.map(|v| v - middle);
        if x.abs() > 17.0 || !(-22.0..14.0).contains(&z) {
            continue;
        }
        let Some(Palettes::F32(rows)) = crowd.palette(*member)? else { continue };
        let palette: Vec<Mat4> = rows
            .iter()
            .map(|[x, y, z]| {
                let column = |c: usize| [x[c], y[c], z[c], if c == 3 { 1.0 } else { 0.0 }];
                Mat4::from_cols_array_2d(&[column(0), column(1), column(2), column(3)])
            })
            .collect();
        let Vertices { positions, normals } = actor.skinned(&palette)?;
        let coat = palette::PLASTER.mixed(coats[i % coats.len()], 0.55);
        canvas.mesh(&Mesh::new(&positions, &normals, mesh.indices, coat), &light)?;
        feet.extend(positions);
    }
    let ground = Ground { radius: 40.0, strength: 0.2, ..Ground::default() };
    canvas.ground(&ground, Some(&Shadow::of_points(&feet, 0.0)?))?;
    write_png(&canvas, path)
}
