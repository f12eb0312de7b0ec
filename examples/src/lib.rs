//! Examples live beside this file; run one with `cargo run --release --example NAME`.
