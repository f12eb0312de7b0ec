//! From inputs to scenes that can be cooked: every file read, every motion on a skeleton, every edit done.

use super::{
    Executor, Input, InputError, PipelineError, Plan, ScenePrecision, Step, clips,
    file::{File, Opened, Prepared, Read},
    parsed, stamp, together,
    watch::{Watcher, guarded, run_all},
    weights,
};
use crate::{
    BuiltSkeleton, SkeletonBuilder,
    cook::SkinReach,
    edit,
    import::{self, Format},
    scene::Scene,
};
use std::sync::Arc;

/// Reads all inputs and brings them to where their clips can be cooked.
pub(super) fn all(
    plan: &Plan,
    inputs: &[Input<'_>],
    executor: &Executor<'_>,
    watcher: &Watcher<'_>,
) -> Result<Vec<Result<Opened, InputError>>, PipelineError> {
    let all = run_all(inputs.len(), executor, watcher, |i| {
        let done = guarded(&inputs[i], || read(plan, &inputs[i]));
        let known = done.as_ref().ok().filter(|r| r.prepared.is_some());
        let clips = known.map_or(0, |r| r.file.scene.animations.len());
        let name = inputs[i].name().to_string_lossy();
        watcher.grow(clips, Step::Read { input: &name });
        done
    })?;
    let read = all.into_iter().zip(inputs).map(|(read, input)| read.unwrap_or_else(|| input.left_out()));
    let mut read: Vec<Result<Read, InputError>> = read.collect();
    together::lend_skeletons(inputs, &mut read);
    together::drop_copies(&mut read);
    let opened = read.into_iter().zip(inputs);
    let opened = opened.map(|(read, input)| guarded(input, || opened_of(plan, input, read?, watcher)));
    let mut opened: Vec<Result<Opened, InputError>> = opened.collect();
    let skins = run_all(inputs.len(), executor, watcher, |i| {
        guarded(&inputs[i], || Ok(opened[i].as_ref().map_or(Vec::new(), |own| skins(plan, own, &opened))))
    })?;
    for ((slot, skins), input) in opened.iter_mut().zip(skins).zip(inputs) {
        match (skins.unwrap_or_else(|| input.left_out()), slot.as_mut()) {
            (Ok(skins), Ok(opened)) => opened.skins = skins,
            (Err(error), _) => *slot = Err(error),
            (_, Err(_)) => {}
        }
    }
    Ok(opened)
}

/// What each skeleton of a file moves: meshes of every file that is for the same skeleton, for they are drawn
/// together.
fn skins(plan: &Plan, own: &Opened, all: &[Result<Opened, InputError>]) -> Vec<Arc<SkinReach>> {
    let reach = |built: &BuiltSkeleton| {
        let mut skin = SkinReach::default();
        plan.target_meshes.iter().for_each(|mesh| skin.add(built, &mesh.mesh, &mesh.morphs));
        for other in all.iter().flatten() {
            let identity = built.skeleton.identity();
            let same = other.skeletons.iter().enumerate().filter(|(_, s)| s.skeleton.identity() == identity);
            for (index, built) in same {
                let meshes = other.file.scene.meshes.iter().filter(|m| m.skeleton == index);
                meshes.for_each(|mesh| skin.add(built, &mesh.mesh, &mesh.morphs));
            }
        }
        Arc::new(skin)
    };
    own.skeletons.iter().map(reach).collect()
}

fn read(plan: &Plan, input: &Input<'_>) -> Result<Read, InputError> {
    let parsed::Opened { mut scene, bytes, others } =
        parsed::open(input, plan.target.as_ref(), &plan.import_of(input))?;
    if scene.skeletons.is_empty() && scene.tracks.is_empty() && scene.animations.is_empty() {
        return Err(InputError::Nothing { name: input.name().to_owned() });
    }
    if !stamp::has_what_is_asked(&bytes, plan) {
        scene.animations.iter_mut().for_each(|a| a.kept = None);
    }
    let is_archive = Format::of_bytes(&bytes) == Some(Format::Lsm);
    let databases = if is_archive { stamp::databases(&bytes) } else { Vec::new() };
    for database in databases {
        if plan.matching.iter().all(|rule| rule.name != database) {
            let text = "it was left out: a recipe cooks it from clips";
            scene.warn(format!("matching {database:?}"), text);
        }
    }
    let stem = import::stem(input.name());
    let left_out = clips::keep_clips(&mut scene, &stem, &plan.clips);
    let stamp = stamp::lines(input, &bytes, &others);
    let lends = scene.skeletons.clone();
    let mut file = File { stem, scene, left_out, is_archive, lends, stamp };
    // Motions without a skeleton wait until they have one.
    let whole = file.scene.animations.iter().all(|a| a.skeleton.is_some());
    let prepared = whole.then(|| prepare(plan, input, &mut file)).transpose()?;
    Ok(Read { file, prepared })
}

/// Settles how exactly the clips are cooked, and edits them.
fn prepare(plan: &Plan, input: &Input<'_>, file: &mut File) -> Result<Prepared, InputError> {
    let File { scene, is_archive, .. } = file;
    if let Some(target) = &plan.retarget {
        import::bring_onto(input.name(), scene, (target, &plan.target_meshes), &plan.import_of(input))?;
    }
    let height_m = scene.height();
    let precision = ScenePrecision::new(height_m, plan.asked_precision, plan.asked_shell);
    if let Some(height) = height_m.filter(|_| precision.growth() > 1.0) {
        let millimetres = precision.builder(&plan.cook).precision * 1e3;
        let text = format!(
            "it is {height:.1} m high, so its precision is {millimetres:.4} mm; its unit or a precision tell better"
        );
        scene.warn("", text);
    }
    let builder = precision.builder(&plan.cook);
    let asked = edit::Asked {
        rules: &plan.rules,
        precision_m: builder.precision,
        shell_m: builder.shell,
        finds_loops: !*is_archive,
    };
    let edited = edit::follow(scene, asked)
        .map_err(|source| InputError::Edit { name: input.name().to_owned(), source: source.into() })?;
    // What comes from an archive has been through this. Here, where every weight still has its mesh beside it.
    if !*is_archive {
        let skeletons = build_skeletons(input, scene)?;
        weights::reduce(scene, &skeletons, precision.builder(&plan.cook).precision);
    }
    Ok(Prepared { precision, height_m, edited })
}

fn opened_of(
    plan: &Plan,
    input: &Input<'_>,
    read: Read,
    watcher: &Watcher<'_>,
) -> Result<Opened, InputError> {
    let Read { mut file, prepared } = read;
    if let Some(lost) = file.scene.animations.iter().find(|a| a.skeleton.is_none()) {
        let (name, clip) = (input.name().to_owned(), lost.motion.name.clone());
        return Err(InputError::NoSkeleton { name, clip });
    }
    let prepared = match prepared {
        Some(prepared) => prepared,
        None => {
            let prepared = prepare(plan, input, &mut file)?;
            watcher.add(file.scene.animations.len());
            prepared
        }
    };
    let skeletons = build_skeletons(input, &file.scene)?;
    Ok(Opened { file, prepared, skeletons, skins: Vec::new() })
}

/// Clips that are to be the difference to another one, which may be in another input.
pub(super) fn take_differences(
    inputs: &[Input<'_>],
    opened: &mut [Result<Opened, InputError>],
    watcher: &Watcher<'_>,
) {
    let mut scenes: Vec<_> = opened
        .iter_mut()
        .map(|o| o.as_mut().ok().map(|o| (&mut o.file.scene, &mut o.prepared.edited)))
        .collect();
    let wrong = edit::take_differences(&mut scenes);
    for ((input, opened), source) in inputs.iter().zip(opened).zip(wrong) {
        let Some(source) = source else { continue };
        // Its clips were counted: they are done with.
        for animation in opened.iter().flat_map(|o| &o.file.scene.animations) {
            let (input, clip) = (input.name().to_string_lossy(), &animation.motion.name);
            watcher.grow(0, Step::Cooked { input: &input, clip });
        }
        *opened = Err(InputError::Edit { name: input.name().to_owned(), source: source.into() });
    }
}

fn build_skeletons(input: &Input<'_>, scene: &Scene) -> Result<Vec<BuiltSkeleton>, InputError> {
    let built = scene.skeletons.iter().map(|s| SkeletonBuilder::build(&s.skeleton));
    let built: Result<Vec<_>, _> = built.collect();
    built.map_err(|source| InputError::Skeleton { name: input.name().to_owned(), source })
}
