//! The rows of the job tables in a wasm engine: `scripts/rows.mjs` has the clock.
#![allow(unsafe_code, reason = "an exported name is an unsafe attribute; nothing here touches raw memory")]

use lissom::math::simd::Backend;
use lissom_bench::rows::{self, Row};
use std::cell::RefCell;

thread_local! {
    static ROWS: RefCell<Vec<Row>> = RefCell::new(
        rows::all(Backend::best()).expect("the mannequin cooks").into_iter().flatten().collect(),
    );
}

/// How many there are. The first call makes them.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn row_count() -> u32 {
    ROWS.with_borrow(|rows| rows.len() as u32)
}

/// Byte `i` of a row's name, -1 after its end.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn row_name_byte(row: u32, i: u32) -> i32 {
    ROWS.with_borrow(|rows| rows[row as usize].name.as_bytes().get(i as usize).map_or(-1, |b| i32::from(*b)))
}

/// Joints, vertices or calls of a round.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn row_items(row: u32) -> u32 {
    ROWS.with_borrow(|rows| rows[row as usize].items as u32)
}

/// So many rounds of a row.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn row_run(row: u32, rounds: u32) {
    ROWS.with_borrow_mut(|rows| (0..rounds).for_each(|_| (rows[row as usize].run)()));
}
