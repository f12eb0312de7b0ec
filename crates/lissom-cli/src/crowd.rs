//! Many characters of one skeleton: each plays three clips at its own phase, blends them, and has matrices of
//! its own. What `bench` measures and `demo` plays.

use anyhow::Result;
use lissom::{
    Clip, Cursor, Skeleton,
    job::{BlendJob, BlendLayer, LocalToModelJob, Models, SampleJob, SampleTime, Update},
    math::{
        Mat4,
        soa::{Lanes, SoaTransform},
    },
};
use rayon::prelude::*;

/// Clips that one character plays at once.
pub(crate) const LAYERS: usize = 3;

/// Characters of a task: enough that handing them out costs nothing beside them.
const GRAIN: usize = 32;

/// Which of its three clips a character plays, and how much of each.
#[derive(Clone, Copy)]
pub(crate) struct Role {
    pub(crate) clips: [usize; LAYERS],
    pub(crate) weights: [f32; LAYERS],
    /// Share of the duration that each clip is ahead, in [0, 1).
    pub(crate) phases: [f64; LAYERS],
    /// Seconds that each clip takes; `None` is its own duration. Gaits that are blended take the same.
    pub(crate) cycle_s: Option<f64>,
}

struct Character {
    role: Role,
    cursors: [Cursor; LAYERS],
}

/// A crowd and its matrices.
pub(crate) struct Crowd<'a> {
    skeleton: &'a Skeleton,
    clips: Vec<&'a Clip>,
    characters: Vec<Character>,
    // One matrix a `Lanes`: each then lies in one cache line.
    models: Vec<Lanes>,
}

/// Poses on the way; one set a thread.
struct Scratch {
    layers: [Vec<SoaTransform>; LAYERS],
    blended: Vec<SoaTransform>,
}

impl<'a> Crowd<'a> {
    /// A character a role.
    pub(crate) fn new(skeleton: &'a Skeleton, clips: Vec<&'a Clip>, roles: &[Role]) -> Self {
        let cursor = |c: usize| Cursor::with_room_for(clips[c].view());
        let characters =
            roles.iter().map(|role| Character { role: *role, cursors: role.clips.map(cursor) }).collect();
        let models = vec![Lanes::splat(0.0); skeleton.joint_count() * roles.len()];
        Self { skeleton, clips, characters, models }
    }

    /// Bytes that the state and the matrices of one character of this role take.
    pub(crate) fn bytes_a_character(skeleton: &Skeleton, clips: &[&Clip], role: &Role) -> usize {
        let cursors = role.clips.iter().map(|c| Cursor::with_room_for(clips[*c].view()).memory_bytes());
        cursors.sum::<usize>() + skeleton.joint_count() * size_of::<Lanes>() + size_of::<Character>()
    }

    pub(crate) fn len(&self) -> usize {
        self.characters.len()
    }

    /// Everybody's matrices at a time, on this thread.
    pub(crate) fn step(&mut self, time_s: f64) -> Result<()> {
        let (skeleton, clips, joints) = (self.skeleton, &self.clips, self.skeleton.joint_count());
        let mut scratch = Scratch::new(skeleton);
        for (character, models) in self.characters.iter_mut().zip(self.models.chunks_exact_mut(joints)) {
            character.step(skeleton, clips, time_s, &mut scratch, bytemuck::cast_slice_mut(models))?;
        }
        Ok(())
    }

    /// The same on every thread of the pool: the same bits.
    pub(crate) fn step_parallel(&mut self, time_s: f64) -> Result<()> {
        let (skeleton, clips, joints) = (self.skeleton, &self.clips, self.skeleton.joint_count());
        let models = self.models.par_chunks_mut(joints * GRAIN);
        self.characters.par_chunks_mut(GRAIN).zip(models).try_for_each_init(
            || Scratch::new(skeleton),
            |scratch, (characters, models)| {
                for (character, models) in characters.iter_mut().zip(models.chunks_exact_mut(joints)) {
                    character.step(skeleton, clips, time_s, scratch, bytemuck::cast_slice_mut(models))?;
                }
                Ok(())
            },
        )
    }

