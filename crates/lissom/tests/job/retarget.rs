//! A pose of one skeleton on another: the same bits everywhere, no memory, and what is wrong with a plan is named.

use lissom::{
    job::{JobError, RetargetCarry, RetargetGoal, RetargetJob, RetargetKnee, RetargetPlan, RetargetScratch},
    math::{
        Quat, Vec3,
        simd::Backend,
        soa::{self, SoaTransform},
    },
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    mannequin::{self, Motion},
    retarget::{BoneMap, Goals, Retarget},
};
use lissom_testkit::alloc;

/// The mannequin, one of three quarters its size with long legs, and how the one becomes the other.
struct Pair {
    source: BuiltSkeleton,
    target: BuiltSkeleton,
    plan: RetargetPlan,
}

impl Pair {
    fn new() -> Self {
        let own = mannequin::skeleton();
        let mut other = own.clone();
        for joint in &mut other.joints {
            let long = if joint.name.starts_with("shin") { 0.9 } else { 0.75 };
            joint.rest.translation = joint.rest.translation * long;
        }
        let (from, to) = (BoneMap::guess(&own), BoneMap::guess(&other));
        let goals = Goals { hands: true, feet: true };
        let retarget = Retarget::new((&own, &from), (&other, &to), goals).unwrap();
        let (source, target) =
            (SkeletonBuilder::build(&own).unwrap(), SkeletonBuilder::build(&other).unwrap());
        let plan = retarget.plan(&source, &target);
        Self { source, target, plan }
    }

    fn pose(&self, motion: Motion, ratio: f64) -> Vec<SoaTransform> {
        let clip = mannequin::clip(motion);
        let pose = clip.pose(&mannequin::skeleton(), clip.duration_s * ratio);
        soa::from_transforms(
            &self.source.raw_of_joint.iter().map(|raw| pose[*raw].to_f32()).collect::<Vec<_>>(),
        )
    }
}

#[test]
fn no_backend_differs_and_nothing_is_allocated() {
    let pair = Pair::new();
    let mut scratch = RetargetScratch::new(&pair.source.skeleton, &pair.target.skeleton);
    for (motion, ratio) in
        [(Motion::Walk, 0.1), (Motion::Run, 0.7), (Motion::Crouch, 0.5), (Motion::Wave, 0.4)]
    {
        let input = pair.pose(motion, ratio);
        let mut first: Option<Vec<[f32; 10]>> = None;
        for backend in Backend::all() {
            let mut output = pair.target.skeleton.rest_pose().to_vec();
            alloc::assert_no_alloc(|| {
                RetargetJob {
                    plan: &pair.plan,
                    source: &pair.source.skeleton,
                    target: &pair.target.skeleton,
                    input: &input,
                    scratch: &mut scratch,
                    output: &mut output,
                }
                .run_on(backend)
                .unwrap();
            });
            let joints = soa::to_transforms(&output, pair.target.skeleton.joint_count());
            let bits: Vec<[f32; 10]> = joints.iter().map(|joint| joint.to_array()).collect();
            assert!(bits.iter().flatten().all(|number| number.is_finite()));
            let first = first.get_or_insert_with(|| bits.clone());
            assert!(
                first.iter().flatten().zip(bits.iter().flatten()).all(|(a, b)| a.to_bits() == b.to_bits())
            );
        }
    }
}

fn carry(target: usize, by: usize, x: f32) -> RetargetCarry {
    RetargetCarry { target, by, at: Vec3::new(x, 0.0, 0.0) }
}

fn shoulders(plan: &mut RetargetPlan, source: [usize; 2], target: [usize; 2], ratio: f32) {
    plan.limbs[0].goal = RetargetGoal::Shoulders { source, target, ratio };
}

/// Arms come before legs.
fn knee(plan: &mut RetargetPlan, change: fn(&mut RetargetKnee)) {
    let RetargetGoal::Ground { knee: Some(knee) } = &mut plan.limbs[2].goal else { panic!("{plan:?}") };
    change(knee);
}

