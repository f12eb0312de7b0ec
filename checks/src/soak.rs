//! The command over every file, many times, with random options and random damage: it never panics, never hangs, leaves
//! nothing behind but what it was asked for, and takes no more memory than there is sense in. What it made is looked at
//! and exported by the command too. A process that imports again and again does not grow.
//!
//! Everything follows from the round and the file's place: a failure names both, and the line that was run. `--round 6 --file Xbot.glb`
//! runs it again alone, and leaves what it was given.

use crate::{
    child::{self, Ended},
    files,
};
use anyhow::{Context, Result, ensure};
use lissom_build::{
    cook::{ClipBuilder, Effort},
    import::Format,
    pipeline::{Input, Options, Plan, serial, unwatched},
};
use lissom_testkit::rng::Rng;
use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

const ROUNDS: u64 = 10;
const FILES: usize = 250;
/// Processor time for one run; on the clock, where other work may keep it waiting, far more.
const LIMIT: Duration = Duration::from_secs(60);
const PATIENCE: Duration = Duration::from_secs(1800);
/// The most memory of a run: what any file of these folders may take, and the command itself.
const MEMORY: u64 = 2 << 30;
/// Small files that one process imports again and again, how often, and by how much it may grow after the first times.
const AGAIN: usize = 40;
const PASSES: usize = 10;
const WARM: usize = 3;
const GROWTH: u64 = 16 << 20;

#[derive(Default)]
struct Sums {
    runs: usize,
    spoiled: usize,
    imported: usize,
    refused: usize,
    misused: usize,
    looked: usize,
    peak: (u64, String),
    slowest: (Duration, String),
    failures: Vec<String>,
}

pub fn run(folder: &Path) -> Result<()> {
    let lissom = child::lissom()?;
    let rounds = child::option("--rounds").map_or(Ok(ROUNDS), |n| n.parse()).context("--rounds")?;
    let all = files::of_both(folder, |path| Format::of_path(path).is_some())?;
    ensure!(all.len() >= FILES, "{} files, but at least {FILES} are needed", all.len());
    let place = env::temp_dir().join(format!("lissom-soak-{}", std::process::id()));
    let mut sums = Sums::default();
    // To see a failure again: its round and the end of its file's name. What it was given stays where it is.
    let again = child::option("--round").map(|n| n.parse::<u64>()).transpose().context("--round")?;
    let only = child::option("--file").unwrap_or_default();
    for round in again.map_or(0..rounds, |round| round..round + 1) {
        for (at, file) in all.iter().enumerate().filter(|(_, file)| file.to_string_lossy().ends_with(&only)) {
            let mut rng = Rng::new(round << 32 | at as u64);
            let named = format!("round {round}, {}", file.display());
            one(&lissom, file, &place, &mut rng, &named, &mut sums).context(named)?;
        }
        println!(
            "soak: round {round}: {} runs so far ({} on spoiled files), {} imported, {} refused, {} told to read the help, {} exports \
             and looks; at most {} MiB ({}), {:.1} s ({}); {} failures",
            sums.runs,
            sums.spoiled,
            sums.imported,
            sums.refused,
            sums.misused,
            sums.looked,
            sums.peak.0 >> 20,
            sums.peak.1,
            sums.slowest.0.as_secs_f64(),
            sums.slowest.1,
            sums.failures.len()
        );
    }
    if again.is_some() {
        println!("soak: what the last run was given is in {}", place.display());
        ensure!(sums.failures.is_empty(), "{}", sums.failures.join("\n  "));
        return Ok(());
    }
    fs::remove_dir_all(&place)?;
    let grown = again_and_again(&all)?;
    println!("soak: {PASSES} passes over {AGAIN} files in one process: it grew by {} KiB", grown >> 10);
    ensure!(sums.failures.is_empty(), "{} failures:\n  {}", sums.failures.len(), sums.failures.join("\n  "));
    ensure!(grown <= GROWTH, "one process grew by {grown} bytes");
    Ok(())
}

/// One file in a folder of its own, whole or spoiled, with options that the random numbers choose.
fn one(lissom: &Path, file: &Path, place: &Path, rng: &mut Rng, named: &str, sums: &mut Sums) -> Result<()> {
    // A folder that is there from before would hide what is left behind.
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    let (inputs, out, said) = (place.join("in"), place.join("out"), place.join("said"));
    for folder in [&inputs, &out, &said] {
        fs::create_dir_all(folder)?;
    }
    // With whatever it may name.
    let beside = file.parent().context("a file stands in a folder")?;
    for entry in fs::read_dir(beside)? {
        let path = entry?.path();
        let own = path.file_stem() == file.file_stem() || file.extension().is_some_and(|e| e == "gltf");
        if path.is_file() && own {
            let copy = inputs.join(path.file_name().unwrap_or_default());
            fs::write(&copy, fs::read(&path)?)?;
        }
    }
    let input = inputs.join(file.file_name().unwrap_or_default());
    if rng.below(2) == 0 {
        spoil(&inputs, rng)?;
        sums.spoiled += 1;
    }
    let before = listed(&inputs)?;
    let archive = out.join("out.lsm");
    let mut command = Command::new(lissom);
    command.arg("import").arg(&input).arg("-o").arg(&archive).args(options(rng));
    let mut ended = child::run(&mut command, &said, LIMIT, PATIENCE)?;
    let mut code = judge(&command, &mut ended, named, sums);
    sums.runs += 1;
    match code {
        Some(0) => sums.imported += 1,
        Some(1) => sums.refused += 1,
        _ => sums.misused += 1,
    }
    let allowed = |path: &PathBuf| {
        code == Some(0) && (*path == archive || path.extension().is_some_and(|e| e == "lcs"))
    };
    let left: Vec<PathBuf> = listed(&out)?.into_iter().filter(|path| !allowed(path)).collect();
    if !left.is_empty() || listed(&inputs)? != before || !listed(&said)?.is_empty() {
        sums.failures.push(format!("{named}: it leaves {left:?} behind: {command:?}"));
    }
    if code == Some(0) && archive.exists() {
        let glb = out.join("back.glb");
        let mut export = Command::new(lissom);
        export.arg("export").arg(&archive).arg("-o").arg(&glb);
        let mut inspect = Command::new(lissom);
        inspect.arg("inspect").arg(&archive).arg("--json");
        for mut command in [export, inspect] {
            ended = child::run(&mut command, &said, LIMIT, PATIENCE)?;
            code = judge(&command, &mut ended, named, sums);
            sums.looked += 1;
            if code != Some(0) && !ended.error.contains("no skeleton") {
                sums.failures.push(format!("{named}: {command:?} refuses what was written: {}", ended.error));
            }
        }
    }
    Ok(())
}

