//! Steps of root motion compose, whatever the frames are.

use lissom::{
    archive::Archive,
    track::{Playhead, Repeat, Timeline, TrackKind, TrackView},
};
use lissom_build::{
    pipeline::{Input, Options, Plan, serial, unwatched},
    recipe,
};
use lissom_motion::{
    RootStep,
    root::{RootMotion, RootTracks},
};
use lissom_testkit::{alloc::assert_no_alloc, rng::Rng};

const KEYS: usize = 9;

/// A walk through a bend: random keys, a metre and a half and up to two radians a lap.
struct Walk {
    ratios: [f32; KEYS],
    places: [f32; KEYS * 3],
    rotations: [f32; KEYS * 4],
}

impl Walk {
    fn random(rng: &mut Rng) -> Self {
        let ratios = core::array::from_fn(|i| i as f32 / (KEYS - 1) as f32);
        let (mut places, mut rotations) = ([0.0; KEYS * 3], [0.0; KEYS * 4]);
        // It does not start at the origin, nor straight ahead.
        let (heading, turn) = (rng.range(-3.0, 3.0), rng.range(-2.0, 2.0));
        for (i, (place, rotation)) in places.chunks_mut(3).zip(rotations.chunks_mut(4)).enumerate() {
            let t = ratios[i];
            place.copy_from_slice(&[rng.signed() * 0.1, 0.5, 1.5 * t + rng.signed() * 0.05]);
            let half = f64::from(heading + turn * t) * 0.5;
            rotation.copy_from_slice(&[0.0, libm::sin(half) as f32, 0.0, libm::cos(half) as f32]);
        }
        Self { ratios, places, rotations }
    }

    fn motion(&self) -> RootMotion<'_> {
        let track = |kind, values| TrackView { kind, ratios: &self.ratios, values, steps: &[0; 2] };
        RootMotion {
            translation: Some(track(TrackKind::Float3, &self.places)),
            rotation: Some(track(TrackKind::Quat, &self.rotations)),
        }
    }
}

fn metres(a: &RootStep, b: &RootStep) -> f64 {
    let d: [f64; 3] = core::array::from_fn(|i| a.translation[i] - b.translation[i]);
    libm::sqrt(d.iter().map(|v| v * v).sum())
}

fn radians(a: &RootStep, b: &RootStep) -> f64 {
    let way = a.inverse().then(b).rotation;
    let sine = libm::sqrt(way[..3].iter().map(|v| v * v).sum());
    2.0 * libm::atan2(sine, way[3].abs())
}

const REPEATS: [Repeat; 3] = [Repeat::Once, Repeat::Loop, Repeat::PingPong];

#[test]
fn steps_over_any_split_compose_to_the_whole_over_loops_and_back() {
    let mut rng = Rng::new(3);
    for round in 0..2_000 {
        let walk = Walk::random(&mut rng);
        let timeline = Timeline::new(rng.range_f64(0.2, 3.0), REPEATS[round % 3]).unwrap();
        let heads: Vec<Playhead> =
            (0..2 + rng.below(8)).map(|_| timeline.at(rng.range_f64(-30.0, 30.0)).unwrap()).collect();
        let step = |from, to| walk.motion().step(&timeline.between(from, to));
        let whole = step(heads[0], heads[heads.len() - 1]);
        let pieces = heads.windows(2).fold(RootStep::IDENTITY, |sum, two| sum.then(&step(two[0], two[1])));
        assert!(metres(&whole, &pieces) < 1.0e-5, "round {round}: {} m", metres(&whole, &pieces));
        assert!(radians(&whole, &pieces) < 1.0e-5, "round {round}: {} rad", radians(&whole, &pieces));
        let there_and_back = whole.then(&step(heads[heads.len() - 1], heads[0]));
        assert!(metres(&there_and_back, &RootStep::IDENTITY) < 1.0e-9);
    }
}

