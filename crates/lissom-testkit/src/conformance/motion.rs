//! What moves a character beyond its clips: masked mixes, inertialisation, IK, feet, springs.

use super::{Entry, walk};
use crate::{generate, golden, graphs, rng::Rng};
use lissom::{
    JointMask,
    hash::Fnv64,
    job::{
        AimBatchJob, AimChain, AimCorrection, AimIkJob, ArmCorrection, ChainIkJob, ChainReport, FootBatchJob,
        FootJob, Ground, HandJob, InertiaJob, InertiaStartJob, JointLimit, Leg, LegCorrection, Mix, MixEntry,
        MixJob, MixScratch, ModelToLocalJob, PosePair, SampleTime, SoaInertia, SpringBone, SpringClock,
        SpringJob, SpringPoint, Stance, TwoBoneBatchJob, TwoBoneChain, TwoBoneCorrection, TwoBoneIkJob,
    },
};
use lissom_math::{
    Mat4, Mat34, Quat, Transform, Vec3,
    scalar::{add, normalize_or},
    simd::Backend,
    soa::{self, SoaTransform},
};
use lissom_motion::{AnimateError, GraphState, PoseMemory, frame::Frame, memory::MemoryScratch};

/// Every hash of this page.
pub(super) fn hashes(backend: Backend) -> Vec<Entry> {
    [
        ("motion/mix", mix(backend)),
        ("motion/inertia", inertia(backend)),
        ("motion/memory", memory(backend)),
        ("motion/ik", ik(backend)),
        ("motion/feet", feet(backend)),
        ("motion/hand", hand(backend)),
        ("motion/springs", springs(backend)),
        ("motion/ik_lanes", ik_in_lanes(backend)),
        ("motion/model_to_local", model_to_local(backend)),
    ]
    .map(|(name, hash)| (name.into(), hash))
    .into()
}

/// The walk at three times, under masks, and added.
fn mix(backend: Backend) -> u64 {
    let (built, clip, _) = walk();
    let (skeleton, clips) = (&built.skeleton, [clip]);
    let spine =
        JointMask::none(skeleton).with_subtree(skeleton, "spine_01").expect("the mannequin has a spine");
    let masks = [spine.weights(1.0, 0.25), spine.weights(0.0, 0.5)].concat();
    let mut scratch = MixScratch::with_room_for(skeleton, &clips, 4);
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut hash = Fnv64::new();
    for i in 0..20 {
        let at = |ratio: f64, weight| MixEntry::new(0, SampleTime::Ratio(ratio), weight);
        let t = f64::from(i) / 20.0;
        let mut mix = Mix::EMPTY;
        let entries = [
            at(t, 0.7),
            at(1.0 - t, 0.4).masked(0),
            at(t * t, 0.3).masked(1).added(),
            at(0.5 * t, -0.2).added(),
        ];
        assert!(entries.into_iter().all(|entry| mix.push(entry)), "a mix has room for four");
        let mut job = MixJob::new(skeleton, &clips, &mix, &mut scratch, &mut output);
        job.masks = &masks;
        job.run_on(backend).expect("the walk plays on its skeleton");
        hash = golden::extend(hash, &soa::to_transforms(&output, skeleton.joint_count()));
    }
    hash.finish()
}

fn inertia(backend: Backend) -> u64 {
    const JOINTS: usize = 40;
    let mut rng = Rng::new(7);
    let mut hash = Fnv64::new();
    for _ in 0..20 {
        let poses = [(); 4].map(|()| soa::from_transforms(&generate::pose(&mut rng, JOINTS)));
        let mut inertia = vec![SoaInertia::ZERO; poses[0].len()];
        let old = PosePair { now: &poses[0], before: &poses[1] };
        let new = PosePair { now: &poses[2], before: &poses[3] };
        InertiaStartJob::new(old, new, 1.0 / 60.0, &mut inertia)
            .run_on(backend)
            .expect("poses of one length");
        let mut pose = poses[2].clone();
        let elapsed_s = rng.range_f64(0.0, 0.3);
        InertiaJob::new(&inertia, elapsed_s, 0.3, &mut pose).run_on(backend).expect("poses of one length");
        hash = golden::extend(hash, &soa::to_transforms(&pose, JOINTS));
    }
    hash.finish()
}

