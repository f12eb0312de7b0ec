//! What a file holds, whatever its format: every importer gives this, every exporter takes it.

use crate::{
    BuiltSkeleton, cook,
    import::rawclip::WantedPrecision,
    mesh::RawMesh,
    mesh::material::{Image, Material},
    raw::{RawAnimation, RawSkeleton, RawUserTrack},
};
use core::fmt;
use lissom::track::ROOT_TRACKS;
use lissom_motion::{GraphParts, graph::ClipFacts};

/// Skeletons, motions and meshes of one file, and what was odd about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Of the file's scene; may be empty.
    pub name: String,
    /// Most files have one.
    pub skeletons: Vec<SceneSkeleton>,
    /// In file order.
    pub animations: Vec<SceneAnimation>,
    /// In file order, one a primitive.
    pub meshes: Vec<SceneMesh>,
    /// What meshes are made of.
    pub materials: Vec<Material>,
    /// What materials show.
    pub images: Vec<Image>,
    /// What the file says of itself (copyright, generator, version), as JSON; empty if nothing.
    pub asset: String,
    /// What the file's scene says beside, as JSON; empty if nothing.
    pub extras: String,
    /// Tracks that belong to no animation of the file.
    pub tracks: Vec<RawUserTrack>,
    /// Graphs that play its clips.
    pub graphs: Vec<SceneGraph>,
    /// What was repaired, dropped or unclear. The rest is as the file says.
    pub warnings: Vec<Warning>,
    /// How its motions came onto the skeleton of another file, if they did.
    pub fitted: Option<Fitted>,
}

/// How the motions of a file came onto the skeleton of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fitted {
    /// Both rest alike: nothing changed.
    Same,
    /// The rest poses differ; local transforms were taken as they are.
    AsIs,
    /// Turns and ways from rest became those from the skeleton's rest.
    Rebased,
    /// Brought onto another body ([`crate::retarget`]).
    Retargeted,
}

impl fmt::Display for Fitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Same => "same",
            Self::AsIs => "as is",
            Self::Rebased => "re-based",
            Self::Retargeted => "retargeted",
        })
    }
}

/// A skeleton and its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneSkeleton {
    /// May be empty.
    pub name: String,
    /// The joints. Names are unique.
    pub skeleton: RawSkeleton,
    /// What each joint was in its file; empty if nobody knows.
    pub nodes: Vec<SourceNode>,
}

/// What a joint was in its file: for engines that draw the file's own meshes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceNode {
    /// Its place in the file's list of nodes.
    pub index: Option<u32>,
    /// The node's own name; joints' names are unique, these need not be.
    pub name: String,
    /// What the file says beside, as JSON; empty if nothing.
    pub extras: String,
}

/// A graph and its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneGraph {
    /// Not empty.
    pub name: String,
    /// What it says; it may name clips that the scene has not.
    pub parts: GraphParts,
}

/// A motion, and what goes with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneAnimation {
    /// Its place in [`Scene::skeletons`]; `None` if the file has only the motion, one track a joint of a skeleton
    /// that lies elsewhere.
    pub skeleton: Option<usize>,
    /// The joints' tracks, in the skeleton's order.
    pub motion: RawAnimation,
    /// Numbers that change along with it, morph weights among them (`morph/MESH/TARGET`).
    pub tracks: Vec<RawUserTrack>,
    /// Named moments, rising in time.
    pub markers: Vec<Marker>,
    /// How exactly the file wants its joints to be stored, in the skeleton's order; empty if it does not say.
    pub precision: Vec<WantedPrecision>,
    /// What the file says beside, as JSON; empty if nothing.
    pub extras: String,
    /// The clip that it was in an archive.
    pub kept: Option<KeptClip>,
}

/// A clip as it stood in an archive. As long as nobody changes its motion, it need not be cooked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptClip {
    bytes: Vec<u8>,
    motion: u64,
}

impl KeptClip {
    /// A clip and the motion that it was taken apart into.
    #[must_use]
    pub fn new(motion: &RawAnimation, bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), motion: motion.fingerprint() }
    }

    /// The clip, if this is still its motion.
    #[must_use]
    pub fn of(&self, motion: &RawAnimation) -> Option<&[u8]> {
        (self.motion == motion.fingerprint()).then_some(&self.bytes)
    }
}