#[test]
fn a_hundred_loops_in_random_frames_are_a_hundred_times_one_loop() {
    let mut rng = Rng::new(4);
    for round in 0..20 {
        let walk = Walk::random(&mut rng);
        let duration_s = rng.range_f64(0.5, 2.0);
        let timeline = Timeline::new(duration_s, Repeat::Loop).unwrap();
        let start = timeline.start();
        let end = timeline.at(duration_s * 100.0).unwrap();
        let one = walk.motion().step(&timeline.between(start, timeline.end()));
        // Of some length: a step that is lost would show.
        assert!(metres(&one, &RootStep::IDENTITY) > 0.5, "{one:?}");
        let hundred = (0..100).fold(RootStep::IDENTITY, |sum, _| sum.then(&one));
        let (mut head, mut sum) = (start, RootStep::IDENTITY);
        while head < end {
            let next = timeline.advance(head, rng.range_f64(0.0, 0.1)).unwrap().to();
            let next = if next < end { next } else { end };
            sum = sum.then(&walk.motion().step(&timeline.between(head, next)));
            head = next;
        }
        assert!(metres(&sum, &hundred) < 1.0e-3, "round {round}: {} m", metres(&sum, &hundred));
        let degrees = radians(&sum, &hundred).to_degrees();
        assert!(degrees < 0.01, "round {round}: {degrees}");
        assert!(
            metres(&one.repeated(100), &hundred) < 1.0e-9 && metres(&one.repeated(-1), &one.inverse()) == 0.0
        );
    }
}

/// A walk through a bend, a metre and a half and a quarter turn in a second, and its name in the archive.
fn cooked(toml: &str) -> Archive {
    let mut bvh = String::from(
        "HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation \
         JOINT leg { OFFSET 0 -0.5 0 CHANNELS 1 Xrotation End Site { OFFSET 0 -0.5 0 } } }\n\
         MOTION Frames: 31 Frame Time: 0.033333333333333\n",
    );
    for frame in 0..31 {
        let t = f64::from(frame) / 30.0;
        let (along, sway) = (1.5 * t, 5.0 * libm::sin(std::f64::consts::TAU * t));
        bvh.push_str(&format!("{} 1 {along} {} {sway} 0 {sway}\n", 0.1 * t * t, 90.0 * t));
    }
    let rules = recipe::read(toml.as_bytes()).unwrap().rules;
    let plan = Plan::new(Options { rules, ..Options::default() }).unwrap();
    let cooked = plan.cook(&[Input::bytes("walk.bvh", bvh.as_bytes())], &serial, &mut unwatched).unwrap();
    cooked.inputs.into_iter().for_each(|input| {
        input.unwrap();
    });
    Archive::new(cooked.archive.unwrap()).unwrap()
}

#[test]
fn what_a_recipe_takes_out_of_a_clip_is_played_over_loops() {
    let archive = cooked("[clips.walk]\nroot-motion = true");
    let tracks = RootTracks::of(&archive, "walk").unwrap();
    let timeline = Timeline::new(1.0, Repeat::Loop).unwrap();
    let step = |from_s: f64, to_s: f64| {
        let span = timeline.between(timeline.at(from_s).unwrap(), timeline.at(to_s).unwrap());
        tracks.motion().step(&span)
    };
    // The hips' own way, within the precision.
    let lap = step(0.0, 1.0);
    let way: [f64; 3] = core::array::from_fn(|i| lap.translation[i] - [0.1, 0.0, 1.5][i]);
    assert!(way.iter().all(|v| v.abs() < 2.0e-4), "{lap:?}");
    let degrees = 2.0 * libm::atan2(lap.rotation[1], lap.rotation[3]).to_degrees();
    assert!((degrees - 90.0).abs() < 0.1, "{lap:?}");
    let half = step(0.0, 0.5);
    assert!((half.translation[2] - 0.75).abs() < 2.0e-4, "{half:?}");
    // Without its travel it ends where it starts; four laps go round a square.
    assert!(archive.clip("walk").unwrap().view().is_looping());
    let round = step(0.25, 4.25);
    assert!(metres(&round, &RootStep::IDENTITY) < 1.0e-2, "{round:?}");
    assert!(metres(&step(0.0, 2.0), &lap.then(&lap)) < 1.0e-5);
    // What was not asked for is not there.
    let plain = RootTracks::of(&cooked(""), "walk").unwrap();
    let span = timeline.between(timeline.start(), timeline.end());
    assert_eq!(plain.motion().step(&span), RootStep::IDENTITY);
}