/// Poses under transitions by inertia, some while another goes on, and a pose taken over.
fn memory(backend: Backend) -> u64 {
    let (built, clip, _) = walk();
    let (skeleton, clips) = (&built.skeleton, [clip]);
    let mut scratch = MixScratch::with_room_for(skeleton, &clips, 4);
    let mut posed = |mix: Mix, out: &mut [SoaTransform]| {
        MixJob::new(skeleton, &clips, &mix, &mut scratch, out).run_on(backend)
    };
    let graph = graphs::inertial();
    let go = graph.trigger("go").expect("the graph has it");
    let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
    let mut memory = PoseMemory::new(&graph, skeleton);
    let mut kept = MemoryScratch::new(&graph, skeleton);
    let (mut rng, mut hash) = (Rng::new(13), Fnv64::new());
    let mut pose = skeleton.rest_pose().to_vec();
    for step in 0..120 {
        if rng.one_in(12) {
            state.set(go, true).expect("its own");
        }
        graph.update(&mut state, rng.range_f64(0.0, 0.04), &mut frame).expect("a step may be taken");
        memory.follow(&frame, &mut kept, |_| 0, |mix, _, out| posed(mix, out)).expect("poses are there");
        if step % 40 == 39 {
            let foreign = PosePair { now: skeleton.rest_pose(), before: &pose };
            let taken: Result<(), AnimateError> =
                memory.take_over(foreign, 0.3, &frame, &mut kept, |_| 0, |mix, _, out| Ok(posed(mix, out)?));
            taken.expect("it fits");
        }
        posed(frame.mix(|_| 0), &mut pose).expect("the walk plays on its skeleton");
        memory.apply(&mut pose).expect("a pose of its skeleton");
        hash = golden::extend(hash, &soa::to_transforms(&pose, skeleton.joint_count()));
    }
    hash.bytes(&memory.to_bytes()).bytes(&state.to_bytes()).finish()
}

/// Three joints, each on the one before.
fn limb(rng: &mut Rng) -> [Mat34; 3] {
    let mut at = rng.transform().to_mat34();
    [(); 3].map(|()| {
        at = at.mul(&rng.rigid().to_mat34());
        at
    })
}

fn ik(backend: Backend) -> u64 {
    let mut rng = Rng::new(8);
    let mut hash = Fnv64::new();
    for _ in 0..500 {
        let [start, mid, end] = limb(&mut rng);
        let target = add(start.translation(), rng.vec3(4.0));
        let mut bent = TwoBoneCorrection::default();
        let mut job = TwoBoneIkJob::new([&start, &mid, &end], target, &mut bent);
        (job.mid_axis, job.pole) = (normalize_or(rng.vec3(1.0), Vec3::Z), rng.vec3(1.0));
        (job.twist, job.soften, job.weight) = (rng.signed(), rng.range(0.5, 1.0), rng.range(0.0, 1.5));
        job.run_on(backend).expect("finite numbers");

        let mut aimed = [AimCorrection::default(); 3];
        let joints = [end, mid, start];
        let weights = [rng.unit(), rng.unit(), 1.0];
        let mut job = AimIkJob::new(&joints, &weights, target, &mut aimed);
        (job.offset, job.pole, job.twist) = (rng.vec3(0.2), rng.vec3(1.0), rng.signed());
        job.run_on(backend).expect("finite numbers");

        let mut chain: Vec<Transform> = (0..6).map(|_| rng.rigid()).collect();
        let cone = |rest| JointLimit::Cone { rest, axis: Vec3::Y, swing: 0.8, twist: 0.4 };
        let hinge = |rest| JointLimit::Hinge { rest, axis: Vec3::X, from: -0.5, to: 1.5 };
        let limits: Vec<JointLimit> = chain
            .iter()
            .enumerate()
            .map(|(i, joint)| [JointLimit::Free, cone(joint.rotation), hinge(joint.rotation)][i % 3])
            .collect();
        let mut report = ChainReport::default();
        let mut job = ChainIkJob::new(&start, target, &mut chain, &mut report);
        job.limits = &limits;
        job.run_on(backend).expect("finite numbers");

        let mut turns = vec![bent.start, bent.mid];
        turns.extend(aimed.iter().map(|aim| aim.rotation));
        turns.extend(chain.iter().map(|joint| joint.rotation));
        hash = golden::extend(hash, &turns);
    }
    hash.finish()
}

