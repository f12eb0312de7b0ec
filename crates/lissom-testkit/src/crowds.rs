//! A few people to make crowds of: an archive, a graph with everything in it, random input, and the golden hash.

use crate::{golden, rng::Rng};
use lissom::{archive::Archive, hash::Fnv64, track::ROOT_TRACKS};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::ArchiveWriter,
    cook::{ClipBuilder, Effort, Form},
    mannequin::{self, Detail, Motion},
    raw::{RawAnimation, RawUserTrack, TrackKind, UserKey},
    scene::Marker,
};
use lissom_math::simd::Backend;
use lissom_motion::{
    Graph, GraphParts, LayerParts, OneShot, RootStep, StateParts, Test, TransitionParts,
    crowd::{Crowd, Member, Outputs, PaletteFormat, Palettes, Part, Role, Space},
};
use std::sync::Arc;

const CLIPS: [(Motion, &str, Form); 4] = [
    (Motion::Idle, "idle", Form::Keys),
    (Motion::Walk, "walk", Form::Rows),
    (Motion::Run, "run", Form::Rows),
    (Motion::Wave, "wave", Form::Rows),
];

/// The mannequin with clips of a few joints, which cook in no time, in both forms. Each has two markers; walking and running travel,
/// and running turns.
///
/// # Panics
///
/// If the mannequin does not cook.
#[must_use]
pub fn archive() -> Archive {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).expect("the mannequin is a valid skeleton");
    Archive::read(&written(&built)).expect("what was written is an archive")
}

fn written(built: &BuiltSkeleton) -> Vec<u8> {
    let made = "the mannequin is valid";
    let mut mesh = mannequin::mesh(&Detail::default()).expect(made);
    mesh.name = "body".into();
    let mut writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton).expect(made);
    writer = writer.mesh(&mesh, built).expect(made);
    for (motion, name, form) in CLIPS {
        let clip = mannequin::clip(motion);
        let mut tracks = clip.tracks.clone();
        tracks.iter_mut().skip(12).for_each(|track| *track = Default::default());
        let clip = RawAnimation { name: name.into(), tracks, ..clip };
        let builder = ClipBuilder { form, effort: Effort::Fast, precision: 1e-3, ..ClipBuilder::default() };
        let bytes = builder.build(built, &clip).expect(made).bytes;
        let marker = |foot: &str, share: f64| Marker {
            name: format!("{name} {foot}"),
            time_s: clip.duration_s * share,
            duration_s: 0.0,
        };
        let markers = [marker("left", 0.25), marker("right", 0.75)];
        writer =
            writer.clip(u16::from(bytes[4]), name, bytes).expect(made).markers(name, &markers).expect(made);
    }
    let key = |ratio, value| UserKey { ratio, value, step: false };
    let mut track = |clip: &str, name: &str, kind, from, to| {
        let keys = vec![key(0.0, from), key(1.0, to)];
        let track = RawUserTrack { name: format!("{clip}/{name}"), kind, keys };
        writer = std::mem::take(&mut writer).track(&track).expect(made);
    };
    let [place, turn] = ROOT_TRACKS;
    track("walk", place, TrackKind::Float3, [0.0; 4], [0.0, 0.0, 1.5, 0.0]);
    track("run", place, TrackKind::Float3, [0.0; 4], [0.0, 0.0, 3.0, 0.0]);
    track("run", turn, TrackKind::Quat, [0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8]);
    writer.finish().expect(made)
}

/// Gaits along a line, a way out and back, a masked layer for waves and a layer that is added.
///
/// # Panics
///
/// If the archive does not have the clips.
#[must_use]
pub fn graph(archive: &Archive) -> Arc<Graph> {
    graph_with(archive, |way| way)
}

/// The same with transitions by inertia.
///
/// # Panics
///
/// If the archive does not have the clips.
#[must_use]
pub fn inertial_graph(archive: &Archive) -> Arc<Graph> {
    graph_with(archive, TransitionParts::inertial)
}

fn graph_with(archive: &Archive, way: fn(TransitionParts) -> TransitionParts) -> Arc<Graph> {
    let parts = GraphParts::new()
        .damped("speed", 0.0, 0.1)
        .float("arms", 1.0)
        .trigger("stop")
        .clip("wave")
        .mask("upper", "spine_01", 2)
        .layer(
            LayerParts::new("body")
                .state(StateParts::line("move", "speed", &[(0.0, "idle"), (1.0, "walk"), (3.0, "run")]))
                .state(StateParts::clip("rest", "idle").once())
                .transition(way(TransitionParts::new("move", "rest").when("stop", Test::On).fade(0.2)))
                .transition(way(TransitionParts::new("rest", "move").exit(1.0).fade(0.3))),
        )
        .layer(LayerParts::new("upper").masked("upper").weighed_by("arms"));
    Arc::new(Graph::of_archive(&parts, archive).expect("the archive has the clips"))
}

