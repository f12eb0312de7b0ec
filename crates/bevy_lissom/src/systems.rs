//! The systems of a frame: bind, animate, then root motion, markers and sockets.
#![allow(clippy::type_complexity, reason = "a query says what it asks for")]

use crate::{
    archive::{LissomArchive, LissomClip},
    clips::Ended,
    components::{
        Change, Character, ClipSource, EntityRootMotion, JointSocket, MarkerBegan, MarkerEnded, MarkerPassed,
        ParameterValue, Parameters, Playable, PlaybackSpeed, Plays, StateChanged, WeightedClip,
    },
    crowds::{BindError, Bound, CrowdOf, Crowds, Own, Rebound},
    executor::Compute,
    hands::PoseHooks,
    names::{NameError, called},
    problem::{Concern, LissomError, Problems, fails},
    steps::{MarkerFilter, Passing, Stay},
};
use bevy_asset::{AssetEvent, AssetId, AssetServer, Assets, Handle, LoadState, UntypedAssetId};
use bevy_ecs::{prelude::*, system::SystemParam};
use bevy_math::{Mat4, Quat, Vec3};
use bevy_time::Time;
use bevy_transform::components::Transform;
use lissom::{Skeleton, job::JobError, pose::Pose};
use lissom_motion::{
    RootStep,
    crowd::{CrowdError, Member},
    frame::What,
};
use std::sync::{Mutex, PoisonError};
use tracing::error;

/// Removes the member of an entity that lost its [`Plays`].
pub(crate) fn unbind(
    removed: On<Remove<Plays>>,
    characters: Query<&Character>,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    for about in Concern::OF_CHARACTERS {
        commands.mend(removed.entity, about);
    }
    let Ok(character) = characters.get(removed.entity) else { return };
    crowds.remove(character);
    commands.entity(removed.entity).try_remove::<Character>();
}

/// Binds the members of changed files again, and drops the crowds of files that are no longer used.
pub(crate) fn follow_files(
    mut events: MessageReader<AssetEvent<LissomArchive>>,
    archives: Res<Assets<LissomArchive>>,
    mut crowds: ResMut<Crowds>,
    mut all: Query<(&mut Plays, Option<&mut Character>, Option<&LissomError>)>,
    mut commands: Commands,
) {
    for event in events.read() {
        match event {
            // A file that could not be loaded at first.
            AssetEvent::Added { id } => try_again(*id, &mut all),
            AssetEvent::Modified { id } => {
                let Some(LissomArchive { archive, .. }) = archives.get(*id) else { continue };
                crowds.reload(*id, archive, |key, rebound| match rebound {
                    Rebound::Moved { entity, member } => {
                        if let Ok((_, Some(mut character), _)) = all.get_mut(entity) {
                            character.member = member;
                        }
                    }
                    Rebound::Failed { entity, why } => {
                        commands.tell(entity, Concern::Plays, why);
                        commands.entity(entity).try_remove::<Character>();
                    }
                    Rebound::Refused(why) => {
                        error!("{:?} changed, but cannot be played: {why}; the old one goes on", key.0);
                    }
                });
                try_again(*id, &mut all);
            }
            AssetEvent::Removed { id } => crowds.forget(*id),
            _ => {}
        }
    }
}

/// Entities that could not play this file are bound again: the change may have mended it.
fn try_again(
    id: AssetId<LissomArchive>,
    all: &mut Query<(&mut Plays, Option<&mut Character>, Option<&LissomError>)>,
) {
    for (mut plays, character, failed) in all {
        // A label has no archive until it is loaded.
        let other = matches!(&plays.source, ClipSource::Archive(handle) if handle.id() != id);
        if fails(failed, Concern::Plays) && character.is_none() && !other {
            plays.set_changed();
        }
    }
}

