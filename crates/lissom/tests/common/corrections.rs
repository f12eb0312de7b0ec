//! The jobs that mix clips, carry poses over and correct limbs, as a frame of one character runs them.

use lissom::{
    Clip, Skeleton,
    job::*,
    math::{
        Mat4, Mat34, Quat, Transform, Vec3,
        soa::{self, Lanes, SoaTransform},
    },
};

/// Joints of a chain: enough for a leg, an arm and a tail.
const CHAIN: usize = 5;
/// Characters beside one another.
const BATCH: usize = 8;
const STEP_S: f32 = 1.0 / 60.0;

/// What one character's jobs write, and what they remember.
pub struct Corrections {
    /// A chain of the skeleton, the upper joint first.
    chain: [usize; CHAIN],
    masks: Vec<Lanes>,
    mix_scratch: MixScratch,
    mixed: Vec<SoaTransform>,
    plan: BatchPlan,
    batch_scratch: BatchScratch,
    batch_locals: Vec<SoaTransform>,
    batch_models: Vec<Mat4>,
    /// The poses of the frame before.
    before: [Vec<SoaTransform>; 2],
    inertia: Vec<SoaInertia>,
    carried: Vec<SoaTransform>,
    retarget: RetargetPlan,
    retarget_scratch: RetargetScratch,
    retargeted: Vec<SoaTransform>,
    two_bone: TwoBoneCorrection,
    aim: [AimCorrection; 2],
    many_two_bones: [TwoBoneCorrection; 3],
    many_aims: [AimCorrection; 4],
    many_legs: [LegCorrection; 3],
    pelvises: [f32; 3],
    bent: [Transform; CHAIN],
    chain_report: ChainReport,
    pelvis: f32,
    leg: [LegCorrection; 1],
    arm: ArmCorrection,
    clock: SpringClock,
    points: [SpringPoint; CHAIN],
    swing: [Quat; CHAIN],
}

/// The first joint that has enough joints above it, below them.
fn chain_of(skeleton: &Skeleton) -> [usize; CHAIN] {
    let above = |joint: usize| std::iter::successors(Some(joint), |joint| skeleton.parent(*joint));
    let end = (0..skeleton.joint_count()).find(|joint| above(*joint).count() > CHAIN).unwrap();
    let mut chain: Vec<usize> = above(end).take(CHAIN).collect();
    chain.reverse();
    chain.try_into().unwrap()
}

impl Corrections {
    pub fn new(skeleton: &Skeleton, clips: &[Clip]) -> Self {
        let (joints, groups) = (skeleton.joint_count(), skeleton.group_count());
        let chain = chain_of(skeleton);
        let pose = || skeleton.rest_pose().to_vec();
        let follow = |joint: usize| RetargetFollow { source: joint, target: joint, before: Quat::IDENTITY };
        let [start, mid, end, ..] = chain;
        let plan = BatchPlan::new(skeleton, None).unwrap();
        let mut batch_scratch = BatchScratch::default();
        batch_scratch.reserve(&plan);
        let none = SoaOffset {
            translation: soa::SoaVec3::ZERO,
            rotation: soa::SoaVec3::ZERO,
            scale: soa::SoaVec3::ZERO,
        };
        Self {
            chain,
            masks: (0..groups).map(|group| Lanes::splat(1.0 / (group + 1) as f32)).collect(),
            mix_scratch: MixScratch::with_room_for(skeleton, clips, 3),
            mixed: pose(),
            plan,
            batch_scratch,
            batch_locals: vec![SoaTransform::IDENTITY; BATCH * groups],
            batch_models: vec![Mat4::ZERO; BATCH * joints],
            before: [pose(), pose()],
            inertia: vec![SoaInertia { offset: none, rate: none }; groups],
            carried: pose(),
            retarget: RetargetPlan {
                follows: (0..joints).map(follow).collect(),
                facing: Quat::IDENTITY,
                ratio: 0.75,
                lift: Vec3::ZERO,
                source_hips: [start, mid],
                target_hips: [start, mid, end],
                limbs: vec![RetargetLimb {
                    source: end,
                    target: [start, mid, end],
                    axis: Vec3::Z,
                    goal: RetargetGoal::Ground { knee: None },
                }],
                carried: vec![RetargetCarry { target: end, by: start, at: Vec3::Y }],
            },
            retarget_scratch: RetargetScratch::new(skeleton, skeleton),
            retargeted: pose(),
            two_bone: TwoBoneCorrection::default(),
            aim: [AimCorrection::default(); 2],
            many_two_bones: [TwoBoneCorrection::default(); 3],
            many_aims: [AimCorrection::default(); 4],
            many_legs: [LegCorrection::default(); 3],
            pelvises: [0.0; 3],
            bent: [Transform::IDENTITY; CHAIN],
            chain_report: ChainReport::default(),
            pelvis: 0.0,
            leg: [LegCorrection::default()],
            arm: ArmCorrection::default(),
            clock: SpringClock::default(),
            points: [SpringPoint::default(); CHAIN],
            swing: [Quat::IDENTITY; CHAIN],
        }
    }

