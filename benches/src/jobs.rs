//! The jobs on poses and vertices, each on every backend, beside ozz's figures and our goals.

use crate::{
    sampling,
    table::{Line, Table, heading, ns},
};
use anyhow::Result;
use lissom::math::simd::Backend;
use lissom_bench::{
    rows,
    skinning::{Mesh, Order, palette, skin as skin_mesh},
};
use lissom_measure::timing::best_ns;
use std::path::Path;

/// Prints the table, on one backend or on all that there are; the folder is for [`sampling::Stage`]. Everything is measured
/// `passes` times, and of each row the quietest pass is printed: neighbours come and go by the minute.
pub fn print(only: Option<Backend>, folder: Option<&Path>, passes: usize) -> Result<()> {
    let stage = sampling::Stage::new(folder)?;
    let pass = |number: usize| -> Result<Vec<Line>> {
        let mut lines = Vec::new();
        for backend in Backend::all().filter(|b| only.is_none_or(|only| only == *b)) {
            eprintln!("pass {number} of {passes}: {backend}");
            lines.extend(stage.measure(backend));
            lines.extend(rows::jobs(backend).into_iter().flat_map(|group| Table::new(backend).rows(group)));
        }
        lines.extend(Table::new(Backend::best()).rows(rows::opening()?));
        Ok(lines)
    };
    let mut best = pass(1)?;
    for number in 2..=passes {
        for (best, line) in best.iter_mut().zip(pass(number)?) {
            if line.steps() < best.steps() {
                *best = line;
            }
        }
    }
    println!(
        "ns an item, the best of {passes}; calibration: ns a step of a dependent multiply and add, taken before the row's group"
    );
    heading("ns/item");
    best.iter().for_each(Line::print);
    beyond_caches();
    Ok(())
}

/// Prints rows that need no files as a name, a tab and nanoseconds: to be set beside those of another machine.
pub fn print_plain(backend: Backend) -> Result<()> {
    for mut row in rows::all(backend)?.into_iter().flatten() {
        let ns = ns(&mut row);
        println!("{}\t{ns:.3}", row.name);
    }
    Ok(())
}

/// A mesh that no cache holds: bytes read and written a second, beside a plain copy of as many bytes.
fn beyond_caches() {
    let vertices = 4_000_000;
    let joints = 67;
    let palette = palette(joints);
    let mesh = Mesh::new(vertices, 4, joints, Order::Neighbours);
    let checked = mesh.checked(joints);
    let mut out = mesh.output();
    println!(
        "\n{vertices} vertices, 4 influences, PNT: {} MB read and written",
        mesh.bytes_moved(3) / 1_000_000
    );
    for backend in Backend::all().filter(|b| ["avx2", "avx512"].contains(&b.name())) {
        let ns = best_ns(5, || skin_mesh(backend, &mesh, checked, palette.get(), 3, &mut out));
        println!(
            "skin on {backend}: {:.1} GB/s, {:.2} ns a vertex",
            mesh.bytes_moved(3) as f64 / ns,
            ns / vertices as f64
        );
    }
    let from = vec![1u8; mesh.bytes_moved(3) / 2];
    let mut to = vec![0u8; from.len()];
    let ns = best_ns(5, || to.copy_from_slice(&from));
    println!("plain copy: {:.1} GB/s", 2.0 * from.len() as f64 / ns);
}
