//! The systems of a frame: bind, animate, then root motion, markers and sockets.
#![allow(clippy::type_complexity, reason = "a query says what it asks for")]

use crate::{
    archive::{LissomArchive, LissomClip},
    components::{
        Change, Character, EntityRootMotion, JointSocket, LissomError, MarkerPassed, ParameterValue,
        Parameters, Playable, PlaybackSpeed, Plays, Source, StateChanged, WeightedClip,
    },
    crowds::{BindError, Bound, CrowdOf, Crowds, Rebound},
    executor::Compute,
};
use bevy_asset::{AssetEvent, AssetId, AssetServer, Assets, Handle, LoadState, UntypedAssetId};
use bevy_ecs::prelude::*;
use bevy_math::{Mat4, Quat, Vec3};
use bevy_time::Time;
use bevy_transform::components::Transform;
use lissom_motion::{RootStep, frame::What};
use tracing::error;

/// Removes the member of an entity that lost its [`Plays`].
pub(crate) fn unbind(
    removed: On<Remove<Plays>>,
    characters: Query<&Character>,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    let Ok(character) = characters.get(removed.entity) else { return };
    if let Some(crowd_of) = crowds.get_mut(&character.key) {
        crowd_of.remove(character.member);
    }
    commands.entity(removed.entity).try_remove::<Character>();
}