#[test]
fn a_mirrored_walk_goes_the_other_way_round() {
    let archive = cooked(
        "[clips.walk]\nroot-motion = true\n[clips.other]\nfrom = 'walk'\nmirror = true\nroot-motion = 'hips'",
    );
    let timeline = Timeline::new(1.0, Repeat::Loop).unwrap();
    let lap = |name: &str| {
        let tracks = RootTracks::of(&archive, name).unwrap();
        tracks.motion().step(&timeline.between(timeline.start(), timeline.end()))
    };
    let (walk, other) = (lap("walk"), lap("other"));
    let [x, y, z] = walk.translation;
    let [qx, qy, qz, qw] = walk.rotation;
    let mirrored = RootStep { translation: [-x, y, z], rotation: [qx, -qy, -qz, qw] };
    assert!(
        metres(&mirrored, &other) < 3.0e-4 && radians(&mirrored, &other) < 1.0e-3,
        "{mirrored:?} {other:?}"
    );
}

#[test]
fn what_goes_to_and_fro_comes_back_and_what_is_over_stays() {
    let walk = Walk::random(&mut Rng::new(5));
    let step = |repeat, from_s, to_s| {
        let timeline = Timeline::new(1.0, repeat).unwrap();
        walk.motion().step(&timeline.between(timeline.at(from_s).unwrap(), timeline.at(to_s).unwrap()))
    };
    assert!(metres(&step(Repeat::PingPong, 0.25, 1.75), &RootStep::IDENTITY) < 1.0e-6);
    assert_eq!(step(Repeat::Once, 1.5, 9.0), RootStep::IDENTITY);
    assert!(metres(&step(Repeat::Once, 0.0, 9.0), &step(Repeat::Loop, 0.0, 1.0)) < 1.0e-9);
    let still = RootMotion { translation: None, rotation: None };
    let timeline = Timeline::new(1.0, Repeat::Loop).unwrap();
    assert_eq!(still.step(&timeline.advance(timeline.start(), 7.3).unwrap()), RootStep::IDENTITY);
}

#[test]
fn steps_are_blended_by_weight() {
    let ahead = |z: f64| RootStep { translation: [0.0, 0.0, z], ..RootStep::IDENTITY };
    let blended = RootStep::blended([(1.0, ahead(1.0)), (3.0, ahead(2.0)), (-1.0, ahead(9.0))]);
    assert_eq!(blended, ahead(1.75));
    // The same rotation with the other sign counts as the same.
    let minus = RootStep { rotation: [0.0, 0.0, 0.0, -1.0], ..ahead(1.0) };
    assert_eq!(RootStep::blended([(1.0, ahead(1.0)), (1.0, minus)]), ahead(1.0));
    assert_eq!(RootStep::blended([(0.0, ahead(1.0)), (f32::NAN, ahead(1.0))]), RootStep::IDENTITY);
    assert_eq!(RootStep::blended([]), RootStep::IDENTITY);
    assert_eq!(ahead(2.0).scaled(0.5), ahead(1.0));
}

#[test]
fn a_step_allocates_nothing_and_is_cheap_over_a_billion_laps() {
    let walk = Walk::random(&mut Rng::new(6));
    let timeline = Timeline::new(1.0, Repeat::Loop).unwrap();
    let span = timeline.advance(timeline.start(), 1.0e9).unwrap();
    assert_no_alloc(|| assert!(walk.motion().step(&span).translation.iter().all(|v| v.is_finite())));
}
