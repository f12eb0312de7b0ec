//! A graph on the clips of a body: what an animator and the members of a crowd play.

use crate::{
    Graph, RootStep, StateError,
    feet::Feet,
    frame::{Entry, Frame},
    root::RootTracks,
};
use alloc::{sync::Arc, vec::Vec};
use lissom::{
    job::Mix,
    math::soa::Lanes,
    player::{Body, ClipShare, PlayError},
};

/// A graph, and where its clips and layers are on a body. A clone shares everything.
#[derive(Clone, Debug)]
pub(crate) struct Cast {
    pub graph: Arc<Graph>,
    /// The body's number of each of the graph's clips.
    pub clips: Arc<[usize]>,
    /// Where each of them leads.
    pub roots: Arc<[RootTracks]>,
    /// True if one of them leads anywhere.
    pub travels: bool,
    /// Joint weights of the graph's masks.
    pub masks: Arc<[Vec<Lanes>]>,
    /// Whose feet are held, if anybody's.
    pub feet: Option<Arc<Feet>>,
}

impl Cast {
    /// Fails if the graph names a clip that the body lacks, a mask names a joint that the skeleton lacks, or a database is missing or
    /// for another skeleton; if it holds feet, and the skeleton has no legs, or no clip says when a foot stands.
    pub fn new<E: From<PlayError> + From<StateError>>(body: &Body, graph: Arc<Graph>) -> Result<Self, E> {
        for matched in &graph.matched {
            match &matched.database {
                None => return Err(StateError::NoDatabase((&*matched.name).into()).into()),
                Some(database) if database.skeleton() != body.skeleton().identity() => {
                    return Err(StateError::OtherSkeleton((&*matched.name).into()).into());
                }
                Some(_) => {}
            }
        }
        let clip = |clip: &crate::graph::GraphClip| body.clip(&clip.name);
        let clips = graph.clips().iter().map(clip).collect::<Result<Arc<[_]>, _>>()?;
        let markers = |clip: usize| body.markers(*clips.get(clip)?);
        let feet = Feet::new(&graph, body.skeleton(), markers)?;
        let masks = graph.masks(body.skeleton())?.into();
        let roots: Arc<[_]> = clips.iter().map(|clip| RootTracks::of_body(body, *clip)).collect();
        let travels = roots.iter().any(|root| !root.is_empty());
        Ok(Self { clips, roots, travels, masks, feet, graph })
    }

    /// The step that a frame makes.
    pub fn root_step(&self, frame: &Frame) -> RootStep {
        if !self.travels {
            return RootStep::IDENTITY;
        }
        frame.root_step(&self.graph, |clip| Some(self.roots[clip].motion()))
    }

    /// What a frame is mixed from, by the body's numbers.
    pub fn mix(&self, frame: &Frame) -> Mix {
        frame.mix(|clip| self.clips[clip])
    }

    /// How much is seen of each clip of a frame, for morph weights.
    pub fn shares<'a>(&'a self, frame: &'a Frame) -> impl Iterator<Item = ClipShare> + Clone + 'a {
        frame.seen().map(|(entry, weight): (&Entry, f32)| ClipShare {
            clip: self.clips[usize::from(entry.clip)],
            ratio: entry.ratio(),
            weight,
        })
    }
}