/// Makes entities with a new or changed [`Plays`] members of a crowd as soon as their archive is loaded.
pub(crate) fn bind(
    all: Query<(Entity, Ref<Plays>, Option<&Character>, Option<&LissomError>)>,
    archives: Res<Assets<LissomArchive>>,
    clips: Res<Assets<LissomClip>>,
    server: Res<AssetServer>,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    for (entity, plays, character, error) in &all {
        let changed = plays.is_changed();
        let failed = fails(error, Concern::Plays);
        if !changed && (character.is_some() || failed) {
            continue;
        }
        if let Some(character) = character {
            crowds.remove(character);
            commands.entity(entity).try_remove::<Character>();
        }
        match bound(entity, &plays, &archives, &clips, &server, &mut crowds) {
            Ok(new) => {
                if failed {
                    commands.mend(entity, Concern::Plays);
                }
                // None: it is still loading.
                if let Some(character) = new {
                    commands.entity(entity).try_insert(character);
                }
            }
            Err(why) => commands.tell(entity, Concern::Plays, why),
        }
    }
}

/// A new member. None as long as its archive is loading.
fn bound(
    entity: Entity,
    plays: &Plays,
    archives: &Assets<LissomArchive>,
    clips: &Assets<LissomClip>,
    server: &AssetServer,
    crowds: &mut Crowds,
) -> Result<Option<Character>, BindError> {
    let Some((archive, playable)) = found(plays, clips, server)? else { return Ok(None) };
    let Some(loaded) = archives.get(&archive) else {
        return still_loading(server, archive.id()).map(|()| None);
    };
    let key = (archive.id(), plays.skeleton.clone());
    let member = crowds.get_or_add(&key, &loaded.archive)?.add(entity, &playable)?;
    Ok(Some(Character { archive, key, member }))
}

/// The archive, and what is played of it. None as long as the asset of a label is still loading.
fn found(
    plays: &Plays,
    clips: &Assets<LissomClip>,
    server: &AssetServer,
) -> Result<Option<(Handle<LissomArchive>, Playable)>, BindError> {
    match &plays.source {
        ClipSource::Archive(handle) => Ok(Some((handle.clone(), plays.playable.clone()))),
        ClipSource::Clip(handle) => {
            let Some((clip, path)) = clips.get(handle).zip(handle.path()) else {
                return still_loading(server, handle.id()).map(|()| None);
            };
            let clips = vec![WeightedClip::new(clip.name.clone(), 1.0)];
            let playable = Playable::Clips { clips, in_step: false };
            Ok(Some((server.load(path.without_label().into_owned()), playable)))
        }
    }
}

/// An error if the file of an asset that is not there could not be loaded.
fn still_loading(server: &AssetServer, id: impl Into<UntypedAssetId>) -> Result<(), BindError> {
    match server.load_state(id) {
        LoadState::Failed(why) => Err(BindError::File(why)),
        _ => Ok(()),
    }
}

/// Sets the parameters that a changed [`Parameters`] names.
pub(crate) fn follow_parameters(
    changed: Query<
        (Entity, &Character, &Parameters, Option<&LissomError>),
        Or<(Changed<Parameters>, Added<Character>)>,
    >,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    for (entity, character, parameters, error) in &changed {
        let Some(crowd_of) = crowds.get_mut(&character.key) else { continue };
        // The others are set all the same.
        let refused = |(name, value): &(String, ParameterValue)| set(crowd_of, character, name, *value).err();
        let refused: Vec<String> = parameters.0.iter().filter_map(refused).collect();
        if !refused.is_empty() {
            commands.tell(entity, Concern::Parameters, refused.join("; "));
        } else if fails(error, Concern::Parameters) {
            commands.mend(entity, Concern::Parameters);
        }
    }
}

