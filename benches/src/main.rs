//! Prints tables of figures: `cargo run --release -p lissom-bench -- jobs`, or `clips [FOLDER] [--plot FILE.svg]`,
//! `compression FOLDER`, `count`, `crowd [FOLDER [--plot FILE.svg]]`, `graph`, `matching FOLDER`, `rows`, or `ik`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command's output")]

mod clips;
mod compression;
mod count;
mod crowd;
mod graph;
mod ik;
mod jobs;
mod layouts;
mod matching;
mod sampling;
mod table;

use anyhow::Context;
use lissom::math::simd::Backend;
use std::{num::NonZeroUsize, path::Path, process::ExitCode};

const USAGE: &str = "usage: lissom-bench jobs [FOLDER [--passes N]]   (FOLDER holds assets/ozz/bin and rawclips; of each row the best of N passes;
                                LISSOM_SIMD=NAME: on one backend alone)
       lissom-bench clips [FOLDER] [--plot FILE.svg]   (FOLDER holds assets/ozz/bin)
       lissom-bench compression FOLDER [--json] [--dump DIR] [--effort fast|default|max] [--precision CM]
                                [--threads N] [--plot FILE.svg]   (FOLDER holds .rawclip files)
       lissom-bench count [FOLDER] [--csv FILE] [--beside FILE]   (instructions a sample, needs valgrind; FOLDER holds
                                .rawclip files; FILE is a table that another build wrote)
       lissom-bench crowd [FOLDER [--plot FILE.svg]]   (many characters; FOLDER holds assets/ozz/bin)
       lissom-bench graph   (a graph's update without a pose)
       lissom-bench matching FOLDER   (a search for motion matching; FOLDER holds mocap/*.bvh)
       lissom-bench rows   (the jobs that need no files, on one backend: for `cargo xtask rows`)
       lissom-bench ik   (a call of two-bone and aim IK, beside ozz)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let forced = match Backend::from_env() {
        Ok(backend) => backend,
        Err(error) => {
            eprintln!("LISSOM_SIMD: {error}");
            return ExitCode::from(2);
        }
    };
    let result = match args.as_slice() {
        ["jobs"] => jobs::print(forced, None, 1),
        ["jobs", folder] => jobs::print(forced, Some(Path::new(folder)), 1),
        ["jobs", folder, "--passes", passes] => passes
            .parse::<NonZeroUsize>()
            .context("--passes is a number above 0")
            .and_then(|passes| jobs::print(forced, Some(Path::new(folder)), passes.get())),
        ["rows"] => jobs::print_plain(forced.unwrap_or_else(Backend::best)),
        ["count", rest @ ..] => count::Options::parse(rest).and_then(|o| count::print(&o)),
        ["crowd"] => crowd::print(None, None),
        ["crowd", folder] => crowd::print(Some(Path::new(folder)), None),
        ["crowd", folder, "--plot", file] => crowd::print(Some(Path::new(folder)), Some(Path::new(file))),
        ["graph"] => graph::print(),
        ["matching", folder] => matching::print(Path::new(folder)),
        ["ik"] => ik::print(),
        // What `count` runs under valgrind.
        ["count-rounds", clips, folder] => count::rounds(clips, folder),
        ["clips"] => clips::print(None, None),
        ["clips", "--plot", file] => clips::print(None, Some(Path::new(file))),
        ["clips", folder] => clips::print(Some(Path::new(folder)), None),
        ["clips", folder, "--plot", file] => clips::print(Some(Path::new(folder)), Some(Path::new(file))),
        ["compression", rest @ ..] => compression::Options::parse(rest).and_then(|o| compression::print(&o)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
