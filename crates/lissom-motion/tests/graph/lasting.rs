//! Markers that last, beyond what the random graphs of `events.rs` do: laps that are not told, saves, other versions of a graph.

use super::Played;
use lissom::{
    archive::Archive,
    track::{MarkersView, Repeat},
};
use lissom_build::{archive::ArchiveWriter, scene::Marker};
use lissom_motion::{
    GraphParts, GraphState,
    frame::What,
    graph::{LayerParts, StateParts},
    state::{GoTo, OneShot},
};
use lissom_testkit::alloc::assert_no_alloc;

const DT: f64 = 1.0 / 16.0;

/// Of each clip: what lasts, from when, and for how long.
fn archive(clips: &[(&str, &str, f64, f64)]) -> Archive {
    let mut writer = ArchiveWriter::new();
    for (clip, name, time_s, duration_s) in clips.iter().copied() {
        writer = writer.markers(clip, &[Marker { name: name.into(), time_s, duration_s }]).unwrap();
    }
    Archive::read(&writer.finish().unwrap()).unwrap()
}

struct Told(Vec<(String, f32, f32)>);

impl Played {
    fn lasting(&self, archive: &Archive) -> Told {
        let markers: Vec<_> =
            self.graph.clips().iter().map(|clip| archive.markers(&clip.name).ok()).collect();
        let view = |clip: usize| -> Option<MarkersView<'_>> { Some(markers[clip].as_ref()?.view()) };
        let told = self.frame.events(&self.graph, view).filter_map(|event| {
            let what = match event.what {
                What::MarkerBegan { marker, .. } => format!("{} began", marker.name),
                What::MarkerEnded { marker, interrupted: false, .. } => format!("{} ended", marker.name),
                What::MarkerEnded { marker, .. } => format!("{} broke off", marker.name),
                _ => return None,
            };
            Some((what, event.share, event.weight))
        });
        Told(told.collect())
    }

    fn active(&self, archive: &Archive) -> Vec<(String, f64)> {
        let markers: Vec<_> =
            self.graph.clips().iter().map(|clip| archive.markers(&clip.name).ok()).collect();
        let view = |clip: usize| -> Option<MarkersView<'_>> { Some(markers[clip].as_ref()?.view()) };
        let active = self.state.active_markers(&self.graph, view);
        active.map(|active| (active.marker.name.to_owned(), active.into_s)).collect()
    }
}

#[test]
fn what_lasts_into_laps_that_are_not_told_ends_and_begins_anew() {
    let archive = archive(&[("spin", "hum", 0.25, 0.5)]);
    let layer = LayerParts::new("body").state(StateParts::clip("spin", "spin"));
    let mut played = Played::new(super::seconds(&GraphParts::new().layer(layer)));
    played.update(0.5);
    assert_eq!(played.lasting(&archive).0, [("hum began".to_owned(), 0.5, 1.0)]);
    // A thousand laps: the last 64 are told, and the stay before them is over.
    played.update(1000.0);
    let told = played.lasting(&archive).0;
    assert_eq!(told[..2], [("hum ended".to_owned(), 0.0, 1.0), ("hum began".to_owned(), 0.0, 1.0)]);
    let count = |what: &str| told.iter().filter(|told| told.0 == what).count();
    assert_eq!((count("hum began"), count("hum ended")), (65, 65));
    assert_eq!(played.active(&archive), [("hum".to_owned(), 0.25)]);
    // From outside to outside.
    played.update(0.5);
    assert_eq!(played.lasting(&archive).0, [("hum ended".to_owned(), 0.5, 1.0)]);
    played.update(1000.0);
    let told = played.lasting(&archive).0;
    assert_eq!(told.iter().map(|told| &*told.0).collect::<Vec<_>>(), ["hum began", "hum ended"].repeat(64));
    assert_eq!(played.active(&archive), []);
}