fn set(
    crowd_of: &mut CrowdOf,
    character: &Character,
    name: &str,
    value: ParameterValue,
) -> Result<(), String> {
    let member = character.member;
    let graph = crowd_of.graph_of(member).ok_or("it is not played by a graph")?;
    let text = |error: lissom_motion::StateError| error.to_string();
    let names = || graph.parameters().map(|(name, _)| name);
    let at = called("parameter", names(), name).map_err(|why| why.to_string())?;
    let name = names().nth(at).unwrap_or(name);
    let set = match value {
        ParameterValue::Float(value) => {
            let key = graph.float(name).map_err(text)?;
            crowd_of.crowd.set(member, key, value)
        }
        ParameterValue::Int(value) => {
            let key = graph.int(name).map_err(text)?;
            crowd_of.crowd.set(member, key, value)
        }
        ParameterValue::Bool(value) => match graph.bool(name) {
            Ok(key) => crowd_of.crowd.set(member, key, value),
            Err(_) => {
                let key = graph.trigger(name).map_err(text)?;
                crowd_of.crowd.set(member, key, value)
            }
        },
    };
    set.map_err(|error| error.to_string())
}

/// Sets the speed of characters. A character whose [`PlaybackSpeed`] was removed goes at speed 1 again.
pub(crate) fn follow_pace(
    changed: Query<
        (Entity, &Character, &PlaybackSpeed, Option<&LissomError>),
        Or<(Changed<PlaybackSpeed>, Changed<Character>)>,
    >,
    mut removed: RemovedComponents<PlaybackSpeed>,
    characters: Query<(Entity, &Character), Without<PlaybackSpeed>>,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    for (entity, character, PlaybackSpeed(pace), error) in &changed {
        let Some(crowd_of) = crowds.get_mut(&character.key) else { continue };
        if let Err(why) = set_pace(crowd_of, character, *pace) {
            commands.tell(entity, Concern::PlaybackSpeed, why);
        } else if fails(error, Concern::PlaybackSpeed) {
            commands.mend(entity, Concern::PlaybackSpeed);
        }
    }
    for (entity, character) in removed.read().filter_map(|entity| characters.get(entity).ok()) {
        commands.mend(entity, Concern::PlaybackSpeed);
        if let Some(crowd_of) = crowds.get_mut(&character.key) {
            // 1 is a valid speed, and a member that is gone needs none.
            let _ = set_pace(crowd_of, character, 1.0);
        }
    }
}

fn set_pace(crowd_of: &mut CrowdOf, character: &Character, pace: f32) -> Result<(), CrowdError> {
    crowd_of.crowd.set_pace(&[character.member], pace)?;
    crowd_of.own[character.member.index()].pace = pace;
    Ok(())
}

/// Updates every crowd.
pub(crate) fn animate(
    time: Res<Time>,
    hooks: Res<PoseHooks>,
    errors: Query<(Entity, &LissomError)>,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    let dt_s = time.delta_secs_f64();
    let known: Vec<Entity> = errors
        .iter()
        .filter(|(_, error)| fails(Some(error), Concern::Pose))
        .map(|(entity, _)| entity)
        .collect();
    // What the hands on poses said; few do.
    let said: Mutex<Vec<(Entity, Option<JobError>)>> = Mutex::default();
    for crowd_of in crowds.iter_mut() {
        crowd_of.begin(dt_s);
        let fresh = std::mem::take(&mut crowd_of.levels.fresh);
        let CrowdOf { crowd, hands, bound, .. } = crowd_of;
        let pose = |member: Member, _: &RootStep, pose: &mut Pose<'_>| {
            let why = hands.apply(&hooks, bound, member, pose).err();
            if let Some(Some(Bound { entity, .. })) = bound.get(member.index())
                && (why.is_some() || known.contains(entity))
            {
                said.lock().unwrap_or_else(PoisonError::into_inner).push((*entity, why));
            }
            Ok(())
        };
        // A step of 0 poses everybody.
        let first = if fresh { crowd.update_with(0.0, &Compute, None, &pose) } else { Ok(()) };
        if let Err(why) = first.and_then(|()| crowd.update_with(dt_s, &Compute, None, &pose)) {
            error!("a crowd of {} characters: {why}", crowd_of.crowd.len());
        }
    }
    let mut said = said.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Threads take turns; the log does not show it.
    said.sort_unstable_by_key(|(entity, _)| *entity);
    for (entity, why) in said {
        match why {
            Some(why) => commands.tell(entity, Concern::Pose, why),
            None => commands.mend(entity, Concern::Pose),
        }
    }
}

