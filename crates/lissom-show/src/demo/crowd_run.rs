//! A few thousand mannequins, each with its own gait, speed and phase.

use crate::crowd::{Role, crowd_of};
use crate::progress;
use crate::stage::Stage;
use anyhow::{Context, Result};
use lissom::{Clip, math::Mat4};
use lissom_build::{exact::smaller, mannequin::Motion};
use lissom_motion::crowd::{Crowd, Rayon, Serial};
use std::time::Instant;

/// How it went.
pub struct CrowdRun {
    pub characters: usize,
    pub frames: u32,
    /// The best frame, on one thread and on all, in milliseconds.
    pub one_thread_ms: f64,
    pub all_threads_ms: f64,
    pub threads: usize,
    /// The matrices of the first characters in the last frame.
    pub first: Vec<Vec<Mat4>>,
    /// True if everybody's matrices had the same bits on one thread and on all, in every frame that both played.
    pub same_bits: bool,
}

/// Characters that are kept to be drawn.
const KEPT: usize = 48;

/// A frame.
const DT_S: f64 = 1.0 / 60.0;

/// True if every matrix of every character has the bits of its counterpart.
fn have_the_same_bits(a: &Crowd, b: &Crowd) -> bool {
    bytemuck::cast_slice::<_, u8>(a.all_models()) == bytemuck::cast_slice::<_, u8>(b.all_models())
}

impl CrowdRun {
    /// Plays that many frames at 60 a second, on all threads; a few also on one.
    pub fn play(stage: &Stage, characters: usize, frames: u32) -> Result<Self> {
        let gaits = Gaits::new(stage)?;
        let roles: Vec<Role> = (0..characters).map(|i| gaits.role(i)).collect();
        let clips: Vec<&Clip> = stage.clips.iter().map(|c| &c.clip).collect();
        let (mut crowd, members) = crowd_of(&stage.skeleton, &clips, &roles)?;
        let mut alone = crowd.clone();
        let mut snapshot = crowd.snapshot();
        let bar = progress::bar(u64::from(frames), "playing");
        let (mut all_ms, mut one_ms) = (f64::INFINITY, f64::INFINITY);
        let mut same_bits = true;
        for frame in 0..frames {
            // One thread in turn with all, from the same state: both see the same machine.
            let compared = frame % 8 == 7 || frame + 1 == frames;
            if compared {
                crowd.snapshot_into(&mut snapshot);
                alone.restore(&snapshot)?;
            }
            let start = Instant::now();
            crowd.update_on(DT_S, &Rayon)?;
            all_ms = smaller(all_ms, start.elapsed().as_secs_f64() * 1e3);
            if compared {
                let start = Instant::now();
                alone.update_on(DT_S, &Serial)?;
                one_ms = smaller(one_ms, start.elapsed().as_secs_f64() * 1e3);
                same_bits &= have_the_same_bits(&crowd, &alone);
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        let models = |member| Ok(crowd.models(member)?.unwrap_or_default().to_vec());
        let first = members.iter().take(KEPT).copied().map(models).collect::<Result<_>>()?;
        Ok(Self {
            characters,
            frames,
            one_thread_ms: one_ms,
            all_threads_ms: all_ms,
            threads: rayon::current_num_threads(),
            first,
            same_bits,
        })
    }
}

/// The three gaits by number and length, and the clips for those who stay.
pub struct Gaits {
    clips: [usize; 3],
    seconds: [f64; 3],
    still: [usize; 3],
}

impl Gaits {
    pub fn new(stage: &Stage) -> Result<Self> {
        let find = |motion: Motion| {
            let at = stage.clips.iter().position(|c| c.name == motion.name());
            at.with_context(|| format!("the mannequin can {}", motion.name()))
        };
        let clips = [find(Motion::Walk)?, find(Motion::Jog)?, find(Motion::Run)?];
        let seconds = clips.map(|c| stage.clips[c].clip.view().duration_s());
        Ok(Self {
            clips,
            seconds,
            still: [find(Motion::Idle)?, find(Motion::Wave)?, find(Motion::Performance)?],
        })
    }

    /// Character `i`: two of three are on their way at a speed of their own, the others stay.
    fn role(&self, i: usize) -> Role {
        let own = |salt: f64| (i as f64 * 0.618_033_988_749_895 + salt).fract();
        if i % 3 == 2 {
            let wave = if i.is_multiple_of(2) { 0.75 } else { 0.0 };
            let weights = [1.0 - wave, wave, 0.0];
            return Role {
                clips: self.still,
                weights: if i % 9 == 8 { [0.0, 0.0, 1.0] } else { weights },
                phases: [own(0.1), own(0.3), own(0.7)],
                in_step: false,
            };
        }
        self.on_the_way(own(0.2) as f32 * 2.0, own(0.0))
    }

    /// `pace` 0 walks, 1 jogs, 2 runs. The gaits are sampled at one phase, so that feet agree.
    pub fn on_the_way(&self, pace: f32, phase: f64) -> Role {
        let share = |at: f32| {
            let far = (pace - at).abs();
            if far < 1.0 { 1.0 - far } else { 0.0 }
        };
        let weights = [share(0.0), share(1.0), share(2.0)];
        Role { clips: self.clips, weights, phases: [phase; 3], in_step: true }
    }

    /// Seconds of a whole cycle, and metres per second, at a pace.
    pub fn stride(&self, pace: f32) -> (f64, f64) {
        let weights = self.on_the_way(pace, 0.0).weights.map(f64::from);
        let speeds = [Motion::Walk, Motion::Jog, Motion::Run].map(Motion::speed);
        let cycle_s: f64 = (0..3).map(|i| weights[i] * self.seconds[i]).sum();
        let metres: f64 = (0..3).map(|i| weights[i] * speeds[i] * self.seconds[i]).sum();
        (cycle_s, metres / cycle_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_build::{
        SkeletonBuilder,
        cook::{ClipBuilder, Effort},
        mannequin,
    };

    #[test]
    fn other_bits_anywhere_are_found() {
        let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
        let builder = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
        let bytes = builder.build(&built, &mannequin::clip(Motion::Walk)).unwrap().bytes;
        let clip = Clip::from_bytes(&bytes).unwrap();
        let role = |i: usize| Role {
            clips: [0; 3],
            weights: [0.5, 0.3, 0.2],
            phases: [0.1, 0.2, 0.01 * i as f64],
            in_step: false,
        };
        let roles: Vec<Role> = (0..37).map(role).collect();
        let (mut a, members) = crowd_of(&built.skeleton, &[&clip], &roles).unwrap();
        let mut b = a.clone();
        a.update_on(DT_S, &Rayon).unwrap();
        b.update(DT_S).unwrap();
        assert!(have_the_same_bits(&a, &b));
        // The last one alone plays something else.
        b.set_played_clips(members[36], &[]).unwrap();
        b.update(0.0).unwrap();
        assert!(!have_the_same_bits(&a, &b));
    }
}