fn hand(backend: Backend) -> u64 {
    let (mut rng, mut hash) = (Rng::new(17), Fnv64::new());
    for _ in 0..300 {
        let [shoulder, elbow, end] = limb(&mut rng);
        let mut grip = rng.rigid().to_mat34();
        grip.columns[3] = add(shoulder.translation(), rng.vec3(4.0)).to_array();
        let mut held = ArmCorrection::default();
        let mut job = HandJob::new([&shoulder, &elbow, &end], &grip, &mut held);
        job.elbow_axis = normalize_or(rng.vec3(1.0), Vec3::Z);
        (job.pole, job.soften, job.weight) = (rng.vec3(1.0), rng.range(0.5, 1.0), rng.range(0.0, 1.5));
        job.run_on(backend).expect("finite numbers");
        let turns = [held.shoulder, held.elbow, held.hand].map(|q| q.to_array());
        hash = golden::extend(hash, turns.as_flattened()).u32(u32::from(held.reached));
    }
    hash.finish()
}

fn feet(backend: Backend) -> u64 {
    let mut rng = Rng::new(9);
    let mut hash = Fnv64::new();
    for _ in 0..500 {
        let limbs = [limb(&mut rng), limb(&mut rng)];
        let legs = [0, 1].map(|i| {
            let [hip, knee, ankle] = &limbs[i];
            let normal = add(Vec3::Y, rng.vec3(0.5));
            let ground = Some(Ground { place: rng.vec3(0.3), normal });
            Leg {
                hip,
                knee,
                ankle,
                knee_axis: Vec3::X,
                ankle_height: 0.1,
                ground,
                weight: rng.range(0.0, 1.5),
            }
        });
        let (mut pelvis, mut output) = (0.0, [LegCorrection::default(); 2]);
        FootJob::new(&legs, &mut pelvis, &mut output).run_on(backend).expect("finite numbers");
        hash = output
            .iter()
            .fold(hash.f32(pelvis), |hash, leg| golden::extend(hash, &[leg.hip, leg.knee, leg.ankle]));
    }
    hash.finish()
}

