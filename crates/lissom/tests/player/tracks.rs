//! What a span passes: markers against a model on whole numbers, edges and splits against what must hold for any.

use lissom::{
    archive::{AlignedBytes, ArchiveView, Limits},
    track::{
        Edge, PassedMarker, Playhead, Repeat, Span, TimeError, Timeline, TrackKind, TrackValue, TrackView,
    },
};
use lissom_build::{archive::ArchiveWriter, scene::Marker};
use lissom_testkit::alloc::assert_no_alloc;
use proptest::prelude::*;

const REPEATS: [Repeat; 3] = [Repeat::Once, Repeat::Loop, Repeat::PingPong];

/// An archive with the markers of one clip.
fn archive_of(markers: &[Marker]) -> AlignedBytes {
    let writer = ArchiveWriter::new().markers("clip", markers).unwrap();
    AlignedBytes::copy_of(&writer.finish().unwrap())
}

/// Markers at times, in order, named by their place in the list.
fn named(times: &[f64]) -> Vec<Marker> {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let named = |(i, time_s): (usize, &f64)| Marker { name: i.to_string(), time_s: *time_s, duration_s: 0.0 };
    sorted.iter().enumerate().map(named).collect()
}

/// Which markers a span passes: number, lap, backward.
fn passed(markers: &[Marker], span: &Span) -> Vec<(usize, i64, bool)> {
    if markers.is_empty() {
        return Vec::new();
    }
    let bytes = archive_of(markers);
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    let number = |p: PassedMarker<'_>| (p.marker.name.parse().unwrap(), p.lap, p.backward);
    archive.markers("clip").unwrap().passed(span).map(number).collect()
}

/// The model: every marker of every lap as a whole number on one long line, in half ticks, so that the end of a lap
/// can stand half a tick before the next one's start. No laps, no heads, no search.
fn model(ticks: &[i64], length: i64, repeat: Repeat, from: i64, to: i64) -> Vec<usize> {
    let clamp = |t: i64| if repeat == Repeat::Once { t.clamp(0, length) } else { t };
    let (from, to) = (2 * clamp(from), 2 * clamp(to));
    let mut line = Vec::new();
    let laps = if repeat == Repeat::Once { 0..1 } else { -50..50 };
    for lap in laps {
        for (i, tick) in ticks.iter().enumerate() {
            let tick = (*tick).min(length);
            let mirrored = repeat == Repeat::PingPong && lap % 2 != 0;
            let at_turn = tick == 0 || tick == length;
            if mirrored && at_turn {
                continue;
            }
            let in_lap = if mirrored { length - tick } else { tick };
            let place = 2 * (lap * length + in_lap) - i64::from(in_lap == length);
            // Within a lap that runs backward, equal ones come last first.
            line.push((place, if mirrored { -(i as i64) } else { i as i64 }, i));
        }
    }
    line.sort_unstable();
    let inside = |p: i64| if from <= to { from <= p && p < to } else { to <= p && p < from };
    let mut found: Vec<usize> = line.iter().filter(|(p, ..)| inside(*p)).map(|(.., i)| *i).collect();
    if to < from {
        found.reverse();
    }
    found
}

fn span(timeline: &Timeline, from_s: f64, to_s: f64) -> Span {
    timeline.between(timeline.at(from_s).unwrap(), timeline.at(to_s).unwrap())
}

