//! Rows of work measured on a backend, and the lines that are printed of them.

use lissom::math::simd::Backend;
use lissom_bench::{
    ozz::{self, Goal},
    rows::Row,
};
use lissom_measure::timing::{best_ns, calibration_ns};

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
    pub fn steps(&self) -> f64 {
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
