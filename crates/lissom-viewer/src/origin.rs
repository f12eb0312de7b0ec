//! What a document was cooked from: its motions as they were, to be compared with.

use lissom::{
    Skeleton,
    job::{JobError, LocalToModelJob},
    math::{Mat4, soa::SoaTransform},
};
use lissom_build::{
    SkeletonBuilder,
    raw::{RawAnimation, RawSkeleton},
    scene::Scene,
};

/// Motions of one skeleton, in the exact numbers of their files.
pub(crate) struct Origin {
    skeleton: RawSkeleton,
    /// The raw joint that each joint came from.
    raw_of_joint: Vec<usize>,
    motions: Vec<RawAnimation>,
}

impl Origin {
    /// Motions and their skeleton; `None` if that is another one than the document's.
    pub fn new(skeleton: RawSkeleton, motions: Vec<RawAnimation>, shown: &Skeleton) -> Option<Self> {
        let built = SkeletonBuilder::build(&skeleton).ok()?;
        let same = built.skeleton.identity() == shown.identity();
        same.then_some(Self { skeleton, raw_of_joint: built.raw_of_joint, motions })
    }

    /// Of the scenes of files that were cooked. What was changed on the way, to another skeleton, is not compared.
    pub fn of_scenes(scenes: impl Iterator<Item = Scene>, shown: &Skeleton) -> Option<Self> {
        let mut origin: Option<Self> = None;
        for own in scenes.filter_map(|scene| Self::of_scene(scene, shown)) {
            match &mut origin {
                Some(origin) => origin.motions.extend(own.motions),
                none => *none = Some(own),
            }
        }
        origin
    }

    fn of_scene(scene: Scene, shown: &Skeleton) -> Option<Self> {
        let Scene { skeletons, animations, .. } = scene;
        for (index, skeleton) in skeletons.into_iter().enumerate() {
            if let Some(mut found) = Self::new(skeleton.skeleton, Vec::new(), shown) {
                let own = animations.into_iter().filter(|a| a.skeleton == Some(index));
                found.motions = own.map(|a| a.motion).collect();
                return Some(found);
            }
        }
        None
    }

    /// True if a clip's motion is here.
    pub fn has(&self, clip: &str) -> bool {
        self.motions.iter().any(|motion| motion.name == clip)
    }

    /// The matrices of a clip at a time, one a joint; false if its motion is not here.
    pub fn models(
        &self,
        clip: &str,
        time_s: f64,
        skeleton: &Skeleton,
        models: &mut Vec<Mat4>,
    ) -> Result<bool, JobError> {
        let Some(motion) = self.motions.iter().find(|motion| motion.name == clip) else { return Ok(false) };
        let raw = motion.pose(&self.skeleton, time_s);
        let locals: Vec<_> = self.raw_of_joint.iter().map(|joint| raw[*joint].to_f32()).collect();
        let pose: Vec<SoaTransform> = lissom::math::soa::from_transforms(&locals);
        models.resize(skeleton.joint_count(), Mat4::IDENTITY);
        LocalToModelJob::new(skeleton, &pose, models).run()?;
        Ok(true)
    }
}
