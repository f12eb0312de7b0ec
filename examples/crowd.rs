//! Ten thousand mannequins on their way: to targets, round each other, and a wave for who arrives.
//!
//! `cargo run --release -p lissom-examples --example crowd` makes `docs/crowd.png` again; another path may be given, and a
//! number of mannequins. One graph plays them all: gaits blended by speed, waves over the upper body. The program steers;
//! the crowd turns speeds into poses, and places into palettes of the world.
#![allow(clippy::print_stdout, reason = "it is for reading")]

use anyhow::Result;
use lissom_build::{exact::smaller, mannequin::Motion};
use lissom_examples::{
    Actor,
    walkers::{self, Chance, Grid, ROOM, stands, turn_to, within},
};
use lissom_math::trig;
use lissom_motion::{
    Graph, GraphParts, RootStep,
    crowd::{Crowd, Member, Outputs, PaletteFormat, Rayon, Role, Serial, Space},
    graph::{LayerParts, StateParts},
    state::OneShot,
};
use std::{sync::Arc, time::Instant};

const DT_S: f32 = 1.0 / 30.0;
const FRAMES: usize = 240;

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

impl Walker {
    fn go(&mut self, wish: [f32; 2], side: f32) {
        let wanted = trig::sqrt(wish[0] * wish[0] + wish[1] * wish[1]);
        let turn = turn_to(wish, self.heading);
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
        stands(self.at, self.heading)
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
        let at: Vec<[f32; 2]> = walkers.iter().map(|walker| walker.at).collect();
        grid.fill(&at);
        for (i, walker) in walkers.iter_mut().enumerate() {
            walker.go(grid.wish(i, &at, walker.target, walker.likes), side);
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
    let at: Vec<[f32; 2]> = walkers.iter().map(|walker| walker.at).collect();
    walkers::draw(&actor, &crowd, &members, &at, middle as f32, &path)
}
