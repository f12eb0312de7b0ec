//! Decoded clips: their memory is bounded, the clip that was played longest ago goes first, and nothing of it shows.

use super::{ARCHIVE, GRAPH, bits, crowd};
use lissom::clip::DecodedClip;
use lissom_motion::{
    RootStep,
    crowd::{Crowd, Member, PlayedClip, Role},
};
use lissom_testkit::{crowds::Input, rng::Rng};
use std::{collections::BTreeSet, sync::Arc};

/// A member that plays one clip.
fn play(crowd: &mut Crowd, clip: &str) -> Member {
    let clip = crowd.clip(clip).unwrap();
    crowd.add(Role::Clips(&[PlayedClip::new(clip, 1.0)]), RootStep::IDENTITY).unwrap()
}

/// One update, and the bytes of what is decoded after it.
fn update(crowd: &mut Crowd) -> usize {
    crowd.update(0.05).unwrap();
    crowd.decoded_bytes()
}

/// The bytes of each clip alone. All differ, so that a sum tells which clips are there.
fn sizes<const N: usize>(clips: [&str; N]) -> [usize; N] {
    let sizes = clips.map(|clip| {
        let mut crowd = crowd();
        assert_eq!(crowd.decoded_bytes(), 0);
        play(&mut crowd, clip);
        let bytes = update(&mut crowd);
        assert_eq!(DecodedClip::bytes_of(ARCHIVE.clip(clip).unwrap().view()), Some(bytes));
        bytes
    });
    for (i, bytes) in sizes.iter().enumerate() {
        assert!(*bytes > 0 && !sizes[..i].contains(bytes), "{sizes:?}");
    }
    sizes
}

#[test]
fn what_was_played_longest_ago_goes_first_and_what_fits_stays() {
    let [walk, run, wave] = sizes(["walk", "run", "wave"]);
    let mut crowd = crowd();
    crowd.set_decoded_bytes(walk + run + wave - 1);
    let walking = play(&mut crowd, "walk");
    assert_eq!(update(&mut crowd), walk);
    let running = play(&mut crowd, "run");
    assert_eq!(update(&mut crowd), walk + run);
    crowd.remove(walking).unwrap();
    // Nothing else is wanted: it stays though nobody plays it.
    for _ in 0..10 {
        assert_eq!(update(&mut crowd), walk + run);
    }
    let waving = play(&mut crowd, "wave");
    for _ in 0..10 {
        assert_eq!(update(&mut crowd), run + wave);
    }
    crowd.remove(running).unwrap();
    assert_eq!(update(&mut crowd), run + wave);
    play(&mut crowd, "walk");
    assert_eq!(update(&mut crowd), wave + walk);
    // A lower bound holds at once, whatever plays; the next update makes the best of it.
    crowd.set_decoded_bytes(wave);
    assert!(crowd.decoded_bytes() <= wave);
    crowd.remove(waving).unwrap();
    crowd.set_decoded_bytes(0);
    assert_eq!(crowd.decoded_bytes(), 0);
    assert_eq!(update(&mut crowd), 0);
    crowd.set_decoded_bytes(walk);
    assert_eq!(update(&mut crowd), walk);
}

#[test]
fn a_clip_that_plays_is_not_evicted() {
    let [walk, run] = sizes(["walk", "run"]);
    for (first, second, [kept, other]) in [("walk", "run", [walk, run]), ("run", "walk", [run, walk])] {
        let mut crowd = crowd();
        crowd.set_decoded_bytes(walk + run - 1);
        let member = play(&mut crowd, first);
        assert_eq!(update(&mut crowd), kept);
        play(&mut crowd, second);
        for frame in 0..20 {
            assert_eq!(update(&mut crowd), kept, "frame {frame}: {first} plays on");
        }
        crowd.remove(member).unwrap();
        assert_eq!(update(&mut crowd), other, "{first} is over");
    }
}

#[test]
fn clips_with_cubic_keys_are_never_decoded() {
    assert_eq!(DecodedClip::bytes_of(ARCHIVE.clip("breathe").unwrap().view()), None);
    let mut crowd = crowd();
    play(&mut crowd, "breathe");
    assert_eq!(update(&mut crowd), 0);
}

/// Crowds with any bound show the same bits: with nothing decoded, with one clip that comes and goes, with everything.
#[test]
fn what_was_evicted_comes_back_with_the_same_bits() {
    let largest = sizes(["walk", "run", "wave", "lean_left", "lean_right"]).into_iter().fold(0, usize::max);
    let bounds = [0, largest, usize::MAX];
    let mut crowds = bounds.map(|bound| {
        let mut crowd = crowd();
        crowd.set_decoded_bytes(bound);
        let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
        let members = [(); 2].map(|()| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap());
        (crowd, members)
    });
    // What plays changes every 20 frames: two gaits, a clip of cubic keys, what is added, what lies over the upper body.
    let lean = |much: f32| Input::Lean { side: 0.3, much };
    let phases = [
        [Input::Speed(0.5), lean(0.0)],
        [Input::Speed(3.5), lean(0.0)],
        [Input::Stop, Input::Speed(0.0)],
        [Input::Speed(0.0), lean(1.0)],
        [Input::Wave, lean(0.0)],
    ];
    let (mut rng, mut held) = (Rng::new(31), Vec::new());
    for frame in 0..600 {
        let inputs = (frame % 20 == 0).then(|| phases[frame / 20 % phases.len()]);
        let dt_s = rng.unit_f64() * 0.1;
        let shown = crowds.each_mut().map(|(crowd, members)| {
            // The second member is told the same, but not to wave.
            for input in inputs.into_iter().flatten() {
                let told = if input == Input::Wave { &members[..1] } else { &members[..] };
                told.iter().for_each(|member| input.tell(crowd, &GRAPH, *member));
            }
            crowd.update(dt_s).unwrap();
            members.map(|member| bits(crowd.models(member).unwrap().unwrap()))
        });
        assert!(shown[1] == shown[0] && shown[2] == shown[0], "frame {frame}");
        for ((crowd, _), bound) in crowds.iter().zip(bounds) {
            let bytes = crowd.decoded_bytes();
            assert!(bytes <= bound, "frame {frame}: {bytes} bytes where {bound} are allowed");
        }
        held.push(crowds[1].0.decoded_bytes());
    }
    let sets: BTreeSet<usize> = held.iter().copied().collect();
    let changes = held.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(sets.len() > 3 && changes > 10, "{changes} changes among {sets:?}");
}