#[test]
fn what_is_broken_off_is_told_once_also_after_a_save() {
    let archive = archive(&[("slash", "cut", 0.25, 0.5), ("idle", "calm", 0.0, 9.0)]);
    let layer = LayerParts::new("body").state(StateParts::clip("idle", "idle")).state(
        StateParts { repeat: Repeat::Once, ..StateParts::clip("slash", "slash") }.by_code().starting_at(0.5),
    );
    let mut played = Played::new(super::seconds(&GraphParts::new().clip("slash").layer(layer)));
    let body = played.graph.layer("body").unwrap();
    let [idle, slash] = ["idle", "slash"].map(|state| played.graph.state_key(body, state).unwrap());
    let told = |played: &Played| -> Vec<String> {
        played.lasting(&archive).0.into_iter().map(|told| told.0).collect()
    };
    played.update(DT);
    assert_eq!(told(&played), ["calm began"]);
    // It ends with its clip, and begins anew.
    played.update(1.0);
    assert_eq!(told(&played), ["calm ended", "calm began"]);
    played.state.go_to(&played.graph, slash, GoTo::CUT).unwrap();
    played.update(DT);
    assert_eq!(told(&played), ["calm broke off"]);
    assert_eq!(played.active(&archive), [], "the state has not been played yet");
    // It starts inside.
    played.update(DT);
    assert_eq!(told(&played), ["cut began"]);
    assert_eq!(played.active(&archive), [("cut".to_owned(), 0.3125)]);
    // A step of nothing tells nothing.
    played.update(0.0);
    assert_eq!(told(&played), [] as [&str; 0]);
    played.state = GraphState::read(&played.graph, &played.state.to_bytes()).unwrap();
    played.update(DT);
    assert_eq!(told(&played), [] as [&str; 0]);
    played.state.go_to(&played.graph, idle, GoTo::CUT).unwrap();
    played.update(DT);
    assert_eq!(told(&played), ["cut broke off"]);

    // One-shots that newer ones push out, saved in between.
    let clip = played.graph.clip("slash").unwrap();
    for _ in 0..2 {
        played.state.play(&played.graph, body, clip, OneShot { at: 0.25, ..OneShot::NEW }).unwrap();
    }
    played.update(DT);
    assert_eq!(told(&played), ["calm began", "cut began", "cut began"]);
    played.state.play(&played.graph, body, clip, OneShot::NEW).unwrap();
    assert_eq!(played.active(&archive).len(), 3, "it is told with the next step");
    played.state = GraphState::read(&played.graph, &played.state.to_bytes()).unwrap();
    played.update(DT);
    assert_eq!(told(&played), ["cut broke off"]);
    assert_eq!(played.active(&archive).len(), 2);
}

#[test]
fn saved_points_are_those_of_the_state_and_another_version_goes_on() {
    let gaits = |points: &[(f32, &str)]| {
        let layer = LayerParts::new("body").state(StateParts::line("move", "speed", points));
        super::seconds(&GraphParts::new().float("speed", 1.0).layer(layer))
    };
    let mut played = Played::new(gaits(&[(0.0, "idle"), (1.0, "walk"), (2.0, "run")]));
    played.update(DT);
    // The voice's points are the last four bytes before those of one-shots and masks: here only the second is played.
    let mut bytes = played.state.to_bytes().to_vec();
    let at = bytes.windows(4).rposition(|four| four == 2_u32.to_le_bytes()).unwrap();
    bytes[at] = 4;
    assert!(GraphState::read(&played.graph, &bytes).is_ok());
    bytes[at] = 8;
    let error = GraphState::read(&played.graph, &bytes).unwrap_err();
    assert!(error.to_string().contains("a point that the state has not"), "{error}");
    let fewer = gaits(&[(0.0, "idle")]);
    let carried = played.state.carried_over(&played.graph, &fewer);
    assert_eq!(GraphState::read(&fewer, &carried.to_bytes()), Ok(carried));
}

#[test]
fn asking_what_lasts_allocates_nothing() {
    let archive = archive(&[("walk", "left", 0.0, 0.5), ("run", "left", 0.25, 9.0)]);
    let layer =
        LayerParts::new("body").state(StateParts::line("move", "speed", &[(0.0, "walk"), (1.0, "run")]));
    let mut played = Played::new(super::seconds(&GraphParts::new().float("speed", 0.5).layer(layer)));
    let speed = played.graph.float("speed").unwrap();
    let markers = ["walk", "run"].map(|clip| archive.markers(clip).unwrap());
    let mut told = [0; 2];
    assert_no_alloc(|| {
        for i in 0..1000 {
            let value = [0.0, 0.5, 1.0, 0.25][i / 7 % 4];
            played.state.set(speed, value).unwrap();
            played.update(0.03);
            let view = |clip: usize| Some(markers[clip].view());
            told[0] += played.frame.events(&played.graph, view).count();
            told[1] += played.state.active_markers(&played.graph, view).count();
        }
    });
    assert!(told[0] > 100 && told[1] > 500, "{told:?}");
}
