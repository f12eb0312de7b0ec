//! Every clip of every input, cooked.

use super::{
    Executor, Input, InputError, PipelineError, Plan, Step,
    file::Opened,
    watch::{Watcher, guarded, run_all},
    weights,
};
use crate::{
    BuiltSkeleton,
    cook::{ClipBuilder, CookError, CookedClip, JointPrecision},
    edit::Needs,
};

/// Every clip of every input, input by input.
pub(super) fn all(
    plan: &Plan,
    inputs: &[Input<'_>],
    opened: &[Result<Opened, InputError>],
    executor: &Executor<'_>,
    watcher: &Watcher<'_>,
) -> Result<Vec<Vec<Result<CookedClip, InputError>>>, PipelineError> {
    // Long clips of one file and short ones of another: one list lets an executor balance them.
    let mut tasks = Vec::new();
    for (i, opened) in opened.iter().enumerate() {
        let Ok(opened) = opened else { continue };
        tasks.extend((0..opened.file.scene.animations.len()).map(|clip| (i, opened, clip)));
    }
    let cooked = run_all(tasks.len(), executor, watcher, |t| {
        let (i, opened, clip) = tasks[t];
        let cooked = guarded(&inputs[i], || clip_of(plan, &inputs[i], opened, clip));
        let (name, clip) =
            (inputs[i].name().to_string_lossy(), &opened.file.scene.animations[clip].motion.name);
        watcher.grow(0, Step::Cooked { input: &name, clip });
        cooked
    })?;
    let mut by_input: Vec<_> = inputs.iter().map(|_| Vec::new()).collect();
    for ((i, ..), cooked) in tasks.into_iter().zip(cooked) {
        by_input[i].push(cooked.unwrap_or_else(|| inputs[i].left_out()));
    }
    Ok(by_input)
}

fn clip_of(plan: &Plan, input: &Input<'_>, opened: &Opened, clip: usize) -> Result<CookedClip, InputError> {
    let animation = &opened.file.scene.animations[clip];
    let failed = |source: CookError| {
        let (name, clip) = (input.name().to_owned(), animation.motion.name.clone());
        InputError::Cook { name, clip, source }
    };
    let built = animation.skeleton.and_then(|s| opened.skeletons.get(s)).ok_or_else(|| {
        let (name, clip) = (input.name().to_owned(), animation.motion.name.clone());
        InputError::NoSkeleton { name, clip }
    })?;
    let mut builder = opened.prepared.precision.builder(&plan.cook);
    builder.joints = opened.prepared.precision.joints(animation, built);
    builder.skin = animation.skeleton.and_then(|s| opened.skins.get(s)).cloned();
    let plain = builder.clone();
    if let Some(needs) = opened.prepared.edited.needs.get(clip) {
        apply(needs, &mut builder, built);
    }
    let kept = animation.kept.as_ref().filter(|_| builder == plain);
    let builder = builder.scaled(weights::joints_share(animation));
    if let Some(bytes) = kept.and_then(|kept| kept.of(&animation.motion))
        && let Some(kept) = builder.keep(built, &animation.motion, bytes).map_err(failed)?
    {
        return Ok(kept);
    }
    builder.build(built, &animation.motion).map_err(failed)
}

/// What edits ask for goes before what the file and the options say.
fn apply(needs: &Needs, builder: &mut ClipBuilder, built: &BuiltSkeleton) {
    if let Some(precision) = needs.precision_m {
        builder.precision = precision;
        builder.joints.iter_mut().for_each(|j| j.precision = None);
    }
    for (raw, precision) in &needs.joints {
        let Some(joint) = built.joint_of_raw.get(*raw).copied() else { continue };
        let precision = Some(*precision);
        match builder.joints.iter_mut().find(|j| j.joint == joint) {
            Some(j) => j.precision = precision,
            None => builder.joints.push(JointPrecision { joint, precision, shell: None }),
        }
    }
}
