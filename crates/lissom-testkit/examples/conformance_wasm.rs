//! The golden hashes in a wasm engine: `scripts/conformance.mjs` reads the report byte by byte.
#![allow(unsafe_code, reason = "an exported name is an unsafe attribute; nothing here touches raw memory")]

use std::sync::OnceLock;

/// Byte `i` of the report, -1 after its end. The first call computes it.
// SAFETY: no other symbol of this module has the name.
#[unsafe(no_mangle)]
pub extern "C" fn report_byte(i: u32) -> i32 {
    static REPORT: OnceLock<String> = OnceLock::new();
    let report = REPORT.get_or_init(|| lissom_testkit::conformance::check().unwrap_or_else(|e| e));
    report.as_bytes().get(i as usize).map_or(-1, |b| i32::from(*b))
}
