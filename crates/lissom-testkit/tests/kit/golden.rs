//! The committed hashes are met on every backend of this CPU, and a change of them is explained.

use lissom_testkit::conformance;

#[test]
fn golden_hashes_are_met_on_every_backend() {
    if let Err(report) = conformance::check() {
        panic!("{report}If this is meant: cargo run -p lissom-testkit --bin conformance -- table");
    }
}

#[test]
fn a_changed_golden_hash_is_explained() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/golden_hashes.md");
    let page = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let start = conformance::explanation_start();
    let reason = page.lines().find_map(|line| line.split_once(&start)).map(|(_, reason)| reason.trim());
    assert!(
        reason.is_some_and(|r| r.split_whitespace().count() >= 3),
        "the golden hashes changed; add to golden_hashes.md:\n- {start}<why the bits changed>"
    );
}
