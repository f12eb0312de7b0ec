//! Clips as the GPU reads them: keys on an even rate, all rows of one length.
//!
//! ```text
//!  row  a row is a rotation of every joint, then the translations, then the scales of joints that move in any clip
//! ```
//!
//! A joint whose translation is that of the rest pose in every clip has none in a row. A clip of differences, to be added, has
//! 0 there instead; a flag says so.

use crate::{
    GpuError,
    keys::{KeyFormat, pack_rotation, unpack_rotation},
    math::{self, Pose},
};
use lissom::{
    Clip, Skeleton,
    job::{Mix, MixEntry, MixJob, MixScratch, SampleTime},
    math::soa::{GROUP, SoaTransform},
};
use std::{collections::BTreeMap, ops::Range};

/// Words of where a clip is: first unit of its keys, steps, whether it is 0 where it does not move.
pub(crate) const TABLE_WORDS: usize = 3;
/// Keys are fewer than this: a phase times their number has 48 bits.
const MOST_ROWS: usize = 1 << 16;
/// Below this, in metres and as a factor, nothing moves.
const STILL: f32 = 1.0e-6;
/// Rows a second of clips that have no even rate of their own.
const RATE: f64 = 30.0;
/// How often a rate is doubled.
const DOUBLINGS: usize = 4;
/// Times between two rows at which keys are compared with their clip.
const BETWEEN: usize = 4;

/// Which joints have translations and scales in rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layout {
    pub format: KeyFormat,
    pub joints: usize,
    pub moving: Vec<u16>,
    pub scaled: Vec<u16>,
}

impl Layout {
    /// Units of a row.
    pub fn row(&self) -> usize {
        self.joints + (self.moving.len() + self.scaled.len()) * self.format.of_vector()
    }

    pub fn row_words(&self) -> usize {
        self.row() * self.format.unit()
    }
}

/// A clip that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuClip {
    /// Bytes of its keys.
    pub bytes: usize,
    /// Steps between its rows.
    pub steps: usize,
    /// How far it is from the clip, in metres: joints, and points 0.1 m beside them, at rows and between them.
    pub error_m: f64,
    words: Range<usize>,
    blank: bool,
}

/// The clips of a crowd on the GPU, within a bound of memory. Made with a [`Core`](crate::Core), which adds what is played.
#[derive(Clone, Debug)]
pub struct GpuClips {
    pub(crate) layout: Layout,
    clips: Vec<Clip>,
    blank: Vec<bool>,
    there: Vec<Option<GpuClip>>,
    /// Why one is not: it is not tried again.
    refused: Vec<Option<GpuError>>,
    /// By how many members each is played.
    pub(crate) users: Vec<u32>,
    /// When each was last wanted.
    wanted: Vec<u64>,
    clock: u64,
    /// Words that are free: from, to.
    free: BTreeMap<usize, usize>,
    words: usize,
    most_error_m: f64,
    /// What is to be written to the device: words, and where.
    pub(crate) written: Vec<(usize, Vec<u32>)>,
}

/// Samples a clip into poses.
struct Sampler<'a> {
    skeleton: &'a Skeleton,
    clips: &'a [Clip],
    scratch: MixScratch,
    soa: Vec<SoaTransform>,
}

impl<'a> Sampler<'a> {
    fn new(skeleton: &'a Skeleton, clips: &'a [Clip]) -> Self {
        let scratch = MixScratch::with_room_for(skeleton, clips, 1);
        Self { skeleton, clips, scratch, soa: skeleton.rest_pose().to_vec() }
    }

    fn at(&mut self, clip: usize, ratio: f64, pose: &mut Pose) -> Result<(), GpuError> {
        let mut mix = Mix::EMPTY;
        // There is room for one.
        let _ = mix.push(MixEntry::new(clip, SampleTime::Ratio(ratio), 1.0));
        MixJob::new(self.skeleton, self.clips, &mix, &mut self.scratch, &mut self.soa).run()?;
        for (joint, local) in pose.iter_mut().enumerate() {
            *local = math::local(&self.soa[joint / GROUP], joint % GROUP);
        }
        Ok(())
    }
}

