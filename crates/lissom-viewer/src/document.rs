//! What is shown, and how it is opened.

use crate::{
    clip_list::{self, ClipEntry, CookedFacts},
    drive::{self, Directed, Mixer, Reach},
    extent::{self, Extent, Measured},
    failure::Failure,
    origin::Origin,
    platform,
    retargeted::Retargeted,
    settings::Drives,
    source::{GRAPH, Source},
    surfaces::{Surface, surfaces},
};
use lissom::{
    archive::{Archive, SectionKind},
    math::{Mat4, Vec3},
    player::{Body, Player},
};
use lissom_build::{
    cook::{ClipBuilder, Effort},
    edit, graph, import,
    mannequin::{self, Detail, Motion},
    pipeline,
    raw::RawAnimation,
};
use lissom_motion::{GraphParts, graph::MotionParts};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// A character and its motions.
pub struct Document {
    /// The file's name, or what was made.
    pub(crate) name: String,
    /// Size of the archive.
    pub(crate) bytes: usize,
    pub(crate) archive: Archive,
    pub(crate) player: Player,
    /// What moves it; the other ones wait.
    pub(crate) drives: Drives,
    pub(crate) mixer: Option<Box<Mixer>>,
    pub(crate) directed: Option<Box<Directed>>,
    /// The name of the player's skeleton.
    skeleton: String,
    /// What the graph panel plays, and the file that it is from.
    pub(crate) graph: Option<GraphParts>,
    pub(crate) graph_file: Option<Source>,
    pub(crate) clips: Vec<ClipEntry>,
    /// One a mesh of the player, in its order.
    pub(crate) surfaces: Vec<Surface>,
    /// What it was made of; none: the mannequin.
    pub(crate) sources: Vec<Source>,
    /// Its motions as they were; `None` if that is not known.
    pub(crate) origin: Option<Origin>,
    /// The precision that was asked for, in millimetres.
    pub(crate) precision_mm: Option<f64>,
    /// Weights of morph targets that the user holds, by mesh and target.
    pub(crate) morphs: BTreeMap<(usize, usize), f32>,
    /// What was odd about the file.
    pub(crate) notes: Vec<String>,
    /// What became of motions that were brought onto the character.
    pub(crate) brought: Vec<Brought>,
    /// Which joint is which bone, if they had another skeleton.
    pub(crate) retargeted: Option<Retargeted>,
    /// Holds what moves, as seen from the joint that carries it away, if one does.
    pub(crate) near: Extent,
    /// Holds what moves, with all of its way.
    pub(crate) path: Extent,
    pub(crate) carrier: Option<usize>,
    /// The mesh that is only what stands behind the others, such as a sky, if one is.
    pub(crate) backdrop: Option<usize>,
    /// How far it has to turn to look along z, in radians.
    pub(crate) facing: f32,
}

/// Times of a clip that are measured.
const TIMES: u32 = 8;

/// What the mannequin does; the first is shown first.
const MOTIONS: [Motion; 9] = [
    Motion::Walk,
    Motion::Idle,
    Motion::Jog,
    Motion::Run,
    Motion::Wave,
    Motion::Crouch,
    Motion::JumpStart,
    Motion::JumpAir,
    Motion::JumpLand,
];

/// The mannequin, cooked.
#[derive(Clone)]
struct Made {
    archive: Vec<u8>,
    facts: Vec<(String, CookedFacts)>,
    motions: Vec<RawAnimation>,
}

static MADE: OnceLock<Result<Made, Failure>> = OnceLock::new();

