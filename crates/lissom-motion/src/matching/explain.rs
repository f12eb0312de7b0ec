//! Why a search finds what it finds.

use super::{Database, Query, QueryError, search::Playing};
use alloc::{vec, vec::Vec};

/// What the best frames cost, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// The frame that plays, if it counts.
    pub current: Option<Costs>,
    /// The best other frames that may be found, the best first.
    pub best: Vec<Costs>,
}

/// What a frame costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// The frame.
    pub frame: u32,
    /// All of it.
    pub cost: i32,
    /// What each group of features adds, in the order of [`Database::groups`].
    pub by_group: Vec<i32>,
    /// What each feature adds, in the order of [`Database::features`].
    pub by_feature: Vec<i32>,
    /// What the frame's bias adds.
    pub bias: i32,
}

impl Database {
    /// The `count` best frames, and what each feature and each group of them adds to their costs. For tools: it looks at every frame.
    ///
    /// # Errors
    ///
    /// [`QueryError::OtherDatabase`].
    pub fn explain(&self, query: &Query, count: usize) -> Result<Explanation, QueryError> {
        query.check(self)?;
        let mut told = Explanation::default();
        let playing = Playing::new(self, query);
        told.current = playing.as_ref().and_then(|playing| self.costs_of_frame(query, playing.frame));
        let zone = playing.map_or(0..0, |playing| playing.zone);
        let mut best: Vec<(i32, u32)> = Vec::new();
        for (i, range) in self.ranges().iter().enumerate() {
            if range.tags & query.tags != query.tags {
                continue;
            }
            let first = self.frames_of(i as u32).start;
            for frame in (first + range.entry_from..first + range.entry_to).filter(|f| !zone.contains(f)) {
                let Some(cost) = self.cost_of_frame(query, frame) else { continue };
                let at = best.partition_point(|b| *b < (cost, frame));
                if at < count {
                    best.truncate(count - 1);
                    best.insert(at, (cost, frame));
                }
            }
        }
        told.best = best.iter().filter_map(|(_, frame)| self.costs_of_frame(query, *frame)).collect();
        Ok(told)
    }

    /// What a frame costs, and what each feature and each group of them adds to that. For tools: it looks at this frame alone.
    ///
    /// # Errors
    ///
    /// [`QueryError::UnknownFrame`], [`QueryError::OtherDatabase`].
    pub fn costs(&self, query: &Query, frame: u32) -> Result<Costs, QueryError> {
        query.check(self)?;
        let missing = QueryError::UnknownFrame { found: frame, count: self.frames() };
        self.costs_of_frame(query, frame).ok_or(missing)
    }

    fn costs_of_frame(&self, query: &Query, frame: u32) -> Option<Costs> {
        let at = self.stored(frame)?;
        let [by_group, by_feature] = [self.groups().len(), self.features().len()].map(|count| vec![0; count]);
        let mut costs = Costs { frame, cost: 0, by_group, by_feature, bias: 0 };
        for (column, feature) in self.columns.iter().enumerate() {
            let d = i32::from(self.number(at, column)) - i32::from(query.number(column));
            costs.cost += d * d;
            let number = usize::from(*feature);
            let (Some(feature), Some(own)) = (self.features().get(number), costs.by_feature.get_mut(number))
            else {
                // It is the bias, or nothing.
                costs.bias += d * d;
                continue;
            };
            *own = d * d;
            if let Some(group) = costs.by_group.get_mut(feature.group as usize) {
                *group += d * d;
            }
        }
        Some(costs)
    }
}
