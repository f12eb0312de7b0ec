//! What is in each panel.

use super::{compression, crowd, curves, graph, inspect, matched, mix, retarget, side, world};
use crate::{
    settings::Panel,
    state::{Commands, View},
};

/// What is in a panel.
pub(super) fn panel(which: Panel, view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    match which {
        Panel::Clips => side::clips(view, ui, commands),
        Panel::Display => side::display(view, ui, commands),
        Panel::Inspect => inspect::inspect(view, ui, commands),
        Panel::Mix => mix::mix(view, ui, commands),
        Panel::Graph => graph::graph(view, ui, commands),
        Panel::Matching => matched::matched(view, ui, commands),
        Panel::Compression => compression::compression(view, ui, commands),
        Panel::Curves => curves::curves(view, ui),
        Panel::Retarget => retarget::retarget(view, ui, commands),
        Panel::Crowd => crowd::crowd(view, ui, commands),
        Panel::World => world::world(view, ui, commands),
    }
}
