//! Where a character that is played by motion matching wants to go: said in the world, seen from where it stands.

use crate::{
    character::{CharacterError, Characters},
    components::{Character, EntityRootMotion},
    crowds::{CrowdOf, Crowds},
    ik::matrix,
    names,
    problem::{Concern, LissomError, Problems, fails},
};
use bevy_ecs::{prelude::*, reflect::ReflectComponent};
use bevy_math::Vec3;
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::helper::TransformHelper;
use lissom::math::{Mat34, trig::atan2};
use lissom_motion::{
    Graph,
    crowd::{CrowdError, Member},
    graph::StateKey,
    state::{MatchedInputs, MatchedNow, TrajectoryPoint},
};
use std::sync::Arc;

/// Where a character wants to go, if its graph plays states by motion matching ([docs/MATCHING.md](../../../docs/MATCHING.md)): a velocity,
/// as a stick gives it, or a path. All in the world; what is upward does not count. The plugin sets the parameters of the states, as the
/// character sees them. It travels by its root motion.
///
/// ```ignore
/// commands.spawn((Plays::graph(server.load("hero.lsm"), "hero"), Skins::all(), MatchedMotion::default()));
/// // In every frame:
/// wanted.velocity = stick * 3.0;
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(EntityRootMotion)]
pub struct MatchedMotion {
    /// In metres per second.
    pub velocity: Vec3,
    /// Where it wants to face; `None`: where it goes.
    pub facing: Option<Vec3>,
    /// Where it is to be at each of the times of the database's trajectory ([`Characters::trajectory_times`]). Empty: the velocity counts.
    pub path: Vec<PathPoint>,
}

impl MatchedMotion {
    /// At this velocity.
    #[must_use]
    pub fn to(velocity: Vec3) -> Self {
        Self { velocity, ..Self::default() }
    }
}

/// A point of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Debug, PartialEq)]
pub struct PathPoint {
    /// Where it is to be.
    pub place: Vec3,
    /// Where it then faces.
    pub facing: Vec3,
}

/// The states of a graph that are played by motion matching, and what they read.
#[derive(Clone, Debug)]
pub(crate) struct Matched {
    graph: Arc<Graph>,
    states: Vec<(StateKey, MatchedInputs)>,
}

impl Matched {
    fn of(graph: &Arc<Graph>) -> Self {
        let mut states = Vec::new();
        for (number, layer) in graph.layer_names().enumerate() {
            // Both names are the graph's own.
            let Ok(layer) = graph.layer(layer) else { continue };
            let all = graph.state_names(number).filter_map(|name| graph.state_key(layer, name).ok());
            states.extend(all.filter_map(|state| Some((state, graph.matched_inputs(state)?))));
        }
        Self { graph: graph.clone(), states }
    }
}

/// Below this speed, in metres per second, nobody goes anywhere.
const STANDS: f32 = 0.05;

#[derive(Debug, thiserror::Error)]
enum SteerError {
    #[error("it is not played by a graph")]
    NoGraph,
    #[error("its graph has no state that is played by motion matching")]
    NoState,
    #[error("{0}")]
    Crowd(#[from] CrowdError),
}

/// Tells states what their characters want.
pub(crate) fn steer(
    all: Query<(Entity, &Character, Ref<MatchedMotion>, Option<&LissomError>)>,
    mut removed: RemovedComponents<MatchedMotion>,
    places: TransformHelper,
    mut crowds: ResMut<Crowds>,
    mut commands: Commands,
) {
    for entity in removed.read().filter(|entity| !all.contains(*entity)) {
        commands.mend(entity, Concern::Matched);
    }
    for (entity, character, wanted, error) in &all {
        let Some(crowd_of) = crowds.get_mut(&character.key) else { continue };
        let Ok(place) = places.compute_global_transform(entity) else { continue };
        let Some(into) = matrix(&place.affine()).inverse() else { continue };
        match steered(crowd_of, character.member, &wanted, &into) {
            Ok(()) if fails(error, Concern::Matched) => commands.mend(entity, Concern::Matched),
            Ok(()) => {}
            Err(why) => commands.tell(entity, Concern::Matched, why),
        }
    }
}

fn steered(
    crowd_of: &mut CrowdOf,
    member: Member,
    wanted: &MatchedMotion,
    into: &Mat34,
) -> Result<(), SteerError> {
    let graph = crowd_of.graph_of(member).ok_or(SteerError::NoGraph)?.clone();
    let known = crowd_of.matched.iter().position(|known| Arc::ptr_eq(&known.graph, &graph));
    let known = known.unwrap_or_else(|| {
        crowd_of.matched.push(Matched::of(&graph));
        crowd_of.matched.len() - 1
    });
    let CrowdOf { crowd, matched, .. } = crowd_of;
    let Matched { graph, states } = &matched[known];
    if states.is_empty() {
        return Err(SteerError::NoState);
    }
    // To its left, and ahead.
    let seen = |way: Vec3| {
        let [x, _, z] = into.mul_vector(way.to_array());
        [x, z]
    };
    let velocity = seen(wanted.velocity);
    let goes = velocity[0] * velocity[0] + velocity[1] * velocity[1] > STANDS * STANDS;
    let facing = match wanted.facing.map(seen) {
        Some([x, z]) => atan2(x, z),
        None if goes => atan2(velocity[0], velocity[1]),
        None => 0.0,
    };
    let point = |point: &PathPoint| {
        let [x, _, z] = into.mul_point(point.place.to_array());
        let [a, b] = seen(point.facing);
        let length = lissom::math::trig::sqrt(a * a + b * b);
        let direction = if length > 0.0 { [a / length, b / length] } else { [0.0, 1.0] };
        TrajectoryPoint { position: [x, z], direction }
    };
    let points: Vec<TrajectoryPoint> = wanted.path.iter().map(point).collect();
    for (state, inputs) in states {
        for (key, value) in inputs.velocity.into_iter().zip(velocity) {
            crowd.set(member, key, value)?;
        }
        if let Some(key) = inputs.facing {
            crowd.set(member, key, facing)?;
        }
        if !graph.trajectory_times(*state).is_empty() {
            crowd.set_trajectory(member, *state, &points)?;
        }
    }
    Ok(())
}

impl Characters<'_, '_> {
    /// What a layer's leading state is doing if it is played by motion matching; `None` otherwise.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`], [`CharacterError::Name`].
    pub fn matched(&self, entity: Entity, layer: &str) -> Result<Option<MatchedNow<'_>>, CharacterError> {
        let graph = self.graph(entity)?;
        let number = names::called("layer", graph.layer_names(), layer)?;
        Ok(self.state(entity)?.matched(graph, number))
    }

    /// The times, in seconds from now, that a path of a matched state has a point for.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`], [`CharacterError::Name`].
    pub fn trajectory_times(
        &self,
        entity: Entity,
        state: &str,
        layer: &str,
    ) -> Result<&[f32], CharacterError> {
        let graph = self.graph(entity)?;
        Ok(graph.trajectory_times(names::state(graph, layer, state)?))
    }

    /// Searches with the next update: after a landing, or a hit.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`], [`CharacterError::Name`]; a state that is not played by motion matching.
    pub fn search_now(&mut self, entity: Entity, state: &str, layer: &str) -> Result<(), CharacterError> {
        let state = names::state(self.graph(entity)?, layer, state)?;
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.search_now(member, state)?)
    }
}
