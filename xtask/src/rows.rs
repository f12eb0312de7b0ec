//! The rows of the job tables in Node, on wasm's simd128, beside our own SSE4.2.

use crate::{
    foreign::{Toolchain, missing, no_toolchain},
    workspace,
};

const TARGET: &str = "wasm32-unknown-unknown";
const BENCH: &str = "lissom-bench";
/// Four lanes with a byte shuffle, as simd128 has them.
const PEER: &str = "sse4.2";
/// How many times as long as the peer a row may take.
const GOAL: f64 = 2.0;

/// Builds both, runs one after the other, and prints them side by side.
pub fn command() -> Result<(), String> {
    if let Some(why) = missing(&["node"], &["nodejs"], false) {
        return Err(why);
    }
    let toolchain = Toolchain::find(TARGET, false).ok_or_else(|| no_toolchain(TARGET))?;
    let mut build = toolchain.wasm(false)??;
    build.env("CARGO_PROFILE_RELEASE_LTO", "thin");
    build.args(["build", "--release", "--no-default-features", "--package", BENCH, "--example", "rows_wasm"]);
    workspace::run(&mut build)?;
    workspace::run(workspace::cargo().args(["build", "--release", "--package", BENCH]))?;
    let wasm = toolchain.folder()?.join("release/examples/rows_wasm.wasm");
    let node = rows(workspace::command("node").arg("scripts/rows.mjs").arg(wasm))?;
    let native = workspace::target()?.join("release").join(BENCH);
    let peer = rows(workspace::command(&native.to_string_lossy()).arg("rows").env("LISSOM_SIMD", PEER))?;
    println!("ns an item, the shortest of many rounds; goal: at most {GOAL} times {PEER}");
    println!("{:<38} {:>10} {PEER:>10} {:>7}", "work", "node", "times");
    let mut above = 0;
    for ((name, ns), (its_name, peer_ns)) in node.iter().zip(&peer) {
        if name != its_name {
            return Err(format!("Node measured {name:?} where the command has {its_name:?}"));
        }
        let times = ns / peer_ns;
        above += usize::from(times > GOAL);
        println!("{name:<38} {ns:>10.2} {peer_ns:>10.2} {times:>7.2}");
    }
    if node.len() != peer.len() {
        return Err(format!("{} rows in Node, {} of the command", node.len(), peer.len()));
    }
    println!("{} rows, {above} above the goal", node.len());
    Ok(())
}

/// Lines of a name, a tab and a number.
fn rows(command: &mut std::process::Command) -> Result<Vec<(String, f64)>, String> {
    let text = String::from_utf8_lossy(&workspace::output(command)?.stdout).into_owned();
    let row = |line: &str| {
        let (name, ns) = line.split_once('\t')?;
        Some((name.to_owned(), ns.parse().ok()?))
    };
    text.lines().map(|line| row(line).ok_or_else(|| format!("no row: {line}"))).collect()
}
