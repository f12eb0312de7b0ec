//! The jobs on poses and vertices, each on every backend, beside ozz's figures and our goals.

use crate::sampling;
use anyhow::Result;
use lissom::math::simd::Backend;
use lissom_bench::{
    ozz::{self, Goal},
    rows::{self, Row},
    skinning::{Mesh, Order, palette, skin as skin_mesh},
};
use lissom_cli::timing::{best_ns, calibration_ns};
use std::path::Path;

/// Prints the table, on one backend or on all that there are; the folder is for [`sampling::Stage`].
pub fn print(only: Option<Backend>, folder: Option<&Path>) -> Result<()> {
    let stage = sampling::Stage::new(folder)?;
    println!(
        "ns an item; calibration: ns a step of a dependent multiply and add, taken before the row's group"
    );
    heading("ns/item");
    for backend in Backend::all().filter(|b| only.is_none_or(|only| only == *b)) {
        stage.print(backend);
        rows::jobs(backend).into_iter().for_each(|group| Table::new(backend).rows(group));
    }
    Table::new(Backend::best()).rows(rows::opening()?);
    beyond_caches();
    Ok(())
}

/// Prints the names of the columns.
pub fn heading(unit: &str) {
    println!("{:<34} {:>8} {unit:>9} {:>11} {:>7} {:>6}", "work", "backend", "calibration", "of ozz", "goal");
}

/// Prints rows that were measured right after one calibration.
pub struct Table {
    backend: Backend,
    calibration_ns: f64,
}

impl Table {
    /// Calibrates.
    pub fn new(backend: Backend) -> Self {
        Self { backend, calibration_ns: calibration_ns() }
    }

    /// Our nanoseconds through ozz's, by this calibration.
    pub fn quotient(&self, ns: f64, goal: Goal) -> f64 {
        goal.quotient(ns, self.calibration_ns)
    }

    /// A mean of quotients and the goals for AVX-512 and AVX2.
    pub fn mean(&self, work: &str, quotient: f64, goals: [f64; 2]) {
        let (backend, calibration) = (self.backend, self.calibration_ns);
        let goal = ozz::part(backend, goals);
        println!("{work:<34} {backend:>8} {:>9} {calibration:>11.3} {quotient:>7.2} {goal:>6.2}", "-");
    }

    /// Figures, and goals where there are some.
    pub fn rows(&self, rows: Vec<Row>) {
        let (backend, calibration) = (self.backend, self.calibration_ns);
        for mut row in rows {
            let ns = ns(&mut row);
            print!("{:<34} {backend:>8} {ns:>9.2} {calibration:>11.3}", row.name);
            match row.goal {
                Some(goal) => println!(" {:>7.2} {:>6.2}", goal.quotient(ns, calibration), goal.of(backend)),
                None => println!(" {:>7} {:>6}", "-", "-"),
            }
        }
    }
}

/// Nanoseconds an item.
pub fn ns(row: &mut Row) -> f64 {
    best_ns(row.rounds, &mut row.run) / row.items as f64
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
