//! Every job, for many characters, shared out to any number of threads: the same bits.

use crate::common::stage::{Assets, Character};
use std::{ops::Range, thread};

const CHARACTERS: usize = 24;

fn run(assets: &Assets, characters: Range<usize>) -> Vec<Vec<u32>> {
    let frame = |i: usize| {
        let mut character = Character::new(assets);
        // Cursors carry state from frame to frame: forward, and a jump back.
        for step in [0.0, 0.02, 0.04, 0.5, 0.48, 0.1] {
            let t = i as f32 / CHARACTERS as f32 + step;
            character.frame(if t > 1.0 { t - 1.0 } else { t });
        }
        character.bits()
    };
    characters.map(frame).collect()
}

#[test]
fn every_job_gives_the_same_bits_on_1_2_3_and_8_threads() {
    let assets = &Assets::new(5);
    let expected = run(assets, 0..CHARACTERS);
    assert!(expected.windows(2).all(|pair| pair[0] != pair[1]), "characters must differ");
    for threads in [1, 2, 3, 8] {
        let share = CHARACTERS.div_ceil(threads);
        let parts: Vec<_> = thread::scope(|scope| {
            let start = |i: usize| {
                let range = (i * share).min(CHARACTERS)..((i + 1) * share).min(CHARACTERS);
                scope.spawn(move || run(assets, range))
            };
            let running: Vec<_> = (0..threads).map(start).collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(parts.concat() == expected, "{threads} threads gave other bits");
    }
}

/// Every name of the jobs' module that ends in `Job` stands in what runs them.
#[test]
fn no_job_is_left_out() {
    let module = include_str!("../../src/job/mod.rs");
    let words = |text: &'static str| text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let exported = module.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let jobs: Vec<&str> = exported.flat_map(words).filter(|word| word.ends_with("Job")).collect();
    assert!(jobs.len() >= 20, "{jobs:?}");
    let stage = [include_str!("../common/stage.rs"), include_str!("../common/corrections.rs")];
    for job in jobs {
        assert!(stage.iter().any(|text| words(text).any(|word| word == job)), "{job} is not run");
    }
}