impl SceneAnimation {
    /// How fast its root motion carries a character over the ground, in metres per second; `None` without root motion.
    #[must_use]
    pub fn root_speed(&self) -> Option<f64> {
        let track = self.tracks.iter().find(|track| track.name == ROOT_TRACKS[0])?;
        let ([x0, _, z0, _], [x1, _, z1, _]) = (track.sample(0.0), track.sample(1.0));
        let speed = libm::hypot(x1 - x0, z1 - z0) / self.motion.duration_s;
        Some(speed).filter(|speed| speed.is_finite())
    }

    /// What a graph is checked by. Of curves nothing is said: a clip may be without.
    #[must_use]
    pub fn facts(&self) -> ClipFacts {
        let markers = self.markers.iter().map(|marker| (marker.time_s, marker.name.clone()));
        let looping = self.motion.looping;
        ClipFacts { markers: Some(markers.collect()), looping, ..self.motion.duration_s.into() }
    }
}

impl Scene {
    /// What a skeleton of the scene moves: every vertex of its meshes.
    #[must_use]
    pub fn skin(&self, skeleton: usize, built: &BuiltSkeleton) -> cook::SkinReach {
        let mut skin = cook::SkinReach::default();
        for mesh in self.meshes.iter().filter(|m| m.skeleton == skeleton) {
            skin.add(built, &mesh.mesh, &mesh.morphs);
        }
        skin
    }
}

impl SceneAnimation {
    /// The weight of a mesh's morph target at a ratio of the duration; `None` if no track says so.
    #[must_use]
    pub fn morph_weight(&self, mesh: &str, target: &str, ratio: f64) -> Option<f64> {
        let rest =
            |name: &str| Some(name.strip_prefix("morph/")?.strip_prefix(mesh)?.strip_prefix('/')? == target);
        let track = self.tracks.iter().find(|t| rest(&t.name) == Some(true))?;
        Some(track.sample(ratio)[0])
    }

    /// What the file asks for, as the cooker takes it ([`cook::ClipBuilder::joints`]). A shell of 0 is left to the
    /// builder.
    #[must_use]
    pub fn joint_precision(&self, skeleton: &BuiltSkeleton) -> Vec<cook::JointPrecision> {
        let own = |(raw, own): (usize, &WantedPrecision)| {
            let joint = *skeleton.joint_of_raw.get(raw)?;
            let shell = Some(own.shell).filter(|shell| *shell > 0.0);
            Some(cook::JointPrecision { joint, precision: Some(own.precision), shell })
        };
        self.precision.iter().enumerate().filter_map(own).collect()
    }
}

/// A named moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Not empty.
    pub name: String,
    /// Seconds, in [0, duration].
    pub time_s: f64,
    /// How long it lasts, in seconds; 0 for a moment.
    pub duration_s: f64,
}

/// A mesh, its skeleton and its morph targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneMesh {
    /// Its place in [`Scene::skeletons`]. A rigid mesh follows one joint with weight 1.
    pub skeleton: usize,
    /// Vertices in the space of the bind pose.
    pub mesh: RawMesh,
    /// Shapes that can be mixed in.
    pub morphs: Vec<Morph>,
    /// Its place in [`Scene::materials`].
    pub material: Option<usize>,
    /// The mesh of the file that it is a part of: parts of one mesh share it. Empty if nobody knows.
    pub source: String,
    /// The node of the file that it stood on. Empty if nobody knows.
    pub node: String,
    /// What the file says beside, as JSON; empty if nothing.
    pub extras: String,
    /// The file stores some of its vertices as integers (`KHR_mesh_quantization`). An export may do so again; an archive
    /// does not keep it.
    pub quantised: bool,
}

/// A morph target: what it adds to each vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Morph {
    /// Unique in its mesh, not empty.
    pub name: String,
    /// The weight where no track says otherwise.
    pub weight: f64,
    /// One a vertex.
    pub positions: Vec<[f32; 3]>,
    /// One a vertex, or none at all.
    pub normals: Vec<[f32; 3]>,
    /// One a vertex, or none at all.
    pub tangents: Vec<[f32; 3]>,
}

/// Something odd in a file that did not keep it from being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where, as the format counts: `animation 2 "walk", channel 7`.
    pub place: String,
    /// What was found, and what was made of it.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            return f.write_str(&self.text);
        }
        write!(f, "{}: {}", self.place, self.text)
    }
}

impl Scene {
    /// Notes something odd.
    pub fn warn(&mut self, place: impl Into<String>, text: impl Into<String>) {
        self.warnings.push(Warning { place: place.into(), text: text.into() });
    }
}