impl Made {
    fn new(precision_mm: Option<f64>) -> Result<Self, Failure> {
        let wrong = |e: &dyn core::fmt::Display| Failure(format!("the mannequin: {e}"));
        let mut scene = mannequin::scene(&MOTIONS, &Detail::default()).map_err(|e| wrong(&e))?;
        for (animation, motion) in scene.animations.iter_mut().zip(MOTIONS) {
            // What is shown travels; a graph is told how far.
            animation.tracks = mannequin::animation(motion).map_err(|e| wrong(&e))?.tracks;
        }
        let mut builder = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
        builder.precision = precision_mm.map_or(builder.precision, |mm| mm * 1e-3);
        let cooked = pipeline::cook_scene(&scene, &builder, &platform::executor).map_err(|e| wrong(&e))?;
        let facts = cooked.clips.iter().map(|c| (c.name.clone(), CookedFacts::new(&c.cook, &c.worst_joint)));
        let facts = facts.collect();
        let motions = scene.animations.into_iter().map(|a| a.motion).collect();
        Ok(Self { archive: cooked.archive, facts, motions })
    }
}

/// What became of a file whose motions were brought onto a character.
pub(crate) struct Brought {
    pub file: String,
    /// Clips that the character has now.
    pub clips: Vec<String>,
    /// What was not matched; or why nothing came of it.
    pub notes: Vec<String>,
    /// Its skeleton is another one than the character's.
    pub is_retargeted: bool,
}

impl Document {
    /// The mannequin and its motions, made in code.
    ///
    /// # Errors
    ///
    /// None, but for a mannequin that is broken.
    pub fn mannequin() -> Result<Self, Failure> {
        Self::mannequin_within(None)
    }

    pub(crate) fn mannequin_within(precision_mm: Option<f64>) -> Result<Self, Failure> {
        let made = match precision_mm {
            // It is the same every time.
            None => Cow::Borrowed(MADE.get_or_init(|| Made::new(None)).as_ref().map_err(Clone::clone)?),
            some => Cow::Owned(Made::new(some)?),
        };
        let mut document = Self::of_archive("mannequin".into(), made.archive.clone(), Vec::new())?;
        document.graph = Some(drive::of_mannequin());
        document.origin =
            Origin::new(mannequin::skeleton(), made.motions.clone(), document.player.skeleton());
        document.remember(precision_mm, made.facts.clone());
        document.player.play(MOTIONS[0].name())?;
        document.measure()?;
        Ok(document)
    }

    /// What cooking gave.
    pub(crate) fn remember(&mut self, precision_mm: Option<f64>, facts: Vec<(String, CookedFacts)>) {
        self.precision_mm = precision_mm;
        for (name, fact) in facts {
            if let Some(clip) = self.clips.iter_mut().find(|clip| clip.name == name) {
                clip.cooked = Some(fact);
            }
        }
    }

    /// What is seen.
    pub(crate) fn body(&self) -> &Body {
        match (self.drives, &self.mixer, &self.directed) {
            (Drives::Mix, Some(mixer), _) => mixer.body(),
            (Drives::Graph, _, Some(directed)) => directed.animator.body(),
            _ => self.player.body(),
        }
    }

    /// The same, to be skinned.
    pub(crate) fn body_mut(&mut self) -> &mut Body {
        match (self.drives, &mut self.mixer, &mut self.directed) {
            (Drives::Mix, Some(mixer), _) => mixer.body_mut(),
            (Drives::Graph, _, Some(directed)) => directed.animator.body_mut(),
            _ => self.player.body_mut(),
        }
    }

    /// True if the player decides.
    pub(crate) fn plays_a_clip(&self) -> bool {
        self.drives == Drives::Clip
    }

    /// The clip that is shown, if what it was cooked from is known.
    pub(crate) fn compared(&self) -> Option<&ClipEntry> {
        let (playing, origin) = (self.player.playing()?, self.origin.as_ref()?);
        let clip = self.clips.iter().find(|clip| clip.name == playing)?;
        (self.plays_a_clip() && origin.has(playing)).then_some(clip)
    }

    /// True if a state of its graph is played by motion matching.
    pub(crate) fn is_matched(&self) -> bool {
        let states = self.graph.iter().flat_map(|graph| &graph.layers).flat_map(|layer| &layer.states);
        states.into_iter().any(|state| matches!(state.motion, MotionParts::Matched(_)))
    }

