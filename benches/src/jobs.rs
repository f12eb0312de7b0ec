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

/// Prints the table, on one backend or on all that there are; the folder is for [`sampling::Stage`]. Everything is measured so many
/// times over, and of each row the quietest pass is printed: neighbours come and go by the minute.
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

/// Prints the names of the columns.
pub fn heading(unit: &str) {
    println!("{:<38} {:>8} {unit:>9} {:>11} {:>7} {:>6}", "work", "backend", "calibration", "of ozz", "goal");
}

/// A row that was measured.
pub struct Line {
    work: String,
    backend: Backend,
    /// An item; a mean over clips has none.
    ns: Option<f64>,
    calibration_ns: f64,
    /// The quotient to ozz, and what it is to be.
    of_ozz: Option<[f64; 2]>,
}

impl Line {
    /// What passes are compared by: the time in steps of the calibration, or the quotient.
    fn steps(&self) -> f64 {
        self.ns
            .map(|ns| ns / self.calibration_ns)
            .or(self.of_ozz.map(|[quotient, _]| quotient))
            .unwrap_or_default()
    }

    /// Prints it under the [`heading`].
    pub fn print(&self) {
        let Self { work, backend, calibration_ns, .. } = self;
        let ns = self.ns.map_or("-".into(), |ns| format!("{ns:.2}"));
        let [quotient, goal] =
            self.of_ozz.map_or(["-".into(), "-".into()], |of| of.map(|v| format!("{v:.2}")));
        println!("{work:<38} {backend:>8} {ns:>9} {calibration_ns:>11.3} {quotient:>7} {goal:>6}");
    }
}

/// Rows that are measured right after one calibration.
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
    pub fn mean(&self, work: String, quotient: f64, goals: [f64; 2]) -> Line {
        let Self { backend, calibration_ns } = *self;
        Line { work, backend, ns: None, calibration_ns, of_ozz: Some([quotient, ozz::part(backend, goals)]) }
    }

    /// Figures, and goals where there are some.
    pub fn rows(&self, rows: Vec<Row>) -> Vec<Line> {
        let Self { backend, calibration_ns } = *self;
        let line = |mut row: Row| {
            let ns = ns(&mut row);
            let of_ozz = row.goal.map(|goal| [goal.quotient(ns, calibration_ns), goal.of(backend)]);
            Line { work: row.name, backend, ns: Some(ns), calibration_ns, of_ozz }
        };
        rows.into_iter().map(line).collect()
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
