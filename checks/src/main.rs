//! Checks over files that are not part of the project. Each prints how many files it read and fails below
//! a stated minimum, so that an empty folder is never a pass.
//!
//! `cargo run --release -p lissom-checks -- CHECK FOLDER`, where CHECK may be `all`. A check that lacks a tool prints a line that
//! starts with `SKIPPED `; `cargo xtask ci` reads those lines and does not call the step passed.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to its user")]

mod blend_l2m;
mod child;
mod cook;
mod defects;
#[cfg(feature = "fbx")]
mod fbx;
mod feet;
mod files;
mod gltf;
mod golden;
mod imports;
mod library;
mod matching;
mod meshopt;
mod pab;
mod packs;
mod rawclip_bytes;
mod retarget;
mod roundtrip;
mod skins;
mod soak;
mod three;
mod validator;

use std::{env, fmt::Display, path::Path, process::ExitCode};

type Check = fn(&Path) -> anyhow::Result<()>;

/// Name, what FOLDER holds, the check.
const CHECKS: &[(&str, &str, Check)] = &[
    ("cook", "rawclips: every clip, and every one of the mannequin, cooks within its precision", cook::run),
    (
        "blend_l2m",
        "assets/ozz/bin and golden: our blend and local-to-model jobs against ozz's blend and matrices",
        blend_l2m::run,
    ),
    ("defects", "defects: each file shows that what was wrong with it is right", defects::run),
    #[cfg(feature = "fbx")]
    ("fbx", "assets/ufbx and assets/quaternius-fbx: poses and skins against ufbx's own evaluation", fbx::run),
    ("feet", "assets, packs and mocap: when feet stand, against what people see in 63 clips", feet::run),
    (
        "golden",
        "assets/ozz/bin and golden: ozz archives against the poses ozz itself decodes from them",
        golden::run,
    ),
    (
        "gltf",
        "assets: every glTF file imports or is excused; its poses, raw and cooked, against the specification",
        gltf::run,
    ),
    (
        "imports",
        "assets/cmu-bvh, assets/acl, assets/ozz/bin and rawclips: BVH and ACL files against raw clips, ozz meshes",
        imports::run,
    ),
    (
        "library",
        "assets: `lissom import` over every supported file; none panics, none takes long [--lissom PATH]",
        library::run,
    ),
    (
        "matching",
        "mocap, or any BVH files: how motion matching goes where it is told, beside the mannequin's blend graph",
        matching::run,
    ),
    (
        "meshopt",
        "assets and defects, or a file of vectors: the meshopt decoder against npm's meshoptimizer",
        meshopt::run,
    ),
    (
        "pab",
        "assets/ozz/bin and golden: every ozz animation cooks within the precision, beside ozz's own bytes",
        pab::run,
    ),
    (
        "packs",
        "packs: files of real asset packs mean what their authors meant [--lissom PATH] [--case TEXT]",
        packs::run,
    ),
    ("rawclip-bytes", "rawclips: every clip reads, and is written again byte for byte", rawclip_bytes::run),
    (
        "retarget",
        "assets/cmu-bvh, assets/ozz/bin and defects: motions of four kinds of rigs on the mannequin and back; feet that stand",
        retarget::run,
    ),
    (
        "roundtrip",
        "assets and defects: glTF files through archive and export and back; a clip a file, all else as in the source",
        roundtrip::run,
    ),
    (
        "skins",
        "assets and defects: vertices of glTF files in the source's motion and the cooked one; two clips a file",
        skins::run,
    ),
    (
        "three",
        "assets: poses of a handful of glTF files against three.js, if Node and the package are there",
        three::run,
    ),
];

/// Only by name: what takes long.
const BY_NAME: &[(&str, &str, Check)] = &[
    ("roundtrip-every", "assets and defects: as `roundtrip`, every clip of every file", roundtrip::every),
    ("skins-every", "assets and defects: as `skins`, every clip of every file", skins::every),
    (
        "soak",
        "assets and defects: the command over every file, spoiled or not, with random options [--rounds N]",
        soak::run,
    ),
];

/// Says that a check, or a part of it, did not run, and why: one line, which `cargo xtask ci` reads.
fn skipped(check: &str, why: impl Display) {
    let why = why.to_string();
    println!("SKIPPED {check}: {}", why.lines().collect::<Vec<_>>().join(" "));
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let [name, folder, ..] = args.as_slice() else {
        eprintln!("usage: lissom-checks CHECK FOLDER [--lissom PATH] [--rounds N] [--case TEXT]");
        for (name, what, _) in CHECKS.iter().chain(BY_NAME) {
            eprintln!("  {name:14} {what}");
        }
        eprintln!("  all            every check but the last ones");
        return ExitCode::from(2);
    };
    let named = BY_NAME.iter().filter(|(known, ..)| known == name);
    let chosen: Vec<_> =
        CHECKS.iter().filter(|(known, ..)| known == name || name == "all").chain(named).collect();
    if chosen.is_empty() {
        eprintln!("there is no check {name:?}");
        return ExitCode::from(2);
    }
    let mut failed = 0;
    for (name, _, check) in chosen {
        if let Err(error) = check(Path::new(folder)) {
            eprintln!("{name}: {error:#}");
            failed += 1;
        }
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
