//! What a state that is played by motion matching remembers, and what code tells it.

use super::GraphState;
use crate::{
    error::StateError,
    graph::{Asking, FloatKey, Graph, Matched, StateKey},
    matching::{Database, Query},
};
use alloc::{boxed::Box, sync::Arc, vec::Vec};
use lissom::track::TimeError;

/// A point that a character is to come to, as it sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrajectoryPoint {
    /// In metres to its left, and ahead.
    pub position: [f32; 2],
    /// Where it then faces: to its left, and ahead; of length 1.
    pub direction: [f32; 2],
}

/// How a matched state is steered. Everything is seen from the character as it stood at the last search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Steering {
    /// The age of the state at the last search.
    pub(crate) at_s: f64,
    /// Where its clip was then.
    pub(crate) time_s: f64,
    /// The range of the database that plays.
    pub(crate) range: u32,
    /// What follows the velocity that is wanted.
    pub(crate) velocity: [f32; 2],
    pub(crate) acceleration: [f32; 2],
    /// What follows where it is to face, in radians to the left, and how fast.
    pub(crate) facing: f32,
    pub(crate) turning: f32,
    /// What was wanted.
    pub(crate) wanted: [f32; 2],
    pub(crate) wanted_facing: f32,
    /// True if the game says where to go, point by point.
    pub(crate) is_led: bool,
    /// True if it searches as soon as it may.
    pub(crate) must_search: bool,
    /// What the frame costs that was found.
    pub(crate) cost: i32,
    /// How many there were since it began.
    pub(crate) searches: u32,
    /// How many of them found another frame.
    pub(crate) jumps: u32,
}

/// What all matched states of a graph remember. Nothing, for a graph without one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Matching {
    /// One a state.
    pub(crate) steering: Box<[Steering]>,
    /// The points that the game has set, of one state after the other.
    pub(crate) points: Box<[TrajectoryPoint]>,
    pub(crate) turn: SearchTurn,
}

/// In which updates a character may search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchTurn {
    /// In every one of these; at least 1.
    pub(crate) every: u16,
    /// Updates until then.
    pub(crate) wait: u16,
}

impl Default for SearchTurn {
    fn default() -> Self {
        Self { every: 1, wait: 0 }
    }
}

impl SearchTurn {
    /// One update more; true if it is its turn.
    pub(crate) fn next(&mut self) -> bool {
        let is_due = self.wait == 0;
        self.wait = if is_due { self.every } else { self.wait } - 1;
        is_due
    }
}

impl Matching {
    /// Nothing for a graph without such a state.
    pub(super) fn new(graph: &Graph) -> Option<Box<Self>> {
        let points = graph.matched.last()?.points.end;
        Some(Box::new(Self {
            steering: graph.matched.iter().map(|matched| matched.start.steering).collect(),
            points: alloc::vec![TrajectoryPoint::default(); points as usize].into(),
            turn: SearchTurn::default(),
        }))
    }

    pub(super) fn clone_from_same(&mut self, source: &Self) {
        self.steering.clone_from(&source.steering);
        self.points.clone_from(&source.points);
        self.turn = source.turn;
    }

    /// What a state of another version of the graph remembers, of the same database; false if there is nothing.
    pub(super) fn take(&mut self, to: &Graph, state: u16, from: &Graph, was: u16, old: &Self) -> bool {
        let number = |graph: &Graph, state: u16| graph.state(state).matched.map(usize::from);
        let (Some(own), Some(was)) = (number(to, state), number(from, was)) else { return false };
        let (Some(new), Some(steering)) = (self.steering.get_mut(own), old.steering.get(was)) else {
            return false;
        };
        *new = *steering;
        let points = |graph: &Graph, number: usize| {
            let range = graph.matched.get(number).map_or(0..0, |matched| matched.points.clone());
            range.start as usize..range.end as usize
        };
        let (own, was) = (self.points.get_mut(points(to, own)), old.points.get(points(from, was)));
        if let (Some(own), Some(was)) = (own, was) {
            own.iter_mut().zip(was).for_each(|(own, was)| *own = *was);
        }
        true
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.steering) + size_of_val(&*self.points)
    }
}

/// What a state that is played by motion matching is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchedNow<'g> {
    /// The database.
    pub database: &'g str,
    /// The frame of it that plays.
    pub frame: u32,
    /// The clip that plays.
    pub clip: &'g str,
    /// The time in that clip, in seconds.
    pub time_s: f64,
    /// What the frame cost that the last search found, in squared deviations.
    pub cost: f32,
    /// Searches since the state began.
    pub searches: u32,
    /// How many of them led to another frame.
    pub jumps: u32,
    /// The velocity that follows what is wanted, in metres per second to the character's left, and ahead, as of the last search.
    pub velocity: [f32; 2],
}

