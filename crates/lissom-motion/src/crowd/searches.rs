//! How many members may search for motion matching in one update.

use super::{
    Crowd,
    members::{Mind, is_live},
};
use crate::state::SearchTurn;

impl Crowd {
    /// States that are played by motion matching may make searches of this many members in an update, at most; `None`, as at the start:
    /// of as many as are due.
    ///
    /// With m [slots](Crowd::slots) a member has its turn in every n-th update, n = m / `members`, rounded up: members take turns by their
    /// slots. What is due waits for its turn. The turn is a part of a member's state
    /// ([`GraphState::set_search_turn`](crate::GraphState::set_search_turn)): an animator with the same turn shows the same bits, and a state that
    /// is put back brings its own.
    pub fn set_search_budget(&mut self, members: Option<usize>) {
        self.search_budget = members.map(|members| if members > 0 { members } else { 1 });
        self.deals_searches = true;
    }

    /// Gives turns to members that have none of the length that is due.
    pub(super) fn deal_searches(&mut self) {
        if !core::mem::take(&mut self.deals_searches) || !self.casts.iter().any(|cast| cast.graph.searches())
        {
            return;
        }
        let every = self.search_budget.map_or(1, |budget| self.members.slots().div_ceil(budget));
        let every = u16::try_from(every).unwrap_or(u16::MAX);
        let every = if every > 0 { every } else { 1 };
        let (members, casts) = (&mut self.members, &self.casts);
        let live = members.generations.iter().map(|generation| is_live(*generation));
        let turns = |(slot, (mind, is_live)): (usize, (_, bool))| match mind {
            &mut Mind::Graph { graph, ref mut state, .. }
                if is_live && casts[usize::from(graph)].graph.searches() =>
            {
                Some(((slot % usize::from(every)) as u16, &mut state.matching.as_mut()?.turn))
            }
            _ => None,
        };
        // Who has a turn of this length already says where all are in it.
        let mut clock = None;
        for (own, turn) in members.minds.iter_mut().zip(live).enumerate().filter_map(turns) {
            if turn.every == every {
                clock.get_or_insert((own + every - turn.wait) % every);
            } else {
                let clock = *clock.get_or_insert(0);
                *turn = SearchTurn { every, wait: (own + every - clock) % every };
            }
        }
    }
}