/// Binds the members of changed files again, and drops the crowds of files that are no longer used.
pub(crate) fn follow_files(
    mut events: MessageReader<AssetEvent<LissomArchive>>,
    archives: Res<Assets<LissomArchive>>,
    mut crowds: ResMut<Crowds>,
    mut all: Query<(&mut Plays, Option<&mut Character>, Has<LissomError>)>,
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
                        fail(&mut commands, entity, &why);
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
    all: &mut Query<(&mut Plays, Option<&mut Character>, Has<LissomError>)>,
) {
    for (mut plays, character, failed) in all {
        // A label has no archive until it is loaded.
        let other = matches!(&plays.source, Source::Archive(handle) if handle.id() != id);
        if failed && character.is_none() && !other {
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
        if !changed && (character.is_some() || error.is_some()) {
            continue;
        }
        if let Some(character) = character
            && let Some(crowd_of) = crowds.get_mut(&character.key)
        {
            crowd_of.remove(character.member);
            commands.entity(entity).try_remove::<Character>();
        }
        if error.is_some() {
            commands.entity(entity).try_remove::<LissomError>();
        }
        let (handle, playable) = match found(&plays, &clips, &server) {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            Err(why) => {
                fail(&mut commands, entity, &why);
                continue;
            }
        };
        let Some(LissomArchive { archive, .. }) = archives.get(&handle) else {
            if let Err(why) = still_loading(&server, handle.id()) {
                fail(&mut commands, entity, &why);
            }
            continue;
        };
        let key = (handle.id(), plays.skeleton.clone());
        let added = crowds
            .get_or_add(&key, archive)
            .map_err(BindError::from)
            .and_then(|crowd_of| crowd_of.add(entity, &playable));
        match added {
            Ok(member) => {
                commands.entity(entity).try_insert(Character { archive: handle, key, member });
            }
            Err(why) => fail(&mut commands, entity, &why),
        }
    }
}

/// The archive, and what is played of it. None as long as the asset of a label is still loading.
fn found(
    plays: &Plays,
    clips: &Assets<LissomClip>,
    server: &AssetServer,
) -> Result<Option<(Handle<LissomArchive>, Playable)>, BindError> {
    match &plays.source {
        Source::Archive(handle) => Ok(Some((handle.clone(), plays.playable.clone()))),
        Source::Clip(handle) => {
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

fn fail(commands: &mut Commands, entity: Entity, why: &BindError) {
    error!("{entity} does not play: {why}");
    commands.entity(entity).try_insert(LissomError(why.to_string()));
}

/// Sets the parameters that a changed [`Parameters`] names.
pub(crate) fn follow_parameters(
    changed: Query<(Entity, &Character, &Parameters), Or<(Changed<Parameters>, Added<Character>)>>,
    mut crowds: ResMut<Crowds>,
) {
    for (entity, character, parameters) in &changed {
        let Some(crowd_of) = crowds.get_mut(&character.key) else { continue };
        for (name, value) in &parameters.0 {
            if let Err(why) = set(crowd_of, character, name, *value) {
                error!("{entity}: parameter {name:?}: {why}");
            }
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
    changed: Query<(Entity, &Character, &PlaybackSpeed), Or<(Changed<PlaybackSpeed>, Changed<Character>)>>,
    mut removed: RemovedComponents<PlaybackSpeed>,
    characters: Query<&Character, Without<PlaybackSpeed>>,
    mut crowds: ResMut<Crowds>,
) {
    for (entity, character, PlaybackSpeed(pace)) in &changed {
        let Some(crowd_of) = crowds.get_mut(&character.key) else { continue };
        if let Err(why) = crowd_of.crowd.set_pace(&[character.member], *pace) {
            error!("{entity}: {why}");
        }
    }
    for character in removed.read().filter_map(|entity| characters.get(entity).ok()) {
        if let Some(crowd_of) = crowds.get_mut(&character.key) {
            // 1 is a valid speed, and a member that is gone needs none.
            let _ = crowd_of.crowd.set_pace(&[character.member], 1.0);
        }
    }
}

/// Updates every crowd.
pub(crate) fn animate(time: Res<Time>, mut crowds: ResMut<Crowds>) {
    let dt_s = time.delta_secs_f64();
    for crowd_of in crowds.iter_mut() {
        let CrowdOf { crowd, human, aims, .. } = crowd_of;
        let updated = crowd.update_with(dt_s, &Compute, None, &|member, _, pose| match (
            aims.get(member.index()),
            &*human,
        ) {
            (Some(Some(aims)), Some(human)) => aims.apply(human, pose),
            _ => Ok(()),
        });
        if let Err(why) = updated {
            error!("a crowd of {} characters: {why}", crowd_of.crowd.len());
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

/// Sends what happened in the step, as messages and as events of the entities.
pub(crate) fn tell(
    mut crowds: ResMut<Crowds>,
    mut messages: MessageWriter<MarkerPassed>,
    mut changes: MessageWriter<StateChanged>,
    mut commands: Commands,
) {
    for crowd_of in crowds.iter_mut() {
        let CrowdOf { crowd, bound, names, .. } = crowd_of;
        for event in crowd.events() {
            let Some(Some(Bound { entity, .. })) = bound.get(event.member.index()) else { continue };
            if let Some(change) = Change::of(&event.what) {
                let name = crowd.graph(event.member).and_then(|graph| event.what.name(graph));
                let changed = StateChanged {
                    entity: *entity,
                    change,
                    name: CrowdOf::name(names, name.unwrap_or_default()),
                    share: event.share,
                    weight: event.weight,
                    layer: event.layer,
                };
                changes.write(changed.clone());
                commands.trigger(changed);
            }
            let What::Marker { marker, backward, .. } = event.what else { continue };
            let passed = MarkerPassed {
                entity: *entity,
                marker: CrowdOf::name(names, marker.name),
                duration_s: marker.duration_s,
                share: event.share,
                weight: event.weight,
                layer: event.layer,
                backward,
            };
            messages.write(passed.clone());
            commands.trigger(passed);
        }
    }
}

/// Sockets follow their joints.
pub(crate) fn attach(
    mut sockets: Query<(Entity, &mut JointSocket, &ChildOf, &mut Transform), Without<Character>>,
    characters: Query<&Character>,
    crowds: Res<Crowds>,
) {
    for (entity, mut socket, child_of, mut transform) in &mut sockets {
        let Ok(character) = characters.get(child_of.parent()) else { continue };
        let Some(crowd_of) = crowds.get(&character.key) else { continue };
        let skeleton = crowd_of.crowd.skeleton();
        let known = socket.found.filter(|(identity, _)| *identity == skeleton.identity());
        let joint = known.map_or_else(
            || {
                let joint = skeleton.find(socket.joint());
                if joint.is_none() {
                    error!("socket {entity}: there is no joint {:?}", socket.joint());
                }
                socket.bypass_change_detection().found = Some((skeleton.identity(), joint));
                joint
            },
            |(_, joint)| joint,
        );
        let models = crowd_of.crowd.models(character.member).ok().flatten();
        let Some(model) = joint.zip(models).and_then(|(joint, models)| models.get(joint)) else { continue };
        transform.set_if_neq(Transform::from_matrix(Mat4::from_cols_array(&model.to_cols_array())));
    }
}
