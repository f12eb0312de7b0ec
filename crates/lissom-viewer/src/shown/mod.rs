//! What may be shown beside the document, or instead of it.

mod bounds;
mod candidates;
mod compare;
mod crowd;
mod curves;
mod ghost;
mod time_rows;
mod world;

pub(crate) use bounds::Bounds;
pub(crate) use candidates::{BEST, Candidate, Candidates, draw_ways, playing_color, wanted_color};
pub(crate) use compare::{Comparison, ErrorCurve};
pub(crate) use crowd::{CrowdScene, Instance, MOST, Phase};
pub(crate) use curves::Curves;
pub(crate) use ghost::Ghost;
pub(crate) use time_rows::{RowKind, TimeRow, TimeRows};
pub(crate) use world::{Place, WorldScene};
