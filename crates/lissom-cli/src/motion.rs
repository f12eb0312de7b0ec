//! A clip of any file, played at any time in f64.

use crate::load::{Content, Loaded, Playable, archived_clip};
use anyhow::{Context, Result};
use lissom::{
    Clip, Cursor, Skeleton,
    job::{SampleJob, SampleTime},
    math::soa::{self, SoaTransform},
};
use lissom_build::{
    exact::{M34, Trs},
    raw::{RawAnimation, RawSkeleton},
};

/// A clip that can be asked for its pose. Joints stand parents first.
pub(crate) struct Motion {
    pub(crate) name: String,
    pub(crate) duration_s: f64,
    pub(crate) joints: Vec<Joint>,
    source: Source,
}

/// A joint of a [`Motion`].
pub(crate) struct Joint {
    pub(crate) name: String,
    /// Before this one.
    pub(crate) parent: Option<usize>,
}

enum Source {
    /// As authored: evaluated exactly.
    Raw { animation: RawAnimation, skeleton: RawSkeleton, order: Vec<usize> },
    /// Cooked: what a game plays.
    Cooked(Box<Cooked>),
}

struct Cooked {
    skeleton: Skeleton,
    clip: Clip,
    cursor: Cursor,
    pose: Vec<SoaTransform>,
}

impl Motion {
    /// A clip of an archive as a game plays it, of any other file as authored.
    pub(crate) fn new(file: &Loaded, clip: usize) -> Result<Self> {
        let scene = match &file.content {
            Content::Scene(scene) => scene,
            Content::Archive(bytes) => {
                let found = archived_clip(&file.archive(bytes)?, clip);
                let Playable { name, skeleton, clip } =
                    found.with_context(|| file.path.display().to_string())?;
                return Ok(Self::cooked(name, skeleton, clip));
            }
        };
        let missing = || format!("{}: there is no clip {clip}", file.path.display());
        let animation = scene.animations.get(clip).with_context(missing)?;
        let name = &animation.motion.name;
        let skeleton = animation.skeleton.and_then(|s| scene.skeletons.get(s)).with_context(|| {
            let path = file.path.display();
            format!("{path}: clip {name:?} has no skeleton in this file; name one with --skeleton FILE")
        })?;
        Ok(Self::raw(&skeleton.skeleton, &animation.motion))
    }

    fn raw(skeleton: &RawSkeleton, animation: &RawAnimation) -> Self {
        let order = skeleton.depth_first();
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, raw)| place[*raw] = at);
        let joint = |raw: &usize| {
            let joint = &skeleton.joints[*raw];
            Joint { name: joint.name.clone(), parent: joint.parent.map(|p| place[p]) }
        };
        Self {
            name: animation.name.clone(),
            duration_s: animation.duration_s,
            joints: order.iter().map(joint).collect(),
            source: Source::Raw { animation: animation.clone(), skeleton: skeleton.clone(), order },
        }
    }

    fn cooked(name: String, skeleton: Skeleton, clip: Clip) -> Self {
        let joint = |j: usize| Joint { name: skeleton.name(j).to_owned(), parent: skeleton.parent(j) };
        let joints = (0..skeleton.joint_count()).map(joint).collect();
        let cursor = Cursor::with_room_for(clip.view());
        let pose = skeleton.rest_pose().to_vec();
        let duration_s = clip.view().duration_s();
        Self {
            name,
            duration_s,
            joints,
            source: Source::Cooked(Box::new(Cooked { skeleton, clip, cursor, pose })),
        }
    }

    /// True if the poses are those of a cooked clip, in f32.
    pub(crate) fn is_cooked(&self) -> bool {
        matches!(self.source, Source::Cooked(_))
    }

    /// Every joint in its parent's space. Times outside of the clip are its ends.
    pub(crate) fn locals(&mut self, time_s: f64) -> Result<Vec<Trs>> {
        match &mut self.source {
            Source::Raw { animation, skeleton, order } => {
                let at = |raw: &usize| animation.tracks[*raw].sample(time_s, skeleton.joints[*raw].rest);
                // What is authored may have any length; what is played has unit length.
                let unit = |t: Trs| Trs { rotation: t.rotation.normalize(), ..t };
                Ok(order.iter().map(at).map(unit).collect())
            }
            Source::Cooked(cooked) => {
                let Cooked { skeleton, clip, cursor, pose } = &mut **cooked;
                let time = SampleTime::Clamped(time_s);
                SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output: pose }.run()?;
                Ok((0..skeleton.joint_count()).map(|j| Trs::from_f32(soa::lane(pose, j))).collect())
            }
        }
    }

    /// Local transforms composed from the roots down.
    pub(crate) fn models(&self, locals: &[Trs]) -> Vec<M34> {
        let mut models: Vec<M34> = Vec::with_capacity(locals.len());
        for (joint, local) in self.joints.iter().zip(locals) {
            let local = local.to_m34();
            models.push(joint.parent.map_or(local, |p| models[p].mul(&local)));
        }
        models
    }
}