/// What a state that is played by motion matching would look for now; for tools that show it, and explain it with
/// [`Database::explain`].
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedQuery<'g> {
    /// Where it would look.
    pub database: &'g Arc<Database>,
    /// The frame of it that plays.
    pub frame: u32,
    /// What it would ask for, in the order of [`Database::features`]: the pose of that frame, and the trajectory that is wanted.
    pub values: Vec<f32>,
    /// The same as a search takes it, with the tags, the frame that plays and the cost of a transition.
    pub query: Query,
    /// The trajectory that is wanted, a point for each of [`Graph::trajectory_times`], as the character sees it.
    pub wanted: Vec<TrajectoryPoint>,
}

/// The parameters that a state played by motion matching reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedInputs {
    /// Metres per second to the character's left, and ahead.
    pub velocity: [FloatKey; 2],
    /// Where it wants to face, in radians to its left; without it, it faces where it goes.
    pub facing: Option<FloatKey>,
}

impl GraphState {
    /// What a layer's leading state would look for if it searched now; `None` if it is not played by motion matching. It allocates.
    #[must_use]
    pub fn matched_query<'g>(&self, graph: &'g Graph, layer: usize) -> Option<MatchedQuery<'g>> {
        let voice = self.layers.get(layer).filter(|_| self.fits(graph))?.voices.as_slice().last()?;
        let state = graph.state(voice.state);
        let number = usize::from(state.matched?);
        let (matched, matching) = (graph.matched.get(number)?, self.matching.as_deref()?);
        let range = matched.points.start as usize..matched.points.end as usize;
        let points = matching.points.get(range)?;
        let float = |at: u16| self.floats.get(usize::from(at)).map_or(0.0, |float| float.value);
        let asking = Asking { graph, state, matched, points, float };
        let (database, steering) = (matched.database.as_ref()?, matching.steering.get(number)?);
        asking.query_at(database, voice.clip, steering, voice.age.seconds())
    }

    /// What a layer's leading state is doing if it is played by motion matching; `None` otherwise.
    #[must_use]
    pub fn matched<'g>(&self, graph: &'g Graph, layer: usize) -> Option<MatchedNow<'g>> {
        let voice = self.layers.get(layer).filter(|_| self.fits(graph))?.voices.as_slice().last()?;
        let number = usize::from(graph.state(voice.state).matched?);
        let (matched, steering) = (graph.matched.get(number)?, self.matching.as_ref()?.steering.get(number)?);
        let database = matched.database.as_deref()?;
        let time_s = steering.time_s + (voice.age.seconds() - steering.at_s);
        let clip = graph.matched_clip(voice.clip);
        let time_s = clip.within(time_s);
        Some(MatchedNow {
            database: &matched.name,
            frame: database.frame_of_run(steering.range, time_s)?,
            clip: &clip.name,
            // One that does not loop holds its end.
            time_s: if time_s < clip.duration_s { time_s } else { clip.duration_s },
            cost: database.in_deviations(steering.cost),
            searches: steering.searches,
            jumps: steering.jumps,
            velocity: steering.velocity,
        })
    }

    /// Says where a character that is played by motion matching is to go, as for one who follows a path: a point for each of
    /// [`Graph::trajectory_times`]. They count, in place of the parameters, until they are set again, or to none. Points that lie
    /// elsewhere than the last ones, by as much as a sharp change of the velocity would lead, force a search.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`]; [`StateError::NotMatched`]; [`StateError::Value`] for another number of points, or one that is not
    /// finite.
    pub fn set_trajectory(
        &mut self,
        graph: &Graph,
        state: StateKey,
        points: &[TrajectoryPoint],
    ) -> Result<(), StateError> {
        let (number, of) = self.matched_state(graph, state)?;
        let Matched { points: range, times_s, .. } = of;
        if !points.is_empty() && points.len() != times_s.len() {
            let allowed = "none, or as many as the database has times of the trajectory ahead";
            return Err(TimeError { field: "points", value: points.len() as f64, allowed }.into());
        }
        let mut numbers = points.iter().flat_map(|point| [point.position, point.direction]).flatten();
        if let Some(value) = numbers.find(|value| !value.is_finite()) {
            let (field, allowed) = ("points", "finite numbers");
            return Err(TimeError { field, value: f64::from(value), allowed }.into());
        }
        let matching = self.matching.as_deref_mut().ok_or(StateError::OtherGraph)?;
        let own = matching.points.get_mut(range.start as usize..range.end as usize);
        let (Some(own), Some(steering)) = (own, matching.steering.get_mut(number)) else {
            return Err(StateError::OtherGraph);
        };
        let is_led = !points.is_empty();
        steering.must_search |= is_led != steering.is_led || of.is_far(own, points);
        own.iter_mut().zip(points).for_each(|(own, point)| *own = *point);
        steering.is_led = is_led;
        Ok(())
    }

    /// Makes a state that is played by motion matching search in the next update, or at its next turn: after a landing, a hit, a
    /// teleport, or whatever the game knows that parameters do not say. For a state that does not lead it does nothing: one that is
    /// gone to searches anyway.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`]; [`StateError::NotMatched`].
    pub fn search_now(&mut self, graph: &Graph, state: StateKey) -> Result<(), StateError> {
        let (number, _) = self.matched_state(graph, state)?;
        let steering = self.matching.as_deref_mut().and_then(|matching| matching.steering.get_mut(number));
        steering.ok_or(StateError::OtherGraph)?.must_search = true;
        Ok(())
    }

    /// The number of a state among those that are matched.
    fn matched_state<'g>(
        &self,
        graph: &'g Graph,
        state: StateKey,
    ) -> Result<(usize, &'g Matched), StateError> {
        if self.shape != graph.shape {
            return Err(StateError::OtherGraph);
        }
        let of = graph.states.get(usize::from(state.0)).ok_or(StateError::OtherGraph)?;
        let number = of.matched.map(usize::from).ok_or(StateError::NotMatched)?;
        Ok((number, graph.matched.get(number).ok_or(StateError::NotMatched)?))
    }

    /// States that are played by motion matching may search in every n-th update only, first after `wait` updates: what is due
    /// waits for its turn. 1 and 0 at the start. [`Crowd::set_search_budget`](crate::crowd::Crowd::set_search_budget) says it to its
    /// members.
    ///
    /// # Errors
    ///
    /// [`StateError::Value`] if `every` is 0.
    pub fn set_search_turn(&mut self, every: u16, wait: u16) -> Result<(), StateError> {
        if every == 0 {
            return Err(TimeError { field: "every", value: 0.0, allowed: "1 to 65,535" }.into());
        }
        if let Some(matching) = &mut self.matching {
            matching.turn = SearchTurn { every, wait };
        }
        Ok(())
    }
}

