//! `hostile-keep TARGET FOLDER`: keeps the shortest inputs of FOLDER for the tests.
#![allow(clippy::print_stdout, reason = "a command talks to its user")]

use lissom_testkit::hostile::{keep, target};
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args_os().skip(1);
    let (Some(name), Some(folder)) = (args.next(), args.next()) else {
        return Err("usage: hostile-keep TARGET FOLDER".into());
    };
    let target = target(&name.to_string_lossy());
    let files = fs::read_dir(folder)?.map(|entry| fs::read(entry?.path()));
    let inputs: Vec<Vec<u8>> = files.collect::<Result<_, _>>()?;
    let all = inputs.len();
    println!("{}: {} of {all} inputs kept", target.name, keep(target, inputs)?);
    Ok(())
}