/// Applies root motion, or hands it over.
pub(crate) fn travel(
    mut moved: Query<(&Character, &mut EntityRootMotion, &mut Transform)>,
    crowds: Res<Crowds>,
) {
    for (character, mut motion, mut transform) in &mut moved {
        let step = crowds.get(&character.key).and_then(|t| t.crowd.root_step(character.member).ok());
        let Some(step) = step else { continue };
        let translation = Vec3::from_array(step.translation.map(|v| v as f32));
        let rotation = Quat::from_array(step.rotation.map(|v| v as f32));
        let applied = motion.applied;
        motion.set_if_neq(EntityRootMotion { applied, translation, rotation });
        if applied && (translation != Vec3::ZERO || rotation != Quat::IDENTITY) {
            // In f64 and without the engine's arithmetic, which rounds otherwise from machine to machine.
            let scale = transform.scale.to_array().map(f64::from);
            let place = RootStep {
                translation: transform.translation.to_array().map(f64::from),
                rotation: transform.rotation.to_array().map(f64::from),
            };
            let step =
                RootStep { translation: std::array::from_fn(|i| step.translation[i] * scale[i]), ..*step };
            let to = place.then(&step);
            transform.translation = Vec3::from_array(to.translation.map(|v| v as f32));
            transform.rotation = Quat::from_array(to.rotation.map(|v| v as f32));
        }
    }
}

/// Messages to all, and events of the entities.
#[derive(SystemParam)]
pub(crate) struct Told<'w, 's> {
    passed: MessageWriter<'w, MarkerPassed>,
    began: MessageWriter<'w, MarkerBegan>,
    ended: MessageWriter<'w, MarkerEnded>,
    changed: MessageWriter<'w, StateChanged>,
    commands: Commands<'w, 's>,
}

impl Told<'_, '_> {
    fn passed(&mut self, event: MarkerPassed) {
        self.passed.write(event.clone());
        self.commands.trigger(event);
    }

    fn began(&mut self, event: MarkerBegan) {
        self.began.write(event.clone());
        self.commands.trigger(event);
    }

    fn ended(&mut self, event: MarkerEnded) {
        self.ended.write(event.clone());
        self.commands.trigger(event);
    }

    fn changed(&mut self, event: StateChanged) {
        self.changed.write(event.clone());
        self.commands.trigger(event);
    }

    /// A stay that is over, because its clip is not played any more.
    fn broke_off(&mut self, entity: Entity, Stay { name, layer, .. }: Stay) {
        let event = MarkerEnded { entity, marker: name, interrupted: true, share: 0.0, weight: 0.0, layer };
        self.ended(event);
    }
}