impl GraphState {
    /// An update in which nothing moves: whose turn it was has missed it.
    pub(crate) fn miss_search_turn(&mut self) {
        if let Some(matching) = &mut self.matching {
            matching.turn.next();
        }
    }
}

impl Graph {
    /// True if a state of it is played by motion matching.
    pub(crate) fn searches(&self) -> bool {
        !self.matched.is_empty()
    }

    /// The database that a state is played by; `None` if it is not played by motion matching, or its database is not there.
    #[must_use]
    pub fn database(&self, state: StateKey) -> Option<&Arc<Database>> {
        self.states.get(usize::from(state.0)).and_then(|state| self.matched_of(state)?.database.as_ref())
    }

    /// The parameters that say where a character is to go in a state; `None` if it is not played by motion matching, or if the clips
    /// set one of them.
    #[must_use]
    pub fn matched_inputs(&self, state: StateKey) -> Option<MatchedInputs> {
        let matched = self.states.get(usize::from(state.0)).and_then(|state| self.matched_of(state))?;
        let key = |at: u16| {
            let is_set = self.curves.iter().any(|curve| curve.float == at);
            (!is_set).then_some(FloatKey(at))
        };
        let (velocity, facing) = matched.inputs();
        let [aside, ahead] = velocity.map(key);
        Some(MatchedInputs {
            velocity: [aside?, ahead?],
            facing: match facing {
                Some(facing) => Some(key(facing)?),
                None => None,
            },
        })
    }

    /// When the trajectory of a state's database is known, in seconds from now; only times ahead. Empty for a state that is not
    /// played by motion matching.
    #[must_use]
    pub fn trajectory_times(&self, state: StateKey) -> &[f32] {
        let of = self.states.get(usize::from(state.0)).and_then(|state| self.matched_of(state));
        of.map_or(&[], |matched| &matched.times_s)
    }
}
