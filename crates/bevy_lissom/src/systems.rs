//! What happens in a frame.
#![allow(clippy::type_complexity, reason = "a query says what it asks for")]

use crate::{
    archive::{LissomArchive, LissomClip},
    components::{
        Animator, Character, ClipPart, MarkerPassed, Pace, ParameterValue, Parameters, Plays, Problem,
        RootMotion, Socket, Source,
    },
    crowds::{Actor, CastError, Crowds, Recast, Troupe},
    executor::Compute,
};
use bevy_asset::{AssetEvent, AssetServer, Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_math::{Mat4, Quat, Vec3};
use bevy_time::Time;
use bevy_transform::components::Transform;
use lissom_motion::RootStep;
use tracing::error;

/// An animator that went takes its member along.
pub(crate) fn part(
    removed: On<Remove<Animator>>,
    characters: Query<&Character>,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    let Ok(character) = characters.get(removed.entity) else { return };
    if let Some(troupe) = crowds.get_mut(&character.key) {
        troupe.leave(character.member);
    }
    commands.entity(removed.entity).try_remove::<Character>();
}

/// Changed files play on; files that nobody holds are let go.
pub(crate) fn follow_files(
    mut events: MessageReader<AssetEvent<LissomArchive>>,
    archives: Res<Assets<LissomArchive>>,
    mut crowds: ResMut<Crowds>,
    mut animators: Query<(&mut Animator, Option<&mut Character>, Has<Problem>)>,
    mut commands: Commands,
) {
    for event in events.read() {
        match event {
            AssetEvent::Modified { id } => {
                let Some(LissomArchive { archive, .. }) = archives.get(*id) else { continue };
                crowds.reload(*id, archive, |key, recast| match recast {
                    Recast::Goes { entity, member } => {
                        if let Ok((_, Some(mut character), _)) = animators.get_mut(entity) {
                            character.member = member;
                        }
                    }
                    Recast::Stops { entity, why } => {
                        fail(&mut commands, entity, &why);
                        commands.entity(entity).try_remove::<Character>();
                    }
                    Recast::NotAtAll(why) => {
                        error!("{:?} changed, but cannot be played: {why}; the old one goes on", key.0);
                    }
                });
                // Who could not play may be able to now.
                for (mut animator, character, failed) in &mut animators {
                    if failed && character.is_none() {
                        animator.set_changed();
                    }
                }
            }
            AssetEvent::Removed { id } => crowds.forget(*id),
            _ => {}
        }
    }
}

/// Animators that are new or changed become members as soon as their archive is there.
pub(crate) fn bind(
    animators: Query<(Entity, Ref<Animator>, Option<&Character>, Option<&Problem>)>,
    archives: Res<Assets<LissomArchive>>,
    clips: Res<Assets<LissomClip>>,
    server: Res<AssetServer>,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    for (entity, animator, character, problem) in &animators {
        let changed = animator.is_changed();
        if !changed && (character.is_some() || problem.is_some()) {
            continue;
        }
        if let Some(character) = character
            && let Some(troupe) = crowds.get_mut(&character.key)
        {
            troupe.leave(character.member);
            commands.entity(entity).try_remove::<Character>();
        }
        if problem.is_some() {
            commands.entity(entity).try_remove::<Problem>();
        }
        let Some((handle, plays)) = found(&animator, &clips, &server) else { continue };
        let Some(LissomArchive { archive, .. }) = archives.get(&handle) else { continue };
        let key = (handle.id(), animator.skeleton.clone());
        let joined = crowds
            .troupe(&key, archive)
            .map_err(CastError::from)
            .and_then(|troupe| troupe.join(entity, &plays));
        match joined {
            Ok(member) => {
                commands.entity(entity).try_insert(Character { archive: handle, key, member });
            }
            Err(why) => fail(&mut commands, entity, &why),
        }
    }
}

/// The archive of an animator, and what it plays of it; nothing as long as a label is not loaded.
fn found(
    animator: &Animator,
    clips: &Assets<LissomClip>,
    server: &AssetServer,
) -> Option<(Handle<LissomArchive>, Plays)> {
    match &animator.source {
        Source::Archive(handle) => Some((handle.clone(), animator.plays.clone())),
        Source::Clip(handle) => {
            let clip = clips.get(handle)?;
            let path = handle.path()?.without_label().into_owned();
            let parts = vec![ClipPart::new(clip.name.clone(), 1.0)];
            Some((server.load(path), Plays::Clips { parts, in_step: false }))
        }
    }
}

fn fail(commands: &mut Commands, entity: Entity, why: &CastError) {
    error!("{entity} does not play: {why}");
    commands.entity(entity).try_insert(Problem(why.to_string()));
}

/// Parameters by name.
pub(crate) fn follow_parameters(
    changed: Query<(Entity, &Character, &Parameters), Or<(Changed<Parameters>, Added<Character>)>>,
    mut crowds: ResMut<Crowds>,
) {
    for (entity, character, parameters) in &changed {
        let Some(troupe) = crowds.get_mut(&character.key) else { continue };
        for (name, value) in &parameters.0 {
            if let Err(why) = set(troupe, character, name, *value) {
                error!("{entity}: parameter {name:?}: {why}");
            }
        }
    }
}

fn set(troupe: &mut Troupe, character: &Character, name: &str, value: ParameterValue) -> Result<(), String> {
    let member = character.member;
    let graph = troupe.graph_of(member).ok_or("it is not played by a graph")?;
    let text = |error: lissom_motion::StateError| error.to_string();
    let set = match value {
        ParameterValue::Float(value) => {
            let key = graph.float(name).map_err(text)?;
            troupe.crowd.set(member, key, value)
        }
        ParameterValue::Int(value) => {
            let key = graph.int(name).map_err(text)?;
            troupe.crowd.set(member, key, value)
        }
        ParameterValue::Bool(value) => match graph.bool(name) {
            Ok(key) => troupe.crowd.set(member, key, value),
            Err(_) => {
                let key = graph.trigger(name).map_err(text)?;
                troupe.crowd.set(member, key, value)
            }
        },
    };
    set.map_err(|error| error.to_string())
}

/// How fast each goes; at the usual pace again whose component went.
pub(crate) fn follow_pace(
    changed: Query<(Entity, &Character, &Pace), Or<(Changed<Pace>, Changed<Character>)>>,
    mut removed: RemovedComponents<Pace>,
    characters: Query<&Character, Without<Pace>>,
    mut crowds: ResMut<Crowds>,
) {
    for (entity, character, Pace(pace)) in &changed {
        let Some(troupe) = crowds.get_mut(&character.key) else { continue };
        if let Err(why) = troupe.crowd.set_pace(&[character.member], *pace) {
            error!("{entity}: {why}");
        }
    }
    for character in removed.read().filter_map(|entity| characters.get(entity).ok()) {
        if let Some(troupe) = crowds.get_mut(&character.key) {
            // A pace of 1 is one, and a member that went has none.
            let _ = troupe.crowd.set_pace(&[character.member], 1.0);
        }
    }
}

/// Every crowd goes on.
pub(crate) fn animate(time: Res<Time>, mut crowds: ResMut<Crowds>) {
    let dt_s = time.delta_secs_f64();
    for troupe in crowds.iter_mut() {
        if let Err(why) = troupe.crowd.update_on(dt_s, &Compute) {
            error!("a crowd of {} stands still: {why}", troupe.crowd.len());
        }
    }
}

/// Root motion.
pub(crate) fn travel(mut moved: Query<(&Character, &mut RootMotion, &mut Transform)>, crowds: Res<Crowds>) {
    for (character, mut motion, mut transform) in &mut moved {
        let step = crowds.get(&character.key).and_then(|t| t.crowd.root_step(character.member).ok());
        let Some(step) = step else { continue };
        let translation = Vec3::from_array(step.translation.map(|v| v as f32));
        let rotation = Quat::from_array(step.rotation.map(|v| v as f32));
        let applied = motion.applied;
        motion.set_if_neq(RootMotion { applied, translation, rotation });
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

/// Markers that were passed, to all and to who observes them.
pub(crate) fn tell(
    mut crowds: ResMut<Crowds>,
    mut messages: MessageWriter<MarkerPassed>,
    mut commands: Commands,
) {
    for troupe in crowds.iter_mut() {
        let Troupe { crowd, cast, names, .. } = troupe;
        for event in crowd.events() {
            let Some(Some(Actor { entity, .. })) = cast.get(event.member.index()) else { continue };
            let passed = MarkerPassed {
                entity: *entity,
                marker: Troupe::name(names, event.marker.name),
                duration_s: event.marker.duration_s,
                share: event.share,
                weight: event.weight,
                layer: event.layer,
                backward: event.backward,
            };
            messages.write(passed.clone());
            commands.trigger(passed);
        }
    }
}

/// Sockets follow their joints.
pub(crate) fn attach(
    mut sockets: Query<(Entity, &mut Socket, &ChildOf, &mut Transform), Without<Character>>,
    characters: Query<&Character>,
    crowds: Res<Crowds>,
) {
    for (entity, mut socket, child_of, mut transform) in &mut sockets {
        let Ok(character) = characters.get(child_of.parent()) else { continue };
        let Some(troupe) = crowds.get(&character.key) else { continue };
        let skeleton = troupe.crowd.skeleton();
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
        let models = troupe.crowd.models(character.member).ok().flatten();
        let Some(model) = joint.zip(models).and_then(|(joint, models)| models.get(joint)) else { continue };
        transform.set_if_neq(Transform::from_matrix(Mat4::from_cols_array(&model.to_cols_array())));
    }
}