/// Sends what happened in the step.
pub(crate) fn tell(mut crowds: ResMut<Crowds>, filters: Query<&MarkerFilter>, mut told: Told) {
    for (entity, stay) in std::mem::take(&mut crowds.broken_off) {
        told.broke_off(entity, stay);
    }
    for crowd_of in crowds.iter_mut() {
        let CrowdOf { crowd, bound, names, own, .. } = crowd_of;
        for event in crowd.events() {
            let Some(Some(Bound { entity, .. })) = bound.get(event.member.index()) else { continue };
            let (entity, share, weight, layer) = (*entity, event.share, event.weight, event.layer);
            if let Some(change) = Change::of(&event.what) {
                let name = crowd.graph(event.member).and_then(|graph| event.what.name(graph));
                let name = CrowdOf::name(names, name.unwrap_or_default());
                told.changed(StateChanged { entity, change, name, share, weight, layer });
                continue;
            }
            let (What::Marker { marker, clip, .. }
            | What::MarkerBegan { marker, clip }
            | What::MarkerEnded { marker, clip, .. }) = event.what
            else {
                continue;
            };
            let name = CrowdOf::name(names, marker.name);
            let Own { clock_s, step_s, steps, .. } = &mut own[event.member.index()];
            let at_s = *clock_s - (1.0 - f64::from(share)) * *step_s;
            let passing = Passing { name: &name, layer, clip, weight, at_s };
            let filter = filters.get(entity).copied().unwrap_or_default();
            match event.what {
                What::MarkerBegan { .. } if steps.begins(passing, &filter) => {
                    told.began(MarkerBegan { entity, marker: name, share, weight, layer });
                }
                What::MarkerEnded { interrupted, .. } if steps.ends(&name, layer, clip) => {
                    told.ended(MarkerEnded { entity, marker: name, interrupted, share, weight, layer });
                }
                What::Marker { backward, .. } if steps.tells(passing, &filter) => {
                    let duration_s = marker.duration_s;
                    told.passed(MarkerPassed {
                        entity,
                        marker: name,
                        duration_s,
                        share,
                        weight,
                        layer,
                        backward,
                    });
                }
                _ => {}
            }
        }
        for at in 0..crowd_of.bound.len() {
            for (entity, stay) in crowd_of.left_behind(at) {
                told.broke_off(entity, stay);
            }
            let Some((entity, Ended { change, clip, share, weight })) = crowd_of.ended(at) else { continue };
            let name = crowd_of.clips[usize::from(clip)].name.clone();
            told.changed(StateChanged { entity, change, name, share, weight, layer: 0 });
        }
    }
}

/// Sockets follow their joints.
pub(crate) fn attach(
    mut sockets: Query<
        (Entity, &mut JointSocket, &ChildOf, &mut Transform, Option<&LissomError>),
        Without<Character>,
    >,
    characters: Query<&Character>,
    crowds: Res<Crowds>,
    mut commands: Commands,
) {
    for (entity, mut socket, child_of, mut transform, error) in &mut sockets {
        let Ok(character) = characters.get(child_of.parent()) else { continue };
        let Some(crowd_of) = crowds.get(&character.key) else { continue };
        let skeleton = crowd_of.crowd.skeleton();
        // Inspectors may write another name into it.
        let same = !socket.is_changed();
        let known = socket.found.filter(|(identity, _)| same && *identity == skeleton.identity());
        let joint = known.map_or_else(
            || {
                let joint = joint_called(skeleton, socket.joint());
                match &joint {
                    Err(why) => commands.tell(entity, Concern::JointSocket, why),
                    Ok(_) if fails(error, Concern::JointSocket) => {
                        commands.mend(entity, Concern::JointSocket);
                    }
                    Ok(_) => {}
                }
                let joint = joint.ok();
                socket.bypass_change_detection().found = Some((skeleton.identity(), joint));
                joint
            },
            |(_, joint)| joint,
        );
        let Some(model) = joint.and_then(|joint| crowd_of.model(character.member, joint)) else { continue };
        let own = Transform::from_matrix(Mat4::from_cols_array(&model.to_cols_array()));
        let scale = if socket.is_scaled() { own.scale } else { Vec3::ONE };
        transform.set_if_neq(own.with_scale(scale));
    }
}

/// The joint of this name; the last part of a name is enough.
pub(crate) fn joint_called(skeleton: &Skeleton, name: &str) -> Result<usize, NameError> {
    let names = (0..skeleton.joint_count()).map(|joint| skeleton.name(joint));
    skeleton.find(name).map_or_else(|| called("joint", names, name), Ok)
}