    /// Another graph: the panel plays it from its start.
    pub(crate) fn set_graph(&mut self, parts: GraphParts) {
        (self.graph, self.directed) = (Some(parts), None);
        if self.drives == Drives::Graph {
            self.drives = Drives::Clip;
        }
    }

    /// Plays changed numbers of the graph on from where it is; the ones before. On an error, nothing has changed.
    pub(crate) fn tune_graph(&mut self, parts: GraphParts) -> Result<GraphParts, Failure> {
        let gone = || Failure("there is no graph".into());
        if let Some(directed) = &mut self.directed {
            let was = directed.parts.clone();
            directed.reload(&self.archive, parts.clone())?;
            self.graph = Some(parts);
            return Ok(was);
        }
        // Nothing plays it: it is made when its panel is opened.
        self.graph.replace(parts).ok_or_else(gone)
    }

    /// Plays the clip that is meant, by the rule of the command; the one before plays on if there is none.
    pub(crate) fn play_named(&mut self, clip: &str) -> Result<(), Failure> {
        let names: Vec<String> = self.clips.iter().map(|c| c.name.clone()).collect();
        let stem = import::stem(Path::new(&self.name));
        match pipeline::find_clip(&names, &stem, clip) {
            Some(found) => Ok(self.player.play(&names[found])?),
            None if names.is_empty() => Err(Failure(format!("there is no clip {clip:?}: the file has none"))),
            None => {
                let all: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
                let meant = pipeline::did_you_mean(&names, clip);
                Err(Failure(format!("there is no clip {clip:?}{meant}; there are {}", all.join(", "))))
            }
        }
    }

    /// Where the graph is saved: the file that it is from, or a new one by the document's name in the folder that the viewer was
    /// started in.
    pub(crate) fn graph_path(&self) -> PathBuf {
        let new = |name: &str| {
            let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
            platform::new_path(Path::new(""), &stem, GRAPH)
        };
        match &self.graph_file {
            Some(Source::File(path)) => path.clone(),
            Some(Source::Bytes(name, _)) => new(name),
            None => new(&self.name),
        }
    }

    /// Writes the graph as it is now; where to, if there is one.
    ///
    /// # Errors
    ///
    /// What the file system says.
    pub(crate) fn save_graph(&mut self) -> Result<Option<PathBuf>, Failure> {
        let Some(parts) = &self.graph else { return Ok(None) };
        let path = self.graph_path();
        if let Some(source) = platform::write(&path, graph::to_json(parts).as_bytes())? {
            self.sources.retain(|s| !s.is_graph());
            self.sources.push(source);
            self.graph_file = self.sources.last().cloned();
        }
        Ok(Some(path))
    }

    /// Lets the clip, the mix or the graph move the character; the clip, if there is no graph.
    pub(crate) fn drive_by(&mut self, drives: Drives) -> Result<(), Failure> {
        match drives {
            Drives::Mix if self.mixer.is_none() => {
                let mixer = Mixer::new(&self.archive, &self.skeleton, self.player.playing())?;
                self.mixer = Some(Box::new(mixer));
            }
            Drives::Graph if self.directed.is_none() => {
                let graph = self.graph.clone();
                let made =
                    graph.map(|graph| Directed::new(&self.archive, &self.skeleton, graph)).transpose()?;
                self.directed = made.map(Box::new);
            }
            _ => {}
        }
        let able = drives != Drives::Graph || self.directed.is_some();
        self.drives = if able { drives } else { Drives::Clip };
        Ok(())
    }

