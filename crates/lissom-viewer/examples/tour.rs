//! Opens files one after the other in one viewer and looks at each: `cargo run -p lissom-viewer --example tour -- FILES`.
//!
//! Each must be drawn, or say why it is not (`--refused FILE` must); in the end the memory is that of the start, but for what
//! every program keeps.
#![allow(clippy::print_stdout, reason = "a program talks to its user")]

use lissom_viewer::{Failure, Offscreen, document};
use std::{path::PathBuf, time::Instant};

/// What may stay: fonts, caches of the driver, pieces between what was freed.
const STAYS_BYTES: u64 = 128 << 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut refused = false;
    let mut files: Vec<(PathBuf, bool)> = Vec::new();
    for argument in std::env::args_os().skip(1) {
        if argument == "--refused" {
            refused = true;
        } else {
            files.push((argument.into(), std::mem::take(&mut refused)));
        }
    }
    let mut offscreen = Offscreen::new((640, 400), false)?;
    offscreen.viewer.show(document(&[]));
    let before = drawn(&mut offscreen)?;
    let start = resident();
    for (file, must_be_refused) in &files {
        let started = Instant::now();
        offscreen.viewer.show(document(std::slice::from_ref(file)));
        let seconds = started.elapsed().as_secs_f64();
        let name = file.display();
        match (offscreen.viewer.failure().cloned(), must_be_refused) {
            (Some(why), true) => {
                println!("{seconds:6.2} s  refused  {why}");
                offscreen.viewer.show(document(&[]));
                assert_eq!(drawn(&mut offscreen)?, before, "{name} left something behind");
            }
            (None, true) => return Err(format!("{name}: it should have been refused").into()),
            (Some(why), false) => return Err(why.into()),
            (None, false) => {
                let pixels = drawn(&mut offscreen)?;
                println!("{seconds:6.2} s  {pixels:6} pixels  {name}");
                if pixels < 50 {
                    return Err(format!("{name}: nothing can be seen of it").into());
                }
            }
        }
    }
    offscreen.viewer.show(document(&[]));
    drawn(&mut offscreen)?;
    if let (Some(start), Some(end)) = (start, resident()) {
        println!("memory: {} MB at the start, {} MB at the end", start >> 20, end >> 20);
        if end > start + STAYS_BYTES {
            return Err("memory did not come back".into());
        }
    }
    println!("{} files", files.len());
    Ok(())
}

/// How many pixels of the scene are not what a scene without anything shows.
fn drawn(offscreen: &mut Offscreen) -> Result<usize, Failure> {
    offscreen.viewer.bare(true);
    offscreen.viewer.scrub(0.1);
    let picture = offscreen.picture()?;
    let pixel = |x: usize, y: usize| {
        let at = (y * picture.size.0 as usize + x) * 4;
        &picture.pixels[at..at + 3]
    };
    // Right of the side panel, below a bar of three lines, above the time line.
    let (left, top) = (260, 90);
    let (right, bottom) = (picture.size.0 as usize - 10, picture.size.1 as usize - 90);
    let background = pixel(left, top);
    let far = |p: &[u8]| p.iter().zip(background).any(|(a, b)| a.abs_diff(*b) > 10);
    Ok((top..bottom)
        .flat_map(|y| (left..right).map(move |x| (x, y)))
        .filter(|(x, y)| far(pixel(*x, *y)))
        .count())
}

/// What the process takes of the machine's memory, where the system says so.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}