    /// Runs every job once over two sampled poses and the matrices of their blend; `t` in [0, 1] decides what they do.
    pub fn frame(
        &mut self,
        skeleton: &Skeleton,
        clips: &[Clip],
        sampled: &[Vec<SoaTransform>; 2],
        models: &[Mat4],
        t: f32,
    ) {
        self.poses(skeleton, clips, sampled, t);
        self.limbs(models, t);
        for (before, now) in self.before.iter_mut().zip(sampled) {
            before.copy_from_slice(now);
        }
    }

    fn poses(&mut self, skeleton: &Skeleton, clips: &[Clip], sampled: &[Vec<SoaTransform>; 2], t: f32) {
        let at = |ratio: f32| SampleTime::Ratio(f64::from(ratio));
        let mut mix = Mix::EMPTY;
        assert!(mix.push(MixEntry::new(0, at(t), 1.0 - t)));
        assert!(mix.push(MixEntry::new(1, at(1.0 - t), 0.5 + t).masked(0)));
        assert!(mix.push(MixEntry::new(0, at(t * 0.5), 0.25).added()));
        let (masks, scratch, output) = (&self.masks, &mut self.mix_scratch, &mut self.mixed[..]);
        MixJob { skeleton, clips, decoded: &[], masks, mix: &mix, lod: None, scratch, output }.run().unwrap();
        let groups = skeleton.group_count();
        for (i, locals) in self.batch_locals.chunks_mut(groups).enumerate() {
            locals.copy_from_slice([&sampled[0], &sampled[1], &self.mixed][i % 3]);
        }
        let rows: [usize; BATCH] = std::array::from_fn(|i| BATCH - 1 - i);
        let (models, scratch) = (&mut self.batch_models[..], &mut self.batch_scratch);
        BatchJob::new(&self.plan, &self.batch_locals, &rows, models, scratch).run().unwrap();

        let [old, new] = [0, 1].map(|i| PosePair { now: &sampled[i], before: &self.before[i] });
        InertiaStartJob::new(old, new, STEP_S, &mut self.inertia).run().unwrap();
        self.carried.copy_from_slice(&sampled[1]);
        InertiaJob::new(&self.inertia, f64::from(t) * 0.2, 0.25, &mut self.carried).run().unwrap();
        RetargetJob {
            plan: &self.retarget,
            source: skeleton,
            target: skeleton,
            input: &self.mixed,
            scratch: &mut self.retarget_scratch,
            output: &mut self.retargeted,
        }
        .run()
        .unwrap();
        for (bent, joint) in self.bent.iter_mut().zip(self.chain) {
            *bent = soa::lane(&self.mixed, joint);
        }
    }