proptest! {
    /// Quarters of a second are exact in f64, so the model's whole numbers are the same times.
    #[test]
    fn what_is_passed_is_what_the_model_passes(
        mut ticks in prop::collection::vec(0_i64..12, 0..8),
        length in 1_i64..11,
        from in -40_i64..40,
        to in -40_i64..40,
        repeat in prop::sample::select(REPEATS.to_vec()),
    ) {
        ticks.sort_unstable();
        let seconds = |tick: i64| tick as f64 * 0.25;
        let markers = named(&ticks.iter().map(|t| seconds(*t)).collect::<Vec<_>>());
        let timeline = Timeline::new(seconds(length), repeat).unwrap();
        let found = passed(&markers, &span(&timeline, seconds(from), seconds(to)));
        let found: Vec<usize> = found.into_iter().map(|(i, ..)| i).collect();
        prop_assert_eq!(found, model(&ticks, length, repeat, from, to));
    }

    #[test]
    fn any_split_passes_what_the_whole_does_and_the_way_back_is_its_mirror(
        times in prop::collection::vec(0.0_f64..1.7, 1..8),
        duration_s in 0.01_f64..1.5,
        mut cuts in prop::collection::vec(-9.0_f64..9.0, 2..9),
        repeat in prop::sample::select(REPEATS.to_vec()),
        backward: bool,
    ) {
        cuts.sort_by(f64::total_cmp);
        if backward {
            cuts.reverse();
        }
        let markers = named(&times);
        let timeline = Timeline::new(duration_s, repeat).unwrap();
        let whole = span(&timeline, cuts[0], cuts[cuts.len() - 1]);
        let all = passed(&markers, &whole);
        let mut pieces = Vec::new();
        for two in cuts.windows(2) {
            pieces.extend(passed(&markers, &span(&timeline, two[0], two[1])));
        }
        prop_assert_eq!(&all, &pieces);
        let mut back = passed(&markers, &whole.reversed());
        back.reverse();
        let mirror: Vec<_> = back.into_iter().map(|(i, lap, backward)| (i, lap, !backward)).collect();
        prop_assert_eq!(&all, &mirror);
    }

    /// Frame after frame, as a player steps: rounding differs from one long step, but each lap has each marker once.
    #[test]
    fn frames_of_any_length_pass_every_marker_once_a_lap(
        times in prop::collection::vec(0.0_f64..0.9, 1..8),
        frames in prop::collection::vec(0.0_f64..0.2, 1..200),
    ) {
        let markers = named(&times);
        let timeline = Timeline::new(0.9, Repeat::Loop).unwrap();
        let mut head = timeline.start();
        let mut found = Vec::new();
        for frame in &frames {
            let span = timeline.advance(head, *frame).unwrap();
            found.extend(passed(&markers, &span));
            head = span.to();
        }
        // In order, without a gap: marker after marker, lap after lap.
        for (nth, (i, lap, backward)) in found.iter().enumerate() {
            prop_assert_eq!((*i, *lap, *backward), (nth % markers.len(), (nth / markers.len()) as i64, false));
        }
        prop_assert!(found.len() as i64 >= head.lap() * markers.len() as i64);
        prop_assert!(found.len() as i64 <= (head.lap() + 1) * markers.len() as i64);
    }

    #[test]
    fn edges_alternate_follow_the_value_and_mirror(
        keys in prop::collection::btree_map(0_u8..=20, (-3_i8..=3, any::<bool>()), 0..8),
        mut cuts in prop::collection::vec(-5.0_f64..5.0, 2..7),
        repeat in prop::sample::select(REPEATS.to_vec()),
        backward: bool,
    ) {
        cuts.sort_by(f64::total_cmp);
        if backward {
            cuts.reverse();
        }
        let ratios: Vec<f32> = keys.keys().map(|r| f32::from(*r) / 20.0).collect();
        let values: Vec<f32> = keys.values().map(|(v, _)| f32::from(*v)).collect();
        let mut steps = vec![0_u8; keys.len().div_ceil(8)];
        for (i, (_, step)) in keys.values().enumerate() {
            steps[i / 8] |= u8::from(*step) << (i % 8);
        }
        let track = TrackView { kind: TrackKind::Float, ratios: &ratios, values: &values, steps: &steps };
        // Between whole numbers: no key stands on it.
        let threshold = 0.5;
        let timeline = Timeline::new(0.8, repeat).unwrap();
        let whole = span(&timeline, cuts[0], cuts[cuts.len() - 1]);
        let all: Vec<Edge> = track.edges(threshold, &whole).collect();
        let mut pieces = Vec::new();
        for two in cuts.windows(2) {
            pieces.extend(track.edges(threshold, &span(&timeline, two[0], two[1])));
        }
        prop_assert_eq!(&all, &pieces);
        let back: Vec<Edge> = track.edges(threshold, &whole.reversed()).collect();
        let mirror: Vec<Edge> = back.iter().rev().map(|e| Edge { rising: !e.rising, ..*e }).collect();
        prop_assert_eq!(&all, &mirror);
        for two in all.windows(2) {
            prop_assert_ne!(two[0].rising, two[1].rising);
        }
        let high = |head: Playhead| {
            let value = track.sample(timeline.time_s(head) / timeline.duration_s());
            value.as_float().unwrap() >= threshold
        };
        if let (Some(first), Some(last)) = (all.first(), all.last()) {
            prop_assert_eq!(high(whole.from()), !first.rising);
            prop_assert_eq!(high(whole.to()), last.rising);
        } else {
            prop_assert_eq!(high(whole.from()), high(whole.to()));
        }
    }

    #[test]
    fn samples_go_through_keys_and_hold_at_the_ends(
        keys in prop::collection::btree_map(0_u8..=20, (-1.0e30_f32..1.0e30, any::<bool>()), 1..8),
        ratio in -0.5_f64..1.5,
    ) {
        let ratios: Vec<f32> = keys.keys().map(|r| f32::from(*r) / 20.0).collect();
        let values: Vec<f32> = keys.values().map(|(v, _)| *v).collect();
        let step = keys.values().enumerate().fold(0, |all, (i, (_, s))| all | u8::from(*s) << i);
        let track = TrackView { kind: TrackKind::Float, ratios: &ratios, values: &values, steps: &[step] };
        for (r, v) in ratios.iter().zip(&values) {
            prop_assert_eq!(track.sample(f64::from(*r)), TrackValue::Float(*v));
        }
        let v = track.sample(ratio).as_float().unwrap();
        let after = ratios.partition_point(|r| f64::from(*r) <= ratio);
        let (a, b) = (values[after.saturating_sub(1)], values[after.min(values.len() - 1)]);
        if after > 0 && track.is_step(after - 1) {
            prop_assert_eq!(v, a);
        }
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        prop_assert!((low..=high).contains(&v), "{} is not between {} and {}", v, a, b);
    }
}

