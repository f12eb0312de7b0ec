//! Many characters in Bevy, each a blend of two clips at random phases, until the world-space matrices of all joints are
//! there: `bevy_animation` with an entity a joint, the plugin driving such entities, and the plugin without them.
//!
//! ```text
//! cargo run --release --manifest-path benches/bevy/Cargo.toml -- [--characters N] [--threads N] [--frames N] [--idle]
//! cargo run --release --manifest-path benches/bevy/Cargo.toml -- --scenes KEYS [--threads N]
//! ```
//!
//! `--scenes abcdef` instead measures `LissomTransformPlugin` against Bevy's own propagation on the scenes of the world's bench:
//! timed is `TransformSystems::Propagate` alone.
//!
//! Timed is what lies between the marks before `AnimationSystems` (or `LissomSystems::Bind`) and after
//! `TransformSystems::Propagate`: wall time, and the time that all threads of the process were on a CPU. Ways take turns, a round
//! of frames each; medians of all frames.
#![allow(clippy::disallowed_methods, reason = "a bench promises no bits")]

mod bevy;
mod measure;
mod ours;
mod rig;
mod scenes;
mod worlds;

use bevy_app::App;
use measure::{Frames, Marks};
use std::{env, process::ExitCode};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    pub characters: usize,
    pub threads: usize,
    pub frames: usize,
    /// Everybody stands still.
    pub idle: bool,
    /// Keys of scenes, instead of characters.
    pub scenes: Option<String>,
}

/// One way of doing it, ready to be updated.
pub struct Way {
    pub name: &'static str,
    pub app: App,
    pub spawn_us: f64,
    pub resident_kb: f64,
    pub frames: Frames,
}

const ROUNDS: usize = 5;

fn options() -> Result<Options, String> {
    let mut options = Options { characters: 1000, threads: 2, frames: 100, idle: false, scenes: None };
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        let number = |next: Option<String>| {
            let text = next.ok_or(format!("{word} needs a number"))?;
            text.parse()
                .ok()
                .filter(|number| *number > 0)
                .ok_or(format!("{word} needs a number above 0, not {text:?}"))
        };
        match &*word {
            "--characters" => options.characters = number(words.next())?,
            "--threads" => options.threads = number(words.next())?,
            "--frames" => options.frames = number(words.next())?,
            "--idle" => options.idle = true,
            "--scenes" => options.scenes = Some(words.next().ok_or("--scenes needs keys: abcdef")?),
            _ => {
                return Err(format!(
                    "what is {word:?}? --characters N, --threads N, --frames N, --idle, --scenes KEYS"
                ));
            }
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    if let Some(only) = &options.scenes {
        scenes::run(&options, only);
        return ExitCode::SUCCESS;
    }
    let rig = rig::Rig::new();
    let mut ways = vec![
        bevy::way("bevy, static optimisation on", &rig, &options, true),
        bevy::way("bevy, static optimisation off", &rig, &options, false),
        ours::way("lissom, joints of a scene (way 1)", &rig, &options, ours::Draws::Scene),
        ours::way("lissom, palettes (way 2)", &rig, &options, ours::Draws::Skin),
        ours::way("lissom, matrices alone", &rig, &options, ours::Draws::Nothing),
    ];
    for _ in 0..ROUNDS {
        for way in &mut ways {
            for frame in 0..options.frames.div_ceil(ROUNDS) + 3 {
                way.app.update();
                let marks = way.app.world().resource::<Marks>();
                // The first frames of a round warm the caches again.
                if frame >= 3 {
                    way.frames.add(marks);
                }
            }
        }
    }
    let Options { characters, threads, frames, idle, .. } = options;
    println!(
        "{characters} characters of {} joints, compute pool of {threads}, {frames} frames{}\n",
        rig.joints(),
        if idle { ", all standing still" } else { "" }
    );
    println!("| us a character | wall | CPU | times less CPU | spawn | resident kB |");
    println!("|---|---|---|---|---|---|");
    let each = |us: f64| us / characters as f64;
    let best = ways[..2].iter().map(|way| way.frames.cpu_us()).fold(f64::INFINITY, f64::min);
    for way in &ways {
        let (wall, cpu) = (way.frames.wall_us(), way.frames.cpu_us());
        println!(
            "| {} | {:.2} | {:.2} | {:.1} | {:.1} | {:.1} |",
            way.name,
            each(wall),
            each(cpu),
            best / cpu,
            way.spawn_us,
            way.resident_kb
        );
    }
    println!(
        "\na clip: {:.1} kB in Bevy's curves, {:.1} kB in the archive",
        rig.curve_kb(),
        rig.archive_kb()
    );
    ExitCode::SUCCESS
}
