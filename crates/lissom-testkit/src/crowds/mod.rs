//! Crowds for tests: an archive, a graph of gaits, layers and markers, random input, and golden hashes.

mod archive;

pub use archive::archive;

use crate::{golden, rng::Rng};
use lissom::{archive::Archive, hash::Fnv64, track::Repeat};
use lissom_math::simd::Backend;
use lissom_motion::{
    Animator, Graph, GraphParts, RootStep,
    crowd::{Crowd, Member, Outputs, PaletteFormat, Palettes, PlayedClip, Role, Space},
    graph::{LayerParts, StateParts, Test, TransitionParts},
    recording::{Recording, Replay},
    state::OneShot,
};
use std::sync::Arc;

/// A body layer with gaits along a line, a state played once and one to and fro; a masked layer for waves; an additive layer. Clips are
/// kept in step by markers, a transition starts in step, and a curve of the clips decides another one.
///
/// # Panics
///
/// If the archive does not have the clips of [`archive`].
#[must_use]
pub fn graph(archive: &Archive) -> Arc<Graph> {
    graph_with(archive, |way| way)
}

/// The same with transitions by inertia.
///
/// # Panics
///
/// If the archive does not have the clips of [`archive`].
#[must_use]
pub fn inertial_graph(archive: &Archive) -> Arc<Graph> {
    graph_with(archive, TransitionParts::inertial)
}

fn graph_with(archive: &Archive, way: fn(TransitionParts) -> TransitionParts) -> Arc<Graph> {
    let sway = StateParts { repeat: Repeat::PingPong, ..StateParts::clip("sway", "breathe").at_speed(1.5) };
    let body = LayerParts::new("body")
        .state(gaits_state())
        .state(StateParts::clip("rest", "breathe").once())
        .state(sway)
        .transition(way(TransitionParts::new("move", "rest").when("stop", Test::On).fade(0.2)))
        .transition(way(TransitionParts::new("rest", "sway")
            .when("lift", Test::Above(0.5))
            .when("lean", Test::Above(0.0))))
        .transition(way(TransitionParts::new("rest", "move").exit(1.0).fade(0.3)))
        .transition(way(TransitionParts::new("sway", "move").exit(1.0).fade(0.3).synced()));
    let lean = StateParts::line("lean", "lean", &[(-1.0, "lean_left"), (1.0, "lean_right")]);
    let parts = GraphParts::new()
        .damped("speed", 0.0, 0.1)
        .float("arms", 1.0)
        .float("lean", 0.0)
        .float("leaning", 0.0)
        .trigger("stop")
        .curve("lift", 0.0)
        .clip("wave")
        .mask("upper", "spine_01", 2)
        .in_step_by(&["left", "right"])
        .layer(body)
        .layer(LayerParts::new("upper").masked("upper").weighed_by("arms"))
        .layer(LayerParts::new("lean").state(lean).added().weighed_by("leaning"));
    Arc::new(Graph::of_archive(&parts, archive).expect("the archive has the clips"))
}

fn gaits_state() -> StateParts {
    StateParts::line("move", "speed", &[(0.0, "idle"), (1.0, "walk"), (3.0, "run")])
}