fn names(markers: &[Marker], timeline: &Timeline, from: f64, to: f64) -> Vec<usize> {
    passed(markers, &span(timeline, from, to)).into_iter().map(|(i, ..)| i).collect()
}

#[test]
fn the_ends_of_a_clip_are_met_as_the_module_says() {
    let markers = named(&[0.0, 0.5, 1.0]);
    let once = Timeline::new(1.0, Repeat::Once).unwrap();
    assert_eq!(
        names(&markers, &once, 0.0, 0.5),
        [0],
        "the start is in the first frame, the later end is not in it"
    );
    assert_eq!(names(&markers, &once, 0.5, 1.0), [1, 2], "arriving at the end passes it");
    assert_eq!(names(&markers, &once, 1.0, 9.0), [0_usize; 0], "after the end there is nothing");
    assert_eq!(names(&markers, &once, 1.0, 0.0), [2, 1, 0], "all the way back");
    assert_eq!(names(&markers, &once, -3.0, 3.0), [0, 1, 2]);

    let looped = Timeline::new(1.0, Repeat::Loop).unwrap();
    assert_eq!(names(&markers, &looped, 0.75, 1.75), [2, 0, 1], "the seam: the end's, then the start's");
    assert_eq!(names(&markers, &looped, 0.0, -0.25), [2], "back over the start is the end of the lap before");
    assert_eq!(names(&markers, &looped, 0.25, 0.25), [0_usize; 0]);

    let to_and_fro = Timeline::new(1.0, Repeat::PingPong).unwrap();
    assert_eq!(names(&markers, &to_and_fro, 0.0, 4.0), [0, 1, 2, 1, 0, 1, 2, 1], "a turn is touched once");
}

#[test]
fn a_step_at_a_loops_seam_is_an_edge_of_the_seam() {
    let track = TrackView { kind: TrackKind::Float, ratios: &[0.0, 0.5], values: &[0.0, 1.0], steps: &[3] };
    let timeline = Timeline::new(2.0, Repeat::Loop).unwrap();
    let edges = |from, to| -> Vec<(f64, bool)> {
        track.edges(0.5, &span(&timeline, from, to)).map(|e| (e.time_s, e.rising)).collect()
    };
    assert_eq!(edges(0.0, 2.0), [(1.0, true), (2.0, false)]);
    assert_eq!(edges(0.0, -1.5), [(2.0, true), (1.0, false)]);
    let whole = TrackView { kind: TrackKind::Float2, ..track };
    assert_eq!(whole.edges(0.5, &span(&timeline, 0.0, 9.0)).count(), 0, "two numbers have no edge");
}