    /// Advances by `dt_s` seconds at this speed. A graph does not play backward: it stands still.
    pub(crate) fn update(&mut self, dt_s: f64, speed: f64) -> Result<(), Failure> {
        match (self.drives, &mut self.mixer, &mut self.directed) {
            // What the user sets is seen while time stands still, too.
            (Drives::Mix, Some(mixer), _) => mixer.update(dt_s * speed)?,
            // By nothing it would go on, too, and take its triggers.
            (Drives::Graph, _, Some(directed)) if dt_s * speed > 0.0 => directed.update(dt_s * speed)?,
            // It knows its speed itself.
            (Drives::Clip, ..) if dt_s > 0.0 => self.player.update(dt_s)?,
            _ => {}
        }
        self.hold_morphs();
        Ok(())
    }

    /// What the user holds is what is seen, whatever the clips say.
    fn hold_morphs(&mut self) {
        if self.morphs.is_empty() {
            return;
        }
        let held = self.morphs.clone();
        for (mesh, weights) in self.body_mut().morphs_mut().enumerate() {
            for ((_, target), held) in held.range((mesh, 0)..(mesh + 1, 0)) {
                weights.iter_mut().skip(*target).take(1).for_each(|weight| *weight = *held);
            }
        }
    }

    /// Holds a morph target, or lets it go: then it is as the clip has it. What was held before.
    pub(crate) fn hold_morph(
        &mut self,
        mesh: usize,
        target: usize,
        to: Option<f32>,
    ) -> Result<Option<f32>, Failure> {
        let was = match to {
            Some(weight) => self.morphs.insert((mesh, target), weight),
            None => {
                let was = self.morphs.remove(&(mesh, target));
                let weights = self.body_mut().morphs_mut().nth(mesh);
                weights.into_iter().flatten().skip(target).take(1).for_each(|weight| *weight = 0.0);
                if self.plays_a_clip() && self.player.playing().is_some() {
                    self.player.scrub(self.player.time_s())?;
                }
                was
            }
        };
        self.hold_morphs();
        Ok(was)
    }

    /// What reaches for a target, if anything does.
    pub(crate) fn reach(&self) -> Option<&Reach> {
        self.mixer.as_ref().filter(|_| self.drives == Drives::Mix)?.reach.as_ref()
    }

    /// The same, to move the target.
    pub(crate) fn reach_mut(&mut self) -> Option<&mut Reach> {
        self.mixer.as_mut().filter(|_| self.drives == Drives::Mix)?.reach.as_mut()
    }

    pub(crate) fn of_archive(name: String, bytes: Vec<u8>, notes: Vec<String>) -> Result<Self, Failure> {
        let size = bytes.len();
        let archive = Archive::read(&bytes)?;
        let (skeleton, player) = fullest(&archive)?;
        let mut clips = Vec::new();
        for clip in player.clip_names() {
            let stored = archive.clip(clip)?;
            let bytes = stored.as_bytes().len();
            let (duration_s, looping) = (stored.view().duration_s(), stored.view().is_looping());
            let name = String::from(clip);
            clips.push(ClipEntry { label: name.clone(), name, duration_s, looping, bytes, cooked: None });
        }
        clip_list::label(&mut clips);
        let mut document = Self {
            name,
            bytes: size,
            surfaces: surfaces(&archive, &player)?,
            player,
            drives: Drives::Clip,
            mixer: None,
            directed: None,
            skeleton,
            graph: stored_graph(&archive)?,
            graph_file: None,
            archive,
            clips,
            sources: Vec::new(),
            origin: None,
            precision_mm: None,
            morphs: BTreeMap::new(),
            notes,
            brought: Vec::new(),
            retargeted: None,
            near: Extent::default(),
            path: Extent::default(),
            carrier: None,
            backdrop: None,
            facing: 0.0,
        };
        let skeleton = document.player.skeleton();
        let joints: Vec<&str> = (0..skeleton.joint_count()).map(|j| skeleton.name(j)).collect();
        let places: Vec<[f32; 3]> =
            document.player.models().iter().map(|m| m.w_axis.truncate().to_array()).collect();
        document.facing = edit::facing(&joints, &places);
        if let Some(first) = clip_list::first_shown(&document.clips) {
            let first = document.clips[first].name.clone();
            document.player.play(&first)?;
        }
        document.measure()?;
        Ok(document)
    }