    /// True if every matrix of every character has the bits of its counterpart.
    pub(crate) fn has_the_bits_of(&self, other: &Self) -> bool {
        bytemuck::cast_slice::<_, u8>(&self.models) == bytemuck::cast_slice::<_, u8>(&other.models)
    }

    /// The matrices of one character.
    pub(crate) fn models(&self, character: usize) -> &[Mat4] {
        let joints = self.skeleton.joint_count();
        bytemuck::cast_slice(&self.models[character * joints..(character + 1) * joints])
    }
}

impl Scratch {
    fn new(skeleton: &Skeleton) -> Self {
        let pose = || skeleton.rest_pose().to_vec();
        Self { layers: core::array::from_fn(|_| pose()), blended: pose() }
    }
}

impl Character {
    fn step(
        &mut self,
        skeleton: &Skeleton,
        clips: &[&Clip],
        time_s: f64,
        scratch: &mut Scratch,
        models: &mut [Mat4],
    ) -> Result<()> {
        let role = &self.role;
        for (i, output) in scratch.layers.iter_mut().enumerate() {
            let clip = clips[role.clips[i]].view();
            let cycle_s = role.cycle_s.unwrap_or(clip.duration_s());
            let time = SampleTime::Wrapped((time_s / cycle_s + role.phases[i]) * clip.duration_s());
            SampleJob { skeleton, clip, time, lod: None, cursor: &mut self.cursors[i], output }.run()?;
        }
        let layers: [BlendLayer<'_>; LAYERS] = core::array::from_fn(|i| BlendLayer {
            weight: role.weights[i],
            pose: &scratch.layers[i],
            joint_weights: None,
        });
        BlendJob {
            layers: &layers,
            additive: &[],
            threshold: BlendJob::DEFAULT_THRESHOLD,
            rest: skeleton.rest_pose(),
            lod: None,
            output: &mut scratch.blended,
        }
        .run()?;
        let (locals, models) = (&scratch.blended, Models::Mat4(models));
        LocalToModelJob { skeleton, locals, root: None, update: Update::All, lod: None, models }.run()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_build::{
        SkeletonBuilder,
        cook::{ClipBuilder, Effort},
        mannequin::{self, Motion},
    };

    #[test]
    fn a_crowd_split_over_threads_has_the_bits_of_one_that_is_not() {
        // Several tasks a thread, and a last one that is not full.
        const CHARACTERS: usize = 9 * GRAIN + 5;
        let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
        let builder = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
        let cook = |m| Clip::from_bytes(&builder.build(&built, &mannequin::clip(m)).unwrap().bytes).unwrap();
        let clips = [Motion::Idle, Motion::Walk].map(cook);
        let role = |i: usize| Role {
            clips: [0, 1, i % 2],
            weights: [0.5, 0.3, 0.2],
            phases: [0.0, 0.3, 0.6].map(|p| (i as f64 * 0.618 + p).fract()),
            cycle_s: None,
        };
        let roles: Vec<Role> = (0..CHARACTERS).map(role).collect();
        let crowd = || Crowd::new(&built.skeleton, clips.iter().collect(), &roles);
        let (mut alone, mut split) = (crowd(), crowd());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for time_s in [0.0, 0.4, 0.1] {
            alone.step(time_s).unwrap();
            pool.install(|| split.step_parallel(time_s)).unwrap();
            assert!(split.has_the_bits_of(&alone), "at {time_s} s");
        }
        alone.step(0.5).unwrap();
        assert!(!split.has_the_bits_of(&alone), "other times give other bits");
        let last = split.models.len() - 1;
        let mut other = crowd();
        other.models.clone_from(&split.models);
        assert!(split.has_the_bits_of(&other));
        other.models[last] = Lanes::splat(0.0);
        assert!(!split.has_the_bits_of(&other), "the last character counts too");
    }
}