#[test]
fn what_is_wrong_with_a_plan_is_named_and_the_output_stays() {
    let pair = Pair::new();
    let (from, to) = (pair.source.skeleton.joint_count(), pair.target.skeleton.joint_count());
    let spoil = |change: fn(&mut RetargetPlan)| {
        let mut plan = pair.plan.clone();
        change(&mut plan);
        plan
    };
    let cases: [(&str, RetargetPlan); 19] = [
        ("plan.follows.source", spoil(|plan| plan.follows[3].source = 9_999)),
        ("plan.follows.target", spoil(|plan| plan.follows[3].target = usize::MAX)),
        (
            "plan.follows.before",
            spoil(|plan| plan.follows[3].before = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0)),
        ),
        ("plan.facing", spoil(|plan| plan.facing = Quat::from_xyzw(0.0, f32::INFINITY, 0.0, 1.0))),
        ("plan.ratio", spoil(|plan| plan.ratio = f32::NAN)),
        ("plan.lift", spoil(|plan| plan.lift = Vec3::new(0.0, f32::NAN, 0.0))),
        ("plan.source_hips", spoil(|plan| plan.source_hips[1] = 64)),
        ("plan.target_hips", spoil(|plan| plan.target_hips[0] = 64)),
        ("plan.limbs.target", spoil(|plan| plan.limbs[0].target[2] = 64)),
        ("plan.limbs.axis", spoil(|plan| plan.limbs[0].axis = Vec3::ZERO)),
        ("plan.limbs.goal.source", spoil(|plan| shoulders(plan, [64, 0], [0; 2], 1.0))),
        ("plan.limbs.goal.target", spoil(|plan| shoulders(plan, [0; 2], [0, 64], 1.0))),
        ("plan.limbs.goal.ratio", spoil(|plan| shoulders(plan, [0; 2], [0; 2], f32::NAN))),
        ("plan.limbs.goal.knee", spoil(|plan| knee(plan, |knee| knee.joint = 64))),
        ("plan.limbs.goal.feet", spoil(|plan| knee(plan, |knee| knee.feet[3] = 64))),
        ("plan.limbs.goal.shin", spoil(|plan| knee(plan, |knee| knee.shin = f32::INFINITY))),
        ("plan.carried.target", spoil(|plan| plan.carried.push(carry(64, 0, 0.0)))),
        ("plan.carried.by", spoil(|plan| plan.carried.push(carry(0, 64, 0.0)))),
        ("plan.carried.at", spoil(|plan| plan.carried.push(carry(0, 1, f32::NAN)))),
    ];
    assert_eq!((from, to), (64, 64));
    let input = pair.pose(Motion::Walk, 0.3);
    let rest = pair.target.skeleton.rest_pose();
    let run = |plan: &RetargetPlan, input: &[SoaTransform], scratch: &mut RetargetScratch| {
        let mut output = rest.to_vec();
        let (source, target) = (&pair.source.skeleton, &pair.target.skeleton);
        let error =
            RetargetJob { plan, source, target, input, scratch, output: &mut output }.run().unwrap_err();
        assert_eq!(output, rest, "{error}");
        error
    };
    let mut scratch = RetargetScratch::new(&pair.source.skeleton, &pair.target.skeleton);
    for (field, plan) in &cases {
        let told = run(plan, &input, &mut scratch).to_string();
        assert!(told.starts_with(&format!("`{field}`")), "{field}: {told}");
    }
    let short = run(&pair.plan, &input[..1], &mut scratch);
    assert!(matches!(short, JobError::TooShort { field: "input", .. }));
    let none = run(&pair.plan, &input, &mut RetargetScratch::default());
    assert!(matches!(none, JobError::TooShort { field: "scratch", .. }));
    // A limb that is not one, a chain the wrong way round: a defined pose, no panic.
    let mut wild = pair.plan.clone();
    wild.limbs[0].target.reverse();
    wild.limbs[1].target = [5; 3];
    let mut output = rest.to_vec();
    let (source, target) = (&pair.source.skeleton, &pair.target.skeleton);
    RetargetJob { plan: &wild, source, target, input: &input, scratch: &mut scratch, output: &mut output }
        .run()
        .unwrap();
    let joints = soa::to_transforms(&output, to);
    assert!(joints.iter().all(|joint| joint.is_finite()));
}
