//! Instructions a sample, counted by valgrind: the same in every run, whatever else the machine does.
//!
//! The command runs itself under callgrind twice for each way through a clip, with different numbers of rounds. The
//! difference is the rounds alone: no start, no reading of the clip, no first jump.

use anyhow::{Context, Result, bail, ensure};
use lissom::{
    Clip, Cursor,
    job::{SampleJob, SampleTime},
    math::{simd::Backend, soa::SoaTransform},
};
use lissom_bench::player::{Way, rows, stage};
use std::{
    hint::black_box,
    io::ErrorKind,
    path::Path,
    process::{Command, Stdio},
};

/// valgrind does not know AVX-512.
const BACKEND: &str = "avx2";
const ROUNDS: [u32; 2] = [1, 3];

/// Prints the table, or why there is none.
pub fn print() -> Result<()> {
    match Command::new("valgrind").arg("--version").stdout(Stdio::piped()).output() {
        Ok(out) => print!("instructions a sample, {BACKEND}, {}", String::from_utf8_lossy(&out.stdout)),
        Err(e) if e.kind() == ErrorKind::NotFound => {
            println!("SKIPPED: valgrind is not installed, so instructions cannot be counted");
            return Ok(());
        }
        Err(e) => return Err(e).context("running valgrind"),
    }
    if Backend::named(BACKEND).is_err() {
        println!("SKIPPED: this CPU has no {BACKEND}");
        return Ok(());
    }
    let stage = stage()?;
    let clip = rows(&stage)?;
    let joints = stage.skeleton.skeleton.joint_count();
    let file = std::env::temp_dir().join(format!("lissom-count-{}.clip", std::process::id()));
    std::fs::write(&file, clip.as_bytes()).with_context(|| format!("writing {}", file.display()))?;
    println!("mannequin performance, {joints} joints, {} channels, rows", clip.view().channel_count());
    println!("{:<10} {:>10} {:>10}", "way", "a sample", "a joint");
    let counted = Way::ALL.into_iter().try_for_each(|way| {
        let [few, many] = [count(way, ROUNDS[0], &file)?, count(way, ROUNDS[1], &file)?];
        let samples = way.times(clip.view().duration_s()).len() as u64 * u64::from(ROUNDS[1] - ROUNDS[0]);
        ensure!(many > few, "{few} instructions for one round and {many} for more");
        let each = (many - few) as f64 / samples as f64;
        println!("{:<10} {each:>10.0} {:>10.1}", way.name(), each / joints as f64);
        Ok(())
    });
    std::fs::remove_file(&file).with_context(|| format!("removing {}", file.display()))?;
    counted
}

/// Instructions of a whole run of [`rounds`] in a process of its own.
fn count(way: Way, rounds: u32, file: &Path) -> Result<u64> {
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["count-rounds", way.name(), &rounds.to_string()])
        .arg(file)
        .env("LISSOM_SIMD", BACKEND)
        .output()?;
    let said = String::from_utf8_lossy(&out.stderr);
    ensure!(out.status.success(), "valgrind: {said}");
    let collected = said.lines().find_map(|line| line.split_once("Collected :")).context("no count")?.1;
    collected.trim().parse().with_context(|| collected.to_owned())
}

/// What is counted: a clip from a file, played that many rounds.
pub fn rounds(way: &str, rounds: &str, file: &str) -> Result<()> {
    let Some(way) = Way::ALL.into_iter().find(|w| w.name() == way) else { bail!("no such way: {way}") };
    let (rounds, stage) = (rounds.parse::<u32>()?, stage()?);
    let clip = Clip::from_bytes(&std::fs::read(file)?)?;
    let skeleton = &stage.skeleton.skeleton;
    let times = way.times(clip.view().duration_s());
    let mut cursor = Cursor::with_room_for(clip.view());
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    for _ in 0..rounds {
        for t in &times {
            let (time, cursor, output) = (SampleTime::Clamped(*t), &mut cursor, &mut output);
            SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output }.run()?;
        }
        black_box(&output);
    }
    Ok(())
}