/// Two bones, aim and feet of many, side by side.
fn ik_in_lanes(backend: Backend) -> u64 {
    const MANY: usize = 37;
    let (mut rng, mut hash) = (Rng::new(36), Fnv64::new());
    for _ in 0..10 {
        let limbs: Vec<[Mat34; 3]> = (0..MANY).map(|_| limb(&mut rng)).collect();
        let chains: Vec<TwoBoneChain<'_>> = limbs
            .iter()
            .map(|[start, mid, end]| TwoBoneChain {
                mid_axis: normalize_or(rng.vec3(1.0), Vec3::Z),
                pole: rng.vec3(1.0),
                twist: rng.signed(),
                soften: rng.range(0.5, 1.0),
                weight: rng.range(0.0, 1.5),
                ..TwoBoneChain::new([start, mid, end], add(start.translation(), rng.vec3(4.0)))
            })
            .collect();
        let mut bent = [TwoBoneCorrection::default(); MANY];
        TwoBoneBatchJob::new(&chains, &mut bent).run_on(backend).expect("finite numbers");

        let weights = [rng.unit(), rng.unit(), 1.0];
        let looks: Vec<AimChain<'_>> = limbs
            .iter()
            .map(|joints| AimChain {
                offset: rng.vec3(0.2),
                pole: rng.vec3(1.0),
                twist: rng.signed(),
                ..AimChain::new(joints, &weights, rng.vec3(4.0))
            })
            .collect();
        let mut aimed = [AimCorrection::default(); 3 * MANY];
        AimBatchJob::new(&looks, &mut aimed).run_on(backend).expect("finite numbers");

        let legs: Vec<[Leg<'_>; 1]> = limbs
            .iter()
            .map(|[hip, knee, ankle]| {
                let normal = add(Vec3::Y, rng.vec3(0.5));
                let ground = Some(Ground { place: rng.vec3(0.3), normal });
                let (knee_axis, weight) = (Vec3::X, rng.range(0.0, 1.5));
                [Leg { hip, knee, ankle, knee_axis, ankle_height: 0.1, ground, weight }]
            })
            .collect();
        let stances: Vec<Stance<'_>> = legs.iter().map(|legs| Stance::new(legs)).collect();
        let (mut pelvises, mut placed) = ([0.0; MANY], [LegCorrection::default(); MANY]);
        FootBatchJob::new(&stances, &mut pelvises, &mut placed).run_on(backend).expect("finite numbers");

        let mut turns: Vec<Quat> = bent.iter().flat_map(|bent| [bent.start, bent.mid]).collect();
        turns.extend(aimed.iter().map(|aim| aim.rotation));
        turns.extend(placed.iter().flat_map(|leg| [leg.hip, leg.knee, leg.ankle]));
        hash = golden::extend(hash, &turns);
        hash = pelvises.iter().fold(hash, |hash, pelvis| hash.f32(*pelvis));
    }
    hash.finish()
}

/// Matrices at right angles, mirrored ones, and some that lean.
fn model_to_local(backend: Backend) -> u64 {
    const JOINTS: usize = 67;
    let (mut rng, mut hash) = (Rng::new(37), Fnv64::new());
    for _ in 0..20 {
        let skeleton = generate::skeleton(&mut rng, JOINTS);
        let matrix = |i: usize, rng: &mut Rng| {
            let mut m = if i.is_multiple_of(5) { rng.mirrored_transform() } else { rng.rigid() }.to_mat34();
            m.columns[0][1] += if i.is_multiple_of(7) { 0.3 } else { 0.0 };
            m.to_mat4()
        };
        let models: Vec<Mat4> = (0..JOINTS).map(|i| matrix(i, &mut rng)).collect();
        let mut locals = vec![SoaTransform::IDENTITY; skeleton.group_count()];
        ModelToLocalJob::new(&skeleton, &models, &mut locals).run_on(backend).expect("enough of all");
        hash = golden::extend(hash, &soa::to_transforms(&locals, JOINTS));
    }
    hash.finish()
}

fn springs(backend: Backend) -> u64 {
    const BONES: usize = 4;
    let mut rng = Rng::new(10);
    let locals = [(); BONES].map(|()| rng.rigid());
    let (mut clock, mut points) = (SpringClock::default(), [SpringPoint::default(); BONES]);
    let mut output = [Quat::IDENTITY; BONES];
    let mut root = rng.rigid();
    let mut hash = Fnv64::new();
    for _ in 0..300 {
        root.translation = add(root.translation, rng.vec3(0.05));
        let mut at = root.to_mat34();
        let joints = locals.map(|local| {
            at = at.mul(&local.to_mat34());
            at
        });
        let memory = (&mut clock, &mut points[..]);
        let dt_s = rng.range(0.0, 0.05);
        SpringJob::new(&joints, Vec3::Y, &[SpringBone::default(); BONES], dt_s, memory, &mut output)
            .run_on(backend)
            .expect("finite numbers");
        hash = golden::extend(hash, &output);
    }
    hash.finish()
}
