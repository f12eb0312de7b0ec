//! What can be drawn over time: a clip of an archive, an authored motion, a stream, or a graph.

use crate::played::Played;
use crate::source::StreamFile;
use crate::stage::{Motions, Stage, StageClip};
use lissom_build::scene::SceneAnimation;

/// Something that can be drawn at any of its times.
#[derive(Clone, Copy)]
pub enum Playable<'a> {
    /// A clip of an archive.
    Clip(&'a StageClip),
    /// A motion as authored.
    Source(&'a SceneAnimation),
    /// A stream and its name.
    Stream(&'a str, &'a StreamFile),
    /// A graph on its way.
    Graph(&'a Played),
}

impl<'a> Playable<'a> {
    /// What it is called.
    pub fn name(self) -> &'a str {
        match self {
            Self::Clip(clip) => &clip.name,
            Self::Source(animation) => &animation.motion.name,
            Self::Stream(name, _) => name,
            Self::Graph(played) => &played.name,
        }
    }

    /// How long it is.
    pub fn duration_s(self) -> f64 {
        match self {
            Self::Clip(clip) => clip.clip.view().duration_s(),
            Self::Source(animation) => animation.motion.duration_s,
            Self::Stream(_, stream) => stream.opened.view().duration_s(),
            Self::Graph(played) => played.seconds,
        }
    }

    /// True if it starts again at its end.
    pub fn is_looping(self) -> bool {
        match self {
            Self::Clip(clip) => clip.clip.view().is_looping(),
            Self::Source(animation) => animation.motion.looping,
            Self::Stream(_, stream) => stream.opened.view().is_looping(),
            Self::Graph(_) => false,
        }
    }
}

/// What a stage has to draw: its stream, its clips or its authored motions. None: only the rest pose.
pub fn of_stage(stage: &Stage) -> Vec<Playable<'_>> {
    match &stage.motions {
        Motions::Stream { name, file } => vec![Playable::Stream(name, file)],
        Motions::Authored { animations, .. } => animations.iter().map(Playable::Source).collect(),
        Motions::Archive | Motions::Cooked(_) => stage.clips.iter().map(Playable::Clip).collect(),
    }
}