impl GpuClips {
    pub(crate) fn new(
        skeleton: &Skeleton,
        clips: &[Clip],
        format: KeyFormat,
        most_bytes: usize,
        most_error_m: f64,
    ) -> Result<Self, GpuError> {
        let joints = skeleton.joint_count();
        let mut sampler = Sampler::new(skeleton, clips);
        let rest = math::rest(skeleton);
        let mut pose = rest.clone();
        let mut layout = Layout { format, joints, moving: Vec::new(), scaled: Vec::new() };
        let (mut moving, mut scaled) = (vec![false; joints], vec![false; joints]);
        let mut blank = Vec::new();
        for (number, clip) in clips.iter().enumerate() {
            // Joints that leave their rest, and joints that leave 0.
            let (mut off_rest, mut off_zero) = (vec![false; joints], vec![false; joints]);
            let steps = first_steps(clip);
            for row in 0..=steps {
                sampler.at(number, row as f64 / steps as f64, &mut pose)?;
                for (joint, (local, rest)) in pose.iter().zip(&rest).enumerate() {
                    let leaves = |from: [f32; 3]| (0..3).any(|i| (local.t[i] - from[i]).abs() > STILL);
                    off_rest[joint] |= leaves(rest.t);
                    off_zero[joint] |= leaves([0.0; 3]);
                    scaled[joint] |= (0..3).any(|i| (local.s[i] - 1.0).abs() > STILL);
                }
            }
            let count = |all: &[bool]| all.iter().filter(|off| **off).count();
            let differences = count(&off_zero) < count(&off_rest);
            blank.push(differences);
            let off = if differences { off_zero } else { off_rest };
            moving.iter_mut().zip(off).for_each(|(moves, off)| *moves |= off);
        }
        for (joint, rest) in rest.iter().enumerate() {
            scaled[joint] |= rest.s != [1.0; 3];
        }
        let list = |all: Vec<bool>| {
            all.iter().enumerate().filter(|(_, yes)| **yes).map(|(joint, _)| joint as u16).collect()
        };
        (layout.moving, layout.scaled) = (list(moving), list(scaled));
        let words = most_bytes / 4;
        Ok(Self {
            layout,
            clips: clips.to_vec(),
            blank,
            there: vec![None; clips.len()],
            refused: vec![None; clips.len()],
            users: vec![0; clips.len()],
            wanted: vec![0; clips.len()],
            clock: 0,
            free: [(0, words)].into(),
            words,
            most_error_m,
            written: Vec::new(),
        })
    }

