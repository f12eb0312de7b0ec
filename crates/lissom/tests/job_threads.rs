//! Every job, for many characters, shared out to any number of threads: the same bits.

mod common;

use common::stage::{Assets, Character};
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