    /// Goes to a time of a clip; `None`: the one that plays.
    ///
    /// # Errors
    ///
    /// A clip that there is not, or a time that is none.
    pub fn pose_at(&mut self, clip: Option<&str>, time_s: f64) -> Result<(), Failure> {
        if let Some(clip) = clip {
            self.play_named(clip)?;
        }
        if self.player.playing().is_some() {
            self.player.scrub(time_s)?;
        }
        Ok(())
    }

    /// A number that two machines agree on if they show the same pose, bit for bit: of every joint's matrix and every
    /// skinned vertex.
    ///
    /// # Errors
    ///
    /// What a job says.
    pub fn pose_hash(&mut self) -> Result<u64, Failure> {
        // FNV-1a. Any NaN is the same NaN.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |value: f32| {
            let bits = if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
            for byte in bits.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        };
        let body = self.body_mut();
        body.models().iter().flat_map(Mat4::to_cols_array).for_each(&mut add);
        for mesh in body.skin()? {
            mesh.positions.as_flattened().iter().for_each(|v| add(*v));
        }
        Ok(hash)
    }

    /// Of a ball round the middle that holds what moves.
    pub(crate) fn radius(&self) -> f32 {
        self.near.half.length().max(1e-3)
    }

    /// Finds the boxes that hold what is seen at a few times of the clip that plays, and whether it goes away.
    pub(crate) fn measure(&mut self) -> Result<(), Failure> {
        let playing = self.player.playing().map(String::from);
        let duration_s =
            self.clips.iter().find(|c| Some(&c.name) == playing.as_ref()).map_or(0.0, |c| c.duration_s);
        let time_s = self.player.time_s();
        let hub = extent::hub(self.player.skeleton());
        let mut measured = Measured::new(self.surfaces.len());
        let times = if duration_s > 0.0 { TIMES } else { 1 };
        for step in 0..times {
            if playing.is_some() {
                self.player.scrub(duration_s * f64::from(step) / f64::from(times))?;
            }
            let models = self.player.models();
            measured.begin(models[hub].w_axis.truncate());
            models.iter().for_each(|m| measured.add_joint(m.w_axis.truncate()));
            for (index, mesh) in self.player.skin()?.enumerate() {
                mesh.positions.iter().for_each(|p| measured.add(index, Vec3::from_array(*p)));
            }
        }
        if playing.is_some() {
            self.player.scrub(time_s)?;
        }
        let found = measured.end();
        (self.near, self.path) = (found.near, found.path);
        self.carrier = found.goes_away.then_some(hub);
        self.backdrop = found.backdrop;
        Ok(())
    }
}

/// A player of the skeleton with the most clips, then the most meshes.
fn fullest(archive: &Archive) -> Result<(String, Player), Failure> {
    let mut best: Option<((usize, usize), (String, Player))> = None;
    for skeleton in archive.names(SectionKind::Skeleton) {
        let player = Player::of_skeleton(archive, skeleton)?;
        let rank = (player.clip_names().count(), player.mesh_names().count());
        if best.as_ref().is_none_or(|(most, _)| rank > *most) {
            best = Some((rank, (skeleton.into(), player)));
        }
    }
    best.map(|(_, found)| found).ok_or_else(|| Failure("there is no skeleton in it".into()))
}

/// The archive's first graph, if it has one.
fn stored_graph(archive: &Archive) -> Result<Option<GraphParts>, Failure> {
    let Some(name) = archive.names(SectionKind::Graph).next() else { return Ok(None) };
    let parts = GraphParts::read(&archive.graph(name)?);
    parts.map(Some).map_err(|e| Failure(format!("graph {name:?}: {e}")))
}