    /// How many there are, on the device or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.clips.len()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clips.is_empty()
    }

    /// A clip that is on the device.
    #[must_use]
    pub fn get(&self, clip: usize) -> Option<&GpuClip> {
        self.there.get(clip)?.as_ref()
    }

    /// Bytes of keys on the device.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.there.iter().flatten().map(|clip| clip.bytes).sum()
    }

    /// The bound of these bytes.
    #[must_use]
    pub fn most_bytes(&self) -> usize {
        self.words * 4
    }

    /// True if some joint has a scale, in a clip or at rest.
    #[must_use]
    pub fn is_scaled(&self) -> bool {
        !self.layout.scaled.is_empty()
    }

    /// Takes a clip off the device. It comes back when it is played.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoSuchClip`]; [`GpuError::Played`].
    pub fn evict(&mut self, clip: usize) -> Result<(), GpuError> {
        self.check(clip)?;
        if self.users[clip] > 0 {
            return Err(GpuError::Played { clip: self.name(clip), members: self.users[clip] });
        }
        self.drop_keys(clip);
        Ok(())
    }

    /// Brings a clip to the device before it is played. Clips that nobody plays make room, whichever was not wanted for longest first.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoSuchClip`]; [`GpuError::Keys`]; [`GpuError::Room`].
    pub fn add(&mut self, skeleton: &Skeleton, clip: usize) -> Result<(), GpuError> {
        self.check(clip)?;
        self.clock += 1;
        self.wanted[clip] = self.clock;
        if self.there[clip].is_some() {
            return Ok(());
        }
        if let Some(error) = &self.refused[clip] {
            return Err(error.clone());
        }
        let baked = self.bake(skeleton, clip);
        let (words, steps, error_m) = match baked {
            Ok(baked) => baked,
            Err(error) => {
                self.refused[clip] = Some(error.clone());
                return Err(error);
            }
        };
        let at = self.room_for(clip, words.len())?;
        self.there[clip] = Some(GpuClip {
            bytes: words.len() * 4,
            steps,
            error_m,
            words: at..at + words.len(),
            blank: self.blank[clip],
        });
        self.written.push((at, words));
        Ok(())
    }

    /// Where a clip is.
    pub(crate) fn entry(&self, clip: usize) -> [u32; TABLE_WORDS] {
        match self.get(clip) {
            Some(of) => {
                let first = of.words.start / self.layout.format.unit();
                [first as u32, of.steps as u32, u32::from(of.blank)]
            }
            None => [0; TABLE_WORDS],
        }
    }

    /// Takes all clips off the device.
    pub(crate) fn forget(&mut self) {
        self.there.fill(None);
        self.users.fill(0);
        self.free = [(0, self.words)].into();
        self.written.clear();
    }

    /// Words of the memory for keys.
    pub(crate) fn total_words(&self) -> usize {
        self.words
    }

    fn check(&self, clip: usize) -> Result<(), GpuError> {
        let (found, clips) = (clip, self.clips.len());
        if found < clips { Ok(()) } else { Err(GpuError::NoSuchClip { found, clips }) }
    }

    fn name(&self, clip: usize) -> String {
        self.clips[clip].view().name().into()
    }

    fn drop_keys(&mut self, clip: usize) {
        let Some(gone) = self.there[clip].take() else { return };
        let (mut from, mut to) = (gone.words.start, gone.words.end);
        // Neighbours that are free become one with it.
        if let Some((before, end)) = self.free.range(..from).next_back().map(|(a, b)| (*a, *b))
            && end == from
        {
            self.free.remove(&before);
            from = before;
        }
        if let Some(end) = self.free.remove(&to) {
            to = end;
        }
        self.free.insert(from, to);
        // What waited to be written there is not written.
        self.written.retain(|(at, _)| !gone.words.contains(at));
    }

    fn room_for(&mut self, clip: usize, words: usize) -> Result<usize, GpuError> {
        loop {
            if let Some((from, to)) =
                self.free.iter().find(|(from, to)| **to - **from >= words).map(|(a, b)| (*a, *b))
            {
                self.free.remove(&from);
                if from + words < to {
                    self.free.insert(from + words, to);
                }
                return Ok(from);
            }
            let idle = |other: &usize| self.there[*other].is_some() && self.users[*other] == 0;
            let oldest = (0..self.clips.len()).filter(idle).min_by_key(|other| self.wanted[*other]);
            let Some(oldest) = oldest else {
                let free = self.free.iter().map(|(from, to)| (to - from) * 4).max().unwrap_or(0);
                return Err(GpuError::Room { clip: self.name(clip), needed: words * 4, free });
            };
            self.drop_keys(oldest);
        }
    }

    /// Keys of a clip: words, steps, and how far they are off.
    fn bake(&self, skeleton: &Skeleton, clip: usize) -> Result<(Vec<u32>, usize, f64), GpuError> {
        let mut sampler = Sampler::new(skeleton, &self.clips);
        let mut steps = first_steps(&self.clips[clip]);
        let mut last = (0, 0.0);
        for _ in 0..=DOUBLINGS {
            if steps >= MOST_ROWS {
                break;
            }
            let (words, poses) = self.rows(skeleton, &mut sampler, clip, steps)?;
            let error_m = self.error_m(skeleton, &mut sampler, clip, &poses)?;
            if error_m <= self.most_error_m {
                return Ok((words, steps, error_m));
            }
            last = (steps + 1, error_m * 1000.0);
            steps *= 2;
        }
        let (rows, found_mm) = last;
        Err(GpuError::Keys { clip: self.name(clip), rows, found_mm, most_mm: self.most_error_m * 1000.0 })
    }

    /// The rows of a clip as words, and as they read.
    fn rows(
        &self,
        skeleton: &Skeleton,
        sampler: &mut Sampler<'_>,
        clip: usize,
        steps: usize,
    ) -> Result<(Vec<u32>, Vec<Pose>), GpuError> {
        let Layout { format, moving, scaled, .. } = &self.layout;
        let mut words = Vec::with_capacity((steps + 1) * self.layout.row_words());
        let mut poses: Vec<Pose> = Vec::with_capacity(steps + 1);
        let rest = math::rest(skeleton);
        let mut pose = rest.clone();
        for row in 0..=steps {
            sampler.at(clip, row as f64 / steps as f64, &mut pose)?;
            if let Some(before) = poses.last() {
                for (local, before) in pose.iter_mut().zip(before) {
                    if math::dot(local.q, before.q) < 0.0 {
                        local.q = local.q.map(|v| -v);
                    }
                }
            }
            for local in &mut *pose {
                match format {
                    KeyFormat::F32 => words.extend(local.q.map(f32::to_bits)),
                    KeyFormat::Rodrigues21 => {
                        let packed = pack_rotation(local.q);
                        words.extend(packed);
                        local.q = unpack_rotation(packed);
                    }
                }
            }
            let [mut moves, mut scales] = [vec![false; rest.len()], vec![false; rest.len()]];
            for joint in moving {
                let [x, y, z] = pose[usize::from(*joint)].t;
                words.extend([x, y, z, 0.0].map(f32::to_bits));
                moves[usize::from(*joint)] = true;
            }
            for joint in scaled {
                let [x, y, z] = pose[usize::from(*joint)].s;
                words.extend([x, y, z, 0.0].map(f32::to_bits));
                scales[usize::from(*joint)] = true;
            }
            for (joint, local) in pose.iter_mut().enumerate() {
                if !moves[joint] {
                    local.t = if self.blank[clip] { [0.0; 3] } else { rest[joint].t };
                }
                if !scales[joint] {
                    local.s = [1.0; 3];
                }
            }
            poses.push(pose.clone());
        }
        Ok((words, poses))
    }

    /// How far interpolated rows are from the clip.
    fn error_m(
        &self,
        skeleton: &Skeleton,
        sampler: &mut Sampler<'_>,
        clip: usize,
        rows: &[Pose],
    ) -> Result<f64, GpuError> {
        let steps = rows.len() - 1;
        let mut exact = rows[0].clone();
        let mut between = rows[0].clone();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let mut worst = 0.0;
        for at in 0..=steps * BETWEEN {
            let (row, part) = (at / BETWEEN, (at % BETWEEN) as f32 / BETWEEN as f32);
            sampler.at(clip, at as f64 / (steps * BETWEEN) as f64, &mut exact)?;
            let next = &rows[(row + 1).min(steps)];
            for ((out, from), to) in between.iter_mut().zip(&rows[row]).zip(next) {
                *out = math::mix(from, to, part);
            }
            math::models(skeleton, &exact, &mut a);
            math::models(skeleton, &between, &mut b);
            let off = math::apart_m(&a, &b);
            worst = if off > worst || off.is_nan() { off } else { worst };
        }
        Ok(worst)
    }
}

/// Steps of a clip's own rows, or those of a common rate.
fn first_steps(clip: &Clip) -> usize {
    let view = clip.view();
    let (duration_s, step_s) = (view.duration_s(), view.row_time_s(1));
    let rows = if step_s > 0.0 { duration_s / step_s } else { duration_s * RATE };
    let near = (rows + 0.5).floor();
    // Sparse keys say nothing of a rate: at least the common one.
    let common = (duration_s * RATE).ceil();
    let steps = if (rows - near).abs() < 1.0e-3 && near >= common { near } else { common };
    if steps >= 1.0 { steps as usize } else { 1 }
}
