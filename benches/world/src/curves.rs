//! The plots: time an entity against the size of the world and against the dirty share, by algorithm.

use crate::{
    ours::Ours,
    peer::{MODES, Peer},
    scenes::{self, Scene},
};
use lissom_draw::chart::{Lines, Series};
use lissom_measure::{rng::Rng, timing::best_of_s};
use lissom_world::oracles::Algorithm;
use std::{error::Error, path::Path};

const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::DepthFirst, Algorithm::ByDepth, Algorithm::Levels, Algorithm::Lanes];

pub fn write(folder: &Path, budget: f64, with_peer: bool) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let by_count = |counts: &[usize], peer: bool| {
        let mut series: Vec<Series> = ALGORITHMS
            .iter()
            .map(|&a| Series {
                name: format!("{a:?}"),
                points: counts.iter().map(|&n| (n as f64, all_moved(n, a, budget))).collect(),
            })
            .collect();
        if peer {
            let points = counts
                .iter()
                .filter(|n| **n <= 1_000_000)
                .map(|&n| {
                    let modes = MODES.iter().map(|m| peer_all_moved(n, *m, budget));
                    (n as f64, modes.fold(f64::INFINITY, f64::min))
                })
                .collect();
            series.push(Series { name: "bevy, 2 threads".into(), points });
        }
        series
    };
    let counts = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000];
    let svg = Lines {
        title: "Everything moved: trees of ten, one thread, writes included",
        x_name: "entities",
        y_name: "ns an entity",
        series: &by_count(&counts, with_peer),
    }
    .draw()
    .to_svg()?;
    std::fs::write(folder.join("world_count.svg"), svg)?;
    let svg = Lines {
        title: "Small worlds: everything moved, one thread, writes included",
        x_name: "entities",
        y_name: "ns an entity",
        series: &by_count(&[10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000], false),
    }
    .draw()
    .to_svg()?;
    std::fs::write(folder.join("world_small.svg"), svg)?;

    let shares = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0];
    let series: Vec<Series> = ALGORITHMS
        .iter()
        .map(|&a| Series {
            name: format!("{a:?}"),
            points: shares.iter().map(|&s| (s * 100.0, share_moved(s, a, budget))).collect(),
        })
        .collect();
    let svg = Lines {
        title: "A share moved, at random: 1 M entities in trees of ten, one thread",
        x_name: "per cent of the entities written",
        y_name: "ns an entity of the world",
        series: &series,
    }
    .draw()
    .to_svg()?;
    Ok(std::fs::write(folder.join("world_share.svg"), svg)?)
}

fn trees(entities: usize) -> Scene {
    Scene::new("t", "", scenes::small_tree(), entities / 10)
}

fn all_moved(entities: usize, algorithm: Algorithm, budget: f64) -> f64 {
    let mut o = Ours::new(&trees(entities), algorithm, false);
    let seconds = best_of_s(budget, usize::MAX, |t| {
        t(&mut || {
            o.move_all();
            o.world.sync();
        });
    });
    seconds * 1e9 / entities as f64
}

fn peer_all_moved(entities: usize, mode: crate::peer::Mode, budget: f64) -> f64 {
    let mut p = Peer::new(&trees(entities), mode);
    let seconds = best_of_s(budget, usize::MAX, |t| {
        t(&mut || {
            p.move_all();
            p.sync();
        });
        p.frame_end();
    });
    seconds * 1e9 / entities as f64
}

fn share_moved(share: f64, algorithm: Algorithm, budget: f64) -> f64 {
    let entities = 1_000_000;
    let mut rng = Rng::new(3);
    let picks: Vec<usize> = (0..(entities as f64 * share) as usize).map(|_| rng.below(entities)).collect();
    let mut o = Ours::new(&trees(entities), algorithm, false);
    let seconds = best_of_s(budget, usize::MAX, |t| {
        t(&mut || {
            o.move_some(&picks);
            o.world.sync();
        });
    });
    seconds * 1e9 / entities as f64
}
