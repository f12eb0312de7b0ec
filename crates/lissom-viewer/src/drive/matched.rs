//! What motion matching does in a layer of a graph: which frame plays, what it costs, and what was looked for.

use lissom_motion::{
    Animator,
    graph::LayerParts,
    matching::{Database, Query, QueryError},
    state::TrajectoryPoint,
};
use std::{collections::VecDeque, sync::Arc};

/// How much of the past is remembered, in seconds; and how many moments of it at most, however short they are.
pub(crate) const PAST_S: f64 = 10.0;
const MOMENTS: usize = 1200;
/// How many jumps are remembered.
const JUMPS: usize = 6;

/// A layer that motion matching plays, or has played.
pub(crate) struct Matched {
    pub layer: usize,
    /// What it does now; `None` while another state leads.
    pub now: Option<Now>,
    /// The last [`PAST_S`] seconds of the graph, the oldest first.
    pub moments: VecDeque<Moment>,
    /// The last jumps to another frame, the newest first.
    pub jumps: VecDeque<Jump>,
    /// What was looked for last.
    pub asked: Asked,
}

/// What plays.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Now {
    pub state: String,
    /// The name of its database.
    pub database: String,
    pub clip: String,
    pub time_s: f64,
    /// The frame of the database.
    pub frame: u32,
    /// Searches since the state began, and how many led elsewhere.
    pub searches: u32,
    pub jumps: u32,
    /// Where the character is to be: seconds from now, and the point as it sees it.
    pub wanted: Vec<(f32, TrajectoryPoint)>,
}

/// What the frame that played cost.
pub(crate) struct Moment {
    /// Of the graph's own time, in seconds.
    pub time_s: f64,
    /// In squared deviations, by the groups of the database.
    pub by_group: Vec<f32>,
}

/// From a frame to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Jump {
    pub time_s: f64,
    pub from: u32,
    pub to: u32,
}

/// What was looked for.
#[derive(Clone)]
pub(crate) struct Asked {
    /// When, of the graph's own time.
    pub time_s: f64,
    pub database: Arc<Database>,
    /// As a search that is made again would ask: from the frame that plays after it.
    pub query: Query,
}

/// After a step: takes down what each layer does that motion matching plays.
pub(super) fn follow(
    all: &mut Vec<Matched>,
    animator: &Animator,
    layers: &[LayerParts],
    time_s: f64,
) -> Result<(), QueryError> {
    let (graph, state) = (animator.graph(), animator.state());
    for (layer, parts) in layers.iter().enumerate() {
        let at = all.iter().position(|own| own.layer == layer);
        let (Some(doing), Some(query), Some(leading)) =
            (state.matched(graph, layer), state.matched_query(graph, layer), state.leading(graph, layer))
        else {
            if let Some(at) = at {
                all[at].now = None;
            }
            continue;
        };
        let key = graph.layer(&parts.name).and_then(|layer| graph.state_key(layer, leading)).ok();
        let times = key.map_or(&[][..], |key| graph.trajectory_times(key));
        let now = Now {
            state: leading.into(),
            database: doing.database.into(),
            clip: doing.clip.into(),
            time_s: doing.time_s,
            frame: doing.frame,
            searches: doing.searches,
            jumps: doing.jumps,
            wanted: times.iter().copied().zip(query.wanted).collect(),
        };
        let (database, query) = (query.database.clone(), query.query);
        let costs = database.costs(&query, now.frame)?;
        let by_group = costs.by_group.iter().map(|cost| database.in_deviations(*cost)).collect();
        let asked = Asked { time_s, database, query };
        let at = at.unwrap_or_else(|| {
            let (moments, jumps) = (VecDeque::new(), VecDeque::new());
            all.push(Matched { layer, now: None, moments, jumps, asked: asked.clone() });
            all.len() - 1
        });
        all[at].take(now, asked, by_group);
    }
    Ok(())
}