/// Something that happens to a member of that graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// Its speed is another.
    Speed(f32),
    /// It is to stop.
    Stop,
    /// It waves.
    Wave,
}

impl Input {
    /// Something random, or nothing.
    pub fn random(rng: &mut Rng) -> Option<Self> {
        match rng.below(24) {
            0..=2 => Some(Self::Speed(rng.range(0.0, 3.5))),
            3 => Some(Self::Stop),
            4 => Some(Self::Wave),
            _ => None,
        }
    }

    /// Tells a member.
    ///
    /// # Panics
    ///
    /// If it is refused.
    pub fn tell(self, crowd: &mut Crowd, graph: &Graph, member: Member) {
        let known = "the graph has it";
        match self {
            Self::Speed(speed) => crowd.set(member, graph.float("speed").expect(known), speed),
            Self::Stop => crowd.set(member, graph.trigger("stop").expect(known), true),
            Self::Wave => {
                let (layer, clip) = (graph.layer("upper").expect(known), graph.clip("wave").expect(known));
                crowd.play(
                    member,
                    layer,
                    clip,
                    OneShot { fade_in_s: 0.1, fade_out_s: 0.1, ..OneShot::default() },
                )
            }
        }
        .expect("a live member takes it");
    }
}

/// A random place on the ground.
pub fn place(rng: &mut Rng) -> RootStep {
    let [x, z] = [rng.unit_f64() * 100.0, rng.unit_f64() * 100.0];
    RootStep { translation: [x, 0.0, z], ..RootStep::IDENTITY }
}

/// Thirty frames of people who come, go, and are told things: their matrices, palettes, places and events.
///
/// # Panics
///
/// If anything is refused.
#[must_use]
pub fn hash(backend: Backend) -> u64 {
    let archive = archive();
    let graph = graph(&archive);
    let allowed = "everything in it is allowed";
    let mut crowd = Crowd::new(&archive).expect(allowed);
    let by_graph = crowd.add_graph(Arc::clone(&graph)).expect(allowed);
    crowd.set_backend(backend);
    let space = Space::World { origin: [50.0, 0.0, 50.0] };
    crowd.set_outputs(Outputs { palettes: Some(PaletteFormat::F32), space, ..Outputs::default() });
    let gaits = ["walk", "run"].map(|name| crowd.clip(name).expect(allowed));
    let mut rng = Rng::new(15);
    let mut hash = Fnv64::new();
    let mut members: Vec<(Member, bool)> = Vec::new();
    for _ in 0..30 {
        for _ in 0..2 {
            let at = place(&mut rng);
            let thinks = !rng.one_in(3);
            let laps = rng.unit_f64();
            let parts = [Part::new(gaits[0], 0.7).at(laps), Part::new(gaits[1], 0.4).at(laps)];
            let role = if thinks { Role::Graph(by_graph) } else { Role::InStep(&parts) };
            members.push((crowd.add(role, at).expect(allowed), thinks));
        }
        if rng.one_in(3) {
            let (gone, _) = members.swap_remove(rng.below(members.len()));
            crowd.remove(gone).expect(allowed);
        }
        for (member, _) in members.iter().filter(|(_, thinks)| *thinks) {
            if let Some(input) = Input::random(&mut rng) {
                input.tell(&mut crowd, &graph, *member);
            }
        }
        crowd.update(rng.unit_f64() * 0.1).expect(allowed);
        for (member, _) in &members {
            let models = crowd.models(*member).expect(allowed).expect("they are kept");
            hash = models.iter().fold(hash, |hash, m| golden::extend(hash, &m.to_cols_array()));
            if let Some(Palettes::F32(rows)) = crowd.palette(*member).expect(allowed) {
                hash = golden::extend(hash, rows.as_flattened().as_flattened());
            }
            let RootStep { translation, rotation } = crowd.place(*member).expect(allowed);
            for number in translation.iter().chain(rotation) {
                hash = hash.bytes(&number.to_bits().to_le_bytes());
            }
        }
        for event in crowd.events() {
            hash = hash.bytes(event.marker.name.as_bytes()).u32(event.member.index() as u32);
            hash = golden::extend(hash, &[event.share, event.weight]);
        }
    }
    hash.finish()
}
