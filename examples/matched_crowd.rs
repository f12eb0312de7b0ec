//! Ten thousand mannequins that are played by motion matching: each goes where it wants to, by the frames that fit best.
//!
//! `cargo run --release -p lissom-examples --example matched_crowd` makes `docs/matched_crowd.png` again; another path may
//! be given, and a number of mannequins. There is one state for all, and no blend: the program says the velocity that each
//! wants, searches find frames of the mannequin's gaits, and their root motion carries everybody.
#![allow(clippy::print_stdout, reason = "it is for reading")]

use anyhow::{Context, Result};
use lissom::archive::Archive;
use lissom_build::exact::smaller;
use lissom_examples::{
    Actor, matched_archive,
    walkers::{self, Chance, GAITS, Grid, ROOM, at, matched_graph, seen, stands, within},
};
use lissom_math::trig;
use lissom_motion::{
    Graph,
    crowd::{Crowd, Member, Outputs, PaletteFormat, Rayon, Role, Space},
};
use std::{sync::Arc, time::Instant};

const DT_S: f64 = 1.0 / 30.0;
const FRAMES: usize = 150;
/// A sixth of ten thousand: each has its turn five times a second.
const TURNS: usize = 6;

/// What somebody wants.
struct Walker {
    target: [f32; 2],
    /// How fast it likes to go.
    likes: f32,
    /// Seconds that it still stands.
    rests_s: f32,
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or("docs/matched_crowd.png".into());
    let count: usize = std::env::args().nth(2).map_or(Ok(10_000), |count| count.parse())?;
    let actor = Actor::of(Archive::read(&matched_archive(&GAITS)?)?)?;
    // A search every fifth of a second, and at once when the wish changes: at its turn.
    let parts = matched_graph(0.2);
    let graph = Arc::new(Graph::of_archive(&parts, &actor.archive)?);
    let (aside, ahead) = (graph.float("aside")?, graph.float("ahead")?);

    let side = trig::sqrt(count as f32) * ROOM;
    let mut chance = Chance(7);
    let mut walkers = Vec::with_capacity(count);
    let mut crowd = Crowd::new(&actor.archive)?;
    crowd.set_search_budget(Some(count.div_ceil(TURNS)));
    let role = Role::Graph(crowd.add_graph(Arc::clone(&graph))?);
    let mut members: Vec<Member> = Vec::with_capacity(count);
    for _ in 0..count {
        let heading = chance.unit() * core::f32::consts::TAU;
        let (from, target) = (chance.place(side), chance.place(side));
        walkers.push(Walker { target, likes: 1.1 + 2.4 * chance.unit() * chance.unit(), rests_s: 0.0 });
        members.push(crowd.add(role, stands(from, heading))?);
    }
    let middle = f64::from(side) * 0.5;
    let space = Space::World { origin: [middle, 0.0, middle] };
    crowd.set_outputs(Outputs { palettes: Some(PaletteFormat::F32), space, ..Outputs::default() });

    let mut grid = Grid::new(side);
    let (mut best_ms, mut sum_ms, mut arrived) = (f64::INFINITY, 0.0, 0);
    let mut places: Vec<[f32; 2]> = Vec::with_capacity(count);
    for _ in 0..FRAMES {
        places.clear();
        for member in &members {
            places.push(at(crowd.place(*member)?));
        }
        // Who is pushed out of the square is near its edge, for who looks.
        let inside: Vec<[f32; 2]> = places.iter().map(|at| at.map(|v| within(v, 0.0, side))).collect();
        grid.fill(&inside);
        let [mut left, mut forward] = [(); 2].map(|()| Vec::with_capacity(count));
        for (i, walker) in walkers.iter_mut().enumerate() {
            let off = [walker.target[0] - places[i][0], walker.target[1] - places[i][1]];
            if off[0] * off[0] + off[1] * off[1] < 2.0 {
                (walker.target, walker.rests_s) = (chance.place(side), 1.5);
                arrived += 1;
            }
            walker.rests_s -= DT_S as f32;
            let likes = if walker.rests_s > 0.0 { 0.0 } else { walker.likes };
            let wish = seen(crowd.place(members[i])?, grid.wish(i, &inside, walker.target, likes));
            left.push(wish[0]);
            forward.push(wish[1]);
        }
        crowd.set_each(&members, aside, &left)?;
        crowd.set_each(&members, ahead, &forward)?;
        let start = Instant::now();
        crowd.update_on(DT_S, &Rayon)?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        (best_ms, sum_ms) = (smaller(best_ms, ms), sum_ms + ms);
    }
    let (mut searches, mut changes) = (0, 0);
    for member in &members {
        let now = crowd.state(*member)?.matched(&graph, 0).context("the one state is matched")?;
        (searches, changes) = (searches + now.searches, changes + now.jumps);
    }
    let seconds = count as f64 * FRAMES as f64 * DT_S;
    println!("{count} mannequins, {FRAMES} frames, {arrived} arrived; palettes of the world included:");
    println!("  all threads  {:.1} ms a frame on average, {best_ms:.1} at best", sum_ms / FRAMES as f64);
    println!("  {:.1} searches a second each", f64::from(searches) / seconds);
    println!("  {:.1} of them led to another frame", f64::from(changes) / seconds);
    walkers::draw(&actor, &crowd, &members, &places, middle as f32, &path)
}
