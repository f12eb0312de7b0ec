//! A thousand characters of one graph, updated in one call on all threads.
//!
//! The part between the two marks is the README's example; a test compares them.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::archive::Archive;
use lissom_build::mannequin;
use lissom_examples::mannequin_archive;
use lissom_motion::{
    Graph, RootStep,
    crowd::{Crowd, Rayon, Role},
};
use std::sync::Arc;

fn main() -> Result<()> {
    let path = std::env::temp_dir().join(format!("lissom-many-{}.lsm", std::process::id()));
    std::fs::write(&path, mannequin_archive(&mannequin::GRAPH_MOTIONS)?)?;
    let mut steps = 0;

    // [README
    let archive = Archive::open(&path)?;
    let graph = Arc::new(Graph::load(&archive, "mannequin")?);
    let ahead = graph.float("ahead")?;
    let mut crowd = Crowd::new(&archive)?;
    let role = Role::Graph(crowd.add_graph(graph)?);
    for i in 0..1000 {
        let translation = [f64::from(i % 40), 0.0, f64::from(i / 40)];
        let member = crowd.add(role, RootStep { translation, ..RootStep::IDENTITY })?;
        crowd.set(member, ahead, if i % 3 == 0 { 4.4 } else { 1.32 })?; // m/s
    }
    for _frame in 0..120 {
        crowd.update_on(1.0 / 60.0, &Rayon)?;
        steps += crowd.events().filter(|e| e.marker().is_some()).count(); // also: places, matrices, palettes
    }
    // README]

    std::fs::remove_file(&path)?;
    println!("{} characters, {steps} events in two seconds", crowd.len());
    Ok(())
}