    fn limbs(&mut self, models: &[Mat4], t: f32) {
        let chain = self.chain.map(|joint| Mat34::from_mat4(&models[joint]));
        let [a, b, c, ..] = &chain;
        let [x, y, z] = c.columns[3];
        let target = Vec3::new(x + 0.1 * t, y - 0.1, z + 0.05);
        TwoBoneIkJob::new([a, b, c], target, &mut self.two_bone).run().unwrap();
        let weights = [0.5, 0.5 + 0.5 * t];
        AimIkJob::new(&chain[..2], &weights, target, &mut self.aim).run().unwrap();
        ChainIkJob::new(a, target, &mut self.bent, &mut self.chain_report).run().unwrap();
        let ground = Some(Ground { place: Vec3::new(x, y - 0.05 * t, z), normal: Vec3::Y });
        let (knee_axis, ankle_height, weight) = (Vec3::Z, 0.02, 1.0);
        let leg = [Leg { hip: a, knee: b, ankle: c, knee_axis, ankle_height, ground, weight }];
        FootJob::new(&leg, &mut self.pelvis, &mut self.leg).run().unwrap();
        let far = TwoBoneChain::new([a, b, c], Vec3::new(x, y + t, z));
        TwoBoneBatchJob::new(&[far, TwoBoneChain::new([a, b, c], target), far], &mut self.many_two_bones)
            .run()
            .unwrap();
        let look = AimChain::new(&chain[..2], &weights, target);
        AimBatchJob::new(&[look, AimChain { pole: Vec3::X, ..look }], &mut self.many_aims).run().unwrap();
        let stance = Stance::new(&leg);
        let low = Stance { lowest: 0.01, ..stance };
        FootBatchJob::new(&[stance, low, stance], &mut self.pelvises, &mut self.many_legs).run().unwrap();
        let mut grip = *c;
        grip.columns[3] = target.to_array();
        HandJob::new([a, b, c], &grip, &mut self.arm).run().unwrap();
        let (bones, tip) = ([SpringBone::default(); CHAIN], Vec3::new(0.0, 0.1, 0.0));
        let remembered = (&mut self.clock, &mut self.points[..]);
        SpringJob::new(&chain, tip, &bones, STEP_S, remembered, &mut self.swing).run().unwrap();
    }

    /// Every number that the last frame wrote.
    pub fn numbers(&self) -> Vec<f32> {
        let joints = self.retarget.follows.len();
        let poses = [&self.mixed, &self.carried, &self.retargeted];
        let locals =
            poses.into_iter().flat_map(|pose| (0..joints).flat_map(|j| soa::lane(pose, j).to_array()));
        let models = self.batch_models.iter().flat_map(|m| m.to_cols_array());
        let [aim_a, aim_b] = self.aim.map(|aim| aim.rotation);
        let ([leg], arm) = (self.leg, self.arm);
        let turns = [
            [self.two_bone.start, self.two_bone.mid, aim_a, aim_b],
            [leg.hip, leg.knee, leg.ankle, arm.shoulder],
            [arm.elbow, arm.hand, self.swing[0], self.swing[CHAIN - 1]],
        ];
        let turns = turns.into_iter().flatten().flat_map(|turn| turn.to_array());
        let bent = self.bent.iter().flat_map(|bent| bent.to_array());
        let many = self.many_two_bones.iter().flat_map(|c| [c.start, c.mid]);
        let many = many.chain(self.many_aims.iter().map(|c| c.rotation));
        let many = many.chain(self.many_legs.iter().flat_map(|c| [c.hip, c.knee, c.ankle]));
        let many = many.flat_map(|turn| turn.to_array()).chain(self.pelvises);
        let single = [self.pelvis, self.chain_report.missed, self.chain_report.rounds as f32];
        locals.chain(models).chain(turns).chain(many).chain(bent).chain(single).collect()
    }
}