impl Matched {
    fn take(&mut self, now: Now, asked: Asked, by_group: Vec<f32>) {
        let time_s = asked.time_s;
        if self.asked.database.fingerprint() != asked.database.fingerprint() {
            // Its frames are others.
            self.moments.clear();
            self.jumps.clear();
            self.now = None;
        }
        // The same state as before, without a break.
        let before = self.now.as_ref().filter(|before| before.state == now.state);
        let before = before.filter(|before| before.searches <= now.searches);
        if before.is_none_or(|before| before.searches != now.searches) {
            self.asked = asked;
        }
        if let Some(before) = before.filter(|before| before.jumps != now.jumps) {
            self.jumps.push_front(Jump { time_s, from: before.frame, to: now.frame });
            self.jumps.truncate(JUMPS);
        }
        self.moments.push_back(Moment { time_s, by_group });
        while self.moments.len() > MOMENTS
            || self.moments.front().is_some_and(|first| first.time_s < time_s - PAST_S)
        {
            self.moments.pop_front();
        }
        self.now = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{drive::Directed, matched_file};
    use lissom::archive::Archive;
    use lissom_motion::state::Value;

    fn directed() -> Directed {
        let archive = Archive::read(&matched_file::archive()).unwrap();
        Directed::new(&archive, "mannequin", matched_file::graph()).unwrap()
    }

    fn go(directed: &mut Directed, ahead: f32, steps: usize) {
        directed.set("ahead", Value::Float(ahead)).unwrap();
        (0..steps).for_each(|_| directed.update(1.0 / 60.0).unwrap());
    }

    #[test]
    fn what_plays_what_it_costs_and_every_jump_is_taken_down() {
        let mut directed = directed();
        assert_eq!(directed.matched.len(), 1, "before the first step, too");
        let (mut jumps, mut searches) = (0, 0);
        for step in 0..240 {
            let before = directed.matched[0].now.clone().unwrap();
            let asked_s = directed.matched[0].asked.time_s;
            go(&mut directed, if step < 120 { 1.4 } else { 4.0 }, 1);
            let own = &directed.matched[0];
            let now = own.now.as_ref().unwrap();
            let state = directed.animator.state();
            let (told, query) = (
                state.matched(directed.animator.graph(), 0).unwrap(),
                state.matched_query(directed.animator.graph(), 0).unwrap(),
            );
            assert_eq!((now.frame, now.clip.as_str(), now.time_s), (told.frame, told.clip, told.time_s));
            assert_eq!((now.searches, now.jumps), (told.searches, told.jumps));
            assert_eq!(own.asked.time_s > asked_s, now.searches > before.searches);
            let last = own.moments.back().unwrap();
            let cost = query.database.in_deviations(query.database.cost(&query.query, now.frame).unwrap());
            assert!((last.by_group.iter().sum::<f32>() - cost).abs() <= 1e-3 * (1.0 + cost), "{cost}");
            if now.jumps > before.jumps {
                let jump = Jump { time_s: last.time_s, from: before.frame, to: now.frame };
                assert_eq!(own.jumps.front(), Some(&jump));
                jumps += 1;
            }
            searches += now.searches - before.searches;
        }
        assert!(jumps >= 2 && searches > 30, "{jumps} jumps of {searches} searches");
        let own = &directed.matched[0];
        assert!(own.moments.iter().any(|moment| moment.by_group.iter().sum::<f32>() > 0.01));
        let wanted = &own.now.as_ref().unwrap().wanted;
        assert_eq!(wanted.len(), 3);
        assert!(wanted[2].0 > 0.9 && wanted[2].1.position[1] > 3.0, "{wanted:?}");
    }

    #[test]
    fn the_past_is_forgotten() {
        let mut directed = directed();
        go(&mut directed, 1.4, 1000);
        let own = &directed.matched[0];
        let span = own.moments.back().unwrap().time_s - own.moments.front().unwrap().time_s;
        assert!((PAST_S - 0.1..=PAST_S).contains(&span), "{span}");
        assert!(own.jumps.len() <= JUMPS);
        for _ in 0..3000 {
            directed.update(1e-3).unwrap();
        }
        assert!(directed.matched[0].moments.len() <= MOMENTS);
    }
}