/// Gaits along a line, a state played once and a masked layer for waves: the graph of the golden hash `crowd`. `way` changes its
/// transitions.
///
/// # Panics
///
/// If the archive does not have the clips.
#[must_use]
pub fn gaits_graph(archive: &Archive, way: fn(TransitionParts) -> TransitionParts) -> Arc<Graph> {
    let parts = GraphParts::new()
        .damped("speed", 0.0, 0.1)
        .float("arms", 1.0)
        .trigger("stop")
        .clip("wave")
        .mask("upper", "spine_01", 2)
        .layer(
            LayerParts::new("body")
                .state(gaits_state())
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
    /// How far it leans to a side. Graphs of gaits alone do not know it.
    Lean {
        /// From -1, left, to 1.
        side: f32,
        /// In [0, 1].
        much: f32,
    },
}

const WAVE: OneShot = OneShot { fade_in_s: 0.1, fade_out_s: 0.1, ..OneShot::NEW };

impl Input {
    /// Something random, or nothing.
    pub fn random(rng: &mut Rng) -> Option<Self> {
        if rng.one_in(12) {
            let much = [0.0, 0.5, 1.0][rng.below(3)];
            return Some(Self::Lean { side: rng.signed(), much });
        }
        Self::random_gait(rng)
    }

    /// Something random that a graph of gaits alone knows, or nothing.
    fn random_gait(rng: &mut Rng) -> Option<Self> {
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
        let float = |name| graph.float(name).expect(known);
        match self {
            Self::Speed(speed) => crowd.set(member, float("speed"), speed),
            Self::Stop => crowd.set(member, graph.trigger("stop").expect(known), true),
            Self::Wave => {
                let (layer, clip) = (graph.layer("upper").expect(known), graph.clip("wave").expect(known));
                crowd.play(member, layer, clip, WAVE).map(drop)
            }
            Self::Lean { side, much } => crowd
                .set(member, float("lean"), side)
                .and_then(|()| crowd.set(member, float("leaning"), much)),
        }
        .expect("a live member takes it");
    }

    /// Tells an animator of the same graph.
    ///
    /// # Panics
    ///
    /// If it is refused.
    pub fn tell_animator(self, animator: &mut Animator) {
        let known = "the graph has it";
        let graph = Arc::clone(animator.graph());
        let float = |name| graph.float(name).expect(known);
        match self {
            Self::Speed(speed) => animator.set(float("speed"), speed).expect(known),
            Self::Stop => animator.trigger(graph.trigger("stop").expect(known)).expect(known),
            Self::Wave => {
                animator.play("wave").on("upper").fade(0.1).start().expect(known);
            }
            Self::Lean { side, much } => {
                animator.set(float("lean"), side).expect(known);
                animator.set(float("leaning"), much).expect(known);
            }
        }
    }
}

/// A random place on the ground.
pub fn place(rng: &mut Rng) -> RootStep {
    let [x, z] = [rng.unit_f64() * 100.0, rng.unit_f64() * 100.0];
    RootStep { translation: [x, 0.0, z], ..RootStep::IDENTITY }
}

/// Thirty frames of members that come, go, and get input: their matrices, palettes, places and events. Clips move the first joints,
/// and the graph is one of gaits.
///
/// # Panics
///
/// If anything is refused.
#[must_use]
pub fn hash(backend: Backend) -> u64 {
    let archive = archive::gaits();
    played(backend, &archive, &gaits_graph(&archive, |way| way), Input::random_gait)
}

/// The same of [`archive`] and [`graph`].
///
/// # Panics
///
/// If anything is refused.
#[must_use]
pub fn hash_of_all(backend: Backend) -> u64 {
    let archive = archive();
    played(backend, &archive, &graph(&archive), Input::random)
}

/// The bytes of a recording, with hashes of all that came out: what is recorded on one machine is what would be on another. It is replayed,
/// too. Animators run on the best backend that there is.
///
/// # Panics
///
/// If the replay comes out otherwise.
#[must_use]
pub fn hash_of_recording() -> u64 {
    let allowed = "everything in it is allowed";
    let archive = archive::gaits();
    let graph = gaits_graph(&archive, TransitionParts::inertial);
    let mut hero = Animator::new(&archive, Arc::clone(&graph)).expect(allowed);
    let mut rng = Rng::new(23);
    hero.record();
    for _ in 0..240 {
        if let Some(input) = Input::random_gait(&mut rng) {
            input.tell_animator(&mut hero);
        }
        hero.update(if rng.one_in(5) { rng.unit_f64() * 0.1 } else { 1.0 / 60.0 }).expect(allowed);
    }
    let bytes = hero.stop_recording().expect("it was recorded").to_bytes();
    let recording = Recording::read(&bytes).expect("what was written reads");
    let mut replay = Replay::with_graph(&archive, graph, recording).expect(allowed);
    while let Some(frame) = replay.step().expect(allowed) {
        assert_eq!(frame.difference, None, "frame {}", frame.frame);
    }
    Fnv64::new().bytes(&bytes).finish()
}

fn played(
    backend: Backend,
    archive: &Archive,
    graph: &Arc<Graph>,
    input: fn(&mut Rng) -> Option<Input>,
) -> u64 {
    let allowed = "everything in it is allowed";
    let mut crowd = Crowd::new(archive).expect(allowed);
    let by_graph = crowd.add_graph(Arc::clone(graph)).expect(allowed);
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
            let parts = [PlayedClip::new(gaits[0], 0.7).at(laps), PlayedClip::new(gaits[1], 0.4).at(laps)];
            let role = if thinks { Role::Graph(by_graph) } else { Role::InStep(&parts) };
            members.push((crowd.add(role, at).expect(allowed), thinks));
        }
        if rng.one_in(3) {
            let (gone, _) = members.swap_remove(rng.below(members.len()));
            crowd.remove(gone).expect(allowed);
        }
        for (member, _) in members.iter().filter(|(_, thinks)| *thinks) {
            if let Some(input) = input(&mut rng) {
                input.tell(&mut crowd, graph, *member);
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
            let Some(marker) = event.marker() else { continue };
            hash = hash.bytes(marker.name.as_bytes()).u32(event.member.index() as u32);
            hash = golden::extend(hash, &[event.share, event.weight]);
        }
    }
    hash.finish()
}
