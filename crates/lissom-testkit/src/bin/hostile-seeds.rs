//! `hostile-seeds FOLDER`: writes the seeds of every target, and what was kept from fuzzing, to FOLDER/TARGET, for the fuzzer to start from.
#![allow(clippy::print_stdout, reason = "a command talks to its user")]

use lissom_testkit::hostile::{TARGETS, kept};
use std::{env, error::Error, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args_os().nth(1).ok_or("usage: hostile-seeds FOLDER")?);
    for target in TARGETS {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder)?;
        let seeds = (target.seeds)();
        for seed in &seeds {
            fs::write(folder.join(&seed.name), &seed.bytes)?;
        }
        let kept = kept(target)?;
        for (at, bytes) in kept.iter().enumerate() {
            fs::write(folder.join(format!("kept-{at}")), bytes)?;
        }
        println!("{}: {} seeds, {} inputs kept from before", target.name, seeds.len(), kept.len());
    }
    Ok(())
}
