//! What IK costs a call, beside ozz's figures.

use crate::table::{Line, Table, heading};
use lissom::math::simd::Backend;
use lissom_bench::rows;

/// Prints the rows. A call alone is plain code: one backend stands for all. Side by side there is one row a backend.
pub fn print() -> anyhow::Result<()> {
    println!("ns a call; the quotient is by the calibration loop, which ozz's figures were taken beside too");
    heading("ns/call");
    Table::new(Backend::best()).rows(rows::ik()).iter().for_each(Line::print);
    for backend in Backend::all() {
        Table::new(backend).rows(rows::ik_in_lanes(backend)).iter().for_each(Line::print);
    }
    Ok(())
}
