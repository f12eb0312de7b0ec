//! Our meshopt decoder against streams and results of the npm package `meshoptimizer`, which
//! `scripts/meshopt-vectors.mjs` writes into one file.

use crate::{skipped, validator::MODULES};
use anyhow::{Context as _, Result, ensure};
use lissom_build::import::gltf::meshopt::{Filter, Mode, decode};
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

const LEAST_RECORDS: usize = 5000;
const MODES: [Mode; 3] = [Mode::Attributes, Mode::Triangles, Mode::Indices];
const FILTERS: [Filter; 5] =
    [Filter::None, Filter::Octahedral, Filter::Quaternion, Filter::Exponential, Filter::Color];

/// Below FOLDER: files whose views are packed, in both extensions and versions, and plain ones.
const FILES: [&str; 5] = [
    "assets/khronos-sample-assets/MeshoptCubeTest/glTF-Meshopt/MeshoptCubeTest.gltf",
    "assets/khronos-sample-assets/CesiumMan/glTF-Binary/CesiumMan.glb",
    "defects/khronos-sample-assets/BrainStem/glTF-Binary/BrainStem.glb",
    "defects/khronos-sample-assets/BrainStem/glTF-Meshopt/BrainStem.gltf",
    "defects/khronos-sample-assets/BrainStem/glTF-Meshopt-EXT/BrainStem.gltf",
];

/// `path` is a file of vectors, or FOLDER: then vectors are made of its files and of random data.
pub(crate) fn run(path: &Path) -> Result<()> {
    if path.is_file() {
        return compare(path);
    }
    let Some(modules) = env::var_os(MODULES) else {
        skipped("meshopt", format_args!("{MODULES} does not name a folder with node_modules/meshoptimizer"));
        return Ok(());
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/meshopt-vectors.mjs");
    let out = PathBuf::from(&modules).join("meshopt-vectors.bin");
    let mut node = Command::new("node");
    node.arg(&script).arg("--modules").arg(&modules).arg("-o").arg(&out);
    let output = match node.args(FILES.map(|f| path.join(f))).output() {
        Ok(output) => output,
        Err(why) => {
            skipped("meshopt", format_args!("node: {why}"));
            return Ok(());
        }
    };
    let complaint = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(2) {
        skipped("meshopt", complaint.trim());
        return Ok(());
    }
    ensure!(output.status.success(), "{}: {}", script.display(), complaint.trim());
    compare(&out)
}

fn compare(file: &Path) -> Result<()> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    let mut rest = bytes.as_slice();
    let mut seen: BTreeMap<String, (usize, u32)> = BTreeMap::new();
    while !rest.is_empty() {
        let mut head = [0_u32; 6];
        for number in &mut head {
            let (four, after) = rest.split_first_chunk().context("the file ends in a record")?;
            (*number, rest) = (u32::from_le_bytes(*four), after);
        }
        let [mode, filter, version, count, stride, length] = head.map(|n| n as usize);
        let (mode, filter) = (MODES[mode], FILTERS[filter]);
        let (packed, after) = rest.split_at_checked(length).context("the file ends in a record")?;
        let (wanted, after) = after.split_at_checked(count * stride).context("the file ends in a record")?;
        rest = after;
        let found = decode(mode, filter, count, stride, packed).map_err(|reason| {
            anyhow::anyhow!("{mode:?} {filter:?} v{version} {count} x {stride}: {reason}")
        })?;
        let off = worst(filter, stride, &found, wanted);
        // The extension allows filters a difference of one unit; everything else is exact.
        let allowed = u32::from(!matches!(filter, Filter::None | Filter::Exponential));
        ensure!(off <= allowed, "{mode:?} {filter:?} v{version} {count} x {stride}: off by {off}");
        let own = seen.entry(format!("{mode:?} {filter:?} v{version}")).or_default();
        *own = (own.0 + 1, own.1.max(off));
    }
    for (what, (count, off)) in &seen {
        println!("meshopt: {what}: {count} streams, worst {off} units");
    }
    let all: usize = seen.values().map(|(count, _)| count).sum();
    println!("meshopt: {all} streams");
    ensure!(all >= LEAST_RECORDS, "only {all} streams, {LEAST_RECORDS} expected");
    // Every mode; every filter and none, in both versions.
    ensure!(seen.len() == 2 + 2 * FILTERS.len(), "only {} of the combinations", seen.len());
    Ok(())
}

/// The largest difference between numbers, of the size that the filter works on.
fn worst(filter: Filter, stride: usize, found: &[u8], wanted: &[u8]) -> u32 {
    let wide = matches!(filter, Filter::Quaternion) || stride == 8;
    if found.len() != wanted.len() {
        return u32::MAX;
    }
    if matches!(filter, Filter::None | Filter::Exponential) {
        return if found == wanted { 0 } else { u32::MAX };
    }
    let signed = filter != Filter::Color;
    let number = |b: &[u8]| match (b, signed) {
        ([a, b], true) => i32::from(i16::from_le_bytes([*a, *b])),
        ([a, b], false) => i32::from(u16::from_le_bytes([*a, *b])),
        ([a], true) => i32::from(*a as i8),
        ([a], false) => i32::from(*a),
        _ => 0,
    };
    let size = if wide { 2 } else { 1 };
    let pairs = found.chunks(size).zip(wanted.chunks(size));
    pairs.map(|(a, b)| number(a).abs_diff(number(b))).max().unwrap_or(0)
}