/// What no run may do. Its exit code, if it ended by itself.
fn judge(command: &Command, ended: &mut Ended, named: &str, sums: &mut Sums) -> Option<i32> {
    if ended.time > sums.slowest.0 {
        sums.slowest = (ended.time, named.to_owned());
    }
    let peak = ended.peak.unwrap_or(0);
    if peak > sums.peak.0 {
        sums.peak = (peak, named.to_owned());
    }
    let code = ended.status.and_then(|s| s.code());
    let wrong = match (ended.status, code) {
        _ if ended.panicked() => Some("it panics"),
        (None, _) => Some("it does not end"),
        (Some(_), Some(0..=2)) => None,
        _ => Some("it ends in another way than a command does"),
    };
    let wrong = wrong.or((peak > MEMORY).then_some("it takes too much memory"));
    if let Some(wrong) = wrong {
        let line = format!(
            "{named}: {wrong} ({:?}, {} MiB): {command:?}: {}",
            ended.status,
            peak >> 20,
            ended.error
        );
        eprintln!("{line}");
        sums.failures.push(line);
    }
    code
}

/// Spoils one file of a folder.
fn spoil(folder: &Path, rng: &mut Rng) -> Result<()> {
    let files: Vec<PathBuf> = listed(folder)?.into_iter().collect();
    let file = files.get(rng.below(files.len())).context("an empty folder")?;
    let mut bytes = fs::read(file)?;
    let place = |rng: &mut Rng, bytes: &[u8]| rng.below(bytes.len().max(1));
    match rng.below(5) {
        0 => bytes.truncate(place(rng, &bytes)),
        1 => {
            for _ in 0..=rng.below(8) {
                let at = place(rng, &bytes);
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = rng.next_u32() as u8;
                }
            }
        }
        2 => {
            let at = place(rng, &bytes);
            let end = (at + rng.below(64)).min(bytes.len());
            bytes.drain(at..end);
        }
        3 => {
            // A number of the text is another one: counts and indices.
            let digits: Vec<usize> = (0..bytes.len()).filter(|i| bytes[*i].is_ascii_digit()).collect();
            if let Some(at) = digits.get(rng.below(digits.len().max(1))) {
                bytes[*at] = b'0' + rng.below(10) as u8;
            }
        }
        _ => {
            let at = place(rng, &bytes);
            let end = (at + rng.below(256)).min(bytes.len());
            bytes[at..end].fill(rng.next_u32() as u8);
        }
    }
    Ok(fs::write(file, bytes)?)
}

/// Some of what the command knows.
fn options(rng: &mut Rng) -> Vec<&'static str> {
    const SOME: [&[&str]; 27] = [
        &["--no-mesh"],
        &["--no-images"],
        &["--influences", "4"],
        &["--strict"],
        &["--stream"],
        &["--json"],
        &["--quiet"],
        &["--verbose"],
        &["--threads", "1"],
        &["--clip", "0"],
        &["--trim", "0.1..0.3"],
        &["--reverse"],
        &["--mirror"],
        &["--in-place"],
        &["--loop", "close"],
        &["--loop", "no"],
        &["--additive", "rest"],
        &["--event", "step=0.1"],
        &["--joint", "*=1mm"],
        &["--precision", "1mm"],
        &["--shell", "10cm"],
        &["--budget", "4KB"],
        &["--form", "keys"],
        &["--form", "rows"],
        &["--jumps", "0.5"],
        &["--up", "z"],
        &["--rate", "15"],
    ];
    // Most runs should not take long.
    let mut chosen = if rng.below(8) == 0 { vec![] } else { vec!["--effort", "fast"] };
    for option in SOME {
        if rng.below(9) == 0 && !option.first().is_some_and(|first| chosen.contains(first)) {
            chosen.extend(option);
        }
    }
    chosen
}

fn listed(folder: &Path) -> Result<BTreeSet<PathBuf>> {
    Ok(files::below(folder, |_| true)?.into_iter().collect())
}

/// One process, the same files over and over: by how many bytes it grew once it was warm.
fn again_and_again(all: &[PathBuf]) -> Result<u64> {
    let mut small: Vec<(u64, &PathBuf)> = Vec::new();
    for file in all {
        small.push((fs::metadata(file)?.len(), file));
    }
    small.sort();
    let cook = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let plan = Plan::new(Options { cook, ..Options::default() })?;
    let (mut warm, mut last) = (0, 0);
    for pass in 0..PASSES {
        for (_, file) in small.iter().take(AGAIN) {
            plan.cook(&[Input::file(file)], &serial, &mut unwatched)?;
        }
        last = child::own_bytes().unwrap_or(0);
        if pass + 1 == WARM {
            warm = last;
        }
    }
    Ok(last.saturating_sub(warm))
}