#[test]
fn rotations_take_the_shorter_path_and_come_out_normalised() {
    let half = core::f32::consts::FRAC_1_SQRT_2;
    // A quarter turn about x, written with the other sign.
    let values = [0.0, 0.0, 0.0, 2.0, -half, 0.0, 0.0, -half];
    let track = TrackView { kind: TrackKind::Quat, ratios: &[0.0, 1.0], values: &values, steps: &[0] };
    assert_eq!(track.sample(0.0).to_array(), [0.0, 0.0, 0.0, 1.0]);
    let [x, y, z, w] = track.sample(0.5).to_array();
    assert!(x > 0.2 && y == 0.0 && z == 0.0 && w > 0.9, "{x} {y} {z} {w}");
    assert!((x * x + w * w - 1.0).abs() < 1e-6);
    let none = TrackView { ratios: &[], values: &[], steps: &[], ..track };
    assert_eq!(none.sample(0.5).to_array(), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(TrackView { kind: TrackKind::Float3, ..none }.sample(f64::NAN), TrackValue::Float3([0.0; 3]));
}

#[test]
fn markers_that_last_are_active_from_start_to_end() {
    let lasting = |name: &str, time_s, duration_s| Marker { name: name.into(), time_s, duration_s };
    let bytes =
        archive_of(&[lasting("swing", 0.25, 0.5), lasting("step", 0.5, 0.0), lasting("open", 0.5, 9.0)]);
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    let markers = archive.markers("clip").unwrap();
    let active = |time_s| markers.active_at(time_s).map(|m| m.name).collect::<Vec<_>>();
    assert_eq!(active(0.2), [""; 0]);
    assert_eq!(active(0.25), ["swing"]);
    assert_eq!(active(0.5), ["swing", "open"]);
    assert_eq!(active(0.75), ["open"]);
}

#[test]
fn times_that_are_none_are_refused_and_far_ones_do_not_hang() {
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(matches!(Timeline::new(bad, Repeat::Loop), Err(TimeError { field: "duration_s", .. })));
    }
    let timeline = Timeline::new(0.5, Repeat::Loop).unwrap();
    for bad in [f64::NAN, f64::NEG_INFINITY, 1.0e300] {
        assert!(timeline.at(bad).is_err() && timeline.advance(timeline.start(), bad).is_err());
    }
    let far = timeline.advance(timeline.start(), 1.0e12).unwrap();
    assert_eq!(far.to().lap(), 2_000_000_000_000);
    assert_eq!(passed(&[], &far), []);
    let flat = TrackView { kind: TrackKind::Float, ratios: &[0.0, 1.0], values: &[0.0, 0.0], steps: &[0] };
    assert_eq!(flat.edges(0.5, &far).count(), 0);
    let still = Timeline::new(0.0, Repeat::Loop).unwrap();
    assert_eq!(names(&named(&[0.0, 0.0]), &still, 0.0, 1.0), [0, 1], "a clip without length is played once");
}

#[test]
fn passing_allocates_nothing() {
    let bytes = archive_of(&named(&[0.1, 0.2, 0.9]));
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    let markers = archive.markers("clip").unwrap();
    let track =
        TrackView { kind: TrackKind::Float, ratios: &[0.0, 0.5, 1.0], values: &[0.0, 1.0, 0.0], steps: &[0] };
    assert_no_alloc(|| {
        let timeline = Timeline::new(1.0, Repeat::PingPong).unwrap();
        let (mut head, mut count) = (timeline.start(), 0);
        for frame in 0..1000 {
            let span = timeline.advance(head, f64::from(frame) * 0.01 - 4.0).unwrap();
            count += markers.passed(&span).count() + track.edges(0.5, &span).count();
            head = span.to();
        }
        assert!(count > 1000);
    });
}
