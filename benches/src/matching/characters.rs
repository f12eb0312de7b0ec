//! Characters that are played by motion matching: what deciding costs with a search and without one, and ten thousand of them.

use super::data;
use anyhow::{Context, Result};
use lissom::{archive::Archive, math::trig};
use lissom_build::{
    cook::ClipBuilder,
    exact::smaller,
    mannequin::{self, Detail, Motion},
    matching::{MatchedClips, MatchingRule},
    pipeline::{self, Input, Options, Plan},
    recipe,
};
use lissom_motion::{
    Graph, GraphParts, GraphState, RootStep,
    crowd::{Crowd, Rayon, Role},
    frame::Frame,
    graph::{LayerParts, MatchedParts, StateParts},
};
use rayon::prelude::*;
use std::{hint::black_box, path::Path, sync::Arc, time::Instant};

const EDITS: &str = "[clips.'*']\ntrim = '0.02..'\nrate = 30\nroot-motion = { reference = 'rest' }\n";
const DT_S: f64 = 1.0 / 60.0;
/// Five seconds of deciding.
const STEPS: usize = 300;
const ROUNDS: usize = 15;
const CHARACTERS: usize = 10_000;
/// Of the crowd.
const FRAMES: usize = 120;
const SEARCHES_PER_S: usize = 5;

/// Prints both.
///
/// # Errors
///
/// If the folder holds no mocap.
pub fn print(folder: &Path) -> Result<()> {
    let archive = Archive::read(&archive(folder)?)?;
    let matched = MatchedParts { search_s: 0.2, ..MatchedParts::new("mocap", ["left", "ahead"]) };
    let matched = graph(&archive, StateParts::matched("move", matched))?;
    let clip = archive.clips().next().context("there are clips")?.0.to_owned();
    let plain = graph(&archive, StateParts::clip("move", &clip))?;
    println!("\nDeciding without a pose, of one character in warm caches, on {} frames:", frames(&archive)?);
    let best_ns = |graph: &Graph, searches: bool| -> Result<f64> {
        (0..ROUNDS).try_fold(f64::INFINITY, |best, _| Ok(smaller(best, deciding_ns(graph, searches)?)))
    };
    let (clip, idle, search) = (best_ns(&plain, false)?, best_ns(&matched, false)?, best_ns(&matched, true)?);
    println!("| | ns | more than a clip |\n|---|---|---|\n| a clip | {clip:.0} | |");
    println!("| matched, no search | {idle:.0} | {:.0} |", idle - clip);
    println!("| matched, a search in each step | {search:.0} | {:.0} |", search - clip);
    crowd(&archive, &matched)
}

/// The mocap on the mannequin, at 30 Hz and mirrored, with a database.
fn archive(folder: &Path) -> Result<Vec<u8>> {
    let scene = mannequin::game_scene(&[Motion::Idle], &Detail::default())?;
    let on_all = |count: usize, task: &(dyn Fn(usize) + Sync)| (0..count).into_par_iter().for_each(task);
    let own = pipeline::cook_scene(&scene, &ClipBuilder::default(), &on_all)?.archive;
    let clips = vec![MatchedClips { clips: "*".into(), ..MatchedClips::default() }];
    let plan = Plan::new(Options {
        retarget: Some(Input::bytes("mannequin.lsm", &own)),
        rules: recipe::read(EDITS.as_bytes())?.rules,
        matching: vec![MatchingRule { clips, mirrored: true, ..MatchingRule::new("mocap") }],
        ..Options::default()
    })?;
    let files = data::files(folder)?;
    let inputs: Vec<Input<'_>> = files.iter().map(Input::file).collect();
    let cooked = plan.cook(&inputs, &on_all, &mut pipeline::unwatched)?;
    for input in cooked.inputs {
        input?;
    }
    cooked.archive.context("an archive was asked for")
}

fn frames(archive: &Archive) -> Result<u32> {
    Ok(lissom_motion::matching::Database::load(archive, "mocap")?.frames())
}

fn graph(archive: &Archive, state: StateParts) -> Result<Arc<Graph>> {
    let layer = LayerParts::new("body").state(state);
    let parts = GraphParts::new().float("left", 0.0).float("ahead", 0.0).layer(layer);
    Ok(Arc::new(Graph::of_archive(&parts, archive)?))
}

/// A stick that goes to and fro.
fn stick(step: usize, character: usize) -> [f32; 2] {
    let (sin, cos) = trig::sin_cos(0.02 * step as f32 + 0.7 * character as f32);
    [0.6 * sin, 1.2 + 0.6 * cos]
}

/// Nanoseconds of a step, on average over a few seconds.
fn deciding_ns(graph: &Graph, searches: bool) -> Result<f64> {
    let (mut state, mut frame) = (GraphState::new(graph), Frame::new(graph));
    let (left, ahead) = (graph.float("left")?, graph.float("ahead")?);
    let key = graph.state_key(graph.layer("body")?, "move")?;
    graph.update(&mut state, DT_S, &mut frame)?;
    if !searches {
        state.set_search_turn(u16::MAX, u16::MAX)?;
    }
    let start = Instant::now();
    for step in 0..STEPS {
        let [x, z] = stick(step, 0);
        state.set(left, x)?;
        state.set(ahead, z)?;
        if searches {
            state.search_now(graph, key)?;
        }
        graph.update(&mut state, DT_S, &mut frame)?;
        black_box(frame.entries().len());
    }
    Ok(start.elapsed().as_secs_f64() * 1e9 / STEPS as f64)
}

/// A crowd, poses and all, with searches and without.
fn crowd(archive: &Archive, graph: &Arc<Graph>) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let with = CHARACTERS.div_ceil((1.0 / DT_S) as usize / SEARCHES_PER_S);
    println!("\n{CHARACTERS} characters on two threads, poses included, {FRAMES} frames at 60 Hz:");
    println!("| | ms a frame, mean | best | searches per second each |\n|---|---|---|---|");
    for (name, budget) in [("with searches", with), ("without", 1)] {
        let mut crowd = Crowd::new(archive)?;
        crowd.set_search_budget(Some(budget));
        let role = Role::Graph(crowd.add_graph(Arc::clone(graph))?);
        let (left, ahead) = (graph.float("left")?, graph.float("ahead")?);
        let members: Result<Vec<_>, _> =
            (0..CHARACTERS).map(|_| crowd.add(role, RootStep::IDENTITY)).collect();
        let members = members?;
        let (mut best, mut sum) = (f64::INFINITY, 0.0);
        for frame in 0..FRAMES {
            let sticks: Vec<[f32; 2]> = (0..CHARACTERS).map(|i| stick(frame, i)).collect();
            let [x, z] = [0, 1].map(|axis| sticks.iter().map(|stick| stick[axis]).collect::<Vec<f32>>());
            crowd.set_each(&members, left, &x)?;
            crowd.set_each(&members, ahead, &z)?;
            let start = Instant::now();
            pool.install(|| crowd.update_on(DT_S, &Rayon))?;
            let ms = start.elapsed().as_secs_f64() * 1e3;
            (best, sum) = (smaller(best, ms), sum + ms);
        }
        let mut searches = 0;
        for member in &members {
            let now = crowd.state(*member)?.matched(graph, 0).context("the one state is matched")?;
            searches += now.searches;
        }
        let rate = f64::from(searches) / (CHARACTERS as f64 * FRAMES as f64 * DT_S);
        println!("| {name} | {:.1} | {best:.1} | {rate:.1} |", sum / FRAMES as f64);
    }
    Ok(())
}
