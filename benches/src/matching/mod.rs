//! Motion matching: one search, beside a scan, boxes in order of time and a k-d tree on the same numbers.

mod characters;
mod data;
mod others;

use anyhow::{Result, ensure};
use lissom::math::simd::Backend;
use lissom_motion::matching::{Database, FeatureKind, Found};
use others::{KdTree, Rows, TimeBoxes};
use std::{hint::black_box, path::Path, time::Instant};

/// Of each query the best of so many rounds.
const ROUNDS: usize = 9;
/// Queries of one tick.
const TICK: usize = 50;

/// Prints the table.
///
/// # Errors
///
/// If the folder holds no mocap, or if two ways find different frames.
pub fn print(folder: &Path) -> Result<()> {
    let cooked = data::database(folder)?;
    let start = Instant::now();
    let database = Database::new(&cooked.parts)?;
    let load_ms = start.elapsed().as_secs_f64() * 1e3;
    let (asked, moves) = data::queries(&database)?;
    println!(
        "{} frames × {} features, {} may be found, {} ranges; {} bytes stored, made ready in {load_ms:.0} ms",
        database.frames(),
        database.features().len(),
        database.candidates(),
        database.ranges().len(),
        cooked.parts.to_bytes().len(),
    );
    let ahead = |axis: u8| {
        let second = FeatureKind::TrajectoryPosition { time_s: 1.0 };
        let features = database.features().iter().filter(|f| f.kind == second && f.axis == axis);
        features.map(|f| f.offset).sum::<f32>()
    };
    println!("in a second a frame is {:.2} m ahead and {:.2} m to the left, on average", ahead(2), ahead(0));
    println!("{} queries, {moves} of them move; of each the best of {ROUNDS} rounds\n", asked.len());
    let rows = Rows::new(&cooked.parts, &database);
    let (boxes, tree) = (TimeBoxes::new(&rows), KdTree::new(&rows));
    let floats: Vec<Vec<f32>> = asked.iter().map(|a| rows.rounded(&cooked.parts, &a.values)).collect();
    let mut ways: Vec<Way<'_>> = vec![
        Way::new("scan, f32", rows.bytes(), |i| rows.scan(&floats[i], asked[i].current)).rarely(),
        Way::new("k-d tree, f32, leaves of 32", tree.bytes(), |i| tree.search(&floats[i], asked[i].current)),
        Way::new("boxes of 64 and 16 in order of time, f32", boxes.bytes(), |i| {
            boxes.search(&floats[i], asked[i].current)
        }),
    ];
    for backend in Backend::all() {
        let (database, asked) = (&database, &asked);
        ways.push(Way::new(&format!("ours, {backend}"), database.bytes(), move |i| {
            database.search_on(backend, &asked[i].query).map_or(usize::MAX, |(found, _)| found.frame as usize)
        }));
    }
    // Rounds in turn, so that each way sees the same machine.
    for round in 0..ROUNDS {
        for way in ways.iter_mut().filter(|way| round < way.rounds) {
            way.round(asked.len());
        }
    }
    println!("| | µs median | µs p95 | µs mean | MB |\n|---|---|---|---|---|");
    ways.iter().for_each(Way::print);
    let queries: Vec<_> = asked.iter().map(|a| a.query.clone()).collect();
    let mut found = vec![Found::default(); TICK];
    let mut best = vec![f64::INFINITY; queries.len() / TICK];
    for _ in 0..ROUNDS {
        for (tick, best) in queries.chunks_exact(TICK).zip(&mut best) {
            let start = Instant::now();
            database.search_all(tick, &mut found)?;
            let took = start.elapsed().as_secs_f64() * 1e6 / TICK as f64;
            *best = if took < *best { took } else { *best };
            black_box(&found);
        }
    }
    let mean = best.iter().sum::<f64>() / best.len() as f64;
    println!("| ours, {}, 50 at once | | | {mean:.2} | |", Backend::best());
    let (mut blocks, mut groups) = (0, 0);
    for query in &queries {
        let (_, effort) = database.search_on(Backend::best(), query)?;
        (blocks, groups) = (blocks + effort.blocks as usize, groups + effort.boxes as usize);
    }
    let share = blocks as f64 / (queries.len() * database.blocks()) as f64;
    println!(
        "\nOurs looks into {:.2} % of the blocks of 16 frames, and at {:.0} groups of 16 boxes a search.",
        share * 100.0,
        groups as f64 / queries.len() as f64
    );
    compare(&ways)?;
    characters::print(folder)
}

/// All ways must agree. Sums of floats round, so of frames that cost nearly the same another may be found.
fn compare(ways: &[Way<'_>]) -> Result<()> {
    let ours = &ways[ways.len() - 1].found;
    for way in ways {
        let other = way.found.iter().zip(ours).filter(|(a, b)| a != b).count();
        if other > 0 {
            println!("{}: another frame for {other} of {} queries", way.name, ours.len());
        }
        ensure!(other * 200 <= ours.len(), "{} finds other frames", way.name);
        ensure!(other == 0 || !way.name.starts_with("ours"), "{} differs", way.name);
    }
    Ok(())
}

/// A way to search.
struct Way<'a> {
    name: String,
    bytes: usize,
    rounds: usize,
    search: Box<dyn Fn(usize) -> usize + 'a>,
    /// Of each query the best time so far.
    us: Vec<f64>,
    found: Vec<usize>,
}

impl<'a> Way<'a> {
    fn new(name: &str, bytes: usize, search: impl Fn(usize) -> usize + 'a) -> Self {
        let search = Box::new(search);
        Self { name: name.into(), bytes, rounds: ROUNDS, search, us: Vec::new(), found: Vec::new() }
    }

    /// One that takes long is measured twice.
    fn rarely(mut self) -> Self {
        self.rounds = 2;
        self
    }

    fn round(&mut self, queries: usize) {
        self.us.resize(queries, f64::INFINITY);
        self.found.resize(queries, 0);
        for i in 0..queries {
            let start = Instant::now();
            self.found[i] = black_box((self.search)(i));
            let us = start.elapsed().as_secs_f64() * 1e6;
            if us < self.us[i] {
                self.us[i] = us;
            }
        }
    }

    fn print(&self) {
        let mut us = self.us.clone();
        us.sort_by(f64::total_cmp);
        let at = |share: f64| us[((us.len() - 1) as f64 * share) as usize];
        let mean = us.iter().sum::<f64>() / us.len() as f64;
        let megabytes = self.bytes as f64 / 1e6;
        let Self { name, .. } = self;
        println!("| {name} | {:.2} | {:.2} | {mean:.2} | {megabytes:.2} |", at(0.5), at(0.95));
    }
}
